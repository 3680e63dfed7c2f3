// What a person chose and wrote stays as long as it is about the rows that are open, and no longer.

import assert from 'node:assert/strict';
import { ask, binaryCsv, calm, dropFiles, found, goTo, openedAs, saved, spec, unfold } from './harness.mjs';

const own = { name: 'own.csv', text: binaryCsv(400, 3, 3) };
const lines = own.text.trim().split('\n');
/** The same rows with a column of names. */
const named = {
  name: 'named.csv',
  text: lines.map((line, i) => `${i ? `P${104000 + i}` : 'patient'},${line}`).join('\n'),
};
/** A further feature of the same rows. */
const more = { name: 'more.csv', bytes: Buffer.from(`x4\n${lines.slice(1).map((_, i) => (i * 37) % 101).join('\n')}\n`) }; // prettier-ignore

/** @param {import('playwright-core').Page} page @param {{ name: string, text: string }} file */
async function opened(page, file) {
  await dropFiles(page, [file]);
  await openedAs(page, file.name, 400);
  await found(page);
}

spec('with a further feature of the same rows, what was written and set stays', {}, async ({ page }) => {
  await opened(page, own);
  await goTo(page, 'report');
  await page.fill('input[name="title"]', 'Ward round');
  await ask(page, 'reliability');
  await unfold(page, 'reliability');
  await page.selectOption('[data-sheet="reliability"] select[name="curve"]', 'isotonic');
  await page.click('#subject .part[title^="Similarity"]');
  await page.setInputFiles('input[name="alike-file"]', { name: more.name, mimeType: '', buffer: more.bytes });
  await page.waitForSelector('#subject .part[title^="Similarity"][title*="4 columns"]');
  await calm(page);
  assert.equal(await page.inputValue('[data-sheet="reliability"] select[name="curve"]'), 'isotonic');
  await goTo(page, 'report');
  assert.equal(await page.inputValue('input[name="title"]'), 'Ward round');
  // words about other rows go with the rows
  await dropFiles(page, [named]);
  await openedAs(page, named.name, 400);
  assert.equal(await page.inputValue('input[name="title"]'), '');
});

spec('a figure of the report is that of Explore', {}, async ({ page }) => {
  await opened(page, own);
  /** The diagram as it is saved with some axes. @param {string} axes */
  const savedWith = async (axes) => {
    await ask(page, 'reliability');
    await unfold(page, 'reliability');
    await page.selectOption('[data-sheet="reliability"] select[name="axes"]', axes);
    await goTo(page, 'report');
    return (await saved(page, '#report-files [data-chart="reliability"][data-format="svg"]')).bytes.toString();
  };
  const [linear, logit, again] = [await savedWith('full'), await savedWith('logit'), await savedWith('full')];
  assert.notEqual(linear, logit);
  assert.equal(linear, again);
  await ask(page, 'reliability');
  await unfold(page, 'reliability');
  await page.uncheck('[data-sheet="reliability"] input[name="bins"]');
  assert.ok((await savedWith('full')).length < linear.length);
});

spec('writing is one step, and reaching a field is none', {}, async ({ page }) => {
  await opened(page, own);
  await goTo(page, 'report');
  await page.fill('input[name="title"]', 'First');
  await page.focus('input[name="suppress"]');
  await page.click('button:has-text("Undo")');
  assert.equal(await page.inputValue('input[name="title"]'), '');
  await page.focus('input[name="title"]');
  await page.click('button:has-text("Redo")');
  assert.equal(await page.inputValue('input[name="title"]'), 'First');
  // a remark of which the last letter goes is still written
  await page.click('summary:has-text("Sections and remarks")');
  await page.locator('.sections details summary').first().click();
  const remark = page.locator('.sections textarea').first();
  await remark.fill('x');
  await remark.press('Backspace');
  assert.ok(await remark.evaluate((box) => box === document.activeElement));
});

spec(
  'identifiers that are left out are in no file, and what is told of a file goes with its rows',
  {},
  async ({ page }) => {
    await opened(page, named);
    await ask(page, 'repair');
    await page.check('input[name="platt"]');
    await calm(page);
    await goTo(page, 'report');
    await page.waitForSelector('#report-files [data-export="calibrator"]:enabled');
    const { bytes: calibrator } = await saved(page, '#report-files [data-export="calibrator"]');
    /** Applies it to the rows that are open. */
    const applied = async () => {
      const download = page.waitForEvent('download');
      await page.setInputFiles('#stored', { name: 'calibrator.json', mimeType: '', buffer: calibrator });
      const parts = await (await download).createReadStream().then((stream) => stream.toArray());
      return Buffer.concat(parts).toString();
    };
    assert.match(await applied(), /P104001/);
    await page.check('input[name="identifiers"]');
    assert.doesNotMatch(await applied(), /P104001/);
  },
);

spec('a role chosen while another is read leaves the columns as they stand', {}, async ({ page }) => {
  await opened(page, own);
  await goTo(page, 'data');
  const role = page.locator('#data select[name^="role"]');
  await role.first().waitFor();
  await page.evaluate(() => document.querySelector('#data select[name^="role"]')?.setAttribute('data-kept', ''));
  const names = await role.evaluateAll((all) => all.map((one) => /** @type {HTMLSelectElement} */ (one).name));
  // both before the first is read
  await page.evaluate((two) => {
    for (const name of two) {
      const select = /** @type {HTMLSelectElement} */ (document.querySelector(`#data select[name="${name}"]`));
      select.value = 'ignore';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    }
  }, names.slice(-2));
  await calm(page);
  assert.equal(await page.locator('#data select[data-kept]').count(), 1);
  for (const name of names.slice(-2)) assert.equal(await page.inputValue(`#data select[name="${name}"]`), 'ignore');
});

spec('a region is of the coordinates on which it was drawn', {}, async ({ page }) => {
  await opened(page, own);
  await ask(page, 'map');
  await page.waitForSelector('[data-sheet="map"] .overlay, [data-sheet="map"] canvas');
  await calm(page);
  await page.click('[data-sheet="map"] button:has-text("Select visible")');
  await page.waitForSelector('[data-sheet="map"] .overlay polygon:not(.found)');
  await goTo(page, 'finding');
  await page.waitForSelector('.where .overlay polygon:not(.found)', { state: 'attached' });
  await ask(page, 'map');
  await page.click('[data-sheet="map"] summary:has-text("this panel only")');
  await page.uncheck('[data-sheet="map"] input[name="map-of"][value="x1"]');
  await calm(page);
  await page.click('[data-sheet="map"] button:has-text("Select visible")');
  await page.waitForSelector('[data-sheet="map"] .overlay polygon:not(.found)');
  await goTo(page, 'finding');
  await calm(page);
  assert.equal(await page.locator('.where .overlay polygon:not(.found)').count(), 0);
});
