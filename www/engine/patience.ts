// How long a worker may say nothing before it is replaced.

import type { Task } from './crew.js';

/** Time without a message after which a worker is replaced, in milliseconds, plus the following two terms. */
const PATIENCE = 60_000;
/** Multiple of the expected time of the job; and one millisecond for each `BYTES_A_MS` bytes of its inputs. */
const LONGER = 30;
const BYTES_A_MS = 10_000;
/** Upper limit of the extension on a slow machine, in milliseconds. */
const MOST_PATIENCE = 3_600_000;
/** The estimate of slowness halves with each job of the usual speed, so that a slow job has no lasting effect. */
const FORGOTTEN = 0.5;
/** Jobs that are expected to take less say nothing about a machine, in milliseconds. */
const TOO_SHORT = 100;

export class Patience {
  /** Ratio of actual to expected time of recent jobs on this machine. */
  #slowness = 1;

  /** A job of this expected time took so long, in milliseconds. */
  learn(cost: number, took: number) {
    if (cost > TOO_SHORT && took > 0) this.#slowness = Math.max(1, took / cost, FORGOTTEN * this.#slowness);
  }

  /** Time without a message after which a worker is replaced, in milliseconds. `bytes`: of the inputs of its task. */
  with({ cost, tries }: Task, bytes: number) {
    const expected = PATIENCE + LONGER * cost + bytes / BYTES_A_MS;
    return tries * Math.max(expected, Math.min(expected + LONGER * (this.#slowness - 1) * cost, MOST_PATIENCE));
  }
}
