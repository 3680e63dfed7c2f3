// A chart: a heading that says the finding, the drawing, hover card, keyboard cursor; caption, data table and downloads
// behind a button each.
// The core draws, finds the mark under a point and writes the twin; this file owns the element.

import type { ComponentChildren, RefObject } from 'preact';
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { onThemeChange } from '../engine/theme.js';
import { Brush } from './brush.js';
import type { ChartQuestion, Picture } from './brush.js';
import { chartFile } from './chart_file.js';
import type { Saved } from './chart_file.js';
import { save } from './words.js';
import { IconToggle } from './icon.js';
import { lit } from './linked.js';
import { announce, showError } from './message.js';
import { Table } from './table.js';

type Hit = wasm_bindgen.Hit;
/** What a card says, and of which pixel. */
interface Card {
  x: number;
  y: number;
  lines: string[];
  /** by keyboard: no pointer shows which mark it is of */
  marked?: boolean;
}

interface Props extends ChartQuestion, Saved {
  /** of the file that a download gets */
  name: string;
  /** receives a clicked mark */
  pick?: (mark: Hit) => void;
  /** answers for places between marks, in units of the first panel */
  probe?: (x: number, y: number) => Promise<Card | null>;
  /** is between the chart and its caption */
  tools?: ComponentChildren;
  /** is over the chart */
  over?: ComponentChildren;
  /** what else keys do here, for who hears the chart */
  keys?: string;
  /** the heading is said elsewhere */
  untitled?: boolean;
  /** how high it will be, in CSS pixels, where that is known: it holds the place until it is drawn */
  height?: number;
}

const ARROWS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const MOVES = 'Use the arrow keys to move between marks.';
/** Whether charts have little room: no caption is shown unasked. */
export const Compact = createContext(false);

/** What charts without a title of their own are called: the heading that they are under. */
export const Named = createContext('');

/** Charts side by side: the captions of all are shown unasked, or none. */
export function Row({ figures, children }: { figures: wasm_bindgen.Figure[]; children: ComponentChildren }) {
  const compact = useContext(Compact);
  return <Compact.Provider value={compact || !figures.every(isShort)}>{children}</Compact.Provider>;
}

export function Figure(props: Props) {
  const compact = useContext(Compact);
  const named = useContext(Named);
  const { name, of = [], over, tools, keys, untitled = false, height } = props;
  const latest = useRef(props);
  latest.current = props;
  const [stage, canvas] = [useRef<HTMLDivElement>(null), useRef<HTMLCanvasElement>(null)];
  const [picture, setPicture] = useState<Picture>({ shown: null, marks: [] });
  const [stale, setStale] = useState(false);
  const held = useRef<Brush | null>(null);
  const brush = (held.current ??= new Brush(stage, canvas, latest, setPicture, setStale));

  // in the same step as what stands round it: until it is drawn again it is old
  useLayoutEffect(() => void brush.refresh(), of);
  useLayoutEffect(() => {
    const room = new ResizeObserver(() => brush.fits(stage.current?.clientWidth ?? 0) || brush.refresh());
    if (stage.current) room.observe(stage.current);
    const calm = onThemeChange(() => brush.recolor() || brush.refresh());
    return () => {
      room.disconnect();
      calm();
      brush.free();
    };
  }, []);

  const { shown, marks } = picture;
  const figure: wasm_bindgen.Figure | undefined = shown?.outcome.figure;
  const { card, handlers } = usePointing(brush, latest, picture);
  const takesKeys = marks.length > 0 || keys !== undefined;
  const download = (format: string) => {
    if (shown)
      chartFile(shown, format, latest.current, () => void brush.refresh())
        .then((blob) => save(blob, `${name}.${format}`))
        .catch(showError);
  };

  return (
    <figure class={`chart ${figure ? '' : 'empty'} ${stale ? 'stale' : ''}`}>
      {figure && !untitled && figure.title !== '' && <h3>{figure.title}</h3>}
      <div class="stage" ref={stage} style={!figure && height ? { minHeight: `${height}px` } : undefined}>
        <canvas
          ref={canvas}
          // a screen reader hands its arrow keys on to an application alone
          role={takesKeys ? 'application' : 'img'}
          aria-roledescription={takesKeys ? 'chart' : undefined}
          tabIndex={0}
          hidden={!figure}
          aria-label={figure && [figure.alt || figure.title, marks.length > 0 && MOVES, keys].filter(Boolean).join(' ')}
          style={figure && { width: `${figure.width}px` }}
          {...handlers}
        />
        {marks
          .filter(({ lines }) => !card && lit.value !== null && lines[0] === lit.value)
          .map(({ x, y }) => (
            <span class="ring" style={{ left: `${x}px`, top: `${y}px` }} />
          ))}
        {over}
        {card?.marked && <span class="ring" style={{ left: `${card.x}px`, top: `${card.y}px` }} />}
        {card && <HoverCard {...card} />}
      </div>
      {tools}
      <Foot
        figure={figure}
        // for who hears its buttons: several charts have the same
        called={(!untitled && figure?.title) || named}
        compact={compact}
        download={download}
      />
    </figure>
  );
}

