// Runs of a data set, over a pool that a test answers for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abortError, codedError } from './fault.js';
import type { Answer } from './outcome.js';
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

/**
 * A data set whose plans are made at once, and whose runs end when a test says so; `costs`: of three jobs in a row, the
 * first of which all analyses share.
 */
function made(costs: number[] | null = null) {
  const runs: RunUnderWay[] = [];
  const freed: number[] = [];
  const reported: number[] = [];
  const life = new AbortController();
  const views: number[] = []; // keys of charts that were computed
  const reused: boolean[] = []; // whether each analysis used what one before it left
  let keys = 1;
  let requests: unknown[] = [];
  const pool = {
    async submit(job: any, needs: number[], { signal }: { signal?: AbortSignal } = {}) {
      if (signal?.aborted) throw abortError(signal);
      const plan = job.kind.startsWith('plan');
      if (plan) requests.push(job.request);
      if (job.kind === 'view') views.push(keys + 1);
      const shared = costs && job.kind === 'plan_analysis';
      const nodes = shared
        ? costs.map((cost, i) => ({ cost, needs: [i === 0 ? 0 : needs.length + i - 1], job: i }))
        : [{ cost: 1, needs: [0], job: 0 }];
      const outcome = plan ? { kind: 'plan', nodes } : { kind: job.kind, needs };
      keys += 1;
      return { key: keys, outcome, columns: [0, keys, keys].map((one) => new Uint8Array([one])) } as unknown as Answer;
    },
    graph(plan: Answer, bases: number[], { signal, before }: { signal?: AbortSignal; before?: Left | null } = {}) {
      const request = requests.shift();
      const key = ++keys;
      // an analysis is answered at once with the run that it was about
      if (bases.length > 1) {
        reused.push(Boolean(before));
        const jobs = plan.columns as Uint8Array[];
        const left = costs && { about: JSON.stringify([bases, []]), jobs, keys: new Map([[0, ++keys]]), bytes: 8 };
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
  } as unknown as PlanPool;
  const opened = { key: 1, outcome: null, columns: [] };
  const of = runsOf(
    { pool, opened, maps: [], life: life.signal },
    { soFar() {}, reported: (report: Report) => void reported.push((report as any).number) },
  );
  /** The key of the run that an analysis is about. */
  const analysed = async (signal?: AbortSignal): Promise<number> =>
    ((await of.analysed({} as wasm_bindgen.AnalysisRequest, [], { signal })) as any).run;
  const close = () => {
    life.abort(codedError({ code: 'closed', message: 'The data set was closed.' }));
    of.freeAll();
  };
  return { ...of, analysed, runs, views, reused, freed, reported, close };
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

for (const [shared, own, worth] of [
  [90, 1, true],
  [90, 5000, false],
  [1000, 5000, true],
] as const)
  test(`of ${shared + own} ms, ${shared} are ${worth ? '' : 'not '}worth what an earlier analysis left`, async () => {
    const { run, analysed, runs, reused } = made([shared, own, 1]);
    const report = run(page);
    await settled();
    await runs[0].end();
    await report;
    await analysed();
    await analysed();
    assert.deepEqual(reused, [false, worth]);
  });
