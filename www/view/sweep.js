// Local error against the bandwidth, over the slider that moves it: a click on a curve takes its bandwidth.

import { el, fill } from '../dom.js';
import { figureView } from './figure.js';
import { fitted } from './fitted.js';
import { showError } from './message.js';
import { withLine } from './progress.js';

/** @typedef {import('../engine/localcal.js').Data} Data */
/** Longer sweeps wait for a click, in milliseconds. */
const AT_ONCE = 3000;
/** What the width of a curve can show. @type {[string, object][]} */
const BANDS = [
  ['all rows at once', {}],
  ['mean and spread over folds', { folds: true }],
  ['mean and spread over 5 divisions', { seeds: 5 }],
  ['and a calibrated model beside', { floor: 20 }],
];
const KINDS = ['largest (MLCE)', 'mean'];

/** @param {string} name @param {(gamma: number) => void} take a bandwidth that was clicked */
export function sweepView(name, take) {
  let kind = 0;
  /** Asks the last question again. @type {() => void} */
  let again = () => {};
  let asked = '';
  /** @type {any} */
  let found = null;
  const offer = el('p', { class: 'row' });
  const figure = figureView(
    name,
    async ({ width }) => {
      const shown = found;
      if (!shown) return null;
      const { figures, columns, marks } = await shown.fit(width);
      Object.assign(shown, { columns, marks });
      return { key: -1, outcome: { figure: figures[kind] }, columns };
    },
    { pick: ({ index }) => take(found.columns[found.marks][index]) },
  );
  const kinds = KINDS.map((text, i) =>
    el(
      'label',
      { class: 'check' },
      el('input', {
        type: 'radio',
        name: `${name}-kind`,
        checked: i === kind,
        onchange: () => {
          kind = i;
          figure.refresh();
        },
      }),
      ` ${text}`,
    ),
  );
  const bands = /** @type {HTMLSelectElement} */ (
    el(
      'select',
      { 'aria-label': 'Bands', name: `${name}-bands`, onchange: () => again() },
      ...BANDS.map(([text], i) => el('option', { value: i }, text)),
    )
  );
  const element = el(
    'div',
    { class: 'sweep' },
    el('p', { class: 'row maptools' }, el('span', { class: 'muted' }, 'Local error, '), ...kinds, bands),
    offer,
    figure.element,
  );

  /**
   * Draws the sweep that a request asks for, unless it is the one on screen. @param {Data} data @param {Record<string,
   * any>} request
   * @param {object} report */
  async function show(data, request, report, most = AT_ONCE) {
    again = () => show(data, request, report);
    const asking = { ...request, ...BANDS[Number(bands.value)][1] };
    const question = JSON.stringify([asking, report === found?.report]);
    if (question === asked && most === AT_ONCE) return;
    asked = question;
    fill(offer);
    try {
      const width = Math.floor(figure.stage.clientWidth) || undefined;
      const answer = await withLine('Comparing bandwidths', (watch) =>
        data.analyse('sweep', { ...asking, width }, { ...watch, most }),
      );
      if (question !== asked) return;
      const fit = fitted(answer, report, width ?? 0, (width) =>
        data.analyse('sweep', { ...asking, width }, { most: AT_ONCE }),
      );
      found = { ...answer, report, fit };
      asked = JSON.stringify([asking, true]);
      const { suggested } = answer;
      fill(
        offer,
        suggested &&
          el(
            'button',
            { type: 'button', class: 'quiet', onclick: () => take(suggested) },
            `Take γ = ${suggested.toPrecision(2)}, between the plateaus`,
          ),
      );
    } catch (error) {
      const { code, cost } = /** @type {any} */ (error);
      found = null;
      if (code === 'costly')
        fill(
          offer,
          el(
            'button',
            { type: 'button', class: 'quiet', onclick: () => show(data, request, report, Infinity) },
            `Start: compare bandwidths (about ${Math.ceil(cost / 1000)} s)`,
          ),
        );
      else {
        asked = '';
        if (code !== 'closed' && code !== 'cancelled') showError(error);
      }
    }
    figure.refresh();
  }
  return { element, show };
}
