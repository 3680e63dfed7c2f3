//! Temperature scaling: one number divides all logits.

mod entry;

pub use entry::TemperatureScaling;

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

mod squares;

pub(crate) use squares::mse;
use squares::mse_minimum;

use crate::error::Result;
use crate::metric::labels::check_classes;
use crate::num::optimize::{Minimum, convex_minimum, grid_minimum};
use crate::num::special::{exp_nonpositive, largest, ln_sigmoid, sigmoid, softmax_in_place, sum};
use crate::num::weight::{RowWeights, check_weighted, total_weight, weight};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::logits::mapped_rows;
use crate::table::Matrix;

/// P′ = softmax(Z/T), or p′ = σ(logit(p)/T).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    /// T > 0; above 1 softens, below 1 sharpens
    pub temperature: f64,
}

/// What the temperature minimizes on the calibration rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// mean negative log-likelihood; convex in 1/T
    #[default]
    Nll,
    /// mean squared error over all entries of the matrix
    Mse,
}

/// Loss and bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TemperatureOptions {
    /// what is minimized
    pub loss: Loss,
    /// least T
    pub low: f64,
    /// largest T
    pub high: f64,
}

impl Default for TemperatureOptions {
    fn default() -> Self {
        Self { loss: Loss::Nll, low: 0.01, high: 100.0 }
    }
}

impl TemperatureOptions {
    /// Mean squared error with T in [0.05, 5], as in ensemble temperature scaling.
    pub fn mse() -> Self {
        Self { loss: Loss::Mse, low: 0.05, high: 5.0 }
    }
}

/// Fits T to log-odds `z` and targets `t` by safeguarded Newton in 1/T (NLL), or grid and Brent in ln T (MSE).
///
/// All rows confidently right stop at the lower bound of T, anti-correlated ones at the upper, both flagged.
/// All log-odds 0 give T = 1. Source: Guo et al. (2017), section 4.2; Platt (1999) without intercept.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// About 8 passes over the rows.
///
/// # Examples
/// Scores of 9 : 1 where three of four happen: ln 9 / T = ln 3, so T = 2.
///
/// ```
/// use localcal_methods::recalibrate::temperature::{TemperatureOptions, fit_binary};
///
/// let fit = fit_binary(&[9.0_f64.ln(); 4], &[1, 1, 1, 0], &TemperatureOptions::default())?;
/// assert!((fit.parameters.temperature - 2.0).abs() < 1e-9);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit_binary(z: &[f64], t: &[u8], options: &TemperatureOptions) -> Result<Fit<Temperature>> {
    weighted_fit_binary(z, t, None, options)
}

/// [`fit_binary`] to rows with weights: the loss is Σ w ℓ / Σ w. Errors and cost as there.
pub fn weighted_fit_binary(
    z: &[f64],
    t: &[u8],
    w: RowWeights,
    options: &TemperatureOptions,
) -> Result<Fit<Temperature>> {
    check_weighted(z.len(), t.len(), w)?;
    let n = total_weight(w, z.len());
    // Signed so that a right answer is positive: all terms are then functions of one margin.
    let margins: Vec<f64> = z.iter().zip(t).map(|(&z, &t)| if t == 1 { z } else { -z }).collect();
    let objective = |slope: f64| {
        let sum: f64 = match options.loss {
            Loss::Nll => sum_over(&margins, w, |m| -ln_sigmoid(slope * m)),
            Loss::Mse => sum_over(&margins, w, |m| sigmoid(-slope * m).powi(2)),
        };
        sum / n
    };
    let newton = || {
        convex_minimum(
            |slope| {
                let (first, second) = margin_derivatives(&margins, w, slope);
                (first / n, second / n)
            },
            1.0 / options.high,
            1.0 / options.low,
            1.0,
        )
    };
    let flat = margins.iter().all(|&m| m == 0.0);
    let squares = |low, high| grid_minimum(|ln_t: f64| objective((-ln_t).exp()), low, high, 21, 1e-10).0;
    Ok(search(flat, options, objective, newton, squares))
}

