// The page's copy of every outcome, by key, with its size. Workers hold copies of their inputs.

import { wordsOf } from './fault.js';
import type { Coded, FromWorker } from './messages.js';
import type { StoredOutcome } from './outcome.js';
import { garbled } from './worker_faults.js';

/** The content of an answer, or an `error` if it cannot be read. */
export function storedIn({ outcome, packed, columns }: FromWorker): { stored?: StoredOutcome; error?: Coded } {
  try {
    if (!Array.isArray(columns) || !columns.every(ArrayBuffer.isView)) throw new Error('it has no columns');
    return { stored: { outcome: JSON.parse(outcome as string), packed, columns } };
  } catch (error) {
    return { error: garbled(wordsOf(error)) };
  }
}

export class OutcomeStore {
  readonly #outcomes = new Map<number, StoredOutcome & { bytes: number }>();

  get(key: number): StoredOutcome | undefined {
    return this.#outcomes.get(key);
  }

  hasAll(keys: number[]): boolean {
    return keys.every((key) => this.#outcomes.has(key));
  }

  /** Bytes of an outcome; `undefined` if it is not held. */
  bytesAt(key: number): number | undefined {
    return this.#outcomes.get(key)?.bytes;
  }

  /** Bytes of several outcomes; of those that are not held, none. Bound, so that it can be handed on. */
  readonly bytesOf = (keys: Iterable<number>): number =>
    Array.from(keys, (key) => this.bytesAt(key) ?? 0).reduce((sum, bytes) => sum + bytes, 0);

  set(key: number, { outcome, packed, columns }: StoredOutcome) {
    const bytes = columns.reduce((sum, { byteLength }) => sum + byteLength, packed?.byteLength ?? 0);
    this.#outcomes.set(key, { outcome, packed, columns, bytes });
  }

  delete(key: number) {
    this.#outcomes.delete(key);
  }

  /** Deletes an outcome, and releases its columns at once where the browser supports it, instead of at the next garbage collection. */
  release(key: number) {
    const held = this.#outcomes.get(key);
    this.#outcomes.delete(key);
    for (const column of held ? [held.packed, ...held.columns] : [])
      (column?.buffer as { transfer?: (bytes: number) => void } | undefined)?.transfer?.(0);
  }
}
