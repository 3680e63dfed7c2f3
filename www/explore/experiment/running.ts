// The experiment that runs, was stopped or is done. It goes on while a person looks at something else.

import { signal } from '@preact/signals';
import type { Cell, Experiment } from '../../engine/experiment.js';
import type { Data } from '../../engine/localcal.js';
import { announce, showError } from '../../parts/message.js';
import { withLine } from '../../parts/progress.js';
import type { Spec, Written } from '../../state/experiment.js';
import { EXPERIMENT, complete, nameOf, replace, spec, written } from '../../state/experiment.js';
import { open } from '../../state/store.js';
import { othersOf } from '../files.js';

interface Saved {
  spec: Written;
  cells: Cell[];
}

export interface Run {
  of: Data;
  /** what was asked */
  spec: Spec;
  asked: string;
  others: Data[];
  /** what is there so far; it grows in place */
  cells: Cell[];
  /** numbers by method of the spec and division */
  squares: Squares;
  is: 'running' | 'stopped' | 'done';
  /** share of the work that is done, and seconds since it began */
  share: number;
  seconds: number;
  /** how large it is; null: not known yet */
  size: wasm_bindgen.ExperimentSize | null;
  /** what was asked as the core filled it in, where that is known: it says of which data the numbers are */
  filled: object | null;
  /** what is shown of it; of one that was stopped: of what is done */
  found: Experiment | null;
  /** why it stopped by itself */
  error: unknown;
}
interface Squares {
  divisions: string[];
  /** numbers of a method under a division, by both names */
  numbers: Map<string, number>;
}

/** The last one; of another data set it is none. */
const last = signal<Run | null>(null);
export const run = (): Run | null => (last.value?.of === open.value?.data ? last.value : null);
const change = (of: Run, to: Partial<Run>) => {
  if (last.peek()?.squares === of.squares) last.value = { ...last.peek()!, ...to };
};

export const key = (method: string, division: string) => `${method}\n${division}`;

/** Puts numbers into their squares. A method that looks in several spaces has them after its name. */
function count({ divisions, numbers }: Squares, { methods }: Spec, cells: Cell[]) {
  const names = methods.map(nameOf);
  const rows = new Map<string, string>();
  const rowOf = (method: string) => {
    const known = rows.get(method);
    if (known !== undefined) return known;
    const within = names.filter((name) => method === name || method.startsWith(`${name} (`));
    const row = within.sort((a, b) => b.length - a.length)[0] ?? method;
    rows.set(method, row);
    return row;
  };
  for (const { data, method = '', division = '' } of cells) {
    const column = data ? `${data}, ${division}` : division;
    if (!divisions.includes(column)) divisions.push(column);
    const square = key(rowOf(method), column);
    numbers.set(square, (numbers.get(square) ?? 0) + 1);
  }
}

/** Whether what ran is what is asked now. */
export const current = (one: Run): boolean => one.asked === JSON.stringify(written(spec.value));

/** A run of what is built that has these numbers so far. */
function begin(of: Data, cells: Cell[]): Run {
  const full = spec.peek();
  const squares: Squares = { divisions: [], numbers: new Map() };
  count(squares, full, cells);
  return {
    of,
    spec: full,
    asked: JSON.stringify(written(full)),
    others: full.divisions.files ? othersOf(EXPERIMENT) : [],
    cells,
    squares,
    is: 'running',
    share: 0,
    seconds: 0,
    size: null,
    filled: null,
    found: null,
    error: null,
  };
}

/** Stops the one that runs; what is done of it stays. */
export const cancel = () => stop();
let stop = () => {};

/** Runs what is built, from what is done of it. */
export async function start(width: number, from?: Saved) {
  const of = open.peek()?.data;
  if (!of) return;
  const mine = begin(of, [...(from?.cells ?? [])]);
  const { spec: full, asked, others, cells, squares } = mine;
  last.value = mine;
  const begun = performance.now();
  let told = 0;
  try {
    const found = await withLine(
      full.title || 'Experiment',
      ({ signal: until, onProgress }, halt) => {
        stop = halt;
        return of.experiment(JSON.parse(asked), {
          signal: until,
          ...(from && { resume: resumable(from) }),
          ...(others.length > 0 && { others }),
          ...(width > 0 && { width }),
          onProgress(progress) {
            onProgress(progress);
            if (until.aborted) return;
            const { cells: came, size = null } = progress;
            for (const cell of came) cells.push(cell);
            count(squares, full, came);
            const share = progress.total > 0 ? progress.done / progress.total : 0;
            change(mine, { share, size, seconds: (performance.now() - begun) / 1000 });
            const quarter = Math.floor(4 * share);
            if (quarter > told && quarter < 4) announce(`Experiment: ${25 * quarter}% complete`);
            told = quarter;
          },
        });
      },
      ({ cells: { length } }) => `Experiment complete: ${length} results`,
    );
    change(mine, { is: 'done', found, cells: found.cells, share: 1 });
  } catch (error) {
    const { code, partial } = error as { code?: string; partial?: { spec: object; cells: Cell[] } };
    if (code === 'closed') return;
    const kept = partial?.cells ?? cells;
    change(mine, {
      is: 'stopped',
      filled: partial?.spec ?? null,
      cells: kept,
      squares: recount(full, kept, squares),
      error: code === 'cancelled' ? null : error,
    });
    if (!partial || kept.length === 0) return;
    // what is done is shown as far as it goes
    const found = await concluded(of, partial, width, others).catch(() => null);
    if (last.peek()?.is === 'stopped') change(mine, { found });
  }
}

