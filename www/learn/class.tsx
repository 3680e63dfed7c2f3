// For the teacher: the link of the lesson and its QR code, the tally of a class, notes, and a handout to print.

import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { copyText } from '../parts/clipboard.js';
import { announce, showError } from '../parts/message.js';
import { useShown } from './asking.js';
import { HandleOf, Pick, Whole } from './handles.js';
import type { Ask } from './lesson.js';
import { CASE_NAMES, LESSON, VERDICTS, answersOnPaper, asksOf } from './lesson.js';
import { quick } from './qr.js';
import { SCREENS, beginning, change, lab, linkOf, requestOf, screensOf, show } from './state.js';

/** Where a class finds this page. */
const page = () => location.href.replace(/#.*/, '');

export function Class() {
  const now = lab.value;
  const [address, setAddress] = useState(page());
  const link = `${address}#${linkOf(now)}`;
  const local = link.startsWith('file:');
  return (
    <details class="class">
      <summary>For the teacher</summary>
      <div class="class-parts">
        <section aria-labelledby="share-title">
          <h3 id="share-title">Link of this screen</h3>
          <label class="field">
            <span>Address of the page</span>
            <input
              type="url"
              name="address"
              value={address}
              onInput={({ currentTarget }) => setAddress(currentTarget.value)}
            />
          </label>
          <p>
            <code class="the-link">{link}</code>
          </p>
          <p class="row">
            <button type="button" onClick={() => copyText(link).then(() => announce('Link copied.'), showError)}>
              Copy link
            </button>
          </p>
          {local ? (
            <p class="muted">
              This page was opened from disk. Put the file on a web server, or hand it out, and type its address above.
            </p>
          ) : (
            <Code text={link} />
          )}
          <p class="row">
            <From name="from" label="From screen" />
            <From name="to" label="to" />
            <Whole name="lesson" label="Lesson number" low={1} high={22} />
            <HandleOf name="seed" />
          </p>
          <p class="row">
            <button type="button" class="quiet" onClick={toggleAnswers}>
              {now.hide.includes('answers') ? 'Show answers' : 'Hide answers'}
            </button>
            <button type="button" class="quiet" onClick={shortLesson}>
              Lesson of 25 minutes
            </button>
          </p>
        </section>
        <Tally />
        <section aria-labelledby="notes-title">
          <h3 id="notes-title">Notes</h3>
          <p>{LESSON[now.screen].teacher}</p>
          <p class="muted">
            {LESSON[now.screen].minutes} min; in a lesson of 45 minutes it begins at minute {LESSON[now.screen].begins}.
            Misconception: “{LESSON[now.screen].myth}”
          </p>
          <p>
            <button type="button" class="quiet" onClick={() => print()}>
              Print the handout
            </button>
          </p>
        </section>
      </div>
    </details>
  );
}

function From({ name, label }: { name: 'from' | 'to'; label: string }) {
  const options = SCREENS.map((one): [string, string] => [String(one), String(one)]);
  return (
    <Pick
      name={name}
      label={label}
      options={options}
      value={String(lab.value[name])}
      to={(x) => move(name, Number(x))}
    />
  );
}
function move(name: 'from' | 'to', x: number) {
  const next = { ...lab.peek(), [name]: x };
  // a lesson has a screen, and the one that is shown is one of it
  if (screensOf(next).includes(next.screen)) change({ [name]: x });
}

const toggleAnswers = () => {
  const { hide } = lab.peek();
  const others = hide.filter((one) => one !== 'answers');
  change({ hide: others.length < hide.length ? others : [...hide, 'answers'] });
};
/** Five screens; where the one on screen is none of them, the first. */
function shortLesson() {
  change({ from: 1, to: 10, skip: [1, 4, 7, 8, 9] });
  const screens = screensOf(lab.peek());
  if (!screens.includes(lab.peek().screen)) show(screens[0]);
}

/** The QR code as one path. */
function Code({ text }: { text: string }) {
  const rows = quick(text);
  if (!rows) return <p class="muted">The link is too long for a QR code.</p>;
  const side = rows.length + 8;
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : ''))).join('');
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label="QR code of the link"
      shape-rendering="crispEdges"
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** What the codes of a class say together: of the ten questions on screen 1, else of the line-up. */
function Tally() {
  const now = lab.value;
  const [text, setText] = useState('');
  const codes = text.split(/[\s,;]+/).filter(Boolean);
  const screen = now.screen === 1 ? 1 : 5;
  const shown = useShown(codes.length > 0 ? { ...requestOf(now), screen, codes } : null);
  // of the codes that are there, on the screen and in the lesson that the heading names
  const told = codes.length > 0 && shown?.request.screen === screen && shown.request.lesson === now.lesson;
  const { tally = null, pooled = null } = (told && shown.outcome) || {};
  return (
    <section aria-labelledby="tally-title">
      <h3 id="tally-title">
        Tally of the {screen === 1 ? 'ten questions' : 'line-up'}, lesson {now.lesson}
      </h3>
      <label class="field">
        <span>Codes of the class, four letters each</span>
        <textarea name="codes" rows={3} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      {tally && (
        <div role="status">
          {tally.sentences.map((text) => (
            <p key={text}>{text}</p>
          ))}
          <Refused all={tally.refused} />
        </div>
      )}
      {pooled && (
        <div role="status">
          {pooled.stated != null && pooled.right != null && (
            <p>
              {pooled.counted} {pooled.counted === 1 ? 'student' : 'students'}: stated{' '}
              <strong>{percent(pooled.stated)}</strong> on average, right <strong>{percent(pooled.right)}</strong>.
            </p>
          )}
          <Refused all={pooled.refused} />
        </div>
      )}
    </section>
  );
}
const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
const Refused = ({ all }: { all: string[] }) => (
  <>
    {all.map((one, i) => (
      <p key={i} class="muted">
        {one}
      </p>
    ))}
  </>
);

