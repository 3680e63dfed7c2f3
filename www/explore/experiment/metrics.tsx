// The metrics of an experiment, grouped by what they need, and found by their words.

import { useState } from 'preact/hooks';
import { boundsOf, catalogue, usualBins } from '../../parts/catalogue.js';
import { ChoiceField, NumberField } from '../../parts/form.js';
import { put, spec } from '../../state/experiment.js';
import { open } from '../../state/store.js';
import { SCHEMES } from '../../subject/similarity_words.js';

/** Metrics of time, which the catalogue does not hold. */
const TIMES: [string, string, string][] = [
  ['fit_seconds', 'Time to fit', 'seconds per fit'],
  ['apply_seconds', 'Time to apply', 'seconds per row after fitting'],
];

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
        <span class="unseen">Search metrics</span>
        <input
          type="search"
          name="search metrics"
          placeholder="Search metrics"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </label>
      {shown.length === 0 && <p class="muted">No metric matches.</p>}
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
      <Counting />
    </>
  );
}

/** Which end of a bin belongs to it, and how its edges are rounded, as programs have it. */
const CONVENTIONS: Record<string, [title: string, bins: object]> = {
  usual: ['Lower edge included', {}],
  right: ['Upper edge included', { closed: 'right' }],
  published: ['Upper edge included (NumPy)', { closed: 'right', edges: 'numpy' }],
};

/** Confidence bins, and columns of groups. */
function Counting() {
  const { bins, groups = [] } = spec.value;
  const usual = usualBins().count;
  const now: { count: number; scheme?: string; closed?: string; edges?: string } =
    typeof bins === 'object' ? { count: usual, ...bins } : { count: bins ?? usual };
  const change = (to: Partial<typeof now>) => {
    const next = { ...now, ...to };
    const plain = (next.scheme ?? 'equal_width') === 'equal_width' && !next.closed && !next.edges;
    put({ bins: plain ? (next.count === usual ? undefined : next.count) : next });
  };
  const convention = now.edges === 'numpy' ? 'published' : now.closed === 'right' ? 'right' : 'usual';
  const columns = (open.value?.summary.columns ?? []).filter(({ role }) => role === 'group' || role === 'ignore');
  const [first = '', second = ''] = groups;
  const named = columns.map(({ name }): [string, string] => [name, name]);
  const choose = (some: string[]) =>
    put({ groups: some.filter(Boolean).length > 0 ? some.filter(Boolean) : undefined });
  return (
    <fieldset class="of-method">
      <legend>Bins and groups</legend>
      <div class="row fields">
        <NumberField
          name="bins"
          label="Bins"
          value={now.count}
          bounds={boundsOf('bins', 'count')}
          put={(count) => change({ count: count ?? usual })}
        />
        <ChoiceField
          name="scheme"
          label="Bin type"
          value={now.scheme ?? 'equal_width'}
          choices={SCHEMES}
          put={(scheme) => change({ scheme })}
        />
        <ChoiceField
          name="convention"
          label="Bin edges"
          value={convention}
          choices={Object.entries(CONVENTIONS).map(([id, [title]]) => [id, title])}
          put={(id) => change({ closed: undefined, edges: undefined, ...CONVENTIONS[id][1] })}
        />
        {columns.length > 0 && (
          <>
            <ChoiceField
              name="groups"
              label="Group by"
              value={first}
              choices={[['', 'Default'], ...named]}
              put={(name) => choose([name, name ? second : ''])}
            />
            {first && (
              <ChoiceField
                name="groups-by"
                label="Crossed with"
                value={second}
                choices={[['', 'None'], ...named.filter(([name]) => name !== first)]}
                put={(name) => choose([first, name])}
              />
            )}
          </>
        )}
      </div>
    </fieldset>
  );
}
