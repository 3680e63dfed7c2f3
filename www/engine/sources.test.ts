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

test('an entry without bytes or without a name is an error that says so', () => {
  for (const [entry, message] of [
    [{ name: 'a.csv' }, '“a.csv” has no bytes.'],
    [{ name: 'a.csv', bytes: [1, 2] }, '“a.csv” has no bytes.'],
    [{ bytes: new Uint8Array(3) }, 'Entry 2 of the list has no name.'],
    [null, 'Entry 2 of the list has no bytes.'],
  ])
    assert.throws(() => sourcesOf([new File(['p,y'], 'b.csv'), entry]), { code: 'invalid_option', message });
});
