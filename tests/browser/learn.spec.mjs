// The calibration lab, walked as a class does: by mouse, keyboard and touch, on a phone and on a projector.

import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { built } from './launch.mjs';
import { ask, calm, drawn, dropFiles, found, openedAs, painted, spec, specFromDisk } from './harness.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** Taps a choice by its words. @param {Page} page @param {string} text */
const tap = (page, text) => page.click(`.asked .choice-of:text-is("${text}")`);
/** A number of the screen, once it is there. @param {Page} page @param {string} id */
const number = async (page, id) => (await page.waitForSelector(`[data-number="${id}"] dd .number`)).innerText();
/** Moves a point of a drawing by arrow keys. @param {Page} page @param {number} k @param {string[]} keys */
async function drag(page, k, keys) {
  await page.focus(`.sketch g >> nth=${k}`);
  for (const key of keys) await page.keyboard.press(key);
}
/** Draws the S of over-confidence by the keyboard, and locks it. @param {Page} page */
async function drawS(page) {
  await page.waitForSelector('.sketch g');
  await drag(page, 0, Array(4).fill('Shift+ArrowUp'));
  await drag(page, 4, Array(4).fill('Shift+ArrowDown'));
  await page.click('button:has-text("Lock my prediction")');
}
/** Sideways scrolling. @param {Page} page */
const overhang = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
/** The hash without what a person sees of the page. @param {Page} page */
const hash = (page) => page.evaluate(() => location.hash);

specFromDisk(
  'screen 3 opens without a file, asks first, and shows what T does',
  { hash: '#lab=3' },
  async ({ page, requests }) => {
    await painted(page, '[data-chart="diagram"]');
    const before = await number(page, 'accuracy');
    assert.equal(await page.locator('.result, .goal').count(), 0, 'nothing is explained before the prediction');
    await tap(page, 'Falls');
    await drawS(page);
    await page.waitForFunction(() => document.querySelector('.result')?.textContent?.includes('too extreme'));
    assert.equal(await page.innerText('.goal'), 'Accuracy and calibration are different properties.');
    assert.equal(await number(page, 'accuracy'), before);
    assert.match(await page.innerText('.prediction >> nth=0'), /Falls ✗ It is: Stays the same\./);
    assert.match(await page.innerText('.prediction >> nth=1'), /✓/);
    assert.equal(await hash(page), '#lab=3&T=2');
    const ece = await number(page, 'ece');
    await page.click('#draw-again');
    await page.waitForFunction(
      (old) => document.querySelector('[data-number="ece"] .number')?.textContent !== old,
      ece,
    );
    assert.equal(await hash(page), '#lab=3&T=2&draw=2');
    await page.click('#same-start');
    await page.waitForSelector('.asked');
    assert.equal(await hash(page), '#lab=3');
    assert.equal(requests.filter((url) => !url.startsWith('blob:')).length, 1, 'only the page itself was asked for');
  },
);

spec(
  'the smallest phone has no sideways scrolling after an answer',
  { hash: '#lab=4', context: { viewport: { width: 320, height: 700 } } },
  async ({ page }) => {
    await page.waitForSelector('.asked');
    await page.keyboard.press('1');
    await page.keyboard.press('3');
    await painted(page, '[data-chart="bins"]');
    assert.equal(await overhang(page), 0);
  },
);

spec('bins move the ECE of a perfect model', { hash: '#lab=4' }, async ({ page }) => {
  await page.waitForSelector('.asked');
  assert.equal(await page.locator('[data-chart]').count(), 0, 'the ECE is asked for before it is shown');
  await page.keyboard.press('1');
  await page.keyboard.press('3');
  await painted(page, '[data-chart="bins"]');
  const few = Number(await number(page, 'ece'));
  await page.focus('input[name="bins"]');
  await page.keyboard.press('End');
  await page.waitForFunction(() => document.querySelector('.result')?.textContent?.includes('100 bins'));
  assert.ok(Number(await number(page, 'ece')) > 1.5 * few);
  assert.match(await page.innerText('.prediction >> nth=0'), /✗ It is: 0\.04/);
});

