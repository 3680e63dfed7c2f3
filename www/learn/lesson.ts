// What the lab says beside what it computes: questions, choices, formulas, and notes for the teacher.

import type { Draw } from './drawing.js';
import type { Spot } from './prediction.js';
import { beginning, caseOf, isPlain } from './state.js';
import type { Lab } from './state.js';

/** One question before the result; `right`: the id of the choice that is right, null where the core says it. */
export interface Ask {
  id: string;
  question: string;
  /** the same for the handout, where on screen it says what to tap or to drag */
  askedOnPaper?: string;
  /** none: what is asked for is drawn, or set with the handle, and locked with a button */
  choices?: { id: string; text: string }[];
  /** a sentence, which no one judges */
  writes?: true;
  /** what is asked for is drawn into the chart */
  draw?: Draw;
  right: string | null;
  /** what is true, where no choice says it */
  truth?: string;
  /** what is right where the screen begins, for the handout, where only the core says it of other states */
  onPaper?: string;
  /** the state has other errors: no answer is right */
  unjudged?: boolean;
}
interface Screen {
  title: string;
  goal: string;
  minutes: number;
  /** minute of a lesson of 45 at which it begins */
  begins: number;
  /** its questions in a state */
  asks: (of: Lab) => Ask[];
  /** handles that its own question is about */
  handles: string[];
  formula: string;
  myth: string;
  teacher: string;
  /** the question of Explore that is the same of a person's own file */
  own: { kind: string; title: string };
}
/** The questions of a screen in a state. */
export const asksOf = (of: Lab): Ask[] => LESSON[of.screen].asks(of);
/** What is right of a screen as it begins, for the handout: of screen 10 each case has verdicts of its own. */
export const answersOnPaper = (screen: number): string[] =>
  asksOf(beginning(screen)).flatMap(
    ({ right, draw, truth, onPaper }) => right ?? draw?.truth ?? truth ?? onPaper ?? [],
  );
const choices = (...texts: string[]) => texts.map((text) => ({ id: text, text }));

/** Mean of observed − predicted of what was drawn, at these stated probabilities. */
function meanAbove(points: Spot[], at: (stated: number) => boolean) {
  const some = points.filter(([x]) => at(x));
  return some.reduce((sum, [x, y]) => sum + y - x, 0) / Math.max(1, some.length);
}
/** A line that is nearer to the diagonal is the diagonal; a point that is as near to another is that one. */
const OFF = 0.02;
const NEAR = 0.05;
const isBelow = (points: Spot[]) => meanAbove(points, () => true) <= -OFF;
const isS = (points: Spot[]) => meanAbove(points, (x) => x < 0.5) >= OFF && meanAbove(points, (x) => x > 0.5) <= -OFF;
const isNear = ([[x, y]]: Spot[], [a, b]: Spot) => Math.abs(x - a) <= NEAR + 1e-9 && Math.abs(y - b) <= NEAR + 1e-9;

/** Screen 3: what T does; of a model whose T is 1, what doubling does. */
export const factorOf = ({ T }: Lab) => (T === 1 ? 2 : T);
function asksOfFactor(of: Lab): Ask[] {
  const T = factorOf(of);
  const [first, last] = T > 1 ? ['above', 'below'] : ['below', 'above'];
  // of several classes the confidence is that of the predicted one: at least one in as many, and all of it too high or too low
  const top = of.classes > 2;
  const truth = top
    ? `${last} the diagonal everywhere`
    : `${first} the diagonal at low probabilities, ${last} it at high ones`;
  const bends = top ? isBelow : isS;
  // a shift is not multiplied by T
  const what =
    of.s !== 0 || of.move !== 0
      ? `The confidence factor of this model becomes T = ${T}; its shifts stay the same.`
      : `All log-odds of this model are ${T === 2 ? 'doubled' : `multiplied by ${T}`} (T = ${T}).`;
  return [
    {
      id: 'accuracy',
      question: `${what} How does its accuracy change?`,
      choices: [
        { id: 'rises', text: 'Rises' },
        { id: 'same', text: 'Stays the same' },
        { id: 'falls', text: 'Falls' },
      ],
      right: null,
      onPaper: 'Stays the same',
    },
    {
      id: 'curve',
      question:
        'Where do the points of the reliability diagram lie then? Drag the five points of the line to your prediction.',
      askedOnPaper: 'Where do the points of the reliability diagram lie then? Draw the line through them.',
      draw: {
        from: (top ? [0.5, 0.6, 0.7, 0.8, 0.9] : [0.1, 0.3, 0.5, 0.7, 0.9]).map((x): Spot => [x, x]),
        name: 'Observed proportion at a predicted probability of',
        right: T > 1 ? bends : (points) => bends(points.map(([x, y]) => [x, 2 * x - y])),
        truth,
      },
      // predictions that are all the same are one point, and no line bends
      unjudged: !isPlain(of) || of.b === 0,
      right: null,
    },
  ];
}

