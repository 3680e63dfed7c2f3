//! One candidate on the rows that its fits did not see.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use super::Mended;
use super::candidate::{Candidate, Known, checked};
use crate::data::folds::Split;
use crate::data::slice::Slice;
use crate::data::{ClusterIds, PresentClusters};
use crate::data::{Division, Predictions, pair};
use crate::error::{Error, Result};
use crate::evaluation::method::{MethodKind, MethodSpec, fit};
use crate::local::{NORMAL_975, at_least};
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::num::cluster::influence_variance;
use crate::num::weight::{RowWeights, total_weight, weight, weighted_mean};
use crate::report::RunOutcome;
use crate::report::view::method_rows;
use crate::scan::{Ground, Scanned};
use crate::table::Column;

/// Beyond so many rows halves judge each other, instead of as many folds as the file is divided into.
const MANY_ROWS: usize = 200_000;
/// Slices that are told to be broken, the worst first.
const MOST_BROKEN: usize = 5;

/// What is judged, and on what.
pub(super) struct Asked<'a> {
    pub(super) data: &'a Predictions,
    pub(super) run: &'a RunOutcome,
    /// the rows of the run
    pub(super) ground: &'a Ground,
    pub(super) scanned: &'a Scanned,
    /// columns whose slices may be broken
    pub(super) columns: &'a [String],
    /// slices of fewer rows are not looked at
    pub(super) least: usize,
    pub(super) seed: u64,
}

/// What became of one candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub(super) known: Known,
    /// how it did; else why it could not be judged
    pub(super) found: std::result::Result<Verdicts, String>,
}

/// How a candidate did.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Verdicts {
    /// rows that it was judged on
    pub(super) rows: usize,
    /// mean score of these rows with it
    pub(super) says: f64,
    /// mean −ln of the probability of what happened
    pub(super) nll: f64,
    /// mean squared error
    pub(super) brier: f64,
    /// of each row, its −ln less that of the score as it is
    pub(super) nll_change: Column<f64>,
    /// the mean squared error less that of the scores as they are, with its standard error
    pub(super) brier_change: Change,
    /// w of each row; empty where every row counts once
    pub(super) weight: Column<f64>,
    /// clusters of the rows
    pub(super) clusters: ClusterIds,
    /// mean scores of the named slices, before and after
    pub(super) says_of: Vec<[f64; 2]>,
    /// the named slices
    pub(super) whom: Vec<Mended>,
    /// slices that are off by more than chance now, and further off than they were
    pub(super) broken: Vec<Mended>,
}

/// A mean of differences of the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Change {
    pub(super) mean: f64,
    pub(super) standard_error: f64,
}

impl Change {
    /// Σ w d / Σ w with SE² = V / (Σ w)², V = Σ w² (d − mean)² or its cluster-robust form. O(n).
    pub(super) fn of(differences: &[f64], w: RowWeights, clusters: &ClusterIds) -> Self {
        let mean = weighted_mean(differences, w);
        let present = clusters.present();
        let each = differences.iter().enumerate().map(|(i, d)| weight(w, i) * (d - mean));
        let variance = influence_variance(each, present.as_ref().map(PresentClusters::rows));
        Self { mean, standard_error: variance.sqrt() / total_weight(w, differences.len()) }
    }

    /// mean ± 1.96 SE.
    pub(super) fn interval(&self) -> [f64; 2] {
        [-NORMAL_975, NORMAL_975].map(|z| self.mean + z * self.standard_error)
    }
}

impl Verdicts {
    pub(super) fn weights(&self) -> RowWeights<'_> {
        (!self.weight.is_empty()).then_some(&self.weight)
    }

    /// Whether a named slice is off by more than chance, or another one was broken.
    pub(super) fn leaves_wrong(&self) -> bool {
        !self.broken.is_empty() || self.whom.iter().any(Mended::is_wrong)
    }

    /// Named slices that are off by more than chance after it, then those that it broke.
    pub(super) fn wrong(&self) -> impl Iterator<Item = &Mended> {
        self.whom.iter().filter(|one| one.is_wrong()).chain(&self.broken)
    }

    /// Rows × |gap| of those that are off by more than chance.
    pub(super) fn harm(&self) -> f64 {
        self.wrong().map(|one| one.rows as f64 * one.after.abs()).sum()
    }
}

