// The parts of the papers, made for the open file. Charts and analyses of a paper are of runs of their own: they are
// made on a second data set of the same files, so that what the page shows stays as it is.

import { effect, signal } from '@preact/signals';
import type { Experiment } from '../../engine/experiment.js';
import type { Column } from '../../engine/messages.js';
import type { Answer, Drawn, Showing } from '../../engine/outcome.js';
import type { ChartRequest, Data } from '../../engine/localcal.js';
import { freeView, open as openFiles, viewOf } from '../../engine/localcal.js';
import { dark } from '../../engine/theme.js';
import { descriptionOf } from '../../parts/catalogue.js';
import { withLine } from '../../parts/progress.js';
import { open } from '../../state/store.js';

export type Paper = wasm_bindgen.Paper;
export type Part = Paper['parts'][number];

/** What an analysis or a chart is about. */
interface Before {
  project?: wasm_bindgen.ProjectionRequest[];
  run?: object;
}

/** What a part shows. */
export type MadePart =
  { experiment: Experiment } | { sheet: wasm_bindgen.Sheet; columns: Column[] } | { figure: Drawn };
/** How a part stands; without a word it waits for a person to ask. */
type Stand = { is: 'waits' | 'makes' } | { is: 'fault'; error: unknown } | { is: 'made'; shown: MadePart };

interface Making {
  of: Data;
  papers: Paper[] | null;
  /** by paper and part */
  parts: Record<string, Stand>;
}
const making = signal<Making | null>(null);
const now = (): Making | null => (making.value?.of === open.value?.data ? making.value : null);
const change = (of: Data, to: (was: Making) => Partial<Making>) => {
  const was = making.peek();
  if (was?.of === of) making.value = { ...was, ...to(was) };
};

/** The papers; null until they are there, empty where no one has prepared any. */
export const papers = (): Paper[] | null => now()?.papers ?? null;

/** Asks for them once, for each data set. */
export function askPapers() {
  const of = open.peek()?.data;
  if (!of || making.peek()?.of === of) return;
  making.value = { of, papers: null, parts: {} };
  of.papers().then(
    (found) => change(of, () => ({ papers: found })),
    (error) => {
      if (error.code !== 'closed') change(of, () => ({ papers: [] }));
    },
  );
}

const placeOf = (paper: Paper, part: Part) => `${paper.id}/${part.id}`;
export const standOf = (paper: Paper, part: Part): Stand | undefined => now()?.parts[placeOf(paper, part)];

/** The second data set, and the run that it has had. */
let second: { of: Data; data: Promise<Data>; made: string[]; ran: string } | null = null;
effect(() => {
  const of = open.value?.data;
  if (second && second.of !== of) {
    second.data.then(
      (data) => data.close(),
      () => {},
    );
    second = null;
  }
});

/** No chart of a paper is drawn wider, in CSS pixels. */
const WIDEST = 620;

interface Watching {
  signal: AbortSignal;
  onProgress: (progress: { done: number; total: number; label: string }) => void;
}

/** The second data set with what a part is about. */
async function benchFor(of: Data, { project = [], run = {} }: Before, watching: Watching): Promise<Data> {
  const { files, options } = open.peek()!;
  if (!second) {
    second = { of, data: openFiles(files, { ...options, ...watching, beside: true }), made: [], ran: '' };
    second.data.catch(() => (second = null));
  }
  const mine = second;
  const data = await mine.data;
  for (const one of project) {
    if (mine.made.includes(JSON.stringify(one))) continue;
    await data.project(one, watching);
    mine.made.push(JSON.stringify(one));
  }
  const asked = JSON.stringify(run);
  if (mine.ran !== asked) {
    mine.ran = '';
    await data.run(run, watching);
    mine.ran = asked;
  }
  return data;
}

async function shownOf(of: Data, { made }: Part, width: number, watching: Watching): Promise<MadePart> {
  if ('experiment' in made) {
    const asked = { ...watching, ...(width > 0 && { width }) };
    return { experiment: await of.experiment(made.experiment, asked) };
  }
  if ('analysis' in made) {
    const { before = {}, kind, options } = made.analysis;
    const data = await benchFor(of, before, watching);
    const known = descriptionOf(kind)?.options.map(({ name }) => name) ?? [];
    const fits = Object.entries({ ...(width > 0 && { width }), dpr: devicePixelRatio || 1, dark: dark() }).filter(
      ([name]) => known.includes(name),
    );
    const answer = await data.analyse(kind, { ...options, ...Object.fromEntries(fits) }, watching);
    // what the page draws itself has figures, and no sheet
    const { sheet, figures, columns } = answer as Showing & Pick<Answer, 'columns'>;
    return { sheet: sheet ?? { fields: [], blocks: [{ figures: figures ?? [] }] }, columns };
  }
  if ('chart' in made) {
    const { before = {}, chart, options } = made.chart;
    const data = await benchFor(of, before, watching);
    const view = await viewOf(data, {
      chart,
      ...options,
      ...(width > 0 && { width: Math.min(width, WIDEST) }),
    } as unknown as ChartRequest);
    freeView(data, view);
    return { figure: view };
  }
  throw new Error(made.cannot);
}

/** Parts are made one after the other: a run of one is not that of the next. */
let queue: Promise<unknown> = Promise.resolve();

/** Stops what is made; the parts that follow it wait again. */
export const cancel = () => stop();
let stop = () => {};

/** Makes parts of a paper, in their order; what was made stays. Cancelled, the others wait again. */
export function make(paper: Paper, wanted: Part[], width: number) {
  const of = open.peek()?.data;
  if (!of) return;
  const put = (part: Part, stand: Stand | undefined) =>
    change(of, ({ parts: { [placeOf(paper, part)]: _, ...others } }) => ({
      parts: stand ? { ...others, [placeOf(paper, part)]: stand } : others,
    }));
  for (const part of wanted) put(part, { is: 'waits' });
  const work = async () => {
    let stopped = false;
    for (const part of wanted) {
      if (stopped || open.peek()?.data !== of) {
        put(part, undefined);
        continue;
      }
      put(part, { is: 'makes' });
      try {
        const label = `${paper.title}: ${part.id}`;
        const shown = await withLine(label, (watching, halt) => {
          stop = halt;
          return shownOf(of, part, width, watching);
        });
        put(part, { is: 'made', shown });
      } catch (error) {
        stopped = ['cancelled', 'closed'].includes((error as { code: string }).code);
        put(part, stopped ? undefined : { is: 'fault', error });
      }
    }
  };
  queue = queue.then(work, work);
}
