// The same file gives the same answer, to the last bit, in another browser's engine.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium, firefox } from 'playwright-core';
import { binaryCsv, built, launching } from './launch.mjs';

const path = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/**
 * Everything that a person could take away, and what the page said meanwhile. @param
 * {import('playwright-core').Browser} browser
 */
async function found(browser) {
  try {
    const page = await browser.newPage();
    /** @type {string[]} */
    const faults = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.goto(pathToFileURL(built).href);
    const features = await page.evaluate(
      async (csv) => {
        await localcal.ready;
        const data = await localcal.open([{ name: 'engines.csv', bytes: new TextEncoder().encode(csv) }]);
        Object.assign(window, { data });
        return JSON.stringify(await data.project({ pca: 3, tsne: { iterations: 60 } }));
      },
      binaryCsv(600, 1, 4),
    );
    const answers = await page.evaluate(async () => {
      const { data } = /** @type {any} */ (window);
      const report = await data.run({ seed: 3, methods: ['none', 'temperature', 'beta', 'isotonic', 'lore'] });
      const sheets = await Promise.all(['klce', 'proximity', 'groups'].map((kind) => data.analyse(kind, {})));
      const files = [
        await data.export('predictions'),
        await data.export('calibrator', { method: 'lore' }),
        await data.export('chart', { chart: 'reliability', format: 'svg' }),
      ];
      return [report, ...sheets]
        .map((value) => JSON.stringify(value))
        .concat(await Promise.all(files.map((blob) => blob.text())));
    });
    answers.unshift(features);
    return { answers, faults };
  } finally {
    await browser.close();
  }
}

test('Firefox gives the bits that Chromium gives', { timeout: 240_000 }, async () => {
  if (!existsSync(path)) {
    console.log(`skipped: no Firefox at ${path} (apt-get install firefox-esr, or set FIREFOX)`);
    return;
  }
  const ours = await found(await chromium.launch(launching));
  const theirs = await found(await firefox.launch({ channel: 'moz-firefox', executablePath: path }));
  assert.deepEqual(theirs.faults, []);
  assert.equal(ours.answers.length, 8);
  for (const [i, answer] of ours.answers.entries()) {
    assert.ok(answer.length > 100, answer);
    assert.ok(theirs.answers[i] === answer, `answer ${i} differs`);
  }
});
