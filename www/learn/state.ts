// The state of the lab, which a link holds whole: `#lab=6&n=3000&T=1.4&region=0.2,-1.9,0.8,15&seed=7`. What is as a screen
// begins is left out; what a person answered is in no link.

import { signal } from '@preact/signals';
import type { Theme } from '../engine/theme.js';
import { timeline } from '../state/history.js';
import type { Fault } from '../state/schema.js';

export type Region = [number, number, number, number];
/** Everything that a link can set. */
export interface Lab {
  screen: number;
  n: number;
  T: number;
  s: number;
  a: number;
  b: number;
  region: Region[];
  group: [number, number, number];
  move: number;
  noise: number;
  bins: number;
  classes: number;
  gamma: number;
  seed: number;
  draw: number;
  set: string;
  neighbors: string;
  method: string;
  world: string;
  cost: number;
  case: string;
  lesson: number;
  k: number;
  level: number;
  from: number;
  to: number;
  skip: number[];
  hide: string[];
  view: string;
  theme: Theme;
  embed: boolean;
}
type Name = keyof Lab;

/** A number of the world: its bounds and the step of its slider. */
export interface Handle {
  key: 'n' | 'T' | 's' | 'a' | 'b' | 'move' | 'noise' | 'bins' | 'classes' | 'gamma' | 'seed' | 'draw';
  label: string;
  low: number;
  high: number;
  step: number;
  /** these values and no others */
  steps?: number[];
}
const LAST = 2 ** 32 - 1;
const GAMMAS = Array.from({ length: 25 }, (_, i) => Number((0.01 * 10 ** (i / 8)).toPrecision(2)));
export const HANDLES: Handle[] = [
  {
    key: 'n',
    label: 'Rows n',
    low: 10,
    high: 5000,
    step: 1,
    steps: [10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000],
  },
  { key: 'T', label: 'Confidence factor T', low: 0.3, high: 3, step: 0.1 },
  { key: 's', label: 'Shift s', low: -2, high: 2, step: 0.1 },
  { key: 'a', label: 'Intercept a', low: -3, high: 3, step: 0.1 },
  { key: 'b', label: 'Slope b', low: 0, high: 2, step: 0.1 },
  { key: 'move', label: 'Move group B', low: -2, high: 2, step: 0.05 },
  { key: 'noise', label: 'Label noise ε', low: 0, high: 0.3, step: 0.01 },
  { key: 'bins', label: 'Bins', low: 2, high: 100, step: 1, steps: [2, 5, 10, 15, 20, 30, 50, 100] },
  { key: 'classes', label: 'Classes', low: 2, high: 4, step: 1 },
  { key: 'gamma', label: 'Bandwidth γ', low: 0.01, high: 10, step: 0.01, steps: GAMMAS },
  { key: 'seed', label: 'Seed', low: 1, high: LAST, step: 1 },
  { key: 'draw', label: 'Draw', low: 1, high: LAST, step: 1 },
];
/** Handles of one screen alone, and on some screens those that change nothing there: its days, its world or its rates are given. */
const ONLY: Record<string, number> = { move: 9, classes: 3 };
const IDLE: Record<number, string[]> = {
  2: ['T', 's', 'a', 'b', 'noise', 'bins', 'gamma', 'group'],
  8: ['T'],
  9: ['bins', 'gamma'],
};
/** Whether a handle changes what a screen shows. */
export const hasEffect = (key: string, screen: number) =>
  (ONLY[key] ?? screen) === screen && !IDLE[screen]?.includes(key);
/** Parts of a region, and of the group. */
export const REGION = [
  { label: 'x₁', low: -3, high: 3, step: 0.1 },
  { label: 'x₂', low: -3, high: 3, step: 0.1 },
  { label: 'Radius', low: 0.2, high: 2, step: 0.1 },
  { label: 'Depth (pp)', low: -30, high: 30, step: 1 },
];
export const GROUP = [
  { label: 'Share of group B', low: 0, high: 0.5, step: 0.05 },
  { label: 'Base of group B (log-odds)', low: -2, high: 2, step: 0.1 },
  { label: 'Gap of group B (pp)', low: -20, high: 20, step: 1 },
];
const MOST_REGIONS = 4;
/** A is the mistake that is given; what a person moves is B, or the only region of a link. */
export const movable = (region: Region[]) => (region.length > 1 ? region.slice(1) : region);
const WHOLE: Record<string, [number, number]> = {
  lesson: [1, 22],
  k: [1, 100],
  level: [0, 5],
  from: [1, 10],
  to: [1, 10],
};
export const WORDS = {
  set: ['a', 'b', 'c'],
  neighbors: ['bin', 'all'],
  method: ['', 'none', 'temperature', 'platt', 'isotonic', 'histogram', 'lore', 'ridge'],
  world: ['over', 'regions', 'both', 'calibrated'],
  cost: ['1', '3', '9'],
  case: ['A', 'B', 'C'],
  view: ['', 'projector', 'phone'],
  theme: ['', 'light', 'dark'],
};
const HIDABLE = ['answers', 'formulas', 'own', 'notes', 'handles', ...HANDLES.map(({ key }) => key), 'region', 'group'];

