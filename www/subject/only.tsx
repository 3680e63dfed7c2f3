// Only some rows: conditions on columns, all at once.

import { about, reread } from '../state/store.js';

type Condition = wasm_bindgen.Condition;
type ColumnRole = wasm_bindgen.ColumnRole;

/** Puts a condition in the place of the one on its column, or takes that away. None are said too: a session may have some. */
const put = (column: string, by: Condition | null) =>
  reread(({ only }) => {
    const conditions = new Map((only ?? []).map((one) => [one.column, one]));
    if (by) conditions.set(column, by);
    else conditions.delete(column);
    return { only: [...conditions.values()] };
  });

const NUMBER = String.raw`-?\d+(?:\.\d+)?`;
const DATE = String.raw`\d{4}-\d\d(?:-\d\d)?`;
const END = `(${DATE}|${NUMBER})`;
const RANGE = new RegExp(`^${END} *(?:–|…|to|\\.\\.| - ) *(<?) *${END}$`);
const HALF = new RegExp(`^(≥|>=|<|≤|<=) *${END}$`);
const isDate = (text: string) => new RegExp(`^${DATE}$`).test(text);

const from = (text: string) => ({ from: isDate(text) ? text : Number(text) });
const until = (text: string) => (isDate(text) ? { before: text } : { below: Number(text) });
const upTo = (text: string) => ({ to: isDate(text) ? text : Number(text) });

const listOf = (text: string) => text.split(',').map((one) => one.trim());

/**
 * "not ICU" are all other values; "60 to 69" is a range with both ends, "60 to <70" one without its last; "≥
 * 60", "< 70" and "≤ 69" are half of one, so of
 * dates; anything else are values. Empty: no condition.
 */
function conditionOf(column: string, text: string): Condition | null {
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
  const other = /^(?:not|≠|!=) *(.+)$/i.exec(given);
  if (other) return { column, not: listOf(other[1]) };
  return { column, values: listOf(given) };
}

/** A condition as it would be written. */
function textOf({ values, not, from: first, below, before, to, whole, missing }: Condition): string {
  if (missing) return 'missing';
  if (values) return values.join(', ');
  if (not) return `not ${not.join(', ')}`;
  const last = to ?? (whole && first != null && below != null ? below - 1 : null);
  const end = below ?? before;
  if (first == null) return last != null ? `≤ ${last}` : `< ${end}`;
  if (last != null) return `${first} to ${last}`;
  return end != null ? `${first} to <${end}` : `≥ ${first}`;
}

export function Only() {
  const { summary, options } = about.value!;
  const conditions = options.only ?? [];
  const columns = summary.columns.filter(({ shape, role }: ColumnRole) => shape.length === 1 && role !== 'text');
  return (
    <fieldset>
      <legend>Include rows where</legend>
      {conditions.map((condition) => (
        <label class="field" key={condition.column}>
          <span>{condition.column} (empty: all rows)</span>
          <input
            type="text"
            name={`only ${condition.column}`}
            value={textOf(condition)}
            onChange={({ currentTarget }) => put(condition.column, conditionOf(condition.column, currentTarget.value))}
          />
        </label>
      ))}
      <NewCondition
        columns={columns.filter(({ name }) => conditions.every(({ column }) => column !== name))}
        add={(condition) => put(condition.column, condition)}
      />
    </fieldset>
  );
}

/** Columns of text offer what is in their first rows. */
function NewCondition({ columns, add }: { columns: ColumnRole[]; add: (condition: Condition) => void }) {
  const usual = columns.find(({ role }) => role === 'group') ?? columns[0];
  const submit = (event: Event) => {
    event.preventDefault();
    const form = (event.currentTarget as Element).closest('.condition')!;
    const column = form.querySelector('select')!.value;
    const condition = conditionOf(column, form.querySelector('input')!.value);
    if (condition) add(condition);
  };
  return (
    <div class="row condition">
      <select aria-label="Column" name="only column">
        {columns.map(({ name }) => (
          <option key={name} selected={name === usual.name}>
            {name}
          </option>
        ))}
      </select>
      <input
        type="text"
        aria-label="is"
        name="only value"
        placeholder="ICU, not ICU, or 60 to 69"
        onKeyDown={(event) => event.key === 'Enter' && submit(event)}
      />
      <button type="button" class="quiet" onClick={submit}>
        Add condition
      </button>
    </div>
  );
}
