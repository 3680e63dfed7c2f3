// The questions of Explore, in the order in which people ask: those that the core describes with a sheet, and those
// that are drawn here. A search finds them by their words, by metrics and methods, and by terms of research.

import { descriptionOf } from '../parts/catalogue.js';
import type { DrawnQuestion } from '../state/choices.js';
import type { Section } from './steps.js';
import { SECTIONS } from './steps.js';

type Catalogue = wasm_bindgen.Catalogue;
type Needs = wasm_bindgen.Description['needs'];
export interface Question {
  kind: string;
  title: string;
  about: string;
  section: Section;
  /** by what else it is found */
  words: string;
  /** what there must be beside scores and outcomes */
  needs: Needs;
  /** the document shows it without being asked */
  written?: boolean;
}

/** Questions that no sheet answers: they come first in their section. What the core says of an analysis is not said here. */
const DRAWN: Record<DrawnQuestion, Partial<Omit<Question, 'kind' | 'words'>> & { terms: string }> = {
  reliability: {
    title: 'Reliability diagram',
    about: 'Predicted against observed, with a 95% band',
    section: 'overview',
    written: true,
    terms: 'calibration curve plot isotonic smoothed kernel consistency band bins confidence',
  },
  scorecard: {
    title: 'Metrics',
    about: 'With 95% intervals and values expected under calibration',
    section: 'overview',
    written: true,
    terms: 'proper score sharpness refinement discrimination AUC c-statistic intercept slope ICI Emax',
  },
  map: {
    title: 'Local error map',
    about: 'Local error among similar rows, selected regions, worst neighborhoods',
    section: 'where',
    written: true,
    terms:
      'MLCE LCE local calibration error LoRe kernel gamma heat map t-SNE PCA principal components embedding ' +
      'region lasso neighborhood neighbourhood multiple testing',
  },
  sweep: { terms: 'MLCE LCE local calibration error LoRe kernel gamma plateau folds seeds' },
  repair: {
    title: 'Recalibration methods',
    about: 'Each method on rows not used for fitting, compared with the original predictions',
    section: 'repair',
    written: true,
    terms: 'recalibration calibrator fit cross-fitting paired difference held-out copy LaTeX Markdown',
  },
  before_after: {
    title: 'Before and after recalibration',
    about: 'Reliability diagram, distribution of local error, and map',
    section: 'repair',
    terms: 'recalibration repaired map diagram CDF distribution local error',
  },
  experiment: {
    title: 'Experiments',
    about: 'Methods × feature spaces × splits × metrics, saved as one object',
    section: 'study',
    needs: ['rows'],
    terms:
      'experiment grid table mean sd seeds folds repeats ablation sweep curve Friedman Nemenyi critical difference ' +
      'benchmark study paired ranks LaTeX booktabs',
  },
  papers: {
    title: 'Published analyses',
    about: 'Figures and tables of three papers, computed for this file',
    section: 'study',
    needs: ['rows'],
    terms: 'LoRe 2022 Luo ProCal 2023 Xiong I-trustworthy 2025 paper figure table reproduce replicate',
  },
};

/** The question of a panel that is drawn here. */
export function drawn(kind: DrawnQuestion): Pick<Question, 'kind' | 'title' | 'about' | 'written'> {
  const described = descriptionOf(kind);
  const { title = described?.title ?? '', about = described?.plain ?? '', written } = DRAWN[kind];
  return { kind, title, about, written };
}

/** What a panel that is drawn here needs where no analysis of the core says it. */
export const needsOfDrawn = (kind: DrawnQuestion): Needs | undefined => DRAWN[kind].needs;

export const isDrawn = (kind: string): kind is DrawnQuestion => Object.hasOwn(DRAWN, kind);

