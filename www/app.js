// Boot: mounts the views, shows the step that the hash names, and starts the run after an opening by hand.

import { byId, el, fill, whole } from './dom.js';
import { happenings, ready } from './engine/localcal.js';
import { STEPS, state, update, watch } from './state.js';
import { dark } from './engine/theme.js';
import { mountColumns, usable } from './view/columns.js';
import { mountDescribed } from './view/described.js';
import { filesPanel } from './view/files.js';
import { mountHelp } from './view/help.js';
import { showError } from './view/message.js';
import { mountOpen } from './view/open.js';
import { mountOverview } from './view/overview.js';
import { ensureReport, localFrom, mountUncomputed } from './view/analyse.js';
import { cancelAll } from './view/progress.js';
import { mountRepair } from './view/repair.js';
import { mountReport } from './view/report.js';
import { mark } from './view/map.js';
import { sheetPanel, showOnStep } from './view/sheet.js';
import { linked, localSettings, mountWhere } from './view/where.js';

/** @typedef {import('./state.js').Step} Step */
/** @typedef {import('./state.js').State} State */
/** @type {Record<Step, string>} */
const TITLES = {
  open: 'Open',
  columns: 'Columns',
  overview: 'Overview',
  where: 'Where',
  who: 'Who',
  repair: 'Repair',
  decide: 'Decide',
  report: 'Report',
};

const links = STEPS.map((step) =>
  el(
    'a',
    {
      href: `#step=${step}`,
      onclick: (/** @type {Event} */ event) => {
        event.preventDefault();
        update({ step });
        if (!['open', 'columns', 'report'].includes(step)) ensureReport();
      },
    },
    el(
      'span',
      { class: 'label' },
      TITLES[step],
      el('span', { class: 'done' }, ' ✓', el('span', { class: 'unseen' }, ' done')),
    ),
  ),
);
fill(byId('steps'), ...links.map((link) => el('li', {}, link)));

/** Steps that a person has seen of this data set. @type {{ of: State['data'], seen: Set<Step> }} */
const visits = { of: null, seen: new Set() };

/** A step is done when what it is for is there and was seen: data that can be scored, a result that was looked at.
 * @param {State} now @returns {Record<Step, boolean>} */
function doneSteps({ step, data, draft, report }) {
  if (visits.of !== data) Object.assign(visits, { of: data, seen: new Set() });
  if (report) visits.seen.add(step);
  const seen = (/** @type {Step} */ one) => Boolean(report) && visits.seen.has(one);
  return {
    open: data !== null,
    columns: data !== null && !draft && usable(data),
    overview: seen('overview'),
    where: seen('where') && localSettings() !== undefined,
    who: seen('who'),
    repair: report?.methods.length > 1,
    decide: seen('decide'),
    report: seen('report'),
  };
}

/** @param {State} now */
function showSteps(now) {
  const { step, data, draft } = now;
  const done = doneSteps(now);
  STEPS.forEach((one, i) => {
    const current = one === step;
    if (current && byId(one).hidden) links[i].scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (current) links[i].setAttribute('aria-current', 'step');
    else links[i].removeAttribute('aria-current');
    links[i].classList.toggle('is-done', done[one]);
    byId(one).hidden = !current;
  });
  byId('again').hidden = step === 'open' || data !== null || draft !== null;
}

/** @param {import('./state.js').State} now */
function showSubject({ files, summary }) {
  const names = files.map(({ name }) => name).join(', ');
  const kind = summary && (summary.classes === 2 ? 'binary' : `${summary.classes} classes`);
  const view = summary && { top_label: 'top-label view', positive: `P(y = ${summary.positive})` }[summary.view];
  const [model] = summary?.models ?? [];
  byId('subject').textContent = summary
    ? `${names}${model ? ` · model ${model}` : ''} · ${whole(summary.rows)} rows · ${kind} · ${view} · scored on: ${summary.split}`
    : '';
}

/**
 * Unsure guesses, and data that cannot be scored, stop at Columns; others go on, unless a person is looking at
 * something.
 * @param {import('./state.js').Data} data @returns {Step} */
const nextStep = (data) => (!usable(data) ? 'columns' : state.step === 'open' ? 'overview' : state.step);

/** Whether the reading of the step on screen shall have the focus: a file was opened, and its result is on its way. */
let fresh = false;

/** Moves the focus to the sentence that says what was found, once it stands there. @param {State} now */
function focusReading({ step, data, report }) {
  if (!fresh || !data) return;
  const reading = byId(step).querySelector('.reading');
  if (!(reading instanceof HTMLElement) || (step !== 'columns' && !report)) return;
  fresh = false;
  // who is already at work elsewhere is left there
  const at = document.activeElement;
  if (at && at !== document.body && at.closest('main') && at.closest('section') === byId(step)) return;
  reading.tabIndex = -1;
  reading.focus({ preventScroll: true });
}

happenings.addEventListener('opened', (event) => {
  const { data, files, options } = /** @type {CustomEvent} */ (event).detail;
  const { summary } = data;
  fresh = files !== state.files;
  update({ data, files, options, summary, report: null, draft: null, step: nextStep(data) });
});
happenings.addEventListener('reported', (event) => {
  const { data, report } = /** @type {CustomEvent} */ (event).detail;
  if (data === state.data) update({ report });
});
happenings.addEventListener('closed', (event) => {
  if (/** @type {CustomEvent} */ (event).detail.data === state.data)
    update({ data: null, files: [], summary: null, report: null, step: 'open' });
});
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !cancelAll()) mark(linked, []);
});

localFrom(localSettings);
// first: what is drawn asks how wide its step is
watch(showSteps);
watch(showSubject);
mountUncomputed();
mountOpen();
mountColumns();
mountOverview();
mountWhere();
mountRepair();
showOnStep('who', byId('who-body'), [
  sheetPanel('groups'),
  sheetPanel('klce', {
    folded: true,
    more: () => ({ nulls: ['bernoulli', 'permute_centred'], gamma: 'median' }),
  }),
  sheetPanel('witness', { folded: true, more: () => ({ dark: dark(), dpr: devicePixelRatio || 1 }) }),
  sheetPanel('bias_plot', { folded: true }),
  sheetPanel('proximity', { folded: true }),
  sheetPanel('proximity_sweep', { folded: true }),
  filesPanel('models'),
]);
showOnStep('decide', byId('decide-body'), [sheetPanel('decide'), sheetPanel('inference', { folded: true })]);
mountDescribed();
mountReport();
mountHelp();
// last: what is read stands there
watch(focusReading);
document.documentElement.classList.add('live');
ready.then(() => document.documentElement.classList.add('ready'), showError);
