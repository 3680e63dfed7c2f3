// Charts of one place, over a source that a test answers for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartsFrom } from './charts.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Charts by number, in the order in which they were requested; `end` answers the next, `fail` refuses it. */
function made() {
  const asked: { request: string; before: number | null; end: () => Promise<unknown>; fail: () => Promise<unknown> }[] =
    [];
  const freed: number[] = [];
  const runs = { now: 1 };
  const charts = chartsFrom<string, string, number>({
    view: (_, request, before) =>
      new Promise((resolve, reject) => {
        const number = asked.length;
        asked.push({
          request,
          before,
          end: () => (resolve(number), settled()),
          fail: () => (reject(new Error('no')), settled()),
        });
      }),
    free: (_, chart) => void freed.push(chart),
    run: () => runs.now,
  });
  const ask = (request: string, of = 'data') => charts.ask(of, (again) => (again ? `${request} again` : request));
  return { ...charts, ask, asked, freed, runs };
}

test('two charts asked for at once come one after the other; the second reuses the first, which is freed once', async () => {
  const { ask, asked, freed, held } = made();
  const both = Promise.all([ask('screen'), ask('paper')]);
  await settled();
  assert.equal(asked.length, 1, 'the second waits');
  await asked[0].end();
  assert.deepEqual([asked[1].request, asked[1].before, freed], ['paper again', 0, []]);
  await asked[1].end();
  assert.deepEqual([await both, freed, held()?.chart], [[0, 1], [0], 1]);
});

test('whatever comes and goes, every chart but the one that is held is freed, and once', async () => {
  const { ask, asked, freed, free } = made();
  const calls = Array.from({ length: 5 }, (_, i) => ask(`${i}`).catch(() => null));
  for (let i = 0; i < 4; i += 1) {
    await settled();
    await (i === 2 ? asked[i].fail() : asked[i].end());
  }
  assert.deepEqual(
    [asked.map(({ before }) => before), freed],
    [
      [null, 0, 1, 1, 3],
      [0, 1],
    ],
  );
  free();
  await asked[4].end();
  assert.deepEqual(
    [await Promise.all(calls), freed],
    [
      [0, 1, null, 3, null],
      [0, 1, 3, 4],
    ],
  );
});

test('what waits when the place goes is not computed', async () => {
  const { ask, asked, freed, free } = made();
  const both = Promise.all([ask('one'), ask('two')]);
  await settled();
  free();
  await asked[0].end();
  assert.deepEqual([await both, asked.length, freed], [[null, null], 1, [0]]);
});

test('a chart of another run or of other data is not reused, and is freed', async () => {
  const { ask, asked, freed, runs } = made();
  const begin = async (i: number, of?: string) => {
    const call = ask(`${i}`, of);
    await settled();
    await asked[i].end();
    await call;
  };
  await begin(0);
  runs.now = 2;
  await begin(1);
  await begin(2, 'other data');
  assert.deepEqual(
    [asked.map(({ request, before }) => [request, before]), freed],
    [
      [
        ['0', null],
        ['1', null],
        ['2', null],
      ],
      [0, 1],
    ],
  );
});

test('where nothing is to be shown, what is held is freed after what was asked before', async () => {
  const { ask, asked, freed, clear, held } = made();
  ask('one');
  const cleared = clear();
  await settled();
  await asked[0].end();
  await cleared;
  assert.deepEqual([freed, held()], [[0], null]);
});
