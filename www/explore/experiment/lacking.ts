// What an experiment will take, as the core plans it, before anything runs.

import { useEffect, useState } from 'preact/hooks';
import { open } from '../../state/store.js';
import { EXPERIMENT } from '../../state/experiment.js';
import { othersOf } from '../files.js';

/** Milliseconds without a change after which the core is asked. */
const CALM = 500;

interface PlannedCost {
  asked: string;
  lacking?: { numbers: number; fits: number; cost: number };
  size?: wasm_bindgen.ExperimentSize;
  error?: unknown;
}

/** How large an experiment is and what it will take, or why it cannot be done; null: not known yet. */
export function useLacking(asked: string, ready: boolean): PlannedCost | null {
  const [told, setTold] = useState<PlannedCost | null>(null);
  const data = open.value?.data;
  const others = othersOf(EXPERIMENT);
  useEffect(() => {
    if (!data || !ready) return;
    const { signal, abort } = stopping();
    const timer = setTimeout(async () => {
      const spec = JSON.parse(asked);
      try {
        const { lacking, size } = await data.experiment(spec, {
          run: false,
          signal,
          ...(spec.divisions?.files && { others }),
        });
        if (!signal.aborted) setTold({ asked, lacking, size });
      } catch (error) {
        if (!signal.aborted) setTold({ asked, error });
      }
    }, CALM);
    return () => {
      clearTimeout(timer);
      abort();
    };
  }, [asked, data, ready, others.length]);
  return told?.asked === asked ? told : null;
}

function stopping() {
  const control = new AbortController();
  return { signal: control.signal, abort: () => control.abort() };
}

/** "about 2 min". */
export function lastingSaid(seconds: number): string {
  if (seconds < 10) return 'a few seconds';
  return seconds < 90 ? `about ${10 * Math.round(seconds / 10)} s` : `about ${Math.round(seconds / 60)} min`;
}
