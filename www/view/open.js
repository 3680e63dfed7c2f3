// Open: a drop area that is a button, drop anywhere, paste, and three examples.

import { exampleOf } from '../engine/core.js';
import { byId, whole } from '../dom.js';
import { bytesOf, happenings, open } from '../engine/localcal.js';
import { state, update } from '../state.js';
import { analyse } from './analyse.js';
import { clearErrors, showError } from './message.js';
import { withLine } from './progress.js';

/** @typedef {import('../engine/localcal.js').OpenOptions} OpenOptions */

/**
 * What a person can choose when a file is refused for this reason. @type {Record<string, { label: string, options:
 * OpenOptions }>}
 */
const REMEDIES = {
  not_a_number: { label: 'Leave out such rows', options: { rows: 'drop' } },
  rows_do_not_sum_to_one: { label: 'Divide each row by its sum', options: { renormalise: true } },
};

/** A column is named alone when only one file is open. @param {wasm_bindgen.ColumnRole} column @param {File[]} files */
export const fullName = ({ file, name }, files) => (files.length > 1 ? `${file}:${name}` : name);

/**
 * The columns that would be scores if their values were percents, so read. @param {wasm_bindgen.Summary | null |
 * undefined} summary @param {File[]} files
 * @returns {Record<string, wasm_bindgen.Reading> | null} */
export function percentsIn(summary, files) {
  const offered = summary?.columns.filter(({ offer }) => offer === 'percent') ?? [];
  return offered.length > 0 ? Object.fromEntries(offered.map((column) => [fullName(column, files), 'percent'])) : null;
}

/** What the page opened itself, and closes itself. @type {import('../engine/localcal.js').Data | null} */
let own = null;
/** The opening under way, which ends as soon as something else is chosen. @type {AbortController | null} */
let opening = null;
/** How many times a person chose something. */
let chosen = 0;

/** Opens files in place of what is open; what is open stays when that fails.
 * @param {File[]} files @param {OpenOptions} [options] */
export async function openFiles(files, options = {}) {
  if (files.length === 0) return;
  chosen += 1;
  clearErrors();
  const names = files.length === 1 ? files[0].name : `${files.length} files`;
  try {
    const control = new AbortController();
    const data = await withLine(
      `Opening ${names}`,
      ({ signal, onProgress }) => {
        const answer = open(files, { ...options, signal: AbortSignal.any([signal, control.signal]), onProgress });
        opening = control; // the one before ended when this one was chosen
        return answer;
      },
      ({ summary }) => `${whole(summary.rows)} rows opened`,
    );
    own = data;
    if (!data.summary.unsure && !data.summary.missing) analyse(data);
  } catch (error) {
    const { code, summary } = /** @type {any} */ (error);
    const remedy = REMEDIES[code];
    const percents = percentsIn(summary, files);
    /** @type {import('./message.js').Remedy[]} */
    const ways = [];
    if (percents)
      ways.push({
        label: 'These are percents',
        act: () => openFiles(files, { ...options, readings: { ...options.readings, ...percents } }),
      });
    if (remedy) ways.push({ label: remedy.label, act: () => openFiles(files, { ...options, ...remedy.options }) });
    const say = () => update({ draft: { files, options, summary }, step: 'columns' });
    // what is unclear is shown, so that a person can say it; so is what a change in the step Columns led to
    if (summary && (code === 'roles_unclear' || files === (state.draft ?? state).files)) say();
    else if (summary) ways.push({ label: 'Say what its columns are', act: say });
    showError(error, ways);
  }
}

/** @param {string} name @returns {Promise<File>} */
async function example(name) {
  const bytes =
    name === 'synthetic.csv' ? await bytesOf({ kind: 'example', name: 'synthetic' }) : await exampleOf(name);
  return new File([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)], name);
}

/** Files on the clipboard, or its text as a file. @param {ClipboardEvent} event */
function onPaste(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.closest('input, textarea, select') || !event.clipboardData) return;
  const files = Array.from(event.clipboardData.files);
  const text = event.clipboardData.getData('text/plain');
  if (files.length === 0 && text.includes('\n')) files.push(new File([text], 'pasted.csv'));
  if (files.length > 0) openFiles(files);
}

export function mountOpen() {
  const picker = /** @type {HTMLInputElement} */ (byId('picker'));
  const drop = byId('drop');
  drop.addEventListener('click', () => picker.click());
  picker.addEventListener('change', () => {
    openFiles(Array.from(picker.files ?? []));
    picker.value = '';
  });
  let depth = 0;
  const mark = (/** @type {number} */ change) => {
    depth = Math.max(0, depth + change);
    document.body.classList.toggle('dragging', depth > 0);
  };
  addEventListener('dragenter', () => mark(1));
  addEventListener('dragleave', () => mark(-1));
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    mark(-depth);
    openFiles(Array.from(event.dataTransfer?.files ?? []));
  });
  addEventListener('paste', onPaste);
  happenings.addEventListener('chosen', () => {
    chosen += 1;
    opening?.abort();
    opening = null;
  });
  happenings.addEventListener('opened', () => {
    own?.close();
    own = null;
    opening = null;
  });
  for (const button of document.querySelectorAll('[data-sample]')) {
    const { sample = '' } = /** @type {HTMLElement} */ (button).dataset;
    button.addEventListener('click', async () => {
      const mine = (chosen += 1);
      try {
        const file = await example(sample);
        if (mine === chosen) openFiles([file]);
      } catch (error) {
        showError(error);
      }
    });
  }
}
