// More rows than fit in a browser: the statement is written in the page, and its result opens like a file.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { ask, dropFiles, goTo, openedAs, saved, scored, spec, specBoth } from './harness.mjs';

/** A file of counts. @param {string} name */
const counts = (name) => readFile(new URL(`../counts/${name}.csv`, import.meta.url), 'utf8');
/** The statement that is shown. @param {import('playwright-core').Page} page */
const statement = (page) => page.inputValue('textarea[name="count-statement"]');

/** Waits until the statement contains a text. @param {import('playwright-core').Page} page @param {string} text */
const shows = (page, text) =>
  page.waitForFunction(
    (text) =>
      /** @type {HTMLTextAreaElement | null} */ (document.querySelector('[name="count-statement"]'))?.value.includes(
        text,
      ),
    text,
  );

/** Opens the form on the first screen and names a table. @param {import('playwright-core').Page} page */
async function named(page) {
  await page.click('#counting summary');
  await page.fill('#counting [name="count-table"]', 'hospital.visits');
  await page.fill('#counting [name="count-score"]', 'risk');
  await page.fill('#counting [name="count-outcome"]', 'died');
  await page.waitForSelector('#counting textarea');
}

specBoth('a statement is written before any file is open', {}, async ({ page }) => {
  await named(page);
  await shows(page, 'FROM "hospital"."visits"');
  assert.match(await page.innerText('#counting'), /Expected result: about 1,400 cells\./);
  await page.selectOption('#counting [name="count-dialect"]', 'spark');
  await page.fill('#counting [name="count-by"]', 'ward, sex');
  await shows(page, 'CAST(`sex` AS STRING)');
  assert.match(await statement(page), /FROM `hospital`\.`visits`/);
  await page.fill('#counting [name="count-table"]', 'a..b');
  await page.waitForSelector('#counting .refused');
  assert.match(await page.innerText('#counting .refused'), /has an empty part/);
  assert.equal(await page.locator('#counting textarea').count(), 0);
});

spec('nothing that is typed is markup', {}, async ({ page }) => {
  await named(page);
  await page.fill('#counting [name="count-by"]', '<img src=x onerror=alert(1)>');
  await shows(page, '<img');
  assert.equal(await page.locator('#counting img').count(), 0);
});

specBoth('cells of few rows are merged before a result is passed on', {}, async ({ page }) => {
  await page.click('#counting summary');
  const button = page.locator('#counting button', { hasText: 'Save merged counts' });
  await button.waitFor();
  assert.ok(await button.isDisabled(), 'without a file');
  const give = (/** @type {string} */ name, /** @type {string} */ text) =>
    page.setInputFiles('#counting [name="count-result"]', { name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  await give('visits.csv', await counts('groups'));
  const { name, bytes } = await saved(page, button);
  assert.equal(name, 'visits_merged.csv');
  const [head, ...lines] = bytes.toString().trim().split('\n');
  const n = head.split(',').indexOf('n') - head.split(',').length;
  const rows = lines.map((line) => Number(line.split(',').at(n)));
  assert.ok(lines[0].includes('suppress=10') && rows.length > 10);
  assert.ok(Math.min(...rows) >= 10, `${Math.min(...rows)} rows`);
  await page.waitForSelector('#counting [role="status"]:has-text("20,000 rows counted.")');
  await give('rows.csv', 'p,y\n0.5,1\n0.25,0\n');
  await button.click();
  await page.waitForSelector('#counting .refused');
  assert.match(await page.innerText('#counting .refused'), /rows\.csv contains no counts\. Choose the result/);
  // what was saved opens as the result itself does
  await dropFiles(page, [{ name, text: bytes.toString() }]);
  await openedAs(page, name, 20_000);
});

spec('counts open as a file of predictions', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'counts.csv', text: await counts('plain') }]);
  await openedAs(page, 'counts.csv', 200_000);
  await page.waitForFunction(() => /Overall calibration/.test(document.querySelector('#finding')?.textContent ?? ''));
  await page.waitForSelector('.advice table', { state: 'attached' });
  await goTo(page, 'data');
  const text = await page.innerText('#data');
  assert.match(text, /Counts of 200,000 rows of the table visits in 1,105 cells/);
  assert.match(text, /No row was left out\./);
  assert.match(text, /Evaluated by\s+all rows; recalibrations by 5-fold cross-fitting/);
  await ask(page, 'scorecard');
  await page.waitForSelector('[data-metric="ece"]');
});

