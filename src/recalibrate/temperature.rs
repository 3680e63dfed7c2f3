//! Temperature scaling: one number divides all logits.

use serde::{Deserialize, Serialize};

use super::fit::Fit;
use super::logits::map_rows;
use crate::data::Matrix;
use crate::error::Result;
use crate::metric::pair::{check_classes, check_lengths};
use crate::num::optimise::{Minimum, convex_minimum, grid_minimum};
use crate::num::special::{exp_nonpositive, largest, ln_sigmoid, sigmoid, softmax_in_place, sum};

/// P′ = softmax(Z/T), or p′ = σ(logit(p)/T).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    /// T > 0; above 1 softens, below 1 sharpens
    pub temperature: f64,
}

/// What the temperature minimises on the calibration rows.
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
    /// what is minimised
    pub loss: Loss,
    /// least T
    pub low: f64,
    /// largest T
    pub high: f64,
}

impl Default for TemperatureOptions {
    fn default() -> Self {
        Self {
            loss: Loss::Nll,
            low: 0.01,
            high: 100.0,
        }
    }
}

impl TemperatureOptions {
    /// Mean squared error with T in [0.05, 5], as in ensemble temperature scaling.
    pub fn mse() -> Self {
        Self {
            loss: Loss::Mse,
            low: 0.05,
            high: 5.0,
        }
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
pub fn fit_binary(z: &[f64], t: &[u8], options: &TemperatureOptions) -> Result<Fit<Temperature>> {
    check_lengths(z.len(), t.len())?;
    let n = z.len() as f64;
    // Signed so that a right answer is positive: all terms are then functions of one margin.
    let margins: Vec<f64> = z
        .iter()
        .zip(t)
        .map(|(&z, &t)| if t == 1 { z } else { -z })
        .collect();
    let objective = |slope: f64| {
        let sum: f64 = match options.loss {
            Loss::Nll => margins.iter().map(|m| -ln_sigmoid(slope * m)).sum(),
            Loss::Mse => margins.iter().map(|m| sigmoid(-slope * m).powi(2)).sum(),
        };
        sum / n
    };
    let newton = || {
        convex_minimum(
            |slope| {
                let (first, second) = margin_derivatives(&margins, slope);
                (first / n, second / n)
            },
            1.0 / options.high,
            1.0 / options.low,
            1.0,
        )
    };
    let flat = margins.iter().all(|&m| m == 0.0);
    let squares =
        |low, high| grid_minimum(|ln_t: f64| objective((-ln_t).exp()), low, high, 21, 1e-10).0;
    Ok(search(flat, options, objective, newton, squares))
}

/// Fits T to an n × m matrix of logits and classes `y`. As [`fit_binary`].
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`.
///
/// # Cost
/// About 8 passes over the matrix for NLL, 40 for MSE.
pub fn fit(z: &Matrix, y: &[u32], options: &TemperatureOptions) -> Result<Fit<Temperature>> {
    check_classes(z, y)?;
    let n = y.len() as f64;
    let objective = |slope: f64| match options.loss {
        Loss::Nll => nll_derivatives(z, y, slope).0 / n,
        Loss::Mse => mse(z, y, slope),
    };
    let newton = || {
        convex_minimum(
            |slope| {
                let (_, first, second) = nll_derivatives(z, y, slope);
                (first / n, second / n)
            },
            1.0 / options.high,
            1.0 / options.low,
            1.0,
        )
    };
    let squares = |low, high| mse_minimum(z, y, low, high);
    Ok(search(
        all_rows_constant(z),
        options,
        objective,
        newton,
        squares,
    ))
}

/// Σ over margins of the slope and the curvature of −ln σ(βm) in β.
fn margin_derivatives(margins: &[f64], slope: f64) -> (f64, f64) {
    const WIDTH: usize = 8;
    let (mut first, mut second) = ([0.0; WIDTH], [0.0; WIDTH]);
    let add = |m: f64, first: &mut f64, second: &mut f64| {
        let wrong = sigmoid(-slope * m);
        *first -= m * wrong;
        *second += m * m * wrong * (1.0 - wrong);
    };
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
        fit.warnings.push(
            "the logits do not differ within any row, so the temperature has no effect: T = 1"
                .into(),
        );
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
            "the fit wants a temperature below {}: the calibration rows are (almost) all predicted correctly",
            options.low
        ));
    } else if at_high {
        fit.at_bound = Some(format!("temperature {} (upper bound)", options.high));
        fit.warnings.push(format!(
            "the fit wants a temperature above {}: on the calibration rows the scores say nothing, or the opposite",
            options.high
        ));
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
fn nll_derivatives(z: &Matrix, y: &[u32], slope: f64) -> (f64, f64, f64) {
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
        value += total.ln() - slope * own;
        first += mean - own;
        second += (sum(&row) / total - mean * mean).max(0.0);
    }
    (value, first, second)
}

/// ln T of least squared error: a coarse look at up to 2,000 rows, then the root of the slope over all of them.
fn mse_minimum(z: &Matrix, y: &[u32], low: f64, high: f64) -> f64 {
    const POINTS: usize = 21;
    const LOOKED_AT: usize = 2000;
    let n = y.len();
    let some: Vec<usize> = if n <= LOOKED_AT {
        (0..n).collect()
    } else {
        (0..LOOKED_AT).map(|k| k * n / LOOKED_AT).collect()
    };
    let at = |k: usize| low + (high - low) * k as f64 / (POINTS - 1) as f64;
    let mut best = (0, f64::INFINITY);
    for k in 0..POINTS {
        let value = squares(z, y, some.iter().copied(), (-at(k)).exp()).0;
        if value < best.1 {
            best = (k, value);
        }
    }
    // Slope in ln T: β = exp(−x), so dβ/dx = −β.
    let slope = |x: f64| {
        let beta = (-x).exp();
        -beta * squares(z, y, 0..n, beta).1
    };
    let (mut a, mut b) = (best.0.saturating_sub(1), (best.0 + 1).min(POINTS - 1));
    let (mut at_a, mut at_b) = (slope(at(a)), slope(at(b)));
    while at_a > 0.0 && a > 0 {
        (b, at_b) = (a, at_a);
        a -= 1;
        at_a = slope(at(a));
    }
    while at_b < 0.0 && b + 1 < POINTS {
        (a, at_a) = (b, at_b);
        b += 1;
        at_b = slope(at(b));
    }
    if at_a >= 0.0 {
        return at(a);
    }
    if at_b <= 0.0 {
        return at(b);
    }
    falling_then_rising(slope, (at(a), at_a), (at(b), at_b))
}

/// Root of a slope that is negative at `a` and positive at `b`, by the Illinois form of the false position.
fn falling_then_rising(slope: impl Fn(f64) -> f64, a: (f64, f64), b: (f64, f64)) -> f64 {
    let ((mut a, mut at_a), (mut b, mut at_b)) = (a, b);
    let mut x = a;
    for _ in 0..60 {
        let next = (a * at_b - b * at_a) / (at_b - at_a);
        let step = (next - x).abs();
        x = next;
        if step < 1e-10 {
            break;
        }
        let here = slope(x);
        if here == 0.0 {
            break;
        }
        // The end that stays counts half, so that it does not stay for ever.
        if here < 0.0 {
            (a, at_a, at_b) = (x, here, 0.5 * at_b);
        } else {
            (b, at_b, at_a) = (x, here, 0.5 * at_a);
        }
    }
    x
}

/// Σ over rows of Σₖ (P′ − 1[y = k])² and its slope in β.
fn squares(z: &Matrix, y: &[u32], rows: impl Iterator<Item = usize>, beta: f64) -> (f64, f64) {
    let (mut row, mut p) = (vec![0.0; z.width], vec![0.0; z.width]);
    let (mut value, mut slope) = (0.0, 0.0);
    for i in rows {
        let label = y[i] as usize;
        z.row_into(i, &mut row);
        p.iter_mut().zip(&row).for_each(|(p, v)| *p = beta * v);
        softmax_in_place(&mut p);
        let [pp, pz, ppz] = moments(&p, &row);
        value += pp - 2.0 * p[label] + 1.0;
        slope += 2.0 * (ppz - pz * pp - p[label] * (row[label] - pz));
    }
    (value, slope)
}

/// Σ P², Σ P z, Σ P² z, each in eight interleaved parts.
fn moments(p: &[f64], z: &[f64]) -> [f64; 3] {
    const WIDTH: usize = 8;
    let mut parts = [[0.0; WIDTH]; 3];
    let [pp, pz, ppz] = &mut parts;
    let whole = p.len() - p.len() % WIDTH;
    for (p, z) in p[..whole]
        .chunks_exact(WIDTH)
        .zip(z[..whole].chunks_exact(WIDTH))
    {
        for i in 0..WIDTH {
            let (square, product) = (p[i] * p[i], p[i] * z[i]);
            pp[i] += square;
            pz[i] += product;
            ppz[i] += square * z[i];
        }
    }
    for (i, (p, z)) in p[whole..].iter().zip(&z[whole..]).enumerate() {
        pp[i] += p * p;
        pz[i] += p * z;
        ppz[i] += p * p * z;
    }
    parts.map(|part| part.iter().sum())
}

/// Mean over the n·m entries of (P′ − 1[y = k])².
pub(crate) fn mse(z: &Matrix, y: &[u32], slope: f64) -> f64 {
    let mut row = vec![0.0; z.width];
    let mut sum = 0.0;
    for (i, &label) in y.iter().enumerate() {
        z.row_into(i, &mut row);
        row.iter_mut().for_each(|v| *v *= slope);
        softmax_in_place(&mut row);
        row[label as usize] -= 1.0;
        sum += row.iter().map(|r| r * r).sum::<f64>();
    }
    sum / (y.len() * z.width) as f64
}

impl Temperature {
    /// σ(z/T) of every log-odds.
    pub fn apply_binary(&self, z: &[f64]) -> Vec<f64> {
        let slope = 1.0 / self.temperature;
        z.iter().map(|z| sigmoid(slope * z)).collect()
    }

    /// softmax(z/T) of one row, in place.
    pub fn apply_row(&self, row: &mut [f64]) {
        let slope = 1.0 / self.temperature;
        row.iter_mut().for_each(|v| *v *= slope);
        softmax_in_place(row);
    }

    /// softmax(Z/T).
    pub fn apply(&self, z: &Matrix) -> Matrix {
        map_rows(z, |_, row| self.apply_row(row))
    }
}

#[cfg(test)]
mod tests;
