//! Selective prediction: the error rate of the predictions above a confidence threshold against their proportion, and the
//! threshold at which it stays below a chosen limit.

mod plan;
mod request;
mod words;

pub use plan::FindThresholds;
pub use request::RiskCoverageRequest;

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::pair::confidence_of_predicted;
use crate::data::{Predictions, View};
use crate::decision::selective::{
    WorkingPoint, binomial_cdf, certified, least_answers, lowest_observed, working_points,
};
use crate::error::{Error, Result, phrases};
use crate::metric::risk_coverage::{RiskCoverage, risk_coverage as areas};
use crate::num::proportion::clopper_pearson;
use crate::num::rng::Draws;
use crate::plot::chart::Screen;
use crate::report::sheet::Sheet;
use crate::report::verdict::Verdict;
use crate::report::{MethodRows, RunOutcome};

/// Default maximum error rate.
pub const RISK: f64 = 0.1;
/// Default confidence level.
pub const CONFIDENCE: f64 = 0.95;
/// Maximum number of reported points of a curve.
const POINTS: usize = 1000;
/// Seed of the division into halves.
const SEED: u64 = 1;

/// Response of `data.analyse("risk_coverage")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RiskCoverageOutcome {
    /// r*, maximum error rate of the predictions that are used
    pub risk: f64,
    /// confidence level 1 − δ
    pub confidence: f64,
    /// results in the order of the run
    pub methods: Vec<MethodCoverage>,
    /// whether a limit is certified; no hypothesis about calibration is tested
    pub verdict: Verdict,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type RiskCoverageWithoutCharts = WithoutCharts<RiskCoverageOutcome>;
/// The step that draws its charts.
pub type ShowRiskCoverage = Show<RiskCoverageOutcome>;

impl HasCharts for RiskCoverageOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// Selective prediction under one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MethodCoverage {
    /// name of the method
    pub name: String,
    /// number of scored rows
    pub n: usize,
    /// of these, rows with an incorrect prediction
    pub errors: usize,
    /// AURC, E-AURC and AUGRC
    pub areas: [f64; 3],
    /// thresholds, from the highest: all up to 1,000, else 1,000 of them, the lowest among them
    pub points: Vec<CoveragePoint>,
    /// number of rows that certify a threshold: one per cluster, and only half of them if the other half is held out
    pub tested: usize,
    /// lowest threshold with a certified error rate; null if there is none
    pub certified: Option<CertifiedThreshold>,
    /// lowest threshold with an observed error rate of at most `risk`; optimistic
    pub observed: Option<CoveragePoint>,
    /// number of predictions without an error that would certify `risk`
    pub least: usize,
    /// rows without the most frequent outcome, where they are so few that always predicting it would not exceed `risk` either;
    /// absent otherwise
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rarer: Option<RarerOutcomes>,
}

/// Scored rows that do not have the most frequent outcome.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RarerOutcomes {
    /// number of rows
    pub rows: usize,
    /// of these, rows with an incorrect prediction
    pub errors: usize,
    /// whether they are the events; null if the predicted class is scored
    pub events: Option<bool>,
}

/// Results of a threshold on the scored rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoveragePoint {
    /// lowest confidence at which a prediction is used
    pub threshold: f64,
    /// rows at or above the threshold
    pub answered: usize,
    /// of these, rows with an incorrect prediction
    pub errors: usize,
    /// answered / n
    pub coverage: f64,
    /// errors / answered
    pub risk: f64,
    /// errors / n, the generalized risk
    pub generalized_risk: f64,
}

/// A confidence threshold above which the error rate of new rows is at most the target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CertifiedThreshold {
    /// lowest confidence at which a prediction is used
    pub threshold: f64,
    /// rows at or above the threshold, among those that selected it
    pub answered: usize,
    /// of these, rows with an incorrect prediction
    pub errors: usize,
    /// one-sided p-value of a higher error rate, before adjustment for the number of thresholds
    pub p: f64,
    /// proportion of new rows at or above the threshold, estimated on those rows or on the held-out half
    pub coverage: f64,
    /// its 95% CI (Clopper–Pearson)
    pub coverage_interval: [f64; 2],
    /// results of the threshold on the held-out half; null without one
    pub held_out: Option<HeldOut>,
}

