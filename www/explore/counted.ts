// Questions that counts of rows cannot answer.

import { offerOf } from '../engine/localcal.js';
import { open } from '../state/store.js';

/** Questions whose answers are sums over the cells of the score. */
const FROM_COUNTS = ['finding', 'reliability', 'scorecard', 'groups'];

/** Why a question needs a file of rows; undefined: the open file answers it. */
export function needsRows(kind: string): string | undefined {
  const data = open.value?.data;
  // nothing can be fitted to counts: they alone are offered no method
  const counted = data && offerOf(data).methods.length === 0;
  return counted && !FROM_COUNTS.includes(kind)
    ? 'This analysis needs the rows, and the open file contains counts of them. Open a random sample of the rows.'
    : undefined;
}