spec(
  'on a phone a region is dragged by touch until the diagram is straight',
  {
    hash: '#lab=6',
    context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  },
  async ({ page }) => {
    await painted(page, '[data-chart="diagram"]');
    assert.equal(await page.locator('[data-chart="map"]').count(), 0, 'the map is hidden until the answer');
    assert.ok((await overhang(page)) <= 0);
    const plane = page.locator('.plane');
    await plane.scrollIntoViewIfNeeded();
    const box = await plane.boundingBox();
    assert.ok(box && box.width <= 390);
    // from (0, −1.5) to (−1, −1.5) and back: a finger, as the browser tells of it
    const at = (/** @type {number} */ x, /** @type {number} */ y) => ({
      clientX: box.x + ((x + 3) / 6) * box.width,
      clientY: box.y + ((3 - y) / 6) * box.height,
      pointerId: 7,
      pointerType: 'touch',
      isPrimary: true,
      bubbles: true,
    });
    const session = await page.context().newCDPSession(page);
    const finger = (/** @type {string} */ type, /** @type {number | null} */ x) =>
      session.send('Input.dispatchTouchEvent', {
        type: /** @type {any} */ (type),
        touchPoints: x === null ? [] : [{ x: at(x, -1.5).clientX, y: at(x, -1.5).clientY }],
      });
    await finger('touchStart', 0);
    await finger('touchMove', -0.5);
    await finger('touchMove', -1);
    await finger('touchEnd', null);
    await page.waitForFunction(() => location.hash.includes('region=-1,-1.5,1,0'));
    await page.focus('.plane .movable');
    for (let i = 0; i < 10; i += 1) await page.keyboard.press('ArrowRight');
    await page.focus('input[name="depth-b"]');
    for (let i = 0; i < 25; i += 1) await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => location.hash.includes('region=0,-1.5,1,-25'));
    await page.waitForSelector('.lights .on');
    await page.click('button:has-text("Lock my prediction")');
    await tap(page, 'The diagram cannot tell');
    await painted(page, '[data-chart="map"]');
    await page.waitForFunction(() => document.querySelectorAll('.prediction').length === 2);
    assert.match(await page.innerText('.result'), /cancel in every bin/);
    assert.match(await page.innerText('.prediction >> nth=0'), /✓/);
    assert.ok((await overhang(page)) <= 0);
  },
);

/** A link of every screen, as the page writes it. */
const LINKS = [
  '#lab=1&set=b&lesson=3&k=4',
  '#lab=2&n=50&seed=5',
  '#lab=3&T=1.4&classes=3&seed=9',
  '#lab=4&bins=50&draw=3',
  '#lab=5&lesson=7&k=17&level=3',
  '#lab=6&region=0,1.5,1,25&region=0,-1.5,1,-25&seed=9',
  '#lab=7&gamma=0.42&seed=11',
  '#lab=8&n=300&seed=3&method=ridge&world=both',
  '#lab=9&group=0.5,0.5,0&move=-0.3&cost=3',
  '#lab=10&case=C&draw=3',
];
/** Answers every question of a screen, the first choice each. @param {Page} page */
async function finish(page) {
  await page.waitForSelector('.asked, .panels canvas');
  if (await page.locator('.panels').count()) return page.click('.panel >> nth=4');
  for (let i = 0; i < 30 && (await page.locator('.asked').count()) > 0; i += 1) {
    const there = (/** @type {string} */ text) => page.locator(`.asked button:text-is("${text}")`);
    if (await there('70%').count()) {
      await page.click('.asked .choice-of >> nth=0');
      await there('70%').click();
    } else if (await there('5').count()) await there('5').click();
    else if (await page.locator('.asked .choice-of').count()) await page.click('.asked .choice-of >> nth=0');
    else {
      // what is drawn, or set with a handle
      await page.waitForSelector('.sketch g, .handles, textarea');
      await there('Lock my prediction').click();
    }
  }
}
/** All that a screen says and shows, once it is calm. @param {Page} page */
async function seen(page) {
  await page.waitForSelector('.result');
  const now = () =>
    page.evaluate(() => {
      const texts = [...document.querySelectorAll('.said, .result, .numbers, .lights, .twin')].map(
        (one) => one.textContent,
      );
      const pictures = [...document.querySelectorAll('canvas')].map((one) => one.toDataURL());
      return JSON.stringify([location.hash, texts, pictures]);
    });
  for (let before = ''; ;) {
    await page.waitForFunction(() => !document.querySelector('.learn [aria-busy="true"]'));
    await calm(page);
    await drawn(page);
    const after = await now();
    if (after === before) return after;
    before = after;
  }
}
spec('every link reproduces its screen bit for bit', { hash: '#lab=1', most: 600_000 }, async ({ page }) => {
  for (const link of LINKS) {
    /** @type {string[]} */
    const both = [];
    for (let i = 0; i < 2; i += 1) {
      await page.evaluate((to) => void (location.hash = to), link);
      await page.reload();
      await page.evaluate(() => window.localcal.ready);
      await finish(page);
      both.push(await seen(page));
    }
    assert.equal(both[0], both[1], link);
    assert.equal(await hash(page), link);
    assert.ok(both[0].includes('data:image/png'), link);
  }
});

