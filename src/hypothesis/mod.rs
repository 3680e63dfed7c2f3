//! Is it more than chance? Tests, and what to do when there are many of them.

pub mod multiplicity;
pub mod poisson_binomial;
