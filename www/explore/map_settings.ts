// What the map is about: coordinates, bandwidth, which rows, drawn axes.

import { space } from '../state/space.js';
import { panels } from '../state/store.js';

/** Null where nothing makes rows alike. */
export function mapSettings() {
  const { bin = 'each', axes } = panels.value.map ?? {};
  return space.value && { features: space.value.features, gamma: space.value.gamma, bin, axes };
}
