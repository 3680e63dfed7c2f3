// More rows than fit in a browser: a form that names a table and its columns, the statement that counts its rows where they
// are, how the result comes back, and how it may leave a site. The core writes the statement and merges cells of few rows.

import { useEffect, useRef, useState } from 'preact/hooks';
import { countStatement, describe, mergedCounts } from '../engine/localcal.js';
import { copyText } from '../parts/clipboard.js';
import { CheckField, ChoiceField, NumberField } from '../parts/form.js';
import { announce, said } from '../parts/message.js';
import { withLine } from '../parts/progress.js';
import { Worded } from '../parts/worded.js';
import { save } from '../parts/words.js';
import { boundsIn } from '../state/schema.js';
import type { Bounds } from '../state/schema.js';
import { least } from '../state/suppression.js';

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
  const [known, setKnown] = useState<wasm_bindgen.Catalogue | null>(null);
  const [written, setWritten] = useState<Written | null>(null);
  const [refused, setRefused] = useState<unknown>(null);
  const last = useRef(0);
  const put = (change: Partial<Fields>) => setFields((now) => ({ ...now, ...change }));
  useEffect(() => {
    describe().then(setKnown, setRefused);
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
          choices={(known?.dialects ?? []).map(({ id, name }) => [id, name])}
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
      {refused && <Refused error={refused} />}
      {!request && <p class="muted">Name the table, the probability column and the outcome column.</p>}
      {written && <Statement sql={written.sql} notes={written.notes} current={written.asked === asked} />}
      {known && <Merging bounds={boundsIn(known.bounds, 'report', 'suppress')} />}
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
          its score and outcome. Before the file leaves a site, merge cells of few rows (below).
        </li>
        <li>Open the saved file here. The first line contains totals, so that an incomplete file is recognized.</li>
      </ol>
    </>
  );
}

/** The smallest count of a result that leaves a site, unless the report suppresses another. */
const USUAL_LEAST = 10;

/** A result whose cells of few rows are merged, to be passed on. */
function Merging({ bounds }: { bounds?: Bounds }) {
  const [smallest, setSmallest] = useState<number | null>(least() ?? USUAL_LEAST);
  const [file, setFile] = useState<File | null>(null);
  const [notes, setNotes] = useState<string[]>([]);
  const [refused, setRefused] = useState<unknown>(null);
  const merge = async (chosen: File, suppress: number) => {
    setNotes([]);
    setRefused(null);
    try {
      const label = `Merging cells of ${chosen.name}`;
      const merged = await withLine(label, (watching) => mergedCounts(chosen, suppress, watching));
      save(merged, `${chosen.name.replace(/(\.[a-z]+)+$/i, '')}_merged.csv`);
      setNotes(merged.notes ?? []);
    } catch (error) {
      setRefused(error);
    }
  };
  return (
    <>
      <h3>Merge cells of few rows</h3>
      <p>
        Before a result is passed on: neighboring cells are merged until each counts enough rows, with and without the
        event, and groups of fewer rows become one. Predicted and observed proportions remain exact.
      </p>
      <div class="fields">
        <label class="field">
          <span>Result of the statement</span>
          <input
            type="file"
            name="count-result"
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
          />
        </label>
        <NumberField
          name="count-least"
          label="Suppress counts below"
          value={smallest}
          bounds={bounds}
          put={(number) => setSmallest(number ?? null)}
        />
      </div>
      <p class="row">
        <button
          type="button"
          disabled={!file || smallest === null}
          onClick={() => file && smallest !== null && void merge(file, smallest)}
        >
          Save merged counts
        </button>
        <span class="muted" role="status">
          {notes.map((note) => (
            <Worded key={note}>{note}</Worded>
          ))}
        </span>
      </p>
      {refused && <Refused error={refused} />}
    </>
  );
}

const Refused = ({ error }: { error: unknown }) => (
  <p class="refused" role="alert">
    <Worded>{said(error).message}</Worded> <Worded>{said(error).hint}</Worded>
  </p>
);
