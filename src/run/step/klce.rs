//! The steps of a KLCE test: its rows, a share of its work, what all shares say.

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::klce::{KlceSettings, klce_work, klce_work_of_scores};
use crate::evaluation::scored::Scored;
use crate::feature::features;
use crate::hypothesis::{KlceShare, KlceTestOutcome, KlceWork};
use crate::kernel::Part;
use crate::report::RunOutcome;
use crate::report::mapped_rows::fit_rows;
use crate::report::view::method_rows;
use crate::run::graph::{Handle, Outcomes, Step};

/// Whose scores are tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum KlceOf {
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

/// The rows of a KLCE test and how they are dealt with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KlcePrepare {
    /// the data set
    pub data: Handle<Predictions>,
    /// whose scores
    pub of: KlceOf,
    /// kernel and nulls
    pub settings: KlceSettings,
}

impl Step for KlcePrepare {
    type Output = KlceWork;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<KlceWork> {
        let (data, settings) = (at.the(&self.data)?, &self.settings);
        match &self.of {
            KlceOf::Run { run, method } => {
                let run = at.the(run)?;
                let rows = method_rows(run, Some(method))?;
                let places = features(data, &settings.features, &fit_rows(data, run, rows, &settings.features)?)?;
                klce_work(data, &rows.into(), (places.d, &places.values), settings)
            }
            KlceOf::Scores { split, scored } => klce_work_of_scores(data, at.the(split)?, at.the(scored)?, settings),
        }
    }
}

/// One share of a KLCE test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KlceShareOut {
    /// the rows
    pub work: Handle<KlceWork>,
    /// part of `parts`
    pub part: usize,
    /// how many parts the work is dealt to
    pub parts: usize,
}

impl Step for KlceShareOut {
    type Output = KlceShare;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<KlceShare> {
        Ok(at.the(&self.work)?.share(Part { index: self.part, of: self.parts }))
    }
}

/// What all shares say together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KlceAdd {
    /// the rows
    pub work: Handle<KlceWork>,
    /// every share, in order
    pub shares: Vec<Handle<KlceShare>>,
    /// level at which what could be caught is wanted
    pub alpha: Option<f64>,
}

impl Step for KlceAdd {
    type Output = KlceTestOutcome;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<KlceTestOutcome> {
        let (work, shares) = (at.the(&self.work)?, at.each(&self.shares)?);
        let found = match self.alpha {
            Some(alpha) => work.merged_with_power(&shares, alpha),
            None => work.merged(&shares),
        };
        Ok(work.tested(found))
    }
}

/// A share of the outcomes of a simulated bias.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KlceSimulate {
    /// the rows
    pub work: Handle<KlceWork>,
    /// what is known so far
    pub so_far: Handle<KlceTestOutcome>,
    /// part of `parts`
    pub part: usize,
    /// how many parts the work is dealt to
    pub parts: usize,
}

impl Step for KlceSimulate {
    type Output = KlceShare;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<KlceShare> {
        let part = Part { index: self.part, of: self.parts };
        Ok(at.the(&self.work)?.simulated_share(at.the(&self.so_far)?, part))
    }
}

/// What is known after a simulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KlceSimulated {
    /// the rows
    pub work: Handle<KlceWork>,
    /// what was known before
    pub so_far: Handle<KlceTestOutcome>,
    /// every share of the simulation, in order
    pub shares: Vec<Handle<KlceShare>>,
}

impl Step for KlceSimulated {
    type Output = KlceTestOutcome;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<KlceTestOutcome> {
        let work = at.the(&self.work)?;
        Ok(work.tested(work.simulated(at.the(&self.so_far)?, &at.each(&self.shares)?)))
    }
}
