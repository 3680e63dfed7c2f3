// Repair: methods × metrics on rows that no fit has seen, before and after, and the repaired file.

import { byId, el, fill, save } from '../dom.js';
import { freeView, presentationOf, viewOf } from '../localcal.js';
import { state, watch } from '../state.js';
import { analyse } from './analyse.js';
import { figureView } from './figure.js';
import { showError } from './message.js';
import { withLine } from './progress.js';
import { localSettings } from './where.js';

/** Methods that the page offers. */
export const METHODS = ['temperature', 'platt', 'isotonic', 'histogram', 'lore'];
const LABELS = ['Temperature scaling', 'Platt scaling', 'Isotonic regression', 'Histogram binning', 'LoRe (local recalibration)'];
/** The method that is compared with leaving the predictions alone. @type {string} */
let picked = 'temperature';

/** @param {wasm_bindgen.RepairTable} table @param {(name: string) => void} onPick */
function tableOf({ columns, titles, rows }, onPick) {
  const cell = (/** @type {wasm_bindgen.RepairCell} */ { value, difference, side }) => el('td', { class: 'number' },
    el('span', { class: `value ${side}` }, value, side && el('span', { class: 'unseen' }, side === 'better' ? ' (better)' : ' (worse)')),
    difference && el('span', { class: 'difference' }, difference));
  const line = (/** @type {wasm_bindgen.RepairRow} */ row) => el('tr', { class: row.name === picked ? 'picked' : null, 'data-method': row.name },
    el('th', { scope: 'row' },
      row.verdict === '' ? el('strong', {}, row.name)
        : el('button', { type: 'button', class: 'link', 'aria-pressed': row.name === picked, onclick: () => onPick(row.name) }, row.name),
      el('span', { class: 'plain' }, row.plain), row.parameters && el('span', { class: 'plain' }, row.parameters)),
    el('td', { class: 'verdict' }, row.verdict, ...row.warnings.map((text) => el('span', { class: 'plain' }, text))),
    ...row.cells.map(cell));
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Methods and metrics' }, el('table', { class: 'methods' },
    el('caption', {}, 'Before and after, on rows that no fit has seen'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'method'), el('th', { scope: 'col' }, 'did it help?'),
      ...columns.map((name, i) => el('th', { scope: 'col', class: 'number', title: titles[i] }, name)))),
    el('tbody', {}, ...rows.map(line))));
}

export function mountRepair() {
  const has = () => presentationOf(/** @type {any} */ (state.data))?.repair.rows.some(({ name, cells }) => name === picked && cells.some(({ value }) => value !== '–'));
  const diagram = figureView('before-after', async ({ width }) => {
    const { data, report } = state;
    if (!data || !report || !has()) return null;
    const view = await viewOf(data, { chart: 'reliability', method: picked, width: Math.min(width, 560) });
    freeView(data, view);
    return view;
  });
  const map = figureView('map-after', async ({ width, dpr, dark }) => {
    const { data, report } = state;
    const local = localSettings();
    if (!data || !report || !local || !has()) return null;
    const view = await viewOf(data, { chart: 'map', features: local.features, gamma: local.gamma, bin: 'all', method: picked, width: Math.min(width, 560), dpr, dark });
    freeView(data, view);
    return view;
  });
  fill(byId('repair-diagram'), diagram.element);
  fill(byId('repair-map'), el('h3', { class: 'muted' }, 'Local error that is left after the repair'), map.element);
  const boxes = METHODS.map((id, i) => el('label', { class: 'check' }, el('input', { type: 'checkbox', name: id, checked: true }), ` ${LABELS[i]}`));
  const go = el('button', { type: 'button', class: 'primary', id: 'compare', onclick: compare }, 'Repair and compare');
  const take = el('button', { type: 'button', id: 'take', onclick: download }, 'Download repaired predictions');
  fill(byId('repair-methods'), ...boxes, go, take);

  function compare() {
    const chosen = METHODS.filter((id) => /** @type {HTMLInputElement | null} */ (byId('repair-methods').querySelector(`input[name="${id}"]`))?.checked);
    if (!chosen.includes(picked)) [picked = 'temperature'] = chosen;
    if (state.data) analyse(state.data, ['none', ...chosen]);
  }

  function download() {
    const { data } = state;
    if (data) withLine('Writing predictions.csv', ({ signal }) => data.export('predictions', { signal })).then((blob) => save(blob, 'predictions.csv'), showError);
  }

  function show() {
    const { data, report } = state;
    const words = data && report && presentationOf(data);
    const done = words && words.repair.rows.length > 1;
    fill(byId('repair-table'), done ? tableOf(words.repair, (name) => { picked = name; show(); }) : '');
    const row = done && words.repair.rows.find(({ name }) => name === picked);
    byId('repair-reading').textContent = row ? `${row.name}: ${row.verdict}` : 'Repair';
    byId('repair-basis').textContent = words ? words.basis : '';
    byId('repair-pictures').hidden = !done;
    byId('repair-map').hidden = !localSettings();
    /** @type {HTMLButtonElement} */ (byId('take')).disabled = !done;
    if (done) diagram.refresh();
    if (done && localSettings()) map.refresh();
  }

  /** @type {object | null} */
  let shown = null;
  watch(({ report, step }) => {
    if (step !== 'repair') return;
    const methods = report?.methods.length ?? 0;
    if (report && methods < 2 && shown !== report) compare();
    if (report !== shown || methods > 1) show();
    shown = report;
  });
}