spec(
  'what counts cannot answer is grey and says so; nothing is an alarm, and no panel is empty',
  {},
  async ({ page }) => {
    await dropFiles(page, [{ name: 'counts.csv', text: await counts('groups') }]);
    await openedAs(page, 'counts.csv', 20_000);
    await page.waitForSelector('.advice table', { state: 'attached' });
    assert.equal(await page.locator('.alert').count(), 0, 'in the finding');
    await ask(page, 'scorecard');
    const kinds = await page
      .locator('.questions [data-question]')
      .evaluateAll((links) => links.map((link) => /** @type {HTMLElement} */ (link).dataset.question ?? ''));
    for (const kind of kinds) {
      await ask(page, kind);
      const panel = page.locator(`[data-sheet="${kind}"]`);
      await panel.locator('.answer:not(:has(> .pending)), .lacking').first().waitFor();
      assert.equal(await panel.locator('.alert').count(), 0, kind);
      const gray = (await page.getAttribute(`.questions [data-question="${kind}"]`, 'class')) === 'lacks';
      assert.equal(gray, (await panel.locator('.lacking').count()) > 0, kind);
      if (gray) assert.match(await panel.innerText(), /needs the rows|No .* Assign/i, kind);
    }
  },
);

spec('the report of counts offers what can be saved, and all of it is', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'counts.csv', text: await counts('groups') }]);
  await openedAs(page, 'counts.csv', 20_000);
  await page.waitForSelector('.advice table', { state: 'attached' });
  await goTo(page, 'report');
  await page.waitForSelector('#report-files button');
  assert.match(await page.innerText('#report'), /Needs the rows/);
  assert.equal(await page.locator('#report button:disabled').count(), 0);
  const names = await page.locator('#report-files button:not([data-take="copy"])').allInnerTexts();
  assert.equal(names.length, 8, `${names}`);
  for (let i = 0; i < names.length; i += 1) {
    const { bytes } = await saved(page, page.locator('#report-files button:not([data-take="copy"])').nth(i));
    assert.ok(bytes.length > 500, names[i]);
  }
  assert.equal(await page.locator('.alert').count(), 0);
});

for (const width of [1280, 320])
  spec(
    `the form of counts opens where it was clicked, and nothing in it is cut off, at ${width} px`,
    { context: { viewport: { width, height: 900 } } },
    async ({ page }) => {
      const top = (/** @type {string} */ selector) =>
        page.locator(selector).evaluate((one) => one.getBoundingClientRect().top + scrollY);
      const before = [await top('#counting summary'), await top('.picture .finding')];
      await named(page);
      assert.ok(Math.abs((await top('#counting summary')) - before[0]) <= 8, 'what was clicked moved');
      if (width > 900) assert.ok(Math.abs((await top('.picture .finding')) - before[1]) <= 8, 'the picture moved');
      const cut = await page.locator('#counting input[type="text"]').evaluateAll((all) => {
        const canvas = document.createElement('canvas').getContext('2d');
        return all.flatMap((one) => {
          const { value, placeholder, clientWidth } = /** @type {HTMLInputElement} */ (one);
          const { font, paddingLeft } = getComputedStyle(one);
          if (canvas) canvas.font = font;
          const room = clientWidth - 2 * Number.parseFloat(paddingLeft);
          return (canvas?.measureText(value || placeholder).width ?? 0) > room ? [value || placeholder] : [];
        });
      });
      assert.deepEqual(cut, []);
    },
  );

spec('what needs the rows is gray, with the reason, and asks nothing', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'counts.csv', text: await counts('groups') }]);
  await openedAs(page, 'counts.csv', 20_000);
  await goTo(page, 'explore');
  for (const kind of ['decide', 'map', 'experiment', 'papers', 'sample_size']) {
    const question = page.locator(`[data-question="${kind}"]`);
    assert.match((await question.getAttribute('class')) ?? '', /lacks/, kind);
    assert.match((await question.getAttribute('title')) ?? '', /^Needs the rows; .* Open a random sample/, kind);
    await ask(page, kind);
    await page.waitForSelector(`[data-sheet="${kind}"] .lacking`);
    assert.match(await page.innerText(`[data-sheet="${kind}"] .lacking`), /Needs the rows/, kind);
    assert.equal(await page.locator('#alerts .alert').count(), 0, kind);
  }
  await goTo(page, 'report');
  await page.waitForSelector('#report .lacking');
  assert.match(await page.innerText('#report .lacking'), /^Needs the rows/);
  for (const take of ['print', 'html', 'latex', 'markdown', 'tables', 'session'])
    assert.equal(await page.locator(`[data-take="${take}"]`).count(), 0, take);
  assert.ok(await page.locator('[data-export="report"]').isEnabled());
  await goTo(page, 'explore');
  for (const kind of ['finding', 'reliability', 'scorecard', 'groups', 'sites', 'repair', 'before_after']) {
    const question = page.locator(`[data-question="${kind}"]`);
    assert.doesNotMatch((await question.getAttribute('class')) ?? '', /lacks/, kind);
  }
});

