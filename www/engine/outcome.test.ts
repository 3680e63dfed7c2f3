// An outcome has the requested kind, or the call fails with an error that names both kinds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeOf } from './outcome.js';

test('an outcome of the kind that was asked for is that one, and any other is told', () => {
  const plan = { outcome: { kind: 'plan' as const, nodes: [] } };
  assert.equal(outcomeOf('plan', plan), plan.outcome);
  assert.throws(() => outcomeOf('report', plan), {
    code: 'internal',
    message: 'A fault in the program: “plan” was answered where “report” was asked for.',
    hint: 'Reload the page and open the file again.',
  });
  assert.throws(() => outcomeOf('plan', { outcome: null }), { code: 'internal', message: /“nothing” was answered/ });
});
