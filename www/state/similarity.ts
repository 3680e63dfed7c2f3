// Similarity: one idea of it, a part of the subject, for everything that looks at near rows. A panel takes it from the
// subject; what a person chose in the panel itself comes before it there.

import type { Data } from '../engine/localcal.js';
import { offerOf, suggestionOf } from '../engine/localcal.js';
import { LOGITS } from './chosen.js';
import { changeSimilarity, panels, putBack, set, subject } from './store.js';
import type { Place, Similarity } from './chosen.js';

type FeatureChoice = wasm_bindgen.FeatureChoice;

/** A place without what is not done: two that are the same are the same text. */
export const plain = ({ of, scale, pca, tsne }: Place): Place => ({
  of,
  ...(scale && { scale }),
  ...(pca && { pca }),
  ...(tsne && {
    tsne: {
      dimensions: tsne.dimensions ?? 2,
      ...(tsne.perplexity && { perplexity: tsne.perplexity }),
      ...(tsne.seed && { seed: tsne.seed }),
    },
  }),
});
export const keyOf = (place: Place) => JSON.stringify(plain(place));

/** Coordinates as the core takes them. */
export function placeOf(features: FeatureChoice, all: string[] = []): Place {
  if (typeof features === 'string') return { of: [features] };
  if (Array.isArray(features)) return { of: features };
  return { of: features.of?.length ? features.of : all, pca: features.pca };
}

/** Whether it does for this file. */
export const hasDerivedLogits = (data: Data) =>
  offerOf(data)?.maps.some(({ features }) => Array.isArray(features) && features[0] === LOGITS) ?? false;

/** What the core suggests. */
export function suggestedPlace(data: Data): Place | null {
  const suggestion = suggestionOf(data);
  if (!suggestion) return null;
  const { project, features } = suggestion;
  if (!project) return placeOf(features);
  return plain({ of: project.of ?? [], pca: project.pca ?? undefined });
}

/** What a person chose in a panel. */
export const ownOf = (kind: string) => (panels.value[kind]?.alike ?? {}) as Similarity;

/** Similarity in a panel, or, without one, in the subject. */
export function similarityIn(kind?: string): Similarity {
  const { alike } = subject.value;
  const own = kind ? ownOf(kind) : {};
  // a bandwidth belongs to its kernel and to the scale of its coordinates
  const { gamma, ...others } = alike;
  const shared = own.place || own.kernel ? others : { ...others, ...(gamma !== undefined && { gamma }) };
  return { ...shared, ...own };
}

/** Chooses in a panel, or, without one, in the subject; undefined leaves it to the subject, or the core. */
export function chooseSimilarity(part: Partial<Similarity>, kind?: string) {
  const before = kind ? ownOf(kind) : subject.value.alike;
  const next = Object.fromEntries(
    Object.entries({ ...before, ...part }).filter(([, value]) => value !== undefined),
  ) as Similarity;
  if (!kind) return changeSimilarity(next, 'place' in part);
  set(kind, 'alike', Object.keys(next).length > 0 ? next : undefined);
  if (!('place' in part)) return;
  const { axes: _, ...rest } = panels.peek()[kind] ?? {};
  putBack(kind, rest);
}

/** What a panel differs in holds everywhere from now on. */
export function everywhere(kind: string) {
  const own = ownOf(kind);
  const { alike: _, ...others } = panels.peek()[kind] ?? {};
  changeSimilarity({ ...subject.peek().alike, ...own }, own.place !== undefined);
  putBack(kind, others);
}
