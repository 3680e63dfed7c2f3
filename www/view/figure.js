// A chart: heading that says the finding, canvas, hover card, keyboard cursor, text twin, downloads.
// The core draws, finds the mark under a point and writes the twin; this file owns the element.

import { paintFault, painter } from '../engine/core.js';
import { el, fill, save } from '../dom.js';
import { chartBlob } from '../engine/chart.js';
import { dark, onThemeChange } from '../engine/theme.js';
import { announce, showError } from './message.js';
import { tableView } from './table.js';

/** @typedef {import('../engine/pool.js').Answer} Answer */
/** @typedef {{ x: number, y: number, lines: string[] }} Mark */
/** @typedef {{ width: number, dpr: number, dark: boolean }} Room */

/** @param {wasm_bindgen.Panel} panel */
const hasPicture = ({ marks }) => marks.some((mark) => 'image' in mark);

/** A chart that asks for itself: `ask` gets the room there is and answers a view, or null for nothing to show.
 * `pick` is told of a clicked mark; `probe` answers for places between marks (in units of the first panel); `drawn` is
 * told after each drawing.
 * @param {string} name of the file that a download gets
 * @param {(room: Room) => Promise<Answer | null>} ask
 * @param {{ pick?: (mark: wasm_bindgen.Hit) => void, probe?: (x: number, y: number) => Promise<Mark | null>, drawn?:
 * () => void }} [ways] */
export function figureView(name, ask, { pick, probe, drawn } = {}) {
  /** @type {Answer | null} */
  let view = null;
  /** @type {wasm_bindgen.Drawing | null} */
  let drawing = null;
  /** @type {wasm_bindgen.Hit[]} */
  let marks = [];
  let cursor = -1;
  let [busy, again] = [false, false];
  let drawnWidth = 0;

  // nothing is there to be read or reached before something is drawn
  const canvas = el('canvas', { role: 'img', tabindex: 0, hidden: true });
  const card = el('div', { class: 'card', hidden: true });
  const heading = el('h3', { hidden: true });
  const caption = el('figcaption', { class: 'muted' });
  const twin = el('details', { class: 'twin' });
  const tools = el(
    'p',
    { class: 'row tools' },
    ...['svg', 'png'].map((format) =>
      el('button', { type: 'button', class: 'quiet', onclick: () => download(format) }, format.toUpperCase()),
    ),
  );
  const stage = el('div', { class: 'stage' }, canvas, card);
  const element = el(
    'figure',
    { class: 'chart empty' },
    heading,
    stage,
    caption,
    el('div', { class: 'foot' }, twin, tools),
  );

  /** @param {string} format */
  async function download(format) {
    if (view) await chartBlob(view, format).then((blob) => save(blob, `${name}.${format}`), showError);
  }

  /** Asks again. A question that comes while one is out waits for it; of several only the last is asked. */
  async function refresh() {
    if (busy) {
      again = true;
      return;
    }
    const width = Math.floor(stage.clientWidth);
    if (width === 0) return;
    busy = true;
    element.classList.add('stale');
    try {
      await show(await ask({ width, dpr: devicePixelRatio || 1, dark: dark() }), width);
    } catch (error) {
      if (!['cancelled', 'closed'].includes(/** @type {any} */ (error).code)) showError(error);
    } finally {
      busy = false;
      element.classList.remove('stale');
    }
    if (again) {
      again = false;
      refresh();
    }
  }

  /** @param {Answer | null} next @param {number} [width] */
  async function show(next, width = Math.floor(stage.clientWidth)) {
    const { Drawing } = await painter();
    const [had, at] = [marks.length, cursor];
    drawing?.free();
    [view, drawing, marks, cursor, drawnWidth] = [next, null, [], -1, width];
    point(null, false);
    element.classList.toggle('empty', next === null);
    canvas.hidden = heading.hidden = next === null;
    if (!next) return;
    /** @type {wasm_bindgen.Figure} */
    const figure = next.outcome.figure;
    try {
      drawing = new Drawing(JSON.stringify(figure), next.columns);
      drawing.draw(canvas, dark(), devicePixelRatio || 1);
      marks = drawing.marks();
      if (marks.length === had) cursor = at; // who moves through the marks stays where they were
    } catch (error) {
      throw paintFault(error);
    }
    canvas.style.setProperty('width', `${figure.width}px`);
    heading.textContent = figure.title;
    heading.hidden = figure.title === '';
    caption.textContent = figure.caption;
    canvas.setAttribute('aria-label', `${figure.alt || figure.title} Arrow keys move through the marks.`);
    const heads = figure.table.columns.map(({ title, align }) => ({ name: title, number: align === 'end' }));
    drawn?.();
    fill(
      twin,
      el('summary', {}, 'As a table'),
      tableView({
        caption: figure.title || 'The numbers of this chart',
        heads,
        rows: figure.table.rows.map((cells) => ({ cells })),
      }),
    );
  }

  /** @param {Mark | null | undefined} found @param {boolean} aloud */
  function point(found, aloud) {
    card.hidden = !found;
    if (!found) return;
    fill(card, ...found.lines.map((line) => el('p', {}, line)));
    const left = Math.min(found.x + 12, canvas.clientWidth - card.offsetWidth);
    card.style.setProperty('left', `${Math.max(0, left)}px`);
    const above = found.y - card.offsetHeight - 10;
    card.style.setProperty('top', `${above > 0 ? above : found.y + 14}px`);
    if (aloud) announce(found.lines.join('. '));
  }

  canvas.addEventListener('pointermove', async ({ buttons, offsetX, offsetY }) => {
    if (buttons > 0) return point(null, false);
    const mark = drawing?.at(offsetX, offsetY);
    if (mark || !probe || !drawing) return point(mark, false);
    const place = drawing.value(offsetX, offsetY);
    const found = place && (await probe(place[0], place[1]).catch(() => null));
    const at = found && drawing?.place(found.x, found.y);
    point(at ? { x: at[0], y: at[1], lines: found.lines } : null, false);
  });
  canvas.addEventListener('pointerleave', () => point(null, false));
  canvas.addEventListener('click', ({ offsetX, offsetY }) => {
    const mark = drawing?.at(offsetX, offsetY);
    if (mark) pick?.(mark);
  });
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if ((event.key === 'Enter' || event.key === ' ') && marks[cursor]) pick?.(marks[cursor]);
    else if (step && marks.length > 0) {
      cursor = Math.max(0, Math.min(marks.length - 1, cursor + step));
      point(marks[cursor], true);
    } else return;
    event.preventDefault();
  });
  canvas.addEventListener('blur', () => point(null, false));
  new ResizeObserver(() => {
    if (view === null || Math.abs(stage.clientWidth - drawnWidth) > 4) refresh();
  }).observe(stage);
  /** Whether its colours were chosen when it was found: those of the picture of a map. */
  const painted = () => view?.outcome.figure.panels.some(hasPicture);
  onThemeChange(() => (view && !painted() ? show(view, drawnWidth).catch(showError) : refresh()));

  /** Pixel of a place in the units of the first panel, and the other way round. */
  const place = (/** @type {number} */ x, /** @type {number} */ y) => drawing?.place(x, y);
  const value = (/** @type {number} */ x, /** @type {number} */ y) => drawing?.value(x, y);

  return { element, stage, canvas, refresh, show, place, value };
}
