// The metrics of an experiment, grouped by what they need, and found by their words.

import { useState } from 'preact/hooks';
import { catalogue } from '../../parts/catalogue.js';
import { put, spec } from '../../state/experiment.js';
import { TIMES } from './size.js';

interface Metric {
  id: string;
  name: string;
  plain: string;
  words: string;
}

/** Metrics by what they need. */
function groups(): [string, Metric[]][] {
  const by = new Map<string, Metric[]>();
  for (const { id, name, plain, needs, definition, source } of catalogue.value?.metrics ?? [])
    by.set(needs, [
      ...(by.get(needs) ?? []),
      { id, name, plain, words: `${id} ${name} ${plain} ${definition} ${source}` },
    ]);
  return [
    ...by,
    ['time', TIMES.map(([id, name, plain]) => ({ id, name, plain, words: `${id} ${name} ${plain} seconds` }))],
  ];
}

/** What a metric is called. */
export const metricName = (id: string): string =>
  catalogue.value?.metrics.find((one) => one.id === id)?.name ?? TIMES.find(([one]) => one === id)?.[1] ?? id;

export function Metrics() {
  const [search, setSearch] = useState('');
  const { metrics } = spec.value;
  const asked = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = groups()
    .map(([needs, all]): [string, Metric[]] => [
      needs,
      all.filter(({ words }) => asked.every((word) => words.toLowerCase().includes(word))),
    ])
    .filter(([, all]) => all.length > 0);
  const toggle = (id: string, on: boolean) =>
    put({ metrics: on ? [...metrics, id] : metrics.filter((one) => one !== id) });
  return (
    <>
      <label class="search">
        <span class="unseen">Search the metrics</span>
        <input
          type="search"
          name="search metrics"
          placeholder="Search: group, Brier, local …"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </label>
      {shown.length === 0 && <p class="muted">No metric holds these words.</p>}
      {shown.map(([needs, all]) => (
        <fieldset key={needs} class="of-method">
          <legend>{needs}</legend>
          <div class="row boxes">
            {all.map(({ id, name, plain }) => (
              <label key={id} class="check" title={plain}>
                <input
                  type="checkbox"
                  name="metric"
                  value={id}
                  checked={metrics.includes(id)}
                  onChange={({ currentTarget }) => toggle(id, currentTarget.checked)}
                />{' '}
                {name}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
    </>
  );
}
