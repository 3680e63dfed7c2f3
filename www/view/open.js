// Open: a drop area that is a button, drop anywhere, paste, and three examples.

import { unpacked } from '../core.js';
import { byId, whole } from '../dom.js';
import { bytesOf, happenings, offerOf, open } from '../localcal.js';
import { state, update } from '../state.js';
import { analyse } from './analyse.js';
import { clearErrors, showError } from './message.js';
import { withLine } from './progress.js';

/** @typedef {import('../localcal.js').OpenOptions} OpenOptions */

/** What a person can choose when a file is refused for this reason. @type {Record<string, { label: string, options: OpenOptions }>} */
const REMEDIES = {
  not_a_number: { label: 'Leave out such rows', options: { rows: 'drop' } },
  rows_do_not_sum_to_one: { label: 'Divide each row by its sum', options: { renormalise: true } },
};

/** What the page opened itself, and closes itself. @type {import('../localcal.js').Data | null} */
let own = null;

/** Opens files in place of what is open; what is open stays when that fails.
 * @param {File[]} files @param {OpenOptions} [options] */
export async function openFiles(files, options = {}) {
  if (files.length === 0) return;
  clearErrors();
  const names = files.length === 1 ? files[0].name : `${files.length} files`;
  try {
    const data = await withLine(`Opening ${names}`, (watch) => open(files, { ...options, ...watch }), ({ summary }) => `${whole(summary.rows)} rows opened`);
    own = data;
    if (!data.summary.unsure && !offerOf(data).missing) analyse(data);
  } catch (error) {
    const { code, summary } = /** @type {any} */ (error);
    const remedy = REMEDIES[code];
    /** @type {import('./message.js').Remedy[]} */
    const ways = remedy ? [{ label: remedy.label, act: () => openFiles(files, { ...options, ...remedy.options }) }] : [];
    const say = () => update({ draft: { files, options, summary }, step: 'columns' });
    // what is unclear is shown, so that a person can say it; so is what a change in the step Columns led to
    if (summary && (code === 'roles_unclear' || files === (state.draft ?? state).files)) say();
    else if (summary) ways.push({ label: 'Say what its columns are', act: say });
    showError(error, ways);
  }
}

/** @param {string} name @returns {Promise<File>} */
async function example(name) {
  const bytes = name === 'synthetic.csv' ? await bytesOf({ kind: 'example', name: 'synthetic' }) : await unpacked(`sample-${name}`);
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
  happenings.addEventListener('opened', () => {
    own?.close();
    own = null;
  });
  for (const button of document.querySelectorAll('[data-sample]')) {
    const { sample = '' } = /** @type {HTMLElement} */ (button).dataset;
    button.addEventListener('click', () => example(sample).then((file) => openFiles([file]), showError));
  }
}
