// What is made of two builds that were measured in turn.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ratios } from './bench_ratios.mjs';

test('two builds are compared by their best and their median, where both could be measured', () => {
  const row = (/** @type {string} */ what, /** @type {number} */ median, /** @type {number} */ low) => ({
    what,
    median,
    low,
  });
  const rounds = [
    { before: [row('sums', 100, 80)], now: [row('sums', 60, 50), row('new question', 5, 4)] },
    { before: [row('sums', 400, 300)], now: [row('sums', 70, 40)] },
    { before: [row('sums', 120, 90)], now: [row('sums', 90, 55)] },
  ];
  assert.deepEqual(ratios(rounds), [
    {
      what: 'sums',
      before: { best: 80, median: 120 },
      now: { best: 40, median: 70 },
      best: 0.5,
      median: 70 / 120,
    },
  ]);
});
