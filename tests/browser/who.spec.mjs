// For whom it is wrong, and what to do about it: groups, the trust test, models, decisions; a calibrator that travels.

import assert from 'node:assert/strict';
import { ask, saved, scored, spec, specFromDisk, unfold } from './harness.mjs';

/** 400 rows that say one half: women happen half the time, men in three quarters. */
function twoGroups() {
  const lines = ['p,y,sex,age'];
  for (let i = 0; i < 200; i += 1)
    lines.push(`0.5,${i % 2},women,${20 + (i % 40)}`, `0.5,${i % 4 === 0 ? 0 : 1},men,${20 + (i % 40)}`);
  return { name: 'groups.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
}

specFromDisk('the group that is wronged stands first, and the trust test finds it', {}, async ({ page }) => {
  await page.setInputFiles('#picker', twoGroups());
  await scored(page);
  await ask(page, 'groups');
  await page.waitForSelector('[data-sheet="groups"] .blocks > .scroll tbody tr');
  assert.match(
    await page.innerText('[data-sheet="groups"] .reading'),
    /^Probabilities are underestimated by 25\.0 percentage points for sex = men \(n = 200, adjusted p/,
  );
  assert.match(await page.innerText('[data-sheet="groups"] .blocks > .scroll tbody tr:first-child'), /^men/);
  const csv = await saved(page, 'text=Save groups.csv');
  assert.match(csv.bytes.toString(), /\nmen,200,150,0\.5,0\.75,-0\.25,/);
  await ask(page, 'klce');
  await page.waitForSelector('[data-sheet="klce"] .reading');
  assert.match(await page.innerText('[data-sheet="klce"] .reading'), /is rejected/);
});

/** Predictions of a model that promises `more` than it keeps. @param {string} name @param {number} more */
function model(name, more) {
  const lines = ['p,y,sex'];
  for (let i = 0; i < 300; i += 1) {
    const p = ((i * 37) % 97) / 97;
    lines.push(`${p},${((i * 61) % 89) / 89 < p - more * (p - 0.5) ? 1 : 0},${['women', 'men'][i % 2]}`);
  }
  return { name, mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
}

spec('other models stand beside the one on the page', {}, async ({ page }) => {
  await page.setInputFiles('#picker', model('good.csv', 0));
  await scored(page);
  await ask(page, 'models');
  const panel = page.locator('[data-sheet="models"]');
  await panel.locator('.reading').waitFor();
  assert.match(await panel.locator('.reading').innerText(), /^One model is open\./);
  await panel.locator('input[name="others"]').setInputFiles([model('hot.csv', 0.5), model('hotter.csv', 0.9)]);
  await page.waitForFunction(
    () => document.querySelectorAll('[data-sheet="models"] .blocks > .scroll tbody tr').length === 3,
  );
  assert.match(
    await panel.locator('.reading').innerText(),
    /^ECE of 3 models before recalibration: best good \(0\.0\d+\), worst hotter \([\d.]+\); differences not tested\.$/,
  );
  // the page goes on showing what it showed
  assert.match(await page.innerText('#file'), /^good\.csv/);
  await unfold(page, 'models');
  await panel.locator('select[name="y"]').selectOption('brier');
  await page.waitForFunction(() =>
    document.querySelector('[data-sheet="models"] .reading')?.textContent?.startsWith('Brier of 3 models'),
  );
  const csv = await saved(page, 'text=Save models.csv');
  assert.match(csv.bytes.toString(), /^model,method,rows,accuracy,brier,p,p_bonferroni\ngood,none,300,/);
  // what is wrong with a file is said, and the others stay
  await panel
    .locator('input[name="others"]')
    .setInputFiles([{ name: 'bad.csv', mimeType: 'text/csv', buffer: Buffer.from('p,y\n0.5,1\nx,0\n') }]);
  await panel.locator('.alert').waitFor();
  assert.equal(await panel.locator('.blocks > .scroll tbody tr').count(), 3);
});

spec('costs decide from which confidence on to answer', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await scored(page);
  await ask(page, 'decide');
  const reading = page.locator('[data-sheet="decide"] .reading', { hasText: /^Answer at confidence of/ });
  await reading.waitFor();
  assert.match(await reading.innerText(), /^Answer at confidence of 90\.0% or more/);
  await unfold(page, 'decide');
  await page.fill('[data-sheet="decide"] input[name="wrong"]', '2');
  await page.keyboard.press('Tab');
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-sheet="decide"] .reading')].some(({ textContent }) =>
      textContent?.startsWith('Answer at confidence of 50.0'),
    ),
  );
});

