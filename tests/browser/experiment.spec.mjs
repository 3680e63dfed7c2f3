// Experiments as a person builds and runs them, and the papers' parts.

import assert from 'node:assert/strict';
import { ask, calm, goTo, painted, saved, scored, spec } from './harness.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ method: string, space: string | null, division: string, at: object, metric: string, value: number | null }} Cell */

const PANEL = '[data-sheet="experiment"]';
/** Longer than any of these experiments, in milliseconds. */
const MOST = 120_000;

/** Opens the digits and asks for an experiment. @param {Page} page */
async function experiment(page) {
  await page.click('[data-sample="digits.npz"]');
  await scored(page);
  await calm(page);
  await ask(page, 'experiment');
}

/** A part of the builder, opened. @param {Page} page @param {string} title */
async function part(page, title) {
  const row = page.locator(`${PANEL} .parts-of > div`, { has: page.locator('dt', { hasText: title }) });
  const summary = row.locator('> dd > details:not([open]) > summary');
  if (await summary.count()) await summary.click();
  return row;
}

spec('methods are named as everywhere', {}, async ({ page }) => {
  await page.click('[data-sample="digits.npz"]');
  await ask(page, 'experiment');
  const row = page.locator(`${PANEL} .parts-of > div`, { has: page.locator('dt', { hasText: 'Methods' }) });
  await row.getByText('Original predictions, Temperature scaling').waitFor();
});

/** Gives the experiment as JSON. @param {Page} page @param {object} given */
async function give(page, given) {
  const row = await part(page, 'JSON');
  await row.locator('textarea').fill(JSON.stringify(given));
  await row.locator('textarea').blur();
}

spec('a slip in the JSON of an experiment loses nothing that was typed', {}, async ({ page }) => {
  await experiment(page);
  const field = (await part(page, 'JSON')).locator('textarea');
  const typed = `${(await field.inputValue()).trim().slice(0, -1)},`;
  await field.fill(typed);
  await field.blur();
  await page.locator(`${PANEL} [role="alert"]`, { hasText: /^Not applied\./ }).waitFor();
  assert.equal(await field.inputValue(), typed);
  await field.fill('{ "methods": ["none"] }');
  await field.blur();
  await page.locator(`${PANEL} [role="alert"]`).waitFor({ state: 'detached' });
});

/** @param {Page} page @param {string} name */
const press = (page, name) => page.locator(PANEL).getByRole('button', { name, exact: true }).click();

/** Waits until a field shows this. @param {import('playwright-core').Locator} field @param {string} value */
async function becomes(field, value) {
  for (let i = 0; i < 1200 && (await field.inputValue()) !== value; i += 1) await field.page().waitForTimeout(50);
  assert.equal(await field.inputValue(), value);
}

/** Waits until the line says this of the experiment's size: what was chosen has arrived. @param {Page} page @param {string} text */
const sized = (page, text) =>
  page.waitForFunction((part) => document.querySelector('#experiment-size')?.textContent?.includes(part), text);

/** Waits until it is done. @param {Page} page */
const done = (page) => page.locator(`${PANEL} .outcome [data-format="csv"]`).waitFor({ timeout: MOST });

/** What it found, as it is saved. @param {Page} page @returns {Promise<{ spec: object, cells: Cell[] }>} */
async function found(page) {
  const { bytes } = await saved(page, `${PANEL} .outcome [data-format="json"]`);
  return JSON.parse(bytes.toString());
}

/** Every number by what it is of, without those that a clock measured. @param {{ cells: Cell[] }} of */
const numbers = ({ cells }) =>
  Object.fromEntries(
    cells
      .filter(({ metric }) => !metric.endsWith('_seconds'))
      .map(({ method, space, division, at, metric, value }) => [
        JSON.stringify([method, space, division, at, metric]),
        value,
      ])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );

const SMALL = { methods: ['none', 'temperature'], divisions: { seeds: 2 }, metrics: ['nll', 'ece'] };
const LONG = {
  methods: ['none', 'temperature', 'isotonic', 'beta', 'temperature+density_ratio', 'lore'],
  spaces: [{ name: 'axes', features: { pca: 2, of: ['features'] }, gamma: 0.2 }],
  divisions: { seeds: 12 },
  metrics: ['accuracy', 'nll', 'brier', 'ece', 'mlce'],
};

