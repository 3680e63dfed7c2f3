// The coordinates and the kernel by which rows are similar, as the core takes them. Coordinates are computed, or their
// scale is measured, once for each data set.

import { computed, effect, signal } from '@preact/signals';
import type { Data } from '../engine/localcal.js';
import { offerOf, suggestionOf } from '../engine/localcal.js';
import { failureOf } from '../engine/fault.js';
import { usualOf } from '../parts/catalogue.js';
import { showError } from '../parts/message.js';
import type { Watching } from '../parts/progress.js';
import { withLine } from '../parts/progress.js';
import type { Similarity, Kernel, Place } from './chosen.js';
import { similarityIn, hasDerivedLogits, keyOf, plain, placeOf, suggestedPlace } from './similarity.js';
import { LOGITS } from './chosen.js';
import { open, panels, report, subject, usable } from './store.js';

type FeatureChoice = wasm_bindgen.FeatureChoice;

/** Coordinates that are there. */
interface Measured {
  place: Place;
  /** as the core takes them */
  features: FeatureChoice;
  /** of the map that was made, else null: columns, or components that are fitted where they are used */
  map: string | null;
  /** median of ‖Δ‖₁/d over pairs of rows; null: not known (yet) */
  median: number | null;
  /** bandwidth of the Laplacian kernel to start with; null: not known (yet) */
  gamma: number | null;
}

/** Similarity, as the core takes it. */
interface Space {
  features: FeatureChoice;
  kernel: Kernel;
  gamma: number;
  /** which rows can be neighbors, where not all */
  within?: string;
  /** whether no row counts itself */
  leave_one_out?: boolean;
  resamples: number;
}

/** Coordinates that are there, by data set; a signal, so that who needs them hears of new ones. */
const made = new WeakMap<Data, Map<string, Measured>>();
const makings = signal(0);
function keep(data: Data, one: Measured): Measured {
  made.set(data, (made.get(data) ?? new Map()).set(keyOf(one.place), one));
  makings.value += 1;
  return one;
}

/** Maps made of the columns of a data set, in the order in which they were made. */
export const madeMaps = (data: Data): Measured[] => (
  makings.value,
  [...(made.get(data)?.values() ?? [])].filter(({ map }) => map !== null)
);

/** Coordinates of a place, if they are there. */
export function measuredOf(data: Data, place: Place): Measured | null {
  makings.value;
  const known = made.get(data)?.get(keyOf(place));
  if (known) return known;
  const suggestion = suggestionOf(data);
  const suggested = suggestedPlace(data);
  // what opening found already
  if (!suggestion || suggestion.project || !suggested || keyOf(suggested) !== keyOf(place)) return null;
  return { place, features: suggestion.features, map: null, median: null, gamma: suggestion.gamma ?? null };
}

/** Entries of an array from which on its components are computed once, not wherever they are used. */
const WIDE = 50;
const widthOf = (data: Data, { of }: Place) => {
  const columns = data.summary.columns.filter(({ name }) => of.includes(name));
  const derived = of.includes(LOGITS) && hasDerivedLogits(data) ? data.summary.classes : 0;
  return columns.reduce((sum, { shape }) => sum + (shape[1] ?? 1), derived);
};
export const isWide = (data: Data, place: Place) => widthOf(data, place) > WIDE;
/** Whether coordinates have to be computed first. */
export const isMap = (data: Data, place: Place) =>
  Boolean(place.scale || place.tsne || (place.pca && isWide(data, place)));

/** A scale is not measured if that takes longer, in milliseconds. */
const LONGEST = 5000;
/** Median distance of coordinates that need no map, and a fifth of it in two digits; null where it would take long. */
async function scaleOf(data: Data, features: FeatureChoice, watching: Watching) {
  const request = { features: [features], methods: ['none'], kernel: 'laplacian', gammas: { count: 2 } };
  try {
    const { curves } = await data.analyse('sweep', request, { ...watching, most: LONGEST });
    const median = curves[0].median_distance;
    return { median, gamma: median > 0 ? Number((median / 5).toPrecision(2)) : null };
  } catch (error) {
    if (failureOf(error).code === 'costly') return { median: null, gamma: null };
    throw error;
  }
}

