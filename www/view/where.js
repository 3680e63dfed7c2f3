// Where: the map of signed local error, the bandwidth, the bins, and the distribution of local error.

import { byId, el, fill } from '../dom.js';
import { freeView, rowAt, suggestionOf, viewOf } from '../localcal.js';
import { state, watch } from '../state.js';
import { analyse } from './analyse.js';
import { figureView } from './figure.js';
import { link, mapView } from './map.js';
import { showError } from './message.js';
import { withLine } from './progress.js';

/** @typedef {import('../pool.js').Answer} Answer */
/** What the map shows; null until a data set is open. @type {{ features: any, gamma: number, bin: number | string, draft?: boolean } | null} */
let choice = null;
/** The map on screen, kept for hovering. @type {Answer | null} */
let onScreen = null;

/** The window and the region that maps share: here, and before and after a repair. */
export const linked = link();

/** Local settings of the page, for runs. */
export function localSettings() {
  const suggestion = state.data && suggestionOf(state.data);
  if (!choice || !suggestion) return undefined;
  return { features: choice.features, gamma: choice.gamma, resamples: suggestion.resamples };
}

/** A slider position between 0 and 1 000 is a place between two bandwidths, in ratios. */
const STEPS = 1000;
const gammaAt = (/** @type {number[]} */ [low, high], /** @type {number} */ place) => low * (high / low) ** (place / STEPS);
const placeOf = (/** @type {number[]} */ [low, high], /** @type {number} */ gamma) => (STEPS * Math.log(gamma / low)) / Math.log(high / low);

/** Columns that can be coordinates, in words. @param {wasm_bindgen.Summary} summary */
const coordinates = (summary) => summary.columns.filter(({ role }) => role === 'feature' || role === 'features');

