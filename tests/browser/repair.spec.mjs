// The map's controls, repairs, downloads, and a whole way by keyboard alone.

import assert from 'node:assert/strict';
import { ask, binaryCsv, calm, goTo, painted, saved, scored, spec, specBoth, specFromDisk } from './harness.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page @param {string} sample @param {string} kind of the panel to look at */
async function example(page, sample, kind) {
  await page.click(`[data-sample="${sample}"]`);
  await ask(page, kind);
}

/** The large map, and what stands beside it. */
const MAP = '[data-sheet="map"] .side > .chart:first-child';
const DIAGRAM = '[data-sheet="reliability"]';

/** 360 rows of three sites, the first of which is promised too much. */
function sites() {
  const lines = ['p,y,site'];
  for (let i = 0; i < 360; i += 1) {
    const p = ((i * 37) % 97) / 97;
    lines.push(
      `${p},${((i * 61) % 89) / 89 < (i % 3 === 0 ? 0.6 * p : p) ? 1 : 0},${['north', 'south', 'west'][i % 3]}`,
    );
  }
  return { name: 'sites.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
}

/**
 * The picture on a canvas as a short text: another picture, another text. @param {Page} page @param {string} selector
 */
const picture = (page, selector) =>
  page.evaluate(
    (at) => /** @type {HTMLCanvasElement} */ (document.querySelector(`${at} canvas`)).toDataURL(),
    selector,
  );

/** @param {Page} page @param {string} selector @param {string} before */
const repainted = (page, selector, before) =>
  page.waitForFunction(
    ({ at, old }) => /** @type {HTMLCanvasElement} */ (document.querySelector(`${at} canvas`)).toDataURL() !== old,
    { at: selector, old: before },
  );

specFromDisk('the map follows its slider, its bins and its features', {}, async ({ page }) => {
  await example(page, 'breast_cancer.csv', 'map');
  await painted(page, MAP, 100);
  const first = await picture(page, MAP);
  const gamma = await page.innerText('[data-sheet="map"] output');
  await page.focus('input[name="gamma"]');
  for (let i = 0; i < 6; i += 1) await page.keyboard.press('PageUp');
  await repainted(page, MAP, first);
  await page.waitForFunction((old) => document.querySelector('[data-sheet="map"] output')?.textContent !== old, gamma);
  await page.waitForFunction(() => !document.querySelector('.stale') && !document.querySelector('#lines li'));
  const wide = await picture(page, MAP);
  const facts = await page.innerText('.facts');
  await page.selectOption('select[name="bin"]', 'worst');
  await repainted(page, MAP, wide);
  await page.waitForFunction(
    (old) => /** @type {HTMLElement} */ (document.querySelector('.facts')).innerText !== old,
    facts,
  );
  await painted(page, '.companions .chart:first-child', 5);
  // a bar of the picker is a bin to look at
  const bars = page.locator('.companions .chart:last-child canvas');
  await page.selectOption('select[name="bin"]', 'all');
  await page.waitForFunction(() => !document.querySelector('.stale'));
  await bars.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForFunction(
    () => /** @type {HTMLSelectElement} */ (document.querySelector('select[name="bin"]')).value === '0',
  );
  await page.click('[data-sheet="map"] .alike summary');
  await page.selectOption('select[name="map-way"]', { label: 'mean_radius and mean_texture' });
  await page.waitForFunction(() =>
    /mean_radius and mean_texture/.test(document.querySelector('[data-sheet="map"] .used')?.textContent ?? ''),
  );
  await page.check('input[name="map-of"][value="mean_compactness"]');
  await page.uncheck('input[name="map-of"][value="mean_texture"]');
  await page.waitForFunction(() =>
    /mean_radius.*mean_compactness/.test(
      document.querySelector('[data-sheet="map"] .side > .chart:first-child .twin')?.textContent ?? '',
    ),
  );
});

spec('the map shows the row under the pointer, the diagram its bin', {}, async ({ page }) => {
  await example(page, 'synthetic.csv', 'reliability');
  await painted(page, DIAGRAM);
  const onDiagram = await page.evaluate(async (at) => {
    const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(`${at} canvas`));
    const { left, top, width, height } = canvas.getBoundingClientRect();
    for (let x = 0; x < width; x += 4) {
      for (let y = 0; y < height; y += 4) {
        canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: left + x, clientY: top + y }));
        for (let turn = 0; turn < 4; turn += 1) await null; // the page draws its cards
        const card = /** @type {HTMLElement | null} */ (document.querySelector(`${at} .card`));
        if (card) return card.innerText;
      }
    }
    return '';
  }, DIAGRAM);
  assert.match(onDiagram, /rows[\s\S]*%/);
  const lines = async (/** @type {string} */ at, /** @type {number} */ steps) => {
    const canvas = page.locator(`${at} canvas`);
    await canvas.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    const box = await canvas.boundingBox();
    assert.ok(box);
    for (let i = 1; i < steps; i += 1) {
      // along the diagonal of the panel
      await page.mouse.move(
        box.x + 60 + (i / steps) * (box.width - 80),
        box.y + 45 + (1 - i / steps) * (box.width - 90),
      );
      // a worker finds the row: where there is none, no card comes
      const card = page.locator(`${at} .card`);
      const found = await card.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
      if (found) return card.innerText();
    }
    return '';
  };
  await ask(page, 'map');
  await painted(page, MAP, 100);
  await calm(page); // what comes above the map moves it
  assert.match(await lines(MAP, 12), /(▲ over|▼ under)estimated by [\d.]+\spp[\s\S]*\d effective neighbors/);
});

