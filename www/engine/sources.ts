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
  return list.map((one, i) => (one instanceof File ? one : fileOf(one, i + 1)));
}

/** Bytes with a name as a file; an Error where there are none, which would otherwise be read as the word “undefined”. */
function fileOf(one: Partial<Exclude<Source, File>> | null | undefined, place: number): File {
  const { name, bytes } = one ?? {};
  const held: unknown = bytes;
  const readable =
    typeof held === 'string' || held instanceof Blob || held instanceof ArrayBuffer || ArrayBuffer.isView(held);
  if (typeof name === 'string' && readable) return new File([bytes as Uint8Array<ArrayBuffer>], name);
  const which = typeof name === 'string' ? `“${name}”` : `Entry ${place} of the list`;
  throw codedError({
    code: 'invalid_option',
    message: readable ? `${which} has no name.` : `${which} has no bytes.`,
    hint: 'Pass files, or objects { name, bytes } with the content as a Uint8Array.',
  });
}
