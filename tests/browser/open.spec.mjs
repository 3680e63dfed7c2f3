// Opening: the first screen without script, examples, drop, paste, keyboard alone, and bad files.

import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import {
  binaryCsv,
  calm,
  choose,
  dropFiles,
  found,
  goTo,
  onOnePage,
  openedAs,
  pick,
  scored,
  spec,
  specBoth,
} from './harness.mjs';

specBoth('the first screen says everything before any script runs', { script: false }, async ({ page }) => {
  const text = await page.innerText('body');
  for (const part of [
    'LoCal',
    'Drop a file here',
    'Breast cancer',
    '569 rows',
    '1,797 rows',
    'Verify that nothing leaves this page',
  ]) {
    assert.ok(text.includes(part), `"${part}" in ${text}`);
  }
  assert.equal(await page.locator('button#drop').isVisible(), true);
  await page.click('#privacy summary');
  assert.match(await page.innerText('.policy'), /default-src 'none'.*connect-src 'none'/);
});

specBoth('an example is one click', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await openedAs(page, 'breast_cancer.csv', 569);
  await found(page);
  assert.match(page.url(), /#view=finding&example=breast_cancer\.csv$/);
  await scored(page);
  assert.match(await page.innerText('.scorecard'), /Accuracy/);
});

specBoth('a dropped file opens', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'mine.csv', text: binaryCsv(300) }]);
  await openedAs(page, 'mine.csv', 300);
  await found(page);
});

spec('scores of exactly 0 or 1 are told beside the numbers that depend on them', {}, async ({ page }) => {
  const rows = Array.from({ length: 120 }, (_, i) =>
    i < 6 ? `${i % 2},${i === 0 ? 1 : i % 2}` : `${i / 120},${Number((i * 37) % 120 < i)}`,
  );
  await dropFiles(page, [{ name: 'certain.csv', text: `p,y\n${rows.join('\n')}\n` }]);
  await scored(page);
  assert.match(await page.innerText('[data-metric="nll"] .value'), /depends on 1 row clipped at 1e−15/);
  assert.doesNotMatch(await page.innerText('[data-metric="brier"] .value'), /clipped/);
});

spec('text on the clipboard opens', {}, async ({ page }) => {
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, binaryCsv(40));
  await openedAs(page, 'pasted.csv', 40);
});

spec('the keyboard alone opens a file and reads the chart', {}, async ({ page }) => {
  // heard from the start: listening takes effect in the browser some time later
  const chooser = page.waitForEvent('filechooser');
  const focused = () => page.evaluate(() => document.activeElement?.id ?? '');
  for (let i = 0; i < 20 && (await focused()) !== 'drop'; i += 1) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'drop');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles([{ name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(binaryCsv(200)) }]);
  await found(page);
  await page.waitForSelector('#finding canvas:not([hidden])');
  const onCanvas = () => page.evaluate(() => document.activeElement?.tagName === 'CANVAS');
  for (let i = 0; i < 30 && !(await onCanvas()); i += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(
    () =>
      document.querySelector('#live')?.textContent !== '' && !document.querySelector('.card')?.hasAttribute('hidden'),
  );
});

spec('a changed role opens the file again, and stays changed', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'roles.csv', text: binaryCsv(100) }]);
  await found(page);
  await goTo(page, 'data');
  await page.selectOption('select[aria-label="Role of x2"]', 'group');
  await page.waitForSelector('#subject .part[title="Group by: x2"]');
  // columns are places in a link, never names
  const settings = new URLSearchParams(new URL(page.url()).hash.slice(1));
  assert.deepEqual([settings.get('view'), settings.get('read')], ['data', '{"roles":{"~3":"group"},"readings":{}}']);
  // and it can be taken back, and done again
  await page.keyboard.press('Control+z');
  await page.waitForSelector('#subject .part[title="Group by: none"]');
  await page.keyboard.press('Control+Shift+z');
  await page.waitForSelector('#subject .part[title="Group by: x2"]');
});

spec('a bad file gets a sentence, and what is open stays', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'good.csv', text: binaryCsv(50) }]);
  await found(page);
  await dropFiles(page, [{ name: 'bad.csv', text: '' }]);
  const alert = page.locator('#alerts .alert');
  await alert.waitFor();
  assert.match(await alert.innerText(), /bad\.csv/);
  await page.waitForFunction(() => document.activeElement?.className === 'alert');
  await openedAs(page, 'good.csv', 50);
});

const bytes = (/** @type {string} */ text) => Buffer.from(text);

/** One file after the other. */
const next = onOnePage('http', {}, async () => {});

