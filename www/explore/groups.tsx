// For whom is it wrong: every group column of the subject, one after the other, unless a person asks for one or a pair.

import { descriptionOf } from '../parts/catalogue.js';
import { Panel, Question, Sheet, lacking } from '../parts/panel.js';
import { open, panels, subject } from '../state/store.js';

export const GROUPS = 'groups';

export function Groups() {
  const description = descriptionOf(GROUPS);
  if (!description || lacking(description)) return <Panel kind={GROUPS} />;
  const asked = panels.value[GROUPS]?.columns !== undefined;
  const [first = {}, ...others] = asked ? [] : eachColumn();
  return (
    <Question kind={GROUPS} title={description.title} about={description.plain}>
      <Sheet description={description} more={first} />
      {others.map((one) => (
        <section key={one.columns[0]} class="by" aria-label={one.columns[0]}>
          <Sheet description={description} more={one} bare />
        </section>
      ))}
    </Question>
  );
}

/** What the analysis is asked, once for each column that the subject groups rows by. */
export const eachColumn = () => groupColumns().map((column) => ({ columns: [column] }));

/** Columns that the subject groups rows by. */
function groupColumns(): string[] {
  const columns = open.value?.summary.columns ?? [];
  return subject.value.groups ?? columns.filter(({ role }) => role === 'group').map(({ name }) => name);
}
