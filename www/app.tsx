// Boot: the shell round the views. The first screen is in index.html and needs no script.

import { effect } from '@preact/signals';
import { render } from 'preact';
import { ready } from './engine/localcal.js';
import { followPrinting } from './engine/theme.js';
import { Counting } from './data/counting.js';
import { Data, Wanting } from './data/data.js';
import { startDrop } from './data/drop.js';
import { startPrivacy } from './data/privacy.js';
import { Explore } from './explore/explore.js';
import { Finding } from './finding/finding.js';
import { Boundary } from './parts/boundary.js';
import { Learn } from './learn/learn.js';
import { LESSON } from './learn/lesson.js';
import { again, lab, moves } from './learn/state.js';
import { keepFocus, skipToContent } from './parts/focus.js';
import { LeftOut } from './parts/left_out.js';
import { Alerts, Live, announce, showError } from './parts/message.js';
import { Lines, cancelAll } from './parts/progress.js';
import { Report } from './report/report.js';
import { sessionOf } from './state/applicable.js';
import { startLink } from './state/link.js';
import { startOpening } from './state/opening.js';
import { compute, startRunning, uncomputed } from './state/running.js';
import { startSpace } from './state/space.js';
import { least } from './state/suppression.js';
import type { View } from './state/store.js';
import { NOTHING, VIEWS, about, chooseAnew, goTo, history as choices, open, usable, view } from './state/store.js';
import { Subject } from './subject/subject.js';

const NAMES: Record<View, string> = {
  data: 'Data',
  finding: 'Finding',
  explore: 'Explore',
  report: 'Report',
  learn: 'Learn',
};
const SHOWN: Record<View, () => preact.ComponentChild> = {
  data: () => <Data />,
  finding: () => <Finding />,
  explore: () => <Explore />,
  report: () => <Report />,
  learn: () => <Learn />,
};

/** What undo goes through: moves of the lab where that is on screen, else what was chosen of the open file. */
const steps = () => (view.value === 'learn' ? moves : choices);

/** The way to the lab, which needs no file, and back. */
function Alone() {
  const there = view.value === 'learn' ? 'learn' : 'data';
  return (
    <nav aria-label="Views" id="learn-alone">
      {(['data', 'learn'] as const).map((one) => (
        <a
          key={one}
          href={`#view=${one}`}
          aria-current={one === there ? 'page' : undefined}
          onClick={(event) => {
            event.preventDefault();
            goTo(one);
          }}
        >
          {NAMES[one]}
        </a>
      ))}
    </nav>
  );
}

interface StepProps {
  name: string;
  keys: string;
  may: boolean;
  act: () => void;
  done: string;
}
/** A step back, or forward again. */
const Step = ({ name, keys, may, act, done }: StepProps) => (
  <button
    type="button"
    class="quiet"
    disabled={!may}
    onClick={() => {
      act();
      announce(done);
    }}
    title={`${name} (${keys})`}
  >
    {name}
  </button>
);

const filesOpen = () => about.value?.files.map(({ name }) => name).join(', ');

/** The name of the tab of the browser: what is on screen, and of what. */
function nameTab() {
  effect(() => {
    const parts =
      view.value === 'learn' ? [LESSON[lab.value.screen].title] : [about.value && NAMES[view.value], filesOpen()];
    document.title = [...parts, 'LoCal'].filter(Boolean).join(' · ');
  });
}

/** The subject, and the way to the views. */
function Shell() {
  if (!about.value) return <Alone />;
  const { canUndo, canRedo, undo, redo } = steps();
  const files = filesOpen();
  const names = sessionOf(about.value.options) ? `${files} with a session` : files;
  return (
    <>
      <button type="button" class="skip" onClick={skipToContent}>
        Skip to content
      </button>
      <Boundary name="The subject line" usual={() => chooseAnew(NOTHING)}>
        <Subject />
      </Boundary>
      <nav aria-label="Views">
        <ul id="views">
          {VIEWS.map((one) => (
            <li key={one}>
              <a
                href={`#view=${one}`}
                aria-current={view.value === one ? 'page' : undefined}
                onClick={(event) => {
                  event.preventDefault();
                  goTo(one);
                }}
              >
                {NAMES[one]}
              </a>
            </li>
          ))}
        </ul>
        <span class="row history">
          <span id="file" title={names}>
            {names}
          </span>
          <Step name="Undo" keys="Ctrl+Z" may={canUndo.value} act={undo} done="Undone" />
          <Step name="Redo" keys="Ctrl+Shift+Z" may={canRedo.value} act={redo} done="Redone" />
        </span>
      </nav>
    </>
  );
}

