// A condition on the rows as a person writes it, both ways.

type Condition = wasm_bindgen.Condition;

const NUMBER = String.raw`-?\d+(?:\.\d+)?`;
const DATE = String.raw`\d{4}-\d\d(?:-\d\d)?`;
const END = `(${DATE}|${NUMBER})`;
const RANGE = new RegExp(`^${END} *(?:–|…|to|\\.\\.| - ) *(<?) *${END}$`);
const HALF = new RegExp(`^(≥|>=|<|≤|<=) *${END}$`);
const isDate = (text: string) => new RegExp(`^${DATE}$`).test(text);

const from = (text: string) => ({ from: isDate(text) ? text : Number(text) });
const until = (text: string) => (isDate(text) ? { before: text } : { below: Number(text) });
const upTo = (text: string) => ({ to: isDate(text) ? text : Number(text) });

// Values are separated by commas; one in quotes is taken to the letter.
const VALUE = / *"((?:[^"]|"")*)" *|[^,]+/g;
const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;
const written = (value: string) => (/[,"]|^\s|\s$|^$/.test(value) ? quoted(value) : value);
const listOf = (text: string) =>
  [...text.matchAll(VALUE)].flatMap(([one, letters]) => letters?.replaceAll('""', '"') ?? (one.trim() || []));

/**
 * "not ICU" are all other values; "60 to 69" is a range with both ends, "60 to <70" one without its last; "≥ 60", "< 70"
 * and "≤ 69" are half of one, so of dates; anything else are values. Empty: no condition.
 */
export function conditionOf(column: string, text: string): Condition | null {
  const given = text.trim();
  if (given === '') return null;
  if (given === 'missing') return { column, missing: true };
  const range = RANGE.exec(given);
  if (range) return { column, ...from(range[1]), ...(range[2] ? until : upTo)(range[3]) };
  const half = HALF.exec(given);
  if (half) {
    const end = /≥|>=/.test(half[1]) ? from : half[1] === '<' ? until : upTo;
    return { column, ...end(half[2]) };
  }
  const other = /^(?:not +|≠ *|!= *)(.+)$/i.exec(given);
  if (other) return { column, not: listOf(other[1]) };
  return { column, values: listOf(given) };
}

/** A condition as it would be written: `conditionOf` reads it back. */
export function textOf({ column, values, not, from: first, below, before, to, whole, missing }: Condition): string {
  if (missing) return 'missing';
  if (values) {
    const text = values.map(written).join(', ');
    // a value that reads like another condition
    return conditionOf(column, text)?.values ? text : [quoted(values[0]), ...values.slice(1).map(written)].join(', ');
  }
  if (not) return `not ${not.map(written).join(', ')}`;
  const last = to ?? (whole && first != null && below != null ? below - 1 : null);
  const end = below ?? before;
  if (first == null) return last != null ? `≤ ${last}` : `< ${end}`;
  if (last != null) return `${first} to ${last}`;
  return end != null ? `${first} to <${end}` : `≥ ${first}`;
}
