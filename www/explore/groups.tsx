// For whom is it wrong: every group column of the subject, one after the other, unless a person asks for one or a pair.

import { descriptionOf } from '../parts/catalogue.js';
import { Panel, Question, Sheet } from '../parts/panel.js';
import { open, panels, subject } from '../state/store.js';

const KIND = 'groups';

export function Groups() {
  const description = descriptionOf(KIND);
  const columns = panels.value[KIND]?.columns ? [] : groupColumns();
  if (!description || columns.length < 2) return <Panel kind={KIND} />;
  return (
    <Question kind={KIND} title={description.title} about={description.plain}>
      {columns.map((column, i) => (
        <section key={column} class="by" aria-label={column}>
          <Sheet description={description} more={{ columns: [column] }} bare={i > 0} />
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
