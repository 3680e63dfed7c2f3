// More rows than fit in a browser: a form that names a table and its columns, the statement that counts its rows where they
// are, and how the result comes back. The core writes the statement.

import { useEffect, useRef, useState } from 'preact/hooks';
import { countStatement, describe } from '../engine/localcal.js';
import { copyText } from '../parts/clipboard.js';
import { CheckField, ChoiceField, NumberField } from '../parts/form.js';
import { announce, said } from '../parts/message.js';
import { Worded } from '../parts/worded.js';

/** What is written in the fields. */
interface Fields {
  dialect: string;
  table: string;
  score: string;
  outcome: string;
  positive: string;
  by: string;
  month: string;
  percent: boolean;
  cells: string;
  combinations: number | null;
}
const EMPTY: Fields = {
  dialect: 'duckdb',
  table: '',
  score: '',
  outcome: '',
  positive: '',
  by: '',
  month: '',
  percent: false,
  cells: '960',
  combinations: null,
};
/** Cells of the score, with what they keep exact. */
const CELLS: [string, string][] = [
  ['960', '960 cells'],
  ['240', '240 cells: smaller; 32 bins not exact'],
  ['60', '60 cells: smallest; 16, 24, 32, 40 and 48 bins not exact'],
];

/** The request for the core; null until table, score and outcome are named. */
function requestOf({ dialect, table, score, outcome, positive, by, month, percent, cells, combinations }: Fields) {
  const named = [table, score, outcome].every((name) => name.trim() !== '');
  if (!named) return null;
  const columns = by.split(',').map((name) => name.trim());
  return {
    dialect,
    table,
    score,
    outcome,
    ...(positive.trim() && { positive }),
    by: columns.filter((name) => name !== ''),
    ...(month.trim() && { month }),
    percent,
    cells: Number(cells),
    ...(combinations !== null && { combinations }),
  };
}

interface Written {
  sql: string;
  notes: string[];
  /** what it was asked for, as text */
  asked: string;
}

export function Counting() {
  const [open, setOpen] = useState(false);
  return (
    <details class="aside counting" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>More rows than fit in a browser</summary>
      {open && <Form />}
    </details>
  );
}

function Form() {
  const [fields, setFields] = useState(EMPTY);
  const [dialects, setDialects] = useState<[string, string][]>([]);
  const [written, setWritten] = useState<Written | null>(null);
  const [refused, setRefused] = useState<unknown>(null);
  const last = useRef(0);
  const put = (change: Partial<Fields>) => setFields((now) => ({ ...now, ...change }));
  useEffect(() => {
    describe().then(
      (known) => setDialects(known.dialects.map(({ id, name }): [string, string] => [id, name])),
      setRefused,
    );
  }, []);
  const request = requestOf(fields);
  const asked = JSON.stringify(request);
  useEffect(() => {
    last.current += 1;
    const own = last.current;
    // an answer to what was written before is not shown
    const still = (act: () => void) => own === last.current && act();
    if (!request) {
      setWritten(null);
      setRefused(null);
      return;
    }
    countStatement(request).then(
      (answer) => still(() => (setWritten({ ...answer, asked }), setRefused(null))),
      (error) => still(() => (setWritten(null), setRefused(error))),
    );
  }, [asked]);
  const text = (name: keyof Fields, label: string, placeholder = '') => (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        name={`count-${name}`}
        value={fields[name] as string}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => put({ [name]: currentTarget.value })}
      />
    </label>
  );
  return (
    <div class="blocks">
      <p>
        The database that holds the table counts its rows by cells of the predicted probability. The result has a few
        thousand lines for any number of rows, and opens here like a file of predictions.
      </p>
      <div class="fields">
        <ChoiceField
          name="count-dialect"
          label="SQL dialect"
          value={fields.dialect}
          choices={dialects}
          put={(dialect) => put({ dialect })}
        />
        {text('table', 'Table', 'schema.table')}
        {text('score', 'Probability column')}
        {text('outcome', 'Outcome column')}
        {text('positive', 'Event (coded 1)', '1')}
        {text('by', 'Group by (comma-separated)', 'ward, sex')}
        {text('month', 'Month of a date column')}
        <ChoiceField
          name="count-cells"
          label="Score grid"
          value={fields.cells}
          choices={CELLS}
          put={(cells) => put({ cells })}
        />
        <NumberField
          name="count-combinations"
          label="Combinations of groups"
          value={fields.combinations}
          placeholder="if known"
          bounds={{ low: 1, high: 1e9, whole: true }}
          put={(combinations) => put({ combinations: combinations ?? null })}
        />
        <CheckField
          name="count-percent"
          label="Probabilities are percentages"
          value={fields.percent}
          put={(percent) => put({ percent })}
        />
      </div>
      {refused && (
        <p class="refused" role="alert">
          <Worded>{said(refused).message}</Worded> <Worded>{said(refused).hint}</Worded>
        </p>
      )}
      {!request && <p class="muted">Name the table, the probability column and the outcome column.</p>}
      {written && <Statement sql={written.sql} notes={written.notes} current={written.asked === asked} />}
    </div>
  );
}

/** `current`: it is of what is in the fields; until then it is not copied. */
function Statement({ sql, notes, current }: Omit<Written, 'asked'> & { current: boolean }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const copy = () => {
    const done = () => announce('Statement copied.');
    // without permission the text is selected, for the keyboard
    const select = () => box.current?.select();
    void copyText(sql).then(done, select);
  };
  return (
    <>
      <label class="field statement">
        <span>Statement</span>
        <textarea ref={box} name="count-statement" rows={12} readOnly spellcheck={false} value={sql} />
      </label>
      <p class="row">
        <button type="button" class="primary" disabled={!current} onClick={copy}>
          Copy statement
        </button>
        <span class="muted">
          {notes.map((note) => (
            <span key={note}>
              <Worded>{note}</Worded>{' '}
            </span>
          ))}
        </span>
      </p>
      <ol class="notes">
        <li>Run the statement where the table is. It reads the table once and changes nothing.</li>
        <li>
          Save the whole result as CSV or Parquet. A line contains counts and sums of a cell; a cell of one row states
          its score and outcome. Before the file leaves a site, merge cells of few rows in the terminal:{' '}
          <code>localcal count FILE --suppress 10</code>.
        </li>
        <li>Open the saved file here. The first line contains totals, so that an incomplete file is recognized.</li>
      </ol>
    </>
  );
}
