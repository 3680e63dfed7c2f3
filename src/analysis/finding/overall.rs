//! All rows together: how far off, in which way, and whether that could be chance.

use crate::report::view::request::ReliabilityRequest;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Estimate, FoundClusters};
use crate::data::{Predictions, PresentClusters, View};
use crate::error::{Error, Result};
use crate::metric::accuracy::ACCURACY;
use crate::metric::auroc::{AUROC, auroc};
use crate::metric::brier::{BRIER, weighted_brier_pair};
use crate::metric::clinical::{INTERCEPT_LARGE, SLOPE, clustered_intercept_slope};
use crate::metric::ece::ECE;
use crate::metric::entry::Metric;
use crate::metric::log_loss::NLL;
use crate::metric::scaled_brier::{SCALED_BRIER, scaled_brier};
use crate::num::cluster::{RowClusters, correlated_variance, influence_variance, outcome_correlation};
use crate::num::proportion::Z_95;
use crate::num::weight::{RowWeights, total_weight, weight, weighted_mean, weighted_share};
use crate::plot::reliability::ReliabilityChart;
use crate::report::view::{method_rows, reliability};
use crate::report::{MethodRows, RunOutcome};
use crate::scan::{ScoreTest, score_test};

/// Under this name observed / expected stands among the numbers.
pub const OBSERVED_EXPECTED: &str = "observed_expected";

/// All rows together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overall {
    /// which pair is looked at
    pub view: View,
    /// scored rows
    pub rows: usize,
    /// mean score
    pub says: f64,
    /// share that happened
    pub happened: f64,
    /// z of Σ w (t − s) where every score is right
    pub mean_z: f64,
    /// rows that belong together
    pub clusters: Option<FoundClusters>,
    /// against every smooth curve of the score
    pub test: ScoreTest,
    /// β of logit P = α + β logit s; 1 where scores are right
    pub slope: Estimate,
    /// by metric id
    pub numbers: BTreeMap<String, Estimate>,
    /// the diagram
    pub chart: ReliabilityChart,
}

/// Metrics of a kind of problem in the order in which they are told.
pub fn told(view: View) -> Vec<(&'static str, &'static str)> {
    match view {
        View::Positive => vec![
            (OBSERVED_EXPECTED, "Observed : expected"),
            (INTERCEPT_LARGE.id, INTERCEPT_LARGE.name),
            (SLOPE.id, SLOPE.name),
            (AUROC.id, AUROC.name),
            (BRIER.id, BRIER.name),
            (SCALED_BRIER.id, SCALED_BRIER.name),
        ],
        View::TopLabel => vec![
            (ACCURACY.id, ACCURACY.name),
            (ECE.id, ECE.name),
            (NLL.id, NLL.name),
            (BRIER.id, BRIER.name),
            (AUROC.id, "AUROC of being right"),
        ],
    }
}

/// The numbers of all scored rows: those of the last run with their intervals, else computed here.
///
/// # Errors
/// `unknown_method`; `too_few_rows` where no row is scored; those of the diagram.
///
/// # Cost
/// That of [`score_test`], of two logistic fits, and a sort.
pub fn overall(data: &Predictions, run: &RunOutcome, seed: u64) -> Result<Overall> {
    let rows = method_rows(run, None)?;
    let (s, t, w) = (&rows.score, &rows.target, rows.weights());
    if s.is_empty() {
        return Err(Error::new("too_few_rows", "0 rows are scored.", "Leave rows to be scored, or score all of them."));
    }
    let (mut sum, mut spread) = (0.0, 0.0);
    for (i, (s, &t)) in s.iter().zip(t.iter()).enumerate() {
        let w = weight(w, i);
        sum += w * (f64::from(t) - s);
        spread += w * w * s * (1.0 - s);
    }
    let present = rows.clusters.present();
    let clusters = present.as_ref().map(PresentClusters::rows);
    let mut found_clusters = None;
    if let (Some(clusters), Some(all)) = (clusters, &data.clusters) {
        let rho = outcome_correlation(s, t, clusters.of, clusters.count);
        let terms = s.iter().enumerate().map(|(i, s)| weight(w, i) * (s * (1.0 - s)).max(0.0).sqrt());
        spread = correlated_variance(terms, clusters, rho);
        found_clusters = Some(FoundClusters { column: all.column.clone(), count: clusters.count, icc: rho });
    }
    let numbers = numbers(data.view, run, rows, clusters)?;
    Ok(Overall {
        clusters: found_clusters,
        view: data.view,
        rows: s.len(),
        says: weighted_mean(s, w),
        happened: weighted_share(t, w),
        // without any spread a difference cannot be chance
        mean_z: if sum == 0.0 { 0.0 } else { sum / spread.sqrt() },
        test: score_test(s, t, w, seed, 0),
        slope: match numbers.get(SLOPE.id) {
            Some(slope) => *slope,
            None => of_fit(clustered_intercept_slope(s, t, w, clusters)?.slope),
        },
        numbers,
        chart: reliability::chart(data, run, &ReliabilityRequest::default())?,
    })
}

