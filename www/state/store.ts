// What is open, what it is looked at through, and where the person is. Views read these signals; everything a person
// chooses goes through `change` and `set`, so that it can be taken back.

import { batch, computed, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { Data, OpenOptions, Report, Summary } from '../engine/localcal.js';
import type { Chosen, Panels, Similarity, Specified, Subject } from './chosen.js';
import { timeline } from './history.js';

/** The views, in the order of their tabs. */
export const VIEWS = ['data', 'finding', 'explore', 'report', 'learn'] as const;
export type View = (typeof VIEWS)[number];
/** `example`: the name of the built-in example that it is, or null for a person's own files. */
export type Opened = {
  data: Data;
  files: File[];
  options: OpenOptions;
  summary: Summary;
  example: string | null;
};
/** Files that do not make a data set yet: what their columns were taken for, so that a person can say better. */
export type Draft = { files: File[]; options: OpenOptions; summary: Summary };
/** Files to be opened, and how. */
export type OpenRequest = {
  files: File[];
  options: OpenOptions;
  example: string | null;
  /** what else was chosen when these were open: they come back */
  back?: Chosen;
};
export const view: Signal<View> = signal('data');
export const open: Signal<Opened | null> = signal(null);
export const draft: Signal<Draft | null> = signal(null);
/** The last run of what is open. */
export const report: Signal<Report | null> = signal(null);
export const subject: Signal<Subject> = signal({ groups: null, alike: {}, repair: null });
/** Recalibrations with settings of their own, by the name that the subject has for them. They may tell of rows: no link. */
export const specified: Signal<Specified> = signal({});
/** Settings of the panels of Explore, by kind. */
export const panels: Signal<Panels> = signal({});
/** The question of Explore that is on screen, and the one that is pinned beside it, by kind of panel. */
export const asking: Signal<string | null> = signal(null);
export const beside: Signal<string | null> = signal(null);
/** What was added to the report, by kind of panel. */
export const inReport: Signal<string[]> = signal([]);
/** What a link or a session says that cannot be taken, each as a sentence. */
export const leftOut: Signal<string[]> = signal([]);
/** What was asked to be opened last; opening listens to it. */
export const wanted: Signal<OpenRequest | null> = signal(null);
/** What is being opened, until it is open or refused. */
export const pending: Signal<OpenRequest | null> = signal(null);

/** What the page is about: files that wait for a person's word, else what is open. */
export const about = computed(() => draft.value ?? open.value);
/** Whether nothing needs a person's word before rows are scored. */
export const usable = computed(() => open.value !== null && draft.value === null && scorable(open.value.summary));
export const scorable = ({ unsure, missing }: Summary) => !unsure && !missing;

/** What is chosen where no one chose anything. */
export const NOTHING: Chosen = {
  subject: { groups: null, alike: {}, repair: null },
  specified: {},
  panels: {},
  inReport: [],
};

/** What was chosen beside how the files are read: for a session, and for undo. */
export const chosen = (): Chosen => ({
  subject: subject.peek(),
  specified: specified.peek(),
  panels: panels.peek(),
  inReport: inReport.peek(),
});

/** Puts back what was chosen. */
export function choose(to: Chosen) {
  batch(() => {
    specified.value = to.specified;
    subject.value = to.subject;
    panels.value = to.panels;
    inReport.value = to.inReport;
  });
}

/** The same as a step of undo. */
export function chooseAnew(to: Chosen) {
  history.record();
  choose(to);
}

type Choices = Chosen & { files: File[]; options: OpenOptions };

/** Files and how they are read, as asked for last: what is being opened, else what the page is about. */
export const requested = (): { files: File[]; options: OpenOptions } =>
  pending.peek() ?? about.peek() ?? { files: [], options: {} };

function choices(): Choices {
  const { files, options } = requested();
  const back = isOpen(files) ? null : pending.peek()?.back;
  return { files, options, ...(back ?? chosen()) };
}
/** Whether the page is about these files, be they read in whatever way. */
const isOpen = (files: File[]) => sameFiles(files, about.peek()?.files ?? []);

/** Which files, by identity. */
const numbers = new WeakMap<File, number>();
let numbered = 0;
const numberOf = (file: File) => numbers.get(file) ?? numbers.set(file, ++numbered).get(file);
const key = ({ files, ...chosen }: Choices) => JSON.stringify([files.map(numberOf), chosen]);

function restore({ files, options, ...others }: Choices) {
  const now = requested();
  const same = isOpen(files);
  // what is chosen of other files comes back with them: it is nothing to ask of these
  if (same || files.length === 0) choose(others);
  if (files.length === 0) return;
  // nothing is read in another way than asked for last
  if (same && sameFiles(files, now.files) && JSON.stringify(options) === JSON.stringify(now.options)) return;
  want({ files, options, example: exampleOf(files), back: others });
}

export const history = timeline(choices, restore, key);
export const { canUndo, canRedo, undo, redo } = history;

/** Whether these are the same files, by identity. */
export const sameFiles = (some: File[], others: File[]) =>
  some.length === others.length && some.every((file, i) => file === others[i]);

/** The built-in example that these files are. */
const examples = new WeakMap<File, string>();
export const exampleOf = ([file]: File[]) => (file && examples.get(file)) ?? null;

function want(next: OpenRequest) {
  pending.value = wanted.value = next;
}

/** Opens files in place of what is open. */
export function openFiles(files: File[], options: OpenOptions = {}, example: string | null = null) {
  if (files.length === 0) return;
  if (example) examples.set(files[0], example);
  if (about.peek()) history.record();
  want({ files, options, example: example ?? exampleOf(files) });
}

/** Changes the subject. One step of undo. */
export function change(part: Partial<Subject>) {
  history.record();
  subject.value = { ...subject.peek(), ...part };
}

/**
 * Changes how the files are read; that opens them again. One step of undo. The change is to the options as they were
 * asked for last: a second choice adds to the first, also while the first is still being opened.
 */
export function reread(part: Partial<OpenOptions> | ((options: OpenOptions) => Partial<OpenOptions>)) {
  const now = about.peek();
  if (!now) return;
  const last = requested();
  const { options } = sameFiles(last.files, now.files) ? last : now;
  openFiles(now.files, { ...options, ...(typeof part === 'function' ? part(options) : part) });
}

/**
 * Sets similarity. `moved`: in other coordinates, where bandwidths and axes that panels have for the old ones mean
 * nothing. One step of undo.
 */
export function changeSimilarity(alike: Similarity, moved: boolean) {
  history.record();
  batch(() => {
    subject.value = { ...subject.peek(), alike };
    if (moved) panels.value = Object.fromEntries(Object.entries(panels.peek()).flatMap(withoutScale));
  });
}
function withoutScale([kind, settings]: [string, Record<string, unknown>]): [string, Record<string, unknown>][] {
  const { alike, axes: _, ...others } = settings;
  const { gamma: __, ...own } = (alike ?? {}) as Similarity;
  if (own.place) return [[kind, settings]];
  const rest = { ...others, ...(Object.keys(own).length > 0 && { alike: own }) };
  return Object.keys(rest).length > 0 ? [[kind, rest]] : [];
}

/** Looks at everything through a recalibration with settings of its own. One step of undo. */
export function lookThrough(repair: string, settings: Specified[string]) {
  history.record();
  batch(() => {
    specified.value = { ...specified.peek(), [repair]: settings };
    subject.value = { ...subject.peek(), repair };
  });
}

/** Sets an option of a panel; undefined leaves it to the core again. One step of undo. */
export function set(kind: string, option: string, value: unknown) {
  history.record();
  const { [option]: _, ...others } = panels.peek()[kind] ?? {};
  putBack(kind, value === undefined ? others : { ...others, [option]: value });
}

/** Gives a panel these settings, and no others. One step of undo. */
export function setAll(kind: string, settings: Record<string, unknown>) {
  history.record();
  putBack(kind, settings);
}

/** The same for what could not be asked, which is no step. */
export function putBack(kind: string, settings: Record<string, unknown>) {
  const { [kind]: _, ...others } = panels.peek();
  panels.value = Object.keys(settings).length > 0 ? { ...others, [kind]: settings } : others;
}

/** Puts a panel into the report, or takes it out. One step of undo. */
export function putInReport(kind: string, there: boolean) {
  history.record();
  inReport.value = [...inReport.peek().filter((one) => one !== kind), ...(there ? [kind] : [])];
}

/** Shows a view. */
export const goTo = (to: View) => (view.value = to);