spec(
  'what a link hides is not there, and what it cannot set is told',
  {
    hash: '#lab=2&hide=answers,formulas,own,notes,handles&n=20&from=2&to=4&T=7&nonsense=1',
  },
  async ({ page }) => {
    await page.waitForSelector('.asked');
    assert.deepEqual(await page.locator('.screens li').allInnerTexts().then((all) => all.map((text) => text.trim().slice(0, 1))), ['2', '3', '4']); // prettier-ignore
    assert.match(await page.innerText('#left-out'), /`?T`?.*number from 0\.3 to 3/s);
    assert.match(await page.innerText('#left-out'), /nonsense/);
    await tap(page, 'Yes');
    await page.waitForSelector('.sketch g');
    await page.click('button:has-text("Lock my prediction")');
    await page.waitForSelector('.days');
    for (const gone of ['.result', '.handles', '#own-file', '.class', '.foot-of-screen details'])
      assert.equal(await page.locator(gone).count(), 0, gone);
    assert.doesNotMatch(await page.innerText('.prediction'), /✓|✗|It is/);
    // nor among the numbers
    await page.evaluate(() => void (location.hash = '#lab=9&hide=answers'));
    await tap(page, 'Yes');
    await number(page, 'fpr_a');
    assert.equal(await page.locator('[data-number="least"]').count(), 0);
  },
);

spec(
  'a student finds a panel, and four letters count in the tally of the teacher',
  { hash: '#lab=5&lesson=7&k=1&level=3' },
  async ({ page }) => {
    await page.waitForSelector('.panels canvas');
    assert.equal(await page.locator('.panels .panel').count(), 20);
    assert.equal(await page.locator('.real').count(), 0);
    const points = (await page.getAttribute('.panels .panel >> nth=0', 'aria-description')) ?? '';
    assert.match(points, /^(predicted [\d.]+%, observed [\d.]+%(; )?)+$/);
    await page.focus('.panels li:nth-child(1) .panel');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.panels .real');
    assert.equal(await page.innerText('.code'), 'SSWX');
    assert.match(await page.innerText('.result'), /You found it: panel 1/);
    await painted(page, 'figure');
    await page.click('.class > summary');
    await page.fill('textarea[name="codes"]', 'SSWX HWYA sswx ABCD');
    await page.waitForFunction(() => document.querySelector('.class [role="status"]')?.textContent?.includes('of 2'));
    const tally = await page.innerText('.class [role="status"]');
    assert.match(tally, /1 of 2 found it|2 of 2 found it/);
    assert.match(tally, /ABCD: this code has a typing error/);
    assert.equal(await page.locator('.qr').count(), 1);
  },
);

spec('after the button of the projector, the keys go on', { hash: '#lab=2' }, async ({ page }) => {
  await page.getByRole('button', { name: 'Projector' }).click();
  for (const [key, screen] of [
    ['ArrowRight', '3'],
    ['Space', '4'],
  ]) {
    await page.keyboard.press(key);
    await page.waitForFunction((screen) => location.hash.startsWith(`#lab=${screen}&view=projector`), screen);
  }
});

spec(
  'a projector shows one chart in large letters, and keys go through the lesson',
  {
    hash: '#lab=3&view=projector&from=2&to=4',
    context: { viewport: { width: 1920, height: 1080 } },
  },
  async ({ page }) => {
    await painted(page, '[data-chart="diagram"]');
    const size = await page.evaluate(() => {
      const one = /** @type {Element} */ (document.querySelector('.learn .ask'));
      return Number.parseFloat(getComputedStyle(one).fontSize) * /** @type {any} */ (one.currentCSSZoom ?? 1);
    });
    assert.ok(size >= 24, `${size} px`);
    assert.ok((await overhang(page)) <= 0);
    const sharp = () =>
      page.evaluate(() => {
        const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('[data-chart] canvas'));
        return canvas.width / canvas.getBoundingClientRect().width;
      });
    assert.ok(Math.abs((await sharp()) - 1) < 0.02, 'a pixel of the chart is one of the picture');
    await page.keyboard.press('2');
    await drawS(page);
    await page.waitForSelector('.result');
    assert.equal(await page.locator('[data-chart]').count(), 1);
    // the card tells of what is under the pointer: the prediction drawn at 50%, in the middle of the square
    await painted(page, '[data-chart="diagram"]');
    await page.waitForFunction(() => document.querySelector('.twin')?.textContent?.includes('your prediction, at 50%'));
    const box = /** @type {any} */ (await page.locator('[data-chart] canvas').boundingBox());
    const card = page.locator('.card:has-text("at 50%")');
    for (let y = 0; y < box.height && !(await card.count()); y += 6)
      await page.mouse.move(box.x + (52 + (box.width / 1.6 - 64) / 2) * 1.6, box.y + y);
    assert.equal(await card.count(), 1);
    await page.mouse.move(0, 0);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => location.hash.startsWith('#lab=4'));
    await page.keyboard.press('1');
    await page.keyboard.press('3');
    await page.waitForSelector('[data-chart="diagram"]');
    await page.keyboard.press('c');
    await page.waitForSelector('[data-chart="bins"]');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => location.hash.startsWith('#lab=3'));
    await page.goBack();
    await page.waitForFunction(() => location.hash.startsWith('#lab=4'));
  },
);

