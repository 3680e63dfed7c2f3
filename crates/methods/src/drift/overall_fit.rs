//! A smooth calibration curve fitted to the rows of all dates.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::num::logistic::weighted_logistic;
use crate::num::special::sigmoid;
use crate::scan::basis::{ScoreBasis, log_odds};
use crate::table::Column;

/// Calibration fitted to all rows: logit p̂ = Σ βⱼ xⱼ, a smooth function of the score ([`ScoreBasis`]); with fewer columns, or
/// logit p̂ = a + logit s, where outcomes do not tell so many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct OverallFit {
    /// p̂
    pub(super) p: Column<f64>,
    /// columns that were fitted
    basis: ScoreBasis,
    /// inverse of Σ w p̂ (1 − p̂) x xᵀ, d × d
    inverse: Column<f64>,
}

/// The columns of a row; those that were not fitted are 0.
pub(super) type Row = [f64; ScoreBasis::MOST];

impl OverallFit {
    pub(super) fn of(score: &[f64], target: &[u8], (weight, counted): (Option<&[f64]>, bool)) -> Option<Self> {
        let l = log_odds(score);
        let information = |i: usize| weight.map_or(1.0, |w| w[i]) * score[i] * (1.0 - score[i]);
        let basis = match weight.filter(|_| counted) {
            Some(counts) => ScoreBasis::of_counts(&l, counts, information),
            None => ScoreBasis::new(&l, information),
        };
        let whole = (2..=basis.len()).rev().find_map(|width| {
            let basis = basis.first(width);
            let mut columns = vec![vec![0.0; l.len()]; width];
            basis.columns(&l, columns.iter_mut().map(Vec::as_mut_slice));
            let further: Vec<&[f64]> = columns.iter().skip(1).map(Vec::as_slice).collect();
            let beta = weighted_logistic(&further, None, target, weight)?.coefficients;
            let eta = |i: usize| columns.iter().zip(&beta).map(|(column, beta)| beta * column[i]).sum::<f64>();
            Some(((0..l.len()).map(|i| sigmoid(eta(i))).collect(), basis))
        });
        let (p, basis): (Vec<f64>, ScoreBasis) = match whole {
            Some(found) => found,
            // where the slope cannot be estimated, the intercept alone
            None => {
                let a = *weighted_logistic(&[], Some(&l), target, weight)?.coefficients.first()?;
                (l.iter().map(|l| sigmoid(a + l)).collect(), basis.first(1))
            }
        };
        let width = basis.len();
        let mut information = DMatrix::<f64>::zeros(width, width);
        for (i, (p, &l)) in p.iter().zip(&l).enumerate() {
            let v = weight.map_or(1.0, |w| w[i]) * p * (1.0 - p);
            let x = row_of(&basis, l);
            for column in 0..width {
                for row in 0..width {
                    information[(row, column)] += v * x[row] * x[column];
                }
            }
        }
        // where p̂ is 0 or 1 everywhere, fitting again changes nothing
        let inverse = information.try_inverse().unwrap_or_else(|| DMatrix::zeros(width, width));
        Some(Self { p: p.into(), basis, inverse: inverse.as_slice().to_vec().into() })
    }

    /// The columns of every row.
    pub(super) fn rows(&self, score: &[f64]) -> Vec<Row> {
        log_odds(score).into_iter().map(|l| row_of(&self.basis, l)).collect()
    }

    /// The change of β by one step of Fisher scoring.
    pub(super) fn solved(&self, score: &Row) -> Row {
        let width = self.basis.len();
        let mut step = Row::default();
        for (to, row) in step.iter_mut().zip(self.inverse.chunks_exact(width.max(1))) {
            *to = row.iter().zip(score).map(|(a, b)| a * b).sum();
        }
        step
    }
}

fn row_of(basis: &ScoreBasis, log_odds: f64) -> Row {
    let mut row = Row::default();
    basis.fill(log_odds, &mut row);
    row
}
