// That what the finding recommends is not among the recalibrations that are compared.

import { lookThroughRecommended, nameOf, recommended } from '../state/recommended.js';
import { report, subject } from '../state/store.js';
import { hasMethod } from './method.js';

/** Often a recalibration of one subgroup, which no list of methods has. */
export function NotIncluded() {
  const advice = recommended.value;
  if (!advice || !report.value) return null;
  const name = nameOf(advice);
  if (subject.value.repair === name || hasMethod(name)) return null;
  return (
    <p class="not-included">
      Not included: the recommended recalibration, {advice.title}.{' '}
      <button type="button" class="quiet" onClick={() => lookThroughRecommended(advice)}>
        Apply to Explore and Report
      </button>
    </p>
  );
}
