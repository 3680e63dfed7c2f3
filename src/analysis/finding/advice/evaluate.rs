//! One candidate on the rows that its fits did not see.

use serde::{Deserialize, Serialize};

use super::candidate::{Candidate, Known, checked};
use super::evaluated_rows::{Applied, EvaluatedRows, EvaluationInput};
use super::gaps::{Sums, clustered_error};
use super::worsened::{WORSE, worsened};
use super::{Moves, RecalibratedSubgroup};
use crate::analysis::finding::EVENTS_PER_PARAMETER;
use crate::analysis::finding::overall::resamples;
use crate::data::folds::Split;
use crate::data::{ClusterIds, Division, Predictions, pair};
use crate::error::{Error, Result};
use crate::evaluation::method::{MethodKind, MethodSpec, fit};
use crate::evaluation::resample;
use crate::hypothesis::LEVEL;
use crate::num::cluster::RowClusters;
use crate::num::proportion::too_few_to_resample;
use crate::num::special::{NORMAL_975, wald_p};
use crate::num::weight::{RowWeights, Sampling, tally, total_weight, weight, weighted_mean};
use crate::report::MethodRows;
use crate::scan::log_odds;
use crate::table::Column;
use crate::words::text::counted;

/// Beyond so many rows halves evaluate each other, instead of as many folds as the file is divided into.
const MANY_ROWS: usize = 200_000;
/// A score that moves by less stays where it is.
const MOVED: f64 = 1e-9;

/// What became of one candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    pub(super) known: Known,
    /// how it did; else why it could not be evaluated
    pub(super) found: std::result::Result<Performance, String>,
}

/// How a candidate did.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Performance {
    /// rows that it was evaluated on
    pub(super) rows: usize,
    /// mean score of these rows with it
    pub(super) predicted: f64,
    /// mean of score − outcome of the evaluated rows
    pub(super) error: Change,
    /// mean of (ℓ − ℓ̄) (score − outcome), of which the score test of slope 1 consists ([`slope_error`])
    pub(super) slope_error: Change,
    /// mean −ln of the probability of the observed outcome; with several classes, of the class that it was
    pub(super) nll: f64,
    /// mean squared error; with several classes, summed over them
    pub(super) brier: f64,
    /// of each row, its −ln less that of the score as it is
    pub(super) nll_change: Column<f64>,
    /// interval of the mean of `nll_change`: that of the run, where it has the method; none of too few events
    pub(super) nll_interval: Option<[f64; 2]>,
    /// the mean squared error less that of the original scores
    pub(super) brier_change: f64,
    /// its interval, as of `nll_change`
    pub(super) brier_interval: Option<[f64; 2]>,
    /// w of each row; empty where every row counts once
    pub(super) weight: Column<f64>,
    /// whether each w is a number of rows that were counted elsewhere
    pub(super) counted: bool,
    /// cluster of each row; empty where each stands for itself
    pub(super) cluster: Column<u32>,
    /// losses are of the probabilities of every class
    pub(super) of_vectors: bool,
    /// rows with the rarer outcome (or of the rarest class) that the smallest of its fits saw
    pub(super) events: usize,
    /// whether too few of the evaluated rows have the rarer outcome for the interval of a change
    pub(super) few: bool,
    /// the calibration rows, where a split column or a second file defines them
    pub(super) calibration: Option<CalibrationMeans>,
    /// rows that it gives a probability of 0 or 1, to which the original scores give none near these
    pub(super) certain: usize,
    /// rows that it moves
    pub(super) moves: Moves,
    /// rows outside the named subgroups, and those of them that it moves
    pub(super) rest: [usize; 2],
    /// mean of score − outcome of the rows outside the named subgroups, before and after; none without named subgroups, and
    /// where too few of these rows have one of the outcomes
    pub(super) rest_error: Option<[Change; 2]>,
    /// mean scores of the named subgroups, before and after, and their observed share of events
    pub(super) says_of: Vec<[f64; 3]>,
    /// the named subgroups
    pub(super) subgroups: Vec<RecalibratedSubgroup>,
    /// subgroups that are significantly miscalibrated after it, and more than before
    pub(super) broken: Vec<RecalibratedSubgroup>,
}

