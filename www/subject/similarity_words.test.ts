// Similarity in a line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bandwidthInWords, kernelInWords } from './similarity_words.js';

test('of the usual kernel the bandwidth says enough, of another its name is needed', () => {
  assert.equal(kernelInWords('laplacian', 0.391), 'Laplacian, γ = 0.39');
  assert.equal(bandwidthInWords('laplacian', 0.391), 'γ = 0.39');
  assert.equal(bandwidthInWords('laplacian', undefined), 'Laplacian');
  assert.equal(bandwidthInWords('group', 0.391), kernelInWords('group', 0.391));
});