spec('an experiment is built by keyboard and mouse, and says what it will be', {}, async ({ page }) => {
  await experiment(page);
  const size = page.locator('#experiment-size');
  const methods = await part(page, 'Methods');
  await methods.locator('.list > li').first().waitFor();
  await press(page, `Remove all ${await methods.locator('.list > li').count()}`);
  // any base, any second
  for (const id of ['temperature', 'isotonic'])
    await methods.locator(`.picker input[name="base"][value="${id}"]`).check();
  await methods.locator('.picker input[name="then"][value="none"]').focus();
  await page.keyboard.press('Space');
  await methods.locator('.picker input[name="then"][value="density_ratio"]').check();
  await methods.getByRole('button', { name: 'Add 4 methods' }).focus();
  await page.keyboard.press('Enter');
  await sized(page, ' × 5 splits × ');
  assert.match(await size.innerText(), /^2 bases × 2 second methods × 5 splits × /);
  // the same method twice, with a setting and a name of its own
  await methods.getByRole('button', { name: 'Duplicate temperature+density_ratio' }).click();
  await sized(page, '5 methods');
  await methods.locator('input[name="method-2-neighbours"]').fill('20');
  await page.keyboard.press('Tab');
  const name = methods.locator('input[name="method-2"]');
  await becomes(name, 'temperature+density_ratio, neighbours 20');
  await name.fill('twenty');
  await page.keyboard.press('Tab');
  // metrics are found by their words
  const metrics = await part(page, 'Metrics');
  await metrics.locator('input[name="metric"]:checked').first().waitFor();
  while (await metrics.locator('input[name="metric"]:checked').count())
    await metrics.locator('input[name="metric"]:checked').first().uncheck();
  await metrics.locator('input[type="search"]').fill('nll');
  assert.ok((await metrics.locator('input[name="metric"]').count()) < 5);
  await metrics.locator('input[value="nll"]').check();
  await sized(page, '× 1 metric');
  const divisions = await part(page, 'Splits');
  await divisions.locator('select[name="divisions"]').selectOption('folds');
  await divisions.locator('input[name="folds"]').fill('3');
  await page.keyboard.press('Tab');
  await sized(page, '× 3 splits');
  // a setting is swept
  const varied = await part(page, 'Varied settings');
  await varied.locator('select[name="vary"]').selectOption('neighbours');
  await varied.locator('input[name="vary-0"]').fill('5, 10');
  await page.keyboard.press('Tab');
  // three with a K, each twice; two without
  await sized(page, ': 24 ');
  assert.match(await size.innerText(), /^5 methods \(8 fits .*\) × 3 splits × 1 metric: 24 numbers/);
  const json = JSON.parse(await (await part(page, 'JSON')).locator('textarea').inputValue());
  assert.deepEqual(json.methods[2], {
    id: 'temperature+density_ratio',
    name: 'twenty',
    parameters: { neighbours: 20 },
  });
  assert.deepEqual(json.vary, [{ setting: 'neighbours', values: [5, 10] }]);
  // each choice is one step
  await page.click('.history button:has-text("Undo")');
  await page.waitForFunction(() => !document.querySelector('#experiment-size')?.textContent?.includes(': 24 '));
  // what cannot be done is told before it is tried
  await give(page, { ...SMALL, vary: [{ setting: 'nothing', values: [1] }] });
  await page.waitForSelector(`${PANEL} .builder .fault:has-text("nothing")`);
});

