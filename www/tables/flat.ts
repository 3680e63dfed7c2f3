// Flat columns of Parquet, the usual ones: numbers, and texts that are stored by a dictionary. Their pages are read into arrays of
// numbers, without an object a cell; all other columns are left to hyparquet, with whose parts these are read as well.

import type { AsyncBuffer, ColumnChunk, Compressors, SchemaElement } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import type { Builder } from './columns.js';

type Reader = { view: DataView; offset: number };
type Numbers = Float64Array | Float32Array | Int32Array | BigInt64Array;

/** Integers that a column of numbers holds exactly. */
const SIGNED = ['INT_8', 'INT_16', 'INT_32', 'INT_64'];
/** How numbers are stored. */
const NUMBERS = ['DOUBLE', 'FLOAT', 'INT32', 'INT64'];

/** What a column holds, where it is flat: one value a row, or none. */
function kindOf({ type, converted_type: converted, logical_type: logical, num_children, ...element }: SchemaElement) {
  if (num_children || !type || element.repetition_type === 'REPEATED') return null;
  const plain = converted === undefined && logical === undefined;
  if (type === 'BYTE_ARRAY')
    return plain || converted === 'UTF8' || logical?.type === 'STRING' ? ('texts' as const) : null;
  if (!NUMBERS.includes(type)) return null;
  const signed = SIGNED.includes(converted!) && (logical === undefined || logical.type === 'INTEGER');
  return plain || signed ? ('numbers' as const) : null;
}

/** A page: which rows have a value (all, where there are no levels), and the reader where its values begin. */
type Page = { rows: number; levels: Uint8Array | null; values: number; encoding: string; reader: Reader };

/**
 * Adds the rows of a chunk to a column; false, with nothing added, where it is not one of the usual ones.
 *
 * Pages that say more rows than the group has, or name a value that the dictionary does not have, are errors.
 */
export async function addFlat(
  builder: Builder,
  source: AsyncBuffer,
  { meta_data: meta, file_path }: ColumnChunk,
  { element, rows, compressors }: { element: SchemaElement; rows: number; compressors: Compressors },
): Promise<boolean> {
  const kind = kindOf(element);
  if (!kind || !meta || file_path || (kind === 'numbers' && builder.holdsText)) return false;
  const offsets = [meta.dictionary_page_offset, meta.data_page_offset].map(Number).filter((offset) => offset > 0);
  const start = Math.min(...offsets);
  const buffer = await source.slice(start, start + Number(meta.total_compressed_size));
  const reader: Reader = { view: new DataView(buffer), offset: 0 };
  const nullable = element.repetition_type !== 'REQUIRED';
  let dictionary: ArrayLike<unknown> | null = null;
  const pages: (() => void)[] = [];
  let read = 0;
  while (read < rows) {
    const header = parquetHeader(reader);
    const bytes = new Uint8Array(buffer, reader.offset, header.compressed_page_size);
    reader.offset += header.compressed_page_size;
    const unpacked = (from: Uint8Array, length: number) => decompressPage(from, length, meta.codec, compressors);
    if (header.type === 'DICTIONARY_PAGE') {
      if (!header.dictionary_page_header) throw new Error('a dictionary has no header');
      const { num_values } = header.dictionary_page_header;
      dictionary = readPlain(begin(unpacked(bytes, header.uncompressed_page_size)), meta.type, num_values, undefined);
      if (kind === 'numbers') dictionary = asDoubles(dictionary as Numbers);
      if (dictionary === null) return false;
      continue;
    }
    const page =
      header.type === 'DATA_PAGE'
        ? firstVersion(header, bytes, nullable, rows - read, unpacked)
        : secondVersion(header, bytes, nullable, rows - read, unpacked);
    const byDictionary = page.encoding === 'RLE_DICTIONARY' || page.encoding === 'PLAIN_DICTIONARY';
    if (byDictionary ? dictionary === null : kind === 'texts' || page.encoding !== 'PLAIN') return false;
    if (byDictionary && kind === 'texts') {
      const known = dictionary as ArrayLike<Uint8Array>;
      const codes = spreadOut(indices(page, known.length), page, new Uint32Array(page.rows), NONE);
      pages.push(() => builder.addCodes(codes, known, NONE));
    } else if (byDictionary) {
      const known = dictionary as Float64Array;
      const codes = indices(page, known.length);
      const values = new Float64Array(codes.length);
      for (let i = 0; i < codes.length; i += 1) values[i] = known[codes[i]];
      pages.push(() => builder.add(spreadOut(values, page, new Float64Array(page.rows), NaN)));
    } else {
      const values = asDoubles(readPlain(page.reader, meta.type, page.values, undefined) as Numbers);
      if (values === null) return false;
      pages.push(() => builder.add(spreadOut(values, page, new Float64Array(page.rows), NaN)));
    }
    read += page.rows;
  }
  for (const add of pages) add();
  return true;
}

