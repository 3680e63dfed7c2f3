// A pool of classic workers, each with its own instance of the core. It handles tasks, keys and columns, and does not
// depend on the kinds of jobs. The page keeps the master copy of every outcome; workers get copies of their inputs. Short
// requests do not wait for long ones: besides the ordinary workers there is one for analyses and one for short questions;
// they start when all ordinary workers are busy, and end when one is idle. A worker that died or does not respond is
// replaced, and its job is repeated once. The memory of all workers is bounded: if another copy of the columns would
// exceed the bound, a job waits for a worker that has them, and idle workers that grew large are ended. Every task
// settles, whatever a worker sends and whatever the browser refuses.

import { ANALYSIS, QUESTION, RUN, choose, endingAtRest, inputBytes, lineUp, member } from './crew.js';
import type { Member, Task } from './crew.js';
import { abortError, codedError } from './fault.js';
import { refuseNotFinite } from './finite.js';
import { OutcomeStore, storedIn } from './outcome_store.js';
import type { Content, FromWorker, Job, Picture } from './messages.js';
import type { Answer } from './outcome.js';
import { Patience } from './patience.js';
import type { Hired, Surroundings } from './surroundings.js';
import { failure, lostTwice, missing, noWorker, notPlain, tooLarge } from './worker_faults.js';
import { Workers } from './workers.js';

export type Progress = { done: number; total: number; label: string; picture?: Picture };
/**
 * `cost`: expected milliseconds; `file`: what the worker is to read; `turn`: order of tasks with the same
 * priority; `extras`: inputs of every job of a data set.
 */
export type TaskOptions = {
  file?: Content;
  extras?: number[];
  turn?: number[];
  onProgress?: (fraction: number, picture?: Picture) => void;
  signal?: AbortSignal;
  priority?: number;
  cost?: number;
};

/** Interval of the checks of all workers, in milliseconds. */
const BEAT = 1000;
/** Intervals without a task before idle workers are ended. */
const BEATS_AT_REST = 2;
/** An instance is restarted if it uses more than twice its held outcomes plus this number of bytes. */
const SPENT = 256e6;

