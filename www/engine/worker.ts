// A classic worker. The core's glue precedes this text in the same Blob; the compiled module arrives by message.

/** A trap leaves the instance in an unknown state: it answers nothing more, and the pool replaces it. */
let broken = false;
/** Message of a panic, before the trap. */
let panic = '';
const say = console.error;
console.error = (...words) => {
  panic = String(words[0]);
  say(...words);
};
type Coded = import('./messages.js').Coded;
type Ran = import('./messages.js').Ran;
type ToWorker = import('./messages.js').ToWorker;

let instance: InitOutput | undefined;
/** Messages are handled only after the page can detect the end of this worker. */
let heard = Promise.resolve();

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;

/** Releases the memory of arrays at once, where the browser supports it, instead of at the next garbage collection. */
const release = (arrays: ArrayBufferView[]) =>
  arrays.forEach((array) => (array.buffer as { transfer?: (bytes: number) => void }).transfer?.(0));

/** Holds a lock that is free again when this worker has ended, for any reason. */
const live = (name?: string): Promise<void> =>
  new Promise((held) => {
    if (!name || !navigator.locks) return held();
    navigator.locks
      .request(name, () => {
        self.postMessage({ life: name });
        held();
        return new Promise(() => {});
      })
      .catch(() => held());
  });

function act(message: ToWorker) {
  switch (message.kind) {
    case 'boot':
      heard = live(message.life);
      instance = wasm_bindgen.initSync({ module: message.module });
      break;
    case 'keep':
      wasm_bindgen.keep(message.key, message.packed, message.columns);
      release([message.packed, ...message.columns]);
      break;
    case 'forget':
      wasm_bindgen.forget(message.key);
      break;
    case 'run': {
      const { id, key, job, needs, extras, file } = message;
      const start = performance.now();
      const report = (progress: number, picture: unknown) => self.postMessage({ id, progress, picture });
      const answer = wasm_bindgen.run(job, Uint32Array.from(needs), extras, file, key, report);
      const { outcome, packed, columns: found } = answer as Ran;
      const buffers = found.map((column) => column.buffer);
      if (packed) buffers.push(packed.buffer);
      self.postMessage(
        {
          id,
          outcome,
          packed,
          columns: found,
          memory: instance?.memory.buffer.byteLength,
          took: performance.now() - start,
        },
        buffers,
      );
    }
  }
}

/** Errors of the core have a code in letters; that of a DOMException is a number. */
const isCoded = (thrown: unknown): thrown is Coded => typeof (thrown as Partial<Coded> | null)?.code === 'string';

/** The cause of a trap: out of memory (a failed allocation traps without a panic), or an internal error. */
function fault(error: unknown): Coded {
  const trapped = error instanceof WebAssembly.RuntimeError && /unreachable/.test(error.message) && panic === '';
  const refused = error instanceof RangeError && /alloc|memory|length/i.test(error.message);
  if (trapped || refused || panic.includes('capacity overflow')) {
    const held = instance ? `, which holds ${megabytes(instance.memory.buffer.byteLength)}` : '';
    return {
      code: 'memory',
      message: `There is not enough memory for this step: the browser gives no more to the worker${held}.`,
      hint: 'Nothing loaded is lost. Use fewer rows, columns or methods at a time, or close other tabs.',
    };
  }
  return {
    code: 'panic',
    message: `A fault in the program stopped this step: ${error instanceof Error ? error.message : error}`,
    hint: 'Nothing loaded is lost. Try again with other settings, and report the fault if it recurs.',
  };
}

self.onmessage = async ({ data }) => {
  await heard;
  if (broken) return;
  try {
    act(data);
  } catch (thrown) {
    broken = !isCoded(thrown);
    const { code, message, hint, page, summary } = isCoded(thrown) ? thrown : fault(thrown);
    self.postMessage({
      id: data?.id,
      error: { code, message, hint, page, summary },
      memory: instance?.memory.buffer.byteLength,
    });
  }
};
