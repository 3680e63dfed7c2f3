// The methods that can be chosen, first or after another, and their settings.

import { offerOf } from '../../engine/localcal.js';
import { boundsOf, catalogue } from '../../parts/catalogue.js';
import type { Bounds } from '../../state/schema.js';
import { open } from '../../state/store.js';

/** Methods with a position, in its order. */
const inOrder = (place: (of: wasm_bindgen.DescribedMethod) => number | null | undefined): string[] =>
  (catalogue.value?.methods ?? [])
    .flatMap((of) => {
      const at = place(of);
      return at == null ? [] : [{ id: of.id, at }];
    })
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id);
/** First methods of the pairs of a prepared grid. */
export const gridBases = () => inOrder(({ grid_base }) => grid_base);
/** Their second methods. */
export const gridSeconds = () => inOrder(({ grid_second }) => grid_second);
/** Whether a method can be asked of the open file. */
export function known(id: string): boolean {
  const data = open.value?.data;
  const described = catalogue.value?.methods.find((one) => one.id === id);
  if (!data || !described) return false;
  return id === 'none' || described.after_another || offerOf(data).methods.some((one) => one.id === id);
}

const described = (id: string) => catalogue.value?.methods.find((one) => one.id === id);
/** Whether a method, or one of those that it consists of, has a setting of this name. */
export const hasSetting = (id: string, setting: string): boolean =>
  id.split('+').some((part) => described(part)?.parameters.some(({ name }) => name === setting));
/** Whether a method looks at near rows. */
export const looksNear = (id: string): boolean => hasSetting(id, 'features');

/** Methods to begin with. */
export const bases = () =>
  (catalogue.value?.methods ?? []).filter(({ id, after_another }) => !after_another && known(id));

/** Behind every position in a grid. */
const AFTER_GRID = 256;
/** Methods that come after another: those of the prepared grid first. */
export function seconds() {
  const can = (catalogue.value?.methods ?? []).filter(({ id, may_be_second }) => may_be_second && known(id));
  const place = ({ grid_second, after_another }: wasm_bindgen.DescribedMethod) =>
    grid_second ?? (after_another ? AFTER_GRID : AFTER_GRID + 1);
  return [...can].sort((a, b) => place(a) - place(b));
}

/** A setting as a field of a form. */
export type Taking =
  | { is: 'number'; bounds?: Bounds }
  | { is: 'choice'; of: string[] }
  | { is: 'switch' }
  | { is: 'columns' }
  | { is: 'space' }
  | { is: 'other' };

/** The field of a setting. */
export function taking({ name, kind }: wasm_bindgen.DescribedParameter): Taking {
  if (name === 'features') return { is: 'space' };
  if (typeof kind === 'object')
    return 'number' in kind ? { is: 'number', bounds: kind.number } : { is: 'choice', of: kind.choice };
  if (kind === 'bins') return { is: 'number', bounds: boundsOf('bins', 'count') };
  if (kind === 'switch' || kind === 'columns') return { is: kind };
  return { is: 'other' };
}

/** The usual value of a setting in words; empty where the run or the data say it. */
export function usualOf(parameter: wasm_bindgen.DescribedParameter): string {
  const { default: value = '' } = parameter as { default?: string };
  if (value === '' || value === 'null') return '';
  try {
    const told = JSON.parse(value);
    return typeof told === 'object' ? value : String(told);
  } catch {
    return value;
  }
}
