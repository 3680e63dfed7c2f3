//! Columns and predictions: roles, labels, groups, splits. No input or output happens here.

pub mod assemble;
pub mod clusters;
pub mod dates;
pub mod derived;
pub mod folds;
pub mod grouping;
mod join;
mod labels;
mod names;
pub mod options;
pub mod pair;
mod percent;
mod positive;
pub mod predictions;
mod profile;
mod recognise;
pub mod roles;
mod rows;
mod scores;
mod session;
pub mod slice;
mod split;
pub mod summary;
pub mod telltale;
mod told;
mod top_label;
pub mod weights;

pub use assemble::assemble;
pub use clusters::Clusters;
pub use options::{OpenOptions, RowPolicy, SplitOption};
pub use predictions::{CALIBRATION, Division, EVALUATION, LEFT_OUT, Predictions, Projection, Scores, View};
pub use roles::{ColumnRole, Reading, Role};
pub use session::SCHEMA as SESSION_SCHEMA;
pub use summary::{DroppedRow, Summary, Way};
pub use told::{About, Cohort, DateRange, Event, Told};
pub use weights::{Weights, effective_rows};