export const SCREENS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
/** What a screen begins with where it has nothing else of its own. */
export const PLAIN: Lab = {
  screen: 1,
  n: 1000,
  T: 1,
  s: 0,
  a: 0,
  b: 1,
  region: [],
  group: [0, 0, 0],
  move: 0,
  noise: 0,
  bins: 15,
  classes: 2,
  gamma: 0.4,
  seed: 7,
  draw: 1,
  set: 'a',
  neighbors: 'bin',
  method: '',
  world: 'over',
  cost: 1,
  case: 'A',
  lesson: 1,
  k: 1,
  level: 2,
  from: 1,
  to: 10,
  skip: [],
  hide: [],
  view: '',
  theme: '',
  embed: false,
};
/** The cases of screen 10. */
const CASES: Record<string, Partial<Lab>> = {
  // draws in which Finding and the tests on screen agree with the truth
  A: { n: 2500, a: -2, b: 0.8, group: [0.25, 0, -8], draw: 7 },
  B: { n: 400, draw: 6 },
  C: { n: 1500, T: 1.5 },
};
const pair = (depth: number): Region[] => [
  [0, 1.5, 1, depth],
  [0, -1.5, 1, -depth],
];
const OWN: Record<number, Partial<Lab>> = {
  2: { n: 10 },
  6: { n: 5000, region: [pair(25)[0], [0, -1.5, 1, 0]] },
  7: { n: 2000, region: pair(20), gamma: 0.1 },
  8: { n: 100 },
  9: { group: [0.5, 1, 0] },
};
/** How a screen begins. */
export const beginning = (screen: number, chosen: string = 'A'): Lab => ({
  ...PLAIN,
  ...OWN[screen],
  ...(screen === 10 ? { ...CASES[chosen], case: chosen } : {}),
  screen,
});

export const lab = signal<Lab>(beginning(1));
/** Screens as the link or their beginning had them: "Same start again" goes back there. */
const starts = new Map<number, Lab>();
/** Screens as they were left: who comes back finds them so. */
const left = new Map<number, Lab>();

/** What is the lesson's, and no handle of a screen. */
const ofLesson = ({ lesson, k, from, to, skip, hide, view, theme, embed }: Lab) => ({
  lesson,
  k,
  from,
  to,
  skip,
  hide,
  view,
  theme,
  embed,
});
/** What stays from screen to screen. */
const lessonOf = (now: Lab) => ({ ...ofLesson(now), seed: now.seed });

/** Handles that were moved, to be taken back: those of the screen that is shown. */
export const moves = timeline<Lab>(
  () => lab.peek(),
  (to) => {
    lab.value = { ...to, ...ofLesson(lab.peek()) };
    moving = { names: '', at: 0 };
  },
  linkOf,
);
/** A handle that is dragged, or pressed again within so many milliseconds, is moved once; each draw is one. */
const PAUSE = 800;
let moving = { names: '', at: 0 };

/** What a person answered on each screen, by question. */
export type Answers = Record<string, string>;
export const answers = signal<Record<number, Answers>>({});
const forgetAnswers = (screen: number) => {
  const { [screen]: _, ...others } = answers.peek();
  answers.value = others;
};
/** Changes the state of the screen. A moved handle is a step of undo; what the lesson is, is none. */
export function change(part: Partial<Lab>) {
  const now = lab.peek();
  const lesson = ofLesson(now);
  const names = Object.keys(part).filter((name) => !(name in lesson));
  if (names.length > 0) {
    const [text, at] = [names.join(), performance.now()];
    if (text !== moving.names || at - moving.at > PAUSE || text === 'draw') moves.record();
    moving = { names: text, at };
  }
  lab.value = { ...now, ...part };
}
export const answer = (question: string, choice: string) => {
  const { screen } = lab.peek();
  const now = answers.peek();
  answers.value = { ...now, [screen]: { ...now[screen], [question]: choice } };
};

