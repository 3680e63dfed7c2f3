// Feature maps: computed once in a worker, then available by name to every job of their data set.

import { outcomeOf } from './outcome.js';
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
