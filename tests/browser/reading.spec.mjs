// What is read from a table in an unusual notation, and what corrects it by one click; typed conditions, dates and shares.

import assert from 'node:assert/strict';
import { ask, calm, dropFiles, found, goTo, onOnePage, openedAs, unfold } from './harness.mjs';

/** `rows` rows of an outcome, a probability and what `more` writes. @param {string} header @param {number} rows
 * @param {(i: number) => string} more */
const table = (header, rows, more) =>
  `${header}\n${Array.from({ length: rows }, (_, i) => `${i % 2},${0.1 + ((i * 37) % 80) / 100},${more(i)}`).join('\n')}\n`;

/** One file after the other. */
const next = onOnePage('http', {}, async () => {});

/** Opens a file of so many rows, to be seen in Finding. @param {import('playwright-core').Page} page @param {string} name
 * @param {string} text @param {number} rows */
async function open(page, name, text, rows) {
  if (await page.locator('#views').count()) await goTo(page, 'finding');
  await dropFiles(page, [{ name, text }]);
  await openedAs(page, name, rows);
  await found(page);
}

/** Opens the view Data, and in it the part that begins so. @param {import('playwright-core').Page} page @param {RegExp} part */
async function correct(page, part) {
  await goTo(page, 'data');
  await page.locator('#data .part', { hasText: part }).first().click();
}

next('a code among ages is found, and counts as missing by one click', async ({ page }) => {
  const text = table('y,p,age', 200, (i) => (i % 20 === 3 ? '999' : String(18 + (i % 70))));
  await open(page, 'ages.csv', text, 200);
  await correct(page, /^age is 999 in 5/);
  await page.click('#data button:has-text("Treat 999 as missing")');
  await page.waitForSelector('#data .part:has-text("age 999 is treated as missing")');
  const link = new URLSearchParams(new URL(page.url()).hash.slice(1));
  assert.deepEqual(JSON.parse(link.get('read') ?? '').missing, { '~2': [999] });
  await page.keyboard.press('Control+z');
  await page.waitForSelector('#data .part:has-text("age is 999")');
});

next('a mark of thousands becomes a decimal mark by one click', async ({ page }) => {
  const text = table('y,p,cost', 100, (i) => `"${4 + (i % 30)},${String((i * 61) % 1000).padStart(3, '0')}"`);
  await open(page, 'costs.csv', text, 100);
  await correct(page, /^cost: 4,000 is read as thousands/);
  await page.click('#data button:has-text("Read 4,000 as a decimal")');
  await page.waitForSelector('#data .part:has-text("cost: 4,000 is read as a decimal")');
});

next('rows of one patient are dependent, until one click says that they are not', async ({ page }) => {
  await open(
    page,
    'visits.csv',
    table('y,p,patient_id', 200, (i) => `P${i % 50}`),
    200,
  );
  await correct(page, /patient_id/);
  await page.click('#data button:has-text("Treat rows as independent")');
  await page.waitForSelector('#data .part:has-text("rows are treated as independent, although patient_id repeats")');
});

next('a row of totals is left out, and kept by one click', async ({ page }) => {
  const text = `${table('y,p,n', 60, () => '1')
    .replace(/^/gm, 'r,')
    .replace(/^r,y/, 'id,y')
    .replace(/r,$/, '')}Total,30,,60\n`;
  await open(page, 'totals.csv', text, 60);
  await correct(page, /^the last row contains totals and is excluded/);
  await page.click('#data input[name="totals"]');
  await page.waitForSelector('.alert, #data .part:has-text("the last row is treated as data")');
});

next('scores that are named percent open without a question', async ({ page }) => {
  const text = table('y,age,score_percent', 80, (i) => String(5 + ((i * 37) % 90)));
  await open(page, 'percent.csv', text, 80);
});

next('rows that are not of a ward, and a typed date that divides them', async ({ page }) => {
  const text = table(
    'y,p,ward,seen',
    120,
    (i) => `${['ICU', 'ED', 'A'][i % 3]},2023-${String(1 + (i % 12)).padStart(2, '0')}-01`,
  );
  await open(page, 'wards.csv', text, 120);
  await page.click('#subject .part[title^="Rows"]');
  await page.selectOption('select[name="only column"]', 'ward');
  await page.fill('input[name="only value"]', 'not ICU');
  await page.click('text=Add condition');
  await openedAs(page, 'wards.csv', 80);
  await page.waitForSelector('#subject .part[title*="ward not ICU"]');
  if (!(await page.isVisible('#subject .choices:not([hidden])'))) await page.click('#subject .part[title^="Rows"]');
  await page.click('#subject label:has-text("by column seen")');
  await page.waitForSelector('#subject .part[title*="dates in column"]');
  if (!(await page.isVisible('#subject .choices:not([hidden])'))) await page.click('#subject .part[title^="Rows"]');
  await page.fill('input[name="Rows before this date calibrate"]', '2023-04-01');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.waitForSelector('#subject .part[title*="before 2023-04-01 calibrate"]');
});

next('a threshold probability can be typed in percent', async ({ page }) => {
  await open(
    page,
    'decide.csv',
    table('y,p,age', 200, (i) => String(20 + (i % 50))),
    200,
  );
  await ask(page, 'decide');
  await unfold(page, 'decide');
  await page.fill('[data-sheet="decide"] input[name="threshold"]', '10%');
  await page.keyboard.press('Tab');
  await page.waitForFunction(() =>
    /, the threshold is 10\.0%\./.test(document.querySelector('[data-sheet="decide"] .reading')?.textContent ?? ''),
  );
  await calm(page);
});
