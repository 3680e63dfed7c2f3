// The picker of similarity: coordinates, kernel and bandwidth, confidence bins, nearest rows. The subject's line opens
// it for everything, a panel for itself.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Data } from '../engine/localcal.js';
import { offerOf, suggestionOf } from '../engine/localcal.js';
import type { Picture } from '../engine/messages.js';
import { boundsOf, numberField, usualBins } from '../parts/catalogue.js';
import { CheckField, ChoiceField, NumberField } from '../parts/form.js';
import { Unbroken } from '../parts/worded.js';
import { counted } from '../parts/words.js';
import { showError } from '../parts/message.js';
import { addFeatures } from '../state/joining.js';
import type { Similarity as Choices, Kernel, Place } from '../state/chosen.js';
import { chooseSimilarity, hasDerivedLogits, keyOf, plain, suggestedPlace } from '../state/similarity.js';
import { LOGITS, PREDICTED } from '../state/chosen.js';
import { gammaFor, isWide, measured, measuredOf, space, wantedPlace, ways } from '../state/space.js';
import { about, changeSimilarity, draft, open, report, reread, subject } from '../state/store.js';
import {
  DISTANCES,
  KERNELS,
  SCHEMES,
  bandwidthInWords,
  hasGamma,
  kernelInWords,
  numberOf,
  placeInWords,
  sameOf,
} from './similarity_words.js';
import { Choice } from './choice.js';
import { AddColumn } from './parts.js';

/** What can be chosen for similarity. */
export type Part = 'place' | 'kernel' | 'gamma' | 'within' | 'own' | 'bins' | 'width_p' | 'neighbours' | 'distance';
const EVERY: Part[] = ['place', 'kernel', 'gamma', 'within', 'own', 'bins', 'neighbours', 'distance', 'width_p'];

/** Letters that the line of the subject has for it. */
const ROOM = 36;

/** The part of the subject for similarity. */
export function Similarity() {
  // files that wait for a word are similar by no column of those before them
  const data = draft.value ? undefined : open.value?.data;
  const { alike } = subject.value;
  const features = about.value!.summary.columns.filter(({ role }) => role === 'feature' || role === 'features');
  const place = data ? wantedPlace(data, alike) : null;
  const near = data ? space.value : null;
  const where = place ? placeInWords(place) : features.map(({ name }) => name).join(', ') || 'none';
  const line = (kernel: string | null) => [where, kernel, sameOf(alike.within)].filter(Boolean).join(' · ');
  const says = line(near && kernelInWords(near.kernel, near.gamma));
  // of what has no room the usual kernel is left out first
  const short = says.length > ROOM ? line(near && bandwidthInWords(near.kernel, near.gamma)) : says;
  return (
    <Choice now={<Unbroken>{short}</Unbroken>} label={`Similarity: ${says}`} wide>
      {data && (suggestionOf(data) || hasDerivedLogits(data)) && (
        <SimilarityChoices now={alike} parts={EVERY} put={(part) => chooseSimilarity(part)} />
      )}
      {!(data && suggestionOf(data)) && <AddColumn label="Feature column" role="feature" without={[]} />}
      <PredictedClass />
      <AddFeatures />
      {Object.keys(alike).length > 0 && (
        <p>
          <button type="button" class="quiet" name="as-suggested" onClick={() => changeSimilarity({}, true)}>
            Restore suggestion
          </button>
        </p>
      )}
    </Choice>
  );
}

