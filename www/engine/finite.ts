// Numbers of requests: JSON has no NaN and no Infinity and writes them as null, which would be read as an option that was
// left out. An option that withholds small counts would then withhold nothing.

import { codedError } from './fault.js';

/** What the core says of a number outside its bounds. */
const HINT = 'Omit it for the default, if it is optional.';

/**
 * Refuses a request that contains a number that is not finite, at any depth, as `invalid_option`. Columns, which may
 * contain such numbers, are typed arrays.
 */
export function refuseNotFinite(request: unknown) {
  const seen = new Set<unknown>(); // an object may contain itself
  const open: [name: string, value: unknown][] = [['The request', request]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [name, value] = next;
    if (typeof value === 'number' && !Number.isFinite(value))
      throw codedError({
        code: 'invalid_option',
        message: `${name} is ${value}; it must be a finite number.`,
        hint: HINT,
      });
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || seen.has(value)) continue;
    seen.add(value);
    const within: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
    // the items of a list are called after the list
    const list = Array.isArray(value);
    for (const [key, one] of within) open.push([list ? name : String(key), one]);
  }
}
