import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asksOf } from './lesson.js';
import {
  emptied,
  panelOf,
  pixelOf,
  pointsInWords,
  spotOf,
  unnamed,
  withDisc,
  withPin,
  withPoints,
} from './prediction.js';
import type { Spot } from './prediction.js';
import { beginning } from './state.js';

const axis = (title: string) => ({
  grid: true,
  line: true,
  ticks: [],
  title,
  scale: { linear: { low: 0, high: 1 } },
});
const legend = {
  marks: [],
  rect: { x: 0, y: 0, width: 100, height: 160 },
  x: { ...axis(''), scale: { linear: { low: 0, high: 100 } } },
  y: { ...axis(''), scale: { linear: { low: 160, high: 0 } } },
};
const diagonal = { line: { dash: 'dashed', ink: 'axis', points: [], width: 1 } };
const data = { points: { points: [] } };
const figure = {
  alt: 'A diagram.',
  caption: 'c',
  title: '',
  width: 100,
  height: 160,
  panels: [
    legend,
    { marks: [diagonal, data], rect: { x: 20, y: 10, width: 80, height: 80 }, x: axis(''), y: axis('observed') },
    { marks: [data], rect: { x: 20, y: 100, width: 80, height: 40 }, x: axis('predicted'), y: axis('rows') },
  ],
  table: {
    columns: [
      { align: 'start', title: 'bin' },
      { align: 'end', title: 'rows' },
    ],
    rows: [['0–1', '5']],
  },
} as unknown as wasm_bindgen.Figure;

test('a pixel and a place are the same point, on linear, logarithmic and logit axes', () => {
  const panel = panelOf(figure);
  assert.ok(panel);
  assert.deepEqual(pixelOf(panel, [0.5, 0.25]), [60, 70]);
  const log = { ...panel, x: { ...panel.x, scale: { log: { low: 0.01, high: 100 } } } };
  const logit = { ...panel, x: { ...panel.x, scale: { logit: { low: 0.01, high: 0.5 } } } };
  for (const one of [panel, log, logit]) {
    const [x, y] = spotOf(one, pixelOf(one, [0.3, 0.8]));
    assert.ok(Math.abs(x - 0.3) < 1e-12 && Math.abs(y - 0.8) < 1e-12);
  }
});

test('a prediction is in the picture, in its words and in its table', () => {
  for (const [drawn, says] of [
    [withPoints(figure, [[0.7, 0.5]]), 'your prediction, at 70%: 50%'],
    [withPin(figure, 0.4), 'your prediction: 0.4'],
    [withDisc(figure, [0, -1.5], 1), 'your prediction: a region round x₁ = 0, x₂ = -1.5'],
  ] as const) {
    assert.ok(drawn.panels[1].marks.length > figure.panels[1].marks.length);
    assert.deepEqual(drawn.panels[2], figure.panels[2]);
    assert.deepEqual(drawn.table.rows.at(-1), [says, '']);
    assert.ok(drawn.alt.endsWith(`${says}.`));
  }
});

test('an empty diagram tells nothing of the data', () => {
  const { panels, table, alt, height } = emptied(figure);
  assert.deepEqual(panels.map(({ marks }) => marks), [[diagonal], []]); // prettier-ignore
  assert.deepEqual([table.rows, height], [[], 111]);
  assert.doesNotMatch(alt, /A diagram/);
});

test('what is drawn is judged by its form', () => {
  const [, tap] = asksOf(beginning(2));
  const [, curve] = asksOf(beginning(3));
  const along = (ys: number[]) => [0.1, 0.3, 0.5, 0.7, 0.9].map((x, i): Spot => [x, ys[i]]);
  assert.equal(tap.draw?.right([[0.74, 0.46]]), true);
  assert.equal(tap.draw?.right([[0.5, 0.7]]), false);
  assert.equal(curve.draw?.right(along([0.3, 0.4, 0.5, 0.6, 0.7])), true);
  assert.equal(curve.draw?.right(along([0.1, 0.3, 0.5, 0.7, 0.9])), false, 'the diagonal');
  assert.equal(curve.draw?.right(along([0.05, 0.2, 0.5, 0.8, 0.95])), false, 'the S the other way round');
  assert.equal(curve.draw?.right(along([0.05, 0.2, 0.3, 0.5, 0.7])), false, 'all below');
});

test('the words of a pin stand beside its line, on the side with more room', () => {
  for (const [x, anchor] of [
    [0.1, 'start'],
    [0.9, 'end'],
  ] as const) {
    const marks = withPin(figure, x).panels[1].marks;
    const words = marks.flatMap((mark) => ('text' in mark ? [mark.text] : [])).pop();
    assert.ok(words);
    assert.equal(words.anchor, anchor);
    assert.ok(Math.abs(words.dx) > 2 && words.dx > 0 === (anchor === 'start'), 'beside the line');
    // lines along the top and at the foot stay free
    assert.ok(words.y > 0.5 && words.y < 0.9);
  }
});

test('a diagram of the line-up is its square alone: names too small to read are not drawn', () => {
  const ticks = [{ value: 0.5, label: '0.5' }];
  const named = { ...figure, panels: figure.panels.map((one) => ({ ...one, y: { ...one.y, ticks } })) };
  const { panels, width, height } = unnamed(named as wasm_bindgen.Figure);
  assert.equal(panels.length, 1);
  const [{ rect, marks, x, y }] = panels;
  assert.deepEqual(marks, figure.panels[1].marks);
  assert.deepEqual([rect.width, rect.height], [80, 80]);
  assert.deepEqual([width, height], [80 + 2 * rect.x, 80 + 2 * rect.y]);
  assert.deepEqual([x.title, y.title, y.ticks.map(({ label }) => label)], ['', '', ['']]);
});

test('a diagram of the line-up is told by its points, without a word of what is made of them', () => {
  const columns = ['bin', 'rows', 'mean predicted probability', 'observed proportion', 'error', 'band'];
  const table: wasm_bindgen.TextTable = {
    columns: columns.map((title) => ({ title, align: 'start' as const })),
    rows: [
      ['0.1–0.2', '12', '15.1%', '8.3%', '▲ 6.8 pp', '▲ outside'],
      ['0.2–0.3', '9', '24.0%', '33.3%', '▼ 9.3 pp', 'inside'],
    ],
  };
  assert.equal(pointsInWords({ table }), 'predicted 15.1%, observed 8.3%; predicted 24.0%, observed 33.3%');
});
