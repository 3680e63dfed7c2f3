// Finding: one sentence that survives chance, then four parts: overall, for whom, where, what to do. Each appears as
// soon as it is computed; what is asked again dims and stays where it is.

import { useEffect, useRef } from 'preact/hooks';
import { drawn } from '../explore/questions.js';
import { offerOf } from '../engine/localcal.js';
import type { Data } from '../engine/localcal.js';
import { useAnalysis } from '../parts/analysis.js';
import type { Chain } from '../parts/analysis.js';
import { methodTitle } from '../parts/catalogue.js';
import { Compact } from '../parts/figure.js';
import { mayPass, similarityColumns } from '../parts/panel.js';
import { useChain } from '../parts/progress.js';
import { Unbroken, Worded } from '../parts/worded.js';
import { counted, sentencesOf, whole } from '../parts/words.js';
import { recommend } from '../state/recommended.js';
import { computing, uncomputed } from '../state/running.js';
import { about, asking, goTo, open, reread, subject, usable } from '../state/store.js';
import { confirm, giveRole } from '../subject/parts.js';
import { Advice } from './advice.js';
import type { FindingAnswer } from './part.js';
import { FindingPart, isDrawn } from './part.js';
import { Where } from './where.js';

/** What the subject says of whom to look at. */
function findingRequest() {
  const { groups } = subject.value;
  const features = similarityColumns();
  return { ...(groups && { groups }), ...(features && { features }) };
}

export function Finding() {
  const place = useRef<HTMLDivElement>(null);
  const data = open.value?.data;
  const request = findingRequest();
  const chain = useStops(JSON.stringify(request));
  // each question has the steps of the one before it
  const overall = useAnalysis<FindingAnswer>('finding', data ? { ...request, parts: ['overall'] } : null, {
    place,
    chain,
  });
  const answered = overall.current && overall.answer !== null;
  const whom = useAnalysis<FindingAnswer>('finding', answered ? { ...request, parts: ['overall', 'whom'] } : null, {
    place,
    chain,
    most: Infinity,
  });
  const named = whom.current && whom.answer !== null;
  // named, so that what cannot be recommended says why
  const all: wasm_bindgen.PartName[] = ['overall', 'whom', 'advice'];
  const advice = useAnalysis<FindingAnswer>('finding', named ? { ...request, parts: all } : null, {
    place,
    chain,
    most: Infinity,
  });
  chain.unfinished = ![overall, whom, advice].some(({ trouble }) => trouble) && !(advice.current && !advice.stale);
  const found = advice.current ? (advice.answer?.advice ?? null) : null;
  useEffect(() => {
    if (data && found) recommend(data, found);
  }, [data, found]);
  if (!data || !usable.value) return null;

  const sentence = whom.answer?.sentence ?? null;
  const refused = overall.trouble ?? whom.trouble;
  // without a run nothing is asked at all: what starts it is above
  const ended = refused !== null || uncomputed.value;
  // what is said of all rows together waits for who is off
  const together = ended ? overall.answer : whom.answer;
  const said = ended ? unexamined(overall.answer) : sentence;
  const stale = !ended && (!whom.current || whom.stale);
  return (
    <section id="finding" aria-label="Finding" aria-busy={stale}>
      <h1 id="finding-title" class={`${stale && sentence ? 'stale' : ''} ${isLong(said) ? 'long' : ''}`}>
        {said ? <Headline>{said}</Headline> : <Looking at={offerOf(data).glance} rows={data.summary.rows} />}
      </h1>
      <OfOriginal />
      {refused && mayPass(refused) && (
        <p>
          <button type="button" class="quiet start" onClick={refused.start}>
            {refused.is === 'cancelled' ? 'Continue' : 'Try again'}
          </button>
        </p>
      )}
      <Cautions />
      <OtherEvent reversed={(whom.answer ?? overall.answer)?.reversed} />
      <Compact.Provider value={true}>
        <div class="parts" ref={place}>
          <FindingPart id="overall" title="Overall calibration" asked={overall} said={said} wording={together} />
          <FindingPart id="whom" title="Subgroups" asked={whom} said={said} figure={{ asked: advice, id: 'advice' }}>
            {whom.answer && !describes(data) && <Undescribed />}
          </FindingPart>
          <Where whom={whom.answer?.whom ?? null} sought={ended || whom.answer !== null} />
          {!whom.trouble && (
            <FindingPart
              id="advice"
              title="Recommendation"
              asked={advice}
              said={said}
              plain={isDrawn(whom.answer, 'whom')}
              brief={advice.answer?.advice}
            >
              {advice.answer?.advice && <Advice advice={advice.answer.advice} />}
            </FindingPart>
          )}
        </div>
      </Compact.Provider>
    </section>
  );
}

/** Roles of columns that say what rows have in common. */
const DESCRIBING: wasm_bindgen.Role[] = ['group', 'feature', 'features', 'date'];
const describes = ({ summary }: Data) => summary.columns.some(({ role }) => DESCRIBING.includes(role));

/** No column says what rows have in common: where one can. */
const Undescribed = () => (
  <>
    <p>To test subgroups, assign “Group” or “Feature” to a column.</p>
    <p>
      <button type="button" class="quiet" onClick={() => goTo('data')}>
        Open Data
      </button>
    </p>
  </>
);

