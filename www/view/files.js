// A panel that looks at several files at once: others are opened in the same way as the one on the page and scored as
// it was.

import { el, fill } from '../dom.js';
import { open } from '../engine/localcal.js';
import { state, watch } from '../state.js';
import { showError } from './message.js';
import { withLine } from './progress.js';
import { descriptionOf, sheetPanel } from './sheet.js';

/** A folded panel with a way to add files. @param {string} kind of `data.analyse` */
export function filesPanel(kind) {
  /** @type {import('../engine/localcal.js').Data[]} */
  let others = [];
  /** Whose panel it is. @type {import('../engine/localcal.js').Data | null} */
  let of = null;
  const panel = sheetPanel(kind, { folded: true, more: () => ({ others }) });
  const input = /** @type {HTMLInputElement} */ (
    el('input', { type: 'file', name: 'others', multiple: true, onchange: add })
  );
  const words = el('span', {});
  descriptionOf(kind).then(
    ({ files }) => fill(words, files),
    () => {}, // told by the opening
  );
  panel.element.children[0].after(el('p', {}, el('label', { class: 'field' }, words, input)));

  async function add() {
    const { data, files } = state;
    // what is called after an open file is no model of another one
    const options = files.some(({ name }) => name === state.options.model)
      ? { ...state.options, model: undefined }
      : state.options;
    const before = others;
    for (const file of input.files ?? []) {
      try {
        const other = await withLine(`Opening ${file.name}`, (watching) =>
          open([file], { ...options, ...watching, beside: true }),
        );
        if (data === of) others = [...others, other];
        else other.close();
      } catch (error) {
        showError(error);
      }
    }
    input.value = '';
    if (!data || data !== state.data || !state.report) return;
    // files that cannot stand beside this one are not kept: the panel says why
    if ((await panel.show(data, state.report)) === false && data === of) {
      for (const other of others.filter((one) => !before.includes(one))) other.close();
      others = before;
    }
  }

  watch(({ data }) => {
    if (data === of) return;
    for (const other of others) other.close();
    [others, of] = [[], data];
  });
  return panel;
}
