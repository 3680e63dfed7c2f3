// Why a file is not read: the same shape as the core's errors.

type Refusal = { code: string; message: string; hint: string };

/** An error that a person reads. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

export const refused = (message: string, hint: string) => new Refused({ code: 'file_unknown', message, hint });

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;

/** `what` ends with a colon: what there is. */
export const tooLarge = (what: string, bytes: number, most: number) =>
  new Refused({
    code: 'too_large',
    message: `${what} some ${megabytes(bytes)} as numbers; up to ${megabytes(most)} are read.`,
    hint: 'Keep only the rows and columns that are needed.',
  });
