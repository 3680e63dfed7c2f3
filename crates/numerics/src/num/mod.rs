//! Numerical ground: random numbers, special functions, optimization, order statistics.

pub mod clock;
pub mod cluster;
pub mod isotonic;
pub mod large_counts;
pub mod lbfgs;
mod lengths;
pub mod logistic;
mod memberships;
pub mod moments;
pub mod optimize;
pub mod order;
pub mod outcome_correlation;
pub mod pearson;
pub mod proportion;
pub mod quantile;
pub mod reflected_kernel;
pub mod rng;
pub mod rows;
pub mod simplex;
pub mod special;
pub mod ties;
pub mod weight;

pub use lengths::check_lengths;
pub use memberships::Memberships;
pub use rows::{Chosen, Rows};
