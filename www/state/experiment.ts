// The experiment that is being built: one object, which is among the settings of its panel, so that it is undone,
// linked and saved like them.

import { computed } from '@preact/signals';
import { offerOf } from '../engine/localcal.js';
import { catalogue } from '../parts/catalogue.js';
import { listed } from '../parts/words.js';
import type { Similarity, Place } from './chosen.js';
import { placeOf, plain, suggestedPlace } from './similarity.js';
import { isMap, space as near, wantedPlace } from './space.js';
import { open, panels, setAll, subject } from './store.js';

/** Of the panel that keeps it. */
export const EXPERIMENT = 'experiment';

type Level = number | string;
export interface Method {
  id: string;
  name?: string;
  parameters?: Record<string, unknown>;
  space?: string;
}
export interface Space {
  name: string;
  features?: wasm_bindgen.FeatureChoice;
  project?: wasm_bindgen.ProjectionRequest;
  [setting: string]: unknown;
}
export interface Divisions {
  seeds?: number | number[];
  folds?: number;
  by?: string;
  files?: boolean;
}
export interface Vary {
  setting: string;
  values: Level[];
  of?: 'methods' | 'metrics';
}
/** An experiment, every part of it there. */
export interface Spec {
  title: string;
  methods: Method[];
  spaces: Space[];
  divisions: Divisions;
  metrics: string[];
  vary: Vary[];
  bins?: number | object;
  groups?: string[];
  seed: number;
}
/** The same as it is written: what is not said is left out, and a method can be its id alone. */
export type Written = Partial<Omit<Spec, 'methods' | 'spaces'>> & {
  methods?: (string | Method)[];
  spaces?: Partial<Space>[];
};

/** The experiment as it stands. */
export const spec = computed((): Spec => complete((panels.value[EXPERIMENT] as Written | undefined) ?? usual()));
/** Whether it is another than the page begins with. */
export const begun = computed(() => panels.value[EXPERIMENT] !== undefined);

/** Gives it these parts; the others stay. One step of undo. */
export const put = (parts: Written) => setAll(EXPERIMENT, written(complete({ ...spec.peek(), ...parts })));
/** Puts another in its place, with the usual methods and metrics where it names none. One step of undo. */
export function replace(by: Written | wasm_bindgen.ExperimentSpec) {
  const { methods, metrics } = usual();
  const named = complete(by);
  const own = {
    ...named,
    ...(named.methods.length === 0 && { methods }),
    ...(named.metrics.length === 0 && { metrics }),
  };
  setAll(EXPERIMENT, written(complete(own)));
}

/** What the page begins with: the usual recalibrations, in the feature space of the subject. */
export function usual(): Written {
  const now = open.value;
  if (!now) return {};
  const methods = offerOf(now.data)
    .methods.filter((one) => one.usual)
    .map(({ id }) => id);
  const space = subjectSpace();
  const local = space ? ['mean_lce', largestLocal()] : [];
  return {
    title: 'Recalibration methods',
    methods: ['none', ...methods.filter((id) => id !== 'none')],
    spaces: space ? [space] : [],
    divisions: usualDivisions(),
    metrics: ['nll', 'brier', 'ece', 'accuracy', ...local],
  };
}

/** The largest local error: over rows that can be judged, where the core has that. */
export const largestLocal = (): string =>
  catalogue.value?.metrics.some(({ id }) => id === 'mlce_supported') ? 'mlce_supported' : 'mlce';

/** Whether the file, or who opened it, says which rows calibrate. */
function saysDivision(): boolean {
  const way = open.value?.summary.ways.find(({ chosen }) => chosen)?.split as object | string | undefined;
  return typeof way === 'object' && ('column' in way || 'files' in way || 'first' in way);
}

/** As the file says where it says it; else halves by five seeds. */
export const usualDivisions = (): Divisions => (saysDivision() ? {} : { seeds: 5 });

