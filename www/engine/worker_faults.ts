// What can go wrong with a worker, as errors with a hint.

import { codedError, wordsOf } from './fault.js';
import type { Coded } from './messages.js';

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;

const fault = (what: string): Coded => ({
  code: 'panic',
  message: `A fault in the program stopped this step: ${what}.`,
  hint: 'Nothing loaded is lost. Try again, and report the fault if it recurs.',
});

/** A message of a worker cannot be read. */
export const garbled = (why: string) => fault(`a worker’s answer cannot be read (${why})`);

/** The error of a job. An error without an id did not occur in a job, so the content of the worker is unknown. */
export function failure(id: number | undefined, error: Coded): Coded {
  if (id !== undefined || error.code === 'panic' || error.code === 'memory') return error;
  return fault(`a worker could not take what it needs (${error.message})`);
}

/** A worker raised an error outside a job. */
export const stopped = (why: string): Coded => ({
  code: 'panic',
  message: `A worker stopped: ${why || 'the browser gives no reason'}.`,
  hint: 'Nothing loaded is lost. Try again, and reload the page if that fails.',
});

/** What a job needs is not held: whoever closed its data set also ends the job, so that this is a fault. */
export const missing = () => codedError({ ...fault('a result that it needs is no longer held'), code: 'internal' });

/** The browser refuses a worker, and none is there to do what is asked. */
export const noWorker = (why: string) =>
  codedError({
    code: 'worker_lost',
    message: `The browser did not start a worker, which is needed for the computation${why && ` (${why})`}.`,
    hint: 'Nothing loaded is lost. Close other tabs and try again, or reload the page.',
  });

/** A job ended its worker, and the next one, too. */
export const lostTwice = () =>
  codedError({
    code: 'worker_lost',
    message: 'Two workers stopped answering, one after the other, during the same step.',
    hint: 'Nothing loaded is lost. The browser may be short of memory: close other tabs, or request less.',
  });

/** Columns cannot be copied to a worker. */
export const tooLarge = (bytes: number, error: unknown) =>
  codedError({
    code: 'memory',
    message: `There is not enough memory to pass ${megabytes(bytes)} to a worker (${wordsOf(error)}).`,
    hint: 'Use fewer rows or columns, or close other tabs.',
  });

/** A job cannot be copied to a worker. */
export const notPlain = (error: unknown) =>
  codedError({
    code: 'invalid_option',
    message: `An option cannot be passed to a worker: ${wordsOf(error)}`,
    hint: 'Use plain values in options.',
  });
