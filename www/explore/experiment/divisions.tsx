// Which rows calibrate and which are scored, again and again.

import { boundsOf } from '../../parts/catalogue.js';
import { ChoiceField, NumberField } from '../../parts/form.js';
import { counted } from '../../parts/words.js';
import type { Divisions as Way } from '../../state/experiment.js';
import { EXPERIMENT, put, spec } from '../../state/experiment.js';
import { about, open } from '../../state/store.js';
import { OtherFiles } from '../files.js';
import { TextField, levelsIn } from './fields.js';

const WAYS = { seeds: 'Random halves', folds: 'Folds', by: 'By column', files: 'Several files' };
type Kind = keyof typeof WAYS | 'said';

const kindOf = ({ seeds, folds, by, files }: Way): Kind => {
  if (files) return 'files';
  if (by) return 'by';
  if (folds) return 'folds';
  return seeds === undefined ? 'said' : 'seeds';
};

/** Columns whose values may be repeats. */
const columns = () =>
  (open.value?.summary.columns ?? []).filter(({ role }) => ['ignore', 'group', 'split', 'id'].includes(role));

/** What a way of dividing begins with. */
function begins(kind: Kind): Way {
  if (kind === 'seeds') return { seeds: 5 };
  if (kind === 'folds') return { folds: 5 };
  if (kind === 'files') return { files: true };
  return kind === 'by' ? { by: columns()[0]?.name } : {};
}

export function Divisions() {
  const { divisions, seed } = spec.value;
  const { seeds, folds, by } = divisions;
  const kind = kindOf(divisions);
  const change = (to: Way) => put({ divisions: { ...divisions, ...to } });
  const split = about.value?.summary.split;
  return (
    <>
      <div class="row fields">
        <ChoiceField
          name="divisions"
          label="Data split"
          value={kind}
          choices={[
            ['said', 'As in file'],
            ...Object.entries(WAYS).filter(([one]) => one !== 'by' || columns().length > 0),
          ]}
          put={(to) => put({ divisions: begins(to as Kind) })}
        />
        {kind === 'folds' && (
          <NumberField
            name="folds"
            label="Folds"
            value={folds ?? null}
            bounds={boundsOf('divisions', 'folds')}
            put={(many) => change({ folds: many ?? 5 })}
          />
        )}
        {(kind === 'seeds' || kind === 'folds') && (
          <TextField
            name="seeds"
            label="Seeds (number or list)"
            value={Array.isArray(seeds) ? seeds.join(', ') : String(seeds ?? 1)}
            put={(typed) => {
              const given = levelsIn(typed).filter((one): one is number => Number.isInteger(one) && Number(one) >= 0);
              change({ seeds: given.length > 1 ? given : Math.max(1, given[0] ?? 1) });
            }}
          />
        )}
        {kind === 'by' && (
          <ChoiceField
            name="by"
            label="Repeats by"
            value={by ?? ''}
            choices={columns().map(({ name }): [string, string] => [name, name])}
            put={(name) => change({ by: name })}
          />
        )}
        <NumberField
          name="seed"
          label="Seed"
          value={seed}
          bounds={boundsOf('experiment', 'seed')}
          put={(number) => put({ seed: number ?? 0 })}
        />
      </div>
      {kind === 'said' && <p class="muted">{split}. Without a split in the file: random halves, five seeds.</p>}
      {kind === 'files' && <OtherFiles kind={EXPERIMENT} label="Further files (read like this one)" />}
    </>
  );
}

/** "random halves, 5 seeds". `opened`: how many files there are. */
export function divisionsSaid({ seeds, folds, by, files }: Way, opened: number): string {
  const many = Array.isArray(seeds) ? seeds.length : seeds;
  if (files) return `${counted(opened, 'file')}, each with its own split`;
  if (by) return `repeats by ${by}`;
  if (folds) return (many ?? 1) > 1 ? `${folds} folds, ${counted(many ?? 1, 'seed')}` : `${folds} folds`;
  return many === undefined ? 'as in file' : `random halves, ${counted(many, 'seed')}`;
}
