// Who is alike: where local metrics look, and methods that look at near rows. Several stand beside each other.

import { useState } from 'preact/hooks';
import { offerOf } from '../../engine/localcal.js';
import { ChoiceField, NumberField } from '../../parts/form.js';
import type { Space } from '../../state/experiment.js';
import { put, spec, subjectSpace, withSpace, withoutSpace } from '../../state/experiment.js';
import { open } from '../../state/store.js';
import { TextField } from './fields.js';

/** Settings of the kernel, of proximity and of the trust test: how a space is looked at. */
const NUMBERS: Record<string, [setting: string, label: string, usual: string][]> = {
  'Local error and LoRe': [
    ['gamma', 'bandwidth γ', '0.4'],
    ['bins', 'confidence bins', 'as all'],
  ],
  Proximity: [['neighbours', 'neighbours K', '10']],
  'Trust test': [
    ['width_p', 'width in the score', '0.1'],
    ['trust_gamma', 'γ in the covariates', '1 / coordinates'],
    ['resamples', 'draws', '1,000'],
  ],
};
const CHOICES: Record<string, [setting: string, label: string, words: string[]][]> = {
  'Local error and LoRe': [['kernel', 'kernel', ['laplacian', 'gaussian', 'rbf', 'group', 'constant']]],
  Proximity: [
    ['distance', 'distance', ['euclidean', 'cosine']],
    ['form', 'form', ['paper', 'code']],
  ],
  'Trust test': [['null', 'null', ['permute_centred', 'bernoulli', 'permute', 'bootstrap']]],
};

/** Columns that can say who is alike. */
function columns(): string[] {
  const now = open.value;
  if (!now) return [];
  const described = now.summary.columns.filter(({ role }) => role === 'feature' || role === 'features');
  return [...new Set([...offerOf(now.data).columns, ...described.map(({ name }) => name)])];
}

export function Spaces() {
  const { spaces } = spec.value;
  const names = columns();
  const near = subjectSpace();
  const add = (space: Partial<Space>) => put({ spaces: [...spaces, space] });
  if (names.length === 0 && !near && spaces.length === 0)
    return (
      <p class="muted">No column or array says who is alike: local metrics and methods that look at near rows wait.</p>
    );
  return (
    <>
      {spaces.length === 0 && <p class="muted">None: as the page suggests.</p>}
      <ol class="list" aria-label="Spaces">
        {spaces.map((space, i) => (
          <OneSpace key={i} space={space} at={i} names={names} />
        ))}
      </ol>
      <p class="row">
        <span class="muted">Add</span>
        {near && (
          <button type="button" class="quiet" onClick={() => add(near)}>
            as the subject says
          </button>
        )}
        <button type="button" class="quiet" onClick={() => add({ features: names })}>
          columns
        </button>
        <button type="button" class="quiet" onClick={() => add({ features: { pca: 2, of: names } })}>
          principal components
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => add({ project: { of: names, scale: 'standardise', tsne: { dimensions: 2, seed: 0 } } })}
        >
          t-SNE
        </button>
      </p>
    </>
  );
}

type Way = 'columns' | 'components' | 'map';
const wayOf = ({ features, project }: Space): Way => {
  if (project) return 'map';
  return typeof features === 'object' && !Array.isArray(features) ? 'components' : 'columns';
};

/** Columns that a space is made of. */
function columnsOf({ features, project }: Partial<Space>): string[] | undefined {
  if (project) return project.of ?? undefined;
  if (Array.isArray(features)) return features;
  return typeof features === 'string' ? [features] : features?.of;
}

function OneSpace({ space, at, names }: { space: Space; at: number; names: string[] }) {
  const [unfolded, setUnfolded] = useState(false);
  return (
    <li>
      <div class="item">
        <TextField
          name={`space-${at}`}
          label={`Name of ${space.name}`}
          unseen
          value={space.name}
          put={(name) => withSpace(at, { name })}
        />
        <span class="muted what">{said(space)}</span>
        <span class="row tools">
          <button
            type="button"
            class="quiet"
            aria-expanded={unfolded}
            aria-label={`Settings of ${space.name}`}
            onClick={() => setUnfolded(!unfolded)}
          >
            Settings
          </button>
          <button type="button" class="quiet" aria-label={`Remove ${space.name}`} onClick={() => withoutSpace(at)}>
            Remove
          </button>
        </span>
      </div>
      {unfolded && (
        <div class="of-item">
          <Coordinates space={space} at={at} names={names} />
          {Object.keys(NUMBERS).map((title) => (
            <Looking key={title} title={title} space={space} at={at} />
          ))}
        </div>
      )}
    </li>
  );
}