/// Fits T to an n × m matrix of logits and classes `y`. As [`fit_binary`].
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`.
///
/// # Cost
/// About 8 passes over the matrix for NLL, 40 for MSE.
///
/// # Examples
/// Logits of 9 : 1 where three of four are of the first class: T = 2, and the first class gets 3/4.
///
/// ```
/// use localcal_methods::recalibrate::temperature::{TemperatureOptions, fit};
/// use ndarray::array;
///
/// let z = array![[9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0]];
/// let fit = fit(z.view(), &[0, 0, 0, 1], &TemperatureOptions::default())?;
/// assert!((fit.parameters.temperature - 2.0).abs() < 1e-9);
/// assert!((fit.parameters.apply(z.view())[[0, 0]] - 0.75).abs() < 1e-9);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(z: ArrayView2<f64>, y: &[u32], options: &TemperatureOptions) -> Result<Fit<Temperature>> {
    weighted_fit(&z.into(), y, None, options)
}

/// [`fit`] to a matrix as files hold it, and to rows with weights: the loss is Σ w ℓ / Σ w. Errors and cost as there.
pub fn weighted_fit(z: &Matrix, y: &[u32], w: RowWeights, options: &TemperatureOptions) -> Result<Fit<Temperature>> {
    check_classes(z, y)?;
    check_weighted(y.len(), y.len(), w)?;
    let n = total_weight(w, y.len());
    let objective = |slope: f64| match options.loss {
        Loss::Nll => nll_derivatives(z, y, w, slope).0 / n,
        Loss::Mse => mse(z, y, w, slope),
    };
    let newton = || {
        convex_minimum(
            |slope| {
                let (_, first, second) = nll_derivatives(z, y, w, slope);
                (first / n, second / n)
            },
            1.0 / options.high,
            1.0 / options.low,
            1.0,
        )
    };
    let squares = |low, high| mse_minimum(z, y, w, low, high);
    Ok(search(all_rows_constant(z), options, objective, newton, squares))
}

fn sum_over(margins: &[f64], w: RowWeights, loss: impl Fn(f64) -> f64) -> f64 {
    let terms = margins.iter().enumerate();
    terms.map(|(i, &m)| weight(w, i) * loss(m)).sum()
}

/// Σ over margins of the slope and the curvature of −ln σ(βm) in β.
fn margin_derivatives(margins: &[f64], w: RowWeights, slope: f64) -> (f64, f64) {
    const WIDTH: usize = 8;
    let (mut first, mut second) = ([0.0; WIDTH], [0.0; WIDTH]);
    let add = |m: f64, first: &mut f64, second: &mut f64| {
        let wrong = sigmoid(-slope * m);
        *first -= m * wrong;
        *second += m * m * wrong * (1.0 - wrong);
    };
    if let Some(w) = w {
        let (mut first, mut second) = (0.0, 0.0);
        for (&m, w) in margins.iter().zip(w) {
            let (mut one, mut two) = (0.0, 0.0);
            add(m, &mut one, &mut two);
            first += w * one;
            second += w * two;
        }
        return (first, second);
    }
    let chunks = margins.chunks_exact(WIDTH);
    let rest = chunks.remainder();
    for chunk in chunks {
        for i in 0..WIDTH {
            add(chunk[i], &mut first[i], &mut second[i]);
        }
    }
    for (i, &m) in rest.iter().enumerate() {
        add(m, &mut first[i], &mut second[i]);
    }
    (first.iter().sum(), second.iter().sum())
}

/// Of 1/T at the upper bound, where it is asked whether any temperature is better than an infinite one.
const SLOPE_NEAR_0: f64 = 1e-4;

