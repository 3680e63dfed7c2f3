// Errors in one form on both sides of a worker: a code, a message and a hint.

import type { Coded } from './messages.js';

export type CodedError = Error & Coded & { hint: string };
/** The fields of a thrown value: all of a coded error, the message of any other. */
export type Failure = { message: string } & Partial<Coded>;
export function failureOf(thrown: unknown): Failure {
  if (typeof (thrown as Partial<CodedError> | null)?.code === 'string') return thrown as CodedError;
  const { hint } = (thrown ?? {}) as { hint?: string };
  return { message: wordsOf(thrown), ...(hint && { hint }) };
}

/** An Error with the fields that are the same on both sides of a worker. */
export function codedError({ code, message, hint = '', summary, page }: Coded): CodedError {
  return Object.assign(new Error(message), { code, hint }, summary && { summary }, page && { page });
}

/** Error of an aborted call: its reason if that is a coded error, else `cancelled`. */
export function abortError(signal: AbortSignal): CodedError {
  if (typeof signal.reason?.code === 'string') return signal.reason;
  return codedError({
    code: 'cancelled',
    message: 'The call was canceled.',
    hint: 'Call it again to get the result.',
  });
}

/** Message of a thrown value. */
export const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
