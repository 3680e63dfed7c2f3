// window.localcal: the scripted interface. The page's own buttons call the same functions.

import { withMembers } from './archives.js';
import { optionsOf } from './arguments.js';
import { chartsFrom } from './charts.js';
import { compiled, embedded } from './core.js';
import { either } from './either.js';
import { begun, experimented } from './experiment.js';
import { exported, notedFile, parsed } from './exports.js';
import { abortError, codedError } from './fault.js';
import { withPlans } from './plan.js';
import { QUESTION } from './crew.js';
import { createPool } from './pool.js';
import { outcomeOf } from './outcome.js';
import { mapNames, projected } from './projection.js';
import { runsOf } from './runs.js';
import { sourcesOf } from './sources.js';
import { browserOf } from './surroundings.js';
import { inOrder, once } from './together.js';
import { readable, refuseSheetOfOthers } from '../tables/read.js';
import type { Begun, Experiment, ExperimentWatch, Spec } from './experiment.js';
import type { AnalysisAnswer, AnalysisKind, AnalysisOptions, Answer, Outcome, OutcomeOf } from './outcome.js';
import type { ExportOptions, NotedFile } from './exports.js';
import type { FeatureMap } from './projection.js';
import type { Report, RunOptions, Runs, View, Watch, Withholding } from './runs.js';
import type { Source } from './sources.js';

export type { NotedFile } from './exports.js';
export type { Report, RunOptions, View, Watch } from './runs.js';
export type { Source } from './sources.js';

declare const VERSION: string; // defined by the build
export type Summary = wasm_bindgen.Summary;
export type OpenOptions = Partial<Omit<wasm_bindgen.OpenOptions, 'roles'>> & {
  roles?: Record<string, wasm_bindgen.Role>;
} & ReadOptions;
/**
 * How tables are read: whether the first row contains names, and whether the last contains totals (default: detected);
 * which sheet of a workbook, counted from 1 among those that contain a table (default: the first with data).
 */
export type ReadOptions = { header?: boolean | null; totals?: boolean | null; sheet?: number | null };
/** For a name that is known only at run time, the types of options and answer are open. */
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
  /** What an export discloses about single rows. */
  about: (kind: string) => Promise<wasm_bindgen.FileAbout>;
  close: () => void;
};

/** Notifies the page of files chosen, opened, reported (also partially) and closed, by the page or by a script. */
export const happenings = new EventTarget();
const tell = (kind: 'chosen' | 'opened' | 'so far' | 'reported' | 'closed', detail: object = {}) =>
  happenings.dispatchEvent(new CustomEvent(kind, { detail }));

/** Bounds of the number of workers in a link; each has its own memory. */
export const WORKERS = { low: 1, high: 64, whole: true };
/** The number of workers in a link; null if there is none within the bounds. */
export function workersIn(hash: string): number | null {
  const asked = new URLSearchParams(hash.slice(1)).get('workers') ?? '';
  const number = /^\d{1,3}$/.test(asked) ? Number(asked) : 0;
  return number >= WORKERS.low && number <= WORKERS.high ? number : null;
}
/** Number of workers of a run. */
export const workers = workersIn(location.hash) ?? Math.min(navigator.hardwareConcurrency || 1, 8);
const pool = compiled.then((module) =>
  withPlans(createPool(browserOf(`${embedded('glue')}\n${embedded('worker')}`, module), workers)),
);
export const ready = pool.then(() => undefined);
ready.catch(() => {}); // the failure is reported to those who await it

/** What can be asked for, as the core says it: told once, and again where that failed. */
const whatThereIs = once(async (): Promise<wasm_bindgen.Catalogue> => {
  const { submit, free } = await pool;
  const answer = await submit({ kind: 'describe' }, [], { priority: QUESTION });
  free(answer.key);
  const { kind: _, ...described } = outcomeOf('catalogue', answer);
  return described;
});

/** Everything that a request can name: metrics, methods, analyses with their options. */
export const describe = async (): Promise<wasm_bindgen.Catalogue> => structuredClone(await whatThereIs());

const chosen = new Promise((resolve) => happenings.addEventListener('chosen', resolve, { once: true }));

/** The same for the page, from the choice of the first file: opening the page does not wait for it. */
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

/** The SQL statement that counts the rows of a table in the database, and notes to read before it is run. */
export async function countStatement(request: wasm_bindgen.CountRequest): Promise<{ sql: string; notes: string[] }> {
  const { submit, free } = await pool;
  const answer = await submit({ kind: 'count_statement', request }, [], { priority: QUESTION });
  free(answer.key);
  const { notes = [] } = outcomeOf('bytes', answer);
  return { sql: new TextDecoder().decode(answer.columns[0] as Uint8Array), notes };
}

/** Counts of a file, as CSV, in which no cell counts fewer rows than `suppress`. */
export async function mergedCounts(
  source: File,
  suppress: number,
  { signal, onProgress }: Watch = {},
): Promise<NotedFile> {
  const { submit, free } = await pool;
  const onShare = (done: number) => onProgress?.({ done, total: 1, label: `Reading ${source.name}` });
  const file = await readable(source, { signal, onShare });
  const job = { kind: 'merge_counts', name: source.name, suppress } as const;
  const answer = await submit(job, [], { signal, priority: QUESTION, file, onProgress: onShare });
  free(answer.key);
  return notedFile(answer, 'text/csv');
}

