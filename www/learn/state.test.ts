import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCREENS, beginning, fromLink, linkOf, screensOf } from './state.js';
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
    'lab=3&T=2&hide=answers,formulas&embed',
    'lab=5&lesson=7&k=17&level=3&from=2&to=9&skip=4,7&view=projector',
    'lab=10&case=C&n=2000',
    'lab=9&group=0.5,0.5,0&move=-0.3&cost=9',
    'lab=8&n=1000&world=regions',
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
