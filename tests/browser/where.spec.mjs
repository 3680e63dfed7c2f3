// The map as a place to explore: windows, regions, the worst neighborhoods, curves, new maps.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ask, calm, drawn, painted, saved, spec, specFromDisk } from './harness.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** The large map of the panel. */
const MAP = '[data-sheet="map"] .side > .chart:first-child';
/** Where the panel says what it is about. */
const READING = '[data-sheet="map"] .reading';
/** A row of the worst neighborhoods whose adjusted p-value, which ends it or comes before an explanation, is below 0.05. */
const SIGNIFICANT = /\s(<0\.001|0\.0[0-4]\d)(;|\s*$)/;
/** What the test says of the map, which then stands in place of the chart's own title. */
const TESTED = /^(Local .* adjusted for the whole map|No significant error in any place of the map|No place has 20)/;

/** @param {Page} page @param {string} sample */
async function where(page, sample) {
  await page.click(`[data-sample="${sample}"]`);
  await ask(page, 'map');
  await painted(page, MAP, 100);
  await calm(page);
}

/** Where the map is on screen, clear of the head of the page. @param {Page} page */
async function placeOf(page) {
  const canvas = page.locator(`${MAP} canvas`);
  await canvas.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const box = await canvas.boundingBox();
  assert.ok(box);
  return box;
}

/**
 * Drags on the map between two places given as shares of the canvas. @param {Page} page @param {[number, number][]} way
 */
async function drag(page, way) {
  const box = await placeOf(page);
  const at = way.map(([x, y]) => /** @type {[number, number]} */ ([box.x + x * box.width, box.y + y * box.height]));
  await page.mouse.move(...at[0]);
  await page.mouse.down();
  for (const to of at.slice(1)) await page.mouse.move(...to, { steps: 4 });
  await page.mouse.up();
}

/**
 * Labels of the horizontal axis' ends, as the accessible name says nothing of them: the window itself. @param {Page}
 * page
 */
const outline = (page) => page.getAttribute(`${MAP} .overlay polygon`, 'points');

specFromDisk('a region says who is in it, gives the ids of its rows, and goes with Esc', {}, async ({ page }) => {
  await where(page, 'synthetic.csv');
  await drag(page, [
    [0.5, 0.1],
    [0.7, 0.35],
  ]);
  await page.waitForSelector('.region h3');
  assert.match(await page.innerText('.region h3'), /x[12] /);
  const facts = await page.innerText('.region .facts');
  assert.match(facts, /rows\s+\d[\d,]*\s\([\d.]+%\sof those displayed\)/);
  assert.match(facts, /error \(95%\sCI\)\s+[+−]?[\d.]+\spp/);
  const { name, bytes } = await saved(page, '#region-rows');
  assert.equal(name, 'region.csv');
  const n = Number(/rows\s+([\d,]+)/.exec(facts)?.[1].replace(',', ''));
  assert.equal(bytes.toString().trim().split('\n').length, n + 1, 'a header, and a line for each row');
  // Esc ends what is running first
  await page.waitForSelector('#lines li', { state: 'detached' });
  await page.keyboard.press('Escape');
  await page.waitForSelector('.region', { state: 'detached' });
  assert.equal(await page.locator(`${MAP} .overlay`).count(), 0);
});

spec('a region can be drawn freely, and chosen by keyboard alone', {}, async ({ page }) => {
  await where(page, 'synthetic.csv');
  await page.check('input[value="lasso"]');
  await drag(page, [
    [0.5, 0.1],
    [0.7, 0.1],
    [0.6, 0.4],
    [0.5, 0.1],
  ]);
  await page.waitForSelector('.region');
  const corners = (await outline(page))?.split(' ').length ?? 0;
  assert.ok(corners > 4, `${corners} corners`);
  await calm(page); // what is running would be cancelled first
  await page.keyboard.press('Escape');
  await page.waitForSelector('.region', { state: 'detached' });
  await page.focus(`${MAP} canvas`);
  const ticks = () =>
    page.evaluate((at) => /** @type {HTMLCanvasElement} */ (document.querySelector(`${at} canvas`)).toDataURL(), MAP);
  for (const key of ['+', 'Shift+ArrowUp']) {
    const before = await ticks();
    await page.keyboard.press(key);
    await page.waitForFunction(
      ({ at, old }) => /** @type {HTMLCanvasElement} */ (document.querySelector(`${at} canvas`)).toDataURL() !== old,
      { at: MAP, old: before },
    );
    await calm(page);
  }
  await page.getByRole('button', { name: 'Select visible' }).first().press('Enter');
  await page.waitForSelector('.region');
  const share = /\(([\d.]+)%\sof those displayed\)/.exec(await page.innerText('.region .facts'));
  assert.ok(Number(share?.[1]) > 5 && Number(share?.[1]) < 60, `${share?.[1]} % of the rows are in the window`);
});

