//! Experiments: methods × spaces × divisions × metrics, built on the page, by a script or in a terminal, and kept as one
//! object that anybody can run again.
//!
//! [`spec`] is what is asked, [`plan`](plan::plan) the steps that answer it, [`cell`] one number of the answer, and
//! [`result`] what all cells say together: means with spread, paired differences, ranks, tables and charts. [`papers`] are
//! experiments that make the tables and figures of three papers.

pub mod cell;
pub mod comparisons;
mod compositions;
mod expand;
mod figures;
mod findings;
mod grid;
mod grid_latex;
pub mod measure;
pub mod outline;
pub mod papers;
pub mod plan;
pub mod ranks;
pub mod result;
mod resume;
pub mod spec;
pub mod split_rule;
pub mod step;
pub mod summary;
mod withheld;
pub mod written;

#[cfg(test)]
mod tests;

pub use cell::{Cell, Level};
pub use result::{Concluded, Presentation, conclude};
pub use resume::concluded_of;
pub use spec::{Begun, Compare, Divisions, ExperimentMethod, Knob, SCHEMA, Seeds, Space, Spec, Vary};
pub use withheld::may_leave;
pub use written::{Format, written};
