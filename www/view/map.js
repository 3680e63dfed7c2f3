// A map to explore: zoom and move its window, and draw round a region. Linked maps share the window and the region.

import { el } from '../dom.js';
import { freeView, rowAt, viewOf } from '../engine/localcal.js';
import { state } from '../state.js';
import { figureView } from './figure.js';

/** @typedef {import('../engine/pool.js').Answer} Answer */
/** @typedef {[number, number]} Place */
/** Left, right, lower and upper edge, in units of the data. @typedef {[number, number, number, number]} Window */
/**
 * What linked maps share. @typedef {{ window: Window | null, region: Place[], draft: boolean, members: { refresh: () =>
 * void, place: () => void, select: Ways['select'] }[] }} Link
 */
/** `select` is told of a finished region (an empty one clears), `shown` of a map that was computed.
 * @typedef {{ select: (region: Place[]) => void, shown?: (view: wasm_bindgen.ViewOutcome) => void }} Ways */

/** A window and a region for maps to share. @returns {Link} */
export const link = () => ({ window: null, region: [], draft: false, members: [] });

/**
 * Marks a region on every linked map and tells who asked to know; an empty one clears. @param {Link} shared @param
 * {Place[]} region
 */
export function mark(shared, region) {
  shared.region = region;
  for (const { place, select } of shared.members) {
    place();
    select(region);
  }
}

/** Ways to drag, and what a person calls them. */
const WAYS = { box: 'a box', lasso: 'a region', move: 'the map' };
const SVG = 'http://www.w3.org/2000/svg';
/** From so many rows on, the first picture leaves out what can wait. */
const MANY = 100_000;
/** The window never gets narrower than this share of the whole. */
const NARROWEST = 1e-5;

/** @param {string} name of the file that a download gets
 * @param {(width: number) => Record<string, any> | null} request what to show in this width; null: nothing
 * @param {Link} shared @param {Ways} ways */
