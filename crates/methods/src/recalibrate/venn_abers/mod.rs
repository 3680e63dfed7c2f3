//! Venn–Abers prediction: two isotonic regressions, one for each outcome the new row might have.

mod entry;

pub use entry::VennAbersPrediction;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::metric::brier::brier_pair;
use crate::num::{check_lengths, order, ties};
use crate::recalibrate::fit::Fit;

/// A step function: corner points, ascending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    /// scores
    pub x: Vec<f64>,
    /// values, non-decreasing
    pub y: Vec<f64>,
}

/// The pair (p₀, p₁) as functions of the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VennAbers {
    /// p₀: value of the last corner at or below the score, 0 before the first
    pub lower: Steps,
    /// p₁: value of the first corner at or above the score, 1 after the last
    pub upper: Steps,
}

/// Fits the inductive Venn–Abers predictor; the objective is the mean squared error of p₁/(1 − p₀ + p₁).
///
/// p₀ (p₁) at s is the isotonic regression of the calibration rows and one more at s with outcome 0 (1).
/// Source: Vovk, Petej and Fedorova (2015), algorithms 1–4. Errors: `empty`, `length_mismatch`.
///
/// # Cost
/// One sort and two linear sweeps.
///
/// # Examples
/// Three of four happen at 1/2; one more row makes it 3/5 or 4/5, together (4/5) / (1 − 3/5 + 4/5) = 2/3.
///
/// ```
/// use localcal_methods::recalibrate::venn_abers;
///
/// let fit = venn_abers::fit(&[0.5; 4], &[0, 1, 1, 1])?;
/// assert_eq!(fit.parameters.interval(0.5), (0.6, 0.8));
/// assert!((fit.parameters.apply(&[0.5])[0] - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(s: &[f64], t: &[u8]) -> Result<Fit<VennAbers>> {
    check_lengths(s.len(), t.len())?;
    let order = order::ascending(s);
    let ties: Vec<(f64, f64, f64)> = ties::tie_blocks(s, &order)
        .map(|tie| {
            let events: u32 = order[tie.clone()].iter().map(|&i| u32::from(t[i as usize])).sum();
            (s[order[tie.start] as usize], tie.len() as f64, f64::from(events))
        })
        .collect();
    let p1 = with_one_more_event(&ties.iter().map(|t| (t.1, t.2)).collect::<Vec<_>>());
    // p₀ is p₁ of the mirrored problem.
    let mirrored: Vec<(f64, f64)> = ties.iter().rev().map(|t| (t.1, t.1 - t.2)).collect();
    let p0: Vec<f64> = with_one_more_event(&mirrored).into_iter().rev().map(|p| 1.0 - p).collect();

    let (mut lower, mut upper) = (Steps { x: vec![], y: vec![] }, Steps { x: vec![], y: vec![] });
    for (i, tie) in ties.iter().enumerate() {
        if lower.y.last() != Some(&p0[i]) {
            lower.x.push(tie.0);
            lower.y.push(p0[i]);
        }
        if p1.get(i + 1) != Some(&p1[i]) {
            upper.x.push(tie.0);
            upper.y.push(p1[i]);
        }
    }
    let fitted = VennAbers { lower, upper };
    let after = brier_pair(&fitted.apply(s), t)?;
    Ok(Fit::plain(fitted, brier_pair(s, t)?, after))
}

