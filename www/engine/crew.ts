// The tasks and workers of a pool: in which order tasks wait, and which worker takes which.

import type { Content, Job, Picture } from './messages.js';
import type { StoredOutcome } from './outcome.js';
import type { Hired } from './surroundings.js';

/** Priorities: a run and its parts; an analysis and its parts; a short question that a user waits for. */
export const RUN = 0;
export const ANALYSIS = 1;
export const QUESTION = 2;

/**
 * `needs`: keys of the inputs, the last `extras` of which are those of every job of the data set; `turn`: order of tasks
 * with the same priority; `cost`: expected milliseconds.
 */
export type Task = {
  id: number;
  key: number;
  job: Job;
  needs: number[];
  extras: number;
  file?: Content;
  priority: number;
  turn: number[];
  cost: number;
  tries: number;
  signal?: AbortSignal;
  onProgress?: (fraction: number, picture?: Picture) => void;
  settle: (error: Error | null, held?: StoredOutcome) => void;
};

/**
 * `least`: lowest priority that it takes; `memory`: bytes of its instance, as last reported; `expected`: bytes expected
 * at the end of its task; `last`: id of its last task; `quiet`: milliseconds since its last message.
 */
export type Member = {
  least: number;
  worker: Hired | null;
  holds: Set<number>;
  task: Task | null;
  memory: number;
  expected: number;
  last: number;
  quiet: number;
};

/** Bytes of the outcomes under some keys. */
type BytesOf = (keys: Iterable<number>) => number;

/** Maximum memory of all instances, in bytes. */
const MOST_MEMORY = 600e6;
/** Maximum memory of idle instances, in bytes. */
const KEPT_MEMORY = 400e6;
/** Expected memory of an instance after a job, per byte of its inputs. */
const GROWTH = 3;
/** Jobs with at most this expected memory never wait for memory. */
const SMALL = 64e6;

/** A worker that is not started yet, for tasks of this priority and above. */
export function member(least: number): Member {
  return { least, worker: null, holds: new Set(), task: null, memory: 0, expected: 0, last: 0, quiet: 0 };
}

/** Bytes of what a task reads: its inputs, and the file. */
export const inputBytes = ({ needs, file }: Task, bytesOf: BytesOf) =>
  bytesOf(needs) + (file instanceof Uint8Array ? file.byteLength : (file?.size ?? 0));

/** Inserts a task into the queue by priority and turn. */
export function lineUp(queue: Task[], task: Task) {
  const {
    priority,
    turn: [first, second],
  } = task;
  const later = ({ priority: other, turn: [one, two] }: Task) =>
    other < priority || (other === priority && (one > first || (one === first && two > second)));
  const after = queue.findIndex(later);
  queue.splice(after < 0 ? queue.length : after, 0, task);
}

/**
 * The idle worker that already holds most of what a task needs, if there is one and memory for it; `ends`: idle ones
 * whose memory it takes, so that they end when it starts. `refused`: those that the browser does not start.
 */
export function choose(
  crew: Member[],
  task: Task,
  bytesOf: BytesOf,
  refused: Set<Member>,
): { chosen: Member; ends: Member[] } | null {
  const { needs, priority } = task;
  const idle = crew.filter((one) => one.task === null && one.least <= priority && !refused.has(one));
  const least = Math.min(...idle.map((one) => one.least));
  const held = (one: Member) => bytesOf(needs.filter((key) => one.holds.has(key))) + (one.worker ? 1 : 0);
  const [best, ...others] = idle.filter((one) => one.least === least).sort((a, b) => held(b) - held(a));
  if (!best) return null;
  const expected = Math.max(best.memory, GROWTH * inputBytes(task, bytesOf));
  const busy = crew.filter((one) => one.task);
  let all =
    expected +
    busy.reduce((sum, { memory, expected: most }) => sum + Math.max(memory, most), 0) +
    others.reduce((sum, { memory }) => sum + memory, 0);
  const ends: Member[] = [];
  for (const other of others.reverse()) {
    if (all <= MOST_MEMORY) break;
    all -= other.memory;
    ends.push(other);
  }
  // wait for memory only if a running task has at least this priority
  const sooner = busy.some((one) => one.task && one.task.priority >= priority);
  if (all > MOST_MEMORY && expected > SMALL && sooner && held(best) < bytesOf(needs)) return null;
  best.expected = expected;
  return { chosen: best, ends };
}

/**
 * The workers that end while nothing is done, so that the others keep little memory: those used longest ago, for the
 * last one holds the inputs that are most likely to be needed next.
 */
export function endingAtRest(crew: Member[]): Member[] {
  const started = crew.filter(({ worker }) => worker).sort((a, b) => a.last - b.last);
  let kept = started.reduce((sum, { memory }) => sum + memory, 0);
  const ends: Member[] = [];
  for (const one of started) {
    if (kept <= (one === started.at(-1) ? MOST_MEMORY : KEPT_MEMORY)) break;
    kept -= one.memory;
    ends.push(one);
  }
  return ends;
}
