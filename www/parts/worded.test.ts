// A name, a sign and a value stay together, and a date; the end of a long name does not draw them along.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ONE_PIECE } from './worded.js';

test('a comparison is one piece, of whole words', () => {
  assert.deepEqual('for ward = ICU and age ≥ 60 alone'.split(ONE_PIECE), [
    'for ',
    'ward = ICU',
    ' and ',
    'age ≥ 60',
    ' alone',
  ]);
  assert.deepEqual('for department_of_the_hospital = ICU'.split(ONE_PIECE), [
    'for department_of_the_hospital ',
    '= ICU',
    '',
  ]);
});

test('a date is one piece with the mark behind it, and a range of numbers is none', () => {
  assert.deepEqual('admitted from 2025-03-24: 1000-2000'.split(ONE_PIECE), [
    'admitted from ',
    '2025-03-24:',
    ' 1000-2000',
  ]);
});