/// Differences of losses up to this share of them are rounding.
const LAST_BITS: f64 = 1e-14;

/// Share of the rarer outcome from which on a mean error matters, however rare the outcome is.
const RARER: f64 = 0.1;

/// The calibration rows with their original scores.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct CalibrationMeans {
    /// mean score
    pub(super) predicted: f64,
    /// mean of score − outcome
    pub(super) error: Change,
}

impl CalibrationMeans {
    /// Whether the error that a fit to them leaves in the evaluated rows is due to a difference between the two: the original
    /// error of the evaluated rows lies beyond that of the calibration rows, significantly and to the side of what is left.
    ///
    /// Otherwise a fit to any rows would leave it, as does one factor on all logits where scores are also too high on average.
    pub(super) fn explain(&self, original: Change, left: f64) -> bool {
        let beyond = original.mean - self.error.mean;
        let standard_error = original.standard_error.hypot(self.error.standard_error);
        beyond * left > 0.0 && beyond.abs() > NORMAL_975 * standard_error
    }
}

/// A mean of differences of the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Change {
    pub(super) mean: f64,
    pub(super) standard_error: f64,
}

impl Change {
    /// Σ w d / Σ w with SE² = Σ w² (d − mean)² / (Σ w)², of numbers of rows Σ w (d − mean)² / (Σ w)²; of clusters that
    /// of [`clustered_error`]. O(n), O(n log n).
    ///
    /// * `counted`: whether each w is a number of rows; `cluster`: of each row; empty where each stands for itself
    pub(super) fn of(differences: &[f64], (w, counted): (RowWeights, bool), cluster: &[u32]) -> Self {
        let mean = weighted_mean(differences, w);
        let each = || differences.iter().enumerate();
        let standard_error = match cluster.is_empty() {
            true => {
                let sampling = Sampling { clusters: None, counted };
                let squares = each().map(|(i, d)| sampling.variance(weight(w, i)) * (d - mean).powi(2));
                squares.sum::<f64>().sqrt() / total_weight(w, differences.len())
            }
            false => clustered_error(each().zip(cluster).map(|((i, d), &cluster)| (cluster, weight(w, i), *d))),
        };
        Self { mean, standard_error }
    }

    /// mean ± 1.96 SE.
    pub(super) fn interval(&self) -> [f64; 2] {
        [-NORMAL_975, NORMAL_975].map(|z| self.mean + z * self.standard_error)
    }

    /// Whether that interval excludes 0.
    fn is_significant(&self) -> bool {
        matches!(self.interval(), [low, high] if low > 0.0 || high < 0.0)
    }

    /// Two-sided p of mean = 0.
    pub(super) fn p(&self) -> f64 {
        wald_p(self.mean, self.standard_error)
    }
}

impl Evaluated {
    /// Why it is not recommended, whatever its loss; none: it may be.
    pub(super) fn why_not(&self) -> Option<String> {
        self.too_few_events().or_else(|| self.certain())
    }

    /// Says how many rows it gives a probability of 0 or 1: their first other outcome would make the log loss infinite, of which
    /// neither the evaluated rows nor their resamples know.
    pub(super) fn certain(&self) -> Option<String> {
        let certain = self.found.as_ref().ok()?.certain;
        (certain > 0).then(|| format!("{} with a probability of 0 or 1", counted(certain, "row")))
    }

    /// Says how many parameters it has where they are more than the outcomes that its fits saw can tell.
    pub(super) fn too_few_events(&self) -> Option<String> {
        let found = self.found.as_ref().ok()?;
        let learns = self.known.learns.numbers;
        (learns * EVENTS_PER_PARAMETER > found.events).then(|| {
            let (parameters, events) = (counted(learns, "parameter"), counted(found.events, "row"));
            match self.known.learns.of_classes {
                true => format!("{parameters} per class; the rarest class has {events}"),
                false => format!("{parameters}, fitted to {events} of the rarer outcome"),
            }
        })
    }
}

