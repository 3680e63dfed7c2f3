// Arguments of the scripted interface, checked before anything is done with them.

import { codedError } from './fault.js';

const kindOf = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : `of type ${typeof value}`;

/** The options of a call: none where nothing is passed; an Error with code and hint for what is no object. */
export function optionsOf<T extends object>(options: T | undefined, call: string): T {
  if (options === undefined) return {} as T;
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options;
  throw codedError({
    code: 'invalid_option',
    message: `The options of ${call} are ${kindOf(options)}; they must be an object.`,
    hint: 'Omit them for the defaults.',
  });
}
