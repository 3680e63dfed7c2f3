// An answer with figures as wide as there is room: where that or the screen changes, the core draws them again.

import { dark } from '../engine/theme.js';
import { report } from '../state/store.js';

/** Widths that differ by no more CSS pixels are the same. */
const SLACK = 4;

/** What the colors and pixels of a picture depend on. */
const look = () => `${dark()} ${devicePixelRatio}`;

/**
 * Answers for any width; for that of before at once. Where it cannot be drawn again the last answer stays, and where
 * another run was made meanwhile: it would be drawn from that one. `of`: the run that the answer is about; `width`:
 * what it was drawn in.
 */
export function fitted<T>(answer: T, of: object, width: number, ask: (width: number) => Promise<T>) {
  let last = (async () => answer)() as Promise<T>;
  let looked = look();
  return (room: number): Promise<T> => {
    if (of === report.value && room > 0 && (Math.abs(room - width) > SLACK || looked !== look())) {
      [width, looked] = [room, look()];
      last = last.then((before) => ask(room).catch(() => before));
    }
    return last;
  };
}
