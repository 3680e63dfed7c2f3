//! What metrics are computed from: scored rows as each kind of metric sees them.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use ndarray::ArrayView2;

use super::binning::BinOptions;
use super::entry::Value;
use super::reliability::{ReliabilityBin, weighted_reliability_table};
use crate::error::Result;
use crate::num::cluster::RowClusters;
use crate::num::order::along;
use crate::num::weight::{RowWeights, Sampling};

/// What several metrics of the same rows share, each type of result computed once.
#[derive(Default)]
pub struct Shared(RefCell<Vec<Rc<dyn Any>>>);

impl Shared {
    /// The result of type `T`, made by `make` where it is asked for first. A type stands for one computation: two that
    /// give the same type need a type each.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn value<T: 'static>(&self, make: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
        let made = self.0.borrow().iter().find_map(|one| Rc::clone(one).downcast::<T>().ok());
        if let Some(made) = made {
            return Ok(made);
        }
        let made = Rc::new(make()?);
        self.0.borrow_mut().push(Rc::clone(&made) as Rc<dyn Any>);
        Ok(made)
    }
}

/// Scores and targets of n rows.
pub struct Pair<'a> {
    /// s in [0, 1], n
    pub score: &'a [f64],
    /// t, 0 or 1, n
    pub target: &'a [u8],
    /// w ≥ 0, n, where rows have weights
    pub weights: RowWeights<'a>,
    /// clusters of the rows, where they are not independent
    pub clusters: Option<RowClusters<'a>>,
    /// whether each weight is a number of rows with the same score and outcome
    pub counted: bool,
    /// bins of metrics that have bins
    pub bins: &'a BinOptions,
    shared: Shared,
}

impl<'a> Pair<'a> {
    /// Nothing is computed yet.
    pub fn new(score: &'a [f64], target: &'a [u8], weights: RowWeights<'a>, bins: &'a BinOptions) -> Self {
        Self { score, target, weights, clusters: None, counted: false, bins, shared: Shared::default() }
    }

    /// The same rows in clusters.
    pub fn clustered(self, clusters: Option<RowClusters<'a>>) -> Self {
        Self { clusters, ..self }
    }

    /// The same rows, whose weights are numbers of rows if `counted`.
    pub fn counting(self, counted: bool) -> Self {
        Self { counted, ..self }
    }

    /// What the error of a sum over the rows allows for.
    pub fn sampling(&self) -> Sampling<'a> {
        Sampling { clusters: self.clusters, counted: self.counted }
    }

    /// A result that several metrics share; see [`Shared::value`].
    ///
    /// # Errors
    /// Those of `make`.
    pub fn shared<T: 'static>(&self, make: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
        self.shared.value(make)
    }

    /// The reliability table, empty bins left out.
    ///
    /// # Errors
    /// `empty`, `length_mismatch`, `invalid_option`.
    pub fn table(&self) -> Result<Rc<Vec<ReliabilityBin>>> {
        self.shared(|| {
            let mut table = weighted_reliability_table(self.score, self.target, self.weights, self.bins)?;
            if self.counted {
                table.iter_mut().for_each(ReliabilityBin::count_rows);
            }
            Ok(table)
        })
    }
}

/// The scored rows of one method: pairs, and what every row adds to the losses of its view.
pub struct ScoredRows<'a> {
    /// score and target
    pub pair: Pair<'a>,
    /// a: 1 where the original prediction was right, n
    pub correct: &'a [u8],
    /// places by ascending score, n
    pub order: &'a [u32],
    /// −ln of the probability of the observed outcome, n
    pub nll: &'a [f64],
    /// squared error of the view, n
    pub brier: &'a [f64],
    /// class-wise error, which is summed up with the losses
    pub classwise_ece: &'a Value,
}

/// Scores and targets by ascending score.
pub struct Ascending {
    /// s
    pub score: Vec<f64>,
    /// t
    pub target: Vec<u8>,
}

