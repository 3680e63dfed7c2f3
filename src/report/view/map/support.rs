//! How well the local error at a place is known.

use crate::local::MIN_NEIGHBORS;
use crate::num::special::NORMAL_975;
use crate::plot::raster::Support;

/// Below this kernel mass nothing is drawn.
const MIN_MASS: f64 = 1e-3;

/// [`Support`] as a byte; without a standard error (0) nothing is put down to chance.
pub(crate) fn supported(n_eff: f64, mass: f64, error: f64, se: f64) -> u8 {
    let support = if mass.is_nan() || mass < MIN_MASS {
        Support::None
    } else if n_eff < MIN_NEIGHBORS {
        Support::Few
    } else if error.abs() < NORMAL_975 * se {
        Support::Chance
    } else {
        Support::Enough
    };
    support as u8
}
