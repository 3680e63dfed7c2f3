// An experiment, built, run and shown: methods × spaces × divisions × metrics as one object.

import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { workers } from '../../engine/localcal.js';
import { roomOf } from '../../parts/block.js';
import { methodTitle } from '../../parts/catalogue.js';
import { Said, showError } from '../../parts/message.js';
import { Question } from '../../parts/panel.js';
import { counted, listed, save } from '../../parts/words.js';
import { EXPERIMENT, begun, linked, nameOf, put, replace, spec, written } from '../../state/experiment.js';
import { least, withheld } from '../../state/suppression.js';
import { open, setAll } from '../../state/store.js';
import { fromAllRows } from '../../subject/similarity_line.js';
import { othersOf } from '../files.js';
import { drawn } from '../questions.js';
import { Divisions, divisionsSaid } from './divisions.js';
import { TextField } from './fields.js';
import { ExperimentResults } from './results.js';
import { Methods } from './methods.js';
import { Metrics, metricName } from './metrics.js';
import { prepared, usePapers } from './papers.js';
import { lastingSaid, useLacking } from './lacking.js';
import { Squares, progressSaid } from './progress.js';
import { begunOf, cancel, current, experimentDone, load, misshapen, run, savedRun, start } from './running.js';
import { sizeSaid } from './size.js';
import { Spaces } from './spaces.js';
import { templates } from './templates.js';
import { Vary } from './vary.js';

export function Experiment() {
  usePapers();
  const place = useRef<HTMLDivElement>(null);
  if (!open.value) return null;
  return (
    <Question {...drawn(EXPERIMENT)} keeps={experimentDone() !== null}>
      <div class="answer experiment" ref={place}>
        <Builder width={() => roomOf(place.current)} />
        <Outcome width={() => roomOf(place.current)} />
      </div>
    </Question>
  );
}

/** Names in a line; of many the first ones. */
function shortly(names: string[], most = 6): string {
  if (names.length === 0) return 'none';
  return names.length > most + 1 ? `${names.slice(0, most).join(', ')} and ${names.length - most} more` : listed(names);
}

