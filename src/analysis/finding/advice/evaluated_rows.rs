//! The rows that a candidate is evaluated on, their scores with it, and the losses of these.

use super::gaps::RowCounts;
use crate::analysis::finding::Rank;
use crate::data::folds::Split;
use crate::data::{Predictions, View, pair};
use crate::error::Result;
use crate::evaluation::method::Calibrator;
use crate::evaluation::vectors::Vectors;
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::num::weight::{RowWeights, weight};
use crate::report::RunOutcome;
use crate::scan::{ScanInput, Scanned};

/// What is evaluated, and on what.
pub(super) struct EvaluationInput<'a> {
    pub(super) data: &'a Predictions,
    pub(super) run: &'a RunOutcome,
    /// the rows of the run
    pub(super) input: &'a ScanInput,
    pub(super) scanned: &'a Scanned,
    /// columns whose subgroups may be made worse
    pub(super) columns: &'a [String],
    /// subgroups of fewer rows are not looked at
    pub(super) least: usize,
    /// order of the listed subgroups
    pub(super) rank: Rank,
    pub(super) seed: u64,
}

/// The rows that a candidate is evaluated on.
pub(super) struct EvaluatedRows {
    /// places in the data, ascending
    pub(super) rows: Vec<u32>,
    /// s
    pub(super) before: Vec<f64>,
    /// t
    pub(super) target: Vec<u8>,
    /// w; none where every row counts once
    pub(super) weights: Option<Vec<f64>>,
    /// whether each w is a number of rows that were counted elsewhere
    pub(super) counted: bool,
    /// cluster of each; empty where each stands for itself
    pub(super) cluster: Vec<u32>,
}

impl EvaluatedRows {
    pub(super) fn new(data: &Predictions, split: &Split) -> Result<Self> {
        let rows = split.evaluation_rows();
        let (all, targets) = (pair::scores(data)?, pair::targets(data)?);
        Ok(Self {
            before: rows.iter().map(|&row| all[row as usize]).collect(),
            target: rows.iter().map(|&row| targets[row as usize]).collect(),
            weights: split.evaluation_weights(data),
            counted: data.is_counted(),
            cluster: data.clusters.as_ref().map(|clusters| clusters.among(&rows).0).unwrap_or_default(),
            rows,
        })
    }

    pub(super) fn w(&self) -> RowWeights<'_> {
        self.weights.as_deref()
    }

    /// What the row at `i` counts.
    pub(super) fn counts(&self, i: usize) -> RowCounts {
        RowCounts::new(weight(self.w(), i), self.counted)
    }

    /// Loss and squared error of each row: of the probabilities of every class where the file has them and the view is of
    /// the predicted class, as in the tables of the report; else of the score and its outcome. Whether the first.
    pub(super) fn losses(&self, data: &Predictions, applied: &Applied) -> Result<(Vec<f64>, Vec<f64>, bool)> {
        let vectors = match data.view {
            View::TopLabel => Vectors::new(data, &applied.calibrators)?,
            View::Positive => None,
        };
        let (Some(vectors), Some(y)) = (vectors, &data.y) else {
            let each = || applied.score.iter().zip(&self.target);
            let nll = |(s, &t): (&f64, &u8)| -(if t == 1 { *s } else { 1.0 - s }).max(LOG_LOSS_CLIP).ln();
            let brier = |(s, &t): (&f64, &u8)| (s - f64::from(t)).powi(2);
            return Ok((each().map(nll).collect(), each().map(brier).collect(), false));
        };
        let (mut nll, mut brier) = (Vec::with_capacity(self.rows.len()), Vec::with_capacity(self.rows.len()));
        let mut vector = vec![0.0; vectors.width()];
        for (k, (&row, &score)) in self.rows.iter().zip(&applied.score).enumerate() {
            let fold = applied.fold.get(k).copied().unwrap_or_default();
            vectors.vector_into(row as usize, fold, score, &mut vector);
            let class = y.get(row as usize).map_or(usize::MAX, |&class| class as usize);
            nll.push(-vector.get(class).copied().unwrap_or(0.0).max(LOG_LOSS_CLIP).ln());
            brier.push(vector.iter().enumerate().map(|(j, p)| (p - f64::from(u8::from(j == class))).powi(2)).sum());
        }
        Ok((nll, brier, true))
    }
}

/// Scores of the evaluated rows by a method.
#[derive(Default)]
pub(super) struct Applied {
    pub(super) score: Vec<f64>,
    /// which of the fits each row has its score from
    pub(super) fold: Vec<u8>,
    pub(super) calibrators: Vec<Calibrator>,
}