spec(
  'maps saved for paper at once from a dark page are the same, and none of them stays in a worker',
  { context: { colorScheme: 'dark' }, hash: '#workers=1' },
  async ({ page }) => {
    await page.evaluate(() => {
      /** Keys of the views that workers hold. @type {Set<number>} */
      const held = new Set();
      Object.assign(globalThis, { held });
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
        if (message?.job?.kind === 'view') held.add(message.key);
        if (message?.kind === 'forget') held.delete(message.key);
        return post.call(this, message, transfer);
      };
    });
    await where(page, 'synthetic.csv');
    const held = () => page.evaluate(() => /** @type {any} */ (globalThis).held.size);
    const before = await held();
    await page.locator(`${MAP} button[aria-label^="Download"]`).click();
    /** @type {import('playwright-core').Download[]} */
    const downloads = [];
    page.on('download', (download) => downloads.push(download));
    await page
      .locator(`${MAP} .foot`)
      .getByRole('button', { name: 'PDF' })
      .evaluate((button) => [0, 1, 2].forEach(() => /** @type {HTMLElement} */ (button).click()));
    for (let i = 0; i < 600 && downloads.length < 3; i += 1) await page.waitForTimeout(100);
    await drawn(page);
    await calm(page);
    const files = await Promise.all(downloads.map(async (one) => readFileSync(await one.path(), 'latin1')));
    assert.equal(files.length, 3);
    assert.ok(files.every((file) => file.startsWith('%PDF') && file === files[0]));
    assert.equal(await page.locator('[role=alert] .alert').count(), 0);
    assert.equal(await held(), before, 'none of them is left in a worker');
  },
);

spec('the window zooms about the pointer, moves, and comes back', {}, async ({ page }) => {
  await where(page, 'synthetic.csv');
  await drag(page, [
    [0.4, 0.4],
    [0.6, 0.6],
  ]);
  await page.waitForSelector('.region');
  const width = async () => {
    const points = ((await outline(page)) ?? '').split(' ').map((pair) => Number(pair.split(',')[0]));
    return Math.max(...points) - Math.min(...points);
  };
  const before = await width();
  await page.getByRole('button', { name: 'Zoom in' }).first().click();
  await drawn(page);
  await calm(page);
  assert.ok(Math.abs((await width()) / before - 2) < 0.02, 'twice as wide');
  const box = await placeOf(page);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 3);
  const inside = await outline(page);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -200);
  // the wheel is heard some time after it was turned
  await page.waitForFunction(
    ({ at, old }) => document.querySelector(`${at} .overlay polygon`)?.getAttribute('points') !== old,
    { at: MAP, old: inside },
  );
  await page.keyboard.up('Control');
  await calm(page);
  const zoomed = await width();
  assert.ok(zoomed > 2.2 * before, `${zoomed} against ${before}`);
  await page.check('input[value="move"]');
  const still = await outline(page);
  await drag(page, [
    [0.5, 0.5],
    [0.6, 0.4],
  ]);
  await calm(page);
  assert.notEqual(await outline(page), still);
  await page.getByRole('button', { name: 'Reset' }).first().click();
  const isBack = async () => Math.abs((await width()) / before - 1) < 0.02;
  // the map is drawn anew after the click
  for (let turn = 0; turn < 100 && !(await isBack()); turn += 1) await page.waitForTimeout(50);
  assert.ok(await isBack(), 'as at first');
});

spec('the worst neighbourhoods are found, and a click shows who lives there', {}, async ({ page }) => {
  await where(page, 'synthetic.csv');
  await page.waitForSelector('.worst tbody tr');
  const rows = await page.locator('.worst tbody tr').allInnerTexts();
  assert.ok(
    rows.some((row) => row.startsWith('overestimated')) && rows.some((row) => row.startsWith('underestimated')),
    rows.join('\n'),
  );
  assert.match(rows[0], SIGNIFICANT);
  await page.waitForFunction(() =>
    /^Local .* adjusted for the whole map/.test(
      document.querySelector('[data-sheet="map"] .reading')?.textContent ?? '',
    ),
  );
  await page.locator('.worst tbody tr button').first().click();
  await page.waitForSelector('.region');
  assert.equal((await outline(page))?.split(' ').length, 4, 'the places with a kernel value of one half: a diamond');
});

