// The run that the page starts itself: one computation of what is open and of the subject, begun as soon as something
// usable is open, and again when what it depends on changes.

import { computed, signal } from '@preact/signals';
import type { Data } from '../engine/localcal.js';
import { lastReportOf } from '../engine/localcal.js';
import { hasSetting, localMethods } from '../parts/catalogue.js';
import { clearErrors, showError } from '../parts/message.js';
import { withLine } from '../parts/progress.js';
import { computation, when } from './computation.js';
import { ownOf } from './similarity.js';
import { localSettings, spaceIn } from './space.js';
import { open, panels, report, specified, subject, usable, view } from './store.js';

/** A method by id, or with settings of its own. */
type MethodRequest = string | { id: string; name?: string; parameters?: Record<string, unknown> };

/** Ids of methods that a panel compares, beside leaving the predictions alone and the recalibration of the subject. */
export const compared = signal<string[]>([]);
/** Whether every metric is wanted, not only those of the scorecard. */
export const everyMetric = signal(false);

/** The data set whose local metrics were wanted: the finding does not wait for them, Explore and Report show them. */
let localOf: Data | null = null;
const localWanted = computed(() => {
  const data = open.value?.data ?? null;
  if (view.value === 'explore' || view.value === 'report') localOf = data;
  return data !== null && localOf === data;
});

const idOf = (one: MethodRequest) => (typeof one === 'string' ? one : (one.name ?? one.id));

/** Of the panel that compares methods, and says where they look. */
const REPAIR = 'repair';
/** A method by what the run calls it, with all that was chosen of it, whoever asks for it: one name is one fit. */
function methodRequest(name: string): MethodRequest {
  const own = Object.hasOwn(specified.value, name) && specified.value[name];
  if (own) return { ...own, name };
  const local = localMethods.value.find(({ id }) => id === name);
  const parameters = local ? nearnessOf(local) : {};
  return Object.keys(parameters).length > 0 ? { id: name, parameters } : name;
}
/** Where a local recalibration looks, and how near, as far as a person chose it apart from the subject. */
function nearnessOf(method: wasm_bindgen.DescribedMethod): Record<string, unknown> {
  const { place, kernel, gamma, bins, within } = ownOf(REPAIR);
  const near = place || kernel || gamma !== undefined || bins || within ? spaceIn(REPAIR) : null;
  if (!near) return {};
  const where = { ...(place && { features: near.features }), ...(within && { within }) };
  // without a kernel of its own it finds its bandwidth
  if (!hasSetting(method, 'kernel')) return where;
  return {
    ...where,
    ...(kernel && { kernel }),
    ...((place || kernel || gamma !== undefined) && { gamma: near.gamma }),
    ...(bins && { bins }),
  };
}

/**
 * What the next run is asked: the methods once each, the space of the map, and which metrics. What is compared stands
 * first, so that to look through one of its methods asks for nothing else.
 */
const request = computed(() => {
  const { repair } = subject.value;
  const names = ['none', ...compared.value, ...(repair ? [repair] : [])];
  const once = [...new Set(names)].map(methodRequest);
  const local = localWanted.value ? localSettings() : undefined;
  const { neighbours, distance, width_p, kernel, gamma } = subject.value.alike;
  const near = { ...(neighbours && { neighbours }), ...(distance && { distance }) };
  const squared = kernel === 'rbf' ? gamma : undefined;
  const trust = { ...(width_p && { width_p }), ...(squared && { gamma: squared }) };
  const bins = panels.value.scorecard?.bins as number | undefined;
  return {
    methods: once,
    local,
    ...(bins !== undefined && { bins }),
    ...(Object.keys(near).length > 0 && { proximity: near }),
    ...(Object.keys(trust).length > 0 && { klce: trust }),
    ...(everyMetric.value && { metrics: ['all'] }),
  };
});

/** The same as text: a question that is made anew is no other question. */
const text = computed(() => JSON.stringify(request.value));

const run = computation({
  question: computed(() => {
    const data = open.value?.data;
    return data && usable.value ? { data, text: text.value, asked: request.peek() } : null;
  }),
  compute: ({ data, asked }) =>
    withLine(
      asked.methods.length > 1 ? 'Fitting and evaluating methods' : 'Computing metrics',
      (watching) => data.run({ ...asked }, watching),
      () => 'Metrics complete',
    ),
  holds: (answer, data) => open.peek()?.data === data && report.peek() === answer,
  begins: () => clearErrors('files'),
  answered(answer, data) {
    // a script may have run the same data since
    if (open.peek()?.data === data) report.value = lastReportOf(data) ?? answer;
  },
  failed: (error) => showError(error),
});

/** True where a result is missing and no one is at work on it. */
export const uncomputed = computed(() => {
  const data = open.value?.data;
  return data !== undefined && report.value === null && run.is('stopped', data);
});
/** True while a run is under way. */
export const computing = computed(() => run.is('under way', open.value?.data));
/** True where the last run that was asked for was cancelled or failed; what is shown is of an earlier one. */
export const stopped = computed(() => report.value !== null && run.is('stopped', open.value?.data));
/** True until a run is there with the current similarity: what the last one says of near rows is old. */
export const outdated = computed(() => {
  const local = run.last.value?.asked.local;
  return local !== undefined && !uncomputed.value && JSON.stringify(local) !== JSON.stringify(request.value.local);
});

/** Starts the run again that was cancelled or failed. */
export const compute = run.start;

/**
 * Waits until the last run holds a method that the subject asks for. Ends as cancelled where the run stops, where the
 * subject asks for another one, and where other data are opened: who stopped it knows, and the run says its own faults.
 */
export async function runWith(method: string): Promise<void> {
  const data = open.peek()?.data;
  if (run.is('stopped', data)) compute();
  const came = await when(() => {
    const there = report.value?.methods.some(({ name }) => name === method);
    const wished = request.value.methods.some((one) => idOf(one) === method);
    const comes = data !== undefined && open.value?.data === data && !run.is('stopped', data) && wished;
    return comes && !there ? undefined : comes;
  });
  if (!came) throw Object.assign(new Error(`The run with ${method} was canceled.`), { code: 'cancelled' });
}

/** Runs what is open, and again when the question changes. */
export const startRunning = run.follow;
