// One screen: question, prediction by one tap, result, explanation, and the same on a person's own file.

import { useEffect, useState } from 'preact/hooks';
import { openExample, openGiven } from '../state/opening.js';
import { asking, goTo, usable } from '../state/store.js';
import { labOf } from '../engine/localcal.js';
import { showError } from '../parts/message.js';
import { useRoom, useShown } from './asking.js';
import { HandleOf } from './handles.js';
import type { Ask } from './lesson.js';
import { LESSON, VERDICTS } from './lesson.js';
import { LineUp } from './line_up.js';
import { Questions } from './questions.js';
import { Result } from './result.js';
import type { Answers } from './state.js';
import { HANDLES, again, answer, answers, change, hidden, lab, requestOf } from './state.js';

/** Screens whose charts stand there before the prediction. */
const SHOWN_BEFORE = [3, 6, 7, 10];
/** Handles that a prediction is made with. */
const BEFORE: Record<number, string[]> = { 6: ['region'], 7: ['gamma'], 10: ['case'] };

export function Screen() {
  const { screen, view } = lab.value;
  const text = LESSON[screen];
  return (
    <section class="screen" aria-labelledby="screen-title">
      <h2 id="screen-title">{text.title}</h2>
      <p class="muted">{text.goal}</p>
      {screen === 1 ? <Questions /> : screen === 5 ? <LineUp /> : <Predicted key={view} />}
      <Foot />
    </section>
  );
}

/** Whether a prediction was right, judged by the truth of the world; null: not told, or not known yet. */
function rightly({ id, right }: Ask, given: Answers): boolean | null {
  const { screen, case: chosen } = lab.value;
  const mine = given[keyOf(id)];
  if (screen === 10) return VERDICTS[chosen][id].includes(mine);
  if (right !== null) return mine === right;
  const verdict = given.verdict;
  if (verdict === undefined) return null;
  if (id === 'set') return verdict === 'cancels';
  if (id === 'pin') return verdict === 'close';
  return mine === verdict;
}
/** Each case has answers of its own. */
const keyOf = (id: string) => (lab.value.screen === 10 ? `${lab.value.case}-${id}` : id);

/** The first question without an answer. */
const openOf = (asks: Ask[], given: Answers) => asks.find(({ id }) => !(keyOf(id) in given));

/** What a locked handle stood at. */
function handleInWords(id: string, value: string) {
  return id === 'pin' ? `γ = ${value}` : value;
}