spec('curves over bandwidths: a click takes the bandwidth, the suggestion too', {}, async ({ page }) => {
  await where(page, 'breast_cancer.csv');
  await page.waitForSelector('.sweep figure:not(.empty)');
  const gamma = await page.innerText('[data-sheet="map"] output');
  await page.getByRole('button', { name: /^Use γ/ }).click();
  await page.waitForFunction((old) => document.querySelector('[data-sheet="map"] output')?.textContent !== old, gamma);
  await calm(page);
  const suggested = await page.innerText('[data-sheet="map"] output');
  await page.focus('.sweep canvas');
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForFunction(
    (old) => document.querySelector('[data-sheet="map"] output')?.textContent !== old,
    suggested,
  );
  await calm(page);
  await page.check('input[name="other maps"]');
  await page.waitForFunction(
    () =>
      /component/.test(document.querySelector('.sweep .twin')?.textContent ?? '') ||
      /column/.test(document.querySelector('.sweep .twin')?.textContent ?? ''),
  );
});

spec('a map is made while its rows are seen moving, and then it is the map', {}, async ({ page }) => {
  await where(page, 'breast_cancer.csv');
  await page.click('#subject .part[title^="Similarity"]');
  await page.selectOption('select[name="alike-tsne"]', '2');
  await page.selectOption('select[name="alike-scale"]', 'standardise');
  assert.doesNotMatch(await page.innerText('[data-sheet="map"] .used'), /t-SNE/, 'it waits for a button');
  // the rows move only while the map is made, which a fast machine does between two looks: every change is looked at
  await page.evaluate(() => {
    const moving = () => document.querySelector('#subject .place canvas:not([hidden])');
    new MutationObserver((_, observer) => {
      if (!moving()) return;
      document.documentElement.dataset.seen = 'moving';
      observer.disconnect();
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  await page.getByRole('button', { name: 'Compute map' }).click();
  await page.waitForSelector('[data-seen="moving"]');
  await page.waitForFunction((at) => /t-SNE/.test(document.querySelector(`${at} .twin`)?.textContent ?? ''), MAP);
  await calm(page);
  assert.match(await page.innerText('[data-sheet="map"] .used'), /^Similarity: t-SNE of .* · Laplacian, γ = [\d.]+\.$/);
  // it stands ready from now on
  const offered = await page.locator('select[name="alike-way"] option').allInnerTexts();
  assert.ok(
    offered.some((one) => /t-SNE/.test(one)),
    offered.join('; '),
  );
});

spec('the headline is that of the test, and map and curve compare the same rows', {}, async ({ page }) => {
  await where(page, 'breast_cancer.csv');
  const reading = () => page.innerText(READING);
  const tested = () =>
    page.waitForFunction(({ at, says }) => new RegExp(says).test(document.querySelector(at)?.textContent ?? ''), {
      at: READING,
      says: TESTED.source,
    });
  await tested();
  await calm(page);
  // what is not significant in the table is no headline
  const rows = await page.locator('.worst tbody tr').allInnerTexts();
  const proven = rows.some((row) => SIGNIFICANT.test(row));
  assert.match(
    await reading(),
    proven ? /^Local .* adjusted for the whole map/ : /^(No significant error in any place of the map|No place has 20)/,
  );
  const compared = () => page.innerText('[data-sheet="map"] .facts');
  assert.equal(await page.inputValue('select[name="bin"]'), 'each');
  assert.match(await compared(), /comparison\s+within their confidence bin \(15 bins\)/);
  await page.waitForFunction(() =>
    /within their confidence bin \(15 bins\)/.test(document.querySelector('.sweep figcaption')?.textContent ?? ''),
  );
  await page.selectOption('select[name="bin"]', 'all');
  await page.waitForFunction(() =>
    /as one bin/.test(document.querySelector('[data-sheet="map"] .facts')?.textContent ?? ''),
  );
  await page.waitForFunction(() => /as one bin/.test(document.querySelector('.sweep figcaption')?.textContent ?? ''));
  await tested();
});