/** Similarity as the subject says, so that it can be found again without the page; null: nothing says it. */
export function subjectSpace(): Partial<Space> | null {
  const data = open.value?.data;
  const { alike } = subject.value;
  const place = data ? wantedPlace(data, alike) : null;
  const gamma = near.value?.gamma;
  return place && spaceOf({ ...alike, place, ...(gamma && { gamma }) });
}

/** A space in which rows are similar as said; neighbors come from all rows in an experiment. */
export function spaceOf({ place, kernel, bins, within: _, ...numbers }: Similarity): Partial<Space> {
  const data = open.value?.data;
  const { of, pca, ...map } = plain(place ?? (data && suggestedPlace(data)) ?? { of: [] });
  const where = () => {
    if (data && isMap(data, { of, pca, ...map })) return { project: { of, pca, ...map } as Space['project'] };
    return { features: pca ? { pca, of } : of };
  };
  return {
    ...where(),
    ...(kernel && kernel !== 'laplacian' && { kernel }),
    ...(bins && { bins: bins.scheme === 'equal_width' ? bins.count : bins }),
    ...numbers,
  };
}

/** The same the other way round. */
export function similarityOf({
  features,
  project,
  kernel,
  gamma,
  bins,
  width_p,
  neighbours,
  distance,
}: Space): Similarity {
  const of = (open.value && suggestedPlace(open.value.data)?.of) ?? [];
  const place = project ? { ...project, of: project.of ?? of } : placeOf(features ?? of, of);
  const counted = typeof bins === 'number' ? { count: bins, scheme: 'equal_width' } : bins;
  return JSON.parse(
    JSON.stringify({ place: plain(place as Place), kernel, gamma, bins: counted, width_p, neighbours, distance }),
  );
}

/** Whether a name is the one that is given by itself, with a number or without. */
const follows = (name: string, given: string) =>
  name === given || (name.startsWith(`${given} `) && /^\d+$/.test(name.slice(given.length + 1)));

/** One method with something changed; a name that says its settings goes on saying them. */
export function withMethod(at: number, to: Partial<Method>) {
  const methods = spec.peek().methods.map((one, i) => {
    if (i !== at) return one;
    const own = one.name !== undefined && !follows(one.name, methodName(one));
    return { ...one, ...(own ? {} : { name: undefined }), ...to };
  });
  put({ methods });
}

/** One space with something changed; its name follows as that of a method does, and methods go on looking there. */
export function withSpace(at: number, to: Partial<Space>) {
  const { spaces: before, methods } = spec.peek();
  const { name } = before[at];
  const own = !follows(name, spaceName(before[at]));
  const renamed = to.name !== undefined && to.name !== name;
  const called = renamed ? to.name : own ? name : '';
  const spaces = before.map((one, i) => (i === at ? { ...one, ...to, name: called } : one));
  const now = complete({ spaces }).spaces[at].name;
  put({ spaces, methods: methods.map((one) => (one.space === name ? { ...one, space: now } : one)) });
}

/** Without a space; methods that looked there look in each of the others. */
export function withoutSpace(at: number) {
  const { spaces, methods } = spec.peek();
  const { name } = spaces[at];
  put({
    spaces: spaces.filter((_, i) => i !== at),
    methods: methods.map(({ space, ...one }) => (space === name ? one : { ...one, space })),
  });
}

