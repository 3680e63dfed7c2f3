// What the schema of the choices refers to, of a data set that is open.

import type { Data } from '../engine/localcal.js';
import { offerOf } from '../engine/localcal.js';
import { catalogue } from '../parts/catalogue.js';
import { hasDerivedLogits } from './similarity.js';
import type { Context } from './choices.js';
import { specified } from './store.js';

/** What was said of each data set last: who asks again about the same gets the same. */
const last = new WeakMap<Data, { of: [unknown, unknown]; world: Context }>();
export function worldOf(data: Data): Context {
  const known = last.get(data);
  const of: [unknown, unknown] = [catalogue.value, specified.value];
  if (known && known.of.every((one, i) => one === of[i])) return known.world;
  const world = newWorld(data);
  last.set(data, { of, world });
  return world;
}

function newWorld(data: Data): Context {
  const { columns, labels, models } = data.summary;
  const { methods, within } = offerOf(data);
  const said: Partial<wasm_bindgen.Catalogue> = catalogue.value ?? {};
  const { analyses = [], metrics = [], methods: described = [], bounds = [], report_parts: parts = [] } = said;
  return {
    columns,
    labels,
    models,
    methods: methods.map((one) => one.id),
    specified: Object.keys(specified.value),
    metrics: metrics.map((one) => one.id),
    within,
    logits: hasDerivedLogits(data),
    bounds,
    analyses,
    described,
    parts: parts.map((one) => one.id),
  };
}
