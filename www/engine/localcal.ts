// window.localcal: what the page does, a script can do. The page's own buttons call these functions.

import { either } from './either.js';
import { chartBlob, printWidth } from './chart.js';
import { compiled, embedded } from './core.js';
import { begun, experimented } from './experiment.js';
import { abortError, codedError } from './fault.js';
import { toRun, withPlans } from './plan.js';
import { ANALYSIS, QUESTION, createPool } from './pool.js';
import { outcomeOf } from './outcome.js';
import { projected } from './projection.js';
import { browserOf } from './surroundings.js';
import { together } from './together.js';
import { readable } from '../tables/read.js';
import type { Begun, Experiment, ExperimentWatch, Spec } from './experiment.js';
import type {
  AnalysisAnswer,
  AnalysisKind,
  AnalysisOptions,
  Answer,
  Drawn,
  Outcome,
  OutcomeOf,
  Showing,
} from './outcome.js';
import type { Left } from './plan.js';
import type { Progress } from './pool.js';
import type { FeatureMap } from './projection.js';

/** What can be exported, and its media type. */
const EXPORTS: Record<string, string> = {
  predictions: 'text/csv',
  calibrator: 'application/json',
  report: 'application/json',
  session: 'application/json',
  coordinates: 'text/csv',
  table: 'text/plain',
  applied: 'text/csv',
  snippet: 'text/plain',
};
/** How a report can be written beside JSON, and the media type of each. */
const WRITTEN: Record<string, string> = {
  html: 'text/html',
  latex: 'application/x-latex',
  markdown: 'text/markdown',
  tables: 'text/html',
};
declare const VERSION: string; // put in by the build
export type Summary = wasm_bindgen.Summary;
export type Source = File | { name: string; bytes: Uint8Array };
/** `most`: expected milliseconds beyond which an analysis is refused as `costly`. */
export type Watch = { signal?: AbortSignal; onProgress?: (progress: Progress) => void; most?: number };
export type OpenOptions = Partial<Omit<wasm_bindgen.OpenOptions, 'roles'>> & {
  roles?: Record<string, wasm_bindgen.Role>;
} & ReadOptions;
/** How tables are read: whether the first row holds names, and whether the last holds totals of the others (default: as
 * it looks); which sheet of a workbook, counted from 1 among those that hold a table (default: the first). */
export type ReadOptions = { header?: boolean | null; totals?: boolean | null; sheet?: number | null };
export type RunOptions = Partial<wasm_bindgen.RunRequest>;
export type Report = wasm_bindgen.Report;
/** Of a name that is known only when it runs, options and answer are whatever they are. */
type Analyse = <K extends AnalysisKind | (string & {})>(
  kind: K,
  options?: (K extends AnalysisKind ? AnalysisOptions<K> : Record<string, unknown>) & { others?: Data[] },
  watch?: Watch,
) => Promise<K extends AnalysisKind ? AnalysisAnswer<K> : Record<string, unknown> & { columns: Answer['columns'] }>;
export type Data = {
  summary: Summary;
  run: (options?: RunOptions, watch?: Watch) => Promise<Report>;
  analyse: Analyse;
  project: (request?: wasm_bindgen.ProjectionRequest, watch?: Watch) => Promise<FeatureMap>;
  experiment: (
    spec: Spec,
    watch?: Omit<ExperimentWatch, 'resume'> & { resume?: Begun | Blob | string; others?: Data[] },
  ) => Promise<Experiment>;
  /** The figures and tables of papers, prepared for this data set. */
  papers: () => Promise<wasm_bindgen.Paper[]>;
  export: (kind: string, options?: Record<string, unknown>) => Promise<Blob>;
  /** What a file that can be saved says about single rows. */
  about: (kind: string) => Promise<wasm_bindgen.FileAbout>;
  close: () => void;
};

/** What an export reads itself; the rest is for the core. */
interface ExportOptions extends Record<string, unknown> {
  signal?: AbortSignal;
  format?: string;
  theme?: string;
  width?: number;
  width_mm?: number;
  identifiers?: boolean;
}

/** Tells the page what was chosen, opened, reported (or is so far) and closed, whoever asked for it. */
export const happenings = new EventTarget();
const tell = (kind: 'chosen' | 'opened' | 'so far' | 'reported' | 'closed', detail: object = {}) =>
  happenings.dispatchEvent(new CustomEvent(kind, { detail }));

