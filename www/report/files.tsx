// What can be taken away. Files about rows say so before they are saved.

import type { ComponentChildren } from 'preact';
import { mapSettings } from '../explore/map_settings.js';
import { subjectMethod } from '../explore/method.js';
import { methodTitle } from '../parts/catalogue.js';
import { asPlain, copyForms, copyText, tabbed, textOf } from '../parts/clipboard.js';
import { announce, showError } from '../parts/message.js';
import { documented } from '../parts/panel.js';
import { Worded } from '../parts/worded.js';
import { listed } from '../parts/words.js';
import { leastCount } from '../state/suppression.js';
import { chosen, open, panels, report, set, subject } from '../state/store.js';
import { reportOptions, settings } from './sections.js';
import { print, printable } from './previewed.js';
import { AboutFile, notes, take, takeApplied, takeCalibrators, takeHtml, takePredictions } from './take.js';

/** Copies tables with their borders, as word processors take them, and as text for spreadsheets. */
async function copyTables() {
  const data = open.peek()?.data;
  if (!data) return;
  const tables = data.export('report', { ...reportOptions(), format: 'tables' });
  await copyForms({ 'text/html': tables, 'text/plain': tables.then(textOf).then(tabbed).then(asPlain) });
  announce('Tables copied');
}

async function copyReport() {
  const data = open.peek()?.data;
  if (!data) return;
  await copyText(data.export('report', leastCount()).then(textOf));
  announce('Report copied');
}

interface ButtonProps {
  act: () => Promise<void> | void;
  children: ComponentChildren;
  off?: boolean;
  primary?: boolean;
  [data: `data-${string}`]: string;
}
const Button = ({ act, children, off = false, primary = false, ...others }: ButtonProps) => (
  <button
    type="button"
    class={primary ? 'primary' : ''}
    disabled={off}
    {...others}
    onClick={() => void Promise.resolve(act()).catch(showError)}
  >
    {children}
  </button>
);

/** The document in its formats. */
const Documents = () => (
  <>
    <h2>Document</h2>
    <p class="row">
      <Button primary act={() => print()} off={!printable.value} data-take="print">
        Print or save as PDF
      </Button>
      <Button act={takeHtml} data-take="html">
        HTML
      </Button>
      <Button act={() => take('report.tex', 'report', { ...reportOptions(), format: 'latex' })} data-take="latex">
        LaTeX
      </Button>
      <Button act={() => take('report.md', 'report', { ...reportOptions(), format: 'markdown' })} data-take="markdown">
        Markdown
      </Button>
      <Button act={copyTables} data-take="tables">
        Copy tables
      </Button>
    </p>
  </>
);

export function Files() {
  const now = open.value;
  const ran = report.value !== null;
  // what a document needs, a session and files of rows need too
  const whole = documented();
  return (
    <div id="report-files" class="takes">
      {now && ran && (
        <>
          {whole && <Documents />}
          <h2>Numbers</h2>
          <p class="row">
            <Button act={() => take('report.json', 'report', { ...leastCount() })} data-export="report">
              Report (JSON)
            </Button>
            <Button act={copyReport} data-take="copy">
              Copy JSON
            </Button>
            {whole && (
              <Button
                act={() => take('session.json', 'session', { page: chosen(), ...leastCount() })}
                data-take="session"
              >
                Session
              </Button>
            )}
          </p>
          {whole && (
            <p class="muted">
              A session stores column roles, settings, recalibrations and results, but no rows. Open it together with a
              later file to see what changed.
            </p>
          )}
          <Figures />
        </>
      )}
      {now && (whole || ran) && <AboutRows whole={whole} />}
    </div>
  );
}

/** Figures of Explore. */
const CHARTS = [
  { chart: 'reliability', name: 'Reliability diagram' },
  { chart: 'map', name: 'Local error map' },
  { chart: 'cdf', name: 'Distribution of local error' },
];

/** Widths in print: a column of a journal, and its page. */
const PRINTED = [85, 180];

function Figures() {
  const { suppress } = settings();
  // rows of counts have no place on a map
  const charts = CHARTS.filter(({ chart }) => chart === 'reliability' || documented());
  return (
    <>
      <h2>Figures</h2>
      <p class="muted">
        With the settings of Explore. For print: PDF and SVG, 85 mm (one column) or 180 mm (full page) wide, black on
        white, text of at least 7 pt.
      </p>
      {suppress && (
        <p class="muted">
          Counts below {suppress} are suppressed: the diagram omits bins with fewer rows; maps, whose points are rows,
          are not available.
        </p>
      )}
      {charts.map((one) => (
        <FilesOf key={one.chart} {...one} />
      ))}
    </>
  );
}

