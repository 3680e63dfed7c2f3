//! LoCal in a browser: the only crate that depends on JavaScript.
//!
//! Workers hold outcomes and run jobs; the page draws figures on canvas. The TypeScript types of requests and responses
//! are generated from the core's JSON Schema (`www/types.mjs`).

mod canvas;
mod convert;
mod page;
mod worker;
