//! Local calibration error: where, and for whom, confidence cannot be trusted.
//!
//! Everything here rests on one quantity, the signed local calibration error of a place x in confidence bin b,
//! SLCE(x) = Σ_{i in b} (s_i − t_i) k(x, x_i) / Σ_{i in b} k(x, x_i), with scores s, targets t and features x_i.
//! Only rows of the same bin meet: the cost is Σ_b n_b log n_b in up to three dimensions.

mod anywhere;
mod cdf;
mod gaps;
mod guidance;
mod interval;
mod resample;
mod sample;
mod slce;
mod summary;
mod sweep;
#[cfg(test)]
mod tests;
mod worst;

pub use anywhere::{Anywhere, anywhere, anywhere_of_many};
pub use cdf::{BinCdf, ExtremeBins, bin_cdf, extreme_bins};
pub use gaps::{BinGap, bin_gaps};
pub use guidance::{Guidance, guidance};
pub use interval::{at_least, standard_error, standard_error_of};
pub use resample::{Interval, NoiseFloor, mean_interval, noise_floor};
pub use sample::{LocalQueries, LocalSample, NO_BIN, within_bins, within_bins_with_progress};
pub use slce::{LocalError, signed_local_error};
pub use summary::{LocalSummary, summary, weighted_summary};
pub use sweep::{Sweep, SweepFloor, SweepPoint, gamma_grid, suggested_gamma, sweep};
pub use worst::{MIN_NEIGHBORS, ManyPlaces, Neighborhood, NullMaxima, Places, TOGETHER, spread_out, strata};