interface Props {
  /** the panel that it is for; none: the subject */
  kind?: string;
  now: Choices;
  parts: Part[];
  /** what is the kernel, where none can be chosen */
  kernel?: Kernel;
  put: (part: Partial<Choices>) => void;
}
export function SimilarityChoices({ kind, now, parts, kernel: fixed, put }: Props) {
  const data = open.value?.data;
  const name = (of: string) => (kind ? `${kind}-${of}` : `alike-${of}`);
  const has = (part: Part) => parts.includes(part);
  if (!data) return null;
  const usual = usualBins();
  const bins = now.bins ?? usual;
  const putBins = (to: typeof bins) =>
    put({ bins: to.count === usual.count && to.scheme === usual.scheme ? undefined : to });
  return (
    <div class="alike-choices">
      {has('place') && <PlaceChoices {...{ data, now, put, name }} />}
      {has('gamma') && <Nearness {...{ data, now, put, name, fixed, choosable: has('kernel') }} />}
      {has('within') && <WithinChoice {...{ data, kind, now, put, name }} />}
      {has('own') && (
        <CheckField
          name={name('own')}
          label="Exclude own row"
          value={now.leave_one_out ?? false}
          // a panel says so where the subject has another
          put={(to) => put({ leave_one_out: to || kind ? to : undefined })}
        />
      )}
      {has('bins') && (
        <fieldset>
          <legend>Confidence bins</legend>
          <div class="fields">
            <NumberField
              name={name('bins')}
              label="Number"
              value={bins.count}
              bounds={boundsOf('bins', 'count')}
              put={(count = usual.count) => putBins({ ...bins, count })}
            />
            <ChoiceField
              name={name('scheme')}
              label="Type"
              value={bins.scheme}
              choices={SCHEMES}
              put={(scheme) => putBins({ ...bins, scheme })}
            />
          </div>
        </fieldset>
      )}
      {has('neighbours') && (
        <fieldset>
          <legend>Nearest neighbors (proximity)</legend>
          <div class="fields">
            <NumberField
              name={name('neighbours')}
              label="Neighbors K"
              value={now.neighbours ?? null}
              {...numberField('proximity', 'neighbours')}
              put={(neighbours) => put({ neighbours })}
            />
            {has('distance') && (
              <ChoiceField
                name={name('distance')}
                label="Distance"
                value={now.distance ?? 'euclidean'}
                choices={DISTANCES}
                put={(distance) => put({ distance: distance === 'euclidean' ? undefined : distance })}
              />
            )}
          </div>
        </fieldset>
      )}
      {has('width_p') && (
        <fieldset>
          <legend>Score similarity (KLCE test, local bias)</legend>
          <div class="fields">
            <NumberField
              name={name('width_p')}
              label="Score bandwidth"
              value={now.width_p ?? null}
              {...numberField('klce', 'width_p')}
              put={(width_p) => put({ width_p })}
            />
          </div>
        </fieldset>
      )}
    </div>
  );
}

type Column = wasm_bindgen.ColumnRole;
const isArray = ({ shape }: Column) => shape.length > 1;

/** The list of columns that the file has beside those in use: folded, unless one of them is chosen. */
const IGNORED = 'Ignored columns';
/** Columns that can define similarity, by what they are. */
function listed(data: Data): [string, Column[]][] {
  const { summary } = data;
  const with_ = (roles: string[]) => summary.columns.filter(({ role }) => roles.includes(role));
  const described = with_(['feature', 'features', 'group', 'predicted']);
  const said = summary.classes > 2 ? with_(['probability', 'probabilities', 'logit', 'logits']) : [];
  const logits = { ...said[0], name: LOGITS, shape: [summary.rows, summary.classes], missing: 0, preview: [] };
  const model = said.length > 0 && hasDerivedLogits(data) ? [...said, logits] : said;
  const lists: [string, Column[]][] = [
    ['Numeric', described.filter((column) => !isArray(column) && !column.text)],
    // each value is a coordinate
    ['Categorical (one-hot)', described.filter(({ text }) => text)],
    ['Arrays', described.filter(isArray)],
    ['Model output', model],
    [IGNORED, with_(['ignore'])],
  ];
  return lists.filter(([, columns]) => columns.length > 0);
}

const SCALES: [string, string][] = [
  ['', 'Unscaled'],
  ['standardise', 'Standardized'],
  ['median_l1', 'Median distance 1'],
];
const PICTURES: [string, string][] = [
  ['', 'None'],
  ['2', 't-SNE, 2 dimensions'],
  ['3', 't-SNE, 3 dimensions'],
];
const TICKED = 'Custom';
/** Components of many columns that t-SNE starts from. */
const MANY = 50;

