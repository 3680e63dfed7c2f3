// Where: the map of signed local error, the bandwidth, the bins, and the distribution of local error.

import { byId, el, fill } from '../dom.js';
import { suggestionOf } from '../engine/localcal.js';
import { state, watch } from '../state.js';
import { analyse } from './analyse.js';
import { figureView } from './figure.js';
import { link, mapView, mark } from './map.js';
import { makeMap, mapForm, maps } from './maps.js';
import { factList, regionCard } from './region.js';
import { sweepView } from './sweep.js';
import { worstView } from './worst.js';

/** @typedef {import('../engine/pool.js').Answer} Answer */
/**
 * What the map shows; null until a data set is open. @type {{ features: any, gamma: number, bin: number | string,
 * axes?: [number, number], draft?: boolean } | null}
 */
let choice = null;
/** What the map on screen shows. @type {wasm_bindgen.ViewOutcome | null} */
let onScreen = null;

/** The window and the region that maps share: here, and before and after a repair. */
export const linked = link();

/** What the map shows, for other maps of the same rows. */
export const mapSettings = () => choice && { features: choice.features, gamma: choice.gamma, bin: choice.bin };

/** Local settings of the page, for runs. */
export function localSettings() {
  const suggestion = state.data && suggestionOf(state.data);
  if (!choice || !suggestion) return undefined;
  return { features: choice.features, gamma: choice.gamma, resamples: suggestion.resamples };
}

/** A slider position between 0 and 1 000 is a place between two bandwidths, in ratios. */
const STEPS = 1000;
const gammaAt = (/** @type {number[]} */ [low, high], /** @type {number} */ place) =>
  low * (high / low) ** (place / STEPS);
const placeOf = (/** @type {number[]} */ [low, high], /** @type {number} */ gamma) =>
  (STEPS * Math.log(gamma / low)) / Math.log(high / low);

