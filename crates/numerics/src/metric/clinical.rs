//! Calibration intercept and slope, as reported for clinical prediction models.

use std::rc::Rc;

use super::entry::{Better, Cost, Cut, Discloses, Interval, IntervalKind, Metric, Range, Replicates, ValueOf, Weights};
use super::rows::Pair;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::num::logistic::{Logistic, clustered_logistic};
use crate::num::special::{NORMAL_975, PROB_CLIP, logit};
use crate::num::weight::{RowWeights, Sampling, check_weighted, tally};

/// Rows of the rarer outcome below which robust standard errors are too small: with a single event they all but vanish.
const ROBUST_FROM: usize = 20;

/// An estimate with its Wald 95 % interval, from robust standard errors: those of the information are too small where
/// scores are too extreme (CITL of scores twice as extreme: 89 of 100 intervals hold the truth) or rows have weights.
/// With fewer than 20 rows of the rarer outcome the interval is as wide as the larger of the two makes it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WaldEstimate {
    /// the estimate
    pub value: f64,
    /// its robust standard error
    pub standard_error: f64,
    /// value − 1.96 standard errors, of few rows by the information where it makes them larger
    pub low: f64,
    /// value + 1.96 of these
    pub high: f64,
}

impl WaldEstimate {
    /// * `at_least`: standard error of which the interval is at least
    fn wald(value: f64, standard_error: f64, at_least: f64) -> Self {
        let half = NORMAL_975 * standard_error.max(at_least);
        Self { value, standard_error, low: value - half, high: value + half }
    }
}

/// Intercepts and slope; `None` where the likelihood has no maximum (one kind of outcome, or separated outcomes).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InterceptSlope {
    /// calibration in the large: α of logit P(t = 1) = α + logit(s), ideally 0
    pub intercept_large: Option<WaldEstimate>,
    /// α of logit P(t = 1) = α + β logit(s), ideally 0
    pub intercept_joint: Option<WaldEstimate>,
    /// β of the same fit, ideally 1; below 1 when the scores are too extreme
    pub slope: Option<WaldEstimate>,
}

/// Calibration intercept (both definitions) and slope with Wald intervals.
///
/// Scores are clipped at 2⁻⁵² before the logit. Source: Cox (1958); Van Calster et al. (2019).
/// Errors: `empty`, `length_mismatch`. Two logistic fits.
pub fn intercept_slope(s: &[f64], t: &[u8]) -> Result<InterceptSlope> {
    weighted_intercept_slope(s, t, None)
}

/// [`intercept_slope`] that maximizes Σ w ln P(tᵢ); standard errors hold for any weights. Errors as there.
pub fn weighted_intercept_slope(s: &[f64], t: &[u8], w: RowWeights) -> Result<InterceptSlope> {
    clipped_intercept_slope(s, t, w, PROB_CLIP)
}

/// [`weighted_intercept_slope`] of scores clipped to [`clip`, 1 − `clip`]. Errors as there.
pub fn clipped_intercept_slope(s: &[f64], t: &[u8], w: RowWeights, clip: f64) -> Result<InterceptSlope> {
    fits(s, t, w, Sampling::default(), clip)
}

/// [`weighted_intercept_slope`] with cluster-robust standard errors, see [`clustered_logistic`]. Errors as there.
pub fn clustered_intercept_slope(s: &[f64], t: &[u8], w: RowWeights, sampling: Sampling) -> Result<InterceptSlope> {
    fits(s, t, w, sampling, PROB_CLIP)
}

/// A coefficient of at most this share of its standard error is 0.
const ROUNDING: f64 = 1e-10;

