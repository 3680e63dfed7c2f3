// Opening: what was asked for is opened in place of what is open, which stays where that fails.

import { either } from '../engine/either.js';
import { batch, effect, signal } from '@preact/signals';
import { exampleOf as bytesOfExample } from '../engine/core.js';
import type { Data, OpenOptions } from '../engine/localcal.js';
import { bytesOf, happenings, open as openData, unpacked } from '../engine/localcal.js';
import { failureOf } from '../engine/fault.js';
import type { Remedy } from '../parts/message.js';
import { clearErrors, said, showError } from '../parts/message.js';
import { withLine } from '../parts/progress.js';
import { whole } from '../parts/words.js';
import { isArchive } from '../tables/kinds.js';
import { linkedChoices, linkedExample, linkedOptions } from './link.js';
import type { Chosen } from './chosen.js';
import type { OpenRequest, View } from './store.js';
import {
  about,
  choose,
  chosen,
  draft,
  exampleOf,
  history,
  leftOut,
  open,
  openFiles,
  pending,
  report,
  reread,
  sameFiles,
  scorable,
  view,
  wanted,
} from './store.js';
import {
  askable,
  effective,
  ofMoreColumns,
  ofOtherColumns,
  ofOtherFiles,
  outweighing,
  savedIn,
  sessionOf,
} from './applicable.js';
import { worldOf } from './world.js';

/** What a person can choose when a file is refused for this reason. */
const REMEDIES: Record<string, { label: string; options: OpenOptions }> = {
  not_a_number: { label: 'Exclude such rows', options: { rows: 'drop' } },
  probability_out_of_range: { label: 'Exclude such rows', options: { rows: 'drop' } },
  unsupported_view: { label: 'Evaluate the confidence of the predicted class', options: { view: 'top_label' } },
  rows_do_not_sum_to_one: { label: 'Divide each row by its sum', options: { renormalise: true } },
};

/** A column is named alone when only one file is open. */
export const fullName = ({ file, name }: wasm_bindgen.ColumnRole, files: File[]) =>
  files.length > 1 ? `${file}:${name}` : name;

/** The columns that would be scores if their values were percents, so read. */
export function percentsIn(summary: wasm_bindgen.Summary | null | undefined, files: File[]) {
  const offered = summary?.columns.filter(({ offer }) => offer === 'percent') ?? [];
  const read = Object.fromEntries(offered.map((column) => [fullName(column, files), 'percent' as const]));
  return offered.length > 0 ? read : null;
}

/** The scores read as percentages, where the hint of a refusal names that: too few exceed 1 for an offer by itself. */
function namedPercents(error: unknown, files: File[]) {
  const { code, summary } = failureOf(error);
  if (code !== 'probability_out_of_range' || !/percentages/.test(said(error).hint)) return null;
  const scores = summary?.columns.filter(({ role, reading }) => SHARES.includes(role) && !reading) ?? [];
  const read = Object.fromEntries(scores.map((column) => [fullName(column, files), 'percent' as const]));
  return scores.length > 0 ? read : null;
}
/** Roles of columns that hold shares. */
const SHARES: wasm_bindgen.Role[] = ['probability', 'probabilities', 'confidence'];

/** Ways out of a selection without rows: without one of its conditions, without any, or with another one. */
function widerSelections({ files, options }: OpenRequest): Remedy[] {
  const only = options.only ?? [];
  if (only.length === 0) return [];
  const now = about.peek();
  const isOpen = (kept: object[]) =>
    now !== null && sameFiles(files, now.files) && JSON.stringify(now.options.only ?? []) === JSON.stringify(kept);
  const without = only.map((condition) => ({
    label: `Remove the condition on ${condition.column}`,
    only: only.filter((one) => one !== condition),
  }));
  const wider = [...(only.length > 1 ? without : []), { label: 'Include all rows', only: [] }];
  // what is open already is not offered
  const offered = wider.filter((one) => !isOpen(one.only));
  return [
    ...offered.map(({ label, only }) => ({ label, act: () => openFiles(files, { ...options, only }) })),
    ...(now && sameFiles(files, now.files) ? [{ label: 'Change the condition', act: openRows }] : []),
  ];
}
/** Opens the choice of rows in the line of the subject. */
const openRows = () => setTimeout(() => document.querySelector<HTMLElement>('#subject .part[title^="Rows"]')?.click());

/** What the page opened itself, and closes itself. */
let own: Data | null = null;
/** The opening under way, which ends as soon as something else is chosen. */
let opening: AbortController | null = null;
/** The archive that is unpacked, which ends likewise. */
let unpacking: AbortController | null = null;
/** How many times something was chosen, by a person or a script. */
let choices = 0;
/** How many times files were not opened as was asked: what says how they are read shows again how they are. */
export const refusals = signal(0);