/** Files up to this number of bytes are kept as read, so that a changed role does not read them again. */
const KEPT_FILE = 16e6;
/** Their outcomes, with the options of reading. */
const readFiles: WeakMap<File, { answer: Answer; users: number } & ReadOptions> = new WeakMap();

/** Runs a job outside any data set. */
export async function bytesOf(job: wasm_bindgen.CallMessage, { signal }: Watch = {}): Promise<Uint8Array> {
  const { submit, free } = await pool;
  const answer = await submit(job, [], { signal, priority: QUESTION });
  free(answer.key);
  return answer.columns[0] as Uint8Array;
}

/** The files, with those of an archive in its place. */
export const unpacked = (files: File[], { signal }: Watch = {}): Promise<File[]> =>
  withMembers(files, async (file) => {
    const { submit, free } = await pool;
    const answer = await submit({ kind: 'unpack', name: file.name }, [], { signal, priority: QUESTION, file });
    free(answer.key);
    const members = outcomeOf('unpacked', answer).files;
    return (
      members && members.map(({ name, bytes }) => new File([answer.columns[bytes] as Uint8Array<ArrayBuffer>], name))
    );
  });

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

/** Number of choices of files to display: the last choice is displayed, whatever the order in which they are opened. */
let choices = 0;

/**
 * Opens files, and those of archives, as one data set. `header`: whether the first row of tables contains names (default:
 * detected); `totals`: whether the last row contains totals and is excluded; `sheet`: of a workbook, counted from 1 among those
 * with a table; `beside`: the page keeps its display.
 */
