// What a link and a session may say, over the schema itself: every setting takes every wrong shape, and no leaf lets a
// word of the data into a link.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Context } from './choices.js';
import { IN_REPORT, OPTIONS, PANELS, QUESTION, SIMILARITY, SPECIFIED, SUBJECT, readChosen } from './choices.js';
import type { Fault, Schema } from './schema.js';
import { boundsIn, faultInWords } from './schema.js';

const CANARY = 'CANARY';
// what the core says of itself, as it is recorded
const [{ told }] = JSON.parse(readFileSync('tests/corpus/answers/open/described.json', 'utf8'));
const column = (name: string, role: string) => ({ name: `${CANARY} ${name}`, file: `${CANARY}.csv`, role });
const world: Context = {
  columns: [column('age', 'feature'), column('ward', 'group'), column('risk', 'probability')],
  labels: [`${CANARY} no`, `${CANARY} yes`],
  models: [],
  methods: told.methods.map(({ id }: { id: string }) => id),
  specified: [`${CANARY} repair`],
  metrics: told.metrics.map(({ id }: { id: string }) => id),
  within: ['predicted', `${CANARY} ward`],
  logits: false,
  bounds: told.bounds,
  analyses: told.analyses,
  described: told.methods,
  parts: told.report_parts.map(({ id }: { id: string }) => id),
};
const [age, ward] = world.columns.map(({ name }) => name);
const ALL: Record<string, Schema<any, Context>> = {
  options: OPTIONS,
  subject: SUBJECT,
  panels: PANELS,
  inReport: IN_REPORT,
  specified: SPECIFIED,
  question: QUESTION,
};

/** Every schema within a schema, once. */
function* parts(
  schema: Schema<any, Context>,
  path: string,
  seen = new Set(),
): Generator<[string, Schema<any, Context>]> {
  if (seen.has(schema)) return;
  seen.add(schema);
  yield [path, schema];
  const { fields = {}, items, ways = [] } = schema.inner?.(world) ?? {};
  for (const [name, one] of Object.entries(fields)) yield* parts(one, `${path}.${name}`, seen);
  for (const one of items ? [items, ...ways] : ways) yield* parts(one, path, seen);
}
const PARTS = Object.entries(ALL).flatMap(([name, schema]) => [...parts(schema, name)]);

