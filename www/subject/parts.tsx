// The parts of the subject: each says what is chosen, and opens the choice. The subject line and the sentence of the
// view Data are made of the same parts.

import { offerOf } from '../engine/localcal.js';
import { counted, listed } from '../parts/words.js';
import { fullName } from '../state/opening.js';
import { methodTitle, viewTitle } from '../parts/catalogue.js';
import { about, asking, change, goTo, open, reread, specified, subject } from '../state/store.js';
import { Choice, OneOf, SomeOf } from './choice.js';
import { Only } from './only.js';

type ColumnRole = wasm_bindgen.ColumnRole;
type Role = wasm_bindgen.Role;
type Summary = wasm_bindgen.Summary;

export const SCORES: Role[] = ['probability', 'probabilities', 'logit', 'logits', 'confidence'];
export const OUTCOMES: Role[] = ['label', 'correct'];
/** Roles of columns that may be given another one to define similarity, or who belongs together. */
const SPARE: Role[] = ['ignore', 'feature', 'group', 'weight', 'id', 'split'];

export const columnsWith = ({ columns }: Summary, roles: Role[]) => columns.filter(({ role }) => roles.includes(role));
const namesWith = (summary: Summary, roles: Role[]) => columnsWith(summary, roles).map(({ name }) => name);

/** Letters that a list of columns may take in the subject; of a longer one their number is shown. */
const ROOM = 26;
const shortly = (names: string[]) => {
  const all = listed(names) || 'none';
  return all.length > ROOM ? counted(names.length, 'column') : all;
};

/** Gives columns another role; the files are opened again. */
export function giveRole(columns: ColumnRole[], role: Role) {
  const now = about.peek();
  if (!now) return;
  const names = columns.map((column) => fullName(column, now.files));
  const given = Object.fromEntries(names.map((name) => [name, role]));
  // what was said of how one is read goes with the role that it had
  const kept = ([name]: [string, unknown]) => !names.includes(name);
  reread(({ roles, readings = {} }) => ({
    roles: { ...roles, ...given },
    readings: Object.fromEntries(Object.entries(readings).filter(kept)),
  }));
}

/** Says that columns are what they were taken for. */
export function confirm(columns: ColumnRole[]) {
  const now = about.peek();
  if (!now) return;
  const { models } = now.summary;
  const several = models.length > 1;
  // a column said to be unused is no model any more: which one is open is said instead
  const plain = columns.filter(({ role }) => !several || role !== 'ignore');
  const said = plain.map((column): [string, Role] => [fullName(column, now.files), column.role]);
  reread(({ roles }) => ({
    roles: { ...roles, ...Object.fromEntries(said) },
    ...(several && { model: models[0] }),
  }));
}

/** Values of a column that stand for a missing one, or may: each is called so, or not, by one click. */
export function Sentinels({ column }: { column: ColumnRole }) {
  const name = fullName(column, about.value!.files);
  const put = (by: (now: wasm_bindgen.MissingCode[]) => wasm_bindgen.MissingCode[]) =>
    reread(({ missing: { [name]: now = [], ...others } = {} }) => {
      const values = by(now);
      return { missing: values.length > 0 ? { ...others, [name]: values } : others };
    });
  return (
    <>
      {column.sentinels?.map(({ value, rows, missing, among }) => (
        <p key={String(value)}>
          {missing ? (
            <button type="button" class="quiet" onClick={() => put((now) => now.filter((one) => one !== value))}>
              Treat {value} as a value
            </button>
          ) : (
            <button type="button" class="primary" onClick={() => put((now) => [...now, value])}>
              Treat {value} as missing
            </button>
          )}
          <span class="note">
            {counted(rows, 'row')}
            {among && `; other values: ${among}`}
          </span>
        </p>
      ))}
    </>
  );
}

/** The other meaning of a mark between digits. */
export function Mark({ column }: { column: ColumnRole }) {
  const name = fullName(column, about.value!.files);
  const { offer, written } = column;
  if (offer !== 'thousands' && offer !== 'decimal') return null;
  return (
    <p>
      <button
        type="button"
        class="primary"
        onClick={() => reread(({ readings }) => ({ readings: { ...readings, [name]: offer } }))}
      >
        Read {written} as {offer === 'thousands' ? 'thousands' : 'a decimal'}
      </button>
    </p>
  );
}

