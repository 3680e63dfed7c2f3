// Methods × metrics on rows that no fit has seen, as they come; and the recalibrated file.

import { useLayoutEffect, useState } from 'preact/hooks';
import { happenings, offerOf } from '../engine/localcal.js';
import { localMethods, methodTitle } from '../parts/catalogue.js';
import { copyText, textOf } from '../parts/clipboard.js';
import { CheckField } from '../parts/form.js';
import { announce, showError } from '../parts/message.js';
import { Question, documented } from '../parts/panel.js';
import { labeled } from '../parts/words.js';
import { Reading, Worded } from '../parts/worded.js';
import type { Sorting } from '../parts/table.js';
import { Scrolling, SortingHead, sortedBy, stillSorted, useOrder } from '../parts/table.js';
import { AboutFile, takeCalibrators, takePredictions } from '../report/take.js';
import { computing, outdated } from '../state/running.js';
import { leastCount } from '../state/suppression.js';
import { space } from '../state/space.js';
import { change, open, panels, report, set, subject } from '../state/store.js';
import { SimilarityLine } from '../subject/similarity_line.js';
import { binsInWords, featuresInWords, kernelInWords, withinInWords } from '../subject/similarity_words.js';
import { chosenMethods, useCompared } from './compared.js';
import { NotIncluded } from './not_included.js';
import { drawn } from './questions.js';
import { presentation } from './scorecard.js';

type RecalibrationTable = wasm_bindgen.RecalibrationTable;
type RecalibrationRow = wasm_bindgen.RecalibrationRow;

export function RecalibrationMethods() {
  useCompared();
  const words = presentation();
  const soFar = useSoFar();
  const done = words && words.repair.rows.length > 1;
  const { repair } = subject.value;
  const picked = done ? words.repair.rows.find(({ name }) => name === repair) : undefined;
  return (
    <Question {...drawn('repair')}>
      <div class={`answer ${outdated.value ? 'stale' : ''}`}>
        {picked ? (
          <Reading id="repair-reading">{labeled(methodTitle(picked.name), picked.verdict)}</Reading>
        ) : (
          done && <p>Select a method to apply it to all views.</p>
        )}
        {words && (
          <p class="muted">
            <Worded>{words.basis}</Worded>
          </p>
        )}
        <Methods />
        <NotIncluded />
        {soFar && <p class="muted" id="so-far">{`${soFar.done} of ${soFar.all} methods complete`}</p>}
        {soFar ? <MethodTable table={soFar.table} /> : done && <MethodTable table={words.repair} />}
        <Download done={Boolean(done)} />
      </div>
    </Question>
  );
}

interface SoFar {
  of: object;
  table: RecalibrationTable;
  done: number;
  all: number;
}
/** A long run: what is done, as it comes; null when it is over, be it canceled. */
function useSoFar(): SoFar | null {
  const [soFar, setSoFar] = useState<SoFar | null>(null);
  // before the run is asked that it hears of
  useLayoutEffect(() => {
    const hear = (event: Event) => {
      const { data, report: part, presentation: shown } = (event as CustomEvent).detail;
      if (data !== open.peek()?.data) return;
      setSoFar({ of: data, table: shown.repair, done: part.methods.length, all: part.settings.methods.length });
    };
    happenings.addEventListener('so far', hear);
    return () => happenings.removeEventListener('so far', hear);
  }, []);
  useLayoutEffect(() => setSoFar(null), [report.value]);
  return computing.value && soFar?.of === open.value?.data && soFar && soFar.all > 1 ? soFar : null;
}

/** The boxes of the methods, the usual ones at hand. */
function Methods() {
  const data = open.value?.data;
  if (!data) return null;
  const { methods } = offerOf(data);
  const chosen = chosenMethods();
  const toggle = (id: string) => (on: boolean) =>
    set(
      'repair',
      'methods',
      methods.map((one) => one.id).filter((one) => (one === id ? on : chosen.includes(one))),
    );
  const boxes = (usual: boolean) =>
    methods
      .filter((one) => one.usual === usual)
      .map(({ id, name }) => (
        <CheckField key={id} name={id} label={name} value={chosen.includes(id)} put={toggle(id)} />
      ));
  return (
    <div class="row" id="repair-methods">
      {boxes(true)}
      <details class="more">
        <summary>More methods</summary>
        <p class="row">{boxes(false)}</p>
      </details>
      {localMethods.value.some(({ id }) => chosen.includes(id)) && space.value && (
        <SimilarityLine kind="repair" used={localUsed()} parts={['place', 'kernel', 'gamma', 'within', 'bins']} />
      )}
    </div>
  );
}

/** The file through the recalibration that is looked at; of counts, which have no rows, what was fitted. */
const Download = ({ done }: { done: boolean }) =>
  documented() ? (
    <p class="row">
      <button type="button" id="take" disabled={!done} onClick={() => takePredictions().catch(showError)}>
        Download recalibrated predictions
      </button>
      {done && (
        <span class="muted">
          <AboutFile kind="predictions" />
        </span>
      )}
    </p>
  ) : (
    <p class="row">
      <button type="button" id="take" disabled={!done} onClick={() => takeCalibrators().catch(showError)}>
        Download calibrators
      </button>
      {done && (
        <span class="muted">
          Fitted to the counts. Applied to rows by <code>localcal apply</code>, or by the code under Report.
        </span>
      )}
    </p>
  );

