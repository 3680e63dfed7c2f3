// Panels that no view draws by hand: made from what the core says of an analysis.

import assert from 'node:assert/strict';
import { ask, saved, scored, spec, specFromDisk, unfold } from './harness.mjs';

specFromDisk('an analysis without a panel of its own has one', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await scored(page);
  const described = await page.evaluate(() => window.localcal.describe());
  const entry = described.analyses.find(({ kind }) => kind === 'sample_size');
  assert.ok(entry && entry.step === 'overview' && entry.shown === 'sheet');
  await ask(page, 'sample_size');
  const panel = page.locator('[data-sheet="sample_size"]');
  assert.equal(await panel.locator('h2').innerText(), entry.title);
  assert.equal(await panel.locator('.about').textContent(), entry.plain);
  const reading = panel.locator('.reading');
  await reading.waitFor();
  assert.match(
    await reading.innerText(),
    /^About 2,780 rows are needed for the target width of all three 95% intervals \(569 scored/,
  );
  // its form is made of its options: those that a person is asked for
  const labels = entry.options.filter(({ label, name }) => label && name !== 'method').map(({ label }) => label);
  await unfold(page, 'sample_size');
  assert.deepEqual(await panel.locator('.fields label > span').allInnerTexts(), labels);
  assert.equal(await panel.locator('figure canvas').count(), 3);
  // its table sorts: numbers first from the largest, then from the smallest
  for (const first of ['Calibration slope', 'AUROC']) {
    await panel.locator('thead button', { hasText: 'rows needed' }).click();
    await panel.locator('tbody tr:first-child > th', { hasText: first }).waitFor();
  }
  await panel.locator('input[name="slope"]').fill('0.5');
  await page.keyboard.press('Tab');
  await page.waitForFunction(() =>
    document.querySelector('[data-sheet="sample_size"] .reading')?.textContent?.startsWith('About 650 rows'),
  );
  const csv = await saved(page, 'text=Save sample_size.csv');
  assert.match(csv.bytes.toString(), /\ncalibration_slope,0\.5,0\.44\d+,569,\d+,\d+\n/);
  // what cannot be asked for is said, and the answer stays
  await panel.locator('input[name="auroc"]').fill('0');
  await page.keyboard.press('Tab');
  const refused = panel.locator('.refused');
  await refused.waitFor();
  assert.equal(await refused.innerText(), 'Enter a number from 0.001 to 1.');
  assert.equal(await panel.locator('figure canvas').count(), 3);
});

spec('every analysis is described, and those with a sheet are one question each', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await scored(page);
  const { analyses } = await page.evaluate(() => window.localcal.describe());
  for (const { kind, shown, title, options } of analyses) {
    const question = page.locator(`.questions [data-question="${kind}"]`);
    if (shown === 'sheet') {
      assert.equal(await question.textContent(), title, kind);
      await ask(page, kind);
      assert.equal(await page.locator(`[data-sheet="${kind}"] h2`).textContent(), title);
    }
    assert.ok((await question.count()) <= 1, kind);
    assert.ok(
      options.every(({ help }) => help.length > 0),
      kind,
    );
  }
});

spec('a search finds questions by title, metric, method and term, and Enter asks the first', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await scored(page);
  const found = async (/** @type {string} */ words) => {
    await page.fill('input[name="search"]', words);
    return page
      .locator('.questions [data-question]')
      .evaluateAll((links) => links.map((link) => /** @type {HTMLElement} */ (link).dataset.question));
  };
  const all = (await found('')).length;
  assert.ok(all >= 19, `${all} questions`);
  assert.deepEqual((await found('trust test')).slice(0, 1), ['klce']);
  for (const [words, kind] of [
    ['Hosmer', 'scorecard'],
    ['Dirichlet', 'repair'],
    ['net benefit', 'decide'],
    ['t-SNE', 'map'],
    ['netcal', 'libraries'],
    ['SKCE', 'klce'],
  ]) {
    const kinds = await found(words);
    assert.ok(kinds.includes(kind) && kinds.length < all, `${words}: ${kinds}`);
  }
  assert.deepEqual(await found('no such words'), []);
  await found('witness');
  await page.press('input[name="search"]', 'Enter');
  await page.waitForSelector('[data-sheet="witness"]');
});

spec('a panel can be pinned beside another, and a link asks the same again', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await scored(page);
  await ask(page, 'groups');
  await page.click('[data-sheet="groups"] >> text=Pin to the right');
  await ask(page, 'decide');
  await unfold(page, 'decide');
  await page.fill('[data-sheet="decide"] input[name="wrong"]', '2');
  await page.keyboard.press('Tab');
  const answered = () =>
    page.waitForFunction(() =>
      [...document.querySelectorAll('[data-sheet="decide"] .reading')].some(({ textContent }) =>
        textContent?.startsWith('Answer at confidence of 50.0% or more;'),
      ),
    );
  await answered();
  await page.waitForSelector('[data-sheet="groups"] .reading');
  const [left, right] = await page
    .locator('.explore > .sheet')
    .evaluateAll((sheets) => sheets.map((one) => one.getBoundingClientRect().left));
  assert.ok(right > left + 300, `${left}, ${right}`);
  // settings are in the link, and a change is taken back
  await page.reload();
  await page.waitForSelector('[data-sheet="groups"] .reading');
  await answered();
  await page.goBack();
  await page.waitForSelector('[data-sheet="scorecard"], [data-sheet="groups"]:first-of-type');
  // and from the first that was chosen to what Explore begins with
  await page.goBack();
  await page.waitForSelector('[data-sheet="scorecard"]');
  await page.goBack();
  await page.waitForSelector('[data-sheet="finding"]');
});
