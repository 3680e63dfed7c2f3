// The run of the page follows what is open and the subject, whoever changes them, and whatever a script runs beside.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Data, Report } from '../engine/localcal.js';
import { compute, computing, outdated, runWith, startRunning, uncomputed } from './running.js';
import * as store from './store.js';

const rest = () => new Promise((done) => setTimeout(done));
const canceled = () => Object.assign(new Error('The call was canceled.'), { code: 'cancelled' });

interface Run {
  methods: string[];
  signal: AbortSignal;
  /** ends it with a report, which the page has in this step */
  end: () => Promise<Report>;
  fail: (error: unknown) => Promise<unknown>;
}
/** A report of these methods. */
const reportOf = (methods: string[]) => ({ methods: methods.map((name) => ({ name })) }) as unknown as Report;

/** Data of which every run ends when a test says so. */
function data() {
  const runs: Run[] = [];
  const run = (
    { methods }: { methods: (string | { id: string; name?: string })[] },
    { signal }: { signal: AbortSignal },
  ) =>
    new Promise((done, refuse) => {
      const names = methods.map((one) => (typeof one === 'string' ? one : (one.name ?? one.id)));
      signal.addEventListener('abort', () => refuse(canceled()));
      runs.push({
        methods: names,
        signal,
        async end() {
          const report = reportOf(names);
          done(report);
          await rest();
          return report;
        },
        fail: (error) => (refuse(error), rest()),
      });
    });
  return { runs, data: { run, summary: { columns: [] } } as unknown as Data };
}
const summary = { unsure: false, missing: null } as any;
const file = new File(['a'], 'a.csv');
/** Shows it, as if it had been opened; `usable`: nothing needs a person's word. */
function show(of: Data, usable = true) {
  const now = { ...summary, unsure: !usable };
  store.report.value = null;
  store.open.value = { data: of, files: [file], options: {}, summary: now, example: null };
}

after(startRunning());
beforeEach(() => {
  store.open.value = store.report.value = null;
  store.view.value = 'finding';
  store.choose({ subject: { groups: null, alike: {}, repair: null }, specified: {}, panels: {}, inReport: [] });
});

test('the report is there in the step in which nothing is under way any more', async () => {
  const { runs, data: one } = data();
  show(one);
  assert.deepEqual([runs.length, computing.value, uncomputed.value], [1, true, false]);
  const seen: [boolean, boolean][] = [];
  const end = store.report.subscribe((report) => seen.push([report !== null, computing.value]));
  await runs[0].end();
  end();
  assert.deepEqual(seen, [
    [false, true],
    [true, false],
  ]);
});

test('roles that are changed quickly: the last data are run, and the others are not waited for', async () => {
  const [first, second, third] = [data(), data(), data()];
  show(first.data);
  show(second.data, false);
  assert.equal(computing.value, false);
  show(third.data);
  assert.deepEqual([first.runs.length, second.runs.length, third.runs.length], [1, 0, 1]);
  await first.runs[0].fail(Object.assign(new Error('The data set was closed.'), { code: 'closed' }));
  assert.deepEqual([computing.value, uncomputed.value], [true, false]);
  const report = await third.runs[0].end();
  assert.equal(store.report.value, report);
});

test('an undo while it runs: the choice that was taken back is not run', async () => {
  const { runs, data: one } = data();
  show(one);
  store.change({ repair: 'platt' });
  store.change({ repair: 'isotonic' });
  store.undo();
  store.undo();
  await runs[0].end();
  assert.deepEqual([runs.length, computing.value], [1, false]);
  store.redo();
  assert.deepEqual(runs[1].methods, ['none', 'platt']);
});

test('what was canceled says so, and an undo finds the run before it', async () => {
  const { runs, data: one } = data();
  show(one);
  await runs[0].fail(canceled());
  assert.deepEqual([computing.value, uncomputed.value], [false, true]);
  compute();
  assert.deepEqual([computing.value, uncomputed.value], [true, false]);
  const report = await runs[1].end();
  store.change({ repair: 'platt' });
  await runs[2].fail(canceled());
  store.undo();
  await rest();
  assert.deepEqual([runs.length, computing.value, store.report.value === report], [3, false, true]);
});

test('a run of a script is shown, and what the page asks again is run again', async () => {
  const { runs, data: one } = data();
  show(one);
  await runs[0].end();
  store.change({ repair: 'platt' });
  await runs[1].fail(canceled());
  store.report.value = reportOf(['none', 'beta']); // as it is told of the last run, whoever asked for it
  store.undo();
  assert.deepEqual([runs.length, runs[2].methods], [3, ['none']]);
});

test('who needs a method waits for the run that has it', async () => {
  const { runs, data: one } = data();
  show(one);
  store.change({ repair: 'platt' });
  let came = false;
  const waits = runWith('platt').then(() => (came = true));
  await runs[0].end();
  assert.equal(came, false);
  await runs[1].end();
  await waits;
  await runWith('platt');
  assert.equal(runs.length, 2);
});

test('who waits hears that the run was stopped, and begins it again', async () => {
  const { runs, data: one } = data();
  show(one);
  store.change({ repair: 'platt' });
  const waits = assert.rejects(runWith('platt'), { code: 'cancelled' });
  await runs[0].fail(canceled());
  await waits;
  const again = runWith('platt');
  await runs[1].end();
  await again;
  const other = assert.rejects(runWith('beta'), { code: 'cancelled' });
  await other;
});

test('local metrics are wanted from when Explore shows the data, and of these alone', async () => {
  const [first, second] = [data(), data()];
  show(first.data);
  await first.runs[0].end();
  store.change({ alike: { kernel: 'rbf', gamma: 1 } });
  const before = first.runs.length;
  store.view.value = 'explore';
  store.view.value = 'finding';
  show(second.data);
  assert.deepEqual([before > 0, outdated.value, second.runs.length], [true, false, 1]);
});
