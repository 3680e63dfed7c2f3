// What went wrong is said until it is over, and nothing else takes it away.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clearErrors, failure, showError } from './message.js';

const fault = (code: string) => Object.assign(new Error('It is damaged.'), { code });
const said = () => failure.peek()?.error.code ?? null;

test('a run that begins takes away what the last one said, and not why a file was not opened', () => {
  showError(fault('memory'));
  clearErrors('files');
  assert.equal(said(), null);
  showError(fault('archive_unreadable'), [], 'files');
  clearErrors('files');
  assert.equal(said(), 'archive_unreadable');
  clearErrors();
  assert.equal(said(), null);
});

test('what was canceled, or is about data that were closed, is no failure', () => {
  for (const code of ['cancelled', 'closed']) showError(fault(code));
  assert.equal(said(), null);
});
