// The window of the maps goes on from what was asked for last, whatever is drawn so far.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { movesOf } from './moves.js';
import { frame, wholeMap } from './map_window.js';

/** A map that is drawn whole, and not yet in any other window. */
const drawn = { window: [0, 16, 0, 16], whole: [0, 16, 0, 16] } as unknown as wasm_bindgen.MapState;
const moves = movesOf(() => drawn);
const asked = () => frame.peek().window;

beforeEach(wholeMap);

test('two zooms before the map is drawn anew are two', () => {
  moves.zoom(0.5);
  assert.deepEqual(asked(), [4, 12, 4, 12]);
  moves.zoom(0.5);
  assert.deepEqual(asked(), [6, 10, 6, 10]);
  moves.zoom(2);
  assert.deepEqual(asked(), [4, 12, 4, 12]);
});

test('a step to the side goes on from the zoom before it', () => {
  moves.zoom(0.5);
  moves.move(0.25, 0);
  moves.move(0.25, -0.5);
  assert.deepEqual(asked(), [8, 16, 0, 8]);
});

test('after the whole map was asked for, a zoom begins with that', () => {
  const near = movesOf(() => ({ ...drawn, window: [4, 12, 4, 12] }));
  near.show(null);
  near.zoom(0.5);
  assert.deepEqual(asked(), [4, 12, 4, 12]);
});

test('what covers everything is the whole map, and nothing is narrower than can be seen', () => {
  moves.zoom(2);
  assert.equal(asked(), null);
  for (let i = 0; i < 40; i += 1) moves.zoom(0.5);
  const [left, right] = asked() as number[];
  assert.ok(right - left > 0);
});