/** Every part of what is written: names where none were given, spaces by their names. */
export function complete(from: Written | wasm_bindgen.ExperimentSpec): Spec {
  // null is as good as left out
  const given: Written = JSON.parse(JSON.stringify(from), (_, value) => (value === null ? undefined : value));
  // of which data a saved one's numbers are is said anew
  const { data: _, same_rows: __, ...asked } = given as Written & { data?: string; same_rows?: boolean };
  const spaces = (given.spaces ?? []).reduce(
    (before: Space[], one) => [
      ...before,
      { ...one, name: unlike(one.name || spaceName(one), before.map(nameOf)) } as Space,
    ],
    [],
  );
  const placed = (name: string | undefined) => {
    const place = /^#(\d+)$/.exec(name ?? '');
    return place ? spaces[Number(place[1])]?.name : name;
  };
  const methods = (given.methods ?? []).reduce((before: Method[], one) => {
    const { name, parameters = {}, space, ...method } = typeof one === 'string' ? { id: one } : one;
    const looks = placed(space);
    const said = Object.keys(parameters).length > 0;
    const called = unlike(name || methodName({ ...method, parameters }), before.map(nameOf));
    return [
      ...before,
      {
        ...method,
        ...(called !== method.id && { name: called }),
        ...(said && { parameters }),
        ...(looks && { space: looks }),
      },
    ];
  }, []);
  return {
    ...asked,
    title: given.title ?? '',
    methods,
    spaces,
    divisions: given.divisions ?? {},
    metrics: given.metrics ?? [],
    vary: given.vary ?? [],
    seed: given.seed ?? 0,
  };
}

/** What a method or a space is called in tables. */
export const nameOf = (one: { id?: string; name?: string }): string => one.name || one.id || '';

/** A name, with a number after it where it is taken. */
function unlike(name: string, taken: string[]): string {
  let number = 1;
  const numbered = () => (number === 1 ? name : `${name} ${number}`);
  while (taken.includes(numbered())) number += 1;
  return numbered();
}

/** "lore, gamma 0.2": its id, and what is said of it. */
function methodName({ id, parameters = {} }: Method): string {
  const said = Object.entries(parameters).map(([name, value]) =>
    name === 'base' && value && typeof value === 'object'
      ? methodName({ id: 'base', parameters: value as Record<string, unknown> })
      : `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [id, ...said].join(', ');
}

/** "age and bmi", "PCA 2", "t-SNE". */
function spaceName({ features, project, kernel }: Partial<Space>): string {
  const map = project && [project.pca && `PCA ${project.pca}`, project.tsne && 't-SNE'].filter(Boolean).join(', then ');
  const columns = (names: string[]) => (names.length > 2 ? `${names.length} columns` : listed(names));
  const of = () => {
    if (project) return map || columns(project.of ?? []) || 'features';
    if (Array.isArray(features)) return columns(features);
    return typeof features === 'object' ? `PCA ${features.pca}` : (features ?? 'features');
  };
  return kernel && kernel !== 'laplacian' ? `${of()}, ${kernel}` : of();
}

const empty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);
const said = <T extends object>(all: T): Partial<T> =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => !empty(value))) as Partial<T>;

/** The experiment without what it does not say. */
export function written(full: Spec): Written {
  const { title, seed, methods, spaces, ...others } = full;
  return {
    ...said({ title }),
    methods: methods.map((one) => (Object.keys(one).length === 1 ? one.id : one)),
    ...said({ spaces: spaces.map((one) => said(one)) }),
    ...said(others),
    ...(seed !== 0 && { seed }),
  };
}

/** So many characters of an experiment a link may hold. */
const MOST_LINKED = 4000;

/**
 * The experiment as a link may hold it: names are a person's own words or those of columns, so they are left out, and
 * spaces stand for themselves by their places. Null: it is too long for a link.
 */
export function linkedExperiment(given: Written): Written | null {
  const { title: _, spaces, methods, ...others } = complete(given);
  const places = spaces.map(nameOf);
  const bare = {
    ...others,
    methods: methods.map(({ id, parameters, space }) =>
      parameters || space ? said({ id, parameters, space: space && `#${places.indexOf(space)}` }) : id,
    ),
    spaces: spaces.map(({ name: __, project, ...one }) => {
      const { name: ___, ...way } = project ?? {};
      return said({ ...one, project: way });
    }),
  } as Written;
  return JSON.stringify(bare).length > MOST_LINKED ? null : bare;
}
/** Whether a link holds it. */
export const linked = computed(() => !begun.value || linkedExperiment(written(spec.value)) !== null);
