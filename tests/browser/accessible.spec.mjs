// Who cannot see or use a mouse: no violation that axe finds, in any step, light and dark, folded and unfolded.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dropFiles, goTo, pick, spec } from './harness.mjs';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');
const STEPS = ['open', 'columns', 'overview', 'where', 'who', 'repair', 'decide', 'report'];

/** Waits until nothing is computed or drawn. @param {import('playwright-core').Page} page */
const calm = (page) =>
  page.waitForFunction(() => !document.querySelector('.stale') && !document.querySelector('#lines li'), undefined, {
    timeout: 120_000,
  });

/**
 * What axe finds, one line a rule and element. @param {import('playwright-core').Page} page @returns
 * {Promise<string[]>}
 */
async function violations(page) {
  return page.evaluate(async () => {
    const { violations: found } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ['violations'] });
    return found.flatMap((/** @type {any} */ rule) =>
      rule.nodes.map((/** @type {any} */ node) => `${rule.id}: ${node.target.join(' ')}: ${node.html.slice(0, 160)}`),
    );
  });
}

/** A binary file with groups, numbers and an id. */
function people() {
  const lines = Array.from({ length: 300 }, (_, i) => {
    const p = ((i * 37) % 99) / 100 + 0.005;
    return `${i},${p.toFixed(3)},${((i * 61) % 100) / 100 < p ? 1 : 0},${['a', 'b', 'c'][i % 3]},${i % 2 ? 'F' : 'M'},${20 + ((i * 7) % 50)},${((i * 13) % 71) / 7}`;
  });
  return `id,risk,died,site,sex,age,dose\n${lines.join('\n')}\n`;
}

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  spec(
    `axe finds nothing in any step, ${colorScheme}`,
    { context: { colorScheme, viewport: { width: 1280, height: 900 } }, most: 400_000 },
    async ({ page }) => {
      await page.evaluate(AXE);
      assert.deepEqual(await violations(page), [], 'before any file');
      await dropFiles(page, [{ name: 'people.csv', text: people() }]);
      await page.waitForSelector('#overview-scorecard table');
      const found = [];
      for (const step of STEPS) {
        await goTo(page, step);
        if (step === 'repair') await page.waitForSelector('.methods [data-method="platt"]');
        await calm(page);
        found.push(...(await violations(page)).map((one) => `${step}, folded: ${one}`));
        // panels within panels are there once their own are open
        for (let i = 0; i < 3; i += 1) {
          await page.evaluate(
            (shown) =>
              document.querySelectorAll(`#${shown} details:not([open])`).forEach((one) => {
                /** @type {HTMLDetailsElement} */ (one).open = true;
              }),
            step,
          );
          await page.waitForTimeout(200);
          await calm(page);
        }
        found.push(...(await violations(page)).map((one) => `${step}, unfolded: ${one}`));
      }
      assert.deepEqual([...new Set(found)], []);
    },
  );
}

spec(
  'forced colours show the current step and the strips',
  { context: { forcedColors: 'active', viewport: { width: 1280, height: 900 } } },
  async ({ page }) => {
    await page.click('[data-sample="breast_cancer.csv"]');
    await page.waitForSelector('#overview-scorecard table');
    const seen = await page.evaluate(() => {
      const colour = (/** @type {string} */ selector, /** @type {'borderBottomColor' | 'backgroundColor'} */ what) =>
        getComputedStyle(/** @type {Element} */ (document.querySelector(selector)))[what];
      return {
        current: colour('#steps a[aria-current] .label', 'borderBottomColor'),
        other: colour('#steps a:not([aria-current]) .label', 'borderBottomColor'),
        paper: getComputedStyle(document.body).backgroundColor,
        interval: colour('.bar .interval', 'backgroundColor'),
        dot: colour('.bar .dot', 'backgroundColor'),
        floor: colour('.bar .floor', 'backgroundColor'),
      };
    });
    assert.notEqual(seen.current, seen.other);
    assert.equal(seen.other, seen.paper);
    for (const part of /** @type {const} */ (['interval', 'dot', 'floor']))
      assert.notEqual(seen[part], seen.paper, part);
  },
);

spec('after a file opens, the focus is at what was found', {}, async ({ page }) => {
  await pick(page, [{ name: 'people.csv', bytes: Buffer.from(people()) }]);
  await page.waitForSelector('#overview-scorecard table');
  await page.waitForFunction(
    () => document.activeElement?.id === 'overview-reading' && document.activeElement.textContent !== 'Overview',
  );
  // who has gone on to something else is not called back
  await goTo(page, 'columns');
  await page.locator('select[name="Look at"]').focus();
  await page.locator('select[name="Look at"]').selectOption('top_label');
  await page.waitForFunction(() => document.querySelector('#subject')?.textContent?.includes('top-label'));
  await calm(page);
  assert.equal(await page.evaluate(() => /** @type {HTMLSelectElement} */ (document.activeElement).name), 'Look at');
});
