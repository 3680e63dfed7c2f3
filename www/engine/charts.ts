// Charts of one place on the page, requested one at a time: each may reuse the one before it, and then replaces it.

import { inOrder } from './together.js';

/** What the charts of a place need: `Of` is a data set, `Request` a request, `Chart` an answer that has to be freed. */
export interface ChartSource<Of, Request, Chart> {
  /** computes a chart; `before`: the chart that is held, of the same run */
  view: (of: Of, request: Request, before: Chart | null) => Promise<Chart>;
  free: (of: Of, chart: Chart) => void;
  /** the last run of a data set, by identity */
  run: (of: Of) => unknown;
}

export interface Charts<Of, Request, Chart> {
  /**
   * The next chart; null where the place is gone. `request` is called when its turn comes; `again`: a chart of the same
   * run is held, so that little is computed.
   */
  ask: (of: Of, request: (again: boolean) => Request) => Promise<Chart | null>;
  /** the chart that is held, with its data set */
  held: () => { of: Of; chart: Chart } | null;
  /** frees the chart that is held, once those before it in the queue have come */
  clear: () => Promise<void>;
  /** the place is gone: frees what is held, and whatever still comes */
  free: () => void;
}

/**
 * A queue of requests. One chart is held at any time; it is freed when the next one is there, so that two requests at
 * once never reuse, or free, the same chart.
 */
export function chartsFrom<Of, Request, Chart>({
  view,
  free,
  run,
}: ChartSource<Of, Request, Chart>): Charts<Of, Request, Chart> {
  let last: { of: Of; run: unknown; chart: Chart } | null = null;
  let gone = false;
  const inTurn = inOrder();

  function drop() {
    if (last) free(last.of, last.chart);
    last = null;
  }
  async function next(of: Of, request: (again: boolean) => Request): Promise<Chart | null> {
    if (gone) return null;
    const now = run(of);
    const before = last && last.of === of && last.run === now ? last.chart : null;
    const chart = await view(of, request(before !== null), before);
    drop();
    if (gone) {
      free(of, chart);
      return null;
    }
    last = { of, run: now, chart };
    return chart;
  }

  return {
    ask: (of, request) => inTurn(() => next(of, request)),
    held: () => last,
    clear: () => inTurn(drop),
    free() {
      gone = true;
      drop();
    },
  };
}