/** To tick: a box never stands at the end of a line without its words. */
const Boxes = ({ of }: { of: string[] }) => (
  <>
    {of.map((text) => (
      <Fragment key={text}>
        <span class="box">☐ {text}</span>{' '}
      </Fragment>
    ))}
  </>
);
/** Room for a word, and for sentences. */
const Blank = () => <span class="blank" />;
const Lines = () => (
  <>
    <div class="line" />
    <div class="line" />
  </>
);
/** An empty diagram to draw in. */
const Square = () => (
  <svg class="square" viewBox="-16 -6 122 122" role="presentation">
    <path d="M0 0h100v100H0zM0 50h100M50 0v100" class="grid" />
    <path d="M0 100 100 0" class="diagonal" />
    {[0, 0.5, 1].map((x) => (
      <Fragment key={x}>
        <text x={100 * x} y="109" text-anchor="middle">
          {x}
        </text>
        <text x="-3" y={103 - 100 * x} text-anchor="end">
          {x}
        </text>
      </Fragment>
    ))}
  </svg>
);

/** A question with room for its answer: what is drawn or set on screen is drawn or written on paper. */
function AskOnPaper({ ask: { question, askedOnPaper, choices, draw, writes } }: { ask: Ask }) {
  return (
    <>
      <p>
        {askedOnPaper ?? question}{' '}
        {choices ? <Boxes of={choices.map(({ text }) => text)} /> : !draw && !writes && <Blank />}
      </p>
      {draw && <Square />}
      {writes && <Lines />}
    </>
  );
}

/** For paper only: the questions, and the answers on a page of their own. */
export function Handout() {
  const screens = screensOf(lab.value).filter((one) => one !== 1);
  return (
    <div class="handout">
      <h1>A calibration lab</h1>
      {screens.map((one) => {
        const { title, formula } = LESSON[one];
        return (
          <section key={one}>
            <h2>
              {one}. {title}
            </h2>
            {one === 5 && (
              <p>
                Which diagram is the miscalibrated one? <Blank />
              </p>
            )}
            {one === 10 && (
              <p>
                Case: <Boxes of={Object.values(CASE_NAMES)} />
              </p>
            )}
            {asksOf(beginning(one)).map((ask) => (
              <AskOnPaper key={ask.id} ask={ask} />
            ))}
            <p>What did you see, and why?</p>
            <Lines />
            <p class="muted">{formula}</p>
          </section>
        );
      })}
      <div class="new-page">
        <h1>Answers</h1>
        {screens.map((one) => {
          const { title, goal, teacher } = LESSON[one];
          const right = answersOnPaper(one).join('; ');
          return (
            <p key={one}>
              <strong>
                {one}. {title}
              </strong>{' '}
              {goal} {right && `Right: ${right}.`} {teacher}
            </p>
          );
        })}
        {screens.includes(10) && (
          <p>
            {Object.entries(VERDICTS)
              .map(
                ([one, { overall, where, action }]) =>
                  `${CASE_NAMES[one]}: ${[overall, where, action].map((all) => all.join(' or ')).join(', ')}`,
              )
              .join('. ')}
            .
          </p>
        )}
      </div>
    </div>
  );
}
