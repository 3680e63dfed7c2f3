// A monkey at the page: seeded random actions over several files. Whatever it does, nothing goes unhandled, no view is
// empty, nothing is sent, no fault of the program is told, and in the end a person can work.
// LOCALCAL_MONKEY: how many actions (2,000); LOCALCAL_MONKEY_SEED: with which seed (1).

import assert from 'node:assert/strict';
import { BAD, npzOf, threeClasses } from './files.mjs';
import { binaryCsv, dropFiles, found, pick, random, scored, spec } from './harness.mjs';

const ACTIONS = Number(process.env.LOCALCAL_MONKEY ?? 2000);
const SEED = Number(process.env.LOCALCAL_MONKEY_SEED ?? 1);

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ name: string, bytes: Buffer }} Given */

/** Rows of wards with names, ages, two models and what happened. @param {number} rows */
function wards(rows) {
  const next = random(11);
  const names = ['ICU', 'Medicine', 'Surgery, "day"', '', 'Ωmega\tward', 'Very long name of a ward '.repeat(4)];
  const lines = Array.from({ length: rows }, (_, i) => {
    const [p, q] = [next(), next()];
    const ward = names[Math.floor(next() * names.length)].replaceAll('"', '""');
    return `${i},"${ward}",${Math.round(20 + 70 * next())},${p.toFixed(4)},${q.toFixed(4)},${next() < p ? 'yes' : 'no'}`;
  });
  return `id,ward,age,risk,risk_b,died\n${lines.join('\n')}\n`;
}

/** @type {Given[]} */
const FILES = [
  { name: 'plain.csv', bytes: Buffer.from(binaryCsv(300)) },
  { name: 'wards.csv', bytes: Buffer.from(wards(500)) },
  { name: 'three.npz', bytes: npzOf(threeClasses(200)) },
  { name: 'percents.csv', bytes: Buffer.from('label,p\n' + '1,80\n0,20\n0,35\n1,100\n0,0\n'.repeat(30)) },
  { name: 'scores.csv', bytes: Buffer.from('y,score\n' + '1,2.5\n0,-1\n1,-0.5\n0,0.25\n1,7\n'.repeat(20)) },
];
/** @type {Given[]} */
const ODD = [
  ...BAD.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) })),
  { name: 'one.csv', bytes: Buffer.from(binaryCsv(1)) },
  { name: 'unlabelled.csv', bytes: Buffer.from('p\n0.1\n0.5\n0.9\n') },
  { name: 'constant.csv', bytes: Buffer.from('label,p,x\n' + '1,0.5,3\n'.repeat(60)) },
  { name: 'session.json', bytes: Buffer.from('{"schema":"localcal-session/1"}') },
  { name: '<img src=x onerror=alert(1)>.csv', bytes: Buffer.from(binaryCsv(40)) },
];
const ABSURD = [
  '-1', '0', '1e308', '-1e-308', 'NaN', '', ' ', '0.5', '100000000000000000000', '3', '12', 'x'.repeat(300),
  '<b>bold</b>', '"; drop', '∞', '٣', '𝟙', '1,5', '0x10', 'null', '50%', '-0',
]; // prettier-ignore
const KEYS = [
  'Tab', 'Shift+Tab', 'Enter', 'Escape', 'Space', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End',
  'Control+z', 'Control+Shift+z', 'Control+y', 'PageDown', 'Delete', 'Backspace', 'a', '/', '?', '+', '-', '0',
]; // prettier-ignore
const HASHES = [
  '#view=explore&panel=nothing', '#view=report', '#view=explore&panel=map&beside=map', '#panels={"map":{"grid":-5}}',
  '#view=finding&subject={"groups":["~99"],"alike":{"gamma":-1}}', '#%', '#view=explore&panels={', '#step=repair',
  '#view=data&read={"rows":7,"positive":"x"}', '#view=explore&panel=scorecard&panels={"scorecard":{"bins":"many"}}',
]; // prettier-ignore
const SIZES = [[1280, 900], [320, 640], [800, 600], [1920, 1080], [400, 300]]; // prettier-ignore

/** What a monkey can click or write in: kinds of elements first, so that a long table is not all it sees. Answers what was
 * chosen and where it is; also what is wrong with what stands on screen. `within`: where to look, if anything is there.
 * @param {{ chances: [number, number], within: string }} chances */
