//! One method's out-of-fold scores on every scored row, and its metrics.

use crate::metric::Reason;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::method::{Calibrator, Fitted};
use super::on_request;
use super::proximity::Proximities;
use super::vectors::Vectors;
use crate::data::folds::Split;
use crate::data::{ClusterIds, Predictions, PresentClusters, View, pair};
use crate::error::{Error, Result, message, phrases};
use crate::metric::binning::{BinOptions, BinScheme};
use crate::metric::classwise::ClasswiseSums;
use crate::metric::entry::{Metric, Value, ValueOf};
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::metric::registry;
use crate::metric::reliability::{ReliabilityBin, widen_for_clusters};
use crate::metric::rows::{Pair, ScoredRows};
use crate::num::order;
use crate::num::outcome_correlation::outcome_correlation;
use crate::num::weight::{RowWeights, tally, weight};
use crate::table::{Column, Warning};

/// Rows that are taken in one call: browsers compile well what is called often.
const BLOCK: usize = 4096;

/// One method's scores and point values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// scored rows, ascending; a count that several folds score stands here once for each
    pub rows: Column<u32>,
    /// fold of each scored row
    pub fold: Column<u8>,
    /// s′: recalibrated score, one per scored row
    pub score: Column<f64>,
    /// t: target of the view, one per scored row
    pub target: Column<u8>,
    /// a: whether the original prediction was right, one per scored row
    pub correct: Column<u8>,
    /// w, one per scored row; empty where every row counts once
    pub weight: Column<f64>,
    /// whether each weight is a number of rows that were counted elsewhere
    #[serde(default)]
    pub counted: bool,
    /// clusters of the scored rows
    #[serde(default)]
    pub clusters: ClusterIds,
    /// places in `rows` by ascending score, ties in row order
    pub order: Column<u32>,
    /// −ln of the probability of the observed outcome, one per scored row
    pub nll: Column<f64>,
    /// squared error of the view, one per scored row
    pub brier: Column<f64>,
    /// true where these losses are of the whole vector, not of the pair (1 − s, s)
    pub of_vectors: bool,
    /// what each fold learned
    pub calibrators: Vec<Calibrator>,
    /// what a person should know about the fits
    pub warnings: Vec<Warning>,
    /// scored rows, ascending, that have a gap in a feature by which the fits compare rows
    #[serde(default)]
    pub without_place: Column<u32>,
    /// metric values by id
    pub values: BTreeMap<String, Value>,
    /// ends of analytic 95 % intervals by metric id
    pub ends: BTreeMap<String, [f64; 2]>,
    /// ln D of each scored row; empty where the run has no proximity
    pub proximity: Column<f64>,
    /// group of each scored row; empty where the run has no metric of groups
    pub groups: Column<u32>,
    /// the reliability table, empty bins left out
    pub bins: Vec<ReliabilityBin>,
}

