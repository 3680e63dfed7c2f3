// Five rows of the file under the roles of its columns, which can be changed in place.

import { roles } from '../parts/catalogue.js';
import { Worded } from '../parts/worded.js';
import { fullName } from '../state/opening.js';
import { about, reread } from '../state/store.js';
import { bookOf } from '../tables/read.js';
import { giveRole } from '../subject/parts.js';

type ColumnRole = wasm_bindgen.ColumnRole;
type Role = wasm_bindgen.Role;

/** Reads another table of the same files: what was said of columns goes with their names. */
const anew = (part: { header: boolean } | { sheet: number }) =>
  reread(({ split }) => ({
    split: split !== null && typeof split === 'object' && 'column' in split ? undefined : split,
    roles: {},
    readings: {},
    missing: {},
    model: undefined,
    only: [],
    clusters: undefined,
    ...part,
  }));

/** Whether the first row of a table holds names. */
export function HeaderSwitch() {
  const now = about.value;
  if (now?.summary.header == null) return null;
  return (
    <label class="check">
      <input
        type="checkbox"
        name="header"
        checked={now.summary.header}
        onChange={({ currentTarget }) => anew({ header: currentTarget.checked })}
      />{' '}
      First row holds column names
    </label>
  );
}

/** Which sheet of a workbook is read, where several hold a table. */
export function SheetChoice() {
  const now = about.value;
  const books = now?.files.flatMap((file) => bookOf(file) ?? []) ?? [];
  const book = books.find(({ sheets }) => sheets.length > 1);
  if (!now || !book) return null;
  return (
    <label>
      Sheet{' '}
      <select
        name="sheet"
        value={book.read + 1}
        onChange={({ currentTarget }) => anew({ sheet: Number(currentTarget.value) })}
      >
        {book.sheets.map((name, place) => (
          <option key={place} value={place + 1}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Whether the last row of a table holds totals of the others. */
export function TotalsSwitch() {
  const now = about.value;
  if (now?.summary.totals == null) return null;
  return (
    <label class="check">
      <input
        type="checkbox"
        name="totals"
        checked={now.summary.totals}
        onChange={({ currentTarget }) => reread({ totals: currentTarget.checked })}
      />{' '}
      Exclude last row (totals)
    </label>
  );
}

/** A long name may break after its marks. */
const Breakable = ({ name }: { name: string }) => (
  <>
    {name.split(/(?<=[_.-])/).map((part, i) => (
      <span key={i}>
        {part}
        <wbr />
      </span>
    ))}
  </>
);

/** The role of a column, with its name. */
export const RoleChoice = ({ column }: { column: ColumnRole }) => (
  <label class="field">
    <span>Role of {column.name}</span>
    <RoleOf column={column} files={about.value?.files ?? []} />
  </label>
);

function RoleOf({ column, files }: { column: ColumnRole; files: File[] }) {
  const percent = column.reading === 'percent' && ['probability', 'probabilities'].includes(column.role);
  return (
    <select
      name={`role ${fullName(column, files)}`}
      aria-label={`Role of ${column.name}`}
      value={percent ? 'percent' : column.role}
      onChange={({ currentTarget }) => giveRole([column], currentTarget.value as Role)}
    >
      {roles().map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** The first rows under the roles of their columns. */
export function Roles() {
  const now = about.value;
  if (!now) return null;
  const { columns } = now.summary;
  const rows = [0, 1, 2, 3, 4].filter((i) => columns.some(({ preview }) => i < preview.length));
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="First five rows">
      <table class="preview">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={fullName(column, now.files)} scope="col">
                <span class="name" title={column.name}>
                  <Breakable name={column.name} />
                  {column.shape.length > 1 && <span class="muted number"> × {column.shape[1]}</span>}
                </span>
              </th>
            ))}
          </tr>
          {/* a row of their own: level below names of one line and of two */}
          <tr>
            {columns.map((column) => (
              <td key={fullName(column, now.files)} class={column.sure ? undefined : 'unsure'}>
                {/* lexical dimensions are in no file: they come and go with the text */}
                {column.file !== '' && <RoleOf column={column} files={now.files} />}
                <span class="reason">
                  <Worded>{column.sure ? column.reason : `? ${column.reason}`}</Worded>
                </span>
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((i) => (
            <tr key={i}>
              {columns.map((column) => (
                <td key={fullName(column, now.files)} class={`number ${column.role}`}>
                  {column.preview[i] ?? ''}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