const WRONG = [
  5,
  -5,
  0.5,
  1e300,
  -1e300,
  NaN,
  Infinity,
  '',
  'x',
  '~99',
  '~0',
  '#9',
  null,
  true,
  [],
  [1],
  [null],
  {},
  { a: 1 },
];
const deep = JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`);
const own = ['__proto__', 'constructor', 'toString'].flatMap((name) => [name, JSON.parse(`{"${name}":{"x":1}}`)]);

test('every setting takes every wrong shape: what is kept is kept again, and what is not is a sentence', () => {
  for (const [part, schema] of PARTS) {
    const { fields = {} } = schema.inner?.(world) ?? {};
    const within = [...WRONG, deep, ...own].map((wrong) =>
      Object.fromEntries(Object.keys(fields).map((one) => [one, wrong])),
    );
    for (const form of ['link', 'session'] as const)
      for (const wrong of [...WRONG, deep, ...own, ...within]) {
        const faults: Fault[] = [];
        const value = schema.read(wrong, { world, form, part, faults });
        if (value === undefined) assert.ok(faults.length > 0, part);
        for (const one of faults)
          assert.match(faultInWords(one), /^`.+` (must be .+|is not a setting|cannot be part of a link)\.$/s);
        if (value === undefined) continue;
        const again: Fault[] = [];
        assert.deepEqual(schema.read(value, { world, form: 'session', part, faults: again }), value, part);
        assert.deepEqual(again, [], `${part} = ${JSON.stringify(wrong)?.slice(0, 60)}`);
      }
  }
  assert.ok(PARTS.length > 200, `${PARTS.length} parts`);
});

test('the core names the bounds of every number that the schema leaves to it', () => {
  const left = PARTS.flatMap(([part, schema]) => ('bounds' in schema ? [[part, ...(schema.bounds as string[])]] : []));
  assert.ok(left.length > 20, `${left.length} numbers`);
  for (const [part, place, name] of left) assert.ok(boundsIn(told.bounds, place, name), `${part}: ${place}.${name}`);
});

test('a number that the core would refuse is left out with a sentence', () => {
  const read = (schema: Schema<any, Context>, given: unknown) => {
    const faults: Fault[] = [];
    const value = schema.read(given, { world, form: 'link', part: 'panels', faults });
    return [value, faults.map(faultInWords)];
  };
  assert.deepEqual(read(PANELS, { scorecard: { bins: 5000, every: true } }), [
    { scorecard: { every: true } },
    ['`panels.scorecard.bins` must be a whole number from 1 to 1,000.'],
  ]);
  assert.deepEqual(read(PANELS, { experiment: { divisions: { seeds: 5, folds: 500 } } }), [
    { experiment: { divisions: { seeds: 5 } } },
    ['`panels.experiment.divisions.folds` must be a whole number from 2 to 100.'],
  ]);
  assert.deepEqual(read(PANELS, { map: { bin: 1000 } }), [
    { map: {} },
    ['`panels.map.bin` must be one of `each`, `all`, `worst`, `best`, or a whole number from 0 to 999.'],
  ]);
  assert.deepEqual(read(OPTIONS, { split: { folds: 500 } }), [{}, ['`panels.split` must be a way to divide rows.']]);
  assert.deepEqual(read(OPTIONS, { split: { folds: 250 } }), [{ split: { folds: 250 } }, []]);
});

test('no part of the schema lets a word of the data into a link', () => {
  const words = [...world.columns.map(({ name }) => name), ...world.labels, `${CANARY}.csv:${age}`, CANARY];
  for (const [part, schema] of PARTS) {
    const { fields = {} } = schema.inner?.(world) ?? {};
    for (const word of words) {
      const values = [word, [word], { [word]: 'feature' }, { of: [word] }, { column: word, values: [word] }];
      for (const value of [
        ...values,
        ...values.map((one) => Object.fromEntries(Object.keys(fields).map((name) => [name, one]))),
      ]) {
        const link = JSON.stringify(schema.link(value, world)) ?? '';
        assert.ok(!link.includes(CANARY), `${part} = ${link}`);
      }
    }
  }
});

/** As a link has it, and back. */
function carried<T>(schema: Schema<T, Context>, value: unknown): T | undefined {
  const faults: Fault[] = [];
  const link = JSON.parse(JSON.stringify(schema.link(value, world)));
  assert.ok(!JSON.stringify(link).includes(CANARY), JSON.stringify(link));
  const back = schema.read(link, { world, form: 'link', part: '', faults });
  assert.deepEqual(faults, []);
  return back;
}

test('settings come back from a link as they were', () => {
  const options = {
    roles: { [ward]: 'group' },
    positive: world.labels[1],
    clusters: null,
    rows: 'drop',
    split: { column: ward },
    only: [
      { column: age, from: 30, below: 70 },
      { column: ward, missing: true },
      { column: age, from: '2024-01-31', before: '2024-02' },
    ],
  };
  assert.deepEqual(carried(OPTIONS, options), options);
  const subject = {
    groups: [ward],
    alike: {
      place: { of: [age], scale: 'standardise', tsne: { dimensions: 2, perplexity: 30 } },
      kernel: 'gaussian',
      gamma: 0.7,
      within: ward,
      neighbours: 20,
      bins: { count: 10, scheme: 'equal_mass_rank' },
    },
    repair: 'temperature+lore',
  };
  assert.deepEqual(carried(SUBJECT, subject), subject);
  const panels = {
    map: { bin: 3, axes: [1, 0], alike: { gamma: 2 } },
    repair: { methods: ['platt', 'lore'], every: true },
    groups: { columns: [ward], quantiles: 5 },
    bench: { effect: 'group', column: ward, tests: ['klce_bernoulli'], size: [0, 0.5] },
    report: { sections: ['data', 'summary'], suppress: 10 },
    experiment: {
      methods: ['none', { id: 'lore', parameters: { gamma: 0.3 }, space: '#0' }],
      spaces: [{ features: { pca: 2, of: [age] }, bins: 10 }],
      divisions: { seeds: 5 },
      metrics: ['ece', 'fit_seconds'],
      vary: [{ setting: 'gamma', values: [0.1, 0.2] }],
    },
  };
  assert.deepEqual(carried(PANELS, panels), panels);
});

test('what tells of the data stays out of a link, and the rest of its settings is in it', () => {
  const link = (schema: Schema<any, Context>, value: unknown) => schema.link(value, world);
  // a group of the bench is chosen by a value of its column
  assert.deepEqual(link(PANELS, { bench: { effect: 'group', column: ward, value: 'MID13' } }), {
    bench: { effect: 'group', column: '~1' },
  });
  assert.deepEqual(link(OPTIONS, { only: [{ column: ward, values: ['ICU'] }] }), {});
  const both = [
    { column: ward, not: ['ICU'] },
    { column: age, from: 70 },
  ];
  assert.deepEqual(link(OPTIONS, { only: both }), {}, 'one condition of two would select other rows');
  assert.deepEqual(link(OPTIONS, { split: { column: ward, calibration: ['train'] } }), { split: { column: '~1' } });
  assert.deepEqual(link(SUBJECT, { groups: null, alike: {}, repair: world.specified[0] }), { alike: {} });
  assert.deepEqual(link(PANELS, { experiment: { title: 'patients of Dr Grey', seed: 1 } }), {
    experiment: { seed: 1 },
  });
});

test('a condition that loses a part would mean other rows: all of it goes', () => {
  const faults: Fault[] = [];
  const only = [
    { column: '~0', from: 30, below: 'x' },
    { column: '~0', from: 40 },
  ];
  const read = OPTIONS.read({ only }, { world, form: 'link', part: 'read', faults });
  assert.deepEqual(read, {}, 'nor is one condition of two the selection');
  assert.equal(faults.map(faultInWords).length, 1);
  assert.match(faultInWords(faults[0]), /^`read\.only\[0\]\.below` must be a number from /);
});

test('a bandwidth goes with the coordinates that it was chosen for', () => {
  const faults: Fault[] = [];
  const alike = { place: { of: ['~9'] }, gamma: 0.7, kernel: 'gaussian', neighbours: 20 };
  assert.deepEqual(SIMILARITY.read(alike, { world, form: 'link', part: 'alike', faults }), { neighbours: 20 });
  assert.deepEqual(faults.map(faultInWords), ['`alike.place.of[0]` must be a column of this file.']);
});

test('a session is read by the names of its columns, with recalibrations of its own', () => {
  const faults: Fault[] = [];
  const own_ = { [`${CANARY} repair`]: { id: 'platt', parameters: { ridge: 1 } } };
  const subject = { groups: [ward], alike: { within: ward }, repair: `${CANARY} repair` };
  const given = { specified: own_, subject, panels: 5, theme: 'dark' };
  const read = readChosen(given, { world, form: 'session', part: '', faults });
  assert.deepEqual(read, { specified: own_, subject, panels: {} });
  const said = ['`theme` is not a setting.', '`panels` must be an object of settings.'];
  assert.deepEqual(faults.map(faultInWords), said);
});

test('a number of bins is known by the words of the core', () => {
  const read = (bins: unknown) =>
    Object.keys(
      readChosen(
        { specified: { mine: { id: 'histogram', parameters: { bins } } } },
        { world, form: 'session', part: '', faults: [] },
      ).specified ?? {},
    );
  assert.deepEqual([read(20), read(-5), read('many')], [['mine'], [], []]);
});

test('a recalibration of some rows does not apply to a file that cannot tell which', () => {
  const slices = (of: string) => [{ conditions: [{ column: of, values: ['ICU'] }] }];
  const faults: Fault[] = [];
  const specified = {
    theirs: { id: 'slice_intercept', parameters: { slices: slices('unit') } },
    ours: { id: 'slice_intercept', parameters: { slices: slices(ward) } },
  };
  const read = readChosen({ specified, subject: { repair: 'theirs' } }, { world, form: 'session', part: '', faults });
  assert.deepEqual(Object.keys(read.specified ?? {}), ['ours']);
  assert.deepEqual(read.subject, { groups: null, alike: {}, repair: null });
  assert.deepEqual(faults.map(faultInWords), [
    '`specified.theirs.parameters.slices[0].conditions[0].column` must be a column of this file.',
    '`subject.repair` must be the id of a method.',
  ]);
  // its settings would make another recalibration of it
  assert.equal(JSON.stringify(SPECIFIED.link(specified, world)).includes('ICU'), false);
});