spec('the synthetic example: fine on average, wrong in two regions', {}, async ({ page }) => {
  await example(page, 'synthetic.csv', 'scorecard');
  await page.waitForSelector('.scorecard tbody tr');
  await calm(page); // local numbers come after the finding
  const value = async (/** @type {string} */ id) =>
    Number(await page.innerText(`.scorecard [data-metric="${id}"] .value`));
  assert.ok((await value('ece')) < 0.03, 'ECE is small');
  assert.ok((await value('mean_lce')) > 2 * (await value('ece')), 'the mean local error is not');
});

specFromDisk('repairs are compared on rows that no fit has seen, in words too', {}, async ({ page }) => {
  await example(page, 'breast_cancer.csv', 'repair');
  await page.waitForSelector('.methods [data-method="lore"]');
  const methods = await page
    .locator('.methods tbody tr')
    .evaluateAll((rows) => rows.map((row) => /** @type {HTMLElement} */ (row).dataset.method));
  assert.deepEqual(methods, ['none', 'temperature', 'platt', 'beta', 'isotonic', 'spline', 'lore_ridge', 'lore']);
  for (const verdict of await page.locator('.verdict').allInnerTexts())
    assert.match(
      verdict,
      /^((Significantly (better|worse)|Not significantly better) than no recalibration[^(]*|ECE [^.]*)\(n = 569\)/,
    );
  assert.equal(await page.locator('.verdict').count(), 7);
  assert.match(
    await page.innerText('[data-method="temperature"]'),
    /T = 2\.\d+[\s\S]*−0\.0\d+[\s\S]*−0\.\d+ to [+−\d]/,
  );
  assert.match(await page.innerText('[data-sheet="repair"]'), /no method was fitted on the rows it is evaluated on/);
  // sorting, and every metric on request
  await page.click('[data-sort="mean_lce"]');
  await page.waitForSelector('.methods tbody tr:nth-child(2)[data-method="lore"]');
  assert.equal(await page.locator('th[aria-sort="ascending"]').count(), 1);
  assert.equal(await page.locator('.methods thead th').count(), 8);
  await page.click('input[name="every metric"]');
  assert.equal(await page.locator('.methods thead th').count(), 14);
  // a click on a method: everything is looked at through it, and it is told what it does
  await page.click('[data-method="lore"] button');
  await page.waitForSelector('#repair-reading');
  assert.match(await page.innerText('#repair-reading'), /^LoRe \(local recalibration\): /);
  assert.match(await page.innerText('#subject'), /LoRe/i);
  // before and after: diagram, maps with the same colors, both distributions
  await ask(page, 'before_after');
  const titled = (/** @type {number} */ i) => `[data-sheet="before_after"] .pair > .titled:nth-child(${i})`;
  for (const i of [1, 2]) await painted(page, titled(i), 5);
  for (const i of [3, 4]) await painted(page, titled(i), 100);
  await page.waitForFunction((at) => document.querySelector(`${at} thead`)?.textContent?.includes('LoRe'), titled(2));
  assert.notEqual(await picture(page, titled(3)), await picture(page, titled(4)));
});

spec('what tells how the worst group fares is asked over many divisions', {}, async ({ page }) => {
  await page.setInputFiles('#picker', sites());
  await ask(page, 'repair');
  await page.waitForSelector('#repair-table tbody tr[data-method="beta"]');
  await ask(page, 'correlation');
  const panel = page.locator('[data-sheet="correlation"]');
  // where it would take long, a person says so
  await panel.locator('.reading, button.start').first().waitFor();
  await calm(page);
  const wait = panel.getByRole('button', { name: /^Start: repeating the split/ });
  if (await wait.count()) await wait.click();
  // an answer of the run before, whose bins are smaller, may stand there first
  await panel.locator('.reading', { hasText: 'has the highest correlation' }).waitFor();
  assert.match(
    await panel.locator('.reading').innerText(),
    / has the highest correlation with Group MCE \(largest\), 20 rows or more \(r = \d\.\d\d, \d+ observations/,
  );
  assert.ok((await panel.locator('figure').count()) >= 4);
  assert.match(await panel.locator('tbody tr').last().innerText(), /n = \d+/);
  const csv = await saved(page, 'text=Save correlation.csv');
  assert.match(csv.bytes.toString(), /^repeat,method,ece,mce,nll,brier/);
  // files of other seeds are repeats, too
  await panel.locator('input[name="others"]').setInputFiles([
    { ...sites(), name: 'second.csv' },
    { ...sites(), name: 'third.csv' },
  ]);
  await panel.getByText('3 files, each split once').waitFor();
  assert.equal(await panel.locator('input[name="repeats"]').count(), 0);
  assert.match((await saved(page, 'text=Save correlation.csv')).bytes.toString(), /\nthird,none,/);
});

spec(
  'more methods are there for who looks, and the table can be copied',
  { context: { permissions: ['clipboard-read', 'clipboard-write'] } },
  async ({ page }) => {
    await example(page, 'breast_cancer.csv', 'repair');
    await page.waitForSelector('#repair-table tbody tr[data-method="lore"]');
    await page.click('.more summary');
    for (const id of ['histogram', 'venn_abers', 'dirichlet']) await page.check(`.more input[name="${id}"]`);
    await page.waitForSelector('#repair-table tbody tr[data-method="dirichlet"]');
    await calm(page); // the table shows methods as they come
    assert.equal(await page.locator('#repair-table tbody tr').count(), 11);
    /** @param {string} format */
    const copied = async (format) => {
      await page.getByRole('button', { name: format, exact: true }).click();
      await page.waitForFunction((name) => document.querySelector('#live')?.textContent?.includes(name), format);
      return (await page.evaluate(() => navigator.clipboard.readText())).trimEnd().split('\n');
    };
    const lines = await copied('Markdown');
    assert.equal(lines.length, 13);
    assert.match(lines[0], /^\| method \| ECE \(15\) \|/);
    const latex = await copied('LaTeX');
    for (const line of ['\\label{tab:methods}', '\\toprule', '\\bottomrule', '\\end{table}'])
      assert.ok(latex.includes(line), latex.join('\n'));
    // names may hold commas: they stand in quotes
    const csv = (await copied('CSV')).map((line) => line.replace(/"[^"]*"/g, 'name').split(','));
    assert.deepEqual([...new Set(csv.map((cells) => cells.length))], [8]);
    assert.ok(Number(csv[1][1]) > 0.1, 'ECE of the predictions as they are');
  },
);

spec('a method that cannot help says so', {}, async ({ page }) => {
  await page.setInputFiles('#picker', { name: 'calibrated.csv', mimeType: '', buffer: Buffer.from(binaryCsv(600)) });
  await ask(page, 'repair');
  await page.waitForSelector('.methods [data-method="lore"]');
  await calm(page);
  assert.match(
    await page.innerText('[data-method="temperature"] .verdict'),
    /^Not significantly better than no recalibration \(n = 600\)\./,
  );
});

spec(
  'through a method that could not be fitted, the original predictions are shown, and it is said',
  {},
  async ({ page }) => {
    // no features: LoRe has no similar rows
    const rows = Array.from({ length: 60 }, (_, i) => `${i % 2},0.${(i % 9) + 1}`).join('\n');
    await page.setInputFiles('#picker', { name: 'bare.csv', mimeType: '', buffer: Buffer.from(`y,p\n${rows}\n`) });
    await scored(page);
    await page.evaluate(() => (location.hash = '#view=explore&panel=reliability&subject={"repair":"lore"}'));
    await page.waitForSelector(
      '.unrepaired:has-text("LoRe (local recalibration) could not be fitted. Results are of the original")',
    );
    await painted(page, DIAGRAM);
    assert.equal(await page.locator('#alerts .alert').count(), 0);
  },
);

specBoth('everything can be taken away', {}, async ({ page }) => {
  await example(page, 'breast_cancer.csv', 'repair');
  await page.waitForSelector('.methods [data-method="lore"]');
  await calm(page);
  await goTo(page, 'report');
  const report = JSON.parse((await saved(page, '[data-export="report"]')).bytes.toString());
  assert.equal(report.schema, 'localcal-report/1');
  const calibrator = JSON.parse((await saved(page, '[data-export="calibrator"]')).bytes.toString());
  assert.equal(calibrator.schema, 'localcal-calibrator/1');
  assert.equal(calibrator.fitted_rows, 569);
  for (const chart of ['reliability', 'map', 'cdf']) {
    const png = await saved(page, `[data-chart="${chart}"][data-format="png"]`);
    assert.equal(png.name, `${chart}.png`);
    assert.equal(png.bytes.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
    const pdf = await saved(page, `[data-chart="${chart}"][data-format="pdf"]`);
    assert.equal(pdf.name, `${chart}.pdf`);
    assert.equal(pdf.bytes.subarray(0, 8).toString('latin1'), '%PDF-1.4');
    const svg = await saved(page, `[data-chart="${chart}"][data-format="svg"]`);
    const seen = await page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(
        text.replace(/ style="[^"]*"|<style[\s\S]*?<\/style>/g, ''),
        'image/svg+xml',
      );
      return {
        root: parsed.documentElement.tagName,
        fault: parsed.querySelector('parsererror')?.textContent ?? '',
        title: parsed.querySelector('title')?.textContent ?? '',
      };
    }, svg.bytes.toString());
    assert.deepEqual([seen.root, seen.fault], ['svg', '']);
    assert.ok(seen.title.length > 3, `${chart} has a title`);
  }
  await ask(page, 'scorecard');
  await page.click('[data-sheet="scorecard"] .run > summary');
  assert.match(
    await page.innerText('[data-sheet="scorecard"] .run .facts'),
    /confidence bins\s+15[\s\S]*seed\s+0[\s\S]*kernel\s+laplacian/,
  );
});

spec('printing a panel shows its finding and not the controls', {}, async ({ page }) => {
  await example(page, 'breast_cancer.csv', 'reliability');
  await painted(page, DIAGRAM);
  await page.emulateMedia({ media: 'print' });
  for (const shown of ['.reading', 'canvas', 'figcaption'])
    assert.equal(await page.locator(`${DIAGRAM} ${shown}`).first().isVisible(), true, shown);
  for (const hidden of ['nav', '.questions', `${DIAGRAM} .settings`, `${DIAGRAM} .tools`])
    assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
});

spec('a printed table has its headings, which are buttons on screen', {}, async ({ page }) => {
  await example(page, 'breast_cancer.csv', 'decide');
  // not that of a figure, which is folded
  const table = page.locator('[data-sheet="decide"] table:visible').first();
  await table.waitFor();
  await calm(page);
  const heads = () => table.locator('thead th').allInnerTexts();
  const plain = (/** @type {string[]} */ texts) => texts.map((text) => text.replace(/[↓↑]/, '').trim());
  const onScreen = plain(await heads());
  assert.ok(onScreen.filter((text) => text !== '').length > 2, onScreen.join('|'));
  assert.equal(await table.locator('thead button').count(), onScreen.length);
  await page.emulateMedia({ media: 'print' });
  assert.deepEqual(plain(await heads()), onScreen);
  assert.equal(await table.locator('tbody th').first().isVisible(), true);
});

specBoth('the keyboard alone leads from the first screen to a download', {}, async ({ page }) => {
  const at = () =>
    page.evaluate(() => {
      const { id, textContent, className, tagName } = /** @type {HTMLElement} */ (document.activeElement);
      return tagName === 'BODY' ? '' : `${id}|${className}|${textContent}`;
    });
  const tabTo = async (/** @type {RegExp} */ what) => {
    for (let i = 0; i < 120; i += 1) {
      if (what.test(await at())) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`no way to ${what}, last at ${await at()}`);
  };
  await tabTo(/Breast cancer/);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#views');
  // the page's own order: the views stand before everything else
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
  await tabTo(/^\|\|Explore$/);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.questions');
  await tabTo(/Recalibration methods/);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.methods [data-method="lore"]');
  await tabTo(/^take\|/);
  const download = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  assert.equal((await download).suggestedFilename(), 'predictions.csv');
});