/** What is done of an experiment, for charts of some width. */
export const concluded = (of: Data, done: { spec: object; cells: Cell[] }, width: number, others: Data[] = []) =>
  of.experiment(done.spec, { resume: done, run: false, others, ...(width > 0 && { width }) });

/** An experiment as the core takes it: what the page leaves out is left out there. */
const asCore = (given: Written) => given as unknown as wasm_bindgen.ExperimentSpec;
const resumable = ({ spec: asked, cells }: Saved) => ({ spec: asCore(asked), cells });

/** The same object: a run is known by it. */
function recount(of: Spec, cells: Cell[], squares: Squares): Squares {
  squares.numbers.clear();
  count(squares, of, cells);
  return squares;
}

/** Shows numbers of what is built that are there already; those that lack can be resumed. */
async function show(width: number, given: object, cells: Cell[]) {
  const of = open.peek()?.data;
  if (!of) return;
  const mine = begin(of, cells);
  const found = await concluded(of, { spec: given, cells }, width, mine.others);
  const is = found.lacking.numbers > 0 ? 'stopped' : 'done';
  last.value = { ...mine, is, found, filled: found.spec, size: found.size };
}

/** The schema of a saved experiment. */
const SCHEMA = 'localcal-experiment/';

/** Takes what a file holds: what was asked, and as far as it has them, its numbers. */
export async function load(file: File, width: number) {
  try {
    const told = JSON.parse(await file.text());
    const given: Written | undefined = told?.spec ?? told;
    const fault = !given || typeof given !== 'object' || misshapen(given);
    if (fault || (told.schema && !String(told.schema).startsWith(SCHEMA))) throw NONE;
    replace(given);
    const cells = Array.isArray(told.cells) ? (told.cells as Cell[]) : [];
    if (cells.length === 0) announce('Experiment loaded');
    else await show(width, given as object, cells);
  } catch (error) {
    showError(error instanceof SyntaxError ? NONE : error);
  }
}
const NONE = Object.assign(new Error('This file does not contain an experiment.'), {
  code: 'invalid_option',
  hint: 'Choose an experiment saved as JSON.',
});

const lists = ['methods', 'spaces', 'metrics', 'vary'] as const;
/** What keeps an object from being an experiment; null: nothing that the page can see. */
export function misshapen(given: unknown): string | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'It is not an object.';
  const spec = given as Record<string, unknown>;
  const wrong = lists.find((name) => spec[name] !== undefined && !Array.isArray(spec[name]));
  if (wrong) return `${wrong} must be a list.`;
  const methods = (spec.methods ?? []) as unknown[];
  if (methods.some((one) => typeof one !== 'string' && typeof (one as { id?: unknown } | null)?.id !== 'string'))
    return 'Each entry of methods must be an id or { id, name, parameters, space }.';
  if (((spec.spaces ?? []) as unknown[]).some((one) => typeof one !== 'object' || one === null))
    return 'Each entry of spaces must be an object.';
  const varied = (spec.vary ?? []) as { values?: unknown }[];
  if (varied.some((one) => !Array.isArray(one?.values))) return 'Each entry of vary must be { setting, values }.';
  try {
    complete(given as Written);
    return null;
  } catch (error) {
    return String(error);
  }
}

/** What is there of a run, with what was asked of it: the core sees what of it still answers what is asked now. */
export const begunOf = ({ asked, filled, cells }: Run): Saved => ({
  spec: (filled ?? JSON.parse(asked)) as Written,
  cells,
});

/** What is done of an experiment on the open file alone, for a document; null: nothing is. */
export function experimentDone(): Saved | null {
  const one = run();
  const found = one && one.others.length === 0 ? one.found : null;
  return found && { spec: found.spec as Written, cells: found.cells };
}

/** What is done, as a file that can be resumed. */
export const savedRun = ({ asked, filled, found, cells }: Run): Blob => {
  // as the core filled it in: it says of which data the numbers are
  const spec = filled ?? found?.spec ?? JSON.parse(asked);
  return new Blob([JSON.stringify({ schema: `${SCHEMA}1`, spec, cells })], { type: 'application/json' });
};