fn of_fit(fit: Option<crate::metric::clinical::Estimate>) -> Estimate {
    let number = |value: f64| Some(value).filter(|value| value.is_finite());
    fit.map_or_else(Estimate::default, |fit| Estimate {
        value: number(fit.value),
        low: number(fit.low),
        high: number(fit.high),
        corrected: None,
    })
}

fn numbers(
    view: View,
    run: &RunOutcome,
    rows: &MethodRows,
    clusters: Option<RowClusters>,
) -> Result<BTreeMap<String, Estimate>> {
    let of_run = run.report.methods.iter().find(|method| method.name == rows.method.name);
    let known = |id: &str| -> Option<Estimate> {
        let found = of_run?.metrics.get(id).filter(|found| found.value.is_some())?;
        Some(Estimate { value: found.value, low: found.low, high: found.high, corrected: found.corrected })
    };
    let mut numbers = BTreeMap::new();
    let mut fits = None;
    for (id, _) in told(view) {
        let found = match known(id) {
            Some(found) => found,
            None => missing(id, view, (rows, clusters), &mut fits)?,
        };
        numbers.insert(id.to_owned(), found);
    }
    Ok(numbers)
}

/// A number that the run does not hold.
fn missing(
    id: &str,
    view: View,
    (rows, clusters): (&MethodRows, Option<RowClusters>),
    fits: &mut Option<crate::metric::clinical::InterceptSlope>,
) -> Result<Estimate> {
    let (s, t, w) = (&rows.score, &rows.target, rows.weights());
    let of = Of { s, t, w, clusters };
    let is = |metric: &Metric| id == metric.id;
    if id == OBSERVED_EXPECTED {
        return Ok(observed_expected(of));
    }
    if is(&INTERCEPT_LARGE) || is(&SLOPE) {
        if fits.is_none() {
            *fits = Some(clustered_intercept_slope(s, t, w, clusters)?);
        }
        let fit = fits.as_ref().and_then(|fits| if is(&SLOPE) { fits.slope } else { fits.intercept_large });
        return Ok(of_fit(fit));
    }
    let pair = view == View::Positive;
    Ok(if is(&SCALED_BRIER) {
        scaled(of)?
    } else if is(&BRIER) && pair {
        let value = weighted_brier_pair(s, t, w)?;
        of_means(value, of, |s, t| (s - t) * (s - t) - value)
    } else if is(&AUROC) && w.is_none() {
        Estimate { value: auroc(s, t)?, ..Estimate::default() }
    } else if is(&ACCURACY) && !pair {
        let value = weighted_share(t, w);
        of_means(value, of, |_, t| t - value)
    } else {
        Estimate::default()
    })
}

/// Rows that a number is computed of.
#[derive(Clone, Copy)]
struct Of<'a> {
    s: &'a [f64],
    t: &'a [u8],
    w: RowWeights<'a>,
    clusters: Option<RowClusters<'a>>,
}

/// A number whose error is a weighted mean of `influence(s, t)`: value ± 1.96 √V / Σ w, V = Σ w² influence², or its
/// cluster-robust form.
fn of_means(value: f64, of: Of, influence: impl Fn(f64, f64) -> f64) -> Estimate {
    let Of { s, t, w, clusters } = of;
    let each = s.iter().zip(t).enumerate().map(|(i, (&s, &t))| weight(w, i) * influence(s, f64::from(t)));
    let half = Z_95 * influence_variance(each, clusters).sqrt() / total_weight(w, s.len());
    Estimate { value: Some(value), low: Some(value - half), high: Some(value + half), corrected: None }
}

/// Σ w t / Σ w s with e^{± 1.96 SE}, SE² = V / (Σ w)², V the variance of Σ w (t / t̄ − s / s̄).
fn observed_expected(of: Of) -> Estimate {
    let (says, happened) = (weighted_mean(of.s, of.w), weighted_share(of.t, of.w));
    if says <= 0.0 {
        return Estimate::default();
    }
    let ratio = happened / says;
    if happened <= 0.0 {
        return Estimate { value: Some(ratio), ..Estimate::default() };
    }
    let log = of_means(ratio.ln(), of, |s, t| t / happened - s / says);
    let [low, high] = [log.low, log.high].map(|end| end.map(f64::exp));
    Estimate { value: Some(ratio), low, high, corrected: None }
}