/** How many workers a link may ask for: each has its own memory of the core. */
export const WORKERS = { low: 1, high: 64, whole: true };
/** The number of workers that a link asks for; null: it asks for none that may be. */
export function workersIn(hash: string): number | null {
  const asked = new URLSearchParams(hash.slice(1)).get('workers') ?? '';
  const number = /^\d{1,3}$/.test(asked) ? Number(asked) : 0;
  return number >= WORKERS.low && number <= WORKERS.high ? number : null;
}
/** How many workers share a run. */
export const workers = workersIn(location.hash) ?? Math.min(navigator.hardwareConcurrency || 1, 8);
const pool = compiled.then((module) =>
  withPlans(createPool(browserOf(`${embedded('glue')}\n${embedded('worker')}`, module), workers)),
);
export const ready = pool.then(() => undefined);
ready.catch(() => {}); // who awaits it sees the failure

let catalogue: Promise<wasm_bindgen.Catalogue> | null = null;
/** What can be asked for, as the core says it: told once, and again where that failed. */
function whatThereIs(): Promise<wasm_bindgen.Catalogue> {
  catalogue ??= pool.then(async ({ submit, free }) => {
    const answer = await submit({ kind: 'describe' }, [], { priority: QUESTION });
    free(answer.key);
    const { kind: _, ...described } = outcomeOf('catalogue', answer);
    return described;
  });
  catalogue.catch(() => (catalogue = null));
  return catalogue;
}

/** What can be asked for by a name, in words: metrics, methods, analyses with their options. */
export const describe = async (): Promise<wasm_bindgen.Catalogue> => structuredClone(await whatThereIs());

const chosen = new Promise((resolve) => happenings.addEventListener('chosen', resolve, { once: true }));

/** The same for the page, from when the first file is chosen: opening the page does not wait for it. */
export const described = () => chosen.then(whatThereIs);

/** A screen of the calibration lab. */
export async function labOf(
  request: Record<string, unknown>,
): Promise<{ outcome: wasm_bindgen.LabAnswer; columns: Answer['columns'] }> {
  const { submit, free } = await pool;
  const answer = await submit({ kind: 'lab', request }, [], { priority: QUESTION });
  free(answer.key);
  return { outcome: outcomeOf('lab', answer), columns: answer.columns };
}

/** The statement that counts the rows of a table where they are, and what to know before it runs. */
export async function countStatement(request: wasm_bindgen.CountRequest): Promise<{ sql: string; notes: string[] }> {
  const { submit, free } = await pool;
  const answer = await submit({ kind: 'count_statement', request }, [], { priority: QUESTION });
  free(answer.key);
  const { notes = [] } = outcomeOf('bytes', answer);
  return { sql: new TextDecoder().decode(answer.columns[0] as Uint8Array), notes };
}

/** Files up to so many bytes stay as they were read, so that a changed role does not read them again. */
const KEPT_FILE = 16e6;
/** Their answers, with how they were read. */
const readFiles: WeakMap<File, { answer: Answer; users: number } & ReadOptions> = new WeakMap();

/** Runs a job outside any data set. */
export async function bytesOf(job: wasm_bindgen.CallMessage, { signal }: Watch = {}): Promise<Uint8Array> {
  const { submit, free } = await pool;
  const answer = await submit(job, [], { signal, priority: QUESTION });
  free(answer.key);
  return answer.columns[0] as Uint8Array;
}

async function read(
  file: File,
  { signal, onProgress, header, totals, sheet }: Watch & ReadOptions,
): Promise<{ key: number; release: () => void }> {
  const { submit, free } = await pool;
  const before = readFiles.get(file);
  const asked = { header: header ?? null, totals: totals ?? null, sheet: sheet ?? null };
  const same = before?.header === asked.header && before?.totals === asked.totals && before?.sheet === asked.sheet;
  const known = same ? before : undefined;
  if (known) known.users += 1;
  const label = `Reading ${file.name}`;
  const entry = known ?? {
    users: 1,
    ...asked,
    answer: await submit(
      { kind: 'read', name: file.name, header: header ?? undefined, totals: totals ?? undefined },
      [],
      {
        signal,
        priority: QUESTION,
        file: await readable(file, { signal, sheet, onShare: (done) => onProgress?.({ done, total: 1, label }) }),
        onProgress: (done) => onProgress?.({ done, total: 1, label }),
      },
    ),
  };
  readFiles.set(file, entry);
  return {
    key: entry.answer.key,
    release() {
      entry.users -= 1;
      if (entry.users > 0) return;
      free(entry.answer.key);
      if (readFiles.get(file) === entry) readFiles.delete(file);
    },
  };
}

