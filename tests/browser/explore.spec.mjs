// Explore as a person walks it: what a panel lacks it asks for, its finding stands first, and it fits its window.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npy, npz } from './files.mjs';
import { faultyAnalyses, faults } from './faults.mjs';
import {
  ask,
  binaryCsv,
  calm,
  choose,
  drawn,
  dropFiles,
  random,
  found,
  goTo,
  painted,
  pick,
  scored,
  spec,
  unfold,
} from './harness.mjs';

/** A clinical export, whose rows are alike in one column: age. */
function byAge() {
  const lines = readFileSync(join(import.meta.dirname, '../corpus/files/hospital.csv'), 'utf8')
    .trim()
    .split('\n');
  const left = lines[0].split(',').indexOf('bmi');
  return lines
    .map((line) =>
      line
        .split(',')
        .filter((_, i) => i !== left)
        .join(','),
    )
    .join('\n');
}

/** So many sites of thirty rows each, that say one half. @param {number} many */
function sites(many) {
  const lines = ['p,y,site'];
  for (let i = 0; i < 30 * many; i += 1) lines.push(`0.5,${i % 2},s${i % many}`);
  return { name: 'sites.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
}

spec('a question that the file cannot answer is grey, and its panel leads to Data', {}, async ({ page }) => {
  await page.setInputFiles('#picker', sites(4));
  await scored(page);
  const question = page.locator('.questions [data-question="over_time"]');
  assert.match((await question.getAttribute('title')) ?? '', /^No date column/);
  assert.equal(await question.getAttribute('class'), 'lacks');
  assert.equal(await page.getAttribute('.questions [data-question="groups"]', 'class'), null);
  await ask(page, 'over_time');
  const panel = page.locator('[data-sheet="over_time"]');
  assert.match(await panel.innerText(), /No date column\. Assign “Date” under Data\./);
  assert.equal(await panel.getByRole('button', { name: 'Add to report' }).count(), 0);
  await panel.getByRole('button', { name: 'Open Data' }).click();
  await page.waitForSelector('#views a[aria-current="page"]:has-text("Data")');
});

spec('what changed asks for the session, and takes it', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await found(page);
  await goTo(page, 'report');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-take="session"]')]);
  await ask(page, 'changed');
  const panel = page.locator('[data-sheet="changed"]');
  assert.equal(await panel.locator('.alert, .reading').count(), 0);
  await panel.locator('input[name="session"]').setInputFiles(await download.path());
  await panel.locator('.reading').waitFor();
  assert.ok(await page.isVisible('[data-sheet="changed"]'), 'the panel stays on screen');
});

spec('the finding stands before the settings, under its heading', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await scored(page);
  for (const kind of ['decide', 'models', 'groups', 'klce']) {
    await ask(page, kind);
    const answer = page.locator(`[data-sheet="${kind}"] .answer`);
    await answer.locator('.reading').first().waitFor();
    const order = await answer.locator('> *').evaluateAll((parts) => parts.map(({ className }) => className));
    assert.ok(
      order.indexOf('reading') >= 0 && order.indexOf('reading') < order.indexOf('settings'),
      `${kind} ${order}`,
    );
  }
});

spec(
  'a comparison that was cancelled can be computed, and a search that is cleared cancels nothing',
  { init: [faults, faultyAnalyses] },
  async ({ page }) => {
    await dropFiles(page, [{ name: 'compared.csv', text: binaryCsv(500) }]);
    await found(page);
    await calm(page);
    await goTo(page, 'explore');
    await page.waitForSelector('.questions');
    await page.evaluate((seed) => Object.assign(window, { seed }), 669); // nothing ends
    await ask(page, 'repair');
    await page.waitForSelector('#lines li');
    await page.fill('input[name="search"]', 'kernel');
    await page.keyboard.press('Escape');
    assert.equal(await page.inputValue('input[name="search"]'), '');
    await drawn(page);
    assert.ok((await page.locator('#lines li').count()) > 0, 'what runs goes on');
    await page.keyboard.press('Escape');
    const notice = page.locator('.unrepaired', { hasText: 'The last computation did not finish' });
    await notice.waitFor();
    assert.equal(await page.locator('#so-far').count(), 0);
    await page.evaluate(() => Object.assign(window, { seed: 0 }));
    await notice.getByRole('button', { name: 'Compute' }).click();
    await page.waitForSelector('#repair-table tbody tr >> nth=1');
    assert.equal(await notice.count(), 0);
  },
);

