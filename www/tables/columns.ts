// Columns on their way to the core: what a library has read of a file, in the container that
// crates/tables/src/read/columnar.rs reads.

/** Numbers; NaN where a cell is empty. */
type Numbers = { kind: 'numbers'; name: string; values: Float64Array };
/** Rows × width numbers, row by row. */
type Matrix = { kind: 'matrix'; name: string; width: number; values: Float64Array };
/** Codes into distinct texts; MISSING where a cell is empty. */
type Text = { kind: 'text'; name: string; codes: Uint32Array; levels: string[] };
export type Column = Numbers | Matrix | Text;
/** What a person should know about the reading. */
export type Warning = { code: string; message: string };

const MISSING = 0xffffffff;

/** What the core knows the container by. */
const MAGIC = 'LOCALCAL COLUMNS 1\n';

const padded = (bytes: number) => Math.ceil(bytes / 8) * 8;

/**
 * A container: the magic, the length of the head, the head as JSON, then the values of each column in order, each beginning at
 * a multiple of eight bytes. `text` in place of columns is a table in plain text.
 */
export function container({
  columns,
  text,
  warnings,
}: {
  columns?: Column[];
  text?: string;
  warnings: Warning[];
}): Uint8Array<ArrayBuffer> {
  const head = {
    warnings,
    text: text !== undefined,
    columns: (columns ?? []).map((column) => {
      const { kind, name } = column;
      if (kind === 'text') return { kind, name, rows: column.codes.length, levels: column.levels };
      if (kind === 'matrix') return { kind, name, rows: column.values.length / column.width, width: column.width };
      return { kind, name, rows: column.values.length };
    }),
  };
  const json = new TextEncoder().encode(JSON.stringify(head));
  const before = MAGIC.length + 4;
  const bodies: ArrayBufferView[] = (columns ?? []).map((column) =>
    column.kind === 'text' ? column.codes : column.values,
  );
  if (text !== undefined) bodies.push(new TextEncoder().encode(text));
  let at = padded(before + json.length);
  // what follows a table in plain text would be read as its end
  const end = bodies.reduce((sum, { byteLength }) => sum + (text === undefined ? padded(byteLength) : byteLength), at);
  const bytes = new Uint8Array(end);
  bytes.set(new TextEncoder().encode(MAGIC));
  new DataView(bytes.buffer).setUint32(MAGIC.length, json.length, true);
  bytes.set(json, before);
  for (const { buffer, byteOffset, byteLength } of bodies) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += padded(byteLength);
  }
  return bytes;
}

/** A date as it is written where it has no time of day, and one that has. */
const written = (date: Date) => date.toISOString().replace(/(T00:00:00)?(\.000)?Z$/, '');

/**
 * One column, built from chunks of values. What a cell holds decides: numbers and 64-bit integers that a double holds exactly
 * stay numbers; lists of equally many numbers become a matrix; text, dates, larger integers (identifiers) and everything else
 * become text.
 */
export class Builder {
  private numbers: Float64Array | null = null;
  private codes: Uint32Array | null = null;
  private readonly levels = new Map<string, number>();
  private lists: (ArrayLike<number> | null)[] | null = null;
  private row = 0;

  constructor(
    private readonly name: string,
    private readonly rows: number,
  ) {}

  add(chunk: ArrayLike<unknown>) {
    if (this.row + chunk.length > this.rows)
      throw new RangeError(`column ${this.name} has more rows than the file says`);
    if (
      this.codes === null &&
      this.lists === null &&
      (chunk instanceof Float64Array || chunk instanceof Float32Array || chunk instanceof Int32Array)
    ) {
      this.asNumbers().set(chunk, this.row);
      this.row += chunk.length;
      return;
    }
    for (let i = 0; i < chunk.length; i += 1) {
      this.put(chunk[i]);
      this.row += 1;
    }
  }

  /** Texts by their places in a dictionary of their bytes; `none`: no value. */
  addCodes(chunk: Uint32Array, dictionary: ArrayLike<Uint8Array>, none: number) {
    if (this.row + chunk.length > this.rows)
      throw new RangeError(`column ${this.name} has more rows than the file says`);
    // texts become levels in the order in which they occur
    const codes = new Uint32Array(dictionary.length).fill(MISSING);
    for (const place of chunk) {
      if (place === none) this.empty();
      else if (this.codes && codes[place] !== MISSING) this.codes[this.row] = codes[place];
      else {
        this.text(textOf(dictionary[place]));
        codes[place] = this.codes![this.row];
      }
      this.row += 1;
    }
  }

  /** Some cell was a text. */
  get holdsText(): boolean {
    return this.codes !== null;
  }

