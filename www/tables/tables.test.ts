// What the libraries read of files that other tools wrote equals what pandas read of them, cell by cell.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { kindOf } from './kinds.js';
import { parquet } from './parquet.js';
import { workbook } from './workbook.js';

const folder = 'tests/tables/files';
const file = (name: string) => new File([readFileSync(`${folder}/${name}`)], name);
const expected: Record<string, any[]> = JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8'));
const MOST = 2 ** 31;

/** The cells of a container, column by column. */
async function cellsOf(blob: Blob): Promise<Record<string, any[]>> {
  const bytes = await blob.arrayBuffer();
  const length = new DataView(bytes).getUint32(19, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 23, length)));
  let at = Math.ceil((23 + length) / 8) * 8;
  const cells: Record<string, any[]> = {};
  for (const { kind, name, rows, width, levels } of head.columns) {
    const count = rows * (width ?? 1);
    if (kind === 'text') {
      cells[name] = Array.from(new Uint32Array(bytes, at, count), (code) =>
        code === 0xffffffff ? null : levels[code],
      );
      at += Math.ceil((4 * count) / 8) * 8;
      continue;
    }
    const values = Array.from(new Float64Array(bytes, at, count), (value) => (Number.isNaN(value) ? null : value));
    at += 8 * count;
    cells[name] = width ? Array.from({ length: rows }, (_, i) => values.slice(i * width, (i + 1) * width)) : values;
  }
  assert.equal(at, bytes.byteLength);
  return cells;
}

for (const codec of ['snappy', 'zstd', 'gzip', 'lz4', 'none', 'v2_plain']) {
  test(`Parquet of pyarrow, ${codec}`, async () => {
    const source = file(`pyarrow_${codec}.parquet`);
    assert.equal(await kindOf(source), 'parquet');
    assert.deepEqual(await cellsOf(await parquet(source, MOST, () => {})), expected);
  });
}

test('Parquet of polars', async () => {
  assert.deepEqual(await cellsOf(await parquet(file('polars.parquet'), MOST, () => {})), expected);
});

test('Parquet of pandas, probabilities in single precision', async () => {
  const { embedding: _, ...others } = expected;
  const risk = expected.risk.map(Math.fround);
  assert.deepEqual(await cellsOf(await parquet(file('pandas.parquet'), MOST, () => {})), { ...others, risk });
});

test('decimals, booleans, days and times', async () => {
  const cells = await cellsOf(await parquet(file('decimals.parquet'), MOST, () => {}));
  assert.deepEqual(cells.risk, expected.risk);
  assert.deepEqual(
    cells.died,
    expected.died.map((died) => String(died === 1)),
  );
  assert.deepEqual(cells.when, expected.admitted);
  assert.deepEqual(
    cells.hour,
    expected.admitted.map((day) => `${day}T05:00:00`),
  );
});

test('vectors as Spark stores them', async () => {
  const cells = await cellsOf(await parquet(file('spark_vector.parquet'), MOST, () => {}));
  assert.deepEqual(
    cells.probability,
    expected.risk.map((p) => [1 - p, p]),
  );
});

test('Brotli is refused with a way out', async () => {
  await assert.rejects(
    parquet(file('pyarrow_brotli.parquet'), MOST, () => {}),
    /compressed with Brotli/,
  );
});

test('what a file says of its size is believed only within memory', async () => {
  await assert.rejects(
    parquet(file('pyarrow_none.parquet'), 1000, () => {}),
    /300 rows and 9 columns/,
  );
});

test('a damaged file is an error, wherever it is damaged', async () => {
  const whole = readFileSync(`${folder}/pyarrow_snappy.parquet`);
  let refused = 0;
  for (let at = 4; at < whole.length; at += 97) {
    const bytes = Buffer.from(whole);
    bytes[at] ^= 0x55;
    const read = parquet(new File([bytes], 'damaged.parquet'), MOST, () => {});
    await read.then(
      () => {},
      (error) => {
        assert.ok(error instanceof Error);
        refused += 1;
      },
    );
  }
  assert.ok(refused > 10, String(refused));
});

test('the first sheet of a workbook that holds a table', async () => {
  const source = file('workbook.xlsx');
  assert.equal(await kindOf(source), 'workbook');
  const { blob, sheets, read } = await workbook(source);
  assert.deepEqual([sheets, read], [['Predictions', 'First five'], 0]);
  const text = await blob.text();
  assert.equal(text.slice(text.indexOf('risk,')), readFileSync(`${folder}/workbook.csv`, 'utf8'));
  assert.match(text, /“First five”/);
});

test('another sheet of a workbook, and the first where there are fewer', async () => {
  const lines = async (sheet: number) => {
    const { blob, read } = await workbook(file('workbook.xlsx'), sheet);
    const text = await blob.text();
    return [read, text.slice(text.indexOf('risk,')).split('\n').length];
  };
  assert.deepEqual(await lines(2), [1, 6]);
  assert.deepEqual(await lines(9), [0, 301]);
});
