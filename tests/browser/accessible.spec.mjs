// Who cannot see or use a mouse: no violation that axe finds, in any step, light and dark, folded and unfolded.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ask, calm, choose, drawn, dropFiles, found, goTo, openedAs, pick, spec, unfoldAll } from './harness.mjs';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');
/** Milliseconds that a panel may take. */
const MOST = 120_000;

/**
 * What axe finds, one line a rule and element. `tags`: by the rules that have one of them; else by all. @param
 * {import('playwright-core').Page} page @param {string[]} [tags] @returns {Promise<string[]>}
 */
async function violations(page, tags) {
  return page.evaluate(async (values) => {
    const { violations: found } = await /** @type {any} */ (window).axe.run(document, {
      resultTypes: ['violations'],
      // AAA asks for more contrast than the page has
      ...(values && { runOnly: { type: 'tag', values }, rules: { 'color-contrast-enhanced': { enabled: false } } }),
    });
    return found.flatMap((/** @type {any} */ rule) =>
      rule.nodes.map((/** @type {any} */ node) => `${rule.id}: ${node.target.join(' ')}: ${node.html.slice(0, 160)}`),
    );
  }, tags);
}

/** A binary file with groups, numbers and an id. */
function people() {
  const lines = Array.from({ length: 300 }, (_, i) => {
    const p = ((i * 37) % 99) / 100 + 0.005;
    return `${i},${p.toFixed(3)},${((i * 61) % 100) / 100 < p ? 1 : 0},${['a', 'b', 'c'][i % 3]},${i % 2 ? 'F' : 'M'},${20 + ((i * 7) % 50)},${((i * 13) % 71) / 7}`;
  });
  return `id,risk,died,site,sex,age,dose\n${lines.join('\n')}\n`;
}

spec(
  'axe finds nothing in any view and panel, light and dark',
  { context: { colorScheme: 'light', viewport: { width: 1280, height: 900 } }, most: 600_000 },
  async ({ page }) => {
    /** @type {string[]} */
    const faults = [];
    /** What axe finds while nothing runs: what is stale is dimmed. */
    const atRest = async (/** @type {string[] | undefined} */ tags = undefined) => {
      let before = '';
      for (let tries = 0; ; tries += 1) {
        await drawn(page);
        await calm(page, MOST);
        // what was dimmed fades in
        await page.waitForFunction(() => document.getAnimations().length === 0);
        const seen = await violations(page, tags);
        if (seen.length === 0) return seen;
        const moved = await page.locator('.stale, #lines li').count();
        // a fault is one that is still there when axe looks again
        const again = moved === 0 && JSON.stringify(seen) === before;
        if (again || tries === 5) return seen;
        before = JSON.stringify(seen);
      }
    };
    /** The colors on screen, then the others. */
    let schemes = /** @type {('light' | 'dark')[]} */ (['light', 'dark']);
    /** Looks by all rules in the colors that are on screen; in the others by those about colors: nothing else is other. */
    const inBoth = async (/** @type {string} */ place) => {
      const [here, there] = schemes;
      const tell = (/** @type {string} */ scheme, /** @type {string[]} */ seen) =>
        faults.push(...seen.map((one) => `${place}, ${scheme}: ${one}`));
      tell(here, await atRest());
      await page.emulateMedia({ colorScheme: there });
      tell(there, await atRest(['cat.color']));
      schemes = [there, here];
    };
    const look = async (/** @type {string} */ place) => {
      // in one of the colors, each in turn: what is folded up has the colors of what is seen unfolded
      faults.push(...(await atRest()).map((one) => `${place}, folded, ${schemes[0]}: ${one}`));
      await unfoldAll(page, MOST);
      await inBoth(`${place}, unfolded`);
    };
    await page.evaluate(AXE);
    await inBoth('before any file');
    await dropFiles(page, [{ name: 'people.csv', text: people() }]);
    await found(page);
    for (const view of ['data', 'finding', 'explore', 'report']) {
      await goTo(page, view);
      await look(view);
    }
    await goTo(page, 'explore');
    const kinds = await page
      .locator('.questions [data-question]')
      .evaluateAll((links) => links.map((link) => /** @type {HTMLElement} */ (link).dataset.question ?? ''));
    assert.ok(kinds.length >= 19, `${kinds}`);
    for (const kind of kinds) {
      await ask(page, kind);
      await look(kind);
    }
    assert.deepEqual([...new Set(faults)], []);
  },
);

