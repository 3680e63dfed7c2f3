// The worker that reads what the core does not: begun with the first such file, ended after it.

import type { Kind } from './kinds.js';
import { parquet } from './parquet.js';
import { Refused } from './refused.js';
import { workbook } from './workbook.js';

/** What is asked: a file of a kind, the bytes that it may come to, and the sheet to read of a workbook. */
export type Request = { kind: Kind; file: File; most: number; sheet?: number | null };
/** What is answered: the share that is done, then the container, with the sheets of a workbook, or why there is none. */
export type Answer =
  | { share: number }
  | { bytes: Uint8Array<ArrayBuffer>; sheets?: string[]; read?: number }
  | { error: { code: string; message: string; hint: string } };

const NAMES: Record<Kind, string> = {
  parquet: 'Parquet file',
  workbook: 'Excel workbook',
};

const say = (answer: Answer) => self.postMessage(answer, { transfer: 'bytes' in answer ? [answer.bytes.buffer] : [] });

self.onmessage = async ({ data: { kind, file, most, sheet } }: MessageEvent<Request>) => {
  try {
    const told = (share: number) => say({ share });
    if (kind === 'parquet') say({ bytes: await parquet(file, most, told) });
    else say(await workbook(file, sheet));
  } catch (thrown) {
    if (thrown instanceof Refused) return say({ error: thrown.refusal });
    // what a library throws is about its own code, not about the file
    say({
      error: {
        code: 'table_unreadable',
        message: `This ${NAMES[kind]} cannot be read.`,
        hint: 'It may be damaged or cut off. Save it again, or save the table as CSV.',
      },
    });
  }
};