impl Performance {
    pub(super) fn weights(&self) -> RowWeights<'_> {
        (!self.weight.is_empty()).then_some(&self.weight)
    }

    /// The mean of differences of its rows.
    pub(super) fn mean_of(&self, differences: &[f64]) -> Change {
        Change::of(differences, (self.weights(), self.counted), &self.cluster)
    }

    /// Its loss less that of the original scores.
    pub(super) fn nll_less(&self) -> Change {
        self.mean_of(&self.nll_change)
    }

    /// Whether its loss is significantly smaller than that of the original scores, as the sentence beside it says.
    pub(super) fn is_better(&self) -> bool {
        let change = self.nll_less();
        let high = self.nll_interval.map_or(change.mean + NORMAL_975 * change.standard_error, |[_, high]| high);
        high < 0.0
    }

    /// Whether the mean error of all rows is significant, and at least 2 percentage points or a tenth of the rarer outcome.
    pub(super) fn is_off_on_average(&self) -> bool {
        let observed = self.predicted - self.error.mean;
        let rarer = observed.min(1.0 - observed);
        self.error.is_significant() && self.error.mean.abs() >= f64::min(WORSE, RARER * rarer)
    }

    /// Whether every row outside the named subgroups stays where it is.
    pub(super) fn leaves_the_rest(&self) -> bool {
        self.rest[1] == 0
    }

    /// The error of the rows outside the named subgroups, if they become significantly miscalibrated, or worse by [`WORSE`].
    pub(super) fn broken_rest(&self) -> Option<f64> {
        let [before, after] = self.rest_error?;
        let more = after.mean.abs() - before.mean.abs();
        let is_broken = after.is_significant() && more > 0.0 && (!before.is_significant() || more >= WORSE);
        is_broken.then_some(after.mean)
    }

    /// Whether a detected subgroup is still significantly miscalibrated, or another one or the other rows became so.
    pub(super) fn leaves_miscalibrated(&self) -> bool {
        !self.broken.is_empty()
            || self.broken_rest().is_some()
            || self.subgroups.iter().any(RecalibratedSubgroup::is_miscalibrated)
    }

    /// Detected subgroups that are significantly miscalibrated after it, then those that became so.
    pub(super) fn miscalibrated(&self) -> impl Iterator<Item = &RecalibratedSubgroup> {
        self.subgroups.iter().filter(|one| one.is_miscalibrated()).chain(&self.broken)
    }

    /// Excess or missing events, rows × |error|, of the listed subgroups and of the other rows, as far as they are
    /// significantly miscalibrated. Those of the other rows are at least as many as it adds to them, or in subgroups that
    /// became so: a little gained where a subgroup stays off is not paid by rows that were right. Without listed subgroups
    /// the other rows are all.
    pub(super) fn excess_events(&self) -> f64 {
        let of =
            |rows: usize, error: &Change| if error.is_significant() { rows as f64 * error.mean.abs() } else { 0.0 };
        let others = match &self.rest_error {
            Some([before, after]) => {
                let [rows, _] = self.rest;
                of(rows, after).max(rows as f64 * (after.mean.abs() - before.mean.abs()))
            }
            None if self.subgroups.is_empty() => of(self.rows, &self.error),
            None => 0.0,
        };
        let listed = self.subgroups.iter().filter(|one| one.is_miscalibrated());
        let listed: f64 = listed.map(|one| one.rows as f64 * one.after.abs()).sum();
        let added = self.broken.iter().map(|one| one.rows as f64 * (one.after.abs() - one.before.abs()).max(0.0));
        listed + others.max(added.sum::<f64>())
    }
}

/// Fits a candidate on the calibration rows of each fold and evaluates it on the others; where the run has scored the same
/// rows by the same method, those scores are evaluated.
///
/// # Errors
/// `internal`; `score_missing`, `label_missing`. What keeps a candidate from being fitted is what is found.
///
/// # Cost
/// Its fits, and O(n) a named subgroup and a column.
pub(super) fn evaluate(
    asked: &EvaluationInput,
    candidate: &Candidate,
    progress: &mut dyn FnMut(f64),
) -> Result<Evaluated> {
    let known = match candidate.known(asked.data, &asked.scanned.named) {
        Ok(known) => known,
        Err(reason) => {
            let known =
                Known { method: MethodSpec::Id("none".to_owned()), title: candidate.plain(), ..Known::default() };
            return Ok(Evaluated { known, found: Err(reason) });
        }
    };
    let found = performance(asked, &known, progress);
    match found {
        Ok(found) => Ok(Evaluated { known, found: Ok(found) }),
        Err(error) if error.code() == "internal" => Err(error),
        Err(error) => Ok(Evaluated { known, found: Err(error.to_string()) }),
    }
}

