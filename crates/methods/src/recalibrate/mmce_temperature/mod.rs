//! Temperature that minimizes the kernel calibration error of the top label.

mod entry;

pub use entry::MmceTemperature;

use ndarray::ArrayView2;

use crate::error::Result;
use crate::metric::labels::check_classes;
use crate::metric::mmce::mmce;
use crate::num::check_lengths;
use crate::num::optimize::grid_minimum;
use crate::num::special::{argmax, exp_nonpositive, sigmoid, sum};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::temperature::Temperature;
use crate::table::Matrix;

/// Least and largest temperature tried.
pub const BOUNDS: (f64, f64) = (0.05, 20.0);

fn search(objective: impl Fn(f64) -> f64) -> Fit<Temperature> {
    let before = objective(1.0);
    let (low, high) = (BOUNDS.0.ln(), BOUNDS.1.ln());
    let (x, after) = grid_minimum(|x| objective(x.exp()), low, high, 200, 1e-6);
    let (temperature, after) = if after <= before { (x.exp(), after) } else { (1.0, before) };
    let mut fit = Fit::plain(Temperature { temperature }, before, after);
    if x - low < 1e-5 {
        fit.at_bound = Some(format!("temperature {} (lower bound)", BOUNDS.0));
    } else if high - x < 1e-5 {
        fit.at_bound = Some(format!("temperature {} (upper bound)", BOUNDS.1));
    }
    fit
}

/// Minimizes MMCE² of (max softmax(Z/T), correct) over T: 200 points in ln T, refined around the best.
///
/// The objective has kinks and local minima. Source: the kernel error of Kumar, Sarawagi and Jain (2018), with the one
/// parameter of Guo et al. (2017). Errors: `empty`, `length_mismatch`, `label_out_of_range`.
///
/// # Cost
/// Some 230 passes of O(nm + n log n).
///
/// # Examples
/// Logits of 9 : 1 where three of four are of the first class: T = 2 makes the confidence right.
///
/// ```
/// use localcal_methods::recalibrate::mmce_temperature::fit;
/// use ndarray::array;
///
/// let z = array![[9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0], [9.0_f64.ln(), 0.0]];
/// let fit = fit(z.view(), &[0, 0, 0, 1])?;
/// assert!((fit.parameters.temperature - 2.0).abs() < 1e-3);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(z: ArrayView2<f64>, y: &[u32]) -> Result<Fit<Temperature>> {
    fit_matrix(&z.into(), y)
}

/// [`fit`] to a matrix as files hold it. Errors and cost as there.
pub fn fit_matrix(z: &Matrix, y: &[u32]) -> Result<Fit<Temperature>> {
    check_classes(z, y)?;
    let m = z.width;
    let mut below = vec![0.0; y.len() * m];
    let mut correct = Vec::with_capacity(y.len());
    for ((i, row), &label) in below.chunks_exact_mut(m).enumerate().zip(y) {
        z.row_into(i, row);
        let best = argmax(row);
        let top = row[best];
        row.iter_mut().for_each(|v| *v -= top);
        correct.push(u8::from(best == label as usize));
    }
    Ok(search(|t| {
        let slope = 1.0 / t;
        let mut weights = vec![0.0; m];
        let c: Vec<f64> = below
            .chunks_exact(m)
            .map(|row| {
                weights.iter_mut().zip(row).for_each(|(w, v)| *w = exp_nonpositive(slope * v));
                1.0 / sum(&weights)
            })
            .collect();
        mmce(&c, &correct).map_or(f64::INFINITY, |m| m.squared)
    }))
}

/// The same for log-odds; `positive_view` measures (p, y) instead of (confidence, correct).
///
/// Errors: `empty`, `length_mismatch`.
pub fn fit_binary(z: &[f64], t: &[u8], positive_view: bool) -> Result<Fit<Temperature>> {
    check_lengths(z.len(), t.len())?;
    let (z, t): (Vec<f64>, Vec<u8>) = if positive_view {
        (z.to_vec(), t.to_vec())
    } else {
        z.iter().zip(t).map(|(&z, &t)| (z.abs(), u8::from((z > 0.0) == (t == 1)))).unzip()
    };
    Ok(search(|temperature| {
        let s: Vec<f64> = z.iter().map(|z| sigmoid(z / temperature)).collect();
        mmce(&s, &t).map_or(f64::INFINITY, |m| m.squared)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, f8, f8_logits, near};
    use crate::num::special::PROB_CLIP;
    use crate::recalibrate::affine::two_columns;
    use crate::recalibrate::logits::binary_logits;

    #[test]
    fn worked_values() {
        let found = fit_matrix(&f8_logits(), &f8().1).expect("valid");
        near(Some(found.parameters.temperature), 0.866_07, 2e-3);
        near(Some(found.objective_after), 0.018_820_10, 1e-8);
        near(Some(found.objective_before), 0.019_114_86, 6e-9);
    }

    #[test]
    fn two_columns_are_the_binary_case() {
        let (p, t) = b12();
        let z = binary_logits(&p, PROB_CLIP);
        let y: Vec<u32> = t.iter().map(|&t| u32::from(t)).collect();
        let (a, b) = (fit_binary(&z, &t, false).expect("valid"), fit_matrix(&two_columns(&z), &y).expect("valid"));
        near(Some(a.objective_after), b.objective_after, 1e-9);
        let positive = fit_binary(&z, &t, true).expect("valid");
        assert!(positive.objective_after <= positive.objective_before);
    }
}
