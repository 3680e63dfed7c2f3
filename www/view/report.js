// Report: the settings behind it, and what can be taken away.

import { byId, el, fill, save } from '../dom.js';
import { presentationOf } from '../engine/localcal.js';
import { state, watch } from '../state.js';
import { announce, showError } from './message.js';
import { withLine } from './progress.js';
import { pickedMethod } from './repair.js';
import { localSettings } from './where.js';

/** @type {Record<string, string>} */
const NAMES = { predictions: 'predictions.csv', calibrator: 'calibrator.json', report: 'report.json' };

/** Writes a file of the data set that is open. @param {string} name @param {string} kind @param {object} [options] */
function take(name, kind, options = {}) {
  const { data } = state;
  if (data)
    withLine(`Writing ${name}`, ({ signal }) => data.export(kind, { ...options, signal })).then(
      (blob) => save(blob, name),
      showError,
    );
}

/** Shows every step that the report is made of, waits for their charts, and prints. */
async function printReport() {
  document.body.classList.add('printing');
  for (let calm = 0, i = 0; calm < 10 && i < 600; i += 1) {
    await new Promise(requestAnimationFrame);
    calm = document.querySelector('.chart.stale') ? 0 : calm + 1;
  }
  print();
  document.body.classList.remove('printing');
}

async function copy() {
  const { data } = state;
  if (!data) return;
  await navigator.clipboard.writeText(await (await data.export('report')).text());
  announce('The report is on the clipboard');
}

export function mountReport() {
  for (const button of document.querySelectorAll('[data-export]')) {
    const { export: kind = '' } = /** @type {HTMLElement} */ (button).dataset;
    button.addEventListener('click', () => take(NAMES[kind], kind));
  }
  for (const button of document.querySelectorAll('[data-chart]')) {
    const { chart = '', format = '' } = /** @type {HTMLElement} */ (button).dataset;
    button.addEventListener('click', () => {
      const local = chart === 'reliability' ? undefined : localSettings();
      take(`${chart}.${format}`, 'chart', {
        chart,
        format,
        ...(local && { features: local.features, gamma: local.gamma }),
      });
    });
  }
  for (const button of document.querySelectorAll('[data-snippet]')) {
    const { snippet: language = '' } = /** @type {HTMLElement} */ (button).dataset;
    button.addEventListener('click', () =>
      take(language === 'python' ? 'calibrate.py' : 'calibrate.js', 'snippet', { language, method: pickedMethod() }),
    );
  }
  const stored = /** @type {HTMLInputElement} */ (byId('stored'));
  stored.addEventListener('change', async () => {
    const [file] = stored.files ?? [];
    if (file) take('applied.csv', 'applied', { calibrator: await file.text() });
    stored.value = '';
  });
  byId('copy').addEventListener('click', () => copy().catch(showError));
  byId('print').addEventListener('click', () => printReport());
  watch(({ data, report }) => {
    const words = data && report && presentationOf(data);
    fill(
      byId('report-settings'),
      ...(words ? words.settings.flatMap(({ name, value }) => [el('dt', {}, name), el('dd', {}, value)]) : []),
    );
    for (const button of byId('report-files').querySelectorAll('button')) {
      button.disabled =
        !data ||
        (button.dataset.snippet !== undefined && !(report?.methods.length > 1)) ||
        (button.dataset.chart !== undefined && button.dataset.chart !== 'reliability' && !localSettings());
    }
  });
}
