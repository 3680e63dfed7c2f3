//! Is there local miscalibration at all? Tests that say how likely what was seen is by chance.
//!
//! The trust test asks whether P(y = 1 | x, p) = p everywhere: whether the score is right not only on average, nor only
//! at each score, but among rows that are alike. Its statistic is the kernel local calibration error (KLCE).
//!
//! Source: Vashistha and Farahi (2025), "I-trustworthy models". Symbols: e = y − p, k on scores, l on covariates,
//! K = k·l, T = Σ_{i≠j} e_i K_ij e_j.

mod kernel;
mod nearby;
mod pairs;
mod sample;
mod statistic;

pub use kernel::{KernelSpread, TrustKernel, WIDTH_P, median_gamma};
pub use pairs::{PairSums, pair_sums};
pub use sample::TrustSample;
pub use statistic::{Klce, acceptance_bound};

#[cfg(test)]
mod tests;
