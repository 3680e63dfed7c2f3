// Which files a library of the page reads before the core does, by their first and last bytes, never by their names.

/** A kind that is read here. */
export type Kind = 'parquet' | 'workbook';

const starts = (bytes: Uint8Array, text: string) => [...text].every((c, i) => bytes[i] === c.charCodeAt(0));

/** How much of the end of a ZIP archive is searched for the names of its files. */
const TAIL = 65_536;

/** The kind of a file; null: the core reads it, or says why not. */
export async function kindOf(file: Blob): Promise<Kind | null> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (starts(head, 'PAR1')) return 'parquet';
  if (!starts(head, 'PK\x03\x04')) return null;
  const tail = await file.slice(Math.max(0, file.size - TAIL)).arrayBuffer();
  return new TextDecoder('latin1').decode(tail).includes('xl/workbook.xml') ? 'workbook' : null;
}
