// window.localcal: what the page does, a script can do. The page's own buttons call these functions.

import { chartBlob } from './chart.js';
import { compiled, embedded } from './core.js';
import { hashSettings } from './state.js';
import { ANALYSIS, QUESTION, abortError, codedError, createPool, toRun } from './pool.js';
import { projected } from './projection.js';

/** @typedef {import('./pool.js').Answer} Answer */
/** What can be exported, and its media type. @type {Record<string, string>} */
const EXPORTS = {
  predictions: 'text/csv',
  calibrator: 'application/json',
  report: 'application/json',
  session: 'application/json',
  coordinates: 'text/csv',
  table: 'text/plain',
  applied: 'text/csv',
  snippet: 'text/plain',
};
/** @typedef {import('./pool.js').Progress} Progress */
/** @typedef {import('./pool.js').Left} Left */
/** @typedef {wasm_bindgen.Summary} Summary */
/** @typedef {File | { name: string, bytes: Uint8Array }} Source */
/**
 * `most`: expected milliseconds beyond which an analysis is refused as `costly`. @typedef {{ signal?: AbortSignal,
 * onProgress?: (progress: Progress) => void, most?: number }} Watch
 */
/**
 * @typedef {Partial<Omit<wasm_bindgen.OpenOptions, 'roles'>> & { roles?: Record<string, wasm_bindgen.Role>, header?:
 * boolean | null }} OpenOptions
 */
/** @typedef {Record<string, any>} RunOptions */
/** @typedef {Record<string, any>} Report */
/**
 * @typedef {{ summary: Summary, run: (options?: RunOptions, watch?: Watch) => Promise<Report>, analyse: (kind: string,
 * options?: Record<string, any>, watch?: Watch) => Promise<Record<string, any>>, project: (request?:
 * wasm_bindgen.ProjectionRequest, watch?: Watch) => Promise<import('./projection.js').FeatureMap>, export: (kind:
 * string, options?: Record<string, any>) => Promise<Blob>, close: () => void }} Data
 */

/** Tells the page what was chosen, opened, reported (or is so far) and closed, whoever asked for it. */
export const happenings = new EventTarget();
/** @param {'chosen' | 'opened' | 'so far' | 'reported' | 'closed'} kind @param {object} [detail] */
const tell = (kind, detail = {}) => happenings.dispatchEvent(new CustomEvent(kind, { detail }));

const pool = compiled.then((module) => {
  const size = Number(hashSettings().workers) || Math.min(navigator.hardwareConcurrency || 1, 8);
  return createPool(`${embedded('glue')}\n${embedded('worker')}`, module, size);
});
export const ready = pool.then(() => undefined);
ready.catch(() => {}); // who awaits it sees the failure

/** @type {Promise<wasm_bindgen.Catalogue> | null} */
let catalogue = null;
/** What can be asked for, as the core says it: told once, and again where that failed.
 * @returns {Promise<wasm_bindgen.Catalogue>} */
function whatThereIs() {
  catalogue ??= pool.then(async ({ submit, free }) => {
    const { key, outcome } = await submit({ kind: 'describe' }, [], { priority: QUESTION });
    free(key);
    const { kind: _, ...described } = outcome;
    return described;
  });
  catalogue.catch(() => (catalogue = null));
  return catalogue;
}

/**
 * What can be asked for by a name, in words: metrics, methods, analyses with their options. @returns
 * {Promise<wasm_bindgen.Catalogue>}
 */
export const describe = async () => structuredClone(await whatThereIs());

const chosen = new Promise((resolve) => happenings.addEventListener('chosen', resolve, { once: true }));

/** The same for the page, from when the first file is chosen: opening the page does not wait for it. */
export const described = () => chosen.then(whatThereIs);

/** Files up to so many bytes stay as they were read, so that a changed role does not read them again. */
const KEPT_FILE = 16e6;
/** Their answers; `header`: what was said of the first row.
 * @type {WeakMap<File, { answer: Answer, users: number, header?: boolean | null }>} */
const readFiles = new WeakMap();

/**
 * Runs a job outside any data set. @param {wasm_bindgen.CallMessage} job @param {Watch} [watch] @returns
 * {Promise<Uint8Array>}
 */
export async function bytesOf(job, { signal } = {}) {
  const { submit, free } = await pool;
  const answer = await submit(job, [], { signal, priority: QUESTION });
  free(answer.key);
  return /** @type {Uint8Array} */ (answer.columns[0]);
}

