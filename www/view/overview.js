// Overview: the reading, the scorecard and the reliability diagram of the report at hand.

import { byId, el, fill } from '../dom.js';
import { charts, presentationOf } from '../localcal.js';
import { state, watch } from '../state.js';
import { wantMetrics } from './analyse.js';
import { figureView } from './figure.js';
import { sheetPanel } from './sheet.js';

/** Metrics of the usual scorecard. */
const USUAL = 12;

/**
 * Value, interval and floor on one line from 0 to a little beyond the largest. @param {wasm_bindgen.Bar | null} bar
 * @param {boolean} beyond
 */
function barView(bar, beyond) {
  if (!bar) return '';
  const piece = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to) => {
    const part = el('span', { class: name });
    part.style.setProperty('left', `${100 * from}%`);
    part.style.setProperty('width', `${100 * (to - from)}%`);
    return part;
  };
  return el(
    'span',
    { class: `bar ${beyond ? 'beyond' : ''}`, 'aria-hidden': 'true' },
    bar.floor && piece('floor', bar.floor[0], bar.floor[1]),
    bar.interval && piece('interval', bar.interval[0], bar.interval[1]),
    typeof bar.corrected === 'number' && piece('corrected', bar.corrected, bar.corrected),
    piece('dot', bar.value, bar.value),
  );
}

/** @param {wasm_bindgen.ScoreRow[]} rows */
export function scorecard(rows) {
  const line = (/** @type {wasm_bindgen.ScoreRow} */ row) =>
    el(
      'tr',
      { 'data-metric': row.id },
      el(
        'th',
        { scope: 'row' },
        el(
          'details',
          {},
          el('summary', {}, row.name, el('span', { class: 'plain' }, row.plain)),
          el('p', {}, row.definition),
          row.note && el('p', {}, row.note),
        ),
      ),
      el('td', { class: 'number value' }, row.value, row.cut && el('span', { class: 'plain cut' }, row.cut)),
      el(
        'td',
        { class: 'number' },
        row.corrected && el('span', { class: 'corrected' }, `corrected ${row.corrected}`),
        row.interval || el('span', { class: 'muted', title: row.note }, row.note ? 'none' : ''),
      ),
      el('td', { class: 'number' }, row.floor),
      el('td', { class: 'barcell' }, barView(row.bar, row.beyond)),
    );
  const heads = ['metric', 'value', '95 % interval', 'if calibrated', ''];
  return el(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Scorecard' },
    el(
      'table',
      {},
      el('caption', {}, 'Scorecard'),
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ...heads.map((name, i) =>
            el(
              'th',
              { scope: 'col', class: i > 0 ? 'number' : null },
              name || el('span', { class: 'unseen' }, 'drawn'),
            ),
          ),
        ),
      ),
      el('tbody', {}, ...rows.map(line)),
    ),
  );
}

export function mountOverview() {
  const pick = (name, choices) =>
    /** @type {HTMLSelectElement} */ (
      el('select', { name }, ...choices.map(([value, words]) => el('option', { value }, words)))
    );
  const curve = pick('curve', [
    ['loess', 'loess'],
    ['spline', 'restricted cubic spline'],
    ['kernel', 'kernel-smoothed'],
    ['isotonic', 'isotonic'],
  ]);
  const band = pick('band', [
    ['pointwise', '95 % score by score'],
    ['simultaneous', '95 % at all scores at once'],
    ['consistency', 'of a calibrated model'],
    ['none', 'none'],
  ]);
  const axes = pick('axes', [
    ['fitted', 'where the data are'],
    ['full', '0 to 1'],
  ]);
  const chart = charts();
  const diagram = figureView('reliability', async ({ width }) => {
    const { data, report } = state;
    if (!data || !report) return null;
    const chosen = { curve: curve.value, band: band.value, axes: axes.value };
    return chart(data, { chart: 'reliability', ...chosen, width: Math.min(width, 560) });
  });
  for (const choice of [curve, band, axes]) choice.addEventListener('change', diagram.refresh);
  byId('overview-diagram').append(
    diagram.element,
    el('label', { class: 'check' }, 'curve ', curve),
    el('label', { class: 'check' }, 'band ', band),
    el('label', { class: 'check' }, 'axes ', axes),
  );
  const every = /** @type {HTMLInputElement} */ (
    el('input', {
      type: 'checkbox',
      name: 'all metrics',
      onchange: () => state.data && wantMetrics(state.data, every.checked),
    })
  );
  const everyLabel = el('label', { class: 'check' }, every, ' every metric: global, clinical, kernel, classical');
  const libraries = sheetPanel('libraries', { folded: true });
  byId('overview-basis').before(libraries.element);

  /** @type {object | null} */
  let shown = null;
  watch(({ data, summary, report, step }) => {
    if (step === 'overview') {
      diagram.refresh();
      if (data && report) libraries.show(data, report);
    }
    if (report === shown) return;
    shown = report;
    libraries.element.hidden = !report;
    const words = data && report && presentationOf(data);
    byId('overview-reading').textContent = words ? words.headline : 'Overview';
    fill(byId('overview-floor'), words ? words.floor : '');
    fill(byId('overview-basis'), words ? words.basis : '');
    fill(
      byId('overview-notes'),
      ...(words && summary ? summary.warnings.map(({ message }) => el('li', {}, message)) : []),
    );
    every.checked = (words?.scorecard.length ?? 0) > USUAL;
    fill(byId('overview-scorecard'), ...(words ? [scorecard(words.scorecard), everyLabel] : []));
  });
}