/** Shows a screen in a state; steps of undo are those of one screen. */
function enter(next: Lab) {
  const now = lab.peek();
  left.set(now.screen, now);
  moves.forget();
  moving = { names: '', at: 0 };
  lab.value = next;
}

/** The screens of the lesson. */
export const screensOf = ({ from, to, skip }: Lab) =>
  SCREENS.filter((one) => one >= from && one <= to && !skip.includes(one));
/** A screen as it was left, or as it begins. */
export const stateOf = (screen: number): Lab => {
  const now = lab.value;
  return screen === now.screen ? now : { ...(left.get(screen) ?? beginning(screen)), ...lessonOf(now) };
};
export function show(screen: number) {
  const next = stateOf(screen);
  if (!starts.has(screen)) starts.set(screen, next);
  enter(next);
}
/** Another case of screen 10, as it begins. */
export function showCase(chosen: string) {
  const next = { ...beginning(10, chosen), ...lessonOf(lab.peek()) };
  starts.set(10, next);
  enter(next);
}
/** The same start again: the state of the link, no answers. */
export function again() {
  const now = lab.peek();
  forgetAnswers(now.screen);
  enter({ ...(starts.get(now.screen) ?? beginning(now.screen, now.case)), ...ofLesson(now) });
}
const softplus = (x: number) => Math.log1p(Math.exp(x));
/**
 * Mean of σ(a + x₁) over x₁ from −3 to 3: the base rate of a world with this intercept and slope 1. Not asked of the core,
 * since links are complete as soon as they are drawn.
 */
export const baseRateOf = (a: number) => (softplus(a + 3) - softplus(a - 3)) / 6;
/** The intercept, in steps of its handle, whose base rate is nearest to a share. */
export function interceptOf(share: number): number {
  const { low, high, step } = HANDLES.find(({ key }) => key === 'a') as Handle;
  const steps = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) =>
    Number((low + i * step).toFixed(1)),
  );
  const off = (a: number) => Math.abs(baseRateOf(a) - share);
  return steps.reduce((best, a) => (off(a) < off(best) ? a : best), 0);
}
/**
 * Whether a state has no error but that of the confidence factor T. What states the truth, and marks that depend on it, are
 * given only where it holds. The core has the same rule for its sentences (`src/lab/planted.rs`), and a question is asked
 * before the core has answered anything: one table of states, `plain_states.json`, tests both.
 */
export const isPlain = ({ s, noise, region, group: [share, , gap], move }: Lab) =>
  s === 0 && noise === 0 && region.every(([, , , depth]) => depth === 0) && (share === 0 || (gap === 0 && move === 0));
/** The case of screen 10 whose verdict is right in a state; null: none of them is. */
export function caseOf(now: Lab): string | null {
  const [share, base, gap] = now.group;
  if (isPlain(now)) return now.T === 1 ? 'B' : now.T > 1 && now.b > 0 ? 'C' : null;
  const onlyGap = now.T === 1 && isPlain({ ...now, group: [share, base, 0] });
  return onlyGap && gap < 0 ? 'A' : null;
}
/** Whether a screen offers to leave the lab: on a course page there is nothing else of this page. */
export const leavesLab = ({ hide, embed }: Lab) => !embed && !hide.includes('own');
export const hidden = (what: string) => lab.value.hide.includes(what);

const written = (x: number) => String(Number(x.toFixed(6)));

/** The link of a state, without the sign of number. */
export function linkOf(now: Lab): string {
  const plain = beginning(now.screen, now.case);
  const parts = [`lab=${now.screen}`];
  const put = (key: Name, text: string, usual: string) => text !== usual && parts.push(`${key}=${text}`);
  if (now.screen === 10 && now.case !== 'A') parts.push(`case=${now.case}`);
  for (const { key } of HANDLES.slice(0, 5)) put(key, written(now[key]), written(plain[key]));
  const regions = (of: Lab) => of.region.map((one) => one.map(written).join(',')).join(' ');
  if (regions(now) !== regions(plain)) now.region.forEach((one) => parts.push(`region=${one.map(written).join(',')}`));
  put('group', now.group.map(written).join(','), plain.group.map(written).join(','));
  for (const { key } of HANDLES.slice(5)) put(key, written(now[key]), written(plain[key]));
  for (const key of ['set', 'neighbors', 'method', 'world', 'cost', 'lesson', 'k', 'level', 'from', 'to'] as const)
    put(key, String(now[key]), String(plain[key]));
  put('skip', now.skip.join(','), '');
  put('hide', now.hide.join(','), '');
  put('view', now.view, '');
  put('theme', now.theme, '');
  if (now.embed) parts.push('embed');
  return parts.join('&');
}

