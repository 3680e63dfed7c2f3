//! The steps of a trust test: its rows, a share of its work, what all shares say.

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::scored::Scored;
use crate::evaluation::trust::{TrustRows, TrustSettings, trust_work};
use crate::feature::features;
use crate::hypothesis::{TrustOutcome, TrustShare, TrustWork};
use crate::kernel::Part;
use crate::report::RunOutcome;
use crate::report::ground::fit_rows;
use crate::report::view::method_rows;
use crate::run::graph::{Handle, Outcomes, Step};

/// Whose scores are tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TrustOf {
    /// those of a run that is under way
    Scores {
        /// the division
        split: Handle<Split>,
        /// the scores
        scored: Handle<Scored>,
    },
    /// those of the last run
    Run {
        /// its report
        run: Handle<RunOutcome>,
        /// name of the method
        method: String,
    },
}

/// The rows of a trust test and how they are dealt with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrustPrepare {
    /// the data set
    pub data: Handle<Predictions>,
    /// whose scores
    pub of: TrustOf,
    /// kernel and nulls
    pub settings: TrustSettings,
}

impl Step for TrustPrepare {
    type Output = TrustWork;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<TrustWork> {
        let (data, settings) = (at.the(&self.data)?, &self.settings);
        let (rows, fit) = match &self.of {
            TrustOf::Run { run, method } => {
                let run = at.the(run)?;
                let rows = method_rows(run, Some(method))?;
                let fit = fit_rows(data, run, rows, &settings.features)?;
                let rows = TrustRows {
                    rows: &rows.rows,
                    fold: &rows.fold,
                    score: &rows.score,
                    target: &rows.target,
                    calibrators: &rows.calibrators,
                };
                (rows, fit)
            }
            TrustOf::Scores { split, scored } => {
                let (split, scored) = (at.the(split)?, at.the(scored)?);
                let calibration = split.all_calibration_rows();
                let rows = TrustRows {
                    rows: &scored.rows,
                    fold: &scored.fold,
                    score: &scored.score,
                    target: &scored.target,
                    calibrators: &scored.calibrators,
                };
                let fit = if calibration.is_empty() { scored.rows.to_vec() } else { calibration };
                (rows, fit)
            }
        };
        let places = features(data, &settings.features, &fit)?;
        trust_work(data, &rows, (places.d, &places.values), settings)
    }
}

/// One share of a trust test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrustShareOut {
    /// the rows
    pub work: Handle<TrustWork>,
    /// part of `parts`
    pub part: usize,
    /// how many parts the work is dealt to
    pub parts: usize,
}

impl Step for TrustShareOut {
    type Output = TrustShare;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<TrustShare> {
        Ok(at.the(&self.work)?.share(Part { index: self.part, of: self.parts }))
    }
}

/// What all shares say together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrustAdd {
    /// the rows
    pub work: Handle<TrustWork>,
    /// every share, in order
    pub shares: Vec<Handle<TrustShare>>,
    /// level at which what could be caught is wanted
    pub alpha: Option<f64>,
}

impl Step for TrustAdd {
    type Output = TrustOutcome;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<TrustOutcome> {
        let (work, shares) = (at.the(&self.work)?, at.each(&self.shares)?);
        let found = match self.alpha {
            Some(alpha) => work.merged_with_power(&shares, alpha),
            None => work.merged(&shares),
        };
        Ok(tested(work, found))
    }
}

/// What was found, without p-values where rows are alike in the outcome, or dependent.
fn tested(work: &TrustWork, found: TrustOutcome) -> TrustOutcome {
    match &work.no_test {
        Some(why) => found.without_test(why),
        None => found,
    }
}

/// A share of the outcomes of a simulated bias.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrustSimulate {
    /// the rows
    pub work: Handle<TrustWork>,
    /// what is known so far
    pub so_far: Handle<TrustOutcome>,
    /// part of `parts`
    pub part: usize,
    /// how many parts the work is dealt to
    pub parts: usize,
}

impl Step for TrustSimulate {
    type Output = TrustShare;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<TrustShare> {
        let part = Part { index: self.part, of: self.parts };
        Ok(at.the(&self.work)?.simulated_share(at.the(&self.so_far)?, part))
    }
}

/// What is known after a simulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrustSimulated {
    /// the rows
    pub work: Handle<TrustWork>,
    /// what was known before
    pub so_far: Handle<TrustOutcome>,
    /// every share of the simulation, in order
    pub shares: Vec<Handle<TrustShare>>,
}

impl Step for TrustSimulated {
    type Output = TrustOutcome;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<TrustOutcome> {
        let work = at.the(&self.work)?;
        Ok(tested(work, work.simulated(at.the(&self.so_far)?, &at.each(&self.shares)?)))
    }
}
