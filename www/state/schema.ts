// What a value of the state may be, said once and read three ways: a session gives columns by their names, a link by their
// places in the file, and a link holds what its leaves can say without a word of the data. A leaf is an id, a word of a
// list that the page or the core knows; a number within bounds; a switch; the position of a column, a label or a model in
// the file; or a person's own words, which no link holds.

/** What the leaves refer to: the open file, and what can be asked of it. */
export interface World {
  columns: { name: string; file: string; role: string }[];
  labels: string[];
  models: string[];
  /** of the numbers that the core takes */
  bounds: wasm_bindgen.DescribedBounds[];
}

/** What was left out, and why: `subject.repair`, "must be the id of a method". */
export interface Fault {
  part: string;
  why: string;
}

/** How something is read: by what its leaves refer to, in which form, and where what is left out is written down. */
export interface Reading<W extends World = World> {
  world: W;
  form: 'session' | 'link';
  part: string;
  faults: Fault[];
}

/** Words that may depend on what can be asked. */
type Takes<W extends World> = string | ((world: W) => string);
const wordsOf = <W extends World>(takes: Takes<W>, world: W) => (typeof takes === 'string' ? takes : takes(world));

export interface Schema<T, W extends World = World> {
  /** in words: "a whole number from 1 to 1,000" */
  takes: Takes<W>;
  /** The value without what cannot be there, which is written down; undefined: nothing of it can. */
  read(given: unknown, at: Reading<W>): T | undefined;
  /** As a link holds it; undefined: a link does not. */
  link(value: unknown, world: W): unknown;
  /** whether null says something else than leaving it out */
  nullable?: boolean;
  /** what lies within it: its fields by name, what a list or a record holds, each of several ways */
  inner?: (world: W) => {
    fields?: Record<string, Schema<unknown, W>>;
    items?: Schema<unknown, W>;
    ways?: Schema<unknown, W>[];
  };
}

const fault = ({ part, faults }: Reading, why: string): undefined => void faults.push({ part, why });
const refuse = <W extends World>(at: Reading<W>, takes: Takes<W>) => fault(at, `must be ${wordsOf(takes, at.world)}`);

/** A leaf: `name` reads it as the page has it, `place` as a link has it, `linked` writes that. */
function leaf<T, W extends World = World>(
  takes: Takes<W>,
  name: (given: unknown, world: W) => T | undefined,
  place: (given: unknown, world: W) => T | undefined = name,
  linked: (value: T, world: W) => unknown = (value) => value,
): Schema<T, W> {
  return {
    takes,
    read(given, at) {
      const value = (at.form === 'link' ? place : name)(given, at.world);
      return value === undefined ? refuse(at, takes) : value;
    },
    link(given, world) {
      const value = name(given, world);
      return value === undefined ? undefined : linked(value, world);
    },
  };
}

export type Bounds = wasm_bindgen.Bounds;
/** A number as a person writes it. */
const written = (x: number) =>
  x !== 0 && (Math.abs(x) < 1e-4 || Math.abs(x) >= 1e15)
    ? String(x).replace('+', '')
    : x.toLocaleString('en-GB', { maximumFractionDigits: 20 });
export const boundsInWords = ({ low, high, whole }: Bounds) =>
  `a ${whole ? 'whole number' : 'number'} from ${written(low)} to ${written(high)}`;
export const isWithin = (x: unknown, { low, high, whole }: Bounds): x is number =>
  typeof x === 'number' && x >= low && x <= high && (!whole || Number.isInteger(x));

/** A number within bounds, both ends included. */
export function number(low: number, high: number, whole = false): Schema<number> & Bounds {
  const bounds = { low, high, whole };
  return { ...leaf(boundsInWords(bounds), (x) => (isWithin(x, bounds) ? x : undefined)), ...bounds };
}
export const count = (low: number, high: number) => number(low, high, true);

