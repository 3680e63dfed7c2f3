// Links and sessions hold settings, never data. What they say that cannot be had is left out with a sentence, and the rest
// is taken; whatever is chosen, the page answers.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ask, calm, dropFiles, found, goTo, openedAs, pick, saved, spec, spy, unfold } from './harness.mjs';

const MOST = 120_000;
const EXAMPLE = 'breast_cancer.csv';
/** @param {Record<string, unknown>} parts */
const link = (parts) => {
  const texts = Object.entries(parts).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return `#${new URLSearchParams({ view: 'finding', example: EXAMPLE, ...Object.fromEntries(texts) })}`;
};
const hospital = {
  name: 'hospital.csv',
  text: readFileSync(resolve(import.meta.dirname, '../corpus/files/hospital.csv'), 'utf8'),
};
/** The address as it reads. @param {import('playwright-core').Page} page */
const address = (page) => decodeURIComponent(page.url().replaceAll('+', ' '));

/** Parts of a link whose text is JSON. */
const PARTS = ['subject', 'panels', 'add', 'read'];
/** Wrong shapes of all parts at once (each of them alone: `www/state/choices.test.ts`), and what once left an empty view or a page that looks for ever. @type {[Record<string,
 * unknown>, RegExp][]} */
const BROKEN = [
  ...[5, '{"a', [null, 5]].map(
    (wrong) =>
      /** @type {[Record<string, unknown>, RegExp]} */ ([
        Object.fromEntries(PARTS.map((part) => [part, wrong])),
        RegExp(PARTS.map((part) => `(?=[^]*${part})`).join('')),
      ]),
  ),
  [{ subject: { groups: 5, alike: { place: 5, neighbours: 1e300 }, repair: {} } }, /4 settings/],
  [{ subject: { repair: 'constructor' }, workers: 'Infinity' }, /workers.*from 1 to 64/s],
  [{ view: 'explore', panel: '__proto__', panels: { map: { axes: 5, bin: 1e9 }, sweep: [] } }, /panel.*axes/s],
  [{ view: 'explore', panel: 'experiment', panels: { experiment: { methods: [null, {}, 5], spaces: {} } } }, /spaces/],
  [{ view: 'report', panels: { report: { sections: 5, suppress: -5 } }, add: ['__proto__', 'experiment'] }, /sections/],
  [{ view: 'explore', panel: 'scorecard', panels: { scorecard: { bins: 5000 } } }, /scorecard\.bins.*from 1 to 1,000/s],
  [{ view: 'constructor' }, /view must be the name of a view/],
  [{ view: '', step: 'constructor' }, /view must be the name of a view/],
  [{ read: { roles: { '~0': 'zzz' }, split: { folds: 1e9 }, only: 5 } }, /a way to divide rows/],
];
for (const [parts, says] of BROKEN)
  spec(
    `a link with ${JSON.stringify(parts)} opens, and says what it could not`,
    { hash: link(parts) },
    async ({ page }) => {
      await page.waitForSelector('#left-out');
      await page.waitForSelector('#view h1');
      assert.match((await page.textContent('#left-out')) ?? '', says);
      assert.equal(await page.locator('.boundary').count(), 0);
      if (!('view' in parts)) {
        await found(page);
        assert.doesNotMatch((await page.textContent('#finding h1')) ?? '', /has not been examined/);
      }
      // it can be put away, and is not in the link that the page gives
      await page.click('#left-out button');
      await page.waitForSelector('#left-out', { state: 'detached' });
      assert.doesNotMatch(address(page), /1e\+300|constructor|__proto__|Infinity|zzz/);
    },
  );

spec('a link to an example that there is not says so', { hash: '#example=x' }, async ({ page }) => {
  await page.waitForSelector('.alert');
  const said = await page.innerText('.alert');
  assert.match(said, /There is no built-in example “x”/);
  assert.match(said, /breast_cancer\.csv, digits\.npz, synthetic\.csv/);
});