/**
 * Esc, also between the run and a question, or between two questions, where nothing is listed as running: what is not
 * asked yet is not asked of these rows in these words, until a person continues or another run begins.
 */
function useStops(request: string): Chain & { unfinished: boolean } {
  const stopped = useRef<{ data: object; request: string } | null>(null);
  const chain = useRef<Chain & { unfinished: boolean }>({
    unfinished: false,
    canceled: () => false,
    resume: () => void (stopped.current = null),
  }).current;
  chain.canceled = () => stopped.current?.data === open.peek()?.data && stopped.current?.request === request;
  if (computing.value) stopped.current = null;
  useChain(() => {
    const data = open.peek()?.data;
    if (!data || computing.peek() || !chain.unfinished) return false;
    stopped.current = { data, request };
    return true;
  });
  return chain;
}

/** Letters from which on a sentence is too long for the size of a headline. */
const LONG = 75;
const isLong = (finding: string | null) => (finding ? sentencesOf(finding)[0].length : 0) > LONG;

/** The finding: its first sentence, and the others in smaller letters beneath it. */
function Headline({ children: text }: { children: string }) {
  const [first, ...others] = sentencesOf(text);
  return (
    <>
      <Unbroken>{first}</Unbroken>{' '}
      {others.length > 0 && (
        <span class="further">
          <Unbroken>{others.join(' ')}</Unbroken>
        </span>
      )}
    </>
  );
}

/** A recalibration that is applied elsewhere is not in this finding: it says so, and where its effect is shown. */
function OfOriginal() {
  const { repair } = subject.value;
  if (!repair) return null;
  return (
    <p class="note of-original">
      This finding describes the original predictions. For {methodTitle(repair)}, see{' '}
      <button
        type="button"
        class="link"
        onClick={() => {
          asking.value = 'before_after';
          goTo('explore');
        }}
      >
        {drawn('before_after').title}
      </button>
      .
    </p>
  );
}

/** What is known where the search was cancelled or failed: it never reassures. */
const unexamined = (overall: FindingAnswer | null) =>
  overall ? overall.sentence : 'Calibration has not been examined. Subgroups have not been examined.';

/** Warnings about the file on which the meaning of the finding depends. */
const CAUTIONS = [
  'joined_by_order',
  'copied_rows',
  'session_differs',
  'follow_up',
  'score_in_tenths',
  'columns_may_follow_outcome',
  'weights_not_used',
];

/** "is_recid and 10 more columns may be known only after the outcome": the reasons are a click away. */
const mayFollow = ([first = 'A column', ...others]: string[]) =>
  `${first}${others.length > 0 ? ` and ${counted(others.length, 'more column')}` : ''} may be known only after the outcome`;

/** What was taken for granted of the file, and columns that may be known only after the outcome, each one click away. */
function Cautions() {
  const summary = about.value?.summary;
  const told = summary?.warnings.filter(({ code }) => CAUTIONS.includes(code)) ?? [];
  if (!summary || told.length === 0) return null;
  const after = summary.columns.filter(({ name }) => summary.possible_leakage?.includes(name));
  const which = after.length > 1 ? `these ${after.length} columns` : after[0]?.name;
  return (
    <div class="cautions">
      {told.map(({ code, message }) =>
        code === 'columns_may_follow_outcome' && after.length > 1 ? (
          <details key={message} class={`caution ${code}`}>
            <summary>{mayFollow(after.map(({ name }) => name))}</summary>
            <p>
              <Worded>{message}</Worded>
            </p>
          </details>
        ) : (
          <p key={message} class={`caution ${code}`}>
            <Worded>{message}</Worded>
          </p>
        ),
      )}
      {after.length > 0 && (
        <p class="row">
          <button type="button" onClick={() => giveRole(after, 'ignore')}>
            Ignore {which}
          </button>
          <button type="button" class="quiet" onClick={() => confirm(after)}>
            Known before the outcome
          </button>
        </p>
      )}
    </div>
  );
}

/** The other label as the event, one button away: where the ranking is reversed, or nothing but a guess says which is meant. */
function OtherEvent({ reversed }: { reversed?: wasm_bindgen.Reversed | null }) {
  const summary = about.value?.summary;
  const guess = summary?.warnings.find(({ code }) => code === 'positive_guessed');
  const left = guess && summary?.labels.find((label) => label !== summary.positive);
  const other = reversed?.other_event ?? left;
  const outcome = summary?.columns.find(({ role }) => role === 'label')?.name;
  if (other == null) return null;
  return (
    <p class="event">
      {guess && !reversed && (
        <>
          <Worded>{guess.message}</Worded>{' '}
        </>
      )}
      <button type="button" class="quiet" onClick={() => reread({ positive: other })}>
        Use {outcome ? `${outcome} = ${other}` : other} as the event
      </button>
    </p>
  );
}

/** What is known as soon as the file is open, and what is on its way. */
const Looking = ({ at, rows }: { at?: string | null; rows: number }) => (
  <>
    {at && `${at} `}
    <span class={at ? 'muted further' : 'muted'}>
      {at ? 'Scanning subgroups …' : `Scanning subgroups of ${whole(rows)} rows …`}
    </span>
  </>
);
