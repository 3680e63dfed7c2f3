// What went wrong: what, where, and what to do. Never modal; focus moves to it.

import { byId, el, fill } from '../dom.js';

/** @typedef {{ label: string, act: () => void }} Remedy */

/**
 * A failure in the page's words, which name controls where a script's name options. @param {any} error @returns {{
 * message: string, hint: string }}
 */
export const said = (error) =>
  error?.page ?? { message: error instanceof Error ? error.message : String(error), hint: error?.hint ?? '' };

/** Shows a failure; a cancelled call is no failure. @param {any} error @param {Remedy[]} [remedies] */
export function showError(error, remedies = []) {
  if (error?.code === 'cancelled') return;
  const { message, hint } = said(error);
  const dismiss = el('button', { type: 'button', class: 'quiet', onclick: clearErrors }, 'Dismiss');
  const ways = remedies.map(({ label, act }) =>
    el(
      'button',
      {
        type: 'button',
        onclick: () => {
          clearErrors();
          act();
        },
      },
      label,
    ),
  );
  if (error?.code === 'panic')
    ways.push(el('button', { type: 'button', onclick: () => location.reload() }, 'Reload the page'));
  const box = el(
    'div',
    { class: 'alert', tabindex: -1 },
    el('p', {}, el('strong', {}, message)),
    hint && el('p', {}, hint),
    el('p', { class: 'row' }, ...ways, dismiss, error?.code && el('code', { class: 'muted' }, error.code)),
  );
  fill(byId('alerts'), box);
  box.focus();
}

export function clearErrors() {
  fill(byId('alerts'));
}

/** Says something once in the live region. @param {string} text */
export function announce(text) {
  byId('live').textContent = text;
}
