// What can be chosen, as a schema: by it a link and a session are read, and what of the choices a link holds is
// written. A setting that is not listed here is in no link.

import type { OpenOptions } from '../engine/localcal.js';
import { LOGITS, PREDICTED } from './chosen.js';
import type { Chosen, Kernel, Panels, Place, Similarity, Specified, Subject } from './chosen.js';
import type { Reading, Schema, World } from './schema.js';
import {
  bounded,
  called,
  column,
  columnOf,
  count,
  day,
  either,
  flag,
  id,
  label,
  list,
  model,
  nullable,
  number,
  object,
  oneOf,
  own,
  record,
  words,
} from './schema.js';

/** The open file, and what can be asked of it. */
export interface Context extends World {
  /** ids of methods that can be chosen */
  methods: string[];
  /** names of recalibrations with settings of their own */
  specified: string[];
  metrics: string[];
  /** which rows can be neighbors, beside all */
  within: string[];
  /** whether the core finds logits in the probabilities */
  logits: boolean;
  analyses: wasm_bindgen.Description[];
  described: wasm_bindgen.DescribedMethod[];
  /** ids of the parts of the report */
  parts: string[];
}
type Is<T> = Schema<T, Context>;

/** Every name of a type, which the compiler counts. */
const every = <K extends string>(all: Record<K, true>) => Object.keys(all) as K[];

const KERNELS = every<Kernel>({ laplacian: true, gaussian: true, rbf: true, group: true, constant: true });
const SCHEMES = every<wasm_bindgen.BinScheme>({
  equal_width: true,
  equal_mass_rank: true,
  equal_mass_quantile: true,
});
const DISTANCES = every<wasm_bindgen.Distance>({ euclidean: true, cosine: true });

/** A column, or what the core has beside the columns: its logits, and the class that is predicted. */
const feature: Is<string> = called(
  column.takes,
  either<Context>(
    column,
    id('logits', (text, { logits }) => logits && text === LOGITS),
  ),
);
const grouping: Is<string> = called(
  column.takes,
  either<Context>(
    column,
    id('no column', (text) => text === PREDICTED || text === ''),
  ),
);

const features: Is<wasm_bindgen.FeatureChoice> = called(
  'columns of this file, or components of them',
  either<Context>(
    feature,
    list(feature, { whole: true }),
    object<object, Context>(
      { pca: bounded('features', 'pca'), of: list(feature, { whole: true }) },
      { needs: ['pca'], whole: true },
    ),
  ),
);
const tsne = object({
  dimensions: bounded('tsne', 'dimensions'),
  perplexity: bounded('tsne', 'perplexity'),
  seed: bounded('tsne', 'seed'),
  iterations: bounded('tsne', 'iterations'),
});
const place: Is<Place> = object<Place, Context>(
  {
    of: list(feature, { whole: true }),
    scale: oneOf(['standardise', 'median_l1']),
    pca: bounded('projection', 'pca'),
    tsne,
  },
  { needs: ['of'] },
);
const COUNT_OF_BINS = bounded('bins', 'count');
const countedBins = object<NonNullable<Similarity['bins']>>(
  { count: COUNT_OF_BINS, scheme: oneOf(SCHEMES) },
  { needs: ['count', 'scheme'] },
);
const bins = called(
  'a number of bins, or their settings',
  either(
    COUNT_OF_BINS,
    object({
      count: COUNT_OF_BINS,
      scheme: oneOf(SCHEMES),
      closed: oneOf(['left', 'right']),
      edges: oneOf(['exact', 'numpy']),
    }),
  ),
);
const within: Is<string> = either<Context>(
  id('`all` or `predicted`', (text, world) => text === 'all' || (text === 'predicted' && world.within.includes(text))),
  columnOf<Context>('a column whose values rows can share', (name, world) => world.within.includes(name)),
);

