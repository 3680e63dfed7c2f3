import assert from 'node:assert/strict';
import { test } from 'node:test';
import { either } from './either.js';
import { WORKS_IN, unsupported } from './required.js';

const whole = { WebAssembly: {}, DecompressionStream: class {}, Worker: class {} };

test('what a browser lacks is named, with the browsers that have it', () => {
  assert.equal(unsupported(whole), null);
  const { code, message, hint } = unsupported({ ...whole, DecompressionStream: undefined })!;
  assert.equal(code, 'unsupported_browser');
  assert.equal(
    message,
    'This browser cannot run LoCal: it does not support DecompressionStream (used to unpack the program).',
  );
  assert.equal(hint, WORKS_IN);
  assert.match(unsupported({ ...whole, WebAssembly: undefined })!.hint, /Lockdown Mode/);
  assert.match(unsupported({ ...whole, Worker: undefined })!.message, /does not support Worker/);
});

for (const joins of [true, false])
  test(`signals are joined ${joins ? 'by the browser' : 'where the browser cannot'}`, () => {
    const { any } = AbortSignal;
    if (!joins) Object.assign(AbortSignal, { any: undefined });
    try {
      const [one, other] = [new AbortController(), new AbortController()];
      const both = either(one.signal, other.signal);
      const heard: unknown[] = [];
      both.addEventListener('abort', () => heard.push(both.reason));
      assert.equal(both.aborted, false);
      other.abort('other');
      one.abort('one');
      assert.deepEqual([both.aborted, both.reason, heard], [true, 'other', ['other']]);
      assert.equal(either(new AbortController().signal, one.signal).reason, 'one');
    } finally {
      Object.assign(AbortSignal, { any });
    }
  });
