// Whether the window has room for the list beside the panel, and for a second panel.

import { signal } from '@preact/signals';

function matches(query: string) {
  const media = matchMedia(query);
  const now = signal(media.matches);
  media.addEventListener('change', () => (now.value = media.matches));
  return now;
}

/** One panel fills the window, and the list is folded. */
export const narrow = matches('(max-width: 900px)');
/** Two panels stand side by side. */
export const wide = matches('(min-width: 1200px)');