export function mountWhere() {
  const slider = /** @type {HTMLInputElement} */ (el('input', { type: 'range', min: 0, max: STEPS, step: 1, name: 'gamma', 'aria-label': 'Bandwidth γ' }));
  const gammaText = el('output', { class: 'number' });
  const bins = /** @type {HTMLSelectElement} */ (el('select', { name: 'bin' }));
  const features = el('div', { class: 'fields' });
  const facts = el('dl', { class: 'facts' });
  /** @type {number[]} */
  let range = [0.01, 10];

  const map = mapView('map', async ({ width, draft, ...room }) => {
    const { data, report } = state;
    if (!data || !report || !choice) return null;
    const view = await viewOf(data, { chart: 'map', ...choice, ...room, draft: draft || choice.draft, width: Math.min(width, 580), companion_width: picker.element.clientWidth || undefined }, onScreen);
    if (onScreen) freeView(data, onScreen);
    onScreen = view;
    if (view.outcome.companions.length > 0) showSide(view.outcome);
    return view;
  }, linked, (region) => selectRegion(region), { probe: async (x, y) => (state.data && onScreen ? rowAt(state.data, onScreen, x, y) : null) });
  /** @param {import('./map.js').Place[]} region */
  function selectRegion(region) {}

  const distribution = figureView('cdf', async () => onScreen && companion(0));
  const picker = figureView('bins', async () => onScreen && companion(1), { pick: (mark) => pickBin(mark.index) });

  /** @param {number} i @returns {Answer | null} */
  const companion = (i) => (onScreen?.outcome.companions[i] ? { key: -1, outcome: { figure: onScreen.outcome.companions[i] }, columns: [] } : null);

  /** @param {wasm_bindgen.ViewOutcome} view */
  function showSide({ figure, map: shown, facts: numbers }) {
    if (!shown) return;
    byId('where-reading').textContent = figure.title;
    range = shown.range;
    slider.value = String(placeOf(range, shown.gamma));
    gammaText.textContent = `γ = ${shown.gamma.toPrecision(2)}`;
    fill(bins, el('option', { value: 'all' }, 'every row, as one bin'), el('option', { value: 'worst' }, 'the worst bin'), el('option', { value: 'best' }, 'the best bin'),
      ...shown.bins.map(({ bin, name }) => el('option', { value: bin }, name)));
    bins.value = String(choice?.bin ?? 'all');
    fill(facts, ...numbers.flatMap(({ name, value }) => [el('dt', {}, name), el('dd', { class: 'number' }, value)]));
    distribution.refresh();
    picker.refresh();
  }

  /** @param {number} place among the bins that hold rows */
  function pickBin(place) {
    const bin = onScreen?.outcome.map?.bins[place]?.bin;
    if (bin !== undefined) change({ bin: choice?.bin === bin ? 'all' : bin });
  }

  /** @param {Partial<NonNullable<typeof choice>>} to */
  function change(to) {
    if (!choice) return;
    choice = { ...choice, ...to };
    map.refresh();
  }

  slider.addEventListener('input', () => change({ gamma: Number(gammaAt(range, Number(slider.value)).toPrecision(3)), draft: true }));
  // the scorecard's local numbers follow once the slider rests
  slider.addEventListener('change', () => {
    change({ draft: false });
    if (state.data) analyse(state.data);
  });
  bins.addEventListener('change', () => change({ bin: Number.isInteger(Number(bins.value)) ? Number(bins.value) : bins.value }));

  /** @param {wasm_bindgen.Summary} summary */
  function showFeatures(summary) {
    const columns = coordinates(summary);
    const names = columns.filter(({ shape }) => shape.length === 1).map(({ name }) => name);
    const arrays = columns.filter(({ shape }) => shape.length > 1).map(({ name }) => name);
    /** @type {Record<string, any>} */
    const ways = {};
    for (const name of arrays) ways[`all of ${name}`] = name;
    if (names.length + arrays.length > 2 || arrays.length > 0) ways['two principal components'] = (state.data && suggestionOf(state.data)?.project?.name) ?? { pca: 2 };
    if (names.length > 2) ways[`all ${names.length} columns`] = names;
    const pairs = names.length > 1;
    const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) === JSON.stringify(b);
    const chosen = Object.keys(ways).find((way) => same(ways[way], choice?.features) || (ways[way].pca && choice?.features?.pca));
    const first = Array.isArray(choice?.features) ? choice.features : names;
    const select = (/** @type {string} */ name, /** @type {string[]} */ options, /** @type {string | undefined} */ value, /** @type {(value: string) => void} */ act) => {
      const box = /** @type {HTMLSelectElement} */ (el('select', { name, 'aria-label': name }, ...options.map((one) => el('option', { value: one, selected: one === value }, one))));
      box.addEventListener('change', () => act(box.value));
      return box;
    };
    const set = (/** @type {any} */ next) => {
      change({ features: next });
      showFeatures(summary);
      if (state.data) analyse(state.data);
    };
    const options = [...Object.keys(ways), ...(pairs ? ['two columns'] : []), ...(names.length === 1 && arrays.length === 0 ? [names[0]] : [])];
    fill(features,
      el('label', { class: 'field' }, el('span', {}, 'Rows are alike when they agree in'),
        select('features', options, chosen ?? (pairs ? 'two columns' : names[0]), (way) => set(ways[way] ?? (way === 'two columns' ? names.slice(0, 2) : [way])))),
      pairs && !chosen && el('label', { class: 'field' }, el('span', {}, 'across'), select('x', names, first[0], (name) => set([name, first[1]]))),
      pairs && !chosen && el('label', { class: 'field' }, el('span', {}, 'upwards'), select('y', names, first[1], (name) => set([first[0], name]))));
  }

  fill(byId('where-map'), map.element);
  fill(byId('where-side'), features,
    el('div', { class: 'fields' },
      el('label', { class: 'field' }, el('span', {}, 'How near counts as near (bandwidth)'), el('span', { class: 'row' }, slider, gammaText)),
      el('label', { class: 'field' }, el('span', {}, 'Rows shown'), bins)),
    facts, el('div', { class: 'companions' }, distribution.element, picker.element));

  /** @type {import('../localcal.js').Data | null} */
  let opened = null;
  /** @type {object | null} */
  let reported = null;
  /** Coordinates that take a while come after the file is open. @param {import('../localcal.js').Data} data @param {wasm_bindgen.ProjectionRequest} request */
  async function prepare(data, request) {
    try {
      const map = await withLine('Computing coordinates', (line) => data.project(request, line));
      if (data !== opened) return;
      choice = { features: map.name, gamma: Number(((map.median_distance ?? 0) / 5).toPrecision(2)) || 0.4, bin: 'all' };
      showFeatures(data.summary);
      analyse(data);
    } catch (error) {
      if (!['closed', 'cancelled'].includes(/** @type {any} */ (error).code)) showError(error);
    }
  }
  watch(({ data, summary, report, step }) => {
    if (opened && onScreen && (data !== opened || report !== reported)) {
      freeView(opened, onScreen); // a map of another run
      onScreen = null;
    }
    reported = report;
    if (data !== opened) {
      opened = data;
      Object.assign(linked, { window: null, region: [] });
      const suggestion = data && suggestionOf(data);
      choice = suggestion?.gamma ? { features: suggestion.features, gamma: suggestion.gamma, bin: 'all' } : null;
      if (summary && choice) showFeatures(summary);
      if (data && suggestion?.project) prepare(data, suggestion.project);
    }
    if (!choice || !onScreen) byId('where-reading').textContent = data && !choice
      ? 'A map needs features: in the step Columns, give numeric columns the role “feature”.'
      : 'Where is it wrong?';
    byId('where-body').hidden = !choice;
    if (step === 'where' && report && choice) map.refresh();
  });
}