export async function open(files: Source[], asked?: OpenOptions & Watch & { beside?: boolean }): Promise<Data> {
  const { signal, onProgress, beside = false, ...given } = optionsOf(asked, 'localcal.open');
  const { header, totals, sheet, ...options } = given;
  if (typeof options.session === 'string') options.session = parsed(options.session, 'session');
  if (options.session instanceof Blob) options.session = parsed(await options.session.text(), 'session');
  const listed = sourcesOf(files);
  const choice = beside ? null : (choices += 1);
  if (!beside) tell('chosen');
  const sources = await unpacked(listed, { signal });
  await refuseSheetOfOthers(sources, sheet);
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
    // the page needs the catalogue to interpret settings; if it is not available, its users receive the error
    if (choice !== null) await described().catch(() => null);
    if (signal?.aborted) {
      free(answer.key);
      throw abortError(signal);
    }
    // other models of the same rows are assembled from the files on request
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

/** Adds the interpretation of the columns to an error, so that the user can correct it. */
async function explain(error: unknown, files: number[], options: OpenOptions) {
  const { submit, free } = await pool;
  await submit({ kind: 'recognize', options }, files, { priority: QUESTION }).then(
    (answer) => {
      free(answer.key);
      Object.assign(error as object, { summary: outcomeOf('recognized', answer).summary });
    },
    () => {},
  ); // the original failure is reported
}

export type ChartRequest = wasm_bindgen.ChartMessage;
type Inside = {
  runs: Runs;
  /** ends with the data set */
  life: AbortSignal;
  free: (key: number) => void;
  presentation: () => wasm_bindgen.Presentation | undefined;
  opened: Answer;
  /** the outcome of opening */
  opening: OutcomeOf<'data'>;
};

/** Requests of the page to a data set beyond the five public calls. */
const insides: WeakMap<Data, Inside> = new WeakMap();

/**
 * A chart of the last run as figure and columns; the caller frees it. If only the window or the colors of the map
 * `before` of the same run change, it is not computed again.
 */
export const viewOf = (data: Data, request: ChartRequest, before?: Answer | null): Promise<View> =>
  (insides.get(data) as Inside).runs.viewed(request, before);

/** Frees a chart, once. */
export const freeView = (data: Data, view: Answer) => insides.get(data)?.runs.freeView(view);

/** Charts of one place on the page, one after the other. */
export const charts = () =>
  chartsFrom<Data, ChartRequest, View>({
    view: viewOf,
    free: freeView,
    run: (data) => insides.get(data)?.runs.latest() ?? null,
  });

/** The row nearest to a point of a map. */
export async function rowAt(data: Data, view: Answer, x: number, y: number) {
  const inside = insides.get(data) as Inside;
  const answer = await inside.runs.fromReport({ kind: 'locate', x, y }, [view.key]);
  inside.free(answer.key);
  const { at, lines } = outcomeOf('card', answer);
  return at && { x: at[0], y: at[1], lines };
}

/** Default local settings. */
export const suggestionOf = (data: Data): wasm_bindgen.LocalSuggestion | undefined =>
  insides.get(data)?.opening.suggestion ?? undefined;

/** Methods and maps available for an open file. */
export const offerOf = (data: Data): wasm_bindgen.Offer => (insides.get(data) as Inside).opening.offer;

/** The report of the last run: what analyses and exports are of. */
export const lastReportOf = (data: Data): Report | null => insides.get(data)?.runs.latestReport() ?? null;

/** The last run, as displayed. */
export const presentationOf = (data: Data): wasm_bindgen.Presentation | undefined => insides.get(data)?.presentation();

/** Keys of further data sets, and a signal that ends with each of them, too. */
function withOthers(others: Data[], signal?: AbortSignal): { keys: number[]; signal?: AbortSignal } {
  if (others.length === 0) return { keys: [], signal };
  const all = others.map((other) => insides.get(other));
  const there = all.filter((one) => one !== undefined);
  if (there.length < all.length)
    throw codedError({
      code: 'invalid_option',
      message: 'others: one of them is not a data set.',
      hint: 'Pass what localcal.open resolved to.',
    });
  const lives = there.map(({ life }) => life);
  return { keys: there.map(({ opened }) => opened.key), signal: either(...lives, ...(signal ? [signal] : [])) };
}

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
  const models = [] as number[]; // the other models of the same rows
  const runs = runsOf(
    { pool: await pool, opened, maps, life: life.signal },
    {
      soFar: (outcome) => tell('so far', { data, ...outcome }),
      reported: (report) => tell('reported', { data, report }),
    },
  );
  const { alive, until, whileOpen } = runs;
  async function analyse(
    kind: string,
    asked?: Record<string, unknown> & { others?: Data[] },
    watch: Watch & Withholding = {},
  ): Promise<Outcome & { columns: Answer['columns'] }> {
    const { others = [], ...options } = optionsOf(asked, 'data.analyse');
    const request = { [kind]: options } as unknown as wasm_bindgen.AnalysisRequest;
    const compared = kind === 'models' ? await otherModels() : [];
    const { keys, signal } = withOthers(others, watch.signal);
    return runs.analysed(request, [...compared, ...keys], { ...watch, signal });
  }

  /** Keys of the other models of the same rows, which are assembled when they are first compared. */
  const otherModels = once(async () => {
    alive();
    const names = opening.summary.models.slice(1);
    const answers = await Promise.allSettled(names.map((model) => assemble({ model }, life.signal)));
    const keys = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.key] : []));
    const failed = answers.find((one) => one.status === 'rejected');
    if (failed || life.signal.aborted) {
      keys.forEach(free);
      alive();
      throw failed?.reason;
    }
    models.push(...keys);
    return keys;
  });

  /** Maps are made one after the other: each takes a name that none of those before it has. */
  const inTurn = inOrder();

  const data: Data = Object.freeze({
    summary: opening.summary,
    run: async (options, watch) => runs.run(optionsOf(options, 'data.run'), watch),
    analyse: analyse as Analyse,
    async project(asked, { signal, onProgress } = {}) {
      alive();
      const request = optionsOf(asked, 'data.project');
      return inTurn(async (ends) => {
        const { key, map } = await projected(submit, [opened.key], request, {
          extras: [...maps],
          signal: ends,
          onProgress,
        });
        maps.push(whileOpen({ key }).key);
        return map;
      }, until(signal));
    },
    async experiment(asked, { resume, others = [], signal, ...watch } = {}) {
      alive();
      const spec = optionsOf(asked, 'data.experiment');
      const { keys, signal: ends } = withOthers(others, signal);
      const text = resume instanceof Blob ? await resume.text() : resume;
      const begin = typeof text === 'string' ? begun(text) : text;
      const bases = [opened.key, ...keys];
      const within = { submit, graph, free, bases, extras: () => [...maps], map: mapName, signal: until(ends) };
      return experimented(within, spec, { ...watch, resume: begin });
    },
    async papers() {
      alive();
      const answer = await submit({ kind: 'papers' }, [opened.key], { signal: life.signal, priority: QUESTION });
      free(answer.key);
      return outcomeOf('papers', answer).papers;
    },
    export: async (kind: string, options?: ExportOptions) =>
      exported({ runs, analyse, free, sources, catalogue: whatThereIs }, kind, optionsOf(options, 'data.export')),
    async about(kind: string) {
      alive();
      const answer = await submit({ kind: 'about', export: kind }, [opened.key], {
        signal: life.signal,
        priority: QUESTION,
      });
      free(answer.key);
      return outcomeOf('about', answer);
    },
    close() {
      if (life.signal.aborted) return;
      life.abort(codedError({ code: 'closed', message: 'The data set was closed.', hint: 'Open it again.' }));
      for (const key of [opened.key, ...maps, ...models]) free(key);
      runs.freeAll();
      release();
      tell('closed', { data });
    },
  });
  const mapName = mapNames(data.project);
  insides.set(data, {
    runs,
    life: life.signal,
    free,
    presentation: () => {
      const latest = runs.latest();
      return (latest && outcomeOf('report', latest).presentation) ?? undefined;
    },
    opened,
    opening,
  });
  return data;
}

/** The documented global object. */
export const localcal = Object.freeze({ version: VERSION, ready, open, describe });
Object.assign(window, { localcal });