impl Scored {
    /// w of every scored row, where rows have weights.
    pub fn weights(&self) -> RowWeights<'_> {
        weights_of(&self.weight)
    }

    /// Number of scored rows and of those with the outcome; of counts as many as were counted.
    pub fn tally(&self) -> (usize, usize) {
        tally(&self.target, self.weights().filter(|_| self.counted))
    }

    /// Whether there are several folds, and the rows of each are in the order of the scores `base` of the same rows: a larger score
    /// there is a larger one here, and equal ones are equal. Scores that `base` tells apart by less than 1e-9 may be equal here.
    /// O(n).
    pub fn keeps_order_within_folds(&self, base: &Scored) -> bool {
        /// Of sums in another order.
        const ROUNDING: f64 = 1e-12;
        if self.fold.iter().all(|fold| Some(fold) == self.fold.first()) {
            return false;
        }
        let mut last = [None; 1 + u8::MAX as usize];
        base.order.iter().all(|&place| {
            let i = place as usize;
            let (Some(&before), Some(&after), Some(&fold)) = (base.score.get(i), self.score.get(i), self.fold.get(i))
            else {
                return false;
            };
            let Some((lower, own)) = last[usize::from(fold)].replace((before, after)) else { return true };
            match (before - lower, after - own) {
                (more, own) if more > 1e-9 => own > 0.0,
                (more, own) if more > 0.0 => own >= -ROUNDING,
                (_, own) => own.abs() <= ROUNDING,
            }
        })
    }

    /// Gathers the folds' scores and computes every point metric of the view.
    ///
    /// # Errors
    /// `score_missing`, `label_missing`; `length_mismatch` if the fits do not belong to the split; `invalid_option` for bins
    /// of equal mass with weights.
    pub fn new(
        data: &Predictions,
        split: &Split,
        fits: &[&Fitted],
        bins: &BinOptions,
        metrics: &BTreeSet<String>,
    ) -> Result<Self> {
        let target_all = pair::targets(data)?;
        let original = pair::scores(data)?;
        let rows = split.evaluation_rows();
        let fold = split.evaluation_folds();
        let score: Vec<f64> = match fits {
            [] => rows.iter().map(|&row| original[row as usize]).collect(),
            fits => scores_by_fold(fits, &fold)?,
        };
        let target: Vec<u8> = rows.iter().map(|&row| target_all[row as usize]).collect();
        let correct = original_correct(data, &original, &rows, &target);
        let calibrators: Vec<Calibrator> = fits.iter().map(|fit| fit.calibrator.clone()).collect();
        let order = order::ascending(&score);
        let mut without_place: Vec<u32> = fits.iter().flat_map(|fit| fit.without_place.iter().copied()).collect();
        without_place.sort_unstable();
        let weight = match split.evaluation_weights(data) {
            Some(weights) => {
                check_bins(bins)?;
                weights.into()
            }
            None => Column::default(),
        };

        let mut scored = Scored {
            counted: data.is_counted(),
            clusters: ClusterIds::of_rows(data, &rows),
            rows: rows.into(),
            fold: fold.into(),
            score: score.into(),
            target: target.into(),
            correct: correct.into(),
            weight,
            order: order.into(),
            nll: Column::default(),
            brier: Column::default(),
            of_vectors: false,
            calibrators,
            warnings: warnings_once(fits),
            without_place: without_place.into(),
            values: BTreeMap::new(),
            ends: BTreeMap::new(),
            proximity: Column::default(),
            groups: Column::default(),
            bins: Vec::new(),
        };
        let classwise_ece = scored.losses(data, bins)?;
        let present = scored.clusters.present();
        let clusters = present.as_ref().map(PresentClusters::rows);
        let rows = ScoredRows {
            pair: Pair::new(&scored.score, &scored.target, scored.weights(), bins)
                .clustered(clusters)
                .counting(scored.counted),
            correct: &scored.correct,
            order: &scored.order,
            nll: &scored.nll,
            brier: &scored.brier,
            classwise_ece: &classwise_ece,
        };
        let mut values = row_values(&rows)?;
        values.extend(on_request::values(data, &scored, &rows.pair, metrics)?);
        let ends = analytic_ends(&rows, &values)?;
        let mut table = rows.pair.table()?.to_vec();
        if let Some(clusters) = clusters {
            let rho = outcome_correlation(&scored.score, &scored.target, clusters.of, clusters.count);
            widen_for_clusters(&mut table, clusters, rho, &bins.binning(&scored.score)?);
        }
        (scored.values, scored.ends, scored.bins) = (values, ends, table);
        Ok(scored)
    }

    /// Takes in the proximity of every row, and computes the metrics of it that are asked for.
    ///
    /// # Errors
    /// `length_mismatch`.
    pub fn with_proximity(mut self, near: Option<&Proximities>, metrics: &BTreeSet<String>) -> Result<Self> {
        if let Some(near) = near {
            let rows = self.rows.iter().zip(self.fold.iter());
            self.proximity = rows.map(|(&row, &fold)| near.value(row, fold)).collect();
        }
        let values = on_request::proximity_values(&self, metrics)?;
        self.values.extend(values);
        Ok(self)
    }

    /// Losses of the whole vector where there is one, else of the pair; the class-wise error on the way.
    #[inline(never)]
    fn losses(&mut self, data: &Predictions, bins: &BinOptions) -> Result<Value> {
        let n = self.rows.len();
        let vectors = Vectors::new(data, &self.calibrators)?;
        let weights = self.weight.clone();
        let w = weights_of(&weights);
        let (mut nll, mut brier) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let mut classwise = Err(Reason::undefined("class-wise error needs a probability for every class"));
        match (&vectors, &data.y) {
            (Some(_), Some(_)) if data.view == View::Positive => {
                // (1 − p, p), whichever class is the positive one
                let mut sums = ClasswiseSums::new(2, bins, 0.0)?;
                let rows = self.score.chunks(BLOCK).zip(self.target.chunks(BLOCK));
                for (s, t) in rows {
                    pair_losses(s, t, (&mut nll, &mut brier));
                    add_pairs(&mut sums, s, t, nll.len() - s.len(), w);
                }
                classwise = sums.ece().ok_or(Reason::undefined("there is no class"));
            }
            (Some(vectors), Some(y)) => {
                self.of_vectors = true;
                let m = vectors.width();
                let mut row = vec![0.0; m];
                let mut sums = ClasswiseSums::new(m, bins, 0.0)?;
                for (k, &i) in self.rows.iter().enumerate() {
                    vectors.vector_into(i as usize, self.fold[k], self.score[k], &mut row);
                    let class = y[i as usize] as usize;
                    nll.push(-row.get(class).copied().unwrap_or(0.0).max(LOG_LOSS_CLIP).ln());
                    let error = |(j, p): (usize, &f64)| (p - if j == class { 1.0 } else { 0.0 }).powi(2);
                    brier.push(row.iter().enumerate().map(error).sum());
                    sums.add_weighted(&row, class, weight(w, k));
                }
                classwise = sums.ece().ok_or(Reason::undefined("there is no class"));
            }
            _ => pair_losses(&self.score, &self.target, (&mut nll, &mut brier)),
        }
        (self.nll, self.brier) = (nll.into(), brier.into());
        Ok(classwise)
    }
}