function Predicted() {
  const now = lab.value;
  const { screen } = now;
  const { asks, handles } = LESSON[screen];
  const given = answers.value[screen] ?? {};
  const next = openOf(asks, given);
  const answered = next === undefined;
  const projector = now.view === 'projector';
  const { element, room } = useRoom(projector);
  const [only, setOnly] = useState(0);
  // before the prediction, screen 3 shows the model as it is
  const state = screen === 3 && !answered ? { ...now, T: 1 } : now;
  const asked = room.width > 0 && (answered || SHOWN_BEFORE.includes(screen));
  const request = { ...requestOf(state), answered, width: room.width, dpr: devicePixelRatio || 1, dark: room.dark };
  const shown = useShown(asked ? request : null);
  const verdict = shown?.outcome.right;
  // what the world says of the prediction is kept as it was when it was made
  useEffect(() => {
    if (answered && verdict && shown?.outcome.screen === screen && !('verdict' in given)) answer('verdict', verdict);
  }, [answered, verdict]);
  const choose = (id: string, choice: string) => {
    answer(keyOf(id), choice);
    // the question was what doubling does: now it is done
    if (screen === 3 && id === 'curve' && lab.peek().T === 1) change({ T: 2 });
  };
  const lock = (id: string) => choose(id, id === 'pin' ? String(now.gamma) : setInWords());
  const setInWords = () =>
    now.region
      .slice(1)
      .map(([x, y, , d]) => `depth ${signed(d)} at (${signed(x)}, ${signed(y)})`)
      .join('; ');
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || inField(event.target)) return;
      // what is open now, which may be later than what was last drawn
      const open = openOf(asks, answers.peek()[screen] ?? {});
      const choice = /^[1-9]$/.test(event.key) && open?.choices?.[Number(event.key) - 1];
      if (open && choice) choose(open.id, choice.id);
      else if (event.key === 'd' && !open) drawAgain();
      else if (event.key === 'c') setOnly((one) => one + 1);
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  const free = answered ? handles : (BEFORE[screen] ?? []);
  return (
    <>
      {asks.map((ask) => {
        const mine = given[keyOf(ask.id)];
        if (mine === undefined) return null;
        const right = answered && !hidden('answers') ? rightly(ask, given) : null;
        const words = ask.choices?.find(({ id }) => id === mine)?.text ?? handleInWords(ask.id, mine);
        return (
          <p key={ask.id} class="prediction">
            <span class="muted">{ask.question}</span>
            <br />○ Your prediction: <strong>{words}</strong> {right === null ? '' : right ? '✓' : '✗'}
            {right === false &&
              ask.right !== null &&
              ` It is: ${ask.choices?.find(({ id }) => id === ask.right)?.text}.`}
          </p>
        );
      })}
      {next && (
        <fieldset class="asked">
          <legend>Your prediction</legend>
          <p class="ask">{next.question}</p>
          {next.choices ? (
            <p class="row">
              {next.choices.map(({ id, text }) => (
                <button key={id} type="button" class="choice-of" onClick={() => choose(next.id, id)}>
                  {text}
                </button>
              ))}
            </p>
          ) : (
            <p>
              <button type="button" class="primary" onClick={() => lock(next.id)}>
                Lock my prediction
              </button>
            </p>
          )}
        </fieldset>
      )}
      <div class="stage-and-handles">
        <div class="results" ref={element}>
          {shown && asked && shown.outcome.screen === screen && (
            <Result shown={shown} room={room} explains={answered} only={projector ? only : undefined} />
          )}
        </div>
        {(free.length > 0 || answered) && !hidden('handles') && (
          <div class="handles">
            {free.map((name) => (
              <HandleOf key={name} name={name} locked={!answered && next?.id !== 'set'} />
            ))}
            {answered && <Again />}
            {answered && <AllHandles own={handles} />}
          </div>
        )}
      </div>
    </>
  );
}

const signed = (x: number) => String(x).replace('-', '−');
const inField = (target: EventTarget | null) =>
  (target as Element | null)?.closest?.('input, select, textarea, [role="slider"]') != null;

const drawAgain = () => change({ draw: lab.peek().draw + 1 });

const Again = () => (
  <p class="row">
    <button type="button" id="draw-again" onClick={drawAgain}>
      Draw again
    </button>
    <button type="button" class="quiet" id="same-start" onClick={again}>
      Same start again
    </button>
  </p>
);

function AllHandles({ own }: { own: string[] }) {
  const others = HANDLES.filter(({ key }) => !own.includes(key) && (key !== 'move' || lab.value.screen === 9));
  return (
    <details>
      <summary>All handles</summary>
      {others.map(({ key }) => (
        <HandleOf key={key} name={key} />
      ))}
      {!own.includes('group') && <HandleOf name="group" />}
    </details>
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
      {!hidden('own') && (
        <p class="row">
          <button type="button" class="quiet" id="own-file" onClick={() => onOwnFile(own.kind)}>
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

/** The view of an own file that shows the same; without a file, where one is opened. */
function onOwnFile(kind: string) {
  if (!usable.peek()) return void goTo('data');
  if (kind === 'finding') return void goTo('finding');
  asking.value = kind;
  goTo('explore');
}

/** The rows of the case, opened like any file. */
async function openCase() {
  try {
    const { outcome } = await labOf({ ...requestOf(lab.peek()), answered: false, csv: true });
    const file = new File([outcome.csv ?? ''], `case_${lab.peek().case}.csv`, { type: 'text/csv' });
    openGiven([file]);
  } catch (error) {
    showError(error);
  }
}
