// Data: opening is a conversation. What was read, as a sentence whose parts can be corrected; below, five rows of the
// file under their roles; and what is missing, with the control that supplies it.

import type { ComponentChild } from 'preact';
import { roleTitle } from '../parts/catalogue.js';
import { Worded } from '../parts/worded.js';
import { counted, sentencesOf, whole } from '../parts/words.js';
import { leadOn, leaveDraft, openExample, percentsIn, refusals } from '../state/opening.js';
import { about, draft, goTo, reread, scorable } from '../state/store.js';
import { Choice } from '../subject/choice.js';
import {
  AddColumn,
  ClusterChoices,
  Clusters,
  Groups,
  ModelChoices,
  OUTCOMES,
  Mark,
  OutcomeChoices,
  PolicyChoices,
  RowsChoices,
  SCORES,
  Sentinels,
  UnansweredChoices,
  columnsWith,
  confirm,
} from '../subject/parts.js';
import { Similarity } from '../subject/similarity.js';
import { Counting } from './counting.js';
import { pickFiles } from './drop.js';
import { HeaderSwitch, RoleChoice, Roles, SheetChoice, TotalsSwitch } from './roles.js';

/** The examples of the first screen. */
const EXAMPLES = [
  ['breast_cancer.csv', 'Breast cancer'],
  ['digits.npz', 'Handwritten digits'],
  ['synthetic.csv', 'Two regions'],
];

type Summary = wasm_bindgen.Summary;
type Statement = wasm_bindgen.Statement;

export function Data() {
  const now = about.value;
  if (!now) return null;
  const { summary, files } = now;
  const told = summary.told ?? [];
  const percents = percentsIn(summary, files);
  const incomplete = isIncomplete(summary);
  const wanting = wantingOf(summary, Object.keys(percents ?? {}));
  const names = files.map(({ name }) => name).join(', ');
  return (
    <section id="data" aria-labelledby="data-title" key={refusals.value}>
      <div class="conversation">
        <h1 id="data-title" class={wanting ? 'wanting' : ''}>
          {wanting === null ? <Sentence told={told} /> : <Needed>{wanting}</Needed>}
        </h1>
        {percents && <Percents readings={percents} />}
        {wanting && !(incomplete && percents) && <OpenQuestions {...summary} />}
        {wanting && told.length > 0 && (
          <p class="read">
            <Sentence told={told} />
          </p>
        )}
        <p class="settled">
          {summary.split && (
            <span>
              Evaluated by{' '}
              <Choice now={<Worded>{summary.split}</Worded>} label="Data split">
                <RowsChoices />
              </Choice>
            </span>
          )}
          <span>
            Group by <Groups />
          </span>
          <span>
            Similarity <Similarity />
          </span>
          <span>
            Clusters <Clusters />
          </span>
        </p>
        <Notes {...summary} />
      </div>
      <div class="row between">
        <h2>First five rows of {names}</h2>
        <SheetChoice />
        <HeaderSwitch />
      </div>
      <Roles />
      <p class="row ways">
        {scorable(summary) && !draft.value && (
          <button type="button" class="primary" onClick={() => goTo('finding')}>
            Show finding
          </button>
        )}
        {draft.value && (
          <button type="button" onClick={leaveDraft}>
            Do not open this file
          </button>
        )}
        <button type="button" onClick={pickFiles}>
          Open another file
        </button>
        <span class="muted">or try an example:</span>
        {EXAMPLES.map(([file, name]) => (
          <button key={file} type="button" class="quiet" data-example={file} onClick={() => openExample(file)}>
            {name}
          </button>
        ))}
      </p>
      <Counting />
      {summary.missing && !draft.value && <p class="muted">A saved calibrator can still be applied under Report.</p>}
    </section>
  );
}

/** Whether more than an answer to a guess is needed before rows can be scored. */
const isIncomplete = ({ missing }: Summary) => draft.value !== null || missing !== null;

/** What a person has to say before rows are scored; null: nothing. `percents`: columns that look like percentages. */
function wantingOf({ missing, columns, unsure }: Summary, percents: string[] = []): string | null {
  const names = draft.value?.files.map(({ name }) => name).join(', ');
  if (names && percents.length > 0) return `${percents.join(', ')}: these values look like percentages.`;
  if (names) return `${names}: assign a role to each column.`;
  if (missing) return missing;
  const unclear = columns.filter(({ sure }) => !sure);
  if (unclear.length > 1) return `${counted(unclear.length, 'column role')} were inferred. Are they correct?`;
  if (unclear.length > 0)
    return `The role of ${unclear[0].name} was inferred: ${roleTitle(unclear[0].role)}. Is it correct?`;
  return unsure ? 'The coding of the outcome was inferred. Is it correct?' : null;
}

/** What a person has to say, and then, smaller, why. */
function Needed({ children: text }: { children: string }) {
  const said = sentencesOf(text);
  const why = said.slice(2).join(' ');
  return (
    <>
      <Worded>{said.slice(0, 2).join(' ')}</Worded>
      {why && (
        <>
          {' '}
          <span class="source">
            <Worded>{why}</Worded>
          </span>
        </>
      )}
    </>
  );
}

