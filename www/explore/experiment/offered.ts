// The methods that can be chosen, first or after another, and their settings.

import { offerOf } from '../../engine/localcal.js';
import { boundsOf, catalogue } from '../../parts/catalogue.js';
import type { Bounds } from '../../state/schema.js';
import { open } from '../../state/store.js';

/** Bases of the papers' grids, in their order. */
export const BASES = [
  'none',
  'temperature',
  'ets',
  'pts',
  'ptsk',
  'histogram',
  'isotonic',
  'mir',
  'beta',
  'platt',
  'vector',
  'matrix',
  'dirichlet',
];
/** What the papers put after them. */
export const SECONDS = ['lore', 'density_ratio', 'bin_mean_shift', 'lcb', 'multicalibration'];
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

/** Methods that come after another: those that the papers put there first. */
export function seconds() {
  const can = (catalogue.value?.methods ?? []).filter(({ id, may_be_second }) => may_be_second && known(id));
  const place = ({ id, after_another }: wasm_bindgen.DescribedMethod) =>
    SECONDS.includes(id) ? SECONDS.indexOf(id) : SECONDS.length + (after_another ? 0 : 1);
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