/** The card of what is pointed at, by pointer or keys, and the handlers of the canvas that set it. */
function usePointing(brush: Brush, latest: RefObject<Props>, { shown, marks }: Picture) {
  const [card, setCard] = useState<Card | null>(null);
  /** of what is pointed at: an answer about a place that the pointer has left is none */
  const turn = useRef(0);
  const point = (found: Card | null | undefined, aloud = false) => {
    turn.current += 1;
    setCard(found ? { ...found, marked: aloud } : null);
    lit.value = found?.lines[0] ?? null;
    if (found && aloud) announce(found.lines.join('. '));
  };
  // wherever the focus is: a card may be of a pointer. Esc puts it away and does nothing else, before anything hears of it;
  // heard until the card is gone, and no longer: a second Esc at once is for what runs
  useLayoutEffect(() => {
    if (!card) return;
    const putAway = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      point(null);
    };
    addEventListener('keydown', putAway, true);
    return () => removeEventListener('keydown', putAway, true);
  }, [card !== null]);

  /** Where a pointer is, in the units of the drawing, which may be enlarged. */
  const spot = ({ clientX, clientY, currentTarget }: MouseEvent): [number, number] => {
    const { left, top, width } = (currentTarget as Element).getBoundingClientRect();
    const scale = (shown?.outcome.figure?.width ?? width) / width;
    return [(clientX - left) * scale, (clientY - top) * scale];
  };
  const pick = (mark: Hit | undefined) => mark && latest.current?.pick?.(mark);
  async function hover(event: PointerEvent) {
    const { drawing } = brush;
    const at = spot(event);
    const dragged = event.buttons > 0;
    const mark = dragged ? null : drawing?.at(...at);
    const probe = latest.current?.probe;
    if (mark || dragged || !probe || !drawing) return point(mark);
    const place = drawing.value(...at);
    const mine = (turn.current += 1);
    const found = place && (await probe(place[0], place[1]).catch(() => null));
    if (mine !== turn.current) return;
    const there = found && brush.drawing?.place(found.x, found.y);
    point(there ? { x: there[0], y: there[1], lines: found.lines } : null);
  }
  function walk(event: KeyboardEvent) {
    const step = ARROWS[event.key];
    if ((event.key === 'Enter' || event.key === ' ') && marks[brush.cursor]) pick(marks[brush.cursor]);
    else if (step && marks.length > 0) {
      brush.cursor = Math.max(0, Math.min(marks.length - 1, brush.cursor + step));
      point(marks[brush.cursor], true);
    } else return;
    event.preventDefault();
  }
  const handlers = {
    onPointerMove: hover,
    onPointerLeave: () => point(null),
    onClick: (event: MouseEvent) => pick(brush.drawing?.at(...spot(event))),
    onKeyDown: walk,
    onBlur: () => point(null),
  };
  return { card, handlers };
}

/** What is below a chart, each behind a button. */
type Below = 'caption' | 'table' | 'download';
/** Letters of a caption that is short enough to be shown unasked. */
const SHORT = 160;
const isShort = ({ caption }: wasm_bindgen.Figure) => caption.length <= SHORT;

interface FootProps {
  /** none: it is not drawn yet */
  figure?: wasm_bindgen.Figure;
  called: string;
  compact: boolean;
  download: (format: string) => void;
}
/** Caption, data table and downloads of a chart. */
function Foot({ figure, called, compact, download }: FootProps) {
  const [below, setBelow] = useState<Partial<Record<Below, boolean>>>({});
  const shows = (part: Below) =>
    below[part] ?? (part === 'caption' && !compact && figure !== undefined && isShort(figure));
  const toggle = (part: Below) => () => setBelow({ ...below, [part]: !shows(part) });
  return (
    <>
      <div class="foot">
        <p class="icons tools">
          {figure?.caption && (
            <IconToggle icon="caption" name="Caption" of={called} open={shows('caption')} toggle={toggle('caption')} />
          )}
          <IconToggle icon="table" name="Data table" of={called} open={shows('table')} toggle={toggle('table')} />
          <IconToggle
            icon="download"
            name="Download"
            of={called}
            open={shows('download')}
            toggle={toggle('download')}
          />
          {shows('download') &&
            ['svg', 'pdf', 'png'].map((format) => (
              <button key={format} type="button" class="quiet" onClick={() => download(format)}>
                {format.toUpperCase()}
              </button>
            ))}
        </p>
        <div class="twin" hidden={!shows('table')}>
          {figure && (
            <Table
              caption={figure.title || called || 'Data of this chart'}
              columns={figure.table.columns}
              rows={figure.table.rows}
            />
          )}
        </div>
      </div>
      <figcaption class={`muted ${shows('caption') ? '' : 'folded'}`}>{figure?.caption}</figcaption>
    </>
  );
}

/** Stands beside what it tells of, within the chart. */
function HoverCard({ x, y, lines }: Card) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return;
    const left = Math.min(x + 12, (current.parentElement?.clientWidth ?? 0) - current.offsetWidth);
    const above = y - current.offsetHeight - 10;
    current.style.setProperty('left', `${Math.max(0, left)}px`);
    current.style.setProperty('top', `${above > 0 ? above : y + 14}px`);
  });
  return (
    <div class="card" ref={box}>
      {lines.map((line, i) => (
        <p key={i}>{line}</p>
      ))}
    </div>
  );
}