/** How many plans of analyses leave something for the next one. */
const LEFT_PLANS = 8;
/** And how many bytes of outcomes they may leave together. */
const LEFT_BYTES = 64e6;

/** How many times files were chosen to be shown: the last choice is shown, whatever the order in which they arrive. */
let choices = 0;

/**
 * Opens files as one data set; `header`: whether the first row of tables holds names (default: as it looks),
 * `totals`: whether the last row holds totals of the others and is left out; `sheet`: of a workbook, counted from 1
 * among those with a table; `beside`: the page goes on showing what it shows.
 */
export async function open(
  files: Source[],
  { signal, onProgress, beside = false, ...given }: OpenOptions & Watch & { beside?: boolean } = {},
): Promise<Data> {
  const { header, totals, sheet, ...options } = given;
  if (typeof options.session === 'string') options.session = parsed(options.session, 'session');
  if (options.session instanceof Blob) options.session = parsed(await options.session.text(), 'session');
  const choice = beside ? null : (choices += 1);
  if (!beside) tell('chosen');
  const sources = Array.from(files, (one) =>
    one instanceof File ? one : new File([one.bytes as Uint8Array<ArrayBuffer>], one.name),
  );
  const { submit, free } = await pool;
  const reads = await Promise.allSettled(
    sources.map((source) => read(source, { signal, onProgress, header, totals, sheet })),
  );
  const held = reads.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  let release = () => held.forEach((one) => one.release());
  try {
    for (const one of reads) if (one.status === 'rejected') throw one.reason;
    const keys = held.map((one) => one.key);
    const assemble = (change: Partial<OpenOptions>, until: AbortSignal) =>
      submit({ kind: 'assemble', options: { ...options, ...change } }, keys, { signal: until, priority: QUESTION });
    const answer = await submit({ kind: 'assemble', options }, keys, { signal, priority: QUESTION });
    // who shows it reads its settings by what can be asked; where that is not known, whoever asks hears why
    if (choice !== null) await described().catch(() => null);
    if (signal?.aborted) {
      free(answer.key);
      throw abortError(signal);
    }
    // other models of the same rows are assembled from the files when they are asked for
    const models = outcomeOf('data', answer).summary.models.length > 1;
    if (!models && sources.reduce((sum, { size }) => sum + size, 0) > KEPT_FILE) {
      release();
      release = () => {};
    }
    const data = await dataOf(answer, sources, release, assemble);
    if (choice === choices) tell('opened', { data, files: sources, options: given });
    return data;
  } catch (error) {
    if (!signal?.aborted && held.length === sources.length)
      await explain(
        error,
        held.map(({ key }) => key),
        options,
      );
    release();
    throw error;
  }
}

/** Tells with a failure what the columns were taken for, so that a person can say better. */
async function explain(error: unknown, files: number[], options: OpenOptions) {
  const { submit, free } = await pool;
  await submit({ kind: 'recognise', options }, files, { priority: QUESTION }).then(
    (answer) => {
      free(answer.key);
      Object.assign(error as object, { summary: outcomeOf('recognised', answer).summary });
    },
    () => {},
  ); // the failure itself is told
}

/** A figure of `data.analyse(analysis, options)`; `figure`: its place among those of the answer, from 0. */
type FigureRequest = { analysis: string; figure?: number; options?: Record<string, unknown> };
export type ChartRequest = wasm_bindgen.ChartMessage;
/** A chart, and how it came about. */
export type View = Answer & { outcome: OutcomeOf<'view'> };
type Inside = {
  submit: (job: wasm_bindgen.CallMessage, more?: number[]) => Promise<Answer>;
  free: (key: number) => void;
  latest: () => Answer | null;
  presentation: () => wasm_bindgen.Presentation | undefined;
  opened: Answer;
  /** what is known since it was opened */
  opening: OutcomeOf<'data'>;
  /** keys of the charts that are held; they are freed with the data set */
  views: Set<number>;
};

