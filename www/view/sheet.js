// A sheet: what an analysis found, as the core says it, and the choices a person has. One piece of code draws them all.

import { painter } from '../engine/core.js';
import { el, fill, save } from '../dom.js';
import { described } from '../engine/localcal.js';
import { watch } from '../state.js';
import { figureView } from './figure.js';
import { fitted } from './fitted.js';
import { said } from './message.js';
import { withLine } from './progress.js';
import { factList } from './region.js';

/** Longer analyses wait for a click, in milliseconds. */
const AT_ONCE = 8000;

/** "Testing for local error" within a sentence. @param {string} label */
const lowered = (label) => label[0].toLowerCase() + label.slice(1);

/** The lines in the order of their keys, as the core says. @template T @param {T[]} lines
 * @param {{ number?: number | null, text?: string, stays?: boolean }[]} keys @param {boolean} falling
 * @returns {Promise<T[]>} */
export async function inOrder(lines, keys, falling) {
  const { line_order } = await painter();
  return Array.from(line_order(JSON.stringify(keys), falling), (place) => lines[place]);
}

/** A table whose heads sort. @param {wasm_bindgen.SheetTable} table */
export function sheetTable({ caption, columns, rows }) {
  /** @type {{ place: number, falling: boolean } | null} */
  let order = null;
  let lines = rows;
  const element = el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': caption });
  const sort = (/** @type {number} */ place) => async () => {
    const falling = order?.place === place ? !order.falling : columns[place].align === 'end';
    order = { place, falling };
    const keys = rows.map((cells) => ({ number: cells[place].number, text: cells[place].text }));
    lines = await inOrder(rows, keys, falling);
    show();
  };
  function show() {
    const kind = (/** @type {number} */ j) => (columns[j].align === 'end' ? 'number' : '');
    fill(
      element,
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
            ...columns.map(({ title, definition }, j) =>
              el(
                'th',
                {
                  scope: 'col',
                  class: kind(j),
                  'aria-sort': order?.place === j ? (order.falling ? 'descending' : 'ascending') : null,
                },
                el(
                  'button',
                  { type: 'button', class: 'link', title: definition || null, onclick: sort(j) },
                  title || el('span', { class: 'unseen' }, 'of'),
                  order?.place === j && (order.falling ? ' ↓' : ' ↑'),
                ),
              ),
            ),
          ),
        ),
        el(
          'tbody',
          {},
          ...lines.map((cells) =>
            el(
              'tr',
              {},
              ...cells.map(({ text, beneath, tone }, j) =>
                el(
                  j === 0 ? 'th' : 'td',
                  { class: `${kind(j)} ${tone === 'plain' ? '' : tone}`, scope: j === 0 ? 'row' : null },
                  tone === 'best' ? el('strong', {}, text) : text,
                  beneath && el('span', { class: 'plain' }, beneath),
                ),
              ),
            ),
          ),
        ),
      ),
    );
  }
  show();
  return element;
}

/** @param {wasm_bindgen.Field} field @param {(value: any) => void} set */
function fieldView({ option, label, kind }, set) {
  const named = (/** @type {Element} */ input) => el('label', { class: 'field' }, el('span', {}, label), input);
  if ('number' in kind) {
    const { value, least } = kind.number;
    return named(
      el('input', {
        type: 'number',
        name: option,
        step: 'any',
        min: least,
        value,
        onchange: (/** @type {any} */ { target }) => set(target.value === '' ? undefined : Number(target.value)),
      }),
    );
  }
  if ('choice' in kind) {
    const { value, choices } = kind.choice;
    return named(
      el(
        'select',
        { name: option, onchange: (/** @type {any} */ { target }) => set(target.value) },
        ...choices.map(([one, title]) => el('option', { value: one, selected: one === value }, title)),
      ),
    );
  }
  if ('check' in kind)
    return el(
      'label',
      { class: 'check' },
      el('input', {
        type: 'checkbox',
        name: option,
        checked: kind.check.value,
        onchange: (/** @type {any} */ { target }) => set(target.checked),
      }),
      ` ${label}`,
    );
  const coordinates = 'coordinates' in kind ? kind.coordinates : null;
  const { value, choices } = 'coordinates' in kind ? kind.coordinates : kind.several;
  const now = new Set(value);
  /** Columns as they stand, or so many principal components of them. @param {number | null} components */
  const put = (components) => {
    const names = choices.filter((one) => now.has(one));
    set(components ? { pca: components, of: names } : names);
  };
  const toggle = (/** @type {string} */ name) => () => {
    if (!now.delete(name)) now.add(name);
    put(coordinates?.components ?? null);
  };
  const used =
    coordinates &&
    el(
      'select',
      {
        name: `${option}-as`,
        'aria-label': `${label}: how`,
        onchange: (/** @type {any} */ { target }) => put(Number(target.value) || null),
      },
      ...coordinates.ways.map(([many, title]) =>
        el('option', { value: many ?? '', selected: many === coordinates.components }, title),
      ),
    );
  return el(
    'fieldset',
    { class: 'several' },
    el('legend', {}, label),
    used,
    ...choices.map((name) =>
      el(
        'label',
        { class: 'check' },
        el('input', { type: 'checkbox', name: option, value: name, checked: now.has(name), onchange: toggle(name) }),
        ` ${name}`,
      ),
    ),
  );
}

