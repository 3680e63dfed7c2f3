// Overview: the scorecard and the reliability diagram of the report at hand.

import { byId, fill } from '../dom.js';
import { figureOf } from '../localcal.js';
import { watch } from '../state.js';
import { figureView } from './figure.js';
import { showError } from './message.js';
import { tableView } from './table.js';

/** @param {number | null} value */
const digits = (value) => (value === null || value === undefined ? '–' : value.toPrecision(3));

/** @param {import('../localcal.js').Report} report */
function scorecard({ methods }) {
  const rows = Object.entries(methods[0].metrics).map(([id, metric]) => ({
    cells: [id, digits(metric.value), metric.low === null ? '–' : `${digits(metric.low)} … ${digits(metric.high)}`, digits(metric.floor_mean)],
  }));
  const heads = [{ name: 'metric' }, ...['value', '95 % interval', 'noise floor'].map((name) => ({ name, number: true }))];
  return tableView({ caption: 'Scorecard', heads, rows });
}

export function mountOverview() {
  const diagram = figureView('reliability');
  byId('overview-diagram').append(diagram.element);
  /** @type {object | null} */
  let shown = null;
  watch(({ data, report }) => {
    if (report === shown) return;
    shown = report;
    fill(byId('overview-scorecard'), report && scorecard(report));
    if (data && report) figureOf(data, 'reliability').then(diagram.show).catch(showError);
    else diagram.show(null);
  });
}
