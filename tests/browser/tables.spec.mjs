// Parquet files and Excel workbooks, read by libraries of the page in a worker that is begun with the first such file; Arrow
// files, zstd and evaluation logs, which the core reads.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  ask,
  calm,
  found,
  onOnePage,
  openedAs,
  painted,
  pick,
  random,
  saved,
  scored,
  spec,
  specFromDisk,
  unfold,
} from './harness.mjs';

const folder = resolve(import.meta.dirname, '../tables/files');
const file = (/** @type {string} */ name) => ({ name, bytes: readFileSync(resolve(folder, name)) });
const log = (/** @type {string} */ name) => ({ name, bytes: readFileSync(resolve(folder, '../../logs/files', name)) });

for (const by of /** @type {const} */ (['file', 'http'])) {
  const opens = onOnePage(by, {}, async () => {});
  for (const name of ['pyarrow_zstd.parquet', 'pyarrow_lz4.arrow', 'workbook.xlsx', 'predictions.csv.zst'])
    opens(`${name} opens and has a finding (${by})`, async ({ page, requests }) => {
      const before = requests.length;
      await pick(page, [file(name)]);
      await openedAs(page, name, 300);
      await found(page);
      const asked = requests.slice(before).filter((address) => !address.startsWith('blob:'));
      assert.deepEqual(asked, []);
    });
  // a Parquet file and a compressed table of the same rows in different orders, with a file about them
  opens(`the files of an archive open as if each had been dropped (${by})`, async ({ page, requests }) => {
    const before = requests.length;
    await pick(page, [file('parts.zip')]);
    await openedAs(page, 'outcomes.parquet, scores.csv.gz', 300);
    await found(page);
    const asked = requests.slice(before).filter((address) => !address.startsWith('blob:'));
    assert.deepEqual(asked, []);
    // the same rows as in one file: the ranking is that of the table
    const [apart, whole] = await page.evaluate(
      async (files) => {
        const auroc = async (/** @type {typeof files[number]} */ one) => {
          const data = await window.localcal.open([{ name: one.name, bytes: Uint8Array.from(one.bytes) }]);
          const report = await data.run({ metrics: ['auroc'], methods: ['none'], resamples: 0 });
          return report.methods[0].metrics.auroc.value;
        };
        return [await auroc(files[0]), await auroc(files[1])];
      },
      [file('parts.zip'), file('pyarrow_zstd.parquet')].map(({ name, bytes }) => ({ name, bytes: [...bytes] })),
    );
    assert.ok(typeof apart === 'number' && apart === whole, `${apart} and ${whole}`);
  });
}

specFromDisk('logs of several tasks are one data set, and a damaged archive says so', {}, async ({ page }) => {
  const of = (/** @type {string} */ topic, /** @type {number} */ wrong) =>
    Array.from({ length: 120 }, (_, k) =>
      JSON.stringify({ id: k, question: `${topic} ${k}?`, confidence: 50 + (k % 45), correct: k % wrong !== 0 }),
    ).join('\n');
  const log = (/** @type {string} */ name, /** @type {number} */ wrong) => ({
    name: `${name}.jsonl`,
    bytes: Buffer.from(of(name, wrong)),
  });
  await pick(page, [log('law', 3), log('art', 4), log('chess', 5)]);
  await openedAs(page, 'law.jsonl, art.jsonl, chess.jsonl', 360);
  await found(page);
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  assert.match(await page.locator('#view').innerText(), /3 logs with questions of their own are one data set/);
  await pick(page, [{ name: 'cut.zip', bytes: file('parts.zip').bytes.subarray(0, 4000) }]);
  await page.getByText('The archive is truncated').waitFor();
});

specFromDisk(
  'an evaluation log says what it is, and how unanswered questions count',
  {},
  async ({ page, requests }) => {
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
  },
);

