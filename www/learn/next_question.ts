// Who answers by keyboard goes on from the next question, or from what was answered last.

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Moves the focus within an element once `open`, what is asked in it, is another: to the question, which is read out with it,
 * and where none is left to the last prediction. A focus that is elsewhere by then stays there.
 */
export function useNextQuestion<T extends HTMLElement>(open: string): RefObject<T | null> {
  const place = useRef<T>(null);
  const before = useRef(open);
  useLayoutEffect(() => {
    if (before.current === open) return;
    before.current = open;
    const { current } = place;
    const at = document.activeElement;
    if (!current || (at && at !== document.body && !current.contains(at))) return;
    const predictions = current.querySelectorAll<HTMLElement>('.prediction');
    const next = current.querySelector<HTMLElement>('.ask') ?? predictions[predictions.length - 1];
    if (!next) return;
    next.tabIndex = -1;
    next.focus();
  }, [open]);
  return place;
}
