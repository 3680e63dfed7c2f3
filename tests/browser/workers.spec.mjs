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
  // a browser may take two seconds to end a worker in the middle of a call
  for (let i = 0; i < 100 && page.workers().length > 2; i += 1) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(page.workers().length, 2, 'the workers that ran it are gone');
});

spec('a simulated power is cancelled in its midst, and the test still gives the same answer', { hash: '#workers=2' }, async ({ page }) => {
  const seen = await page.evaluate(async ({ name, text }) => {
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
    const test = () => data.analyse('klce', { features: ['x1', 'x2'], nulls: ['bernoulli'], resamples: 100 });
    const before = JSON.stringify((await test()).methods);
    const control = new AbortController();
    /** @type {string[]} */
    const late = [];
    const watch = (/** @type {{ label: string }} */ { label }) => {
      if (control.signal.aborted) late.push(label);
      if (label.startsWith('simulating')) control.abort();
    };
    const asked = { features: ['x1', 'x2'], nulls: ['bernoulli'], resamples: 100, simulate: true };
    const code = await data.analyse('klce', asked, { signal: control.signal, onProgress: watch }).then(() => 'finished', (error) => error.code);
    return { code, begun: control.signal.aborted, late, same: before === JSON.stringify((await test()).methods) };
  }, file);
  assert.deepEqual(seen, { code: 'cancelled', begun: true, late: [], same: true });
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
  // the example is open, and its run is under way
  await page.waitForSelector('#subject:has-text("synthetic.csv")');
  await page.waitForSelector('#lines li:not(:has-text("Opening"))');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.querySelector('#live')?.textContent?.includes('cancelled'));
  assert.equal(await page.locator('#lines li').count(), 0);
  assert.match(await page.innerText('#subject'), /synthetic\.csv/, 'the data are still open');
  assert.equal(await page.locator('[role=alert] .alert').count(), 0, 'cancelling is no failure');
});

/** Lets the core trap inside a run with seed 666: its allocator is asked for more than an address can say. */
function trapOnSeed666() {
  const trap = `
    const { run, initSync } = wasm_bindgen;
    let core;
    wasm_bindgen.initSync = (module) => (core = initSync(module));
    wasm_bindgen.run = (job, ...rest) => (job.request?.seed === 666 ? core.__wbindgen_malloc(-16, 1) : run(job, ...rest));
  `;
  const RealBlob = Blob;
  window.Blob = class extends RealBlob {
    constructor(/** @type {BlobPart[]} */ parts = [], /** @type {BlobPropertyBag} */ options = {}) {
      super(options.type === 'text/javascript' ? [...parts, trap] : parts, options);
    }
  };
}

for (const workers of [1, 2]) {
  specBoth(`a trap in one of ${workers} workers is contained`, { hash: `#workers=${workers}`, init: trapOnSeed666 }, async ({ page }) => {
    const seen = await page.evaluate(async ({ name, text }) => {
      const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
      const before = JSON.stringify(await data.run({ resamples: 10 }));
      const both = await Promise.allSettled([data.run({ seed: 666 }), data.run({ resamples: 10 })]);
      const after = JSON.stringify(await data.run({ resamples: 10 }));
      return {
        failed: both.map((one) => (one.status === 'rejected' ? one.reason.code : 'finished')),
        message: both[0].status === 'rejected' && both[0].reason.message,
        same: before === after,
      };
    }, file);
    assert.deepEqual(seen.failed, ['panic', 'finished']);
    assert.match(String(seen.message), /unreachable/, 'the core itself trapped');
    assert.equal(seen.same, true);
  });
}

specBoth('a message that no worker can read is contained', { hash: '#workers=2' }, async ({ page }) => {
  const seen = await page.evaluate(async ({ name, text }) => {
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
    /** @type {any} */
    let deep = {};
    for (let i = 0; i < 3000; i += 1) deep = { deep };
    const code = await data.run({ local: deep }).then(() => 'finished', (error) => error.code);
    return { code, report: (await data.run()).schema };
  }, file);
  assert.match(seen.code, /^(panic|invalid_option)$/);
  assert.equal(seen.report, 'localcal-report/1');
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
