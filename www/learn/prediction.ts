// What a person drew before the result, kept in the chart that shows the result: as marks, which are saved with it, and
// as words, which are in its data table.

type Figure = wasm_bindgen.Figure;
type Panel = wasm_bindgen.Panel;
type Mark = wasm_bindgen.Mark;
export type Spot = [number, number];

const NAME = 'your prediction';

/** The panel whose axes are those of the chart: one before it holds a legend, one behind it a histogram. */
export const panelOf = ({ panels }: Figure): Panel | undefined => panels.find(({ y }) => y.title !== '');

type Scale = wasm_bindgen.Scale;
const endsOf = (scale: Scale): { low: number; high: number } =>
  'log' in scale ? scale.log : 'logit' in scale ? scale.logit : scale.linear;

type Turn = (x: number) => number;
/** From values to what takes equal space on an axis, and back. */
function turnsOf(scale: Scale): [Turn, Turn] {
  if ('log' in scale) return [Math.log, Math.exp];
  if ('logit' in scale) return [(p) => Math.log(p / (1 - p)), (z) => 1 / (1 + Math.exp(-z))];
  return [(x) => x, (x) => x];
}
function along(scale: Scale, x: number) {
  const { low, high } = endsOf(scale);
  const [even] = turnsOf(scale);
  return (even(x) - even(low)) / (even(high) - even(low));
}
function valueAt(scale: Scale, share: number) {
  const { low, high } = endsOf(scale);
  const [even, back] = turnsOf(scale);
  return back(even(low) + share * (even(high) - even(low)));
}
/** Pixel of a place, and place of a pixel. */
export const pixelOf = ({ rect, x, y }: Panel, [a, b]: Spot): Spot => [
  rect.x + along(x.scale, a) * rect.width,
  rect.y + (1 - along(y.scale, b)) * rect.height,
];
export const spotOf = ({ rect, x, y }: Panel, [a, b]: Spot): Spot => [
  valueAt(x.scale, (a - rect.x) / rect.width),
  valueAt(y.scale, 1 - (b - rect.y) / rect.height),
];

/** Axes and diagonal alone: what a person draws into, before anything is told. */
export function emptied(figure: Figure): Figure {
  const panel = panelOf(figure);
  const foot = figure.panels.at(-1);
  if (!panel || !foot) return figure;
  const bare = (mark: Mark) => ('line' in mark && mark.line.dash === 'dashed') || 'text' in mark;
  const bottom = panel.rect.y + panel.rect.height;
  // the axis of the histogram, whose bars are gone, moves up to the diagram
  const axis = {
    ...foot,
    marks: [],
    rect: { ...foot.rect, y: bottom, height: 1 },
    y: { ...foot.y, title: '', ticks: [] },
  };
  return {
    ...figure,
    panels: [{ ...panel, marks: panel.marks.filter(bare) }, ...(foot === panel ? [] : [axis])],
    height: foot === panel ? figure.height : figure.height - (foot.rect.y + foot.rect.height - bottom - 1),
    table: { columns: [], rows: [] },
    alt: 'An empty diagram.',
    caption: '',
  };
}

/** The points of a diagram for who does not see it: where they are, and nothing of what is made of them. */
export function pointsInWords({ table: { columns, rows } }: Pick<Figure, 'table'>): string {
  const [x, y] = ['predicted', 'observed'].map((name) => columns.findIndex(({ title }) => title.includes(name)));
  return rows.map((row) => `predicted ${row[x]}, observed ${row[y]}`).join('; ');
}

/** Room round a diagram without names, for symbols at the ends of its axes. */
const EDGE = 8;
/** The square of a diagram alone, without names and numbers: one of many that have the same axes. */
export function unnamed(figure: Figure): Figure {
  const panel = panelOf(figure);
  if (!panel) return figure;
  const { width, height } = panel.rect;
  const mute = (axis: wasm_bindgen.Axis) => ({
    ...axis,
    title: '',
    ticks: axis.ticks.map((tick) => ({ ...tick, label: '' })),
  });
  return {
    ...figure,
    width: width + 2 * EDGE,
    height: height + 2 * EDGE,
    panels: [{ ...panel, rect: { x: EDGE, y: EDGE, width, height }, x: mute(panel.x), y: mute(panel.y) }],
  };
}

const line = (points: Spot[]): Mark => ({ line: { dash: 'dotted', ink: 'accent', points, width: 2.5 } });
const words = ([x, y]: Spot, anchor: 'start' | 'middle' | 'end', dy = 0, dx = 0): Mark => ({
  text: { anchor, bold: false, dx, dy, halo: true, ink: 'accent', size: 12, text: NAME, x, y },
});

/** A figure with more marks in its panel, and a line of its table for what they say. */
function withMarks(figure: Figure, marks: (panel: Panel) => Mark[], said: string[]): Figure {
  const panel = panelOf(figure);
  const { columns } = figure.table;
  if (!panel || columns.length === 0) return figure;
  const more = marks(panel);
  const panels = figure.panels.map((one) => (one === panel ? { ...one, marks: [...one.marks, ...more] } : one));
  const lines = said.map((text) => columns.map((_, i) => (i === 0 ? text : '')));
  return {
    ...figure,
    panels,
    table: { columns, rows: [...figure.table.rows, ...lines] },
    alt: `${figure.alt} ${said.join('. ')}.`,
  };
}

/** In words: the share that was drawn at each stated probability. */
export const shareInWords = ([x, y]: Spot) => `at ${Math.round(100 * x)}%: ${Math.round(100 * y)}%`;

/** With points, joined by a line where there are several. */
export const withPoints = (figure: Figure, points: Spot[]): Figure =>
  withMarks(
    figure,
    () => [
      ...(points.length > 1 ? [line(points)] : []),
      {
        points: {
          points: points.map(([x, y], index) => ({
            filled: false,
            hover: [NAME, shareInWords([x, y])],
            index,
            ink: 'accent',
            radius: 5,
            symbol: 'diamond',
            x,
            y,
          })),
        },
      },
      words(points[points.length - 1], 'end', 18),
    ],
    points.map((one) => `${NAME}, ${shareInWords(one)}`),
  );

/** Pixels from an upright line to its words, which stand at this part of its height: below what lies along the top. */
const BESIDE = 6;
const HIGH = 0.8;
/** With a line at a place of the horizontal axis, and words on the side of it that has more room. */
export const withPin = (figure: Figure, x: number): Figure =>
  withMarks(
    figure,
    ({ x: across, y }) => {
      const { low, high } = endsOf(y.scale);
      const isRight = along(across.scale, x) > 0.5;
      return [
        line([
          [x, low],
          [x, high],
        ]),
        words([x, low + HIGH * (high - low)], isRight ? 'end' : 'start', 0, isRight ? -BESIDE : BESIDE),
      ];
    },
    [`${NAME}: ${x}`],
  );

/** Points round a disc that is drawn as a line. */
const ROUND = 48;
/** With the outline of a disc on a map. */
export const withDisc = (figure: Figure, [x, y]: Spot, radius: number): Figure =>
  withMarks(
    figure,
    () => [
      line(
        Array.from({ length: ROUND + 1 }, (_, i): Spot => {
          const turn = (2 * Math.PI * i) / ROUND;
          return [x + radius * Math.cos(turn), y + radius * Math.sin(turn)];
        }),
      ),
      words([x, y - radius], 'middle', 14),
    ],
    [`${NAME}: a region round x₁ = ${x}, x₂ = ${y}`],
  );
