//! Selective answering: which predictions can be used alone so that a stated share of them, at most, is wrong.
//!
//! A prediction is answered if its confidence is at least t, and deferred otherwise. Only distinct confidences are thresholds:
//! equal confidences are never divided.

use statrs::function::beta::checked_beta_reg;

use crate::error::Result;
use crate::num::check_lengths;
use crate::num::order::ascending;
use crate::num::ties::tie_blocks;

/// A threshold, and what answering from it on does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkingPoint {
    /// t, the smallest confidence that is answered
    pub threshold: f64,
    /// N, rows that are answered
    pub answered: usize,
    /// k, those of them that are wrong
    pub errors: usize,
}

impl WorkingPoint {
    /// k/N, the share of the answered rows that is wrong.
    pub fn risk(&self) -> f64 {
        self.errors as f64 / self.answered as f64
    }
}

/// Every working point, from the highest threshold to the lowest, at which all rows are answered.
///
/// * `c`: confidences, n; `correct`: 1 where the prediction is right, n
///
/// Errors: `empty`, `length_mismatch`. One sort.
///
/// ```
/// use localcal_numerics::decision::selective::working_points;
///
/// let points = working_points(&[0.6, 0.9, 0.6], &[1, 1, 0])?;
/// let told: Vec<_> = points.iter().map(|point| (point.threshold, point.answered, point.errors)).collect();
/// assert_eq!(told, [(0.9, 1, 0), (0.6, 3, 1)]);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn working_points(c: &[f64], correct: &[u8]) -> Result<Vec<WorkingPoint>> {
    check_lengths(c.len(), correct.len())?;
    let order = ascending(c);
    let blocks: Vec<_> = tie_blocks(c, &order).collect();
    let (mut answered, mut errors) = (0, 0);
    let point = |block: std::ops::Range<usize>| {
        let rows = order.get(block).unwrap_or_default();
        answered += rows.len();
        errors += rows.iter().filter(|row| correct[**row as usize] == 0).count();
        let threshold = rows.first().map_or(f64::NAN, |row| c[*row as usize]);
        WorkingPoint { threshold, answered, errors }
    };
    Ok(blocks.into_iter().rev().map(point).collect())
}

/// Pr(Bin(n, p) ≤ k), through the regularized incomplete beta function; 1 for k ≥ n.
pub fn binomial_cdf(k: usize, n: usize, p: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    checked_beta_reg((n - k) as f64, k as f64 + 1.0, (1.0 - p).clamp(0.0, 1.0)).unwrap_or(1.0)
}

/// The place of the lowest threshold at which the risk is at most `risk`, with probability 1 − `delta` over the rows, for rows
/// of the same population; `None` where no threshold can be certified.
///
/// Learn-then-test (Angelopoulos et al., 2021) with exact binomial tests of risk > `risk`, whose p-value is
/// Pr(Bin(N, `risk`) ≤ k), by two procedures at δ/2 each, of which the lower threshold counts: a fixed sequence from the highest
/// threshold that could pass with no error, downward until one fails; and Bonferroni over all thresholds, since one group of
/// confident errors, as where 100% is a default, ends a sequence at its start.
///
/// * `points`: of independent rows, as [`working_points`] returns them
/// * `risk`, `delta`: in (0, 1)
///
/// One test a point.
///
/// ```
/// use localcal_numerics::decision::selective::{certified, working_points};
///
/// // 36 right answers at 0.9 certify a risk of 10%; 35 do not
/// let points = |n: usize| working_points(&vec![0.9; n], &vec![1; n]);
/// assert_eq!(certified(&points(36)?, 0.1, 0.05), Some(0));
/// assert_eq!(certified(&points(35)?, 0.1, 0.05), None);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn certified(points: &[WorkingPoint], risk: f64, delta: f64) -> Option<usize> {
    let half = delta / 2.0;
    let p: Vec<f64> = points.iter().map(|point| binomial_cdf(point.errors, point.answered, risk)).collect();
    let could_pass = |point: &WorkingPoint| (1.0 - risk).powf(point.answered as f64) <= half;
    let first = points.iter().position(could_pass)?;
    let passed = p.iter().skip(first).take_while(|p| **p <= half).count();
    let in_sequence = (passed > 0).then(|| first + passed - 1);
    let by_bonferroni = p.iter().rposition(|p| *p <= half / points.len() as f64);
    in_sequence.max(by_bonferroni)
}

/// The smallest number of answers without an error that certifies a risk: ⌈ln(δ/2) / ln(1 − `risk`)⌉.
pub fn least_answers(risk: f64, delta: f64) -> usize {
    ((delta / 2.0).ln() / (1.0 - risk).ln()).ceil().max(1.0) as usize
}

