// Parquet files and Excel workbooks, read by libraries of the page in a worker that is begun with the first such file; Arrow
// files, zstd and evaluation logs, which the core reads.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ask, calm, found, openedAs, pick, specBoth, spec, unfold } from './harness.mjs';

const folder = resolve(import.meta.dirname, '../tables/files');
const file = (/** @type {string} */ name) => ({ name, bytes: readFileSync(resolve(folder, name)) });
const log = (/** @type {string} */ name) => ({ name, bytes: readFileSync(resolve(folder, '../../logs/files', name)) });

for (const name of ['pyarrow_zstd.parquet', 'pyarrow_lz4.arrow', 'workbook.xlsx', 'predictions.csv.zst']) {
  specBoth(`${name} opens and has a finding`, {}, async ({ page, requests }) => {
    const before = requests.length;
    await pick(page, [file(name)]);
    await openedAs(page, name, 300);
    await found(page);
    const asked = requests.slice(before).filter((address) => !address.startsWith('blob:'));
    assert.deepEqual(asked, []);
  });
}

specBoth('an evaluation log says what it is, and how unanswered questions count', {}, async ({ page, requests }) => {
  const before = requests.length;
  await pick(page, [log('simpleqa.jsonl')]);
  await openedAs(page, 'simpleqa.jsonl', 341);
  await found(page);
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  const says = page.locator('#data-title');
  assert.match(
    await says.innerText(),
    /answers of a language model: correct is grade, confidence is confidence, in percent/,
  );
  assert.match(
    await says.innerText(),
    /341 with confidence and judgment, 19 excluded \(6 no confidence, 9 not attempted/,
  );
  await page.getByRole('button', { name: /^360 attempts/ }).click();
  await page.getByText('Incorrect at 100%').click();
  await openedAs(page, 'simpleqa.jsonl', 360);
  assert.deepEqual(
    requests.slice(before).filter((address) => !address.startsWith('blob:')),
    [],
  );
});

spec(
  'where no column describes the rows, the finding says what to assign, and says nothing twice',
  {},
  async ({ page }) => {
    await pick(page, [log('judged_hle_made-model.json')]);
    await found(page);
    await calm(page);
    const headline = await page.innerText('#finding h1');
    assert.match(headline, /: confidence is overestimated on average/);
    assert.doesNotMatch(await page.innerText('.overall'), /is overestimated on average/);
    assert.match(await page.innerText('.whom'), /assign “Group” or “Feature” to a column/);
    await page.click('.whom button:has-text("Open Data")');
    await page.waitForSelector('#data');
  },
);

spec('another sheet of a workbook is one choice away, and back', {}, async ({ page }) => {
  await pick(page, [file('workbook.xlsx')]);
  await openedAs(page, 'workbook.xlsx', 300);
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  const sheet = page.locator('select[name="sheet"]');
  assert.deepEqual(await sheet.locator('option').allInnerTexts(), ['Predictions', 'First five']);
  await sheet.selectOption('First five');
  await openedAs(page, 'workbook.xlsx', 5);
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  assert.equal(await sheet.inputValue(), '2');
  await sheet.selectOption('Predictions');
  await openedAs(page, 'workbook.xlsx', 300);
});

spec('of a log, what can be answered alone, and what published scripts print', {}, async ({ page }) => {
  await pick(page, [log('simpleqa.jsonl')]);
  await openedAs(page, 'simpleqa.jsonl', 341);
  await found(page);
  await ask(page, 'risk_coverage');
  const panel = page.locator('[data-sheet="risk_coverage"]');
  await panel.locator('.reading', { hasText: /No threshold can be certified|Answer at a confidence of/ }).waitFor();
  await panel.locator('svg, canvas').first().waitFor();
  await unfold(page, 'risk_coverage');
  await page.fill('[data-sheet="risk_coverage"] input[name="risk"]', '0.9');
  await page.keyboard.press('Tab');
  await panel.locator('.reading', { hasText: /Answer at a confidence of .* at most 90.0% of the answers/ }).waitFor();
  await ask(page, 'libraries');
  const scripts = page.locator('[data-sheet="libraries"] table', { hasText: 'hle/cerr' });
  await scripts.waitFor();
  const rows = await scripts.locator('tbody tr').allInnerTexts();
  assert.equal(rows.length, 15);
  assert.match(rows.find((row) => row.includes('platt_ece_10_bin')) ?? '', /0\.\d{10,}/);
});

specBoth('an archive of Inspect opens', {}, async ({ page }) => {
  await pick(page, [log('inspect.eval')]);
  await openedAs(page, 'inspect.eval', 22);
});

spec('what pandas reads of a Parquet file is what is scored', {}, async ({ page }) => {
  const bytes = [...file('pyarrow_snappy.parquet').bytes];
  const expected = JSON.parse(readFileSync(resolve(folder, 'expected.json'), 'utf8'));
  const given = { p: expected.risk, y: expected.died };
  const [parquet, text] = await page.evaluate(
    async ({ bytes, given: { p, y } }) => {
      const lines = p.map((/** @type {number} */ risk, /** @type {number} */ i) => `${risk},${y[i]}`);
      const csv = new TextEncoder().encode(`risk,died\n${lines.join('\n')}\n`);
      const scores = [];
      for (const [name, content] of /** @type {const} */ ([
        ['a.parquet', Uint8Array.from(bytes)],
        ['a.csv', csv],
      ])) {
        const data = await window.localcal.open([{ name, bytes: content }], {
          roles: { risk: 'probability', died: 'label' },
        });
        const report = await data.run({ methods: ['none'], resamples: 0 });
        scores.push(Object.entries(report.methods[0].metrics).map(([id, { value }]) => [id, value]));
        data.close();
      }
      return scores;
    },
    { bytes, given },
  );
  assert.ok(parquet.length > 5);
  assert.deepEqual(parquet, text);
});

spec(
  'the page opens without the libraries, and ends their worker after the file',
  { init: counted },
  async ({ page }) => {
    const readers = () => page.evaluate(() => /** @type {any} */ (window).readers);
    assert.deepEqual(await readers(), { begun: 0, ended: 0 });
    await pick(page, [file('pyarrow_none.parquet')]);
    await found(page);
    assert.deepEqual(await readers(), { begun: 1, ended: 1 });
  },
);

/** Counts the workers that are given a Parquet file, and those of them that are ended. */
function counted() {
  const readers = { begun: 0, ended: 0 };
  const reading = new WeakSet();
  Object.assign(window, { readers });
  const { postMessage, terminate } = Worker.prototype;
  Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ ...rest) {
    if (message?.kind === 'parquet') {
      readers.begun += 1;
      reading.add(this);
    }
    return postMessage.call(this, message, ...rest);
  };
  Worker.prototype.terminate = function () {
    if (reading.has(this)) readers.ended += 1;
    return terminate.call(this);
  };
}

spec('a damaged or unknown file is refused with a sentence', {}, async ({ page }) => {
  const whole = file('pyarrow_snappy.parquet').bytes;
  await pick(page, [{ name: 'cut.parquet', bytes: whole.subarray(0, whole.length / 2) }]);
  await page.waitForSelector('text=/This Parquet file cannot be read/');
  await pick(page, [file('pyarrow_brotli.parquet')]);
  await page.waitForSelector('text=/compressed with Brotli/');
  await pick(page, [{ name: 'cut.xlsx', bytes: file('workbook.xlsx').bytes.subarray(3000) }]);
  await page.waitForSelector('text=/not known|not a table|cannot be read|binary file/');
});