/** What the page may ask of a data set beyond the five calls. */
const insides: WeakMap<Data, Inside> = new WeakMap();

/**
 * A chart of the last run as figure and columns; who asks frees it. A map `before` of the same run, if only its window
 * or its colors change, is not computed again.
 */
export async function viewOf(data: Data, request: ChartRequest, before?: Answer | null): Promise<View> {
  const { submit, views } = insides.get(data) as Inside;
  const view = await submit({ kind: 'view', request }, before ? [before.key] : []);
  views.add(view.key);
  return { ...view, outcome: outcomeOf('view', view) };
}

/** Frees a chart, once. */
export function freeView(data: Data, view: Answer) {
  const inside = insides.get(data);
  if (inside?.views.delete(view.key)) inside.free(view.key);
}

/** Charts of one place on the page; null: it went meanwhile. */
type Charts = { ask: (data: Data, request: ChartRequest) => Promise<View | null>; free: () => void };

/**
 * Asks for charts, one after the other: of the same run nothing is found again that the last one showed. Each frees the
 * one before it, `free` the last, and what comes after.
 */
export function charts(): Charts {
  let last: { data: Data; run: Answer | null; view: View } | null = null;
  let gone = false;
  const freeLast = () => {
    if (last) freeView(last.data, last.view);
    last = null;
  };
  async function ask(data: Data, request: ChartRequest) {
    const run = insides.get(data)?.latest() ?? null;
    const before = last?.data === data && last.run === run ? last.view : null;
    const view = await viewOf(data, request, before);
    freeLast();
    if (gone) freeView(data, view);
    else last = { data, run, view };
    return gone ? null : view;
  }
  function free() {
    gone = true;
    freeLast();
  }
  return { ask, free };
}

/** The row nearest to a place on a map. */
export async function rowAt(data: Data, view: Answer, x: number, y: number) {
  const inside = insides.get(data) as Inside;
  const answer = await inside.submit({ kind: 'locate', x, y }, [view.key]);
  inside.free(answer.key);
  const { at, lines } = outcomeOf('card', answer);
  return at && { x: at[0], y: at[1], lines };
}

/** Local settings for a person who chose none. */
export const suggestionOf = (data: Data): wasm_bindgen.LocalSuggestion | undefined =>
  insides.get(data)?.opening.suggestion ?? undefined;

/** Methods and maps for an open file. */
export const offerOf = (data: Data): wasm_bindgen.Offer => (insides.get(data) as Inside).opening.offer;

/** What the page shows of the last run. */
export const presentationOf = (data: Data): wasm_bindgen.Presentation | undefined => insides.get(data)?.presentation();

