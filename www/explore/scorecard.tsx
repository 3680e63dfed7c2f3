// The scorecard: every metric with its value, interval and what a calibrated model would show, one line each.

import { useLayoutEffect } from 'preact/hooks';
import { presentationOf } from '../engine/localcal.js';
import { methodTitle, numberField } from '../parts/catalogue.js';
import { CheckField, NumberField } from '../parts/form.js';
import { Question } from '../parts/panel.js';
import { Facts, Scrolling } from '../parts/table.js';
import { Reading, Worded } from '../parts/worded.js';
import { everyMetric, outdated } from '../state/running.js';
import { SimilarityLine } from '../subject/similarity_line.js';
import { binsInWords, featuresInWords, kernelInWords, withinInWords } from '../subject/similarity_words.js';
import { asking, open, panels, report, set } from '../state/store.js';
import { subjectMethod } from './method.js';
import { drawn } from './questions.js';

type ScoreRow = wasm_bindgen.ScoreRow;

/** What the page shows of the last run. */
export function presentation() {
  const data = open.value?.data;
  return data && report.value ? presentationOf(data) : undefined;
}

// of another data set the scorecard is asked first
open.subscribe(() => {
  everyMetric.value = false;
});

export function Scorecard() {
  const every = panels.value.scorecard?.every === true;
  useLayoutEffect(() => void (everyMetric.value = every), [every, open.value]);
  const words = presentation();
  const method = subjectMethod();
  return (
    <Question {...drawn('scorecard')}>
      {words && (
        <div class={`answer ${outdated.value ? 'stale' : ''}`}>
          <Reading>{words.headline}</Reading>
          <p class="chance">
            <Worded>{words.floor}</Worded>
          </p>
          {method && (
            <p>
              Metrics are of the original predictions. For {methodTitle(method)}, see{' '}
              <button type="button" class="link" onClick={() => (asking.value = 'repair')}>
                {drawn('repair').title}
              </button>
              .
            </p>
          )}
          <div class="fields">
            <CheckField
              name="all metrics"
              label="All metrics"
              value={every}
              put={(value) => set('scorecard', 'every', value || undefined)}
            />
            <NumberField
              name="ece bins"
              label="Bins of the ECE"
              value={(panels.value.scorecard?.bins as number | undefined) ?? null}
              {...numberField('bins', 'count')}
              put={(bins) => set('scorecard', 'bins', bins)}
            />
          </div>
          <ScoreTable rows={words.scorecard} />
          {localUsed() && <SimilarityLine kind="scorecard" used={localUsed()} parts={[]} />}
          <p class="muted">
            <Worded>{words.basis}</Worded>
          </p>
          <Warnings />
          <details class="settings run">
            <summary>Run settings</summary>
            <Facts facts={words.settings} />
          </details>
        </div>
      )}
    </Question>
  );
}

/** By what the local metrics of the run took as similar; null: it has none. */
function localUsed(): string | null {
  const { features, kernel, gamma, bins, within: cut } = report.value?.settings.local ?? {};
  if (!features) return null;
  const within = bins && binsInWords(bins);
  return [featuresInWords(features), kernelInWords(kernel ?? 'laplacian', gamma), within, withinInWords(cut)]
    .filter(Boolean)
    .join(' · ');
}

/** What a person should know of the file. */
function Warnings() {
  const warnings = open.value?.summary.warnings ?? [];
  if (warnings.length === 0) return null;
  return (
    <ul class="notes">
      {warnings.map(({ message }) => (
        <li key={message}>
          <Worded>{message}</Worded>
        </li>
      ))}
    </ul>
  );
}

const HEADS = ['Value', '95% CI', 'Expected if calibrated'];

function ScoreTable({ rows }: { rows: ScoreRow[] }) {
  return (
    <Scrolling label="Metrics">
      <table class="scorecard">
        <caption>Metrics</caption>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            {HEADS.map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
            <th scope="col" class="number">
              <span class="unseen">Chart</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Score key={row.id} {...row} />
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

function Score({ id, name, plain, definition, note, value, cut, corrected, interval, floor, bar, beyond }: ScoreRow) {
  return (
    <tr data-metric={id}>
      <th scope="row">
        <details>
          <summary>
            {name}
            <span class="plain">{plain}</span>
          </summary>
          <p>{definition}</p>
          {note && <p>{note}</p>}
        </details>
      </th>
      <td class="number value" data-name={HEADS[0]}>
        {value}
        {cut && <span class="plain cut">{cut}</span>}
      </td>
      <td class="number" data-name={HEADS[1]}>
        {corrected && <span class="corrected">bias-corrected {corrected}</span>}
        {interval || (
          <span class="muted" title={note}>
            {note ? 'none' : ''}
          </span>
        )}
      </td>
      <td class="number" data-name={HEADS[2]}>
        {floor}
      </td>
      <td class="barcell">{bar && <Strip bar={bar} beyond={beyond} />}</td>
    </tr>
  );
}

/** Value, interval and floor on one line from 0 to a little beyond the largest. */
function Strip({ bar: { value, interval, floor, corrected }, beyond }: { bar: wasm_bindgen.Bar; beyond: boolean }) {
  const piece = (name: string, from: number, to: number) => (
    <span class={name} style={{ left: `${100 * from}%`, width: `${100 * (to - from)}%` }} />
  );
  return (
    <span class={`bar ${beyond ? 'beyond' : ''}`} aria-hidden="true">
      {floor && piece('floor', ...floor)}
      {interval && piece('interval', ...interval)}
      {typeof corrected === 'number' && piece('corrected', corrected, corrected)}
      {piece('dot', value, value)}
    </span>
  );
}
