// How far an experiment is: a square for each method and division, which fills as its numbers come.

import { counted, whole } from '../../parts/words.js';
import { nameOf } from '../../state/experiment.js';
import { lastingSaid } from './lacking.js';
import type { Run } from './running.js';
import { key } from './running.js';

/** Seconds after which a guess of what is left is worth saying. */
const GUESSED = 2;

/** How full a square is. */
function shareOf({ is, spec, squares, size }: Run, at: number, division: string): number {
  const there = squares.numbers.get(key(nameOf(spec.methods[at]), division)) ?? 0;
  if (is === 'done') return there > 0 ? 1 : 0;
  return size ? Math.min(1, there / (size.fits[at] * size.numbers)) : 0;
}

/** Divisions so far, with those that are to come. */
function columns({ is, squares, size }: Run): string[] {
  const more = is === 'done' ? 0 : Math.max(0, (size?.splits ?? 0) - squares.divisions.length);
  return [...squares.divisions, ...Array.from({ length: more }, () => '')];
}

/** "31 of 65 fits; about 2 min": what the squares say, in words. */
export function progressSaid(run: Run): string {
  const { spec, squares, cells, size } = run;
  if (!size) return run.is === 'stopped' ? `Incomplete: ${counted(cells.length, 'number')}` : 'Planning';
  const all = columns(run).length;
  const methods = spec.methods.map((_, i) => i);
  const full = (division: string) => methods.filter((i) => shareOf(run, i, division) >= 1).length;
  const done = squares.divisions.map(full);
  const fits = sum(size.fits);
  // of several fits to a square numbers are told
  const single = size.fits.every((many) => many === 1);
  const of = single
    ? `${whole(sum(done))} of ${counted(all * methods.length, 'fit')}`
    : `${whole(cells.length)} of ${counted(all * fits * size.numbers, 'number')}`;
  const entire = done.filter((many) => many === methods.length).length;
  if (run.is === 'stopped') return `Incomplete: ${whole(entire)} of ${counted(all, 'split')}, ${of}`;
  const left = run.is === 'running' && leftSaid(run);
  return left ? `${of}; ${left}` : of;
}
const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

/** "about 2 min". */
function leftSaid({ share, seconds }: Run): string | null {
  if (share <= 0 || seconds < GUESSED) return null;
  return lastingSaid((seconds * (1 - share)) / share);
}

export function Squares({ run }: { run: Run }) {
  const all = columns(run);
  const { methods } = run.spec;
  return (
    <div class="scroll squares" tabIndex={0} role="img" aria-label={`${progressSaid(run)}. Methods by splits.`}>
      <table aria-hidden="true">
        <tbody>
          {methods.map((method, at) => (
            <tr key={at}>
              <th scope="row">{nameOf(method)}</th>
              {all.map((division, j) => (
                <td key={j} title={division ? `${nameOf(method)}, ${division}` : undefined}>
                  <Square share={division ? shareOf(run, at, division) : 0} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Its drawing is an attribute: the policy of the page allows no style in an element. */
function Square({ share }: { share: number }) {
  return (
    <svg viewBox="0 0 10 10" width="14" height="14" class={share >= 1 ? 'full' : undefined}>
      <rect x="0.5" y="0.5" width="9" height="9" />
      {share > 0 && <rect class="fill" x="0.5" width="9" y={9.5 - 9 * share} height={9 * share} />}
    </svg>
  );
}
