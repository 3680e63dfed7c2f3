// A question to the core about the last run, asked again when the question or the run is another. Who comes back to a
// question of the same run finds its answer, or joins who is still at it; what no one asks any more is stopped.

import { either } from '../engine/either.js';
import { effect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Data } from '../engine/localcal.js';
import { dark } from '../engine/theme.js';
import { open, report, subject } from '../state/store.js';
import { roomOf } from './block.js';
import { descriptionOf } from './catalogue.js';
import { fitted } from './fitted.js';
import { withLine } from './progress.js';

/** Longer analyses wait for a click, in milliseconds. */
const AT_ONCE = 8000;
/** Answers that are kept of a run. */
const KEPT = 24;

/** Why there is no answer. */
export type Trouble =
  | { is: 'costly'; cost: number; label: string; start: () => void }
  | { is: 'cancelled'; label: string; start: () => void }
  | { is: 'fault'; error: unknown; start: () => void };

interface Answered<T> {
  answer: T;
  /** the same in another width */
  fit: (width: number) => Promise<T>;
  /** its sheet with counts below `suppress` withheld */
  withheld: (width: number, suppress: number) => Promise<T>;
  /** settings that it was asked with, and all that it was asked */
  settings: Record<string, unknown>;
  request: Record<string, unknown>;
  question: string;
  /** the run that it is about, and of what */
  of: object;
  data: Data;
}
/** An answer, if there is one, and how things stand. `current`: it is about the last run. */
export type AnswerState<T> = { stale: boolean; trouble: Trouble | null; current: boolean } & (
  | Answered<T>
  | {
      answer: null;
      fit: null;
      withheld: null;
      settings: Record<string, unknown>;
      request: Record<string, unknown>;
      of: null;
    }
);

interface Ways {
  /** where it will be shown: figures are drawn as wide */
  place: RefObject<Element | null>;
  /** what a person chose of the request */
  settings?: Record<string, unknown>;
  /** longer ones wait for a click, in milliseconds */
  most?: number;
  /** the work that it is a step of */
  chain?: Chain;
}
/** Work of several steps, of which a canceled one keeps the next from starting. */
export interface Chain {
  canceled: () => boolean;
  resume: () => void;
}

const answers = new WeakMap<object, Map<string, Answered<unknown>>>();
/** Keeps an answer of a run, the latest at the end. */
function keep(of: object, answered: Answered<unknown>) {
  const kept = answers.get(of) ?? new Map();
  answers.set(of, kept.set(answered.question, answered));
  for (const oldest of [...kept.keys()].slice(0, -KEPT)) kept.delete(oldest);
}

/** A question under way, which run it is about, and how many wait for its answer. */
interface Under {
  question: string;
  of: object;
  waiting: number;
  halt: AbortController;
  answer: Promise<Answered<unknown>>;
}
const underway = new Map<string, Under>();

/** The question under way, with one more who waits; started where no one asked it yet. */
function joined(question: string, of: object, start: (halt: AbortSignal) => Promise<Answered<unknown>>): Under {
  const known = underway.get(question);
  if (known?.of === of) {
    known.waiting += 1;
    return known;
  }
  const halt = new AbortController();
  const under = { question, of, waiting: 1, halt, answer: start(halt.signal) };
  underway.set(question, under);
  const over = () => forget(under);
  under.answer.then(over, over);
  return under;
}
function forget(under: Under) {
  if (underway.get(under.question) === under) underway.delete(under.question);
}
function stop(under: Under) {
  forget(under);
  under.halt.abort();
}
// what was asked of another run, or is waited for by no one when the subject changes, holds no worker
effect(() => {
  const of = report.value;
  subject.value;
  for (const under of [...underway.values()]) if (under.of !== of || under.waiting === 0) stop(under);
});

const numbers = new WeakMap<object, number>();
let named = 0;
/** A request as text; other data sets in it by a number of their own. */
const textOf = (kind: string, request: object) =>
  kind +
  JSON.stringify(request, (key, value) => {
    if (key !== 'others') return value;
    return value.map((one: Data) => {
      if (!numbers.has(one)) numbers.set(one, (named += 1));
      return numbers.get(one);
    });
  });

