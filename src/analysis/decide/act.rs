//! Act, or leave alone: what a probability is worth where a miss and a false alarm cost something.

use serde::{Deserialize, Serialize};

use super::figures::ink;
use super::{Answers, DecideRequest};
use crate::data::PresentClusters;
use crate::decision::benefit_intervals::{BenefitAt, BootstrapEstimate, DRAWS, net_benefit_intervals};
use crate::error::{Error, Result};
use crate::evaluation::method::{title, whose_scores};
use crate::num::proportion::too_few_to_resample;
use crate::num::special::{NORMAL_975, normal_above};
use crate::num::ties::at_or_above;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::decision_curve::{decision_curves, line};
use crate::report::disclosure::{Basis, Stated};
use crate::report::interval::{NO_INTERVAL, TOO_FEW, bands};
use crate::report::sheet::{Block, Cell, SheetTable, Tone};
use crate::report::verdict::{Evidence, Verdict};
use crate::words::number::{fixed_hundredfold, percent, plain};
use crate::words::text::capitalized;

/// Thresholds of the curves.
const STEPS: usize = 60;
/// The largest threshold.
const LAST: f64 = 0.99;
/// Bands that are drawn at most: more hide each other.
const BANDS: usize = 2;
/// Of each chart.
const ROOM: ChartWidth = ChartWidth::Half;

/// What acting on the probability of every method is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActOutcome {
    /// probability threshold above which acting has the lower expected cost: cost of a false positive / (cost of a false
    /// positive + cost of a false negative)
    pub threshold: f64,
    /// verdict on the recalibration that adds most net benefit at the threshold
    pub verdict: Verdict,
    /// in the order of the run
    pub methods: Vec<MethodBenefit>,
}

/// Decisions at a threshold under one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MethodBenefit {
    /// name of the method
    pub name: String,
    /// number of rows
    pub n: usize,
    /// true positives
    pub caught: usize,
    /// false positives
    pub false_alarms: usize,
    /// false negatives
    pub missed: usize,
    /// true negatives
    pub spared: usize,
    /// net benefit at the threshold in true positives per row: estimate and 95% CI; the limits of this and all following
    /// intervals are null if fewer than 10 rows have the rarer outcome
    pub benefit: [Option<f64>; 3],
    /// net benefit minus that of treating all rows as positive: estimate and 95% CI
    pub over_all: [Option<f64>; 3],
    /// net benefit minus that of `none` on the same rows: estimate and 95% CI; null for `none`, or if it was not run on
    /// the same rows
    pub over_none: Option<[Option<f64>; 3]>,
    /// two-sided p-value of `over_none`; null without its interval
    pub p: Option<f64>,
    /// decision curve: (threshold, net benefit, lower limit, upper limit)
    pub curve: Vec<[Option<f64>; 4]>,
    /// difference from `none`: (threshold, difference, lower limit, upper limit)
    pub gain: Vec<[Option<f64>; 4]>,
}

/// Costs and range of a decision to act.
struct ActionCosts {
    /// cost of a miss, for words alone
    miss: f64,
    /// cost of a false alarm, for words alone
    alarm: f64,
    threshold: f64,
    thresholds: Vec<f64>,
}

impl ActionCosts {
    fn new(request: &DecideRequest, answers: &[Answers]) -> Result<Self> {
        let (miss, alarm) = match request.threshold {
            // the odds of the threshold are the cost of a false alarm in misses; rounded, since it is only said
            Some(threshold) => ((1e3 * (1.0 - threshold) / threshold).round() / 1e3, 1.0),
            None => (request.miss.unwrap_or(10.0), request.false_alarm.unwrap_or(1.0)),
        };
        let threshold = request.threshold.unwrap_or(alarm / (alarm + miss));
        if threshold > LAST {
            return Err(Error::new(
                "invalid_option",
                format!("The costs imply a threshold of {threshold:.4}; the largest is {LAST}."),
                "Use a larger cost of a false negative or a smaller cost of a false positive.",
            ));
        }
        // A round end that holds the threshold twice and nearly every score.
        let high = answers.iter().filter_map(|one| upper(&one.rows.score)).fold(2.0 * threshold, f64::max);
        let to = request.to.unwrap_or(round_end(high)).min(LAST);
        let from = request.from.unwrap_or(0.0);
        if from >= to {
            return Err(Error::new(
                "invalid_option",
                format!("The thresholds {from} to {to} do not form a range."),
                "Use a lower and a higher threshold, both between 0 and 0.99.",
            ));
        }
        let mut thresholds = thresholds(from, to);
        thresholds.push(threshold);
        thresholds.sort_unstable_by(f64::total_cmp);
        thresholds.dedup();
        Ok(Self { miss, alarm, threshold, thresholds })
    }

