// What the reader of workbooks leaves out: cells that are merged over several rows, as pandas writes an index of several
// levels, and which sheets and rows are hidden.

import { unzipSync } from 'fflate';

/** The column of a merged cell, its first and its last row, from 0. */
export type Merged = { column: number; top: number; bottom: number };

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** Value of an attribute, whatever its namespace is called. */
const attribute = (element: string, name: string) =>
  new RegExp(`[\\s:]${name}\\s*=\\s*["']([^"']*)["']`).exec(element)?.[1];

/** Number of a column from its letters: 0 of A, 26 of AA. */
const column = (letters: string) => [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;

/** Path of the sheet at a place of the workbook. */
function pathOf(place: number, parts: Record<string, Uint8Array>): string | undefined {
  const sheet = text(parts['xl/workbook.xml']).match(/<(?:\w+:)?sheet\s[^>]*>/g)?.[place] ?? '';
  const id = /[\s]\w+:id\s*=\s*["']([^"']*)["']/.exec(sheet)?.[1];
  const relations = text(parts['xl/_rels/workbook.xml.rels']).match(/<(?:\w+:)?Relationship\s[^>]*>/g) ?? [];
  const target = relations.map((one) => attribute(one, 'Id') === id && attribute(one, 'Target')).find(Boolean);
  return target ? (target.startsWith('/') ? target.slice(1) : `xl/${target}`) : undefined;
}

/** Which sheets of a workbook are hidden, in their order. */
export function hiddenSheets(workbook: Uint8Array): boolean[] {
  const parts = unzipSync(workbook, { filter: ({ name }) => name === 'xl/workbook.xml' });
  const sheets = text(parts['xl/workbook.xml']).match(/<(?:\w+:)?sheet\s[^>]*>/g) ?? [];
  return sheets.map((sheet) => ['hidden', 'veryHidden'].includes(attribute(sheet, 'state') ?? ''));
}

/** What follows the cells of a sheet: the merged ones are listed there. */
function behindCells(sheet: Uint8Array): string {
  const end = [...'</sheetData'].map((letter) => letter.charCodeAt(0));
  for (let at = sheet.length - end.length; at >= 0; at--)
    if (end.every((byte, i) => sheet[at + i] === byte)) return text(sheet.subarray(at));
  return '';
}

/** The bytes of a sheet; `place`: among all of the workbook, from 0. */
function sheetAt(workbook: Uint8Array, place: number): Uint8Array {
  const fixed = ['xl/workbook.xml', 'xl/_rels/workbook.xml.rels'];
  const path = pathOf(place, unzipSync(workbook, { filter: ({ name }) => fixed.includes(name) }));
  const sheet = path && unzipSync(workbook, { filter: ({ name }) => name === path })[path];
  return sheet || new Uint8Array();
}

/** How many rows of a sheet a filter or a person hides. `place`: of the sheet among all of the workbook, from 0. */
export function hiddenRows(workbook: Uint8Array, place: number): number {
  const rows = text(sheetAt(workbook, place)).matchAll(/<(?:\w+:)?row\s[^>]*?\shidden\s*=\s*["'](?:1|true)["']/g);
  return [...rows].length;
}

/** The cells of a sheet that are merged over several rows. `place`: of the sheet among all of the workbook, from 0. */
export function mergedCells(workbook: Uint8Array, place: number): Merged[] {
  const regions = behindCells(sheetAt(workbook, place)).matchAll(
    /<(?:\w+:)?mergeCell\s[^>]*?ref\s*=\s*["']\$?([A-Z]{1,3})\$?(\d+):\$?[A-Z]{1,3}\$?(\d+)["']/g,
  );
  return [...regions]
    .map(([, letters = '', top, bottom]) => ({
      column: column(letters),
      top: Number(top) - 1,
      bottom: Number(bottom) - 1,
    }))
    .filter(({ top, bottom }) => bottom > top);
}