/** Terms of research that no title of a sheet holds. */
const TERMS: Record<string, string> = {
  finding: 'subgroup slices scan discovery fairness advice recommended repair recalibration summary',
  over_time: 'drift temporal monitoring shift windows control chart stability dates',
  changed: 'drift session update revalidation temporal monitoring last month',
  groups: 'subgroup fairness multicalibration group-wise calibration within groups demographic forest plot',
  sites:
    'hospital ward center centre cluster meta-analysis random effects REML Hartung Knapp heterogeneity tau I2 prediction ' +
    'interval forest plot external validation internal-external multicenter O:E calibration in the large slope AUROC',
  witness: 'MMD mean embedding kernel witness function',
  klce: 'KLCE kernel local calibration error SKCE trust hypothesis test p-value power permutation bootstrap',
  bias_plot: 'covariate conditional bias proportional fairness inference',
  proximity: 'PIECE ProCal density nearest neighbors neighbours proximity bias out of distribution',
  proximity_sweep: 'PIECE ProCal density nearest neighbors neighbours proximity bias',
  decide:
    'decision curve net benefit threshold cost abstain reject selective prediction defer coverage risk rejection ' +
    'ratio PRR',
  risk_coverage:
    'selective prediction classification abstention reject option AURC E-AURC AUGRC learn then test conformal certified ' +
    'threshold coverage',
  inference: 'prediction-powered inference regression coefficient downstream bias labels proxy',
  compare: 'paired test critical difference ranking Bonferroni bootstrap best method',
  correlation: 'Pearson Spearman worst group error rank metrics',
  models: 'several models comparison network architecture scatter',
  libraries:
    'netcal scikit-learn torchmetrics uncertainty toolbox relplot ECE implementation convention binning published ' +
    'HLE HELM inspect-evals BrowseComp evaluation',
  multiples: 'small multiples reliability diagram classwise grid',
  bench:
    'simulation type I error type II power level false alarm null permutation bootstrap Bernoulli planted bias benchmark',
  sample_size: 'sample size Riley precision validation study O:E slope',
};

/** What finds a question besides its title: its options, and all metrics or methods where it is about them. */
function wordsOf(kind: string, { analyses, metrics, methods }: Catalogue): string {
  const within = kind === 'map' ? ['region', 'neighbourhoods'] : [kind];
  const described = analyses.filter((one) => within.includes(one.kind));
  return [
    kind,
    isDrawn(kind) ? DRAWN[kind].terms : (TERMS[kind] ?? ''),
    ...described.flatMap(({ title, plain, options }) => [title, plain, ...options.map(({ label }) => label ?? '')]),
    ...(kind === 'scorecard' ? metrics.map(({ id, name, plain, source }) => `${id} ${name} ${plain} ${source}`) : []),
    ...(kind === 'repair' ? methods.map(({ id, title, plain, source }) => `${id} ${title} ${plain} ${source}`) : []),
  ].join(' ');
}

/** Every question, section by section. */
export function questionsOf(catalogue: Catalogue): Question[] {
  const sheets = catalogue.analyses
    .filter(({ shown }) => shown === 'sheet')
    .map(({ kind, title, plain, step, needs }) => ({ kind, title, about: plain, section: step, needs }));
  // the finding comes first, then what is drawn here
  const finding = sheets.filter(({ kind }) => kind === 'finding');
  const others = sheets.filter((one) => !finding.includes(one));
  // the map and its bandwidths are those of analyses that have no sheet
  const here = Object.entries(DRAWN).map(([kind, { terms: _, ...one }]) => ({ kind, ...one }));
  const all = [...finding, ...here, ...others].map((one) => {
    const analysis = catalogue.analyses.find(({ kind }) => kind === (one.kind === 'map' ? 'neighbourhoods' : one.kind));
    const said = analysis && { title: analysis.title, about: analysis.plain, section: analysis.step };
    return { title: '', about: '', section: 'overview' as const, needs: analysis?.needs ?? [], ...said, ...one };
  });
  return SECTIONS.flatMap(({ step }) =>
    all.filter(({ section }) => section === step).map((one) => ({ ...one, words: wordsOf(one.kind, catalogue) })),
  );
}

/** Questions that hold every word of a search, those first that hold them in their title. */
export function matching(questions: Question[], search: string): Question[] {
  const asked = search.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text: string) => asked.every((word) => text.toLowerCase().includes(word));
  const inTitle = questions.filter(({ title }) => holds(title));
  const elsewhere = questions.filter(
    (one) => !inTitle.includes(one) && holds(`${one.title} ${one.about} ${one.words}`),
  );
  return [...inTitle, ...elsewhere];
}