spec('recalibrations are fitted to counts, and saved', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'counts.csv', text: await counts('groups') }]);
  await openedAs(page, 'counts.csv', 20_000);
  await ask(page, 'repair');
  await page.waitForSelector('#take:enabled');
  const text = await page.innerText('[data-sheet="repair"]');
  assert.match(text, /5-fold cross-fitting, the rows of each cell divided at random/);
  assert.match(text, /Isotonic regression/);
  const { bytes } = await saved(page, page.locator('#take'));
  const stored = JSON.parse(bytes.toString());
  assert.equal(stored.fitted_rows, 20_000);
  assert.ok(stored.methods.length >= 4);
  await ask(page, 'before_after');
  await page.waitForSelector('[data-sheet="before_after"] canvas, [data-sheet="before_after"] svg');
});

/**
 * The counts of a file, of the lines in which `wanted` holds, as a file of its own.
 * @param {string} text
 * @param {(cells: string[]) => boolean} wanted
 */
function part(text, wanted) {
  const [head, first, ...others] = text.trim().split('\n');
  const [settings] = first.split(',');
  const kept = [first, ...others].map((line) => line.split(',')).filter(wanted);
  const rows = kept.reduce((sum, cells) => sum + Number(cells[head.split(',').indexOf('n')]), 0);
  const lines = kept.map((cells, i) => [
    ...(i === 0 ? [settings, rows, kept.length] : ['', '', '']),
    ...cells.slice(3),
  ]);
  return `${[head, ...lines].join('\n')}\n`;
}

/** What the scorecard says of some metrics. @param {import('playwright-core').Page} page */
async function scores(page) {
  await scored(page);
  const ids = ['mean_gap', 'ece', 'mce', 'brier', 'nll', 'auroc'];
  return Promise.all(ids.map((id) => page.innerText(`.scorecard [data-metric="${id}"] .value`)));
}

spec('files of counts that are dropped together are sites', {}, async ({ page }) => {
  const whole = await counts('groups');
  const north = part(whole, (cells) => ['ICU', 'Med'].includes(cells[3]));
  const south = part(whole, (cells) => !['ICU', 'Med'].includes(cells[3]));
  await dropFiles(page, [{ name: 'whole.csv', text: whole }]);
  await openedAs(page, 'whole.csv', 20_000);
  const known = await scores(page);
  await dropFiles(page, [
    { name: 'north.csv', text: north },
    { name: 'south.csv', text: south },
  ]);
  await openedAs(page, 'north.csv, south.csv', 20_000);
  assert.deepEqual(await scores(page), known);
  await ask(page, 'sites');
  await page.waitForSelector('[data-sheet="sites"] table');
  const text = await page.innerText('[data-sheet="sites"]');
  assert.match(text, /north\.csv/);
  assert.match(text, /south\.csv/);
  assert.match(text, /95% prediction interval/);
  await dropFiles(page, [
    { name: 'north.csv', text: north },
    { name: 'other.csv', text: await counts('plain') },
  ]);
  await page.waitForSelector('#alerts .alert');
  assert.match(
    await page.innerText('#alerts'),
    /different settings cannot be pooled: .* in north\.csv, .* in other\.csv/s,
  );
});

spec('a file of counts that was cut is refused', {}, async ({ page }) => {
  const lines = (await counts('plain')).split('\n');
  await dropFiles(page, [{ name: 'cut.csv', text: `${lines.slice(0, 500).join('\n')}\n` }]);
  await page.waitForSelector('#alerts .alert');
  assert.match(await page.innerText('#alerts'), /incomplete or were edited: their first line states 200,000 rows/);
});
