// Feature maps: computed once in a worker, then available by name to every job of their data set.

import { outcomeOf } from './outcome.js';
import { together } from './together.js';
import type { Pool, Progress } from './pool.js';
export type FeatureMap = wasm_bindgen.FeatureMap;

/** Computes a feature map; returns its description, and the key under which it is held. `extras`: existing maps. */
export async function projected(
  submit: Pool['submit'],
  needs: number[],
  projection: wasm_bindgen.ProjectionRequest,
  { signal, extras, onProgress }: { signal: AbortSignal; extras: number[]; onProgress?: (progress: Progress) => void },
): Promise<{ key: number; map: FeatureMap }> {
  const label = projection.tsne ? 'Computing t-SNE' : 'Computing coordinates';
  const answer = await submit({ kind: 'project', projection }, needs, {
    signal,
    extras,
    onProgress: (done, picture) => onProgress?.({ done, total: 1, label, ...(picture && { picture }) }),
  });
  const { name, coordinates, names, text, median_distance, gamma, variance_share } = outcomeOf('coordinates', answer);
  return { key: answer.key, map: { name, coordinates, names, text, median_distance, gamma, variance_share } };
}

interface MapWatch {
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}
/** A map that was requested: its name, once it is made. */
interface NamedMap {
  name?: string;
  make: (signal: AbortSignal) => Promise<string>;
  listeners: Set<MapWatch['onProgress']>;
}

/**
 * Names of feature maps by what was requested. Each map is made once, also where several request it at once; one that
 * failed is made again. `project` makes a map, and finds a name for it.
 */
export function mapNames(
  project: (request: wasm_bindgen.ProjectionRequest, watch: MapWatch) => Promise<Pick<FeatureMap, 'name'>>,
) {
  const maps = new Map<string, NamedMap>();

  function begin(request: wasm_bindgen.ProjectionRequest): NamedMap {
    const listeners: NamedMap['listeners'] = new Set();
    const onProgress = (progress: Progress) => listeners.forEach((hear) => hear(progress));
    const map: NamedMap = {
      listeners,
      make: together(async (signal) => {
        // the core finds a name that nothing else has
        const { name } = await project({ ...request, name: undefined }, { signal, onProgress });
        map.name = name;
        return name;
      }),
    };
    return map;
  }

  return async (request: wasm_bindgen.ProjectionRequest, { signal, onProgress }: MapWatch): Promise<string> => {
    const key = JSON.stringify(request);
    const map = maps.get(key) ?? begin(request);
    maps.set(key, map);
    if (map.name !== undefined) return map.name;
    map.listeners.add(onProgress);
    try {
      return await map.make(signal);
    } finally {
      map.listeners.delete(onProgress);
    }
  };
}
