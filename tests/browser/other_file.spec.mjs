// What is shown, said and written of one file goes when another one is opened.

import assert from 'node:assert/strict';
import { faultyAnalyses, faultyFromScanning, faults } from './faults.mjs';
import { ask, binaryCsv, calm, choose, dropFiles, found, goTo, openedAs, painted, spec } from './harness.mjs';

const NEVER_ENDS = 669;
const first = { name: 'first.csv', text: binaryCsv(600, 1) };
const second = { name: 'second.csv', text: binaryCsv(700, 2) };
/** From now on nothing that is asked is answered. @param {import('playwright-core').Page} page */
const nothingEnds = (page) => page.evaluate((seed) => Object.assign(window, { seed }), NEVER_ENDS);

spec('a map says nothing of the file before', { init: [faults, faultyAnalyses] }, async ({ page }) => {
  await dropFiles(page, [first]);
  await found(page);
  await ask(page, 'map');
  await painted(page, '[data-sheet="map"] .chart');
  await calm(page);
  const panel = page.locator('[data-sheet="map"]');
  const said = await panel.locator('.reading').first().innerText();
  assert.notEqual(said, 'Local error map');
  await nothingEnds(page);
  await dropFiles(page, [second]);
  await openedAs(page, second.name, 700);
  await panel.locator('.reading', { hasText: /^Local error map$/ }).waitFor();
  assert.doesNotMatch(await panel.innerText(), /600 rows/);
});

spec(
  'what was cancelled of one file is not cancelled of the next',
  { init: [faults, faultyAnalyses] },
  async ({ page }) => {
    await faultyFromScanning(page, NEVER_ENDS);
    await dropFiles(page, [first]);
    await page.waitForFunction(() => 'seed' in window);
    await page.keyboard.press('Escape');
    await page.waitForSelector('#finding h1:has-text("not been examined")');
    await dropFiles(page, [second]);
    await openedAs(page, second.name, 700);
    await page.waitForSelector('#finding h1:not(:has-text("not been examined"))');
    assert.equal(await page.locator('#finding button.start').count(), 0);
  },
);

spec('a recalibration stays for files with the same columns, and for no others', {}, async ({ page }) => {
  await dropFiles(page, [first]);
  await found(page);
  await choose(page, 'Recalibration', 'Platt scaling');
  await page.waitForSelector('#subject .part[title="Recalibration: Platt scaling"]');
  await dropFiles(page, [second]);
  await openedAs(page, second.name, 700);
  await page.waitForSelector('#subject .part[title="Recalibration: Platt scaling"]');
  const rows = Array.from({ length: 80 }, (_, i) => `${((i * 37) % 80) / 80},${i % 2},${'ab'[i % 2]}`);
  await dropFiles(page, [{ name: 'unrelated.csv', text: `score,outcome,site\n${rows.join('\n')}\n` }]);
  await openedAs(page, 'unrelated.csv', 80);
  await page.waitForSelector('#subject .part[title="Recalibration: none"]');
});

spec('the title and the remarks of a report are of its file', {}, async ({ page }) => {
  await dropFiles(page, [first]);
  await found(page);
  await goTo(page, 'report');
  await page.fill('input[name="title"]', 'Audit of the first');
  const preview = page.frameLocator('#preview');
  await preview.locator('h1', { hasText: 'Audit of the first' }).waitFor();
  await page.click('.options details > summary');
  const remark = page.locator('.sections li').first().locator('details');
  await remark.locator('summary').click();
  await remark.locator('textarea').fill('Seen by the board.');
  await preview.locator('body', { hasText: 'Seen by the board.' }).waitFor();
  // words of a person are in no link, and in the session
  assert.doesNotMatch(page.url(), /Audit|board/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-take="session"]')]);
  await dropFiles(page, [second]);
  await openedAs(page, second.name, 700);
  assert.equal(await page.inputValue('input[name="title"]'), '');
  await preview.locator('h1').first().waitFor();
  assert.doesNotMatch(await preview.locator('body').innerText(), /Audit of the first|Seen by the board/);
  // undo opens the first file again, with its words
  await page.keyboard.press('Control+z');
  await openedAs(page, first.name, 600);
  await goTo(page, 'report');
  assert.equal(await page.inputValue('input[name="title"]'), 'Audit of the first');
  await page.setInputFiles('#picker', /** @type {string} */ (await download.path()));
  await calm(page);
  await goTo(page, 'report');
  assert.equal(await page.inputValue('input[name="title"]'), 'Audit of the first');
});