/**
 * Computes coordinates, or measures those that need not be computed. `picture` sees the rows while they move.
 *
 * Fails with what the core says.
 */
async function measure(data: Data, place: Place, picture?: Watching['onProgress']): Promise<Measured> {
  const { of, scale, pca, tsne } = plain(place);
  const { median: _, ...found } = measuredOf(data, place) ?? {};
  if (!isMap(data, place)) {
    const features = pca ? { pca, of } : of;
    const scaled = await withLine('Measuring distances between rows', (watching) => scaleOf(data, features, watching));
    // what opening found stays as it is
    return keep(data, { place, features, map: null, ...scaled, ...found });
  }
  const map = await withLine('Computing coordinates', ({ signal: until, onProgress }) =>
    data.project({ of, scale, pca, tsne } as wasm_bindgen.ProjectionRequest, {
      signal: until,
      onProgress(progress) {
        onProgress(progress);
        picture?.(progress);
      },
    }),
  );
  const { name, median_distance: median = null, gamma } = map;
  return keep(data, { place, features: name, map: name, median, gamma });
}

/** Coordinates under way, so that no one computes them twice. */
const underway = new WeakMap<Data, Map<string, Promise<Measured>>>();
/** How many are under way, and which were asked for unasked: what was cancelled is not tried again. */
const under = signal(0);
const asked = new WeakMap<Data, Set<string>>();

/** Coordinates of a place, with their scale; null where that was cancelled or failed, which is reported. */
export async function measured(data: Data, place: Place, picture?: Watching['onProgress']): Promise<Measured | null> {
  const key = keyOf(place);
  const known = made.get(data)?.get(key);
  if (known) return known;
  const running = underway.get(data) ?? new Map<string, Promise<Measured>>();
  underway.set(data, running);
  asked.set(data, (asked.get(data) ?? new Set()).add(key));
  const work = running.get(key) ?? measure(data, place, picture);
  running.set(key, work);
  under.value += 1;
  try {
    return await work;
  } catch (error) {
    showError(error);
    return null;
  } finally {
    running.delete(key);
    under.value -= 1;
  }
}
/** Whether coordinates are on their way. */
export const onItsWay = computed(() => under.value > 0);

/** Coordinates that a panel, or without one the subject, is about. */
export function wantedPlace(data: Data, similarity: Similarity): Place | null {
  return similarity.place && similarity.place.of.length > 0 ? similarity.place : suggestedPlace(data);
}

/** Coordinates in two digits of which a kernel is exp(−5) between rows that are as far apart as the typical pair. */
export function gammaFor(data: Data, kernel: Kernel, { place, median, gamma }: Measured): number | null {
  if (kernel === 'laplacian') return gamma;
  if ((kernel !== 'gaussian' && kernel !== 'rbf') || !median) return null;
  const d = place.tsne?.dimensions ?? place.pca ?? widthOf(data, place);
  const squared = d * median * median; // of the typical pair, where its coordinates differ equally
  return Number((kernel === 'rbf' ? 5 / squared : Math.sqrt(squared / 10)).toPrecision(2));
}

/** Replicates where the core suggests nothing, for so many rows at most. */
const REPLICATES = 20;
const FEW_ROWS = 5000;

/** What the core takes where no one knows better. */
export const usualGamma = () => usualOf('local', 'gamma');

/** Coordinates that are there with all that the kernel's bandwidth depends on. */
function readyOf(data: Data, similarity: Similarity): Measured | null {
  const place = wantedPlace(data, similarity);
  const there = place && measuredOf(data, place);
  const scaled = similarity.gamma !== undefined || !['gaussian', 'rbf'].includes(similarity.kernel ?? '');
  return scaled || made.get(data)?.has(place ? keyOf(place) : '') ? there : null;
}