/** A log as lm-evaluation-harness writes it: questions on history, and on chemistry, answered wrongly with confidence. */
function questions() {
  const draw = random(7);
  /** @param {string[]} words */
  const one = (...words) => words[Math.floor(draw() * words.length)];
  const lines = Array.from({ length: 600 }, (_, i) => {
    const chemistry = i % 5 === 0;
    const question = chemistry
      ? `Which <b>${one('acid', 'base', 'salt', 'oxide')}</b> reacts with the ${one('molecule', 'catalyst', 'ion')} in tube ${i}?`
      : `Who was the ${one('king', 'queen', 'regent')} of the ${one('empire', 'colony', 'dynasty')} in year ${i}?`;
    const [sure, answer] = [2 + draw(), chemistry ? Number(draw() < 0.7) : Number(draw() < 0.12)];
    const resps = [-0.1, -0.1 - sure].map((x) => [String(x), 'False']);
    return JSON.stringify({
      doc_id: i,
      doc: { question, choices: ['yes', 'no'], answer },
      target: String(answer),
      arguments: { gen_args_0: { arg_0: question, arg_1: ' yes' }, gen_args_1: { arg_0: question, arg_1: ' no' } },
      resps: resps.map((one) => [one]),
      filtered_resps: resps,
      filter: 'none',
      metrics: ['acc'],
      acc: answer === 0 ? 1 : 0,
    });
  });
  return Buffer.from(`${lines.join('\n')}\n`);
}

specFromDisk('the map of a log shows its questions', {}, async ({ page, requests }) => {
  const before = requests.length;
  await pick(page, [{ name: 'samples_made_2026-11-25T23-47-59.771877.jsonl', bytes: questions() }]);
  await scored(page);
  await calm(page);
  await ask(page, 'map');
  const panel = page.locator('[data-sheet="map"]');
  await painted(page, '[data-sheet="map"] .pair.map', 50);
  await calm(page);
  // without embeddings similarity is lexical, and says so
  assert.match(await panel.locator('.used').innerText(), /lexical dimensions/);
  // a row says its question, as text
  const canvas = panel.locator('canvas').first();
  const box = await canvas.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.4);
  const card = panel.locator('.card').first();
  await card.waitFor();
  assert.match(await card.innerText(), /(Who was the|Which <b>\w+<\/b> reacts)[^]*neighborhood: mean confidence/);
  assert.equal(await card.locator('b').count(), 0);
  // the questions that are confidently wrong are a place on it, in their own words
  const worst = panel.locator('.worst tbody tr').first();
  assert.match(await worst.innerText(), /overestimated[^]*question has words such as “/);
  await worst.getByRole('button').click();
  const region = page.locator('.region');
  await region.locator('caption', { hasText: 'Distinctive words' }).waitFor();
  assert.match(
    await region.innerText(),
    /question has words such as “[^]*reacts[^]*a description, not a test[^]*Which <b>/,
  );
  assert.doesNotMatch(await region.locator('table', { hasText: 'Distinctive words' }).innerText(), /king|queen|empire/);
  const { name, bytes } = await saved(page, '#region-rows');
  assert.equal(name, 'region.csv');
  assert.match(bytes.toString(), /^question_id,question,correct,confidence\n\d+,Which <b>[^\n]*,[01],0\.\d+\n/);
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  assert.match(
    await page.locator('.preview thead').innerText(),
    /lexical similarity: \d+ words and word pairs of question/,
  );
  // nothing of it is in the link, and nothing was sent
  assert.doesNotMatch(decodeURIComponent(page.url()), /reacts|empire/);
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
  await panel.locator('.reading', { hasText: /All predictions can be answers: at most 90.0% of them/ }).waitFor();
  await ask(page, 'libraries');
  const scripts = page.locator('[data-sheet="libraries"] table', { hasText: 'hle/cerr' });
  await scripts.waitFor();
  const rows = await scripts.locator('tbody tr').allInnerTexts();
  assert.equal(rows.length, 15);
  assert.match(rows.find((row) => row.includes('platt_ece_10_bin')) ?? '', /0\.\d{10,}/);
});

spec('on a phone, numbers to the last digit stay within their cells', {}, async ({ page }) => {
  await pick(page, [log('simpleqa.jsonl')]);
  await openedAs(page, 'simpleqa.jsonl', 341);
  await found(page);
  await ask(page, 'libraries');
  const cells = page.locator('[data-sheet="libraries"] table', { hasText: 'hle/cerr' }).locator('td.number');
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    // a cell of a card is named above its value
    await page.waitForFunction(() =>
      [...document.querySelectorAll('.cards tbody tr')].some((row) => getComputedStyle(row).display === 'grid'),
    );
    const beyond = await cells.evaluateAll((all) =>
      all
        .filter((cell) => {
          const content = document.createRange();
          content.selectNodeContents(cell);
          return content.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1;
        })
        .map((cell) => cell.textContent),
    );
    assert.deepEqual(beyond, []);
  }
});

specFromDisk('an archive of Inspect opens', {}, async ({ page }) => {
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
