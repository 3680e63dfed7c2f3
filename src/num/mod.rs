//! Numerical ground: random numbers, special functions, optimisation, order statistics.

pub mod optimise;
pub mod order;
pub mod quantile;
pub mod rng;
pub mod special;