spec('a repair that was cancelled is not shown as if it were there', {}, async ({ page }) => {
  await page.click('[data-sample="digits.npz"]');
  await scored(page);
  await calm(page);
  await ask(page, 'reliability');
  await choose(page, 'Recalibration', 'Isotonic');
  await page.keyboard.press('Escape');
  const reading = page.locator('[data-sheet="reliability"] .reading', { hasText: /^Isotonic/ });
  const notice = page.locator('.unrepaired');
  await notice.or(reading).waitFor();
  if (await notice.count()) {
    assert.match(await notice.innerText(), /^Isotonic regression has not been computed/);
    await notice.getByRole('button', { name: 'Compute' }).click();
  }
  await reading.waitFor();
  assert.match(await reading.innerText(), /^Isotonic regression: (significantly|not significantly|ECE) /);
  assert.equal(await notice.count(), 0);
  // the scorecard says whose numbers it has
  await ask(page, 'scorecard');
  await page.click('[data-sheet="scorecard"] button:has-text("Recalibration methods")');
  await page.waitForSelector('[data-sheet="repair"]');
});

spec('a map that was not made can be made', {}, async ({ page }) => {
  const [rows, wide] = [20_000, 256];
  const place = Float32Array.from({ length: rows * wide }, (_, i) => ((i * 48271) % 65521) / 65521);
  const p = Float64Array.from({ length: rows }, (_, i) => ((i * 37) % 97) / 97);
  const label = Int32Array.from({ length: rows }, (_, i) => (p[i] > ((i * 61) % 89) / 89 ? 1 : 0));
  const arrays = { p: npy(p, [rows]), label: npy(label, [rows]), features: npy(place, [rows, wide]) };
  await pick(page, [{ name: 'wide.npz', bytes: npz(arrays) }]);
  // components of so wide an embedding take a while, and a person may stop that; the line moves as others end
  await page
    .locator('#lines li', { hasText: /coordinates|components/i })
    .getByRole('button')
    .dispatchEvent('click');
  await ask(page, 'map');
  const panel = page.locator('[data-sheet="map"]');
  await panel.getByRole('button', { name: 'Compute map' }).click();
  await panel.locator('.pair.map canvas').first().waitFor();
});

spec('a long table shows its first lines, and all of them when asked', {}, async ({ page }) => {
  await page.setInputFiles('#picker', sites(60));
  await scored(page);
  await ask(page, 'groups');
  const lines = page.locator('[data-sheet="groups"] .blocks > .scroll').first().locator('tbody tr');
  await lines.first().waitFor();
  assert.equal(await lines.count(), 20);
  await page.click('[data-sheet="groups"] button:has-text("Show all 60")');
  assert.equal(await lines.count(), 60);
});

spec('figures stand side by side, level with each other', {}, async ({ page }) => {
  await page.click('[data-sample="digits.npz"]');
  await scored(page);
  await ask(page, 'multiples');
  await page.locator('[data-sheet="multiples"] canvas:visible').nth(2).waitFor();
  await calm(page);
  const places = await page
    .locator('[data-sheet="multiples"] canvas')
    .evaluateAll((all) => all.slice(0, 3).map((one) => one.getBoundingClientRect()));
  const [first, second, third] = places;
  assert.ok(second.left >= first.right && third.left >= second.right, JSON.stringify(places));
  assert.ok(Math.abs(first.top - second.top) < 1 && Math.abs(first.top - third.top) < 1, JSON.stringify(places));
});

spec(
  'on a phone a table with words in it is read without moving it',
  { context: { viewport: { width: 390, height: 844 } } },
  async ({ page }) => {
    await page.click('[data-sample="breast_cancer.csv"]');
    await scored(page);
    await ask(page, 'libraries');
    const table = page.locator('[data-sheet="libraries"] .scroll').first();
    await table.waitFor();
    assert.ok(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth + 1));
    assert.match(
      await table.locator('tbody tr').first().innerText(),
      /scikit-learn[\s\S]*brier_score_loss[\s\S]*The same/,
    );
  },
);

spec('on a dark page the witness is drawn in dark colours', { context: { colorScheme: 'dark' } }, async ({ page }) => {
  await pick(page, [{ name: 'calibrated.csv', bytes: Buffer.from(binaryCsv(1500)) }]);
  await scored(page);
  await ask(page, 'witness');
  await painted(page, '[data-sheet="witness"]', 100);
  // what is neither too high nor too low is near the paper
  const bright = await page.locator('[data-sheet="witness"] canvas').evaluate((canvas) => {
    const { width, height } = /** @type {HTMLCanvasElement} */ (canvas);
    const context = /** @type {HTMLCanvasElement} */ (canvas).getContext('2d');
    const pixels = context?.getImageData(0, 0, width, height).data ?? [];
    let found = 0;
    for (let i = 0; i < pixels.length; i += 4) if (Math.min(pixels[i], pixels[i + 1], pixels[i + 2]) > 230) found += 1;
    return found / (width * height);
  });
  assert.ok(bright < 0.01, `${bright} of it is white`);
});