/** Short names, where titles say more. */
const CALLED: Record<string, string> = { lore: 'LoRe', lore_ridge: 'Ridge LoRe' };

/** Where local recalibrations looked for similar rows, by the run; null: the run has none. */
function localUsed(): string | null {
  const used = localMethods.value.flatMap(({ id, title }) => {
    const method = report.value?.methods.find((one: { id: string }) => one.id === id);
    // what was asked of a local recalibration, as it is asked of local metrics
    const parameters: Partial<Omit<wasm_bindgen.LocalOptions, 'within'>> & { within?: { of?: string } | null } =
      method?.parameters?.[0] ?? {};
    const { features, kernel, gamma, bins, within: cut } = parameters;
    if (!features) return [];
    const within = bins && binsInWords(bins);
    const near = kernel ? kernelInWords(kernel, gamma) : 'own bandwidth';
    return `${[featuresInWords(features), near, within, withinInWords(cut?.of)].filter(Boolean).join(' · ')} (${CALLED[id] ?? title})`;
  });
  return used.length > 0 ? used.join('; ') : null;
}

/** What was left alone stays first, however the table is sorted. */
function MethodTable({ table: { columns, rows } }: { table: RecalibrationTable }) {
  const every = panels.value.repair?.every === true;
  const [chosen, setSorting] = useState<Sorting>(null);
  const sorting = stillSorted(
    chosen,
    columns.map(({ name }) => name),
  );
  const shown = useOrder(rows, sorting, ({ cells, verdict }, place) => ({
    number: cells[place].number,
    stays: verdict === '',
  }));
  const places = columns.map((_, i) => i).filter((i) => every || columns[i].main);
  const sort = (place: number) => () => {
    const title = columns[place].name;
    if (sorting?.place !== place) setSorting({ place, title, falling: false });
    else setSorting(sorting.falling ? null : { place, title, falling: true });
  };
  return (
    <div id="repair-table">
      <Scrolling label="Methods and metrics">
        <table class="methods">
          <caption>Metrics on rows not used for fitting</caption>
          <thead>
            <tr>
              <th scope="col">
                <span class="as-table">Method</span>
                <span class="as-cards">Sort by</span>
              </th>
              {places.map((i) => {
                const { id, name, definition } = columns[i];
                const head = { title: name, align: 'end' as const, definition, sorting: sortedBy(sorting, i), id };
                return <SortingHead key={id} {...head} sort={sort(i)} />;
              })}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Method key={row.name} row={row} names={places.map((i) => [i, columns[i].name])} />
            ))}
          </tbody>
        </table>
      </Scrolling>
      <p class="row">
        <CheckField
          name="every metric"
          label={`All ${columns.length} metrics`}
          value={every}
          put={(value) => set('repair', 'every', value || undefined)}
        />
        <span class="muted">Copy as</span>
        {Object.entries(FORMATS).map(([title, format]) => (
          <Copy key={format} title={title} format={format} every={every} />
        ))}
      </p>
    </div>
  );
}

/** A method's name is a button: everything is looked at through it. */
function Method({ row, names }: { row: RecalibrationRow; names: [number, string][] }) {
  const { name, plain, parameters, verdict, warnings, cells } = row;
  const picked = subject.value.repair === name;
  return (
    <tr class={picked ? 'picked' : undefined} data-method={name}>
      <th scope="row">
        {verdict === '' ? (
          <strong>{methodTitle(name)}</strong>
        ) : (
          <button
            type="button"
            class="link"
            aria-pressed={picked}
            onClick={() => change({ repair: picked ? null : name })}
          >
            {methodTitle(name)}
          </button>
        )}
        {verdict && <span class="plain">{[plain, parameters].filter(Boolean).join('; ')}</span>}
        {verdict && (
          <span class="verdict">
            <Worded>{verdict}</Worded>
          </span>
        )}
        {warnings.map((text) => (
          <span key={text} class="plain">
            <Worded>{text}</Worded>
          </span>
        ))}
      </th>
      {names.map(([i, metric]) => (
        <Value key={i} cell={cells[i]} metric={metric} />
      ))}
    </tr>
  );
}

function Value({
  cell: { value, difference, side },
  metric,
}: {
  cell: wasm_bindgen.RecalibrationCell;
  metric: string;
}) {
  return (
    <td class="number" data-name={metric}>
      <span class={`value ${side}`}>
        {value}
        {side && <span class="unseen">{side === 'better' ? ' (better)' : ' (worse)'}</span>}
      </span>
      {difference.length > 0 && (
        <span class="difference">
          {difference.map((part) => (
            <span key={part}>{part}</span>
          ))}
        </span>
      )}
    </td>
  );
}

const FORMATS = { Markdown: 'markdown', LaTeX: 'latex', CSV: 'csv' } as const;

/** Puts the table on the clipboard. */
function Copy({ title, format, every }: { title: string; format: string; every: boolean }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    const data = open.value?.data;
    if (!data) return;
    try {
      await copyText(data.export('table', { format, every, ...leastCount() }).then(textOf));
      announce(`Table copied as ${title}`);
      setCopied(true);
    } catch (error) {
      showError(error);
    }
  }
  return (
    <button type="button" class="quiet" onClick={copy}>
      {title}
      {copied && ' ✓'}
    </button>
  );
}
