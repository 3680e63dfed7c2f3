// What `localcal.open` is given: a list of files, checked before anything is read.

import { codedError } from './fault.js';

export type Source = File | { name: string; bytes: Uint8Array };

/** The files of a list; an Error with code and hint where there is none. */
export function sourcesOf(files: unknown): File[] {
  const list =
    Symbol.iterator in Object(files) && typeof files !== 'string' ? Array.from(files as Iterable<Source>) : [];
  if (list.length === 0)
    throw codedError({
      code: 'empty',
      message: 'No file was given.',
      hint: 'Give a list of files: localcal.open([file]), or localcal.open([{ name, bytes }]).',
    });
  return list.map((one) => (one instanceof File ? one : new File([one.bytes as Uint8Array<ArrayBuffer>], one.name)));
}