/** What a figure of Explore is asked there; null: nothing makes rows similar. */
function settingsOf(chart: string): object | null {
  const method = subjectMethod();
  const asked = chart === 'reliability' ? (panels.value.reliability ?? {}) : mapSettings();
  return asked && { ...asked, ...(method && { method }) };
}

/** A figure in its formats. */
function FilesOf({ chart, name }: (typeof CHARTS)[number]) {
  const asked = settingsOf(chart);
  const off = !asked || (chart !== 'reliability' && Boolean(settings().suppress));
  const taken = (file: string, form: object) => take(file, 'chart', { chart, ...asked, ...form, ...leastCount() });
  return (
    <div class="row figures" role="group" aria-labelledby={`figures-${chart}`}>
      <span class="wide" id={`figures-${chart}`}>
        {name}
      </span>
      {['svg', 'pdf', 'png'].map((format) => (
        <Button
          key={format}
          off={off}
          act={() => taken(`${chart}.${format}`, { format })}
          data-chart={chart}
          data-format={format}
        >
          {format.toUpperCase()}
        </Button>
      ))}
      {PRINTED.flatMap((width_mm) =>
        ['svg', 'pdf'].map((format) => (
          <Button
            key={`${width_mm} ${format}`}
            off={off}
            act={() => taken(`${chart}-${width_mm}mm.${format}`, { format, theme: 'print', width_mm })}
            data-printed={`${chart}-${width_mm}-${format}`}
          >
            {`${width_mm} mm ${format.toUpperCase()}`}
          </Button>
        )),
      )}
    </div>
  );
}

/** Recalibrations of the last run, by name. */
const recalibrations = (): string[] => (report.value?.methods ?? []).map(({ name }: { name: string }) => name).slice(1);

/** Files that hold rows of the open file, or something that was fitted to them; `whole`: there are rows, not counts. */
function AboutRows({ whole }: { whole: boolean }) {
  if (!whole && recalibrations().length === 0) return null;
  return (
    <>
      <h2>{whole ? 'Row-level files' : 'Calibrators'}</h2>
      {whole && <AboutPredictions />}
      <Calibrators whole={whole} />
      <div role="status" id="file-notes">
        {notes().map((note) => (
          <p key={note}>
            <Worded>{note}</Worded>
          </p>
        ))}
      </div>
    </>
  );
}

/** What a file of predictions holds, before it is saved. */
function AboutPredictions() {
  const now = open.value;
  if (!now) return null;
  const { summary } = now;
  const ids = summary.columns.filter(({ role }) => role === 'id' || role === 'text').map(({ name }) => name);
  const { identifiers = true, suppress } = settings();
  const methods = recalibrations();
  const included =
    methods.length > 0
      ? `Recalibrated by ${listed(methods.map(methodTitle))}.`
      : 'Select a recalibration to include it.';
  return (
    <>
      <p class="muted">
        <AboutFile kind="predictions" /> {!suppress && included}
      </p>
      {ids.length > 0 && (
        <label class="check">
          <input
            type="checkbox"
            name="identifiers"
            checked={!identifiers}
            onChange={({ currentTarget }) => set('report', 'identifiers', currentTarget.checked ? false : undefined)}
          />{' '}
          Exclude identifiers
        </label>
      )}
    </>
  );
}

function Calibrators({ whole }: { whole: boolean }) {
  const methods = recalibrations();
  const picked = methods.find((name) => name === subject.value.repair) ?? methods[0];
  return (
    <>
      <p class="row">
        {whole && (
          <Button off={!report.value} act={takePredictions} data-export="predictions">
            Predictions (CSV)
          </Button>
        )}
        <Button off={!picked} act={takeCalibrators} data-export="calibrator">
          Calibrator (JSON)
        </Button>
      </p>
      <p class="muted">
        {picked ? `Calibrator as code: ${methodTitle(picked)}` : 'Select a recalibration to save it as a calibrator.'}
      </p>
      <p class="row">
        {[
          ['python', 'Python', 'calibrate.py'],
          ['javascript', 'JavaScript', 'calibrate.js'],
        ].map(([language, name, file]) => (
          <Button
            key={language}
            off={!picked}
            act={() => take(file, 'snippet', { language, method: picked })}
            data-snippet={language}
          >
            {name}
          </Button>
        ))}
      </p>
      {whole && (
        <label class="field">
          <span>Apply a saved calibrator (writes applied.csv; outcomes are not needed)</span>
          <input
            type="file"
            id="stored"
            accept=".json,application/json"
            onChange={async ({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file) await takeApplied(file).catch(showError);
              currentTarget.value = '';
            }}
          />
        </label>
      )}
    </>
  );
}
