import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  HANDLES,
  SCREENS,
  again,
  answer,
  answers,
  baseRateOf,
  beginning,
  change,
  comeBack,
  fromLink,
  hasEffect,
  interceptOf,
  lab,
  linkOf,
  moves,
  screensOf,
  show,
  take,
} from './state.js';
import type { Fault } from '../state/schema.js';

function read(link: string) {
  const faults: Fault[] = [];
  return { state: fromLink(link, faults), said: faults.map(({ part, why }) => `${part} ${why}`) };
}

test('what is as a screen begins is in no link, and every link comes back', () => {
  for (const screen of SCREENS) assert.equal(linkOf(beginning(screen)), `lab=${screen}`);
  for (const link of [
    'lab=6&region=0.2,-1.9,0.8,15',
    'lab=6&n=1000&T=1.4&region=0.2,-1.9,0.8,15&region=0,1,1,-15&bins=20&seed=9&draw=3',
    'lab=3&T=2&hide=answers,formulas&theme=dark&embed',
    'lab=5&lesson=7&k=17&level=3&from=2&to=9&skip=4,7&view=projector',
    'lab=10&case=C&n=2000',
    'lab=9&group=0.5,0.5,0&move=-0.3&cost=9',
    'lab=8&n=1000&method=ridge&world=regions',
    'lab=3&T=2&classes=4',
  ]) {
    const { state, said } = read(`#${link}`);
    assert.deepEqual(said, []);
    assert.equal(linkOf(state), link);
  }
  // a seed is no hundredth of a power of ten
  assert.equal(linkOf(read('#lab=3&seed=4294967295').state), 'lab=3&seed=4294967295');
});

test('numbers out of their bounds are moved, and what is unknown is told', () => {
  const { state, said } = read('#lab=6&n=999999&T=x&region=1,2,1&bins=2.6&hide=T,answers,nothing&colour=red&world=up');
  assert.deepEqual([state.n, state.T, state.bins, state.hide], [5000, 1, 3, ['T', 'answers']]);
  assert.deepEqual(
    said.map((text) => text.split(' ')[0]),
    ['n', 'T', 'region', 'bins', 'hide', 'colour', 'world'],
  );
  assert.deepEqual(state.region, beginning(6).region);
  assert.equal(read('#lab=99').state.screen, 10);
  assert.equal(read('#view=learn').state.screen, 1);
});

test('a lesson has its screens, and never none', () => {
  assert.deepEqual(screensOf(read('#lab=2&from=2&to=6&skip=4').state), [2, 3, 5, 6]);
  assert.equal(screensOf(read('#lab=2&from=6&to=2').state).length, 10);
});

test('a screen offers no handle that changes nothing there', () => {
  const offered = (screen: number) => HANDLES.map(({ key }) => key).filter((key) => hasEffect(key, screen));
  assert.deepEqual(offered(2), ['n', 'seed', 'draw']);
  assert.deepEqual([hasEffect('T', 8), hasEffect('bins', 8), hasEffect('gamma', 9)], [false, true, false]);
  assert.deepEqual([hasEffect('move', 9), hasEffect('move', 6), hasEffect('classes', 3)], [true, false, true]);
});

test('a screen is found again as it was left, and the same start is that of its link', () => {
  assert.deepEqual(take('#lab=3&T=1.4&seed=9'), []);
  change({ T: 2 });
  show(6);
  assert.deepEqual([lab.value.screen, lab.value.seed, lab.value.T], [6, 9, 1]);
  show(3);
  assert.deepEqual([lab.value.screen, lab.value.T], [3, 2]);
  answer('accuracy', 'Falls');
  show(6);
  comeBack('#lab=3&T=2&seed=9');
  assert.deepEqual(answers.value[3], { accuracy: 'Falls' });
  again();
  assert.equal(linkOf(lab.value), 'lab=3&T=1.4&seed=9');
  assert.equal(answers.value[3], undefined);
  answer('accuracy', 'Falls');
  take('#lab=3');
  assert.equal(answers.value[3], undefined, 'a link asks anew');
});

test('undo takes back a moved handle, and never the lesson or another screen', () => {
  take('#lab=4');
  change({ bins: 20 });
  change({ bins: 30 }); // the same handle, at once
  change({ T: 1.4 });
  change({ view: 'projector' });
  moves.undo();
  assert.deepEqual([lab.value.T, lab.value.bins, lab.value.view], [1, 30, 'projector']);
  moves.undo();
  assert.deepEqual([lab.value.bins, moves.canUndo.value], [15, false]);
  moves.redo();
  assert.equal(lab.value.bins, 30);
  change({ bins: 50 });
  assert.equal(moves.canRedo.value, false);
  moves.undo();
  assert.equal(lab.value.bins, 30);
  change({ draw: 2 });
  change({ draw: 3 });
  moves.undo();
  assert.deepEqual([lab.value.bins, lab.value.draw], [30, 2], 'each draw is a step');
  show(5);
  assert.equal(moves.canUndo.value, false);
});

test('the base rate of a file is an intercept of the lab, as far as the handle goes', () => {
  assert.equal(baseRateOf(0), 0.5);
  // the mean of σ(a + x) over many x from −3 to 3
  const mean = (a: number) =>
    Array.from({ length: 6000 }, (_, i) => 1 / (1 + Math.exp(-a - 6 * ((i + 0.5) / 6000 - 0.5)))).reduce(
      (s, x) => s + x,
    ) / 6000;
  for (const a of [-2, 0.7, 3]) assert.ok(Math.abs(baseRateOf(a) - mean(a)) < 1e-6);
  assert.equal(interceptOf(0.5), 0);
  assert.equal(interceptOf(baseRateOf(-1.3)), -1.3);
  assert.equal(interceptOf(0.001), -3);
});
