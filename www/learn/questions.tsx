// Screen 1: ten quick questions, each answered with a confidence.

import { useLayoutEffect, useState } from 'preact/hooks';
import { isBusy, useRoom, useShown } from './asking.js';
import { Result, Said } from './result.js';
import { HandleOf } from './handles.js';
import { answersByKey } from './keys.js';
import { useNextQuestion } from './next_question.js';
import { SETS } from './lesson.js';
import { answer, answers, lab, requestOf } from './state.js';

const CONFIDENCES = [50, 60, 70, 80, 90, 100];

export function Questions() {
  const now = lab.value;
  const { questions } = SETS[now.set];
  const { element, across, room } = useRoom(now.view === 'projector');
  const [picked, setPicked] = useState<number | null>(null);
  const [given, setGiven] = useState<{ set: string; stated: number[]; right: number[] }>({
    set: now.set,
    stated: [],
    right: [],
  });
  const so = given.set === now.set ? given : { set: now.set, stated: [], right: [] };
  const stored = answers.value[1] ?? {};
  const done = `${now.set}-stated` in stored;
  const stated = done ? stored[`${now.set}-stated`].split(',').map(Number) : so.stated;
  const right = done ? stored[`${now.set}-right`].split(',').map(Number) : so.right;
  const guess = stored[`${now.set}-guess`];
  const at = stated.length;
  const place = useNextQuestion<HTMLDivElement>(done ? `guess ${guess ?? ''}` : `${now.set} ${at}`);
  const sure = (confidence: number) => {
    if (picked === null) return;
    const next = {
      set: now.set,
      stated: [...so.stated, confidence],
      right: [...so.right, picked === questions[at].right ? 1 : 0],
    };
    setGiven(next);
    setPicked(null);
    if (next.stated.length < questions.length) return;
    answer(`${now.set}-stated`, next.stated.join(','));
    answer(`${now.set}-right`, next.right.join(','));
  };
  // the numbers of the keyboard choose the answer
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (done || !answersByKey(event)) return;
      if (event.key === '1' || event.key === '2') setPicked(Number(event.key) - 1);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [done]);
  const request = guess !== undefined && room.width > 0 ? { ...requestOf(now), stated, right, ...room } : null;
  const shown = useShown(request);
  const count = right.reduce((sum, one) => sum + one, 0);
  return (
    <div class="questions-of-ten" ref={place}>
      {at === 0 && <HandleOf name="set" />}
      {!done && (
        <fieldset class="asked">
          <legend>
            Question {at + 1} of {questions.length}
          </legend>
          <p class="ask" key={at}>
            {questions[at].asks}
          </p>
          <p class="row">
            {questions[at].choices.map((text, i) => (
              <button key={i} type="button" class="choice-of" aria-pressed={picked === i} onClick={() => setPicked(i)}>
                {text}
              </button>
            ))}
          </p>
          <p>How sure are you? (50% is a guess; about 15 seconds, no calculator)</p>
          <p class="row">
            {CONFIDENCES.map((one) => (
              <button key={one} type="button" disabled={picked === null} onClick={() => sure(one)}>
                {one}%
              </button>
            ))}
          </p>
        </fieldset>
      )}
      {done && guess === undefined && (
        <fieldset class="asked">
          <legend>Your prediction</legend>
          <p class="ask" key="guess">
            How many of your ten answers are right?
          </p>
          <p class="row">
            {Array.from({ length: 11 }, (_, i) => (
              <button key={i} type="button" onClick={() => answer(`${now.set}-guess`, String(i))}>
                {i}
              </button>
            ))}
          </p>
        </fieldset>
      )}
      {guess !== undefined && (
        <p class="prediction">
          ○ Your prediction: {guess} of {questions.length}.{' '}
          {Math.abs(Number(guess) - count) <= 1 ? '✓ Within 1.' : `It was ${count}.`}
        </p>
      )}
      <div class={`stage-and-handles one-chart ${shown && guess !== undefined ? 'told' : 'alone'}`}>
        {shown && guess !== undefined && (
          <div class="said">
            <Said shown={shown} />
            {shown.outcome.code && (
              <p>
                Code for your teacher: <strong class="code">{shown.outcome.code}</strong>
              </p>
            )}
          </div>
        )}
        <div class="results" ref={element} aria-busy={isBusy(shown, request)}>
          {shown && guess !== undefined && <Result shown={shown} across={across} />}
        </div>
      </div>
      {guess !== undefined && (
        <details>
          <summary>The answers</summary>
          <ol>
            {questions.map(({ asks, choices, right: truth, because }, i) => (
              <li key={i}>
                {right[i] ? '✓' : '✗'} {asks} <strong>{choices[truth]}</strong>, not {choices[1 - truth]} ({because});
                you stated {stated[i]}%
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
