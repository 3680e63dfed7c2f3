// The runs of a data set, and requests about the last run: the one that was begun last, among those that ended.

import { either } from './either.js';
import { abortError, codedError } from './fault.js';
import { Leftovers } from './leftovers.js';
import { outcomeOf } from './outcome.js';
import { toRun } from './plan.js';
import { ANALYSIS, QUESTION } from './crew.js';
import { together } from './together.js';
import type { Answer, Outcome, OutcomeOf } from './outcome.js';
import type { PlanPool } from './plan.js';
import type { Progress } from './pool.js';

/** `most`: expected milliseconds above which an analysis is refused as `costly`. */
export type Watch = { signal?: AbortSignal; onProgress?: (progress: Progress) => void; most?: number };
export type RunOptions = Partial<wasm_bindgen.RunRequest>;
export type Report = wasm_bindgen.Report;
/** A chart, and how it came about. */
export type View = Answer & { outcome: OutcomeOf<'view'> };
/** Of an analysis that is asked with small counts withheld. */
export interface Withholding {
  /** threshold: smaller counts, and values that would reveal them, are withheld; the answer is the panel alone */
  suppress?: number;
}

/** What runs depend on. */
export interface RunContext {
  pool: PlanPool;
  /** the data set */
  opened: Answer;
  /** keys of its feature maps, inputs of every job; more may be added meanwhile */
  maps: readonly number[];
  /** aborted when the data set is closed */
  life: AbortSignal;
}
/** Receives a partial report during a run, and the report of the last run. */
export interface RunListener {
  soFar: (outcome: OutcomeOf<'report'>) => void;
  reported: (report: Report) => void;
}
export type Runs = ReturnType<typeof runsOf>;

