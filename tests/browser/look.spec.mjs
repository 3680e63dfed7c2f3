// What a person sees: nothing is cut off, on a phone either; text keeps its contrast; colours are the charts' own.

import assert from 'node:assert/strict';
import { goTo, spec } from './harness.mjs';

const STEPS = ['open', 'columns', 'overview', 'where', 'repair', 'report'];

/** @param {import('playwright-core').Page} page @param {string} step */
async function shown(page, step) {
  await goTo(page, step);
  if (step === 'repair') await page.waitForSelector('.methods [data-method="lore"]');
  await page.waitForFunction(() => !document.querySelector('.stale') && !document.querySelector('#lines li'));
}

for (const { width, sample } of [
  { width: 320, sample: 'breast_cancer.csv' },
  { width: 320, sample: 'digits.npz' },
  { width: 1280, sample: 'breast_cancer.csv' },
  { width: 1280, sample: 'digits.npz' },
]) {
  spec(
    `nothing is cut off at ${width} px with ${sample}`,
    { context: { viewport: { width, height: 900 } } },
    async ({ page }) => {
      await page.click(`[data-sample="${sample}"]`);
      await page.waitForSelector('#overview-scorecard table');
      for (const step of STEPS) {
        await shown(page, step);
        const beyond = await page.evaluate((wide) => {
          const box = document.documentElement;
          const canvases = [...document.querySelectorAll('canvas')].filter((one) => one.clientWidth > 0);
          return {
            page: box.scrollWidth - box.clientWidth,
            regions: wide
              ? [...document.querySelectorAll('section:not(#columns) .scroll')]
                  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
                  .map((one) => one.ariaLabel)
              : [],
            // a canvas is never squeezed: its pixels are square
            squeezed: canvases.filter(
              (one) => Math.abs(one.clientWidth / one.clientHeight - one.width / one.height) > 0.03,
            ).length,
          };
        }, width >= 1280);
        assert.deepEqual(beyond, { page: 0, regions: [], squeezed: 0 }, step);
      }
    },
  );
}

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  spec(
    `text keeps its contrast, ${colorScheme}`,
    { context: { viewport: { width: 1280, height: 900 }, colorScheme } },
    async ({ page }) => {
      await page.click('[data-sample="breast_cancer.csv"]');
      await page.waitForSelector('#overview-scorecard table');
      for (const step of STEPS) {
        await shown(page, step);
        const faint = await page.evaluate(() => {
          const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
          if (!canvas) return ['no canvas'];
          const rgb = (/** @type {string} */ colour) => {
            canvas.clearRect(0, 0, 1, 1);
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data];
          };
          const light = (/** @type {number[]} */ colour) =>
            [0.2126, 0.7152, 0.0722].reduce(
              (sum, weight, i) =>
                sum + weight * (colour[i] <= 10 ? colour[i] / 3294.6 : ((colour[i] / 255 + 0.055) / 1.055) ** 2.4),
              0,
            );
          const behind = (/** @type {Element} */ element) => {
            for (let at = /** @type {Element | null} */ (element); at; at = at.parentElement) {
              const colour = rgb(getComputedStyle(at).backgroundColor);
              if (colour[3] === 255) return colour;
            }
            return [255, 255, 255];
          };
          const poor = [];
          for (const element of document.querySelectorAll('main *, header *, nav *')) {
            const own = [...element.childNodes].some(
              (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
            );
            if (!own || !element.checkVisibility() || element.matches('option, :disabled, :disabled *, .unseen'))
              continue;
            const [a, b] = [light(rgb(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
            if ((a + 0.05) / (b + 0.05) < 4.5)
              poor.push(`${element.tagName}.${element.className}: ${element.textContent?.slice(0, 30)}`);
          }
          return poor;
        });
        assert.deepEqual(faint, [], step);
      }
    },
  );
}

spec('a chart has the paper of the page, also when the colours change', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await page.waitForSelector('#overview-diagram figure:not(.empty):not(.stale)');
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction(() => {
      const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('#overview-diagram canvas'));
      const [r, g, b, a] = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(
        canvas.width - 2,
        canvas.height - 2,
        1,
        1,
      ).data;
      return a === 0 || getComputedStyle(document.body).backgroundColor === `rgb(${r}, ${g}, ${b})`;
    });
  }
});

spec('settings are in the address, data are not; a reload says what to do', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await page.waitForSelector('#overview-scorecard table');
  await goTo(page, 'where');
  assert.equal(new URL(page.url()).hash, '#step=where');
  await page.reload();
  await page.evaluate(() => window.localcal.ready);
  assert.match(await page.innerText('#again'), /Drop the file again/);
});

spec(
  'the preview of eight columns fits, and a tick stands nearer to its own step than to the next',
  {},
  async ({ page }) => {
    await page.click('[data-sample="breast_cancer.csv"]');
    await page.waitForSelector('#overview-scorecard table');
    await goTo(page, 'columns');
    await page.click('#columns-body details > summary');
    const seen = await page.evaluate(() => {
      const box = /** @type {HTMLElement} */ (document.querySelector('#columns-body .scroll'));
      const last = /** @type {HTMLElement} */ ([...box.querySelectorAll('select')].at(-1)).getBoundingClientRect();
      const [tick, next] = ['#steps li:nth-child(1) .done', '#steps li:nth-child(2) .label'].map((at) =>
        /** @type {Element} */ (document.querySelector(at)).getBoundingClientRect(),
      );
      const name = document.createRange();
      name.selectNodeContents(
        /** @type {Node} */ (document.querySelector('#steps li:nth-child(1) .label')?.firstChild),
      );
      return {
        cut: last.right - box.getBoundingClientRect().right,
        own: tick.left - name.getBoundingClientRect().right,
        other: next.left - tick.right,
      };
    });
    assert.ok(seen.cut <= 0, `the last list is cut off by ${seen.cut} px`);
    assert.ok(seen.own < 8 && seen.other > 2 * seen.own + 8, JSON.stringify(seen));
  },
);
