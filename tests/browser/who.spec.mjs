// For whom it is wrong, and what to do about it: the steps Who and Decide, and a calibrator that travels.

import assert from 'node:assert/strict';
import { goTo, saved, spec, specBoth } from './harness.mjs';

/** 400 rows that say one half: women happen half the time, men in three quarters. */
function twoGroups() {
  const lines = ['p,y,sex,age'];
  for (let i = 0; i < 200; i += 1) lines.push(`0.5,${i % 2},women,${20 + (i % 40)}`, `0.5,${i % 4 === 0 ? 0 : 1},men,${20 + (i % 40)}`);
  return { name: 'groups.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
}

specBoth('the group that is wronged stands first, and the trust test finds it', {}, async ({ page }) => {
  await page.setInputFiles('#picker', twoGroups());
  await page.waitForSelector('#overview-scorecard table');
  await goTo(page, 'who');
  await page.waitForSelector('[data-sheet="groups"] .blocks > .scroll tbody tr');
  assert.match(await page.innerText('[data-sheet="groups"] .reading'), /^sex = men: the predicted probability is too low by 25\.0\spoints on 200 rows/);
  assert.match(await page.innerText('[data-sheet="groups"] .blocks > .scroll tbody tr:first-child'), /^men/);
  const csv = await saved(page, 'text=Save groups.csv');
  assert.match(csv.bytes.toString(), /\nmen,200,150,0\.5,0\.75,-0\.25,/);
  await page.click('[data-sheet="klce"] > summary');
  await page.waitForSelector('[data-sheet="klce"] .reading');
  assert.match(await page.innerText('[data-sheet="klce"] .reading'), /wrong/);
});

spec('costs decide from which confidence on to answer', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await page.waitForSelector('#overview-scorecard table');
  await goTo(page, 'decide');
  const reading = page.locator('[data-sheet="decide"] .reading');
  await reading.waitFor();
  assert.match(await reading.innerText(), /^Answer from 90\.0/);
  await page.fill('[data-sheet="decide"] input[name="wrong"]', '2');
  await page.keyboard.press('Tab');
  await page.waitForFunction(() => document.querySelector('[data-sheet="decide"] .reading')?.textContent?.startsWith('Answer from 50.0'));
});

spec('a calibrator travels to a file without labels', {}, async ({ page }) => {
  const csv = await page.evaluate(async () => {
    const text = (/** @type {string} */ body) => new TextEncoder().encode(body);
    const rows = Array.from({ length: 200 }, (_, i) => `${(i % 99) / 100 + 0.005},${(i * 7) % 10 < (i % 99) / 14 ? 1 : 0}`);
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
