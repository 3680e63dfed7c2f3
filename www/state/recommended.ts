// The recommendation of the finding: what Explore compares says whether it is among it.

import { computed, signal } from '@preact/signals';
import type { Data } from '../engine/localcal.js';
import { change, lookThrough, open, subject } from './store.js';

type Advice = wasm_bindgen.Advice;

const last = signal<{ data: Data; advice: Advice } | null>(null);

/** The last recommendation for the open data; null before there is one, and where the original predictions are kept. */
export const recommended = computed(() => {
  const found = last.value;
  return found && found.data === open.value?.data && found.advice.method !== 'none' ? found.advice : null;
});

/** What the finding recommends for data. */
export const recommend = (data: Data, advice: Advice) => void (last.value = { data, advice });

/** The name that the subject has for what is recommended. */
export function nameOf({ method, title }: Advice): string {
  if (typeof method === 'string') return method;
  return method.name ?? (method.parameters ? title : method.id);
}

/** Looks at everything through what is recommended. */
export function lookThroughRecommended(advice: Advice): string {
  const { method } = advice;
  const name = nameOf(advice);
  if (subject.peek().repair === name) return name;
  if (typeof method === 'string') change({ repair: name });
  else lookThrough(name, { id: method.id, parameters: method.parameters });
  return name;
}
