// window.localcal: what the page does, a script can do. The page's own buttons call these functions.

import { compiled, embedded } from './core.js';
import { begun, experimented } from './experiment.js';
import { exported, parsed } from './exports.js';
import { abortError, codedError } from './fault.js';
import { withPlans } from './plan.js';
import { QUESTION, createPool } from './pool.js';
import { outcomeOf } from './outcome.js';
import { projected } from './projection.js';
import { runsOf } from './runs.js';
import { sourcesOf } from './sources.js';
import { browserOf } from './surroundings.js';
import { readable } from '../tables/read.js';
import type { Begun, Experiment, ExperimentWatch, Spec } from './experiment.js';
import type { AnalysisAnswer, AnalysisKind, AnalysisOptions, Answer, Outcome, OutcomeOf } from './outcome.js';
import type { Progress } from './pool.js';
import type { ExportOptions } from './exports.js';
import type { FeatureMap } from './projection.js';
import type { Report, RunOptions, Watch, Withholding } from './runs.js';
import type { Source } from './sources.js';

export type { NotedFile } from './exports.js';
export type { Report, RunOptions, Watch } from './runs.js';
export type { Source } from './sources.js';

declare const VERSION: string; // put in by the build
export type Summary = wasm_bindgen.Summary;
export type OpenOptions = Partial<Omit<wasm_bindgen.OpenOptions, 'roles'>> & {
  roles?: Record<string, wasm_bindgen.Role>;
} & ReadOptions;
/** How tables are read: whether the first row holds names, and whether the last holds totals of the others (default: as
 * it looks); which sheet of a workbook, counted from 1 among those that hold a table (default: the first). */
export type ReadOptions = { header?: boolean | null; totals?: boolean | null; sheet?: number | null };
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
  const sources = sourcesOf(files);
  const choice = beside ? null : (choices += 1);
  if (!beside) tell('chosen');
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
  const { submit, graph, free } = await pool;
  const opening = outcomeOf('data', opened);
  const life = new AbortController();
  const maps = [] as number[]; // feature maps, for every job of the data set
  const views = new Set<number>(); // charts that a person holds
  const runs = runsOf(
    { pool: await pool, opened, maps, life: life.signal },
    {
      soFar: (outcome) => tell('so far', { data, ...outcome }),
      reported: (report) => tell('reported', { data, report }),
    },
  );
  const { alive, until } = runs;
  const keyOf = (other: Data) => insides.get(other)?.opened.key ?? -1;

  async function analyse(
    kind: string,
    { others = [], ...options }: Record<string, unknown> & { others?: Data[] } = {},
    watch: Watch & Withholding = {},
  ): Promise<Outcome & { columns: Answer['columns'] }> {
    const request = { [kind]: options } as unknown as wasm_bindgen.AnalysisRequest;
    const models = kind === 'models' ? await otherModels() : [];
    return runs.analysed(request, [...models, ...others.map(keyOf)], watch);
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
    run: runs.run,
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
      const bases = [opened.key, ...others.map(keyOf)];
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
    export: (kind: string, options: ExportOptions = {}) =>
      exported({ runs, analyse, free, sources, catalogue: whatThereIs }, kind, options),
    async about(kind: string) {
      alive();
      const answer = await submit({ kind: 'about', export: kind }, [opened.key], { priority: QUESTION });
      free(answer.key);
      return outcomeOf('about', answer);
    },
    close() {
      if (life.signal.aborted) return;
      life.abort(codedError({ code: 'closed', message: 'The data set was closed.', hint: 'Open it again.' }));
      for (const key of [opened.key, ...maps, ...views]) free(key);
      views.clear();
      runs.freeAll();
      siblings?.then(
        (models) => models.forEach(({ key }) => free(key)),
        () => {},
      );
      release();
      tell('closed', { data });
    },
  });
  insides.set(data, {
    submit: runs.fromReport,
    free,
    latest: runs.latest,
    presentation: () => {
      const latest = runs.latest();
      return (latest && outcomeOf('report', latest).presentation) ?? undefined;
    },
    opened,
    opening,
    views,
  });
  return data;
}

/** The documented global. */
export const localcal = Object.freeze({ version: VERSION, ready, open, describe });
Object.assign(window, { localcal });
