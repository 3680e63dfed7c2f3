// The run that the page starts itself: as soon as something usable is open, and again when what it depends on changes.

import { computed, effect, signal } from '@preact/signals';
import type { Data } from '../engine/localcal.js';
import { clearErrors, showError } from '../parts/message.js';
import { withLine } from '../parts/progress.js';
import { ownOf } from './similarity.js';
import { localSettings, spaceOf } from './space.js';
import { open, panels, report, specified, subject, usable, view } from './store.js';

/** A method by id, or with settings of its own. */
export type MethodRequest = string | { id: string; name?: string; parameters?: Record<string, unknown> };

/** Ids of methods that a panel compares, beside leaving the predictions alone and the recalibration of the subject. */
export const compared = signal<string[]>([]);
/** Whether every metric is wanted, not only those of the scorecard. */
export const everyMetric = signal(false);

/** The data set whose local metrics were wanted: the finding does not wait for them, Explore and Report show them. */
const localFor = signal<Data | null>(null);

/** Data sets with a run under way, and those whose run was cancelled or failed. */
const under = signal<Data | null>(null);
const stopped = signal<Data | null>(null);
/** True where a result is missing and no one is at work on it. */
export const uncomputed = computed(() => {
  const data = open.value?.data;
  return data !== undefined && report.value === null && under.value !== data && stopped.value === data;
});
/** True while a run is under way. */
export const computing = computed(() => under.value !== null && under.value === open.value?.data);

/** The similarity in the last run, as text. */
const ran = signal<string | undefined>(undefined);
/** True until a run is there with the current similarity: what the last one says of near rows is old. */
export const outdated = computed(
  () => ran.value !== undefined && !uncomputed.value && ran.value !== JSON.stringify(request.value.local),
);

const idOf = (one: MethodRequest) => (typeof one === 'string' ? one : (one.name ?? one.id));

/** Recalibrations that use similar rows; the ridge finds its own bandwidth. */
export const LOCAL = ['lore', 'lore_ridge'];
/** Of the panel that compares methods, and says where they look. */
const REPAIR = 'repair';
/** A method by what the run calls it, with all that was chosen of it, whoever asks for it: one name is one fit. */
function methodRequest(name: string): MethodRequest {
  const own = Object.hasOwn(specified.value, name) && specified.value[name];
  if (own) return { ...own, name };
  const parameters = LOCAL.includes(name) ? nearnessOf(name) : {};
  return Object.keys(parameters).length > 0 ? { id: name, parameters } : name;
}
/** Where a local recalibration looks, and how near, as far as a person chose it apart from the subject. */
function nearnessOf(id: string): Record<string, unknown> {
  const { place, kernel, gamma, bins, within } = ownOf(REPAIR);
  const near = place || kernel || gamma !== undefined || bins || within ? spaceOf(REPAIR) : null;
  if (!near) return {};
  const where = { ...(place && { features: near.features }), ...(within && { within }) };
  if (id === 'lore_ridge') return where;
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
  const local = localFor.value === open.value?.data ? localSettings() : undefined;
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
const wish = computed(() => JSON.stringify(request.value));

/** Runs of one data set follow each other; of several wishes meanwhile the last is run. */
async function run(data: Data) {
  if (under.peek() === data) return;
  under.value = data;
  stopped.value = null;
  try {
    let before = '';
    while (before !== wish.peek() && open.peek()?.data === data) {
      const options = { ...request.peek() };
      before = wish.peek();
      clearErrors('files');
      const label = options.methods.length > 1 ? 'Fitting and evaluating methods' : 'Computing metrics';
      await withLine(
        label,
        async (watching) => {
          await data.run(options, watching);
          // the page is told in a moment: until then it is under way
          await new Promise((done) => setTimeout(done));
          ran.value = JSON.stringify(options.local);
        },
        () => 'Metrics complete',
      );
    }
  } catch (error) {
    stopped.value = data;
    showError(error);
  } finally {
    if (under.peek() === data) under.value = null;
  }
}

/** Starts the run again that was cancelled or failed. */
export function compute() {
  const data = open.peek()?.data;
  if (data) run(data);
}

/**
 * Waits until the last run holds a method that the subject asks for. Ends as cancelled where the run stops, where the
 * subject asks for another one, and where other data are opened: who stopped it knows, and the run says its own faults.
 */
export function runWith(method: string): Promise<void> {
  const data = open.peek()?.data;
  if (stopped.peek() === data) compute();
  return new Promise((done, fail) => {
    const stop = effect(() => {
      const there = report.value?.methods.some(({ name }: { name: string }) => name === method);
      const wished = request.value.methods.some((one) => idOf(one) === method);
      const comes = data && open.value?.data === data && stopped.value !== data && wished;
      if (comes && !there) return;
      queueMicrotask(() => stop()); // an effect that ends at once has no end to be called yet
      if (comes) done();
      else fail(Object.assign(new Error(`The run with ${method} was canceled.`), { code: 'cancelled' }));
    });
  });
}

/** Runs what is open, and again when the question changes. */
export function startRunning() {
  effect(() => {
    if (view.value === 'explore' || view.value === 'report') localFor.value = open.value?.data ?? null;
  });
  effect(() => {
    const data = open.value?.data;
    wish.value;
    if (data && usable.value) run(data);
  });
}
