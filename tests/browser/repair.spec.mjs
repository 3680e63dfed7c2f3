// The map's controls, repairs, downloads, and a whole way by keyboard alone.

import assert from 'node:assert/strict';
import { binaryCsv, goTo, painted, saved, spec, specBoth } from './harness.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page @param {string} sample @param {string} step */
async function example(page, sample, step) {
  await page.click(`[data-sample="${sample}"]`);
  await page.waitForSelector('#overview-scorecard table');
  await goTo(page, step);
}

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

specBoth('the map follows its slider, its bins and its features', {}, async ({ page }) => {
  await example(page, 'breast_cancer.csv', 'where');
  await painted(page, '#where-map', 100);
  const first = await picture(page, '#where-map');
  const gamma = await page.innerText('#where-side output');
  await page.focus('input[name="gamma"]');
  for (let i = 0; i < 6; i += 1) await page.keyboard.press('PageUp');
  await repainted(page, '#where-map', first);
  await page.waitForFunction((old) => document.querySelector('#where-side output')?.textContent !== old, gamma);
  await page.waitForFunction(() => !document.querySelector('.stale') && !document.querySelector('#lines li'));
  const wide = await picture(page, '#where-map');
  const facts = await page.innerText('.facts');
  await page.selectOption('select[name="bin"]', 'worst');
  await repainted(page, '#where-map', wide);
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
  await page.selectOption('select[name="features"]', 'two columns');
  await page.selectOption('select[name="y"]', 'mean_compactness');
  await page.waitForFunction(() =>
    /mean_radius.*mean_compactness/.test(document.querySelector('#where-map .twin')?.textContent ?? ''),
  );
});

spec('the map shows the row under the pointer, the diagram its bin', {}, async ({ page }) => {
  await example(page, 'synthetic.csv', 'overview');
  await painted(page, '#overview-diagram');
  const onDiagram = await page.evaluate(() => {
    const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('#overview-diagram canvas'));
    const card = /** @type {HTMLElement} */ (document.querySelector('#overview-diagram .card'));
    const { left, top, width, height } = canvas.getBoundingClientRect();
    for (let x = 0; x < width; x += 4) {
      for (let y = 0; y < height; y += 4) {
        canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: left + x, clientY: top + y }));
        if (!card.hidden) return card.innerText;
      }
    }
    return '';
  });
  assert.match(onDiagram, /rows[\s\S]*%/);
  const lines = async (/** @type {string} */ at, /** @type {number} */ steps) => {
    const canvas = page.locator(`${at} canvas`);
    const box = await canvas.boundingBox();
    assert.ok(box);
    for (let i = 1; i < steps; i += 1) {
      // along the diagonal of the panel
      await page.mouse.move(
        box.x + 60 + (i / steps) * (box.width - 80),
        box.y + 45 + (1 - i / steps) * (box.width - 90),
      );
      await page.waitForTimeout(200);
      const card = page.locator(`${at} .card`);
      if (await card.isVisible()) return card.innerText();
    }
    return '';
  };
  await goTo(page, 'where');
  await painted(page, '#where-map', 100);
  assert.match(await lines('#where-map', 12), /too (high|low) by [\s\S]*effective neighbours/);
});

spec('the synthetic example: fine on average, wrong in two regions', {}, async ({ page }) => {
  await example(page, 'synthetic.csv', 'overview');
  const value = async (/** @type {string} */ id) =>
    Number(await page.innerText(`#overview-scorecard [data-metric="${id}"] .value`));
  assert.ok((await value('ece')) < 0.03, 'ECE is small');
  assert.ok((await value('mean_lce')) > 2 * (await value('ece')), 'the mean local error is not');
});

specBoth('repairs are compared on rows that no fit has seen, in words too', {}, async ({ page }) => {
  await example(page, 'breast_cancer.csv', 'repair');
  await page.waitForSelector('.methods [data-method="lore"]');
  const methods = await page
    .locator('.methods tbody tr')
    .evaluateAll((rows) => rows.map((row) => /** @type {HTMLElement} */ (row).dataset.method));
  assert.deepEqual(methods, ['none', 'temperature', 'platt', 'isotonic', 'histogram', 'lore']);
  for (const verdict of await page.locator('.verdict').allInnerTexts())
    assert.match(verdict, /^(Better|Worse|No better|Closer)[^.]*569 rows|lost detail/);
  assert.equal(await page.locator('.verdict').count(), 5);
  assert.match(await page.innerText('[data-method="temperature"]'), /T = 2\.\d+[\s\S]*−0\.0\d+[\s\S]*…/);
  assert.match(await page.innerText('#repair-basis'), /without the rows it is scored on/);
  // sorting, and every metric on request
  await page.click('[data-sort="mean_lce"]');
  assert.equal(await page.locator('.methods tbody tr').nth(1).getAttribute('data-method'), 'lore');
  assert.equal(await page.locator('th[aria-sort="ascending"]').count(), 1);
  assert.equal(await page.locator('.methods thead th').count(), 8);
  await page.click('input[name="every metric"]');
  assert.equal(await page.locator('.methods thead th').count(), 13);
  // before and after: diagram, maps with the same colours, both distributions
  await page.click('[data-method="lore"] button');
  assert.match(await page.innerText('#repair-reading'), /^lore: /);
  for (const at of ['#repair-pictures .titled:nth-child(1)', '#repair-pictures .titled:nth-child(2)'])
    await painted(page, at, 5);
  for (const at of ['#repair-local .titled:nth-child(1)', '#repair-local .titled:nth-child(2)'])
    await painted(page, at, 100);
  await page.waitForFunction(() =>
    document.querySelector('#repair-pictures .titled:nth-child(2) thead')?.textContent?.includes('lore'),
  );
  assert.notEqual(
    await picture(page, '#repair-local .titled:nth-child(1)'),
    await picture(page, '#repair-local .titled:nth-child(2)'),
  );
});

