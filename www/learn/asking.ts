// Asks the core for a screen, always for the last state only: what a person drags is drawn as fast as it is computed.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { labOf } from '../engine/localcal.js';
import { dark, density, enlargement, onThemeChange } from '../engine/theme.js';
import type { Drawn } from '../engine/outcome.js';
import { showError } from '../parts/message.js';

/** `request`: what it was asked with, which may be before what is asked now. */
export type LabScreen = {
  outcome: wasm_bindgen.LabAnswer;
  columns: Drawn['columns'];
  request: Record<string, unknown>;
};

/** What a chart may fill: its width in CSS pixels, device pixels to one of them, colors. */
export interface Room {
  width: number;
  dpr: number;
  dark: boolean;
}
/** Charts stand side by side from this width on; wider than the second number no chart is. */
const TWO = 680;
const WIDEST = 620;
const GAP = 24;
/** On a projector a chart is enlarged like the text, and stands on screen whole: so much of its height is its width. */
const SEEN = 0.53;

/** Measures an element: the room of a chart in it, and how many stand side by side. */
export function useRoom(single: boolean) {
  const element = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<Room>({ width: 0, dpr: 1, dark: dark() });
  useLayoutEffect(() => {
    const measure = () => {
      const { current } = element;
      setRoom({ width: current?.clientWidth ?? 0, dpr: density(current), dark: dark() });
    };
    const watch = new ResizeObserver(measure);
    if (element.current) watch.observe(element.current);
    const calm = onThemeChange(measure);
    return () => {
      watch.disconnect();
      calm();
    };
  }, []);
  const across = !single && room.width >= TWO ? 2 : 1;
  const seen = Math.round((SEEN * innerHeight) / enlargement(element.current));
  const most = single ? Math.min(WIDEST, seen) : WIDEST;
  const width = Math.min(most, Math.floor((room.width - GAP * (across - 1)) / across));
  return { element, across, room: { ...room, width } };
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
