// A file that the core does not read itself goes through a worker of its own, which the page begins when the first one comes.

import { embeddedText } from '../engine/core.js';
import { abortError, codedError, wordsOf } from '../engine/fault.js';
import { kindOf } from './kinds.js';
import type { Answer, Request } from './worker.js';

/** Bytes that columns of one file may come to: half of what a worker of the core can hold. */
const MOST = 2 ** 31;

/** Bytes that the page hands to the core at once; more are a file for it, read in parts within the core's own limit. */
const MOST_AT_ONCE = 2 ** 28;

type Watch = { signal?: AbortSignal; onShare: (share: number) => void; sheet?: number | null };

/** Of workbooks that were read: the sheets that hold a table, and the place of the one that was read last. */
const books: WeakMap<File, { sheets: string[]; read: number }> = new WeakMap();
export const bookOf = (file: File) => books.get(file);

/** Refuses the choice of a sheet where no file has sheets: it would be ignored. */
export async function refuseSheetOfOthers(files: readonly File[], sheet?: number | null) {
  if (sheet == null) return;
  // a file that cannot be read is refused where it is read, with the reason
  const kinds = await Promise.all(files.map((file) => kindOf(file).catch(() => 'workbook')));
  if (kinds.includes('workbook')) return;
  throw codedError({
    code: 'invalid_option',
    message: `The option sheet applies to Excel workbooks only, not to ${files.map(({ name }) => name).join(' + ')}.`,
    hint: 'Omit it.',
  });
}

/** The file as the core reads it: itself, or what a library made of it. */
export async function readable(file: File, { signal, onShare, sheet }: Watch): Promise<File | Uint8Array<ArrayBuffer>> {
  const kind = await kindOf(file).catch((error) => {
    throw codedError({
      code: 'table_unreadable',
      message: `${file.name} cannot be read: ${wordsOf(error)}`,
      hint: 'It was moved or changed since it was chosen, or it is a folder. Choose the file again.',
    });
  });
  if (kind === null) return file;
  const text = await embeddedText('tables');
  if (signal?.aborted) throw abortError(signal);
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const worker = new Worker(address);
  let stop = () => {};
  try {
    return await new Promise((resolve, reject) => {
      const stopped = (why: string) =>
        reject(
          codedError({
            code: 'memory',
            message: `Reading ${file.name} stopped: ${why}.`,
            hint: 'The file may need more memory than the browser gives. Keep fewer rows or columns.',
          }),
        );
      stop = () => reject(abortError(signal!));
      signal?.addEventListener('abort', stop);
      worker.onerror = (event) => stopped(event.message || 'the worker ended');
      // an answer that does not fit the memory of the page arrives as this
      worker.onmessageerror = () => stopped('its answer cannot be received');
      worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        if ('share' in data) onShare(data.share);
        else if ('bytes' in data) {
          if (data.sheets) books.set(file, { sheets: data.sheets, read: data.read ?? 0 });
          resolve(data.bytes.byteLength > MOST_AT_ONCE ? new File([data.bytes], file.name) : data.bytes);
        } else reject(codedError(data.error));
      };
      const request: Request = { kind, file, most: MOST, sheet };
      worker.postMessage(request);
    });
  } finally {
    signal?.removeEventListener('abort', stop);
    worker.terminate();
    URL.revokeObjectURL(address);
  }
}
