// The methods that are compared: those that a person chose, else the usual ones of the open file.

import { useLayoutEffect } from 'preact/hooks';
import { offerOf } from '../engine/localcal.js';
import { compared } from '../state/running.js';
import { open, panels } from '../state/store.js';

/** Ids of the methods that are chosen. */
export function chosenMethods(): string[] {
  const data = open.value?.data;
  const usual = data ? offerOf(data).methods.filter((one) => one.usual) : [];
  return (panels.value.repair?.methods as string[] | undefined) ?? usual.map(({ id }) => id);
}

// a data set is compared once a person asks: its finding does not wait for every recalibration
open.subscribe(() => {
  compared.value = [];
});

/** Has the run compare the chosen methods. `wanted`: whether anything on screen is about them. */
export function useCompared(wanted = true) {
  const chosen = chosenMethods();
  const text = JSON.stringify(chosen);
  // at once: a run that will begin has begun
  useLayoutEffect(() => {
    if (wanted && text !== JSON.stringify(compared.peek())) compared.value = chosen;
  }, [text, wanted, open.value]);
}