/** How often coordinates were chosen, by who asks: those that take long are there after the picker was closed, and do not
 * replace later ones. */
const turns = new Map<string, number>();

interface PlaceProps {
  data: Data;
  now: Choices;
  put: (part: Partial<Choices>) => void;
  name: (of: string) => string;
}
/** Coordinates: ways that stand ready, or columns, scaled, projected, embedded. What takes long waits for a button. */
function PlaceChoices({ data, now, put, name }: PlaceProps) {
  const chosen = wantedPlace(data, now);
  const key = chosen ? keyOf(chosen) : '';
  const [draft, setDraft] = useState<Place>(chosen ?? { of: [] });
  const [making, setMaking] = useState(false);
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    if (chosen) setDraft(chosen);
  }, [key, data]);
  const suggested = suggestedPlace(data);
  const ready = ways(data).filter(([, place]) => !suggested || keyOf(place) !== keyOf(suggested));
  const offered: [string, Place][] = [
    ...(suggested ? ([[`Suggested: ${placeInWords(suggested)}`, suggested]] as [string, Place][]) : []),
    ...ready.map(([title, place]): [string, Place] => [title ?? placeInWords(place), place]),
  ];
  const picked = offered.findIndex(([, place]) => keyOf(place) === keyOf(draft));

  /** Takes coordinates when they are there: until then, and where they cannot be made, all stays as it is. */
  async function take(place: Place) {
    const mine = (turns.get(name('way')) ?? 0) + 1;
    turns.set(name('way'), mine);
    setMaking(Boolean(place.tsne) && !measuredOf(data, place));
    const there = await measured(data, place, ({ picture }) => {
      if (picture && canvas.current) scatter(canvas.current, picture);
    });
    if (mine !== turns.get(name('way')) || data !== open.peek()?.data) return;
    setMaking(false);
    if (!there) return setDraft(chosen ?? { of: [] });
    if (keyOf(place) === key) return;
    const usual = suggested !== null && keyOf(suggested) === keyOf(place);
    put({ place: usual ? undefined : plain(place), gamma: undefined });
  }
  /** Shows what it will be; takes it, unless that takes long. */
  function become(place: Place) {
    setDraft(place);
    if (place.of.length > 0 && (!place.tsne || measuredOf(data, place))) take(place);
  }
  const waits = draft.of.length > 0 && keyOf(draft) !== key && Boolean(draft.tsne);
  const { note } = suggestionOf(data) ?? {};
  return (
    <fieldset class="place">
      <legend>Similarity based on</legend>
      <ChoiceField
        name={name('way')}
        label="Feature space"
        value={picked < 0 ? TICKED : String(picked)}
        choices={[
          ...offered.map(([title], i): [string, string] => [String(i), title]),
          ...(picked < 0 ? ([[TICKED, TICKED]] as [string, string][]) : []),
        ]}
        put={(i) => offered[Number(i)] && become(offered[Number(i)][1])}
      />
      {note && !now.place && <p class="muted">{note}</p>}
      <Columns {...{ data, draft, name, become }} />
      <Projection {...{ data, draft, name, become }} />
      {(waits || making) && (
        <p class="row">
          <button type="button" name={name('make')} disabled={making} onClick={() => take(draft)}>
            {making ? 'Computing t-SNE …' : 'Compute map'}
          </button>
          {!making && <span class="muted">Current results stay until then.</span>}
        </p>
      )}
      {making && <canvas ref={canvas} width={240} height={240} role="img" aria-label="t-SNE in progress" />}
    </fieldset>
  );
}

