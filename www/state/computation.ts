// A computation that takes time, of what is asked now: begun again when that changes, and its answer kept.

import { batch, computed, effect, signal, untracked } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

/** What is asked of which data; the same data and text are the same question. */
export interface Question<D, Q> {
  data: D;
  text: string;
  asked: Q;
}

/** Where a computation is: `of`, the question that is under way, was answered last, or stopped without an answer. */
interface State<D, Q, A> {
  is: 'under way' | 'answered' | 'stopped';
  of: Question<D, Q>;
  /** the last answer, and to what */
  last: { question: Question<D, Q>; answer: A } | null;
}

interface Ways<D, Q, A> {
  /** what is asked now; null: nothing */
  question: ReadonlySignal<Question<D, Q> | null>;
  compute: (question: Question<D, Q>) => Promise<A>;
  /** whether what was answered is still there: a script may have put another in its place */
  holds: (answer: A, data: D) => boolean;
  /** before an answer is computed or found again */
  begins: () => void;
  /** an answer, in the same step in which it counts as one */
  answered: (answer: A, data: D) => void;
  failed: (error: unknown) => void;
}

const same = <D, Q>(one: Question<D, Q>, other: Question<D, Q> | null) =>
  other !== null && one.data === other.data && one.text === other.text;

/**
 * One computation at a time of the same data: of several questions meanwhile the last is the next. Other data wait for
 * nothing, and what was under way of the ones before changes nothing any more. What was canceled or failed stays so until
 * something else is asked, or `start`.
 */
export function computation<D, Q, A>({ question, compute, holds, begins, answered, failed }: Ways<D, Q, A>) {
  const state = signal<State<D, Q, A> | null>(null);
  /** Whose turn it is: what began before other data were asked about has none. */
  let turn = {};

  /** Computes what is asked until that is answered. `anew`: also where there is an answer. */
  async function go(first: Question<D, Q>, anew: boolean) {
    const own = (turn = {});
    for (let of = first; ; anew = false) {
      const { last = null } = state.peek() ?? {};
      begins();
      if (!anew && last && same(of, last.question) && holds(last.answer, of.data)) {
        state.value = { is: 'answered', of, last };
        return;
      }
      state.value = { is: 'under way', of, last };
      /** What is asked of these data by now, where that is something else. */
      const next = () => {
        const now = question.peek();
        return now && now.data === of.data && now.text !== of.text ? now : null;
      };
      let then: Question<D, Q> | null;
      try {
        const answer = await compute(of);
        if (turn !== own) return;
        then = next();
        batch(() => {
          state.value = { is: then ? 'under way' : 'answered', of: then ?? of, last: { question: of, answer } };
          answered(answer, of.data);
        });
      } catch (error) {
        if (turn !== own) return;
        const canceled = (error as { code?: unknown } | null)?.code === 'cancelled';
        // after a failure continue with the newer question; after a cancellation stop
        then = canceled ? null : next();
        if (!then) {
          state.value = { is: 'stopped', of, last };
          failed(error);
        }
      }
      if (!then) return;
      of = then;
    }
  }

  const underWay = (of: Question<D, Q>) => {
    const now = state.peek();
    return now?.is === 'under way' && now.of.data === of.data;
  };

  return {
    /** Whether it is under way, or stopped without an answer, for these data. */
    is: (what: 'under way' | 'stopped', data: D | undefined) =>
      state.value?.is === what && state.value.of.data === data,
    /** The last question that was answered. */
    last: computed(() => state.value?.last?.question ?? null),
    /** Computes what is asked, also where that was canceled or failed before. */
    start() {
      const of = question.peek();
      if (of && !underWay(of)) void go(of, true);
    },
    /** Goes with what is asked from now on. Answers how to end that. */
    follow: () =>
      effect(() => {
        const of = question.value;
        untracked(() => {
          if (of && !underWay(of)) void go(of, false);
        });
      }),
  };
}

/** Waits until there is an answer. */
export const when = <T>(answer: () => T | undefined): Promise<T> =>
  new Promise((done) => {
    const end = effect(() => {
      const found = answer();
      if (found === undefined) return;
      queueMicrotask(() => end()); // an effect that ends at once has no end to be called yet
      done(found);
    });
  });
