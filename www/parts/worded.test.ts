// A name, a sign and a value stay together; the end of a long name does not draw them along.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMPARED } from './worded.js';

test('a comparison is one piece, of whole words', () => {
  assert.deepEqual('for ward = ICU and age ≥ 60 alone'.split(COMPARED), [
    'for ',
    'ward = ICU',
    ' and ',
    'age ≥ 60',
    ' alone',
  ]);
  assert.deepEqual('for department_of_the_hospital = ICU'.split(COMPARED), [
    'for department_of_the_hospital ',
    '= ICU',
    '',
  ]);
});