spec(
  'letters and digits are no commands where the focus is elsewhere, arrows none outside the lab',
  { hash: '#lab=4' },
  async ({ page }) => {
    await page.waitForSelector('.asked');
    await page.focus('.screens a:has-text("2")');
    await page.keyboard.press('1');
    await page.focus('nav[aria-label="Views"] a');
    for (const key of ['1', 'c', 'd', 'ArrowRight']) await page.keyboard.press(key);
    assert.equal(await page.locator('.prediction').count(), 0);
    assert.match(await hash(page), /^#lab=4$/);
    await page.focus('.asked .choice-of');
    await page.keyboard.press('1');
    await page.waitForSelector('.prediction');
    // a link that was clicked does not keep the keys from the next screen
    await page.click('.screens a:has-text("3.")');
    await page.waitForSelector('.asked');
    await page.keyboard.press('2');
    await page.waitForSelector('.prediction');
  },
);

spec('ten questions end in a diagram of one’s own', { hash: '#lab=1' }, async ({ page }) => {
  for (let i = 1; i <= 10; i += 1) {
    await page.waitForSelector(`legend:has-text("Question ${i} of 10")`);
    // the first by keyboard, which goes on from where it was
    if (i === 1) await page.keyboard.press('1');
    else await page.click('.asked .choice-of >> nth=0');
    if (i > 1) await page.click('.asked button:text-is("70%")');
    else {
      await page.focus('.asked button:text-is("70%")');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.activeElement !== document.body);
    }
  }
  await page.click('.asked button:text-is("5")');
  await painted(page, '[data-chart="diagram"]');
  assert.equal(await number(page, 'right'), '5 of 10');
  assert.match(await page.innerText('.prediction'), /5 of 10\. ✓ Within 1/);
  assert.match(await page.innerText('.result'), /194 questions/);
  const code = await page.innerText('.code');
  assert.match(code, /^[A-Z]{4}$/);
  await page.click('.class > summary');
  await page.fill('textarea[name="codes"]', `${code} ${code.toLowerCase()} SSWX`);
  await page.waitForSelector('.class [role="status"] strong');
  const tally = await page.innerText('.class [role="status"]');
  assert.match(tally, /1 student: stated 70\.0% on average, right 50\.0%/);
  assert.match(tally, /given already.*SSWX: this code has a typing error/s);
});

/** What has the focus, in its first words. @param {import('playwright-core').Page} page @param {RegExp} words */
const focused = (page, words) =>
  page.waitForFunction(
    ({ source }) => new RegExp(source).test(/** @type {HTMLElement} */ (document.activeElement)?.innerText ?? ''),
    { source: words.source },
  );

spec(
  'after an answer by keyboard the next question has the focus, then the prediction',
  { hash: '#lab=10' },
  async ({ page }) => {
    for (const [first, next] of /** @type {[string, RegExp][]} */ ([
      ['Too extreme', /^Where\?/],
      ['Subgroup B', /^What to do\?/],
      ['Nothing', /^Write your verdict/],
    ])) {
      await page.focus(`.asked .choice-of:text-is("${first}")`);
      await page.keyboard.press('Enter');
      await focused(page, next);
      assert.ok(await page.evaluate(() => document.activeElement?.matches('.ask')));
    }
    await page.focus('.asked button.primary');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.matches('.prediction'));
    assert.ok(await page.evaluate(() => document.activeElement?.matches(':focus-visible')));
    // what holds is read out
    await page.waitForFunction(() => /^Truth: group B/.test(document.querySelector('#live')?.textContent ?? ''));
  },
);

spec(
  'after a confidence the next question has the focus, however late it is lost',
  { hash: '#lab=1' },
  async ({ page }) => {
    await page.waitForSelector('.asked');
    await page.keyboard.press('1');
    // a button disabled by its own click has the focus until the frame after it
    await page.locator('.asked button:enabled:text-is("70%")').evaluate((/** @type {HTMLElement} */ one) => {
      one.focus();
      one.click();
    });
    await page.waitForSelector('legend:has-text("Question 2 of 10")');
    await page.waitForFunction(() => document.activeElement?.matches('.ask'));
  },
);

/** Choices that end the questions of a screen. */
const WALK = /** @type {const} */ ({
  2: ['Cannot tell'],
  8: ['Temperature'],
  9: ['Yes'],
  10: ['Underestimated', 'Subgroup B', 'Recalibrate group B'],
});
spec('the other screens answer, and a case opens in Finding', { hash: '#lab=2' }, async ({ page }) => {
  for (const [screen, choices] of Object.entries(WALK)) {
    await page.click(`.screens a:has-text("${screen}.")`);
    for (const choice of choices) await tap(page, choice);
    if (screen === '2') {
      await page.waitForSelector('.sketch g');
      await page.click('button:has-text("Lock my prediction")');
    }
    if (screen === '10') {
      await page.fill('textarea[name="sentence"]', 'Risk in B is underestimated by 7 pp.');
      await page.click('button:has-text("Lock my prediction")');
    }
    await page.waitForSelector('.result');
    await painted(page, '[data-chart="diagram"]');
    const marks = await page.locator('.prediction').allInnerTexts();
    assert.ok(
      marks.every((text) => /✓|✗|underestimated by 7 pp/.test(text)),
      `screen ${screen}: ${marks.join(' | ')}`,
    );
  }
  await page.click('.screens a:has-text("7.")');
  await page.click('button:has-text("Lock my prediction")');
  await painted(page, '[data-chart="sweep"]');
  await page.waitForFunction(() => /✓|✗/.test(document.querySelector('.prediction')?.textContent ?? ''));
  await page.click('.screens a:has-text("10.")');
  await page.click('#open-case');
  await openedAs(page, 'case_A.csv', 2500);
  await found(page);
  await page.waitForFunction(() => location.hash.includes('view=finding') || document.querySelector('#finding h1'));
  // the verdict that is right of the case is what the page itself reports of it
  await page.waitForFunction(() =>
    /underestimated for group = B/.test(document.querySelector('#finding h1')?.textContent ?? ''),
  );
});

