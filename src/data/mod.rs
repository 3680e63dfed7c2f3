//! Columns and predictions: roles, labels, groups, splits. No input or output happens here.

pub mod assemble;
pub mod column;
pub mod options;
pub mod predictions;
pub mod roles;
pub mod table;

pub use column::{Array, Column};
pub use options::{DroppedRow, OpenOptions, RowPolicy, SplitOption, Summary, Warning};
pub use predictions::{CALIBRATION, Division, EVALUATION, LEFT_OUT, Predictions, Scores, View};
pub use roles::{ColumnRole, Role};
pub use table::{Dictionary, MISSING, Matrix, NamedColumn, Reals, Table, Values};