    /// Whether the curves show a threshold: that of the costs may lie beyond the range.
    fn shows(&self, request: &DecideRequest, at: f64) -> bool {
        let from = request.from.unwrap_or(0.0);
        request.to.is_none_or(|to| at <= to) && at >= from
    }
}

/// The thresholds of a curve: even steps, both ends among them.
pub(in crate::analysis) fn thresholds(from: f64, to: f64) -> Vec<f64> {
    let step = (to - from) / STEPS as f64;
    (0..=STEPS).map(|k| from + step * k as f64).collect()
}

/// The next multiple of 0.05, at most the largest threshold.
pub(in crate::analysis) fn round_end(high: f64) -> f64 {
    ((20.0 * high).ceil() / 20.0).min(LAST)
}

/// What 995 of 1,000 scores do not exceed.
pub(in crate::analysis) fn upper(scores: &[f64]) -> Option<f64> {
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get((0.995 * (sorted.len().max(1) - 1) as f64) as usize).copied()
}

/// What acting is worth under every method, and the blocks that show it.
///
/// # Errors
/// `invalid_option` for a range of thresholds that is none.
pub(super) fn act(
    answers: &[Answers],
    base: Option<usize>,
    request: &DecideRequest,
) -> Result<(ActOutcome, Vec<Stated<Block>>)> {
    let asked = ActionCosts::new(request, answers)?;
    let before = base.and_then(|base| answers.get(base));
    let methods: Result<Vec<MethodBenefit>> = answers
        .iter()
        .enumerate()
        .map(|(i, one)| {
            let before = before.filter(|before| base != Some(i) && before.rows.rows == one.rows.rows);
            benefit_of(one, before, &asked, request)
        })
        .collect();
    let methods = methods?;
    let verdict = verdict(&methods);
    let outcome = ActOutcome { threshold: asked.threshold, verdict, methods };
    let mut charts = vec![decision_curve(answers, &outcome, &asked, request)];
    charts.extend(differences(&outcome, &asked));
    let of: Vec<Vec<u64>> = outcome.methods.iter().map(MethodBenefit::counts).collect();
    let basis = |place: usize| Basis::Set { of: of.clone(), place };
    let blocks = vec![
        Block::Heading("Decision curve".to_owned()).of(Basis::Setting),
        Block::Reading(reading(&outcome, base, &asked)).of(basis(base.unwrap_or(0))),
        // what a recalibration adds may be the outcome of few rows
        Block::Text(beside(&outcome)).of(Basis::Unknown),
        Block::Table(table(&outcome, &asked)).of(Basis::Lines((0..of.len()).map(basis).collect())),
        // the steps of a curve are single rows
        Block::Charts(charts).of(Basis::Unknown),
        Block::Note(format!(
            "For calibrated probabilities, the threshold {} minimizes expected cost; it is false-positive cost / \
             (false-positive cost + false-negative cost). Net benefit: true positives per 100 rows minus false \
             positives weighted by the odds of the threshold (Vickers and Elkin 2006); acting on none is 0. {}.",
            percent(outcome.threshold),
            match outcome.methods.first() {
                Some(one) if one.is_too_few() => capitalized(NO_INTERVAL),
                _ => format!(
                    "Pointwise 95% CIs from {DRAWS} bootstrap resamples of {}; those of differences are at least as wide as \
                     the predicted probabilities of the rows that are treated differently imply",
                    answers.first().map_or("rows", |one| one.rows.resampled_units())
                ),
            }
        ))
        .of(Basis::Setting),
    ];
    Ok((outcome, blocks))
}

impl MethodBenefit {
    /// What can be counted from its numbers.
    fn counts(&self) -> Vec<u64> {
        [self.caught, self.false_alarms, self.missed, self.spared].map(|rows| rows as u64).to_vec()
    }

    /// Whether too few rows have, or lack, the outcome for any interval or comparison.
    fn is_too_few(&self) -> bool {
        too_few_to_resample((self.n, self.caught + self.missed))
    }
}