function look({ chances: [kind, member], within: part }) {
  const visible = (/** @type {Element} */ one) => {
    const { width, height } = one.getBoundingClientRect();
    return width > 0 && height > 0 && getComputedStyle(one).visibility !== 'hidden';
  };
  /** @type {Map<string, Element[]>} */
  const kinds = new Map();
  const all =
    'a[href], button, summary, input, select, textarea, label, th, td, canvas, svg, [role="option"], [tabindex], h1, h2';
  const roots = part ? [...document.querySelectorAll(part)].filter(visible) : [];
  const among = (/** @type {ParentNode} */ root) => [...root.querySelectorAll(all)];
  for (const one of roots.length > 0 ? roots.flatMap(among) : among(document)) {
    if (/** @type {any} */ (one).disabled || !visible(one)) continue;
    const within = one.closest(
      '[data-sheet], #subject, #data, #finding, #report, header, footer, #alerts, #lines, nav',
    );
    const type = one.getAttribute('type') ?? '';
    const plain = ['TD', 'H1', 'H2', 'TH', 'svg', 'LABEL'].includes(one.tagName);
    const own = one.tagName + type + String(one.className).split(' ')[0];
    const name = plain ? 'plain' : [within?.tagName, within?.id, within?.getAttribute('data-sheet'), own].join(' ');
    kinds.set(name, [...(kinds.get(name) ?? []), one]);
  }
  const groups = [...kinds.values()];
  const group = groups[Math.floor(kind * groups.length)] ?? [];
  const chosen = /** @type {HTMLElement | undefined} */ (group[Math.floor(member * group.length)]);
  chosen?.scrollIntoView({ block: 'center', inline: 'center' });
  const box = chosen?.getBoundingClientRect();

  /** @type {string[]} */
  const wrong = [];
  const opened = document.querySelector('#file');
  const view = /** @type {HTMLElement} */ (document.querySelector('#view'));
  const first = /** @type {HTMLElement} */ (document.querySelector('#open'));
  if (opened && view.innerText.trim().length < 10) wrong.push('the view is empty');
  const lab = document.querySelector('#view .learn');
  if (!opened && !lab && first.hidden) wrong.push('nothing is open, and the first screen is not there');
  if (opened && !first.hidden) wrong.push('the first screen stands beside what is open');
  const odd = /undefined|\[object|\bNaN\b|Error:|is not a function|cannot read prop|unreachable/i;
  for (const said of document.querySelectorAll('.alert')) {
    const text = said.textContent ?? '';
    // a panel can be set to a method that another run had; nothing else asks for one
    const method = said.closest('#alerts') && /does not include this method|could not be fitted/.test(text);
    if (method || odd.test(text) || /a fault in the program|data set was closed/i.test(text))
      wrong.push(`said: ${text}`);
  }
  const code = document.querySelector('#alerts .alert')?.getAttribute('data-code') ?? '';
  if (['panic', 'internal', 'worker_lost', 'memory'].includes(code)) wrong.push(`a failure of the program: ${code}`);
  const heading = document.querySelector('#view h1')?.textContent ?? '';
  if (odd.test(heading)) wrong.push(`heading: ${heading}`);
  return {
    wrong,
    what: chosen
      ? `${chosen.tagName.toLowerCase()}${chosen.id && `#${chosen.id}`} ${chosen.textContent?.trim().slice(0, 40) ?? ''}`
      : '',
    tag: chosen?.tagName ?? '',
    panels: [...document.querySelectorAll('[data-sheet]')].map((one) => one.getAttribute('data-sheet') ?? ''),
    told: [...document.querySelectorAll('.alert strong')].map((one) => one.textContent ?? ''),
    type: chosen?.getAttribute('type') ?? '',
    at: box ? [box.x + box.width / 2, box.y + box.height / 2, box.width, box.height] : [5, 5, 10, 10],
    options: chosen instanceof HTMLSelectElement ? [...chosen.options].map(({ value }) => value) : [],
  };
}

/** Where a way looks for something to use; elsewhere: anywhere. @type {Record<string, string>} */
const WITHIN = { set: '[data-sheet]', choose: '#subject, .choices, [role="dialog"]' };

/** @typedef {{ page: Page, next: () => number, of: <T>(list: T[]) => T, seen: ReturnType<typeof look>, own: Given }} With */

/** @param {With} way */
const click = async ({ page, seen }) => page.mouse.click(seen.at[0], seen.at[1]);

/** Writes something absurd, or chooses another option. @param {With} way */
async function write({ page, next, of, seen }) {
  await page.mouse.click(seen.at[0], seen.at[1]);
  if (seen.options.length > 0) {
    for (let i = Math.floor(next() * 4); i >= 0; i -= 1) await page.keyboard.press(of(['ArrowDown', 'ArrowUp', 'End']));
    return;
  }
  if (seen.tag !== 'INPUT' && seen.tag !== 'TEXTAREA') return;
  const text = of(ABSURD);
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
  await page.keyboard.press(of(['Enter', 'Tab', 'Escape']));
  return text.slice(0, 20);
}

/** One way of doing something, and how often it is done. @type {[times: number, name: string, act: (way: With) =>
 * Promise<string | void>][]} */
const WAYS = [
  [25, 'click', click],
  [8, 'choose', click],
  [12, 'set', write],
  [8, 'write', write],
  [
    12,
    'ask',
    async ({ page, next, of }) => {
      const kinds = await page.evaluate(() => {
        const to = new MouseEvent('click', { bubbles: true, cancelable: true });
        if (!document.querySelector('.questions'))
          document.querySelector('#views a[href="#view=explore"]')?.dispatchEvent(to);
        for (const folded of document.querySelectorAll('.questions details')) folded.setAttribute('open', '');
        const asked = [...document.querySelectorAll('.questions [data-question]')];
        return asked.map((one) => one.getAttribute('data-question') ?? '');
      });
      if (kinds.length === 0) return;
      const kind = of(kinds);
      await page.evaluate((name) => {
        const to = new MouseEvent('click', { bubbles: true, cancelable: true });
        document.querySelector(`.questions [data-question="${name}"]`)?.dispatchEvent(to);
      }, kind);
      await page.waitForTimeout(150 * next());
      return kind;
    },
  ],
  [
    12,
    'press',
    async ({ page, of }) => {
      const key = of(KEYS);
      await page.keyboard.press(key);
      return key;
    },
  ],
  [
    5,
    'drag',
    async ({ page, next, seen: { at } }) => {
      const [x, y, width, height] = at;
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + (next() - 0.5) * width, y + (next() - 0.5) * height, { steps: 3 });
      await page.mouse.up();
      await page.mouse.wheel(0, 400 * (next() - 0.5));
    },
  ],
  [
    6,
    'view',
    async ({ page, of }) => {
      const view = of(['data', 'finding', 'explore', 'explore', 'report']);
      await page.evaluate((to) => document.querySelector(`#views a[href="#view=${to}"]`)?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })), view); // prettier-ignore
      return view;
    },
  ],
  // not further than to where it began
  [3, 'back', ({ page }) => page.evaluate(() => /** @type {any} */ (window).navigation.canGoBack && history.back())],
  [3, 'forward', ({ page }) => page.evaluate(() => history.forward())],
  [
    2,
    'address',
    async ({ page, of }) => {
      const hash = of(HASHES);
      await page.evaluate((to) => void (location.hash = to), hash);
      return hash;
    },
  ],
  [
    5,
    'drop',
    async ({ page, next, of, own }) => {
      const files = next() < 0.9 ? [next() < 0.7 ? own : of(FILES)] : [of(FILES), of([...FILES, ...ODD])];
      await pick(page, files);
      return files.map(({ name }) => name).join(', ');
    },
  ],
  [
    1,
    'drop odd',
    async ({ page, of }) => {
      const file = of(ODD);
      await pick(page, [file]);
      return file.name;
    },
  ],
  [
    1,
    'drop text',
    ({ page, of }) => dropFiles(page, [{ name: 'text.csv', text: of(['', 'a', 'y,p\n1,0.5\n0,0.1\n']) }]),
  ],
  [
    2,
    'resize',
    async ({ page, of }) => {
      const [width, height] = of(SIZES);
      await page.setViewportSize({ width, height });
      return `${width}`;
    },
  ],
  [1, 'theme', ({ page, of }) => page.emulateMedia({ colorScheme: of(['light', 'dark']) })],
  [2, 'wait', ({ page, next }) => page.waitForTimeout(400 * next())],
];

