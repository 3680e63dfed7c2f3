// The list of what is running: one line each, with real progress and a way to cancel. Esc cancels all of it.

import { byId, el } from '../dom.js';
import { announce } from './message.js';

/** @typedef {import('../engine/pool.js').Progress} Progress */
/** @typedef {{ signal: AbortSignal, onProgress: (progress: Progress) => void }} Watch */

/** @type {Set<AbortController>} */
const running = new Set();

/** Runs `work` with a line of its own. The line goes when the work ends; the live region says how it ended.
 * @template T @param {string} label @param {(watch: Watch) => Promise<T>} work @param {(result: T) => string} [done]
 * @returns {Promise<T>} */
export async function withLine(label, work, done = () => `${label}: done`) {
  const control = new AbortController();
  const bar = el('progress', { max: 1, 'aria-label': label });
  const now = el('span', { class: 'now' }, label);
  const share = el('span', { class: 'number share' });
  const line = el(
    'li',
    {},
    now,
    bar,
    share,
    el('button', { type: 'button', class: 'quiet', onclick: () => control.abort() }, 'Cancel'),
  );
  byId('lines').append(line);
  running.add(control);
  try {
    const result = await work({
      signal: control.signal,
      onProgress({ done: part, total, label: step }) {
        bar.value = total > 0 ? part / total : 0;
        now.textContent = step;
        share.textContent = `${Math.round(100 * bar.value)} %`;
      },
    });
    announce(done(result));
    return result;
  } catch (error) {
    if (control.signal.aborted) announce(`${label}: cancelled`);
    throw error;
  } finally {
    running.delete(control);
    line.remove();
  }
}

/** Cancels everything that is running; false when nothing was. */
export function cancelAll() {
  const any = running.size > 0;
  for (const control of running) control.abort();
  return any;
}