spec('what tells how the worst group fares is asked over many divisions', {}, async ({ page }) => {
  await page.setInputFiles('#picker', sites());
  await page.waitForSelector('#overview-scorecard table');
  await goTo(page, 'repair');
  await page.waitForSelector('#repair-table tbody tr[data-method="histogram"]');
  const panel = page.locator('[data-sheet="correlation"]');
  await panel.locator('> summary').click();
  // where it would take long, a person says so
  await panel.locator('.reading, button.quiet').first().waitFor();
  const wait = panel.getByRole('button', { name: /^Dividing the rows/ });
  if (await wait.count()) await wait.click();
  await panel.locator('.reading').waitFor();
  assert.match(
    await panel.locator('.reading').innerText(),
    /Group MCE \(largest\).* r = \d\.\d\d over \d+ observations/,
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
  await panel.getByText('3 files, each divided once').waitFor();
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
    for (const id of ['beta', 'venn_abers', 'dirichlet']) await page.check(`.more input[name="${id}"]`);
    await page.click('#compare');
    await page.waitForSelector('#repair-table tbody tr[data-method="dirichlet"]');
    assert.equal(await page.locator('#repair-table tbody tr').count(), 9);
    /** @param {string} format */
    const copied = async (format) => {
      await page.getByRole('button', { name: format, exact: true }).click();
      await page.waitForFunction((name) => document.querySelector('#live')?.textContent?.includes(name), format);
      return (await page.evaluate(() => navigator.clipboard.readText())).trimEnd().split('\n');
    };
    const lines = await copied('Markdown');
    assert.equal(lines.length, 11);
    assert.match(lines[0], /^\| method \| ECE \(15\) \|/);
    const [latex] = await copied('LaTeX');
    assert.ok(latex.endsWith('\\\\'), latex);
    const csv = (await copied('CSV')).map((line) => line.split(','));
    assert.deepEqual([...new Set(csv.map((cells) => cells.length))], [8]);
    assert.ok(Number(csv[1][1]) > 0.1, 'ECE of the predictions as they are');
  },
);

spec('a method that cannot help says so', {}, async ({ page }) => {
  await page.setInputFiles('#picker', { name: 'calibrated.csv', mimeType: '', buffer: Buffer.from(binaryCsv(600)) });
  await page.waitForSelector('#overview-scorecard table');
  await goTo(page, 'repair');
  await page.waitForSelector('.methods [data-method="lore"]');
  assert.match(
    await page.innerText('[data-method="temperature"] .verdict'),
    /^No better than leaving the predictions alone on these 600 rows\./,
  );
});

specBoth('everything can be taken away', {}, async ({ page }) => {
  await example(page, 'breast_cancer.csv', 'repair');
  await page.waitForSelector('.methods [data-method="lore"]');
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
  assert.match(
    await page.innerText('#report-settings'),
    /confidence bins\s+15[\s\S]*seed\s+0[\s\S]*kernel\s+laplacian/,
  );
});

spec('printing shows the report and not the controls', {}, async ({ page }) => {
  await example(page, 'breast_cancer.csv', 'report');
  await page.evaluate(() => {
    window.print = () =>
      document.body.setAttribute(
        'data-printed',
        document.querySelectorAll('.chart:not(.empty)').length > 1 ? 'charts' : 'none',
      );
  });
  await page.click('#print');
  await page.waitForSelector('body[data-printed="charts"]');
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => document.body.classList.add('printing'));
  assert.equal(await page.locator('#overview-scorecard table').isVisible(), true);
  for (const hidden of ['nav', '#report-files', '#compare'])
    assert.equal(await page.locator(hidden).isVisible(), false, hidden);
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
  await page.waitForSelector('#overview-scorecard table');
  // the page's own order: links of the steps stand before everything else
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
  await tabTo(/^\|\|Repair/);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.methods [data-method="lore"]');
  await tabTo(/^take\|/);
  const download = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  assert.equal((await download).suggestedFilename(), 'predictions.csv');
});
