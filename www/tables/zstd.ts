// A file compressed with zstd: unpacked, by fzstd, as far as memory allows.

import { Decompress } from 'fzstd';
import { tooLarge } from './refused.js';

/** Bytes that are unpacked at a time. */
const SLICE = 1 << 20;

export async function unzstd(file: File, most: number, told: (share: number) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const stream = new Decompress((part) => {
    bytes += part.length;
    if (bytes > most) throw tooLarge('The file unpacks to more than', bytes, most);
    parts.push(part.slice());
  });
  for (let start = 0; start < file.size; start += SLICE) {
    const end = Math.min(file.size, start + SLICE);
    stream.push(new Uint8Array(await file.slice(start, end).arrayBuffer()), end === file.size);
    told(end / file.size);
  }
  return new Blob(parts);
}