async function openWanted(asked: OpenRequest) {
  const { files, options } = asked;
  clearErrors();
  const names = files.length === 1 ? files[0].name : `${files.length} files`;
  try {
    const control = new AbortController();
    own = await withLine(
      `Opening ${names}`,
      ({ signal, onProgress }) => {
        const answer = openData(files, {
          ...outweighing(options),
          signal: either(signal, control.signal),
          onProgress,
        });
        opening = control; // the one before ended when this one was chosen
        return answer;
      },
      ({ summary }) => `${whole(summary.rows)} rows opened`,
    );
  } catch (error) {
    refuse(error, asked);
  }
}

/** Says why files were not opened, and what can be done: here, or by saying what their columns are. */
function refuse(error: unknown, asked: OpenRequest) {
  const { files, options } = asked;
  // where something else was asked for meanwhile, that says how files are read
  if (pending.peek() === asked) {
    pending.value = null;
    history.settle();
    refusals.value += 1;
  }
  const { code = '', summary } = failureOf(error);
  const now = open.peek();
  if (now && sameFiles(files, now.files)) takeLinked(now.data);
  const remedy = REMEDIES[code];
  const percents = percentsIn(summary, files);
  const ways: Remedy[] = [];
  if (percents)
    ways.push({
      label: 'Read as percentages',
      act: () => openFiles(files, { ...options, readings: { ...options.readings, ...percents } }),
    });
  const maybe = percents ? null : namedPercents(error, files);
  if (maybe)
    ways.push({
      label: 'Read as percentages',
      act: () => openFiles(files, { ...options, readings: { ...options.readings, ...maybe } }),
    });
  // rows that may all be percentages are not excluded
  if (remedy && !(percents && code === 'probability_out_of_range'))
    ways.push({ label: remedy.label, act: () => openFiles(files, { ...options, ...remedy.options }) });
  if (code === 'empty') ways.push(...widerSelections(asked));
  if (summary) {
    const say = () =>
      batch(() => {
        draft.value = { files, options, summary };
        view.value = 'data';
      });
    const corrects = sameFiles(files, about.peek()?.files ?? []);
    // what is unclear is shown, so that a person can say it; so is what a correction in Data led to. A selection without
    // rows corrects nothing: what is open stays, and no role is in question
    if (code === 'roles_unclear' || (corrects && code !== 'empty')) say();
    else if (!corrects) ways.push({ label: 'Assign column roles', act: say });
  }
  showError(error, ways, 'files');
}

/** Goes back to what was open before the files that wait for a word, also while that is being followed. */
export function leaveDraft() {
  batch(() => {
    draft.value = pending.value = null;
  });
  clearErrors();
  opening?.abort();
}

/** The example that the core makes. */
const MADE = 'synthetic.csv';
/** Opens a built-in example. */
export async function openExample(name: string) {
  const mine = (choices += 1);
  try {
    const bytes = name === MADE ? await bytesOf({ kind: 'example', name: 'synthetic' }) : await bytesOfExample(name);
    if (mine === choices) openFiles([new File([bytes as Uint8Array<ArrayBuffer>], name)], {}, name);
  } catch (error) {
    if (mine === choices) showError(error, [], 'files');
  }
}

/** Names of the columns of what was opened last. */
let columns: string[] | null = null;

/** The view that a link leads to, or an answer of a person, while Data asks about columns first. */
let meant: View | null = null;

/** Once a person has said that roles are as they were inferred, nothing is left to do in Data: the rows lead on. */
export const leadOn = () => (meant ??= 'finding');

type OpenedData = { data: Data; files: File[]; options: OpenOptions };
/**
 * Unsure guesses, and data that cannot be scored, stay in Data; every other file lands on its finding. `asked`: what
 * the page asked for, where it was the page.
 */
