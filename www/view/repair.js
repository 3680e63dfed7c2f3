// Repair: methods × metrics on rows that no fit has seen, before and after, and the repaired file.

import { byId, el, fill, save } from '../dom.js';
import { charts, happenings, offerOf, presentationOf } from '../engine/localcal.js';
import { state, watch } from '../state.js';
import { analyse } from './analyse.js';
import { figureView } from './figure.js';
import { filesPanel } from './files.js';
import { mapView, mark } from './map.js';
import { maps } from './maps.js';
import { announce, showError } from './message.js';
import { withLine } from './progress.js';
import { regionCard } from './region.js';
import { inOrder, sheetPanel } from './sheet.js';
import { sweepView } from './sweep.js';
import { linked, localSettings, mapSettings } from './where.js';

/** The method that is compared with leaving the predictions alone. @type {string} */
let picked = 'temperature';

/** The method whose repair is on screen. */
export const pickedMethod = () => picked;

/** How the table is sorted: by a metric's place, rising or falling; null as the methods were asked for.
 * @type {{ place: number, falling: boolean } | null} */
let order = null;
let everyMetric = false;

/** The rows in the order asked for, what was left alone first. @param {wasm_bindgen.RepairRow[]} rows */
async function sorted(rows) {
  if (!order) return rows;
  const { place, falling } = order;
  const keys = rows.map(({ cells, verdict }) => ({ number: cells[place].number, stays: verdict === '' }));
  return inOrder(rows, keys, falling);
}

/** @param {wasm_bindgen.RepairTable} table @param {() => void} redraw */
function tableOf({ columns, rows }, redraw) {
  const places = columns.map((_, i) => i).filter((i) => everyMetric || columns[i].main);
  const cell = (/** @type {wasm_bindgen.RepairCell} */ { value, difference, side }, /** @type {string} */ name) =>
    el(
      'td',
      { class: 'number', 'data-name': name },
      el(
        'span',
        { class: `value ${side}` },
        value,
        side && el('span', { class: 'unseen' }, side === 'better' ? ' (better)' : ' (worse)'),
      ),
      difference &&
        el(
          'span',
          { class: 'difference' },
          ...difference
            .replace(')', '')
            .split(/, | \(/)
            .map((part) => el('span', {}, part)),
        ),
    );
  const pick = (/** @type {string} */ name) => () => {
    picked = name;
    redraw();
  };
  const line = (/** @type {wasm_bindgen.RepairRow} */ row) =>
    el(
      'tr',
      { class: row.name === picked ? 'picked' : null, 'data-method': row.name },
      el(
        'th',
        { scope: 'row' },
        row.verdict === ''
          ? el('strong', {}, row.name)
          : el(
              'button',
              { type: 'button', class: 'link', 'aria-pressed': row.name === picked, onclick: pick(row.name) },
              row.name,
            ),
        el('span', { class: 'plain' }, [row.plain, row.parameters].filter(Boolean).join('; ')),
        row.verdict && el('span', { class: 'verdict' }, row.verdict),
        ...row.warnings.map((text) => el('span', { class: 'plain' }, text)),
      ),
      ...places.map((i) => cell(row.cells[i], columns[i].name)),
    );
  const sort = (/** @type {number} */ place) => () => {
    order = order?.place !== place ? { place, falling: false } : order.falling ? null : { place, falling: true };
    redraw();
  };
  const head = (/** @type {number} */ i) =>
    el(
      'th',
      {
        scope: 'col',
        class: 'number',
        'aria-sort': order?.place === i ? (order.falling ? 'descending' : 'ascending') : null,
      },
      el(
        'button',
        { type: 'button', class: 'link', title: columns[i].definition, 'data-sort': columns[i].id, onclick: sort(i) },
        columns[i].name,
        order?.place === i && (order.falling ? ' ↓' : ' ↑'),
      ),
    );
  const all = el('input', {
    type: 'checkbox',
    name: 'every metric',
    checked: everyMetric,
    onchange: () => {
      everyMetric = !everyMetric;
      redraw();
    },
  });
  return [
    el(
      'div',
      { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Methods and metrics' },
      el(
        'table',
        { class: 'methods' },
        el('caption', {}, 'Before and after, on rows that no fit has seen'),
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'method, and whether it helped'), ...places.map(head))),
        el('tbody', {}, ...rows.map(line)),
      ),
    ),
    el(
      'p',
      { class: 'row' },
      el('label', { class: 'check' }, all, ` all ${columns.length} metrics`),
      el('span', { class: 'muted' }, 'Copy as'),
      ...Object.entries(FORMATS).map(([title, format]) =>
        el(
          'button',
          {
            type: 'button',
            class: 'quiet',
            onclick: (/** @type {Event} */ { currentTarget }) =>
              copy(title, format, /** @type {HTMLElement} */ (currentTarget)),
          },
          title,
        ),
      ),
    ),
  ];
}

