// Opening: what was asked for is opened in place of what is open, which stays where that fails.

import { batch, effect } from '@preact/signals';
import { exampleOf as bytesOfExample } from '../engine/core.js';
import type { Data, OpenOptions } from '../engine/localcal.js';
import { bytesOf, happenings, open as openData } from '../engine/localcal.js';
import type { Remedy } from '../parts/message.js';
import { clearErrors, showError } from '../parts/message.js';
import { withLine } from '../parts/progress.js';
import { whole } from '../parts/words.js';
import { linkedExample, linkedFor } from './link.js';
import type { Wanted } from './store.js';
import {
  about,
  change,
  draft,
  exampleOf,
  inReport,
  open,
  openFiles,
  panels,
  report,
  scorable,
  subject,
} from './store.js';
import { chosen as chosenThen, specified, view, wanted } from './store.js';

/** What a person can choose when a file is refused for this reason. */
const REMEDIES: Record<string, { label: string; options: OpenOptions }> = {
  not_a_number: { label: 'Leave out such rows', options: { rows: 'drop' } },
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

/** Whether these are the files that the page is about. */
function sameFiles(files: File[]) {
  const now = about.peek()?.files;
  return now?.length === files.length && files.every((file, i) => file === now[i]);
}

/** What the page opened itself, and closes itself. */
let own: Data | null = null;
/** The opening under way, which ends as soon as something else is chosen. */
let opening: AbortController | null = null;
/** How many times something was chosen, by a person or a script. */
let chosen = 0;

async function openWanted({ files, options, example }: Wanted) {
  clearErrors();
  const names = files.length === 1 ? files[0].name : `${files.length} files`;
  try {
    const control = new AbortController();
    own = await withLine(
      `Opening ${names}`,
      ({ signal, onProgress }) => {
        const answer = openData(files, { ...options, signal: AbortSignal.any([signal, control.signal]), onProgress });
        opening = control; // the one before ended when this one was chosen
        return answer;
      },
      ({ summary }) => `${whole(summary.rows)} rows opened`,
    );
  } catch (error) {
    refuse(error, { files, options, example });
  }
}

/** Says why files were not opened, and what can be done: here, or by saying what their columns are. */
function refuse(error: any, { files, options }: Wanted) {
  const { code, summary } = error;
  const remedy = REMEDIES[code];
  const percents = percentsIn(summary, files);
  const ways: Remedy[] = [];
  if (percents)
    ways.push({
      label: 'These are percents',
      act: () => openFiles(files, { ...options, readings: { ...options.readings, ...percents } }),
    });
  if (remedy) ways.push({ label: remedy.label, act: () => openFiles(files, { ...options, ...remedy.options }) });
  const say = () =>
    batch(() => {
      draft.value = { files, options, summary };
      view.value = 'data';
    });
  // what is unclear is shown, so that a person can say it; so is what a correction in Data led to
  if (summary && (code === 'roles_unclear' || sameFiles(files))) say();
  else if (summary) ways.push({ label: 'Say what its columns are', act: say });
  showError(error, ways);
}

/** Opens a built-in example. */
export async function openExample(name: string) {
  const mine = (chosen += 1);
  try {
    const bytes =
      name === 'synthetic.csv' ? await bytesOf({ kind: 'example', name: 'synthetic' }) : await bytesOfExample(name);
    if (mine === chosen) openFiles([new File([bytes as Uint8Array<ArrayBuffer>], name)], {}, name);
  } catch (error) {
    showError(error);
  }
}

/** Unsure guesses, and data that cannot be scored, stay in Data; every other file lands on its finding. */
function opened({ data, files, options }: { data: Data; files: File[]; options: OpenOptions }) {
  const { summary } = data;
  const fresh = !sameFiles(files);
  const ready = scorable(summary);
  batch(() => {
    open.value = { data, files, options, summary, example: exampleOf(files) };
    draft.value = null;
    report.value = null;
    if (fresh) specified.value = {};
    if (!ready) view.value = 'data';
    else if (fresh && view.peek() === 'data') view.value = 'finding';
  });
  if (fresh) takeUp((options.session as any)?.page);
  const linked = linkedFor(summary);
  if (!linked) return;
  batch(() => {
    subject.value = { ...subject.peek(), ...linked.subject };
    panels.value = linked.panels;
    inReport.value = linked.inReport;
  });
  if (Object.keys(linked.options).length > 0) change({ options: linked.options });
}

/** Takes up what was chosen when a session was saved. */
function takeUp(saved: Partial<ReturnType<typeof chosenThen>> | null | undefined) {
  if (!saved) return;
  batch(() => {
    subject.value = { groups: null, features: null, repair: null, ...saved.subject };
    panels.value = saved.panels ?? {};
    inReport.value = saved.inReport ?? [];
  });
}

/** Files that a person gave, a session among them: it says how the others are read. */
export async function openGiven(files: File[]) {
  const session = files.find(({ name }) => /session.*\.json$/i.test(name));
  if (!session || files.length < 2) return openFiles(files);
  try {
    openFiles(
      files.filter((one) => one !== session),
      { session: JSON.parse(await session.text()) } as OpenOptions,
    );
  } catch (error) {
    showError(error);
  }
}

/** Opens what is wanted, shows what a script opens, and the example of a link. */
export function startOpening() {
  effect(() => {
    if (wanted.value) openWanted(wanted.value);
  });
  happenings.addEventListener('chosen', () => {
    chosen += 1;
    opening?.abort();
    opening = null;
  });
  happenings.addEventListener('opened', (event) => {
    opening = null;
    opened((event as CustomEvent).detail);
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
  const example = linkedExample();
  if (example) openExample(example);
}