export const SIMILARITY: Is<Similarity> = object<Similarity, Context>(
  {
    place,
    kernel: oneOf(KERNELS),
    gamma: bounded('local', 'gamma'),
    bins: countedBins,
    within,
    leave_one_out: flag,
    width_p: bounded('klce', 'width_p'),
    neighbours: bounded('proximity', 'neighbours'),
    distance: oneOf(DISTANCES),
  },
  // a kernel and its bandwidth are those of the coordinates
  { with: { place: ['kernel', 'gamma'] } },
);

/** Methods that can be chosen for the open file, one or several after another. */
const method: Is<string> = id('the id of a method', (text, { methods }) =>
  text.split('+').every((one) => one === 'none' || methods.includes(one)),
);
/** Methods that there are: an experiment may name one that this file cannot have. */
const anyMethod: Is<string> = id('the id of a method', (text, { described }) =>
  text.split('+').every((one) => described.some((known) => known.id === one)),
);
/** A method of the run, by the name that the subject has for it. */
const named: Is<string> = called(
  method.takes,
  either<Context>(
    method,
    own('a name', (x, { specified }) => specified.includes(x as string)),
  ),
);
const metric: Is<string> = id('the id of a metric', (text, { metrics }) => metrics.includes(text));

/** Nothing of JSON that is deeper, or a number that is none. */
const DEEPEST = 12;
const isJson = (value: unknown, depth = 0): boolean => {
  if (depth > DEEPEST) return false;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null)
    return value === null || ['string', 'boolean'].includes(typeof value);
  return Object.values(value).every((one) => isJson(one, depth + 1));
};
const json = own<unknown>('JSON', (x) => isJson(x));

/** A condition on rows. Of a column of numbers or dates it is in a link; values are data. */
const condition: Is<wasm_bindgen.Condition> = object<wasm_bindgen.Condition, Context>(
  {
    column: grouping,
    from: either(bounded('condition', 'from'), day),
    below: bounded('condition', 'below'),
    to: either(bounded('condition', 'to'), day),
    before: day,
    whole: flag,
    missing: flag,
    values: list(words),
    not: list(words),
  },
  // without a part it would mean other rows
  { needs: ['column'], whole: true },
);
/** Rows by conditions, all at once. */
const slice: Is<object> = object<object, Context>(
  { conditions: list(condition, { whole: true }) },
  { needs: ['conditions'], whole: true },
);

/** What a setting of a method takes. */
function setting({ kind }: wasm_bindgen.DescribedParameter): Is<unknown> {
  if (typeof kind === 'object') {
    if ('number' in kind) return number(kind.number.low, kind.number.high, kind.number.whole);
    return either(oneOf(kind.choice), ...(kind.choice.includes('true') ? [flag] : []));
  }
  const kinds: Record<typeof kind, Is<unknown>> = {
    switch: flag,
    column: grouping,
    columns: either<Context>(within, list(grouping, { whole: true })),
    features,
    bins,
    subgroups: list(slice, { whole: true }),
    methods: list<unknown, Context>(either<Context>(anyMethod, json), { whole: true }),
    json,
  };
  return kinds[kind];
}
/** The settings of a method; of `a+b` those of b, and under `base` those of a. */
function settingsOf(chain: string, { described }: Context, whole: boolean): Is<Record<string, unknown>> {
  const [last, ...before] = chain.split('+').reverse();
  const of = described.find((one) => one.id === last)?.parameters ?? [];
  const settings = Object.fromEntries(of.map((one) => [one.name, setting(one)]));
  if (before.length === 0) return object(settings, { whole });
  const base = before.reverse().join('+');
  return object<Record<string, unknown>, Context>((world) => ({ ...settings, base: settingsOf(base, world, whole) }), {
    whole,
  });
}
/** An object whose settings are those of the method that it names. */
function ofMethod<T extends object>(ids: Is<string>, others: Record<string, Is<unknown>>, whole: boolean): Is<T> {
  const schemaOf = (given: unknown, world: Context) => {
    const { id: given_id } = Object(given) as { id?: unknown };
    const parameters = settingsOf(typeof given_id === 'string' ? given_id : '', world, whole);
    return object<T, Context>({ id: ids, parameters, ...others }, { needs: ['id'], whole });
  };
  return {
    takes: 'a method with its settings',
    read: (given, at) => schemaOf(given, at.world).read(given, at),
    link: (given, world) => schemaOf(given, world).link(given, world),
  };
}