/// The division behind an evaluation: that of the run, and halves of very many rows.
fn split(data: &Predictions, seed: u64) -> Result<Split> {
    let whole = Split::new(data, seed)?;
    match data.division {
        Division::Folds { folds } if folds > 2 && data.rows > MANY_ROWS => {
            Ok(Split::within(data, &whole.evaluation_rows(), 2, seed).counted(data))
        }
        _ => Ok(whole),
    }
}

/// Rows of the rarer outcome, or of the rarest class, among some; `data`: as the fit of a fold sees it.
fn events(data: &Predictions, rows: &[u32], of_classes: bool) -> Result<usize> {
    if let (true, Some(y)) = (of_classes, &data.y) {
        let mut counts = vec![0; pair::classes(data)];
        for &row in rows {
            if let Some(count) = y.get(row as usize).and_then(|&class| counts.get_mut(class as usize)) {
                *count += data.rows_of(&[row]);
            }
        }
        return Ok(counts.into_iter().min().unwrap_or(0));
    }
    let targets = pair::targets(data)?;
    let observed: Vec<u32> = rows.iter().copied().filter(|&row| targets.get(row as usize) == Some(&1)).collect();
    let observed = data.rows_of(&observed);
    Ok(observed.min(data.rows_of(rows) - observed))
}

fn performance(asked: &EvaluationInput, known: &Known, progress: &mut dyn FnMut(f64)) -> Result<Performance> {
    let data = asked.data;
    let split = split(data, asked.run.report.settings.seed)?;
    let kind = checked(data, asked.run, known.method.clone())?.kind;
    if let Some(missing) = kind.missing() {
        return Err(Error::new("invalid_option", format!("it cannot be fitted: {missing}"), ""));
    }
    let evaluated = EvaluatedRows::new(data, &split)?;
    let original = Applied { score: evaluated.before.clone(), ..Applied::default() };
    let applied = match kind {
        MethodKind::NONE => Applied { score: evaluated.before.clone(), ..Applied::default() },
        ref kind => applied(asked, &split, &evaluated.rows, kind, progress)?,
    };
    if applied.score.iter().any(|s| !s.is_finite()) {
        return Err(Error::new("not_a_number", "Some of its scores are not finite numbers.", "Exclude it."));
    }
    let (w, before, after) = (evaluated.w(), &evaluated.before, &applied.score);
    // what differs in the last bits alone is equal: a method that changes no row has no change of its loss
    let difference =
        |(a, b): (&f64, &f64)| Some(a - b).filter(|d| d.abs() > LAST_BITS * (1.0 + b.abs())).unwrap_or(0.0);
    let less = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(difference).collect() };
    let (own_nll, own_brier, of_vectors) = evaluated.losses(data, &applied)?;
    let (first_nll, first_brier, _) = evaluated.losses(data, &original)?;
    let (nll_change, brier_change) = (less(&own_nll, &first_nll), less(&own_brier, &first_brier));
    let mut fewest = usize::MAX;
    for fold in 0..split.folds {
        fewest = fewest.min(events(&split.seen(data, fold), &split.calibration_rows(fold), known.learns.of_classes)?);
    }
    let errors: Vec<f64> = after.iter().zip(&evaluated.target).map(|(s, &t)| s - f64::from(t)).collect();
    let mut found = Performance {
        rows: (0..evaluated.rows.len()).map(|i| evaluated.counts(i).rows).sum(),
        predicted: weighted_mean(after, w),
        error: Change::of(&errors, (w, evaluated.counted), &evaluated.cluster),
        slope_error: slope_error(after, &errors, &evaluated),
        nll: weighted_mean(&own_nll, w),
        brier: weighted_mean(&own_brier, w),
        brier_change: weighted_mean(&brier_change, w),
        of_vectors,
        events: fewest,
        few: too_few_to_resample(tally(&evaluated.target, w.filter(|_| evaluated.counted))),
        ..Performance::default()
    };
    if kind != MethodKind::NONE && !found.few {
        [found.nll_interval, found.brier_interval] = intervals_of_run(asked, &evaluated, [&nll_change, &brier_change]);
    }
    found.nll_change = nll_change.into();
    let level = LEVEL / asked.scanned.named.len().max(1) as f64;
    let mut outside = vec![true; evaluated.rows.len()];
    for named in asked.rank.ranked(&asked.scanned.named) {
        let inside = named.inside(data)?;
        let mut sums = Sums::default();
        for (i, &row) in evaluated.rows.iter().enumerate() {
            if inside[row as usize] {
                sums.take(evaluated.counts(i), before[i], after[i], evaluated.target[i]);
                outside[i] = false;
            }
        }
        if sums.rows > 0 {
            let mean = |sum: f64| sum / sums.weight;
            found.says_of.push([mean(sums.before), mean(sums.after), mean(sums.observed)]);
            found.subgroups.push(sums.picked(named, level));
        }
    }
    found.certain = before.iter().zip(after).filter(|(before, after)| is_certain(**before, **after)).count();
    (found.moves, found.rest) = moves(&evaluated, after, &outside);
    found.rest_error = if found.subgroups.is_empty() { None } else { rest_error(&evaluated, after, &outside) };
    found.calibration = calibration(data, &split)?;
    found.broken = worsened(asked, &evaluated, after)?;
    found.counted = evaluated.counted;
    found.weight = evaluated.weights.unwrap_or_default().into();
    found.cluster = evaluated.cluster.into();
    Ok(found)
}

