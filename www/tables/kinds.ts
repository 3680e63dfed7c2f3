// Which files a library of the page reads before the core does, by their first and last bytes, never by their names.

/** A kind that is read here. */
export type Kind = 'parquet' | 'workbook';

const starts = (bytes: Uint8Array, text: string) => [...text].every((c, i) => bytes[i] === c.charCodeAt(0));

/** How much of the end of a ZIP archive is searched for the names of its files. */
const TAIL = 65_536;

const headOf = async (file: Blob) => new Uint8Array(await file.slice(0, 4).arrayBuffer());
const endOf = async (file: Blob) =>
  new TextDecoder('latin1').decode(await file.slice(Math.max(0, file.size - TAIL)).arrayBuffer());

const ZIP = 'PK\x03\x04';
const OF_A_WORKBOOK = 'xl/workbook.xml';

/** The kind of a file; null: the core reads it, or says why not. */
export async function kindOf(file: Blob): Promise<Kind | null> {
  const head = await headOf(file);
  if (starts(head, 'PAR1')) return 'parquet';
  return starts(head, ZIP) && (await endOf(file)).includes(OF_A_WORKBOOK) ? 'workbook' : null;
}

/** Whether a file may be an archive of several: neither arrays nor a workbook. One that cannot be read is none. */
export async function isArchive(file: Blob): Promise<boolean> {
  try {
    if (!starts(await headOf(file), ZIP)) return false;
    const end = await endOf(file);
    return ![OF_A_WORKBOOK, '.npy'].some((name) => end.includes(name));
  } catch {
    return false; // reading it says why
  }
}
