// Two builds measured in turn: what is made of the rounds.

/** @typedef {{ what: string, median: number, low: number }} Row */

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/**
 * One row a benchmark that both builds could run: best and median of all rounds, and now as a multiple of before. The best is
 * what a busy machine disturbs least.
 * @param {{ before: Row[], now: Row[] }[]} rounds
 */
export function ratios(rounds) {
  const of = (/** @type {'before' | 'now'} */ side, /** @type {string} */ what) => {
    const rows = rounds.flatMap((round) => round[side].filter((row) => row.what === what));
    return rows.length === 0
      ? null
      : { best: Math.min(...rows.map(({ low }) => low)), median: median(rows.map((row) => row.median)) };
  };
  const names = new Set(rounds.flatMap(({ now }) => now.map(({ what }) => what)));
  return [...names].flatMap((what) => {
    const [before, now] = [of('before', what), of('now', what)];
    if (before === null || now === null) return [];
    return [{ what, before, now, best: now.best / before.best, median: now.median / before.median }];
  });
}
