// The smallest count that may leave the page.

import { codedError } from '../engine/pool.js';
import { panels } from './store.js';

/** The setting of the report, which holds for every file, figure and table that is saved or copied; none: nothing is withheld. */
export const least = (): number | undefined => (panels.value.report as { suppress?: number } | undefined)?.suppress;

/** The same as an option of an export. */
export const leastCount = (): { suppress?: number } => {
  const suppress = least();
  return suppress ? { suppress } : {};
};

/** Why something is not saved: nobody can say what in it was computed from few rows. */
export const withheld = (what: string, suppress: number): Error =>
  codedError({
    code: 'too_few_rows',
    message: `Counts below ${suppress} are withheld: ${what} is not saved, for it may tell of fewer rows.`,
    hint: 'The report holds what may be told; its settings say which counts are withheld.',
  });
