// Settings that take several values: a list, or steps from one number to another.

import { useState } from 'preact/hooks';
import { catalogue } from '../../parts/catalogue.js';
import { ChoiceField, NumberField } from '../../parts/form.js';
import type { Vary as Varied } from '../../state/experiment.js';
import { put, spec } from '../../state/experiment.js';
import { STEPS, TextField, levelsIn, stepsBetween } from './fields.js';
import { hasSetting, taking } from './offered.js';

/** Settings of spaces, and values to begin with. */
const OF_SPACES: Record<string, Varied['values']> = {
  gamma: [0.05, 0.1, 0.2, 0.4, 0.8, 1.6],
  bins: [5, 10, 15, 20, 30],
  neighbours: [5, 10, 20, 50],
  distance: ['euclidean', 'cosine'],
  form: ['paper', 'code'],
  kernel: ['laplacian', 'gaussian', 'rbf'],
  width_p: [0.05, 0.1, 0.2],
  trust_gamma: [0.1, 1, 10],
  resamples: [100, 1000],
};

/** Settings that can be varied: those of the chosen methods first. */
function settings(): [setting: string, label: string][] {
  const { methods, spaces } = spec.value;
  const ids = [...new Set(methods.flatMap(({ id }) => id.split('+')))];
  const by = new Map<string, string[]>();
  for (const id of ids) {
    const described = catalogue.value?.methods.find((one) => one.id === id);
    for (const one of described?.parameters ?? [])
      if (['number', 'choice', 'switch'].includes(taking(one).is)) by.set(one.name, [...(by.get(one.name) ?? []), id]);
  }
  for (const setting of Object.keys(OF_SPACES))
    if (spaces.length > 0 || by.has(setting)) by.set(setting, [...(by.get(setting) ?? []), 'spaces']);
  return [...by].map(([setting, of]) => [setting, `${setting} (${of.join(', ')})`]);
}

/** Values to begin with: of a choice each of its words. */
function usualValues(setting: string): Varied['values'] {
  if (OF_SPACES[setting]) return OF_SPACES[setting];
  const parameters = catalogue.value?.methods.flatMap((one) => one.parameters) ?? [];
  const described = parameters.find(({ name }) => name === setting);
  const takes = described && taking(described);
  if (takes?.is === 'choice') return takes.of;
  return setting === 'lambda' ? [0, 0.25, 0.5, 0.75, 1] : [1, 2, 5, 10];
}

export function Vary() {
  const { vary } = spec.value;
  const left = settings().filter(([setting]) => !vary.some((one) => one.setting === setting));
  const change = (at: number, to: Partial<Varied>) =>
    put({ vary: vary.map((one, i) => (i === at ? { ...one, ...to } : one)) });
  return (
    <>
      <ol class="list" aria-label="Varied settings">
        {vary.map((one, i) => (
          <OneSetting
            key={one.setting}
            of={one}
            at={i}
            change={(to) => change(i, to)}
            remove={() => put({ vary: vary.filter((_, place) => place !== i) })}
          />
        ))}
      </ol>
      {left.length > 0 && (
        <ChoiceField
          name="vary"
          label="Add setting"
          value=""
          choices={[['', 'Choose a setting'], ...left]}
          put={(setting) => {
            if (setting) put({ vary: [...vary, { setting, values: usualValues(setting) }] });
          }}
        />
      )}
    </>
  );
}

interface OneProps {
  of: Varied;
  at: number;
  change: (to: Partial<Varied>) => void;
  remove: () => void;
}
function OneSetting({ of: { setting, values, of }, at, change, remove }: OneProps) {
  const numbers = values.every((value) => typeof value === 'number');
  const methods = spec.value.methods.some(({ id }) => hasSetting(id, setting));
  return (
    <li>
      <div class="fields varied">
        <TextField
          name={`vary-${at}`}
          label={`Values of ${setting}`}
          value={values.join(', ')}
          put={(typed) => change({ values: levelsIn(typed) })}
        />
        {methods && OF_SPACES[setting] && (
          <ChoiceField
            name={`vary-${at}-of`}
            label="Applies to"
            value={of ?? 'methods'}
            choices={[
              ['methods', 'Methods'],
              ['metrics', 'Metrics'],
            ]}
            put={(where) => change({ of: where === 'metrics' ? 'metrics' : undefined })}
          />
        )}
        <button type="button" class="quiet" aria-label={`Remove ${setting}`} onClick={remove}>
          Remove
        </button>
      </div>
      {numbers && <Steps at={at} values={values as number[]} put={(steps) => change({ values: steps })} />}
    </li>
  );
}

/** From one number to another in so many steps. */
function Steps({ at, values, put: give }: { at: number; values: number[]; put: (values: number[]) => void }) {
  const [from, setFrom] = useState(Math.min(...values));
  const [to, setTo] = useState(Math.max(...values));
  const [steps, setSteps] = useState(values.length);
  const [log, setLog] = useState(from > 0 && to / from > 8);
  const can = Number.isFinite(from) && Number.isFinite(to) && steps >= 1 && (!log || (from > 0 && to > 0));
  return (
    <details class="fold">
      <summary>Range</summary>
      <div class="fields">
        <NumberField name={`vary-${at}-from`} label="From" value={from} put={(x) => setFrom(x ?? 0)} />
        <NumberField name={`vary-${at}-to`} label="To" value={to} put={(x) => setTo(x ?? 0)} />
        <NumberField
          name={`vary-${at}-steps`}
          label="Number"
          value={steps}
          bounds={STEPS}
          put={(x) => setSteps(x ?? 1)}
        />
        <ChoiceField
          name={`vary-${at}-scale`}
          label="Spacing"
          value={log ? 'log' : 'linear'}
          choices={[
            ['linear', 'Linear'],
            ['log', 'Logarithmic'],
          ]}
          put={(scale) => setLog(scale === 'log')}
        />
        <button type="button" disabled={!can} onClick={() => give(stepsBetween(from, to, steps, log))}>
          Apply
        </button>
      </div>
    </details>
  );
}