/// Fits a candidate on the calibration rows of each fold and judges it on the others; where the run has scored the same
/// rows by the same method, those scores are judged.
///
/// # Errors
/// `internal`; `score_missing`, `label_missing`. What keeps a candidate from being fitted is what is found.
///
/// # Cost
/// Its fits, and O(n) a named slice and a column.
pub(super) fn judge(asked: &Asked, candidate: &Candidate, tell: &mut dyn FnMut(f64)) -> Result<Judged> {
    let named: Vec<Slice> = asked.scanned.named.iter().map(|named| named.slice.clone()).collect();
    let known = match candidate.known(asked.data, &named) {
        Ok(known) => known,
        Err(reason) => {
            let known = Known { method: MethodSpec::Id("none".to_owned()), title: candidate.plain() };
            return Ok(Judged { known, found: Err(reason) });
        }
    };
    let found = judged(asked, &known, tell);
    match found {
        Ok(found) => Ok(Judged { known, found: Ok(found) }),
        Err(error) if error.code() == "internal" => Err(error),
        Err(error) => Ok(Judged { known, found: Err(error.to_string()) }),
    }
}

/// The division behind a judgement: that of the run, and halves of very many rows.
fn split(data: &Predictions, seed: u64) -> Result<Split> {
    let whole = Split::new(data, seed)?;
    match data.division {
        Division::Folds { folds } if folds > 2 && data.rows > MANY_ROWS => {
            Ok(Split::within(data, &whole.evaluation_rows(), 2, seed).counted(data))
        }
        _ => Ok(whole),
    }
}

fn judged(asked: &Asked, known: &Known, tell: &mut dyn FnMut(f64)) -> Result<Verdicts> {
    let data = asked.data;
    let split = split(data, asked.run.report.settings.seed)?;
    let rows = split.evaluation_rows();
    let kind = checked(data, asked.run, known.method.clone())?.kind;
    if let Some(missing) = kind.missing() {
        return Err(Error::new("invalid_option", format!("it cannot be fitted: {missing}"), ""));
    }
    let (all, targets) = (pair::scores(data)?, pair::targets(data)?);
    let target: Vec<u8> = rows.iter().map(|&row| targets[row as usize]).collect();
    let before: Vec<f64> = rows.iter().map(|&row| all[row as usize]).collect();
    let after = match kind {
        MethodKind::NONE => before.clone(),
        kind => scores(asked, &split, &rows, &kind, tell)?,
    };
    if after.iter().any(|s| !s.is_finite()) {
        return Err(Error::new("not_a_number", "Some of its scores are no numbers.", "Leave it out."));
    }
    let weights = data.weights.as_ref().map(|weights| weights.select(&rows));
    let w = weights.as_deref();

    let nll = |s: f64, t: u8| -(if t == 1 { s } else { 1.0 - s }).max(LOG_LOSS_CLIP).ln();
    let brier = |s: f64, t: u8| (s - f64::from(t)).powi(2);
    let losses = |s: &[f64], loss: &dyn Fn(f64, u8) -> f64| -> Vec<f64> {
        s.iter().zip(&target).map(|(s, &t)| loss(*s, t)).collect()
    };
    let less = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    let (own_nll, own_brier) = (losses(&after, &nll), losses(&after, &brier));
    let nll_change = less(&own_nll, &losses(&before, &nll));
    let clusters = ClusterIds::of_rows(data, &rows);
    let brier_change = Change::of(&less(&own_brier, &losses(&before, &brier)), w, &clusters);

    let mut found = Verdicts {
        rows: rows.len(),
        says: weighted_mean(&after, w),
        nll: weighted_mean(&own_nll, w),
        brier: weighted_mean(&own_brier, w),
        nll_change: nll_change.into(),
        brier_change,
        clusters,
        ..Verdicts::default()
    };
    let z = together(asked.scanned.named.len());
    for named in &asked.scanned.named {
        let inside = named.slice.rows(data)?;
        let mut sums = Sums::default();
        for (i, &row) in rows.iter().enumerate() {
            if inside[row as usize] {
                sums.take(weight(w, i), before[i], after[i], target[i]);
            }
        }
        if sums.rows > 0 {
            found.says_of.push([sums.before / sums.weight, sums.after / sums.weight]);
            found.whom.push(sums.mended(named.slice.description(), z));
        }
    }
    found.broken = broken(asked, &rows, (&before, &after), &target, w)?;
    found.weight = weights.unwrap_or_default().into();
    Ok(found)
}

/// z of intervals of `count` slices that hold together in 95 of 100 cases (Bonferroni).
fn together(count: usize) -> f64 {
    Normal::standard().inverse_cdf(1.0 - 0.025 / count.max(1) as f64)
}

/// Scores of the judged rows, each by a fit that did not see it.
fn scores(
    asked: &Asked,
    split: &Split,
    rows: &[u32],
    kind: &MethodKind,
    tell: &mut dyn FnMut(f64),
) -> Result<Vec<f64>> {
    let of_run = asked.run.rows.iter().find(|known| known.method.kind == *kind && known.rows.as_slice() == rows);
    if let Some(known) = of_run {
        return Ok(known.score.to_vec());
    }
    let mut found = vec![f64::NAN; asked.data.rows];
    for fold in 0..split.folds {
        let (fit_rows, score_rows) = split.rows_of(fold)?;
        let share = |done: f64| (fold as f64 + done) / split.folds as f64;
        let fitted = fit(asked.data, kind, &fit_rows, &score_rows, None, &mut |done| tell(share(done)))?;
        for (&row, score) in score_rows.iter().zip(fitted.score.iter()) {
            found[row as usize] = *score;
        }
        tell(share(1.0));
    }
    Ok(rows.iter().map(|&row| found[row as usize]).collect())
}