next('percents without a sign are one click, with a sign none', async ({ page }) => {
  const percent = binaryCsv(60).replace(/^(\d),([\d.]+)/gm, (_, y, p) => `${y},${(100 * Number(p)).toFixed(2)}`);
  await pick(page, [{ name: 'percent.csv', bytes: bytes(percent) }]);
  await page.locator('.alert button', { hasText: 'Read as percentages' }).click();
  await openedAs(page, 'percent.csv', 60);
  await scored(page);
  assert.match(await page.innerText('[data-sheet="scorecard"] .notes'), /read as percent/);
  const auroc = await page.innerText('[data-metric="auroc"] .value');
  await goTo(page, 'data');
  assert.equal(await page.inputValue('select[aria-label="Role of p"]'), 'percent');
  // what is wrong can be taken back, and then waits in this view with the same click
  await page.selectOption('select[aria-label="Role of p"]', 'probability');
  await page.waitForSelector('#data-title:has-text("these values look like percentages")');
  await page.click('#data button:has-text("Read as percentages")');
  await page.waitForSelector('#data-title:not(.wanting)');
  const signed = percent.replace(/^(\d),([\d.]+)/gm, (_, y, p) => `${y},"${p.replace('.', ',')} %"`);
  await pick(page, [{ name: 'signed.csv', bytes: bytes(signed) }]);
  await openedAs(page, 'signed.csv', 60);
  await scored(page);
  assert.equal(await page.innerText('[data-metric="auroc"] .value'), auroc);
  const told = await page.evaluate(async (text) => {
    const data = await localcal.open([{ name: 'a.csv', bytes: new TextEncoder().encode(text) }], {
      readings: { p: 'percent' },
    });
    const report = await data.run({ resamples: 0 });
    return [data.summary.columns[1].reading, report.data.readings];
  }, percent);
  assert.deepEqual(told, ['percent', { p: 'percent' }]);
});

next('a person says whether the first row is names', async ({ page }) => {
  // two texts alone do not tell
  const lines = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? 'cancer' : 'healthy'));
  await pick(page, [{ name: 'texts.csv', bytes: bytes(`cancer\n${lines.join('\n')}\n`) }]);
  await page.waitForSelector('#data');
  const box = page.locator('input[name="header"]');
  assert.equal(await box.isChecked(), false);
  assert.match(await page.innerText('table.preview'), /column 1/);
  await box.check();
  await page.waitForFunction(() => !document.querySelector('table.preview')?.textContent?.includes('column 1'));
  assert.equal(await page.locator('table.preview thead .name').innerText(), 'cancer');
  assert.equal(await box.isChecked(), true);
});

next('two files of the same rows are two models, one of them open, and all compared', async ({ page }) => {
  const first = binaryCsv(200)
    .trim()
    .split('\n')
    .map((line, i) => `${i === 0 ? 'id' : `r${i}`},${line}`);
  const other = first
    .slice(1)
    .reverse()
    .map((line) => {
      const [id, y, p] = line.split(',');
      return `${id},${y},${(0.5 + (Number(p) - 0.5) / 2).toFixed(4)}`;
    });
  const files = [
    { name: 'old.csv', bytes: bytes(`${first.join('\n')}\n`) },
    { name: 'new.csv', bytes: bytes(`id,label,p\n${other.join('\n')}\n`) },
  ];
  await pick(page, files);
  await openedAs(page, 'old.csv, new.csv', 200);
  await page.waitForSelector('#subject .part[title="Model: old.csv"]');
  await scored(page);
  assert.match(
    await page.innerText('[data-sheet="scorecard"] .notes'),
    /2 files are models of the same 200 rows \(the same ids\): `?old\.csv`? is open/,
  );
  const nll = () => page.innerText('[data-metric="nll"] .value');
  const old = await nll();
  await choose(page, 'Model', 'new.csv');
  await page.waitForSelector('#subject .part[title="Model: new.csv"]');
  await scored(page);
  assert.notEqual(await nll(), old);
  // two parts only when asked
  await choose(page, 'Rows', 'first file for calibration');
  await openedAs(page, 'old.csv, new.csv', 400);
  const found = await page.evaluate(
    async (texts) => {
      const sources = texts.map(([name, text]) => ({ name, bytes: new TextEncoder().encode(text) }));
      const data = await localcal.open(sources);
      const all = await data.analyse('models', { x: 'nll', y: 'ece' });
      const picked = await localcal.open(sources, { model: 'new.csv' });
      const own = await picked.run({ resamples: 0 });
      return {
        models: data.summary.models,
        picked: picked.summary.models,
        names: all.points.map((/** @type {any} */ point) => point.model),
        x: all.points[1].x,
        own: own.methods[0].metrics.nll.value,
      };
    },
    files.map(({ name, bytes: text }) => [name, text.toString()]),
  );
  assert.deepEqual(
    [found.models, found.picked, found.names],
    [
      ['old.csv', 'new.csv'],
      ['new.csv', 'old.csv'],
      ['old', 'new'],
    ],
  );
  assert.equal(found.x, found.own);
});