/** The texts of the data table of a chart. @param {Page} page @param {string} id */
const twin = (page, id) => page.locator(`[data-chart="${id}"] .twin td`).allTextContents();

spec(
  'a prediction is drawn by mouse, finger and keys, and stays in the picture and in its table',
  { hash: '#lab=2' },
  async ({ page }) => {
    await tap(page, 'Cannot tell');
    await page.waitForSelector('.sketch g');
    assert.equal(await page.locator('.result, .days, [data-number]').count(), 0, 'nothing is told before');
    assert.deepEqual(await twin(page, 'diagram'), [], 'nor in the data table');
    // a tap far from the point brings it there, and the keys move it on
    const sketch = page.locator('.sketch');
    const knob = async () => /** @type {any} */ (await page.locator('.sketch .knob').first().boundingBox());
    const box = /** @type {any} */ (await sketch.boundingBox());
    await page.mouse.click(box.x + 0.6 * box.width, box.y + 0.5 * box.height);
    await page.waitForFunction(() => document.querySelector('.sketch g')?.getAttribute('aria-valuenow') !== '90');
    const here = await knob();
    assert.ok(Math.abs(here.x + here.width / 2 - (box.x + 0.6 * box.width)) < 6, 'the point is where the mouse was');
    const words = async () => /** @type {string} */ (await page.getAttribute('.sketch g', 'aria-valuetext'));
    for (let i = 0; i < 100 && (await words()) !== 'at 70%: 50%'; i += 1) {
      const [x, y] = (await words()).match(/\d+/g)?.map(Number) ?? [0, 0];
      await page.focus('.sketch g');
      await page.keyboard.press(x < 70 ? 'ArrowRight' : x > 70 ? 'ArrowLeft' : y < 50 ? 'ArrowUp' : 'ArrowDown');
    }
    assert.equal(await words(), 'at 70%: 50%');
    await page.click('button:has-text("Lock my prediction")');
    await painted(page, '[data-chart="diagram"]');
    assert.match(await page.innerText('.prediction >> nth=1'), /at 70%: 50% ✓/);
    const said = 'your prediction, at 70%: 50%';
    await page.waitForFunction((text) => document.querySelector('.twin')?.textContent?.includes(text), said);
    // by mouse: the last point of the line of screen 3, dragged down
    await page.click('.screens a:has-text("3.")');
    await tap(page, 'Stays the same');
    await page.waitForSelector('.sketch g');
    const last = /** @type {any} */ (await page.locator('.sketch .knob').last().boundingBox());
    // one that is let go above its neighbor takes it nowhere
    const fourth = /** @type {any} */ (await page.locator('.sketch .knob >> nth=3').boundingBox());
    const right = await page.getAttribute('.sketch g >> nth=4', 'aria-valuenow');
    await page.mouse.move(fourth.x + fourth.width / 2, fourth.y + fourth.height / 2);
    await page.mouse.down();
    await page.mouse.move(last.x + last.width / 2, last.y + 90, { steps: 4 });
    await page.mouse.up();
    assert.equal(await page.getAttribute('.sketch g >> nth=4', 'aria-valuenow'), right);
    await page.mouse.move(last.x + last.width / 2, last.y + last.height / 2);
    await page.mouse.down();
    await page.mouse.move(last.x + last.width / 2, last.y + 60, { steps: 4 });
    await page.mouse.up();
    const observed = Number(await page.getAttribute('.sketch g >> nth=4', 'aria-valuenow'));
    assert.ok(observed < 85 && observed > 60, `${observed}%`);
    await page.click('button:has-text("Lock my prediction")');
    await page.waitForFunction(() => document.querySelectorAll('.said .prediction').length === 2);
    assert.match(await page.innerText('.prediction >> nth=1'), /✗ It is: above the diagonal at low/);
    await page.waitForFunction(() => document.querySelector('.twin')?.textContent?.includes('your prediction, at 90%'));
  },
);

