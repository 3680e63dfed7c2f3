// What the file carries inside: the core's module, its glue, the worker's text and the examples.

import { codedError } from './pool.js';

/** @param {string} id @returns {string} */
export function embedded(id) {
  const block = document.getElementById(id);
  if (!block)
    throw codedError({
      code: 'file_unknown',
      message: 'This copy of the page is incomplete.',
      hint: 'Download it again.',
    });
  return block.textContent ?? '';
}

/** What a block unpacks to: the core's module or an example, which the build stored as base64 of gzip.
 * @param {string} id @returns {ReadableStream<Uint8Array<ArrayBuffer>>} */
function unpacked(id) {
  const letters = embedded(id);
  return new Blob([decoded(letters)]).stream().pipeThrough(new DecompressionStream('gzip'));
}

/** Bytes of base64. @param {string} letters @returns {Uint8Array<ArrayBuffer>} */
function decoded(letters) {
  const { fromBase64 } = /** @type {any} */ (Uint8Array);
  if (fromBase64) return fromBase64.call(Uint8Array, letters);
  const text = atob(letters);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i); // ten times as fast as Uint8Array.from
  return bytes;
}

/** The bytes of a built-in example. @param {string} name @returns {Promise<Uint8Array<ArrayBuffer>>} */
export const exampleOf = async (name) => new Uint8Array(await new Response(unpacked(`sample-${name}`)).arrayBuffer());

/** The compiled core, once the whole document is there. @returns {Promise<WebAssembly.Module>} */
async function compile() {
  if (document.readyState === 'loading') {
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
  }
  try {
    return await WebAssembly.compileStreaming(
      new Response(unpacked('core'), { headers: { 'Content-Type': 'application/wasm' } }),
    );
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
  return codedError({
    code: 'panic',
    message: `A chart could not be drawn: ${error?.message ?? error}`,
    hint: 'Numbers and downloads still work; a reload brings the charts back.',
  });
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