interface DraftProps {
  data: Data;
  draft: Place;
  name: (of: string) => string;
  become: (place: Place) => void;
}
/** The columns of the file, by what they are, to tick. */
function Columns({ data, draft, name, become }: DraftProps) {
  const lists = listed(data);
  // as the file lists them, in whatever order they are ticked
  const toggle = (column: string) => {
    const all = lists.flatMap(([, columns]) => columns.map((one) => one.name));
    become({ ...draft, of: all.filter((one) => (one === column ? !draft.of.includes(one) : draft.of.includes(one))) });
  };
  return (
    <>
      {lists.map(([title, columns]) => {
        const boxes = columns.map((column) => (
          <label class="check" key={column.name}>
            <input
              type="checkbox"
              name={name('of')}
              value={column.name}
              checked={draft.of.includes(column.name)}
              onChange={() => toggle(column.name)}
            />{' '}
            {column.name}
            {isArray(column) && <span class="muted"> ({column.shape[1]} coordinates)</span>}
            {Boolean(column.missing) && <span class="muted"> (missing in {counted(column.missing!, 'row')})</span>}
          </label>
        ));
        return title === IGNORED ? (
          <details key={title} open={columns.some((column) => draft.of.includes(column.name))}>
            <summary>
              {title} <span class="muted">({columns.length})</span>
            </summary>
            <div class="columns" role="group" aria-label={title}>
              {boxes}
            </div>
          </details>
        ) : (
          <div key={title} class="columns" role="group" aria-label={title}>
            <span class="muted">{title}</span>
            {boxes}
          </div>
        );
      })}
      {draft.of.length === 0 && <p class="muted">Select at least one column.</p>}
    </>
  );
}

/** What is done with the columns: scaling, principal components, t-SNE. */
function Projection({ data, draft, name, become }: DraftProps) {
  const tsne = (part: Partial<NonNullable<Place['tsne']>>) => {
    // two components are a picture already: t-SNE starts from the columns, of many from fifty components
    const { pca, ...columns } = draft;
    const first = draft.tsne || (pca && pca > 3) ? pca : isWide(data, draft) ? MANY : undefined;
    become({ ...columns, pca: first, tsne: { ...draft.tsne, ...part } });
  };
  const components = boundsOf('projection', 'pca');
  return (
    <div class="fields">
      <ChoiceField
        name={name('scale')}
        label="Scaling"
        value={draft.scale ?? ''}
        choices={SCALES}
        put={(scale) => become({ ...draft, scale: (scale || undefined) as Place['scale'] })}
      />
      <NumberField
        name={name('pca')}
        label="Principal components"
        value={draft.pca ?? null}
        placeholder="none"
        bounds={components && { ...components, low: 0 }}
        put={(pca) => become({ ...draft, pca })}
      />
      <ChoiceField
        name={name('tsne')}
        label="Embedding"
        value={draft.tsne ? String(draft.tsne.dimensions ?? 2) : ''}
        choices={PICTURES}
        put={(dimensions) =>
          dimensions ? tsne({ dimensions: Number(dimensions) }) : become({ ...draft, tsne: undefined })
        }
      />
      {draft.tsne && (
        <>
          <NumberField
            name={name('perplexity')}
            label="Perplexity"
            value={draft.tsne.perplexity ?? null}
            {...numberField('tsne', 'perplexity')}
            put={(perplexity) => tsne({ perplexity })}
          />
          <NumberField
            name={name('seed')}
            label="Seed"
            value={draft.tsne.seed ?? null}
            {...numberField('tsne', 'seed')}
            put={(seed) => tsne({ seed })}
          />
        </>
      )}
    </div>
  );
}

interface WithinProps extends PlaceProps {
  kind?: string;
}
/** Which rows can be neighbors at all; nothing where the file has nothing to tell them apart by. */
function WithinChoice({ data, kind, now, put, name }: WithinProps) {
  const { within: offered } = offerOf(data);
  const { within = 'all' } = now;
  const others = offered.includes(within) || within === 'all' ? offered : [...offered, within];
  if (others.length === 0) return null;
  return (
    <fieldset>
      <legend>Eligible neighbors</legend>
      <div class="fields">
        <ChoiceField
          name={name('within')}
          label="Neighbors from"
          value={within}
          choices={[['all', 'All rows'], ...others.map((one): [string, string] => [one, sameOf(one) ?? one])]}
          // a panel says so where the subject has another
          put={(to) => put({ within: to === 'all' && !kind ? undefined : to })}
        />
      </div>
      {!kind && within !== 'all' && (
        <p class="muted">
          Applies to the map, worst neighborhoods, local metrics, local error by bandwidth and local recalibrations. The
          KLCE test, local bias, proximity, experiments and published analyses use all rows.
        </p>
      )}
    </fieldset>
  );
}

