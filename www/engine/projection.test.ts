// Feature maps by what was requested, over a data set whose maps end when a test says so.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abortError } from './fault.js';
import { mapNames } from './projection.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function made() {
  const begun: {
    request: object;
    signal: AbortSignal;
    tell: (done: number) => void;
    end: () => void;
    fail: () => void;
  }[] = [];
  const ask = mapNames(
    (request, { signal, onProgress }) =>
      new Promise((resolve, reject) => {
        const name = `map ${begun.length}`;
        signal.addEventListener('abort', () => reject(abortError(signal)));
        begun.push({
          request,
          signal,
          tell: (done) => onProgress({ done, total: 1, label: '' }),
          end: () => resolve({ name }),
          fail: () => reject(new Error('no')),
        });
      }),
  );
  const named = (request: object, signal = new AbortController().signal) => {
    const heard: number[] = [];
    return { heard, name: ask(request, { signal, onProgress: ({ done }) => void heard.push(done) }) };
  };
  return { begun, named };
}
const TSNE = { tsne: { perplexity: 30 }, name: 'mine' };

test('a map that two experiments request at once is made once, and both hear how far it is', async () => {
  const { begun, named } = made();
  const [one, other] = [named(TSNE), named(TSNE)];
  begun[0].tell(0.5);
  begun[0].end();
  assert.deepEqual(await Promise.all([one.name, other.name]), ['map 0', 'map 0']);
  assert.deepEqual([one.heard, other.heard, begun.length], [[0.5], [0.5], 1]);
  assert.equal(await named(TSNE).name, 'map 0', 'it is remembered');
  const another = named({ pca: 2 });
  begun[1].end();
  assert.deepEqual([await another.name, begun.length], ['map 1', 2]);
});

test('a map that failed is made again; one that only one of two stopped waiting for goes on', async () => {
  const { begun, named } = made();
  const failed = named(TSNE);
  begun[0].fail();
  await assert.rejects(failed.name, /no/);
  const halt = new AbortController();
  const [stopped, waits] = [named(TSNE, halt.signal), named(TSNE)];
  assert.equal(begun.length, 2);
  halt.abort();
  await assert.rejects(stopped.name, { code: 'cancelled' });
  assert.equal(begun[1].signal.aborted, false);
  begun[1].end();
  assert.equal(await waits.name, 'map 1');
});

test('a map that no one waits for any more is not made', async () => {
  const { begun, named } = made();
  const halt = new AbortController();
  const { name } = named(TSNE, halt.signal);
  halt.abort();
  await assert.rejects(name, { code: 'cancelled' });
  await settled();
  assert.equal(begun[0].signal.aborted, true);
  const again = named(TSNE);
  begun[1].end();
  assert.equal(await again.name, 'map 1');
});