/// The score of every row by the fit of its fold, whose scores are in the order of the rows.
///
/// # Errors
/// `length_mismatch` where there is no fit of a fold, or it has too few scores.
fn scores_by_fold(fits: &[&Fitted], fold: &[u8]) -> Result<Vec<f64>> {
    let mut next = vec![0usize; fits.len()];
    let mut score = Vec::with_capacity(fold.len());
    for &f in fold {
        let (fit, place) = fits.get(usize::from(f)).zip(next.get_mut(usize::from(f))).ok_or_else(mismatch)?;
        score.push(*fit.score.get(*place).ok_or_else(mismatch)?);
        *place += 1;
    }
    Ok(score)
}

/// a: whether the original prediction of each row is right; `target`: of the rows.
fn original_correct(data: &Predictions, original: &[f64], rows: &[u32], target: &[u8]) -> Vec<u8> {
    match (data.view, &data.correct) {
        // 1 iff p > 0.5, by the model's own p: half and half predicts the other label.
        (View::Positive, _) => {
            let right = |(&row, &t): (&u32, &u8)| u8::from((original[row as usize] > 0.5) == (t == 1));
            rows.iter().zip(target).map(right).collect()
        }
        (View::TopLabel, Some(a)) => rows.iter().map(|&row| a[row as usize]).collect(),
        (View::TopLabel, None) => target.to_vec(),
    }
}

/// Why a metric has no value for these rows.
pub(super) fn why_not(metric: &Metric, pair: &Pair) -> Option<Reason> {
    match pair.weights {
        Some(_) if pair.counted => (!metric.from_counts).then_some(Reason::NotFromCounts),
        Some(_) => (!metric.weights.is_defined()).then_some(Reason::NotWithWeights),
        None => None,
    }
}

/// Every metric of the scored rows.
#[inline(never)]
fn row_values(rows: &ScoredRows) -> Result<BTreeMap<String, Value>> {
    let mut values = BTreeMap::new();
    for metric in registry::all() {
        let (ValueOf::Rows(value) | ValueOf::Classes(value)) = metric.value else {
            continue;
        };
        let value = match why_not(metric, &rows.pair) {
            Some(why) => Err(why),
            None => value(rows)?,
        };
        values.insert(metric.id.to_owned(), value);
    }
    Ok(values)
}

