// Columns: what each was taken for and why, with five rows of the file; how rows are divided; which pair is looked at.

import { byId, el, fill, whole } from '../dom.js';
import { state, update, watch } from '../state.js';
import { ensureReport } from './analyse.js';
import { fullName as nameIn, openFiles, percentsIn } from './open.js';

/** @typedef {wasm_bindgen.Role} Role */
/** @typedef {wasm_bindgen.ColumnRole} ColumnRole */
/** @typedef {import('../engine/localcal.js').OpenOptions} OpenOptions */

/** @type {Record<Role, string>} */
const ROLES = {
  label: 'label (outcome)',
  probability: 'probability',
  percent: 'probability, in percent',
  probabilities: 'probabilities, all classes',
  logit: 'logit',
  logits: 'logits, all classes',
  confidence: 'confidence of the prediction',
  correct: 'was it right',
  predicted: 'predicted class',
  feature: 'feature',
  features: 'features, many columns',
  group: 'group',
  split: 'split',
  id: 'row id',
  weight: 'weight',
  ignore: 'not used',
};
/** @type {Record<string, string>} */
const VIEWS = { top_label: 'Confidence of the predicted class', positive: 'Probability of the positive class' };
/** Whether nothing needs a person's word before rows are scored. @param {import('../engine/localcal.js').Data} data */
export const usable = ({ summary }) => !summary.unsure && !summary.missing;

/** What this step is about: files that wait for a person's word, else what is open. */
const subject = () => state.draft ?? state;

/** Opens the same files again with something changed. @param {OpenOptions} change */
function reopen(change) {
  const { files, options } = subject();
  openFiles(files, { ...options, ...change });
}

function goOn() {
  update({ step: 'overview' });
  ensureReport();
}

/** A column is named alone when only one file is open. @param {ColumnRole} column */
const fullName = (column) => nameIn(column, subject().files);

/** @param {ColumnRole} column */
function roleSelect(column) {
  const percent = column.reading === 'percent' && ['probability', 'probabilities'].includes(column.role);
  const shown = percent ? 'percent' : column.role;
  const choices = Object.entries(ROLES).map(([role, text]) =>
    el('option', { value: role, selected: role === shown }, text),
  );
  return el(
    'select',
    {
      name: `role ${fullName(column)}`,
      'aria-label': `Role of ${column.name}`,
      onchange: (/** @type {Event} */ event) => {
        const role = /** @type {Role} */ (/** @type {HTMLSelectElement} */ (event.target).value);
        const { roles, readings } = subject().options;
        const { [fullName(column)]: _, ...others } = readings ?? {};
        reopen({ roles: { ...roles, [fullName(column)]: role }, readings: others });
      },
    },
    ...choices,
  );
}

/**
 * Whether the first row of a table holds names, as a person can say better; what was said of columns goes by their
 * names, and
 * with it. @param {wasm_bindgen.Summary} summary */
function headerSwitch({ header }) {
  if (header === undefined || header === null) return null;
  const change = (/** @type {Event} */ event) => {
    const { split, ...options } = subject().options;
    const kept = /** @type {any} */ (split)?.column ? {} : { split };
    openFiles(subject().files, {
      ...options,
      ...kept,
      roles: {},
      readings: {},
      model: undefined,
      header: /** @type {HTMLInputElement} */ (event.target).checked,
    });
  };
  return el(
    'label',
    { class: 'check' },
    el('input', { type: 'checkbox', name: 'header', checked: header, onchange: change }),
    ' the first row is names',
  );
}

/** @param {wasm_bindgen.Summary} summary */
function preview({ columns }) {
  const heads = columns.map((column) =>
    el(
      'th',
      { scope: 'col', class: column.sure ? null : 'unsure' },
      el(
        'span',
        { class: 'name', title: column.name },
        ...column.name.split(/(?<=[_.-])/).flatMap((part) => [part, el('wbr')]),
      ),
      column.shape.length > 1 && el('span', { class: 'muted number' }, ` × ${column.shape[1]}`),
      roleSelect(column),
      el('span', { class: 'reason' }, column.sure ? column.reason : `? ${column.reason}`),
    ),
  );
  const rows = [0, 1, 2, 3, 4].filter((i) => columns.some((column) => i < column.preview.length));
  return el(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'First five rows' },
    el(
      'table',
      { class: 'preview' },
      el('thead', {}, el('tr', {}, ...heads)),
      el(
        'tbody',
        {},
        ...rows.map((i) =>
          el('tr', {}, ...columns.map((column) => el('td', { class: 'number' }, column.preview[i] ?? ''))),
        ),
      ),
    ),
  );
}

/** "label: died · probability: risk · 2 features" @param {wasm_bindgen.Summary} summary */
function inOneLine({ columns }) {
  /** @type {Map<Role, ColumnRole[]>} */
  const byRole = new Map();
  for (const column of columns)
    if (column.role !== 'ignore') byRole.set(column.role, [...(byRole.get(column.role) ?? []), column]);
  const parts = [...byRole].map(([role, given]) =>
    given.length === 1 ? `${role}: ${given[0].name}` : `${given.length} × ${role}`,
  );
  return parts.join(' · ');
}

/**
 * @param {string} label @param {Record<string, string>} choices @param {string} chosen @param {(value: string) => void}
 * choose
 */
