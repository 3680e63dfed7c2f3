//! The only place that knows JavaScript.

mod convert;
mod page;
mod worker;

use wasm_bindgen::prelude::wasm_bindgen;

/// Bins are written as a number or an object; the type has the name of what it becomes.
#[wasm_bindgen(typescript_custom_section)]
const BINS: &str = "export type BinOptions = WrittenBins;";

/// The kind of a message stands among its fields in JavaScript, and outside of them in Rust.
#[wasm_bindgen(typescript_custom_section)]
const MESSAGES: &str = "
type Charted<T> = T extends unknown ? { [K in keyof T]: { chart: K } & T[K] }[keyof T] : never;
type Kinded<T> = T extends unknown ? { [K in keyof T]: { kind: K } & T[K] }[keyof T] : never;
/** A chart as it is asked for. */
export type ChartMessage = Charted<ChartRequest>;
/** What the page asks for. */
export type CallMessage = Kinded<Call>;
/** A job of a plan: the place of its bytes among the columns, what it needs, expected milliseconds, words. */
export interface PlanNode { job: number, needs: number[], cost: number, label: string }
";