/** Bounds of a number as the core has them, as far as JavaScript has such numbers; undefined: the core names none. */
export function boundsIn(all: wasm_bindgen.DescribedBounds[], place: string, name: string): Bounds | undefined {
  const found = all.find((one) => one.place === place && one.name === name);
  if (!found) return undefined;
  const { low, high, whole } = found;
  return { low, high: whole ? Math.min(high, Number.MAX_SAFE_INTEGER) : high, whole };
}
const ANY: Bounds = { low: -Number.MAX_VALUE, high: Number.MAX_VALUE, whole: false };
/** A number that the core takes: `place` is the object that holds it in a request, `name` what it is called there. */
export function bounded(place: string, name: string): Schema<number> & { bounds: [place: string, name: string] } {
  const within = ({ bounds }: World) => boundsIn(bounds, place, name) ?? ANY;
  const takes = (world: World) => boundsInWords(within(world));
  return { ...leaf(takes, (x, world) => (isWithin(x, within(world)) ? x : undefined)), bounds: [place, name] };
}

export const flag = leaf('true or false', (x) => (typeof x === 'boolean' ? x : undefined));

/** Words that a list in a sentence may hold. */
const FEW = 8;
/** One of some values. */
export function oneOf<const T extends string | number | boolean>(values: readonly T[], name?: string): Schema<T> {
  const listed = values.length === 1 ? `\`${values[0]}\`` : `one of ${values.map((one) => `\`${one}\``).join(', ')}`;
  const takes = name ?? (values.length > FEW ? `one of ${values.length} words` : listed);
  return leaf(takes, (x) => (values.includes(x as T) ? (x as T) : undefined));
}

/** The id of something that the page or the core knows. */
export const id = <W extends World>(takes: string, known: (text: string, world: W) => boolean): Schema<string, W> =>
  leaf(takes, (x, world) => (typeof x === 'string' && known(x, world) ? x : undefined));

/** A person's own words, values of a column, and whatever else tells of the data: none of it is in a link. */
export const own = <T, W extends World = World>(
  takes: string,
  accepts: (given: unknown, world: W) => boolean,
): Schema<T, W> => ({
  takes,
  read(given, at) {
    if (at.form === 'link') return fault(at, 'cannot be part of a link');
    return accepts(given, at.world) ? (given as T) : refuse(at, takes);
  },
  link: () => undefined,
});
/** Letters that a person's words may have. */
const LONGEST = 100_000;
export const words = own<string>('text', (x) => typeof x === 'string' && x.length <= LONGEST);

/** What a link has for the name of a column: alone, and after its file. */
const ALONE = /^~(\d{1,7})$/;
const AFTER_ITS_FILE = /^~:(\d{1,7})$/;
const named = (text: unknown, { columns }: World) => columns.findIndex(({ name }) => name === text);
const fullyNamed = (text: unknown, { columns }: World) =>
  columns.findIndex(({ name, file }) => `${file}:${name}` === text);

/** A column of the file, by its name or by `file:name`: one that `allows` takes. */
export function columnOf<W extends World>(
  takes: string,
  allows: (name: string, world: W) => boolean = () => true,
): Schema<string, W> {
  const known = (x: unknown, world: W) => {
    if (typeof x !== 'string' || Math.max(named(x, world), fullyNamed(x, world)) < 0) return undefined;
    return allows(x, world) ? x : undefined;
  };
  const meant = (x: unknown, { columns }: W) => {
    if (typeof x !== 'string') return undefined;
    const alone = ALONE.exec(x);
    if (alone) return columns[Number(alone[1])]?.name;
    const after = columns[Number(AFTER_ITS_FILE.exec(x)?.[1])];
    return after && `${after.file}:${after.name}`;
  };
  return leaf(
    takes,
    known,
    (x, world) => known(meant(x, world), world),
    (x, world) => (named(x, world) >= 0 ? `~${named(x, world)}` : `~:${fullyNamed(x, world)}`),
  );
}
export const column = columnOf('a column of this file');

/**
 * Stands for the number and the names of the columns of a file in a link, whose positions are of no other file. It is too
 * short for a name to be found from it.
 */
export function columnsInLink(columns: World['columns']): string {
  let hash = 0;
  for (const letter of columns.map(({ name }) => name).join('\n'))
    hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return `${columns.length}-${(hash >>> 0).toString(36)}`;
}

/** One of some values of the file, which a link has by its place in sorted order. */
const ranked = (takes: string, list: (world: World) => string[]): Schema<string> =>
  leaf(
    takes,
    (x, world) => (typeof x === 'string' && list(world).includes(x) ? x : undefined),
    (x, world) => (typeof x === 'number' ? [...list(world)].sort()[x] : undefined),
    (x, world) => [...list(world)].sort().indexOf(x),
  );
export const label = ranked('a label of this file', ({ labels }) => labels);
export const model = ranked('a model of this file', ({ models }) => models);

const DAY = /^(\d{4})-(\d\d)(?:-(\d\d))?$/;
/** A month or a day, which a link has as two or three numbers. */
export const day: Schema<string> = leaf(
  'a month or a day such as 2024-01-31',
  (x) => (typeof x === 'string' && DAY.test(x) ? x : undefined),
  (x) => {
    if (!Array.isArray(x) || !x.every((part) => Number.isInteger(part))) return undefined;
    const text = x.map((part, i) => String(part).padStart(i === 0 ? 4 : 2, '0')).join('-');
    return DAY.test(text) ? text : undefined;
  },
  (x) => x.split('-').map(Number),
);

const plain = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);
const absent = (value: unknown, one: Pick<Schema<unknown>, 'nullable'>) =>
  value === undefined || (value === null && !one.nullable);

type Fields<W extends World> = Record<string, Schema<unknown, W>>;
interface Ways {
  /** without these nothing of it can be kept */
  needs?: string[];
  /** what else goes where one of these is lost */
  with?: Record<string, string[]>;
  /** nothing of it is kept where any part is lost, or no link holds one */
  whole?: boolean;
}
/** An object with these fields, each of which may be left out. */
export function object<T extends object, W extends World = World>(
  fields: Fields<W> | ((world: W) => Fields<W>),
  { needs = [], with: together = {}, whole = false }: Ways = {},
): Schema<T, W> {
  const known = new WeakMap<W, Fields<W>>();
  function fieldsIn(world: W): Fields<W> {
    if (typeof fields !== 'function') return fields;
    const all = known.get(world) ?? fields(world);
    known.set(world, all);
    return all;
  }
  const takes = 'an object of settings';
  /** The fields that are there, without those that mean nothing without one that is lost. */
  function kept(entries: [string, unknown][], all: Fields<W>): T | undefined {
    const lost = entries.filter(([, value]) => value === undefined).map(([name]) => name);
    const gone = new Set([...lost, ...lost.flatMap((name) => together[name] ?? [])]);
    const there = entries.filter(([name]) => !gone.has(name) && Object.hasOwn(all, name));
    if ((whole && lost.length > 0) || !needs.every((name) => there.some(([one]) => one === name))) return undefined;
    return Object.fromEntries(there) as T;
  }
  return {
    takes,
    inner: (world) => ({ fields: fieldsIn(world) }),
    read(given, at) {
      if (!plain(given)) return refuse(at, takes);
      const all = fieldsIn(at.world);
      const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
        const part = at.part ? `${at.part}.${name}` : name;
        const one = Object.hasOwn(all, name) ? all[name] : undefined;
        if (!one) return [[name, fault({ ...at, part }, 'is not a setting')]];
        if (absent(value, one)) return [];
        return [[name, value === null ? null : one.read(value, { ...at, part })]];
      });
      const value = kept(entries, all);
      const lost = entries.some(([, one]) => one === undefined);
      if (value === undefined && !lost)
        refuse(at, `an object with ${needs.map((name) => `\`${name}\``).join(' and ')}`);
      return value;
    },
    link(given, world) {
      if (!plain(given)) return undefined;
      const all = fieldsIn(world);
      const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
        if (!Object.hasOwn(all, name) || absent(value, all[name])) return [];
        return [[name, value === null ? null : all[name].link(value, world)]];
      });
      return kept(entries, all);
    },
  };
}

/** Values by a name of the same kind. */
export function record<T, W extends World = World>(
  key: Schema<string, W>,
  of: Schema<T, W>,
): Schema<Record<string, T>, W> {
  const takes = 'an object of settings';
  return {
    takes,
    read(given, at) {
      if (!plain(given)) return refuse(at, takes);
      const entries = Object.entries(given).flatMap(([name, value]): [string, T][] => {
        const within = { ...at, part: `${at.part}.${name}` };
        const named = key.read(name, within);
        const read = named === undefined ? undefined : of.read(value, within);
        return named === undefined || read === undefined ? [] : [[named, read]];
      });
      return Object.fromEntries(entries);
    },
    link(given, world) {
      if (!plain(given)) return undefined;
      const entries = Object.entries(given).map(([name, one]) => [key.link(name, world), of.link(one, world)]);
      return Object.fromEntries(entries.filter(([name, one]) => name !== undefined && one !== undefined));
    },
  };
}

interface Lengths {
  least?: number;
  most?: number;
  /** nothing of it is kept where any of them is lost, or no link holds one */
  whole?: boolean;
}
/** A list of the same kind. */
export function list<T, W extends World = World>(
  of: Schema<T, W>,
  { least = 0, most = 1000, whole = false }: Lengths = {},
): Schema<T[], W> {
  const takes = (world: W) => `a list, each of it ${wordsOf(of.takes, world)}`;
  const kept = <V>(values: (V | undefined)[]): V[] | undefined => {
    const there = values.filter((one) => one !== undefined);
    // a list of which nothing is left is no empty list
    const lost = there.length < values.length && (whole || there.length === 0);
    return lost || there.length < least ? undefined : there;
  };
  return {
    takes,
    inner: () => ({ items: of }),
    read(given, at) {
      if (!Array.isArray(given) || given.length < least || given.length > most) return refuse(at, takes);
      return kept(given.map((one, i) => of.read(one, { ...at, part: `${at.part}[${i}]` })));
    },
    link: (given, world) => (Array.isArray(given) ? kept(given.map((one) => of.link(one, world))) : undefined),
  };
}

/** What one of these is; the first that takes all of it, else the first that keeps some. Its type is said where it is used:
 * of several type parameters TypeScript infers all or none. */
export function either<W extends World = World>(...ways: Schema<unknown, W>[]): Schema<any, W> {
  const takes = (world: W) => ways.map((one) => wordsOf(one.takes, world)).join(', or ');
  return {
    takes,
    inner: () => ({ ways }),
    read(given, at) {
      let some: { value: unknown; faults: Fault[] } | null = null;
      for (const one of ways) {
        const faults: Fault[] = [];
        const value = one.read(given, { ...at, faults });
        if (value === undefined) continue;
        if (faults.length === 0) return value;
        some ??= { value, faults };
      }
      at.faults.push(...(some?.faults ?? [{ part: at.part, why: `must be ${takes(at.world)}` }]));
      return some?.value;
    },
    link: (given, world) => ways.map((one) => one.link(given, world)).find((one) => one !== undefined),
  };
}

/** The same under other words, which are said once for all that it could be. */
export const called = <T, W extends World>(takes: Takes<W>, of: Schema<T, W>): Schema<T, W> => ({
  ...of,
  takes,
  read(given, at) {
    const faults: Fault[] = [];
    const value = of.read(given, { ...at, faults });
    if (value === undefined) return refuse(at, takes);
    at.faults.push(...faults);
    return value;
  },
});

/** The same where null says something of its own. */
export const nullable = <T, W extends World>(of: Schema<T, W>): Schema<T | null, W> => ({ ...of, nullable: true });

/** What was left out, as a sentence. */
export const faultInWords = ({ part, why }: Fault) => `\`${part}\` ${why}.`;