/// Mean of (ℓ − ℓ̄) e over the evaluated rows, with ℓ = logit s and ℓ̄ its mean weighted by w s (1 − s): the part of e that is
/// uncorrelated with an error of the intercept. Positive where the slope of logit P on ℓ is below 1. O(n).
///
/// * `score`: s of each row; `errors`: e = s − t of each
fn slope_error(score: &[f64], errors: &[f64], evaluated: &EvaluatedRows) -> Change {
    let w = evaluated.w();
    let log_odds = log_odds(score);
    let information: Vec<f64> = score.iter().enumerate().map(|(i, s)| weight(w, i) * s * (1.0 - s)).collect();
    let middle = weighted_mean(&log_odds, Some(&information));
    let products: Vec<f64> = log_odds.iter().zip(errors).map(|(l, error)| (l - middle) * error).collect();
    Change::of(&products, (w, evaluated.counted), &evaluated.cluster)
}

/// Whether a probability becomes 0 or 1 that was not near these.
fn is_certain(before: f64, after: f64) -> bool {
    let inside = |p: f64, margin: f64| p > margin && p < 1.0 - margin;
    !inside(after, 1e-12) && inside(before, 1e-4)
}

/// The intervals of mean differences of losses, from the draws by which the run compares methods: where the run has the method,
/// its report states the same intervals. None where every draw has the same mean.
///
/// O(n) a draw.
fn intervals_of_run(
    asked: &EvaluationInput,
    evaluated: &EvaluatedRows,
    differences: [&[f64]; 2],
) -> [Option<[f64; 2]>; 2] {
    let settings = &asked.run.report.settings;
    let (w, seed, count) = (evaluated.w(), settings.seed, resamples(settings, evaluated.rows.len()));
    let found = match w {
        Some(counts) if evaluated.counted => resample::means_of_counts(differences, counts, seed, count),
        w => {
            let ids = ClusterIds::of_rows(asked.data, &evaluated.rows);
            let clusters = (!ids.of.is_empty()).then(|| RowClusters { of: &ids.of, count: ids.count });
            resample::means(differences, w, clusters, seed, count)
        }
    };
    // sums in another order never put a mean outside of its interval
    let holding = |ends: Option<[f64; 2]>, x: &[f64]| {
        let mean = weighted_mean(x, w);
        ends.map(|[low, high]| [low.min(mean), high.max(mean)])
    };
    let [first, second] = found;
    let [of_first, of_second] = differences;
    [holding(first, of_first), holding(second, of_second)]
}

