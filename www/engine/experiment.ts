// Experiments: first the feature maps, then the jobs of the plan, whose cells are reported as they arrive. Completed
// cells are kept when a call is cancelled, and are not computed again when it is resumed.

import { codedError } from './fault.js';
import { outcomeOf } from './outcome.js';
import { ANALYSIS, QUESTION } from './crew.js';
import type { Answer } from './outcome.js';
import type { PlanPool } from './plan.js';
import type { Progress } from './pool.js';

export type Spec = wasm_bindgen.ExperimentSpec;
export type Cell = wasm_bindgen.ExperimentCell;
/** An experiment so far: a result, a saved one, or the completed part of a cancelled one. */
export type Begun = { spec: Spec; cells: Cell[] };
export type ExperimentFormat = wasm_bindgen.ExperimentFormat;
export type Experiment = wasm_bindgen.ExperimentResult & {
  /** columns of its charts */
  columns: Answer['columns'];
  /** what is missing: numbers, fits, expected milliseconds of one worker */
  lacking: { numbers: number; fits: number; cost: number };
  /** total size: fits of each method under one split, splits, numbers of one fit */
  size: wasm_bindgen.ExperimentSize;
  export: (format?: ExperimentFormat, options?: { suppress?: number }) => Promise<Blob>;
};
/**
 * `cells`: new cells since the last call; `found`, `all`: number of cells so far and in total; `size`: what determines
 * the total.
 */
export type ExperimentProgress = Progress & {
  cells: Cell[];
  found: number;
  all: number;
  /** absent while feature maps are computed */
  size?: wasm_bindgen.ExperimentSize;
};
export type ExperimentWatch = {
  signal?: AbortSignal;
  onProgress?: (progress: ExperimentProgress) => void;
  resume?: Begun;
  /** false: nothing is computed; the existing cells are summarized, and the missing ones counted */
  run?: boolean;
  /** maximum width of a chart in CSS pixels */
  width?: number;
};

const TYPES: Record<ExperimentFormat, string> = {
  json: 'application/json',
  markdown: 'text/markdown',
  latex: 'application/x-latex',
  csv: 'text/csv',
  cells_csv: 'text/csv',
};

type Within = Pick<PlanPool, 'submit' | 'graph' | 'free'> & {
  /** keys of the data set and of further data sets */
  bases: number[];
  /** keys of the feature maps */
  extras: () => number[];
  /** computes a feature map once; returns its name */
  map: (
    request: wasm_bindgen.ProjectionRequest,
    watch: { signal: AbortSignal; onProgress: (progress: Progress) => void },
  ) => Promise<string>;
  signal: AbortSignal;
};

/** Conclusions from the cells of an experiment; needs no data set. */
async function concluded(
  { submit, free, signal }: Pick<Within, 'submit' | 'free' | 'signal'>,
  { spec, cells }: Begun,
  { lacking, size }: Pick<Experiment, 'lacking' | 'size'>,
  width?: number,
): Promise<Experiment> {
  const answer = await submit({ kind: 'conclude_experiment', spec, cells, width }, [], {
    signal,
    priority: QUESTION,
  });
  free(answer.key);
  const { columns } = answer;
  const { kind: _, ...found } = outcomeOf('experiment', answer);
  async function written(format: ExperimentFormat = 'json', { suppress }: { suppress?: number } = {}) {
    const answer = await submit({ kind: 'export_experiment', spec: found.spec, cells, format, suppress }, [], {
      priority: QUESTION,
    });
    free(answer.key);
    return new Blob([answer.columns[0] as Uint8Array<ArrayBuffer>], { type: TYPES[format] });
  }
  return { ...found, columns, lacking, size, export: written };
}

/** Runs an experiment. If it is cancelled, the error holds the completed part as `partial`. */
export async function experimented(within: Within, asked: Spec, watch: ExperimentWatch = {}): Promise<Experiment> {
  const { submit, graph, free, bases, extras, map, signal } = within;
  const { onProgress, resume, width, run = true } = watch;
  /** Keeps the resumed experiment in the error if a step fails. */
  const kept = <T>(tried: Promise<T>): Promise<T> =>
    tried.catch((error) => {
      throw resume ? Object.assign(error as Error, { partial: resume }) : error;
    });
  // coordinates of every space that needs a map, for this data set; the experiment itself stores how they were made
  const spaces = [];
  const waiting = { cells: [] as Cell[], found: 0, all: 0 };
  for (const space of asked.spaces ?? []) {
    if (!space.project) spaces.push(space);
    // estimate: the columns have about as many coordinates as the map
    else if (!run) spaces.push({ ...space, features: space.project.of ?? { pca: space.project.pca ?? 2, of: [] } });
    else {
      const tell = (progress: Progress) => void (signal.aborted || onProgress?.({ ...progress, ...waiting }));
      const features = await kept(map(space.project, { signal, onProgress: tell }));
      spaces.push({ ...space, features });
    }
  }
  const spec = { ...asked, ...(asked.spaces && { spaces }) };
  const begun = resume && { spec: resume.spec, cells: resume.cells };
  const job = { kind: 'plan_experiment', spec, begun } as wasm_bindgen.CallMessage;
  const plan = await kept(submit(job, bases, { extras: extras(), signal, priority: QUESTION }));
  free(plan.key);
  const { all, fits, nodes, size, spec: filled, cells: there } = outcomeOf('experiment_plan', plan);
  const cells = [...there];
  const lacking = (found: number) => ({
    numbers: all - found,
    fits,
    cost: nodes.reduce((sum, { cost }) => sum + cost, 0),
  });
  if (!run) return concluded(within, { spec: filled, cells }, { lacking: lacking(cells.length), size }, width);
  let latest: Progress = { done: 0, total: 1, label: '' };
  const take = (came: Cell[]) => {
    cells.push(...came);
    onProgress?.({ ...latest, cells: came, found: cells.length, all, size });
  };
  // a resumed call already knows the existing cells
  onProgress?.({ ...latest, cells: resume ? [] : there, found: cells.length, all, size });
  const onAnswer = ({ outcome }: Answer) => outcome?.kind === 'cells' && take(outcome.cells);
  try {
    if (nodes.length > 0) {
      const last = await graph(plan, bases, {
        signal,
        priority: ANALYSIS,
        extras: extras(),
        every: true,
        onAnswer,
        onProgress: (progress) => {
          latest = progress;
          onProgress?.({ ...progress, cells: [], found: cells.length, all, size });
        },
      });
      free(last.key);
      onAnswer(last);
    }
  } catch (error) {
    throw Object.assign(error as Error, { partial: { spec: filled, cells } });
  }
  const nothing = { numbers: 0, fits: 0, cost: 0 };
  return concluded(within, { spec: filled, cells }, { lacking: nothing, size }, width);
}

/** The text of a saved experiment. */
export function begun(text: string): Begun {
  try {
    const { spec, cells = [] } = JSON.parse(text);
    if (spec && typeof spec === 'object' && Array.isArray(cells)) return { spec, cells };
  } catch {
    // reported below
  }
  throw codedError({
    code: 'invalid_option',
    message: 'This is not an experiment: it has no spec and cells.',
    hint: 'Pass the JSON of a saved experiment unchanged.',
  });
}
