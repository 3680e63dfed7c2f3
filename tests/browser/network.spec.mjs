// Nothing leaves: no request beyond the page itself, during everything a person can do; and the policy holds.

import assert from 'node:assert/strict';
import { binaryCsv, dropFiles, specBoth } from './harness.mjs';

specBoth('a whole analysis makes no request', {}, async ({ page, requests, served }) => {
  const before = requests.length;
  for (const sample of ['breast_cancer.csv', 'synthetic.csv']) {
    await page.click('#steps a[href="#step=open"]');
    await page.click(`[data-sample="${sample}"]`);
    await page.waitForFunction((name) => document.querySelector('#subject')?.textContent?.includes(name) && document.querySelector('#overview-scorecard table'), sample);
  }
  await dropFiles(page, [{ name: 'own.csv', text: binaryCsv(500) }]);
  await page.waitForFunction(() => document.querySelector('#subject')?.textContent?.includes('own.csv') && document.querySelector('#overview-scorecard table'));
  await page.click('#steps a[href="#step=report"]');
  for (const kind of ['predictions', 'calibrator', 'report']) {
    const saved = page.waitForEvent('download');
    await page.click(`[data-export="${kind}"]`);
    await saved;
  }
  assert.deepEqual(requests.slice(before).filter((url) => !/^(blob|data):/.test(url)), []);
  assert.ok(served.length <= 1, `the server was asked for ${served}`);
  assert.equal(await page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => !/^(blob|data):/.test(name)).length), 0);
});

specBoth('the policy refuses every way out', {}, async ({ page, faults, served }) => {
  const outcomes = await page.evaluate(async () => {
    const refused = (/** @type {Promise<any>} */ promise) => promise.then(() => 'went through', () => 'refused');
    const image = new Promise((resolve, reject) => {
      const picture = new Image();
      picture.onload = resolve;
      picture.onerror = reject;
      picture.src = 'http://127.0.0.1:9/leak.png';
    });
    navigator.sendBeacon('http://127.0.0.1:9/leak', 'x');
    const inline = document.createElement('script');
    inline.textContent = 'window.leaked = true';
    document.body.append(inline);
    // in a task of its own: the debugger that runs this function is exempt from the policy
    const evaluated = await refused(new Promise((resolve, reject) => setTimeout(() => {
      try {
        resolve((0, eval)('1 + 1'));
      } catch (error) {
        reject(error);
      }
    })));
    return { fetch: await refused(fetch('http://127.0.0.1:9/leak')), image: await refused(image), inline: 'leaked' in window, evaluated };
  });
  assert.deepEqual(outcomes, { fetch: 'refused', image: 'refused', inline: false, evaluated: 'refused' });
  assert.ok(faults.some((text) => text.includes('connect-src')), 'the refusal of the beacon is logged');
  assert.ok(served.length <= 1);
  faults.length = 0; // the refusals were provoked
});

specBoth('nothing is stored', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'private-name.csv', text: binaryCsv(100) }]);
  await page.waitForSelector('#overview-scorecard table');
  const kept = await page.evaluate(async () => ({
    local: localStorage.length, session: sessionStorage.length, cookie: document.cookie, hash: location.hash,
    databases: (await indexedDB.databases()).length,
  }));
  assert.deepEqual(kept, { local: 0, session: 0, cookie: '', hash: '#step=overview', databases: 0 });
});
