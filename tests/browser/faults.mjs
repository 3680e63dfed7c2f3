// Workers that go wrong.

/** Makes runs with some seeds go wrong in their worker: 666 panics in the core, 667 asks its allocator for more than an
 * address can say, 668 ends the worker without a word, 669 never ends; 670 and 671 do so the first time only; 672 throws
 * where nobody catches it, and never ends.
 * `given` counts the runs given to workers, by seed. */
export function faults() {
  const faulty = `
    const { run, initSync } = wasm_bindgen;
    let inside;
    wasm_bindgen.initSync = (module) => (inside = initSync(module));
    wasm_bindgen.run = (job, needs, extras, file, key, report) => {
      const { seed } = job.request ?? {};
      const first = job.first;
      delete job.first;
      if (seed === 666) {
        let trap;
        // what is held is changed while a job looks at it: the core refuses that with a panic
        const forget = () => { try { wasm_bindgen.forget(0); } catch (error) { trap = error; } };
        run({ kind: 'read', name: 'a.csv' }, needs, extras, new File(['y,p\\n1,0.5\\n0,0.4\\n'], 'a.csv'), key, forget);
        throw trap;
      }
      if (seed === 667) return inside.__wbindgen_malloc(-16, 1);
      if (seed === 668 || (seed === 670 && first)) {
        self.close();
        self.postMessage = () => {};
      }
      if (seed === 672) reportError(new Error('out of order'));
      if (seed === 672 || seed === 669 || (seed === 671 && first)) for (;;);
      return run(job, needs, extras, file, key, report);
    };
  `;
  const RealBlob = Blob;
  window.Blob = class extends RealBlob {
    constructor(/** @type {BlobPart[]} */ parts = [], /** @type {BlobPropertyBag} */ options = {}) {
      super(options.type === 'text/javascript' ? [...parts, faulty] : parts, options);
    }
  };
  /** @type {Record<string, number>} */
  const given = {};
  Object.assign(window, { given });
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
    const seed = message?.job?.request?.seed;
    if (seed >= 666) {
      given[seed] = (given[seed] ?? 0) + 1;
      message.job = { ...message.job, first: given[seed] === 1 };
    }
    return post.call(this, message, transfer);
  };
}

/** As [`faults`]: once `window.seed` is set, every job of an analysis goes to its worker as a run with that seed. */
export function faultyAnalyses() {
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
    const { seed } = /** @type {any} */ (window);
    if (seed && message?.job instanceof Uint8Array) message.job = { kind: 'run', request: { seed } };
    return post.call(this, message, transfer);
  };
}

/** With [`faultyAnalyses`]: what is asked goes wrong from the moment in which subgroups are scanned.
 * @param {import('playwright-core').Page} page @param {number} seed */
export const faultyFromScanning = (page, seed) =>
  page.evaluate((number) => {
    const watch = new MutationObserver(() => {
      if (/Scanning subgroups/.test(document.querySelector('#finding h1')?.textContent ?? ''))
        Object.assign(window, { seed: number });
    });
    watch.observe(document.body, { childList: true, subtree: true });
  }, seed);

/** With [`faults`]: `window.fault` says what goes wrong from then on with what an analysis asks first (its plan). `seed`: it
 * goes to its worker as a run with that seed; `ends`: its first worker ends without a word; `answer`: fields of what is
 * answered; `lost`: the answer does not arrive whole; `post`: kinds of messages that cannot be cloned; `packed`: what is
 * handed over with it; `refused`: the browser starts no worker.
 * @typedef {{ seed?: number, ends?: boolean, answer?: object, lost?: boolean, post?: string[], packed?: Uint8Array,
 * refused?: boolean }} Fault */
export function broken() {
  const Real = Worker;
  const now = () => /** @type {Fault} */ (/** @type {any} */ (window).fault ?? {});
  /** @type {Set<number>} */
  const plans = new Set();
  let given = 0;
  Object.defineProperty(window, 'plans', { get: () => given });
  window.Worker = class extends Real {
    /** @param {string | URL} url */
    constructor(url) {
      if (now().refused) throw new DOMException('too many workers', 'QuotaExceededError');
      super(url);
    }
    get onmessage() {
      return super.onmessage;
    }
    set onmessage(hear) {
      super.onmessage =
        hear &&
        ((event) => {
          const { answer, lost } = now();
          const { id, outcome } = event.data ?? {};
          const ours = plans.has(id) && outcome !== undefined;
          if (ours && lost) return this.onmessageerror?.call(this, new MessageEvent('messageerror'));
          const data = ours && answer ? { ...event.data, ...answer } : event.data;
          hear.call(this, new MessageEvent('message', { data }));
        });
    }
    /** @param {any} message @param {any} [transfer] */
    postMessage(message, transfer) {
      const { seed, ends, post, packed } = now();
      if (post?.includes(message.kind)) throw new DOMException('it could not be cloned', 'DataCloneError');
      if (message.kind === 'keep' && packed) message = { ...message, packed };
      if (message.job?.kind === 'plan_analysis') {
        given += 1;
        const again = plans.has(message.id);
        plans.add(message.id);
        if (ends && !again) message = { ...message, job: { kind: 'run', request: { seed: 668 } } };
        else if (seed) message = { ...message, job: { kind: 'run', request: { seed } } };
      }
      super.postMessage(message, transfer);
    }
  };
}
