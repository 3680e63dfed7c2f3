// The reliability diagram of the original predictions, or through the subject's recalibration.

import { methodTitle } from '../parts/catalogue.js';
import { Figure } from '../parts/figure.js';
import { CheckField, ChoiceField } from '../parts/form.js';
import { Question, Settings } from '../parts/panel.js';
import { labeled } from '../parts/words.js';
import { Reading, Worded } from '../parts/worded.js';
import { open, panels, report, set, setAll } from '../state/store.js';
import { useCharts } from './chart.js';
import { subjectMethod } from './method.js';
import { drawn } from './questions.js';
import { presentation } from './scorecard.js';

/** No diagram is drawn wider, in CSS pixels. */
const WIDEST = 620;
type DiagramSettings = wasm_bindgen.ReliabilityRequest;
/** What can be chosen, the usual first. */
const CHOICES: { option: 'curve' | 'band' | 'axes'; label: string; choices: [string, string][] }[] = [
  {
    option: 'curve',
    label: 'Curve',
    choices: [
      ['loess', 'Loess'],
      ['spline', 'Restricted cubic spline'],
      ['kernel', 'Kernel-smoothed'],
      ['isotonic', 'Isotonic'],
    ],
  },
  {
    option: 'band',
    label: '95% band',
    choices: [
      ['pointwise', 'Curve, pointwise'],
      ['simultaneous', 'Curve, simultaneous'],
      ['consistency', 'Diagonal, expected if calibrated'],
      ['none', 'None'],
    ],
  },
  {
    option: 'axes',
    label: 'Axes',
    choices: [
      ['fitted', 'Fit to data'],
      ['full', '0 to 1'],
      ['logit', 'Logit, fit to data'],
    ],
  },
];

export function Reliability() {
  const settings = (panels.value.reliability ?? {}) as DiagramSettings;
  const charts = useCharts();
  const method = subjectMethod();
  const words = presentation();
  const data = open.value?.data;
  const recalibrated = words?.repair.rows.find(({ name }) => name === method);
  const put = (option: string, value: unknown) => set('reliability', option, value);
  return (
    <Question {...drawn('reliability')}>
      {words && (
        <div class="answer">
          <Reading>
            {recalibrated ? labeled(methodTitle(recalibrated.name), recalibrated.verdict) : words.headline}
          </Reading>
          <Settings changed={Object.keys(settings).length > 0} usual={() => setAll('reliability', {})}>
            <div class="fields">
              {CHOICES.map(({ option, label, choices }) => (
                <ChoiceField
                  key={option}
                  name={option}
                  label={label}
                  value={settings[option] ?? choices[0][0]}
                  choices={choices}
                  put={(value) => put(option, value === choices[0][0] ? undefined : value)}
                />
              ))}
              <CheckField
                name="bins"
                label="Bins with intervals"
                value={settings.bins ?? true}
                put={(bins) => put('bins', bins ? undefined : false)}
              />
            </div>
          </Settings>
          <div class="facing">
            <Figure
              name="reliability"
              of={[data, report.value, JSON.stringify(settings), method]}
              ask={async ({ width }) => {
                if (!data || !report.value) return null;
                const asked = { ...settings, ...(method && { method }), width: Math.min(width, WIDEST) };
                return charts.ask(data, () => ({ chart: 'reliability', ...asked }));
              }}
              withheld={async ({ width }, suppress) => {
                const asked = { ...settings, ...(method && { method }), width, suppress };
                return data ? charts.ask(data, () => ({ chart: 'reliability', ...asked })) : null;
              }}
            />
            <div class="texts">
              {!recalibrated && (
                <p>
                  <Worded>{words.floor}</Worded>
                </p>
              )}
              <p class="muted">
                <Worded>{words.basis}</Worded>
              </p>
            </div>
          </div>
        </div>
      )}
    </Question>
  );
}
