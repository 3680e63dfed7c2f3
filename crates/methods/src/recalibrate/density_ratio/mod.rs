//! Density ratio: how much more often such a score and such a proximity are seen among right rows than among all.

mod entry;

pub use entry::{Ratio, RatioOfDensities};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::kernel::decay_lanes;
use crate::num::check_lengths;
use crate::num::special::log_sum_exp;
use crate::recalibrate::fit::Fit;

/// Power of n in the bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exponent {
    /// n^(−1/6), the rule for two coordinates, as the published code runs it
    #[default]
    Code,
    /// n^(−1/5), as the paper prints it
    Paper,
}

/// Settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DensityRatioOptions {
    /// power of n in the bandwidth
    pub exponent: Exponent,
    /// divide by 1e-10 at least, as the published code does: far from every calibration row the answer is then near 0
    pub floor: bool,
}

/// What was learned, without the rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DensityRatio {
    /// h of score and proximity among rows where it happened; empty where scores stay as they are
    pub bandwidth_happened: Vec<f64>,
    /// h of score and proximity among the others
    pub bandwidth_missed: Vec<f64>,
    /// r = n₋/n₊
    pub ratio: f64,
    /// settings
    pub options: DensityRatioOptions,
}

/// The two densities: each a cloud of calibration rows, smoothed.
#[derive(Debug, Clone, PartialEq)]
pub struct Densities {
    happened: Cloud,
    missed: Cloud,
    floor: bool,
}

/// Rows of one outcome in units of their bandwidths.
#[derive(Debug, Clone, PartialEq)]
struct Cloud {
    h: [f64; 2],
    u: Vec<f64>,
    v: Vec<f64>,
}

/// Recalibrated scores, and how many stayed because no density reaches them.
#[derive(Debug, Clone, PartialEq)]
pub struct RatioScores {
    /// c′
    pub score: Vec<f64>,
    /// rows far from all calibration rows
    pub kept: usize,
}

/// Kernel density estimates of (c, D) among rows where it happened, f₊, and among the others, f₋.
///
/// Gaussian product kernels with h_j = 1.06 σ_j n^(−1/6) for each coordinate and outcome (population σ), and
/// c′ = f₊ / (f₊ + r f₋) with r = n₋/n₊. The objective is the mean squared error, on the calibration rows.
///
/// `None` instead of densities, and a warning, where an outcome occurs less than twice or a coordinate does not vary
/// among its rows: scores then stay as they are.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// O(n) to fit; the objective and every application O(queries × n), some 2 ns a pair.
///
/// # Source
/// Xiong et al. (2023), section 4.1.
pub fn fit(
    c: &[f64],
    d: &[f64],
    t: &[u8],
    options: DensityRatioOptions,
) -> Result<Fit<(DensityRatio, Option<Densities>)>> {
    check_lengths(c.len(), t.len())?;
    check_lengths(d.len(), t.len())?;
    let mut learned = DensityRatio { options, ..DensityRatio::default() };
    let before = squared_error(c, t);
    let clouds = [1, 0].map(|outcome| Cloud::new(c, d, t, outcome, options.exponent));
    let [happened, missed] = match clouds {
        [Ok(happened), Ok(missed)] => [happened, missed],
        [Err(why), _] | [_, Err(why)] => {
            let mut fit = Fit::plain((learned, None), before, before);
            fit.warnings.push(format!("Scores are unchanged: {why}."));
            return Ok(fit);
        }
    };
    learned.bandwidth_happened = happened.h.to_vec();
    learned.bandwidth_missed = missed.h.to_vec();
    learned.ratio = missed.u.len() as f64 / happened.u.len() as f64;
    let densities = Densities { happened, missed, floor: options.floor };
    Ok(Fit::plain((learned, Some(densities)), before, f64::NAN))
}

fn squared_error(c: &[f64], t: &[u8]) -> f64 {
    let errors = c.iter().zip(t).map(|(c, &t)| (c - f64::from(t)).powi(2));
    errors.sum::<f64>() / c.len() as f64
}

impl Cloud {
    /// Rows with this outcome; or why they have no density.
    fn new(c: &[f64], d: &[f64], t: &[u8], outcome: u8, exponent: Exponent) -> std::result::Result<Self, String> {
        let of = |values: &[f64]| -> Vec<f64> {
            let rows = values.iter().zip(t).filter(|(_, t)| **t == outcome);
            rows.map(|(value, _)| *value).collect()
        };
        let (mut u, mut v) = (of(c), of(d));
        let n = u.len();
        let which = if outcome == 1 { "1" } else { "0" };
        if n < 2 {
            return Err(format!("{n} calibration rows have outcome {which}"));
        }
        let power = match exponent {
            Exponent::Code => -1.0 / 6.0,
            Exponent::Paper => -1.0 / 5.0,
        };
        let mut h = [0.0; 2];
        for (h, (values, name)) in h.iter_mut().zip([(&mut u, "score"), (&mut v, "proximity")]) {
            if values.iter().all(|value| *value == values[0]) {
                return Err(format!("all rows with outcome {which} have the same {name}"));
            }
            let mean = values.iter().sum::<f64>() / n as f64;
            let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
            *h = 1.06 * variance.sqrt() * (n as f64).powf(power);
            if !(*h > 0.0 && h.is_finite()) {
                return Err(format!("the {name} of rows with outcome {which} is nearly constant"));
            }
            values.iter_mut().for_each(|value| *value /= *h);
        }
        Ok(Self { h, u, v })
    }