/**
 * Approximate mean ECE of a perfect model, for the sizes to choose from: they are on screen, and printed, before the core has
 * answered, and the exact mean is part of its answer. 0.31 ≈ √(2/π) · π/8: mean size of a standard normal error, times the
 * mean of √(p(1 − p)) of p between 0 and 1. No more bins hold rows than there are rows.
 */
const perfectEce = ({ n, bins }: Lab) => 0.31 * Math.sqrt(Math.min(bins, n) / n);
const oneDigit = (x: number) => Number(x.toPrecision(1));
const decimal = (x: number) => (x === 0 ? '0' : x.toFixed(Math.max(2, Math.ceil(-Math.log10(x) - 1e-9))));
function asksOfBins(of: Lab): Ask[] {
  const about = oneDigit(perfectEce(of));
  const sizes = [0, oneDigit(about / 4), about, oneDigit(2.5 * about)];
  const rows = `(${of.n.toLocaleString('en-US')} rows)`;
  const ece =
    isPlain(of) && of.T === 1
      ? `Every probability of this model is true ${rows}. Its ECE with ${of.bins} bins is about …`
      : `If every probability of this model were true ${rows}, its ECE with ${of.bins} bins would be about …`;
  return [
    {
      id: 'ece',
      question: ece,
      choices: sizes.map((x) => ({ id: String(x), text: decimal(x) })),
      right: null,
      onPaper: decimal(about),
    },
    {
      id: 'more',
      question: `And with ${of.bins === 100 ? 15 : 100} bins?`,
      choices: choices('Lower', 'The same', 'Higher'),
      right: null,
      onPaper: 'Higher',
    },
  ];
}
/** The right choices of screen 4 by the mean ECE of a perfect model, with the bins of both questions. */
export function rightOfBins(of: Lab, mean: number, other: number): Record<string, string> {
  const sizes = asksOfBins(of)[0].choices?.map(({ id }) => Number(id)) ?? [];
  const nearest = sizes.reduce((best, x) => (Math.abs(x - mean) < Math.abs(best - mean) ? x : best));
  const more = Math.abs(other - mean) < 1e-9 ? 'The same' : other > mean ? 'Higher' : 'Lower';
  return { ece: String(nearest), more };
}

const signed = (x: number) => String(x).replace('-', '−');
function asksOfRegions({ region: [a, b] }: Lab): Ask[] {
  const [x, y, radius, depth] = a ?? [0, 0, 0, 0];
  const what =
    depth === 0
      ? 'In region A no error is set. '
      : `In region A the model ${depth > 0 ? 'over' : 'under'}estimates by ${Math.abs(depth)} percentage points. `;
  // where its mirror image would meet region A, any place to the same right is as good
  const place = Math.abs(y) >= radius ? `(${signed(x)}, ${signed(0 - y)})` : `x₁ = ${signed(x)}, outside region A`;
  const size = b && b[2] !== radius ? `, radius ${radius}` : '';
  return [
    {
      id: 'set',
      question: `${what}Drag region B and set its depth so that the reliability diagram becomes straight.`,
      right: null,
      truth: `depth ${signed(0 - depth)} at ${place}${size}`,
    },
    {
      id: 'everywhere',
      // that it is not is known from the regions: the question is what the diagram shows of it
      question: 'By the diagram alone: is the model now calibrated everywhere?',
      choices: choices('Yes', 'No', CANNOT_TELL),
      right: null,
      onPaper: CANNOT_TELL,
    },
  ];
}
const CANNOT_TELL = 'The diagram cannot tell';
/**
 * What is right of the second question of screen 6. Above the null band the ECE says no, while every bin of the diagram may be
 * inside its own: both are right.
 */