/// Intervals of the values that are there and need no replicates.
fn analytic_ends(rows: &ScoredRows, values: &BTreeMap<String, Value>) -> Result<BTreeMap<String, [f64; 2]>> {
    let known = registry::all().filter(|metric| values.get(metric.id).is_some_and(|value| value.is_ok()));
    let each = known.filter_map(|metric| {
        let ends = metric.ends(&rows.pair, rows.order).transpose()?;
        Some(ends.map(|ends| (metric.id.to_owned(), ends)))
    });
    each.collect()
}

/// Losses of the pair (1 − s, s), a row each.
#[inline(never)]
fn pair_losses(s: &[f64], t: &[u8], (nll, brier): (&mut Vec<f64>, &mut Vec<f64>)) {
    for (&s, &t) in s.iter().zip(t) {
        let happened = if t == 1 { s } else { 1.0 - s };
        nll.push(-happened.max(LOG_LOSS_CLIP).ln());
        brier.push((s - f64::from(t)).powi(2));
    }
}

/// Takes pairs into the class-wise sums; `first` is the place of their weights.
#[inline(never)]
fn add_pairs(sums: &mut ClasswiseSums, s: &[f64], t: &[u8], first: usize, w: RowWeights) {
    for (i, (&s, &t)) in (first..).zip(s.iter().zip(t)) {
        sums.add_weighted(&[1.0 - s, s], usize::from(t), weight(w, i));
    }
}

/// Bins must have edges that do not depend on a count of rows.
///
/// # Errors
/// `invalid_option` for bins of equal mass.
fn check_bins(bins: &BinOptions) -> Result<()> {
    if bins.scheme == BinScheme::EqualWidth {
        return Ok(());
    }
    Err(Error::new(
        "invalid_option",
        format!("Bins of equal mass are {}.", Reason::NotWithWeights),
        message!["Use bins of equal width, or assign the weight column the ", phrases::PLAIN_ROLE_IGNORE, "."],
    ))
}

fn weights_of(weight: &Column<f64>) -> RowWeights<'_> {
    (!weight.is_empty()).then_some(weight)
}

fn mismatch() -> Error {
    Error::new("length_mismatch", "The fitted scores do not belong to this data split.", "Run again.")
}

/// Each warning once, however many folds gave it; where only its numbers differ, in how many others.
fn warnings_once(fits: &[&Fitted]) -> Vec<Warning> {
    let words = |warning: &Warning| {
        let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '−');
        warning.message.replace(number, "")
    };
    let mut found: Vec<(Warning, usize)> = Vec::new();
    for warning in fits.iter().flat_map(|fit| &fit.warnings) {
        let same_words = |(known, _): &&mut (Warning, usize)| words(known) == words(warning);
        match found.iter_mut().find(same_words) {
            Some((known, others)) => *others += usize::from(known.message != warning.message),
            None => found.push((warning.clone(), 0)),
        }
    }
    let counted = |(mut warning, others): (Warning, usize)| {
        if others > 0 {
            let fits = if others == 1 { "fit" } else { "fits" };
            if !warning.message.ends_with('.') {
                warning.message.push('.');
            }
            warning.message += &format!(" Likewise in {others} more {fits}, with other values.");
        }
        warning
    };
    found.into_iter().map(counted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_that_differ_in_numbers_are_told_once() {
        let fit = |messages: &[&str]| Fitted {
            calibrator: Calibrator::NONE,
            score: Column::default(),
            without_place: Column::default(),
            warnings: (messages.iter())
                .map(|message| Warning { code: "kept".into(), message: (*message).into(), row: None, column: None })
                .collect(),
        };
        let fits = [
            fit(&["3 of 15 bins are empty.", "It is so."]),
            fit(&["It is so.", "2 of 15 bins are empty."]),
            fit(&["3 of 15 bins are empty.", "1 of 15 bins are empty."]),
        ];
        let found = warnings_once(&fits.iter().collect::<Vec<_>>());
        let found: Vec<&str> = found.iter().map(|w| w.message.as_str()).collect();
        let first = "3 of 15 bins are empty. Likewise in 2 more fits, with other values.";
        assert_eq!(found, [first, "It is so."]);
    }
}