/// Means of the calibration rows, where a split column or a second file defines them; none of folds and random halves, which
/// differ from the evaluated rows by chance alone, nor with weights. O(n).
fn calibration(data: &Predictions, split: &Split) -> Result<Option<CalibrationMeans>> {
    if !matches!(data.division, Division::Given { .. }) || data.weights.is_some() {
        return Ok(None);
    }
    let rows = split.calibration_rows(0);
    let (scores, targets) = (pair::scores(data)?, pair::targets(data)?);
    let of = |row: &u32| Some((*scores.get(*row as usize)?, *targets.get(*row as usize)?));
    let (scores, errors): (Vec<f64>, Vec<f64>) =
        rows.iter().filter_map(of).map(|(score, target)| (score, score - f64::from(target))).unzip();
    let ids = ClusterIds::of_rows(data, &rows);
    Ok((!rows.is_empty()).then(|| CalibrationMeans {
        predicted: weighted_mean(&scores, None),
        error: Change::of(&errors, (None, true), &ids.of),
    }))
}

/// Whom a method moves, with the number of rows that are in no named subgroup and of those of them that move.
fn moves(evaluated: &EvaluatedRows, after: &[f64], outside: &[bool]) -> (Moves, [usize; 2]) {
    let (mut moves, mut rest, mut sum, mut weights) = (Moves::default(), [0; 2], 0.0, 0.0);
    for (i, (before, after)) in evaluated.before.iter().zip(after).enumerate() {
        let (by, counts) = (after - before, evaluated.counts(i));
        let rows = |moved: bool| if moved { counts.rows } else { 0 };
        moves.up += rows(by > MOVED);
        moves.down += rows(by < -MOVED);
        if outside[i] {
            rest[0] += counts.rows;
            rest[1] += rows(by.abs() > MOVED);
            sum += counts.weight * by;
            weights += counts.weight;
        }
    }
    moves.rest_mean = (weights > 0.0).then(|| sum / weights);
    (moves, rest)
}

/// The mean error of the rows outside the named subgroups, before and after.
fn rest_error(evaluated: &EvaluatedRows, after: &[f64], outside: &[bool]) -> Option<[Change; 2]> {
    fn picked<T: Copy>(values: &[T], outside: &[bool]) -> Vec<T> {
        values.iter().zip(outside).filter(|(_, outside)| **outside).map(|(value, _)| *value).collect()
    }
    let target = picked(&evaluated.target, outside);
    let w = evaluated.w().map(|w| picked(w, outside));
    if too_few_to_resample(tally(&target, w.as_deref().filter(|_| evaluated.counted))) {
        return None;
    }
    let cluster = picked(&evaluated.cluster, outside);
    let error = |scores: &[f64]| {
        let errors: Vec<f64> = picked(scores, outside).iter().zip(&target).map(|(s, &t)| s - f64::from(t)).collect();
        Change::of(&errors, (w.as_deref(), evaluated.counted), &cluster)
    };
    Some([error(&evaluated.before), error(after)])
}

/// What a method makes of the evaluated rows, each by a fit that did not see it.
fn applied(
    asked: &EvaluationInput,
    split: &Split,
    rows: &[u32],
    kind: &MethodKind,
    progress: &mut dyn FnMut(f64),
) -> Result<Applied> {
    let folds = split.evaluation_folds();
    let same = |known: &&MethodRows| known.rows.as_slice() == rows && known.fold.as_slice() == folds;
    let of_run = asked.run.rows.iter().filter(|known| known.method.kind == *kind).find(same);
    if let Some(known) = of_run {
        let (score, fold) = (known.score.to_vec(), known.fold.to_vec());
        return Ok(Applied { score, fold, calibrators: known.calibrators.clone() });
    }
    let mut score = vec![f64::NAN; rows.len()];
    let mut calibrators = Vec::with_capacity(split.folds);
    for fold in 0..split.folds {
        let (fit_rows, score_rows) = split.rows_of(fold)?;
        let share = |done: f64| (fold as f64 + done) / split.folds as f64;
        let data = split.seen(asked.data, fold);
        let fitted = fit(&data, kind, &fit_rows, &score_rows, None, &mut |done| progress(share(done)))?;
        let own = score.iter_mut().zip(&folds).filter(|(_, of)| usize::from(**of) == fold);
        own.zip(fitted.score.iter()).for_each(|((score, _), fitted)| *score = *fitted);
        calibrators.push(fitted.calibrator);
        progress(share(1.0));
    }
    Ok(Applied { score, fold: folds, calibrators })
}