spec('a calibrator travels to a file without labels', {}, async ({ page }) => {
  const csv = await page.evaluate(async () => {
    const text = (/** @type {string} */ body) => new TextEncoder().encode(body);
    const rows = Array.from(
      { length: 200 },
      (_, i) => `${(i % 99) / 100 + 0.005},${(i * 7) % 10 < (i % 99) / 14 ? 1 : 0}`,
    );
    const first = await localcal.open([{ name: 'a.csv', bytes: text(`p,y\n${rows.join('\n')}\n`) }]);
    await first.run({ methods: ['none', 'platt'] });
    const calibrator = await (await first.export('calibrator')).text();
    const snippet = await (await first.export('snippet', { method: 'platt', language: 'javascript' })).text();
    const second = await localcal.open([{ name: 'b.csv', bytes: text('p\n0.2\n0.9\n') }]);
    const applied = await (await second.export('applied', { calibrator })).text();
    const code = await second.export('applied', { calibrator: '{ not JSON' }).catch((error) => error.code);
    return { applied, snippet, code };
  });
  assert.equal(csv.applied.trim().split('\n').length, 3);
  assert.match(csv.applied, /platt/);
  assert.match(csv.snippet, /function calibrate/);
  assert.equal(csv.code, 'calibrator_unreadable');
});

/** Outcomes drawn from the probabilities of a ten-class model, with three features. */
function tenClasses() {
  let state = 7;
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const names = Array.from({ length: 10 }, (_, k) => `prob_${k}`);
  const lines = [`${names.join(',')},label,x1,x2,x3`];
  for (let i = 0; i < 500; i += 1) {
    const z = names.map(() => Math.exp(6 * uniform()));
    const total = z.reduce((a, b) => a + b);
    const p = z.map((one) => one / total);
    let rest = uniform();
    const label = p.findIndex((one) => {
      rest -= one;
      return rest < 0;
    });
    lines.push([...p, Math.max(label, 0), uniform(), uniform(), uniform()].join(','));
  }
  return { name: 'ten.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
}

spec('of many classes the groups are the predicted ones, and panels say what they used', {}, async ({ page }) => {
  await page.setInputFiles('#picker', tenClasses());
  await scored(page);
  await ask(page, 'groups');
  const groups = page.locator('[data-sheet="groups"]');
  await groups.locator('.blocks > .scroll tbody tr').first().waitFor();
  assert.deepEqual(
    await groups
      .locator('fieldset input:checked')
      .evaluateAll((boxes) => boxes.map((box) => /** @type {HTMLInputElement} */ (box).value)),
    ['predicted class'],
  );
  assert.match(await groups.locator('.reading').innerText(), /^No significant error in \d+ groups of predicted class/);
  await unfold(page, 'groups');
  await groups.locator('input[value="label"]').check();
  await page.waitForFunction(() =>
    /is the outcome itself.*no p-value/.test(
      document.querySelector('[data-sheet="groups"] .untested')?.textContent ?? '',
    ),
  );
  // three features, two components of them: the panel says both, and the picker in it
  for (const sheet of ['klce', 'proximity']) {
    const panel = page.locator(`[data-sheet="${sheet}"]`);
    await ask(page, sheet);
    await panel.locator('.reading').waitFor();
    assert.match(await panel.locator('.used').innerText(), /^Similarity: 2 components of x1, x2 and x3 · /);
    await panel.locator('.alike summary').click();
    // the picker is there a moment after it is opened
    await panel.locator(`input[name="${sheet}-of"]:checked`).nth(2).waitFor();
    assert.equal(await panel.locator(`input[name="${sheet}-of"]:checked`).count(), 3, sheet);
    assert.equal(await panel.locator(`input[name="${sheet}-pca"]`).inputValue(), '2', sheet);
    assert.match(await panel.locator('.facts').first().innerText(), /2 principal components of x1, x2, x3/);
    await panel.locator(`input[name="${sheet}-pca"]`).fill('');
    await panel.locator(`input[name="${sheet}-pca"]`).press('Tab');
    await page.waitForFunction(
      (kind) => !/principal/.test(document.querySelector(`[data-sheet="${kind}"] .facts`)?.textContent ?? 'principal'),
      sheet,
    );
    assert.match(await panel.locator('.used').innerText(), /^Similarity: x1, x2 and x3 · /, sheet);
    assert.match(
      await panel.locator('.differs').innerText(),
      /x1, x2 and x3 in this panel, 2 components of x1, x2 and x3 in the subject line/,
    );
  }
});

spec('what takes long waits for a start, and says so', {}, async ({ page }) => {
  const rows = Array.from(
    { length: 50_000 },
    (_, i) =>
      `${((i * 37) % 991) / 1000 + 0.004},${(i * 61) % 100 < ((i * 37) % 991) / 10 ? 1 : 0},${(i * 13) % 71},${(i * 17) % 83}`,
  );
  await page.evaluate(
    (text) =>
      window.localcal
        .open([{ name: 'long.csv', bytes: new TextEncoder().encode(text) }])
        .then((data) => data.run({ resamples: 0 })),
    `p,y,a,b\n${rows.join('\n')}\n`,
  );
  await scored(page);
  await ask(page, 'klce');
  const start = page.locator('[data-sheet="klce"] button.start');
  await start.waitFor();
  assert.match(await start.innerText(), /^Start: testing calibration \(about \d+ s\)$/);
});
