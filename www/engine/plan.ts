// Plans: jobs with dependencies, each run on the pool as soon as its inputs exist. Outcomes of a plan are reused by the
// next plan of the same run where the two begin with the same jobs.

import type { Answer, Outcome, StoredOutcome } from './outcome.js';
import type { Pool, Progress } from './pool.js';

/** Outcomes of a plan kept for reuse: keys by node, the jobs of all nodes, and the inputs of the plan. */
export type Left = { about: string; jobs: Uint8Array[]; keys: Map<number, number> };
/**
 * `onAnswer` receives every outcome except the last, as it arrives; `before`: outcomes of an earlier plan, which remain
 * with the caller; `every`: nodes that no other node needs are computed, too, not only the last.
 */
type GraphOptions = {
  onProgress?: (progress: Progress) => void;
  onAnswer?: (answer: Answer) => void;
  signal?: AbortSignal;
  priority?: number;
  extras?: number[];
  before?: Left | null;
  every?: boolean;
};

/** An outcome with fewer bytes is kept for reuse even if the last node does not need it. */
const LEFT = 1e5;

const same = (one: Uint8Array, other: Uint8Array | undefined) =>
  one.length === other?.length && one.every((byte, i) => byte === other[i]);

/** The jobs of a plan, in executable order. */
const nodesOf = (plan: Outcome | null): wasm_bindgen.PlanNode[] => (plan && 'nodes' in plan ? plan.nodes : []);

/** The inputs of a plan: keys of the outcomes that it was made for. */
const about = (bases: number[], extras: number[]) => JSON.stringify([bases, extras]);

/**
 * `run`: indices of the nodes that must run: not those whose outcome is kept from an earlier plan, nor their exclusive
 * inputs. The last always runs. `known`: for each node, whether it equals that of the earlier plan. Two nodes are equal
 * if their bytes are, and all their inputs are.
 */
export function toRun(
  { outcome, columns }: StoredOutcome,
  bases: number[],
  extras: number[],
  before?: Left | null,
  every = false,
): { run: Set<number>; known: boolean[] } {
  const nodes = nodesOf(outcome);
  const within = ({ needs }: wasm_bindgen.PlanNode) =>
    needs.filter((need) => need >= bases.length).map((need) => need - bases.length);
  const known = [] as boolean[];
  for (const [i, node] of nodes.entries())
    known[i] =
      before?.about === about(bases, extras) &&
      same(columns[node.job] as Uint8Array, before.jobs[i]) &&
      within(node).every((need) => known[need]);
  const run = new Set(every ? nodes.keys() : [nodes.length - 1]);
  for (let i = nodes.length - 1; i >= 0; i -= 1)
    if (run.has(i)) for (const need of within(nodes[i])) if (!(known[need] && before?.keys.has(need))) run.add(need);
  return { run, known };
}

/** A pool that also runs plans. */
export function withPlans(pool: Pool) {
  const { submit, discard, bytesAt, nextTurn } = pool;

  /**
   * Runs a plan for the outcomes under `bases`. Each node starts as soon as its inputs exist, earlier nodes first.
   * Returns the outcome of the last node, and frees every other as soon as no node needs it. Every node also gets
   * `extras`. With `before`, nodes equal to those of the earlier plan are not run again, and `left` holds what the next
   * plan may reuse, some of it from `before`.
   */
  async function graph(
    plan: StoredOutcome,
    bases: number[],
    { onProgress, onAnswer, signal, priority, extras = [], before, every }: GraphOptions = {},
  ): Promise<Answer & { left: Left | null }> {
    const { outcome, columns } = plan;
    const { run, known } = toRun(plan, bases, extras, before, every);
    const halt = new AbortController();
    const onAbort = () => halt.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    const nodes = nodesOf(outcome);
    const end = nodes.length - 1;
    const total = nodes.reduce((sum, node, i) => sum + (run.has(i) ? node.cost : 0), 0);
    const fractions = nodes.map(() => 0);
    let done = 0;
    const report = (i: number, fraction: number) => {
      if (halt.signal.aborted) return;
      done += nodes[i].cost * (fraction - fractions[i]);
      fractions[i] = fraction;
      onProgress?.({ done: Math.min(done, total), total, label: nodes[i].label });
    };
    const turn = nextTurn();
    /** For each node, the number of nodes that still need its outcome; the last node is the answer. */
    const wanted = nodes.map((_, i) => (i === end ? 1 : 0));
    for (const j of run)
      for (const need of new Set(nodes[j].needs)) if (need >= bases.length) wanted[need - bases.length] += 1;
    /** Whether an outcome is kept for reuse. */
    const leaves = (i: number, key: number) =>
      before !== undefined && (nodes[end].needs.includes(i + bases.length) || (bytesAt(key) ?? LEFT) < LEFT);
    /** Keys only: references to outcomes would keep their columns in memory. */
    const found: Promise<number>[] = [];
    let last: Answer | undefined;
    const freed = new Set();
    const drop = async (i: number) => {
      if (!run.has(i)) return; // not this plan's
      const key = await found[i];
      if (freed.has(key)) return;
      freed.add(key);
      discard(key);
    };
    nodes.forEach((node, i) => {
      if (!run.has(i)) {
        const key = known[i] ? before?.keys.get(i) : undefined;
        found.push(Promise.resolve(key ?? -1));
        return;
      }
      const given = Promise.all(node.needs.map((need) => bases[need] ?? found[need - bases.length]));
      found.push(
        given.then(async (needs) => {
          const answer = await submit(columns[node.job], needs, {
            extras,
            signal: halt.signal,
            priority,
            turn: [turn, i],
            cost: node.cost,
            onProgress: (fraction) => report(i, fraction),
          });
          report(i, 1);
          if (i === end) last = answer;
          else if (!halt.signal.aborted) onAnswer?.(answer);
          if (i !== end && wanted[i] === 0) discard(answer.key);
          for (const need of new Set(node.needs)) {
            const of = need - bases.length;
            if (of >= 0 && (wanted[of] -= 1) === 0 && !leaves(of, await found[of])) drop(of);
          }
          return answer.key;
        }),
      );
    });
    try {
      const all = await Promise.all(found);
      const keys = new Map(
        all.flatMap((key, i) => (i < end && bytesAt(key) !== undefined && leaves(i, key) ? [[i, key]] : [])),
      );
      const jobs = nodes.map(({ job }) => columns[job] as Uint8Array);
      const left = before === undefined ? null : { about: about(bases, extras), jobs, keys };
      return { ...(last as Answer), left };
    } catch (error) {
      halt.abort(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      await Promise.allSettled(
        found.map((found, i) =>
          found.then((key) => {
            if (halt.signal.aborted || (i < end && !leaves(i, key))) return drop(i);
          }),
        ),
      );
    }
  }

  return { ...pool, graph };
}
export type PlanPool = ReturnType<typeof withPlans>;