export function runsOf({ pool, opened, maps, life }: RunContext, listener: RunListener) {
  const { submit, graph, free } = pool;
  let latest: Answer | null = null; // of the run that was begun last, among those that ended
  let latestReport: Report | null = null;
  let [begun, latestBegun] = [0, 0]; // numbers of runs in the order in which they were begun
  const asked = new Map<Answer, number>(); // runs, and the number of open questions about each
  const leftovers = new Leftovers(pool);

  /** A signal that aborts with the caller's or with the data set. */
  const until = (signal?: AbortSignal) => (signal ? either(life, signal) : life);
  const alive = () => {
    if (life.aborted) throw abortError(life);
  };
  /** An answer that is to be held: freed at once where the data set was closed before it came. */
  function whileOpen<T extends Pick<Answer, 'key'>>(answer: T): T {
    if (life.aborted) free(answer.key);
    alive();
    return answer;
  }
  /** How a short question is asked. */
  const question = (signal?: AbortSignal) => ({ extras: [...maps], signal: until(signal), priority: QUESTION });

  /** Runs under way, but for the first one that questions wait for. */
  const underWay = new Set<Promise<Report>>();

  function run(options: RunOptions = {}, watch: Watch = {}): Promise<Report> {
    const call = reportOf(options, watch).finally(() => underWay.delete(call));
    underWay.add(call);
    return call;
  }

  /** A run that ends after one that was begun later does not replace it: which ends first is left to chance. */
  async function reportOf(options: RunOptions, { signal, onProgress }: Watch): Promise<Report> {
    alive();
    const number = (begun += 1);
    const both = until(signal);
    const plan = await submit({ kind: 'plan', request: options }, [opened.key], question(signal));
    free(plan.key);
    const onAnswer = ({ outcome }: Answer) => outcome?.kind === 'report' && listener.soFar(outcome);
    const answer = whileOpen(
      await graph(plan, [opened.key], { signal: both, onProgress, onAnswer, extras: [...maps] }),
    );
    const report = plainReport(answer);
    if (number < latestBegun) {
      free(answer.key);
      return report;
    }
    // what it is still asked about outlives it
    if (latest && !asked.has(latest)) free(latest.key);
    leftovers.clear();
    [latest, latestReport, latestBegun] = [answer, report, number];
    // who asked has the answer before the page draws it; of several answers it draws the last
    setTimeout(() => latest === answer && !life.aborted && listener.reported(report));
    return report;
  }

  /** Questions that come before there is a run wait for one that is under way, and start one only where there is none. */
  const firstRun = together(async (signal) => {
    while (!latest && underWay.size > 0) await Promise.any(underWay).catch(() => {});
    if (!latest) await reportOf({}, { signal });
  });

  /** Asks about the last run. The run is kept until the question is answered, even if another run ends meanwhile. */
  async function ofRun<T>(ask: (of: Answer) => Promise<T>, signal?: AbortSignal): Promise<T> {
    alive();
    if (!latest) await firstRun(signal);
    const of = latest as unknown as Answer;
    asked.set(of, (asked.get(of) ?? 0) + 1);
    try {
      return await ask(of);
    } finally {
      const others = (asked.get(of) ?? 1) - 1;
      if (others > 0) asked.set(of, others);
      else {
        asked.delete(of);
        if (of !== latest && !life.aborted) free(of.key);
      }
    }
  }

  /** A short question about the last run; the caller frees the answer. */
  const fromReport = (job: wasm_bindgen.CallMessage, more: number[] = [], signal?: AbortSignal): Promise<Answer> =>
    ofRun((of) => submit(job, [opened.key, of.key, ...more], question(signal)), signal);

  /** A short question about the data set, which needs no run; the caller frees the answer. */
  function fromData(job: wasm_bindgen.CallMessage, signal?: AbortSignal): Promise<Answer> {
    alive();
    return submit(job, [opened.key], question(signal));
  }

  const views = new Set<number>(); // keys of the charts that are held
  /** A chart of the last run; who asks frees it. A map `before` of the same run is not computed again. */
  async function viewed(request: wasm_bindgen.ChartMessage, before?: Answer | null): Promise<View> {
    const view = whileOpen(await fromReport({ kind: 'view', request }, before ? [before.key] : []));
    views.add(view.key);
    return { ...view, outcome: outcomeOf('view', view) };
  }
  /** Frees a chart, once. */
  function freeView({ key }: Answer) {
    if (views.delete(key)) free(key);
  }

  /** An analysis of the last run; `more`: keys of further data sets. */
  const analysed = (request: wasm_bindgen.AnalysisRequest, more: number[], watch: Watch & Withholding = {}) =>
    ofRun((of) => answered(of, request, more, watch), watch.signal);

  /**
   * The answer of an analysis of this run. Outcomes of earlier plans are reused where the plans begin with the same
   * jobs.
   */
  async function answered(
    of: Answer,
    request: wasm_bindgen.AnalysisRequest,
    more: number[],
    { signal, onProgress, most = Infinity, suppress }: Watch & Withholding,
  ): Promise<Outcome & { columns: Answer['columns'] }> {
    const bases = [opened.key, of.key, ...more];
    // what is no threshold, such as 0 or '', is refused by the core
    const job: wasm_bindgen.CallMessage =
      suppress === undefined || suppress === null
        ? { kind: 'plan_analysis', request }
        : { kind: 'plan_withheld', request, suppress };
    const plan = await submit(job, bases, question(signal));
    free(plan.key);
    const extras = [...maps];
    const earlier = [...leftovers.plans, null];
    const runs = earlier.map((one) => toRun(plan, bases, extras, one).run);
    const { nodes } = outcomeOf('plan', plan);
    const costs = runs.map((run) => [...run].reduce((sum, i) => sum + nodes[i].cost, 0));
    const [least, all] = [Math.min(...costs), costs.at(-1) as number];
    const before = least < all ? earlier[costs.indexOf(least)] : null;
    if (least > most)
      throw Object.assign(
        codedError({
          code: 'costly',
          message: 'This computation would exceed the time limit.',
          hint: 'Allow more time.',
        }),
        { cost: least },
      );
    if (before) leftovers.hold(before);
    try {
      const answer = await graph(plan, bases, {
        signal: until(signal),
        onProgress,
        priority: ANALYSIS,
        extras,
        before,
      });
      const { key, outcome, columns } = answer;
      free(key);
      if (answer.left?.keys.size) leftovers.keep(answer.left, before);
      if (latest === of && !life.aborted) leftovers.trim();
      else leftovers.clear();
      // the page reads the outcome of the last step of an analysis
      return { ...(outcome as Outcome), columns };
    } finally {
      if (before) leftovers.release(before);
    }
  }

  /** Frees every run, its charts and what was left of it. */
  function freeAll() {
    const runs = [...asked.keys(), ...(latest ? [latest] : [])].map(({ key }) => key);
    for (const key of new Set([...runs, ...views])) free(key);
    views.clear();
    leftovers.clear();
  }

  return {
    run,
    analysed,
    viewed,
    freeView,
    fromReport,
    fromData,
    latest: () => latest,
    latestReport: () => latestReport,
    until,
    alive,
    whileOpen,
    freeAll,
  };
}

/**
 * The report as plain JSON: local columns become arrays, created on first access because they are long; NaN becomes
 * null.
 */
function plainReport(answer: Answer): Report {
  const { columns } = answer;
  const report = structuredClone(outcomeOf('report', answer).report);
  for (const name of ['slce', 'mass', 'n_eff'] as const) {
    // in the message, a column is an index among the columns that accompany it
    const place: unknown = report.local?.[name];
    if (typeof place !== 'number') continue;
    let values: (number | null)[] | undefined;
    const get = () => (values ??= Array.from(columns[place], (value) => (Number.isNaN(value) ? null : value)));
    Object.defineProperty(report.local, name, { enumerable: true, configurable: true, get });
  }
  return report;
}
