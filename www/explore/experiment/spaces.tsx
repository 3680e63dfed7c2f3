// Similarity: where local metrics look, and methods that look at near rows. Several are beside each other.

import { useState } from 'preact/hooks';
import { boundsOf, numberField } from '../../parts/catalogue.js';
import { ChoiceField, NumberField } from '../../parts/form.js';
import type { Similarity } from '../../state/chosen.js';
import { suggestedPlace } from '../../state/similarity.js';
import type { Space } from '../../state/experiment.js';
import { similarityOf, put, spaceOf, spec, subjectSpace, withSpace, withoutSpace } from '../../state/experiment.js';
import { gammaFor, usualGamma, measuredOf, wantedPlace } from '../../state/space.js';
import { open } from '../../state/store.js';
import { SimilarityChoices } from '../../subject/similarity.js';
import { binsInWords, kernelInWords, placeInWords } from '../../subject/similarity_words.js';
import { TextField } from './fields.js';

/** What of a space the picker has. */
const PICKED = ['features', 'project', 'kernel', 'gamma', 'bins', 'width_p', 'neighbours', 'distance'];

export function Spaces() {
  const { spaces } = spec.value;
  const data = open.value?.data;
  const near = subjectSpace();
  const of = (data && suggestedPlace(data)?.of) ?? [];
  const add = (similarity: Similarity) => put({ spaces: [...spaces, spaceOf(similarity)] });
  if (of.length === 0 && spaces.length === 0)
    return (
      <p class="muted">
        No feature column or array defines similarity. Local metrics and local methods are not available.
      </p>
    );
  return (
    <>
      {spaces.length === 0 && <p class="muted">None (the suggested feature space is used).</p>}
      <ol class="list" aria-label="Spaces">
        {spaces.map((space, i) => (
          <OneSpace key={i} space={space} at={i} />
        ))}
      </ol>
      <p class="row">
        <span class="muted">Add</span>
        {near && (
          <button type="button" class="quiet" onClick={() => put({ spaces: [...spaces, near] })}>
            Subject line
          </button>
        )}
        <button type="button" class="quiet" onClick={() => add({ place: { of } })}>
          Columns
        </button>
        <button type="button" class="quiet" onClick={() => add({ place: { of, pca: 2 } })}>
          Principal components
        </button>
        <button type="button" class="quiet" onClick={() => add({ place: { of, scale: 'standardise', tsne: {} } })}>
          t-SNE
        </button>
      </p>
    </>
  );
}

function OneSpace({ space, at }: { space: Space; at: number }) {
  const [unfolded, setUnfolded] = useState(false);
  const { name } = space;
  const similarity = similarityOf(space);
  return (
    <li>
      <div class="item">
        <TextField
          name={`space-${at}`}
          label={`Name of ${name}`}
          unseen
          value={name}
          put={(typed) => withSpace(at, { name: typed })}
        />
        <span class="muted what">{said(similarity)}</span>
        <span class="row tools">
          <button
            type="button"
            class="quiet"
            aria-expanded={unfolded}
            aria-label={`Settings of ${name}`}
            onClick={() => setUnfolded(!unfolded)}
          >
            Settings
          </button>
          <button type="button" class="quiet" aria-label={`Remove ${name}`} onClick={() => withoutSpace(at)}>
            Remove
          </button>
        </span>
      </div>
      {unfolded && (
        <div class="of-item">
          <SimilarityChoices
            kind={`space-${at}`}
            now={{ ...similarity, gamma: similarity.gamma ?? usualGamma() }}
            parts={['place', 'kernel', 'gamma', 'bins', 'neighbours', 'distance', 'width_p']}
            put={(part) => become(at, space, { ...similarity, ...part })}
          />
          <More space={space} at={at} />
        </div>
      )}
    </li>
  );
}

/** Another definition of similarity in place of the one that a space has; its bandwidth is the one that suits it. */
function become(at: number, space: Space, similarity: Similarity) {
  const data = open.peek()?.data;
  const place = data && wantedPlace(data, similarity);
  const there = data && place && measuredOf(data, place);
  const gamma =
    similarity.gamma ?? (there ? gammaFor(data, similarity.kernel ?? 'laplacian', there) : null) ?? undefined;
  const nothing = Object.fromEntries(PICKED.map((setting) => [setting, undefined]));
  withSpace(at, { ...space, ...nothing, ...spaceOf({ ...similarity, gamma }), name: space.name });
}

/** "6 columns, standardized · Laplacian, γ = 0.22 · K = 20". */
const said = ({ place, kernel = 'laplacian', gamma = usualGamma(), bins, neighbours }: Similarity): string =>
  [
    place && placeInWords(place),
    kernelInWords(kernel, gamma),
    bins && binsInWords(bins),
    neighbours !== undefined && `K = ${neighbours}`,
  ]
    .filter(Boolean)
    .join(' · ');

const NULLS: [string, string][] = [
  ['permute_centred', 'Permuted, centered'],
  ['bernoulli', 'Simulated from scores'],
  ['permute', 'Permuted'],
  ['bootstrap', 'Bootstrap'],
];

/** What only experiments choose of proximity and of the KLCE test. */
function More({ space, at }: { space: Space; at: number }) {
  const set = (setting: string, value: unknown) => withSpace(at, { [setting]: value });
  const number = (setting: string) => (typeof space[setting] === 'number' ? (space[setting] as number) : null);
  return (
    <fieldset class="of-method">
      <legend>Proximity and KLCE test</legend>
      <div class="row fields">
        <ChoiceField
          name={`space-${at}-form`}
          label="Proximity definition"
          value={String(space.form ?? 'paper')}
          choices={[
            ['paper', 'As published'],
            ['code', 'As in code'],
          ]}
          put={(form) => set('form', form === 'paper' ? undefined : form)}
        />
        <NumberField
          name={`space-${at}-trust_gamma`}
          label="Test bandwidth γ"
          value={number('trust_gamma')}
          bounds={boundsOf('space', 'trust_gamma')}
          placeholder="default"
          put={(value) => set('trust_gamma', value)}
        />
        <ChoiceField
          name={`space-${at}-null`}
          label="Null distribution"
          value={String(space.null ?? 'permute_centred')}
          choices={NULLS}
          put={(word) => set('null', word === 'permute_centred' ? undefined : word)}
        />
        <NumberField
          name={`space-${at}-resamples`}
          label="Resamples"
          value={number('resamples')}
          {...numberField('space', 'resamples')}
          put={(value) => set('resamples', value)}
        />
      </div>
    </fieldset>
  );
}