/// 1 − B / U, U = t̄(1 − t̄), with the interval of its influence function −((s − t)² − B) / U + B (1 − 2 t̄)(t − t̄) / U².
fn scaled(of: Of) -> Result<Estimate> {
    let Of { s, t, w, .. } = of;
    let Some(value) = scaled_brier(s, t, w)? else { return Ok(Estimate::default()) };
    let (brier, share) = (weighted_brier_pair(s, t, w)?, weighted_share(t, w));
    let u = share * (1.0 - share);
    let influence =
        |s: f64, t: f64| -((s - t) * (s - t) - brier) / u + brier * (1.0 - 2.0 * share) * (t - share) / (u * u);
    Ok(of_means(value, of, influence))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn alone<'a>(s: &'a [f64], t: &'a [u8]) -> Of<'a> {
        Of { s, t, w: None, clusters: None }
    }

    /// 400 clusters of eight calibrated rows whose outcomes go together by a Gaussian copula.
    #[test]
    fn intervals_of_clusters_cover() {
        use crate::num::rng::Draws;
        use crate::num::special::sigmoid;
        use statrs::distribution::{ContinuousCDF, Normal};
        let (normal, mut covered) = (Normal::standard(), [[0; 3]; 2]);
        let of: Vec<u32> = (0..3_200).map(|i| i / 8).collect();
        const FILES: u64 = 200;
        for seed in 0..FILES {
            let mut draws = Draws::seeded(seed, 7);
            let (mut s, mut t) = (Vec::new(), Vec::new());
            for _ in 0..400 {
                let (level, effect) = (draws.normal(), draws.normal());
                for _ in 0..8 {
                    let p = sigmoid(-1.0 + 0.8 * level + 0.6 * draws.normal());
                    let hidden = 0.5_f64.sqrt() * (effect + draws.normal());
                    s.push(p);
                    t.push(u8::from(normal.cdf(hidden) < p));
                }
            }
            for (k, clusters) in [Some(RowClusters { of: &of, count: 400 }), None].into_iter().enumerate() {
                let ratio = observed_expected(Of { s: &s, t: &t, w: None, clusters });
                let fits = clustered_intercept_slope(&s, &t, None, clusters).unwrap();
                let (large, slope) = (of_fit(fits.intercept_large), of_fit(fits.slope));
                for (m, (found, truth)) in [(ratio, 1.0), (large, 0.0), (slope, 1.0)].into_iter().enumerate() {
                    covered[k][m] += u32::from(found.low.unwrap() <= truth && truth <= found.high.unwrap());
                }
            }
        }
        // 95 of 100 with a standard error of 1.5
        assert!(covered[0].iter().all(|&c| (182..=199).contains(&c)), "{covered:?}");
        assert!(covered[1][0] < 170, "the files say nothing: {covered:?}");
    }

    #[test]
    fn copies_of_a_row_tell_no_more_than_the_clusters() {
        // every row five times: the interval of the rows as they were, but for G/(G − 1)
        let (s, t) = ([0.2, 0.4, 0.6, 0.3, 0.7, 0.5], [0, 1, 1, 0, 1, 0]);
        let copies: Vec<usize> = (0..30).map(|i| i % 6).collect();
        let (s5, t5): (Vec<f64>, Vec<u8>) = copies.iter().map(|&i| (s[i], t[i])).unzip();
        let of: Vec<u32> = copies.iter().map(|&i| i as u32).collect();
        let clusters = Some(RowClusters { of: &of, count: 6 });
        for number in [observed_expected, |of: Of| scaled(of).unwrap()] {
            let once = number(alone(&s, &t));
            let five = number(Of { s: &s5, t: &t5, w: None, clusters });
            let width = |one: &Estimate| (one.high.unwrap().abs().ln() - one.low.unwrap().abs().ln()).abs();
            assert!((once.value.unwrap() - five.value.unwrap()).abs() < 1e-12);
            assert!(width(&number(Of { s: &s5, t: &t5, w: None, clusters: None })) < width(&five), "{five:?}");
        }
        let (once, five) =
            (observed_expected(alone(&s, &t)), observed_expected(Of { s: &s5, t: &t5, w: None, clusters }));
        let half = |one: &Estimate| one.high.unwrap().ln() - one.value.unwrap().ln();
        assert!((half(&five) / half(&once) - (6.0_f64 / 5.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn intervals_by_hand() {
        // half of the rows happened; as many as were said
        let found = observed_expected(alone(&[0.5; 8], &[0, 1, 0, 1, 0, 1, 0, 1]));
        // (t / ½ − 1)² = 1 everywhere: SE = √8 / 8
        let half = Z_95 / 8.0_f64.sqrt();
        assert!((found.value.unwrap() - 1.0).abs() < 1e-12);
        assert!((found.high.unwrap() - half.exp()).abs() < 1e-12 && (found.low.unwrap() - (-half).exp()).abs() < 1e-12);
        assert_eq!(observed_expected(alone(&[0.2; 4], &[0; 4])).value, Some(0.0));
        // all of the rows' squared errors are the same, and half of them happened: no error at all
        let found = scaled(alone(&[0.25, 0.75], &[0, 1])).unwrap();
        assert_eq!((found.value, found.low, found.high), (Some(0.75), Some(0.75), Some(0.75)));
    }
}
