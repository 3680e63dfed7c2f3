// The run that the page starts itself, with the settings at hand.

import { byId, el } from '../dom.js';
import { state, watch } from '../state.js';
import { clearErrors, showError } from './message.js';
import { withLine } from './progress.js';

/** @typedef {import('../engine/localcal.js').Data} Data */

/** A method by id, or with settings of its own. @typedef {string | { id: string, parameters: object }} Asked */
/** Methods of the last run of each data set. @type {WeakMap<Data, Asked[]>} */
const methodsOf = new WeakMap();
/** Data sets of which every metric is wanted, not only the scorecard. @type {WeakSet<Data>} */
const everyMetric = new WeakSet();
/** Runs under way, by data set, with the one that waits behind it. @type {WeakMap<Data, { again: boolean }>} */
const under = new WeakMap();
/** Data sets that the page has run. @type {WeakSet<Data>} */
const ran = new WeakSet();
/** Says whether a run is missing. */
let said = () => {};
/** @type {() => object | undefined} */
let local = () => undefined;

/**
 * Starts the run of what is open, where there is no report and none is on its way. What is missing is told by its
 * failure.
 */
export function ensureReport() {
  if (state.data && !state.report && !under.has(state.data)) analyse(state.data);
}

/** Says, on every step that shows a run, that there is none and none is on its way: it was cancelled, or failed. */
export function mountUncomputed() {
  const line = el(
    'p',
    { id: 'uncomputed', class: 'row' },
    'The scorecard was not computed. ',
    el('button', { type: 'button', class: 'primary', onclick: ensureReport }, 'Compute'),
  );
  byId('again').after(line);
  said = () => {
    const { data, report, step } = state;
    line.hidden = ['open', 'columns'].includes(step) || !data || report !== null || under.has(data) || !ran.has(data);
  };
  watch(said);
}

/** Where the local settings of a run come from. @param {() => object | undefined} source */
export function localFrom(source) {
  local = source;
}

/** Runs again, with every metric or with those of the scorecard. @param {Data} data @param {boolean} every */
export function wantMetrics(data, every) {
  everyMetric[every ? 'add' : 'delete'](data);
  analyse(data);
}

/** Runs with the page's settings; the report reaches the views through the store. A call during a run is kept until
 * that run ends. @param {Data} data @param {Asked[]} [methods] default: those of the last run */
export async function analyse(data, methods = methodsOf.get(data) ?? ['none']) {
  methodsOf.set(data, methods);
  const running = under.get(data);
  if (running) {
    running.again = true;
    return;
  }
  const mine = { again: false };
  under.set(data, mine);
  ran.add(data);
  said();
  try {
    clearErrors();
    const label = methods.length > 1 ? 'Repairing and comparing' : 'Computing the scorecard';
    await withLine(
      label,
      (watch) => data.run({ methods, local: local(), ...(everyMetric.has(data) && { metrics: ['all'] }) }, watch),
      () => 'The scorecard is ready',
    );
  } catch (error) {
    mine.again = false;
    if (/** @type {any} */ (error).code !== 'closed') showError(error);
  } finally {
    under.delete(data);
    said();
  }
  if (mine.again && state.data === data) analyse(data);
}