spec(
  'forced colours show the current view and the strips',
  { context: { forcedColors: 'active', viewport: { width: 1280, height: 900 } } },
  async ({ page }) => {
    await page.click('[data-sample="breast_cancer.csv"]');
    await ask(page, 'scorecard');
    await page.waitForSelector('.bar .interval');
    const seen = await page.evaluate(() => {
      const colour = (/** @type {string} */ selector, /** @type {'borderBottomColor' | 'backgroundColor'} */ what) =>
        getComputedStyle(/** @type {Element} */ (document.querySelector(selector)))[what];
      return {
        current: colour('#views a[aria-current]', 'borderBottomColor'),
        other: colour('#views a:not([aria-current])', 'borderBottomColor'),
        paper: getComputedStyle(document.body).backgroundColor,
        interval: colour('.bar .interval', 'backgroundColor'),
        dot: colour('.bar .dot', 'backgroundColor'),
        floor: colour('.bar .floor', 'backgroundColor'),
      };
    });
    assert.notEqual(seen.current, seen.other);
    assert.equal(seen.other, seen.paper);
    for (const part of /** @type {const} */ (['interval', 'dot', 'floor']))
      assert.notEqual(seen[part], seen.paper, part);
  },
);

spec('after a file opens, the focus is at what was found', {}, async ({ page }) => {
  await pick(page, [{ name: 'people.csv', bytes: Buffer.from(people()) }]);
  await found(page);
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1' && document.activeElement.textContent);
  // who has gone on to something else is not called back
  await goTo(page, 'data');
  await page.selectOption('select[aria-label="Role of dose"]', 'ignore');
  await page.locator('select[aria-label="Role of dose"]').focus();
  await choose(page, 'Outcome', 'Confidence of the predicted class');
  await openedAs(page, 'people.csv', 300);
  await calm(page, MOST);
  assert.ok(await page.evaluate(() => document.activeElement?.closest('#subject')), 'in the choice that was made');
});