spec('what was cancelled is kept, and resumed it has the same numbers', { most: 4 * MOST }, async ({ page }) => {
  await experiment(page);
  await give(page, LONG);
  await press(page, 'Run');
  const progress = page.locator('#experiment-progress');
  await page.waitForFunction(
    () => /^[1-9]\d* of 72 fits/.test(document.querySelector('#experiment-progress')?.textContent ?? ''),
    undefined,
    { timeout: MOST },
  );
  await page.keyboard.press('Escape');
  await page.locator(PANEL).getByRole('button', { name: 'Resume', exact: true }).waitFor({ timeout: MOST });
  const [, fits] = /^Incomplete: \d+ of 12 splits, (\d+) of 72 fits$/.exec(await progress.innerText()) ?? [];
  assert.ok(Number(fits) > 0 && Number(fits) < 72, await progress.innerText());
  // another view and back: it is still there
  await ask(page, 'scorecard');
  await ask(page, 'experiment');
  assert.match(await progress.innerText(), /^Incomplete/);
  await page.locator(`${PANEL} .outcome table`).nth(1).waitFor(); // of what is done
  const part = await found(page);
  await press(page, 'Resume');
  await progress.waitFor({ state: 'detached', timeout: MOST });
  await done(page);
  const resumed = await found(page);
  assert.ok(part.cells.length < resumed.cells.length);
  // as saved: shown as far as it goes, resumed to the same
  await page.setInputFiles(`${PANEL} input[name="saved experiment"]`, {
    name: 'part.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(part)),
  });
  await progress.waitFor({ timeout: MOST });
  assert.match(await progress.innerText(), /^Incomplete/);
  await press(page, 'Resume');
  await progress.waitFor({ state: 'detached', timeout: MOST });
  await done(page);
  assert.deepEqual(numbers(await found(page)), numbers(resumed));
  // anew, and nobody stops it
  await press(page, 'Run');
  await progress.waitFor();
  await progress.waitFor({ state: 'detached', timeout: MOST });
  await done(page);
  assert.deepEqual(numbers(await found(page)), numbers(resumed));
});

spec('a saved experiment is loaded, and shows the same', { most: 2 * MOST }, async ({ page }) => {
  await experiment(page);
  await give(page, SMALL);
  await press(page, 'Run');
  await done(page);
  const table = page.locator(`${PANEL} .outcome .blocks table`).first();
  const shown = await table.innerText();
  const { bytes } = await saved(page, `${PANEL} .outcome [data-format="json"]`);
  await page.reload();
  await page.evaluate(() => window.localcal.ready);
  await page.waitForSelector(`${PANEL} .builder`, { timeout: MOST });
  assert.equal(await page.locator(`${PANEL} .outcome`).count(), 0);
  await page.setInputFiles(`${PANEL} input[name="saved experiment"]`, {
    name: 'experiment.json',
    mimeType: 'application/json',
    buffer: bytes,
  });
  await done(page);
  assert.equal(await table.innerText(), shown);
  await sized(page, ': 8 ');
  assert.match(await page.innerText('#experiment-size'), /^2 methods × 2 splits × 2 metrics: 8 numbers/);
  // no file of numbers is an experiment
  await page.setInputFiles(`${PANEL} input[name="saved experiment"]`, {
    name: 'other.json',
    mimeType: 'application/json',
    buffer: Buffer.from('[1, 2]'),
  });
  await page.waitForSelector('#alerts .alert:has-text("does not contain an experiment")');
});

spec('an experiment is a part of the report', { most: 2 * MOST }, async ({ page }) => {
  await experiment(page);
  await give(page, { ...SMALL, title: 'Is one number enough?' });
  // there is nothing to be added yet
  assert.equal(await page.locator(`${PANEL} button:has-text("Add to report")`).count(), 0);
  await press(page, 'Run');
  await done(page);
  const headline = await page.innerText(`${PANEL} .outcome .reading`);
  await page.click(`${PANEL} button:has-text("Add to report")`);
  await goTo(page, 'report');
  const written = page.frameLocator('#preview').locator('section', { hasText: 'Is one number enough?' });
  await written.getByText(headline).waitFor({ timeout: MOST });
  await written.locator('table').first().waitFor();
  // its numbers do not outlive the page, and the report says so
  await page.reload();
  await page.evaluate(() => window.localcal.ready);
  await page.locator('#report .options', { hasText: 'The experiment is not included' }).waitFor({ timeout: MOST });
});

