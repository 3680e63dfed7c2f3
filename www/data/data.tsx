// Data: opening is a conversation. What was read, as a sentence whose parts can be corrected; below, five rows of the
// file under their roles; and what is missing, with the control that supplies it.

import { whole } from '../parts/words.js';
import { about, change, draft, goTo, scorable } from '../state/store.js';
import { percentsIn } from '../state/opening.js';
import { Features, Groups, Model, Outcome, Rows } from '../subject/parts.js';
import { pickFiles } from './drop.js';
import { HeaderSwitch, Roles } from './roles.js';

type Summary = wasm_bindgen.Summary;

export function Data() {
  const now = about.value;
  if (!now) return null;
  const { summary, files } = now;
  const percents = percentsIn(summary, files);
  const wanting = wantingOf(summary, percents !== null);
  return (
    <section id="data" aria-labelledby="data-title">
      <div class="conversation">
        <h1 id="data-title">{wanting ?? <Read />}</h1>
        {wanting && !draft.value && (
          <p>
            <Read />
          </p>
        )}
        {percents && <Percents readings={percents} />}
        <Notes {...summary} />
      </div>
      <div class="row between">
        <HeaderSwitch />
        <span class="muted">
          {files.map(({ name }) => name).join(', ')}: the first five rows, and what each column is
        </span>
      </div>
      <Roles />
      <p class="row">
        {scorable(summary) && !draft.value && (
          <button type="button" class="primary" onClick={() => goTo('finding')}>
            Show the finding
          </button>
        )}
        {draft.value && (
          <button type="button" onClick={leaveAlone}>
            Leave this file alone
          </button>
        )}
        <button type="button" onClick={pickFiles}>
          Open another file
        </button>
      </p>
      {summary.missing && !draft.value && (
        <p class="muted">A stored calibrator can still be applied, in the view Report.</p>
      )}
    </section>
  );
}

/** Goes back to what was open before the files that wait. */
function leaveAlone() {
  draft.value = null;
}

/** What a person has to say before rows are scored; null: nothing. */
function wantingOf({ missing, columns, unsure }: Summary, percents: boolean): string | null {
  const names = draft.value?.files.map(({ name }) => name).join(', ');
  if (names)
    return percents
      ? `${names}: these look like percents, not probabilities.`
      : `${names}: please say what its columns are.`;
  if (missing) return missing;
  const open = columns.filter(({ sure }) => !sure).length;
  if (open > 0) return `${open} of ${columns.length} columns: please look at what they were taken for.`;
  return unsure ? 'Please look at what the labels were taken for.' : null;
}

/** The sentence of what was read. */
function Read() {
  const { summary } = about.value!;
  const percent = summary.columns.some(({ reading }) => reading === 'percent');
  const event = summary.view === 'positive' ? 'the risk of' : 'what happened is';
  return (
    <>
      <Rows />, scored by <Model />
      {percent && ' (in percent)'}; {event} <Outcome />; groups: <Groups />; features: <Features />.
    </>
  );
}

function Percents({ readings }: { readings: Record<string, wasm_bindgen.Reading> }) {
  const read = () => change({ options: { readings: { ...about.peek()?.options.readings, ...readings } } });
  return (
    <p>
      <button type="button" class="primary" onClick={read}>
        These are percents
      </button>
    </p>
  );
}

/** What a person should know, and which rows were left out. */
export function Notes({ warnings, dropped }: Pick<Summary, 'warnings' | 'dropped'>) {
  if (warnings.length + dropped.length === 0) return null;
  return (
    <ul class="notes">
      {warnings.map(({ message }) => (
        <li key={message}>{message}</li>
      ))}
      {dropped.slice(0, 5).map(({ row, reason }) => (
        <li key={row}>
          Row {whole(row)} left out: {reason}
        </li>
      ))}
      {dropped.length > 5 && <li>and {whole(dropped.length - 5)} more rows</li>}
    </ul>
  );
}