export const rightOfDiagram = (above: boolean) => (above ? ['No', CANNOT_TELL] : [CANNOT_TELL]);

/** What is wrong with the model of each world of screen 8. */
const WORLDS: Record<string, string> = {
  over: 'A model is overconfident (T = 1.8)',
  regions: 'A model is wrong in two regions of opposite sign',
  both: 'A model is overconfident (T = 1.8), and wrong in two regions',
  calibrated: 'A model is calibrated',
};
/** Screen 8: the model and the rows that a recalibration is fitted to. */
function asksOfRecalibration(of: Lab): Ask[] {
  // other errors are set with other handles
  const model = isPlain({ ...of, region: [] }) && of.T === 1 ? `${WORLDS[of.world]}. ` : '';
  return [
    {
      id: 'best',
      question:
        `${model}${of.n.toLocaleString('en-US')} rows are available for recalibration. ` +
        'Which method is closest to the true probabilities?',
      choices: [
        { id: 'none', text: 'None of them' },
        { id: 'temperature', text: 'Temperature' },
        { id: 'isotonic', text: 'Isotonic' },
        { id: 'lore', text: 'LoRe' },
        { id: 'ridge', text: 'Ridge LoRe' },
      ],
      right: null,
      onPaper: 'Temperature',
    },
  ];
}

