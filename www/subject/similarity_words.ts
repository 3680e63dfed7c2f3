// Similarity, in words: as the line of the subject says it, and as a panel says what it used.

import type { Similarity, Kernel, Place } from '../state/chosen.js';
import { usualBins } from '../parts/catalogue.js';
import { brief, counted, listed } from '../parts/words.js';
import { madeMaps } from '../state/space.js';
import { open } from '../state/store.js';

type FeatureChoice = wasm_bindgen.FeatureChoice;

export const KERNELS: [Kernel, string][] = [
  ['laplacian', 'Laplacian'],
  ['gaussian', 'Gaussian'],
  ['rbf', 'RBF'],
  ['group', 'Group (equal or not)'],
  ['constant', 'Constant (all rows equal)'],
];
const SHORT: Record<string, string> = {
  laplacian: 'Laplacian',
  gaussian: 'Gaussian',
  rbf: 'RBF',
  group: 'group kernel',
  constant: 'constant kernel',
};
/** Kernels that have a bandwidth. */
export const hasGamma = (kernel: string) => kernel !== 'group' && kernel !== 'constant';

export const SCHEMES: [wasm_bindgen.BinScheme, string][] = [
  ['equal_width', 'Equal width'],
  ['equal_mass_rank', 'Equal count'],
  ['equal_mass_quantile', 'Quantiles'],
];
export const DISTANCES: [wasm_bindgen.Distance, string][] = [
  ['euclidean', 'Euclidean'],
  ['cosine', 'Cosine'],
];

/** Names that a list may hold in a sentence. */
const FEW = 3;
const columns = (names: string[]) => (names.length > FEW ? counted(names.length, 'column') : listed(names.map(brief)));

export const numberOf = (value: number) => String(Number(value.toPrecision(2)));

/** "age and priors", "2 components of 6 columns, standardized", "t-SNE of embeddings". */
export function placeInWords({ of, scale, pca, tsne }: Place): string {
  const what = columns(of);
  const scaled = scale === 'standardise' ? ', standardized' : scale ? ', scaled' : '';
  const components = pca ? `${counted(pca, 'component')} of ` : '';
  const picture = tsne ? `t-SNE${tsne.dimensions === 3 ? ' in 3-D' : ''} of ` : '';
  return `${picture}${components}${what}${scaled}`;
}

/** The same of what the core was asked. */
export function featuresInWords(features: FeatureChoice): string {
  const [only, ...others] = typeof features === 'string' ? [features] : Array.isArray(features) ? features : [];
  // a map that was made here has its recipe
  const data = open.value?.data;
  const map = data && others.length === 0 && madeMaps(data).find((one) => one.map === only);
  if (map) return placeInWords(map.place);
  if (typeof features === 'string') return features;
  if (Array.isArray(features)) return columns(features);
  const { pca, of = [] } = features;
  return placeInWords({ of, pca }).replace(/ of $/, '');
}

/** The same without the name of the usual kernel: "γ = 0.4". */
export const bandwidthInWords = (kernel: string, gamma: number | null | undefined) =>
  kernel === 'laplacian' && typeof gamma === 'number' ? `γ = ${numberOf(gamma)}` : kernelInWords(kernel, gamma);

/** "Laplacian, γ = 0.4". */
export const kernelInWords = (kernel: string, gamma: number | null | undefined) =>
  [SHORT[kernel] ?? kernel, hasGamma(kernel) && typeof gamma === 'number' && `γ = ${numberOf(gamma)}`]
    .filter(Boolean)
    .join(', ');

export function binsInWords(bins: wasm_bindgen.BinOptions): string {
  const usual = usualBins();
  const { count, scheme = usual.scheme } = typeof bins === 'number' ? { count: bins } : bins;
  const words = counted(count ?? usual.count, 'confidence bin');
  return scheme === usual.scheme ? words : `${words} (${SCHEMES.find(([one]) => one === scheme)?.[1].toLowerCase()})`;
}

/** "the same predicted class", "the same race"; none where every row can be a neighbor. */
export const sameOf = (within: string | null | undefined) =>
  !within || within === 'all' ? null : within === 'predicted' ? 'the same predicted class' : `the same ${within}`;
/** "neighbors from the same race". */
export const withinInWords = (within: string | null | undefined) =>
  sameOf(within) && `neighbors from ${sameOf(within)}`;

/** Whether a row counts itself; none where no one said. */
const ownInWords = (out: boolean | null | undefined) =>
  out === undefined || out === null ? undefined : out ? 'own row excluded' : 'own row included';

const gammaOf = ({ gamma }: Similarity) => (gamma === undefined ? undefined : numberOf(gamma));

/** What one has of what another one has otherwise, each as "γ = 0.2 in this panel, 0.4 in the subject line". */
export function differences(own: Similarity, subject: Similarity & { place?: Place }): string[] {
  const said = (name: string, here: string | undefined, there: string | undefined) =>
    here === undefined || here === there
      ? []
      : [`${name}${here} in this panel, ${there ?? 'default'} in the subject line`];
  return [
    ...said('', own.place && placeInWords(own.place), subject.place && placeInWords(subject.place)),
    ...(own.kernel !== undefined && own.kernel !== (subject.kernel ?? 'laplacian')
      ? said('', kernelInWords(own.kernel, own.gamma), kernelInWords(subject.kernel ?? 'laplacian', subject.gamma))
      : said('γ = ', gammaOf(own), gammaOf(subject))),
    ...said('', own.bins && binsInWords(own.bins), subject.bins && binsInWords(subject.bins)),
    ...said('neighbors from ', own.within && (sameOf(own.within) ?? 'all rows'), sameOf(subject.within) ?? 'all rows'),
    ...said('', ownInWords(own.leave_one_out), ownInWords(subject.leave_one_out ?? false)),
    ...said('score bandwidth ', own.width_p?.toString(), subject.width_p?.toString()),
    ...said('K = ', own.neighbours?.toString(), subject.neighbours?.toString()),
    ...said('distance ', own.distance, subject.distance),
  ];
}
