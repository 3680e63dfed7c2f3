// Content embedded in the page: the core's module, its JavaScript glue, the text of the workers, and the examples.

import { codedError, failureOf, wordsOf } from './fault.js';
import type { Failure } from './fault.js';
import { WORKS_IN, unsupported } from './required.js';
import { once } from './together.js';

export function embedded(id: string): string {
  const block = document.getElementById(id);
  if (!block)
    throw codedError({
      code: 'file_unknown',
      message: 'This copy of the page is incomplete.',
      hint: 'Download it again.',
    });
  return block.textContent ?? '';
}

/** Error for a damaged copy of the page. */
const damaged = (error: unknown) =>
  codedError({
    code: 'file_unknown',
    message: `This copy of the page is damaged: a part of it cannot be unpacked (${wordsOf(error)}).`,
    hint: 'Download it again.',
  });

/**
 * Decompressed content of a block: the core's module or an example, stored as base64 of gzip. Throws
 * `unsupported_browser` if the browser cannot decompress.
 */
function unpacked(id: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const lacking = unsupported();
  if (lacking) throw lacking;
  const letters = embedded(id);
  return new Blob([decoded(letters)]).stream().pipeThrough(new DecompressionStream('gzip'));
}

/** Decompressed text of a block: a script that is started when it is needed. */
export async function embeddedText(id: string): Promise<string> {
  const stream = unpacked(id);
  try {
    return await new Response(stream).text();
  } catch (error) {
    throw damaged(error);
  }
}

/** Decodes base64. */
function decoded(letters: string): Uint8Array<ArrayBuffer> {
  // not available in every supported browser
  const native = Uint8Array as typeof Uint8Array & { fromBase64?: (letters: string) => Uint8Array<ArrayBuffer> };
  if (native.fromBase64) return native.fromBase64(letters);
  const text = atob(letters);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i); // ten times as fast as Uint8Array.from
  return bytes;
}

/** Waits until the whole document is loaded, with all embedded content. */
async function arrived() {
  if (document.readyState !== 'loading') return;
  await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
}

/** Maximum length of a name in a message. */
const LONGEST = 60;
/** The bytes of a built-in example. */
export async function exampleOf(name: string): Promise<Uint8Array<ArrayBuffer>> {
  await arrived();
  const marks = [...document.querySelectorAll('[data-sample]')].map((one) => one.getAttribute('data-sample') ?? '');
  if (!marks.includes(name))
    throw codedError({
      code: 'invalid_option',
      message: `There is no built-in example “${name.slice(0, LONGEST)}”.`,
      hint: `The examples are ${marks.join(', ')}.`,
    });
  const stream = unpacked(`sample-${name}`);
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (error) {
    throw damaged(error);
  }
}

/** The compiled core, once the whole document is loaded. */
async function compile(): Promise<WebAssembly.Module> {
  await arrived();
  const stream = unpacked('core');
  try {
    return await WebAssembly.compileStreaming(
      new Response(stream, { headers: { 'Content-Type': 'application/wasm' } }),
    );
  } catch (error) {
    if (error instanceof RangeError)
      throw codedError({
        code: 'memory',
        message: `There is not enough memory to start the computing core (${error.message}).`,
        hint: 'Close other tabs and reload the page.',
      });
    if (!(error instanceof WebAssembly.CompileError)) throw damaged(error);
    throw codedError({
      code: 'unsupported_browser',
      message: `This browser cannot run the computing core: its WebAssembly is too old (${error.message}).`,
      hint: WORKS_IN,
    });
  }
}

export const compiled = compile();
compiled.catch(() => {}); // reported by `ready`

/** A trap in the page's own instance: charts cannot be drawn until a reload, but the data set is kept. */
export function paintFault(thrown: unknown): Failure {
  const error = failureOf(thrown);
  if (error.code) return error;
  return codedError({
    code: 'panic',
    message: `A chart could not be drawn: ${error.message}`,
    hint: 'Numbers and downloads still work; a reload brings the charts back.',
  });
}

/** The page's own instance, for drawing; created on first use. */
export const painter = once(async (): Promise<typeof wasm_bindgen> => {
  await wasm_bindgen({ module_or_path: await compiled });
  return wasm_bindgen;
});
