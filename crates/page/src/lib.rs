//! LoCal in a browser: the only crate that knows JavaScript.
//!
//! Workers keep outcomes and run jobs; the page draws figures on canvas. The types of what is asked and answered are
//! made from the core's JSON Schema (`www/types.mjs`).

mod canvas;
mod convert;
mod page;
mod worker;
