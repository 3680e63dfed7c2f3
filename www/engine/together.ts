// Work that is shared by concurrent callers.

import { abortError } from './fault.js';

/**
 * Shares the result of `work` among all callers while it is computed. A caller that aborts leaves it to the others; the
 * signal passed to `work` aborts when no caller is left.
 */
export function together<T>(work: (signal: AbortSignal) => Promise<T>) {
  let under: { waiting: number; halt: AbortController; done: Promise<T> } | null = null;
  return async function (signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw abortError(signal);
    if (!under) {
      const halt = new AbortController();
      under = { waiting: 0, halt, done: work(halt.signal) };
    }
    const mine = under;
    mine.waiting += 1;
    let leave = () => {};
    const left = new Promise<never>((_, fail) => (leave = () => fail(abortError(signal as AbortSignal))));
    signal?.addEventListener('abort', leave);
    try {
      return await Promise.race([mine.done, left]);
    } finally {
      signal?.removeEventListener('abort', leave);
      mine.waiting -= 1;
      if (mine.waiting === 0) {
        if (under === mine) under = null;
        mine.halt.abort();
      }
    }
  };
}
