//! The kernel of the KLCE test, and whether its widths suit the data.

use serde::{Deserialize, Serialize};

use super::KlceSample;
use crate::error::{Error, Result, message, phrases};
use crate::kernel::Points;
use crate::num::quantile::median;
use crate::words::number::significant;

/// Default width of the kernel on scores.
pub const WIDTH_P: f64 = 0.1;
/// Rows, evenly spaced, whose pairs stand for all pairs.
const SPREAD_ROWS: usize = 500;
/// Where all other rows together weigh less than this, a row is compared with itself only.
const LEAST_OTHERS: f64 = 1.0;
/// Above this every pair is similar.
const MOST_MEDIAN: f64 = 0.999;

/// K = exp(−‖p − p′‖²/w_p²) · exp(−γ‖X − X′‖²): the similarity of two rows in score and covariates.
///
/// Neither factor has a ½ in it (Vashistha and Farahi 2025, as their package computes it).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct KlceKernel {
    /// w_p > 0, in units of probability; infinite: scores do not count
    pub width_p: f64,
    /// γ ≥ 0, per squared unit of the covariates; 0: covariates do not count
    pub gamma: f64,
}

impl KlceKernel {
    /// w_p = 0.1 and γ = 1/d.
    pub fn usual(d: usize) -> Self {
        Self { width_p: WIDTH_P, gamma: 1.0 / d.max(1) as f64 }
    }

    /// Refuses widths that are no kernel.
    ///
    /// # Errors
    /// `invalid_option`.
    pub fn check(&self) -> Result<()> {
        if self.width_p.is_nan() || self.width_p <= 0.0 {
            return Err(Error::new(
                "invalid_option",
                message![phrases::WIDTH_P, format!(" is {}; it must be positive.", self.width_p)],
                "The default is 0.1.",
            ));
        }
        if !(self.gamma >= 0.0 && self.gamma.is_finite()) {
            return Err(Error::new(
                "invalid_option",
                format!("gamma is {}; it must be a number from 0 upwards.", self.gamma),
                "Omit it for 1 / (number of covariates), or use \"median\".",
            ));
        }
        Ok(())
    }
}

/// γ = 1 / median ‖X − X′‖² over pairs of at most 1,000 evenly spaced rows; `None` when that median is 0.
///
/// Cost: O(10⁶ d).
///
/// ```
/// use localcal_numerics::hypothesis::median_gamma;
/// use localcal_numerics::kernel::Points;
/// use ndarray::array;
///
/// assert_eq!(median_gamma(Points::new(array![[0.0], [2.0]].view())?), Some(0.25));
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn median_gamma(places: Points) -> Option<f64> {
    let n = places.n();
    let taken = n.min(1000);
    let at = |k: usize| places.row(k * n / taken);
    let mut squares = Vec::with_capacity(taken * taken / 2);
    for a in 0..taken {
        for b in 0..a {
            let square = |(x, y): (&f64, &f64)| (x - y) * (x - y);
            squares.push(at(a).iter().zip(at(b)).map(square).sum::<f64>());
        }
    }
    let middle = median(&mut squares).filter(|middle| *middle > 0.0 && middle.is_finite())?;
    Some(1.0 / middle)
}

/// Similarity of rows under a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct KernelSpread {
    /// median of K over pairs of different rows; 1 for one row
    pub median: f64,
    /// median over rows of the sum of K over all other rows; 0 for one row
    pub others: f64,
}

impl KernelSpread {
    /// From the pairs of at most 500 evenly spaced rows.
    pub fn of(sample: &KlceSample) -> Self {
        let n = sample.n();
        let taken = n.min(SPREAD_ROWS);
        let mut values = Vec::with_capacity(taken * taken / 2);
        let mut others = vec![0.0; taken];
        for a in 0..taken {
            for b in 0..a {
                let k = sample.kernel(a * n / taken, b * n / taken);
                values.push(k);
                others[a] += k;
                others[b] += k;
            }
        }
        // the rows that were taken stand for all
        let each = (n.max(1) - 1) as f64 / (taken.max(2) - 1) as f64;
        Self {
            median: median(&mut values).unwrap_or(1.0),
            others: median(&mut others).map_or(0.0, |taken| each * taken),
        }
    }

    /// What is wrong with the widths, in one sentence; `None` where nothing is.
    pub fn warning(&self) -> Option<String> {
        if self.others < LEAST_OTHERS {
            Some(format!(
                "The kernel is very narrow: for half of the rows, all other rows together weigh {} or less, against 1 of \
                 the row itself. Use a smaller γ or a larger score bandwidth.",
                significant(self.others)
            ))
        } else if self.median > MOST_MEDIAN {
            Some(
                "The kernel is very wide: nearly every pair of rows has full weight, so the test reflects the mean \
                 error only. Use a larger γ or a smaller score bandwidth."
                    .to_owned(),
            )
        } else {
            None
        }
    }
}
