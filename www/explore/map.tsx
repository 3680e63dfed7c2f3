// A map to explore: zoom and move its window, and draw round a region. Maps of the same rows share both.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { rowAt } from '../engine/localcal.js';
import type { ChartRequest } from '../engine/localcal.js';
import type { Easel, Room } from '../parts/brush.js';
import { Figure } from '../parts/figure.js';
import { open, report } from '../state/store.js';
import { useCharts } from './chart.js';
import { movesOf } from './moves.js';
import type { Place, Window } from './map_window.js';
import { frame, region } from './map_window.js';

type ViewOutcome = wasm_bindgen.ViewOutcome;
/** Ways to drag, and what a person calls them. */
const WAYS = { box: 'Box', lasso: 'Region', move: 'Pan' };
type Way = keyof typeof WAYS;
/** From so many rows on, the first picture leaves out what can wait. */
const MANY = 100_000;

/** What a map is asked; null: nothing to show. */
type MapQuestion = Record<string, unknown> | null;
interface Props {
  name: string;
  question: MapQuestion;
  /** no drawing is wider, in CSS pixels */
  widest: number;
  /** receives a map that was computed; null: what was shown is gone */
  shown?: (view: ViewOutcome | null) => void;
  /** what is outlined, beside the region that a person draws */
  outlines?: Place[][];
  untitled?: boolean;
}

export function MapFigure({ name, question, widest, shown: tell, outlines, untitled }: Props) {
  const [easel, setEasel] = useState<Easel | null>(null);
  const [way, setWay] = useState<Way>('box');
  const [held, setHeld] = useState(false);
  const charts = useCharts();
  const [passes, setPasses] = useState(0); // a map of many rows comes twice
  const { window, moving } = frame.value;

  async function ask({ width, ...room }: Room) {
    const data = open.value?.data;
    if (!data || !report.value || !question) {
      tell?.(null);
      await charts.clear();
      return null;
    }
    const beside = typeof question.companion_width === 'number' && {
      companion_width: Math.min(width, question.companion_width),
    };
    const asked = { window: window ?? undefined, ...room, width: Math.min(width, widest), ...question, ...beside };
    let hurry = false;
    const view = await charts.ask(data, (again) => {
      hurry = !again && data.summary.rows > MANY; // something to look at first
      const draft = moving || Boolean(question.draft) || hurry;
      return { chart: 'map', ...asked, draft } as ChartRequest;
    });
    if (view && view.outcome.companions.length > 0) tell?.(view.outcome);
    if (view && hurry) setPasses((passed) => passed + 1);
    return view;
  }
  const state = () => charts.held()?.chart.outcome.map;
  const moves = movesOf(state);
  useDragging(easel, way, held, moves);

  return (
    <Figure
      name={name}
      ask={ask}
      of={[JSON.stringify(question), report.value, window, moving, passes]}
      drawn={setEasel}
      probe={async (x, y) => {
        const held = charts.held();
        return held && rowAt(held.of, held.chart, x, y);
      }}
      untitled={untitled}
      keys="Shift and the arrow keys pan, plus and minus zoom, 0 shows the whole map."
      over={<Outline easel={easel} window={state()?.window} found={outlines} />}
      tools={
        <div class="row maptools" role="group" aria-label="Map tools">
          <span class="muted">Drag</span>
          {Object.entries(WAYS).map(([value, text]) => (
            <label key={value} class="check">
              <input
                type="radio"
                name={`${name}-drag`}
                value={value}
                checked={value === way}
                onChange={() => {
                  setWay(value as Way);
                  setHeld(true); // a finger drags on the map from now on, and no longer scrolls the page
                }}
              />{' '}
              {text}
            </label>
          ))}
          <Tool says="Zoom in" text="+" act={() => moves.zoom(0.5)} />
          <Tool says="Zoom out" text="−" act={() => moves.zoom(2)} />
          <Tool says="Show the whole map" text="Reset" act={() => moves.show(null)} />
          <Tool
            says="Select the rows in the window"
            text="Select visible"
            act={() => (region.value = { corners: corners(moves.drawn()) })}
          />
        </div>
      }
    />
  );
}

/** What is heard holds what is seen. */
function Tool({ says, text, act }: { says: string; text: string; act: () => void }) {
  const label = !/\w/.test(text) || says.toLowerCase().includes(text.toLowerCase()) ? says : undefined;
  return (
    <button type="button" class="quiet" title={says} aria-label={label} onClick={act}>
      {text}
    </button>
  );
}

const corners = ([x0, x1, y0, y1]: Window): Place[] => [
  [x0, y0],
  [x1, y0],
  [x1, y1],
  [x0, y1],
];

