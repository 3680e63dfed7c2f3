// What the map is about: coordinates, bandwidth, which rows, drawn axes.

import { mapOf } from '../state/space.js';
import { panels } from '../state/store.js';

/** Null where nothing makes rows similar. */
export function mapSettings() {
  const { bin = 'each', axes } = panels.value.map ?? {};
  const map = mapOf('map');
  return map && { ...map, bin, axes };
}