spec('a condition on numbers is in the link, and a value of a column is not', {}, async ({ page }) => {
  await page.click(`[data-sample="${EXAMPLE}"]`);
  await found(page);
  await page.click('#subject .part[title^="Rows"]');
  await page.selectOption('select[name="only column"]', 'mean_radius');
  await page.fill('input[name="only value"]', '≥ 15');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('only'));
  const rows = await page.textContent('#subject .part[title^="Rows"]');
  assert.match(address(page), /"only":\[\{"column":"~\d+","from":15\}\]/);
  await page.reload();
  await page.waitForFunction(
    (text) => document.querySelector('#subject .part[title^="Rows"]')?.textContent === text,
    rows,
  );
  assert.equal(await page.locator('#left-out').count(), 0);
});

spec('a link made with rows that a value selects says so, and holds no value', {}, async ({ page }) => {
  const rows = '#subject .part[title^="Rows"]';
  await dropFiles(page, [hospital]);
  await found(page);
  const all = (await page.textContent(rows)) ?? '';
  await page.click(rows);
  await page.selectOption('select[name="only column"]', 'ward');
  await page.fill('input[name="only value"]', 'ICU');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('selection=left-out'));
  assert.doesNotMatch(address(page), /ICU/);
  await page.reload();
  await page.evaluate(() => window.localcal.ready);
  await dropFiles(page, [hospital]);
  await page.waitForSelector('#left-out');
  assert.match(await page.innerText('#left-out'), /made with selected rows.*select the rows again/s);
  await found(page);
  assert.equal(await page.textContent(rows), all);
  await page.click('#left-out button');
  await page.waitForSelector('#left-out', { state: 'detached' });
});

spec('a selection without rows says so and leaves what is open', {}, async ({ page }) => {
  const rows = '#subject .part[title^="Rows"]';
  await dropFiles(page, [hospital]);
  await found(page);
  const before = { rows: await page.textContent(rows), finding: await page.textContent('#finding h1') };
  await page.click(rows);
  await page.selectOption('select[name="only column"]', 'ward');
  await page.fill('input[name="only value"]', 'no such ward');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.classList.contains('alert'));
  const said = await page.innerText('.alert');
  assert.match(said, /None of the .* rows is selected.*ward = no such ward/s);
  // roles are not in question
  assert.doesNotMatch(said, /column roles/);
  assert.deepEqual({ rows: await page.textContent(rows), finding: await page.textContent('#finding h1') }, before);
  assert.doesNotMatch(address(page), /selection|no such ward/);
  await page.click('.alert button:has-text("Dismiss")');
  await page.waitForSelector('.alert', { state: 'detached' });
});

spec('a condition of a session is in the link', {}, async ({ page }) => {
  const session = { schema: 'localcal-session/1', open: { only: [{ column: 'age', from: 60 }] } };
  await dropFiles(page, [hospital, { name: 'then.json', text: JSON.stringify(session) }]);
  await page.waitForSelector('#subject .part[title*="age"]');
  await found(page);
  assert.match(address(page), /"only":\[\{"column":"~\d+","from":60\}\]/);
});

spec(
  'how a session reads the columns is in the link, as far as it applies, and survives a reload',
  {},
  async ({ page }) => {
    const open = { roles: { ward: 'feature', bmi: 'ignore', gone: 'group', age: 'date' }, positive: 'N' };
    const session = { schema: 'localcal-session/1', open };
    await dropFiles(page, [hospital, { name: 'then.json', text: JSON.stringify(session) }]);
    const outcome = '#subject .part[title="Outcome: died = N"]';
    await page.waitForSelector(outcome);
    await found(page);
    const read = () => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('read') ?? '{}';
    const { roles, positive } = JSON.parse(read());
    assert.deepEqual(Object.values(roles).sort(), ['feature', 'ignore']);
    assert.equal(positive, 0); // a place, never the label
    const before = read();
    await page.reload();
    await page.evaluate(() => window.localcal.ready);
    await dropFiles(page, [hospital]);
    await page.waitForSelector(outcome);
    await found(page);
    assert.equal(read(), before);
    await goTo(page, 'data');
    assert.equal(await page.inputValue('select[aria-label="Role of bmi"]'), 'ignore');
  },
);

