import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERDICTS, answersOnPaper, asksOf, rightOfBins, rightOfDiagram, verdictsOf } from './lesson.js';
import states from './plain_states.json';
import type { Spot } from './prediction.js';
import { SCREENS, beginning, caseOf, fromLink, isPlain, leavesLab } from './state.js';
import type { Lab } from './state.js';

const of = (link: string) => fromLink(link, []);
const texts = (link: string, ask = 0) => asksOf(of(link))[ask].choices?.map(({ text }) => text);

// the core is tested with the same states
test('a state is plain without other errors than that of the factor T', () => {
  for (const { plain, state } of states as { plain: boolean; state: Partial<Lab> }[])
    assert.equal(isPlain({ ...beginning(3), ...state }), plain, JSON.stringify(state));
});

test('the verdicts of screen 10 are those of its state, not of the name of its case', () => {
  for (const name of ['A', 'B', 'C']) assert.equal(caseOf(beginning(10, name)), name);
  // the gap at low probabilities makes the slope of all rows 0.88, and would not at high ones
  assert.deepEqual(verdictsOf(of('#lab=10'), 'overall'), ['Underestimated', 'Too extreme']);
  assert.deepEqual(verdictsOf(of('#lab=10&a=2'), 'overall'), ['Underestimated']);
  // without its gap, case A is calibrated
  assert.deepEqual(verdictsOf(of('#lab=10&group=0.25,0,0'), 'where'), ['Nowhere']);
  for (const link of [
    '#lab=10&s=1',
    '#lab=10&T=2',
    '#lab=10&group=0.25,0,8',
    '#lab=10&case=B&s=1',
    '#lab=10&case=B&noise=0.2',
    '#lab=10&case=B&region=0,1.5,1,25',
    '#lab=10&case=C&T=0.7',
    '#lab=10&case=C&group=0.25,0,-8',
  ])
    assert.equal(verdictsOf(of(link), 'overall'), undefined, link);
});

test('screen 3 asks about the factor of its link, and judges no curve that other errors bend', () => {
  const [accuracy, curve] = asksOf(of('#lab=3'));
  assert.match(accuracy.question, /are doubled \(T = 2\)\. How/);
  assert.match(curve.draw?.truth ?? '', /^above the diagonal at low/);
  const half = asksOf(of('#lab=3&T=0.5'));
  assert.match(half[0].question, /multiplied by 0\.5 \(T = 0\.5\)/);
  assert.match(half[1].draw?.truth ?? '', /^below the diagonal at low/);
  const drawn = (ys: number[]) => [0.1, 0.3, 0.5, 0.7, 0.9].map((x, i): Spot => [x, ys[i]]);
  const [s, reverse] = [drawn([0.3, 0.4, 0.5, 0.6, 0.7]), drawn([0.02, 0.2, 0.5, 0.8, 0.98])];
  assert.deepEqual([curve.draw?.right(s), curve.draw?.right(reverse)], [true, false]);
  assert.deepEqual([half[1].draw?.right(s), half[1].draw?.right(reverse)], [false, true]);
  assert.deepEqual([curve.unjudged, asksOf(of('#lab=3&noise=0.2'))[1].unjudged], [false, true]);
  // of several classes, the confidence of the predicted one is too high throughout
  const [, three] = asksOf(of('#lab=3&classes=3&T=2'));
  assert.equal(three.draw?.truth, 'below the diagonal everywhere');
  assert.deepEqual(three.draw?.from.at(0), [0.5, 0.5]);
  const lower = three.draw?.from.map(([x, y]): Spot => [x, y - 0.1]) ?? [];
  assert.deepEqual([three.draw?.right(lower), three.draw?.right(three.draw.from)], [true, false]);
  // T multiplies no shift
  assert.match(asksOf(of('#lab=3&s=1'))[0].question, /becomes T = 2; its shifts stay the same/);
});

test('screen 4 asks about its rows and bins, and is judged by the mean ECE of a perfect model', () => {
  const right = (link: string, mean: number, other: number) => rightOfBins(of(link), mean, other);
  const [ece, more] = asksOf(of('#lab=4'));
  assert.match(ece.question, /model is true \(1,000 rows\)\. Its ECE with 15 bins is/);
  assert.match(more.question, /with 100 bins/);
  assert.deepEqual(texts('#lab=4'), ['0', '0.01', '0.04', '0.10']);
  assert.deepEqual(right('#lab=4', 0.038, 0.094), { ece: '0.04', more: 'Higher' });
  // the mean ECE of a perfect model by simulation, and the choice nearest to it
  for (const [link, mean, nearest] of [
    ['#lab=4&n=4000', 0.018, '0.02'],
    ['#lab=4&n=100', 0.117, '0.10'],
    ['#lab=4&n=5000', 0.0167, '0.02'],
    ['#lab=4&n=1797&bins=30', 0.039, '0.04'],
    ['#lab=4&bins=2', 0.014, '0.01'],
    // a row in a bin of its own
    ['#lab=4&n=10&bins=100', 0.3, '0.30'],
  ] as const) {
    assert.equal(Number(right(link, mean, 2 * mean).ece), Number(nearest), link);
    assert.ok(texts(link)?.includes(nearest), `${link}: ${texts(link)}`);
    assert.equal(new Set(texts(link)).size, 4, link);
  }
  const many = '#lab=4&bins=100';
  assert.match(asksOf(of(many))[1].question, /with 15 bins/);
  assert.deepEqual(right(many, 0.094, 0.038), { ece: '0.1', more: 'Lower' });
  assert.equal(right('#lab=4&b=0', 0.013, 0.013).more, 'The same');
  for (const other of ['T=1.4', 's=1', 'noise=0.1'])
    assert.match(asksOf(of(`#lab=4&${other}`))[0].question, /^If every probability of this model were true/);
});

