// A file of counts: rows that were counted elsewhere, by cells of the score. Much of the page needs the rows themselves.

import { computed } from '@preact/signals';
import { offerOf } from '../engine/localcal.js';
import { open } from './store.js';

/** Whether the open file contains counts: nothing can be fitted to them, and they alone are offered no method. */
export const counted = computed(() => open.value !== null && offerOf(open.value.data).methods.length === 0);

/** Questions of Explore whose answers are sums over the cells of the score. */
const FROM_COUNTS = ['finding', 'reliability', 'scorecard', 'groups'];

/** Why something needs a file of rows. */
export const rowsNeeded = (what: string) =>
  `${what} needs the rows, and the open file contains counts of them. Open a random sample of the rows.`;

/** Why a question of Explore needs a file of rows; undefined: the open file answers it. */
export const needsRows = (kind: string): string | undefined =>
  counted.value && !FROM_COUNTS.includes(kind) ? rowsNeeded('This analysis') : undefined;