spec('where a button goes away with what it did, the heading of its place has the focus', {}, async ({ page }) => {
  const at = () => page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.id}`);
  /** Presses a button by keyboard, and waits for the focus. @param {string} button @param {string} heading */
  const press = async (button, heading) => {
    await page.locator(button).first().focus();
    await page.keyboard.press('Enter');
    await page
      .waitForFunction((id) => document.activeElement?.id === id, heading)
      .catch(async () => assert.fail(`${button}: the focus is at ${await at()}`));
  };
  await dropFiles(page, [{ name: 'people.csv', text: people() }]);
  await found(page);
  await calm(page, MOST);
  await dropFiles(page, [{ name: 'damaged.npz', text: 'PK' }]);
  await page.waitForSelector('#alerts .alert');
  await press('#alerts button:has-text("Dismiss")', 'finding-title');
  await ask(page, 'over_time');
  await press('[data-sheet="over_time"] button:has-text("Open Data")', 'data-title');
  // the next screen of the lab begins at its own heading
  await goTo(page, 'learn');
  await page.click('.learn .screens a:has-text("3")');
  await page.waitForSelector('.asked .choice-of');
  await press('#next-screen', 'screen-title');
});

spec('a choice opens at what is chosen, and Esc leads back to its button', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'people.csv', text: people() }]);
  await found(page);
  const part = page.locator('#subject .part[title^="Outcome"]');
  await part.focus();
  await page.keyboard.press('Enter');
  // the second of two labels is the event
  await page.waitForFunction(() => document.activeElement?.matches('.choices input[type="radio"]'));
  assert.equal(await page.evaluate(() => /** @type {HTMLInputElement} */ (document.activeElement).checked), true);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement?.matches('.part[aria-expanded="false"]'));
  assert.ok(await part.evaluate((one) => one === document.activeElement));
});

spec(
  'a chart marks what its card says, Esc puts the card away, and only keys that do something are named',
  {},
  async ({ page }) => {
    await dropFiles(page, [{ name: 'people.csv', text: people() }]);
    await found(page);
    await calm(page, MOST);
    const chart = page.locator('#finding .overall canvas');
    assert.match((await chart.getAttribute('aria-label')) ?? '', /arrow keys to move between marks\.$/);
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('#finding .overall .card');
    await page.waitForSelector('#finding .overall .ring');
    await page.keyboard.press('Escape');
    await page.waitForSelector('#finding .overall .card', { state: 'detached' });
    await page.waitForSelector('#finding .overall .ring', { state: 'detached' });
    assert.ok(await chart.evaluate((one) => one === document.activeElement));
    assert.equal(await chart.getAttribute('role'), 'application');
    // a card of the pointer, wherever the focus is; what runs goes on, and a second Esc is heard again
    await page.locator('#finding-title').evaluate((one) => /** @type {HTMLElement} */ (one).focus());
    const box = /** @type {any} */ (await chart.boundingBox());
    const card = page.locator('#finding .overall .card');
    for (let x = 60; x < box.width && !(await card.count()); x += 4)
      for (let y = 20; y < box.height && !(await card.count()); y += 8) await page.mouse.move(box.x + x, box.y + y);
    await card.waitFor();
    // the second Esc comes in the same step as the card goes
    await page.evaluate(() => {
      const place = /** @type {Element} */ (document.querySelector('#finding .overall .card')?.parentElement);
      addEventListener('clear', () => document.body.setAttribute('data-cleared', place.querySelector('.card') ? 'early' : 'late')); // prettier-ignore
      new MutationObserver((_, watch) => {
        if (place.querySelector('.card')) return;
        watch.disconnect();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
      }).observe(place, { childList: true });
    });
    await page.keyboard.press('Escape');
    await page.waitForSelector('[data-cleared="late"]');
    // a map has no marks to go through, and other keys
    await ask(page, 'map');
    await page.waitForSelector('[data-sheet="map"] input[name="gamma"]');
    await calm(page, MOST);
    const map = (await page.locator('[data-sheet="map"] canvas').first().getAttribute('aria-label')) ?? '';
    assert.match(map, /arrow keys pan, plus and minus zoom/);
    assert.doesNotMatch(map, /between marks/);
    // a slider says its value, not the place of its handle
    const slider = page.locator('[data-sheet="map"] input[name="gamma"]');
    assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /^γ = [\d.]+/);
  },
);

spec('buttons below a chart say which chart they are of, and the finding is a landmark', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await found(page);
  await page.waitForSelector('.where .icon');
  await calm(page);
  await page.getByRole('region', { name: 'Finding', exact: true }).waitFor();
  const names = await page
    .locator('#finding .icon:visible')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
  assert.ok(names.includes('Data table: Overall calibration') && names.includes('Data table: Map'), `${names}`);
  assert.equal(new Set(names).size, names.length, `${names}`);
});

spec('a slider of the lab has the name beside it', { hash: '#lab=5' }, async ({ page }) => {
  await page.getByRole('slider', { name: 'Rows n' }).waitFor();
  const own = await page
    .locator('.learn .slider')
    .evaluateAll((all) => all.map((one) => /** @type {HTMLLabelElement} */ (one).control?.tagName));
  assert.deepEqual([...new Set(own)], ['INPUT'], 'a click on the name reaches the slider');
});

spec('an analysis that is chosen by keyboard has the focus, one that is clicked has not', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'people.csv', text: people() }]);
  await found(page);
  await ask(page, 'reliability');
  assert.notEqual(await page.evaluate(() => document.activeElement?.id), 'question-reliability');
  await page.focus('.questions [data-question="scorecard"]');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'question-scorecard');
  await page.fill('.questions input[name="search"]', 'decision');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.id?.startsWith('question-') && document.activeElement.id !== 'question-scorecard'); // prettier-ignore
});

spec('the tab of the browser says which view of which file it shows', {}, async ({ page }) => {
  assert.equal(await page.title(), 'LoCal');
  await dropFiles(page, [{ name: 'people.csv', text: people() }]);
  await found(page);
  assert.equal(await page.title(), 'Finding · people.csv · LoCal');
  await goTo(page, 'report');
  assert.equal(await page.title(), 'Report · people.csv · LoCal');
  await goTo(page, 'learn');
  assert.equal(await page.title(), `${await page.textContent('#screen-title')} · LoCal`);
});
