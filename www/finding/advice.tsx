// Recommendation: the recalibration that is recommended can be looked at everywhere, and taken away.

import { showError } from '../parts/message.js';
import { documented } from '../parts/panel.js';
import { withLine } from '../parts/progress.js';
import { save } from '../parts/words.js';
import { AboutFile, refuseRows, takePredictions } from '../report/take.js';
import { lookThroughRecommended, nameOf } from '../state/recommended.js';
import { leastCount } from '../state/suppression.js';
import { runWith } from '../state/running.js';
import { change, open, subject } from '../state/store.js';

type AdviceFound = wasm_bindgen.Advice;

/** The recalibrated predictions; the recalibration is computed first where it was not. */
async function takeRecalibrated(advice: AdviceFound) {
  refuseRows();
  await runWith(lookThroughRecommended(advice));
  await takePredictions();
}

/** What the recalibration learned; it is computed first where it was not. */
async function takeCalibrator(advice: AdviceFound) {
  const data = open.peek()?.data;
  if (!data) return;
  await runWith(lookThroughRecommended(advice));
  const write = ({ signal }: { signal: AbortSignal }) => data.export('calibrator', { ...leastCount(), signal });
  save(await withLine('Writing calibrator.json', write), 'calibrator.json');
}

export function Advice({ advice }: { advice: AdviceFound }) {
  if (advice.method === 'none') return null;
  const looked = subject.value.repair === nameOf(advice);
  // of counts there are no rows to save
  const rows = documented();
  return (
    <>
      <p class="row">
        {rows && (
          <button
            type="button"
            class="primary"
            data-take="repaired"
            onClick={() => takeRecalibrated(advice).catch(showError)}
          >
            Recalibrated predictions (CSV)
          </button>
        )}
        <button type="button" onClick={() => takeCalibrator(advice).catch(showError)}>
          Calibrator (JSON)
        </button>
        <button
          type="button"
          class="quiet"
          aria-pressed={looked}
          onClick={() => (looked ? change({ repair: null }) : lookThroughRecommended(advice))}
        >
          {looked ? 'Applied to Explore and Report ✓' : 'Apply to Explore and Report'}
        </button>
      </p>
      {rows && (
        <p class="note">
          <AboutFile kind="predictions" />
        </p>
      )}
    </>
  );
}
