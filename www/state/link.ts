// The link: every setting of the subject and of the panels in the hash, so that it can be sent and survives a reload.
// Never data, names of files or rows: the schema says what may be there (`choices.ts`), and the rest is left out with a
// sentence.

import { batch, effect, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { comeBack, lab, linkOf, take as takeLab } from '../learn/state.js';
import type { OpenOptions } from '../engine/localcal.js';
import { WORKERS, workersIn } from '../engine/localcal.js';
import type { Context } from './choices.js';
import { asRead } from './applicable.js';
import { IN_REPORT, OPTIONS, PANELS, QUESTION, SUBJECT, chosenIn, readChosen } from './choices.js';
import { EXPERIMENT, linkedExperiment } from './experiment.js';
import type { Fault } from './schema.js';
import { boundsInWords, columnsInLink, faultInWords } from './schema.js';
import type { Chosen, Panels } from './chosen.js';
import type { View } from './store.js';
import { VIEWS, asking, beside, inReport, leftOut, open, openFiles, panels, subject, view } from './store.js';
import { worldOf } from './world.js';

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

/** The panels, the experiment without a person's own words. */
function linkablePanels({ [EXPERIMENT]: experiment, ...others }: Panels): Panels {
  const bare = experiment && linkedExperiment(experiment);
  return bare ? { ...others, [EXPERIMENT]: bare } : others;
}

/** What a link says, until a data set is there that it is about; a part that is taken is null. */
interface Pending {
  /** stands for the names of the columns that it was made for; `null`: it does not say */
  columns: string | null;
  /** whether it is about a built-in example */
  example: boolean;
  options: unknown;
  chosen: { subject: unknown; panels: unknown; inReport: unknown };
}
let pending: Pending | null = null;

/** Stands for a selection of rows that names a value of the file, so that the link is not taken to be about all rows. */
const WITHOUT = 'left-out';
const SELECTION =
  'The link was made with selected rows. Their condition names a value of the file, which links do not contain; select the rows again.';

/** True until something is open: the example of the link is on its way. */
let waiting = true;

const tell = (faults: Fault[]) => {
  if (faults.length > 0)
    leftOut.value = [...leftOut.peek(), ...faults.map((one) => `In the link, ${faultInWords(one)}`)];
};

/** How a link refers to columns by position, and to labels and models by rank. */
const BY_POSITION = /"~:?\d|"(?:positive|model)":\d/;

/** Forgets a link that refers by position to the columns of another file, and says so. */
function forgetOfOthers({ columns }: Context) {
  if (!pending) return;
  const { columns: then, example, options, chosen } = pending;
  const fits = then === null ? example : then === columnsInLink(columns);
  if (fits || !BY_POSITION.test(JSON.stringify([options, chosen]))) return;
  pending = null;
  const made = then === null ? 'does not say for which columns it was made' : 'was made for other columns';
  leftOut.value = [
    ...leftOut.peek(),
    `The link ${made}, and refers to them by position: its settings were not applied. A session names columns instead.`,
  ];
}

/** Settings that decide which columns there are, and are taken before these are compared. */
const LAYOUT = ['header', 'sheet'];

/**
 * Takes what the link says of how a data set that was just opened is read: that opens it again, before anything else of
 * the link can be taken. Null: nothing.
 */
export function linkedOptions(world: Context): OpenOptions | null {
  if (pending?.options == null) return null;
  const given = Object.entries(pending.options);
  const [layout, others] = [true, false].map((of) => given.filter(([name]) => LAYOUT.includes(name) === of));
  const first = layout.length > 0 && others.length > 0;
  if (!first) forgetOfOthers(world);
  if (!pending) return null;
  const options = first ? Object.fromEntries(layout) : pending.options;
  pending.options = first ? Object.fromEntries(others) : null;
  const faults: Fault[] = [];
  const read = OPTIONS.read(options, { world, form: 'link', part: 'read', faults }) ?? {};
  tell(faults);
  return Object.keys(read).length > 0 ? read : null;
}

/** Takes what else the link says of a data set; null: nothing. */
export function linkedChoices(world: Context): Partial<Chosen> | null {
  forgetOfOthers(world);
  const { chosen } = pending ?? {};
  const faults: Fault[] = [];
  for (const [part, asked] of [
    ['panel', asking],
    ['beside', beside],
  ] as const)
    if (asked.peek() !== null && QUESTION.read(asked.peek(), { world, form: 'link', part, faults }) === undefined)
      asked.value = null;
  pending = null;
  const read = chosen && readChosen(chosen, { world, form: 'link', part: '', faults });
  tell(faults);
  return read && Object.keys(read).length > 0 ? read : null;
}

/** The built-in example that a link is about and that is not open, until someone opens it. */
export const linkedExample: Signal<string | null> = signal(null);

/** The view that a link names; null: none that there is. */
function namedView(given: URLSearchParams): View | null {
  const [asked, step] = [given.get('view'), given.get('step') ?? ''];
  return VIEWS.find((one) => one === asked) ?? (Object.hasOwn(STEPS, step) ? (STEPS[step] ?? null) : null);
}
const viewOf = (given: URLSearchParams): View => (given.has('lab') ? 'learn' : (namedView(given) ?? 'data'));

/** A part of the hash as JSON; null: it is not there, or is none, which is reported. */
function parsed(given: URLSearchParams, part: string): unknown {
  try {
    return JSON.parse(given.get(part) ?? 'null');
  } catch {
    tell([{ part, why: 'is not valid JSON' }]);
    return null;
  }
}

/** Reads the whole link before anything that it sets is written back to it. */
function take() {
  const given = parameters();
  const { hash } = location;
  batch(() => {
    leftOut.value = [];
    const example = given.get('example');
    linkedExample.value = example === open.peek()?.example ? null : example;
    view.value = viewOf(given);
    const part = ['view', 'step'].find((one) => given.has(one));
    if (part && !given.has('lab') && namedView(given) === null) tell([{ part, why: 'must be the name of a view' }]);
    if (view.value === 'learn') tell(takeLab(hash));
    asking.value = given.get('panel');
    beside.value = given.get('beside');
    if (given.has('workers') && workersIn(hash) === null)
      tell([{ part: 'workers', why: `must be ${boundsInWords(WORKERS)}` }]);
    const [options, subject, panels, inReport] = ['read', 'subject', 'panels', 'add'].map((part) =>
      parsed(given, part),
    );
    if (given.get('selection') === WITHOUT) leftOut.value = [...leftOut.peek(), SELECTION];
    const about = { columns: given.get('columns'), example: given.has('example') };
    pending = { ...about, options, chosen: { subject, panels, inReport } };
    if ([options, subject, panels, inReport].every((part) => part === null)) pending = null;
  });
}

/**
 * What the hash is for what is chosen now; until the data that a link is about are there, it says what the link said.
 */
function hash(): string {
  const { step: _, ...given } = Object.fromEntries(parameters());
  const now = open.value;
  // the lab is about no file: its link says nothing else
  if (view.value === 'learn') {
    const workers = workersIn(location.hash);
    return `#${linkOf(lab.value)}${workers === null ? '' : `&workers=${workers}`}`;
  }
  if (now) waiting = false;
  if (!now && (pending || (waiting && given.example))) return `#${new URLSearchParams({ ...given, view: view.value })}`;
  const fields: Record<string, string> = { view: view.value };
  const workers = workersIn(location.hash);
  if (workers !== null) fields.workers = String(workers);
  if (now?.example) fields.example = now.example;
  if (view.value === 'explore' && asking.value) fields.panel = asking.value;
  if (view.value === 'explore' && beside.value) fields.beside = beside.value;
  const put = (name: string, value: unknown) => {
    const text = JSON.stringify(value);
    if (text && !['{}', '[]'].includes(text)) fields[name] = text;
  };
  if (now) {
    const world = worldOf(now.data);
    const { alike, ...others } = subject.value;
    const read = OPTIONS.link(asRead(now.options, now.summary), world) as OpenOptions | undefined;
    put('read', read);
    if (now.options.only?.length && !read?.only) fields.selection = WITHOUT;
    put('subject', SUBJECT.link({ ...others, ...(Object.keys(alike).length > 0 && { alike }) }, world));
    put('panels', chosenIn((PANELS.link(linkablePanels(panels.value), world) ?? {}) as Panels));
    put('add', IN_REPORT.link(inReport.value, world));
    if (BY_POSITION.test(Object.values(fields).join(' '))) fields.columns = columnsInLink(world.columns);
  }
  return `#${new URLSearchParams(fields)}`;
}

/** What an entry of the browser's history is marked with that this page has written or read. */
const OWN = 'page';

/** Reads the hash and keeps it as the signals are; the browser's own back and forward go through the views. */
export function startLink() {
  take();
  const details: Partial<Record<View, () => unknown>> = { explore: () => asking.value, learn: () => lab.value.screen };
  const onScreen = () => `${view.value} ${details[view.value]?.() ?? ''}`;
  let shown = onScreen();
  const own = () => location.hash !== '' && history.replaceState(OWN, '', location.hash);
  effect(() => {
    const next = hash();
    const untouched = location.hash === '' && view.value === 'data' && !open.value;
    if (next === location.hash || untouched) return;
    history[onScreen() === shown ? 'replaceState' : 'pushState'](OWN, '', next);
    shown = onScreen();
  });
  own();
  addEventListener('popstate', ({ state }) => {
    const { hash } = location;
    if (state === OWN) {
      batch(() => {
        view.value = viewOf(parameters());
        if (view.value === 'learn') comeBack(hash);
        // the first panel has no name in the link; other views leave Explore as it was
        asking.value = parameters().get('panel') ?? (view.value === 'explore' ? null : asking.value);
        shown = onScreen();
      });
      return;
    }
    // a link to a view within the page chooses nothing, and forgets nothing
    if ([...parameters().keys()].join() === 'view') {
      batch(() => {
        view.value = viewOf(parameters());
        shown = onScreen();
      });
      own();
      return;
    }
    // a link put into the address of the open page: the browser has made an entry for it already
    const now = open.peek();
    const ofExample = batch(() => {
      take();
      shown = onScreen();
      return linkedExample.peek() !== null;
    });
    own();
    // about an example, it says nothing of what is open
    if (pending && now && !ofExample) openFiles(now.files);
  });
}
