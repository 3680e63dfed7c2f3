// What makes rows alike: the coordinates of the map and of local metrics. The subject's features, else what the core
// suggests, which may be a map that has to be computed first.

import { computed, effect, signal } from '@preact/signals';
import type { Data } from '../engine/localcal.js';
import { offerOf, suggestionOf } from '../engine/localcal.js';
import type { FeatureMap } from '../engine/projection.js';
import { showError } from '../parts/message.js';
import type { Watching } from '../parts/progress.js';
import { withLine } from '../parts/progress.js';
import { open, panels, subject, usable } from './store.js';

/** Coordinates and bandwidth, as `run` takes them. */
export type Space = { features: wasm_bindgen.FeatureChoice; gamma: number; resamples: number };

/** Maps that were made, by data set; a signal, so that who offers them hears of new ones. */
const made = new WeakMap<Data, FeatureMap[]>();
const makings = signal(0);

/** Maps made of the columns of a data set. */
export const madeMaps = (data: Data): FeatureMap[] => (makings.value, made.get(data) ?? []);

/** Maps by name, and the columns that make one two at a time. */
export function maps(data: Data) {
  const { columns, maps: offered } = offerOf(data);
  const ways: Record<string, wasm_bindgen.FeatureChoice> = Object.fromEntries([
    ...offered.map(({ name, features }) => [name, features]),
    ...madeMaps(data).map(({ name }) => [name, name]),
  ]);
  return { names: columns, ways };
}

/** Computes a map; null where that was cancelled or failed. `picture` sees the rows while they move. */
export async function makeMap(
  data: Data,
  request: wasm_bindgen.ProjectionRequest,
  picture?: Watching['onProgress'],
): Promise<FeatureMap | null> {
  try {
    const map = await withLine('Computing coordinates', ({ signal: until, onProgress }) =>
      data.project(request, {
        signal: until,
        onProgress(progress) {
          onProgress(progress);
          picture?.(progress);
        },
      }),
    );
    made.set(data, [...(made.get(data) ?? []), map]);
    makings.value += 1;
    return map;
  } catch (error) {
    if (!['closed', 'cancelled'].includes((error as any).code)) showError(error);
    return null;
  }
}

/** The map that the core suggests where it has to be computed first, once it is there. */
const suggested = computed((): FeatureMap | null => {
  const data = open.value?.data;
  return (data && suggestionOf(data)?.project && madeMaps(data)[0]) ?? null;
});

/** What makes rows alike now; null: nothing does. What a person chose on the map comes before the subject. */
export const space = computed((): Space | null => {
  const data = open.value?.data;
  const suggestion = data && suggestionOf(data);
  if (!data || !suggestion) return null;
  const own = panels.value.map ?? {};
  const { features } = subject.value;
  const map = suggested.value;
  const gamma = own.gamma ?? map?.gamma ?? suggestion.gamma;
  if (typeof gamma !== 'number') return null;
  const offered = suggestion.project ? map?.name : suggestion.features;
  const chosen = known(data, own.features) ?? (features && features.length > 0 ? features : offered);
  return chosen ? { features: chosen, gamma, resamples: suggestion.resamples } : null;
});

/** What a link says of coordinates, unless it names a map that was made when it was written, and is not there now. */
function known(data: Data, features: unknown): wasm_bindgen.FeatureChoice | undefined {
  if (typeof features !== 'string') return features as wasm_bindgen.FeatureChoice | undefined;
  return Object.values(maps(data).ways).includes(features) ? features : undefined;
}

/** How many suggested maps are being computed. */
const under = signal(0);
/** Whether the map that the core suggests is on its way. */
export const onItsWay = computed(() => under.value > 0);

/** Computes the suggested map of what is open, where it takes a while. */
export async function makeSuggested() {
  const data = open.peek()?.data;
  const wish = data && suggestionOf(data)?.project;
  if (!data || !wish) return;
  under.value += 1;
  await makeMap(data, wish);
  under.value -= 1;
}

/** Data sets whose suggested map was asked for. */
const asked = new WeakSet<Data>();

/** Computes the suggested map of each data set once. */
export function startSpace() {
  effect(() => {
    const data = open.value?.data;
    if (!data || !suggestionOf(data)?.project || !usable.value || asked.has(data)) return;
    asked.add(data);
    queueMicrotask(makeSuggested); // what it sets is no dependency of this
  });
}