interface NearProps extends PlaceProps {
  fixed?: Kernel;
  choosable: boolean;
}
/** Kernel and bandwidth, beside the distance that gives the bandwidth its meaning. */
function Nearness({ data, now, put, name, fixed, choosable }: NearProps) {
  const place = wantedPlace(data, now);
  const there = place && measuredOf(data, place);
  const kernel = fixed ?? now.kernel ?? 'laplacian';
  const scored = report.value !== null;
  // the distance of what opening suggests is measured when a person looks at it
  useEffect(() => {
    if (place && scored && there?.median === null) measured(data, place);
  }, [place && keyOf(place), scored, there]);
  const ruled = fixed === 'rbf'; // without a number the analysis has a rule of its own
  const suggested = there && !ruled ? gammaFor(data, kernel, there) : null;
  const own = !fixed || fixed === now.kernel || fixed === 'laplacian' ? now.gamma : undefined;
  const gamma = own ?? suggested;
  const take = (to: number | undefined) =>
    put({ gamma: to === suggested ? undefined : to, ...(ruled && { kernel: to === undefined ? undefined : fixed }) });
  return (
    <fieldset>
      <legend>Kernel and bandwidth</legend>
      <div class="fields">
        {choosable && (
          <ChoiceField
            name={name('kernel')}
            label="Kernel"
            value={kernel}
            choices={KERNELS}
            // a bandwidth of one kernel is none of another
            put={(to) => put({ kernel: to === 'laplacian' ? undefined : (to as Kernel), gamma: undefined })}
          />
        )}
        {hasGamma(kernel) && (
          <NumberField
            name={name('gamma')}
            label={kernel === 'rbf' ? 'γ (inverse squared width)' : 'Bandwidth γ'}
            value={gamma}
            placeholder={ruled ? 'default rule' : undefined}
            bounds={boundsOf('local', 'gamma')}
            put={take}
          />
        )}
      </div>
      {hasGamma(kernel) && there && (
        <p class="muted">
          {there.median !== null && `Median distance between rows: ${numberOf(there.median)}. `}
          {suggested !== null && `Suggested γ: ${numberOf(suggested)}. `}
          {own !== undefined && suggested !== null && own !== suggested && (
            <button type="button" class="link" name={name('suggested')} onClick={() => take(suggested)}>
              Use {numberOf(suggested)}
            </button>
          )}
        </p>
      )}
      {choosable && (
        <p class="muted">The KLCE test and local bias always use the RBF kernel, with the γ chosen for it here.</p>
      )}
    </fieldset>
  );
}

/** Of several classes the rows of one predicted class alone can be looked at, and compared with each other. */
function PredictedClass() {
  const now = about.value;
  if (!now || now.summary.classes < 3 || now.summary.view !== 'top_label') return null;
  const only = now.options.only ?? [];
  const [chosen = ''] = only.find(({ column }) => column === PREDICTED)?.values ?? [];
  const labels = [...new Set([...now.summary.labels, ...(chosen ? [chosen] : [])])];
  return (
    <ChoiceField
      name="alike-class"
      label="Predicted class"
      value={chosen}
      choices={[['', 'All classes'], ...labels.map((label): [string, string] => [label, `Only ${label}`])]}
      put={(label) =>
        reread(({ only }) => {
          const others = (only ?? []).filter(({ column }) => column !== PREDICTED);
          return { only: label ? [...others, { column: PREDICTED, values: [label] }] : others };
        })
      }
    />
  );
}

/** A file of features of the same rows, which joins what is open: by an id column in both, else in its order. */
function AddFeatures() {
  return (
    <label class="field">
      <span>Add feature file (same rows, joined by identifier or order)</span>
      <input
        type="file"
        name="alike-file"
        multiple
        onChange={async ({ currentTarget: input }) => {
          const files = [...(input.files ?? [])];
          input.value = '';
          await addFeatures(files).catch(showError);
        }}
      />
    </label>
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