/** A column that shall have a role. */
export function AddColumn({ label, role, without }: { label: string; role: Role; without: string[] }) {
  const columns = columnsWith(about.value!.summary, SPARE).filter(({ name }) => !without.includes(name));
  if (columns.length === 0) return <p class="note">{label}: no further columns.</p>;
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value=""
        onChange={({ currentTarget }) => {
          const column = columns[Number(currentTarget.value)];
          if (column) giveRole([column], role);
        }}
      >
        <option value="">Choose a column</option>
        {columns.map(({ name }, i) => (
          <option key={name} value={i}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What a row that cannot be used does. */
export function PolicyChoices() {
  return (
    <OneOf
      legend="Rows with invalid values"
      options={[
        ['error', 'Reject file'],
        ['drop', 'Exclude row'],
      ]}
      value={about.value!.options.rows ?? 'error'}
      choose={(rows) => reread({ rows: rows as wasm_bindgen.RowPolicy })}
    />
  );
}

/** How attempts of an evaluation log count that have no confidence or no judgment. */
export function UnansweredChoices() {
  return (
    <OneOf
      legend="Unanswered attempts"
      options={[
        ['excluded', 'Exclude'],
        ['incorrect', 'Incorrect at the stated confidence'],
        ['incorrect_at_one', 'Incorrect at 100%'],
      ]}
      value={about.value!.options.unanswered ?? 'excluded'}
      choose={(unanswered) => reread({ unanswered: unanswered as wasm_bindgen.Unanswered })}
    />
  );
}

/** Roles of columns that may say which rows belong together. */
const CLUSTERING: Role[] = ['id', 'group', 'ignore', 'split', 'date'];

/** Which rows belong together: those with the same value of a column, or none. */
export function ClusterChoices() {
  const { summary, files } = about.value!;
  const now = summary.clusters?.column;
  const single = columnsWith(summary, CLUSTERING).filter(({ shape }) => shape.length === 1);
  const columns = single.map((column): [string, string] => [fullName(column, files), column.name]);
  const chosen = columns.find(([, name]) => name === now)?.[0] ?? '';
  return (
    <>
      {now !== undefined && (
        <p>
          <button type="button" class="quiet" onClick={() => reread({ clusters: null })}>
            Treat rows as independent
          </button>
        </p>
      )}
      <label class="field">
        <span>Cluster column</span>
        <select
          name="clusters"
          value={chosen}
          onChange={({ currentTarget }) => reread({ clusters: currentTarget.value || null })}
        >
          <option value="">None (independent rows)</option>
          {columns.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

/** The clusters, as part of a sentence. */
export function Clusters() {
  const { clusters } = about.value!.summary;
  const now = clusters?.column ?? 'none';
  return (
    <Choice now={now} label={`Clusters: ${now}`}>
      <ClusterChoices />
    </Choice>
  );
}

export function ModelChoices() {
  const { summary } = about.value!;
  const { models } = summary;
  if (models.length < 2)
    return <AddColumn label="Use another score column" role="probability" without={namesWith(summary, SCORES)} />;
  return (
    <>
      <OneOf
        legend="Model"
        options={[...models].sort().map((model) => [model, model])}
        value={models[0]}
        choose={(model) => reread({ model })}
      />
      <button type="button" class="link" onClick={() => ask('models')}>
        Compare models
      </button>
    </>
  );
}

/** Asks a question in Explore. */
function ask(kind: string) {
  asking.value = kind;
  goTo('explore');
}

/** Which score. */
export function Model() {
  const { summary } = about.value!;
  const scores = columnsWith(summary, SCORES);
  const wide = scores.length > 1 || scores.some(({ shape }) => shape.length > 1);
  const name = summary.models[0] ?? (wide ? `${summary.classes} probabilities` : scores[0]?.name);
  return (
    <Choice now={name ?? 'No score'} label={`Model: ${name ?? 'none'}`} unsure={!name}>
      <ModelChoices />
    </Choice>
  );
}

export function OutcomeChoices() {
  const { summary } = about.value!;
  const { labels, positive, view, views } = summary;
  return (
    <>
      {view === 'positive' && labels.length === 2 && (
        <OneOf
          legend="Event (coded 1)"
          options={labels.map((label) => [label, label])}
          value={positive}
          choose={(label) => reread({ positive: label })}
        />
      )}
      {views.length > 1 && (
        <OneOf
          legend="Evaluate"
          options={views.map((one) => [one, viewTitle(one)])}
          value={view}
          choose={(one) => reread({ view: one as wasm_bindgen.View })}
        />
      )}
      <AddColumn label="Use another outcome column" role="label" without={namesWith(summary, OUTCOMES)} />
    </>
  );
}

/** What happened, and what of it counts. */
export function Outcome() {
  const { summary } = about.value!;
  const [column] = columnsWith(summary, OUTCOMES);
  const event = summary.view === 'positive' && summary.positive !== null;
  const says = column ? (event ? `${column.name} = ${summary.positive}` : column.name) : 'No outcome';
  return (
    <Choice now={says} label={`Outcome: ${says}`} unsure={!column}>
      <OutcomeChoices />
    </Choice>
  );
}

/** How rows are divided, and what a way leaves to be said. */
function Division() {
  const { dates, rows, ways } = about.value!.summary;
  const now = ways.findIndex(({ chosen }) => chosen);
  const way = ways[now]?.split;
  const split = way !== undefined && way !== 'auto' ? way : null;
  if (ways.length === 0) return null;
  return (
    <>
      <OneOf
        legend="Data split"
        options={ways.map(({ label }, i) => [String(i), label])}
        value={String(now)}
        choose={(i) => {
          const { split: chosen } = ways[Number(i)];
          reread({ split: chosen, ...(chosen !== 'auto' && 'files' in chosen && { model: undefined }) });
        }}
      />
      {split && 'first' in split && (
        <label class="field">
          <span>Calibration rows</span>
          <input
            type="number"
            name="Rows that calibrate"
            min={1}
            max={rows - 1}
            value={split.first}
            onChange={({ currentTarget }) => reread({ split: { first: Number(currentTarget.value) } })}
          />
        </label>
      )}
      {split && 'column' in split && dates.some(({ column }) => column === split.column) && (
        <label class="field">
          <span>Calibration rows before (empty: earlier half)</span>
          <input
            type="text"
            name="Rows before this date calibrate"
            placeholder="2024-01-31"
            value={split.before ?? ''}
            onChange={({ currentTarget }) => {
              const before = currentTarget.value.trim();
              reread({ split: { column: split.column, calibration: [], ...(before && { before }) } });
            }}
          />
        </label>
      )}
      {split && 'column' in split && dates.every(({ column }) => column !== split.column) && (
        <label class="field">
          <span>Calibration values</span>
          <input
            name="Values whose rows calibrate"
            placeholder="calibration, validation …"
            value={split.calibration?.join(', ') ?? ''}
            onChange={({ currentTarget }) =>
              reread({ split: { column: split.column, calibration: parted(currentTarget.value) } })
            }
          />
        </label>
      )}
    </>
  );
}

/** "a, b" as a list. */
const parted = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

export function RowsChoices() {
  return (
    <>
      <Only />
      <Division />
      <PolicyChoices />
    </>
  );
}

/** Which rows are scored, and how they are divided. */
export function Rows() {
  const { summary } = about.value!;
  const { rows, only, split } = summary;
  const says = only ? `${counted(rows, 'row')}: ${only.description}` : counted(rows, 'row');
  return (
    <Choice now={says} label={`Rows: ${says}. ${split}`}>
      <RowsChoices />
    </Choice>
  );
}

function GroupsChoices() {
  const names = namesWith(about.value!.summary, ['group']);
  return (
    <>
      {names.length > 0 && (
        <SomeOf
          legend="Group columns"
          options={names}
          value={subject.value.groups ?? names}
          choose={(groups) => change({ groups: groups.length === names.length ? null : groups })}
        />
      )}
      <AddColumn label="Use another grouping column" role="group" without={names} />
    </>
  );
}

/** Which columns say who belongs together. */
export function Groups() {
  const chosen = subject.value.groups ?? namesWith(about.value!.summary, ['group']);
  return (
    <Choice now={shortly(chosen)} label={`Group by: ${listed(chosen) || 'none'}`}>
      <GroupsChoices />
    </Choice>
  );
}

/** Which recalibration is looked at. */
export function Recalibration() {
  const data = open.value?.data;
  if (!data) return null;
  const { methods } = offerOf(data);
  const chosen = subject.value.repair ?? 'none';
  const title = chosen === 'none' ? 'none' : methodTitle(chosen);
  const list = (usual: boolean): [string, string][] =>
    methods.filter((one) => one.usual === usual).map(({ id, name }) => [id, name]);
  const advised: [string, string][] = Object.keys(specified.value).map((name) => [name, name]);
  const choose = (repair: string) => change({ repair: repair === 'none' ? null : repair });
  return (
    <Choice now={title} label={`Recalibration: ${title}`}>
      <OneOf
        legend="Method"
        options={[['none', 'None (original predictions)'], ...advised, ...list(true)]}
        value={chosen}
        choose={choose}
      />
      {list(false).length > 0 && (
        <details open={list(false).some(([id]) => id === chosen)}>
          <summary>More methods</summary>
          <OneOf legend="Method" options={list(false)} value={chosen} choose={choose} />
        </details>
      )}
    </Choice>
  );
}
