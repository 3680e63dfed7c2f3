// An answer with figures as wide as there is room: where that or the screen changes, the core draws them again.

import { state } from '../state.js';
import { dark } from '../engine/theme.js';

/** Widths that differ by no more CSS pixels are the same. */
const SLACK = 4;

/** What the colours and pixels of a picture hang on. */
const look = () => `${dark()} ${devicePixelRatio}`;

/** Answers for any width; for that of before at once. Where it cannot be drawn again the last answer stays, and where
 * another run was made meanwhile: it would be drawn from that one.
 * @template T @param {T} answer @param {object} report of the run that it is about
 * @param {number} width it was drawn in @param {(width: number) => Promise<T>} ask
 * @returns {(width: number) => Promise<T>} */
export function fitted(answer, report, width, ask) {
  let last = /** @type {Promise<T>} */ (Promise.resolve(answer));
  let looked = look();
  return (room) => {
    if (report === state.report && room > 0 && (Math.abs(room - width) > SLACK || looked !== look())) {
      [width, looked] = [room, look()];
      last = last.then((before) => ask(room).catch(() => before));
    }
    return last;
  };
}
