// Explore: a list of questions, and the panel that answers the one that was asked. A second panel can be pinned beside
// it.

import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Behaves } from '../learn/behaves.js';
import { Boundary } from '../parts/boundary.js';
import { catalogue, descriptionOf, methodTitle } from '../parts/catalogue.js';
import { Lacking, Panel, Question as AskedQuestion, lacking } from '../parts/panel.js';
import type { DrawnQuestion } from '../state/choices.js';
import { compute, computing, outdated, stopped } from '../state/running.js';
import { asking, beside, open, report, setAll, subject } from '../state/store.js';
import { BeforeAfter } from './before_after.js';
import { Changed } from './changed.js';
import { useCompared } from './compared.js';
import { Experiment } from './experiment/experiment.js';
import { Papers } from './experiment/papers.js';
import { FilesPanel } from './files.js';
import { Groups } from './groups.js';
import { MapPanel } from './map_panel.js';
import { hasMethod, wasEvaluated } from './method.js';
import type { Question } from './questions.js';
import { NotIncluded } from './not_included.js';
import { drawn, isDrawn, matching, needsOfDrawn, questionsOf } from './questions.js';
import { Reliability } from './reliability.js';
import { RecalibrationMethods } from './recalibration.js';
import { Scorecard } from './scorecard.js';
import { SECTIONS } from './steps.js';
import { SweepPanel } from './sweep.js';
import { narrow, wide } from '../parts/wide.js';

/** Panels that are drawn here. */
const DRAWN: Record<DrawnQuestion, ComponentType> = {
  reliability: Reliability,
  scorecard: Scorecard,
  map: MapPanel,
  sweep: SweepPanel,
  repair: RecalibrationMethods,
  before_after: BeforeAfter,
  experiment: Experiment,
  papers: Papers,
};

export function Explore() {
  if (!catalogue.value || !open.value) return null;
  const questions = questionsOf(catalogue.value);
  const [first] = questions;
  const now = questions.find(({ kind }) => kind === asking.value) ?? first;
  const pinned = questions.find(({ kind }) => kind === beside.value && kind !== now.kind && wide.value);
  const lacks = missingMethod();
  const { repair } = subject.value;
  const fails = report.value && repair && repair !== 'none' && !wasEvaluated(repair) ? repair : null;
  return (
    <div class={`explore ${pinned ? 'two' : ''} ${lacks && computing.value ? 'waits' : ''}`}>
      <h1 class="unseen">Explore</h1>
      <Questions questions={questions} now={now} />
      {lacks && report.value && !computing.value && (
        <p class="row unrepaired" role="status">
          {methodTitle(lacks)} has not been computed. Results are of the original predictions.
          <button type="button" class="quiet" onClick={compute}>
            Compute
          </button>
        </p>
      )}
      {fails && !lacks && (
        <p class="row unrepaired" role="status">
          {methodTitle(fails)} could not be fitted. Results are of the original predictions.
          <button type="button" class="link" onClick={() => (asking.value = 'repair')}>
            {drawn('repair').title}
          </button>
        </p>
      )}
      {stopped.value && !lacks && !outdated.value && (
        <p class="row unrepaired" role="status">
          The last computation did not finish. Results are of the one before.
          <button type="button" class="quiet" onClick={compute}>
            Compute
          </button>
        </p>
      )}
      {outdated.value && !lacks && !computing.value && (
        <p class="row unrepaired" role="status">
          Local error and LoRe have not been computed with the current similarity.
          <button type="button" class="quiet" onClick={compute}>
            Compute
          </button>
        </p>
      )}
      {[now, pinned].map((one) => one && <Shielded key={one.kind} question={one} />)}
      <Behaves kind={now.kind} />
    </div>
  );
}

/** The recalibration of the subject where the last run does not have it: it is under way, or was cancelled. */
function missingMethod(): string | null {
  const { repair } = subject.value;
  return repair && repair !== 'none' && !hasMethod(repair) ? repair : null;
}

