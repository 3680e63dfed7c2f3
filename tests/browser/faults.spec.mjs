// What goes wrong in a browser is said in a sentence with a hint, and the page goes on where it can.

import assert from 'node:assert/strict';
import { broken, faults } from './faults.mjs';
import {
  ask,
  binaryCsv,
  calm,
  dropFiles,
  found,
  goTo,
  onOnePage,
  openedAs,
  scored,
  spec,
  specFromDisk,
} from './harness.mjs';

const file = { name: 'pool.csv', text: binaryCsv(400) };

/** What is wrong before anything began, what is said of it, and what is hinted at.
 * @type {Record<string, { init: () => void, says: RegExp, hints: RegExp }>} */
const STARTS = {
  'no DecompressionStream': {
    init: () => void Reflect.deleteProperty(window, 'DecompressionStream'),
    says: /^This browser cannot run LoCal: it does not support DecompressionStream \(used to unpack/,
    hints: /Chrome or Edge \d+, Firefox \d+, Safari [\d.]+/,
  },
  'no WebAssembly': {
    init: () => void Reflect.deleteProperty(window, 'WebAssembly'),
    says: /^This browser cannot run LoCal: it does not support WebAssembly \(used for all computation\)/,
    hints: /Safari [\d.]+.*Lockdown Mode/,
  },
  'no Worker': {
    init: () => void Reflect.deleteProperty(window, 'Worker'),
    says: /^This browser cannot run LoCal: it does not support Worker/,
    hints: /Firefox \d+/,
  },
  'workers that are refused': {
    init: () =>
      void (window.Worker = /** @type {any} */ (
        class {
          constructor() {
            throw new DOMException('access to workers is denied', 'SecurityError');
          }
        }
      )),
    says: /^The browser did not start a worker.*\(access to workers is denied\)/,
    hints: /Close other tabs and try again, or reload/,
  },
  'WebAssembly without what the core needs': {
    init: () =>
      void (WebAssembly.compileStreaming = () =>
        Promise.reject(new WebAssembly.CompileError('invalid value type 0x7b'))),
    says: /^This browser cannot run the computing core: its WebAssembly is too old \(invalid value type 0x7b\)/,
    hints: /Safari [\d.]+/,
  },
  'no memory for the core': {
    init: () => void (WebAssembly.compileStreaming = () => Promise.reject(new RangeError('out of memory'))),
    says: /^There is not enough memory to start the computing core \(out of memory\)/,
    hints: /Close other tabs and reload/,
  },
  'a damaged copy': {
    init: () => {
      const byId = document.getElementById.bind(document);
      document.getElementById = (id) => {
        const block = byId(id);
        return id === 'core' && block
          ? Object.assign(document.createElement('p'), { textContent: 'H4sIAAAAdamaged' })
          : block;
      };
    },
    says: /^This copy of the page is damaged: a part of it cannot be unpacked/,
    hints: /Download it again/,
  },
  'an incomplete copy': {
    init: () => {
      const byId = document.getElementById.bind(document);
      document.getElementById = (id) => (id === 'core' ? null : byId(id));
    },
    says: /^This copy of the page is incomplete/,
    hints: /Download it again/,
  },
};
for (const [wrong, { init, says, hints }] of Object.entries(STARTS))
  spec(`${wrong}: said at once, and again to who opens a file`, { init, starts: false }, async ({ page }) => {
    const alert = page.locator('#alerts .alert');
    for (const open of [null, () => dropFiles(page, [file]), () => page.click('[data-sample="digits.npz"]')]) {
      if (open) await page.click('#alerts button:has-text("Dismiss")');
      await open?.();
      await alert.waitFor();
      const [said, hint] = await alert.locator('p').allInnerTexts();
      assert.match(said, says);
      assert.match(hint, hints);
      assert.doesNotMatch(`${said} ${hint}`, /undefined|is not defined|\[object/);
    }
    assert.equal(await page.isVisible('#drop'), true, 'the first screen stays');
    assert.equal(await page.locator('#lines li').count(), 0, 'nothing runs for ever');
    const told = await page.evaluate(() => window.localcal.ready.catch((error) => ({ ...error, told: error.message })));
    assert.match(/** @type {any} */ (told).told, says, 'a script is told the same');
  });

spec(
  'with one worker where four were wanted, everything is computed',
  {
    hash: '#workers=4',
    init: () => {
      const Real = Worker;
      // one at a time: what a cancelled step ends may be replaced
      let working = 0;
      window.Worker = class extends Real {
        /** @param {string | URL} url */
        constructor(url) {
          if (working > 0) throw new DOMException('too many workers', 'QuotaExceededError');
          super(url);
          working += 1;
        }
        terminate() {
          working -= 1;
          super.terminate();
        }
      };
    },
  },
  async ({ page }) => {
    await page.click('[data-sample="breast_cancer.csv"]');
    await found(page);
    await scored(page);
    await calm(page); // one worker does one thing after the other
    await ask(page, 'sample_size');
    await page.waitForSelector('[data-sheet="sample_size"] table');
    // a browser may take two seconds to end a worker in the middle of a call
    for (let i = 0; i < 100 && page.workers().length > 1; i += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(page.workers().length, 1);
  },
);

/** Takes away, in the page and in its workers, what some browser that is claimed to do does not have yet. */
function withoutTheNewest() {
  const strip = () => {
    const every = /** @type {any} */ (globalThis);
    const names = (/** @type {any} */ of, /** @type {string} */ gone) => {
      for (const name of gone.split(' ')) if (of) Reflect.deleteProperty(of, name);
    };
    names(AbortSignal, 'any');
    names(Promise, 'try');
    names(Uint8Array, 'fromBase64 fromHex');
    names(Uint8Array.prototype, 'toBase64 toHex setFromBase64 setFromHex');
    names(ArrayBuffer.prototype, 'transfer transferToFixedLength resize');
    names(Set.prototype, 'union intersection difference symmetricDifference isSubsetOf isSupersetOf isDisjointFrom');
    const iterator = Object.getPrototypeOf(Object.getPrototypeOf([].values()));
    names(iterator, 'map filter take drop flatMap reduce toArray forEach some every find');
    names(Map.prototype, 'getOrInsert getOrInsertComputed');
    names(RegExp, 'escape');
    names(Math, 'sumPrecise f16round');
    names(Error, 'isError');
    names(JSON, 'rawJSON isRawJSON');
    names(URL, 'parse');
    names(Intl, 'DurationFormat Segmenter');
    names(every, 'Float16Array Iterator URLPattern scheduler requestIdleCallback CloseWatcher Temporal navigation');
    names(every.Element?.prototype, 'checkVisibility moveBefore setHTMLUnsafe getHTML');
    names(every.HTMLElement?.prototype, 'showPopover hidePopover togglePopover');
    names(every.Document?.prototype, 'startViewTransition caretPositionFromPoint');
  };
  strip();
  const RealBlob = Blob;
  window.Blob = class extends RealBlob {
    constructor(/** @type {BlobPart[]} */ parts = [], /** @type {BlobPropertyBag} */ options = {}) {
      super(options.type === 'text/javascript' ? [`(${strip})();\n`, ...parts] : parts, options);
    }
  };
}

specFromDisk(
  'the oldest browsers that are named have all that the page needs',
  { hash: '#workers=2', init: withoutTheNewest },
  async ({ page }) => {
    assert.equal(await page.evaluate(() => 'any' in AbortSignal || 'fromBase64' in Uint8Array), false);
    await page.click('[data-sample="digits.npz"]');
    await found(page);
    await scored(page);
    for (const kind of ['repair', 'map', 'sample_size']) {
      await ask(page, kind);
      await calm(page);
      assert.equal(await page.locator('[role=alert] p').count(), 0, kind);
    }
    await goTo(page, 'report');
    await page.waitForSelector('#report');
    await calm(page);
  },
);

/** What a worker or the browser does while a question is asked, and what is said of it.
 * @type {Record<string, { fault: import('./faults.mjs').Fault, says: RegExp }>} */
const WORKERS = {
  'a worker that panics': { fault: { seed: 666 }, says: /^A fault in the program stopped this step/ },
  'a worker without memory': { fault: { seed: 667 }, says: /^There is not enough memory for this step.*holds \d+ MB/ },
  'a worker that ends without a word': { fault: { seed: 668 }, says: /^Two workers stopped answering/ },
  'a worker that throws': { fault: { seed: 672 }, says: /^A worker stopped: .*out of order\.$/ },
  'an answer that is not JSON': { fault: { answer: { outcome: '{' } }, says: /answer cannot be read \(.*JSON/ },
  'an answer without columns': {
    fault: { answer: { columns: undefined } },
    says: /cannot be read \(it has no columns\)/,
  },
  'an answer that does not arrive whole': {
    fault: { lost: true },
    says: /cannot be read \(its message is incomplete\)/,
  },
  'a question that cannot be cloned': {
    fault: { post: ['run'] },
    says: /^An option cannot be passed to a worker: it could not be/,
  },
  'data that cannot be cloned': {
    fault: { ends: true, post: ['keep'] },
    says: /^There is not enough memory to pass [\d,]+ MB to a worker \(it could not be cloned\)/,
  },
  'data that the worker cannot keep': {
    fault: { ends: true, packed: Uint8Array.of(1, 2, 3) },
    says: /^A fault in the program.*take what it needs \(.*these bytes are not a message/,
  },
  'workers that are gone, and no new ones': {
    fault: { ends: true, refused: true },
    says: /^The browser did not start a worker.*\(too many workers\)/,
  },
};
for (const workers of [1, 2]) {
  const wrongOnce = onOnePage('http', { hash: `#workers=${workers}`, init: [faults, broken] }, async () => {});
  for (const [wrong, { fault, says }] of Object.entries(WORKERS))
    if (workers === 1 || !fault.ends)
      wrongOnce(`${wrong}: said where it was asked, and tried again, with ${workers} workers`, async ({ page }) => {
        // under another name, so that nothing is known of it
        const own = { ...file, name: `${wrong}.csv` };
        await dropFiles(page, [own]);
        await openedAs(page, own.name, 400);
        await scored(page);
        await calm(page);
        await page.evaluate((wrong) => Object.assign(window, { fault: wrong }), fault);
        await ask(page, 'sample_size');
        const alert = page.locator('[data-sheet="sample_size"] .alert');
        await alert.waitFor();
        const [said, hint] = await alert.locator('p').allInnerTexts();
        assert.match(said, says);
        assert.match(hint, /\.$/, `a hint goes with “${said}”`);
        assert.doesNotMatch(`${said} ${hint}`, /undefined|\[object/);
        assert.equal(await page.innerText('#file'), own.name, 'the data are still open');
        await page.evaluate(() => Object.assign(window, { fault: null }));
        const again = alert.locator('button:has-text("Try again")');
        if (await again.count()) await again.click();
        else {
          await ask(page, 'scorecard');
          await ask(page, 'sample_size');
        }
        await page.waitForSelector('[data-sheet="sample_size"] table');
        assert.equal(await page.locator('[role=alert] .alert, .alert').count(), 0, 'nothing is said any more');
        const { schema } = await page.evaluate(async ({ name, text }) => {
          const data = await localcal.open([{ name, bytes: new TextEncoder().encode(text) }], { beside: true });
          return data.run({ resamples: 10 });
        }, file);
        assert.equal(schema, 'localcal-report/1', 'and a script has its report');
        // where the next file is opened, before the question is asked of it
        await ask(page, 'scorecard');
      });
}

spec(
  'a worker that is gone, and no new one: the other one answers',
  { hash: '#workers=2', init: [faults, broken] },
  async ({ page }) => {
    await dropFiles(page, [file]);
    await found(page);
    await scored(page);
    await calm(page);
    // @ts-ignore: of the page
    const before = await page.evaluate(() => plans);
    await page.evaluate(() => Object.assign(window, { fault: { ends: true, refused: true } }));
    await ask(page, 'sample_size');
    await page.waitForSelector('[data-sheet="sample_size"] table');
    assert.equal(await page.locator('.alert').count(), 0);
    // @ts-ignore: of the page
    assert.equal((await page.evaluate(() => plans)) - before, 2, 'it was asked twice');
  },
);

spec('an analysis that is cancelled in its midst is started again', { hash: '#workers=2' }, async ({ page }) => {
  await page.evaluate(() => {
    // long enough to be seen
    const post = Worker.prototype.postMessage;
    Object.assign(window, { slow: true });
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
      const { klce } = message?.job?.kind === 'plan_analysis' ? message.job.request : {};
      if (klce && /** @type {any} */ (window).slow) Object.assign(klce, { nulls: ['bernoulli'], resamples: 100_000 });
      return post.call(this, message, transfer);
    };
  });
  await dropFiles(page, [file]);
  await found(page);
  await scored(page);
  await calm(page);
  await ask(page, 'klce');
  const start = page.locator('[data-sheet="klce"] button.start');
  await page.waitForSelector('#lines li, [data-sheet="klce"] button.start');
  if (await start.count()) await start.click();
  await page.locator('#lines li button').first().click();
  await page.click('[data-sheet="klce"] button:has-text("Start again")', { trial: true });
  assert.equal(await page.locator('#lines li').count(), 0);
  await page.evaluate(() => Object.assign(window, { slow: false }));
  await page.click('[data-sheet="klce"] button:has-text("Start again")');
  await page.waitForSelector('[data-sheet="klce"] table');
});

specFromDisk('questions that come at once share the run that they need', { hash: '#workers=2' }, async ({ page }) => {
  const seen = await page.evaluate(async ({ name, text }) => {
    let plans = 0;
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
      if (message?.job?.kind === 'plan') plans += 1;
      return post.call(this, message, transfer);
    };
    const open = () =>
      localcal.open([{ name, bytes: new TextEncoder().encode(text) }], /** @type {any} */ ({ beside: true }));
    const data = await open();
    const both = await Promise.all([data.analyse('decide'), data.analyse('sample_size'), data.export('predictions')]);
    const shared = plans;
    // who cancels takes nothing away from the other
    const other = await open();
    const control = new AbortController();
    const cancelled = other.analyse('decide', {}, { signal: control.signal }).then(
      () => 'finished',
      (error) => error.code,
    );
    const stays = other.analyse('sample_size');
    control.abort();
    return { answers: both.length, shared, cancelled: await cancelled, stays: Boolean(await stays), plans };
  }, file);
  assert.deepEqual(seen, { answers: 3, shared: 1, cancelled: 'cancelled', stays: true, plans: 2 });
});

spec('a browser that does not let the page copy is said', {}, async ({ page }) => {
  // as on an address that is neither https nor this machine
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await dropFiles(page, [file]);
  await found(page);
  await ask(page, 'repair');
  await page.locator('#repair-table button', { hasText: 'CSV' }).click();
  await page.locator('.alert', { hasText: /The browser did not allow copying\..*https/ }).waitFor();
});

spec('a role that could not be given is not shown as given', { init: broken }, async ({ page }) => {
  await dropFiles(page, [file]);
  await found(page);
  await calm(page);
  await goTo(page, 'data');
  const role = page.locator('select[name="role x1"]');
  await role.waitFor();
  const before = await role.inputValue();
  await page.evaluate(() => Object.assign(window, { fault: { post: ['run'] } }));
  await role.selectOption('ignore');
  await page.locator('.alert').first().waitFor();
  assert.equal(await role.inputValue(), before);
});
