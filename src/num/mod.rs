//! Numerical ground: random numbers, special functions, optimisation, order statistics.

pub mod lbfgs;
pub mod logistic;
pub mod moments;
pub mod optimise;
pub mod order;
pub mod pearson;
pub mod quantile;
pub mod reflected_kernel;
pub mod rng;
pub mod rows;
pub mod simplex;
pub mod special;
pub mod ties;

pub use rows::{Chosen, Rows};
