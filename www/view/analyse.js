// The run that the page starts itself, with the settings at hand.

import { clearErrors, showError } from './message.js';
import { withLine } from './progress.js';

/** @typedef {import('../localcal.js').Data} Data */

/** Data sets whose run is under way. @type {WeakSet<Data>} */
const under = new WeakSet();

/** Runs with the page's settings; the report reaches the views through the store. @param {Data} data */
export async function analyse(data) {
  if (under.has(data)) return;
  under.add(data);
  try {
    clearErrors();
    await withLine('Computing the scorecard', (watch) => data.run({}, watch), () => 'The scorecard is ready');
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'closed') showError(error);
  } finally {
    under.delete(data);
  }
}