export function mapView(name, request, shared, { select, shown: tell }) {
  /** @type {keyof typeof WAYS} */
  let way = 'box';
  /** @type {{ id: number, x: number, y: number, window: Window, moved: boolean } | null} */
  let drag = null;
  /** The map on screen, and whose it is. @type {Answer | null} */
  let shown = null;
  let of = { data: state.data, report: state.report };
  let settle = 0;

  const outline = document.createElementNS(SVG, 'polygon');
  const overlay = document.createElementNS(SVG, 'svg');
  overlay.classList.add('overlay');
  overlay.append(outline);
  const figure = figureView(
    name,
    async ({ width, ...room }) => {
      const { data, report } = state;
      const wanted = data && report && request(width);
      const before = of.report === report ? shown : null;
      const hurry = !before && (data?.summary.rows ?? 0) > MANY; // something to look at first
      if (shown && of.data && !before) freeView(of.data, shown); // of another run
      [shown, of] = [before, { data, report }];
      if (!data || !wanted) return null;
      const view = await viewOf(
        data,
        /** @type {any} */ ({
          chart: 'map',
          window: shared.window ?? undefined,
          ...room,
          ...wanted,
          draft: shared.draft || wanted.draft || hurry,
        }),
        before,
      );
      if (before) freeView(data, before);
      shown = view;
      if (view.outcome.companions.length > 0) tell?.(view.outcome);
      if (hurry) setTimeout(redraw);
      return view;
    },
    { drawn: place, probe: async (x, y) => (of.data && shown ? rowAt(of.data, shown, x, y) : null) },
  );
  const { canvas, stage } = figure;
  stage.append(overlay);

  // what is heard holds what is seen
  const button = (/** @type {string} */ text, /** @type {string} */ says, /** @type {() => void} */ act) =>
    el(
      'button',
      {
        type: 'button',
        class: 'quiet',
        title: says,
        'aria-label': !/\w/.test(text) || says.toLowerCase().includes(text.toLowerCase()) ? says : null,
        onclick: act,
      },
      text,
    );
  const ways = Object.entries(WAYS).map(([value, text]) =>
    el(
      'label',
      { class: 'check' },
      el('input', {
        type: 'radio',
        name: `${name}-drag`,
        value,
        checked: value === way,
        onchange: () => {
          way = /** @type {keyof typeof WAYS} */ (value);
          canvas.classList.add('held'); // a finger drags on the map from now on, and no longer scrolls the page
        },
      }),
      ` ${text}`,
    ),
  );
  const tools = el(
    'div',
    { class: 'row maptools', role: 'group', 'aria-label': 'The map' },
    el('span', { class: 'muted' }, 'Drag'),
    ...ways,
    button('+', 'Zoom in', () => zoom(0.5)),
    button('−', 'Zoom out', () => zoom(2)),
    button('Whole', 'Show the whole map', () => show(null)),
    button('Select what is shown', 'Select the rows in the window', () => mark(shared, corners(now()))),
  );
  figure.element.insertBefore(tools, stage.nextSibling);

  /** The window on screen. @returns {Window} */
  const now = () => shown?.outcome.map?.window ?? [0, 1, 0, 1];
  /** @param {Window} window @returns {Place[]} */
  const corners = ([x0, x1, y0, y1]) => [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ];

  /** Puts the outline of the region where it belongs. */
  function place() {
    const [x0, x1, y0, y1] = now();
    const corner = figure.place(x0, y1);
    const far = figure.place(x1, y0);
    overlay.toggleAttribute('hidden', shared.region.length === 0 || !corner || !far);
    if (!corner || !far) return;
    for (const [key, value] of Object.entries({
      x: corner[0],
      y: corner[1],
      width: far[0] - corner[0],
      height: far[1] - corner[1],
    })) {
      if (key === 'width' || key === 'height') overlay.setAttribute(key, String(value));
      else overlay.style.setProperty(key === 'x' ? 'left' : 'top', `${value}px`);
    }
    const points = shared.region.map(([x, y]) => figure.place(x, y) ?? corner);
    outline.setAttribute('points', points.map(([x, y]) => `${x - corner[0]},${y - corner[1]}`).join(' '));
  }
  shared.members.push({ refresh: figure.refresh, place, select });
  const redraw = () => shared.members.forEach((one) => one.refresh());
  const outlineAll = () => shared.members.forEach((one) => one.place());

  /** Shows a window: at once as a draft, in full when it rests. @param {Window | null} window */
  function show(window) {
    const whole = shown?.outcome.map?.whole;
    if (window && whole && window[1] - window[0] >= whole[1] - whole[0] && window[3] - window[2] >= whole[3] - whole[2])
      window = null;
    Object.assign(shared, { window, draft: true });
    redraw();
    clearTimeout(settle);
    settle = setTimeout(() => {
      shared.draft = false;
      redraw();
    }, 250);
  }

  /** @param {number} by factor on the width of the window @param {Place} [about] what stays where it is */
  function zoom(by, about) {
    const [x0, x1, y0, y1] = now();
    const whole = shown?.outcome.map?.whole;
    if (!whole || (by < 1 && (x1 - x0) * by < NARROWEST * (whole[1] - whole[0]))) return;
    const [x, y] = about ?? [(x0 + x1) / 2, (y0 + y1) / 2];
    show([x + (x0 - x) * by, x + (x1 - x) * by, y + (y0 - y) * by, y + (y1 - y) * by]);
  }

  /** @param {number} across @param {number} up in widths of the window */
  function move(across, up, [x0, x1, y0, y1] = now()) {
    const [dx, dy] = [across * (x1 - x0), up * (y1 - y0)];
    show([x0 + dx, x1 + dx, y0 + dy, y1 + dy]);
  }

  canvas.addEventListener('pointerdown', (event) => {
    const inside = figure.value(event.offsetX, event.offsetY);
    const scrolls = event.pointerType === 'touch' && !canvas.classList.contains('held');
    if (event.button !== 0 || !inside || scrolls) return;
    drag = { id: event.pointerId, x: event.offsetX, y: event.offsetY, window: now(), moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', ({ pointerId, offsetX, offsetY }) => {
    if (drag?.id !== pointerId) return;
    if (!drag.moved && Math.hypot(offsetX - drag.x, offsetY - drag.y) < 4) return;
    const [left, right, low, high] = now();
    const start = figure.place(left, high);
    const end = figure.place(right, low);
    if (!start || !end) return;
    const [width, height] = [end[0] - start[0], end[1] - start[1]];
    if (way === 'move') move((drag.x - offsetX) / width, (offsetY - drag.y) / height, drag.window);
    else {
      const at = (/** @type {number} */ x, /** @type {number} */ y) =>
        /** @type {Place} */ ([
          left + ((x - start[0]) / width) * (right - left),
          high - ((y - start[1]) / height) * (high - low),
        ]);
      const [from, to] = [at(drag.x, drag.y), at(offsetX, offsetY)];
      if (way === 'box') shared.region = [from, [to[0], from[1]], to, [from[0], to[1]]];
      else shared.region = drag.moved ? [...shared.region, to] : [from, to];
      outlineAll();
    }
    drag.moved = true;
  });
  const drop = (/** @type {PointerEvent} */ { pointerId }) => {
    if (drag?.id !== pointerId) return;
    const { moved } = drag;
    drag = null;
    if (moved && way !== 'move') mark(shared, shared.region);
  };
  canvas.addEventListener('pointerup', drop);
  canvas.addEventListener('pointercancel', drop);
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return; // the page scrolls
      const about = figure.value(event.offsetX, event.offsetY);
      if (!about) return;
      event.preventDefault();
      zoom(1.002 ** event.deltaY, /** @type {Place} */ ([about[0], about[1]]));
    },
    { passive: false },
  );
  canvas.addEventListener(
    'keydown',
    (event) => {
      const moves = /** @type {Record<string, Place>} */ ({
        ArrowLeft: [-0.2, 0],
        ArrowRight: [0.2, 0],
        ArrowUp: [0, 0.2],
        ArrowDown: [0, -0.2],
      })[event.key];
      if (moves && event.shiftKey) move(...moves);
      else if (event.key === '+' || event.key === '=') zoom(0.5);
      else if (event.key === '-') zoom(2);
      else if (event.key === '0') show(null);
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    { capture: true },
  );

  return { ...figure, outline: outlineAll };
}