fn fits(s: &[f64], t: &[u8], w: RowWeights, sampling: Sampling, clip: f64) -> Result<InterceptSlope> {
    check_weighted(s.len(), t.len(), w)?;
    let z: Vec<f64> = s.iter().map(|&s| logit(s, clip)).collect();
    let large = clustered_logistic(&[], Some(&z), t, w, sampling);
    let joint = clustered_logistic(&[&z], None, t, w, sampling);
    // weights that are no numbers of rows have no information
    let counts = w.filter(|_| sampling.counted);
    let (rows, events) = tally(t, counts);
    let few = events.min(rows.saturating_sub(events)) < ROBUST_FROM && counts.is_some() == w.is_some();
    let take = |fit: &Option<Logistic>, j: usize| {
        let fit = fit.as_ref()?;
        let at_least = if few { *fit.standard_errors.get(j)? } else { 0.0 };
        let (value, error) = (*fit.coefficients.get(j)?, *fit.robust_errors.get(j)?);
        // the intercept of the rows that a model was fitted to is 0: what rounding leaves of it is no number
        let value = if value.abs() <= ROUNDING * error { 0.0 } else { value };
        Some(WaldEstimate::wald(value, error, at_least))
    };
    Ok(InterceptSlope { intercept_large: take(&large, 0), intercept_joint: take(&joint, 0), slope: take(&joint, 1) })
}

/// Calibration in the large: too low or too high overall, on the log-odds scale.
pub static INTERCEPT_LARGE: Metric = Metric {
    id: "intercept_large",
    name: "Calibration in the large",
    plain: "overall under- or overestimation on the log-odds scale",
    definition: "α of logit P = α + logit s; ideally 0. Scores are clipped at 2.2e-16 from 0 and 1.",
    formula: "α of logit P(t = 1) = α + logit s",
    source: "Cox 1958; Van Calster et al. 2019",
    better: Better::Zero,
    range: Range::Any,
    unit: "log-odds",
    value: ValueOf::Pair(|pair| Ok(cox_of(pair)?.intercept_large.map(|found| found.value))),
    weights: Weights::Form("maximizes Σ w ln P"),
    replicates: Replicates::Samples(Cost { per_row: 4e-4, fixed: 0.0 }),
    interval: Interval::Analytic(IntervalKind::Wald, |pair, _| Ok(cox_of(pair)?.intercept_large.map(ends))),
    cut: Cut::LogOdds,
    bar: false,
    discloses: Discloses::All,
    from_counts: true,
    validates: Some(1),
    ..Metric::PLAIN
};

/// Calibration intercept: the same beside a slope.
pub static INTERCEPT_JOINT: Metric = Metric {
    id: "intercept_joint",
    name: "Calibration intercept",
    plain: "intercept estimated together with the slope",
    definition: "α of logit P = α + β logit s; ideally 0. Scores are clipped at 2.2e-16 from 0 and 1.",
    formula: "α of logit P(t = 1) = α + β logit s",
    source: "Cox 1958",
    better: Better::Zero,
    range: Range::Any,
    unit: "log-odds",
    value: ValueOf::Pair(|pair| Ok(cox_of(pair)?.intercept_joint.map(|found| found.value))),
    weights: Weights::Form("maximizes Σ w ln P"),
    replicates: Replicates::Samples(Cost { per_row: 4e-4, fixed: 0.0 }),
    interval: Interval::Analytic(IntervalKind::Wald, |pair, _| Ok(cox_of(pair)?.intercept_joint.map(ends))),
    cut: Cut::LogOdds,
    bar: false,
    discloses: Discloses::All,
    from_counts: true,
    ..Metric::PLAIN
};

/// Calibration slope: below 1: too extreme.
pub static SLOPE: Metric = Metric {
    id: "slope",
    name: "Calibration slope",
    plain: "below 1: predictions too extreme",
    definition: "β of logit P = α + β logit s; ideally 1. Scores are clipped at 2.2e-16 from 0 and 1.",
    formula: "β of logit P(t = 1) = α + β logit s",
    source: "Cox 1958",
    better: Better::One,
    range: Range::Any,
    unit: "log-odds per log-odds",
    value: ValueOf::Pair(|pair| Ok(cox_of(pair)?.slope.map(|found| found.value))),
    weights: Weights::Form("maximizes Σ w ln P"),
    replicates: Replicates::Samples(Cost { per_row: 4e-4, fixed: 0.0 }),
    interval: Interval::Analytic(IntervalKind::Wald, |pair, _| Ok(cox_of(pair)?.slope.map(ends))),
    cut: Cut::LogOdds,
    bar: false,
    discloses: Discloses::All,
    from_counts: true,
    validates: Some(2),
    ..Metric::PLAIN
};

