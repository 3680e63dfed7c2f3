// What is wrong gets a sentence, and nothing that is open is lost.

import assert from 'node:assert/strict';
import { BAD } from './files.mjs';
import { ask, binaryCsv, calm, found, goTo, onOnePage, openedAs, pick, scored, unfold } from './harness.mjs';

const good = { name: 'good.csv', bytes: Buffer.from(binaryCsv(300)) };

for (const by of /** @type {const} */ (['file', 'http'])) {
  let before = '';
  const bad = onOnePage(by, {}, async ({ page }) => {
    await pick(page, [good]);
    await scored(page);
    await calm(page); // local numbers come after the others
    before = await page.innerText('.scorecard');
  });
  for (const { what, name, bytes, code, says } of BAD)
    bad(`${what} gets a sentence, and what is open stays (${by})`, async ({ page }) => {
      await pick(page, [{ name, bytes }]);
      const alert = page.locator('#alerts .alert');
      await alert.waitFor();
      assert.match((await alert.getAttribute('data-code')) ?? '', new RegExp(`^(${code})$`));
      assert.doesNotMatch(await alert.innerText(), /\b[a-z]+_[a-z_]+\b/, 'no code for a person to read');
      const sentence = await alert.locator('p').first().innerText();
      assert.match(sentence, says);
      assert.ok(sentence.length > 15 && !/undefined|\[object|Error:/.test(sentence), sentence);
      // a person at the page has controls, no options
      assert.doesNotMatch(await alert.innerText(), /\b[a-z_]+: ("|\{|\[|true|false)|parameters\./);
      await page.locator('.alert button', { hasText: 'Dismiss' }).click();
      // what is unclear waits for a person's word, and can be left alone
      const leave = page.locator('#data button', { hasText: 'Do not open this file' });
      if (await leave.count()) await leave.click();
      await openedAs(page, 'good.csv', 300);
      await scored(page);
      await calm(page);
      assert.equal(await page.innerText('.scorecard'), before);
    });
}

/** One file after the other. */
const next = onOnePage('http', {}, async () => {});

next('a refused value can be left out with one click', async ({ page }) => {
  await pick(page, [{ name: 'gap.csv', bytes: Buffer.from(`${binaryCsv(100)}1,n/a?,0.5,0.5\n`) }]);
  await page.locator('.alert button', { hasText: 'Exclude such rows' }).click();
  await openedAs(page, 'gap.csv', 100);
  await goTo(page, 'data');
  assert.match(await page.innerText('#data .notes'), /Row 101 excluded/);
});

next('scores of which a few exceed 1 are read as percentages with one click', async ({ page }) => {
  const line = (/** @type {number} */ i) => {
    const p = i % 40 === 0 ? 3 + (i % 7) * 4 : ((i * 37) % 97) / 100;
    return `${p},${(i * 7) % 100 < p ? 1 : 0}`;
  };
  const text = `p,y\n${Array.from({ length: 400 }, (_, i) => line(i)).join('\n')}\n`;
  await pick(page, [{ name: 'rare.csv', bytes: Buffer.from(text) }]);
  const alert = page.locator('#alerts .alert');
  await alert.locator('button', { hasText: 'Exclude such rows' }).waitFor();
  await alert.locator('button', { hasText: 'Read as percentages' }).click();
  await openedAs(page, 'rare.csv', 400);
  // of values that are no percentages, either, nothing of the kind is offered
  await pick(page, [{ name: 'odd.csv', bytes: Buffer.from(text.replace('\n3,', '\n-3,')) }]);
  await alert.locator('button', { hasText: 'Exclude such rows' }).waitFor();
  assert.doesNotMatch(await alert.innerText(), /percentages/);
  await alert.locator('button', { hasText: 'Dismiss' }).click();
});

next('a selection without rows says which values there are, and leads back to it', async ({ page }) => {
  const rows = Array.from({ length: 120 }, (_, i) => `${(i % 97) / 100 + 0.01},${i % 2},${['ICU', 'Surgery'][i % 2]}`);
  await pick(page, [{ name: 'wards.csv', bytes: Buffer.from(`p,y,ward\n${rows.join('\n')}\n`) }]);
  await openedAs(page, 'wards.csv', 120);
  const part = page.locator('#subject .part[title^="Rows"]');
  await part.click();
  await page.selectOption('select[name="only column"]', 'ward');
  await page.fill('input[name="only value"]', 'icu');
  await page.keyboard.press('Enter');
  const alert = page.locator('#alerts .alert');
  await alert.waitFor();
  assert.match(await alert.innerText(), /None of the 120 rows is selected\.\s+.*Values of ward: ICU, Surgery\./);
  await alert.locator('button', { hasText: 'Change the condition' }).click();
  await page.waitForSelector('#subject .part[title^="Rows"][aria-expanded="true"]');
  await page.keyboard.press('Escape');
});

next('a file with one row is scored as far as it can be, and says so', async ({ page }) => {
  await pick(page, [{ name: 'one.csv', bytes: Buffer.from(binaryCsv(1)) }]);
  await openedAs(page, 'one.csv', 1);
  await scored(page);
  await calm(page);
  assert.match(await page.innerText('[data-sheet="scorecard"] .notes'), /Only the outcome .* occurs in 1 row/);
  assert.equal(await page.innerText('[data-metric="auroc"] .value'), '–');
});

next('a file with one class is scored as far as it can be, and says so', async ({ page }) => {
  await pick(page, [{ name: 'ones.csv', bytes: Buffer.from(binaryCsv(50).replace(/^0/gm, '1')) }]);
  await openedAs(page, 'ones.csv', 50);
  await scored(page);
  await calm(page);
  assert.match(await page.innerText('[data-sheet="scorecard"] .notes'), /Only the outcome .* occurs in 50 rows/);
  assert.equal(await page.innerText('[data-metric="auroc"] .value'), '–');
});

next('ids that are not there, and local metrics without features, say so', async ({ page }) => {
  const seen = await page.evaluate(async (text) => {
    const code = (/** @type {Promise<any>} */ call) =>
      call.then(
        () => 'finished',
        (error) => error.code,
      );
    const data = await localcal.open([{ name: 'ids.csv', bytes: new TextEncoder().encode(text) }]);
    const bare = await localcal.open([
      { name: 'bare.csv', bytes: new TextEncoder().encode(text.replace(/^([^,\n]*,[^,\n]*),.*$/gm, '$1')) },
    ]);
    const local = await data.run({ resamples: 0 });
    const lore = await bare.run({ methods: ['none', 'lore'], resamples: 0 });
    return {
      metric: await code(data.run({ metrics: ['no_such'] })),
      method: await code(data.run({ methods: ['no_such'] })),
      local: [local.methods[0].metrics.mlce, local.methods[0].metrics.mean_lce].map(({ value, reason }) => ({
        value,
        reason: typeof reason,
      })),
      lore: lore.methods[1].metrics.ece,
    };
  }, binaryCsv(200));
  assert.deepEqual([seen.metric, seen.method], ['unknown_metric', 'unknown_method']);
  assert.deepEqual(seen.local, [
    { value: null, reason: 'string' },
    { value: null, reason: 'string' },
  ]);
  assert.deepEqual([seen.lore.value, seen.lore.reason], [null, 'features_missing']);
});

next('rows that cannot be scored stay in Data, which says what is missing', async ({ page }) => {
  await pick(page, [{ name: 'open.csv', bytes: Buffer.from('p,x1\n0.2,3\n0.9,4\n0.4,5\n') }]);
  await openedAs(page, 'open.csv', 3);
  assert.match(page.url(), /#view=data/);
  assert.match(await page.innerText('#data-title'), /No outcome column\. Assign/);
  assert.match(await page.innerText('#data'), /A saved calibrator can still be applied/);
  await goTo(page, 'finding');
  assert.match(await page.innerText('main'), /cannot be evaluated yet\.\s+Data shows what is missing/);
  await goTo(page, 'data');
  assert.equal(await page.locator('#alerts .alert').count(), 0, 'said once, where it can be mended');
  await pick(page, [good]);
  await openedAs(page, 'good.csv', 300);
  await found(page);
});

next('a choice that cannot be answered is taken back, and says why', async ({ page }) => {
  const rows = Array.from(
    { length: 120 },
    (_, i) => `${(i % 97) / 100 + 0.01},${i % 2},${'ab'[(i >> 3) % 2]},${'xy'[(i >> 1) % 2]},${'uv'[(i >> 2) % 2]}`,
  );
  await pick(page, [{ name: 'three.csv', bytes: Buffer.from(`p,y,first,second,third\n${rows.join('\n')}\n`) }]);
  await openedAs(page, 'three.csv', 120);
  await ask(page, 'groups');
  const panel = page.locator('[data-sheet="groups"]');
  const ticked = (/** @type {string} */ columns) =>
    page.waitForFunction((expected) => {
      const boxes = document.querySelectorAll('[data-sheet="groups"] input[name="columns"]:checked');
      return Array.from(boxes, (box) => /** @type {HTMLInputElement} */ (box).value).join() === expected;
    }, columns);
  const says = (/** @type {string} */ text) =>
    page.waitForFunction(
      (expected) =>
        document.querySelector('[data-sheet="groups"] .blocks > .scroll caption')?.textContent?.includes(expected),
      text,
    );
  await says('Calibration by first');
  await unfold(page, 'groups');
  await panel.locator('input[value="second"]').check();
  await says('Calibration by first × second');
  await panel.locator('input[value="third"]').click();
  await panel.locator('.alert').waitFor();
  assert.match(await panel.locator('.alert').innerText(), /Groups are defined by one or two columns, not by 3\./);
  await ticked('first,second'); // the form shows what the chart was made with
  await says('Calibration by first × second');
  await panel.locator('input[value="second"]').uncheck();
  await page.waitForFunction(() => !document.querySelector('[data-sheet="groups"] .alert'));
  await ticked('first');
});
