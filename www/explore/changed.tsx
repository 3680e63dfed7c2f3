// What changed since a session was saved: without one the panel asks for it.

import { descriptionOf } from '../parts/catalogue.js';
import { Panel, Question } from '../parts/panel.js';
import { openGiven } from '../state/opening.js';
import { open } from '../state/store.js';
import { sessionOf } from '../state/applicable.js';

const KIND = 'changed';

export function Changed() {
  const { title = '', plain } = descriptionOf(KIND) ?? {};
  if (sessionOf(open.value?.options ?? {})) return <Panel kind={KIND} />;
  return (
    <Question kind={KIND} title={title} about={plain} keeps={false}>
      <div class="lacking">
        <p>
          Choose a session saved under Report from an earlier file. Its metrics are compared with those of the open
          file, and its stored recalibrations are evaluated on it.
        </p>
        <label class="field">
          <span>Session file</span>
          <input
            type="file"
            name="session"
            accept=".json"
            onChange={({ currentTarget: { files } }) => openGiven([...(files ?? [])])}
          />
        </label>
      </div>
    </Question>
  );
}