export function mountWhere() {
  const slider = /** @type {HTMLInputElement} */ (
    el('input', { type: 'range', min: 0, max: STEPS, step: 1, name: 'gamma', 'aria-label': 'Bandwidth γ' })
  );
  const gammaText = el('output', { class: 'number' });
  const bins = /** @type {HTMLSelectElement} */ (el('select', { name: 'bin' }));
  const features = el('div', { class: 'fields' });
  const facts = el('div');
  const axes = el('div', { class: 'fields' });
  const notes = el('p', { class: 'muted' });
  const others = /** @type {HTMLInputElement} */ (
    el('input', { type: 'checkbox', name: 'other maps', onchange: () => ask() })
  );
  /** @type {number[]} */
  let range = [0.01, 10];

  const map = mapView(
    'map',
    (width) =>
      choice && { ...choice, width: Math.min(width, 580), companion_width: picker.element.clientWidth || undefined },
    linked,
    { select: selectRegion, shown: showSide },
  );
  const region = regionCard(() => mark(linked, []));
  const sweep = sweepView('sweep', (gamma) => settle({ gamma }));
  const worst = worstView(
    (found, rows) => {
      linked.region = found.outline;
      map.outline();
      if (state.data) region.show(state.data, { ...asked(), rows });
      region.element.scrollIntoView({ block: 'nearest' });
    },
    () => headline(),
  );

  /** What the worst neighbourhoods are asked. */
  const question = () => ({ ...asked(), gamma: choice?.gamma });

  /** The headline: what the test says of the map on screen; until it has, what the map shows. */
  function headline() {
    const tested = state.report && worst.reading(question(), state.report);
    if (choice && onScreen) byId('where-reading').textContent = tested ?? onScreen.figure.title;
  }

  /** Rows, coordinates and bin of the map, for questions about it. */
  const asked = () => ({ features: choice?.features, bin: choice?.bin, axes: choice?.axes });

  /** @param {import('./map.js').Place[]} polygon */
  function selectRegion(polygon) {
    if (state.data) region.show(state.data, polygon.length > 0 ? { ...asked(), polygon } : null);
  }

  /** What waits until the map rests: curves, the worst neighbourhoods, the local numbers of the scorecard.
   * @param {Partial<NonNullable<typeof choice>>} to */
  function settle(to) {
    change({ ...to, draft: false });
    if (state.data) analyse(state.data);
  }

  /** Curves and list for the report and the map that are on screen. */
  function ask() {
    const { data, report } = state;
    if (!data || !report || !choice) return;
    const beside = Object.values(maps(data).ways).filter(
      (way) => JSON.stringify(way) !== JSON.stringify(choice?.features),
    );
    // The curves compare rows as the map does: within their bins, or all with all.
    const together = choice.bin === 'all' ? { bins: { count: 1 } } : {};
    sweep.show(
      data,
      {
        methods: ['none'],
        features: [choice.features, ...(others.checked ? beside : [])],
        gamma: choice.gamma,
        ...together,
      },
      report,
    );
    worst.look(data, question(), report);
  }

  const distribution = figureView('cdf', async () => onScreen && companion(0));
  const picker = figureView('bins', async () => onScreen && companion(1), { pick: (mark) => pickBin(mark.index) });

  /** @param {number} i @returns {Answer | null} */
  const companion = (i) =>
    onScreen?.companions[i] ? { key: -1, outcome: { figure: onScreen.companions[i] }, columns: [] } : null;

  /** @param {wasm_bindgen.ViewOutcome} view */
  function showSide(view) {
    const { map: shown, facts: numbers, notes: words } = view;
    onScreen = view;
    if (!shown) return;
    headline();
    range = shown.range;
    slider.value = String(placeOf(range, shown.gamma));
    const distances = (shown.gamma / shown.median_distance).toPrecision(2);
    gammaText.textContent = `γ = ${shown.gamma.toPrecision(2)} (${distances} × the median distance)`;
    fill(
      bins,
      el('option', { value: 'each' }, 'every row, within its bin'),
      el('option', { value: 'all' }, 'every row, as one bin'),
      el('option', { value: 'worst' }, 'the worst bin'),
      el('option', { value: 'best' }, 'the best bin'),
      ...shown.bins.map(({ bin, name }) => el('option', { value: bin }, name)),
    );
    bins.value = String(choice?.bin ?? 'each');
    fill(facts, factList(numbers));
    const many = shown.features.length > 2;
    const drawn = shown.request.axes ?? [0, 1];
    const axis = (/** @type {number} */ i) => {
      const box = /** @type {HTMLSelectElement} */ (
        el(
          'select',
          {
            'aria-label': ['across', 'upwards'][i],
            onchange: () => {
              mark(linked, []);
              linked.window = null;
              change({
                axes: /** @type {[number, number]} */ (drawn.map((one, j) => (j === i ? Number(box.value) : one))),
              });
            },
          },
          ...shown.features.map((name, value) => el('option', { value, selected: value === drawn[i] }, name)),
        )
      );
      return el('label', { class: 'field' }, el('span', {}, ['drawn across', 'drawn upwards'][i]), box);
    };
    fill(axes, many && axis(0), many && axis(1));
    if (words.length > 0) notes.textContent = words.join(' ');
    distribution.refresh();
    picker.refresh();
  }

  /** @param {number} place among the bins that hold rows */
  function pickBin(place) {
    const bin = onScreen?.map?.bins[place]?.bin;
    if (bin !== undefined) change({ bin: choice?.bin === bin ? 'each' : bin });
  }

  /** @param {Partial<NonNullable<typeof choice>>} to */
  function change(to) {
    if (!choice) return;
    choice = { ...choice, ...to };
    map.refresh();
  }

  slider.addEventListener('input', () =>
    change({ gamma: Number(gammaAt(range, Number(slider.value)).toPrecision(3)), draft: true }),
  );
  slider.addEventListener('change', () => settle({}));
  bins.addEventListener('change', () => {
    change({ bin: Number.isInteger(Number(bins.value)) ? Number(bins.value) : bins.value });
    ask();
  });

  /** @param {import('../engine/localcal.js').Data} data */
  function showFeatures(data) {
    const { names, ways } = maps(data);
    const pairs = names.length > 1;
    const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) === JSON.stringify(b);
    const chosen = Object.keys(ways).find(
      (way) => same(ways[way], choice?.features) || (ways[way].pca && choice?.features?.pca),
    );
    const first = Array.isArray(choice?.features) ? choice.features : names;
    const select = (
      /** @type {string} */ name,
      /** @type {string[]} */ options,
      /** @type {string | undefined} */ value,
      /** @type {(value: string) => void} */ act,
    ) => {
      const box = /** @type {HTMLSelectElement} */ (
        el(
          'select',
          { name, 'aria-label': name },
          ...options.map((one) => el('option', { value: one, selected: one === value }, one)),
        )
      );
      box.addEventListener('change', () => act(box.value));
      return box;
    };
    const set = (/** @type {any} */ next) => {
      mark(linked, []);
      linked.window = null;
      change({ features: next, axes: undefined });
      showFeatures(data);
      analyse(data);
    };
    const options = [
      ...Object.keys(ways),
      ...(pairs ? ['two columns'] : []),
      ...(names.length === 1 && Object.keys(ways).length === 0 ? [names[0]] : []),
    ];
    fill(
      features,
      el(
        'label',
        { class: 'field' },
        el('span', {}, 'Rows are alike when they agree in'),
        select('features', options, chosen ?? (pairs ? 'two columns' : names[0]), (way) =>
          set(ways[way] ?? (way === 'two columns' ? names.slice(0, 2) : [way])),
        ),
      ),
      pairs &&
        !chosen &&
        el(
          'label',
          { class: 'field' },
          el('span', {}, 'across'),
          select('x', names, first[0], (name) => set([name, first[1]])),
        ),
      pairs &&
        !chosen &&
        el(
          'label',
          { class: 'field' },
          el('span', {}, 'upwards'),
          select('y', names, first[1], (name) => set([first[0], name])),
        ),
      mapForm(data, (map) => useMap(data, map)),
    );
  }

  fill(byId('where-map'), map.element, worst.element);
  fill(
    byId('where-side'),
    region.element,
    features,
    axes,
    el(
      'div',
      { class: 'fields' },
      el(
        'label',
        { class: 'field' },
        el('span', {}, 'How near counts as near (bandwidth)'),
        el('span', { class: 'row' }, slider, gammaText),
      ),
      el('label', { class: 'field' }, el('span', {}, 'Rows shown'), bins),
    ),
    sweep.element,
    el('label', { class: 'check' }, others, ' the other maps on the same axis'),
    facts,
    notes,
    el('div', { class: 'companions' }, distribution.element, picker.element),
  );

  /** @type {import('../engine/localcal.js').Data | null} */
  let opened = null;
  /** @param {import('../engine/localcal.js').Data} data @param {import('./maps.js').FeatureMap} map */
  function useMap(data, { name, gamma }) {
    if (data !== opened) return;
    choice = { features: name, gamma, bin: choice?.bin ?? 'each' };
    Object.assign(linked, { window: null, region: [] });
    showFeatures(data);
    analyse(data);
  }
  watch(({ data, report, step }) => {
    if (data !== opened) {
      opened = data;
      Object.assign(linked, { window: null, region: [] });
      onScreen = null;
      const suggestion = data && suggestionOf(data);
      selectRegion([]);
      choice = suggestion?.gamma ? { features: suggestion.features, gamma: suggestion.gamma, bin: 'each' } : null;
      if (data && choice) showFeatures(data);
      if (data && suggestion?.project) makeMap(data, suggestion.project).then((map) => map && useMap(data, map));
    }
    if (!choice || !onScreen)
      byId('where-reading').textContent =
        data && !choice
          ? 'A map needs features: in the step Columns, give numeric columns the role “feature”.'
          : 'Where is it wrong?';
    byId('where-body').hidden = !choice;
    if (step === 'where' && report && choice) {
      map.refresh();
      ask();
    }
  });
}