/**
 * @param {File} file @param {Watch & { header?: boolean | null }} watch @returns {Promise<{ key: number, release: () =>
 * void }>}
 */
async function read(file, { signal, onProgress, header }) {
  const { submit, free } = await pool;
  const before = readFiles.get(file);
  const known = before && (before.header ?? null) === (header ?? null) ? before : undefined;
  if (known) known.users += 1;
  const label = `Reading ${file.name}`;
  const entry = known ?? {
    users: 1,
    header,
    answer: await submit({ kind: 'read', name: file.name, header: header ?? undefined }, [], {
      signal,
      priority: QUESTION,
      file,
      onProgress: (done) => onProgress?.({ done, total: 1, label }),
    }),
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
 * Opens files as one data set; `header`: whether the first row of tables holds names (default: as it looks); `beside`:
 * the
 * page goes on showing what it shows. @param {Source[]} files @param {OpenOptions & Watch & { beside?: boolean }}
 * [given] @returns {Promise<Data>} */
export async function open(files, { signal, onProgress, beside = false, ...given } = {}) {
  const { header, ...options } = given;
  if (typeof options.session === 'string') options.session = parsed(options.session, 'session');
  if (options.session instanceof Blob) options.session = parsed(await options.session.text(), 'session');
  const choice = beside ? 0 : (choices += 1);
  if (!beside) tell('chosen');
  const sources = Array.from(files, (one) =>
    one instanceof File ? one : new File([/** @type {Uint8Array<ArrayBuffer>} */ (one.bytes)], one.name),
  );
  const { submit, free } = await pool;
  const reads = await Promise.allSettled(sources.map((source) => read(source, { signal, onProgress, header })));
  const held = reads.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  let release = () => held.forEach((one) => one.release());
  try {
    for (const one of reads) if (one.status === 'rejected') throw one.reason;
    const keys = held.map((one) => one.key);
    const assemble = (/** @type {Partial<OpenOptions>} */ change, /** @type {AbortSignal} */ until) =>
      submit({ kind: 'assemble', options: { ...options, ...change } }, keys, { signal: until, priority: QUESTION });
    const answer = await submit({ kind: 'assemble', options }, keys, { signal, priority: QUESTION });
    if (signal?.aborted) {
      free(answer.key);
      throw abortError(signal);
    }
    // other models of the same rows are assembled from the files when they are asked for
    const models = answer.outcome.summary.models.length > 1;
    if (!models && sources.reduce((sum, { size }) => sum + size, 0) > KEPT_FILE) {
      release();
      release = () => {};
    }
    const data = await dataOf(answer, release, assemble);
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

/** Tells with a failure what the columns were taken for, so that a person can say better.
 * @param {any} error @param {number[]} files @param {OpenOptions} options */
async function explain(error, files, options) {
  const { submit, free } = await pool;
  await submit({ kind: 'recognise', options }, files, { priority: QUESTION }).then(
    ({ outcome, key }) => {
      free(key);
      error.summary = outcome.summary;
    },
    () => {},
  ); // the failure itself is told
}

/** @typedef {wasm_bindgen.ChartMessage} ChartRequest */
/**
 * @typedef {{ submit: (job: wasm_bindgen.CallMessage, more?: number[]) => Promise<Answer>, free: (key: number) => void,
 * latest: () => Answer | null, opened: Answer }} Inside
 */

/** What the page may ask of a data set beyond the five calls. @type {WeakMap<Data, Inside>} */
const insides = new WeakMap();

/**
 * A chart of the last run as figure and columns; who asks frees it. A map `before` of the same run, if only its window
 * or
 * its colours change, is not computed again. @param {Data} data @param {ChartRequest} request @param {Answer | null}
 * [before] @returns {Promise<Answer>} */
export const viewOf = (data, request, before) =>
  /** @type {Inside} */ (insides.get(data)).submit(
    { kind: 'view', request: /** @type {any} */ (request) },
    before ? [before.key] : [],
  );

/** @param {Data} data @param {Answer} view */
export const freeView = (data, view) => insides.get(data)?.free(view.key);

/** Asks for charts, one after the other: of the same run nothing is found again that the last one showed. Nobody frees
 * them. @returns {(data: Data, request: ChartRequest) => Promise<Answer>} */
export function charts() {
  /** @type {{ data: Data, run: Answer | null, view: Answer } | null} */
  let last = null;
  return async (data, request) => {
    const run = insides.get(data)?.latest() ?? null;
    const before = last;
    const view = await viewOf(data, request, before?.data === data && before.run === run ? before.view : null);
    last = { data, run, view };
    if (before) freeView(before.data, before.view);
    return view;
  };
}

/** The row nearest to a place on a map. @param {Data} data @param {Answer} view @param {number} x @param {number} y */
export async function rowAt(data, view, x, y) {
  const inside = /** @type {Inside} */ (insides.get(data));
  const { outcome, key } = await inside.submit({ kind: 'locate', x, y }, [view.key]);
  inside.free(key);
  return outcome.at && { x: outcome.at[0], y: outcome.at[1], lines: outcome.lines };
}

/**
 * Local settings for a person who chose none. @param {Data} data @returns {wasm_bindgen.LocalSuggestion | undefined}
 */
export const suggestionOf = (data) => insides.get(data)?.opened.outcome.suggestion ?? undefined;

/** Methods and maps for an open file. @param {Data} data @returns {wasm_bindgen.Offer} */
export const offerOf = (data) => insides.get(data)?.opened.outcome.offer;

/** What the page shows of the last run. @param {Data} data @returns {wasm_bindgen.Presentation | undefined} */
export const presentationOf = (data) => insides.get(data)?.latest()?.outcome.presentation;

/**
 * @param {Answer} opened @param {() => void} release @param {(change: Partial<OpenOptions>, signal: AbortSignal) =>
 * Promise<Answer>} assemble
 * the same files with something changed @returns {Promise<Data>} */
async function dataOf(opened, release, assemble) {
  const { submit, graph, free, discard } = await pool;
  const life = new AbortController();
  /** @type {Answer | null} */
  let latest = null;
  const maps = /** @type {number[]} */ ([]); // feature maps, for every job of the data set
  const left = /** @type {Left[]} */ ([]); // by plans about the last run, the latest at the end
  /** Frees what plans left, but for some of the latest. @param {number} [most] */
  const forget = (most = 0) => {
    const room = () => left.reduce((sum, { bytes }) => sum + bytes, 0) <= LEFT_BYTES;
    while (left.length > most || !room()) left.shift()?.keys.forEach(discard);
  };

  /** A signal that ends with the caller's or with the data set. @param {AbortSignal} [signal] */
  const until = (signal) => (signal ? AbortSignal.any([life.signal, signal]) : life.signal);
  const alive = () => {
    if (life.signal.aborted) throw abortError(life.signal);
  };

  /** @type {Data['run']} */
  async function run(options = {}, { signal, onProgress } = {}) {
    alive();
    const both = until(signal);
    const plan = await submit({ kind: 'plan', request: options }, [opened.key], {
      extras: [...maps],
      signal: both,
      priority: QUESTION,
    });
    free(plan.key);
    const onAnswer = (/** @type {Answer} */ { outcome }) =>
      outcome?.kind === 'report' && tell('so far', { data, ...outcome });
    const answer = await graph(plan, [opened.key], { signal: both, onProgress, onAnswer, extras: [...maps] });
    if (latest) free(latest.key);
    forget();
    latest = answer;
    const report = plainReport(answer);
    // who asked has the answer before the page draws it; of several answers it draws the last
    setTimeout(() => latest === answer && !life.signal.aborted && tell('reported', { data, report }));
    return report;
  }

  /** @type {Data['analyse']} */
  async function analyse(kind, { others = [], ...options } = {}, { signal, onProgress, most = Infinity } = {}) {
    const request = /** @type {any} */ ({ [kind]: options });
    const models = kind === 'models' ? await otherModels() : [];
    const more = [...models, ...others.map((/** @type {Data} */ other) => insides.get(other)?.opened.key ?? -1)];
    const plan = await fromReport({ kind: 'plan_analysis', request }, more, signal);
    free(plan.key);
    const bases = [opened.key, /** @type {Answer} */ (latest).key, ...more];
    const extras = [...maps];
    const runs = [...left, null].map((one) => toRun(plan, bases, extras, one).run);
    const costs = runs.map((run) => [...run].reduce((sum, i) => sum + plan.outcome.nodes[i].cost, 0));
    const [least, all] = [Math.min(...costs), /** @type {number} */ (costs.at(-1))];
    const place = costs.indexOf(least);
    // what saves little is left to the question that it came from
    const saves = least < all && (runs[place].size === 1 || least < 0.5 * all);
    const cost = saves ? least : all;
    if (cost > most)
      throw Object.assign(
        codedError({ code: 'costly', message: 'This would take longer than it may.', hint: 'Allow it more time.' }),
        { cost },
      );
    // what is in use is nobody else's meanwhile
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
    forget(latest?.key === bases[1] && !life.signal.aborted ? LEFT_PLANS : 0);
    return { ...outcome, columns };
  }

  /** The other models of the same rows, from when they are first compared. @type {Promise<Answer[]> | null} */
  let siblings = null;
  async function otherModels() {
    alive();
    const names = opened.outcome.summary.models.slice(1);
    siblings ??= Promise.all(names.map((/** @type {string} */ model) => assemble({ model }, life.signal)));
    try {
      return (await siblings).map(({ key }) => key);
    } catch (error) {
      siblings = null;
      throw error;
    }
  }

  /**
   * Who asks frees the answer. @param {wasm_bindgen.CallMessage} job @param {number[]} [more] @param {AbortSignal}
   * [signal] @returns {Promise<Answer>}
   */
  async function fromReport(job, more = [], signal = undefined) {
    alive();
    if (!latest) await run({}, { signal });
    return submit(job, [opened.key, /** @type {Answer} */ (latest).key, ...more], {
      extras: [...maps],
      signal: until(signal),
      priority: QUESTION,
    });
  }

  /** @type {Data} */
  const data = Object.freeze({
    summary: opened.outcome.summary,
    run,
    analyse,
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
    /** @param {string} kind @param {Record<string, any>} [options] */
    async export(kind, { signal, ...options } = {}) {
      if (kind === 'chart') {
        const { format = 'svg', ...request } = options;
        const view = await fromReport({ kind: 'view', request: /** @type {any} */ (request) }, [], signal);
        return chartBlob(view, format).finally(() => free(view.key));
      }
      if (!Object.hasOwn(EXPORTS, kind))
        throw codedError({
          code: 'invalid_option',
          message: `Nothing called “${kind}” can be exported.`,
          hint: `Known: ${Object.keys(EXPORTS).join(', ')}, chart.`,
        });
      if (typeof options.calibrator === 'string') options.calibrator = parsed(options.calibrator);
      const job = /** @type {wasm_bindgen.CallMessage} */ ({ kind: `export_${kind}`, ...options });
      // a stored calibrator needs no run, and a file without labels has none
      alive();
      const { columns, key } = await (kind === 'applied'
        ? submit(job, [opened.key], { extras: [...maps], signal: until(signal), priority: QUESTION })
        : fromReport(job, [], signal));
      free(key);
      return new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (columns[0])], { type: EXPORTS[kind] });
    },
    close() {
      if (life.signal.aborted) return;
      life.abort(codedError({ code: 'closed', message: 'The data set was closed.', hint: 'Open it again.' }));
      for (const key of [opened.key, ...maps, ...(latest ? [latest.key] : [])]) free(key);
      forget();
      siblings?.then(
        (models) => models.forEach(({ key }) => free(key)),
        () => {},
      );
      release();
      tell('closed', { data });
    },
  });
  insides.set(data, { submit: fromReport, free, latest: () => latest, opened });
  return data;
}

/** A stored calibrator's text as an object. @param {string} text @returns {object} */
function parsed(text, what = 'calibrator') {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = /** @type {Error} */ (error).message;
    if (what === 'session')
      throw codedError({
        code: 'invalid_option',
        message: `session: it is no JSON (${message}).`,
        hint: 'Give the JSON that the export `session` wrote, unchanged.',
      });
    throw codedError({
      code: 'calibrator_unreadable',
      message: `The calibrator cannot be read: it is no JSON (${message}).`,
      hint: 'Choose a calibrator.json that was exported here.',
    });
  }
}

/**
 * The report as plain JSON: local columns become arrays (made when they are first looked at: they are long), NaN
 * becomes
 * null. @param {Answer} answer @returns {Report} */
function plainReport({ outcome, columns }) {
  const report = structuredClone(outcome.report);
  for (const name of ['slce', 'mass', 'n_eff']) {
    const place = report.local?.[name];
    if (typeof place !== 'number') continue;
    /** @type {(number | null)[] | undefined} */
    let values;
    const get = () => (values ??= Array.from(columns[place], (value) => (Number.isNaN(value) ? null : value)));
    Object.defineProperty(report.local, name, { enumerable: true, configurable: true, get });
  }
  return report;
}

/** The documented global. */
export const localcal = Object.freeze({ ready, open, describe });
Object.assign(window, { localcal });