/** The five calls on what was opened; `assemble` puts the same files together with something changed. */
async function dataOf(
  opened: Answer,
  sources: File[],
  release: () => void,
  assemble: (change: Partial<OpenOptions>, signal: AbortSignal) => Promise<Answer>,
): Promise<Data> {
  const { submit, graph, free, discard } = await pool;
  const opening = outcomeOf('data', opened);
  const life = new AbortController();
  let latest: Answer | null = null;
  const asked = new Map<Answer, number>(); // runs, and how many questions about each are under way
  const maps = [] as number[]; // feature maps, for every job of the data set
  const views = new Set<number>(); // charts that a person holds
  const left = [] as Left[]; // by plans about the last run, the latest at the end
  /** Frees what plans left, but for some of the latest. */
  const forget = (most: number = 0) => {
    const room = () => left.reduce((sum, { bytes }) => sum + bytes, 0) <= LEFT_BYTES;
    while (left.length > most || !room()) left.shift()?.keys.forEach(discard);
  };

  /** A signal that ends with the caller's or with the data set. */
  const until = (signal?: AbortSignal) => (signal ? either(life.signal, signal) : life.signal);
  const alive = () => {
    if (life.signal.aborted) throw abortError(life.signal);
  };

  async function run(options: RunOptions = {}, { signal, onProgress }: Watch = {}): Promise<Report> {
    alive();
    const both = until(signal);
    const plan = await submit({ kind: 'plan', request: options }, [opened.key], {
      extras: [...maps],
      signal: both,
      priority: QUESTION,
    });
    free(plan.key);
    const onAnswer = ({ outcome }: Answer) => outcome?.kind === 'report' && tell('so far', { data, ...outcome });
    const answer = await graph(plan, [opened.key], { signal: both, onProgress, onAnswer, extras: [...maps] });
    // what it is still asked about outlives it
    if (latest && !asked.has(latest)) free(latest.key);
    forget();
    latest = answer;
    const report = plainReport(answer);
    // who asked has the answer before the page draws it; of several answers it draws the last
    setTimeout(() => latest === answer && !life.signal.aborted && tell('reported', { data, report }));
    return report;
  }

  async function analyse(
    kind: string,
    { others = [], ...options }: Record<string, unknown> & { others?: Data[] } = {},
    { signal, onProgress, most = Infinity, suppress }: Watch & Withholding = {},
  ): Promise<Outcome & { columns: Answer['columns'] }> {
    const request = { [kind]: options } as unknown as wasm_bindgen.AnalysisRequest;
    const models = kind === 'models' ? await otherModels() : [];
    const more = [...models, ...others.map((other) => insides.get(other)?.opened.key ?? -1)];
    return ofRun((of) => answered(of, request, more, { signal, onProgress, most, suppress }), signal);
  }

  /** The answer of an analysis of this run, from what earlier ones left where they begin alike. */
  async function answered(
    of: Answer,
    request: wasm_bindgen.AnalysisRequest,
    more: number[],
    { signal, onProgress, most = Infinity, suppress }: Watch & Withholding,
  ) {
    const bases = [opened.key, of.key, ...more];
    const job: wasm_bindgen.CallMessage = suppress
      ? { kind: 'plan_withheld', request, suppress }
      : { kind: 'plan_analysis', request };
    const plan = await submit(job, bases, {
      extras: [...maps],
      signal: until(signal),
      priority: QUESTION,
    });
    free(plan.key);
    const extras = [...maps];
    const runs = [...left, null].map((one) => toRun(plan, bases, extras, one).run);
    const { nodes } = outcomeOf('plan', plan);
    const costs = runs.map((run) => [...run].reduce((sum, i) => sum + nodes[i].cost, 0));
    const [least, all] = [Math.min(...costs), costs.at(-1) as number];
    const place = costs.indexOf(least);
    // what saves little is left to the question that it came from
    const saves = least < all && (runs[place].size === 1 || least < 0.5 * all);
    const cost = saves ? least : all;
    if (cost > most)
      throw Object.assign(
        codedError({
          code: 'costly',
          message: 'This computation would exceed the time limit.',
          hint: 'Allow more time.',
        }),
        { cost },
      );
    // what is in use is no one else's meanwhile
    const before = saves ? left.splice(place, 1)[0] : null;
    const answer = await graph(plan, bases, {
      signal: until(signal),
      onProgress,
      priority: ANALYSIS,
      extras,
      before,
    });
    const { key, outcome, columns } = answer;
    free(key);
    if (answer.left?.keys.size) left.push(answer.left);
    forget(latest === of && !life.signal.aborted ? LEFT_PLANS : 0);
    // what the last step of an analysis finds is what the page reads
    return { ...(outcome as Outcome), columns };
  }

  /** The other models of the same rows, from when they are first compared. */
  let siblings: Promise<Answer[]> | null = null;
  async function otherModels() {
    alive();
    const names = opening.summary.models.slice(1);
    siblings ??= Promise.all(names.map((model) => assemble({ model }, life.signal)));
    try {
      return (await siblings).map(({ key }) => key);
    } catch (error) {
      siblings = null;
      throw error;
    }
  }

  /** The run that questions wait for where there is none yet. */
  const firstRun = together((signal) => run({}, { signal }));

  /** Asks about the last run; another run that ends meanwhile takes nothing away from the question. */
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
        if (of !== latest && !life.signal.aborted) free(of.key);
      }
    }
  }

  /** Who asks frees the answer. */
  const fromReport = (job: wasm_bindgen.CallMessage, more: number[] = [], signal?: AbortSignal): Promise<Answer> =>
    ofRun((of) => {
      const needs = [opened.key, of.key, ...more];
      return submit(job, needs, { extras: [...maps], signal: until(signal), priority: QUESTION });
    }, signal);

  /** The report as a document; without identifiers, files have no names in it. */
  async function writtenReport(
    { identifiers = true, format, ...options }: Record<string, unknown> & { identifiers?: boolean; format?: string },
    signal?: AbortSignal,
  ) {
    const files = await Promise.all(sources.map((source) => fileRecord(source, identifiers)));
    const answer = await analyse('document', { files, format, ...options }, { signal });
    const { bytes } = outcomeOf('bytes', { outcome: answer });
    return new Blob([answer.columns[bytes] as Uint8Array<ArrayBuffer>], {
      type: WRITTEN[format ?? ''] ?? 'text/plain',
    });
  }

  /** A figure of an analysis, in the order in which its sheet shows them. */
  async function figureOf(
    { analysis, figure = 0, options, suppress }: FigureRequest & Withholding,
    width?: number,
    signal?: AbortSignal,
  ): Promise<Drawn> {
    const known = (await whatThereIs()).analyses.find(({ kind }) => kind === analysis);
    const fits = width !== undefined && known?.options.some(({ name }) => name === 'width');
    const {
      columns,
      sheet,
      figures: own = [],
    }: Showing & Pick<Answer, 'columns'> = await analyse(
      analysis,
      { ...options, ...(fits && { width }) },
      { signal, suppress },
    );
    const ofSheet = (sheet?.blocks ?? []).flatMap((block) => ('figures' in block ? block.figures : []));
    const figures = [...ofSheet, ...own];
    const number = figures.length === 1 ? '1 figure' : `${figures.length} figures`;
    if (!figures[figure])
      throw codedError({
        code: 'invalid_option',
        message: `“${analysis}” has ${number}; figure ${figure} does not exist.`,
        hint: figures.length ? `Use 0 to ${figures.length - 1}.` : 'Its results are numbers and tables.',
      });
    if (!figures[figure].panels.length && suppress) throw withheldFigure(figures[figure]);
    return { outcome: { figure: figures[figure] }, columns };
  }

  /** Names of the maps that experiments asked for, by what they asked for. */
  const made = new Map<string, string>();
  /** The name of such a map; it is made where no one asked for the same before. */
  async function mapOf(
    request: wasm_bindgen.ProjectionRequest,
    { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => void },
  ) {
    const written = JSON.stringify(request);
    const known = made.get(written);
    if (known !== undefined) return known;
    // the core finds a name that nothing else has
    const { name } = await data.project({ ...request, name: undefined }, { signal, onProgress });
    made.set(written, name);
    return name;
  }

  const data: Data = Object.freeze({
    summary: opening.summary,
    run,
    analyse: analyse as Analyse,
    async project(request = {}, { signal, onProgress } = {}) {
      alive();
      const { key, map } = await projected(submit, [opened.key], request, {
        extras: [...maps],
        signal: until(signal),
        onProgress,
      });
      maps.push(key);
      return map;
    },
    async experiment(spec, { resume, others = [], signal, ...watch } = {}) {
      alive();
      const bases = [opened.key, ...others.map((other) => insides.get(other)?.opened.key ?? -1)];
      const text = resume instanceof Blob ? await resume.text() : resume;
      const begin = typeof text === 'string' ? begun(text) : text;
      const within = { submit, graph, free, bases, extras: () => [...maps], map: mapOf, signal: until(signal) };
      return experimented(within, spec, { ...watch, resume: begin });
    },
    async papers() {
      alive();
      const answer = await submit({ kind: 'papers' }, [opened.key], { priority: QUESTION });
      free(answer.key);
      return outcomeOf('papers', answer).papers;
    },
    async export(kind: string, { signal, ...options }: ExportOptions = {}) {
      if (kind === 'chart') {
        const { format = 'svg', theme = 'screen', width_mm = 85, ...request } = options;
        // a figure for paper is always drawn as wide as its letters need, in SVG or PDF
        const printed = theme === 'print';
        const written = printed && format !== 'pdf' ? 'svg' : format;
        if (request.analysis !== undefined) {
          const width = printed ? await printWidth(width_mm) : request.width;
          const answer = await figureOf(request as FigureRequest, width, signal);
          return chartBlob(answer, written, printed ? width_mm : undefined);
        }
        if (printed) request.width = await printWidth(width_mm);
        const view = await fromReport({ kind: 'view', request: request as unknown as ChartRequest }, [], signal);
        return chartBlob(
          { outcome: outcomeOf('view', view), columns: view.columns },
          written,
          printed ? width_mm : undefined,
        ).finally(() => free(view.key));
      }
      if (kind === 'report' && (options.format ?? 'json') !== 'json') return writtenReport(options, signal);
      if (!Object.hasOwn(EXPORTS, kind))
        throw codedError({
          code: 'invalid_option',
          message: `Unknown export “${kind}”.`,
          hint: `Available: ${Object.keys(EXPORTS).join(', ')}, chart.`,
        });
      if (typeof options.calibrator === 'string') options.calibrator = parsed(options.calibrator);
      const job = { kind: `export_${kind}`, ...options } as wasm_bindgen.CallMessage;
      // a stored calibrator needs no run, and a file without labels has none
      alive();
      const answer = await (kind === 'applied'
        ? submit(job, [opened.key], { extras: [...maps], signal: until(signal), priority: QUESTION })
        : fromReport(job, [], signal));
      free(answer.key);
      const file: NotedFile = new Blob([answer.columns[0] as Uint8Array<ArrayBuffer>], { type: EXPORTS[kind] });
      file.notes = outcomeOf('bytes', answer).notes;
      return file;
    },
    async about(kind: string) {
      alive();
      const answer = await submit({ kind: 'about', export: kind }, [opened.key], { priority: QUESTION });
      free(answer.key);
      return outcomeOf('about', answer);
    },
    close() {
      if (life.signal.aborted) return;
      life.abort(codedError({ code: 'closed', message: 'The data set was closed.', hint: 'Open it again.' }));
      const runs = new Set([...asked.keys(), ...(latest ? [latest] : [])]);
      for (const key of [opened.key, ...maps, ...views, ...[...runs].map((of) => of.key)]) free(key);
      views.clear();
      forget();
      siblings?.then(
        (models) => models.forEach(({ key }) => free(key)),
        () => {},
      );
      release();
      tell('closed', { data });
    },
  });
  const presentation = () => latest && outcomeOf('report', latest).presentation;
  insides.set(data, {
    submit: fromReport,
    free,
    latest: () => latest,
    presentation: () => presentation() ?? undefined,
    opened,
    opening,
    views,
  });
  return data;
}

