// Opening: the first screen without script, examples, drop, paste, keyboard alone, and bad files.

import assert from 'node:assert/strict';
import { binaryCsv, dropFiles, spec, specBoth } from './harness.mjs';

specBoth('the first screen says everything before any script runs', { script: false }, async ({ page }) => {
  const text = await page.innerText('body');
  for (const part of ['LoCal', 'Drop a file here', 'Breast cancer', '569 rows', '1,797 rows', 'Nothing leaves this page: how to check']) {
    assert.ok(text.includes(part), `"${part}" in ${text}`);
  }
  assert.equal(await page.locator('button#drop').isVisible(), true);
  await page.click('#privacy summary');
  assert.match(await page.innerText('.policy'), /default-src 'none'.*connect-src 'none'/);
});

specBoth('an example is one click', {}, async ({ page }) => {
  await page.click('[data-sample="breast_cancer.csv"]');
  await page.waitForFunction(() => document.querySelector('#subject')?.textContent?.includes('569 rows'));
  await page.waitForSelector('#overview-scorecard table');
  assert.match(await page.innerText('#overview-scorecard'), /Accuracy/);
});

specBoth('a dropped file opens', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'mine.csv', text: binaryCsv(300) }]);
  await page.waitForSelector('#overview-scorecard table');
  assert.match(await page.innerText('#subject'), /mine\.csv · 300 rows · binary/);
});

spec('scores of exactly 0 or 1 are told beside the numbers that hang on them', {}, async ({ page }) => {
  const rows = Array.from({ length: 120 }, (_, i) => (i < 6 ? `${i % 2},${i === 0 ? 1 : i % 2}` : `${i / 120},${Number((i * 37) % 120 < i)}`));
  await dropFiles(page, [{ name: 'certain.csv', text: `p,y\n${rows.join('\n')}\n` }]);
  await page.waitForSelector('#overview-scorecard table');
  assert.match(await page.innerText('#overview-scorecard [data-metric="nll"] .value'), /hangs on 1 row cut at 1e−15/);
  assert.doesNotMatch(await page.innerText('#overview-scorecard [data-metric="brier"] .value'), /cut/);
});

spec('text on the clipboard opens', {}, async ({ page }) => {
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, binaryCsv(40));
  await page.waitForFunction(() => document.querySelector('#subject')?.textContent?.includes('40 rows'));
});

spec('the keyboard alone opens a file and reads the chart', {}, async ({ page }) => {
  // heard from the start: listening takes effect in the browser some time later
  const chooser = page.waitForEvent('filechooser');
  const focused = () => page.evaluate(() => document.activeElement?.id ?? '');
  for (let i = 0; i < 20 && (await focused()) !== 'drop'; i += 1) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'drop');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles([{ name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(binaryCsv(200)) }]);
  await page.waitForSelector('#overview-diagram .twin table', { state: 'attached' });
  const onCanvas = () => page.evaluate(() => document.activeElement?.tagName === 'CANVAS');
  for (let i = 0; i < 30 && !(await onCanvas()); i += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('#live')?.textContent !== '' && !document.querySelector('.card')?.hasAttribute('hidden'));
});

spec('a changed role opens the file again, and stays changed', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'roles.csv', text: binaryCsv(100) }]);
  await page.waitForSelector('#overview-scorecard table');
  await page.click('#steps a[href="#step=columns"]');
  await page.click('.fold summary');
  await page.selectOption('select[aria-label="Role of x2"]', 'group');
  await page.waitForFunction(() => document.querySelector('.fold summary')?.textContent?.includes('group: x2'));
  assert.equal(new URL(page.url()).hash, '#step=columns');
});

spec('a bad file gets a sentence, and what is open stays', {}, async ({ page }) => {
  await dropFiles(page, [{ name: 'good.csv', text: binaryCsv(50) }]);
  await page.waitForSelector('#overview-scorecard table');
  await dropFiles(page, [{ name: 'bad.csv', text: '' }]);
  const alert = page.locator('[role=alert] .alert');
  await alert.waitFor();
  assert.match(await alert.innerText(), /bad\.csv/);
  assert.equal(await page.evaluate(() => document.activeElement?.className), 'alert');
  assert.match(await page.innerText('#subject'), /good\.csv · 50 rows/);
});
