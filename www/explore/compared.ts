// The methods that are compared: those that a person chose, else the usual ones of the open file.

import { useEffect } from 'preact/hooks';
import { offerOf } from '../engine/localcal.js';
import type { Asked } from '../state/running.js';
import { compared } from '../state/running.js';
import { ownOf } from '../state/alike.js';
import { spaceOf } from '../state/space.js';
import { open, panels } from '../state/store.js';

/** Ids of the methods that are chosen. */
export function chosenMethods(): string[] {
  const data = open.value?.data;
  const usual = data ? offerOf(data).methods.filter((one) => one.usual) : [];
  return (panels.value.repair?.methods as string[] | undefined) ?? usual.map(({ id }) => id);
}

/** Where LoRe looks for rows that are alike, and how near, as far as a person chose it apart from the subject. */
export function loreSettings(): Record<string, unknown> {
  const { place, kernel, gamma, bins } = ownOf('repair');
  const near = spaceOf('repair');
  if (!near) return {};
  return {
    ...(place && { features: near.features }),
    ...(kernel && { kernel }),
    ...((place || kernel || gamma !== undefined) && { gamma: near.gamma }),
    ...(bins && { bins }),
  };
}

// a data set is compared once somebody asks: its finding does not wait for every repair
open.subscribe(() => {
  compared.value = [];
});

/** Has the run compare the chosen methods. */
export function useCompared() {
  const lore = loreSettings();
  const asked: Asked[] = chosenMethods().map((id) =>
    id === 'lore' && Object.keys(lore).length > 0 ? { id, parameters: lore } : id,
  );
  const text = JSON.stringify(asked);
  useEffect(() => {
    if (text !== JSON.stringify(compared.peek())) compared.value = asked;
  }, [text, open.value]);
}
