// Panels that no view draws by hand: made from what the core says of an analysis.

import assert from 'node:assert/strict';
import { goTo, saved, spec, specBoth } from './harness.mjs';

specBoth('an analysis without a panel of its own has one', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await page.waitForSelector('#overview-scorecard table');
  const described = await page.evaluate(() => window.localcal.describe());
  const entry = described.analyses.find(({ kind }) => kind === 'sample_size');
  assert.ok(entry && entry.step === 'overview' && entry.shown === 'sheet');
  const panel = page.locator('#overview .described [data-sheet="sample_size"]');
  assert.equal(await panel.locator('> summary').innerText(), entry.title);
  await panel.locator('> summary').click();
  assert.equal(await panel.locator('.about').textContent(), entry.plain);
  const reading = panel.locator('.reading');
  await reading.waitFor();
  assert.match(
    await reading.innerText(),
    /^By the formulas, about 2,774 rows would make all three 95 % intervals as narrow as asked for; 569 are scored/,
  );
  // its form is made of its options: those that a person is asked for
  const labels = entry.options.filter(({ label, name }) => label && name !== 'method').map(({ label }) => label);
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
    document
      .querySelector('[data-sheet="sample_size"] .reading')
      ?.textContent?.startsWith('By the formulas, about 650 rows'),
  );
  const csv = await saved(page, 'text=Save sample_size.csv');
  assert.match(csv.bytes.toString(), /\ncalibration_slope,0\.5,0\.44\d+,569,\d+,\d+\n/);
  // what cannot be asked for is said, and the answer stays
  await panel.locator('input[name="auroc"]').fill('0');
  await page.keyboard.press('Tab');
  await panel.locator('.alert').waitFor();
  assert.match(await panel.locator('.alert').innerText(), /auroc is 0/);
  assert.equal(await panel.locator('figure canvas').count(), 3);
});

spec('every analysis is described, and those with a sheet have one panel', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await page.waitForSelector('#overview-scorecard table');
  await goTo(page, 'who');
  await page.waitForSelector('[data-sheet="groups"] .reading, [data-sheet="groups"] .alert');
  const { analyses } = await page.evaluate(() => window.localcal.describe());
  for (const { kind, shown, title, options } of analyses) {
    const panel = page.locator(`[data-sheet="${kind}"]`);
    assert.equal(await panel.count(), shown === 'sheet' ? 1 : 0, kind);
    assert.ok(
      options.every(({ help }) => help.length > 0),
      kind,
    );
    const summary = panel.locator('> summary');
    if ((await summary.count()) > 0) assert.equal(await summary.textContent(), title);
  }
});
