//! Experiments: methods × spaces × divisions × metrics, built on the page, by a script or in a terminal, and kept as one
//! object that anybody can run again.
//!
//! [`spec`] is what is asked, [`plan`](plan::plan) the steps that answer it, [`cell`] one number of the answer, and
//! [`result`] what all cells say together: means with spread, paired differences, ranks, tables and charts.

pub mod cell;
mod expand;
pub mod plan;
pub mod result;
pub mod spec;
pub mod step;

pub use cell::{Cell, Level};
pub use result::{Concluded, Format, Presentation, conclude, written};
pub use spec::{AskedMethod, Divisions, Knob, SCHEMA, Seeds, Space, Spec, Vary};
