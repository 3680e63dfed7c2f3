// The subject line: which model, outcome, rows, groups, features and repair. What is changed here changes everywhere.

import { about } from '../state/store.js';
import { Features, Groups, Model, Outcome, Repair, Rows } from './parts.js';

export function Subject() {
  const now = about.value;
  if (!now) return null;
  const names = now.files.map(({ name }) => name).join(', ');
  return (
    <div id="subject" role="group" aria-label="Subject">
      <span class="file" title={names}>
        {names}
      </span>
      <Model />
      <Outcome />
      <Rows />
      <span class="labelled">
        groups: <Groups />
      </span>
      <span class="labelled">
        features: <Features />
      </span>
      <span class="labelled">
        repair: <Repair />
      </span>
    </div>
  );
}
