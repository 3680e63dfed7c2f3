// Panels of analyses that no view draws by hand, made from what the core says of them.

import { byId, el } from '../dom.js';
import { described, offerOf } from '../engine/localcal.js';
import { filesPanel } from './files.js';
import { panelled, sheetPanel, showOnStep } from './sheet.js';

/** A folded panel that says what it is about, and what a data set lacks for it.
 * @param {wasm_bindgen.Description} analysis @returns {ReturnType<typeof sheetPanel>} */
function panelOf({ kind, plain, needs, files }) {
  const { element, show } = files ? filesPanel(kind) : sheetPanel(kind, { folded: true });
  const wanting = el('p', { class: 'wanting', hidden: true });
  element.children[0].after(el('p', { class: 'about' }, plain), wanting);
  return {
    element,
    async show(data, report) {
      const lack = offerOf(data).lacks.find(({ need }) => needs.includes(need));
      wanting.textContent = lack?.why ?? '';
      wanting.hidden = !lack;
      if (!lack) return show(data, report);
    },
  };
}

/** Every analysis with a sheet and without a panel gets one, at the end of its step. */
export function mountDescribed() {
  described().then(
    ({ analyses }) => {
      const missing = analyses.filter(({ kind, shown }) => shown === 'sheet' && !panelled.has(kind));
      for (const step of new Set(missing.map((one) => one.step))) {
        const place = el('div', { class: 'described' });
        byId(step).append(place);
        showOnStep(step, place, missing.filter((one) => one.step === step).map(panelOf));
      }
    },
    () => {}, // told by the opening
  );
}