fn search(
    flat: bool,
    options: &TemperatureOptions,
    objective: impl Fn(f64) -> f64,
    newton: impl FnOnce() -> Minimum,
    least_squares: impl FnOnce(f64, f64) -> f64,
) -> Fit<Temperature> {
    let before = objective(1.0);
    if flat {
        let mut fit = Fit::plain(Temperature { temperature: 1.0 }, before, before);
        fit.warnings.push("the logits do not differ within any row, so the temperature has no effect: T = 1".into());
        return fit;
    }
    let (mut temperature, mut at_low, mut at_high) = match options.loss {
        Loss::Nll => {
            let found = newton();
            // The largest slope is the smallest temperature.
            (1.0 / found.x, found.at_high, found.at_low)
        }
        Loss::Mse => {
            let (low, high) = (options.low.ln(), options.high.ln());
            let x = least_squares(low, high);
            (x.exp(), x - low < 1e-6, high - x < 1e-6)
        }
    };
    if at_low {
        temperature = options.low;
    } else if at_high {
        temperature = options.high;
    }
    let mut after = objective(1.0 / temperature);
    if after > before && (options.low..=options.high).contains(&1.0) {
        // Only rounding can make the minimum worse than T = 1.
        (temperature, after, at_low, at_high) = (1.0, before, false, false);
    }
    let mut fit = Fit::plain(Temperature { temperature }, before, after);
    if at_low {
        fit.at_bound = Some(format!("temperature {} (lower bound)", options.low));
        fit.warnings.push(format!(
            "the optimal temperature is below {}: the calibration rows are (almost) all predicted correctly",
            options.low
        ));
    } else if at_high {
        fit.at_bound = Some(format!("temperature {} (upper bound)", options.high));
        // the loss is convex in 1/T: where it falls from T = ∞ on, there is an optimum beyond the bound
        let why = match objective(SLOPE_NEAR_0 / options.high) < objective(0.0) {
            true => "the logits are on a large scale; divide all of them by a number first",
            false => "on the calibration rows, the scores are uninformative or reversed",
        };
        fit.warnings.push(format!("the optimal temperature is above {}: {why}", options.high));
    }
    fit
}

fn all_rows_constant(z: &Matrix) -> bool {
    let mut row = vec![0.0; z.width];
    (0..z.rows()).all(|i| {
        z.row_into(i, &mut row);
        row.iter().all(|v| *v == row[0])
    })
}

/// Σ over rows of NLL, its slope and its curvature in β = 1/T.
fn nll_derivatives(z: &Matrix, y: &[u32], w: RowWeights, slope: f64) -> (f64, f64, f64) {
    let (mut row, mut weights) = (vec![0.0; z.width], vec![0.0; z.width]);
    let (mut value, mut first, mut second) = (0.0, 0.0, 0.0);
    for (i, &label) in y.iter().enumerate() {
        z.row_into(i, &mut row);
        let top = largest(&row);
        for (w, v) in weights.iter_mut().zip(row.iter_mut()) {
            *v -= top;
            *w = exp_nonpositive(slope * *v);
        }
        let own = row[label as usize];
        let total = sum(&weights);
        for (w, v) in weights.iter_mut().zip(row.iter_mut()) {
            *w *= *v;
            *v *= *w;
        }
        let mean = sum(&weights) / total;
        let w = weight(w, i);
        value += w * (total.ln() - slope * own);
        first += w * (mean - own);
        second += w * (sum(&row) / total - mean * mean).max(0.0);
    }
    (value, first, second)
}

impl Temperature {
    /// σ(z/T) of every log-odds z: probabilities, length n.
    ///
    /// # Cost
    /// O(n).
    pub fn apply_binary(&self, z: &[f64]) -> Vec<f64> {
        let slope = 1.0 / self.temperature;
        z.iter().map(|z| sigmoid(slope * z)).collect()
    }

    /// softmax(z/T) of one row of m logits, in place.
    pub fn apply_row(&self, row: &mut [f64]) {
        let slope = 1.0 / self.temperature;
        row.iter_mut().for_each(|v| *v *= slope);
        softmax_in_place(row);
    }

    /// softmax(Z/T) of every row: probabilities, n × m.
    ///
    /// * `z`: logits, n × m
    ///
    /// # Cost
    /// O(n m).
    pub fn apply(&self, z: ArrayView2<f64>) -> Array2<f64> {
        mapped_rows(z, |_, row| self.apply_row(row))
    }
}

#[cfg(test)]
mod tests;
