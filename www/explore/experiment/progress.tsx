// How far an experiment is: a square for each method and division, which fills as its numbers come.

import { counted, whole } from '../../parts/words.js';
import { nameOf } from '../../state/experiment.js';
import { lastingSaid } from './lacking.js';
import type { Run } from './running.js';
import { key } from './running.js';
import { divisionsOf, fitsOf, numbersOf } from './size.js';

/** Seconds after which a guess of what is left is worth saying. */
const GUESSED = 2;

/** How full a square is. */
function shareOf({ is, spec, squares }: Run, at: number, division: string): number {
  const method = spec.methods[at];
  const there = squares.numbers.get(key(nameOf(method), division)) ?? 0;
  if (there === 0) return 0;
  return is === 'done' ? 1 : Math.min(1, there / numbersOf(spec, method));
}

/** Divisions so far, with those that are to come. */
function columns({ is, spec, squares, others }: Run): string[] {
  const expected = divisionsOf(spec, others.length + 1) ?? 0;
  const more = is === 'done' ? 0 : Math.max(0, expected - squares.divisions.length);
  return [...squares.divisions, ...Array.from({ length: more }, () => '')];
}

/** "31 of 65 fits; about 2 min": what the squares say, in words. */
export function progressSaid(run: Run): string {
  const { spec, squares, cells } = run;
  const all = columns(run).length;
  const methods = spec.methods.map((_, i) => i);
  const full = (division: string) => methods.filter((i) => shareOf(run, i, division) >= 1).length;
  const done = squares.divisions.map(full);
  // of several fits to a square numbers are told
  const single = spec.methods.every((method) => fitsOf(spec, method) === 1);
  const numbers = spec.methods.reduce((sum, method) => sum + numbersOf(spec, method), 0);
  const of = single
    ? `${whole(done.reduce((a, b) => a + b, 0))} of ${counted(all * methods.length, 'fit')}`
    : `${whole(cells.length)} of ${counted(run.all || all * numbers, 'number')}`;
  const entire = done.filter((many) => many === methods.length).length;
  if (run.is === 'stopped') return `Incomplete: ${whole(entire)} of ${counted(all, 'split')}, ${of}`;
  const left = run.is === 'running' && leftSaid(run);
  return left ? `${of}; ${left}` : of;
}

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
