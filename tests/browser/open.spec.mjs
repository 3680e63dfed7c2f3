// Opening: the first screen without script, examples, drop, paste, keyboard alone, and bad files.

import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { binaryCsv, dropFiles, pick, spec, specBoth } from './harness.mjs';

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

const large = { name: 'large.csv', text: binaryCsv(40_000) };
const small = { name: 'small.csv', text: binaryCsv(70) };

/** Every name that the page shows as its subject, from now on. @param {import('playwright-core').Page} page */
const watchSubject = (page) => page.evaluate(() => {
  const shown = /** @type {string[]} */ ([]);
  const subject = /** @type {Element} */ (document.querySelector('#subject'));
  new MutationObserver(() => {
    const name = subject.textContent?.split(' · ')[0];
    if (name && name !== shown.at(-1)) shown.push(name);
  }).observe(subject, { childList: true, characterData: true, subtree: true });
  Object.assign(window, { shown });
});
// @ts-ignore: of the page
const shownSubjects = (/** @type {import('playwright-core').Page} */ page) => page.evaluate(() => /** @type {string[]} */ (shown));

for (const [first, second] of [[large, small], [small, large]]) {
  const order = `${first.name}, then ${second.name}`;
  for (const [way, give] of /** @type {const} */ ([['dropped', dropFiles], ['chosen', (/** @type {any} */ page, /** @type {{ name: string, text: string }[]} */ files) => pick(page, files.map(({ name, text }) => ({ name, bytes: Buffer.from(text) })))]])) {
    spec(`the last choice wins: ${order}, ${way}`, {}, async ({ page }) => {
      await watchSubject(page);
      await give(page, [first]);
      await give(page, [second]);
      await page.waitForSelector(`#subject:has-text("${second.name}")`);
      await page.waitForSelector('#overview-scorecard table');
      assert.ok((await shownSubjects(page)).lastIndexOf(first.name) < 1, 'what was chosen before is never shown after it');
      assert.equal((await shownSubjects(page)).at(-1), second.name);
      assert.equal(await page.locator('[role=alert] .alert').count(), 0);
    });
  }
  spec(`the last choice wins: ${order}, by script`, {}, async ({ page }) => {
    await watchSubject(page);
    const rows = await page.evaluate(async (files) => {
      const all = await Promise.all(files.map(({ name, text }) => localcal.open([{ name, bytes: new TextEncoder().encode(text) }])));
      await Promise.all(all.map((data) => data.run({ resamples: 0 })));
      return all.map(({ summary }) => summary.rows);
    }, [first, second]);
    assert.deepEqual(rows, [first, second].map(({ text }) => text.trim().split('\n').length - 1), 'a script has both');
    assert.deepEqual(await shownSubjects(page), [second.name], 'the page shows the last alone');
  });
}

spec('what a person chooses while an example is made, or a script opens, is what is shown', {}, async ({ page }) => {
  await watchSubject(page);
  await page.evaluate(([first, last]) => {
    /** @type {HTMLElement | null} */ (document.querySelector('[data-sample="digits.npz"]'))?.click();
    localcal.open([{ name: first.name, bytes: new TextEncoder().encode(first.text) }]);
    // in the same moment: nothing can have arrived yet
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([last.text], last.name));
    document.querySelector('main')?.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
  }, [large, small]);
  await page.waitForSelector('#overview-scorecard table');
  await page.evaluate(({ name, text }) => localcal.open([{ name, bytes: new TextEncoder().encode(text) }], { beside: true }), large);
  assert.deepEqual(await shownSubjects(page), ['small.csv']);
});

spec('a file that unpacks to more than there is memory for is refused, with its size and what fits', {}, async ({ page }) => {
  await dropFiles(page, [small]);
  await page.waitForSelector('#overview-scorecard table');
  // 64 MB of lines, 36 times over
  const member = gzipSync(Buffer.alloc(1 << 26, '1,0.25\n'), { level: 6 });
  await page.setInputFiles('#picker', [{ name: 'bomb.csv.gz', mimeType: '', buffer: Buffer.concat(Array(36).fill(member)) }]);
  const alert = page.locator('[role=alert] .alert');
  await alert.waitFor();
  assert.match(await alert.innerText(), /unpacks to 2,415,919,104 bytes; up to 2,147,483,648 are read.*bomb\.csv\.gz/);
  assert.match(await alert.innerText(), /too_large/);
  assert.match(await page.innerText('#subject'), /small\.csv · 70 rows/);
});

spec('a cancelled scorecard says so, and is one click away', { hash: '#workers=1' }, async ({ page }) => {
  await page.evaluate(() => {
    // the page's first run, made long enough to be cancelled
    const post = Worker.prototype.postMessage;
    let first = true;
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
      if (message?.job?.kind === 'plan' && first) [first, message.job.request.resamples] = [false, 100_000_000];
      return post.call(this, message, transfer);
    };
  });
  await dropFiles(page, [small]);
  await page.waitForSelector('#subject:has-text("small.csv")');
  await page.waitForSelector('#lines li:not(:has-text("Opening"))');
  assert.equal(await page.locator('#uncomputed').isVisible(), false, 'it is on its way');
  await page.keyboard.press('Escape');
  await page.locator('#uncomputed').waitFor();
  assert.match(await page.innerText('#uncomputed'), /not computed/);
  await page.click('#uncomputed button');
  await page.waitForSelector('#overview-scorecard table');
  assert.equal(await page.locator('#uncomputed').isVisible(), false);
});
