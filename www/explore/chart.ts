// Charts that a component shows one after the other; what it held goes with it.

import { useEffect, useState } from 'preact/hooks';
import { charts } from '../engine/localcal.js';

/** Asks for the next chart. */
export function useChart() {
  const [{ ask, free }] = useState(charts);
  useEffect(() => free, []);
  return ask;
}
