// The link: every setting of the subject and of the panels in the hash, so that it can be sent and survives a reload.
// Never data, names of files or rows. Columns are their places in the file (`~3`), never names.

import { batch, effect } from '@preact/signals';
import type { OpenOptions, Summary } from '../engine/localcal.js';
import { EXPERIMENT, linkedExperiment } from './experiment.js';
import type { Panels, Subject, View } from './store.js';
import { VIEWS, asking, beside, inReport, open, openFiles, panels, subject, view, specified } from './store.js';

/** Steps of the page's former hashes, and the views nearest to them. */
const STEPS: Record<string, View> = {
  open: 'data',
  columns: 'data',
  overview: 'finding',
  where: 'explore',
  who: 'explore',
  repair: 'explore',
  decide: 'explore',
  report: 'report',
};

const parameters = () => new URLSearchParams(location.hash.slice(1));

/** What stands in a link for a column's name: alone, and after its file. */
const ALONE = /^~(\d+)$/;
const AFTER_ITS_FILE = /^~:(\d+)$/;

/**
 * A text as it stands in a link: a column as its place, in the way that it is named; null for what tells of the data, a
 * column of a file that is not there and a repair of its own. All else are words of the page and of the core.
 */
function linkable(text: string, { columns }: Summary, files: File[]): string | null {
  if (Object.hasOwn(specified.value, text)) return null;
  const alone = columns.findIndex(({ name }) => name === text);
  if (alone >= 0) return `~${alone}`;
  const after = columns.findIndex(({ file, name }) => `${file}:${name}` === text);
  if (after >= 0) return `~:${after}`;
  return files.some(({ name }) => text.startsWith(`${name}:`)) ? null : text;
}

/** The other way round; null for a place that the file does not have. */
function meant(text: string, { columns }: Summary): string | null {
  const alone = ALONE.exec(text);
  if (alone) return columns[Number(alone[1])]?.name ?? null;
  const after = AFTER_ITS_FILE.exec(text);
  if (!after) return text;
  const column = columns[Number(after[1])];
  return column ? `${column.file}:${column.name}` : null;
}

/** What says who can be a neighbour without a column. */
const ALONE_SAYS = ['all', 'predicted'];
/** Who can be a neighbour, as `by` says; a text that is no column tells of the data, and is left out. */
function neighbours(within: unknown, by: (text: string) => string | null): string | undefined {
  if (typeof within !== 'string') return undefined;
  if (ALONE_SAYS.includes(within)) return within;
  const told = by(within);
  return told === null || told === within ? undefined : told;
}

/** A value with each of its texts, names of options too, as `by` says; without those that it makes null. */
function worded(value: unknown, by: (text: string) => string | null): unknown {
  if (typeof value === 'string') return by(value) ?? undefined;
  if (Array.isArray(value)) return value.map((one) => worded(one, by)).filter((one) => one !== undefined);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([name, one]) => {
    // a column can have this name, too
    const option = name === 'within' && by(name) === name;
    return [by(name), option ? neighbours(one, by) : worded(one, by)] as const;
  });
  return Object.fromEntries(entries.filter(([name, one]) => name !== null && one !== undefined));
}

type About = { summary: Summary; files: File[] };
const placed = (value: unknown, { summary, files }: About) => worded(value, (text) => linkable(text, summary, files));

/** Names that must be columns: what is none is left out. */
const placedColumns = (names: string[], about: About) =>
  (placed(names, about) as string[]).filter((text) => text.startsWith('~'));

/** The same of what is said by column. */
function placedByColumn(values: Record<string, unknown> | undefined, about: About) {
  const entries = Object.entries((placed(values ?? {}, about) ?? {}) as object);
  return Object.fromEntries(entries.filter(([name]) => name.startsWith('~')));
}

/** Codes for missing values by column: numbers and dates, never another text of the file. */
function codesByColumn(missing: Record<string, unknown[]>, about: About) {
  const isCode = (one: unknown) => typeof one === 'number' || /^\d{4}-\d\d-\d\d/.test(String(one));
  const codes = Object.entries(missing).map(([name, values]) => [name, values.filter(isCode)]);
  return placedByColumn(Object.fromEntries(codes), about);
}

/**
 * A label is its place among the labels in sorted order: it is data, and the core puts the event last. Values of a
 * column are left out.
 */
function optionsOf(
  { positive, split, model, roles, readings, missing, only: _, session: __, ...others }: Record<string, any>,
  about: About,
) {
  const { summary } = about;
  const { calibration: ___, ...division } = split && typeof split === 'object' ? split : {};
  const column = model != null && placedColumns([model], about)[0];
  return {
    ...(placed(others, about) as object),
    ...(roles && { roles: placedByColumn(roles, about) }),
    ...(readings && { readings: placedByColumn(readings, about) }),
    ...(missing && { missing: codesByColumn(missing, about) }),
    ...(split && { split: typeof split === 'string' ? split : placed(division, about) }),
    ...(positive != null && { positive: [...summary.labels].sort().indexOf(positive) }),
    // models are columns, or files in their order
    ...(model != null && { model: column || [...summary.models].sort().indexOf(model) }),
  };
}

