// Excel workbooks (.xlsx): the sheet that was chosen, else the first with data, by read-excel-file, as plain
// text, which the core reads like any other: headers, dates, percent signs and missing values are found in it as they are in
// a CSV file.

import readWorkbook from 'read-excel-file/web-worker';
import { commaSeparated, container, type Warning } from './columns.js';
import { type Merged, hiddenRows, hiddenSheets, mergedCells } from './merged.js';
import { Refused, refused, tooLarge } from './refused.js';

/** Cells of a sheet beyond which it is refused: as objects they would not fit the memory of a worker. */
const MOST_CELLS = 20_000_000;

/** The table of a sheet; the names of all sheets that hold one, and the place of the one that was read. */
type Book = { bytes: Uint8Array<ArrayBuffer>; sheets: string[]; read: number };

const filled = (cell: unknown): boolean => cell !== null && cell !== undefined && String(cell).trim() !== '';

/** A sheet from its first row and column that hold something. */
function fromFirstCell<Cell>(rows: readonly (readonly Cell[])[]): Cell[][] {
  const top = Math.max(
    0,
    rows.findIndex((row) => row.some(filled)),
  );
  const left = rows.reduce((least, row) => {
    const at = row.findIndex(filled);
    return at < 0 ? least : Math.min(least, at);
  }, Number.MAX_SAFE_INTEGER);
  return rows.slice(top).map((row) => row.slice(left === Number.MAX_SAFE_INTEGER ? 0 : left));
}

/**
 * Gives the value of each cell that is merged over several rows to all of them, in its first column; how many there are. A
 * header that is merged over its rows is none of them.
 */
function repeatMerged(rows: unknown[][], merged: Merged[]): number {
  const header = rows.findIndex((row) => row.some(filled));
  const last = new Map<number, number>();
  let repeated = 0;
  for (const { column, top, bottom } of merged.sort((a, b) => a.top - b.top)) {
    const value = rows[top]?.[column];
    if (top <= header || !filled(value)) continue;
    repeated += 1;
    const from = Math.max(top, last.get(column) ?? 0) + 1;
    for (const row of rows.slice(from, bottom + 1)) if (!filled(row[column])) row[column] = value;
    last.set(column, Math.max(bottom, last.get(column) ?? 0));
  }
  return repeated;
}

/** Milliseconds of a day, of day 0 of a workbook, and of the first day that is taken for a date. */
const [DAY, EPOCH, FIRST_DATE] = [864e5, Date.UTC(1899, 11, 30), Date.UTC(1901, 0, 1)];

/** Numbers of days in columns of durations or times of the day, which are stored as dates: all of theirs lie before 1901. */
function durationsAsDays(rows: unknown[][]) {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  for (let column = 0; column < width; column += 1) {
    const dated = rows.filter((row) => row[column] instanceof Date);
    if (!dated.every((row) => (row[column] as Date).getTime() < FIRST_DATE)) continue;
    for (const row of dated) row[column] = ((row[column] as Date).getTime() - EPOCH) / DAY;
  }
}

/** What the terminal says, too. */
const mergedWarning = (repeated: number): Warning => ({
  code: 'merged_cells',
  message:
    repeated === 1
      ? '1 cell of the sheet is merged over several rows: each of them has its value.'
      : `${repeated} cells of the sheet are merged over several rows: each of these rows has the value.`,
});

/** What the terminal says, too. */
const hiddenWarning = (rows: number): Warning => ({
  code: 'rows_hidden',
  message:
    (rows === 1 ? '1 row of the sheet is hidden, and was' : `${rows} rows of the sheet are hidden, and were`) +
    ' read, too: by a filter, or by hand. To leave them out, delete them in a copy of the workbook.',
});

/** The first sheet with at least a quarter as many rows of two cells or more as the longest has: before it stand covers and notes. */
function withData<Sheet extends { data: readonly (readonly unknown[])[] }>(sheets: Sheet[]): Sheet | undefined {
  const rows = sheets.map(({ data }) => data.filter((row) => row.filter(filled).length > 1).length);
  return sheets[rows.findIndex((count) => 4 * count >= Math.max(...rows))];
}

/** The refusal of a place at which there is no sheet, as the terminal words it. */
function noSuchSheet(place: number, names: string[]) {
  const several = names.length === 1 ? '1 sheet with a table' : `${names.length} sheets with tables`;
  return new Refused({
    code: 'invalid_option',
    message: `Sheet ${place}: this workbook has ${several}.`,
    hint: `Choose one of: ${names.map((name, i) => `${i + 1} “${name}”`).join(', ')}.`,
  });
}

/** `sheet`: the one to read, counted from 1 among those that hold a table; default: the first with data. */
export async function workbook(file: File, sheet?: number | null): Promise<Book> {
  const sheets = await readWorkbook(file);
  const holding = sheets.filter(({ data }) => data.length > 1);
  if (holding.length === 0)
    throw refused('No sheet of this workbook contains a table.', 'A table has a row of names and a row for each case.');
  const bytes = new Uint8Array(await file.arrayBuffer());
  const hidden = hiddenSheets(bytes);
  const shown = holding.filter((one) => !hidden[sheets.indexOf(one)]);
  const read = sheet == null ? withData(shown.length > 0 ? shown : holding) : holding[sheet - 1];
  if (!read)
    throw noSuchSheet(
      sheet ?? 1,
      holding.map((one) => one.sheet),
    );
  const cells = read.data.reduce((sum, row) => sum + row.length, 0);
  if (cells > MOST_CELLS) throw tooLarge(`The sheet “${read.sheet}” has ${cells} cells:`, cells * 8, MOST_CELLS * 8);
  const warnings: Warning[] = [];
  const others = holding.filter((one) => one !== read);
  if (others.length > 0)
    warnings.push({
      code: 'other_sheets',
      message:
        `The sheet “${read.sheet}” was read. Not read: ${others.map(({ sheet }) => `“${sheet}”`).join(', ')}. ` +
        'Choose the sheet under Data.',
    });
  durationsAsDays(read.data);
  const merged = mergedCells(bytes, sheets.indexOf(read));
  const repeated = repeatMerged(read.data, merged);
  if (repeated > 0) warnings.push(mergedWarning(repeated));
  const unseen = hiddenRows(bytes, sheets.indexOf(read));
  if (unseen > 0) warnings.push(hiddenWarning(unseen));
  return {
    bytes: container({ text: commaSeparated(fromFirstCell(read.data)), warnings }),
    sheets: holding.map((one) => one.sheet),
    read: holding.indexOf(read),
  };
}
