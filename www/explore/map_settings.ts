// What the map is about: coordinates, bandwidth, which rows, drawn axes.

import { ownOf } from '../state/alike.js';
import { measuredOf, spaceOf, wantedPlace } from '../state/space.js';
import { alikeIn } from '../state/alike.js';
import { open, panels } from '../state/store.js';

/** Null where nothing makes rows alike. A map weighs by the Laplacian kernel, whatever the subject does. */
export function mapSettings() {
  const { bin = 'each', axes } = panels.value.map ?? {};
  const data = open.value?.data;
  const space = spaceOf('map');
  if (!space || !data) return null;
  const place = wantedPlace(data, alikeIn('map'));
  const start = (place && measuredOf(data, place)?.gamma) ?? space.gamma;
  const gamma = space.kernel === 'laplacian' ? space.gamma : (ownOf('map').gamma ?? start);
  return { features: space.features, gamma, bin, axes };
}
