// The smallest count that may leave the page.

import { codedError } from '../engine/fault.js';
import { panels } from './store.js';

/** The setting of the report, which holds for every file, figure and table that is saved or copied; none: nothing is withheld. */
export const least = (): number | undefined => (panels.value.report as { suppress?: number } | undefined)?.suppress;

/** The same as an option of an export. */
export const leastCount = (): { suppress?: number } => {
  const suppress = least();
  return suppress ? { suppress } : {};
};

/** Why something is not saved: it does not state which of its parts were computed from few rows. */
export const withheld = (what: string, suppress: number): Error =>
  codedError({
    code: 'too_few_rows',
    message: `Counts below ${suppress} are suppressed: ${what} is not saved, since parts of it may be based on fewer rows.`,
    hint: 'The report contains what may be released; its settings set the smallest count.',
  });
