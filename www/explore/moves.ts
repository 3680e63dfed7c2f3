// What moves the window that all maps show: at once as a draft, in full when it rests. Each move goes on from the window
// that was asked for last, which may not be drawn yet.

import type { Place, Window } from './map_window.js';
import { frame } from './map_window.js';

/** The window never gets narrower than this share of the whole. */
const NARROWEST = 1e-5;
/** Milliseconds after which a window rests. */
const REST = 250;

let settling: ReturnType<typeof setTimeout> | undefined;

/** Moves of the window of a map. `map`: what is drawn, where anything is. */
export function movesOf(map: () => wasm_bindgen.MapState | null | undefined) {
  const whole = () => map()?.whole as Window | undefined;
  /** The window on screen. */
  const drawn = (): Window => (map()?.window as Window | undefined) ?? [0, 1, 0, 1];
  /** The window that was asked for last. */
  const now = (): Window => frame.peek().window ?? whole() ?? drawn();
  function show(window: Window | null) {
    const all = whole();
    const covers =
      window && all && window[1] - window[0] >= all[1] - all[0] && window[3] - window[2] >= all[3] - all[2];
    frame.value = { window: covers ? null : window, moving: true };
    clearTimeout(settling);
    settling = setTimeout(() => (frame.value = { ...frame.peek(), moving: false }), REST);
  }
  /** `by`: a factor on the width of the window; `about`: what stays where it is. */
  function zoom(by: number, about?: Place) {
    const [x0, x1, y0, y1] = now();
    const all = whole();
    if (!all || (by < 1 && (x1 - x0) * by < NARROWEST * (all[1] - all[0]))) return;
    const [x, y] = about ?? [(x0 + x1) / 2, (y0 + y1) / 2];
    show([x + (x0 - x) * by, x + (x1 - x) * by, y + (y0 - y) * by, y + (y1 - y) * by]);
  }
  /** In widths of the window. */
  function move(across: number, up: number, [x0, x1, y0, y1] = now()) {
    const [dx, dy] = [across * (x1 - x0), up * (y1 - y0)];
    show([x0 + dx, x1 + dx, y0 + dy, y1 + dy]);
  }
  return { drawn, now, show, zoom, move };
}