test('screen 6 asks about region A as the link has it', () => {
  const asked = (link: string) => asksOf(of(link))[0];
  // with the regions known, "no" would be right in every state: what is asked is what the diagram shows
  assert.match(asksOf(of('#lab=6'))[1].question, /^By the diagram alone: /);
  assert.match(asked('#lab=6').question, /^In region A the model overestimates by 25 percentage points\./);
  assert.equal(asked('#lab=6').truth, 'depth −25 at (0, −1.5)');
  const ten = asked('#lab=6&region=0,1.5,1,10&region=0,-1.5,1,-25');
  assert.match(ten.question, /overestimates by 10 /);
  assert.equal(ten.truth, 'depth −10 at (0, −1.5)');
  const under = asked('#lab=6&region=-1,0.5,1,-20&region=0,-1.5,0.5,0');
  assert.match(under.question, /underestimates by 20 /);
  assert.equal(under.truth, 'depth 20 at x₁ = −1, outside region A, radius 1');
});

test('questions have choices of their own, and paper has their answers', () => {
  for (const screen of SCREENS)
    for (const { choices = [] } of asksOf(beginning(screen)))
      assert.equal(new Set(choices.map(({ id }) => id)).size, choices.length);
  assert.deepEqual(rightOfDiagram(false), ['The diagram cannot tell']);
  assert.deepEqual(rightOfDiagram(true), ['No', 'The diagram cannot tell']);
  // every question but the pages of their own of screens 1 and 5, and the verdicts of screen 10, has its answer on paper
  for (const screen of SCREENS.slice(0, 9))
    assert.equal(answersOnPaper(screen).length, asksOf(beginning(screen)).length, `screen ${screen}`);
  assert.deepEqual(answersOnPaper(4), ['0.04', 'Higher']);
  assert.deepEqual(answersOnPaper(6), ['depth −25 at (0, −1.5)', 'The diagram cannot tell']);
  assert.deepEqual([8, 9].map(answersOnPaper), [['Temperature'], ['No']]);
  for (const id of ['overall', 'where', 'action']) {
    const offered =
      asksOf(beginning(10))
        .find((ask) => ask.id === id)
        ?.choices?.map((one) => one.id) ?? [];
    for (const verdict of Object.values(VERDICTS))
      for (const right of verdict[id]) assert.ok(offered.includes(right), `${id}: ${right}`);
  }
  // an error of all rows is not nowhere
  assert.deepEqual(verdictsOf(beginning(10, 'C'), 'where'), ['Everywhere']);
});

test('screens 7 and 9 judge no prediction of a state with other errors, and screen 3 no line of one point', () => {
  const judged = (link: string, ask = 0) => !asksOf(of(link))[ask].unjudged;
  for (const link of ['#lab=7', '#lab=7&n=5000&gamma=1', '#lab=9', '#lab=9&move=-0.3&cost=3&group=0.5,0,0'])
    assert.ok(judged(link), link);
  for (const link of [
    '#lab=7&s=2',
    '#lab=7&T=2',
    '#lab=9&group=0.5,0,0&T=2',
    '#lab=9&noise=0.1',
    '#lab=9&group=0.5,1,5',
  ])
    assert.ok(!judged(link), link);
  assert.deepEqual([judged('#lab=3', 1), judged('#lab=3&b=0', 1)], [true, false]);
});

test('an ECE is at most 1, and so is every choice', () => {
  for (const link of ['#lab=4&n=10&bins=100', '#lab=4&n=10', '#lab=4&n=20&bins=100'])
    for (const { id } of asksOf(of(link))[0].choices ?? []) assert.ok(Number(id) <= 1, `${link}: ${id}`);
});

test('on a course page no button leaves the lab', () => {
  const links = ['#lab=6', '#lab=6&embed', '#lab=6&hide=own'];
  assert.deepEqual(
    links.map((link) => leavesLab(of(link))),
    [true, false, false],
  );
});