spec(
  'a finger draws on a phone, and the handles leave the chart to be seen',
  { hash: '#lab=3', context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } },
  async ({ page }) => {
    await tap(page, 'Falls');
    await page.waitForSelector('.sketch g');
    const knob = page.locator('.sketch .knob').first();
    await knob.scrollIntoViewIfNeeded();
    const box = /** @type {any} */ (await knob.boundingBox());
    const session = await page.context().newCDPSession(page);
    const finger = (/** @type {string} */ type, /** @type {number | null} */ up) =>
      session.send('Input.dispatchTouchEvent', {
        type: /** @type {any} */ (type),
        touchPoints: up === null ? [] : [{ x: box.x + box.width / 2, y: box.y + box.height / 2 - up }],
      });
    const scroll = await page.evaluate(() => scrollY);
    await finger('touchStart', 0);
    await finger('touchMove', 20);
    await finger('touchMove', 60);
    await finger('touchEnd', null);
    await page.waitForFunction(() => Number(document.querySelector('.sketch g')?.getAttribute('aria-valuenow')) > 25);
    assert.equal(await page.evaluate(() => scrollY), scroll, 'the page stays where it is');
    await page.click('button:has-text("Lock my prediction")');
    await page.waitForSelector('.result');
    await painted(page, '[data-chart="diagram"]');
    const thumb = /** @type {any} */ (await page.locator('.thumb').boundingBox());
    assert.ok(thumb.height < 844 / 5, `${thumb.height} px of handles`);
    assert.ok((await overhang(page)) <= 0);
  },
);

spec('the lab follows its address while the page is open', {}, async ({ page }) => {
  const goTo = (/** @type {string} */ link) => page.evaluate((to) => void (location.hash = to), link);
  const title = (/** @type {string} */ part) => page.waitForSelector(`.screen h2:has-text("${part}")`);
  // from the first screen, where nothing is open
  await goTo('#lab=4&bins=50&seed=9');
  await title('bins');
  assert.equal(await hash(page), '#lab=4&bins=50&seed=9');
  await page.keyboard.press('1');
  await page.keyboard.press('3');
  const ece = await number(page, 'ece');
  // a link of the same screen asks anew, and one of another shows it
  await goTo('#lab=4&bins=20');
  await page.waitForSelector('.asked');
  assert.equal(await hash(page), '#lab=4&bins=20');
  await goTo('#lab=7&gamma=99');
  await title('neighbors');
  assert.match(await page.innerText('#left-out'), /gamma.*10/s);
  assert.equal(await hash(page), '#lab=7&gamma=10', 'the address is what is shown');
  // back is one step for each link, and finds the screens as they were
  await page.goBack();
  await title('bins');
  assert.equal(await hash(page), '#lab=4&bins=20');
  await page.goBack();
  await page.waitForFunction(() => location.hash === '#lab=4&bins=50&seed=9');
  await page.goForward();
  await page.goForward();
  await title('neighbors');
  await goTo('#lab=4&bins=50&seed=9');
  await title('bins');
  await page.keyboard.press('1');
  await page.keyboard.press('3');
  assert.equal(await number(page, 'ece'), ece, 'the same link, the same number');
  // and what was answered stays answered when one comes back
  await page.click('.screens a:has-text("8.")');
  await page.goBack();
  await title('bins');
  assert.equal(await number(page, 'ece'), ece);
  // another view, and back by the address
  await goTo('#view=data');
  await page.waitForSelector('.learn', { state: 'detached' });
  await goTo('#lab=9');
  await title('fair');
});

spec('undo takes back the last moved handle', { hash: '#lab=4' }, async ({ page }) => {
  await page.keyboard.press('1');
  await page.keyboard.press('3');
  await painted(page, '[data-chart="bins"]');
  await page.focus('input[name="bins"]');
  await page.keyboard.press('End');
  await page.waitForFunction(() => location.hash === '#lab=4&bins=100');
  await page.click('#draw-again');
  await page.waitForFunction(() => location.hash === '#lab=4&bins=100&draw=2');
  await page.keyboard.press('Control+z');
  await page.waitForFunction(() => location.hash === '#lab=4&bins=100');
  await page.click('#take-back');
  await page.waitForFunction(() => location.hash === '#lab=4');
  assert.equal(await page.isDisabled('#take-back'), true);
  await page.focus('input[name="bins"]');
  await page.keyboard.press('Control+Shift+z');
  await page.waitForFunction(() => location.hash === '#lab=4&bins=100');
});