fn ends(found: WaldEstimate) -> [f64; 2] {
    [found.low, found.high]
}

fn cox_of(pair: &Pair) -> Result<Rc<InterceptSlope>> {
    pair.shared(|| clustered_intercept_slope(pair.score, pair.target, pair.weights, pair.sampling()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, near};

    /// Standard errors are those of HC0.
    #[test]
    fn agrees_with_statsmodels() {
        let (p, y) = b12();
        let fit = intercept_slope(&p, &y).expect("valid");
        let (large, joint, slope) =
            (fit.intercept_large.expect("α"), fit.intercept_joint.expect("α"), fit.slope.expect("β"));
        near(Some(large.value), 0.095_133_89, 6e-9);
        near(Some(large.standard_error), 0.751_667_77, 6e-9);
        near(Some(joint.value), 0.066_566_76, 6e-9);
        near(Some(joint.standard_error), 0.654_490_27, 6e-9);
        near(Some(slope.value), 0.741_438_01, 6e-9);
        near(Some(slope.standard_error), 0.423_273_67, 6e-9);
        assert!(slope.low < slope.value && slope.value < slope.high);
    }

    /// statsmodels: the slope is −2.356 with standard error 2.653631 by the information and 0.355646 by HC0.
    #[test]
    fn one_event_is_no_certain_slope() {
        let p: Vec<f64> = (0..100).map(|row| 0.02 + 0.0006 * f64::from(row)).collect();
        let t: Vec<u8> = (0..100).map(|row| u8::from(row == 20)).collect();
        let slope = intercept_slope(&p, &t).expect("valid").slope.expect("β");
        near(Some(slope.standard_error), 0.355_646_34, 6e-8);
        near(Some(slope.high - slope.value), NORMAL_975 * 2.653_631, 1e-5);
        // of enough rows the interval is that of the robust error
        let (p, t): (Vec<f64>, Vec<u8>) =
            (0..200).map(|row| (0.3 + 0.002 * f64::from(row), u8::from(row % 3 == 0))).unzip();
        let slope = intercept_slope(&p, &t).expect("valid").slope.expect("β");
        assert!((slope.high - slope.value - NORMAL_975 * slope.standard_error).abs() < 1e-12, "{slope:?}");
    }

    /// Scores fitted to the same outcomes: −5.2 × 10⁻¹⁶ was printed.
    #[test]
    fn an_intercept_of_0_has_no_digits() {
        let p: Vec<f64> = (0..300).map(|row| if row % 3 == 0 { 0.1 } else { 0.35 }).collect();
        let t: Vec<u8> = (0..300)
            .map(|row| {
                u8::from(if row % 3 == 0 {
                    row < 30
                } else {
                    row % 60 < 31 && row % 3 == 1 || row < 10 && row % 3 == 2
                })
            })
            .collect();
        let of =
            |k: u8| t.iter().zip(&p).filter(|(_, p)| (**p < 0.2) == (k == 0)).map(|(t, _)| f64::from(*t)).sum::<f64>();
        let fitted: Vec<f64> = p.iter().map(|p| if *p < 0.2 { of(0) / 100.0 } else { of(1) / 200.0 }).collect();
        let large = intercept_slope(&fitted, &t).expect("valid").intercept_large.expect("α");
        assert_eq!(large.value, 0.0);
        assert!(large.low < 0.0 && large.high > 0.0, "{large:?}");
    }

    #[test]
    fn no_maximum_is_none() {
        let fit = intercept_slope(&[0.2, 0.6], &[1, 1]).expect("valid");
        assert_eq!((fit.intercept_large, fit.slope), (None, None));
        let separated = intercept_slope(&[0.2, 0.6, 0.8], &[0, 1, 1]).expect("valid");
        assert!(separated.slope.is_none() && separated.intercept_large.is_some());
    }
}
