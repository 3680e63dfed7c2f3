import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder, once, together } from './together.js';

/** Work that a test ends itself. */
function made() {
  const begun: { signal: AbortSignal; done: (value: number) => void; fail: (error: Error) => void }[] = [];
  const ask = together((signal) => new Promise<number>((done, fail) => void begun.push({ signal, done, fail })));
  return { begun, ask };
}

test('two who ask at once wait for the same work', async () => {
  const { begun, ask } = made();
  const both = Promise.all([ask(), ask()]);
  assert.equal(begun.length, 1);
  begun[0].done(7);
  assert.deepEqual(await both, [7, 7]);
  ask();
  assert.equal(begun.length, 2, 'who asks afterwards asks anew');
});

test('who cancels leaves it to the others; the last one ends it', async () => {
  const { begun, ask } = made();
  const [one, other] = [new AbortController(), new AbortController()];
  const [first, second] = [ask(one.signal), ask(other.signal)];
  one.abort();
  await assert.rejects(first, { code: 'cancelled' });
  assert.equal(begun[0].signal.aborted, false);
  other.abort();
  await assert.rejects(second, { code: 'cancelled' });
  assert.equal(begun[0].signal.aborted, true);
  const again = ask();
  begun[1].done(1);
  assert.equal(await again, 1);
});

test('a failure is everybody’s, and the next one tries again', async () => {
  const { begun, ask } = made();
  const both = [ask(), ask()];
  begun[0].fail(new Error('no'));
  for (const one of both) await assert.rejects(one, /no/);
  const again = ask();
  begun[1].done(2);
  assert.equal(await again, 2);
});

test('a call that was cancelled before it began begins nothing', async () => {
  const { begun, ask } = made();
  await assert.rejects(ask(AbortSignal.abort()), { code: 'cancelled' });
  assert.equal(begun.length, 0);
});

test('what is computed once is remembered from when it begins; a failure is not', async () => {
  const begun: { done: (value: number) => void; fail: (error: Error) => void }[] = [];
  const ask = once(() => new Promise<number>((done, fail) => void begun.push({ done, fail })));
  const both = [ask(), ask()];
  begun[0].fail(new Error('no'));
  for (const one of both) await assert.rejects(one, /no/);
  const again = ask();
  begun[1].done(7);
  assert.deepEqual([await again, await ask(), begun.length], [7, 7, 2]);
});

test('work in order: each begins when those before it ended, and who cancels does not wait', async () => {
  const inTurn = inOrder();
  const begun: { name: string; end: () => void; fail: () => void }[] = [];
  const work = (name: string) => () =>
    new Promise<string>((done, fail) => {
      begun.push({ name, end: () => done(name), fail: () => fail(new Error(name)) });
    });
  const names = () => begun.map(({ name }) => name);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const halt = new AbortController();
  const [first, second] = [inTurn(work('first')), inTurn(work('second'), halt.signal)];
  const third = inTurn(work('third'));
  await settled();
  assert.deepEqual(names(), ['first']);
  halt.abort();
  await assert.rejects(second, { code: 'cancelled' });
  begun[0].fail();
  await assert.rejects(first, /first/);
  await settled();
  assert.deepEqual(names(), ['first', 'third'], 'what was canceled is not begun');
  begun[1].end();
  assert.equal(await third, 'third');
});