/// For every tie block (rows, events): the isotonic value there when one more event is put into it.
///
/// Along the cumulative diagram of (rows, events) the added event is a jump of (1, 1); the value is the slope of the
/// lower hull across the jump. Points left of the jump are moved by (−1, −1) instead, one by one, from left to right.
fn with_one_more_event(blocks: &[(f64, f64)]) -> Vec<f64> {
    let mut points = Vec::with_capacity(blocks.len() + 1);
    let (mut rows, mut events) = (0.0, 0.0);
    points.push((0.0, 0.0));
    for block in blocks {
        rows += block.0;
        events += block.1;
        points.push((rows, events));
    }
    // Lower hull as a stack, its leftmost point on top.
    let mut hull: Vec<(f64, f64)> = Vec::with_capacity(points.len() + 1);
    let push = |hull: &mut Vec<(f64, f64)>, p: (f64, f64)| {
        while let [.., b, a] = hull.as_slice() {
            // `a` stays only strictly below the line from p to b.
            if (a.0 - p.0) * (b.1 - p.1) > (b.0 - p.0) * (a.1 - p.1) {
                break;
            }
            hull.pop();
        }
        hull.push(p);
    };
    for &p in points.iter().skip(1).rev() {
        push(&mut hull, p);
    }
    push(&mut hull, (-1.0, -1.0));
    let mut values = Vec::with_capacity(blocks.len());
    for &p in points.iter().skip(1) {
        let [.., b, a] = hull.as_slice() else { break };
        let (a, b) = (*a, *b);
        values.push((b.1 - a.1) / (b.0 - a.0));
        let moved = (p.0 - 1.0, p.1 - 1.0);
        // A moved point on or above the hull changes nothing.
        if (moved.1 - a.1) * (b.0 - a.0) < (moved.0 - a.0) * (b.1 - a.1) {
            hull.pop();
            push(&mut hull, moved);
        }
    }
    values
}

impl VennAbers {
    /// (p₀, p₁) at a score.
    pub fn interval(&self, s: f64) -> (f64, f64) {
        let below = self.lower.x.partition_point(|&x| ties::at_or_above(s, x));
        let above = self.upper.x.partition_point(|&x| ties::above(s, x));
        let p0 = below.checked_sub(1).and_then(|i| self.lower.y.get(i)).copied().unwrap_or(0.0);
        let p1 = self.upper.y.get(above).copied().unwrap_or(1.0);
        (p0, p1)
    }

    /// p₁/(1 − p₀ + p₁) for every score: the minimax probability for log loss, length n.
    ///
    /// * `s`: scores in [0, 1], length n
    ///
    /// # Cost
    /// O(n log points).
    pub fn apply(&self, s: &[f64]) -> Vec<f64> {
        s.iter()
            .map(|&s| {
                let (p0, p1) = self.interval(s);
                p1 / (1.0 - p0 + p1)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::close;
    use crate::recalibrate::isotonic::{Interpolation, fit as isotonic};
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // rows (.2, 0) and (.8, 1): a new row at .5 is 0 or 1 on its own
        let v = fit(&[0.2, 0.8], &[0, 1]).expect("valid").parameters;
        assert_eq!(v.interval(0.5), (0.0, 1.0));
        close(Some(v.apply(&[0.5])[0]), 0.5);
        // at .2: with 0 → 0, with 1 → mean of 0 and 1
        assert_eq!(v.interval(0.2), (0.0, 0.5));
        assert_eq!(v.interval(0.9), (0.5, 1.0));
        assert_eq!(v.interval(0.1), (0.0, 0.5));
    }

    proptest! {
        #[test]
        fn both_curves_are_isotonic_regressions_with_one_more_row(
            rows in proptest::collection::vec((0..12_u32, 0..2_u8), 1..40), query in 0..26_u32,
        ) {
            let s: Vec<f64> = rows.iter().map(|r| f64::from(r.0) / 12.0).collect();
            let t: Vec<u8> = rows.iter().map(|r| r.1).collect();
            let query = f64::from(query) / 24.0 - 0.02 * f64::from(query % 3);
            let (p0, p1) = fit(&s, &t).expect("valid").parameters.interval(query);
            for (outcome, got) in [(0, p0), (1, p1)] {
                let s: Vec<f64> = s.iter().copied().chain([query]).collect();
                let t: Vec<u8> = t.iter().copied().chain([outcome]).collect();
                let expected = isotonic(&s, &t, Interpolation::Step).expect("valid").parameters.value(query);
                prop_assert!((got - expected).abs() < 1e-12, "{} {} {}", outcome, got, expected);
            }
            prop_assert!(p0 <= p1 + 1e-12);
        }
    }
}
