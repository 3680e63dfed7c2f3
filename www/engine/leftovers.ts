// Outcomes that plans about the last run left, for the next plan that begins with the same jobs.

import type { Left } from './plan.js';
import type { Pool } from './pool.js';

/** Maximum number of plans whose outcomes are kept. */
const PLANS = 8;
/** Maximum bytes of these outcomes. */
const BYTES = 64e6;

export class Leftovers {
  /** the latest at the end */
  #plans: Left[] = [];
  /** For each outcome, how many hold it: plans that left it, and plans under way that use it. */
  #holders = new Map<number, number>();

  constructor(readonly pool: Pick<Pool, 'discard' | 'bytesAt'>) {}

  /** What each plan left. */
  get plans(): readonly Left[] {
    return this.#plans;
  }

  /** Keeps outcomes that a plan under way uses until they are released. */
  hold({ keys }: Left) {
    keys.forEach((key) => this.#holders.set(key, (this.#holders.get(key) ?? 0) + 1));
  }

  /** Frees the outcomes that have no other holder. */
  release({ keys }: Left) {
    keys.forEach((key) => {
      const others = (this.#holders.get(key) ?? 1) - 1;
      if (others > 0) this.#holders.set(key, others);
      else {
        this.#holders.delete(key);
        this.pool.discard(key);
      }
    });
  }

  /** Keeps what a plan left; what it left of an earlier plan's outcomes replaces these if it is all of them. */
  keep(one: Left, earlier: Left | null) {
    this.hold(one);
    this.#plans.push(one);
    const place = earlier ? this.#plans.indexOf(earlier) : -1;
    const replaced = earlier && [...earlier.keys].every(([i, key]) => one.keys.get(i) === key);
    if (place >= 0 && replaced) this.#forget(place);
  }

  /** Releases the outcomes of the earliest plans, where there are too many of them. */
  trim() {
    while (this.#plans.length > PLANS || this.#bytes() > BYTES) this.#forget(0);
  }

  /** Releases all. */
  clear() {
    while (this.#plans.length > 0) this.#forget(0);
  }

  #forget(place: number) {
    this.#plans.splice(place, 1).forEach((one) => this.release(one));
  }

  #bytes(): number {
    const keys = new Set(this.#plans.flatMap((one) => [...one.keys.values()]));
    return [...keys].reduce((sum, key) => sum + (this.pool.bytesAt(key) ?? 0), 0);
  }
}
