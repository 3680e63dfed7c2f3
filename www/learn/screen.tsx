// One screen: question, prediction, result, explanation, and the same on a person's own file.

import { openExample } from '../state/opening.js';
import { usable } from '../state/store.js';
import { LESSON } from './lesson.js';
import { LineUp } from './line_up.js';
import { onOwnFile, openCase } from './own_file.js';
import { Predicted, isPredicted } from './predicted.js';
import { Questions } from './questions.js';
import { hidden, lab, leavesLab, linkOf, screensOf, show, stateOf } from './state.js';

/** Screens whose questions are not those of a prediction. */
const ASKS_OTHERWISE = [1, 5];

export function Screen() {
  const { screen, view } = lab.value;
  const text = LESSON[screen];
  return (
    <section class="screen" aria-labelledby="screen-title">
      <h2 id="screen-title">{text.title}</h2>
      {/* what a screen teaches would answer what it asks */}
      {(ASKS_OTHERWISE.includes(screen) || isPredicted()) && <p class="goal muted">{text.goal}</p>}
      {screen === 1 ? <Questions /> : screen === 5 ? <LineUp /> : <Predicted key={view} />}
      <Foot />
      <Next />
    </section>
  );
}

/** Formula, misconception, and the same of a person's own file. */
function Foot() {
  const { screen } = lab.value;
  const { formula, myth, own } = LESSON[screen];
  return (
    <div class="foot-of-screen">
      {!hidden('formulas') && (
        <details>
          <summary>Formula</summary>
          <p class="number">{formula}</p>
          {!hidden('answers') && <p class="muted">A common misconception: “{myth}”</p>}
        </details>
      )}
      {leavesLab(lab.value) && (
        <p class="row">
          <button type="button" class="quiet" id="own-file" onClick={onOwnFile}>
            Try this on your own file: {own.title}
          </button>
          {screen === 10 && (
            <button type="button" class="quiet" id="open-case" onClick={openCase}>
              Open this case in Finding
            </button>
          )}
          {!usable.value && (
            <button type="button" class="quiet" onClick={() => void openExample('synthetic.csv')}>
              Or open the example “Two regions”
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/** The way to the next screen of the lesson. */
function Next() {
  const screens = screensOf(lab.value);
  const next = screens[screens.indexOf(lab.value.screen) + 1];
  if (next === undefined) return null;
  return (
    <p>
      <a
        id="next-screen"
        href={`#${linkOf(stateOf(next))}`}
        onClick={(event) => {
          event.preventDefault();
          show(next);
          scrollTo(0, 0);
        }}
      >
        Next: {next}. {LESSON[next].title}
      </a>
    </p>
  );
}
