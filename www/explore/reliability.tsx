// The reliability diagram of the predictions as they are, or through the subject's repair.

import { useRef } from 'preact/hooks';
import { charts } from '../engine/localcal.js';
import { Figure } from '../parts/figure.js';
import { CheckField } from '../parts/form.js';
import { Question, Settings } from '../parts/panel.js';
import { open, panels, report, set, setAll } from '../state/store.js';
import { subjectMethod } from './method.js';
import { drawn } from './questions.js';
import { presentation } from './scorecard.js';

/** No diagram is drawn wider, in CSS pixels. */
const WIDEST = 620;

export function Reliability() {
  const { smooth = false } = (panels.value.reliability ?? {}) as { smooth?: boolean };
  const chart = useRef(charts()).current;
  const method = subjectMethod();
  const words = presentation();
  const data = open.value?.data;
  return (
    <Question {...drawn('reliability')}>
      {words && (
        <div class="answer">
          <p class="reading">{words.headline}</p>
          <Settings changed={smooth} usual={() => setAll('reliability', {})}>
            <CheckField
              name="smooth"
              label="kernel-smoothed curve instead of the isotonic one"
              value={smooth}
              put={(value) => set('reliability', 'smooth', value || undefined)}
            />
          </Settings>
          <div id="reliability-diagram">
            <Figure
              name="reliability"
              of={[data, report.value, smooth, method]}
              ask={async ({ width }) =>
                data && report.value
                  ? chart(data, {
                      chart: 'reliability',
                      smooth,
                      width: Math.min(width, WIDEST),
                      ...(method && { method }),
                    })
                  : null
              }
            />
          </div>
          <p>{words.floor}</p>
          <p class="muted">{words.basis}</p>
        </div>
      )}
    </Question>
  );
}
