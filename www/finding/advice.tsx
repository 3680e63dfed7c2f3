// What to do: the repair that is recommended can be looked at everywhere, and taken away.

import { methodTitle } from '../parts/catalogue.js';
import { showError } from '../parts/message.js';
import { withLine } from '../parts/progress.js';
import { save } from '../parts/words.js';
import { change, open, report, subject } from '../state/store.js';

/** Waits until the last run holds a method. */
function runWith(method: string): Promise<void> {
  const there = () => report.value?.methods.some(({ name }: { name: string }) => name === method);
  return new Promise((done) => {
    const stop = report.subscribe(() => {
      if (!there()) return;
      queueMicrotask(() => stop());
      done();
    });
  });
}

/** Saves something of the repair, which is computed first where it was not. */
async function take(method: string, kind: 'predictions' | 'calibrator', name: string) {
  const data = open.peek()?.data;
  if (!data) return;
  if (subject.peek().repair !== method) change({ repair: method });
  await runWith(method);
  await withLine(`Writing ${name}`, ({ signal }) => data.export(kind, { signal })).then((blob) => save(blob, name));
}

export function Advice({ advice: { method } }: { advice: wasm_bindgen.Advice }) {
  if (method === 'none') return null;
  const looked = subject.value.repair === method;
  return (
    <p class="row">
      <button type="button" onClick={() => take(method, 'predictions', 'predictions.csv').catch(showError)}>
        Repaired predictions (CSV)
      </button>
      <button type="button" onClick={() => take(method, 'calibrator', 'calibrator.json').catch(showError)}>
        Calibrator (JSON)
      </button>
      <button
        type="button"
        class="quiet"
        aria-pressed={looked}
        onClick={() => change({ repair: looked ? null : method })}
      >
        {looked ? 'Looked at everywhere ✓' : `Look at everything under ${methodTitle(method)}`}
      </button>
    </p>
  );
}
