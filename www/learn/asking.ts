// Asks the core for a screen, always for the last state only: what a person drags is drawn as fast as it is computed.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { labOf } from '../engine/localcal.js';
import { dark, onThemeChange } from '../engine/theme.js';
import type { Drawn } from '../parts/figure.js';
import { showError } from '../parts/message.js';

/** `request`: what it was asked with, which may be before what is asked now. */
export type LabScreen = {
  outcome: wasm_bindgen.LabAnswer;
  columns: Drawn['columns'];
  request: Record<string, unknown>;
};

/** Where charts go: the width of one of them in CSS pixels, and how many stand side by side. */
export interface Room {
  width: number;
  across: number;
  dark: boolean;
}
/** Charts stand side by side from this width on; wider than the second number no chart is. */
const TWO = 680;
const WIDEST = 620;
const GAP = 24;
/** On a projector a chart is enlarged like the text, and stands on screen whole: so much of its height is its width. */
const ENLARGED = 1.6;
const SEEN = 0.62;

/** Measures an element. */
export function useRoom(single: boolean) {
  const element = useRef<HTMLDivElement>(null);
  const [{ width, isDark }, setRoom] = useState({ width: 0, isDark: dark() });
  useLayoutEffect(() => {
    const measure = () => setRoom({ width: element.current?.clientWidth ?? 0, isDark: dark() });
    const watch = new ResizeObserver(measure);
    if (element.current) watch.observe(element.current);
    const calm = onThemeChange(measure);
    return () => {
      watch.disconnect();
      calm();
    };
  }, []);
  const across = !single && width >= TWO ? 2 : 1;
  const most = single ? Math.min(WIDEST, Math.round((SEEN * innerHeight) / ENLARGED)) : WIDEST;
  const each = Math.min(most, Math.floor((width - GAP * (across - 1)) / across));
  return { element, room: { width: each, across, dark: isDark } };
}

/** Whether what is shown is still of another state than the one that is asked for. */
export const isBusy = (shown: LabScreen | null, request: Record<string, unknown> | null) =>
  request !== null && JSON.stringify(shown?.request) !== JSON.stringify(request);

/** The screen for a request; null as long as there is none yet, or nothing to ask. */
export function useShown(request: Record<string, unknown> | null) {
  const [shown, setShown] = useState<LabScreen | null>(null);
  const key = request && JSON.stringify(request);
  const state = useRef({ wanted: key, asked: null as string | null, busy: false, gone: false });
  state.current.wanted = key;
  useLayoutEffect(() => {
    state.current.gone = false;
    return () => void (state.current.gone = true);
  }, []);
  useLayoutEffect(() => {
    const now = state.current;
    const run = async () => {
      if (now.busy || now.gone || now.wanted === null || now.wanted === now.asked) return;
      now.busy = true;
      now.asked = now.wanted;
      try {
        const request = JSON.parse(now.wanted);
        const { outcome, columns } = await labOf(request);
        if (!now.gone) setShown({ outcome, columns, request });
      } catch (error) {
        showError(error);
      } finally {
        now.busy = false;
      }
      await run();
    };
    void run();
  }, [key]);
  return shown;
}
