// The list of what is running: one line each, with real progress and a way to cancel. Esc cancels all of it.

import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Progress } from '../engine/pool.js';
import { announce } from './message.js';

export type Watching = { signal: AbortSignal; onProgress: (progress: Progress) => void };
type Line = { id: number; label: string; now: string; share: number; control: AbortController };

const lines = signal<Line[]>([]);
let numbered = 0;

/** Milliseconds for which the line of completed work stays: the next step often follows at once and takes its place. */
const KEPT = 300;
/** The line of the work that was completed last, for a moment. */
const completed = signal<Line | null>(null);
function keepFor(line: Line | undefined) {
  if (!line) return;
  completed.value = line;
  setTimeout(() => completed.peek() === line && (completed.value = null), KEPT);
}

/** How the last work ended: further parts of it that end in the same way are not announced. */
let ended = '';
function announceNew(text: string) {
  if (text !== ended) announce(text);
  ended = text;
}

/** Runs `work` with a line of its own, which it can cancel itself. The line goes when the work ends; the live region says how
 * it ended. */
export async function withLine<T>(
  label: string,
  work: (watching: Watching, cancel: () => void) => Promise<T>,
  done: (result: T) => string = () => `${label}: complete`,
): Promise<T> {
  const control = new AbortController();
  const id = (numbered += 1);
  const change = (to: Partial<Line>) =>
    (lines.value = lines.peek().map((line) => (line.id === id ? { ...line, ...to } : line)));
  if (!ended.startsWith(label)) ended = '';
  lines.value = [...lines.peek(), { id, label, now: label, share: 0, control }];
  try {
    const onProgress = ({ done: part, total, label: now }: Progress) =>
      change({ now, share: total > 0 ? part / total : 0 });
    const result = await work({ signal: control.signal, onProgress }, () => control.abort());
    // work of several parts with one label is complete once
    if (!lines.peek().some((line) => line.id !== id && line.label === label)) announceNew(done(result));
    keepFor(lines.peek().find((line) => line.id === id));
    return result;
  } catch (error) {
    completed.value = null;
    if (control.signal.aborted) announce(`${label}: canceled`);
    throw error;
  } finally {
    lines.value = lines.peek().filter((line) => line.id !== id);
  }
}

/** Work of several steps, which has no line of its own between two of them. Each cancels it; false: it was over. */
const chains = new Set<() => boolean>();

/** Has `cancel` called when everything is canceled, as long as the component is on screen. */
export function useChain(cancel: () => boolean) {
  const latest = useRef(cancel);
  latest.current = cancel;
  useLayoutEffect(() => {
    const one = () => latest.current();
    chains.add(one);
    return () => void chains.delete(one);
  }, []);
}

/** Cancels everything that is running, or about to go on; false when nothing was. */
export function cancelAll() {
  const running = lines.peek();
  const under = [...chains].filter((cancel) => cancel());
  for (const { control } of running) control.abort();
  return running.length + under.length > 0;
}

/** What is running, at the foot of the window: nothing moves when it comes and goes. */
export function Lines() {
  const ended = lines.value.length === 0;
  const shown = ended && completed.value ? [completed.value] : lines.value;
  return (
    <ul id="lines" aria-label="Running">
      {shown.map(({ id, label, now, share, control }) => (
        <li key={ended ? 'ended' : id} class={ended ? 'ended' : undefined} aria-hidden={ended || undefined}>
          <span class="now">{now}</span>
          <progress max={1} value={ended ? 1 : share} aria-label={label} />
          <span class="number share">{ended ? 100 : Math.round(100 * share)}%</span>
          <button
            type="button"
            class="quiet"
            aria-label={`Cancel: ${label}`}
            disabled={ended}
            onClick={() => control.abort()}
          >
            Cancel
          </button>
        </li>
      ))}
    </ul>
  );
}
