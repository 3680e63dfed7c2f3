//! Built-in examples that are made rather than carried.

pub mod synthetic;

pub use synthetic::{Synthetic, synthetic};