for (const colorScheme of /** @type {const} */ (['light', 'dark']))
  spec(
    `embedded in a course page it sizes itself, in a sandbox, and follows a ${colorScheme} theme`,
    { context: { colorScheme } },
    async ({ page }) => {
      const outer = join(mkdtempSync(join(tmpdir(), 'lab-')), 'course.html');
      writeFileSync(
        outer,
        `<!doctype html><iframe sandbox="allow-scripts" width="700" src="${pathToFileURL(built)}#lab=6&embed"></iframe><script>
    addEventListener('message', ({ data }) => { if (data.localcal === 'height') document.querySelector('iframe').height = data.height; });</script>`,
      );
      await page.goto(pathToFileURL(outer).href);
      const height = () => page.evaluate(() => Number(document.querySelector('iframe')?.height));
      await page.waitForFunction(() => Number(document.querySelector('iframe')?.height) > 900);
      const inner = page.frames()[1];
      await inner.waitForSelector('[data-chart="diagram"] canvas');
      assert.equal(await inner.locator('header').isVisible(), false);
      // the address is written before the page is drawn in its colors
      const becomes = (/** @type {'dark' | 'light'} */ theme) =>
        inner.waitForFunction(
          (dark) => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)?.[0]) < 128 === dark,
          theme === 'dark',
        );
      await becomes(colorScheme); // as the system is
      // and by a switch of the course page
      const picture = () =>
        inner.evaluate(() => /** @type {HTMLCanvasElement} */ (document.querySelector('canvas')).toDataURL());
      const before = await picture();
      const other = colorScheme === 'dark' ? 'light' : 'dark';
      const turn = (/** @type {string} */ theme) =>
        page.evaluate((to) => window.frames[0].postMessage({ localcal: 'theme', theme: to }, '*'), theme);
      await turn(other);
      await inner.waitForFunction((to) => location.hash.includes(`theme=${to}`), other);
      await becomes(other);
      await inner.waitForFunction((old) => document.querySelector('canvas')?.toDataURL() !== old, before);
      await turn('pink');
      await turn('');
      await inner.waitForFunction(() => !location.hash.includes('theme'));
      await becomes(colorScheme);
      // nothing of it scrolls, and a shorter screen is a lower frame
      await inner.waitForFunction(() => document.documentElement.scrollHeight === innerHeight);
      assert.equal(await inner.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0);
      const high = await height();
      await inner.click('.screens a:has-text("4.")');
      await page.waitForFunction((old) => Number(document.querySelector('iframe')?.height) < old, high - 300);
      // it works: a region is moved and the link in its own address follows
      await inner.click('.screens a:has-text("6.")');
      await inner.focus('.plane .movable');
      await page.keyboard.press('ArrowRight');
      await inner.waitForFunction(() => location.hash.includes('region=0.1,-1.5,1,0'));
    },
  );

/** 400 rows with a place each. */
const PLACED = Array.from({ length: 400 }, (_, i) => {
  const [p, y] = [((i * 37) % 97) / 100 + 0.01, (i * 61) % 100 < (i * 37) % 97 ? 1 : 0];
  return `${p},${y},${((i * 7919) % 601) / 100},${((i * 104729) % 607) / 100}`;
});
/** A part of the address as JSON. @param {Page} page @param {string} part */
const linked = (page, part) =>
  page.evaluate((name) => JSON.parse(new URLSearchParams(location.hash.slice(1)).get(name) ?? 'null'), part);

spec('settings go from the lab to an open file, and from there into the lab', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'own.csv', text: `p,y,x1,x2\n${PLACED.join('\n')}\n` }]);
  await found(page);
  await ask(page, 'map');
  await page.waitForSelector('[data-sheet="map"] canvas');
  const goTo = (/** @type {string} */ link) => page.evaluate((to) => void (location.hash = to), link);
  // as it begins, the lab changes nothing of a file
  await goTo('#lab=6&hide=handles');
  await page.click('#own-file');
  await page.waitForSelector('[data-sheet="map"]');
  assert.deepEqual([await linked(page, 'panels'), await linked(page, 'subject')], [null, null]);
  await goTo('#lab=6&gamma=0.8&bins=10');
  await page.click('#own-file');
  await page.waitForFunction(() => location.hash.includes('panels='));
  const { gamma } = (await linked(page, 'panels')).map.alike;
  assert.ok(gamma > 0, 'twice what the core suggests for the file');
  assert.deepEqual(await linked(page, 'subject'), { alike: { bins: { count: 10, scheme: 'equal_width' } } });
  // a screen at its defaults leaves nothing of an earlier one
  await goTo('#lab=6');
  await page.click('#own-file');
  await page.waitForFunction(() => location.hash.includes('count%22%3A15%2C'));
  assert.ok(Math.abs((await linked(page, 'panels')).map.alike.gamma / gamma - 0.5) < 0.05);
  await page.keyboard.press('Control+z');
  await page.waitForFunction(() => location.hash.includes('count%22%3A10%2C'));
  // the map of all rows is that of one bin, and γ is in proportion
  await goTo('#lab=6&gamma=0.4&neighbors=all');
  await page.click('#own-file');
  await page.waitForFunction(() => location.hash.includes('count%22%3A1%2C'));
  await page.keyboard.press('Control+z');
  await page.waitForFunction(() => location.hash.includes('count%22%3A10%2C'));
  await page.keyboard.press('Control+z');
  await page.waitForFunction(() => !location.hash.includes('panels='));
  // bins of the ECE, with the run that they make
  await goTo('#lab=4&bins=30');
  await page.click('#own-file');
  await page.waitForSelector('[data-sheet="scorecard"] input[name="ece bins"]');
  assert.equal(await page.inputValue('input[name="ece bins"]'), '30');
  await page.waitForFunction(() => document.querySelector('.behaves a')?.getAttribute('href')?.endsWith('&bins=30'));
  const back = /** @type {string} */ (await page.getAttribute('.behaves a', 'href'));
  assert.match(back, /^#lab=4&n=400&a=-?[\d.]+&bins=30$/);
  await page.click('.behaves a');
  await page.waitForSelector('.screen h2');
  assert.equal(await hash(page), back.replace('&a=0&', '&'));
});

