// What the libraries read of files that other tools wrote equals what pandas read of them, cell by cell.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { parquetMetadataAsync, parquetSchema } from 'hyparquet';
import { Builder, container } from './columns.js';
import { addFlat } from './flat.js';
import { kindOf } from './kinds.js';
import { refuseSheetOfOthers } from './read.js';
import { parquet } from './parquet.js';
import { workbook } from './workbook.js';

const folder = 'tests/tables/files';
const file = (name: string) => new File([readFileSync(`${folder}/${name}`)], name);
const expected: Record<string, any[]> = JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8'));
const MOST = 2 ** 31;

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The cells of a container, column by column. */
function cellsOf({ buffer: bytes }: Uint8Array<ArrayBuffer>): Record<string, any[]> {
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
    assert.deepEqual(cellsOf(await parquet(source, MOST, () => {})), expected);
  });
}

test('Parquet of polars', async () => {
  assert.deepEqual(cellsOf(await parquet(file('polars.parquet'), MOST, () => {})), expected);
});

test('Parquet of pandas, probabilities in single precision', async () => {
  const { embedding: _, ...others } = expected;
  const risk = expected.risk.map(Math.fround);
  assert.deepEqual(cellsOf(await parquet(file('pandas.parquet'), MOST, () => {})), { ...others, risk });
});

test('decimals, booleans, days and times', async () => {
  const cells = cellsOf(await parquet(file('decimals.parquet'), MOST, () => {}));
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
  const cells = cellsOf(await parquet(file('spark_vector.parquet'), MOST, () => {}));
  assert.deepEqual(
    cells.probability,
    expected.risk.map((p) => [1 - p, p]),
  );
});

test('numbers and texts with a dictionary are read without an object a cell, lists and days by the library', async () => {
  const source = file('pyarrow_snappy.parquet');
  const bytes = { byteLength: source.size, slice: (a: number, b?: number) => source.slice(a, b).arrayBuffer() };
  const metadata = await parquetMetadataAsync(bytes);
  const flat: Record<string, any> = {};
  for (const { element } of parquetSchema(metadata).children) {
    const rows = Number(metadata.num_rows);
    const builder = new Builder(element.name, rows);
    let all = true;
    for (const { columns, num_rows } of metadata.row_groups) {
      const chunk = columns.find(({ meta_data }) => meta_data?.path_in_schema.join() === element.name);
      all &&= !!chunk && (await addFlat(builder, bytes, chunk, { element, rows: Number(num_rows), compressors: {} }));
    }
    if (all) flat[element.name] = cellsOf(container({ columns: [builder.done()], warnings: [] }))[element.name];
  }
  for (const [name, cells] of Object.entries(flat)) assert.deepEqual(cells, expected[name], name);
  assert.ok('risk' in flat && Object.keys(flat).length >= 4, Object.keys(flat).join());
  assert.ok(!('embedding' in flat) && !('admitted' in flat), Object.keys(flat).join());
});

test('texts of a dictionary become levels as they occur, and no more rows than the file says', () => {
  const builder = new Builder('ward', 3);
  const text = (word: string) => new TextEncoder().encode(word);
  builder.addCodes(new Uint32Array([1, 0xffffffff, 1]), [text('unused'), text('ICU')], 0xffffffff);
  const column = builder.done();
  assert.deepEqual(column, {
    kind: 'text',
    name: 'ward',
    codes: new Uint32Array([0, 0xffffffff, 0]),
    levels: ['ICU'],
  });
  assert.throws(() => builder.addCodes(new Uint32Array(1), [text('ICU')], 0xffffffff), /more rows than the file says/);
});

test('a column of an unsupported type is left out with a sentence', async () => {
  const bytes = await parquet(file('duckdb_interval.parquet'), MOST, () => {});
  assert.deepEqual(cellsOf(bytes), { risk: [0.25, 0.75], died: [0, 1] });
  assert.match(textOf(bytes), /`stay` has values of the Parquet type INTERVAL, which is not supported, and was left/);
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
  const { bytes, sheets, read } = await workbook(source);
  assert.deepEqual([sheets, read], [['Predictions', 'First five'], 0]);
  const text = textOf(bytes);
  assert.equal(text.slice(text.indexOf('risk,')), readFileSync(`${folder}/workbook.csv`, 'utf8'));
  assert.match(text, /“First five”/);
});

test('a cover is no table', async () => {
  const { bytes, sheets, read } = await workbook(file('workbook_with_cover.xlsx'));
  assert.deepEqual([sheets, read], [['Cover', 'Data', 'Notes'], 1]);
  assert.match(textOf(bytes), /risk,died\n0\.25,1\n/);
});

test('a cell merged over rows is the value of each', async () => {
  const text = textOf((await workbook(file('workbook_merged.xlsx'))).bytes);
  assert.match(text, /2 cells of the sheet are merged over several rows/);
  assert.match(text, /site,patient,risk,died\nNorth,1,0\.25,1\nNorth,2,0\.75,0\nNorth,3,0\.25,1\nSouth,1,0\.75,0\n/);
});

test('durations and times of the day are numbers of days', async () => {
  const text = textOf((await workbook(file('workbook_durations.xlsx'))).bytes);
  assert.match(
    text,
    /risk,died,stay,at,admitted\n0\.25,1,5\.25,0\.75,2024-03-05\n0\.75,0,0\.5,0\.2708333333333333,2024-03-06/,
  );
});

test('a hidden sheet is not read', async () => {
  const { bytes, sheets, read } = await workbook(file('workbook_hidden.xlsx'));
  assert.deepEqual([sheets, read], [['Old', 'Shown'], 1]);
  assert.match(textOf(bytes), /0\.125,1/);
});

test('rows that a filter hides are counted', async () => {
  const parts = unzipSync(readFileSync(`${folder}/workbook_hidden.xlsx`));
  for (const [path, bytes] of Object.entries(parts))
    if (path.startsWith('xl/worksheets/'))
      parts[path] = strToU8(strFromU8(bytes).replaceAll(/<row r="([23])"/g, '<row r="$1" hidden="1"'));
  const { bytes } = await workbook(new File([zipSync(parts)], 'filtered.xlsx'));
  assert.match(textOf(bytes), /2 rows of the sheet are hidden, and were read, too/);
});

test('another sheet of a workbook; a place without one is refused with those that there are', async () => {
  const lines = async (sheet: number) => {
    const { bytes, read } = await workbook(file('workbook.xlsx'), sheet);
    const text = textOf(bytes);
    return [read, text.slice(text.indexOf('risk,')).split('\n').length];
  };
  assert.deepEqual(await lines(2), [1, 6]);
  for (const place of [0, 9, 1.5])
    await assert.rejects(lines(place), {
      refusal: {
        code: 'invalid_option',
        message: `Sheet ${place}: this workbook has 2 sheets with tables.`,
        hint: 'Choose one of: 1 “Predictions”, 2 “First five”.',
      },
    });
});

test('a sheet is chosen of workbooks only', async () => {
  const table = new File(['risk,died\n0.25,1\n'], 'table.csv');
  await refuseSheetOfOthers([table, file('workbook.xlsx')], 2);
  await refuseSheetOfOthers([table], null);
  await assert.rejects(refuseSheetOfOthers([table], 2), {
    code: 'invalid_option',
    message: 'The option sheet applies to Excel workbooks only, not to table.csv.',
  });
});
