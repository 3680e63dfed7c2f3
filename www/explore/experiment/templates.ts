// Experiments to begin with. Those of the papers come from the core.

import { offerOf } from '../../engine/localcal.js';
import type { Written } from '../../state/experiment.js';
import { largestLocal, subjectSpace, usual, usualDivisions } from '../../state/experiment.js';
import { open } from '../../state/store.js';
import { gridBases, gridSeconds, hasSetting, known } from './offered.js';

/** Bandwidths of a sweep, in equal ratios. */
const GAMMAS = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2];

/** A base with what comes after it; of `none` the second alone, where that may stand alone. */
export const composed = (base: string, then: string) => (then === 'none' ? base : `${base}+${then}`);

function grid(): Written {
  const bases = gridBases().filter(known);
  const grouped = open.value?.summary.columns.some(({ role }) => role === 'group');
  const seconds = ['none', ...gridSeconds().filter((id) => known(id) && (grouped || !hasSetting(id, 'groups')))];
  const near = subjectSpace();
  const local = near ? ['piece', largestLocal()] : ['brier_top', 'mce'];
  return {
    title: 'Grid of base × second method',
    methods: bases.flatMap((base) => seconds.map((then) => composed(base, then))),
    spaces: near ? [near] : [],
    divisions: usualDivisions(),
    metrics: ['nll', 'brier', 'ece', 'ace', 'auroc', 'accuracy', ...local],
  };
}

function sweep(): Written {
  const near = subjectSpace();
  return {
    title: 'Bandwidth sweep',
    methods: ['none', 'temperature', 'isotonic', 'lore'].filter((id) => id === 'none' || known(id)),
    spaces: near ? [near] : [],
    divisions: usualDivisions(),
    metrics: ['mean_lce', largestLocal()],
    vary: [{ setting: 'gamma', values: GAMMAS, of: 'metrics' }],
  };
}

interface Template {
  title: string;
  /** what it lacks here */
  lacks?: string;
  spec: () => Written;
}

/** Those that any file has. */
export function templates(): Template[] {
  const data = open.value?.data;
  if (!data || !offerOf(data)) return [];
  const blind = subjectSpace() ? undefined : 'needs features';
  return [
    { title: 'Recalibration methods', spec: usual },
    { title: 'Grid of base × second method', spec: grid },
    { title: 'Bandwidth sweep', lacks: blind, spec: sweep },
  ];
}