spec('a file that is open stays open beside the lab', {}, async ({ page }) => {
  const rows = Array.from(
    { length: 300 },
    (_, i) => `${((i * 37) % 97) / 100 + 0.01},${(i * 61) % 100 < (i * 37) % 97 ? 1 : 0}`,
  );
  await dropFiles(page, [{ name: 'own.csv', text: `p,y\n${rows.join('\n')}\n` }]);
  await found(page);
  await page.click('#views a:has-text("Learn")');
  await page.waitForSelector('.learn');
  await page.click('.screens a:has-text("3.")');
  await page.click('#own-file');
  await page.waitForSelector('[data-sheet="repair"]');
});

spec(
  'a prediction that is made anew is judged by the world that is on screen',
  { hash: '#lab=8' },
  async ({ page }) => {
    const judged = () => page.locator('.prediction', { hasText: /[✓✗]/ }).innerText();
    await tap(page, 'Temperature');
    assert.match(await judged(), /✓/, 'an overconfident model');
    await page.selectOption('select[name="world"]', 'regions');
    await page.waitForSelector('.learn .results[aria-busy="false"]');
    await page.click('#same-start');
    await tap(page, 'Temperature');
    assert.match(await judged(), /✓/, 'and not two regions');
  },
);

/** The lines of text on paper, and the empty diagrams, in CSS pixels. @param {Page} page */
const onPaper = (page) =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const lines = [];
    while (walker.nextNode()) {
      const { currentNode: node } = walker;
      const parent = /** @type {Element} */ (node.parentElement);
      const words = node.textContent?.trim();
      if (!words || !parent.checkVisibility() || parent.closest('.unseen, svg, script')) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const size = Number.parseFloat(getComputedStyle(parent).fontSize) * (parent.currentCSSZoom ?? 1);
      for (const { left, right, top, bottom } of range.getClientRects())
        lines.push({ words, size, left, right, top, bottom, within: parent.closest('.handout') !== null });
    }
    const squares = [...document.querySelectorAll('.handout svg')].map((square) => {
      const { left, right, top, bottom } = square.getBoundingClientRect();
      return { words: 'square', size: 16, left, right, top, bottom, within: true };
    });
    return [...lines, ...squares];
  });

for (const hash of ['#lab=1', '#lab=2&view=projector', '#lab=6&view=phone', '#lab=3&theme=dark'])
  spec(`the handout is printed whole, legible and alone (${hash})`, { hash }, async ({ page }) => {
    await page.waitForSelector('.learn .screen');
    // a sheet of A4 between its margins
    await page.setViewportSize({ width: 686, height: 900 });
    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction(() => document.querySelector('.handout')?.checkVisibility());
    const all = await onPaper(page);
    assert.deepEqual(
      all.filter(({ within }) => !within),
      [],
      'nothing else is printed',
    );
    const words = await page.innerText('.handout');
    for (const text of ['2. What does 70% mean?', '10. What would you report?', 'Answers', '☐ Stays the same'])
      assert.ok(words.includes(text), text);
    assert.doesNotMatch(words, /\bTap\b|five points of the line/, 'no mouse on paper');
    assert.deepEqual(
      all.filter(({ size }) => size < 12),
      [],
      'nine points or more',
    );
    assert.ok(Math.max(...all.map(({ right }) => right)) <= 687, 'nothing leaves the paper');
    assert.ok(Math.max(...all.map(({ right }) => right)) > 600, 'the paper is used');
    for (const [i, a] of all.entries())
      for (const b of all.slice(i + 1)) {
        const apart = a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 3 || b.bottom <= a.top + 3;
        assert.ok(apart, `${a.words} covers ${b.words}`);
      }
    // dark ink, whatever the screen was
    const ink = await page.evaluate(
      () => getComputedStyle(/** @type {Element} */ (document.querySelector('.handout'))).color,
    );
    assert.ok(
      (ink.match(/\d+/g) ?? []).slice(0, 3).every((channel) => Number(channel) < 80),
      ink,
    );
    // who saves it as a PDF gets a document that can be read out, its answers on a page of their own
    assert.equal(await page.locator('.handout[aria-hidden], .handout [aria-hidden]').count(), 0);
    const pdf = (await page.pdf({ format: 'A4', tagged: true })).toString('latin1');
    const pages = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(pages >= 3 && pages <= 5, `${pages} pages`);
    assert.match(pdf, /StructTreeRoot/);
  });