fn benefit_of(
    one: &Answers,
    before: Option<&Answers>,
    asked: &ActionCosts,
    request: &DecideRequest,
) -> Result<MethodBenefit> {
    let (score, target) = (&one.rows.score, &one.rows.target);
    let other = before.map_or(&one.rows.score, |before| &before.rows.score);
    let clusters = one.rows.clusters.present();
    let clusters = clusters.as_ref().map(PresentClusters::rows);
    let found = net_benefit_intervals(score, other, target, &asked.thresholds, clusters, 0)?;
    // draws depend on the thresholds, and the range of these on the other methods: the numbers that are stated do not
    let stated = net_benefit_intervals(score, other, target, &[asked.threshold], clusters, 0)?;
    let mut cells = [0usize; 4];
    for (&p, &t) in score.iter().zip(target.iter()) {
        let acted = at_or_above(p, asked.threshold);
        cells[2 * usize::from(!acted) + usize::from(t == 0)] += 1;
    }
    let [caught, false_alarms, missed, spared] = cells;
    let at = stated.first();
    let of = |pick: &dyn Fn(&BenefitAt) -> BootstrapEstimate| at.map_or([None; 3], |at| pick(at).numbers());
    let shown = || found.iter().filter(|at| asked.shows(request, at.threshold));
    let curve = |pick: &dyn Fn(&BenefitAt) -> BootstrapEstimate| -> Vec<[Option<f64>; 4]> {
        shown().map(|at| pick(at).at(at.threshold)).collect()
    };
    Ok(MethodBenefit {
        name: one.rows.method.name.clone(),
        n: score.len(),
        caught,
        false_alarms,
        missed,
        spared,
        benefit: of(&|at| at.model),
        over_all: of(&|at| at.over_all),
        over_none: before.map(|_| of(&|at| at.over_base)),
        p: before.and(at).map(|at| at.over_base).filter(|gain| gain.interval.is_some()).map(|gain| gain.p),
        curve: curve(&|at| at.model),
        gain: if before.is_some() { curve(&|at| at.over_base) } else { Vec::new() },
    })
}

/// About the recalibration that adds most: its p-value times the number of recalibrations (Bonferroni).
fn verdict(methods: &[MethodBenefit]) -> Verdict {
    if methods.iter().any(|method| method.over_none.is_some() && method.is_too_few()) {
        return Verdict::untested("", None, capitalized(TOO_FEW));
    }
    let gains = methods.iter().filter_map(|method| Some((method, method.over_none?[0]?, method.p?)));
    let tried = gains.clone().count() as f64;
    match gains.reduce(|a, b| if b.1 > a.1 { b } else { a }) {
        Some((method, gain, p)) => {
            let p = if gain > 0.0 { (p * tried).min(1.0) } else { 1.0 };
            Verdict::new(&*method.name, Some(gain), Evidence::P(p))
        }
        None => Verdict::untested("", None, "No recalibration method was run together with the original predictions"),
    }
}

/// "5.9 (95% CI 5.1 to 6.7)" per 100 rows; without an interval "5.9".
fn per_hundred(ends: [Option<f64>; 3]) -> String {
    let (value, interval) = hundredfold(ends);
    interval.map_or_else(|| value.clone(), |interval| format!("{value} (95% CI {interval})"))
}

/// The same in a column whose head says what the interval is: "5.9 (5.1 to 6.7)".
fn in_column(ends: [Option<f64>; 3]) -> String {
    let (value, interval) = hundredfold(ends);
    interval.map_or_else(|| value.clone(), |interval| format!("{value} ({interval})"))
}

/// A value and its interval per 100 rows, all with the same decimals.
fn hundredfold(ends: [Option<f64>; 3]) -> (String, Option<String>) {
    let places = if ends.iter().flatten().all(|end| end.abs() < 0.1) { 2 } else { 1 };
    let [value, low, high] = ends.map(|end| end.map(|end| fixed_hundredfold(end, places)));
    (value.unwrap_or_else(|| "–".to_owned()), low.zip(high).map(|(low, high)| format!("{low} to {high}")))
}

fn share(count: usize, n: usize) -> String {
    fixed_hundredfold(count as f64 / n.max(1) as f64, 1)
}

/// On which side of 0 a net benefit is: that of the model, or its difference from acting on all. Both are read at once, so
/// each is tested at half the level; the intervals beside them are not adjusted.
enum Side {
    Above,
    Below,
    /// its own 95% interval excludes 0
    BeforeAdjustment,
    /// 0 in every resample: the model decides as acting on all, or on none, does
    Same,
    Unclear,
}

