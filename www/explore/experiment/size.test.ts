// What an experiment will be is the core's count of it, in words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeSaid } from './size.js';

const of = (methods: string[], metrics: string[]) => ({ methods: methods.map((id) => ({ id })), metrics });

test('before the core has counted, what is chosen is said', () => {
  assert.equal(sizeSaid(of(['none', 'lore'], ['nll'])), '2 methods × 1 metric');
});

test('fits and numbers are told where they are more than methods and metrics', () => {
  const chosen = of(['none', 'lore'], ['nll', 'mlce']);
  assert.equal(sizeSaid(chosen, { fits: [1, 1], splits: 5, numbers: 2 }), '2 methods × 5 splits × 2 metrics');
  assert.equal(
    sizeSaid(chosen, { fits: [1, 4], splits: 1, numbers: 14 }),
    '2 methods (5 fits with spaces and settings) × 1 split × 2 metrics (14 numbers with spaces and settings)',
  );
});

test('a grid of methods is told by its sides', () => {
  const grid = ['beta', 'platt'].flatMap((base) => [base, `${base}+lore`]);
  const size = { fits: [1, 1, 1, 1], splits: 2, numbers: 1 };
  assert.equal(sizeSaid(of(grid, ['nll']), size), '2 bases × 2 second methods × 2 splits × 1 metric');
});
