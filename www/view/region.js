// A selected region: who is in it, how far off it is, and the ids of its rows.

import { el, fill, save } from '../dom.js';
import { showError } from './message.js';
import { tableView } from './table.js';

/** @typedef {import('../engine/localcal.js').Data} Data */

/** Names with values. @param {wasm_bindgen.Fact[]} facts */
export const factList = (facts) =>
  el(
    'dl',
    { class: 'facts' },
    ...facts.flatMap(({ name, value }) => [el('dt', {}, name), el('dd', { class: 'number' }, value)]),
  );

/** A text table of the core. @param {string} caption @param {wasm_bindgen.TextTable} table */
export const textTable = (caption, { columns, rows }) =>
  tableView({
    caption,
    heads: columns.map(({ title, align }) => ({ name: title, number: align === 'end' })),
    rows: rows.map((cells) => ({ cells })),
  });

/** A card that describes regions. @param {() => void} clear */
export function regionCard(clear) {
  const element = el('section', { class: 'region', hidden: true, 'aria-label': 'The selected region' });
  let asked = 0;

  /** @param {Data} data @param {Record<string, any> | null} request null: no region */
  async function show(data, request) {
    const mine = ++asked;
    if (!request) {
      element.hidden = true;
      return;
    }
    try {
      const found = await data.analyse('region', request);
      if (mine !== asked) return;
      element.hidden = false;
      fill(
        element,
        el('h3', {}, found.headline),
        el('p', {}, found.reading),
        factList(found.facts),
        found.distinguished_by.rows.length > 0 && textTable('What distinguishes these rows', found.distinguished_by),
        el(
          'p',
          { class: 'row' },
          el(
            'button',
            { type: 'button', class: 'quiet', id: 'region-rows', onclick: () => take(data, request).catch(showError) },
            'Row ids (CSV)',
          ),
          el('button', { type: 'button', class: 'quiet', onclick: clear }, 'Clear (Esc)'),
        ),
      );
    } catch (error) {
      if (mine === asked && !['cancelled', 'closed'].includes(/** @type {any} */ (error).code)) showError(error);
    }
  }
  return { element, show };
}

/** @param {Data} data @param {object} request */
async function take(data, request) {
  const { bytes, columns } = await data.analyse('region_rows', request);
  save(new Blob([columns[bytes]], { type: 'text/csv' }), 'region.csv');
}
