// A form shows what is chosen, also while the answer that says so is on its way.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asChosen, fieldsOf, isRefused, unlessDefault } from './form.js';

type Field = wasm_bindgen.Field;
const several = (value: string[]): Field => ({
  option: 'methods',
  label: 'Methods',
  kind: { several: { value, choices: ['a', 'b', 'c'].map((one) => [one, one]) } },
});
const number = (value: number | null): Field =>
  ({ option: 'bins', label: 'Bins', kind: { number: { value } } }) as Field;
const valueOf = ({ kind }: Field) => Object.values(kind)[0].value;

test('a field is as its answer says while nothing else is chosen', () => {
  const field = several(['a']);
  assert.equal(asChosen(field, undefined, undefined), field);
  assert.equal(asChosen(field, ['b'], ['b']), field);
});

test('a second choice before the answer to the first adds to it', () => {
  assert.deepEqual(valueOf(asChosen(several(['a']), ['a', 'b'], undefined)), ['a', 'b']);
});

test('what is taken back before it was answered is not shown', () => {
  // ["a", "b"] was asked for, and undone: what is chosen is again what was answered
  assert.deepEqual(valueOf(asChosen(several(['a']), undefined, undefined)), ['a']);
});

test('a number that is left to the core shows nothing until the core says it', () => {
  assert.equal(valueOf(asChosen(number(20), 30, 20)), 30);
  assert.equal(valueOf(asChosen(number(20), undefined, 20)), null);
});

test('coordinates are columns, or components of them', () => {
  const field = {
    option: 'features',
    label: 'Coordinates',
    kind: { coordinates: { value: ['x'], choices: ['x', 'y'], components: null, ways: [] } },
  } as Field;
  const chosen = (value: unknown) => Object.values(asChosen(field, value, undefined).kind)[0];
  assert.deepEqual([chosen(['y']).value, chosen(['y']).components], [['y'], null]);
  assert.deepEqual(
    [chosen({ pca: 2, of: ['x', 'y'] }).value, chosen({ pca: 2, of: ['x'] }).components],
    [['x', 'y'], 2],
  );
});

test('a setting that is none of the field leaves it as answered', () => {
  for (const odd of [5, 'all', null, { of: 3 }])
    assert.deepEqual(valueOf(asChosen(several(['a']), odd, undefined)), ['a']);
});

const described = (name: string, label: string | null, kind: wasm_bindgen.DescribedKind) => ({
  name,
  label,
  kind,
  help: '',
});
const offered = (...methods: string[]) => ({
  columns: { groups: ['ward', 'sex'], numbers: ['age'], dates: [] },
  methods: methods.map((name): [string, string] => [name, name]),
});

test('a form before the first answer has what no file decides, by default', () => {
  const option = described;
  const description = {
    options: [
      option('resamples', 'Resamples', { number: { usual: 1000, low: 100, high: 10_000, whole: true } }),
      option('gamma', 'γ', { number: { usual: null, low: null, high: null, whole: false } }),
      option('null_model', 'Null', {
        choice: [
          ['bernoulli', 'Outcomes'],
          ['permutation', 'Rows'],
        ],
      }),
      option('within', 'Within bins', 'switch'),
      option('width', null, { number: { usual: 600, low: 1, high: 9999, whole: false } }),
    ],
  };
  const fields = fieldsOf(description, offered('none'), {});
  assert.deepEqual(
    fields.map(({ option, kind }) => [option, Object.values(kind)[0].value]),
    [
      ['resamples', 1000],
      ['gamma', null],
      ['null_model', 'bernoulli'],
      ['within', false],
    ],
  );
  assert.deepEqual(Object.values(fields[0].kind)[0].bounds, { low: 100, high: 10_000, whole: true });
});

test('a form before the first answer offers the columns of the file and the methods of the run', () => {
  const description = {
    options: [
      described('method', 'Predictions', 'method'),
      described('methods', 'Methods', 'methods'),
      described('by', 'By', { column: 'groups' }),
      described('columns', 'Group by', { columns: 'groups' }),
      described('when', 'Dates', { column: 'dates' }),
      described('metrics', 'Metrics', 'metrics'),
      described('features', 'Similarity', 'features'),
    ],
  };
  const shown = (methods: string[], asked: Record<string, unknown>) =>
    fieldsOf(description, offered(...methods), asked).map(({ option, label, kind }) => {
      const { value, choices } = Object.values(kind)[0] as { value: unknown; choices: [string, string][] };
      return [option, label, value, choices.map(([one]) => one)];
    });
  assert.deepEqual(shown(['none', 'platt'], {}), [
    ['method', 'Predictions', 'none', ['none', 'platt']],
    ['methods', 'Methods (default)', [], ['none', 'platt']],
    ['by', 'By', '', ['', 'ward', 'sex']],
    ['columns', 'Group by (default)', [], ['ward', 'sex']],
  ]);
  // those requested, by the subject or by a choice; a method alone is no choice
  assert.deepEqual(shown(['none'], { by: 'sex', columns: ['ward'] }), [
    ['by', 'By', 'sex', ['', 'ward', 'sex']],
    ['columns', 'Group by', ['ward'], ['ward', 'sex']],
  ]);
  assert.deepEqual(['', [], 'ward', ['ward'], false, 0].map(unlessDefault), [
    undefined,
    undefined,
    'ward',
    ['ward'],
    false,
    0,
  ]);
});

test('a field refuses what its bounds do not hold', () => {
  const folds = { low: 2, high: 100, whole: true };
  const refused = (given: number | undefined, bounds?: typeof folds | null) => isRefused(given, bounds);
  assert.deepEqual(
    [undefined, 2, 100, 1, 101, 2.5, Number.NaN].map((given) => refused(given, folds)),
    [false, false, false, true, true, true, true],
  );
  // a number that has no bounds is still a number
  assert.deepEqual([refused(-5), refused(1e300, null), refused(Number.NaN)], [false, false, true]);
});
