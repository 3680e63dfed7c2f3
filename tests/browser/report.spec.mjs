// What stands in the report and what may be taken away: as on screen, without what is to be left out.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ask, calm, dropFiles, found, goTo, saved, scored, spec, spy } from './harness.mjs';

const hospital = {
  name: 'hospital.csv',
  text: readFileSync(resolve(import.meta.dirname, '../corpus/files/hospital.csv'), 'utf8'),
};

spec('a view that shows what is withheld is not printed', {}, async ({ page }) => {
  await dropFiles(page, [hospital]);
  await found(page);
  await scored(page);
  await goTo(page, 'report');
  await page.fill('input[name="suppress"]', '10');
  await page.keyboard.press('Tab');
  const printed = async (view = '') => {
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('body > header').isVisible(), view === '');
    const text = await page.locator('#view').innerText();
    await page.emulateMedia({ media: 'screen' });
    return text.trim();
  };
  const sentence = 'Counts below 10 are suppressed, and this view shows all counts: it is not printed.';
  for (const view of ['explore', 'finding', 'data']) {
    await goTo(page, view);
    await page.waitForSelector('#unprinted', { state: 'attached' });
    assert.equal(await page.locator('#unprinted').isVisible(), false, `${view}: nothing more on screen`);
    const text = await printed(view);
    assert.ok(text.startsWith(sentence) && text.length < 200, text);
  }
  await goTo(page, 'report');
  await page.fill('input[name="suppress"]', '');
  await page.keyboard.press('Tab');
  await goTo(page, 'finding');
  assert.ok(!(await printed()).includes(sentence));
});

spec('what the report leaves out, every file leaves out', { most: 180_000 }, async ({ page }) => {
  await dropFiles(page, [hospital]);
  await found(page);
  await scored(page);
  // what is drawn here stands in the document anyway
  assert.equal(await page.locator('[data-sheet="scorecard"] button:has-text("Add to report")').count(), 0);
  await ask(page, 'groups');
  assert.equal(await page.locator('[data-sheet="groups"] button:has-text("Add to report")').count(), 1);
  await goTo(page, 'report');
  await page.frameLocator('#preview').locator('h1').waitFor();
  await page.waitForSelector('[data-take="print"]:enabled');
  const figures = page.locator('#report-files [data-chart="reliability"]:enabled');
  assert.equal(await figures.count(), 3); // PDF, SVG, PNG
  // the same names three times: each belongs to the group of its figure
  for (const name of ['Reliability diagram', 'Local error map', 'Distribution of local error'])
    assert.equal(await page.getByRole('group', { name }).getByRole('button', { name: '85 mm PDF' }).count(), 1);
  await page.check('input[name="identifiers"]');
  // more than there are events: nothing can be told, and what was written before is gone
  await page.fill('input[name="suppress"]', '1000');
  await page.keyboard.press('Tab');
  await page.waitForSelector('[data-take="print"]:disabled');
  // the diagram loses bins of few rows; every point of a map is a row
  assert.equal(await figures.count(), 3);
  assert.equal(await page.locator('#report-files [data-chart="map"]:enabled').count(), 0);
  await page.waitForSelector('.preview [role="alert"]');
  assert.equal(await page.locator('#preview').count(), 0);
  assert.equal(await page.locator('[data-take="print"]:enabled').count(), 0);
  await page.click('#report-files [data-export="report"]');
  await page.waitForSelector('#alerts .alert');
  // a line is one row
  const ofRows = 'Predictions are not saved while counts below 1000 are suppressed';
  await page.waitForSelector(`#report-files p:has-text("${ofRows}")`);
  const refused =
    '#alerts .alert:has-text("Counts below 1000 are suppressed: a file with one line for each row is not saved")';
  assert.equal(await page.locator(refused).count(), 0);
  await page.click('#report-files [data-export="predictions"]');
  await page.waitForSelector(refused);
  await page.fill('input[name="suppress"]', '');
  await page.keyboard.press('Tab');
  await page.waitForSelector('[data-take="print"]:enabled');
  await page.frameLocator('#preview').locator('h1').waitFor();
  // wherever predictions are saved
  await ask(page, 'repair');
  await page.waitForSelector('.methods [data-method="temperature"]');
  await calm(page);
  const { bytes } = await saved(page, '#take');
  assert.ok(!bytes.toString().slice(0, 300).includes('P104000'), bytes.toString().slice(0, 300));
});

spec(
  'tables are copied as text for spreadsheets, too, and the document on screen is saved as it is',
  { context: { permissions: ['clipboard-read', 'clipboard-write'] }, init: spy },
  async ({ page }) => {
    await dropFiles(page, [hospital]);
    await found(page);
    await goTo(page, 'report');
    await page.waitForSelector('[data-take="print"]:enabled');
    await page.click('[data-take="tables"]');
    await page.waitForFunction(() => document.querySelector('#live')?.textContent?.includes('Tables copied'));
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.doesNotMatch(text, /<\w|&\w+;/);
    const [caption, head, ...rows] = text.split('\n\n')[0].split('\n');
    assert.match(caption, /^Table 1\. /);
    assert.ok(head.includes('\t') && rows.length > 0, text.slice(0, 300));
    for (const row of rows) assert.equal(row.split('\t').length, head.split('\t').length, row);
    const jobs = () => page.evaluate(() => /** @type {any} */ (window).jobs.length);
    const before = await jobs();
    const { name, bytes } = await saved(page, '[data-take="html"]');
    assert.equal(name, 'report.html');
    assert.equal(bytes.toString(), await page.getAttribute('#preview', 'srcdoc'));
    assert.equal(await jobs(), before, 'nothing is computed for it');
  },
);

spec('what is saved in Explore passes the gate of the report', { most: 180_000 }, async ({ page }) => {
  await dropFiles(page, [hospital]);
  await found(page);
  await scored(page);
  /** @type {string[]} */
  const left = [];
  page.on('download', (download) => left.push(download.suggestedFilename()));
  const chart = (/** @type {string} */ kind) =>
    page.locator(`[data-sheet="${kind}"] figure.chart button:has-text("SVG")`).first();
  const files = () =>
    page.locator('[data-sheet="groups"] figure.chart button[aria-label^="Download"][aria-expanded="false"]');
  await ask(page, 'groups');
  await calm(page);
  await files().first().click();
  const whole = await saved(page, '[data-sheet="groups"] figure.chart button:has-text("SVG")');
  assert.ok(whole.bytes.toString().includes('<svg'));
  await goTo(page, 'report');
  await page.fill('input[name="suppress"]', '300');
  await page.keyboard.press('Tab');
  await ask(page, 'groups');
  await calm(page);
  if ((await chart('groups').count()) === 0) await files().first().click();
  await chart('groups').click();
  await page.waitForSelector('#alerts .alert:has-text("Counts below 300 are suppressed: this chart is not saved")');
  await page.click('[data-sheet="groups"] button:has-text("Save groups.csv")');
  await page.waitForSelector('#alerts .alert:has-text("this file is not saved")');
  assert.deepEqual(left, [whole.name]);
});
