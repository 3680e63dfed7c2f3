// What can be asked for, as the core says it, and how people call it.

import { signal } from '@preact/signals';
import { described } from '../engine/localcal.js';

/** Metrics, methods and analyses in words; null until the first file is chosen. */
export const catalogue = signal<wasm_bindgen.Catalogue | null>(null);
described().then(
  (said) => (catalogue.value = said),
  () => {}, // told by the opening
);

/** What the core says of an analysis. */
export const descriptionOf = (kind: string) => catalogue.value?.analyses.find((one) => one.kind === kind);

/** A method by its name for people: of `temperature+density_ratio` both parts. A name that a person gave it stays. */
export const methodTitle = (name: string): string =>
  name
    .split('+')
    .map((id) => catalogue.value?.methods.find((one) => one.id === id)?.title ?? id)
    .join(', then ');
