import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentencesOf, unsaid } from './words.js';

test('numbers and names do not end a sentence', () => {
  const found = 'Underestimated by 31.3 percentage points where age ≥ 56 (p = 0.010).';
  assert.deepEqual(sentencesOf(`${found} All rows have an error of −10.4 pp.`), [
    found,
    'All rows have an error of −10.4 pp.',
  ]);
});

test('what was said is not said again', () => {
  const [rest, power] = ['No other subgroup is significant (44 tested).', 'Power was 80% for a gap of 13.7 points.'];
  assert.equal(unsaid(`${rest} ${power}`, `Overestimated for ward = ICU. ${rest}`), power);
  assert.equal(unsaid(power, `${rest} ${power}`), '');
  assert.equal(unsaid(power, ''), power);
});
