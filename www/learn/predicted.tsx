// The prediction before the result, and the result with the prediction in it.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../parts/message.js';
import { isBusy, useRoom, useShown } from './asking.js';
import { Drawing } from './drawing.js';
import { HandleOf } from './handles.js';
import { answersByKey } from './keys.js';
import type { Ask } from './lesson.js';
import { useNextQuestion } from './next_question.js';
import { LESSON, asksOf, factorOf, rightOfBins, rightOfDiagram, verdictsOf } from './lesson.js';
import type { Spot } from './prediction.js';
import { shareInWords, withDisc, withPin, withPoints } from './prediction.js';
import { Result, Said } from './result.js';
import type { Answers, Lab, Region } from './state.js';
import { HANDLES, again, answer, answers, change, hasEffect, hidden, lab, movable, moves, requestOf } from './state.js';

/** Screens whose charts stand there before the prediction. */
const SHOWN_BEFORE = [3, 6, 7, 10];
/** Handles that a prediction is made with. */
const BEFORE: Record<number, string[]> = { 6: ['region'], 7: ['gamma'], 10: ['case'] };

/** Each case has answers of its own. */
const keyOf = (id: string) => (lab.value.screen === 10 ? `${lab.value.case}-${id}` : id);

const drawnAs = (mine: string): Spot[] => JSON.parse(mine);

/** The state in which a screen was asked: handles that are moved later change no question. */
function askedIn(now: Lab, given: Answers): Lab {
  const asked = given[keyOf('asked')];
  return asked === undefined ? now : JSON.parse(asked);
}

/** Id of the choice that is right of a question, several where several are; undefined: not known, or none is. */
function rightOf({ id, right }: Ask, given: Answers): string[] | undefined {
  const now = lab.value;
  const of = askedIn(now, given);
  if (now.screen === 10) {
    const all = verdictsOf(of, id);
    // what was asked is no longer what is shown
    return all === verdictsOf(now, id) ? all : undefined;
  }
  if (right !== null) return [right];
  const { verdict } = given;
  if (now.screen === 3 && of.s === 0 && of.move === 0) return ['same'];
  if (verdict === undefined) return undefined;
  if (now.screen === 6) {
    const [set, place] = verdict.split(' ');
    return id === 'everywhere' ? rightOfDiagram(place === 'above') : set === '' ? undefined : [set];
  }
  if (now.screen !== 4) return [verdict];
  const [mean, other] = verdict.split(' ').map(Number);
  return [rightOfBins(of, mean, other)[id]];
}

/** Whether a prediction was right, judged by the truth of the world; null: not told, or not known yet. */
function rightly(ask: Ask, given: Answers): boolean | null {
  const { id, draw, writes, unjudged } = ask;
  if (writes || unjudged) return null;
  const mine = given[keyOf(id)];
  if (draw) return draw.right(drawnAs(mine));
  const all = rightOf(ask, given);
  if (all === undefined) return null;
  if (id === 'set') return all.includes('cancels');
  if (id === 'pin') return all.includes('close');
  return all.includes(mine);
}

/** The first question without an answer. */
const openOf = (asks: Ask[], given: Answers) => asks.find(({ id }) => !(keyOf(id) in given));

/** Whether every question of the screen has its prediction. */
export function isPredicted(): boolean {
  const given = answers.value[lab.value.screen] ?? {};
  return openOf(asksOf(askedIn(lab.value, given)), given) === undefined;
}

const signed = (x: number) => String(x).replace('-', '−');

/** A prediction as people read it. */
function inWords({ id, choices, draw }: Ask, mine: string): string {
  if (draw) return drawnAs(mine).map(shareInWords).join(', ');
  if (id === 'pin') return `γ = ${mine}`;
  if (id !== 'set') return choices?.find((one) => one.id === mine)?.text ?? mine;
  const regions: Region[] = JSON.parse(mine);
  return regions.map(([x, y, , depth]) => `depth ${signed(depth)} at (${signed(x)}, ${signed(y)})`).join('; ');
}

/** What is true where a prediction was not. */
function truthOf(ask: Ask, given: Answers): string | undefined {
  const { choices, draw, truth } = ask;
  if (truth ?? draw?.truth) return truth ?? draw?.truth;
  const all = rightOf(ask, given)?.flatMap((right) => choices?.find((one) => one.id === right)?.text ?? []);
  return all && all.length > 0 ? all.join(', or ') : undefined;
}
/** What the core says of the predictions of a screen. */
function verdictOf({ screen, right, numbers }: wasm_bindgen.LabAnswer): string | null | undefined {
  const value = (id: string) => numbers.find((number) => number.id === id)?.value;
  if (screen === 6) return `${right ?? ''} ${Number(value('ece')) > Number(value('null_high')) ? 'above' : 'inside'}`;
  if (screen !== 4) return right;
  return `${value('null_mean')} ${value('null_mean_other')}`;
}