/** Recalibrations with settings of their own, by name: one that lost a part would be another method. */
export const SPECIFIED: Is<Specified> = record<Specified[string], Context>(words, ofMethod(method, {}, true));

export const SUBJECT: Is<Partial<Subject>> = object<Partial<Subject>, Context>({
  groups: list(
    columnOf<Context>('a column of groups', (name, { columns }) =>
      columns.some((one) => one.role === 'group' && [one.name, `${one.file}:${one.name}`].includes(name)),
    ),
    { whole: true },
  ),
  alike: SIMILARITY,
  repair: named,
});

/** Tests of the bench, which its form alone lists. */
const TESTS = every<wasm_bindgen.BenchTest>({
  finding: true,
  groups: true,
  neighbourhoods: true,
  witness: true,
  klce_bernoulli: true,
  klce_permute_centred: true,
  klce_permute: true,
  klce_bootstrap: true,
  spiegelhalter: true,
  hosmer_lemeshow: true,
});
/** Settings that a form has beyond what the catalogue says. */
const BEYOND: Record<string, Record<string, Is<unknown>>> = {
  bench: { value: words, tests: list(oneOf(TESTS)) },
  witness: { x: feature, y: feature },
  // a bandwidth that was chosen with similarity
  klce: { gamma: either(oneOf(['default', 'median', 'power']), bounded('klce', 'gamma')) },
};

/** What an option of an analysis takes; what a picture or a script hands over, no panel keeps. */
function option({ kind }: wasm_bindgen.DescribedOption): Is<unknown> | null {
  if (kind === 'handed_over') return null;
  if (kind === 'switch') return flag;
  if (kind === 'method') return named;
  if (kind === 'methods') return list(named);
  if (kind === 'metric') return metric;
  if (kind === 'metrics') return list(metric);
  if (kind === 'features') return features;
  if ('choice' in kind) return oneOf(kind.choice.map(([value]) => value));
  if ('column' in kind) return grouping;
  if ('columns' in kind) return list(grouping, { whole: true });
  const { low, high, whole } = kind.number;
  const one = number(low ?? -Number.MAX_VALUE, high ?? Number.MAX_VALUE, whole);
  return either(one, list(one, { whole: true })); // several make a curve
}
function settingsOfPanel({ kind, options }: wasm_bindgen.Description): Record<string, Is<unknown>> {
  const all = options.flatMap((one): [string, Is<unknown>][] => {
    const takes = option(one);
    return takes ? [[one.name, takes]] : [];
  });
  return { ...Object.fromEntries(all), ...BEYOND[kind] };
}

/** Settings of a space beside its coordinates. */
const OF_SPACE: Record<string, Is<unknown>> = {
  kernel: oneOf(KERNELS),
  gamma: bounded('space', 'gamma'),
  bins,
  width_p: bounded('space', 'width_p'),
  neighbours: bounded('space', 'neighbours'),
  distance: oneOf(DISTANCES),
  leave_one_out: flag,
  form: oneOf(['paper', 'code']),
  trust_gamma: bounded('space', 'trust_gamma'),
  null: oneOf(every<wasm_bindgen.Null>({ bernoulli: true, permute_centred: true, permute: true, bootstrap: true })),
  resamples: bounded('space', 'resamples'),
};
/** A setting that takes several values is one of a method or of a space, and its words are theirs. */
const varied: Is<unknown> = {
  takes: 'a setting that is varied',
  read: (given, at) => ofVaried(at.world).read(given, at),
  link: (given, world) => ofVaried(world).link(given, world),
};
const choicesOf = ({ kind }: wasm_bindgen.DescribedParameter): string[] =>
  typeof kind === 'object' && 'choice' in kind ? kind.choice : [];
