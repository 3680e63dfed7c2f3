// The pool: cancelling, traps, and the same answer whatever the number of workers.

import assert from 'node:assert/strict';
import { binaryCsv, spec, specBoth } from './harness.mjs';

const file = { name: 'pool.csv', text: binaryCsv(3000) };

specBoth('a cancelled run rejects, falls silent, and leaves the data as it was', { hash: '#workers=2' }, async ({ page }) => {
  const seen = await page.evaluate(async ({ name, text }) => {
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
    const before = JSON.stringify(await data.run({ resamples: 50 }));
    const control = new AbortController();
    /** @type {string[]} */
    const order = [];
    const run = data.run({ resamples: 100_000_000 }, {
      signal: control.signal,
      onProgress() {
        order.push('progress');
        control.abort();
      },
    });
    // a run that has not said anything within a second is cancelled all the same
    setTimeout(() => control.abort(), 1000);
    const code = await run.then(() => 'finished', (error) => error.code);
    order.push('rejected');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const after = JSON.stringify(await data.run({ resamples: 50 }));
    const early = await data.run({}, { signal: AbortSignal.abort() }).then(() => 'finished', (error) => error.code);
    return { code, early, last: order.at(-1), same: before === after };
  }, file);
  assert.deepEqual(seen, { code: 'cancelled', early: 'cancelled', last: 'rejected', same: true });
});

spec('Esc cancels what the page is doing', { hash: '#workers=1' }, async ({ page }) => {
  await page.evaluate(() => {
    // the page's own run, made long enough to be seen
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
      if (message?.job?.kind === 'plan') message.job.request.resamples = 100_000_000;
      return post.call(this, message, transfer);
    };
  });
  await page.click('[data-sample="synthetic.csv"]');
  await page.waitForSelector('#lines li:has-text("Computing")');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.querySelector('#live')?.textContent?.includes('cancelled'));
  assert.equal(await page.locator('#lines li').count(), 0);
  assert.match(await page.innerText('#subject'), /synthetic\.csv/, 'the data are still open');
  assert.equal(await page.locator('[role=alert] .alert').count(), 0, 'cancelling is no failure');
});

specBoth('a trap in a worker is contained', { hash: '#workers=2' }, async ({ page }) => {
  const seen = await page.evaluate(async ({ name, text }) => {
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
    const before = JSON.stringify(await data.run({ resamples: 10 }));
    // a message nested too deeply overflows the core's stack: a real trap, in the middle of a call
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
      if (message?.job?.kind === 'plan' && message.job.request.seed === 666) {
        /** @type {any} */
        let deep = {};
        for (let i = 0; i < 3000; i += 1) deep = { kind: 'plan', deep };
        message.job = deep;
      }
      return post.call(this, message, transfer);
    };
    const both = await Promise.allSettled([data.run({ seed: 666 }), data.run({ resamples: 10 })]);
    const codes = both.map((one) => (one.status === 'rejected' ? one.reason.code : 'finished'));
    const after = JSON.stringify(await data.run({ resamples: 10 }));
    return { codes, same: before === after };
  }, file);
  assert.deepEqual(seen, { codes: ['panic', 'finished'], same: true });
});

/** @type {string[]} */
const reports = [];
for (const workers of [1, 2, 7]) {
  spec(`the report is the same with ${workers} workers`, { hash: `#workers=${workers}` }, async ({ page }) => {
    const report = await page.evaluate(async ({ name, text }) => {
      const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
      return JSON.stringify(await data.run({ seed: 7, resamples: 200 }));
    }, file);
    reports.push(report);
    assert.equal(report, reports[0]);
  });
}