/** Tables that were asked for: the last one stands. */
let tables = 0;
/** Shows the table in the order asked for, or none. @param {wasm_bindgen.RepairTable | null} table
 * @param {() => void} redraw @param {...Element} above */
async function showTable(table, redraw, ...above) {
  tables += 1;
  const mine = tables;
  const rows = table ? await sorted(table.rows) : [];
  if (mine === tables) fill(byId('repair-table'), ...above, ...(table ? tableOf({ ...table, rows }, redraw) : []));
}

/**
 * Puts the table on the clipboard. @param {string} title @param {'markdown' | 'latex' | 'csv'} format @param
 * {HTMLElement} button
 */
async function copy(title, format, button) {
  const { data } = state;
  if (!data) return;
  try {
    await navigator.clipboard.writeText(await (await data.export('table', { format, every: everyMetric })).text());
    announce(`The table is on the clipboard as ${title}`);
    button.textContent = `${title} ✓`;
  } catch (error) {
    showError(error);
  }
}
const FORMATS = /** @type {const} */ ({ Markdown: 'markdown', LaTeX: 'latex', CSV: 'csv' });

export function mountRepair() {
  const has = () =>
    presentationOf(/** @type {any} */ (state.data))?.repair.rows.some(
      ({ name, cells }) => name === picked && cells.some(({ value }) => value !== '–'),
    );
  /**
   * A chart of the last run that shows the picked method. @param {(room: { width: number, dpr: number, dark: boolean })
   * => object | null} request
   */
  const ask = (request) => {
    const chart = charts();
    return async (/** @type {{ width: number, dpr: number, dark: boolean }} */ room) => {
      const { data, report } = state;
      const wanted = data && report && has() ? request({ ...room, width: Math.min(room.width, 560) }) : null;
      return data && wanted ? chart(data, /** @type {any} */ (wanted)) : null;
    };
  };
  const diagram = figureView(
    'before-after',
    ask(({ width }) => ({ chart: 'reliability', method: picked, width })),
  );
  const spread = figureView(
    'cdf-before-after',
    ask((room) => mapSettings() && { chart: 'cdf', ...mapSettings(), method: 'none', beside: picked, ...room }),
  );
  const region = regionCard(() => mark(linked, []));
  const select = (/** @type {import('./map.js').Place[]} */ polygon) => {
    const asked = mapSettings();
    if (state.data && asked)
      region.show(
        state.data,
        polygon.length > 0 && has() ? { features: asked.features, bin: asked.bin, method: picked, polygon } : null,
      );
  };
  const local = (
    /** @type {string} */ name,
    /** @type {() => object} */ methods,
    tell = (/** @type {import('./map.js').Place[]} */ _) => {},
  ) =>
    mapView(
      name,
      (width) => (has() && mapSettings() ? { ...mapSettings(), ...methods(), width: Math.min(width, 560) } : null),
      linked,
      { select: tell },
    );
  const before = local('map-before', () => ({ method: 'none', beside: picked }));
  const after = local('map-after', () => ({ method: picked, beside: 'none' }), select);
  const sweep = sweepView('sweep-methods', () => {});
  const titled = (/** @type {string} */ title, /** @type {{ element: Element }} */ figure) =>
    el('div', { class: 'titled' }, el('h3', { class: 'muted' }, title), figure.element);
  const spreadBox = titled('Local error of the rows before and after', spread);
  fill(byId('repair-pictures'), titled('Reliability before and after', diagram), spreadBox);
  const curves = titled('Local error of every method against the bandwidth', sweep);
  const multiples = sheetPanel('multiples', { folded: true });
  const fair = sheetPanel('compare', { folded: true });
  const worst = filesPanel('correlation');
  byId('repair-local').after(fair.element, worst.element, multiples.element);
  fill(
    byId('repair-local'),
    titled('Local error before', before),
    titled('Local error after, same rows and colours', after),
    region.element,
    curves,
  );
  const lore = el('div', { class: 'fields', id: 'lore-settings' });
  /**
   * Where LoRe looks for rows that are alike: apart from the map that measures, if a person says so. @type {{
   * features?: any, gamma?: number }}
   */
  const own = {};
  const go = el('button', { type: 'button', class: 'primary', id: 'compare', onclick: compare }, 'Repair and compare');
  const take = /** @type {HTMLButtonElement} */ (
    el('button', { type: 'button', id: 'take', onclick: download }, 'Download repaired predictions')
  );

  /** The boxes of the methods, the usual ones at hand. @param {import('../engine/localcal.js').Data} data */
  function showMethods(data) {
    const { methods } = offerOf(data);
    const boxes = (/** @type {boolean} */ first) =>
      methods
        .filter(({ usual }) => usual === first)
        .map(({ id, name, usual }) =>
          el('label', { class: 'check' }, el('input', { type: 'checkbox', name: id, checked: usual }), ` ${name}`),
        );
    fill(
      byId('repair-methods'),
      ...boxes(true),
      lore,
      el('details', { class: 'more' }, el('summary', {}, 'More methods'), el('p', { class: 'row' }, ...boxes(false))),
      go,
      take,
    );
  }

  function compare() {
    const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (
      byId('repair-methods').querySelectorAll('label.check > input')
    );
    const chosen = [...boxes].filter(({ checked }) => checked).map(({ name }) => name);
    if (!chosen.includes(picked)) [picked = 'temperature'] = chosen;
    const asked = chosen.map((id) => (id === 'lore' && Object.keys(own).length > 0 ? { id, parameters: own } : id));
    if (state.data) analyse(state.data, ['none', ...asked]);
  }

  /** @param {import('../engine/localcal.js').Data} data */
  function showLore(data) {
    const { names, ways } = maps(data);
    const all = /** @type {Record<string, any>} */ ({
      ...ways,
      ...(names.length > 0 && names.length < 3 ? { [names.join(' and ')]: names } : {}),
    });
    const set = (/** @type {'features' | 'gamma'} */ key, /** @type {any} */ value) => {
      if (value) own[key] = value;
      else delete own[key];
    };
    const map = /** @type {HTMLSelectElement} */ (
      el(
        'select',
        { name: 'lore-map', onchange: () => set('features', all[map.value]) },
        el('option', { value: '' }, 'as on the map'),
        ...Object.keys(all).map((way) =>
          el('option', { selected: JSON.stringify(all[way]) === JSON.stringify(own.features) }, way),
        ),
      )
    );
    const gamma = /** @type {HTMLInputElement} */ (
      el('input', {
        type: 'number',
        name: 'lore-gamma',
        min: 0,
        step: 'any',
        placeholder: 'as on the map',
        value: own.gamma,
        onchange: () => set('gamma', Number(gamma.value)),
      })
    );
    fill(
      lore,
      el('label', { class: 'field' }, el('span', {}, 'LoRe: rows are alike when they agree in'), map),
      el('label', { class: 'field' }, el('span', {}, 'LoRe: bandwidth γ'), gamma),
    );
  }

  function download() {
    const { data } = state;
    if (data)
      withLine('Writing predictions.csv', ({ signal }) => data.export('predictions', { signal })).then(
        (blob) => save(blob, 'predictions.csv'),
        showError,
      );
  }

  function show() {
    const { data, report } = state;
    const words = data && report && presentationOf(data);
    const done = words && words.repair.rows.length > 1;
    showTable(done ? words.repair : null, show);
    const row = done && words.repair.rows.find(({ name }) => name === picked);
    byId('repair-reading').textContent = row ? `${row.name}: ${row.verdict}` : 'Repair';
    byId('repair-basis').textContent = words ? words.basis : '';
    byId('repair-pictures').hidden = !done;
    spreadBox.hidden = byId('repair-local').hidden = !done || !localSettings();
    take.disabled = !done;
    for (const panel of [fair, worst, multiples]) {
      panel.element.hidden = !report;
      if (data && report) panel.show(data, report);
    }
    if (done) diagram.refresh();
    if (!done || !localSettings() || !data) return;
    for (const one of [before, after, spread]) one.refresh();
    const asked = mapSettings();
    if (asked) sweep.show(data, { features: [asked.features], gamma: asked.gamma }, report);
  }

  // a long run: what is done, as it comes
  happenings.addEventListener('so far', (event) => {
    const { data, report, presentation } = /** @type {CustomEvent} */ (event).detail;
    if (data !== state.data || state.step !== 'repair') return;
    const soFar = `${report.methods.length} of ${report.settings.methods.length} methods so far.`;
    const redraw = () => showTable(presentation.repair, redraw, el('p', { class: 'muted', id: 'so-far' }, soFar));
    redraw();
  });

  /** @type {object | null} */
  let shown = null;
  /** Whose settings LoRe has. @type {import('../engine/localcal.js').Data | null} */
  let of = null;
  watch(({ report, step, data }) => {
    if (data !== of) {
      for (const key of Object.keys(own)) delete own[/** @type {'gamma'} */ (key)];
      if (data) showMethods(data);
    }
    of = data;
    if (data && step === 'repair') showLore(data);
    lore.hidden = !localSettings();
    if (step !== 'repair') return;
    const methods = report?.methods.length ?? 0;
    if (report && methods < 2 && shown !== report) compare();
    if (report !== shown || methods > 1) show();
    shown = report;
  });
}
