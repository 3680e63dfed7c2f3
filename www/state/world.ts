// What the schema of the choices refers to, of a data set that is open.

import type { Data } from '../engine/localcal.js';
import { offerOf } from '../engine/localcal.js';
import { catalogue } from '../parts/catalogue.js';
import { hasDerivedLogits } from './alike.js';
import type { Asked } from './choices.js';
import { specified } from './store.js';

export function worldOf(data: Data): Asked {
  const { columns, labels, models } = data.summary;
  const { methods, within } = offerOf(data);
  const { analyses = [], metrics = [], methods: described = [] } = catalogue.value ?? {};
  return {
    columns,
    labels,
    models,
    methods: methods.map((one) => one.id),
    specified: Object.keys(specified.value),
    metrics: metrics.map((one) => one.id),
    within,
    logits: hasDerivedLogits(data),
    analyses,
    described,
  };
}
