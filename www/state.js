// One store. The hash holds the step and the settings, never data, file names or column names.

/** @typedef {'open' | 'columns' | 'overview' | 'where' | 'who' | 'repair' | 'decide' | 'report'} Step */
/** @typedef {import('./engine/localcal.js').Data} Data */
/** @typedef {import('./engine/localcal.js').OpenOptions} OpenOptions */
/**
 * @typedef {{ step: Step, settings: Record<string, string>, data: Data | null, files: File[], options: OpenOptions,
 * summary: wasm_bindgen.Summary | null, report: import('./engine/localcal.js').Report | null, draft: Draft | null }} State
 */
/** Files that do not make a data set yet: what their columns were taken for, so that a person can say better.
 * @typedef {{ files: File[], options: OpenOptions, summary: wasm_bindgen.Summary }} Draft */

/** @type {Step[]} */
export const STEPS = ['open', 'columns', 'overview', 'where', 'who', 'repair', 'decide', 'report'];

/** Settings in the hash, all but the step. @returns {Record<string, string>} */
export function hashSettings() {
  const { step: _, ...settings } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return settings;
}

/** @returns {Step} */
function hashStep() {
  const step = new URLSearchParams(location.hash.slice(1)).get('step');
  return STEPS.find((one) => one === step) ?? 'open';
}

/** @type {State} */
export const state = {
  step: hashStep(),
  settings: hashSettings(),
  data: null,
  files: [],
  options: {},
  summary: null,
  report: null,
  draft: null,
};

/** @type {((state: State) => void)[]} */
const watchers = [];

/** Calls back now and after every change. @param {(state: State) => void} watcher */
export function watch(watcher) {
  watchers.push(watcher);
  watcher(state);
}

/** Changes the store, the hash and what is shown. @param {Partial<State>} change */
export function update(change) {
  const stepped = change.step !== undefined && change.step !== state.step;
  Object.assign(state, change);
  if (change.step || change.settings) {
    const hash = `#${new URLSearchParams({ step: state.step, ...state.settings })}`;
    if (hash !== location.hash) history[stepped ? 'pushState' : 'replaceState'](null, '', hash);
  }
  for (const watcher of watchers) watcher(state);
}

addEventListener('popstate', () => update({ step: hashStep(), settings: hashSettings() }));