impl Side {
    fn of(ends: [Option<f64>; 3]) -> Self {
        let [Some(value), Some(low), Some(high)] = ends else { return Self::Unclear };
        let wider = normal_above(0.025 / 2.0) / NORMAL_975;
        if value - wider * (value - low) > 0.0 {
            Self::Above
        } else if value + wider * (high - value) < 0.0 {
            Self::Below
        } else if low > 0.0 || high < 0.0 {
            Self::BeforeAdjustment
        } else if [value, low, high] == [0.0; 3] {
            Self::Same
        } else {
            Self::Unclear
        }
    }
}

fn reading(outcome: &ActOutcome, base: Option<usize>, asked: &ActionCosts) -> String {
    let Some(one) = outcome.methods.get(base.unwrap_or(0)) else { return String::new() };
    let against = match Side::of(one.over_all) {
        Side::Above => "more than acting on all",
        Side::Below => "less than acting on all",
        Side::BeforeAdjustment => {
            "not significantly different from acting on all, after adjustment for two comparisons"
        }
        Side::Same => "as acting on all, which the model amounts to here",
        Side::Unclear => "not significantly different from acting on all",
    };
    let against_none = match Side::of(one.benefit) {
        Side::Above => "",
        Side::Below => "; less than acting on none",
        Side::BeforeAdjustment => {
            "; not significantly different from acting on none, after adjustment for two comparisons"
        }
        Side::Same => "; as acting on none, which the model amounts to here",
        Side::Unclear => "; not significantly different from acting on none",
    };
    let compared = match hundredfold(one.over_all) {
        (difference, Some(interval)) => {
            format!(", {against} (difference {difference}, 95% CI {interval}){against_none}")
        }
        (_, None) => format!(". Acting on all or on none: {TOO_FEW}"),
    };
    format!(
        "At costs {} (false negative) and {} (false positive), the threshold is {}. Per 100 rows: {} true \
         positives, {} false positives, {} false negatives; net benefit {}{compared}.",
        plain(asked.miss),
        plain(asked.alarm),
        percent(outcome.threshold),
        share(one.caught, one.n),
        share(one.false_alarms, one.n),
        share(one.missed, one.n),
        per_hundred(one.benefit),
    )
}

/// Why a comparison of several methods may be unclear although an interval excludes no difference.
pub(super) fn after_adjustment(methods: usize) -> String {
    if methods > 1 { format!(", after adjustment for {methods} methods") } else { String::new() }
}

fn beside(outcome: &ActOutcome) -> String {
    let tried = outcome.methods.iter().filter(|method| method.over_none.is_some()).count();
    let best = outcome.methods.iter().find(|method| method.name == outcome.verdict.subject);
    if let (Evidence::Untested(why), true) = (&outcome.verdict.evidence, tried > 0) {
        return format!("{why}.");
    }
    match best.zip(best.and_then(|best| best.over_none)) {
        Some((best, gain)) if outcome.verdict.is_supported() => {
            let luck = if tried > 1 {
                format!(
                    " It is the best of {tried} methods (significant after adjustment); its gain may be overstated \
                     by the selection."
                )
            } else {
                String::new()
            };
            format!(
                "Acting on {} instead adds {} to the net benefit per 100 rows.{luck}",
                whose_scores(&best.name),
                per_hundred(gain)
            )
        }
        Some(_) => format!(
            "No recalibration method improves net benefit significantly at this threshold{}.",
            after_adjustment(tried)
        ),
        None => "Run recalibration methods to compare their net benefit.".to_owned(),
    }
}