export const LESSON: Record<number, Screen> = {
  1: {
    title: 'How well do you know what you know?',
    goal: 'Your confidence is a forecast. Ten answers say little about its calibration.',
    minutes: 5,
    begins: 1,
    asks: () => [],
    handles: ['set'],
    formula: 'Brier score = (1/10) Σ (c − a)²; 95% Wilson interval of the share right.',
    myth: 'Seven of ten right at 80% stated proves overconfidence.',
    teacher:
      'Type the codes of the class into the tally. It gives no p-value: the questions are shared, ' +
      'so the answers are not independent.',
    own: { kind: 'reliability', title: 'Reliability diagram' },
  },
  2: {
    title: 'What does 70% mean?',
    goal: 'A probability is a statement about many similar cases.',
    minutes: 3,
    begins: 6,
    asks: () => [
      {
        id: 'wrong',
        question: 'Forecast: 70% on ten days. It rained on five. Is the forecaster wrong?',
        choices: choices('Yes', 'No', 'Cannot tell'),
        right: 'Cannot tell',
      },
      {
        id: 'tap',
        question: 'Forecast: 70%. Rain on five of ten days. Tap the point of the diagram that shows these ten days.',
        askedOnPaper:
          'Forecast: 70%. Rain on five of ten days. Mark the point of the diagram that shows these ten days.',
        draw: {
          from: [[0.5, 0.9]],
          free: true,
          bare: true,
          name: 'Ten days: rain against forecast',
          right: (points) => isNear(points, [0.7, 0.5]),
          truth: 'forecast 70%, rain on 50% of the days',
        },
        right: null,
      },
    ],
    handles: ['n'],
    formula: 'k ~ Binomial(n, p); standard error √(p(1 − p)/n).',
    myth: '70% means it will rain.',
    teacher: 'P(5 or fewer of 10) = .150. Then ask about 50 of 100: P = 2.2 × 10⁻⁵.',
    own: { kind: 'reliability', title: 'Reliability diagram: the bin nearest 70%' },
  },
  3: {
    title: 'Can a model be accurate and still overconfident?',
    goal: 'Accuracy and calibration are different properties.',
    minutes: 4,
    begins: 9,
    asks: asksOfFactor,
    handles: ['T', 'classes'],
    formula: 'p = σ(T · logit q)',
    myth: 'The model is 92% accurate, so its 99% can be trusted.',
    teacher: 'Expected wrong answer: falls. Mean ECE: .038 at T = 1, .106 at T = 2.',
    own: { kind: 'repair', title: 'Recalibration methods: the temperature of your model' },
  },
  4: {
    title: 'Can the number of bins change the verdict?',
    goal: 'A perfect model has an expected calibration error (ECE) above zero, and on average a larger one with more bins.',
    minutes: 4,
    begins: 13,
    asks: asksOfBins,
    handles: ['bins', 'T'],
    formula: 'ECE = Σ_b (n_b/n) |p̄_b − ȳ_b|; chance: y ~ Bernoulli(p).',
    myth: 'The ECE is a property of the model.',
    teacher:
      'Expected wrong answer: 0. Ask why bins of ten rows scatter. ' +
      'On average, a perfect model with 100 bins (.094) looks worse than T = 1.4 with 15 bins (.064). ' +
      'Smooth ECE has no bins and is above zero, too (.030 of a perfect model).',
    own: { kind: 'scorecard', title: 'Metrics and values expected if calibrated' },
  },
  5: {
    title: 'Can you pick out the miscalibrated model?',
    goal: 'A line-up is a hypothesis test. Its power grows with n.',
    minutes: 7,
    begins: 17,
    asks: () => [],
    handles: ['level'],
    formula: 'p = Σ_{h ≥ H} C(N, h) · .05ʰ · .95ᴺ⁻ʰ. Ideal observer: the largest Σ y w with w = logit q − logit p.',
    myth: 'If I cannot see it, it is calibrated.',
    teacher: 'Play n = 50, then n = 500. No talking before the code is typed. Every student needs an own number k.',
    own: { kind: 'reliability', title: 'Reliability diagram with its consistency band' },
  },
  6: {
    title: 'Can a straight diagram hide two mistakes?',
    goal: 'Global calibration does not imply local calibration.',
    minutes: 5,
    begins: 24,
    asks: asksOfRegions,
    handles: ['region', 'neighbors', 'gamma'],
    formula: 'SLCE(x) = Σ_j (p_j − y_j) k(x, x_j) / Σ_j k(x, x_j), k = exp(−‖Δ‖₁/(2γ)).',
    myth: 'Calibrated overall means calibrated for everyone.',
    teacher: 'Then move B to x₁ = −1 at depth −25: the mean error stays 0, the bins no longer match (mean ECE .034).',
    own: { kind: 'map', title: 'Local error map' },
  },
  7: {
    title: 'How many neighbors should vote?',
    goal: 'Bandwidth trades noise against blur. The best one shrinks as n grows.',
    minutes: 4,
    begins: 29,
    asks: (of) => [
      {
        id: 'pin',
        question:
          'LoRe replaces a probability by the mean outcome of its neighbors, weighted by distance. At which bandwidth γ ' +
          'is it closest to the truth? Set γ; the map shows its estimate of the error.',
        right: null,
        unjudged: of.T !== 1 || !isPlain({ ...of, region: [] }),
        onPaper: 'γ of about 0.6 (from 0.32 to 1.8 the RMSE is within 10% of the smallest)',
      },
    ],
    handles: ['gamma', 'n'],
    formula:
      'p′(x) = Σ_j y_j k / Σ_j k over the rows of the same bin; γ → 0: nearest neighbor, γ → ∞: histogram binning.',
    myth: 'More detail on the map means more truth.',
    teacher:
      'Then n = 5,000: the optimum moves left. At n = 500 no γ improves on the original predictions; at n = 1,000 one does ' +
      'in about a third of the worlds (mean RMSE at the best γ .086, of the original predictions .084).',
    own: { kind: 'sweep', title: 'Local error against bandwidth' },
  },
  8: {
    title: 'Which recalibration will help?',
    goal: 'A method can correct only what it can see, and only with enough rows.',
    minutes: 4,
    begins: 33,
    asks: asksOfRecalibration,
    handles: ['world', 'n', 'method'],
    formula: 'Temperature: p′ = σ(z/T̂). Ridge LoRe: z′ = z_Platt + Σ k (y − g) / (Σ k g(1 − g) + κ), κ = 10.',
    myth: 'The most flexible method is the safest.',
    teacher: 'Ask for two regions at n = 100: no method helps, and LoRe is the worst. Then n = 5,000.',
    own: { kind: 'repair', title: 'Recalibration methods on held-out rows' },
  },
  9: {
    title: 'Can scores be fair in every sense?',
    goal: 'With different base rates, calibrated scores generally have different error rates at one threshold.',
    minutes: 4,
    begins: 37,
    asks: (of) => [
      {
        id: 'possible',
        question:
          'Can one shift of the scores of group B make all three small: calibration error, FPR difference and FNR ' +
          'difference, each at most 2 percentage points?',
        choices: [
          { id: 'yes', text: 'Yes' },
          { id: 'no', text: 'No' },
        ],
        right: null,
        onPaper: 'No',
        // regions are none of this screen's, and the move is its handle
        unjudged: of.T !== 1 || !isPlain({ ...of, region: [], move: 0 }),
      },
    ],
    handles: ['move', 'group', 'cost'],
    formula:
      'FPR = π/(1 − π) · (1 − PPV)/PPV · (1 − FNR): if base rates π differ, equal PPV excludes equal FPR and FNR ' +
      '(Chouldechova 2017), and calibration in both groups excludes equal mean scores of the events and of the ' +
      'non-events (Kleinberg et al. 2017), unless predictions are perfect. Neither excludes calibration ' +
      'together with equal rates at one threshold.',
    myth: 'Unequal error rates prove a miscalibrated score.',
    teacher:
      'Expected wrong answer: yes. Which criterion matters is a question for the class. ' +
      'In groups with equal base rates and equal distributions of scores all hold.',
    own: { kind: 'groups', title: 'Calibration by subgroup' },
  },
  10: {
    title: 'What would you report?',
    goal: 'A verdict names effect, uncertainty, subgroup and action.',
    minutes: 4,
    begins: 41,
    asks: () => [
      {
        id: 'overall',
        question: 'Overall, predictions are …',
        choices: choices('Too extreme', 'Too moderate', 'Underestimated', 'Not detectably wrong'),
        right: null,
      },
      {
        id: 'where',
        question: 'Where?',
        choices: choices('Nowhere', 'Everywhere', 'Subgroup B', 'A region'),
        right: null,
      },
      {
        id: 'action',
        question: 'What to do?',
        choices: choices('Nothing', 'Temperature', 'Recalibrate group B', 'Collect more rows'),
        right: null,
      },
      { id: 'sentence', question: 'Write your verdict in one sentence.', writes: true, right: null },
    ],
    handles: ['case'],
    formula: 'z = Σ (y − p) / √Σ p(1 − p) within a subgroup.',
    myth: 'Case B has a larger ECE than case A, so it is worse.',
    teacher:
      'Expected error: case B is called miscalibrated. Its ECE is larger, although it is calibrated. ' +
      'In case A the gap of group B also makes all rows too extreme (true slope 0.88): either answer is right.',
    own: { kind: 'finding', title: 'Finding' },
  },
};

