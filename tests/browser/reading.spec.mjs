// What is read from a table in an unusual notation, and what corrects it by one click; typed conditions, dates and shares.

import assert from 'node:assert/strict';
import { ask, calm, dropFiles, found, goTo, openedAs, spec, unfold } from './harness.mjs';

/** `rows` rows of an outcome, a probability and what `more` writes. @param {string} header @param {number} rows
 * @param {(i: number) => string} more */
const table = (header, rows, more) =>
  `${header}\n${Array.from({ length: rows }, (_, i) => `${i % 2},${0.1 + ((i * 37) % 80) / 100},${more(i)}`).join('\n')}\n`;

/** Opens the view Data, and in it the part that begins so. @param {import('playwright-core').Page} page @param {RegExp} part */
async function correct(page, part) {
  await goTo(page, 'data');
  await page.locator('#data .part', { hasText: part }).first().click();
}

spec('a code among ages is found, and counts as missing by one click', {}, async ({ page }) => {
  const text = table('y,p,age', 200, (i) => (i % 20 === 3 ? '999' : String(18 + (i % 70))));
  await dropFiles(page, [{ name: 'ages.csv', text }]);
  await found(page);
  await correct(page, /^age is 999 in 5/);
  await page.click('#data button:has-text("Treat 999 as missing")');
  await page.waitForSelector('#data .part:has-text("age 999 is treated as missing")');
  const link = new URLSearchParams(new URL(page.url()).hash.slice(1));
  assert.deepEqual(JSON.parse(link.get('read') ?? '').missing, { '~2': [999] });
  await page.keyboard.press('Control+z');
  await page.waitForSelector('#data .part:has-text("age is 999")');
});

spec('a mark of thousands becomes a decimal mark by one click', {}, async ({ page }) => {
  const text = table('y,p,cost', 100, (i) => `"${4 + (i % 30)},${String((i * 61) % 1000).padStart(3, '0')}"`);
  await dropFiles(page, [{ name: 'costs.csv', text }]);
  await found(page);
  await correct(page, /^cost: 4,000 is read as thousands/);
  await page.click('#data button:has-text("Read 4,000 as a decimal")');
  await page.waitForSelector('#data .part:has-text("cost: 4,000 is read as a decimal")');
});

spec('a row of totals is left out, and kept by one click', {}, async ({ page }) => {
  const text = `${table('y,p,n', 60, () => '1')
    .replace(/^/gm, 'r,')
    .replace(/^r,y/, 'id,y')
    .replace(/r,$/, '')}Total,30,,60\n`;
  await dropFiles(page, [{ name: 'totals.csv', text }]);
  await openedAs(page, 'totals.csv', 60);
  await correct(page, /^the last row contains totals and is excluded/);
  await page.click('#data input[name="totals"]');
  await page.waitForSelector('.alert, #data .part:has-text("the last row is treated as data")');
});

spec('scores that are named percent open without a question', {}, async ({ page }) => {
  const text = table('y,age,score_percent', 80, (i) => String(5 + ((i * 37) % 90)));
  await dropFiles(page, [{ name: 'percent.csv', text }]);
  await openedAs(page, 'percent.csv', 80);
  await found(page);
});

spec('rows that are not of a ward, and a typed date that divides them', {}, async ({ page }) => {
  const text = table(
    'y,p,ward,seen',
    120,
    (i) => `${['ICU', 'ED', 'A'][i % 3]},2023-${String(1 + (i % 12)).padStart(2, '0')}-01`,
  );
  await dropFiles(page, [{ name: 'wards.csv', text }]);
  await openedAs(page, 'wards.csv', 120);
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

spec('a threshold probability can be typed in percent', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'decide.csv', text: table('y,p,age', 200, (i) => String(20 + (i % 50))) }]);
  await found(page);
  await ask(page, 'decide');
  await unfold(page, 'decide');
  await page.fill('[data-sheet="decide"] input[name="threshold"]', '10%');
  await page.keyboard.press('Tab');
  await page.waitForFunction(() =>
    /, the threshold is 10\.0%\./.test(document.querySelector('[data-sheet="decide"] .reading')?.textContent ?? ''),
  );
  await calm(page);
});
