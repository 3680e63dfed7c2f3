//! Nearness: which rows lie nearest to which.

pub mod neighbours;

pub use neighbours::{Metric, Neighbours, Search};
