// Work that several wait for is done once; what must not be done at once is done in order.

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

/** What `work` answers, computed when it is first needed and remembered; a failure is not. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null;
  return () => {
    if (answer) return answer;
    const mine = work();
    answer = mine;
    mine.catch(() => {
      if (answer === mine) answer = null;
    });
    return mine;
  };
}

/**
 * Does work one after the other, in the order in which it is requested, whether or not what came before failed. Who
 * cancels does not wait for their turn; the signal that work is given ends then.
 */
export function inOrder() {
  let before: Promise<unknown> = Promise.resolve();
  return <T>(work: (signal: AbortSignal) => T | Promise<T>, signal?: AbortSignal): Promise<T> =>
    together((until) => {
      const mine = before.then(() => {
        if (until.aborted) throw abortError(until);
        return work(until);
      });
      before = mine.catch(() => {}); // who requested it hears why
      return mine;
    })(signal);
}