/** The panels, the experiment without a person's own words. */
function linkablePanels({ [EXPERIMENT]: experiment, ...others }: Panels): Panels {
  const bare = experiment && linkedExperiment(experiment);
  return bare ? { ...others, [EXPERIMENT]: bare } : others;
}

/** What a link says of a data set, for whoever opens one. */
export type Linked = {
  options: Record<string, unknown>;
  subject: Partial<Subject>;
  panels: Panels;
  inReport: string[];
};

function read(text: string | null): any {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null; // a hash that somebody mended by hand
  }
}

/** Settings that a link brought, until a data set is there that they are about. */
let pending: Linked | null = null;

/** True until something is open: the example of the link is on its way. */
let waiting = true;

/** Takes the settings of the link for a data set that was just opened: those that name columns in its own names. */
export function linkedFor(summary: Summary): (Linked & { options: OpenOptions }) | null {
  const given = pending;
  pending = null;
  if (!given) return null;
  const told = worded(given, (text) => meant(text, summary)) as Linked;
  const { positive, model, ...options } = told.options as Record<string, any>;
  const label = [...summary.labels].sort()[positive];
  const chosen = typeof model === 'number' ? [...summary.models].sort()[model] : model;
  return {
    ...told,
    options: { ...options, ...(label !== undefined && { positive: label }), ...(chosen && { model: chosen }) },
  };
}

/** The built-in example that the link is about. */
export const linkedExample = () => parameters().get('example');

function viewOf(given: URLSearchParams): View {
  const asked = given.get('view');
  return VIEWS.find((one) => one === asked) ?? STEPS[given.get('step') ?? ''] ?? 'data';
}

function take() {
  const given = parameters();
  view.value = viewOf(given);
  asking.value = given.get('panel');
  beside.value = given.get('beside');
  const options = read(given.get('read'));
  const chosen = read(given.get('subject'));
  const settings = read(given.get('panels'));
  const added = read(given.get('add'));
  if (options || chosen || settings || added)
    pending = { options: options ?? {}, subject: chosen ?? {}, panels: settings ?? {}, inReport: added ?? [] };
}

/**
 * What the hash is for what is chosen now; until the data that a link is about are there, it says what the link said.
 */
function hash(): string {
  const { step: _, ...given } = Object.fromEntries(parameters());
  const now = open.value;
  if (now) waiting = false;
  if (!now && (pending || (waiting && given.example))) return `#${new URLSearchParams({ ...given, view: view.value })}`;
  const fields: Record<string, string> = { view: view.value };
  if (given.workers) fields.workers = given.workers;
  if (now?.example) fields.example = now.example;
  if (view.value === 'explore' && asking.value) fields.panel = asking.value;
  if (view.value === 'explore' && beside.value) fields.beside = beside.value;
  const put = (name: string, value: unknown) => {
    const text = JSON.stringify(value);
    if (text && !['{}', '[]'].includes(text)) fields[name] = text;
  };
  if (now) {
    const { groups, alike, repair } = subject.value;
    const chosen = {
      ...(groups && { groups: placedColumns(groups, now) }),
      ...(Object.keys(alike).length > 0 && { alike: placed(alike, now) }),
      ...(repair && !(repair in specified.value) ? { repair } : {}),
    };
    put('read', optionsOf(now.options, now));
    put('subject', chosen);
    put('panels', placed(linkablePanels(panels.value), now));
    put('add', inReport.value);
  }
  return `#${new URLSearchParams(fields)}`;
}

/** Reads the hash and keeps it as the signals are; the browser's own back and forward go through the views. */
export function startLink() {
  take();
  const onScreen = () => `${view.value} ${view.value === 'explore' ? asking.value : ''}`;
  let shown = onScreen();
  effect(() => {
    const next = hash();
    const untouched = location.hash === '' && view.value === 'data' && !open.value;
    if (next === location.hash || untouched) return;
    history[onScreen() === shown ? 'replaceState' : 'pushState']('page', '', next);
    shown = onScreen();
  });
  addEventListener('popstate', ({ state }) => {
    if (state === 'page') {
      shown = '';
      batch(() => {
        view.value = viewOf(parameters());
        asking.value = parameters().get('panel') ?? asking.value;
        shown = onScreen();
      });
      return;
    }
    // a link put into the address of the open page
    take();
    const now = open.peek();
    if (pending && now) openFiles(now.files);
  });
}