/** What is printed in the place of a view while small counts are suppressed: only the report withholds them. */
function Unprinted({ suppress }: { suppress: number }) {
  return (
    <p id="unprinted" class="on-paper">
      Counts below {suppress} are suppressed, and this view shows all counts: it is not printed. To print what may be
      released, use “Print or save as PDF” in the Report view.
    </p>
  );
}

/** The view on screen, or what it lacks. */
function Main() {
  const now = view.value;
  if (now === 'learn')
    return (
      <>
        <LeftOut />
        <Boundary name="The view Learn" usual={again}>
          <Learn />
        </Boundary>
      </>
    );
  if (!about.value) return null;
  const suppress = now === 'report' ? undefined : least();
  return (
    <>
      {suppress && <Unprinted suppress={suppress} />}
      {uncomputed.value && now !== 'data' && (
        <p id="uncomputed" class="row">
          Metrics have not been computed.
          <button type="button" class="primary" onClick={compute}>
            Compute
          </button>
        </p>
      )}
      {now !== 'data' && !usable.value && <Wanting />}
      <LeftOut />
      {(now !== 'explore' || usable.value) && (
        <Boundary key={now} name={NAMES[now]} usual={() => chooseAnew(NOTHING)}>
          {SHOWN[now]()}
        </Boundary>
      )}
    </>
  );
}

const Messages = () => (
  <>
    <Lines />
    <Alerts />
    <Live />
  </>
);

const WRITTEN = 'input:not([type="checkbox"], [type="radio"], [type="range"]), textarea';
/** Ctrl+Z and Ctrl+Shift+Z go through the choices; in a field that is written in they are the browser's. */
function onKey(event: KeyboardEvent) {
  if (event.key === 'Escape' && !event.defaultPrevented && !cancelAll()) dispatchEvent(new Event('clear'));
  const written = (event.target as Element).closest?.(WRITTEN);
  if (!(event.ctrlKey || event.metaKey) || written) return;
  const letter = event.key.toLowerCase();
  if (letter !== 'z' && letter !== 'y') return;
  event.preventDefault();
  if (letter === 'y' || event.shiftKey) steps().redo();
  else steps().undo();
}

/** Moves the focus to the sentence that says what was found, once it is there: the file that it is about is new. */
function focusHeadings() {
  let seen: File[] | null = null;
  effect(() => {
    const files = open.value?.files ?? null;
    if (!files || files === seen) return;
    seen = files;
    requestAnimationFrame(() => {
      const at = document.activeElement;
      // who is already at work elsewhere is left there
      if (at && at !== document.body && !at.closest('#open')) return;
      const heading = document.querySelector<HTMLElement>('#view h1');
      if (!heading) return;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      // the first screen may have been scrolled to its examples
      scrollTo(0, 0);
    });
  });
}

/** Each view begins at its top. */
function startAtTop() {
  let seen = view.peek();
  effect(() => {
    if (view.value === seen) return;
    seen = view.value;
    scrollTo(0, 0);
  });
}

/** How high the head is: what is scrolled to keeps clear of it, and on phones the choices of the subject open beneath it. */
function measureHead() {
  const head = document.querySelector('header') as HTMLElement;
  const measure = () => document.documentElement.style.setProperty('--head', `${head.offsetHeight}px`);
  new ResizeObserver(measure).observe(head, { box: 'border-box' });
}

/** The first screen is there as long as nothing is open. */
function showFirstScreen() {
  const [first, noData] = ['open', 'again'].map((id) => document.getElementById(id) as HTMLElement);
  effect(() => {
    const learning = view.value === 'learn';
    first.hidden = about.value !== null || learning;
    noData.hidden = about.value !== null || view.value === 'data' || learning;
  });
}

const mount = (what: preact.ComponentChild, id: string) => render(what, document.getElementById(id) as HTMLElement);

startLink();
startSpace();
startRunning();
startDrop();
startPrivacy();
mount(<Messages />, 'messages');
mount(<Shell />, 'shell');
mount(<Main />, 'view');
mount(<Counting />, 'counting');
showFirstScreen();
measureHead();
nameTab();
followPrinting();
focusHeadings();
startAtTop();
keepFocus();
startOpening();
addEventListener('keydown', onKey);
// what cannot start is said before a person looks for a file
ready.catch((error) => showError(error));
