// What maps of the same rows share: the window that they show, and the region that a person drew on one of them.

import { effect, signal } from '@preact/signals';
import { mapOf } from '../state/space.js';
import { open, view } from '../state/store.js';
import { mapSettings } from './map_settings.js';

export type Place = [number, number];
/** Left, right, lower and upper edge, in units of the data. */
export type Window = [number, number, number, number];

/** Part of the map that is shown; null: all of it. `moving`: a draft is enough for now. */
export const frame = signal<{ window: Window | null; moving: boolean }>({ window: null, moving: false });
/** Corners of the region; empty: none. `rows`: those that it represents, where these are not just the rows within.
 * `drawing`: a person is still at it. */
export const region = signal<{ corners: Place[]; rows?: number[]; drawing?: boolean }>({ corners: [] });

export const clearRegion = () => (region.value = { corners: [] });
export const wholeMap = () => (frame.value = { window: null, moving: false });

// they are of the coordinates that are drawn: in Explore those of its panel, elsewhere those of the subject
let drawn = '';
effect(() => {
  open.value;
  const { features, axes } = (view.value === 'explore' ? mapSettings() : { axes: undefined, ...mapOf() }) ?? {};
  const now = JSON.stringify([features, axes]);
  if (features && drawn && drawn !== now) {
    clearRegion();
    wholeMap();
  }
  if (features) drawn = now;
});
open.subscribe(() => {
  clearRegion();
  wholeMap();
});

// Esc, once nothing runs any more
addEventListener('clear', clearRegion);
