// Local error against the bandwidth: a click on a curve takes its bandwidth.

import { useRef } from 'preact/hooks';
import { useAnalysis } from '../parts/analysis.js';
import { Figure } from '../parts/figure.js';
import { Question, TroubleView } from '../parts/panel.js';
import { space } from '../state/space.js';
import { panels, set } from '../state/store.js';
import { chooseSimilarity } from '../state/similarity.js';
import { SimilarityLine } from '../subject/similarity_line.js';
import { featuresInWords, hasGamma, kernelInWords, withinInWords } from '../subject/similarity_words.js';
import { useCompared } from './compared.js';
import { NoMap } from './no_map.js';
import { NotIncluded } from './not_included.js';
import { drawn } from './questions.js';

/** Longer sweeps wait for a click, in milliseconds. */
const AT_ONCE = 3000;
/** What the width of a curve can show. */
const BANDS: [string, object][] = [
  ['None', {}],
  ['Mean and SD over folds', { folds: true }],
  ['Mean and SD over 5 splits', { seeds: 5 }],
  ['With expected if calibrated', { floor: 20 }],
];
const KINDS = ['Maximum (MLCE)', 'Mean', 'Maximum, n ≥ 20'];
type SweepAnswer = wasm_bindgen.SweepOutcome & { columns: Float64Array[] };

interface Props {
  /** of the panel that keeps its settings */
  name: string;
  question: Record<string, unknown>;
  /** takes a bandwidth that was clicked */
  take: (gamma: number) => void;
}

/** What may be saved while small counts are withheld. */
type Gated = Pick<SweepAnswer, 'columns'> & { sheet: wasm_bindgen.Sheet };
const figuresOf = (block: wasm_bindgen.Block) => (typeof block === 'object' && 'figures' in block ? block.figures : []);

export function Sweep({ name, question, take }: Props) {
  const { statistic = 0, bands = 0 } = (panels.value[name] ?? {}) as { statistic?: number; bands?: number };
  const place = useRef<HTMLDivElement>(null);
  const request = { ...question, ...BANDS[bands]?.[1] };
  const { answer, fit, withheld, trouble, stale } = useAnalysis<SweepAnswer>('sweep', request, {
    place,
    most: AT_ONCE,
  });
  const suggested = answer?.suggested;
  return (
    <div class={`sweep ${stale ? 'stale' : ''}`} ref={place}>
      <p class="row maptools">
        <span class="muted">Local error</span>
        {KINDS.map((text, i) => (
          <label key={text} class="check">
            <input
              type="radio"
              name={`${name}-kind`}
              checked={i === statistic}
              onChange={() => set(name, 'statistic', i)}
            />{' '}
            {text}
          </label>
        ))}
        <label class="check">
          <span class="muted">Bands</span>
          <select
            name={`${name}-bands`}
            value={bands}
            onChange={({ currentTarget }) => set(name, 'bands', Number(currentTarget.value))}
          >
            {BANDS.map(([text], i) => (
              <option key={text} value={i}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </p>
      {trouble && <TroubleView trouble={trouble} settled={answer !== null} />}
      {typeof suggested === 'number' && (
        <p>
          <button type="button" class="quiet" onClick={() => take(suggested)}>
            Use γ = {suggested.toPrecision(2)} (between plateaus)
          </button>
        </p>
      )}
      <Figure
        name={name}
        of={[fit, statistic]}
        ask={async ({ width }) => {
          const shown = await fit?.(width);
          return shown ? { outcome: { figure: shown.figures[statistic] }, columns: shown.columns } : null;
        }}
        withheld={async ({ width }, suppress) => {
          // then an analysis answers with its sheet, the figures in the same order
          const gated = (await withheld?.(width, suppress)) as unknown as Gated | undefined;
          const figure = gated?.sheet.blocks.flatMap(figuresOf)[statistic];
          return gated && figure ? { outcome: { figure }, columns: gated.columns } : null;
        }}
        pick={({ index }) => answer && take(answer.columns[answer.marks][index])}
      />
    </div>
  );
}

/** The same for every method of the last run. */
export function SweepPanel() {
  useCompared();
  const settings = space.value;
  // what has no bandwidth has no curve
  const kernel = settings && hasGamma(settings.kernel) ? settings.kernel : 'laplacian';
  const gamma = settings && hasGamma(settings.kernel) ? settings.gamma : undefined;
  return (
    <Question {...drawn('sweep')}>
      {settings ? (
        <div class="answer">
          <NotIncluded />
          <SimilarityLine
            kind="sweep"
            used={[featuresInWords(settings.features), kernelInWords(kernel, gamma), withinInWords(settings.within)]
              .filter(Boolean)
              .join(' · ')}
            parts={[]}
            kernel={kernel}
          />
          <Sweep
            name="sweep_methods"
            question={{
              features: [settings.features],
              kernel,
              gamma,
              within: settings.within ?? 'all',
              leave_one_out: settings.leave_one_out ?? false,
            }}
            take={(to) => chooseSimilarity(kernel === settings.kernel ? { gamma: to } : { kernel, gamma: to })}
          />
        </div>
      ) : (
        <NoMap />
      )}
    </Question>
  );
}
