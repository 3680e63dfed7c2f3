// Browser features that the page requires, and the browsers that have them.

import { codedError } from './fault.js';
import type { CodedError } from './fault.js';

/** The oldest browsers in which everything works; a test of the built page avoids newer features. */
export const WORKS_IN = 'LoCal requires Chrome or Edge 123, Firefox 121, Safari 17.5, or later.';

/** Features without which nothing can be computed, and their purpose. */
const REQUIRED: [name: string, purpose: string][] = [
  ['WebAssembly', 'used for all computation'],
  ['DecompressionStream', 'used to unpack the program'],
  ['Worker', 'used for computation in the background'],
];

/** Why nothing can be computed in this browser; null if it can. */
export function unsupported(scope: object = globalThis): CodedError | null {
  const lacking = REQUIRED.filter(([name]) => (scope as Record<string, unknown>)[name] === undefined);
  if (lacking.length === 0) return null;
  const named = lacking.map(([name, purpose]) => `${name} (${purpose})`).join(' and ');
  const off = 'Protective settings such as Lockdown Mode can disable WebAssembly. Allow it for this page.';
  return codedError({
    code: 'unsupported_browser',
    message: `This browser cannot run LoCal: it does not support ${named}.`,
    hint: lacking.some(([name]) => name === 'WebAssembly') ? `${WORKS_IN} ${off}` : WORKS_IN,
  });
}