/** `request`: null asks nothing. */
export function useAnalysis<T>(
  kind: string,
  request: Record<string, unknown> | null,
  { place, settings = {}, most = AT_ONCE, chain }: Ways,
) {
  const [found, setFound] = useState<Answered<T> | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [stale, setStale] = useState(false);
  const turn = useRef(0);
  const waits = useRef<Under | null>(null);
  const data = open.value?.data;
  const of = report.value;
  const question = request ? textOf(kind, request) : '';

  async function ask(limit: number) {
    turn.current += 1;
    const mine = turn.current;
    const current = () => mine === turn.current;
    const before = leave();
    if (before?.waiting === 0) stop(before);
    if (!data || !of || !request) {
      // why the question before had no answer is not about this one
      setTrouble(null);
      setStale(false);
      return setFound(null);
    }
    const kept = answers.get(of)?.get(question) as Answered<T> | undefined;
    // a fault tells of the question before this one, which was put back
    if (!kept || found?.question !== question || trouble?.is !== 'fault') setTrouble(null);
    setStale(!kept);
    if (kept) return setFound(kept);
    const { running: label = 'Computing', options = [] } = descriptionOf(kind) ?? {};
    const start = () => {
      chain?.resume();
      void ask(Infinity);
    };
    const halt = () => {
      setStale(false);
      setTrouble({ is: 'cancelled', label, start });
    };
    const answerIn = (width: number, may: number, watch = {}) =>
      data.analyse(kind, { ...request, ...screen(width, options) }, { ...watch, most: may }) as Promise<T>;
    const find = async (width: number, until: AbortSignal): Promise<Answered<T>> => {
      const answer: T = await withLine(label, ({ signal, onProgress }) =>
        answerIn(width, limit, { signal: either(signal, until), onProgress }),
      );
      const fit = fitted(answer, of, width, (wide) => answerIn(wide, AT_ONCE));
      const withheld = (wide: number, suppress: number) => answerIn(wide, Infinity, { suppress });
      const answered = { answer, fit, withheld, settings, request, question, of, data };
      keep(of, answered);
      return answered;
    };
    await new Promise(requestAnimationFrame); // until it is on screen, it has no width
    if (!current()) return;
    if (chain?.canceled()) return halt();
    const under = joined(question, of, (until) => find(roomOf(place.current), until));
    waits.current = under;
    // another question follows what was stopped
    const wanted = () => current() && !under.halt.signal.aborted;
    try {
      const answered = (await under.answer) as Answered<T>;
      if (wanted()) setFound(answered);
    } catch (error) {
      if (wanted()) setTrouble(troubleOf(error, label, start));
    } finally {
      if (waits.current === under) leave();
      if (wanted()) setStale(false);
    }
  }
  /** Waits no longer for what was asked. */
  function leave(): Under | null {
    const { current: under } = waits;
    waits.current = null;
    if (under) under.waiting -= 1;
    return under;
  }
  // in the same step as what is drawn: from then on an answer to the question before is none, and what is shown is old
  useLayoutEffect(() => void ask(most), [question, data, of]);
  useEffect(
    () => () => {
      turn.current = -1;
      leave(); // who looks at something else may come back: it goes on
    },
    [],
  );

  const own = found?.data === data ? found : null;
  const nothing = { answer: null, fit: null, withheld: null, settings: {}, request: {}, of: null };
  return { ...(own ?? nothing), trouble, stale, current: own?.of === of } as AnswerState<T>;
}

/** What figures are drawn for, as far as an analysis asks for it. */
function screen(width: number, options: wasm_bindgen.DescribedOption[]): Record<string, unknown> {
  const all = { ...(width > 0 && { width }), dpr: devicePixelRatio || 1, dark: dark() };
  return Object.fromEntries(Object.entries(all).filter(([is]) => options.some(({ name }) => name === is)));
}

function troubleOf(error: unknown, label: string, start: () => void): Trouble | null {
  const { code, cost = 0 } = error as { code: string; cost?: number };
  if (code === 'closed') return null;
  if (code === 'costly') return { is: 'costly', cost, label, start };
  return code === 'cancelled' ? { is: 'cancelled', label, start } : { is: 'fault', error, start };
}
