// Drawing into a chart before the result is shown: points are dragged by mouse or finger, or moved by the arrow keys.

import { useRef } from 'preact/hooks';
import { Figure } from '../parts/figure.js';
import type { LabScreen } from './asking.js';
import { emptied, panelOf, pixelOf, shareInWords, spotOf } from './prediction.js';
import type { Spot } from './prediction.js';

/** How a drawing begins, and how its points move. */
export interface Draw {
  from: Spot[];
  /** a point may move to the side, too; else it stays at its place on the horizontal axis */
  free?: boolean;
  /** nothing of the data is shown before */
  bare?: boolean;
  /** what one point says to a screen reader, before its place */
  name: string;
  right: (points: Spot[]) => boolean;
  /** what is true, after “It is: ” */
  truth: string;
}

const SIDES: Record<string, Spot> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const within = (x: number) => Math.round(100 * Math.max(0, Math.min(1, x))) / 100;
/** Radius of what a finger can take hold of, in CSS pixels. */
const GRIP = 22;

interface Props {
  shown: LabScreen;
  id: string;
  draw: Draw;
  points: Spot[];
  to: (points: Spot[]) => void;
}
/** The chart of the screen with the points of the person over it. */
export function Drawing({ shown: { outcome, columns }, id, draw, points, to }: Props) {
  const svg = useRef<SVGSVGElement>(null);
  const held = useRef<number | null>(null);
  // a click follows where a point was let go
  const dragged = useRef(false);
  const whole = outcome.charts[0]?.figure;
  if (!whole) return null;
  const figure = draw.bare ? emptied(whole) : whole;
  const panel = panelOf(figure);
  if (!panel) return null;
  const move = (k: number, [x, y]: Spot) =>
    to(points.map((one, i): Spot => (i === k ? [draw.free ? within(x) : one[0], within(y)] : one)));
  /** Where a pointer is, in the units of the chart. */
  const spot = ({ clientX, clientY }: MouseEvent): Spot => {
    const box = (svg.current as SVGSVGElement).getBoundingClientRect();
    const scale = figure.width / box.width;
    return spotOf(panel, [(clientX - box.left) * scale, (clientY - box.top) * scale]);
  };
  const nearest = ([x]: Spot) =>
    points.reduce((best, one, i) => (Math.abs(one[0] - x) < Math.abs(points[best][0] - x) ? i : best), 0);
  const press = (event: KeyboardEvent, k: number) => {
    const side = SIDES[event.key];
    if (!side) return;
    event.preventDefault();
    event.stopPropagation();
    const by = event.shiftKey ? 0.05 : 0.01;
    move(k, [points[k][0] + by * side[0], points[k][1] + by * side[1]]);
  };
  const pixels = points.map((one) => pixelOf(panel, one));
  return (
    <div class="one drawn" data-chart={id}>
      <Figure
        name={`lab-${outcome.screen}-${id}`}
        untitled
        ask={async () => ({ outcome: { figure }, columns })}
        of={[outcome]}
        over={
          <svg
            ref={svg}
            class="sketch"
            viewBox={`0 0 ${figure.width} ${figure.height}`}
            width={figure.width}
            onPointerDown={() => (dragged.current = false)}
            onPointerMove={(event) => {
              if (held.current === null) return;
              dragged.current = true;
              move(held.current, spot(event));
            }}
            onPointerUp={() => (held.current = null)}
            onPointerCancel={() => (held.current = null)}
            onClick={(event) => {
              if (dragged.current) return;
              const at = spot(event);
              move(nearest(at), at);
            }}
          >
            <polyline points={pixels.map((one) => one.join()).join(' ')} />
            {pixels.map(([x, y], k) => (
              <g
                key={k}
                role="slider"
                tabindex={0}
                aria-label={draw.free ? draw.name : `${draw.name} ${Math.round(100 * points[k][0])}%`}
                aria-orientation="vertical"
                aria-valuemin={0}
                aria-valuemax={100}
                aria-valuenow={Math.round(100 * points[k][1])}
                aria-valuetext={draw.free ? shareInWords(points[k]) : `${Math.round(100 * points[k][1])}%`}
                onKeyDown={(event) => press(event, k)}
                onPointerDown={(event) => {
                  held.current = k;
                  svg.current?.setPointerCapture(event.pointerId);
                  event.currentTarget.focus({ preventScroll: true });
                }}
                // a finger on a point moves it, and beside it the page: `touch-action` is none of a part of an SVG
                onTouchStart={(event) => event.preventDefault()}
              >
                <circle class="grip" cx={x} cy={y} r={GRIP} />
                <circle class="knob" cx={x} cy={y} r={8} />
              </g>
            ))}
          </svg>
        }
      />
    </div>
  );
}