function field(label, choices, chosen, choose) {
  const options = Object.entries(choices).map(([value, text]) =>
    el('option', { value, selected: value === chosen }, text),
  );
  return el(
    'label',
    { class: 'field' },
    el('span', {}, label),
    el(
      'select',
      {
        name: label,
        onchange: (/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.target).value),
      },
      ...options,
    ),
  );
}

/** @param {string} label @param {Record<string, any>} attributes @param {(value: string) => void} choose */
const entry = (label, attributes, choose) =>
  el(
    'label',
    { class: 'field' },
    el('span', {}, label),
    el('input', {
      name: label,
      ...attributes,
      onchange: (/** @type {Event} */ event) => choose(/** @type {HTMLInputElement} */ (event.target).value),
    }),
  );

/** How rows are divided, and what a way leaves to be said. @param {wasm_bindgen.Summary} summary */
function division({ rows, ways }) {
  const now = ways.findIndex(({ chosen }) => chosen);
  const split = /** @type {any} */ (ways[now]?.split ?? 'auto');
  return [
    field('Rows are divided', Object.fromEntries(ways.map(({ label }, i) => [i, label])), String(now), (i) => {
      const chosen = /** @type {any} */ (ways[Number(i)].split);
      reopen({ split: chosen, ...(chosen.files && { model: undefined }) });
    }),
    split.first &&
      entry('Rows that calibrate', { type: 'number', min: 1, max: rows - 1, value: split.first }, (value) =>
        reopen({ split: { first: Number(value) } }),
      ),
    split.column &&
      entry(
        'Values whose rows calibrate',
        { value: split.calibration?.join(', ') ?? '', placeholder: 'calibration, validation …' },
        (value) =>
          reopen({
            split: {
              column: split.column,
              calibration: value
                .split(',')
                .map((one) => one.trim())
                .filter(Boolean),
            },
          }),
      ),
  ];
}

/** @param {wasm_bindgen.Summary} summary */
function choices(summary) {
  const { options } = subject();
  const labels = Object.fromEntries(summary.labels.map((label) => [label, label]));
  return el(
    'div',
    { class: 'fields' },
    summary.models.length > 1 &&
      field('Model', Object.fromEntries(summary.models.map((name) => [name, name])), summary.models[0], (model) =>
        reopen({ model }),
      ),
    ...division(summary),
    summary.views.length > 1 &&
      field('Look at', Object.fromEntries(summary.views.map((view) => [view, VIEWS[view]])), summary.view, (view) =>
        reopen({ view: /** @type {wasm_bindgen.View} */ (view) }),
      ),
    summary.view === 'positive' &&
      summary.labels.length === 2 &&
      field('Counted as 1', labels, summary.positive ?? '', (positive) => reopen({ positive })),
    field(
      'A row with an unusable value',
      { error: 'stops the opening', drop: 'is left out' },
      options.rows ?? 'error',
      (rows) => reopen({ rows: /** @type {wasm_bindgen.RowPolicy} */ (rows) }),
    ),
  );
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
  watch(() => {
    const { summary } = subject();
    if (summary === shown) return;
    shown = summary;
    const body = byId('columns-body');
    if (!summary) return fill(body);
    // the same control has the focus after the files were opened again, and an open fold stays open
    const focused = /** @type {HTMLSelectElement | null} */ (body.querySelector('select:focus, input:focus'))?.name;
    const unfolded = body.querySelector('details[open]') !== null;
    const open = summary.columns.filter((column) => !column.sure).length;
    const names = state.draft?.files.map(({ name }) => name).join(', ');
    const percents = percentsIn(summary, subject().files);
    byId('columns-reading').textContent = names
      ? percents
        ? `${names}: these look like percents, not probabilities.`
        : `${names}: please say what its columns are.`
      : summary.missing
        ? summary.missing
        : open > 0
          ? `${open} of ${summary.columns.length} columns: please look at what they were taken for.`
          : summary.unsure
            ? 'Please look at what the labels were taken for.'
            : 'Every column was recognised.';
    fill(
      body,
      !names && summary.missing && el('p', {}, 'A stored calibrator can still be applied, in the step Report.'),
      el(
        'details',
        { class: 'fold', open: names || summary.missing || open > 0 || unfolded },
        el(
          'summary',
          {},
          el('span', {}, inOneLine(summary) || 'No column was recognised'),
          el('span', { class: 'link' }, 'change'),
        ),
        headerSwitch(summary),
        preview(summary),
      ),
      choices(summary),
      summary.split && el('p', { class: 'muted' }, `Scored on: ${summary.split}.`),
      notes(summary),
      percents &&
        el(
          'p',
          {},
          el(
            'button',
            {
              type: 'button',
              class: 'primary',
              onclick: () => reopen({ readings: { ...subject().options.readings, ...percents } }),
            },
            'These are percents',
          ),
        ),
      el(
        'p',
        {},
        names
          ? el(
              'button',
              { type: 'button', onclick: () => update({ draft: null, step: state.data ? 'columns' : 'open' }) },
              'Leave this file alone',
            )
          : !summary.missing && el('button', { type: 'button', class: 'primary', onclick: goOn }, 'Show the scorecard'),
      ),
    );
    if (focused) /** @type {HTMLElement | null} */ (body.querySelector(`[name="${CSS.escape(focused)}"]`))?.focus();
  });
}
