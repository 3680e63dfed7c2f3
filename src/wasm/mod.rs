//! The only place that knows JavaScript.

mod convert;
mod page;
mod worker;

use wasm_bindgen::prelude::wasm_bindgen;

/// Bins are written as a number or an object; the type has the name of what it becomes.
#[wasm_bindgen(typescript_custom_section)]
const BINS: &str = "export type BinOptions = WrittenBins;";