/// Results of a threshold on rows that were not used to select it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldOut {
    /// number of rows
    pub n: usize,
    /// of these, rows at or above the threshold
    pub answered: usize,
    /// of those, rows with an incorrect prediction
    pub errors: usize,
    /// 95% CI of errors / answered (Clopper–Pearson); null if no row is at or above the threshold
    pub risk_interval: Option<[f64; 2]>,
}

/// Risk and coverage of every method of the run, and the lowest threshold that is certified for the chosen risk
/// ([`certified`]).
///
/// The tests need independent rows: of rows in clusters, such as the attempts at one question, one of each cluster is
/// drawn at random. Curve and areas are those of all scored rows.
///
/// # Errors
/// `unknown_method`; `empty` where no row is scored.
///
/// # Cost
/// O(n log n) a method.
pub fn risk_coverage(
    data: &Predictions,
    run: &RunOutcome,
    request: &RiskCoverageRequest,
) -> Result<RiskCoverageOutcome> {
    let wanted = |rows: &&MethodRows| {
        let names = request.methods.as_ref();
        names.is_none_or(|names| names.contains(&rows.method.name))
    };
    let (risk, confidence) = (request.risk.unwrap_or(RISK), request.confidence.unwrap_or(CONFIDENCE));
    let several = run.rows.iter().filter(wanted).count() > 1;
    let mut methods = Vec::new();
    for rows in run.rows.iter().filter(wanted) {
        let rows = if several { run.beside_others(rows) } else { rows };
        methods.push(of_method(data, rows, (risk, 1.0 - confidence), request.held_out)?);
    }
    if methods.is_empty() {
        return Err(Error::new("unknown_method", "None of these methods was run.", phrases::RUN_THEM_FIRST));
    }
    let mut outcome = RiskCoverageOutcome {
        risk,
        confidence,
        methods,
        verdict: Verdict::untested("", None, "This analysis chooses a threshold and tests no calibration"),
        sheet: Sheet::default(),
    };
    outcome.sheet = words::sheet(data, run, request, &outcome);
    Ok(outcome)
}

fn of_method(data: &Predictions, rows: &MethodRows, limit: (f64, f64), held_out: bool) -> Result<MethodCoverage> {
    let (c, correct) = confidence_of_predicted(data, &rows.rows, &rows.score, &rows.target);
    let RiskCoverage { aurc, excess, augrc } = areas(&c, &correct)?;
    let n = c.len();
    let all = working_points(&c, &correct)?;
    let every = all.len().div_ceil(POINTS).max(1);
    let kept = all.iter().rev().step_by(every).map(|point| coverage_point(point, n));
    let mut points: Vec<CoveragePoint> = kept.collect();
    points.reverse();
    let independent = independent_rows(rows);
    let (chosen_by, others) = if held_out { halves(&independent) } else { (independent, Vec::new()) };
    let picked = |positions: &[u32]| -> (Vec<f64>, Vec<u8>) {
        positions.iter().filter_map(|at| Some((*c.get(*at as usize)?, *correct.get(*at as usize)?))).unzip()
    };
    let (risk, delta) = limit;
    let tested = picked(&chosen_by);
    let places = if tested.0.is_empty() { Vec::new() } else { working_points(&tested.0, &tested.1)? };
    let threshold = certified(&places, risk, delta).and_then(|place| places.get(place));
    let threshold = threshold.map(|point| certificate(point, chosen_by.len(), risk));
    let threshold = threshold.map(|found| match held_out {
        true => on_the_other_half(found, &picked(&others)),
        false => found,
    });
    Ok(MethodCoverage {
        name: rows.method.name.clone(),
        n,
        errors: all.last().map_or(0, |point| point.errors),
        areas: [aurc, excess, augrc],
        tested: chosen_by.len(),
        certified: threshold,
        observed: lowest_observed(&all, risk).and_then(|place| all.get(place)).map(|point| coverage_point(point, n)),
        least: least_answers(risk, delta),
        rarer: rarer_outcomes(data, rows, &correct)
            .filter(|rarer| rarer.rows > 0 && rarer.rows as f64 <= risk * n as f64),
        points,
    })
}