/** Longer than any action takes, on a busy machine, in milliseconds. */
const LATE = 90_000;

/** What `doing` comes to, or `late` where it has not ended by then. @template T @param {Promise<T>} doing @param {number}
 * most @returns {Promise<T | 'late'>} */
async function inTime(doing, most) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((settle) => (timer = setTimeout(settle, most, 'late')));
  try {
    return await Promise.race([doing, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What an action comes to. Of one that does not end the page is asked: if it does not answer, it is stuck, and its debugger
 * says where. If it does, the browser never said that the event was handled, which a closing list of options can take along:
 * no fault of the page. @template T @param {{ page: Page, debug: import('playwright-core').CDPSession }} opened @param
 * {Promise<T>} doing @param {() => string} trail */
async function settled({ page, debug }, doing, trail) {
  doing.catch(() => {}); // it may still fail when nobody waits for it any more
  const done = await inTime(doing, LATE);
  if (done !== 'late') return done;
  const answers = page.evaluate(() => true);
  answers.catch(() => {});
  if ((await inTime(answers, LATE)) === 'late') {
    /** @type {Promise<any>} */
    const paused = new Promise((settle) => debug.once('Debugger.paused', settle));
    debug.send('Debugger.pause').catch(() => {});
    const at = await inTime(paused, 10_000);
    const where = at === 'late' ? 'nobody knows where' : JSON.stringify(at.callFrames.slice(0, 20), ['functionName', 'location', 'lineNumber', 'columnNumber']); // prettier-ignore
    throw new Error(`the page does not answer: it is at ${where}\nafter:\n${trail()}`);
  }
  console.log(`monkey: the browser did not acknowledge this action, the page answers:\n${trail()}`);
}

/** As many actions on this file; what went wrong, told with what was done before.
 * @param {import('./harness.mjs').Opened} opened @param {Given} file @param {number} seed @param {number} actions */
async function play({ page, requests, faults }, file, seed, actions) {
  const next = random(seed * 7919 + 17);
  for (let i = 0; i < 5; i += 1) next(); // the first ones are small where the seed is
  const of = (/** @type {any[]} */ list) => list[Math.floor(next() * list.length)];
  const total = WAYS.reduce((sum, [times]) => sum + times, 0);
  /** @type {string[]} */
  const trail = [];
  /** @type {string[]} */
  const said = [];
  page.on('console', (message) => {
    if (message.type() === 'error') said.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    said.push(`a window that must be answered: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on('popup', (other) => said.push(`a window was opened: ${other.url()}`));
  page.on('filechooser', (chooser) =>
    chooser.setFiles([{ name: file.name, mimeType: '', buffer: file.bytes }]).catch(() => {}),
  );
  page.on('download', (download) => download.cancel().catch(() => {}));
  page.on('crash', () => said.push('the page crashed'));
  await page.evaluate(() => void (window.print = () => {}));
  /** @type {Set<string>} */
  const panels = new Set();
  /** @type {Set<string>} */
  const told = new Set();
  const before = requests.length;
  const sent = () => requests.slice(before).filter((url) => !/^(blob|data):/.test(url));
  await pick(page, [file]);
  const debug = await page.context().newCDPSession(page);
  await debug.send('Debugger.enable'); // before it is stuck: a page that is cannot be attached to
  const last = () => trail.slice(-25).join('\n');
  for (let i = 0; i < actions; i += 1) {
    let at = next() * total;
    const [, name, act] = WAYS.find(([times]) => (at -= times) < 0) ?? WAYS[0];
    /** @type {[number, number]} */
    const chances = [next(), next()];
    const seen = await settled({ page, debug }, page.evaluate(look, { chances, within: WITHIN[name] ?? '' }), last);
    if (!seen) continue;
    const bad = [...seen.wrong, ...said, ...faults, ...sent().map((url) => `asked for ${url}`)];
    if (bad.length > 0)
      throw new Error(`${bad.join('; ')}\nafter ${i} actions of seed ${seed}, the last of them:\n${last()}`);
    for (const panel of seen.panels) panels.add(panel);
    for (const sentence of seen.told) told.add(sentence);
    trail.push(`${i} ${name} ${['click', 'choose', 'set', 'write', 'drag'].includes(name) ? seen.what : ''}`);
    const more = await settled({ page, debug }, Promise.resolve(act({ page, next, of, seen, own: file })), last);
    if (more) trail.push(`  ${more}`);
  }
  console.log(`monkey: seed ${seed}: ${panels.size} panels (${[...panels].join(', ')}), ${told.size} failures told`);
  if (process.env.LOCALCAL_MONKEY_TOLD) console.log([...told].join('\n'));
  await page.waitForTimeout(300);
  assert.deepEqual([...said, ...faults, ...sent()], [], last());
}

/** A person who comes after the monkey finds a page that works. @param {Page} page */
async function works(page) {
  await page.setViewportSize({ width: 1280, height: 900 });
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('Escape');
  const [good] = FILES;
  await pick(page, [{ ...good, name: 'after.csv' }]);
  await page.waitForFunction(() => document.querySelector('#file')?.textContent === 'after.csv');
  const leave = page.locator('.alert button', { hasText: 'Dismiss' });
  if (await leave.count()) await leave.first().click();
  await page.click('#views a[href="#view=finding"]');
  await found(page);
  await scored(page);
}

FILES.forEach((file, i) => {
  const actions = Math.round(ACTIONS / FILES.length);
  const seed = SEED * FILES.length + i;
  spec(
    `a monkey does ${actions} things to ${file.name} with seed ${seed}`,
    { hash: '#workers=2', most: 120_000 + actions * 2000 },
    async (opened) => {
      await play(opened, file, seed, actions);
      await works(opened.page);
    },
  );
});
