//! Columns as they were read, and what they travel in: numbers, text by codes, arrays, and warnings about them.

pub mod column;
mod rows;
pub mod values;
mod warning;

pub use column::{Array, Column};
pub use rows::keep_rows;
pub use values::{Dictionary, LARGEST, MISSING, Matrix, NamedColumn, Reals, Table, Values};
pub use warning::Warning;
