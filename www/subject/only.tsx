// Only some rows: conditions on columns, all at once.

import { about, reread } from '../state/store.js';
import { conditionOf, textOf } from './condition.js';

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
        placeholder="ICU, not ICU, ≥ 60, 60 to 69"
        onKeyDown={(event) => event.key === 'Enter' && submit(event)}
      />
      <button type="button" class="quiet" onClick={submit}>
        Add condition
      </button>
    </div>
  );
}
