// From a question of Explore to the screen that shows how its answer behaves where the truth is known.

import { goTo, open, report } from '../state/store.js';
import { interceptOf, take } from './state.js';

/** The screen of a question. */
const SCREEN: Record<string, number> = { reliability: 3, scorecard: 4, map: 6, sweep: 7, repair: 8, groups: 9 };
/** Screens on which the number of bins is a handle of its own, and those whose base rate is. */
const BINNED = [3, 4, 6, 7, 8];
const RATED = [3, 4, 6, 7, 8];

/** The link of a screen with rows, base rate and bins of a file, as far as the lab has such ones. */
function linkFor(screen: number, file: { rows: number; rate?: number; bins?: number }): string {
  const { rows, rate, bins } = file;
  const parts = [`#lab=${screen}`, `n=${Math.min(5000, Math.max(10, rows))}`];
  if (rate !== undefined && RATED.includes(screen)) parts.push(`a=${interceptOf(rate)}`);
  if (bins !== undefined && BINNED.includes(screen) && bins >= 2 && bins <= 100) parts.push(`bins=${bins}`);
  return parts.join('&');
}

export function Behaves({ kind }: { kind: string }) {
  const screen = SCREEN[kind];
  if (!screen) return null;
  const { rows = 1000, event } = open.value?.summary ?? {};
  const { bins } = report.value?.settings ?? {};
  const link = linkFor(screen, {
    rows,
    rate: event?.share,
    bins: typeof bins === 'number' ? bins : (bins?.count ?? undefined),
  });
  return (
    <p class="behaves">
      <a
        href={link}
        onClick={(event) => {
          event.preventDefault();
          take(link);
          goTo('learn');
        }}
      >
        See how this behaves where the truth is known
      </a>
    </p>
  );
}
