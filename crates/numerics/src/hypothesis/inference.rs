//! What goes wrong when scores stand in for outcomes: means over a class, and gaps between groups.

use crate::num::special::normal_two_sided;

/// A number that can be had from outcomes, or estimated from scores.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// the mean of I(x) over those with y = 1: Σ y I / Σ y, estimated by Σ p I / Σ p; rows whose I is no number are left out
    Mean(Vec<f64>),
    /// the mean outcome of one side minus that of the other; 1: this side, 0: the other, anything else: neither
    Gap(Vec<u8>),
}

impl Task {
    /// (truth, estimate) over rows with multiplicities `weights`; `None` if no row contributes to the mean.
    ///
    /// * `p`, `y`: one a row, in the positive view; `weights`: empty for once each
    ///
    /// O(n). Source: Vashistha and Farahi (2025), section on inference tasks.
    pub fn of(&self, p: &[f64], y: &[u8], weights: &[u8]) -> Option<(f64, f64)> {
        let weight = |i: usize| weights.get(i).map_or(1.0, |w| f64::from(*w));
        match self {
            Task::Mean(of) => {
                let (mut truth, mut estimate) = ([0.0; 2], [0.0; 2]);
                for (i, of) in of.iter().enumerate().take(p.len()) {
                    if of.is_finite() {
                        let (w, t) = (weight(i), f64::from(y[i]));
                        truth[0] += w * t * of;
                        truth[1] += w * t;
                        estimate[0] += w * p[i] * of;
                        estimate[1] += w * p[i];
                    }
                }
                (truth[1] > 0.0 && estimate[1] > 0.0).then(|| (truth[0] / truth[1], estimate[0] / estimate[1]))
            }
            Task::Gap(side) => {
                // of the other side, then of this: rows, outcomes, scores
                let mut sums = [[0.0; 3]; 2];
                for (i, side) in side.iter().enumerate().take(p.len()) {
                    if let Some(sums) = sums.get_mut(usize::from(*side)) {
                        let w = weight(i);
                        sums[0] += w;
                        sums[1] += w * f64::from(y[i]);
                        sums[2] += w * p[i];
                    }
                }
                let [other, this] = sums;
                (other[0] > 0.0 && this[0] > 0.0)
                    .then(|| (this[1] / this[0] - other[1] / other[0], this[2] / this[0] - other[2] / other[0]))
            }
        }
    }

    /// estimate − truth.
    pub fn error(&self, p: &[f64], y: &[u8], weights: &[u8]) -> Option<f64> {
        self.of(p, y, weights).map(|(truth, estimate)| estimate - truth)
    }

    /// Two-sided probability of an error as large if every score were right, y* ~ Bernoulli(p).
    ///
    /// Normal, with the variance of the truth around the estimate μ: Σ p(1 − p)(I − μ)² / (Σ p)² of a mean (to first
    /// order), Σ p(1 − p) / n² over both sides of a gap. `None` where nothing varies. O(n).
    pub fn p_if_calibrated(&self, p: &[f64], error: f64) -> Option<f64> {
        let variance = match self {
            Task::Mean(of) => {
                let known = || p.iter().zip(of).filter(|(_, of)| of.is_finite());
                let mass: f64 = known().map(|(p, _)| p).sum();
                let mean = known().map(|(p, of)| p * of).sum::<f64>() / mass;
                let square = |(p, of): (&f64, &f64)| p * (1.0 - p) * (of - mean).powi(2);
                known().map(square).sum::<f64>() / (mass * mass)
            }
            Task::Gap(side) => [0, 1]
                .map(|wanted| {
                    let own = || p.iter().zip(side).filter(move |(_, side)| **side == wanted);
                    let n = own().count() as f64;
                    own().map(|(p, _)| p * (1.0 - p)).sum::<f64>() / (n * n)
                })
                .iter()
                .sum(),
        };
        (variance > 0.0).then(|| normal_two_sided(error / variance.sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{F8_G, close, f8_top, near};
    use crate::num::logistic::logistic;
    use crate::num::special::sigmoid;
    use proptest::prelude::*;

    /// The specification, 4.7: F8 with I = φ₁, and the gap B − A.
    #[test]
    fn worked_values() {
        let (p, y) = f8_top();
        let first = vec![0.0, 1.0, 0.0, 2.0, 2.0, 3.0, 0.5, 3.0];
        let mean = Task::Mean(first).of(&p, &y, &[]);
        near(mean.map(|m| m.0), 1.41666667, 5e-9);
        near(mean.map(|m| m.1), 1.39090909, 5e-9);
        let side = F8_G.map(|g| g as u8).to_vec();
        let gap = Task::Gap(side.clone()).of(&p, &y, &[]);
        close(gap.map(|g| g.0), -0.5);
        close(gap.map(|g| g.1), 0.1);
        close(Task::Gap(side).error(&p, &y, &[1; 8]), 0.6);
    }

    #[test]
    fn over_nobody_there_is_no_mean() {
        let (p, y) = ([0.5, 0.6], [0, 0]);
        assert_eq!(Task::Mean(vec![1.0, 2.0]).of(&p, &y, &[]), None);
        assert_eq!(Task::Gap(vec![1, 1]).of(&p, &y, &[]), None);
        assert_eq!(Task::Gap(vec![1, 7]).of(&p, &y, &[]), None);
        // What is missing does not count.
        let found = Task::Mean(vec![f64::NAN, 2.0]).of(&p, &[1, 1], &[]);
        assert_eq!(found, Some((2.0, 2.0)));
        // A row that counts twice stands there twice.
        let twice = Task::Gap(vec![0, 1]).of(&p, &[1, 0], &[2, 1]);
        close(twice.map(|g| g.1), 0.1);
    }

    proptest! {
        /// The specification, 9, 26: an unpenalized logistic regression with an intercept makes no error on its own rows, for the
        /// mean of every covariate and the gap of every included group.
        #[test]
        fn score_equations(rows in proptest::collection::vec((-2.0..2.0_f64, 0..2_u8, 0..2_u8), 20..120)) {
            let x: Vec<f64> = rows.iter().map(|r| r.0).collect();
            let side: Vec<u8> = rows.iter().map(|r| r.1).collect();
            let g: Vec<f64> = side.iter().map(|&g| f64::from(g)).collect();
            let y: Vec<u8> = rows.iter().map(|r| r.2).collect();
            if let Some(fit) = logistic(&[&x, &g], None, &y) {
                let b = &fit.coefficients;
                prop_assume!(b.iter().all(|b| b.abs() < 30.0));
                let p: Vec<f64> = (0..x.len()).map(|i| sigmoid(b[0] + b[1] * x[i] + b[2] * g[i])).collect();
                prop_assert!(Task::Mean(x).error(&p, &y, &[]).is_none_or(|e| e.abs() < 1e-6));
                prop_assert!(Task::Gap(side).error(&p, &y, &[]).is_none_or(|e| e.abs() < 1e-6));
            }
        }
    }
}