/** What is right of a question of screen 10 in a state; none where no case is that of the state. */
export function verdictsOf(of: Lab, id: string): string[] | undefined {
  const found = caseOf(of);
  // a constant gap is a larger one in log-odds where probabilities are lower: of all rows the slope, too, is below 1
  const isLow = of.a <= -1 && of.b > 0;
  return found === 'A' && id === 'overall' && !isLow ? ['Underestimated'] : VERDICTS[found ?? '']?.[id];
}

/** What is right of each case of screen 10, several where several are. */
export const VERDICTS: Record<string, Record<string, string[]>> = {
  A: { overall: ['Underestimated', 'Too extreme'], where: ['Subgroup B'], action: ['Recalibrate group B'] },
  B: { overall: ['Not detectably wrong'], where: ['Nowhere'], action: ['Nothing', 'Collect more rows'] },
  C: { overall: ['Too extreme'], where: ['Everywhere'], action: ['Temperature'] },
};
export const CASE_NAMES: Record<string, string> = { A: 'A: hospital', B: 'B: pilot', C: 'C: vendor' };
export const METHOD_NAMES: Record<string, string> = {
  '': 'the best recalibration',
  temperature: 'Temperature',
  platt: 'Platt',
  isotonic: 'Isotonic',
  histogram: 'Histogram binning',
  lore: 'LoRe',
  ridge: 'Ridge LoRe',
  none: 'the original predictions',
};
export const WORLD_NAMES: Record<string, string> = {
  over: 'Overconfident (T = 1.8)',
  regions: 'Two regions',
  both: 'Both',
  calibrated: 'Calibrated',
};

