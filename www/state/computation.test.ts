// A computation follows what is asked: one at a time, the last of several, and never what is not asked any more.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { signal } from '@preact/signals';
import { computation, when } from './computation.js';
import type { Question } from './computation.js';

/** Everything that waits for a microtask has gone on. */
const rest = () => new Promise((done) => setTimeout(done));
const canceled = () => Object.assign(new Error('The call was canceled.'), { code: 'cancelled' });

let end = () => {};
afterEach(() => end());

/** A computation whose answers come when a test says so. */
function made() {
  const question = signal<Question<string, null> | null>(null);
  const begun: {
    of: string;
    answer: (text: string) => Promise<unknown>;
    fail: (error: unknown) => Promise<unknown>;
  }[] = [];
  const told: string[] = [];
  let shown: string | null = null;
  const run = computation<string, null, string>({
    question,
    compute: ({ data, text }) =>
      new Promise((done, refuse) => {
        begun.push({
          of: `${data} ${text}`,
          answer: (answer) => (done(answer), rest()),
          fail: (error) => (refuse(error), rest()),
        });
      }),
    holds: (answer) => shown === answer,
    begins: () => told.push('begins'),
    answered: (answer) => void (shown = answer),
    failed: (error) => told.push((error as Error).message),
  });
  end = run.follow();
  const ask = (text: string, data = 'a') => (question.value = { data, text, asked: null });
  return { run, question, begun, told, ask, shown: () => shown, show: (other: string) => (shown = other) };
}

test('of several questions meanwhile the last is computed, and the answers in between are none', async () => {
  const { run, begun, ask, shown } = made();
  ask('1');
  ask('2');
  ask('3');
  assert.deepEqual([begun.length, run.is('under way', 'a')], [1, true]);
  await begun[0].answer('one');
  // in the step in which the first is answered the next is under way
  assert.deepEqual(
    [begun.map(({ of }) => of), shown(), run.is('under way', 'a'), run.last.value?.text],
    [['a 1', 'a 3'], 'one', true, '1'],
  );
  await begun[1].answer('three');
  assert.deepEqual([begun.length, shown(), run.is('under way', 'a')], [2, 'three', false]);
});

test('what is taken back while it is computed is computed once', async () => {
  const { begun, ask, shown } = made();
  ask('1');
  ask('2');
  ask('1');
  await begun[0].answer('one');
  assert.deepEqual([begun.length, shown()], [1, 'one']);
});

test('the answer to what is asked again is there, unless something else was put in its place', async () => {
  const { run, begun, told, ask, show } = made();
  ask('1');
  await begun[0].answer('one');
  ask('2');
  await begun[1].fail(new Error('no such method'));
  assert.deepEqual([run.is('stopped', 'a'), told.at(-1)], [true, 'no such method']);
  ask('1');
  assert.deepEqual([begun.length, run.is('stopped', 'a'), told.at(-1)], [2, false, 'begins']);
  ask('2');
  await begun[2].fail(canceled());
  show('of a script');
  ask('1');
  assert.equal(begun.length, 4);
});

test('who cancels wants nothing more, until something else is asked or it is started', async () => {
  const { run, begun, ask } = made();
  ask('1');
  ask('2');
  await begun[0].fail(canceled());
  assert.deepEqual([begun.length, run.is('stopped', 'a'), run.is('under way', 'a')], [1, true, false]);
  run.start();
  run.start();
  assert.deepEqual([begun.map(({ of }) => of), run.is('under way', 'a')], [['a 1', 'a 2'], true]);
  await begun[1].fail(canceled());
  ask('3');
  assert.equal(begun.length, 3);
});

test('what failed and is not asked any more is not told, and what is asked instead is computed', async () => {
  const { run, begun, told, ask } = made();
  ask('1');
  ask('2');
  await begun[0].fail(new Error('no such method'));
  assert.deepEqual([begun.length, run.is('under way', 'a'), told], [2, true, ['begins', 'begins']]);
});

test('other data wait for nothing, and how the ones before end changes nothing', async () => {
  const { run, begun, told, ask, shown } = made();
  ask('1', 'a');
  ask('1', 'b');
  assert.deepEqual([begun.map(({ of }) => of), run.is('under way', 'a')], [['a 1', 'b 1'], false]);
  await begun[0].answer('of a');
  assert.deepEqual([shown(), run.is('under way', 'b')], [null, true]);
  ask('1', 'c');
  await begun[1].fail(new Error('closed'));
  assert.deepEqual([run.is('under way', 'c'), told.includes('closed')], [true, false]);
  // and back, while it is still under way for the others
  ask('1', 'b');
  await begun[2].answer('of c');
  await begun[3].answer('of b');
  assert.equal(shown(), 'of b');
});

test('where nothing is asked any more, what is under way ends, and the same again is answered', async () => {
  const { run, question, begun, ask, shown } = made();
  ask('1');
  question.value = null;
  await begun[0].answer('one');
  assert.deepEqual([shown(), run.is('under way', 'a')], ['one', false]);
  ask('1');
  assert.equal(begun.length, 1);
});

test('started, it is computed although there is an answer', async () => {
  const { run, begun, ask } = made();
  ask('1');
  await begun[0].answer('one');
  run.start();
  assert.equal(begun.length, 2);
});

test('who waits has the answer once, at once where it is there', async () => {
  const at = signal(0);
  let looks = 0;
  const later = when(() => ((looks += 1), at.value > 1 ? at.value : undefined));
  at.value = 1;
  at.value = 2;
  at.value = 3;
  assert.equal(await later, 2);
  await rest();
  const until = looks;
  at.value = 4;
  assert.equal(looks, until);
  assert.equal(await when(() => at.value), 4);
});