/** Similarity in a panel, or without one in the subject; null: nothing says, or it is not there yet. */
export function spaceIn(kind?: string): Space | null {
  const data = open.value?.data;
  if (!data) return null;
  const similarity = similarityIn(kind);
  const there = readyOf(data, similarity);
  if (!there) return null;
  const { kernel = 'laplacian' } = similarity;
  const gamma = similarity.gamma ?? gammaFor(data, kernel, there) ?? usualGamma();
  if (gamma === undefined) return null;
  const within = similarity.within !== 'all' && similarity.within;
  const resamples = suggestionOf(data)?.resamples ?? (data.summary.rows <= FEW_ROWS ? REPLICATES : 0);
  const own = similarity.leave_one_out && { leave_one_out: true };
  return { features: there.features, kernel, gamma, ...(within && { within }), ...own, resamples };
}
export const space = computed(() => spaceIn());

/** Similarity on a map in a panel, or without one of the subject, whatever the last run had. */
export function mapOf(
  kind?: string,
): (Pick<Space, 'features' | 'kernel' | 'gamma'> & { within: string; leave_one_out: boolean }) | null {
  const near = spaceIn(kind);
  if (!near) return null;
  const { features, kernel, gamma, within = 'all', leave_one_out = false } = near;
  return { features, kernel, gamma, within, leave_one_out };
}

/** Settings of the local metrics and LoRe, as `run` takes them. */
export function localSettings() {
  const now = space.value;
  if (!now) return undefined;
  const { kernel, ...others } = now;
  const { bins } = subject.value.alike;
  return { ...others, ...(kernel !== 'laplacian' && { kernel }), ...(bins && { bins }) };
}

/** Ways to define similarity that stand ready: those that the file offers by name, and maps that were made. */
export function ways(data: Data): [name: string | null, place: Place][] {
  const all = suggestedPlace(data)?.of ?? [];
  const { columns, maps } = offerOf(data);
  const offered = maps
    .filter(
      ({ features }) => typeof features !== 'string' || data.summary.columns.some(({ name }) => name === features),
    )
    .map(({ name, features }): [string, Place] => [name, placeOf(features, all)]);
  const single = columns.length > 1 ? columns.slice(0, 2) : columns;
  const few: [string, Place][] = single.length > 0 ? [[single.join(' and '), { of: single }]] : [];
  const list: [string | null, Place][] = [...offered, ...few];
  for (const { place } of madeMaps(data)) list.push([null, place]);
  return list.filter(([, place], i) => list.findIndex(([, other]) => keyOf(other) === keyOf(place)) === i);
}

/** Computes what the subject and the panels are about, where it is not there yet. */
export async function makeWanted() {
  const data = open.peek()?.data;
  if (!data) return;
  for (const place of missing(data)) await measured(data, place);
}
/** Coordinates that the subject and the panels are about, and that are not there. */
function missing(data: Data): Place[] {
  const all = [undefined, ...Object.keys(panels.value)].map(similarityIn);
  return all.flatMap((similarity) => (readyOf(data, similarity) ? [] : (wantedPlace(data, similarity) ?? [])));
}

/** Computes what is wanted of each data set once: a map after a run, so that no one waits for its scale. */
export function startSpace() {
  effect(() => {
    const data = open.value?.data;
    if (!data || !usable.value) return;
    makings.value;
    const scored = report.value !== null; // a scale is a question about a run
    const next = missing(data).filter((place) => !asked.get(data)?.has(keyOf(place)) && (scored || isMap(data, place)));
    // what it sets is no dependency of this
    for (const place of next) {
      asked.set(data, (asked.get(data) ?? new Set()).add(keyOf(place)));
      queueMicrotask(() => measured(data, place));
    }
  });
}
