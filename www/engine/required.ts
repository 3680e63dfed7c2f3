// What the page needs of a browser, and which browsers have it.

import { codedError } from './pool.js';
import type { CodedError } from './pool.js';

/** The oldest browsers in which everything works and looks as it should; a test of the built page goes without what is newer. */
export const WORKS_IN = 'LoCal works in Chrome or Edge 123, Firefox 121 and Safari 17.5, and in later ones.';

/** Names of what nothing can be computed without, and what for. */
const REQUIRED: [name: string, purpose: string][] = [
  ['WebAssembly', 'in which the numbers are computed'],
  ['DecompressionStream', 'with which the page unpacks its program'],
  ['Worker', 'in which the numbers are computed while the page answers'],
];

/** Why nothing can be computed in this browser, if so. */
export function unsupported(scope: object = globalThis): CodedError | null {
  const lacking = REQUIRED.filter(([name]) => (scope as Record<string, unknown>)[name] === undefined);
  if (lacking.length === 0) return null;
  const named = lacking.map(([name, purpose]) => `no ${name}, ${purpose}`).join('; ');
  const off =
    'Settings that protect the device, such as Lockdown Mode, can switch WebAssembly off: allow it for this page.';
  return codedError({
    code: 'unsupported_browser',
    message: `This browser cannot run LoCal: it has ${named}.`,
    hint: lacking.some(([name]) => name === 'WebAssembly') ? `${WORKS_IN} ${off}` : WORKS_IN,
  });
}
