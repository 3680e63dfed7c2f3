// What an experiment will be, in a line: how large it is, the core says.

import { counted } from '../../parts/words.js';
import type { Spec } from '../../state/experiment.js';

const parts = (id: string) => id.split('+');
const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

/** "13 bases × 5 second methods" where the methods are a whole grid; else "14 methods". */
function methodsSaid({ methods }: Pick<Spec, 'methods'>): string {
  const ids = methods.map(({ id }) => id);
  const pairs = ids.map((id) => [parts(id)[0], parts(id).slice(1).join('+')]);
  const bases = new Set(pairs.map(([base]) => base));
  const seconds = new Set(pairs.map(([, second]) => second));
  const whole = new Set(ids).size === ids.length && bases.size * seconds.size === ids.length;
  const grid = whole && bases.size > 1 && seconds.size > 1;
  return grid
    ? `${counted(bases.size, 'base')} × ${counted(seconds.size, 'second method')}`
    : counted(ids.length, 'method');
}

/** What it will be; without its size, which the core has not counted yet, what is chosen. */
export function sizeSaid(of: Pick<Spec, 'methods' | 'metrics'>, size?: wasm_bindgen.ExperimentSize): string {
  const { methods, metrics } = of;
  const expanded = (all: number, one: string) => ` (${counted(all, one)} with spaces and settings)`;
  const fits = size ? sum(size.fits) : methods.length;
  const numbers = size ? size.numbers : metrics.length;
  return [
    methodsSaid(of) + (fits !== methods.length ? expanded(fits, 'fit') : ''),
    ...(size ? [counted(size.splits, 'split')] : []),
    counted(metrics.length, 'metric') + (numbers !== metrics.length ? expanded(numbers, 'number') : ''),
  ].join(' × ');
}