  done(): Column {
    const { name } = this;
    if (this.row !== this.rows) throw new RangeError(`column ${name} has fewer rows than the file says`);
    if (this.lists) return this.matrix(this.lists);
    if (this.codes) return { kind: 'text', name, codes: this.codes, levels: [...this.levels.keys()] };
    return { kind: 'numbers', name, values: this.asNumbers() };
  }

  private put(value: unknown) {
    if (value === null || value === undefined) this.empty();
    else if (typeof value === 'number') this.number(value);
    else if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) this.number(Number(value));
    else {
      const list = listed(value);
      if (list) this.list(list);
      else this.text(textOf(value));
    }
  }

  private empty() {
    if (this.lists) this.lists[this.row] = null;
    else if (this.codes) this.codes[this.row] = MISSING;
    else if (this.numbers) this.numbers[this.row] = NaN;
    // nothing is known of the column yet: arrays are made empty
  }

  private number(value: number) {
    if (this.codes) this.text(String(value));
    else if (this.lists) this.lists[this.row] = [value];
    else this.asNumbers()[this.row] = value;
  }

  private list(value: ArrayLike<number>) {
    if (this.codes || this.numbers) return this.text(JSON.stringify(Array.from(value)));
    this.lists ??= new Array(this.rows).fill(null);
    this.lists[this.row] = value;
  }

  private text(value: string) {
    if (!this.codes) {
      const { numbers, lists, row } = this;
      this.codes = new Uint32Array(this.rows).fill(MISSING);
      this.numbers = this.lists = null;
      for (let i = 0; i < row; i += 1) {
        const list = lists?.[i];
        if (list) this.codes[i] = this.code(JSON.stringify(Array.from(list)));
        else if (numbers && !Number.isNaN(numbers[i])) this.codes[i] = this.code(String(numbers[i]));
      }
    }
    this.codes[this.row] = this.code(value);
  }

  private code(text: string): number {
    const known = this.levels.get(text);
    if (known !== undefined) return known;
    this.levels.set(text, this.levels.size);
    return this.levels.size - 1;
  }

  private asNumbers(): Float64Array {
    return (this.numbers ??= new Float64Array(this.rows).fill(NaN));
  }

  /** Lists of one length are a matrix; others are told as text, and the core says what it makes of them. */
  private matrix(lists: (ArrayLike<number> | null)[]): Column {
    const { name, rows } = this;
    const width = lists.find((list) => list !== null)?.length ?? 0;
    if (width === 0 || lists.some((list) => list !== null && list.length !== width)) {
      const codes = new Uint32Array(rows).fill(MISSING);
      lists.forEach((list, i) => {
        if (list) codes[i] = this.code(JSON.stringify(Array.from(list)));
      });
      return { kind: 'text', name, codes, levels: [...this.levels.keys()] };
    }
    const values = new Float64Array(rows * width).fill(NaN);
    lists.forEach((list, i) => {
      if (list) values.set(list, i * width);
    });
    return { kind: 'matrix', name, width, values };
  }
}

/** The numbers of a list, or of a vector as Spark stores it (dense, or sparse with its size). */
function listed(value: unknown): ArrayLike<number> | null {
  if (ArrayBuffer.isView(value)) return value instanceof Uint8Array ? null : (value as unknown as ArrayLike<number>);
  if (Array.isArray(value)) {
    const numeric = value.every((one) => one === null || typeof one === 'number' || typeof one === 'bigint');
    return numeric ? value.map((one) => (one === null ? NaN : Number(one))) : null;
  }
  const { type, size, indices, values } = value as Record<string, unknown>;
  if (type === 1 && Array.isArray(values)) return listed(values);
  if (type !== 0 || !Array.isArray(indices) || !Array.isArray(values) || indices.length !== values.length) return null;
  if (typeof size !== 'number' || !Number.isInteger(size) || !(size >= 0 && size <= WIDEST)) return null;
  if (!indices.every((at) => Number.isInteger(at) && at >= 0 && at < size)) return null;
  const entries = listed(values);
  if (!entries) return null;
  const dense = new Float64Array(size);
  indices.forEach((at: number, i: number) => {
    dense[at] = entries[i];
  });
  return dense;
}
/** Coordinates of a sparse vector. */
const WIDEST = 100_000;

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return written(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (typeof value === 'object')
    return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? one.toString() : one));
  return String(value);
}

/** A table in plain text: comma-separated, quoted where a cell needs it. */
export const commaSeparated = (rows: unknown[][]): string =>
  rows
    .map((row) =>
      row
        .map((cell) => (cell === null || cell === undefined ? '' : textOf(cell)))
        .map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
        .join(','),
    )
    .join('\n');
