// The pool: cancelling, traps, and the same answer whatever the number of workers.

import assert from 'node:assert/strict';
import { faults } from './faults.mjs';
import { ask, binaryCsv, dropFiles, scored, spec, specBoth } from './harness.mjs';

const file = { name: 'pool.csv', text: binaryCsv(3000) };
/** As many rows as make a run with all the resamples that may be asked for a long one. */
const many = { name: 'many.csv', text: binaryCsv(60_000) };

specBoth(
  'a cancelled run rejects, falls silent, and leaves the data as it was',
  { hash: '#workers=2' },
  async ({ page }) => {
    const seen = await page.evaluate(async ({ name, text }) => {
      const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
      const before = JSON.stringify(await data.run({ resamples: 50 }));
      const control = new AbortController();
      /** @type {string[]} */
      const order = [];
      const run = data.run(
        { resamples: 100_000 },
        {
          signal: control.signal,
          onProgress() {
            order.push('progress');
            control.abort();
          },
        },
      );
      // a run that has not said anything within a second is cancelled all the same
      setTimeout(() => control.abort(), 1000);
      const code = await run.then(
        () => 'finished',
        (error) => error.code,
      );
      order.push('rejected');
      await new Promise((resolve) => setTimeout(resolve, 300));
      const after = JSON.stringify(await data.run({ resamples: 50 }));
      const early = await data.run({}, { signal: AbortSignal.abort() }).then(
        () => 'finished',
        (error) => error.code,
      );
      return { code, early, last: order.at(-1), same: before === after };
    }, many);
    assert.deepEqual(seen, { code: 'cancelled', early: 'cancelled', last: 'rejected', same: true });
    // a browser may take two seconds to end a worker in the middle of a call
    for (let i = 0; i < 100 && page.workers().length > 2; i += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(page.workers().length, 2, 'the workers that ran it are gone');
  },
);

spec(
  'a simulated power is cancelled in its midst, and the test still gives the same answer',
  { hash: '#workers=2' },
  async ({ page }) => {
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
      /** @type {wasm_bindgen.Null[]} */
      const nulls = ['bernoulli'];
      const asked = { features: ['x1', 'x2'], nulls, resamples: 100, simulate: true };
      const code = await data.analyse('klce', asked, { signal: control.signal, onProgress: watch }).then(
        () => 'finished',
        (error) => error.code,
      );
      return { code, begun: control.signal.aborted, late, same: before === JSON.stringify((await test()).methods) };
    }, file);
    assert.deepEqual(seen, { code: 'cancelled', begun: true, late: [], same: true });
  },
);

spec('Esc cancels what the page is doing', { hash: '#workers=1' }, async ({ page }) => {
  await page.evaluate(() => {
    // the page's own run, made long enough to be seen
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
      if (message?.job?.kind === 'plan') message.job.request.resamples = 100_000;
      return post.call(this, message, transfer);
    };
  });
  await dropFiles(page, [many]);
  // the file is open, and its run is under way
  await page.waitForSelector('#file:has-text("many.csv")');
  await page.waitForSelector('#lines li:not(:has-text("Opening"))');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.querySelector('#live')?.textContent?.includes('canceled'));
  assert.equal(await page.locator('#lines li').count(), 0);
  assert.match(await page.innerText('#file'), /many\.csv/, 'the data are still open');
  assert.equal(await page.locator('[role=alert] .alert').count(), 0, 'cancelling is no failure');
});

for (const workers of [1, 2]) {
  specBoth(
    `a trap in one of ${workers} workers is contained`,
    { hash: `#workers=${workers}`, init: faults },
    async ({ page }) => {
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
    },
  );
}

specBoth(
  'memory that the browser refuses is said, not called a fault',
  { hash: '#workers=2', init: faults },
  async ({ page }) => {
    const seen = await page.evaluate(async ({ name, text }) => {
      const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
      const before = JSON.stringify(await data.run({ resamples: 10 }));
      const error = await data.run({ seed: 667 }).then(
        () => null,
        (failure) => ({ code: failure.code, message: failure.message, hint: failure.hint }),
      );
      // @ts-ignore: of the faults above
      return { ...error, given: given[667], same: before === JSON.stringify(await data.run({ resamples: 10 })) };
    }, file);
    assert.equal(seen.code, 'memory');
    assert.match(String(seen.message), /not enough memory.*holds [\d,]+ MB/);
    assert.doesNotMatch(String(seen.message), /fault|unreachable/);
    assert.equal(seen.given, 2, 'a fresh worker was tried');
    assert.equal(seen.same, true);
  },
);