/** `size`: number of ordinary workers. Throws `worker_lost` if the browser starts none. */
export function createPool({ hire, every: beating, gone }: Surroundings, size: number) {
  const store = new OutcomeStore();
  const queue: Task[] = [];
  let keys = 0;
  let tasks = 0;
  let turns = 0;
  const patience = new Patience();
  const workers = new Workers(hire, hear);
  /** Stops the interval; null: no interval. */
  let rest: (() => void) | null = null;
  let resting = 0;
  const ordinary = Array.from({ length: Math.max(1, size) }, () => member(RUN));
  const crew: Member[] = [...ordinary, member(ANALYSIS), member(QUESTION)];
  // one worker is enough to continue; the others are started again when needed
  if (ordinary.filter(workers.start).length === 0) throw noWorker(workers.refusal);

  /**
   * Detects the end of a worker, for any reason: it holds a lock as long as it lives. In browsers without locks only
   * the time without a message detects it.
   */
  function outlive(one: Member, life: string) {
    const { worker } = one;
    gone(life, () => void (one.worker === worker && worker && lose(one)));
  }

  /** A worker has ended or will never answer: its job is repeated once. */
  function lose(one: Member) {
    const { task } = one;
    workers.replace(one);
    if (task && failedTwice(task)) task.settle(lostTwice());
    pump();
  }

  /** Queues a task once more; true if that was already tried. */
  function failedTwice(task: Task) {
    if (task.tries > 1) return true;
    lineUp(queue, task);
    return false;
  }

  function hear(one: Member, message: FromWorker | null) {
    const { task } = one;
    one.quiet = 0;
    if (message?.life) return outlive(one, message.life);
    const current = task !== null && (message?.id === undefined || message.id === task.id);
    if (message?.progress !== undefined) {
      if (current) task.onProgress?.(message.progress, message.picture);
      return;
    }
    if (message?.memory !== undefined) one.memory = message.memory;
    // ignore messages about tasks that have ended
    if (!current && !message?.error) return;
    const { stored, error } = message?.error
      ? { stored: undefined, error: failure(message.id, message.error) }
      : storedIn(message ?? {});
    const broken = error?.code === 'panic' || error?.code === 'memory';
    if (!current) return broken ? lose(one) : undefined;
    if (broken) workers.replace(one);
    one.task = null;
    // a new instance may have the memory that a used one lacks
    if (error?.code === 'memory' && !failedTwice(task)) return pump();
    if (!error) {
      one.holds.add(task.key); // the worker that computed an outcome holds it
      patience.learn(task.cost, message?.took ?? 0);
    }
    task.settle(error ? codedError(error) : null, stored);
    // the memory of an instance never shrinks
    if (one.memory > SPENT + 2 * store.bytesOf(one.holds)) workers.stop(one);
    pump();
  }

  /** Checks every busy worker. After a suspension of the page it runs once, so that only active time counts. */
  function beat() {
    for (const one of crew) {
      if (!one.task) continue;
      one.quiet += BEAT;
      if (one.quiet > patience.with(one.task, inputBytes(one.task, store.bytesOf))) lose(one);
    }
    if (crew.some(({ task }) => task) || queue.length > 0) {
      resting = 0;
      return;
    }
    resting += 1;
    if (resting < BEATS_AT_REST) return;
    endingAtRest(crew).forEach(workers.stop);
    rest?.();
    rest = null;
  }

  /** Assigns waiting tasks to idle workers, in order. */
  function pump() {
    const refused = new Set<Member>();
    for (let place = 0; place < queue.length;) {
      const task = queue[place];
      if (!crew.some((one) => one.task === null && one.least <= task.priority)) break;
      // one abort ends many tasks, one after the other: those still to come must not start meanwhile
      const choice = task.signal?.aborted ? null : choose(crew, task, store.bytesOf, refused);
      if (!choice) {
        place += 1;
        continue;
      }
      const { chosen, ends } = choice;
      const worker = chosen.worker ?? workers.start(chosen);
      if (worker) {
        queue.splice(place, 1);
        ends.forEach(workers.stop);
        give(chosen, worker, task);
      } else refused.add(chosen);
    }
    // busy workers will take the remaining tasks; if there are none, these tasks fail
    if (refused.size > 0 && !crew.some(({ task }) => task))
      for (const task of queue.filter(({ signal }) => !signal?.aborted)) {
        queue.splice(queue.indexOf(task), 1);
        task.settle(noWorker(workers.refusal));
      }
    if (queue.length === 0 && ordinary.some(({ task }) => !task)) {
      for (const one of crew) if (one.least > RUN && one.worker && !one.task) workers.stop(one);
    }
  }

  function give(one: Member, worker: Hired, task: Task) {
    const { id, key: answerKey, job, needs, extras, file } = task;
    if (!store.hasAll(needs)) return task.settle(missing());
    Object.assign(one, { task, last: id, quiet: 0 });
    task.tries += 1;
    rest ??= beating(BEAT, beat);
    let copying = true;
    try {
      for (const key of needs.filter((need) => !one.holds.has(need))) {
        const held = store.get(key);
        worker.postMessage({ kind: 'keep', key, packed: held?.packed, columns: held?.columns ?? [] });
        one.holds.add(key);
      }
      copying = false;
      worker.postMessage({ kind: 'run', id, key: answerKey, job, needs, extras, file });
    } catch (error) {
      one.task = null;
      task.settle(copying ? tooLarge(store.bytesOf(needs), error) : notPlain(error));
    }
  }

  /** The next turn, which orders tasks of the same priority. */
  function nextTurn(): number {
    turns += 1;
    return turns;
  }

  /** Runs one job with the outcomes under `bare` and `extras` as inputs. The answer is held under a new key. */
  function submit(
    job: Job,
    bare: number[] = [],
    { file, extras = [], onProgress, signal, priority = RUN, cost = 0, turn = [nextTurn(), 0] }: TaskOptions = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      refuseNotFinite(job); // every request passes here
      const needs = [...bare, ...extras];
      if (!store.hasAll(needs)) return reject(missing());
      const task: Task = {
        id: ++tasks,
        key: ++keys,
        job,
        needs,
        extras: extras.length,
        file,
        priority,
        turn,
        cost,
        tries: 0,
        signal,
        onProgress,
        settle(error, held) {
          signal?.removeEventListener('abort', onAbort);
          if (error || !held) return reject(error);
          store.set(task.key, held);
          resolve({ key: task.key, outcome: held.outcome, columns: held.columns });
        },
      };
      function onAbort() {
        const place = queue.indexOf(task);
        if (place >= 0) queue.splice(place, 1);
        const one = crew.find((one) => one.task === task);
        if (one) workers.replace(one);
        task.settle(abortError(signal as AbortSignal));
        pump();
      }
      signal?.addEventListener('abort', onAbort);
      lineUp(queue, task);
      pump();
    });
  }

  /** Frees an outcome that is not used any more, and its columns at once. */
  function discard(key: number) {
    store.release(key);
    free(key);
  }

  /** Deletes an outcome here and in every worker. */
  function free(key: number) {
    store.delete(key);
    for (const { worker, holds } of crew) if (holds.delete(key)) worker?.postMessage({ kind: 'forget', key });
  }

  return { submit, free, discard, bytesAt: (key: number) => store.bytesAt(key), nextTurn };
}
export type Pool = ReturnType<typeof createPool>;
