//! How numbers and sentences are written: one way for reports, errors, charts and tables.

pub mod calendar;
pub mod latex;
pub mod number;
pub mod text;