fn table(outcome: &ActOutcome, asked: &ActionCosts) -> SheetTable {
    let without = outcome.methods.first().is_some_and(MethodBenefit::is_too_few);
    let interval = if without { "" } else { " (95% CI)" };
    let estimates = ["#Net benefit", "#Vs. act on all", "#Vs. original"].map(|name| format!("{name}{interval}"));
    let titles = ["Predictions", "#True positives", "#False positives", "#False negatives", "#True negatives"];
    let titles: Vec<&str> = titles.into_iter().chain(estimates.iter().map(String::as_str)).collect();
    let caption = format!(
        "Per 100 rows at the threshold {} (false-negative cost {}, false-positive cost {})",
        percent(outcome.threshold),
        plain(asked.miss),
        plain(asked.alarm)
    );
    let mut table = SheetTable::new(caption, &titles);
    let definitions = [
        (1, "Acted on, event occurred."),
        (2, "Acted on, no event."),
        (3, "Not acted on, event occurred."),
        (4, "Not acted on, no event."),
        (5, "True positives minus false positives weighted by the odds of the threshold."),
        (6, "Net benefit minus that of acting on all."),
        (7, "Net benefit minus that of the original predictions on the same rows."),
    ];
    for (place, text) in definitions {
        if let Some(column) = table.columns.get_mut(place) {
            text.clone_into(&mut column.definition);
        }
    }
    for one in &outcome.methods {
        let count = |count: usize| Cell::number(share(count, one.n), count as f64);
        let estimate = |ends: [Option<f64>; 3]| Cell { text: in_column(ends), number: ends[0], ..Cell::default() };
        let gain = one.over_none.map_or_else(|| Cell::from("–"), estimate);
        let stands = outcome.verdict.is_supported() && outcome.verdict.subject == one.name;
        table.rows.push(vec![
            Cell::from(title(&one.name).as_ref()),
            count(one.caught),
            count(one.false_alarms),
            count(one.missed),
            count(one.spared),
            estimate(one.benefit),
            estimate(one.over_all),
            if stands { gain.toned(Tone::Best) } else { gain },
        ]);
    }
    table
}

fn decision_curve(answers: &[Answers], outcome: &ActOutcome, asked: &ActionCosts, request: &DecideRequest) -> Chart {
    let banded = outcome.methods.len() <= BANDS;
    let methods = outcome.methods.iter().enumerate();
    let curves: Vec<Curve> =
        methods.map(|(k, one)| line(&title(&one.name), &one.curve, ink(k), banded || k == 0)).collect();
    let rate = answers.first().map_or(0.0, |one| {
        one.rows.target.iter().map(|&t| f64::from(t)).sum::<f64>() / one.rows.target.len().max(1) as f64
    });
    let thresholds = asked.thresholds.iter().copied().filter(|&t| asked.shows(request, t));
    let bands = bands(&curves, banded);
    let chart = CurveChart {
        marked: Some((outcome.threshold, "these costs".to_owned())),
        title: "Net benefit by threshold".to_owned(),
        caption: format!(
            "Decision curve. Net benefit: true positives per 100 rows minus false positives weighted by the odds of \
             the threshold; acting on none is 0. {bands}"
        ),
        ..decision_curves(curves, thresholds, rate)
    };
    Chart::new(chart, ROOM)
}

/// What each recalibration adds to the original predictions.
fn differences(outcome: &ActOutcome, asked: &ActionCosts) -> Option<Chart> {
    let recalibrated = || outcome.methods.iter().enumerate().filter(|(_, one)| !one.gain.is_empty());
    let banded = recalibrated().count() <= BANDS;
    let curves: Vec<Curve> =
        recalibrated().map(|(k, one)| line(&title(&one.name), &one.gain, ink(k), banded)).collect();
    // Towards 1 the odds blow any difference up; where decisions are made it would be flat.
    let middle = (2.0 * asked.threshold).max(0.5);
    let seen = || recalibrated().flat_map(|(_, one)| &one.gain).filter(|at| at[0].is_some_and(|at| at <= middle));
    let drawn = seen().flat_map(|at| at.iter().skip(1).flatten());
    let most = drawn.fold(0.005, |most: f64, v| most.max(v.abs()));
    let bands = match (banded, curves.iter().all(|curve| curve.band.is_empty())) {
        (true, false) => " Bands: pointwise 95% CI.".to_owned(),
        (true, true) => format!(" {}.", capitalized(NO_INTERVAL)),
        (false, _) => String::new(),
    };
    let chart = CurveChart {
        curves,
        log_x: false,
        y_range: Some((-110.0 * most, 110.0 * most)),
        x_name: "threshold probability".to_owned(),
        y_name: "difference in net benefit per 100 rows".to_owned(),
        marked: Some((asked.threshold, "these costs".to_owned())),
        title: "Gain in net benefit by method".to_owned(),
        caption: format!("Net benefit of each method minus that of the original predictions, on the same rows.{bands}"),
    };
    (!chart.curves.is_empty()).then(|| Chart::new(chart, ROOM))
}
