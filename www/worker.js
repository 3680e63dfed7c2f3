// A classic worker. The core's glue stands before this text in the same Blob; the compiled module comes by message.

/** A trap leaves the instance in an unknown state: it answers nothing more, and the pool replaces it. */
let broken = false;

/** @param {any} message */
function act(message) {
  switch (message.kind) {
    case 'boot':
      wasm_bindgen.initSync({ module: message.module });
      break;
    case 'keep':
      wasm_bindgen.keep(message.key, message.packed, message.columns);
      break;
    case 'forget':
      wasm_bindgen.forget(message.key);
      break;
    case 'run': {
      const { id, key, job, needs, columns } = message;
      const report = (/** @type {number} */ progress, /** @type {unknown} */ picture) => self.postMessage({ id, progress, picture });
      const answer = /** @type {any} */ (wasm_bindgen.run(job, Uint32Array.from(needs), columns, key, report));
      const { outcome, packed, columns: found } = answer;
      const buffers = found.map((/** @type {ArrayBufferView} */ column) => column.buffer);
      if (packed) buffers.push(packed.buffer);
      self.postMessage({ id, outcome, packed, columns: found }, buffers);
    }
  }
}

self.onmessage = ({ data }) => {
  if (broken) return;
  try {
    act(data);
  } catch (thrown) {
    const error = /** @type {any} */ (thrown);
    if (typeof error?.code === 'string') {
      const { code, message, hint, page, summary } = error;
      self.postMessage({ id: data?.id, error: { code, message, hint, page, summary } });
    } else {
      broken = true;
      const message = `A fault in the program stopped this step: ${error?.message ?? error}`;
      const hint = 'Nothing loaded is lost. Try again with other settings, and report the fault if it comes back.';
      self.postMessage({ id: data?.id, error: { code: 'panic', message, hint } });
    }
  }
};
