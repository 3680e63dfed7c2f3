// What can be asked for, as the core says it, and how people call it.

import { computed, signal } from '@preact/signals';
import { described, happenings } from '../engine/localcal.js';
import { boundsIn } from '../state/schema.js';

/** Metrics, methods and analyses in words; null until the first file is chosen. */
export const catalogue = signal<wasm_bindgen.Catalogue | null>(null);
const ask = () =>
  described().then(
    (said) => (catalogue.value = said),
    () => {}, // told by the opening
  );
void ask();
// a worker that was lost may have taken the first answer with it
happenings.addEventListener('opened', () => void (catalogue.peek() ?? ask()));

/** What the core says of an analysis. */
export const descriptionOf = (kind: string) => catalogue.value?.analyses.find((one) => one.kind === kind);

/** Roles of columns, in the order in which a person chooses. */
export const roles = () => catalogue.value?.roles ?? [];

/** What a role is called. */
export const roleTitle = (role: wasm_bindgen.Role): string => roles().find(({ id }) => id === role)?.title ?? role;

/** What a view is called: what is evaluated. */
export const viewTitle = (view: wasm_bindgen.View): string =>
  catalogue.value?.views.find(({ id }) => id === view)?.title ?? view;

/** Bounds of a number of a request, as `bounded` of the schema names it. */
export const boundsOf = (place: string, name: string) => boundsIn(catalogue.value?.bounds ?? [], place, name);

/** Its default; undefined: the data or other settings decide it. */
export const usualOf = (place: string, name: string): number | undefined =>
  catalogue.value?.bounds.find((one) => one.place === place && one.name === name)?.usual ?? undefined;

/** What a field for it takes, and what it shows while it is empty. */
export const numberField = (place: string, name: string) => ({
  bounds: boundsOf(place, name),
  placeholder: usualOf(place, name)?.toString(),
});

/** Confidence bins where nothing else is chosen: files open when the catalogue is there, so the core has said how many. */
export const usualBins = (): { count: number; scheme: wasm_bindgen.BinScheme } => ({
  count: usualOf('bins', 'count') ?? 1,
  scheme: 'equal_width',
});

/** Whether a method has a setting of this name. */
export const hasSetting = ({ parameters }: Pick<wasm_bindgen.DescribedMethod, 'parameters'>, name: string) =>
  parameters.some((one) => one.name === name);
/** Recalibrations that use similar rows as the local metrics do: which rows can be neighbors is a setting of theirs. */
export const localMethods = computed(() => (catalogue.value?.methods ?? []).filter((one) => hasSetting(one, 'within')));

/** A method by its name for people: of `temperature+density_ratio` both parts. A name that a person gave it stays. */
export const methodTitle = (name: string): string =>
  name
    .split('+')
    .map((id) => catalogue.value?.methods.find((one) => one.id === id)?.title ?? id)
    .join(', then ');