for (const workers of [1, 2]) {
  specBoth(
    `a worker that ends without a word is replaced, its job done again, once, with ${workers} workers`,
    { hash: `#workers=${workers}`, init: faults },
    async ({ page }) => {
      const seen = await page.evaluate(async ({ name, text }) => {
        const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
        const expected = JSON.stringify((await data.run({ resamples: 10, seed: 0 })).methods);
        const once = await data.run({ resamples: 10, seed: 670 }).then(
          () => 'finished',
          (error) => error.code,
        );
        const twice = await data.run({ resamples: 10, seed: 668 }).then(
          () => 'finished',
          (error) => error.code,
        );
        return {
          once,
          twice,
          // @ts-ignore: of the faults above
          given: { ...given },
          same: expected === JSON.stringify((await data.run({ resamples: 10, seed: 0 })).methods),
        };
      }, file);
      assert.deepEqual(seen, { once: 'finished', twice: 'worker_lost', given: { 668: 2, 670: 2 }, same: true });
    },
  );
}

/**
 * Lets the page's clock run until something is so; the workers' own time goes on as it does, and no worker that is at
 * work is to be taken for one that is stuck: a minute of the page is more than a second of theirs. @param
 * {import('playwright-core').Page} page @param {() => boolean} is
 */
async function untilByClock(page, is) {
  while (!(await page.evaluate(is))) {
    await page.clock.runFor(5000);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

spec(
  'a worker that is stuck is given up, its job done again, once',
  { hash: '#workers=2', init: faults, clock: true },
  async ({ page }) => {
    await page.evaluate(async ({ name, text }) => {
      const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
      const seen = { once: '', twice: '' };
      Object.assign(window, { seen });
      data.run({ resamples: 10, seed: 671 }).then(
        () => (seen.once = 'finished'),
        (error) => (seen.once = error.code),
      );
      data.run({ resamples: 10, seed: 669 }).then(
        () => (seen.twice = 'finished'),
        (error) => (seen.twice = error.code),
      );
    }, file);
    // @ts-ignore: of the page
    await untilByClock(page, () => seen.once !== '' && seen.twice !== '');
    // @ts-ignore: of the page
    assert.deepEqual(await page.evaluate(() => ({ ...seen, ...given })), {
      once: 'finished',
      twice: 'worker_lost',
      669: 2,
      671: 2,
    });
  },
);

for (const workers of [1, 2]) {
  spec(
    `while a long run goes on, a question and an analysis are answered, with ${workers} workers`,
    { hash: `#workers=${workers}` },
    async ({ page }) => {
      const seen = await page.evaluate(async ({ name, text }) => {
        const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
        await data.run({ resamples: 10 });
        const control = new AbortController();
        const order = /** @type {string[]} */ ([]);
        /** @type {(value?: unknown) => void} */
        let begin = () => {};
        const begun = new Promise((resolve) => (begin = resolve));
        const long = data.run({ resamples: 100_000 }, { signal: control.signal, onProgress: begin }).then(
          () => order.push('run'),
          (error) => order.push(error.code),
        );
        await begun;
        await data.export('chart', { chart: 'reliability' }).then(() => order.push('chart'));
        await data.analyse('decide', {}).then(() => order.push('analysis'));
        const other = await localcal.open([{ name: 'other.csv', bytes: new TextEncoder().encode(text) }], {
          beside: true,
        });
        order.push(`${other.summary.rows} rows`);
        control.abort();
        await long;
        return order;
      }, many);
      assert.deepEqual(seen, ['chart', 'analysis', '60000 rows', 'cancelled']);
    },
  );
}

spec(
  'a run of several methods tells of each as it is done, and the last report is the whole',
  { hash: '#workers=2' },
  async ({ page }) => {
    await page.evaluate(() => {
      // every table that Repair shows of a run that goes on
      const lines = /** @type {string[]} */ ([]);
      new MutationObserver(() => {
        const line = document.querySelector('#so-far')?.textContent;
        if (line && line !== lines.at(-1)) lines.push(line);
      }).observe(/** @type {Element} */ (document.querySelector('#view')), {
        childList: true,
        characterData: true,
        subtree: true,
      });
      Object.assign(window, { lines });
    });
    await page.click('[data-sample="breast_cancer.csv"]');
    await scored(page);
    await ask(page, 'repair');
    await page.waitForFunction(
      () => document.querySelectorAll('.methods tbody tr').length === 8 && !document.querySelector('#so-far'),
    );
    // @ts-ignore: of the page
    assert.deepEqual(await page.evaluate(() => lines), [
      '1 of 8 methods complete',
      '2 of 8 methods complete',
      '3 of 8 methods complete',
      '4 of 8 methods complete',
      '5 of 8 methods complete',
      '6 of 8 methods complete',
      '7 of 8 methods complete',
    ]);
  },
);

specBoth('a message that no worker can read is contained', { hash: '#workers=2' }, async ({ page }) => {
  const seen = await page.evaluate(async ({ name, text }) => {
    const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }]);
    /** @type {any} */
    let deep = {};
    for (let i = 0; i < 3000; i += 1) deep = { deep };
    const code = await data.run({ local: deep }).then(
      () => 'finished',
      (error) => error.code,
    );
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
