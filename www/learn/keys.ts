// Keys of the lab. A letter or a digit is a command only where the question is: who is at a link of the head may mean
// another one, and speech input types letters.

const at = (target: EventTarget | null, places: string) => (target as Element | null)?.closest?.(places) != null;

/** Places with keys of their own. */
const FIELDS = 'input, select, textarea, [role="slider"]';

/** Whether letters and digits answer the question of the screen: the focus is nowhere, or in it and in no field. */
export const answersByKey = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  !(ctrlKey || metaKey || altKey) && (target === document.body || at(target, '.screen')) && !at(target, FIELDS);

/** Whether arrow keys go through the screens: the focus is nowhere, or in the lab and at nothing with arrow keys. */
export const leadsOnByKey = ({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent) =>
  !(ctrlKey || metaKey || altKey || defaultPrevented) &&
  (target === document.body || at(target, '.learn')) &&
  !at(target, `${FIELDS}, canvas`);

/** Lets go of a link or a button that a pointer has used, so that the keys that follow are those of the screen. */
export function releaseFocus() {
  const used = document.activeElement as HTMLElement | null;
  if (used?.matches('a, button') && !used.matches(':focus-visible')) used.blur();
}