spec('a file that cannot be evaluated as a session says is opened otherwise by one click', {}, async ({ page }) => {
  const rows = Array.from({ length: 120 }, (_, i) => `${(0.5 + (i % 50) / 100).toFixed(2)},${i % 3 ? 1 : 0}`);
  const session = { schema: 'localcal-session/1', open: { view: 'positive' } };
  await dropFiles(page, [hospital]);
  await found(page);
  await dropFiles(page, [
    { name: 'answers.csv', text: `confidence,correct\n${rows.join('\n')}\n` },
    { name: 'then.json', text: JSON.stringify(session) },
  ]);
  await page.click('.alert:has-text("The positive view needs") button:has-text("Evaluate the confidence")');
  await openedAs(page, 'answers.csv', 120);
  assert.equal(await page.locator('#alerts .alert').count(), 0);
});

spec('what a session could not apply is said in the finding, and the rest of it is taken', {}, async ({ page }) => {
  const session = {
    schema: 'localcal-session/1',
    open: { only: [{ column: 'gone', from: 30 }] },
    page: {
      subject: { groups: 5, alike: { neighbours: 1e300 }, repair: 'temperature' },
      panels: { report: { sections: 5, suppress: 10 }, constructor: {} },
      specified: [],
      inReport: 5,
    },
  };
  await dropFiles(page, [hospital, { name: 'then.json', text: JSON.stringify(session) }]);
  await page.waitForSelector('#subject .part[title="Recalibration: Temperature scaling"]');
  await found(page);
  assert.match(await page.innerText('#finding'), /only rows where gone/);
  const said = (await page.textContent('#left-out')) ?? '';
  for (const part of ['subject.groups', 'alike.neighbours', 'report.sections', 'constructor', 'specified', 'inReport'])
    assert.ok(said.includes(part), `${part}: ${said}`);
  await goTo(page, 'report');
  assert.equal(await page.inputValue('input[name="suppress"]'), '10');
});

spec('a field refuses a number that nothing can be computed with', {}, async ({ page }) => {
  await page.click(`[data-sample="${EXAMPLE}"]`);
  await found(page);
  const field = 'input[name="alike-neighbours"]';
  await page.click('#subject .part[title^="Similarity"]');
  await page.fill(field, '1e300');
  await page.keyboard.press('Tab');
  await page.waitForSelector('.refused');
  assert.equal(await page.innerText('.refused'), 'Enter a whole number from 1 to 1,000.');
  assert.equal(await page.getAttribute(field, 'aria-invalid'), 'true');
  assert.doesNotMatch(address(page), /neighbours/);
  await page.fill(field, '20');
  await page.keyboard.press('Tab');
  await page.waitForFunction(() => location.hash.includes('neighbours'));
  assert.equal(await page.locator('.refused').count(), 0);
  await page.keyboard.press('Escape');
  await found(page);
});

/** A page whose Report cannot be rendered until it is mended. */
const broken = () => {
  const day = Date.prototype.toLocaleDateString;
  Object.assign(window, { mend: () => (Date.prototype.toLocaleDateString = day) });
  Date.prototype.toLocaleDateString = () => {
    throw new Error('no calendar');
  };
};
spec(
  'a view that fails to render says so, with a way back, and the others stay',
  { init: broken },
  async ({ page }) => {
    await page.click(`[data-sample="${EXAMPLE}"]`);
    await found(page);
    await goTo(page, 'report');
    await page.waitForSelector('.boundary');
    assert.match(await page.innerText('.boundary'), /Report could not be shown: no calendar/);
    await goTo(page, 'finding');
    await found(page);
    await goTo(page, 'report');
    await page.evaluate(() => /** @type {any} */ (window).mend());
    await page.click('.boundary >> text=Restore defaults');
    await page.waitForSelector('#report .desk');
    assert.equal(await page.locator('.boundary').count(), 0);
  },
);