/** A chart of the result with what was drawn, or set, before. */
function withPrediction(asks: Ask[], given: Answers, id: string, figure: wasm_bindgen.Figure): wasm_bindgen.Figure {
  let found = figure;
  for (const { id: asked, draw } of asks) {
    const mine = given[asked];
    if (mine === undefined) continue;
    if (draw && id === 'diagram') found = withPoints(found, drawnAs(mine));
    if (asked === 'pin' && id === 'sweep') found = withPin(found, Number(mine));
    if (asked === 'set' && id === 'map')
      for (const [x, y, radius] of JSON.parse(mine) as Region[]) found = withDisc(found, [x, y], radius);
  }
  return found;
}

/** The questions that are answered, each with its prediction. */
function Predictions({ asks, given, judged }: { asks: Ask[]; given: Answers; judged: boolean }) {
  return (
    <>
      {asks.map((ask) => {
        const mine = given[keyOf(ask.id)];
        if (mine === undefined) return null;
        const right = judged && !hidden('answers') ? rightly(ask, given) : null;
        const truth = truthOf(ask, given);
        return (
          <p key={ask.id} class="prediction">
            <span class="muted">{ask.question}</span>
            <br />○ Your prediction: <strong>{inWords(ask, mine)}</strong> {right === null ? '' : right ? '✓' : '✗'}
            {right === false && truth !== undefined && ` It is: ${truth}.`}
          </p>
        );
      })}
    </>
  );
}

export function Predicted() {
  const now = lab.value;
  const { screen } = now;
  const { handles } = LESSON[screen];
  const given = answers.value[screen] ?? {};
  const asks = asksOf(askedIn(now, given));
  const next = openOf(asks, given);
  const answered = next === undefined;
  const said = useNextQuestion<HTMLDivElement>(next?.id ?? '');
  const projector = now.view === 'projector';
  const { element, across, room } = useRoom(projector);
  const [only, setOnly] = useState(0);
  const [sketch, setSketch] = useState<Spot[] | null>(null);
  const [sentence, setSentence] = useState('');
  const draw = next?.draw;
  // before the prediction, screen 3 shows the model as it is
  const state = screen === 3 && !answered ? { ...now, T: 1, classes: 2 } : now;
  const charted = answered || draw !== undefined || SHOWN_BEFORE.includes(screen);
  const asked = charted && room.width > 0;
  const request = { ...requestOf(state), answered, ...room };
  const wanted = asked ? request : null;
  const latest = useShown(wanted);
  const shown = asked && latest?.outcome.screen === screen ? latest : null;
  // what was on screen before the prediction, of another state as it may be, says nothing of it
  const before = useRef(latest);
  if (!answered) before.current = latest;
  const verdict = shown?.request.answered && shown !== before.current ? verdictOf(shown.outcome) : undefined;
  // what holds is read out once it is there: a region that comes with its words is not
  const told = answered && shown !== before.current ? shown?.outcome.sentences.join(' ') : undefined;
  const heard = useRef(answered);
  useEffect(() => {
    if (!answered) heard.current = false;
    if (heard.current || !told || hidden('answers')) return;
    heard.current = true;
    announce(told);
  }, [answered, told]);
  // what the world says of the prediction is kept as it was when it was made
  useLayoutEffect(() => {
    if (answered && verdict && !('verdict' in given)) answer('verdict', verdict);
  }, [answered, verdict]);
  const choose = (id: string, choice: string) => {
    const asked = keyOf('asked');
    if (!(asked in (answers.peek()[screen] ?? {}))) answer(asked, JSON.stringify(lab.peek()));
    answer(keyOf(id), choice);
    // the question was what doubling does: now it is done
    if (screen === 3 && id === 'curve' && lab.peek().T === 1) change({ T: factorOf(lab.peek()) });
  };
  const lock = ({ id, draw, writes }: Ask) => {
    if (writes) choose(id, sentence.trim() || '–');
    else if (draw) choose(id, JSON.stringify(sketch ?? draw.from));
    else choose(id, id === 'pin' ? String(now.gamma) : JSON.stringify(movable(now.region)));
    setSketch(null);
    setSentence('');
  };
  // in the same step as what is drawn: a key that is pressed at once is heard
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!answersByKey(event)) return;
      // what is open now, which may be later than what was last drawn
      const given = answers.peek()[lab.peek().screen] ?? {};
      const open = openOf(asksOf(askedIn(lab.peek(), given)), given);
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
  // before the answer the question stands beside the chart, or, where there is none, alone
  const form = answered ? 'told' : charted ? 'asks' : 'alone';
  const free = answered ? handles : (BEFORE[screen] ?? []);
  // beside one chart there is room for what is said
  const alone = projector || draw || shown?.outcome.charts.length === 1;
  return (
    <>
      <div class={`stage-and-handles ${form} ${alone ? 'one-chart' : ''}`}>
        <div class="said" ref={said}>
          <Predictions {...{ asks, given }} judged={answered} />
          {next && (
            <fieldset class="asked">
              <legend>Your prediction</legend>
              <p class="ask" key={next.id}>
                {next.question}
              </p>
              {next.choices ? (
                <p class="row">
                  {next.choices.map(({ id, text }) => (
                    <button key={id} type="button" class="choice-of" onClick={() => choose(next.id, id)}>
                      {text}
                    </button>
                  ))}
                </p>
              ) : (
                <p class="row">
                  {next.writes && (
                    <textarea
                      name="sentence"
                      rows={2}
                      aria-label={next.question}
                      placeholder="Effect, interval, n, action"
                      value={sentence}
                      onInput={({ currentTarget }) => setSentence(currentTarget.value)}
                    />
                  )}
                  <button type="button" class="primary" onClick={() => lock(next)}>
                    Lock my prediction
                  </button>
                </p>
              )}
            </fieldset>
          )}
          {answered && shown && <Said shown={shown} />}
          {projector && shown && !draw && <Charts of={shown.outcome.charts.length} at={only} to={setOnly} />}
        </div>
        <div class="results" ref={element} aria-busy={isBusy(latest, wanted)}>
          {shown && draw && <Drawing id="diagram" {...{ shown, draw }} points={sketch ?? draw.from} to={setSketch} />}
          {shown && !draw && (
            <Result
              shown={shown}
              across={across}
              only={projector ? only : undefined}
              marked={(id, figure) => (answered ? withPrediction(asks, given, id, figure) : figure)}
              of={JSON.stringify(given)}
            />
          )}
        </div>
        {(free.length > 0 || answered) && !hidden('handles') && (
          <Handles free={free} locked={!answered && next.id !== 'set'} answered={answered} />
        )}
      </div>
    </>
  );
}

