// Parquet: columns of row groups, by hyparquet. What it does not say is bounded here: how large the columns become.

/// <reference path="./decompressors.d.ts" />
import type { AsyncBuffer, Compressors, FileMetaData, SchemaTree } from 'hyparquet';
import { parquetMetadataAsync, parquetScan, parquetSchema } from 'hyparquet';
import { gunzip } from 'hyparquet-compressors/src/gzip.js';
import { decompressLz4, decompressLz4Raw } from 'hyparquet-compressors/src/lz4.js';
import { decompress as unzstd } from 'fzstd';
import { snappyUncompressor } from 'hysnappy';
import type { Column, Warning } from './columns.js';
import { Builder, container } from './columns.js';
import { addFlat } from './flat.js';
import { refused, tooLarge } from './refused.js';

/**
 * Snappy in WebAssembly takes less time than hyparquet's own. Brotli would weigh as much as all else together: files with
 * it are refused with a way out.
 */
const compressors: Compressors = {
  SNAPPY: snappyUncompressor(),
  GZIP: (input, length) => gunzip(input, new Uint8Array(length)),
  ZSTD: (input) => unzstd(input),
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
};

/** Bytes of a row's cell of a column, at least. */
const CELL = 8;

/** The rows and columns that the file says it has, where they fit the memory of a worker. */
async function described(
  file: AsyncBuffer,
  most: number,
): Promise<{ metadata: FileMetaData; names: string[]; rows: number }> {
  const metadata = await parquetMetadataAsync(file);
  const names = parquetSchema(metadata).children.map(({ element }) => element.name);
  const rows = Number(metadata.num_rows);
  if (rows * names.length * CELL > most)
    throw tooLarge(`The file has ${rows} rows and ${names.length} columns:`, rows * names.length * CELL, most);
  return { metadata, names, rows };
}

/** The type of a field, or of one within it, whose values are not read. */
function unsupported({ element, children }: SchemaTree): string | undefined {
  const { converted_type: kind } = element;
  if (kind === 'INTERVAL' || kind === 'BSON') return kind;
  return children.map(unsupported).find((found) => found !== undefined);
}

/** `told` hears the share that is done. */
export async function parquet(
  file: File,
  most: number,
  told: (share: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const source: AsyncBuffer = {
    byteLength: file.size,
    slice: (start, end) => file.slice(start, end ?? file.size).arrayBuffer(),
  };
  const { metadata, names, rows } = await described(source, most);
  const brotli = metadata.row_groups.some((group) =>
    group.columns.some(({ meta_data }) => meta_data?.codec === 'BROTLI'),
  );
  if (brotli)
    throw refused(
      'This Parquet file is compressed with Brotli, which is not supported.',
      'Write it with compression "zstd" or "snappy", the default of most tools.',
    );
  const scan = await parquetScan({ file: source, metadata, compressors });
  const columns: Column[] = [];
  const warnings: Warning[] = [];
  let done = 0;
  for (const field of parquetSchema(metadata).children) {
    const { element } = field;
    const { name } = element;
    const kind = unsupported(field);
    if (kind) {
      const message = `\`${name}\` has values of the Parquet type ${kind}, which is not supported, and was left out.`;
      warnings.push({ code: 'column_not_read', message });
      continue;
    }
    const builder = new Builder(name, rows);
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      if (rowEnd === rowStart) continue;
      const chunk = group.columns.find(({ meta_data }) => meta_data?.path_in_schema.join() === name);
      const asked = { element, rows: rowEnd - rowStart, compressors };
      if (!chunk || !(await addFlat(builder, source, chunk, asked)))
        builder.add(await scan.readColumn({ column: name, rowStart, rowEnd }));
      rowStart = rowEnd;
      done += asked.rows;
      told(done / (rows * names.length));
    }
    columns.push(builder.done());
  }
  return container({ columns, warnings });
}
