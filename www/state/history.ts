// Undo and redo over snapshots of what a person chose.

import { computed, signal } from '@preact/signals';

/** So many changes can be taken back. */
const MOST = 200;

/**
 * A history of choices. `now` answers what is chosen, `restore` puts it back; two snapshots with the same `key` are the
 * same choices.
 */
export function timeline<T>(now: () => T, restore: (choices: T) => void, key: (choices: T) => string) {
  const past = signal<T[]>([]);
  const future = signal<T[]>([]);

  /** Keeps what is chosen now as a step to go back to: called before a change. */
  function record() {
    const present = now();
    const last = past.value.at(-1);
    if (!last || key(last) !== key(present)) past.value = [...past.value, present].slice(-MOST);
    future.value = [];
  }

  /** Moves one step from `from` to `to`; a step that changed nothing is passed over. */
  function move(from: typeof past, to: typeof past) {
    const present = now();
    const left = [...from.value];
    while (left.length > 0 && key(left[left.length - 1]) === key(present)) left.pop();
    const target = left.pop();
    from.value = left;
    if (!target) return;
    to.value = [...to.value, present];
    restore(target);
  }

  return {
    canUndo: computed(() => past.value.length > 0),
    canRedo: computed(() => future.value.length > 0),
    record,
    undo: () => move(past, future),
    redo: () => move(future, past),
    /** Forgets the steps since what is chosen now was chosen: what was asked for meanwhile came to nothing. */
    settle() {
      const present = key(now());
      const at = past.value.map(key).lastIndexOf(present);
      if (at >= 0) past.value = past.value.slice(0, at);
    },
    /** Begins anew: what is chosen from here on is about something else. */
    forget() {
      past.value = [];
      future.value = [];
    },
  };
}
