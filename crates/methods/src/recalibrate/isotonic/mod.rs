//! Isotonic regression: the monotone curve closest to the targets.

mod entry;

pub use entry::IsotonicRegression;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::metric::brier::weighted_brier_pair;
use crate::num::isotonic::{Block, weighted_isotonic_blocks};
use crate::num::ties;
use crate::num::weight::{RowWeights, total_weight};
use crate::recalibrate::fit::Fit;

/// What lies between the fitted points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// straight lines between the ends of neighboring blocks
    #[default]
    Linear,
    /// the value of the last fitted score at or below
    Step,
}

impl Interpolation {
    fn is_linear(&self) -> bool {
        *self == Self::Linear
    }
}

/// A non-decreasing curve: its corner points, constant outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Isotonic {
    /// scores, strictly ascending: both ends of every block
    pub x: Vec<f64>,
    /// fitted values, non-decreasing
    pub y: Vec<f64>,
    /// what lies between
    #[serde(default, skip_serializing_if = "Interpolation::is_linear")]
    pub interpolation: Interpolation,
}

/// Fits the curve; the objective is the mean squared error.
///
/// Source: Zadrozny and Elkan (2002). Errors: `empty`, `length_mismatch`.
///
/// # Examples
/// The two in the middle fall, and share 1/2.
///
/// ```
/// use localcal_methods::recalibrate::isotonic::{Interpolation, fit};
///
/// let fit = fit(&[0.1, 0.4, 0.6, 0.9], &[0, 1, 0, 1], Interpolation::Linear)?;
/// assert_eq!(fit.parameters.apply(&[0.0, 0.5, 0.95]), [0.0, 0.5, 1.0]);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(s: &[f64], t: &[u8], interpolation: Interpolation) -> Result<Fit<Isotonic>> {
    weighted_fit(s, t, None, interpolation)
}

/// [`fit`] to rows with weights. Errors as there.
pub fn weighted_fit(s: &[f64], t: &[u8], w: RowWeights, interpolation: Interpolation) -> Result<Fit<Isotonic>> {
    let blocks = weighted_isotonic_blocks(s, t, w)?;
    let n = total_weight(w, s.len());
    let before = weighted_brier_pair(s, t, w)?;
    // Within a block of k rows with mean v: Σ (v − t)² = k v (1 − v).
    let after = blocks.iter().map(|b| b.sum * (1.0 - b.mean())).sum::<f64>() / n;
    let mut fit = Fit::plain(Isotonic::from_blocks(&blocks, interpolation), before, after.max(0.0));
    fit.warnings.extend(constant_fit_warning(&blocks));
    Ok(fit)
}

/// What is said of a fit whose scores are all of one block.
pub(super) fn constant_fit_warning(blocks: &[Block]) -> Option<String> {
    let words = "the curve is constant: on the calibration rows, the observed proportion does not rise with the score";
    (blocks.len() == 1).then(|| words.to_owned())
}

impl Isotonic {
    /// The curve through both ends of every block.
    pub fn from_blocks(blocks: &[Block], interpolation: Interpolation) -> Self {
        let (mut x, mut y) = (Vec::with_capacity(2 * blocks.len()), Vec::with_capacity(2 * blocks.len()));
        for block in blocks {
            x.push(block.low);
            y.push(block.mean());
            if block.high > block.low {
                x.push(block.high);
                y.push(block.mean());
            }
        }
        Self { x, y, interpolation }
    }

    /// The curve at `s`; `s` itself when there are no points.
    pub fn value(&self, s: f64) -> f64 {
        let after = match self.interpolation {
            Interpolation::Step => self.x.partition_point(|&x| ties::at_or_above(s, x)),
            Interpolation::Linear => self.x.partition_point(|&x| x <= s),
        };
        let (Some(&first), Some(&last)) = (self.y.first(), self.y.last()) else {
            return s;
        };
        if after == 0 {
            return first;
        }
        if after == self.x.len() || self.y.len() != self.x.len() {
            return last;
        }
        let (low, high) = (after - 1, after);
        match self.interpolation {
            Interpolation::Step => self.y[low],
            Interpolation::Linear => {
                let share = (s - self.x[low]) / (self.x[high] - self.x[low]);
                self.y[low] + share * (self.y[high] - self.y[low])
            }
        }
    }