/// Sums over the rows of a slice.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    rows: usize,
    weight: f64,
    /// Σ w²
    squared: f64,
    /// Σ w s
    before: f64,
    /// Σ w s′
    after: f64,
    /// Σ w t
    happened: f64,
    /// Σ w (s′ − t)²
    errors: f64,
    /// Σ w s′(1 − s′)
    promised: f64,
    /// Σ w² s(1 − s) and Σ w² s′(1 − s′)
    variance: [f64; 2],
}

impl Sums {
    fn take(&mut self, w: f64, before: f64, after: f64, t: u8) {
        let t = f64::from(t);
        self.rows += 1;
        self.weight += w;
        self.squared += w * w;
        self.before += w * before;
        self.after += w * after;
        self.happened += w * t;
        self.errors += w * (after - t) * (after - t);
        self.promised += w * after * (1.0 - after);
        self.variance[0] += w * w * before * (1.0 - before);
        self.variance[1] += w * w * after * (1.0 - after);
    }

    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.weight += other.weight;
        self.squared += other.squared;
        self.before += other.before;
        self.after += other.after;
        self.happened += other.happened;
        self.errors += other.errors;
        self.promised += other.promised;
        for (sum, own) in self.variance.iter_mut().zip(other.variance) {
            *sum += own;
        }
    }

    /// Σ w (s − t) / √Σ w² s(1 − s), without and with the repair.
    fn z(&self) -> [f64; 2] {
        let z = |says: f64, variance: f64| (says - self.happened) / variance.max(f64::MIN_POSITIVE).sqrt();
        [z(self.before, self.variance[0]), z(self.after, self.variance[1])]
    }

    /// The slice, with an interval of ± z standard errors, as those of the scan.
    fn mended(&self, description: String, z: f64) -> Mended {
        let gap = |says: f64| (says - self.happened) / self.weight;
        let after = gap(self.after);
        let effective = self.weight * self.weight / self.squared;
        let own = (self.errors / self.weight - after * after).max(0.0);
        let variance = at_least(own, self.promised / self.weight, effective);
        let half = z * (variance / effective).sqrt();
        Mended {
            description,
            rows: self.rows,
            before: gap(self.before),
            after,
            low: (after - half).max(-1.0),
            high: (after + half).min(1.0),
        }
    }
}

/// Slices of one column that are further from right than before, and further than the largest of all slices would be by
/// chance; the worst first.
fn broken(
    asked: &Asked,
    rows: &[u32],
    (before, after): (&[f64], &[f64]),
    target: &[u8],
    w: RowWeights,
) -> Result<Vec<Mended>> {
    let critical = asked.scanned.critical;
    if asked.scanned.looked_at == 0 || !critical.is_finite() || before == after {
        return Ok(Vec::new());
    }
    let named: Vec<String> = asked.scanned.named.iter().map(|named| named.slice.description()).collect();
    let own;
    let ground = match method_rows(asked.run, None)?.rows.as_slice() == rows {
        true => asked.ground,
        false => {
            own = Ground::new(asked.data, (rows, before, target, w), asked.columns, asked.least, asked.seed)?;
            &own
        }
    };
    let of_rows = ground.order(asked.seed).into_iter().map(|i| {
        let i = i as usize;
        (weight(w, i), before[i], after[i], target[i])
    });
    let of_rows: Vec<(f64, f64, f64, u8)> = of_rows.collect();
    let mut found: Vec<(f64, Mended)> = Vec::new();
    for (column, cut) in ground.cuts.iter().enumerate() {
        let mut cells = vec![Sums::default(); cut.cells];
        for (&cell, &(w, before, after, t)) in ground.codes(column).iter().zip(&of_rows) {
            cells[cell as usize].take(w, before, after, t);
        }
        for (place, single) in cut.singles.iter().enumerate() {
            let mut sums = Sums::default();
            single.cells.iter().for_each(|&cell| sums.add(&cells[cell as usize]));
            let [without, with] = sums.z();
            if sums.rows < asked.least || with.abs() <= critical || with.abs() <= without.abs() {
                continue;
            }
            let one = sums.mended(cut.condition(place).description(), critical);
            if one.is_wrong() && !named.contains(&one.description) {
                found.push((with.abs(), one));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(found.into_iter().take(MOST_BROKEN).map(|(_, one)| one).collect())
}