next('two score columns are two models', async ({ page }) => {
  const text = binaryCsv(120)
    .trim()
    .split('\n')
    .map((line, i) => {
      const [y, p, ...rest] = line.split(',');
      return [y, i === 0 ? 'p_old' : p, i === 0 ? 'p_new' : (Number(p) ** 2).toFixed(5), ...rest].join(',');
    });
  await pick(page, [{ name: 'both.csv', bytes: bytes(`${text.join('\n')}\n`) }]);
  await openedAs(page, 'both.csv', 120);
  await choose(page, 'Model', 'p_new');
  await page.waitForSelector('#subject .part[title="Model: p_new"]');
  const points = await page.evaluate(
    async (csv) => {
      const data = await localcal.open([{ name: 'both.csv', bytes: new TextEncoder().encode(csv) }]);
      return (await data.analyse('models', {})).points.map((/** @type {any} */ point) => point.model);
    },
    `${text.join('\n')}\n`,
  );
  assert.deepEqual(points, ['p_old', 'p_new']);
});

next('what is missing is said in Data, where it stays', async ({ page }) => {
  await pick(page, [
    {
      name: 'labels.csv',
      bytes: bytes(`label,age\n${Array.from({ length: 30 }, (_, i) => `${i % 2},${i}.5`).join('\n')}\n`),
    },
  ]);
  // Data may still stand there with the file before
  const missing = 'No prediction column. Assign “Probability”, “Logit” or “Confidence”.';
  await page.locator('#data-title', { hasText: missing }).waitFor();
  assert.equal(await page.locator('button:has-text("Show finding")').count(), 0);
  // one control supplies it
  await page.click('#subject .part.unsure');
  await page.selectOption('#subject .choices:not([hidden]) select', { label: 'age' });
  await page.locator('#alerts .alert').waitFor();
  await pick(page, [{ name: 'whole.csv', bytes: bytes(binaryCsv(60)) }]);
  await openedAs(page, 'whole.csv', 60);
  await found(page);
});

next('only columns that divide the rows are offered for it, and a date divides at the middle', async ({ page }) => {
  const lines = binaryCsv(80)
    .trim()
    .split('\n')
    .map(
      (line, i) =>
        `${line},${i === 0 ? 'date,site' : `2020-01-${String(1 + (i % 20)).padStart(2, '0')},${'ab'[i % 2]}`}`,
    );
  await pick(page, [{ name: 'dated.csv', bytes: bytes(`${lines.join('\n')}\n`) }]);
  await openedAs(page, 'dated.csv', 80);
  await page.click('#subject .part[title^="Rows"]');
  const ways = (await page.locator('fieldset:has(legend:text("Data split")) label').allInnerTexts()).map((way) =>
    way.trim(),
  );
  assert.ok(ways.includes('By column date') && !ways.some((way) => /site/.test(way)), ways.join());
  await page.keyboard.press('Escape');
  await choose(page, 'Rows', 'by column date');
  await page.waitForSelector('#subject .part[title*="dates in column date: 40 for calibration, 40 for evaluation"]');
});

const large = { name: 'large.csv', text: binaryCsv(20_000) };
const small = { name: 'small.csv', text: binaryCsv(70) };

/** Every name that the page shows as its subject, from now on. @param {import('playwright-core').Page} page */
const watchSubject = (page) =>
  page.evaluate(() => {
    const shown = /** @type {string[]} */ ([]);
    const shell = /** @type {Element} */ (document.querySelector('#shell'));
    new MutationObserver(() => {
      const name = shell.querySelector('#file')?.textContent;
      if (name && name !== shown.at(-1)) shown.push(name);
    }).observe(shell, { childList: true, characterData: true, subtree: true });
    Object.assign(window, { shown });
  });
const shownSubjects = (/** @type {import('playwright-core').Page} */ page) =>
  // @ts-ignore: of the page
  page.evaluate(() => /** @type {string[]} */ (shown));

