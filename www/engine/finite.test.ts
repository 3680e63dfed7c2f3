import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseNotFinite } from './finite.js';

test('a number that JSON would write as null is refused by the name of its option', () => {
  for (const [name, request] of [
    ['suppress', { kind: 'export_report', suppress: NaN }],
    ['suppress', { kind: 'plan_withheld', request: { groups: {} }, suppress: -Infinity }],
    ['seed', { kind: 'plan', request: { seed: NaN } }],
    ['gamma', { kind: 'plan', request: { local: { gamma: Infinity } } }],
    ['range', { kind: 'plan', request: { methods: [{ id: 'bbq', parameters: { range: [1, Infinity] } }] } }],
    ['seed', new Map([['seed', NaN]])],
  ] as const)
    assert.throws(() => refuseNotFinite(request), {
      code: 'invalid_option',
      message: new RegExp(`^${name} is (NaN|-?Infinity); it must be a finite number\\.$`),
    });
});

test('any other request passes, also one that contains itself', () => {
  const round: Record<string, unknown> = { suppress: 10, none: null, left: undefined, text: 'NaN' };
  round.itself = [round, round];
  refuseNotFinite(round);
  refuseNotFinite({ column: Float64Array.of(NaN) });
  refuseNotFinite(Uint8Array.of(1));
  refuseNotFinite(undefined);
});