/** Why nothing is computed yet, in the other views: a guess is asked about there, too. */
export function Wanting() {
  const { summary } = about.value!;
  const incomplete = isIncomplete(summary);
  return (
    <section class="conversation" aria-labelledby="wanting-title">
      <h1 id="wanting-title" class="wanting">
        {incomplete ? 'These rows cannot be evaluated yet.' : <Needed>{wantingOf(summary) ?? ''}</Needed>}
      </h1>
      {!incomplete && <OpenQuestions {...summary} />}
      <p class="muted">
        {!incomplete && 'Results appear once this is confirmed or corrected. '}
        <a href="#view=data">Data</a> shows {incomplete ? 'what is missing' : 'the first rows of the file'}.
      </p>
    </section>
  );
}

/** Columns about which a person is asked: those whose role is a guess, else those whose coding is. */
function unclearIn(summary: Summary) {
  const guessed = summary.columns.filter(({ sure }) => !sure);
  return guessed.length > 0 ? guessed : columnsWith(summary, OUTCOMES);
}

/** What a person has to say, each with the control that says it. */
function OpenQuestions(summary: Summary) {
  const without = (roles: wasm_bindgen.Role[]) => columnsWith(summary, roles).length === 0;
  if (isIncomplete(summary))
    return (
      <>
        {without(SCORES) && (
          <p>
            Calibration is measured on rows with known outcomes. One column must hold the model’s prediction: a
            probability, percentage or logit.
          </p>
        )}
        <div class="fields">
          {without(SCORES) && <AddColumn label="Prediction column" role="probability" without={[]} />}
          {without(OUTCOMES) && <AddColumn label="Outcome column" role="label" without={[]} />}
        </div>
      </>
    );
  const unclear = unclearIn(summary);
  const agree = () => {
    leadOn();
    confirm(unclear);
  };
  return (
    <>
      <ul class="asked">
        {unclear.map((column) => (
          <li key={column.name}>
            <RoleChoice column={column} />
            <span class="note">
              Inferred from: <Worded>{column.reason}</Worded>
            </span>
          </li>
        ))}
      </ul>
      <p>
        <button type="button" class="primary" onClick={agree}>
          {unclear.length > 1 ? 'Yes, all' : 'Yes'}
        </button>
      </p>
    </>
  );
}

/** What corrects a part of what was told. */
function correction({ about: kind, column: name }: Statement): ComponentChild {
  const column = about.value!.summary.columns.find((one) => one.name === name);
  const role = column && <RoleChoice column={column} />;
  switch (kind) {
    case 'rows':
      return <RowsChoices />;
    case 'dropped':
      return role ?? <PolicyChoices />;
    case 'score':
      return [role, <ModelChoices />];
    case 'models':
      return <ModelChoices />;
    case 'outcome':
      return [<OutcomeChoices />, role];
    case 'gaps':
      return [role, <PolicyChoices />];
    case 'clusters':
      return <ClusterChoices />;
    case 'dates':
      return role;
    case 'missing':
      return column && <Sentinels column={column} />;
    case 'marks':
      return [column && <Mark column={column} />, role];
    case 'totals':
      return <TotalsSwitch />;
    case 'log':
      return <p class="note">Recognized by its content. Each column can be given another role below.</p>;
    case 'unanswered':
      return <UnansweredChoices />;
  }
}

/** What was read; the sentences about where it comes from follow. */
const isFact = ({ about: of }: Statement) => of !== 'log' && of !== 'unanswered';

/** What was read, in the words of the core: each part is a button that corrects it. */
const Sentence = ({ told }: { told: Statement[] }) => (
  <>
    {[...told.filter(isFact), ...told.filter((part) => !isFact(part))].map((part) => (
      <span key={`${part.about} ${part.column}`} class={isFact(part) ? undefined : 'source'}>
        <Choice now={<Worded>{part.text}</Worded>} label={`Change: ${part.text}`}>
          {correction(part)}
        </Choice>{' '}
      </span>
    ))}
  </>
);

function Percents({ readings }: { readings: Record<string, wasm_bindgen.Reading> }) {
  const read = () => reread((now) => ({ readings: { ...now.readings, ...readings } }));
  return (
    <p>
      <button type="button" class="primary" onClick={read}>
        Read as percentages
      </button>
    </p>
  );
}

/** What a person should know, and which rows were left out. */
function Notes({ warnings, dropped }: Pick<Summary, 'warnings' | 'dropped'>) {
  if (warnings.length + dropped.length === 0) return null;
  const many = warnings.length > FEW;
  const list = (
    <ul class="notes">
      {warnings.map(({ message }) => (
        <li key={message}>
          <Worded>{message}</Worded>
        </li>
      ))}
      {dropped.slice(0, 5).map(({ row, reason }) => (
        <li key={row}>
          Row {whole(row)} excluded: <Worded>{reason}</Worded>
        </li>
      ))}
      {dropped.length > 5 && <li>and {whole(dropped.length - 5)} more rows</li>}
    </ul>
  );
  if (!many) return list;
  return (
    <details class="aside">
      <summary>{counted(warnings.length, 'note')} on the file</summary>
      {list}
    </details>
  );
}
/** Notes that stand there unasked. */
const FEW = 3;
