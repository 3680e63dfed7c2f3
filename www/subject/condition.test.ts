// Conditions on rows: what is written is what is meant, and is read back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, textOf } from './condition.js';

const column = 'site';

test('a value that only begins like "not" is a value', () => {
  assert.deepEqual(conditionOf(column, 'Nottingham'), { column, values: ['Nottingham'] });
  assert.deepEqual(conditionOf(column, 'not Nottingham, Leeds'), { column, not: ['Nottingham', 'Leeds'] });
  assert.deepEqual(conditionOf(column, '≠ICU'), { column, not: ['ICU'] });
});

test('ranges and halves of them', () => {
  assert.deepEqual(conditionOf(column, '60 to 69'), { column, from: 60, to: 69 });
  assert.deepEqual(conditionOf(column, '60 to <70'), { column, from: 60, below: 70 });
  assert.deepEqual(conditionOf(column, '≥ 2024-03'), { column, from: '2024-03' });
  assert.deepEqual(conditionOf(column, '< 2024-03-01'), { column, before: '2024-03-01' });
});

test('every list of values is read back as it was', () => {
  for (const values of [
    ['a', 'b'],
    ['a, b'],
    ['18 to 34'],
    ['18 to 34', 'x'],
    ['not known'],
    ['missing'],
    [' x '],
    ['say "x"', ''],
    ['≥ 5', 'a,b'],
  ]) {
    const text = textOf({ column, values });
    assert.deepEqual(conditionOf(column, text), { column, values }, text);
    assert.deepEqual(conditionOf(column, textOf({ column, not: values })), { column, not: values }, text);
  }
});