/** The code of a row without a value. */
const NONE = 0xffffffff;
/** The level of a row with a value. */
const PRESENT = 1;

const begin = (bytes: Uint8Array): Reader => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
});

type Header = ReturnType<typeof parquetHeader>;
type Unpacked = (from: Uint8Array, length: number) => Uint8Array;

function firstVersion(header: Header, bytes: Uint8Array, nullable: boolean, most: number, unpacked: Unpacked): Page {
  const page = header.data_page_header;
  if (!page) throw new Error('a page has no header');
  const { num_values: rows, encoding } = page;
  check(rows, most);
  const reader = begin(unpacked(bytes, header.uncompressed_page_size));
  if (!nullable) return { rows, levels: null, values: rows, encoding, reader };
  const levels = new Uint8Array(rows);
  readRleBitPackedHybrid(reader, 1, levels);
  return { ...counted(levels), encoding, reader };
}

function secondVersion(header: Header, bytes: Uint8Array, nullable: boolean, most: number, unpacked: Unpacked): Page {
  const page = header.data_page_header_v2;
  if (!page) throw new Error(`pages of the type ${header.type} hold no rows`);
  const {
    num_rows: rows,
    encoding,
    definition_levels_byte_length: defined,
    repetition_levels_byte_length: repeated,
  } = page;
  check(rows, most);
  const before = defined + repeated;
  const length = header.uncompressed_page_size - before;
  const packed = bytes.subarray(before);
  const reader = begin(page.is_compressed && length > 0 ? unpacked(packed, length) : packed);
  if (!nullable || page.num_nulls === 0) return { rows, levels: null, values: rows, encoding, reader };
  const levels = new Uint8Array(rows);
  readRleBitPackedHybrid({ ...begin(bytes), offset: repeated }, 1, levels, defined);
  return { ...counted(levels), encoding, reader };
}

function check(rows: number, most: number) {
  if (!(rows > 0 && rows <= most)) throw new Error(`a page says that it has ${rows} rows of ${most}`);
}

function counted(levels: Uint8Array) {
  let values = 0;
  for (let row = 0; row < levels.length; row += 1) if (levels[row] === PRESENT) values += 1;
  return { rows: levels.length, levels: values === levels.length ? null : levels, values };
}

/** The places of the values of a page in a dictionary of `known` values. */
function indices({ reader, values }: Page, known: number): Uint32Array {
  const codes = new Uint32Array(values);
  const width = reader.view.getUint8(reader.offset++);
  const rest = reader.view.byteLength - reader.offset;
  if (width > 0 && values > 0) readRleBitPackedHybrid(reader, width, codes as unknown as number[], rest);
  let most = -1;
  for (let i = 0; i < values; i += 1) if (codes[i] > most) most = codes[i];
  if (most >= known) throw new Error('a value is not in the dictionary of its column');
  return codes;
}

/** Doubles; null where an integer is none. */
function asDoubles(values: Numbers | ArrayLike<never>): Float64Array | null {
  if (!(values instanceof BigInt64Array)) return values instanceof Float64Array ? values : Float64Array.from(values);
  const doubles = new Float64Array(values.length);
  // pairs of 32 bits: a bigint a value takes ten times as long
  const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  for (let i = 0; i < doubles.length; i += 1) {
    const value = halves[2 * i + 1] * 2 ** 32 + (halves[2 * i] >>> 0);
    if (!Number.isSafeInteger(value)) return null;
    doubles[i] = value;
  }
  return doubles;
}

/** The values of a page at its rows, and what stands for none at the others. */
function spreadOut<T extends Float64Array | Uint32Array>(values: T, { levels }: Page, to: T, none: number): T {
  if (levels === null) return values;
  let next = 0;
  for (let row = 0; row < to.length; row += 1) to[row] = levels[row] === PRESENT ? values[next++] : none;
  return to;
}
