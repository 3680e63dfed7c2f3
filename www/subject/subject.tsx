// The subject line: model, outcome, rows, groups, features and recalibration. What is changed here changes everywhere.

import { about, open } from '../state/store.js';
import { Similarity } from './similarity.js';
import { Groups, Model, Outcome, Recalibration, Rows } from './parts.js';

export function Subject() {
  if (!about.value) return null;
  return (
    <div id="subject" role="group" aria-label="Subject">
      <Model />
      <Outcome />
      <Rows />
      <span class="labelled">
        Group by: <Groups />
      </span>
      <span class="labelled alike-part">
        Similarity: <Similarity />
      </span>
      {open.value && (
        <span class="labelled">
          Recalibration: <Recalibration />
        </span>
      )}
    </div>
  );
}
