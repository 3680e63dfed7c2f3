// A pool of classic workers, each with its own instance of the core. It knows tasks, keys and columns,
// and no kind of job. The page keeps the master copy of every outcome; workers get copies of what they need.

/** @typedef {Float64Array | Float32Array | Uint32Array | Uint8Array} Column */
/** What the page reads of an outcome, and the whole of it for other workers.
 * @typedef {{ outcome: any, packed?: Uint8Array, columns: Column[] }} Held */
/** @typedef {Held & { key: number }} Answer */
/** What there is to do: what the page asks for, or the bytes of a plan's job. @typedef {object | Uint8Array} Job */
/** Places of rows while an embedding is on its way. @typedef {{ kind: 'embedding', x: Float32Array, y: Float32Array, z?: Float32Array }} Picture */
/** @typedef {{ done: number, total: number, label: string, picture?: Picture }} Progress */
/** @typedef {{ columns?: Column[], onProgress?: (fraction: number, picture?: Picture) => void, signal?: AbortSignal, priority?: number }} TaskOptions */
/** @typedef {{ onProgress?: (progress: Progress) => void, signal?: AbortSignal, priority?: number, extras?: number[] }} GraphOptions */
/** @typedef {{ id: number, key: number, job: Job, needs: number[], columns: Column[], priority: number, signal?: AbortSignal, onProgress?: (fraction: number, picture?: Picture) => void, settle: (error: Error | null, held?: Held) => void }} Task */
/** @typedef {{ worker: Worker | null, holds: Set<number>, task: Task | null }} Member */
/** @typedef {Error & { code: string, hint: string, summary?: any, page?: { message: string, hint: string } }} CodedError */

/** An Error with the fields that a failure has on both sides of a worker.
 * @param {{ code: string, message: string, hint?: string, summary?: any, page?: { message: string, hint: string } }} plain @returns {CodedError} */
export function codedError({ code, message, hint = '', summary, page }) {
  return Object.assign(new Error(message), { code, hint }, summary && { summary }, page && { page });
}

/** Why an aborted call failed: the reason if it is one of our errors, else `cancelled`.
 * @param {AbortSignal} signal @returns {CodedError} */
export function abortError(signal) {
  if (typeof signal.reason?.code === 'string') return signal.reason;
  return codedError({ code: 'cancelled', message: 'The call was cancelled.', hint: 'Call it again to get the result.' });
}

