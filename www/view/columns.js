// Columns: what each was taken for and why, with five rows of the file; how rows are divided; which pair is looked at.

import { byId, el, fill, whole } from '../dom.js';
import { state, update, watch } from '../state.js';
import { analyse } from './analyse.js';
import { openFiles } from './open.js';

/** @typedef {wasm_bindgen.Role} Role */
/** @typedef {wasm_bindgen.ColumnRole} ColumnRole */
/** @typedef {import('../localcal.js').OpenOptions} OpenOptions */

/** @type {Record<Role, string>} */
const ROLES = {
  label: 'label (outcome)', probability: 'probability', probabilities: 'probabilities, all classes', logit: 'logit',
  logits: 'logits, all classes', confidence: 'confidence of the prediction', correct: 'was it right', predicted: 'predicted class',
  feature: 'feature', features: 'features, many columns', group: 'group', split: 'split', id: 'row id', weight: 'weight', ignore: 'not used',
};
/** @type {Record<string, string>} */
const VIEWS = { top_label: 'Confidence of the predicted class', positive: 'Probability of the positive class' };
/** @type {Record<string, { label: string, split: any }>} */
const SPLITS = {
  auto: { label: 'as the file says, else 5 folds', split: 'auto' },
  folds5: { label: '5-fold cross-fitting', split: { folds: 5 } },
  folds10: { label: '10-fold cross-fitting', split: { folds: 10 } },
  half: { label: 'a random half calibrates', split: { half: true } },
};

/** Opens the same files again with something changed. @param {OpenOptions} change */
function reopen(change) {
  openFiles(state.files, { ...state.options, ...change });
}

function goOn() {
  update({ step: 'overview' });
  if (state.data && !state.report) analyse(state.data);
}

/** A column is named alone when only one file is open. @param {ColumnRole} column */
const fullName = ({ file, name }) => (state.files.length > 1 ? `${file}:${name}` : name);

/** @param {ColumnRole} column */
function roleSelect(column) {
  const choices = Object.entries(ROLES).map(([role, text]) => el('option', { value: role, selected: role === column.role }, text));
  return el('select', {
    name: `role ${fullName(column)}`, 'aria-label': `Role of ${column.name}`,
    onchange: (/** @type {Event} */ event) => {
      const role = /** @type {Role} */ (/** @type {HTMLSelectElement} */ (event.target).value);
      reopen({ roles: { ...state.options.roles, [fullName(column)]: role } });
    },
  }, ...choices);
}

/** @param {wasm_bindgen.Summary} summary */
function preview({ columns }) {
  const heads = columns.map((column) => el('th', { scope: 'col', class: column.sure ? null : 'unsure' },
    el('span', { class: 'name', title: column.name }, column.name),
    column.shape.length > 1 && el('span', { class: 'muted number' }, ` × ${column.shape[1]}`),
    roleSelect(column),
    el('span', { class: 'reason' }, column.sure ? column.reason : `? ${column.reason}`)));
  const rows = [0, 1, 2, 3, 4].filter((i) => columns.some((column) => i < column.preview.length));
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'First five rows' },
    el('table', { class: 'preview' },
      el('thead', {}, el('tr', {}, ...heads)),
      el('tbody', {}, ...rows.map((i) => el('tr', {}, ...columns.map((column) => el('td', { class: 'number' }, column.preview[i] ?? '')))))));
}

/** "label: died · probability: risk · 2 features" @param {wasm_bindgen.Summary} summary */
function inOneLine({ columns }) {
  /** @type {Map<Role, ColumnRole[]>} */
  const byRole = new Map();
  for (const column of columns) if (column.role !== 'ignore') byRole.set(column.role, [...(byRole.get(column.role) ?? []), column]);
  const parts = [...byRole].map(([role, given]) => (given.length === 1 ? `${role}: ${given[0].name}` : `${given.length} × ${role}`));
  return parts.join(' · ');
}

/** @param {string} label @param {Record<string, string>} choices @param {string} chosen @param {(value: string) => void} choose */
function field(label, choices, chosen, choose) {
  const options = Object.entries(choices).map(([value, text]) => el('option', { value, selected: value === chosen }, text));
  return el('label', { class: 'field' }, el('span', {}, label),
    el('select', { name: label, onchange: (/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.target).value) }, ...options));
}

/** @param {wasm_bindgen.Summary} summary */
function choices(summary) {
  const split = JSON.stringify(state.options.split ?? 'auto');
  const chosen = Object.entries(SPLITS).find(([, one]) => JSON.stringify(one.split) === split)?.[0] ?? 'auto';
  const labels = Object.fromEntries(summary.labels.map((label) => [label, label]));
  return el('div', { class: 'fields' },
    field('Rows are divided', Object.fromEntries(Object.entries(SPLITS).map(([id, one]) => [id, one.label])), chosen, (id) => reopen({ split: SPLITS[id].split })),
    summary.views.length > 1 && field('Look at', Object.fromEntries(summary.views.map((view) => [view, VIEWS[view]])), summary.view,
      (view) => reopen({ view: /** @type {wasm_bindgen.View} */ (view) })),
    summary.view === 'positive' && summary.positive !== undefined && summary.labels.length === 2
      && field('Counted as 1', labels, summary.positive, (positive) => reopen({ positive })),
    field('A row with an unusable value', { error: 'stops the opening', drop: 'is left out' }, state.options.rows ?? 'error',
      (rows) => reopen({ rows: /** @type {wasm_bindgen.RowPolicy} */ (rows) })));
}

/** @param {wasm_bindgen.Summary} summary */
function notes({ warnings, dropped }) {
  const first = dropped.slice(0, 5).map(({ row, reason }) => el('li', {}, `Row ${whole(row)} left out: ${reason}`));
  const more = dropped.length > 5 && el('li', {}, `and ${whole(dropped.length - 5)} more rows`);
  if (warnings.length + dropped.length === 0) return null;
  return el('ul', { class: 'notes' }, ...warnings.map(({ message }) => el('li', {}, message)), ...first, more);
}

export function mountColumns() {
  /** @type {wasm_bindgen.Summary | null} */
  let shown = null;
  watch(({ summary }) => {
    if (summary === shown) return;
    shown = summary;
    const body = byId('columns-body');
    if (!summary) return fill(body);
    // the same control has the focus after the files were opened again, and an open fold stays open
    const focused = /** @type {HTMLSelectElement | null} */ (body.querySelector('select:focus'))?.name;
    const unfolded = body.querySelector('details[open]') !== null;
    const unsure = summary.columns.filter((column) => !column.sure).length;
    byId('columns-reading').textContent = unsure === 0
      ? 'Every column was recognised.'
      : `${unsure} of ${summary.columns.length} columns: please look at what they were taken for.`;
    fill(body,
      el('details', { class: 'fold', open: unsure > 0 || unfolded },
        el('summary', {}, el('span', {}, inOneLine(summary) || 'No column was recognised'), el('span', { class: 'link' }, 'change')),
        preview(summary)),
      choices(summary),
      el('p', { class: 'muted' }, summary.split && `Scored on: ${summary.split}.`),
      notes(summary),
      el('p', {}, el('button', { type: 'button', class: 'primary', onclick: goOn }, 'Show the scorecard')));
    if (focused) /** @type {HTMLElement | null} */ (body.querySelector(`select[name="${CSS.escape(focused)}"]`))?.focus();
  });
}
