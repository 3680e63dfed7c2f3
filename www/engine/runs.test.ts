// Runs of a data set, over a pool that a test answers for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abortError, codedError } from './fault.js';
import type { Answer } from './outcome.js';
import { toRun } from './plan.js';
import type { Left, PlanPool } from './plan.js';
import { runsOf } from './runs.js';
import type { Report } from './runs.js';

const settled = async () => {
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setTimeout(resolve));
};

interface RunUnderWay {
  request: unknown;
  signal?: AbortSignal;
  /** answers it; its outcome then has this key */
  key: number;
  end: () => Promise<void>;
  fail: (error?: Error) => Promise<void>;
}

/** A data set whose plans are made at once, and whose runs end when a test says so. */
function made() {
  const runs: RunUnderWay[] = [];
  const freed: number[] = [];
  const reported: number[] = [];
  const life = new AbortController();
  const views: number[] = []; // keys of charts that were computed
  const ran: string[][] = []; // steps that each analysis ran
  const plans: string[] = []; // kinds of the plans that were asked for
  let refused = false; // whether analyses fail
  let keys = 1;
  let requests: unknown[] = [];
  const pool = {
    async submit(job: any, needs: number[], { signal }: { signal?: AbortSignal } = {}) {
      if (signal?.aborted) throw abortError(signal);
      const plan = job.kind.startsWith('plan');
      if (plan) requests.push(job.request);
      if (plan) plans.push(job.kind);
      if (job.kind === 'view') views.push(keys + 1);
      // steps in a row
      const steps: string[] = job.request?.steps ?? [''];
      const nodes = steps.map((_, i) => ({ cost: 1, needs: [i === 0 ? 0 : needs.length + i - 1], job: i }));
      const outcome = plan ? { kind: 'plan', nodes } : { kind: job.kind, needs };
      return {
        key: ++keys,
        outcome,
        columns: steps.map((step) => new TextEncoder().encode(step)),
      } as unknown as Answer;
    },
    graph(plan: any, bases: number[], { signal, before }: { signal?: AbortSignal; before?: Left | null } = {}) {
      const request = requests.shift();
      const key = ++keys;
      // an analysis is answered at once with the run that it was about
      if (bases.length > 1) {
        const jobs: Uint8Array[] = plan.columns;
        const { run } = toRun(plan, bases, [], before);
        ran.push([...run].sort().map((i) => new TextDecoder().decode(jobs[i])));
        for (const key of before?.keys.values() ?? []) assert.ok(!freed.includes(key), 'what is reused is there');
        if (refused) return Promise.reject(new Error('no'));
        const known = jobs
          .slice(0, -1)
          .map((_, i): [number, number] => [i, run.has(i) ? ++keys : before!.keys.get(i)!]);
        const left = { about: JSON.stringify([bases, []]), jobs, keys: new Map(known) };
        return Promise.resolve({ key, outcome: { kind: 'of', run: bases[1] }, columns: [], left });
      }
      return new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(abortError(signal)));
        const outcome = { kind: 'report', report: { number: runs.length } };
        runs.push({
          request,
          signal,
          key,
          end: () => (resolve({ key, outcome, columns: [], left: null }), settled()),
          fail: (error = new Error('no')) => (reject(error), settled()),
        });
      });
    },
    free: (key: number) => void freed.push(key),
    discard: (key: number) => void freed.push(key),
    bytesAt: () => 8,
  } as unknown as PlanPool;
  const opened = { key: 1, outcome: null, columns: [] };
  const of = runsOf(
    { pool, opened, maps: [], life: life.signal },
    { soFar() {}, reported: (report: Report) => void reported.push((report as any).number) },
  );
  /** The key of the run that an analysis is about. */
  const analysed = async (signal?: AbortSignal, steps?: string, suppress?: unknown): Promise<number> =>
    ((await of.analysed({ steps: steps?.split(' ') } as any, [], { signal, suppress } as any)) as any).run;
  /** The steps that an analysis of these steps runs. */
  const ranOf = async (steps: string, fails = false): Promise<string> => {
    refused = fails;
    await analysed(undefined, steps).catch((error) => assert.ok(fails, error));
    return ran.at(-1)!.join(' ');
  };
  const close = () => {
    life.abort(codedError({ code: 'closed', message: 'The data set was closed.' }));
    of.freeAll();
  };
  return { ...of, analysed, ranOf, runs, plans, views, freed, reported, close };
}

const page = { methods: ['none', 'platt'] };

test('an analysis asked while a run is under way waits for that run, and starts none', async () => {
  const { run, analysed, runs, reported } = made();
  const [report, both] = [run(page), Promise.all([analysed(), analysed()])];
  await settled();
  assert.deepEqual(
    runs.map(({ request }) => request),
    [page],
  );
  await runs[0].end();
  assert.deepEqual(await both, [runs[0].key, runs[0].key]);
  await report;
  assert.deepEqual(reported, [0], 'nothing else is shown');
});

test('where there is no run at all, questions start one, and share it', async () => {
  const { analysed, runs } = made();
  const both = Promise.all([analysed(), analysed()]);
  await settled();
  assert.deepEqual(
    runs.map(({ request }) => request),
    [{}],
  );
  await runs[0].end();
  assert.deepEqual(await both, [runs[0].key, runs[0].key]);
});

