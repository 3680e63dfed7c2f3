// What the file carries inside: the core's module, its glue, the worker's text and the examples.

import { codedError } from './pool.js';

/** @param {string} id @returns {string} */
export function embedded(id) {
  const block = document.getElementById(id);
  if (!block) throw codedError({ code: 'file_unknown', message: 'This copy of the page is incomplete.', hint: 'Download it again.' });
  return block.textContent ?? '';
}

/** Bytes of a block that the build stored as base64 of gzip. @param {string} id @returns {Promise<Uint8Array<ArrayBuffer>>} */
export async function inflated(id) {
  const packed = Uint8Array.from(atob(embedded(id).trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The compiled core, once the whole document is there. @returns {Promise<WebAssembly.Module>} */
async function compile() {
  if (document.readyState === 'loading') {
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
  }
  try {
    return await WebAssembly.compile(await inflated('core'));
  } catch (error) {
    throw codedError({
      code: 'panic',
      message: `This browser cannot run the computing core: ${error instanceof Error ? error.message : error}`,
      hint: 'It needs WebAssembly with SIMD: Chrome or Edge 91, Firefox 89, Safari 16.4, or later.',
    });
  }
}

export const compiled = compile();
compiled.catch(() => {}); // told by `ready`

/** A trap in the page's own instance: charts are lost until a reload, the data set is not. @param {any} error */
export function paintFault(error) {
  if (typeof error?.code === 'string') return error;
  return codedError({ code: 'panic', message: `A chart could not be drawn: ${error?.message ?? error}`, hint: 'Numbers and downloads still work; a reload brings the charts back.' });
}

/** @type {Promise<typeof wasm_bindgen> | null} */
let instance = null;

/** The page's own instance, which draws; made when first needed. @returns {Promise<typeof wasm_bindgen>} */
export function painter() {
  instance ??= compiled.then(async (module) => {
    await wasm_bindgen({ module_or_path: module });
    return wasm_bindgen;
  });
  return instance;
}
