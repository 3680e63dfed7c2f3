//! A method for scores, class by class: each class against the rest.

use serde::{Deserialize, Serialize};

use super::fit::Fit;
use super::logits::map_rows;
use crate::error::Result;
use crate::metric::labels::check_classes;
use crate::table::{Matrix, Reals};

/// One set of parameters a class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OneVsAll<P> {
    /// parameters of class 0, 1, …
    pub classes: Vec<P>,
}

/// Fits `fit(P[:, k], 1[y = k])` for every class; objectives are means over the classes.
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`, and those of `fit`.
pub fn fit<P>(p: &Matrix, y: &[u32], mut fit: impl FnMut(&[f64], &[u8]) -> Result<Fit<P>>) -> Result<Fit<OneVsAll<P>>> {
    check_classes(p, y)?;
    let m = p.width;
    let mut all = Fit::plain(OneVsAll { classes: Vec::with_capacity(m) }, 0.0, 0.0);
    for k in 0..m {
        let s: Vec<f64> = (0..y.len()).map(|i| p.value(i, k)).collect();
        let t: Vec<u8> = y.iter().map(|&label| u8::from(label as usize == k)).collect();
        let one = fit(&s, &t)?;
        all.objective_before += one.objective_before / m as f64;
        all.objective_after += one.objective_after / m as f64;
        all.at_bound = all.at_bound.or(one.at_bound.map(|bound| format!("class {k}: {bound}")));
        all.warnings.extend(one.warnings.into_iter().map(|w| format!("class {k}: {w}")));
        all.parameters.classes.push(one.parameters);
    }
    Ok(all)
}

impl<P> OneVsAll<P> {
    /// `apply(parameters, P[:, k])` for every class, rows as they come out (they need not sum to 1).
    pub fn apply_raw(&self, p: &Matrix, apply: impl Fn(&P, &[f64]) -> Vec<f64>) -> Matrix {
        let (n, m) = (p.rows(), p.width);
        let mut values = vec![0.0; n * m];
        for (k, parameters) in self.classes.iter().enumerate().take(m) {
            let s: Vec<f64> = (0..n).map(|i| p.value(i, k)).collect();
            for (i, value) in apply(parameters, &s).into_iter().enumerate() {
                values[i * m + k] = value;
            }
        }
        Matrix { width: m, values: Reals::F64(values.into()) }
    }

    /// [`OneVsAll::apply_raw`] with every row divided by its sum; a row that sums to 0 stays as it was.
    pub fn apply(&self, p: &Matrix, apply: impl Fn(&P, &[f64]) -> Vec<f64>) -> Matrix {
        let raw = self.apply_raw(p, apply);
        renormalized(&raw, p)
    }
}

/// Rows divided by their sums; a row that sums to 0 is taken from `otherwise`.
pub(crate) fn renormalized(raw: &Matrix, otherwise: &Matrix) -> Matrix {
    map_rows(raw, |i, row| {
        let sum: f64 = row.iter().sum();
        if sum > 0.0 {
            row.iter_mut().for_each(|v| *v /= sum);
        } else {
            otherwise.row_into(i, row);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{close, f8, matrix};
    use crate::metric::binning::BinOptions;
    use crate::recalibrate::histogram::{self, EmptyBin, Histogram};
    use crate::recalibrate::isotonic::{self, Interpolation, Isotonic};

    #[test]
    fn worked_values() {
        let (p, y) = f8();
        let found = fit(&p, &y, |s, t| isotonic::fit(s, t, Interpolation::Linear)).expect("valid");
        let raw = found.parameters.apply_raw(&p, Isotonic::apply);
        let expected = [
            1.0, 0.0, 0.0, 1.0, 0.0, 0.25, 0.0, 0.5, 0.25, 0.0, 0.5, 0.25, 0.0, 0.0, 0.5, 0.0, 0.5, 0.5, 1.0, 0.5,
            0.25, 0.0, 0.0, 1.0,
        ];
        for (i, expected) in expected.into_iter().enumerate() {
            close(Some(raw.value(i / 3, i % 3)), expected);
        }
        let even = found.parameters.apply(&p, Isotonic::apply);
        close(Some(even.value(6, 0)), 1.0 / 1.75);
    }

    #[test]
    fn rows_without_mass_stay() {
        let p = matrix(2, vec![0.3, 0.7, 0.8, 0.2]);
        let zero = OneVsAll {
            classes: vec![
                Histogram {
                    edges: vec![0.0, 0.5, 1.0],
                    values: vec![Some(0.0); 2],
                    counts: vec![1; 2],
                    closed: Default::default()
                };
                2
            ],
        };
        assert_eq!(zero.apply(&p, Histogram::apply), p);
        let bins = BinOptions::equal_width(10);
        let found = fit(&p, &[0, 0], |s, t| histogram::fit(s, t, &bins, EmptyBin::BinMidpoint)).expect("valid");
        assert_eq!(found.parameters.apply(&p, Histogram::apply).value(0, 0), 1.0);
    }
}
