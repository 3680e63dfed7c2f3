//! Hypothesis tests: the KLCE calibration test; tests of numbers of events, differences and ranks; pooled estimates;
//! multiplicity.
//!
//! The KLCE test asks whether P(y = 1 | x, p) = p everywhere: whether the score is right not only on average, nor only
//! at each score, but over similar rows. Its statistic is the kernel local calibration error (KLCE).
//!
//! Source: Vashistha and Farahi (2025), "I-trustworthy models". Symbols: e = y − p, k on scores, l on covariates,
//! K = k·l, T = Σ_{i≠j} e_i K_ij e_j.

pub mod bias_curve;
mod chosen_width;
pub mod clustered_events;
mod draws;
pub mod friedman;
pub mod inference;
mod kernel;
mod low_rank;
mod many;
pub mod multiplicity;
mod nearby;
mod outcome;
mod p_value;
pub mod paired_t;
mod pairs;
pub mod poisson_binomial;
mod power;
mod products;
mod projected;
pub mod random_effects;
mod sample;
pub mod signed_rank;
mod simulated;
mod statistic;
pub mod studentized_range;
mod subset_sums;
pub mod witness;
mod work;

/// Significance level of every test for which no other is requested.
pub const LEVEL: f64 = 0.05;

pub use chosen_width::powerful_gamma;
pub use draws::{Draws, Null};
pub use kernel::{KernelSpread, KlceKernel, WIDTH_P, median_gamma};
pub use low_rank::{Factor, GOOD_TRACE, SAMPLED_ROWS};
pub use many::{ManyOutcomes, SHUFFLES};
pub use outcome::{DEPENDENT_ROWS, DETERMINES_OUTCOME, KlceTestOutcome, NullOutcome};
pub use p_value::{NullComparison, null_comparison};
pub use pairs::{PairSums, pair_sums};
pub use power::KlcePower;
pub use products::product_draws;
pub use projected::{Projected, projected_draws, statistics};
pub use sample::KlceSample;
pub use simulated::{SIMULATED, STEPS, Search, SimulatedBias, SimulatedPower};
pub use statistic::{Klce, acceptance_bound};
pub use subset_sums::label_draws;
pub use work::{DrawTask, KlceEngine, KlceShare, KlceWork, klce_cost};

#[cfg(test)]
mod engine_tests;
#[cfg(test)]
mod many_tests;
#[cfg(test)]
mod null_tests;
#[cfg(test)]
mod tests;
