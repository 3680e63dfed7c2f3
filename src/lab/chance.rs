//! What chance alone does to the ECE of a calibrated model.

use crate::error::Result;
use crate::metric::binning::Binning;
use crate::metric::ece::ece;
use crate::metric::reliability::reliability_bins;
use crate::metric::simultaneous::Redraw;
use crate::num::quantile::quantile_sorted;

/// Redraws behind a band.
pub(super) const DRAWS: usize = 200;

/// Mean and central 95 % range of the ECE where every score is true.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Chance {
    /// mean
    pub mean: f64,
    /// 2.5 % quantile
    pub low: f64,
    /// 97.5 % quantile
    pub high: f64,
}

/// ECE of the same scores under outcomes y* ~ Bernoulli(p), as often as [`DRAWS`] says. O(n · draws).
///
/// # Errors
/// Those of the bins.
pub(super) fn ece_by_chance(p: &[f64], binning: &Binning) -> Result<Chance> {
    let mut redraw = Redraw::new(p, None);
    let mut all = Vec::with_capacity(DRAWS);
    for draw in 0..DRAWS {
        let table = reliability_bins(p, redraw.outcomes(draw), binning)?;
        all.push(ece(&table).unwrap_or(0.0));
    }
    all.sort_unstable_by(f64::total_cmp);
    let at = |q| quantile_sorted(&all, q).unwrap_or(0.0);
    Ok(Chance { mean: all.iter().sum::<f64>() / all.len() as f64, low: at(0.025), high: at(0.975) })
}