/** The outlines of what was found and of the region, where they belong on the drawing. */
function Outline({ easel, window, found = [] }: { easel: Easel | null; window?: Window; found?: Place[][] }) {
  const [from, to] = window ? [easel?.place(window[0], window[3]), easel?.place(window[1], window[2])] : [];
  const { corners: shape } = region.value;
  if (!from || !to || (shape.length === 0 && found.length === 0)) return null;
  const points = (places: Place[]) =>
    places
      .map(([x, y]) => easel?.place(x, y) ?? from)
      .map(([x, y]) => `${x - from[0]},${y - from[1]}`)
      .join(' ');
  return (
    <svg
      class="overlay"
      width={to[0] - from[0]}
      height={to[1] - from[1]}
      style={{ left: `${from[0]}px`, top: `${from[1]}px` }}
    >
      {found.map((one, i) => (
        <polygon key={i} class="found" points={points(one)} />
      ))}
      {shape.length > 0 && <polygon points={points(shape)} stroke-dasharray={found.length > 0 ? '4 3' : undefined} />}
    </svg>
  );
}

type Moves = ReturnType<typeof movesOf>;

const KEYS: Record<string, Place> = {
  ArrowLeft: [-0.2, 0],
  ArrowRight: [0.2, 0],
  ArrowUp: [0, 0.2],
  ArrowDown: [0, -0.2],
};

/** Pointer, wheel and keys on the canvas. `held`: a finger draws, too. */
function useDragging(easel: Easel | null, way: Way, held: boolean, moves: Moves) {
  const latest = useRef({ easel, way, held, moves });
  latest.current = { easel, way, held, moves };
  const canvas = easel?.canvas;
  // in the same step as the drawing: who drags at once is heard
  useLayoutEffect(() => {
    if (!canvas) return;
    const ended = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(
      kind: K,
      hear: (event: HTMLElementEventMap[K]) => void,
      ways: AddEventListenerOptions = {},
    ) => canvas.addEventListener(kind, hear, { signal: ended.signal, ...ways });
    let drag: { id: number; x: number; y: number; window: Window; moved: boolean } | null = null;

    on('pointerdown', ({ pointerId, pointerType, button, offsetX, offsetY }) => {
      const { easel: at, moves: by } = latest.current;
      const scrolls = pointerType === 'touch' && !latest.current.held;
      if (button !== 0 || !at?.value(offsetX, offsetY) || scrolls) return;
      drag = { id: pointerId, x: offsetX, y: offsetY, window: by.now(), moved: false };
      canvas.setPointerCapture(pointerId);
    });
    on('pointermove', ({ pointerId, offsetX, offsetY }) => {
      const { easel: at, moves: by, way: how } = latest.current;
      if (drag?.id !== pointerId) return;
      if (!drag.moved && Math.hypot(offsetX - drag.x, offsetY - drag.y) < 4) return;
      const [left, right, low, high] = by.drawn();
      const [start, end] = [at?.place(left, high), at?.place(right, low)];
      if (!start || !end) return;
      const [width, height] = [end[0] - start[0], end[1] - start[1]];
      const place = (x: number, y: number): Place => [
        left + ((x - start[0]) / width) * (right - left),
        high - ((y - start[1]) / height) * (high - low),
      ];
      const [from, to] = [place(drag.x, drag.y), place(offsetX, offsetY)];
      if (how === 'move') by.move((drag.x - offsetX) / width, (offsetY - drag.y) / height, drag.window);
      else if (how === 'box') region.value = { corners: [from, [to[0], from[1]], to, [from[0], to[1]]], drawing: true };
      else region.value = { corners: drag.moved ? [...region.value.corners, to] : [from, to], drawing: true };
      drag.moved = true;
    });
    const drop = ({ pointerId }: PointerEvent) => {
      if (drag?.id !== pointerId) return;
      const { moved } = drag;
      drag = null;
      if (moved && latest.current.way !== 'move') region.value = { corners: region.value.corners };
    };
    on('pointerup', drop);
    on('pointercancel', drop);
    const zoomByWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return; // the page scrolls
      const about = latest.current.easel?.value(event.offsetX, event.offsetY);
      if (!about) return;
      event.preventDefault();
      latest.current.moves.zoom(1.002 ** event.deltaY, [about[0], about[1]]);
    };
    on('wheel', zoomByWheel, { passive: false });
    const steer = (event: KeyboardEvent) => {
      const { moves: by } = latest.current;
      const { key, shiftKey } = event;
      if (KEYS[key] && shiftKey) by.move(...KEYS[key]);
      else if (key === '+' || key === '=') by.zoom(0.5);
      else if (key === '-') by.zoom(2);
      else if (key === '0') by.show(null);
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    on('keydown', steer, { capture: true });
    return () => ended.abort();
  }, [canvas]);
  useLayoutEffect(() => void canvas?.classList.toggle('held', held), [canvas, held]);
}