    /// The curve at every score, cut to [0, 1]: recalibrated probabilities, length n.
    ///
    /// * `s`: scores in [0, 1], length n
    ///
    /// # Cost
    /// O(n log points).
    pub fn apply(&self, s: &[f64]) -> Vec<f64> {
        s.iter().map(|&s| self.value(s).clamp(0.0, 1.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, close, f8_top, near};
    use proptest::prelude::*;

    /// 200 rows say .82, 7 of 10 happen; 200 say .18, 2 of 10 happen: as confidences all say .82, and 3 of 4 are right.
    pub(crate) fn mirrored() -> (Vec<f64>, Vec<u8>) {
        let rows = (0..400).map(|i| {
            let (p, y) = if i < 200 { (0.82, u8::from(i % 10 < 7)) } else { (0.18, u8::from(i % 10 < 2)) };
            if p > 0.5 { (p, y) } else { (1.0 - p, 1 - y) }
        });
        rows.unzip()
    }

    #[test]
    fn confidences_of_mirrored_rows_are_one_score() {
        let (c, a) = mirrored();
        assert!(c[0] != c[200] && (c[0] - c[200]).abs() < 1e-15);
        for interpolation in [Interpolation::Linear, Interpolation::Step] {
            let curve = fit(&c, &a, interpolation).expect("valid").parameters;
            assert_eq!((&curve.x, &curve.y), (&vec![0.82], &vec![0.75]));
            assert!(curve.apply(&c).iter().all(|s| *s == 0.75));
        }
        let bracket = crate::recalibrate::venn_abers::fit(&c, &a).expect("valid");
        let (low, high) = bracket.parameters.interval(c[0]);
        assert_eq!(bracket.parameters.interval(c[200]), (low, high));
        close(Some(low), 300.0 / 401.0);
        close(Some(high), 301.0 / 401.0);
        // A step looked up by the other rounding is the same step.
        let (mut s, mut t) = (vec![0.82; 4], vec![1, 1, 0, 1]);
        s.extend([0.3; 4]);
        t.extend([0, 0, 0, 1]);
        let step = fit(&s, &t, Interpolation::Step).expect("valid").parameters;
        for s in [0.82, 1.0 - 0.18, 1.0 - (1.0 - 0.82)] {
            close(Some(step.value(s)), 0.75);
        }
    }

    #[test]
    fn worked_values() {
        let (c, a) = f8_top();
        let curve = fit(&c, &a, Interpolation::Linear).expect("valid").parameters;
        let got = curve.apply(&[0.4, 0.85, 0.9, 0.87, 0.3, 0.99]);
        let third = 2.0 / 3.0;
        for (got, expected) in got.iter().zip([third, third, 1.0, 0.8, third, 1.0]) {
            close(Some(*got), expected);
        }
        let step = Isotonic { interpolation: Interpolation::Step, ..curve };
        close(Some(step.value(0.87)), third);
        let (p, y) = b12();
        let fitted = fit(&p, &y, Interpolation::Linear).expect("valid");
        let expected = [0.0, 0.0, 0.4, 0.4, 0.4, 0.4, 0.4, third, third, third, 1.0, 1.0];
        for (got, expected) in fitted.parameters.apply(&p).iter().zip(expected) {
            close(Some(*got), expected);
        }
        near(Some(fitted.objective_after), (1.2 + third) / 12.0, 1e-12);
    }

    #[test]
    fn few_and_equal_rows() {
        let one = fit(&[0.3], &[1], Interpolation::Linear).expect("valid").parameters;
        assert_eq!((one.value(0.0), one.value(1.0)), (1.0, 1.0));
        let equal = fit(&[0.3, 0.3, 0.3], &[1, 0, 0], Interpolation::Linear).expect("valid").parameters;
        assert_eq!(equal.x, [0.3]);
        close(Some(equal.value(0.9)), 1.0 / 3.0);
        assert_eq!(fit(&[], &[], Interpolation::Linear).expect_err("no rows").code(), "empty");
        assert_eq!(serde_json::to_string(&one).expect("serialises"), r#"{"x":[0.3],"y":[1.0]}"#);
    }

    proptest! {
        #[test]
        fn monotone_idempotent_and_mean_keeping(rows in proptest::collection::vec((0..30_u32, 0..2_u8), 1..120)) {
            let s: Vec<f64> = rows.iter().map(|r| f64::from(r.0) / 30.0).collect();
            let t: Vec<u8> = rows.iter().map(|r| r.1).collect();
            let found = fit(&s, &t, Interpolation::Linear).expect("valid");
            let q = found.parameters.apply(&s);
            prop_assert!(found.objective_after <= found.objective_before + 1e-12);
            let brier: f64 = q.iter().zip(&t).map(|(q, &t)| (q - f64::from(t)).powi(2)).sum::<f64>() / q.len() as f64;
            prop_assert!((brier - found.objective_after).abs() < 1e-12);
            for i in 0..s.len() {
                for j in 0..s.len() {
                    prop_assert!(s[i] > s[j] || q[i] <= q[j] + 1e-15);
                }
            }
            let (mean, events): (f64, f64) = (q.iter().sum(), t.iter().map(|&t| f64::from(t)).sum());
            prop_assert!((mean - events).abs() < 1e-9);
            let again = fit(&q, &t, Interpolation::Linear).expect("valid").parameters.apply(&q);
            for (a, b) in again.iter().zip(&q) {
                prop_assert!((a - b).abs() < 1e-12);
            }
            // Step: increasing transforms of the score change nothing.
            let step = fit(&s, &t, Interpolation::Step).expect("valid").parameters.apply(&s);
            let cubed: Vec<f64> = s.iter().map(|s| s.powi(3)).collect();
            prop_assert_eq!(fit(&cubed, &t, Interpolation::Step).expect("valid").parameters.apply(&cubed), step);
        }
    }
}
