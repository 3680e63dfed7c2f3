// From a screen to the view of a person's own file that shows the same, with the settings of the screen.

import { labOf, offerOf } from '../engine/localcal.js';
import { showError } from '../parts/message.js';
import { openGiven } from '../state/opening.js';
import type { Panels, Similarity } from '../state/chosen.js';
import { gammaFor, measuredOf, wantedPlace } from '../state/space.js';
import { asking, chooseAnew, chosen, goTo, open, usable } from '../state/store.js';
import { LESSON } from './lesson.js';
import type { Lab } from './state.js';
import { PLAIN, lab, requestOf } from './state.js';

/** Where no one chose others than those of the lab, a file is left to what the core suggests for it. */
const { gamma: GAMMA, bins: BINS } = PLAIN;
/** Methods of screens 3 and 8, by the names that a file's have. */
const METHODS: Record<number, string[]> = { 3: ['temperature'], 8: ['temperature', 'isotonic', 'lore', 'lore_ridge'] };

/**
 * γ of a file that is to the distances between its rows as γ of the lab is to those of the lab: the core suggests a
 * fifth of the median distance, which is that of the lab there.
 */
function gammaOfFile(gamma: number): number | undefined {
  const { data } = open.peek() ?? {};
  const place = data && wantedPlace(data, {});
  const there = place && measuredOf(data, place);
  const suggested = there && gammaFor(data, 'laplacian', there);
  return suggested ? Number(((suggested * gamma) / GAMMA).toPrecision(2)) : undefined;
}

/** What of a screen the open file is looked at with: similarity of all views, and settings of panels. */
function carried({ screen, gamma, bins, neighbors }: Lab): { alike: Similarity; panels: Panels } {
  // a default is left out where nothing else is set, and replaces what an earlier screen has set
  const { subject, panels } = chosen();
  const isSet = (what: 'gamma' | 'bins') =>
    [subject.alike, panels.map?.alike, panels.repair?.alike].some(
      (one) => (one as Similarity | undefined)?.[what] != null,
    );
  const own = gamma === GAMMA && !isSet('gamma') ? undefined : gammaOfFile(gamma);
  const near = own === undefined ? {} : { gamma: own };
  // all rows are one bin
  const count = neighbors === 'all' ? 1 : bins;
  const within: Similarity = count === BINS && !isSet('bins') ? {} : { bins: { count, scheme: 'equal_width' } };
  switch (screen) {
    case 4:
      return {
        alike: {},
        panels: bins === BINS && panels.scorecard?.bins === undefined ? {} : { scorecard: { bins } },
      };
    case 6:
      return { alike: within, panels: own === undefined ? {} : { map: { alike: near } } };
    case 7:
      return { alike: { ...near, ...within }, panels: {} };
    case 3:
    case 8: {
      const offered = offerOf((open.peek() as NonNullable<typeof open.value>).data)?.methods.map(({ id }) => id) ?? [];
      const methods = METHODS[screen].filter((id) => offered.includes(id));
      const alike = screen === 8 ? { ...near, ...within } : {};
      const set = { ...(methods.length > 0 && { methods }), ...(Object.keys(alike).length > 0 && { alike }) };
      return { alike: {}, panels: Object.keys(set).length > 0 ? { repair: set } : {} };
    }
    default:
      return { alike: {}, panels: {} };
  }
}

/** The view of an own file with the same settings; without a file, where one is opened. */
export function onOwnFile() {
  const { kind } = LESSON[lab.peek().screen].own;
  if (!usable.peek()) return void goTo('data');
  if (kind === 'finding') return void goTo('finding');
  const { alike, panels } = carried(lab.peek());
  const now = chosen();
  const added = Object.entries(panels).map(([one, set]) => [one, { ...now.panels[one], ...set }]);
  if (Object.keys(alike).length + added.length > 0)
    chooseAnew({
      ...now,
      subject: { ...now.subject, alike: { ...now.subject.alike, ...alike } },
      panels: { ...now.panels, ...Object.fromEntries(added) },
    });
  asking.value = kind;
  goTo('explore');
}

/** The rows of the case, opened like any file. */
export async function openCase() {
  try {
    const { outcome } = await labOf({ ...requestOf(lab.peek()), answered: false, csv: true });
    const file = new File([outcome.csv ?? ''], `case_${lab.peek().case}.csv`, { type: 'text/csv' });
    // from there a file that can be evaluated lands on its finding
    goTo('data');
    scrollTo(0, 0);
    openGiven([file]);
  } catch (error) {
    showError(error);
  }
}
