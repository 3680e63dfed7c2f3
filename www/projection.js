// Feature maps: computed once in a worker, then known by name to every job of their data set.

/** @typedef {import('./pool.js').Progress} Progress */
/** @typedef {wasm_bindgen.FeatureMap} FeatureMap */

/** Computes a feature map; answers what it is, and the key under which it is held.
 * @param {ReturnType<typeof import('./pool.js').createPool>['submit']} submit @param {number[]} needs
 * @param {wasm_bindgen.ProjectionRequest} projection @param {{ signal: AbortSignal, extras: number[], onProgress?:
 * (progress: Progress) => void }} watch
 * `extras`: maps that are there already
 * @returns {Promise<{ key: number, map: FeatureMap }>} */
export async function projected(submit, needs, projection, { signal, extras, onProgress }) {
  const label = projection.tsne ? 'Placing the rows by t-SNE' : 'Computing coordinates';
  const { key, outcome } = await submit({ kind: 'project', projection }, needs, {
    signal,
    extras,
    onProgress: (done, picture) => onProgress?.({ done, total: 1, label, ...(picture && { picture }) }),
  });
  const { name, coordinates, names, text, median_distance, gamma, variance_share } = outcome;
  return { key, map: { name, coordinates, names, text, median_distance, gamma, variance_share } };
}