function ofVaried({ described }: Context): Is<object> {
  const parameters = described.flatMap((one) => one.parameters);
  const names = [...Object.keys(OF_SPACE), ...parameters.map(({ name }) => name)];
  const spoken = [...KERNELS, ...DISTANCES, ...parameters.flatMap(choicesOf)];
  const level = either(number(-1e300, 1e300), oneOf([...spoken, 'paper', 'code', 'true', 'false'], 'a word'));
  return object(
    {
      setting: oneOf(names, 'a setting of a method or a space'),
      values: list(level, { whole: true }),
      of: oneOf(['methods', 'metrics']),
    },
    { needs: ['setting', 'values'] },
  );
}

/** A space of an experiment: a person's own name for it in a session, its place among them in a link. */
const PLACED = /^#\d{1,3}$/;
const space: Is<string> = either<Context>(
  id('a space', (text) => PLACED.test(text)),
  words,
);
const metricOfExperiment: Is<string> = called(
  metric.takes,
  either<Context>(metric, oneOf(['fit_seconds', 'apply_seconds'])),
);
const EXPERIMENT: Record<string, Is<unknown>> = {
  title: words,
  methods: list<unknown, Context>(either<Context>(anyMethod, ofMethod(anyMethod, { name: words, space }, false))),
  spaces: list(
    object<object, Context>({
      ...OF_SPACE,
      name: words,
      features,
      project: object<object, Context>({
        name: words,
        of: list(feature, { whole: true }),
        scale: oneOf(['none', 'standardise', 'median_l1']),
        pca: bounded('projection', 'pca'),
        tsne,
      }),
    }),
  ),
  divisions: object<object, Context>({
    seeds: either(bounded('divisions', 'seeds'), list(bounded('divisions', 'seeds'))),
    folds: bounded('divisions', 'folds'),
    by: column,
    files: flag,
  }),
  metrics: list(metricOfExperiment),
  vary: list(varied),
  compare: json,
  bins,
  groups: list(grouping, { whole: true }),
  seed: bounded('experiment', 'seed'),
};

const choice = <const T extends string>(...values: T[]) => oneOf(values);
/** Questions that the page draws itself, each with what can be chosen there. */
const DRAWN = {
  reliability: {
    curve: choice('loess', 'spline', 'kernel', 'isotonic'),
    band: choice('pointwise', 'simultaneous', 'consistency', 'none'),
    axes: choice('fitted', 'full', 'logit'),
    bins: flag,
  },
  scorecard: { every: flag, bins: COUNT_OF_BINS },
  map: {
    bin: either(choice('each', 'all', 'worst', 'best'), bounded('map', 'bin')),
    axes: list(bounded('map', 'axes'), { least: 2, most: 2, whole: true }),
  },
  sweep: { statistic: count(0, 2), bands: count(0, 3) },
  repair: { methods: list(method), every: flag },
  before_after: {},
  experiment: EXPERIMENT,
  papers: { paper: choice('lore', 'procal', 'i_trustworthy') },
} satisfies Record<string, Record<string, Is<unknown>>>;
export type DrawnQuestion = keyof typeof DRAWN;
/** What can be chosen elsewhere. */
const BESIDE = {
  sweep_methods: { statistic: count(0, 2), bands: count(0, 3) },
  report: {
    sections: list(id<Context>('the id of a part of the report', (text, { parts }) => parts.includes(text))),
    suppress: bounded('report', 'suppress'),
    identifiers: flag,
    title: words,
    remarks: own<Record<string, string>, Context>('texts for parts of the report', (given, { parts }) =>
      Object.entries(Object(given)).every(([part, text]) => parts.includes(part) && typeof text === 'string'),
    ),
  },
} satisfies Record<string, Record<string, Is<unknown>>>;

export const PANELS: Is<Panels> = object<Panels, Context>(({ analyses }) => {
  const described = analyses.map((one): [string, Record<string, Is<unknown>>] => [one.kind, settingsOfPanel(one)]);
  const all: typeof described = [...described, ...Object.entries({ ...DRAWN, ...BESIDE })];
  return Object.fromEntries(all.map(([kind, settings]) => [kind, object({ ...settings, alike: SIMILARITY })]));
});