spec('a place on the map of one column is told of, too', {}, async ({ page }) => {
  await pick(page, [{ name: 'hospital.csv', bytes: Buffer.from(byAge()) }]);
  await scored(page);
  await calm(page);
  await ask(page, 'map');
  const places = page.locator('.worst tbody tr button');
  await places.first().click();
  await page.locator('.region', { hasText: /rows/ }).waitFor();
  const first = await page.textContent('.region .facts');
  await places.nth(1).click();
  await page.waitForFunction((told) => document.querySelector('.region .facts')?.textContent !== told, first);
  await calm(page); // what is running would be cancelled first
  await page.keyboard.press('Escape');
  await page.locator('.region').waitFor({ state: 'detached' });
});

spec('another model can be left out again', {}, async ({ page }) => {
  await pick(page, [{ name: 'one.csv', bytes: Buffer.from(binaryCsv(300)) }]);
  await scored(page);
  await ask(page, 'models');
  const panel = page.locator('[data-sheet="models"]');
  await panel
    .locator('input[name="others"]')
    .setInputFiles([{ name: 'two.csv', mimeType: 'text/csv', buffer: Buffer.from(binaryCsv(300, 5)) }]);
  await panel.locator('.reading', { hasNotText: /^One model is open\./ }).waitFor();
  await panel.getByRole('button', { name: 'Remove two.csv' }).click();
  await panel.locator('.reading', { hasText: /^One model is open\./ }).waitFor();
  assert.equal(await panel.locator('.files li').count(), 0);
});

spec('every group column of the subject is shown, until one is asked for', {}, async ({ page }) => {
  await pick(page, [{ name: 'hospital.csv', bytes: Buffer.from(byAge()) }]);
  await scored(page);
  await ask(page, 'groups');
  const panel = page.locator('[data-sheet="groups"]');
  const told = panel.locator('.reading');
  await told.nth(1).waitFor();
  assert.match(
    await told.nth(0).innerText(),
    /^Probabilities are underestimated by [\d.]+ percentage points for sex = f \(n = /,
  );
  assert.match(
    await told.nth(1).innerText(),
    /^Probabilities are underestimated by [\d.]+ percentage points for ward = ICU \(n = /,
  );
  await choose(page, 'Group by', 'sex');
  await told.nth(1).waitFor({ state: 'detached' });
  assert.match(
    await told.innerText(),
    /^Probabilities are underestimated by [\d.]+ percentage points for ward = ICU \(n = /,
  );
  await page.click('button:has-text("Undo")');
  await told.nth(1).waitFor();
  await unfold(page, 'groups');
  await panel.locator('.settings input[value="ward"]').check();
  await told.nth(1).waitFor({ state: 'detached' });
  await panel.locator('.reading', { hasText: / percentage points for sex × ward = / }).waitFor();
});

spec(
  'what is chosen marks what is shown as old in the same step; taken back, it is in no field',
  {},
  async ({ page }) => {
    await pick(page, [{ name: 'one.csv', bytes: Buffer.from(binaryCsv(300)) }]);
    await scored(page);
    await ask(page, 'decide');
    await page.locator('[data-sheet="decide"] .reading').first().waitFor();
    await calm(page);
    const seen = await page.evaluate(async () => {
      const sheet = '[data-sheet="decide"]';
      /** What a click does before anything else can happen. */
      const step = async () => {
        for (let turn = 0; turn < 20; turn += 1) await null;
      };
      const field = () =>
        /** @type {HTMLInputElement} */ (document.querySelector(`${sheet} .settings input[type="text"]`));
      const before = field().value;
      field().value = '3';
      field().dispatchEvent(new Event('change', { bubbles: true }));
      await step();
      const dim = document.querySelector(`${sheet} .answer.stale`) !== null;
      /** @type {HTMLElement} */ (document.querySelector('.history button')).click();
      await step();
      const back = field().value === before;
      // recalibrations are compared from the moment that they are asked for
      /** @type {HTMLElement} */ (document.querySelector('[data-question="repair"]')).click();
      await step();
      return { dim, back, runs: document.querySelectorAll('#lines li').length > 0 };
    });
    assert.deepEqual(seen, { dim: true, back: true, runs: true });
  },
);

spec('that nothing was tested is a sentence, not a finding in large letters', {}, async ({ page }) => {
  const next = random(3);
  const line = (/** @type {number} */ i) => {
    const p = 0.1 + 0.8 * next();
    return `${i >> 1},${p.toFixed(3)},${Number(next() < p)},${(20 + 50 * next()).toFixed(1)}`;
  };
  const text = `patient_id,p,y,age\n${Array.from({ length: 300 }, (_, i) => line(i)).join('\n')}\n`;
  await dropFiles(page, [{ name: 'visits.csv', text }]);
  await ask(page, 'klce');
  const panel = page.locator('[data-sheet="klce"]');
  await panel.locator('.untested').waitFor();
  assert.match(await panel.locator('.untested').innerText(), /^No p-value: rows are clustered by patient_id/);
  assert.equal(await panel.locator('.reading').count(), 0);
});