/** @param {string} source text of the worker @param {WebAssembly.Module} module @param {number} size */
export function createPool(source, module, size) {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  /** @type {Map<number, Held>} */
  const store = new Map();
  /** @type {Task[]} */
  const queue = [];
  let keys = 0;
  let tasks = 0;
  /** @type {Member[]} */
  const crew = Array.from({ length: Math.max(1, size) }, () => start({ worker: null, holds: new Set(), task: null }));

  /** @param {Member} member */
  function start(member) {
    const worker = new Worker(url);
    worker.onmessage = (event) => hear(member, event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      hear(member, { error: { code: 'panic', message: `A worker stopped: ${event.message}` } });
    };
    worker.postMessage({ kind: 'boot', module });
    member.worker = worker;
    member.holds.clear();
    return member;
  }

  /** Ends a worker; one that had work is started again at once, one that failed idle only when it is needed.
   * @param {Member} member */
  function stop(member) {
    if (member.worker) {
      member.worker.onmessage = member.worker.onerror = null;

      member.worker.terminate();
      member.worker = null;
    }
    const busy = member.task !== null;
    member.task = null;
    if (busy) start(member);
  }

  /** @param {Member} member @param {any} message */
  function hear(member, message) {
    const { task } = member;
    const current = task !== null && (message.id === undefined || message.id === task.id);
    if (message.progress !== undefined) {
      if (current) task.onProgress?.(message.progress, message.picture);
      return;
    }
    if (message.error?.code === 'panic') stop(member);
    if (!current) return;
    member.task = null;
    if (!message.error) member.holds.add(task.key); // who made it keeps it
    task.settle(message.error ? codedError(message.error) : null, message);
    pump();
  }

  /** Gives waiting tasks to idle workers, each to the one that already holds most of what it needs. */
  function pump() {
    for (;;) {
      const idle = crew.filter((member) => member.task === null);
      // one abort ends many tasks, one after the other: those still to come must not start meanwhile
      const next = queue.findIndex(({ signal }) => !signal?.aborted);
      if (idle.length === 0 || next < 0) return;
      const [task] = queue.splice(next, 1);
      const held = (/** @type {Member} */ member) => task.needs.filter((key) => member.holds.has(key)).length;
      give(idle.reduce((best, member) => (held(member) > held(best) ? member : best)), task);
    }
  }

  /** @param {Member} member @param {Task} task */
  function give(member, task) {
    const { id, key: answerKey, job, needs, columns } = task;
    const worker = member.worker ?? /** @type {Worker} */ (start(member).worker);
    member.task = task;
    try {
      for (const key of needs.filter((need) => !member.holds.has(need))) {
        const { packed, columns } = /** @type {Held} */ (store.get(key));
        worker.postMessage({ kind: 'keep', key, packed, columns });
        member.holds.add(key);
      }
      worker.postMessage({ kind: 'run', id, key: answerKey, job, needs, columns }, columns.map((column) => column.buffer));
    } catch (error) {
      member.task = null;
      const message = `An option cannot be passed on: ${error instanceof Error ? error.message : error}`;
      task.settle(codedError({ code: 'invalid_option', message, hint: 'Use plain values in options.' }));
    }
  }

  /** Runs one job over outcomes held under `needs`; `columns` are transferred. The answer is held under a new key.
   * @param {Job} job @param {number[]} [needs] @param {TaskOptions} [options] @returns {Promise<Answer>} */
  function submit(job, needs = [], { columns = [], onProgress, signal, priority = 0 } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      const lost = needs.find((key) => !store.has(key));
      if (lost !== undefined) return reject(codedError({ code: 'closed', message: 'The data set was closed.', hint: 'Open it again.' }));
      /** @type {Task} */
      const task = {
        id: ++tasks, key: ++keys, job, needs, columns, priority, signal, onProgress,
        settle(error, held) {
          signal?.removeEventListener('abort', onAbort);
          if (error || !held) return reject(error);
          const { outcome, packed, columns } = held;
          store.set(task.key, { outcome, packed, columns });
          resolve({ key: task.key, outcome, columns });
        },
      };
      function onAbort() {
        const place = queue.indexOf(task);
        if (place >= 0) queue.splice(place, 1);
        const member = crew.find((one) => one.task === task);
        if (member) stop(member);
        task.settle(abortError(/** @type {AbortSignal} */ (signal)));
        pump();
      }
      signal?.addEventListener('abort', onAbort);
      const after = queue.findIndex((waiting) => waiting.priority < priority);
      queue.splice(after < 0 ? queue.length : after, 0, task);
      pump();
    });
  }

  /** Runs a plan made for the outcomes under `bases`, each node as soon as what it needs is there; answers the
   * last node's outcome and frees the others. Every node also gets `extras`.
   * @param {Held} plan @param {number[]} bases the first needs, by number @param {GraphOptions} [options] @returns {Promise<Answer>} */
  async function graph({ outcome, columns }, bases, { onProgress, signal, priority, extras = [] } = {}) {
    const halt = new AbortController();
    const onAbort = () => halt.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    /** @type {wasm_bindgen.PlanNode[]} */
    const nodes = outcome.nodes;
    const total = nodes.reduce((sum, node) => sum + node.cost, 0);
    const fractions = nodes.map(() => 0);
    const report = (/** @type {number} */ i, /** @type {number} */ fraction) => {
      if (halt.signal.aborted) return;
      fractions[i] = fraction;
      onProgress?.({ done: nodes.reduce((sum, node, j) => sum + node.cost * fractions[j], 0), total, label: nodes[i].label });
    };
    /** @type {Promise<Answer>[]} */
    const answers = [];
    nodes.forEach((node, i) => {
      const given = Promise.all(node.needs.map(async (need) => bases[need] ?? (await answers[need - bases.length]).key));
      answers.push(given.then(async (needs) => {
        const answer = await submit(columns[node.job], [...needs, ...extras], { signal: halt.signal, priority, onProgress: (fraction) => report(i, fraction) });
        report(i, 1);
        return answer;
      }));
    });
    try {
      return (await Promise.all(answers))[answers.length - 1];
    } catch (error) {
      halt.abort(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      const settled = await Promise.allSettled(answers);
      settled.forEach((one, i) => {
        if (one.status === 'fulfilled' && (halt.signal.aborted || i < answers.length - 1)) free(one.value.key);
      });
    }
  }

  /** Forgets an outcome here and in every worker. @param {number} key */
  function free(key) {
    store.delete(key);
    for (const { worker, holds } of crew) if (holds.delete(key)) worker?.postMessage({ kind: 'forget', key });
  }

  return { submit, graph, free, size: crew.length };
}