/** Of an analysis that is asked with small counts withheld. */
interface Withholding {
  /** counts below this one, and what would tell them, are withheld: the answer is the sheet alone */
  suppress?: number;
}

/** Why a figure is not written: it is withheld, and says so. */
const withheldFigure = ({ title }: wasm_bindgen.Figure) =>
  codedError({
    code: 'too_few_rows',
    message: title,
    hint: 'Request it without suppressing counts, or request another figure.',
  });

/** A file that leaves, and sentences that a person should know of it, where there are any. */
export type NotedFile = Blob & { notes?: string[] };

/** A file as a report tells of it. */
async function fileRecord(file: File, named: boolean) {
  // browsers compute it only where no one can have changed the page on its way
  const digest = await crypto.subtle?.digest('SHA-256', await file.arrayBuffer());
  const sha256 = digest && Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { name: named ? file.name : '', bytes: file.size, sha256 };
}

/** The text of a stored calibrator or session as an object. */
function parsed(text: string, what: 'calibrator' | 'session' = 'calibrator'): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    if (what === 'session')
      throw codedError({
        code: 'invalid_option',
        message: `The session cannot be read: it is not valid JSON (${message}).`,
        hint: 'Pass the JSON written by the export `session` unchanged.',
      });
    throw codedError({
      code: 'calibrator_unreadable',
      message: `The calibrator cannot be read: it is not valid JSON (${message}).`,
      hint: 'Choose a calibrator.json exported by LoCal.',
    });
  }
}

/**
 * The report as plain JSON: local columns become arrays (made when they are first looked at: they are long), NaN
 * becomes null.
 */
function plainReport(answer: Answer): Report {
  const { columns } = answer;
  const report = structuredClone(outcomeOf('report', answer).report);
  for (const name of ['slce', 'mass', 'n_eff'] as const) {
    // on its way a column is its place among those that travel beside the message
    const place: unknown = report.local?.[name];
    if (typeof place !== 'number') continue;
    let values: (number | null)[] | undefined;
    const get = () => (values ??= Array.from(columns[place], (value) => (Number.isNaN(value) ? null : value)));
    Object.defineProperty(report.local, name, { enumerable: true, configurable: true, get });
  }
  return report;
}

/** The documented global. */
export const localcal = Object.freeze({ version: VERSION, ready, open, describe });
Object.assign(window, { localcal });