/** "6 columns, standardised, t-SNE; γ 0.2". */
function said({ features, project, gamma, kernel, neighbours }: Space): string {
  const of = columnsOf({ features, project });
  const components = typeof features === 'object' && !Array.isArray(features) ? features.pca : project?.pca;
  const scale =
    project?.scale === 'standardise' ? 'standardised' : project?.scale === 'median_l1' ? 'scaled by one factor' : '';
  const parts = [
    of && (of.length > 3 ? `${of.length} columns` : of.join(', ')),
    scale,
    components && `PCA ${components}`,
    project?.tsne && 't-SNE',
    kernel && `kernel ${kernel}`,
    gamma !== undefined && `γ ${Number(Number(gamma).toPrecision(3))}`,
    neighbours !== undefined && `K ${neighbours}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** Columns as they stand, their principal components, or a map that is made of them first. */
function Coordinates({ space, at, names }: { space: Space; at: number; names: string[] }) {
  const way = wayOf(space);
  const { features, project } = space;
  const of = columnsOf(space) ?? names;
  const components = way === 'components' ? (features as { pca: number }).pca : 2;
  const put = (to: Way, columns: string[], pca = components) =>
    withSpace(at, {
      features: to === 'columns' ? columns : to === 'components' ? { pca, of: columns } : undefined,
      project: to === 'map' ? { scale: 'standardise', pca: 2, ...project, of: columns } : undefined,
    });
  const change = (to: wasm_bindgen.ProjectionRequest) => withSpace(at, { project: { ...project, of, ...to } });
  return (
    <fieldset class="of-method">
      <legend>Coordinates</legend>
      <div class="row fields">
        <ChoiceField
          name={`space-${at}-way`}
          label="rows are alike when they agree in"
          value={way}
          choices={[
            ['columns', 'columns as they stand'],
            ['components', 'principal components, of calibration rows'],
            ['map', 'a map made of all rows'],
          ]}
          put={(to) => put(to as Way, of)}
        />
        {way === 'components' && (
          <NumberField
            name={`space-${at}-components`}
            label="principal components"
            value={components}
            least={1}
            put={(pca) => put('components', of, pca ?? 2)}
          />
        )}
        {project && (
          <>
            <ChoiceField
              name={`space-${at}-scale`}
              label="scaled"
              value={project.scale ?? 'none'}
              choices={[
                ['none', 'as they stand'],
                ['standardise', 'each to mean 0, deviation 1'],
                ['median_l1', 'all by one factor'],
              ]}
              put={(scale) => change({ scale: scale as wasm_bindgen.Scaling })}
            />
            <NumberField
              name={`space-${at}-pca`}
              label="principal components"
              value={project.pca ?? null}
              least={1}
              placeholder="none"
              put={(pca) => change({ pca })}
            />
            <ChoiceField
              name={`space-${at}-tsne`}
              label="then t-SNE"
              value={project.tsne ? String(project.tsne.dimensions ?? 2) : ''}
              choices={[
                ['', 'no'],
                ['2', 'in 2 coordinates'],
                ['3', 'in 3 coordinates'],
              ]}
              put={(dimensions) =>
                change({ tsne: dimensions ? { seed: 0, ...project.tsne, dimensions: Number(dimensions) } : undefined })
              }
            />
            {project.tsne && (
              <>
                <NumberField
                  name={`space-${at}-perplexity`}
                  label="perplexity"
                  value={project.tsne.perplexity ?? null}
                  least={1}
                  placeholder="30"
                  put={(perplexity) => change({ tsne: { ...project.tsne, perplexity } })}
                />
                <NumberField
                  name={`space-${at}-seed`}
                  label="its seed"
                  value={project.tsne.seed ?? 0}
                  least={0}
                  put={(seed) => change({ tsne: { ...project.tsne, seed: seed ?? 0 } })}
                />
              </>
            )}
          </>
        )}
      </div>
      {names.length > 1 && (
        <div class="row boxes">
          {names.map((name) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                name={`space-${at}-column`}
                value={name}
                checked={of.includes(name)}
                onChange={({ currentTarget: { checked } }) => {
                  const chosen = names.filter((one) => (one === name ? checked : of.includes(one)));
                  if (chosen.length === 0) return;
                  put(way, chosen);
                }}
              />{' '}
              {name}
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}

function Looking({ title, space, at }: { title: string; space: Space; at: number }) {
  const set = (setting: string, value: unknown) => withSpace(at, { [setting]: value });
  return (
    <fieldset class="of-method">
      <legend>{title}</legend>
      <div class="row fields">
        {CHOICES[title].map(([setting, label, words]) => (
          <ChoiceField
            key={setting}
            name={`space-${at}-${setting}`}
            label={label}
            value={String(space[setting] ?? words[0])}
            choices={words.map((word): [string, string] => [word, word.replaceAll('_', ', ')])}
            put={(word) => set(setting, word === words[0] ? undefined : word)}
          />
        ))}
        {NUMBERS[title].map(([setting, label, usual]) => (
          <NumberField
            key={setting}
            name={`space-${at}-${setting}`}
            label={label}
            value={typeof space[setting] === 'number' ? Number((space[setting] as number).toPrecision(6)) : null}
            least={0}
            placeholder={usual}
            put={(value) => set(setting, value)}
          />
        ))}
      </div>
    </fieldset>
  );
}
