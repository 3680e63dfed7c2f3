// A table of texts that the core has formatted.

import { el } from '../dom.js';

/** @typedef {{ name: string, number?: boolean }} Head */
/** @typedef {{ cells: (string | Node)[], id?: string }} Row */

/** @param {{ caption: string, heads: Head[], rows: Row[], onPick?: (id: string) => void, picked?: string }} table */
export function tableView({ caption, heads, rows, onPick, picked }) {
  const kind = (/** @type {number} */ j) => (heads[j]?.number ? 'number' : null);
  const cell = (/** @type {string | Node} */ content, /** @type {number} */ j, /** @type {Row} */ row) => {
    if (j > 0) return el('td', { class: kind(j) }, content);
    const { id } = row;
    const pick = onPick && id !== undefined;
    return el(
      'th',
      { scope: 'row' },
      pick
        ? el(
            'button',
            { type: 'button', class: 'link', 'aria-pressed': id === picked, onclick: () => onPick(id) },
            content,
          )
        : content,
    );
  };
  return el(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': caption },
    el(
      'table',
      {},
      el('caption', {}, caption),
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ...heads.map((head, j) =>
            el('th', { scope: 'col', class: kind(j) }, head.name || el('span', { class: 'unseen' }, 'of')),
          ),
        ),
      ),
      el(
        'tbody',
        {},
        ...rows.map((row) =>
          el(
            'tr',
            { class: row.id !== undefined && row.id === picked ? 'picked' : null },
            ...row.cells.map((content, j) => cell(content, j, row)),
          ),
        ),
      ),
    ),
  );
}
