// A setting of a method is a field as the core describes it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogue } from '../../parts/catalogue.js';
import { taking } from './offered.js';

const [{ told }] = JSON.parse(readFileSync('tests/corpus/answers/open/described.json', 'utf8'));
catalogue.value = told;
const parameter = (method: string, setting: string): wasm_bindgen.DescribedParameter =>
  told.methods
    .find(({ id }: { id: string }) => id === method)
    .parameters.find(({ name }: { name: string }) => name === setting);

test('a number has both its bounds, and says whether it must be whole', () => {
  assert.deepEqual(taking(parameter('platt', 'prob_clip')), {
    is: 'number',
    bounds: parameter('platt', 'prob_clip').kind['number' as never],
  });
  assert.deepEqual(taking(parameter('histogram', 'bins')), {
    is: 'number',
    bounds: { low: 1, high: 1000, whole: true },
  });
});