spec(
  'looking through a method of the table keeps its settings and fits nothing again',
  { init: spy, most: MOST },
  async ({ page }) => {
    const panels = { repair: { methods: ['platt', 'lore'], alike: { gamma: 0.7 } } };
    await page.goto(page.url().replace(/#.*|$/, link({ view: 'explore', panel: 'repair', panels })));
    await page.reload();
    const used = page.locator('[data-sheet="repair"] .used');
    await page.waitForSelector('tr[data-method="lore"] button', { timeout: MOST });
    await calm(page);
    assert.match(await used.innerText(), /γ = 0\.7 .*\(LoRe\)/);
    const runs = () =>
      page.evaluate(() => /** @type {any} */ (window).jobs.filter((/** @type {any} */ job) => job === 'plan').length);
    const before = await runs();
    assert.ok(before > 0);
    await page.click('tr[data-method="lore"] button');
    await page.waitForSelector('tr.picked[data-method="lore"]');
    await calm(page);
    assert.equal(await runs(), before, 'no further run');
    assert.match(await used.innerText(), /γ = 0\.7 .*\(LoRe\)/);
    assert.match(address(page), /"alike":\{"gamma":0\.7\}/);
    // and in a view that compares nothing
    await page.reload();
    await goTo(page, 'finding');
    await found(page);
    await ask(page, 'repair');
    await page.waitForSelector('tr.picked[data-method="lore"]', { timeout: MOST });
    await calm(page);
    assert.match(await used.innerText(), /γ = 0\.7 .*\(LoRe\)/);
  },
);

spec(
  'a comparison that was added without a repair is left out of the document, which is written',
  { hash: link({ view: 'report', add: ['compare'], panels: { repair: { methods: [] } } }), most: MOST },
  async ({ page }) => {
    await page.waitForSelector('#preview', { timeout: MOST });
    assert.match(await page.innerText('#report .options'), /is not included\. It compares recalibration methods/);
    assert.equal(await page.locator('.preview .alert').count(), 0);
  },
);

/** A file with names that are one word of any length. */
function long() {
  const [name, file] = ['x'.repeat(5000), 'y'.repeat(300)];
  const lines = [`p,y,${name},${file}`];
  for (let i = 0; i < 300; i += 1) {
    const p = ((i * 37) % 97) / 97 + 0.004;
    lines.push(`${p},${((i * 61) % 89) / 89 < p ? 1 : 0},${20 + (i % 41)},${'ab'[i % 2]}`);
  }
  return { name: `${'long'.repeat(50)}.csv`, bytes: Buffer.from(lines.join('\n')) };
}
for (const width of [1280, 320])
  spec(
    `a name of 5,000 letters makes no view wider than ${width} px`,
    { context: { viewport: { width, height: 900 } }, most: MOST },
    async ({ page }) => {
      await pick(page, [long()]);
      await found(page);
      /** @type {string[]} */
      const wide = [];
      const look = async (/** @type {string} */ what) => {
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 0) wide.push(`${what}: ${over} px`);
      };
      for (const view of ['data', 'finding', 'report']) {
        await goTo(page, view);
        await calm(page, MOST);
        await look(view);
      }
      await page.waitForSelector('#preview');
      await look('report, written');
      for (const kind of ['scorecard', 'map', 'groups', 'repair']) {
        await ask(page, kind);
        await calm(page, MOST);
        await look(kind);
      }
      assert.deepEqual(wide, []);
    },
  );

const CANARY = 'CANARY';
/** A file whose names, labels and values are canaries. */
function canaries() {
  const names = ['risk', 'died', 'age', 'dose', 'ward', 'sex'].map((name) => `${name}_${CANARY}`);
  const lines = [names.join(',')];
  for (let i = 0; i < 260; i += 1) {
    const p = ((i * 37) % 97) / 97 + 0.004;
    const y = ((i * 61) % 89) / 89 < p ? 'yes' : 'no';
    const texts = [`${y}_${CANARY}`, 20 + (i % 41), (i * 7) % 13, `w${i % 3}_${CANARY}`, `s${i % 2}_${CANARY}`];
    lines.push([p, ...texts].join(','));
  }
  return { name: `file_${CANARY}.csv`, bytes: Buffer.from(lines.join('\n')) };
}

/** Opens it; its names do not say what its columns are. @param {import('playwright-core').Page} page */
async function openCanaries(page) {
  await pick(page, [canaries()]);
  await page.click('#data .asked + p button');
  await page.waitForFunction(() => !document.querySelector('.asked'));
  await goTo(page, 'finding');
  await found(page);
}

/** Writes down every address of the page with a canary in it, and what was being chosen. */
function addresses() {
  /** @type {string[]} */
  const told = [];
  Object.assign(window, { told, choosing: '' });
  for (const name of /** @type {const} */ (['pushState', 'replaceState'])) {
    const own = history[name];
    history[name] = function (state, title, url) {
      if (/canary/i.test(decodeURIComponent(String(url))))
        told.push(`${/** @type {any} */ (window).choosing}: ${decodeURIComponent(String(url))}`);
      return own.call(this, state, title, url);
    };
  }
}

/** Chooses every value of every control within, one control after the other; what is shown after a choice is found again.
 * Answers how many choices that were. @param {import('playwright-core').Page} page @param {string} within */
function turn(page, within) {
  return page.evaluate(
    async ({ at, word }) => {
      /** @typedef {HTMLInputElement | HTMLSelectElement} Control */
      const next = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      /** Waits until it is so, or that takes long: so many milliseconds. */
      const until = async (/** @type {number} */ most, /** @type {() => boolean} */ is) => {
        const end = performance.now() + most;
        await next();
        while (!is() && performance.now() < end) await next();
      };
      const answered = () => !document.querySelector('.stale, .pending, #lines li');
      const nameOf = (/** @type {Control} */ one) => {
        const label = one.getAttribute('aria-label') ?? one.closest('label')?.textContent ?? '';
        return `${one.name} ${one.type === 'checkbox' || one.type === 'radio' ? `${one.value} ${label}` : ''}`;
      };
      const tell = (/** @type {Control} */ one, /** @type {string} */ value) => {
        one.value = value;
        for (const kind of ['input', 'change']) one.dispatchEvent(new Event(kind, { bubbles: true }));
      };
      const done = new Set();
      const left = () => {
        for (const one of document.querySelectorAll(`${at} details:not([open])`))
          /** @type {HTMLDetailsElement} */ (one).open = true;
        const controls = /** @type {NodeListOf<Control>} */ (
          document.querySelectorAll(`${at} :is(select, textarea, input:not([type="file"], [type="search"]))`)
        );
        return [...controls].find((one) => !one.disabled && !done.has(nameOf(one)));
      };
      let choices = 0;
      const choose = async (/** @type {string} */ what, /** @type {() => void} */ act) => {
        Object.assign(window, { choosing: `${at} ${what}` });
        act();
        choices += 1;
        await next();
      };
      await until(2500, () => left() !== undefined || answered());
      while (done.size < 60) {
        let one = left();
        if (!one) {
          // what a choice adds is there with its answer
          await until(1000, () => left() !== undefined || answered());
          one = left();
        }
        if (!one) break;
        const [control, name] = [one, nameOf(one)];
        done.add(name);
        // a choice may take its control away
        if (control instanceof HTMLSelectElement)
          for (const { value } of [...control.options].slice(-3))
            await choose(`${name}: ${value}`, () => control.isConnected && tell(control, value));
        else if (control.type === 'checkbox' || control.type === 'radio') await choose(name, () => control.click());
        else
          await choose(name, () => {
            control.focus();
            tell(control, { number: '3', range: control.max }[control.type] ?? word);
            control.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
          });
      }
      return choices;
    },
    { at: within, word: `typed ${CANARY}` },
  );
}

spec(
  'whatever is chosen, no word of the file is in the address',
  { init: addresses, most: 6 * MOST },
  async ({ page }) => {
    await openCanaries(page);
    let choices = 0;
    for (const part of ['Model', 'Outcome', 'Rows', 'Group by', 'Similarity', 'Recalibration']) {
      await page.click(`#subject .part[title^="${part}"]`);
      choices += await turn(page, '#subject .choices:not([hidden])');
      await page.keyboard.press('Escape');
    }
    const told = () => page.evaluate(() => /** @type {any} */ (window).told);
    assert.deepEqual(await told(), []);
    // as it was opened, so that every panel has an answer
    await page.evaluate(() => history.replaceState(null, '', location.pathname));
    await page.reload();
    await page.evaluate(() => window.localcal.ready);
    await openCanaries(page);
    await goTo(page, 'explore');
    await page.waitForSelector('.questions [data-question]');
    const kinds = await page
      .locator('.questions [data-question]')
      .evaluateAll((all) => all.map((one) => /** @type {HTMLElement} */ (one).dataset.question ?? ''));
    for (const kind of kinds) {
      await ask(page, kind);
      choices += await turn(page, `[data-sheet="${kind}"]`);
    }
    await goTo(page, 'report');
    choices += await turn(page, '#report');
    assert.ok(choices > 300, `${choices} choices`);
    assert.deepEqual(await told(), []);
    assert.doesNotMatch(address(page), /canary/i);
  },
);

/** The bench with as few simulations as there may be. */
const FEW = `#${new URLSearchParams({ view: 'explore', panel: 'bench', panels: JSON.stringify({ bench: { simulations: 20 } }) })}`;
spec(
  'the group of the bench is chosen by a value, which is in no link',
  { hash: FEW, most: 2 * MOST },
  async ({ page }) => {
    await openCanaries(page);
    await ask(page, 'bench');
    const sheet = '[data-sheet="bench"]';
    /** Chooses in the form, which may be folded. @param {string} name @param {(values: string[]) => string} which */
    const choose = async (name, which) => {
      const field = page.locator(`${sheet} select[name="${name}"]`);
      await page.waitForSelector(`${sheet} select[name="${name}"], ${sheet} button.start`, { state: 'attached' });
      const start = page.locator(`${sheet} button.start`);
      if (!(await field.count()) && (await start.count())) await start.first().click();
      await field.waitFor({ state: 'attached', timeout: MOST });
      await unfold(page, 'bench');
      await field.selectOption(
        which(await field.locator('option').evaluateAll((all) => all.map((one) => /** @type {any} */ (one).value))),
      );
    };
    await choose('effect', () => 'group');
    await choose('value', (values) => {
      const value = values.at(-1) ?? '';
      assert.match(value, /CANARY/);
      return value;
    });
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"effect":"group"'));
    assert.doesNotMatch(address(page), /canary/i);
  },
);

spec('a session that the page wrote comes back without a word of what was left out', {}, async ({ page }) => {
  await dropFiles(page, [hospital]);
  await openedAs(page, 'hospital.csv', 2500);
  await found(page);
  await page.click('.advice button[aria-pressed="false"]');
  await calm(page);
  await goTo(page, 'report');
  await page.waitForSelector('[data-take="session"]');
  const session = await saved(page, '[data-take="session"]');
  const { subject } = JSON.parse(session.bytes.toString()).page;
  assert.ok(subject.repair);
  await page.reload();
  await page.evaluate(() => window.localcal.ready);
  await dropFiles(page, [hospital, { name: 'then.json', text: session.bytes.toString() }]);
  await page.waitForSelector('#subject .part[title^="Recalibration"]:not([title="Recalibration: none"])');
  assert.equal(await page.locator('#left-out').count(), 0);
});

spec(
  'the name of the page leads to Data, and a link that waits for its file waits on',
  { hash: `#${new URLSearchParams({ view: 'explore', panels: JSON.stringify({ scorecard: { bins: 7 } }) })}` },
  async ({ page }) => {
    await page.click('.brand');
    await dropFiles(page, [hospital]);
    await found(page);
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"bins":7'));
  },
);

spec('a link to an example opens it in the open page, and is not about what is open', {}, async ({ page }) => {
  await dropFiles(page, [hospital]);
  await found(page);
  const hash = link({ panels: { scorecard: { bins: 7 } } });
  await page.evaluate((to) => void (location.hash = to), hash);
  await openedAs(page, EXAMPLE, 569);
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"bins":7'));
});

spec(
  'a link leads to its question also where Data asks about a column first',
  { hash: link({ view: 'explore', panel: 'groups' }) },
  async ({ page }) => {
    const row = (/** @type {number} */ i) => {
      const p = ((i * 37) % 89) / 100 + 0.05;
      return `${p},${(p * p).toFixed(4)},${(i * 7) % 3 ? 0 : 1},w${i % 3}`;
    };
    const rows = Array.from({ length: 300 }, (_, i) => row(i));
    await dropFiles(page, [{ name: 'loans.csv', text: `pd_old,pd_new,default,ward\n${rows.join('\n')}\n` }]);
    await page.click('button:text-is("Yes")');
    await page.waitForSelector('[data-sheet="groups"]');
    assert.match(address(page), /view=explore.*panel=groups/);
  },
);