function opened({ data, files, options: given }: OpenedData, asked: OpenRequest | null) {
  const { summary } = data;
  const before = open.peek();
  const fresh = !sameFiles(files, about.peek()?.files ?? []);
  const same = before !== null && sameFiles(files, before.files);
  // or with further columns beside them
  const sameRows = before !== null && sameFiles(files.slice(0, before.files.length), before.files);
  const ready = scorable(summary);
  // as it was asked for, not as the core was told
  const options = effective(asked?.options ?? given, summary);
  const names = summary.columns.map(({ name }) => name);
  const others = columns !== null && columns.join('\n') !== names.join('\n');
  const more = others && sameRows && columns?.every((name) => names.includes(name));
  columns = names;

  /** What is chosen from now on: what a session says, else what holds for these data. */
  function takenUp(): Chosen {
    const session = sessionOf(options);
    const saved = session && session !== sessionOf(before?.options ?? {}) ? savedIn(session, data) : null;
    if (saved) return saved;
    const now = sameRows ? chosen() : ofOtherFiles(chosen());
    if (more) return ofMoreColumns(now);
    return others ? ofOtherColumns(now, data) : now;
  }

  if (before !== null && fresh) leftOut.value = [];
  const world = worldOf(data);
  const read = linkedOptions(world);
  batch(() => {
    // what is taken back is as it was
    const back = asked?.back && (same ? chosen() : asked.back);
    const now = back ?? takenUp();
    open.value = { data, files, options, summary, example: exampleOf(files) };
    draft.value = null;
    pending.value = null;
    report.value = null;
    choose(ready && !back ? askable(now, data) : now);
    // apply the link's choices after the files were reread with its options
    if (!read) takeLinked(data);
    if (fresh) meant = null;
    if (!ready) {
      const now = view.peek();
      if (fresh && now !== 'learn' && now !== 'data') meant = now;
      view.value = 'data';
    } else {
      if (view.peek() === 'data' && (fresh || meant)) view.value = meant ?? 'finding';
      meant = null;
    }
  });
  if (read) reread(read);
}

/** Takes what the link chooses for a data set. */
function takeLinked(data: Data) {
  const linked = linkedChoices(worldOf(data));
  if (linked) choose({ ...chosen(), ...linked });
}

/** Sessions hold numbers, recalibrations and settings: larger files are data. */
const MOST_SESSION = 32e6;

/** What a file says if it is a session, whatever its name; null: it is none. */
async function sessionIn(file: File): Promise<OpenOptions['session'] | null> {
  if (file.size > MOST_SESSION || !/^\s*\{/.test(await file.slice(0, 64).text())) return null;
  try {
    const told = JSON.parse(await file.text());
    return String(told.schema).startsWith('localcal-session/') ? told : null;
  } catch {
    return null; // lines of JSON, or something else: the core says what
  }
}

/** The files, with those of an archive in its place. */
async function withoutArchives(files: File[]) {
  const archives = await Promise.all(files.map(isArchive));
  if (!archives.includes(true)) return files;
  const name = files[archives.indexOf(true)].name;
  const control = new AbortController();
  unpacking = control;
  return withLine(`Unpacking ${name}`, ({ signal }) => unpacked(files, { signal: either(signal, control.signal) }));
}

/** Files that a person gave. A session among them says how the others are read; alone, how the open ones are. */
export async function openGiven(given: File[]) {
  const mine = (choices += 1);
  unpacking?.abort();
  try {
    const files = await withoutArchives(given);
    const sessions = await Promise.all(files.map(sessionIn));
    if (mine !== choices) return;
    const session = sessions.find((one) => one !== null);
    if (!session) return openFiles(files);
    const others = files.filter((_, i) => sessions[i] === null);
    const read = others.length > 0 ? others : (about.peek()?.files ?? []);
    if (read.length === 0) throw ALONE;
    openFiles(read, { session });
  } catch (error) {
    if (mine === choices) showError(error, [], 'files');
  }
}

/** A session says how a file is read, and holds none. */
const ALONE = Object.assign(new Error('This file is a session: it stores settings and results, but no rows.'), {
  code: 'invalid_option',
  hint: 'Open it together with a file of predictions, or open that file first.',
});

/** Opens what is wanted, shows what a script opens, and the example of a link. */
export function startOpening() {
  effect(() => {
    if (wanted.value) openWanted(wanted.value);
  });
  happenings.addEventListener('chosen', () => {
    choices += 1;
    opening?.abort();
    unpacking?.abort();
    opening = unpacking = null;
  });
  happenings.addEventListener('opened', (event) => {
    const asked = opening && wanted.peek();
    opening = null;
    opened((event as CustomEvent).detail, asked);
    // the one before, now that nothing shows it
    own?.close();
    own = null;
  });
  happenings.addEventListener('reported', (event) => {
    const { data, report: found } = (event as CustomEvent).detail;
    if (data === open.peek()?.data) report.value = found;
  });
  happenings.addEventListener('closed', (event) => {
    if ((event as CustomEvent).detail.data !== open.peek()?.data) return;
    batch(() => {
      open.value = report.value = null;
      view.value = 'data';
    });
  });
  effect(() => {
    const example = linkedExample.value;
    if (example === null) return;
    linkedExample.value = null;
    void openExample(example);
  });
}