spec('a link holds the settings of an experiment, and no word of a person', {}, async ({ page }) => {
  await experiment(page);
  await give(page, {
    ...SMALL,
    title: 'patients of Dr Grey',
    methods: ['none', { id: 'lore', name: 'mine', parameters: { gamma: 0.3 }, space: 'theirs' }],
    spaces: [
      { name: 'theirs', features: { pca: 2, of: ['features'] } },
      { name: 'ours', features: { pca: 3, of: ['features'] } },
    ],
  });
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"gamma":0.3'));
  const link = decodeURIComponent(await page.evaluate(() => location.hash));
  for (const word of ['Grey', 'mine', 'theirs', 'ours', '"features"]']) assert.ok(!link.includes(word), word);
  await page.reload();
  await page.evaluate(() => window.localcal.ready);
  await page.waitForSelector(`${PANEL} .builder`, { timeout: MOST });
  const json = JSON.parse(await (await part(page, 'JSON')).locator('textarea').inputValue());
  assert.deepEqual(json.methods[1], {
    id: 'lore',
    parameters: { gamma: 0.3 },
    space: 'PCA 2',
    name: 'lore, gamma 0.3',
  });
  assert.deepEqual(json.spaces[1], { features: { pca: 3, of: ['features'] }, name: 'PCA 3' });
});

spec('a sweep is drawn as curves', { most: 2 * MOST }, async ({ page }) => {
  await experiment(page);
  await page.selectOption(`${PANEL} select[name="begin"]`, { label: 'Bandwidth sweep' });
  await sized(page, '2 metrics (14 numbers with spaces and settings)');
  const varied = await part(page, 'Varied settings');
  await varied.locator('summary', { hasText: 'Range' }).click();
  await varied.locator('input[name="vary-0-steps"]').fill('3');
  await page.keyboard.press('Tab');
  await varied.getByRole('button', { name: 'Apply' }).click();
  await becomes(varied.locator('input[name="vary-0"]'), '0.05, 0.4, 3.2');
  await press(page, 'Run');
  await done(page);
  await painted(page, `${PANEL} .outcome`, 4);
});

spec('one part of each paper is made, and another is taken to the builder', { most: 4 * MOST }, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await scored(page);
  await calm(page);
  await ask(page, 'papers');
  const panel = page.locator('[data-sheet="papers"]');
  const papers = panel.getByRole('group', { name: 'Paper' }).getByRole('button');
  await papers.first().waitFor({ timeout: MOST });
  assert.deepEqual(await papers.allInnerTexts(), ['LoRe 2022', 'ProCal 2023', 'I-trustworthy 2025']);
  const run = await page.evaluate(() => document.querySelector('#subject')?.textContent);
  for (const name of await papers.allInnerTexts()) {
    await panel.getByRole('button', { name, exact: true }).click();
    const parts = panel.locator('.paper-part');
    assert.ok((await parts.count()) > 2, name);
    const able = parts.filter({ has: page.locator('button[aria-label^="Compute "]') }).first();
    const id = await able.getAttribute('data-part');
    await able.locator('button[aria-label^="Compute "]').click();
    const made = panel.locator(`.paper-part[data-part="${id}"]`);
    await made.locator('.blocks table, .blocks canvas, figure canvas:visible').first().waitFor({ timeout: MOST });
    assert.equal(await made.locator('.alert').count(), 0, `${name}, ${id}`);
  }
  // what cannot be made says why
  for (const text of await panel.locator('.paper-part > .muted:has-text("Not available")').allInnerTexts())
    assert.ok(text.length > 30, text);
  assert.equal(await page.evaluate(() => document.querySelector('#subject')?.textContent), run);
  await panel.locator('button:has-text("Edit in Experiments")').first().click();
  await page.waitForSelector(`${PANEL} .builder`);
  const json = JSON.parse(await (await part(page, 'JSON')).locator('textarea').inputValue());
  assert.ok(json.methods.length > 0 || json.metrics.length > 0);
});

spec('the builder fits a phone', { context: { viewport: { width: 320, height: 800 } } }, async ({ page }) => {
  await experiment(page);
  for (const title of ['Methods', 'Feature spaces', 'Splits', 'Metrics', 'Varied settings', 'JSON']) {
    const row = await part(page, title);
    const settings = row.locator('.item [aria-expanded="false"]');
    if (await settings.count()) await settings.last().click();
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${title}: ${over} px too wide`);
  }
});