const Shielded = ({ question: { kind, title } }: { question: Question }) => (
  <Boundary name={`“${title}”`} usual={() => setAll(kind, {})}>
    <PanelOf kind={kind} />
  </Boundary>
);

function PanelOf({ kind }: { kind: string }) {
  if (isDrawn(kind)) {
    const lack = lacking({ needs: needsOfDrawn(kind) });
    const Drawn = DRAWN[kind];
    if (!lack) return <Drawn />;
    return (
      <AskedQuestion {...drawn(kind)} keeps={false}>
        <Lacking why={lack} />
      </AskedQuestion>
    );
  }
  return descriptionOf(kind)?.step === 'repair' ? <Comparing kind={kind} /> : <Sheet kind={kind} />;
}

function Sheet({ kind }: { kind: string }) {
  // what the open file lacks, the usual panel says
  if (kind === 'changed' && !lacking(descriptionOf(kind))) return <Changed />;
  if (kind === 'groups') return <Groups />;
  if (descriptionOf(kind)?.files) return <FilesPanel kind={kind} />;
  return <Panel kind={kind}>{OF_METHODS.includes(kind) && <NotIncluded />}</Panel>;
}

/** Panels that list the methods of the last run. */
const OF_METHODS = ['compare', 'decide', 'multiples'];

/** A question about recalibrations, which the run makes first. */
function Comparing({ kind }: { kind: string }) {
  useCompared();
  return <Sheet kind={kind} />;
}

/** The list, which a phone folds away when a question was chosen. */
function Questions({ questions, now }: { questions: Question[]; now: Question }) {
  const [search, setSearch] = useState('');
  const [unfolded, setUnfolded] = useState(false);
  const shown = search.trim() === '' ? questions : matching(questions, search);
  const summary = useRef<HTMLElement>(null);
  // who chooses by keyboard reads on there; on a phone, where the list is folded then, everyone does
  const ask = (kind: string, byKeyboard: boolean) => {
    asking.value = kind;
    setUnfolded(false);
    if (byKeyboard || narrow.value) requestAnimationFrame(() => document.getElementById(`question-${kind}`)?.focus());
  };
  const list = (
    <>
      <label class="search">
        <span class="unseen">Search analyses</span>
        <input
          type="search"
          name="search"
          placeholder="Search analyses"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && shown.length > 0) ask(shown[0].kind, true);
            if (event.key !== 'Escape' || search === '') return;
            event.preventDefault(); // Esc ends the search, and nothing that runs
            setSearch('');
          }}
        />
      </label>
      {shown.length === 0 && <p class="muted">No analysis matches.</p>}
      {search.trim() === '' ? (
        SECTIONS.map(({ step, title }) => (
          <Section
            key={step}
            title={title}
            {...{ ask, now }}
            questions={shown.filter(({ section }) => section === step)}
          />
        ))
      ) : (
        <Section title="Results" {...{ ask, now }} questions={shown} />
      )}
    </>
  );
  useEffect(() => {
    document.querySelector('.questions [aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [now.kind]);
  useEffect(() => {
    if (unfolded) summary.current?.scrollIntoView({ block: 'start' });
  }, [unfolded]);
  if (!narrow.value)
    return (
      <nav class="questions" aria-label="Analyses">
        {list}
      </nav>
    );
  return (
    <nav class="questions" aria-label="Analyses">
      <details open={unfolded} onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}>
        <summary ref={summary}>All analyses</summary>
        {list}
      </details>
    </nav>
  );
}

interface SectionProps {
  title: string;
  questions: Question[];
  now: Question;
  ask: (kind: string, byKeyboard: boolean) => void;
}
function Section({ title, questions, now, ask }: SectionProps) {
  if (questions.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {questions.map(({ kind, title: asks, needs }) => (
          <li key={kind}>
            <a
              href={`#view=explore&panel=${kind}`}
              class={lacking({ needs }) && 'lacks'}
              title={lacking({ needs })}
              aria-current={kind === now.kind ? 'true' : undefined}
              data-question={kind}
              onClick={(event) => {
                event.preventDefault();
                ask(kind, event.detail === 0);
              }}
            >
              {asks}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
