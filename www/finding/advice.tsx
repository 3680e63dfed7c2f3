// What to do: the repair that is recommended can be looked at everywhere, and taken away.

import { showError } from '../parts/message.js';
import { withLine } from '../parts/progress.js';
import { save } from '../parts/words.js';
import { change, open, report, specified, subject } from '../state/store.js';

type AdviceFound = wasm_bindgen.Advice;

/** The name that the subject has for what is recommended. */
function nameOf({ method, title }: AdviceFound): string {
  if (typeof method === 'string') return method;
  return method.name ?? (method.parameters ? title : method.id);
}

/** What to do, in as few words as there are. */
export const shortly = ({ method, title }: AdviceFound): string => (method === 'none' ? 'Leave them alone' : title);

/** Looks at everything through what is recommended. */
function look(advice: AdviceFound) {
  const { method } = advice;
  const name = nameOf(advice);
  if (typeof method !== 'string')
    specified.value = { ...specified.peek(), [name]: { ...method, name: undefined } as never };
  if (subject.peek().repair !== name) change({ repair: name });
  return name;
}

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
async function take(advice: AdviceFound, kind: 'predictions' | 'calibrator', name: string) {
  const data = open.peek()?.data;
  if (!data) return;
  await runWith(look(advice));
  await withLine(`Writing ${name}`, ({ signal }) => data.export(kind, { signal })).then((blob) => save(blob, name));
}

export function Advice({ advice }: { advice: AdviceFound }) {
  if (advice.method === 'none') return null;
  const looked = subject.value.repair === nameOf(advice);
  return (
    <p class="row">
      <button
        type="button"
        class="primary"
        data-take="repaired"
        onClick={() => take(advice, 'predictions', 'predictions.csv').catch(showError)}
      >
        Repaired predictions (CSV)
      </button>
      <button type="button" onClick={() => take(advice, 'calibrator', 'calibrator.json').catch(showError)}>
        Calibrator (JSON)
      </button>
      <button
        type="button"
        class="quiet"
        aria-pressed={looked}
        onClick={() => (looked ? change({ repair: null }) : look(advice))}
      >
        {looked ? 'Looked at everywhere ✓' : 'Look at everything through it'}
      </button>
    </p>
  );
}
