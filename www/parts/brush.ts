// A drawing on a canvas: asks for its figure, draws it with the core, and asks again where its room or the theme changes.

import type { RefObject } from 'preact';
import { paintFault, painter } from '../engine/core.js';
import type { Drawn } from '../engine/outcome.js';
import { dark, density, forcedColors } from '../engine/theme.js';
import { showError } from './message.js';

/** What a drawing may fill: CSS pixels, device pixels to one of them, colors. */
export interface Room {
  width: number;
  dpr: number;
  dark: boolean;
}
/** How a chart is asked for. */
export interface ChartQuestion {
  /** the figure for the room there is, or null for nothing to show */
  ask: (room: Room) => Promise<Drawn | null>;
  /** what it is asked about, always as many things: where one is another, it is asked again */
  of?: unknown[];
  /** is called after each drawing */
  drawn?: (easel: Easel) => void;
}

/** A drawing on screen, for who draws over it. */
export interface Easel {
  canvas: HTMLCanvasElement;
  /** pixel of a place in the units of the first panel */
  place: (x: number, y: number) => Float64Array | undefined;
  /** the other way round */
  value: (x: number, y: number) => Float64Array | undefined;
  /** asks again */
  refresh: () => void;
}

/** Widths that differ by no more CSS pixels are the same. */
const SLACK = 4;
/** Whether two questions are about the same. */
const sameThings = (some: unknown[] = [], others: unknown[] = []) => some.every((one, i) => one === others[i]);
/** Whether its colors are those of the page that it was made for. */
export const hasPicture = ({ marks }: wasm_bindgen.Panel) => marks.some((mark) => 'image' in mark);

/** What is drawn, and the marks that can be pointed at. */
export interface Picture {
  shown: Drawn | null;
  marks: wasm_bindgen.Hit[];
}

/** The core's drawing of one figure, and the question that is out. */
export class Brush {
  drawing: wasm_bindgen.Drawing | null = null;
  cursor = -1;
  #picture: Picture = { shown: null, marks: [] };
  #width = 0;
  #busy = false;
  #again = false;
  #gone = false;

  constructor(
    readonly stage: RefObject<HTMLDivElement | null>,
    readonly canvas: RefObject<HTMLCanvasElement | null>,
    readonly props: RefObject<ChartQuestion>,
    readonly tell: (picture: Picture) => void,
    readonly setStale: (stale: boolean) => void,
  ) {}

  /** Whether what is drawn, or asked for, has this width; before anything is, none fits. */
  fits = (width: number) => (this.#busy || this.#picture.shown !== null) && Math.abs(width - this.#width) <= SLACK;

  /** Asks again. A question that comes while one is out waits for it; of several only the last is asked. */
  refresh = async (): Promise<void> => {
    if (this.#busy) {
      this.#again = true;
      return;
    }
    const { current: props } = this.props;
    const width = Math.floor(this.stage.current?.clientWidth ?? 0);
    if (width === 0 || this.#gone || !props) return;
    this.#busy = true;
    this.#width = width;
    this.setStale(true);
    try {
      await this.#show(await props.ask({ width, dpr: density(this.stage.current), dark: dark() }));
    } catch (error) {
      // a new run replaces the methods of the last one a moment before the page draws it: a question about those is over
      await new Promise((done) => setTimeout(done));
      if (!this.#gone && sameThings(props.of, this.props.current?.of)) showError(error);
    } finally {
      this.#busy = false;
      this.setStale(false);
    }
    if (!this.#again) return;
    this.#again = false;
    await this.refresh();
  };

  async #show(shown: Drawn | null) {
    const { Drawing } = await painter();
    const { current: canvas } = this.canvas;
    if (this.#gone || !canvas) return;
    const had = this.#picture.marks.length;
    this.drawing?.free();
    this.drawing = null;
    this.#picture = { shown, marks: [] };
    try {
      if (shown) {
        this.drawing = new Drawing(JSON.stringify(shown.outcome.figure), shown.columns);
        this.#paint(this.drawing, canvas);
        this.#picture.marks = this.drawing.marks();
      }
    } catch (error) {
      throw paintFault(error);
    }
    if (this.#picture.marks.length !== had) this.cursor = -1; // who moves through the marks stays where they were
    this.tell(this.#picture);
    if (shown) this.props.current?.drawn?.(this.#easel(canvas));
  }

  #easel = (canvas: HTMLCanvasElement): Easel => ({
    canvas,
    place: (x, y) => this.drawing?.place(x, y),
    value: (x, y) => this.drawing?.value(x, y),
    refresh: this.refresh,
  });

  #paint(drawing: wasm_bindgen.Drawing, canvas: HTMLCanvasElement) {
    drawing.draw(canvas, dark(), density(this.stage.current), forcedColors());
    canvas.dataset.dark = String(dark());
  }

  /** Paints again in the colors of now; false for a picture, whose colors the core chose when it was found. */
  recolor(): boolean {
    const { current: canvas } = this.canvas;
    if (!this.drawing || !canvas || this.#picture.shown?.outcome.figure.panels.some(hasPicture)) return false;
    try {
      this.#paint(this.drawing, canvas);
    } catch (error) {
      showError(paintFault(error));
    }
    return true;
  }

  free() {
    this.#gone = true;
    this.drawing?.free();
    this.drawing = null;
  }
}
