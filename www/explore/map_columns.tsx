// What makes rows alike: maps that the file offers, two of its columns, or a new map made of its columns.

import { useRef, useState } from 'preact/hooks';
import type { Data } from '../engine/localcal.js';
import { suggestionOf } from '../engine/localcal.js';
import type { Picture } from '../engine/pool.js';
import { ChoiceField, NumberField } from '../parts/form.js';
import { makeMap, maps } from '../state/space.js';
import { set } from '../state/store.js';

type FeatureChoice = wasm_bindgen.FeatureChoice;
/** Roles of columns that may describe rows; texts become one coordinate per value. */
const DESCRIBE = ['feature', 'features', 'group', 'ignore'];
const TWO = 'two columns';

interface Props {
  data: Data;
  features: unknown;
  /** is told before the coordinates change */
  change: () => void;
}
export function MapColumns({ data, features, change }: Props) {
  const { names, ways } = maps(data);
  const pairs = names.length > 1;
  const isPca = (way: unknown) => typeof way === 'object' && way !== null && 'pca' in way;
  const chosen = Object.keys(ways).find(
    (way) => JSON.stringify(ways[way]) === JSON.stringify(features) || (isPca(ways[way]) && isPca(features)),
  );
  const pair = Array.isArray(features) ? (features as string[]) : names;
  const take = (next: FeatureChoice) => {
    change();
    set('map', 'features', next);
    set('map', 'axes', undefined);
  };
  const one = names.length === 1 && Object.keys(ways).length === 0 ? [names[0]] : [];
  const options = [...Object.keys(ways), ...(pairs ? [TWO] : []), ...one];
  const column = (name: string, label: string, value: string, put: (column: string) => void) => (
    <ChoiceField name={name} label={label} value={value} choices={names.map((each) => [each, each])} put={put} />
  );
  return (
    <div class="fields">
      <ChoiceField
        name="features"
        label="Rows are alike when they agree in"
        value={chosen ?? (pairs ? TWO : names[0])}
        choices={options.map((each) => [each, each])}
        put={(way) => take(ways[way] ?? (way === TWO ? names.slice(0, 2) : [way]))}
      />
      {pairs && !chosen && column('x', 'across', pair[0], (name) => take([name, pair[1]]))}
      {pairs && !chosen && column('y', 'upwards', pair[1], (name) => take([pair[0], name]))}
      {suggestionOf(data)?.note && <p class="muted">{suggestionOf(data)?.note}</p>}
      <NewMap
        data={data}
        use={({ name, gamma }) => {
          take(name);
          if (gamma) set('map', 'gamma', gamma);
        }}
      />
    </div>
  );
}

const SCALES: [string, string][] = [
  ['none', 'as they stand'],
  ['standardise', 'each to standard deviation 1'],
  ['median_l1', 'together, median distance 1'],
];
const KINDS: [string, string][] = [
  ['tsne2', 't-SNE, two coordinates'],
  ['tsne3', 't-SNE, three coordinates'],
  ['pca', 'principal components'],
  ['none', 'the columns themselves'],
];

/** The form that makes a map, with a picture of the rows while they move. */
function NewMap({ data, use }: { data: Data; use: (map: wasm_bindgen.FeatureMap) => void }) {
  const columns = data.summary.columns.filter(({ role }) => DESCRIBE.includes(role));
  const wide = columns.some(({ shape }) => shape.length > 1 && (shape[1] ?? 0) > 50);
  const usual = columns.filter(({ role }) => role.startsWith('feature')).map(({ name }) => name);
  const [of, setOf] = useState(usual);
  const [scale, setScale] = useState('none');
  const [kind, setKind] = useState('tsne2');
  const [components, setComponents] = useState<number | undefined>(wide ? 50 : undefined);
  const [perplexity, setPerplexity] = useState<number | undefined>(30);
  const [seed, setSeed] = useState<number | undefined>(0);
  const [making, setMaking] = useState(false);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [embeds, dimensions] = [kind.startsWith('tsne'), kind === 'tsne3' ? 3 : 2];

  async function make() {
    const pca = kind === 'none' ? 0 : components || (kind === 'pca' ? 2 : 0);
    const request = {
      of,
      scale,
      ...(pca && { pca }),
      ...(embeds && { tsne: { dimensions, perplexity: perplexity || undefined, seed: seed || 0 } }),
    } as wasm_bindgen.ProjectionRequest;
    setMaking(true);
    const map = await makeMap(data, request, ({ picture }) => {
      if (picture && canvas.current) scatter(canvas.current, picture);
    });
    setMaking(false);
    if (map) use(map);
  }
  return (
    <details class="fold">
      <summary>Make another map</summary>
      <div class="fields">
        <label class="field">
          <span>Of these columns (text: one coordinate per value)</span>
          <select
            name="map-columns"
            multiple
            size={Math.min(6, Math.max(2, columns.length))}
            onChange={({ currentTarget }) => setOf([...currentTarget.selectedOptions].map(({ value }) => value))}
          >
            {columns.map(({ name }) => (
              <option key={name} value={name} selected={of.includes(name)}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <ChoiceField name="map-scale" label="Scaled" value={scale} choices={SCALES} put={setScale} />
        <ChoiceField name="map-kind" label="Into" value={kind} choices={KINDS} put={setKind} />
      </div>
      <div class="fields">
        {kind !== 'none' && (
          <NumberField
            name="map-components"
            label={kind === 'pca' ? 'Components' : 'Components first (empty: none)'}
            value={components ?? null}
            least={0}
            put={setComponents}
          />
        )}
        {embeds && (
          <NumberField
            name="map-perplexity"
            label="Perplexity"
            value={perplexity ?? null}
            least={0}
            put={setPerplexity}
          />
        )}
        {embeds && <NumberField name="map-seed" label="Seed" value={seed ?? null} least={0} put={setSeed} />}
      </div>
      <p class="row">
        <button type="button" onClick={make}>
          Make the map
        </button>
      </p>
      <canvas ref={canvas} width={240} height={240} hidden={!making} role="img" aria-label="The rows on their way" />
    </details>
  );
}

/** Rows as dots, wherever they are at this moment. */
function scatter(canvas: HTMLCanvasElement, { x, y }: Picture) {
  const brush = canvas.getContext('2d');
  if (!brush) return;
  const size = canvas.width;
  const reach = Math.max(...[x, y].map((values) => values.reduce((most, v) => Math.max(most, Math.abs(v)), 0))) || 1;
  brush.clearRect(0, 0, size, size);
  brush.fillStyle = getComputedStyle(canvas).color;
  const at = (value: number) => ((value / reach) * 0.48 + 0.5) * size;
  for (let i = 0; i < x.length; i += 1) brush.fillRect(at(x[i]), size - at(y[i]), 1.5, 1.5);
}
