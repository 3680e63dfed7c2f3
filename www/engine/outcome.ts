// Outcomes of the core by kind, in the types of its schema.

import { codedError } from './fault.js';
import type { Column } from './messages.js';

export type Outcome = wasm_bindgen.OutcomeMessage;
/** The part of an outcome that the page reads (null: none), and the whole of it for other workers. */
export type StoredOutcome = { outcome: Outcome | null; packed?: Uint8Array; columns: Column[] };
export type Answer = StoredOutcome & { key: number };
export type OutcomeOf<K extends Outcome['kind']> = Extract<Outcome, { kind: K }>;

/** An outcome of the requested kind; another kind is an internal error. */
export function outcomeOf<K extends Outcome['kind']>(kind: K, { outcome }: Pick<StoredOutcome, 'outcome'>) {
  if (outcome?.kind === kind) return outcome as OutcomeOf<K>;
  throw codedError({
    code: 'internal',
    message: `A fault in the program: “${outcome?.kind ?? 'nothing'}” was answered where “${kind}” was asked for.`,
    hint: 'Reload the page and open the file again.',
  });
}

/** What an answer may display: a panel, or figures that the page draws itself. */
export type Showing = { sheet?: wasm_bindgen.Sheet | null; figures?: wasm_bindgen.Figure[] };

/** A figure and the columns that are drawn. */
export type Drawn = { outcome: { figure: wasm_bindgen.Figure }; columns: Answer['columns'] };

type KeyOf<T> = T extends unknown ? keyof T : never;
/** Names of the analyses. */
export type AnalysisKind = KeyOf<wasm_bindgen.AnalysisRequest>;
/** All properties optional, at every level. */
type Given<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Given<T[K]> } : T;
/** Options of an analysis, as a script passes them. */
export type AnalysisOptions<K extends AnalysisKind> = Given<
  Extract<wasm_bindgen.AnalysisRequest, Record<K, unknown>>[K]
>;
/** Analyses whose outcome has another kind than their name. */
interface AnsweredAs {
  region_rows: 'bytes';
  document: 'bytes';
  compare: 'compared';
  correlation: 'correlated';
  proximity: 'proximity_sheet';
  proximity_sweep: 'proximity_sweep_sheet';
}
/** The answer of an analysis. */
export type AnalysisAnswer<K extends AnalysisKind> = OutcomeOf<
  K extends keyof AnsweredAs ? AnsweredAs[K] : Extract<K, Outcome['kind']>
> & { columns: Answer['columns'] };
