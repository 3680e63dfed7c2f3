// The worst neighbourhoods of the map, each a click away, corrected for having looked everywhere.

import { el, fill } from '../dom.js';
import { showError } from './message.js';
import { withLine } from './progress.js';
import { tableView } from './table.js';

/** @typedef {import('../engine/localcal.js').Data} Data */
/** Longer searches wait for a click, in milliseconds. */
const AT_ONCE = 4000;

/** @param {(found: wasm_bindgen.FoundNeighbourhood, rows: number[]) => void} pick
 * @param {() => void} tell that there is an answer, or none any more */
export function worstView(pick, tell) {
  const element = el('div', { class: 'worst' });
  /** What the list answers. */
  let asked = '';
  /** @type {Data | null} */
  let of = null;
  /** What the test says of the map, and to which question. */
  let said = { asked: '', reading: '' };

  /**
   * Looks again if the question is another one. @param {Data} data @param {Record<string, any>} request @param {object}
   * report
   */
  async function look(data, request, report, most = AT_ONCE) {
    const question = JSON.stringify(request);
    if (most === AT_ONCE && question === asked && of === report) return;
    [asked, of] = [question, /** @type {any} */ (report)];
    said = { asked: '', reading: '' };
    try {
      const found = await withLine('Looking for the worst neighbourhoods', (watch) =>
        data.analyse('neighbourhoods', request, { ...watch, most }),
      );
      if (question === asked && of === report) {
        show(/** @type {any} */ (found));
        said = { asked: question, reading: found.reading };
        tell();
      }
    } catch (error) {
      const { code, cost } = /** @type {any} */ (error);
      if (code === 'costly') {
        fill(
          element,
          el(
            'p',
            {},
            el(
              'button',
              { type: 'button', onclick: () => look(data, request, report, Infinity) },
              `Start: look for the worst neighbourhoods (about ${Math.ceil(cost / 1000)} s)`,
            ),
          ),
        );
      } else if (code !== 'closed' && code !== 'cancelled') showError(error);
      if (code !== 'costly') asked = '';
    }
  }

  /** @param {wasm_bindgen.NeighbourhoodsOutcome & { columns: any[] }} found */
  function show({ found, notes, columns }) {
    const rows = found.map((one, i) => ({ id: String(i), cells: [one.title, one.headline, one.verdict] }));
    fill(
      element,
      rows.length === 0
        ? el('p', {}, 'No neighbourhood stands out.')
        : tableView({
            caption: 'Worst neighbourhoods',
            heads: [{ name: 'how far off' }, { name: 'who is there' }, { name: 'could it be chance?' }],
            rows,
            onPick: (id) => pick(found[Number(id)], Array.from(columns[/** @type {any} */ (found[Number(id)].rows)])),
          }),
      ...notes.map((note) => el('p', { class: 'muted plain' }, note)),
    );
  }
  /**
   * What the test says of a map, once it has. @param {Record<string, any>} request @param {object} report @returns
   * {string | null}
   */
  const reading = (request, report) => (report === of && said.asked === JSON.stringify(request) ? said.reading : null);
  return { element, look, reading };
}