/** Pairs of screen 1: what is asked, both choices, and which is right. */
interface Question {
  asks: string;
  choices: [string, string];
  right: 0 | 1;
  because: string;
}
const q = (asks: string, first: string, second: string, right: 0 | 1, because: string): Question => ({
  asks,
  choices: [first, second],
  right,
  because,
});
export const SETS: Record<string, { name: string; questions: Question[] }> = {
  a: {
    name: 'Numbers',
    questions: [
      q('Larger?', '3⁷', '7⁴', 1, '2,401; 2,187'),
      q('Larger?', '2¹³', '9⁴', 0, '8,192; 6,561'),
      q('Larger?', '√2 + √3', 'π', 0, '3.146; 3.142'),
      q('Larger?', '1 + 2 + … + 99', '5,000', 1, '4,950'),
      q('Larger?', '10!', '12⁶', 0, '3.63 million; 2.99 million'),
      q('Larger?', '5/7', '8/11', 1, '0.727; 0.714'),
      q('Larger?', '0.9⁷', '0.5', 1, '0.478 is less'),
      q('Larger?', '3', '1 + 1/2 + … + 1/10', 0, '2.929'),
      q('Larger?', '√2', '∛3', 1, '1.442; 1.414'),
      q('Larger?', '1.01⁷⁰', '2', 0, '2.007'),
    ],
  },
  b: {
    name: 'Science',
    questions: [
      q('More in dry air?', 'argon', 'carbon dioxide', 0, '0.93%; 0.04%'),
      q('More protons?', 'gold', 'lead', 1, '82; 79'),
      q('Denser?', 'gold', 'mercury', 0, '19.3; 13.5 g/cm³'),
      q('Shorter day?', 'Earth', 'Jupiter', 1, '9.9 h'),
      q('Hotter surface on average?', 'Venus', 'Mercury', 0, 'a thick atmosphere'),
      q('More of Earth’s crust by mass?', 'silicon', 'oxygen', 1, '46%; 28%'),
      q('More chromosomes per cell?', 'human', 'cultivated potato', 1, '48; 46'),
      q('Closest to whales?', 'hippopotamus', 'seal', 0, 'both are even-toed ungulates'),
      q('Conducts heat better?', 'copper', 'diamond', 1, 'about five times'),
      q('Boils at the lower temperature?', 'nitrogen', 'oxygen', 0, '77 K; 90 K'),
    ],
  },
  c: {
    name: 'Geography and history',
    questions: [
      q('Farther north?', 'Paris', 'Montreal', 0, '48.9°; 45.5°'),
      q('Larger?', 'Greenland', 'Argentina', 1, '2.78; 2.17 million km²'),
      q('Larger?', 'Algeria', 'Mexico', 0, '2.38; 1.96 million km²'),
      q('Farther south?', 'Cape Town', 'Buenos Aires', 1, '34.6°; 33.9°'),
      q('Farther west?', 'Edinburgh', 'Bristol', 0, '3.2° W; 2.6° W'),
      q('Earlier?', 'teaching at Oxford', 'founding of Tenochtitlan', 0, 'by 1096; 1325'),
      q('Earlier?', 'French Revolution', 'US Constitution signed', 1, '1787; 1789'),
      q('Cleopatra’s death is closer to …', 'the Great Pyramid', 'the Moon landing', 1, '30 BC; 1969; c. 2560 BC'),
      q('Earlier?', 'fall of Constantinople', 'Gutenberg Bible', 0, '1453; c. 1455'),
      q('Earlier?', 'Bell’s telephone patent', 'opening of the Suez Canal', 1, '1869; 1876'),
    ],
  },
};
