// From a screen to the view of a person's own file that shows the same, with the settings of the screen.

import { labOf } from '../engine/localcal.js';
import { showError } from '../parts/message.js';
import { openGiven } from '../state/opening.js';
import { asking, goTo, usable } from '../state/store.js';
import { LESSON } from './lesson.js';
import { lab, requestOf } from './state.js';

/** The view of an own file that shows the same; without a file, where one is opened. */
export function onOwnFile() {
  const { kind } = LESSON[lab.peek().screen].own;
  if (!usable.peek()) return void goTo('data');
  if (kind === 'finding') return void goTo('finding');
  asking.value = kind;
  goTo('explore');
}

/** The rows of the case, opened like any file. */
export async function openCase() {
  try {
    const { outcome } = await labOf({ ...requestOf(lab.peek()), answered: false, csv: true });
    const file = new File([outcome.csv ?? ''], `case_${lab.peek().case}.csv`, { type: 'text/csv' });
    openGiven([file]);
  } catch (error) {
    showError(error);
  }
}
