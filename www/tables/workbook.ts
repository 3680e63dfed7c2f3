// Excel workbooks (.xlsx): the first sheet that holds a table, by read-excel-file, as plain text, which the core reads like any
// other: headers, dates, percent signs and missing values are found in it as they are in a CSV file.

import readWorkbook from 'read-excel-file/web-worker';
import { commaSeparated, container } from './columns.js';
import { refused, tooLarge } from './refused.js';

/** Cells of a sheet beyond which it is refused: as objects they would not fit the memory of a worker. */
const MOST_CELLS = 20_000_000;

export async function workbook(file: File): Promise<Blob> {
  const sheets = await readWorkbook(file);
  const holding = sheets.filter(({ data }) => data.length > 1);
  const [first, ...others] = holding;
  if (!first)
    throw refused('No sheet of this workbook contains a table.', 'A table has a row of names and a row for each case.');
  const cells = first.data.reduce((sum, row) => sum + row.length, 0);
  if (cells > MOST_CELLS) throw tooLarge(`The sheet “${first.sheet}” has ${cells} cells:`, cells * 8, MOST_CELLS * 8);
  const warnings =
    others.length === 0
      ? []
      : [
          {
            code: 'other_sheets',
            message:
              `The sheet “${first.sheet}” was read. Not read: ${others.map(({ sheet }) => `“${sheet}”`).join(', ')}. ` +
              'Move a sheet to the front of the workbook to read it.',
          },
        ];
  return container({ text: commaSeparated(first.data), warnings });
}