/** What the core says of an analysis. @param {string} kind @returns {Promise<wasm_bindgen.Description>} */
export async function descriptionOf(kind) {
  const found = (await described()).analyses.find((one) => one.kind === kind);
  if (!found) throw new Error(`no analysis ${kind}`);
  return found;
}

/** Analyses that have a panel. @type {Set<string>} */
export const panelled = new Set();

/** A panel that asks the core for one kind of analysis of the last run, again whenever a choice changes.
 * @param {string} kind of `data.analyse`
 * @param {{ more?: () => Record<string, any>, folded?: boolean }} [ways] options from elsewhere; a folded panel is
 * called by its title, and asks when it is opened */
export function sheetPanel(kind, { more = () => ({}), folded = false } = {}) {
  panelled.add(kind);
  /** What a person chose. @type {Record<string, any>} */
  let chosen = {};
  /** @type {object | null} */
  let of = null;
  let asked = '';
  const form = el('div', { class: 'row fields' });
  const body = el('div', { class: 'blocks' });
  const title = el('summary', {});
  descriptionOf(kind).then(
    (said) => fill(title, said.title),
    () => {}, // told by the opening
  );
  const element = folded
    ? el('details', { class: 'sheet', 'data-sheet': kind, ontoggle: () => again() }, title, form, body)
    : el('section', { class: 'sheet', 'data-sheet': kind }, form, body);
  /** Asks the last question that came while it was folded. @type {() => void} */
  let again = () => {};

  const room = () => Math.floor(Math.min(body.clientWidth, 1240));

  /** @param {wasm_bindgen.Block} block @param {(width: number) => Promise<any>} fit the answer in a width
   * @param {number} place */
  function blockView(block, fit, place) {
    if (typeof block === 'string') return null;
    if ('reading' in block) return el('p', { class: 'reading' }, block.reading);
    if ('heading' in block) return el('h3', {}, block.heading);
    if ('text' in block) return el('p', {}, block.text);
    if ('note' in block) return el('p', { class: 'muted' }, block.note);
    if ('facts' in block) return factList(block.facts);
    if ('table' in block) return sheetTable(block.table);
    if ('download' in block) {
      const { name, text } = block.download;
      return el(
        'p',
        {},
        el('button', { type: 'button', class: 'quiet', onclick: () => save(new Blob([text]), name) }, `Save ${name}`),
      );
    }
    const figures = block.figures.map((_, i) => {
      const view = figureView(`${kind}-${place}-${i}`, async () => {
        const { sheet, columns } = await fit(room());
        return { key: -1, outcome: { figure: sheet.blocks[place].figures[i] }, columns };
      });
      requestAnimationFrame(view.refresh);
      return view.element;
    });
    return el('div', { class: 'multiples' }, ...figures);
  }

  /** False when it could not be answered, and the panel says why.
   * @param {import('../engine/localcal.js').Data} data @param {object} report @param {number} [most] */
  async function show(data, report, most = AT_ONCE) {
    again = () => show(data, report);
    if (element instanceof HTMLDetailsElement && !element.open) return;
    if (data !== of) [chosen, of] = [{}, data];
    const request = { ...more(), ...chosen };
    const question = JSON.stringify(request);
    if (asked === question && of === data && shown === report && most === AT_ONCE) return;
    [asked, shown] = [question, report];
    element.classList.add('stale');
    let label = '';
    try {
      label = (await descriptionOf(kind)).running;
      await new Promise(requestAnimationFrame); // until the step is on screen, it has no width
      if (question !== asked) return;
      const width = room() || undefined;
      const answer = await withLine(label, (watching) =>
        data.analyse(kind, { ...request, width }, { ...watching, most }),
      );
      const { sheet } = answer;
      const by = chosen;
      const fit = fitted(answer, report, width ?? 0, (wide) =>
        data.analyse(kind, { ...more(), ...by, width: wide }, { most: AT_ONCE }),
      );
      if (question !== asked || report !== shown) return;
      fill(
        body,
        ...sheet.blocks.map((/** @type {wasm_bindgen.Block} */ block, /** @type {number} */ i) =>
          blockView(block, fit, i),
        ),
      );
      answered = { of: report, chosen, asked: question, fields: sheet.fields };
      showForm(sheet.fields, data, report);
    } catch (error) {
      const { code, cost } = /** @type {any} */ (error);
      if (code === 'costly')
        fill(
          body,
          el(
            'button',
            { type: 'button', class: 'quiet', onclick: () => show(data, report, Infinity) },
            `Start: ${lowered(label)} (about ${Math.ceil(cost / 1000)} s)`,
          ),
        );
      else if (code === 'cancelled') {
        asked = '';
        if (of === data && body.childElementCount === 0)
          fill(
            body,
            el(
              'p',
              {},
              'Cancelled. ',
              el('button', { type: 'button', class: 'quiet', onclick: () => again() }, 'Start again'),
            ),
          );
      } else if (code !== 'closed') {
        fault(error, data, report);
        return false;
      }
    } finally {
      element.classList.remove('stale');
    }
  }
  /** What went wrong stands in the panel; its form and its findings stay those of the last answer. @param {any} error
   * @param {import('../engine/localcal.js').Data} data @param {object} report */
  function fault(error, data, report) {
    const { message, hint } = said(error);
    const box = el(
      'div',
      { class: 'alert', role: 'alert' },
      el('p', {}, el('strong', {}, message)),
      hint && el('p', {}, hint),
    );
    if (answered.of !== report) {
      fill(form);
      return fill(body, box);
    }
    chosen = answered.chosen;
    asked = answered.asked;
    showForm(answered.fields, data, report);
    body.querySelector(':scope > .alert')?.remove();
    body.prepend(box);
  }

  /**
   * The choices of an answer. @param {wasm_bindgen.Field[]} fields @param {import('../engine/localcal.js').Data} data @param
   * {object} report
   */
  function showForm(fields, data, report) {
    const focused = /** @type {HTMLInputElement | null} */ (form.querySelector(':focus'));
    const same =
      focused &&
      `[name="${CSS.escape(focused.name)}"]${focused.type === 'checkbox' ? `[value="${CSS.escape(focused.value)}"]` : ''}`;
    fill(
      form,
      ...fields.map((field) =>
        fieldView(field, (value) => {
          chosen = { ...chosen, [field.option]: value };
          show(data, report);
        }),
      ),
    );
    // the control that was used keeps the focus
    if (same) /** @type {HTMLElement | null} */ (form.querySelector(same))?.focus();
  }

  /** @type {object | null} */
  let shown = null;
  /**
   * The last answer: whose it is, and what it was asked with. @type {{ of: object | null, chosen: Record<string, any>,
   * asked: string, fields: wasm_bindgen.Field[] }}
   */
  let answered = { of: null, chosen: {}, asked: '', fields: [] };
  return { element, show };
}

/**
 * Panels of one step, asked when the step is on screen. @param {import('../state.js').Step} step @param {Element} place
 * @param {ReturnType<typeof sheetPanel>[]} panels */
export function showOnStep(step, place, panels) {
  fill(place, ...panels.map(({ element }) => element));
  watch(({ data, report, step: now }) => {
    if (now === step && data && report) for (const panel of panels) panel.show(data, report);
  });
}