function Builder({ width }: { width: () => number }) {
  const now = spec.value;
  const opened = othersOf(EXPERIMENT).length + 1;
  const last = run();
  const running = last?.is === 'running';
  const ready = now.methods.length > 0 && now.metrics.length > 0;
  const resumes = last?.is === 'stopped' && current(last) && last.cells.length > 0;
  const everyone = fromAllRows();
  return (
    <div class="builder">
      <Beginning width={width} />
      <dl class="parts-of">
        <PartOf
          title="Methods"
          now={counted(now.methods.length, 'method')}
          more={shortly(now.methods.map((one) => methodTitle(nameOf(one))))}
        >
          <Methods />
        </PartOf>
        <PartOf title="Feature spaces" now={shortly(now.spaces.map(nameOf)).replace('none', 'suggested')}>
          <Spaces />
        </PartOf>
        <PartOf title="Splits" now={divisionsSaid(now.divisions, opened)}>
          <Divisions />
        </PartOf>
        <PartOf title="Metrics" now={counted(now.metrics.length, 'metric')} more={shortly(now.metrics.map(metricName))}>
          <Metrics />
        </PartOf>
        <PartOf
          title="Varied settings"
          now={shortly(now.vary.map(({ setting, values }) => `${setting}: ${values.join(', ')}`))}
        >
          <Vary />
        </PartOf>
        <PartOf title="JSON" now={linked.value ? 'for scripts' : 'too long for a link; stored in sessions'}>
          <AsJson />
        </PartOf>
      </dl>
      {everyone && <p class="muted always">{everyone} LoRe and ridge LoRe have a setting of their own.</p>}
      <Size ready={ready} />
      <p class="row">
        {resumes && (
          <button type="button" class="primary" onClick={() => start(width(), begunOf(last))}>
            Resume
          </button>
        )}
        <button
          type="button"
          class={resumes ? '' : 'primary'}
          disabled={!ready || running}
          onClick={() => start(width())}
        >
          {resumes ? 'Restart' : 'Run'}
        </button>
        {running && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
        <button
          type="button"
          class="quiet"
          onClick={() => save(new Blob([JSON.stringify(written(now), null, 2)]), 'experiment.json')}
        >
          Save experiment
        </button>
        {begun.value && (
          <button type="button" class="quiet" onClick={() => setAll(EXPERIMENT, {})}>
            Restore default
          </button>
        )}
      </p>
    </div>
  );
}

/** Saves what is done, which can be resumed: every number of it, so not while small counts are withheld. */
function saveDone() {
  const [last, suppress] = [run(), least()];
  if (suppress) showError(withheld('an unfinished experiment', suppress));
  else if (last) save(savedRun(last), 'experiment.json');
}

/** Expected seconds that are worth saying: what the core expects is rough. */
const WORTH_SAYING = 10;

/** What it will be, and about how long that takes; or why it cannot be done. */
function Size({ ready }: { ready: boolean }) {
  const now = spec.value;
  const told = useLacking(JSON.stringify(written(now)), ready);
  if (!ready) return <p class="size">Select at least one method and one metric.</p>;
  const expected = told?.lacking ? told.lacking.cost / workers / 1000 : 0;
  return (
    <>
      <p class="size" id="experiment-size">
        {sizeSaid(now, told?.size)}
        {told?.lacking && `: ${counted(told.lacking.numbers, 'number')}`}
        {expected >= WORTH_SAYING && `; ${lastingSaid(expected)}`}
      </p>
      {told?.error !== undefined && (
        <div class="fault" role="status">
          <Said error={told.error} />
        </div>
      )}
    </>
  );
}

/** A title, and experiments to begin with. */
function Beginning({ width }: { width: () => number }) {
  const own = templates();
  const papers = prepared();
  const pick = (value: string) => {
    const [paper, part] = value.split('/');
    if (part === undefined) replace(own[Number(paper)].spec());
    else replace(papers[Number(paper)].parts[Number(part)].spec);
  };
  return (
    <div class="fields beginning">
      <label class="field">
        <span>Template</span>
        <select
          name="begin"
          value=""
          onChange={({ currentTarget }) => currentTarget.value && pick(currentTarget.value)}
        >
          <option value="">Choose a template</option>
          {own.map(({ title, lacks }, i) => (
            <option key={title} value={i} disabled={lacks !== undefined}>
              {lacks ? `${title} (${lacks})` : title}
            </option>
          ))}
          {papers.map(({ title, parts }, i) => (
            <optgroup key={title} label={title}>
              {parts.map((part, j) => (
                <option key={part.title} value={`${i}/${j}`}>
                  {part.title}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <TextField name="title" label="Title" value={spec.value.title} put={(title) => put({ title })} />
      <label class="field">
        <span>Saved experiment</span>
        <input
          type="file"
          name="saved experiment"
          accept=".json,application/json"
          disabled={run()?.is === 'running'}
          onChange={async ({ currentTarget: input }) => {
            const [file] = input.files ?? [];
            if (file) await load(file, width());
            input.value = '';
          }}
        />
      </label>
    </div>
  );
}

/** A part of the experiment: what it is now, and beneath it how to change that. */
function PartOf({
  title,
  now,
  more,
  children,
}: {
  title: string;
  now: string;
  more?: string;
  children: ComponentChildren;
}) {
  const [shown, setShown] = useState(false);
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <details onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
          <summary>
            <span class="now-is">{now}</span>
            {more && <span class="muted"> {more}</span>}
          </summary>
          {shown && <div class="change">{children}</div>}
        </details>
      </dd>
    </div>
  );
}

/** The object itself. */
function AsJson() {
  const text = JSON.stringify(written(spec.value), null, 2);
  /** what was typed and is not applied, and why */
  const [refused, setRefused] = useState<{ typed: string; fault: string } | null>(null);
  return (
    <>
      <textarea
        class="json"
        name="spec"
        aria-label="Experiment as JSON"
        rows={Math.min(24, text.split('\n').length + 1)}
        spellcheck={false}
        value={refused?.typed ?? text}
        onChange={({ currentTarget: { value } }) => {
          const refuse = (fault: string) => setRefused({ typed: value, fault });
          try {
            const given = JSON.parse(value);
            const wrong = misshapen(given);
            if (wrong) return refuse(wrong);
            setRefused(null);
            replace(given);
          } catch (error) {
            refuse((error as Error).message);
          }
        }}
      />
      {refused && (
        <p role="alert" class="fault">
          Not applied. {refused.fault}
        </p>
      )}
    </>
  );
}

/** How far it is, and what was found. */
function Outcome({ width }: { width: () => number }) {
  const last = run();
  if (!last) return null;
  const { is, found, error } = last;
  const other = !current(last);
  return (
    <section class={`outcome ${other && is !== 'running' ? 'other' : ''}`} aria-label="Results of the experiment">
      {other && (
        <p class="muted">
          Results of {last.spec.title ? `“${last.spec.title}”, as it was run` : 'an earlier experiment'}.
        </p>
      )}
      {error !== null && (
        <div class="alert" role="alert">
          <Said error={error} />
        </div>
      )}
      {(is === 'running' || (is === 'stopped' && last.cells.length > 0)) && (
        <>
          <p id="experiment-progress" class={is === 'stopped' ? 'unfinished' : undefined}>
            {progressSaid(last)}
          </p>
          <Squares run={last} />
        </>
      )}
      {found && <ExperimentResults name={EXPERIMENT} found={found} of={last.of} width={width()} />}
      {!found && is === 'stopped' && last.cells.length > 0 && (
        <p>
          <button type="button" class="quiet" onClick={saveDone}>
            Save partial results
          </button>
        </p>
      )}
    </section>
  );
}
