// Charts that a component shows one after the other; what it held goes with it.

import { useEffect, useState } from 'preact/hooks';
import { charts } from '../engine/localcal.js';

/** Charts that are freed with the component. */
export function useCharts() {
  const [mine] = useState(charts);
  useEffect(() => mine.free, []);
  return mine;
}
