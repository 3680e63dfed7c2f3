// What went wrong: what, where, and what to do. Never modal; focus moves to it.

import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { failureOf, type Failure } from '../engine/fault.js';
import { Worded } from './worded.js';

export type Remedy = { label: string; act: () => void };

/** A failure in the page's words, which name controls where a script's name options. */
export function said(error: unknown): { message: string; hint: string } {
  const { page, message, hint = '' } = failureOf(error);
  return page ?? { message, hint };
}

/** What a failure is of: files that were not opened, which nothing but files can make good, or else. */
type Of = 'files' | 'else';
/** The last failure, until it is dismissed or over. */
export const failure = signal<{ error: Failure; ways: Remedy[]; of: Of } | null>(null);
const spoken = signal('');

/** Shows a failure; a call that was cancelled, or is about data that were closed meanwhile, is none. */
export function showError(thrown: unknown, ways: Remedy[] = [], of: Of = 'else') {
  const error = failureOf(thrown);
  if (error.code === 'cancelled' || error.code === 'closed') return;
  const reload = { label: 'Reload the page', act: () => location.reload() };
  failure.value = { error, ways: error.code === 'panic' ? [...ways, reload] : ways, of };
}

/** `but`: what is said of this stays. */
export function clearErrors(but?: Of) {
  if (failure.peek()?.of !== but) failure.value = null;
}

/** Says something once in the live region. */
export function announce(text: string) {
  // the same words a second time are heard only where the text is another
  spoken.value = spoken.peek() === text ? `${text}\u00a0` : text;
}

/** Shows it, with what can be done. */
export function Alerts() {
  const box = useRef<HTMLDivElement>(null);
  const now = failure.value;
  // at once: a moment later a person may be typing elsewhere already
  useLayoutEffect(() => box.current?.focus(), [now]);
  return (
    <div id="alerts" role="alert">
      {now && (
        // the code is for scripts; a person reads the sentence
        <div class="alert" data-code={now.error.code} tabIndex={-1} ref={box}>
          <Said error={now.error} />
          <p class="row">
            {now.ways.map(({ label, act }) => (
              <button
                type="button"
                key={label}
                onClick={() => {
                  clearErrors();
                  act();
                }}
              >
                {label}
              </button>
            ))}
            <button type="button" class="quiet" onClick={() => clearErrors()}>
              Dismiss
            </button>
          </p>
        </div>
      )}
    </div>
  );
}

/** A failure in two sentences: what happened, and what to do. */
export function Said({ error }: { error: unknown }) {
  const { message, hint } = said(error);
  return (
    <>
      <p>
        <strong>
          <Worded>{message}</Worded>
        </strong>
      </p>
      {hint && (
        <p>
          <Worded>{hint}</Worded>
        </p>
      )}
    </>
  );
}

/** Says what finished, to who does not see it. */
export const Live = () => (
  <p id="live" class="unseen" role="status">
    {spoken}
  </p>
);