test('where the run under way fails or is canceled, the questions that waited for it start one', async () => {
  const { run, analysed, runs } = made();
  const halt = new AbortController();
  const [first, second] = [run(page, { signal: halt.signal }), run({ ...page, methods: ['beta'] })];
  const asked = analysed();
  await settled();
  halt.abort();
  await assert.rejects(first, { code: 'cancelled' });
  await settled();
  assert.equal(runs.length, 2, 'the other is still under way');
  await runs[1].fail();
  await assert.rejects(second, /no/);
  assert.deepEqual([runs.length, runs[2].request], [3, {}]);
  await runs[2].end();
  assert.equal(await asked, runs[2].key);
});

test('a first run that ends after another one does not replace it, and is freed', async () => {
  const { run, analysed, runs, freed, latest, reported } = made();
  const asked = analysed();
  await settled();
  const report = run(page);
  await settled();
  await runs[1].end();
  await report;
  await runs[0].end();
  assert.deepEqual([await asked, latest()?.key], [runs[1].key, runs[1].key]);
  assert.deepEqual([freed.includes(runs[0].key), reported], [true, [1]]);
});

test('what is asked is about the run that was begun last, whichever ends first', async () => {
  const { run, analysed, runs, freed, latest, reported } = made();
  const [first, second] = [run(page), run({ methods: ['beta'] })];
  await settled();
  await runs[1].end();
  await second;
  await runs[0].end();
  assert.deepEqual(await first, { number: 0 }, 'who asked has its report');
  await settled();
  assert.deepEqual([await analysed(), latest()?.key], [runs[1].key, runs[1].key]);
  assert.deepEqual([freed.includes(runs[0].key), reported], [true, [1]]);
});

test('a question that is canceled while it waits leaves the run to whoever asked for it', async () => {
  const { run, analysed, runs } = made();
  const report = run(page);
  const halt = new AbortController();
  const asked = analysed(halt.signal);
  await settled();
  halt.abort();
  await assert.rejects(asked, { code: 'cancelled' });
  assert.equal(runs[0].signal?.aborted, false);
  await runs[0].end();
  await report;
  await settled();
  assert.equal(runs.length, 1, 'no run starts that nobody waits for');
});

test('where there is a run, a question is about it while another is under way', async () => {
  const { run, analysed, runs, freed } = made();
  const first = run(page);
  await settled();
  await runs[0].end();
  await first;
  const second = run({ methods: ['beta'] });
  await settled();
  assert.equal(await analysed(), runs[0].key);
  await runs[1].end();
  await second;
  assert.deepEqual([await analysed(), freed.includes(runs[0].key)], [runs[1].key, true]);
});

test('closing ends what waits, and frees every run', async () => {
  const { run, analysed, runs, freed, close } = made();
  const first = run(page);
  await settled();
  await runs[0].end();
  await first;
  const [second, asked] = [run({}), analysed()];
  await settled();
  await asked;
  close();
  await assert.rejects(second, { code: 'closed' });
  await assert.rejects(analysed(), { code: 'closed' });
  assert.ok(freed.includes(runs[0].key));
});

test('a run and a chart that come when the data set was closed are freed, and no one gets them', async () => {
  const { run, viewed, runs, views, freed, close, latest } = made();
  const first = run(page);
  await settled();
  await runs[0].end();
  await first;
  const [second, chart] = [run({}), viewed({} as wasm_bindgen.ChartMessage)];
  for (let i = 0; runs.length < 2; i += 1) await Promise.resolve();
  void runs[1].end(); // it is there, and not yet read
  close();
  await assert.rejects(second, { code: 'closed' });
  await assert.rejects(chart, { code: 'closed' });
  await settled();
  assert.deepEqual([latest()?.key, views.length], [runs[0].key, 1]);
  assert.deepEqual(
    [runs[1].key, runs[0].key, views[0]].map((key) => freed.includes(key)),
    [true, true, true],
  );
});

test('charts are freed once, by who asked for them or with the data set', async () => {
  const { run, viewed, freeView, runs, freed, close } = made();
  const report = run(page);
  await settled();
  await runs[0].end();
  await report;
  const [one, other] = [await viewed({} as any), await viewed({} as any)];
  freeView(one);
  freeView(one);
  close();
  freeView(other);
  assert.deepEqual(
    [one, other].map(({ key }) => freed.filter((of) => of === key).length),
    [1, 1],
  );
});

test('each question has the steps of the one before it, and no question takes them from another', async () => {
  const { run, ranOf, runs, freed, close } = made();
  const report = run(page);
  await settled();
  await runs[0].end();
  await report;
  assert.equal(await ranOf('overall words 1280'), 'overall words 1280');
  assert.equal(await ranOf('overall scan words 1280'), 'scan words 1280');
  assert.equal(await ranOf('overall scan advice words 1280', true), 'advice words 1280');
  assert.equal(await ranOf('overall scan advice words 1280'), 'advice words 1280', 'a failure takes nothing along');
  // in another width everything is drawn again, and nothing is found again
  for (const width of ['320', '640', '900', '1024'])
    for (const part of ['overall', 'overall scan', 'overall scan advice'])
      assert.equal(await ranOf(`${part} words ${width}`), width);
  close();
  assert.equal(new Set(freed).size, freed.length, 'nothing is freed twice');
});

test('any threshold but none asks for a plan that withholds, also one that the core refuses', async () => {
  const { run, runs, analysed, plans } = made();
  const report = run(page);
  await settled();
  await runs[0].end();
  await report;
  const kindFor = async (suppress: unknown) => {
    await analysed(undefined, '', suppress);
    return plans.at(-1);
  };
  for (const none of [undefined, null]) assert.equal(await kindFor(none), 'plan_analysis');
  for (const some of [10, 0, '']) assert.equal(await kindFor(some), 'plan_withheld');
});
