// What a person waits for, measured in the built page from disk: medians of five, with the machine's cores.

import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { binaryCsv, built, launching } from './launch.mjs';

const address = pathToFileURL(built).href;
const browser = await chromium.launch(launching);

console.log(`${availableParallelism()} cores, Chromium ${browser.version()}`);

/** @param {number[]} times */
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

/** Runs `body` in five fresh pages; `body` answers milliseconds.
 * @param {string} what @param {number} budget @param {(page: import('playwright-core').Page) => Promise<number>} body */
async function measure(what, budget, body) {
  const times = [];
  for (let i = 0; i < 5; i += 1) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(address, { waitUntil: 'commit' });
    times.push(await body(page));
    await page.context().close();
  }
  const time = median(times);
  console.log(`${what}: ${time.toFixed(0)} ms (budget ${budget} ms)${time > budget ? '  OVER' : ''}`);
}

/** @param {import('playwright-core').Page} page */
const usable = async (page) => {
  await page.waitForFunction(() => 'localcal' in window);
  return page.evaluate(async () => {
    await localcal.ready;
    return performance.now();
  });
};

await measure('opening the page', 300, usable);

await measure('example to scorecard', 1000, async (page) => {
  await usable(page);
  return page.evaluate(() => new Promise((resolve) => {
    const start = performance.now();
    new MutationObserver((_, observer) => {
      if (!document.querySelector('#overview-scorecard table')) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - start));
    }).observe(document.body, { childList: true, subtree: true });
    /** @type {HTMLElement} */ (document.querySelector('[data-sample="breast_cancer.csv"]')).click();
  }));
});

await measure('cancelling a run', 250, async (page) => {
  await usable(page);
  return page.evaluate(async (text) => {
    const data = await localcal.open([{ name: 'bench.csv', bytes: new TextEncoder().encode(text) }]);
    const control = new AbortController();
    const run = data.run({ resamples: 1_000_000 }, { signal: control.signal });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const start = performance.now();
    control.abort();
    await run.catch(() => {});
    return performance.now() - start;
  }, binaryCsv(100_000));
});

await measure('CSV, 1,000,000 rows × 4 columns', 800, async (page) => {
  await usable(page);
  return page.evaluate(async (block) => {
    const [head, ...rows] = block.trim().split('\n');
    const bytes = new TextEncoder().encode(`${head}\n${`${rows.join('\n')}\n`.repeat(100)}`);
    const start = performance.now();
    await localcal.open([{ name: 'million.csv', bytes }]);
    return performance.now() - start;
  }, binaryCsv(10_000));
});

await browser.close();