/** A question of Explore. */
export const QUESTION: Is<string> = id(
  'the id of a question',
  (text, { analyses }) => Object.hasOwn(DRAWN, text) || analyses.some(({ kind }) => kind === text),
);
export const IN_REPORT: Is<string[]> = list(QUESTION);

/** Rows that calibrate and rows that are scored. */
const split: Is<unknown> = called(
  'a way to divide rows',
  either<Context>(
    oneOf(['auto']),
    object<object, Context>({ folds: bounded('split', 'folds') }, { needs: ['folds'] }),
    object<object, Context>({ half: oneOf([true]) }, { needs: ['half'] }),
    object<object, Context>({ first: bounded('split', 'first') }, { needs: ['first'] }),
    object<object, Context>({ files: oneOf([true]) }, { needs: ['files'] }),
    object<object, Context>({ column, calibration: list(words), before: day }, { needs: ['column'] }),
  ),
);
const role = oneOf(
  every<wasm_bindgen.Role>({
    label: true,
    probability: true,
    percent: true,
    probabilities: true,
    logit: true,
    logits: true,
    confidence: true,
    correct: true,
    predicted: true,
    feature: true,
    features: true,
    group: true,
    date: true,
    split: true,
    id: true,
    text: true,
    weight: true,
    ignore: true,
  }),
  'a role',
);
/** How files are read. The session is a file of its own. */
export const OPTIONS: Is<OpenOptions> = object<OpenOptions, Context>({
  roles: record<string, Context>(column, role),
  readings: record<string, Context>(column, oneOf(['percent', 'decimal', 'thousands'])),
  // numbers and dates, never another text of the file
  missing: record<(number | string)[], Context>(
    column,
    list(either<Context>(number(-Number.MAX_VALUE, Number.MAX_VALUE), day)),
  ),
  split: nullable(split),
  // without one of its conditions a selection would be of other rows
  only: nullable(list(condition, { whole: true })),
  positive: label,
  model: either<Context>(column, model),
  view: oneOf(['top_label', 'positive']),
  rows: oneOf(['error', 'drop']),
  unanswered: oneOf(['excluded', 'incorrect', 'incorrect_at_one']),
  renormalise: flag,
  clusters: nullable(column as Is<string>),
  header: nullable(flag),
  totals: nullable(flag),
  sheet: nullable(count(1, 1000)),
});

/** Panels of which something is chosen. */
export function chosenIn(panels: Panels): Panels {
  const some = (value: object | undefined) => value !== undefined && Object.keys(value).length > 0;
  const all = Object.entries(panels).map(([kind, { alike, ...others }]) => {
    const own = some(alike as object | undefined) ? { ...others, alike } : others;
    return [kind, own] as const;
  });
  return Object.fromEntries(all.filter(([, settings]) => some(settings)));
}

const PARTS: string[] = every<keyof Chosen>({ specified: true, subject: true, panels: true, inReport: true });

/** What is chosen beside how files are read, as a session or a link has it; what it does not say is as usual. */
export function readChosen(given: Record<string, unknown>, at: Reading<Context>): Partial<Chosen> {
  for (const part of Object.keys(given)) if (!PARTS.includes(part)) at.faults.push({ part, why: 'is not a setting' });
  const part = <T>(name: string, schema: Is<T>, of: Reading<Context> = at, called_ = name): T | undefined =>
    given[name] == null ? undefined : schema.read(given[name], { ...of, part: called_ });
  const specified = at.form === 'session' ? part('specified', SPECIFIED) : undefined;
  const world = { ...at.world, specified: Object.keys(specified ?? {}) };
  const known = { ...at, world };
  const subject = part('subject', SUBJECT, known);
  return {
    ...(specified && { specified }),
    ...(subject && { subject: { groups: null, alike: {}, repair: null, ...subject } }),
    ...(given.panels != null && { panels: chosenIn(part('panels', PANELS, known) ?? {}) }),
    ...(given.inReport != null && {
      inReport: part('inReport', IN_REPORT, known, at.form === 'link' ? 'add' : 'inReport') ?? [],
    }),
  };
}