/// Rows without the most frequent outcome; none where outcomes are not known. O(n).
fn rarer_outcomes(data: &Predictions, rows: &MethodRows, correct: &[u8]) -> Option<RarerOutcomes> {
    let y = data.y.as_ref()?;
    let outcomes: Vec<usize> = match data.view {
        View::Positive => rows.target.iter().map(|target| usize::from(*target)).collect(),
        View::TopLabel => rows.rows.iter().map(|row| y.get(*row as usize).map_or(0, |class| *class as usize)).collect(),
    };
    let mut counts = vec![0; outcomes.iter().max()? + 1];
    outcomes.iter().for_each(|outcome| counts.iter_mut().skip(*outcome).take(1).for_each(|count| *count += 1));
    let (most, count) = counts.iter().enumerate().max_by_key(|(_, count)| **count)?;
    let wrong = outcomes.iter().zip(correct).filter(|(outcome, correct)| **outcome != most && **correct == 0);
    Some(RarerOutcomes {
        rows: outcomes.len() - count,
        errors: wrong.count(),
        events: (data.view == View::Positive).then_some(most == 0),
    })
}

fn coverage_point(point: &WorkingPoint, n: usize) -> CoveragePoint {
    CoveragePoint {
        threshold: point.threshold,
        answered: point.answered,
        errors: point.errors,
        coverage: point.answered as f64 / n as f64,
        risk: point.risk(),
        generalized_risk: point.errors as f64 / n as f64,
    }
}

fn certificate(point: &WorkingPoint, n: usize, risk: f64) -> CertifiedThreshold {
    let (low, high) = clopper_pearson(point.answered, n);
    CertifiedThreshold {
        threshold: point.threshold,
        answered: point.answered,
        errors: point.errors,
        p: binomial_cdf(point.errors, point.answered, risk),
        coverage: point.answered as f64 / n as f64,
        coverage_interval: [low, high],
        held_out: None,
    }
}

/// Coverage and errors of rows that had no part in the choice.
fn on_the_other_half(found: CertifiedThreshold, (c, correct): &(Vec<f64>, Vec<u8>)) -> CertifiedThreshold {
    let answers = |c: &f64| crate::num::ties::at_or_above(*c, found.threshold);
    let answered = c.iter().filter(|c| answers(c)).count();
    let errors = c.iter().zip(correct).filter(|(c, right)| answers(c) && **right == 0).count();
    let (low, high) = clopper_pearson(answered, c.len());
    let risk_interval = (answered > 0).then(|| {
        let (low, high) = clopper_pearson(errors, answered);
        [low, high]
    });
    CertifiedThreshold {
        coverage: answered as f64 / (c.len() as f64).max(1.0),
        coverage_interval: [low, high],
        held_out: Some(HeldOut { n: c.len(), answered, errors, risk_interval }),
        ..found
    }
}

/// Positions of rows that are independent: all, or one of every cluster, each of its rows as likely. The first one would not
/// stand for the others where their order says something: answers of several models, one model after the other.
fn independent_rows(rows: &MethodRows) -> Vec<u32> {
    let all = 0..rows.rows.len() as u32;
    let Some(clusters) = rows.clusters.present() else { return all.collect() };
    let mut draws = Draws::seeded(SEED, 1);
    // of each cluster the number of rows that were met, and the one that was kept
    let mut kept = vec![(0_u32, 0_u32); clusters.count];
    for (at, of) in all.zip(clusters.of.iter()) {
        if let Some((met, row)) = kept.get_mut(*of as usize) {
            *met += 1;
            if draws.uniform() * f64::from(*met) < 1.0 {
                *row = at;
            }
        }
    }
    let mut rows: Vec<u32> = kept.iter().filter(|(met, _)| *met > 0).map(|(_, row)| *row).collect();
    rows.sort_unstable();
    rows
}

/// The rows in two halves at random, each in its order.
fn halves(positions: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut draws = Draws::seeded(SEED, 0);
    let mut left = positions.len();
    let mut wanted = left.div_ceil(2);
    // each row with the share of the rows still wanted: exactly half of them, every choice as likely
    positions.iter().partition(|_| {
        let taken = draws.uniform() * (left as f64) < wanted as f64;
        left -= 1;
        wanted -= usize::from(taken);
        taken
    })
}