/** Reads a link; what cannot be taken is written down, a number out of its bounds is moved to the nearer one. */
export function fromLink(hash: string, faults: Fault[]): Lab {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const fault = (part: string, why: string) => faults.push({ part, why });
  const clamped = (part: string, text: string, low: number, high: number, whole = false): number | undefined => {
    const x = text.trim() === '' ? NaN : Number(text);
    const inside = Math.min(high, Math.max(low, whole ? Math.round(x) : x));
    if (Number.isNaN(x)) return void fault(part, `must be a number from ${low} to ${high}`);
    if (inside !== x) fault(part, `must be a number from ${low} to ${high}; ${inside} was taken`);
    return inside;
  };
  const screen = clamped('lab', given.get('lab') ?? '1', 1, 10, true) ?? 1;
  const chosen = WORDS.case.find((one) => one === given.get('case')) ?? 'A';
  const found = beginning(screen, chosen) as Lab & Record<string, unknown>;
  const regions: Region[] = [];
  for (const [key, text] of given) {
    const handle = HANDLES.find((one) => one.key === key);
    const words = WORDS[key as keyof typeof WORDS] as string[] | undefined;
    if (handle) {
      const { low, high, step } = handle;
      found[handle.key] = clamped(key, text, low, high, step === 1) ?? found[handle.key];
    } else if (key in WHOLE) {
      (found as Record<string, unknown>)[key] = clamped(key, text, ...WHOLE[key], true) ?? found[key];
    } else if (words) {
      if (!words.includes(text))
        fault(
          key,
          `must be one of ${words
            .filter(Boolean)
            .map((one) => `\`${one}\``)
            .join(', ')}`,
        );
      else (found as Record<string, unknown>)[key] = key === 'cost' ? Number(text) : text;
    } else if (key === 'region') {
      const parts = text
        .split(',')
        .map((part, i) => REGION[i] && clamped('region', part, REGION[i].low, REGION[i].high));
      if (parts.length !== 4 || parts.includes(undefined))
        fault('region', 'must be four numbers: x₁, x₂, radius, depth');
      else if (regions.length < MOST_REGIONS) regions.push(parts as Region);
    } else if (key === 'group') {
      const parts = text.split(',').map((part, i) => GROUP[i] && clamped('group', part, GROUP[i].low, GROUP[i].high));
      if (parts.length !== 3 || parts.includes(undefined)) fault('group', 'must be three numbers: share, base, gap');
      else found.group = parts as [number, number, number];
    } else if (key === 'skip') {
      found.skip = text
        .split(',')
        .map(Number)
        .filter((one) => SCREENS.includes(one));
    } else if (key === 'hide') {
      const asked = text.split(',').filter(Boolean);
      found.hide = asked.filter((one) => HIDABLE.includes(one));
      if (found.hide.length < asked.length) fault('hide', `can hold ${HIDABLE.map((one) => `\`${one}\``).join(', ')}`);
    } else if (key === 'embed') found.embed = true;
    else if (!['lab', 'workers'].includes(key)) fault(key, 'is not a setting of the lab');
  }
  if (regions.length > 0) found.region = regions;
  const screens = screensOf(found);
  if (screens.length === 0) [found.from, found.to, found.skip] = [1, 10, []];
  else if (!given.has('lab')) found.screen = screens[0];
  return found;
}

/** Takes a link: its screen is asked anew. */
export function take(hash: string): Fault[] {
  const faults: Fault[] = [];
  const found = fromLink(hash, faults);
  forgetAnswers(found.screen);
  starts.set(found.screen, found);
  enter(found);
  return faults;
}
/** Goes back, or forward, to a link that this page wrote: what was answered there stays answered. */
export function comeBack(hash: string) {
  const found = fromLink(hash, []);
  if (!starts.has(found.screen)) starts.set(found.screen, found);
  enter(found);
}

/** What the core is asked for. */
export function requestOf(now: Lab): Record<string, unknown> {
  const { set: _, case: __, from, to, skip, hide, view, theme, embed, method, ...handles } = now;
  return { ...handles, ...(method && { method }) };
}