for (const [first, second] of [
  [large, small],
  [small, large],
]) {
  const order = `${first.name}, then ${second.name}`;
  for (const [way, give] of /** @type {const} */ ([
    ['dropped', dropFiles],
    [
      'chosen',
      (/** @type {any} */ page, /** @type {{ name: string, text: string }[]} */ files) =>
        pick(
          page,
          files.map(({ name, text }) => ({ name, bytes: Buffer.from(text) })),
        ),
    ],
  ])) {
    spec(`the last choice wins: ${order}, ${way}`, {}, async ({ page }) => {
      await watchSubject(page);
      await give(page, [first]);
      await give(page, [second]);
      await page.waitForSelector(`#file:has-text("${second.name}")`);
      await found(page);
      assert.ok(
        (await shownSubjects(page)).lastIndexOf(first.name) < 1,
        'what was chosen before is never shown after it',
      );
      assert.equal((await shownSubjects(page)).at(-1), second.name);
      assert.equal(await page.locator('#alerts .alert').count(), 0);
    });
  }
  spec(`the last choice wins: ${order}, by script`, {}, async ({ page }) => {
    await watchSubject(page);
    const rows = await page.evaluate(
      async (files) => {
        const all = await Promise.all(
          files.map(({ name, text }) => localcal.open([{ name, bytes: new TextEncoder().encode(text) }])),
        );
        await Promise.all(all.map((data) => data.run({ resamples: 0 })));
        return all.map(({ summary }) => summary.rows);
      },
      [first, second],
    );
    assert.deepEqual(
      rows,
      [first, second].map(({ text }) => text.trim().split('\n').length - 1),
      'a script has both',
    );
    assert.deepEqual(await shownSubjects(page), [second.name], 'the page shows the last alone');
  });
}

spec('what a person chooses while an example is made, or a script opens, is what is shown', {}, async ({ page }) => {
  await watchSubject(page);
  await page.evaluate(
    ([first, last]) => {
      /** @type {HTMLElement | null} */ (document.querySelector('[data-sample="digits.npz"]'))?.click();
      localcal.open([{ name: first.name, bytes: new TextEncoder().encode(first.text) }]);
      // in the same moment: nothing can have arrived yet
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([last.text], last.name));
      document.querySelector('main')?.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
    },
    [large, small],
  );
  await found(page);
  await page.evaluate(
    ({ name, text }) => localcal.open([{ name, bytes: new TextEncoder().encode(text) }], { beside: true }),
    large,
  );
  assert.deepEqual(await shownSubjects(page), ['small.csv']);
});

spec('what a script opens beside an empty page is not shown', {}, async ({ page }) => {
  const rows = await page.evaluate(async ({ name, text }) => {
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }], { beside: true });
    return data.summary.rows;
  }, small);
  assert.ok(rows > 0);
  await calm(page);
  assert.equal(await page.locator('#file').count(), 0);
  assert.equal(await page.locator('#subject .part').count(), 0);
});

spec(
  'a file that unpacks to more than there is memory for is refused, with its size and what fits',
  { most: 240_000 },
  async ({ page }) => {
    await dropFiles(page, [small]);
    await found(page);
    // 64 MB of lines, 36 times over
    const member = gzipSync(Buffer.alloc(1 << 26, '1,0.25\n'), { level: 6 });
    await page.setInputFiles('#picker', [
      { name: 'bomb.csv.gz', mimeType: '', buffer: Buffer.concat(Array(36).fill(member)) },
    ]);
    const alert = page.locator('#alerts .alert');
    await alert.waitFor({ timeout: 180_000 }); // all of it is unpacked before
    assert.match(
      await alert.innerText(),
      /unpacks to 2,415,919,104 bytes; at most 2,147,483,648 are supported.*bomb\.csv\.gz/,
    );
    assert.equal(await alert.getAttribute('data-code'), 'too_large');
    await openedAs(page, 'small.csv', 70);
  },
);

spec('a cancelled scorecard says so, and is one click away', { hash: '#workers=1' }, async ({ page }) => {
  await page.evaluate(() => {
    // the page's first run, made long enough to be cancelled
    const post = Worker.prototype.postMessage;
    let first = true;
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
      if (message?.job?.kind === 'plan' && first) [first, message.job.request.resamples] = [false, 100_000];
      return post.call(this, message, transfer);
    };
  });
  await dropFiles(page, [large]);
  await page.waitForSelector('#file:has-text("large.csv")');
  await page.waitForSelector('#lines li:not(:has-text("Opening"))');
  assert.equal(await page.locator('#uncomputed').isVisible(), false, 'it is on its way');
  await page.keyboard.press('Escape');
  await page.locator('#uncomputed').waitFor();
  assert.match(await page.innerText('#uncomputed'), /not been computed/);
  await page.click('#uncomputed button');
  await scored(page);
  assert.equal(await page.locator('#uncomputed').isVisible(), false);
});