impl ScoredRows<'_> {
    /// Rows by ascending score.
    ///
    /// # Errors
    /// None.
    pub fn ascending(&self) -> Result<Rc<Ascending>> {
        let (s, t) = (self.pair.score, self.pair.target);
        self.pair.shared(|| Ok(Ascending { score: along(self.order, s), target: along(self.order, t) }))
    }
}

/// Confidence of the predicted class, and whether it was right.
pub struct Prediction {
    /// c in [0, 1], n
    pub confidence: Vec<f64>,
    /// a, 0 or 1, n
    pub correct: Vec<u8>,
}

/// A probability for every class.
pub struct ProbabilityRows<'a> {
    /// P, n × m
    pub p: ArrayView2<'a, f64>,
    /// y in 0..m, n
    pub y: &'a [u32],
    /// w ≥ 0, n, where rows have weights
    pub weights: RowWeights<'a>,
    /// bins of metrics that have bins
    pub bins: &'a BinOptions,
    shared: Shared,
}

impl<'a> ProbabilityRows<'a> {
    /// Nothing is computed yet.
    pub fn new(p: ArrayView2<'a, f64>, y: &'a [u32], weights: RowWeights<'a>, bins: &'a BinOptions) -> Self {
        Self { p, y, weights, bins, shared: Shared::default() }
    }

    /// A result that several metrics share; see [`Shared::value`].
    ///
    /// # Errors
    /// Those of `make`.
    pub fn shared<T: 'static>(&self, make: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
        self.shared.value(make)
    }
}

/// Scores and proximities of n rows: which rows they bring together does not depend on outcomes.
pub struct Arranged<'a> {
    /// s in [0, 1], n
    pub score: &'a [f64],
    /// anything that rises with proximity, such as ln D, n
    pub proximity: &'a [f64],
    shared: Shared,
}

impl<'a> Arranged<'a> {
    /// Nothing is computed yet.
    pub fn new(score: &'a [f64], proximity: &'a [f64]) -> Self {
        Self { score, proximity, shared: Shared::default() }
    }

    /// A result that outcomes do not change; see [`Shared::value`].
    ///
    /// # Errors
    /// Those of `make`.
    pub fn shared<T: 'static>(&self, make: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
        self.shared.value(make)
    }
}

/// The same with outcomes.
pub struct ArrangedOutcomes<'a> {
    /// which rows belong together
    pub arranged: &'a Arranged<'a>,
    /// t, 0 or 1, n
    pub target: &'a [u8],
    shared: Shared,
}

impl<'a> ArrangedOutcomes<'a> {
    /// Nothing is computed yet.
    pub fn new(arranged: &'a Arranged<'a>, target: &'a [u8]) -> Self {
        Self { arranged, target, shared: Shared::default() }
    }

    /// A result of these outcomes; see [`Shared::value`].
    ///
    /// # Errors
    /// Those of `make`.
    pub fn shared<T: 'static>(&self, make: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
        self.shared.value(make)
    }
}

/// Sums over the rows of one replicate; each row counts as often as it was drawn, times its weight.
pub struct RowSums {
    /// Σ 1
    pub n: f64,
    /// Σ a
    pub correct: f64,
    /// Σ of the log losses
    pub nll: f64,
    /// Σ of the squared errors of the view
    pub brier: f64,
    /// Σ (s − t)²
    pub squared: f64,
    /// Σ s
    pub score: f64,
    /// Σ t
    pub target: f64,
    /// by bin of the run, empty ones included
    pub bins: Vec<BinSums>,
    /// by quantile bin; empty where rows have weights
    pub quantile_bins: Vec<BinSums>,
    /// area under the ROC curve; `None` where only one outcome has weight
    pub auroc: Option<f64>,
    /// mean over classes of the ECE; `None` without a probability for every class
    pub classwise_ece: Option<f64>,
}

/// Sums over the rows of a bin.
#[derive(Debug, Clone, Copy, Default)]
pub struct BinSums {
    /// Σ 1
    pub w: f64,
    /// Σ s
    pub s: f64,
    /// Σ t
    pub t: f64,
}

impl BinSums {
    /// |Σ (s − t)|
    pub fn gap(&self) -> f64 {
        (self.s - self.t).abs()
    }
}
