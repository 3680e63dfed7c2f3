import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourcesOf } from './sources.js';

test('a call without files is an error with a code and a hint', () => {
  for (const none of [undefined, null, [], {}, 'a.csv', new File([], 'a.csv')])
    assert.throws(() => sourcesOf(none), {
      code: 'empty',
      message: 'No file was given.',
      hint: /localcal\.open\(\[file\]\)/,
    });
});

test('bytes with a name are a file', () => {
  const file = new File(['p,y'], 'a.csv');
  const [one, two] = sourcesOf([file, { name: 'b.csv', bytes: new Uint8Array(3) }]);
  assert.equal(one, file);
  assert.deepEqual([two.name, two.size], ['b.csv', 3]);
});
