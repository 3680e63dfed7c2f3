// For whom is it wrong: every group column of the subject, one after the other, unless a person asks for one or a pair.

import { descriptionOf } from '../parts/catalogue.js';
import { Panel, Question, Sheet, lacking } from '../parts/panel.js';
import { open, panels, subject } from '../state/store.js';

const KIND = 'groups';

export function Groups() {
  const description = descriptionOf(KIND);
  if (!description || lacking(description)) return <Panel kind={KIND} />;
  const asked = panels.value[KIND]?.columns !== undefined;
  const columns = asked ? [] : groupColumns();
  const [first, ...others] = columns;
  const by = (column: string | undefined) => (column === undefined ? {} : { columns: [column] });
  return (
    <Question kind={KIND} title={description.title} about={description.plain}>
      <Sheet description={description} more={by(first)} />
      {others.map((column) => (
        <section key={column} class="by" aria-label={column}>
          <Sheet description={description} more={by(column)} bare />
        </section>
      ))}
    </Question>
  );
}

/** Columns that the subject groups rows by. */
function groupColumns(): string[] {
  const columns = open.value?.summary.columns ?? [];
  return subject.value.groups ?? columns.filter(({ role }) => role === 'group').map(({ name }) => name);
}
