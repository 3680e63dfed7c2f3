// What is pointed at in one chart or table lights up in all that show it. Things are known by their name: the first
// line of a mark's card, the head of a table's row.

import { signal } from '@preact/signals';

/** The name of what is pointed at, or null. */
export const lit = signal<string | null>(null);

/** Listeners of what shows one thing. */
export const pointing = (name: string) => ({
  onPointerEnter: () => (lit.value = name),
  onPointerLeave: () => (lit.value = null),
});
