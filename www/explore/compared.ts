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

/** Repairs that look at rows that are alike; the ridge finds its own bandwidth. */
export const LOCAL = ['lore', 'lore_ridge'];

/** Where such a repair looks, and how near, as far as a person chose it apart from the subject. */
function loreSettings(id: string): Record<string, unknown> {
  const { place, kernel, gamma, bins, within } = ownOf('repair');
  const near = spaceOf('repair');
  if (!near || !LOCAL.includes(id)) return {};
  if (id === 'lore_ridge') return { ...(place && { features: near.features }), ...(within && { within }) };
  return {
    ...(place && { features: near.features }),
    ...(kernel && { kernel }),
    ...((place || kernel || gamma !== undefined) && { gamma: near.gamma }),
    ...(bins && { bins }),
    ...(within && { within }),
  };
}

// a data set is compared once somebody asks: its finding does not wait for every repair
open.subscribe(() => {
  compared.value = [];
});

/** Has the run compare the chosen methods. */
export function useCompared() {
  const asked: Asked[] = chosenMethods().map((id) => {
    const parameters = loreSettings(id);
    return Object.keys(parameters).length > 0 ? { id, parameters } : id;
  });
  const text = JSON.stringify(asked);
  useEffect(() => {
    if (text !== JSON.stringify(compared.peek())) compared.value = asked;
  }, [text, open.value]);
}
