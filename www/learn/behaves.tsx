// From a question of Explore to the screen that shows how its answer behaves where the truth is known.

import { goTo, open, report } from '../state/store.js';
import { take } from './state.js';

/** The screen of a question. */
const SCREEN: Record<string, number> = { reliability: 3, scorecard: 4, map: 6, sweep: 7, repair: 8, groups: 9 };
/** Screens on which the number of bins is a handle of its own. */
const BINNED = [3, 4, 6, 7];

/** With the rows and the bins of the open file, as far as the lab has so many. */
function linkFor(screen: number): string {
  const rows = Math.min(5000, Math.max(10, open.value?.summary.rows ?? 1000));
  const { bins } = report.value?.settings ?? {};
  const count = typeof bins === 'number' ? bins : bins?.count;
  const withBins = BINNED.includes(screen) && count >= 2 && count <= 100 ? `&bins=${count}` : '';
  return `#lab=${screen}&n=${rows}${withBins}`;
}

export function Behaves({ kind }: { kind: string }) {
  const screen = SCREEN[kind];
  if (!screen) return null;
  const link = linkFor(screen);
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
