import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionsOf } from './arguments.js';

test('options are an object, or are left out', () => {
  const options = { seed: 1 };
  assert.equal(optionsOf(options, 'data.run'), options);
  assert.deepEqual(optionsOf(undefined, 'data.run'), {});
  for (const [wrong, kind] of [
    [null, 'null'],
    [[], 'a list'],
    ['groups', 'of type string'],
    [1, 'of type number'],
  ])
    assert.throws(() => optionsOf(wrong as unknown as object, 'data.run'), {
      code: 'invalid_option',
      message: `The options of data.run are ${kind}; they must be an object.`,
      hint: 'Omit them for the defaults.',
    });
});
