// A chart: heading that says the finding, canvas, hover card, keyboard cursor, text twin, downloads.
// The core draws, finds the mark under a point, and writes the twin; this file owns the element.

import { paintFault, painter } from '../core.js';
import { el, fill, save } from '../dom.js';
import { chartBlob } from '../localcal.js';
import { onThemeChange, theme } from '../theme.js';
import { announce, showError } from './message.js';
import { tableView } from './table.js';

/** @typedef {{ title: string, caption: string, width: number, height: number, [field: string]: any }} Figure */
/** @typedef {{ index: number, x: number, y: number, lines: string[] }} Mark */

/** @param {string} name of the file that a download gets */
export function figureView(name) {
  /** @type {Figure | null} */
  let figure = null;
  /** @type {Mark | null} */
  let mark = null;
  let waiting = false;

  const canvas = el('canvas', { role: 'img', tabindex: 0 });
  const card = el('div', { class: 'card', hidden: true });
  const heading = el('h3');
  const caption = el('figcaption', { class: 'muted' });
  const twin = el('details', { class: 'twin' }, el('summary', {}, 'As a table'));
  const tools = el('p', { class: 'row tools' },
    ...['svg', 'png'].map((format) => el('button', { type: 'button', class: 'quiet', onclick: () => download(format) }, format.toUpperCase())));
  const element = el('figure', { class: 'chart' }, heading, el('div', { class: 'stage' }, canvas, card), caption, twin, tools);

  /** @param {string} format */
  async function download(format) {
    if (figure) await chartBlob(figure, format).then((blob) => save(blob, `${name}.${format}`), showError);
  }

  /** Draws once in the next frame, however often it is asked. */
  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => paint().catch((error) => showError(paintFault(error))));
  }

  async function paint() {
    waiting = false;
    const core = await painter();
    const { clientWidth: width, clientHeight: height } = canvas;
    if (width === 0) return;
    const density = devicePixelRatio || 1;
    card.hidden = true;
    // a new size also clears what was drawn
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
    if (figure) core.draw(canvas, figure, theme(), density);
  }

  /** @param {Mark | null | undefined} found @param {boolean} aloud */
  function point(found, aloud) {
    mark = found ?? null;
    card.hidden = mark === null;
    if (!mark) return;
    fill(card, ...mark.lines.map((line) => el('p', {}, line)));
    const left = Math.min(mark.x + 12, canvas.clientWidth - card.offsetWidth);
    card.style.setProperty('left', `${Math.max(0, left)}px`);
    card.style.setProperty('top', `${Math.max(0, mark.y - card.offsetHeight - 8)}px`);
    if (aloud) announce(mark.lines.join('. '));
  }

  canvas.addEventListener('pointermove', async (event) => {
    const core = await painter();
    if (figure) point(core.mark_at(figure, canvas.clientWidth, canvas.clientHeight, event.offsetX, event.offsetY), false);
  });
  canvas.addEventListener('pointerleave', () => point(null, false));
  canvas.addEventListener('keydown', async (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || !figure) return;
    event.preventDefault();
    const core = await painter();
    const index = mark ? mark.index + step : 0;
    point(core.mark(figure, canvas.clientWidth, canvas.clientHeight, index) ?? mark, true);
  });
  canvas.addEventListener('blur', () => point(null, false));
  new ResizeObserver(redraw).observe(canvas);
  onThemeChange(redraw);

  /** @param {Figure | null} next */
  async function show(next) {
    figure = next;
    element.classList.toggle('empty', next === null);
    heading.textContent = next?.title ?? '';
    caption.textContent = next?.caption ?? '';
    canvas.setAttribute('aria-label', next ? `${next.title}. ${next.caption} Arrow keys move through the marks.` : '');
    redraw();
    if (!next) return;
    const core = await painter();
    const { columns, rows } = core.table(next);
    const heads = columns.map((/** @type {string} */ text) => ({ name: text, number: true }));
    fill(twin, el('summary', {}, 'As a table'), tableView({ caption: next.title, heads, rows: rows.map((/** @type {string[]} */ cells) => ({ cells })) }));
  }

  return { element, show };
}
