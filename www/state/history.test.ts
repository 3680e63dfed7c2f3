import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeline } from './history.js';

/** A history of one number. */
function made() {
  let now = 0;
  const history = timeline(
    () => ({ now }),
    (to) => (now = to.now),
    JSON.stringify,
  );
  return {
    ...history,
    now: () => now,
    to(next: number) {
      history.record();
      now = next;
    },
  };
}

test('what was chosen comes back, one step after the other, and goes again', () => {
  const { to, undo, redo, now, canUndo, canRedo } = made();
  assert.deepEqual([canUndo.value, canRedo.value], [false, false]);
  to(1);
  to(2);
  undo();
  assert.equal(now(), 1);
  undo();
  assert.deepEqual([now(), canUndo.value, canRedo.value], [0, false, true]);
  redo();
  redo();
  assert.deepEqual([now(), canUndo.value, canRedo.value], [2, true, false]);
});

test('nothing happens where there is nothing to take back', () => {
  const { undo, redo, now } = made();
  undo();
  redo();
  assert.equal(now(), 0);
});

test('a step that changed nothing is passed over', () => {
  const { to, undo, now } = made();
  to(1);
  to(1);
  to(1);
  undo();
  assert.equal(now(), 0);
});

test('who chooses something after going back begins anew from there', () => {
  const { to, undo, redo, now, canRedo } = made();
  to(1);
  to(2);
  undo();
  to(3);
  assert.equal(canRedo.value, false);
  redo();
  assert.equal(now(), 3);
  undo();
  assert.equal(now(), 1);
});

test('the oldest steps are forgotten beyond two hundred', () => {
  const { to, undo, now, canUndo } = made();
  for (let i = 1; i <= 250; i += 1) to(i);
  let steps = 0;
  for (; canUndo.value; steps += 1) undo();
  assert.deepEqual([steps, now()], [200, 50]);
});

test('what was asked for and came to nothing leaves no step, and those before it stay', () => {
  const { to, undo, now, settle, record, canUndo } = made();
  to(1);
  record(); // 2 is asked for, and 3 after it; both are refused
  settle();
  undo();
  assert.equal(now(), 0);
  assert.equal(canUndo.value, false);
  settle();
  assert.equal(canUndo.value, false);
});