/** The handle that the screen is about, which a phone keeps under the thumb; below it the others. */
function Handles({ free, locked, answered }: { free: string[]; locked: boolean; answered: boolean }) {
  const { screen, view } = lab.value;
  const [first, ...others] = free;
  // a projector has room for one
  const folded = answered && view === 'projector';
  return (
    <>
      <div class="handles thumb">
        {first && <HandleOf name={first} locked={locked} />}
        {answered && <Again />}
      </div>
      {(others.length > 0 || answered) && (
        <div class="handles others">
          {!folded && others.map((name) => <HandleOf key={name} name={name} locked={locked} />)}
          {answered && <AllHandles own={LESSON[screen].handles} folded={folded ? others : []} />}
        </div>
      )}
    </>
  );
}

/** Which of the charts a projector shows, and the way to the next. */
function Charts({ of, at, to }: { of: number; at: number; to: (change: (only: number) => number) => void }) {
  if (of < 2) return null;
  return (
    <p>
      <button type="button" class="quiet" id="next-chart" onClick={() => to((one) => one + 1)}>
        Chart {(at % of) + 1} of {of}: show the next (c)
      </button>
    </p>
  );
}

const drawAgain = () => change({ draw: lab.peek().draw + 1 });

const Again = () => (
  <p class="row">
    <button type="button" id="draw-again" onClick={drawAgain}>
      Draw again
    </button>
    <button
      type="button"
      class="quiet"
      id="take-back"
      disabled={!moves.canUndo.value}
      title="Undo (Ctrl+Z)"
      onClick={moves.undo}
    >
      Undo
    </button>
    <button type="button" class="quiet" id="same-start" onClick={again}>
      Same start again
    </button>
  </p>
);

function AllHandles({ own, folded }: { own: string[]; folded: string[] }) {
  const { screen } = lab.value;
  const others = HANDLES.filter(({ key }) => !own.includes(key) && hasEffect(key, screen));
  return (
    <details>
      <summary>All handles</summary>
      {folded.map((name) => (
        <HandleOf key={name} name={name} />
      ))}
      {others.map(({ key }) => (
        <HandleOf key={key} name={key} />
      ))}
      {!own.includes('group') && hasEffect('group', screen) && <HandleOf name="group" />}
    </details>
  );
}