/// The place of the lowest threshold at which the observed risk is at most `risk`. New rows exceed it in a large part of
/// samples: the threshold is chosen by the rows that it is judged by.
pub fn lowest_observed(points: &[WorkingPoint], risk: f64) -> Option<usize> {
    points.iter().rposition(|point| point.risk() <= risk)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::num::rng::Draws;

    /// Confidences in percent and verdicts of 23 answers, by confidence: rows, errors.
    const STATED: [(u8, usize, usize); 13] = [
        (100, 2, 1),
        (95, 2, 0),
        (90, 3, 1),
        (85, 1, 0),
        (80, 3, 2),
        (75, 1, 1),
        (70, 3, 1),
        (60, 2, 1),
        (50, 2, 1),
        (30, 1, 1),
        (20, 1, 0),
        (10, 1, 1),
        (0, 1, 1),
    ];

    fn repeated(times: usize) -> Vec<WorkingPoint> {
        let mut c = Vec::new();
        let mut right = Vec::new();
        for (percent, rows, errors) in STATED {
            for row in 0..rows * times {
                c.push(f64::from(percent) / 100.0);
                right.push(u8::from(row >= errors * times));
            }
        }
        working_points(&c, &right).unwrap()
    }

    #[test]
    fn the_numbers_of_scipy() {
        // tests/golden/make_selective.py
        let points = repeated(20);
        let at = |percent: f64| points.iter().find(|point| (point.threshold - percent).abs() < 1e-12).unwrap();
        for (threshold, answered, errors, p) in [
            (1.0, 40, 20, 0.925_648_443_243_086_3),
            (0.95, 80, 20, 0.003_561_298_597_464_091_3),
            (0.9, 140, 40, 0.003_244_102_613_565_304_5),
            (0.85, 160, 40, 4.811_859_889_873_102_5e-5),
        ] {
            let point = at(threshold);
            assert_eq!((point.answered, point.errors), (answered, errors));
            let found = binomial_cdf(errors, answered, 0.4);
            assert!((found / p - 1.0).abs() < 1e-9, "{threshold}: {found} against {p}");
        }
        // the sequence stops at once, Bonferroni accepts 85%
        assert_eq!(points[certified(&points, 0.4, 0.05).unwrap()].threshold, 0.85);
        assert_eq!(certified(&repeated(1), 0.6, 0.05), None);
        assert_eq!([0.1, 0.2, 0.05].map(|risk| least_answers(risk, 0.05)), [36, 17, 72]);
        assert_eq!(points[lowest_observed(&points, 0.4).unwrap()].threshold, 0.7);
    }

    #[test]
    fn edges() {
        assert_eq!(working_points(&[], &[]).unwrap_err().code(), "empty");
        assert_eq!(binomial_cdf(3, 3, 0.2), 1.0);
        assert!((binomial_cdf(0, 3, 0.2) - 0.512).abs() < 1e-12);
        let wrong = working_points(&[0.5, 0.9], &[0, 0]).unwrap();
        assert_eq!((certified(&wrong, 0.5, 0.05), lowest_observed(&wrong, 0.5)), (None, None));
    }

    /// Over 400 data sets of 400 rows, from populations that are calibrated or in which the surest answers are the worst, the
    /// true risk above the certified threshold exceeds the limit in no more than one of twenty, and the observed one in many.
    #[test]
    fn the_certified_risk_holds_on_new_rows() {
        let levels: [f64; 6] = [0.5, 0.7, 0.8, 0.9, 0.95, 1.0];
        for truth in [levels.map(|level| level.min(0.98)), [0.5, 0.7, 0.8, 0.9, 0.95, 0.6]] {
            let risk_from = |place: usize| {
                let above = truth.get(place..).unwrap_or_default();
                1.0 - above.iter().sum::<f64>() / above.len() as f64
            };
            let limit = 0.12;
            let (mut broken, mut optimistic, mut some) = (0, 0, 0);
            for set in 0..400 {
                let mut draws = Draws::seeded(7, set);
                let (mut c, mut right) = (Vec::new(), Vec::new());
                for _ in 0..400 {
                    let place = draws.one_of(levels.len());
                    c.push(levels[place]);
                    right.push(u8::from(draws.uniform() < truth[place]));
                }
                let points = working_points(&c, &right).unwrap();
                let place = |found: usize| levels.iter().position(|level| *level == points[found].threshold).unwrap();
                if let Some(found) = certified(&points, limit, 0.05) {
                    some += 1;
                    broken += usize::from(risk_from(place(found)) > limit);
                }
                optimistic += usize::from(lowest_observed(&points, limit).is_some_and(|k| risk_from(place(k)) > limit));
            }
            assert!(broken <= 20, "{broken} of 400");
            // where the surest answers are the worst, no threshold is good enough, and hardly one seems to be
            assert!(truth[5] < 0.9 || (some > 200 && optimistic > 40), "{some} and {optimistic} of 400");
        }
    }
}