    /// Σ exp(−½ ((u − u_i)² + (v − v_i)²)) / (n h_c h_D 2π).
    fn density(&self, c: f64, d: f64) -> f64 {
        let (u, v) = (c / self.h[0], d / self.h[1]);
        let mut sum = 0.0;
        // Browsers compile a function well only once it has been called often.
        for (us, vs) in self.u.chunks(CHUNK).zip(self.v.chunks(CHUNK)) {
            sum += kernels(us, vs, u, v);
        }
        sum / self.mass()
    }

    /// The logarithm of the same, where the density itself would be lost.
    fn log_density(&self, c: f64, d: f64) -> f64 {
        let (u, v) = (c / self.h[0], d / self.h[1]);
        let rows = self.u.iter().zip(&self.v);
        let exponents: Vec<f64> = rows.map(|(ui, vi)| -0.5 * ((u - ui).powi(2) + (v - vi).powi(2))).collect();
        log_sum_exp(&exponents) - self.mass().ln()
    }

    fn mass(&self) -> f64 {
        self.u.len() as f64 * self.h[0] * self.h[1] * std::f64::consts::TAU
    }
}

/// Rows whose kernels are summed in one call.
const CHUNK: usize = 1024;
/// Sums below this are taken again as logarithms.
const LOST: f64 = 1e-250;
const LANES: usize = 8;

#[inline(never)]
fn kernels(us: &[f64], vs: &[f64], u: f64, v: f64) -> f64 {
    let (u_lanes, u_rest) = us.as_chunks::<LANES>();
    let (v_lanes, v_rest) = vs.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (us, vs) in u_lanes.iter().zip(v_lanes) {
        let mut t = [0.0; LANES];
        for l in 0..LANES {
            let (du, dv) = (u - us[l], v - vs[l]);
            t[l] = 0.5 * (du * du + dv * dv);
        }
        let k = decay_lanes(&t);
        for l in 0..LANES {
            sums[l] += k[l];
        }
    }
    let rest = u_rest.iter().zip(v_rest);
    let rest = rest.map(|(ui, vi)| decay_lanes(&[0.5 * ((u - ui).powi(2) + (v - vi).powi(2))])[0]);
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

impl Densities {
    /// f₊ and f₋ at a score and a proximity.
    pub fn at(&self, c: f64, d: f64) -> [f64; 2] {
        [self.happened.density(c, d), self.missed.density(c, d)]
    }

    /// c′ = f₊ / (f₊ + r f₋) of new rows, r = n₋/n₊; where both densities vanish even as logarithms the score stays.
    ///
    /// * `c`: confidences in [0, 1], length n
    /// * `d`: proximities, length n
    /// * `progress`: receives the share done
    ///
    /// # Errors
    /// `length_mismatch`.
    ///
    /// # Cost
    /// O(n · rows of the fit).
    pub fn apply(&self, c: &[f64], d: &[f64], progress: &mut dyn FnMut(f64)) -> Result<RatioScores> {
        if c.len() != d.len() {
            return Err(Error::new(
                "length_mismatch",
                format!("{} scores against {} proximities", c.len(), d.len()),
                "Provide one proximity for every score.",
            ));
        }
        let ratio = self.missed.u.len() as f64 / self.happened.u.len() as f64;
        let mut found = RatioScores { score: Vec::with_capacity(c.len()), kept: 0 };
        for (i, (&c, &d)) in c.iter().zip(d).enumerate() {
            let [happened, missed] = self.at(c, d);
            let all = happened + ratio * missed;
            found.score.push(if self.floor {
                (happened / all.max(1e-10)).clamp(0.0, 1.0)
            } else if happened.max(missed) > LOST {
                (happened / all).clamp(0.0, 1.0)
            } else {
                let odds = self.happened.log_density(c, d) - self.missed.log_density(c, d) - ratio.ln();
                if odds.is_finite() {
                    crate::num::special::sigmoid(odds)
                } else {
                    found.kept += 1;
                    c
                }
            });
            if i % 512 == 0 {
                progress(i as f64 / found.score.capacity() as f64);
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
