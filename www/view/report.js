// Report: what can be taken away.

import { byId, save } from '../dom.js';
import { state } from '../state.js';
import { showError } from './message.js';
import { withLine } from './progress.js';

/** @type {Record<string, string>} */
const NAMES = { predictions: 'predictions.csv', calibrator: 'calibrator.json', report: 'report.json' };

export function mountReport() {
  for (const button of document.querySelectorAll('[data-export]')) {
    const { export: kind = '' } = /** @type {HTMLElement} */ (button).dataset;
    button.addEventListener('click', () => {
      const { data } = state;
      if (data) withLine(`Writing ${NAMES[kind]}`, ({ signal }) => data.export(kind, { signal })).then((blob) => save(blob, NAMES[kind]), showError);
    });
  }
  byId('print').addEventListener('click', () => print());
}
