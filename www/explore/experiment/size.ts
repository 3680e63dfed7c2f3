// What an experiment will be: how many fits, and how many numbers.

import { catalogue } from '../../parts/catalogue.js';
import { counted } from '../../parts/words.js';
import type { Method, Spec } from '../../state/experiment.js';
import { saysDivision } from '../../state/experiment.js';

/** Metrics of time, which the catalogue does not hold. */
export const TIMES: [string, string, string][] = [
  ['fit_seconds', 'Time to fit', 'seconds per fit'],
  ['apply_seconds', 'Time to apply', 'seconds per row after fitting'],
];

const described = (id: string) => catalogue.value?.methods.find((one) => one.id === id);
const parts = (id: string) => id.split('+');

/** Whether a method looks at near rows. */
export const looksNear = (id: string): boolean =>
  parts(id).some((part) => described(part)?.parameters.some(({ name }) => name === 'features'));

/** Settings of spaces that bear on metrics, by the words in which the core names what these need, whatever it adds. */
const BEARING: [RegExp, string[]][] = [
  [/neighbou?rhood/, ['bins', 'gamma', 'kernel']],
  [/proximity/, ['neighbours', 'distance', 'form']],
  [/test/, ['width_p', 'trust_gamma', 'resamples']],
  [/^time$/, []],
];
const OTHERS = ['bins'];

/** What a metric needs. */
const needsOf = (id: string): string =>
  TIMES.some(([time]) => time === id) ? 'time' : (catalogue.value?.metrics.find((one) => one.id === id)?.needs ?? '');

/** Whether a method has a setting of this name. */
export const hasSetting = ({ id }: Method, setting: string): boolean =>
  parts(id).some((part) => described(part)?.parameters.some(({ name }) => name === setting));

const product = (numbers: number[]) => numbers.reduce((a, b) => a * b, 1);

/** Divisions where nothing says how the rows are divided. */
const USUAL = 5;

/** How many divisions there are; null: the file says. `opened`: how many files there are. */
export function divisionsOf({ divisions: { seeds, folds, by, files } }: Spec, opened: number): number | null {
  if (files) return opened;
  if (by) return null;
  const many = Array.isArray(seeds) ? seeds.length : seeds;
  if (many === undefined && folds === undefined) return saysDivision() ? 1 : USUAL;
  return (many ?? 1) * (folds ?? 1);
}

const levelsOf = (of: Spec['vary']) => product(of.map(({ values }) => Math.max(1, values.length)));

/** How many fits of a method one division takes, each setting and space once. */
export function fitsOf({ spaces, vary }: Spec, method: Method): number {
  const there = looksNear(method.id) && !method.space ? Math.max(1, spaces.length) : 1;
  return there * levelsOf(vary.filter(({ setting, of }) => of !== 'metrics' && hasSetting(method, setting)));
}

/** How many numbers tell of one fit: metrics have one for each space and setting that bears on them. */
export function toldOf({ methods, metrics, spaces, vary }: Spec): number {
  const turned = vary.filter(
    ({ setting, of }) => of === 'metrics' || (!of && !methods.some((method) => hasSetting(method, setting))),
  );
  const told = metrics.map((id) => {
    const needs = needsOf(id);
    const bears = turned.filter(({ setting }) =>
      (BEARING.find(([of]) => of.test(needs))?.[1] ?? OTHERS).includes(setting),
    );
    return (needs.startsWith('features') ? Math.max(1, spaces.length) : 1) * levelsOf(bears);
  });
  return told.reduce((a, b) => a + b, 0);
}

/** How many numbers a method has under one division. */
export const numbersOf = (spec: Spec, method: Method): number => fitsOf(spec, method) * toldOf(spec);

/** "13 bases × 5 second methods" where the methods are a whole grid; else "14 methods". */
function methodsSaid({ methods }: Spec): string {
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

/** What it will be, in a line, and how many numbers that makes until the core has counted them. */
export function sizeSaid(spec: Spec, opened: number): { factors: string; numbers: string } {
  const { methods, metrics } = spec;
  const fits = methods.reduce((sum, method) => sum + fitsOf(spec, method), 0);
  const told = toldOf(spec);
  const divisions = divisionsOf(spec, opened);
  const expanded = (all: number, one: string) => ` (${counted(all, one)} with spaces and settings)`;
  const factors = [
    methodsSaid(spec) + (fits !== methods.length ? expanded(fits, 'fit') : ''),
    ...(divisions === null ? [] : [counted(divisions, 'split')]),
    counted(metrics.length, 'metric') + (told !== metrics.length ? expanded(told, 'number') : ''),
  ];
  const numbers = counted(fits * (divisions ?? 1) * told, 'number');
  return {
    factors: factors.join(' × '),
    numbers: divisions === null ? `${numbers} per split` : numbers,
  };
}
