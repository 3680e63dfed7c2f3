//! More rows than fit in a browser: one statement counts them where they are, and its result is opened in their place.
//!
//! The score is divided into cells. For every cell, and every value of the grouping columns, the statement returns the number
//! of rows and sums of score, outcome and losses; a few thousand lines stand for any number of rows.
//!
//! | file | idea |
//! |---|---|
//! | [`grid`] | the cells of the score |
//! | [`selection`] | what is counted, checked |
//! | [`dialect`] | what differs between engines: quotes, types, functions |
//! | [`statement`](mod@statement) | the statement |
//! | [`settings`] | what the result says about itself, in a text that may stand in any statement |
//!
//! [`Tally`](crate::read::tally::Tally) counts rows of files in the same way, without an engine.

pub mod dialect;
pub mod grid;
pub mod selection;
pub mod settings;
pub mod statement;

pub use dialect::{DIALECTS, Dialect};
pub use grid::Grid;
pub use selection::{CountRequest, QuantizedColumn};
pub use settings::Settings;
pub use statement::{Statement, statement};

/// How far outside [0, 1] a score may lie and still be 0 or 1.
pub const RANGE_TOLERANCE: f64 = 1e-6;
