// What was found is apart from how it is shown: another width, pixel density or theme draws again and finds nothing.

import assert from 'node:assert/strict';
import { ask, calm, drawn, pick, scored, spec, spy } from './harness.mjs';

/** 240 rows with two covariates and two groups; scores are right in one of them. */
function rows() {
  const lines = ['p,y,sex,age,dose'];
  for (let i = 0; i < 240; i += 1) {
    const [p, hot] = [((i * 37) % 97) / 97, i % 2];
    const y = ((i * 61) % 89) / 89 < p - 0.4 * hot * (p - 0.5) ? 1 : 0;
    lines.push(`${p},${y},${['women', 'men'][hot]},${20 + (i % 41)},${(i * 7) % 13}`);
  }
  return lines.join('\n');
}

/** What was asked of workers since the last call of this, once nobody asks any more.
 * @param {import('playwright-core').Page} page @returns {Promise<string[]>} */
async function asked(page) {
  let before = -1;
  for (;;) {
    await calm(page);
    const now = await page.evaluate(() => /** @type {any} */ (window).jobs.length);
    if (now === before) break;
    before = now;
    await page.waitForTimeout(400);
  }
  return page.evaluate(() => /** @type {any} */ (window).jobs.splice(0));
}

/** CSS widths of the canvases on screen. @param {import('playwright-core').Page} page @param {string} within */
const widths = (page, within) =>
  page.evaluate(
    (at) => [...document.querySelectorAll(`${at} canvas`)].map((one) => one.clientWidth).filter((width) => width > 0),
    within,
  );

spec('an analysis in another width is one step more, whatever it took to find', { init: spy }, async ({ page }) => {
  const found = await page.evaluate(async (text) => {
    const jobs = /** @type {string[]} */ (/** @type {any} */ (window).jobs);
    const file = { name: 'rows.csv', bytes: new TextEncoder().encode(text) };
    const [data, other] = [await localcal.open([file]), await localcal.open([file])];
    await data.run({ methods: ['none', 'platt'], resamples: 10, local: { features: ['age', 'dose'] } });
    /** @type {Record<string, any>} */
    const kinds = {
      multiples: {},
      decide: {},
      groups: {},
      sweep: { gammas: { count: 4 } },
      klce: { resamples: 20 },
      witness: {},
      bias_plot: {},
      inference: { resamples: 20 },
      correlation: { repeats: 3, against: 'group_mce_max' },
      models: { others: [other] },
      proximity: {},
      proximity_sweep: { neighbours: [2, 3] },
    };
    const steps = () => jobs.splice(0).filter((job) => job === 'step').length;
    const wide = (/** @type {any} */ answer) =>
      (answer.figures ?? answer.sheet.blocks.flatMap((/** @type {any} */ block) => block.figures ?? [])).map(
        (/** @type {any} */ figure) => figure.width,
      );
    const drawn = (/** @type {string} */ key, /** @type {any} */ value) =>
      ['figures', 'settings'].includes(key) || value instanceof Uint8Array;
    const bare = (/** @type {any} */ answer) =>
      JSON.stringify(answer, (key, value) => (drawn(key, value) ? undefined : value));
    /** @type {Record<string, any>} */
    const seen = {};
    // the page asks for the finding of what it shows
    const quiet = async () => {
      for (let before = -1; before !== jobs.length || document.querySelector('.stale, #lines li');) {
        before = jobs.length;
        await new Promise((rest) => setTimeout(rest, 700));
      }
      steps();
    };
    await quiet();
    const first = /** @type {Record<string, any>} */ ({});
    for (const [kind, options] of Object.entries(kinds)) {
      first[kind] = await data.analyse(kind, { ...options, width: 330 });
      seen[kind] = { first: steps() };
    }
    // the last eight questions are held, whatever was asked in between
    for (const [kind, options] of Object.entries(kinds).slice(-6)) {
      const again = await data.analyse(kind, { ...options, width: 620 });
      Object.assign(seen[kind], { again: steps(), widths: [wide(first[kind]), wide(again)] });
      seen[kind].same = bare(first[kind]) === bare(again);
    }
    for (const [kind, options] of Object.entries(kinds).slice(0, 6)) {
      await data.analyse(kind, { ...options, width: 330 });
      steps();
      const again = await data.analyse(kind, { ...options, width: 620 });
      Object.assign(seen[kind], { again: steps(), widths: [wide(first[kind]), wide(again)] });
      seen[kind].same = bare(first[kind]) === bare(again);
    }
    // of another run nothing is left
    await data.run({ methods: ['none', 'platt'], resamples: 10, local: { features: ['age', 'dose'] } });
    await quiet();
    await data.analyse('klce', { resamples: 20, width: 620 });
    const anew = steps();
    data.close();
    other.close();
    return { seen, anew };
  }, rows());
  for (const [kind, { first, again, widths: drawn, same }] of Object.entries(found.seen)) {
    assert.ok(first > 1, `${kind}: ${first} steps`);
    assert.equal(again, 1, `${kind}: ${again} steps in another width`);
    assert.ok(same, `${kind}: other numbers in another width`);
    assert.ok(drawn[0].length > 0 && String(drawn[0]) !== String(drawn[1]), `${kind}: ${drawn}`);
  }
  assert.equal(found.anew, found.seen.klce.first);
});

spec('a window of another width draws again, a darker page paints', { init: spy }, async ({ page }) => {
  await pick(page, [{ name: 'rows.csv', bytes: Buffer.from(rows()) }]);
  await scored(page);
  await asked(page);
  // two panels side by side: one of curves, one with a picture
  await ask(page, 'klce');
  await page.click('[data-sheet="klce"] >> text=Pin to the right');
  await ask(page, 'witness');
  for (const kind of ['klce', 'witness']) await page.waitForSelector(`[data-sheet="${kind}"] canvas:not([hidden])`);
  await asked(page);
  const before = await widths(page, '.explore');
  await page.setViewportSize({ width: 1210, height: 900 });
  await page.waitForFunction(
    (wide) => [...document.querySelectorAll('.explore canvas')].every((one) => one.clientWidth < wide),
    Math.max(...before),
  );
  const jobs = await asked(page);
  // each of the two sheets at most once for the width and once for a scroll bar, the calls that plan it besides
  const steps = jobs.filter((job) => job === 'step').length;
  assert.ok(steps >= 2 && steps <= 4, jobs.join(' '));
  assert.ok(
    jobs.every((job) => job === 'step' || job === 'plan_analysis'),
    jobs.join(' '),
  );
  assert.equal((await widths(page, '.explore')).length, before.length);

  // on a phone one panel fills the window
  await page.setViewportSize({ width: 420, height: 900 });
  await page.waitForFunction(() => document.querySelectorAll('.sheet').length === 1);
  await drawn(page);
  await asked(page);
  const after = await widths(page, '.explore');
  assert.ok(after.length > 0 && after.every((width) => width <= 420), String(after));

  await page.emulateMedia({ colorScheme: 'dark' });
  await drawn(page); // the page hears of it in the next frame
  // the picture of the map has its colors from the core, which draws it again; everything else is painted
  assert.deepEqual(await asked(page), ['plan_analysis', 'step']);
  await ask(page, 'reliability');
  assert.deepEqual(await asked(page), ['view'], 'a chart is asked for once');
  await page.emulateMedia({ colorScheme: 'light' });
  await drawn(page);
  assert.deepEqual(await asked(page), [], 'another theme asks for nothing');
});
