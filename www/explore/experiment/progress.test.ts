// How far an experiment is, of what the core has counted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressSaid } from './progress.js';
import type { Run } from './running.js';
import { key } from './running.js';

/** A run of two methods with so many numbers of each, under one of the splits. */
function run(numbers: [number, number], size: Run['size'], is: Run['is'] = 'stopped'): Run {
  const methods = ['none', 'lore'];
  const cells = Array.from({ length: numbers[0] + numbers[1] }, () => ({}));
  const squares = {
    divisions: ['seed 1'],
    numbers: new Map(methods.map((id, i) => [key(id, 'seed 1'), numbers[i]])),
  };
  return { is, spec: { methods: methods.map((id) => ({ id })) }, squares, cells, size, share: 0, seconds: 0 } as never;
}

test('fits are counted where each method has one, and numbers where some have several', () => {
  assert.equal(
    progressSaid(run([3, 2], { fits: [1, 1], splits: 4, numbers: 3 })),
    'Incomplete: 0 of 4 splits, 1 of 8 fits',
  );
  assert.equal(
    progressSaid(run([3, 3], { fits: [1, 1], splits: 4, numbers: 3 })),
    'Incomplete: 1 of 4 splits, 2 of 8 fits',
  );
  assert.equal(
    progressSaid(run([3, 3], { fits: [1, 2], splits: 4, numbers: 3 })),
    'Incomplete: 0 of 4 splits, 6 of 36 numbers',
  );
});

test('before the core has counted, no number is guessed', () => {
  assert.equal(progressSaid(run([0, 0], null, 'running')), 'Planning');
  assert.equal(progressSaid(run([2, 0], null)), 'Incomplete: 2 numbers');
});
