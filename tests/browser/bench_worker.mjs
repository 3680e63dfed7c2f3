// One worker of the page, spoken to without the page's pool. Runs in the page: self-contained.

/** @typedef {{ outcome: any, packed?: Uint8Array, columns: ArrayBufferView[], ms: number }} Answer */
/**
 * @typedef {{ ask: (key: number, job: object, needs?: number[], file?: File) => Promise<Answer>, keep: (key: number,
 * answer: Answer) => void, end: () => void }} Bench
 */

/**
 * Starts a worker from the text that the file carries and the module that the page gave its own (`coreModule`). `ask`
 * answers an outcome and its milliseconds.
 * @returns {Promise<Bench>} */
export async function worker() {
  const text = (/** @type {string} */ id) => document.getElementById(id)?.textContent ?? '';
  const one = new Worker(
    URL.createObjectURL(new Blob([text('glue'), '\n', text('worker')], { type: 'text/javascript' })),
  );
  one.postMessage({ kind: 'boot', module: await coreModule });
  return {
    ask: (key, job, needs = [], file = undefined) =>
      new Promise((resolve, reject) => {
        const start = performance.now();
        one.onmessage = ({ data }) => {
          if (data.progress !== undefined) return;
          if (data.error) reject(new Error(data.error.message));
          else
            resolve({
              outcome: JSON.parse(data.outcome),
              packed: data.packed,
              columns: data.columns,
              ms: performance.now() - start,
            });
        };
        one.postMessage({ kind: 'run', id: key, key, job, needs, file });
      }),
    keep: (key, { packed, columns }) => one.postMessage({ kind: 'keep', key, packed, columns }),
    end: () => one.terminate(),
  };
}
