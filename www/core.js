// What the file carries inside: the core's module, its glue, the worker's text and the examples.

import { codedError } from './pool.js';

/** @param {string} id @returns {string} */
export function embedded(id) {
  const block = document.getElementById(id);
  if (!block) throw codedError({ code: 'file_unknown', message: 'This copy of the page is incomplete.', hint: 'Download it again.' });
  return block.textContent ?? '';
}

/** Bytes of a block that the build stored as base64. @param {string} id @returns {Uint8Array<ArrayBuffer>} */
function decoded(id) {
  const letters = atob(embedded(id));
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i); // ten times as fast as Uint8Array.from
  return bytes;
}

/** The core's module or an example, which the build stored as base64 of LZMA: the `unpack` crate, itself a small module,
 * unpacks it. @param {string} id @returns {Promise<Uint8Array<ArrayBuffer>>} */
export async function unpacked(id) {
  const packed = decoded(id);
  const { instance } = await WebAssembly.instantiate(decoded('unpack'));
  const { memory, room, unpack } = /** @type {any} */ (instance.exports);
  const length = new DataView(packed.buffer).getUint32(5, true);
  const [from, to] = [room(packed.length), room(length)];
  new Uint8Array(memory.buffer, from, packed.length).set(packed);
  if (unpack(from, packed.length, to, length) !== length) throw new Error('this copy of the page is damaged');
  return new Uint8Array(memory.buffer, to, length);
}

/** The compiled core, once the whole document is there. @returns {Promise<WebAssembly.Module>} */
async function compile() {
  if (document.readyState === 'loading') {
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
  }
  try {
    return await WebAssembly.compile(await unpacked('core'));
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
