//! The steps of an experiment: a division, fits of methods that begin alike, and metrics of one of them.
//!
//! What cannot be fitted or measured is a reason beside its cells; it ends nothing else.

use crate::metric::Reason;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::expand::{APPLY_SECONDS, FIT_SECONDS};
use super::split_rule::SplitRule;
use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::{Error, Result};
use crate::evaluation::comparison::{ComparisonMetrics, resampled};
use crate::evaluation::klce::{KlceSettings, klce_work_of_scores};
use crate::evaluation::local::Neighborhood;
use crate::evaluation::method::{After, Fitted, Method, MethodKind, fit_each_after, fitted_for_other_data};
use crate::evaluation::proximity::{LogProximities, Proximities};
use crate::evaluation::request::LocalOptions;
use crate::evaluation::scored::Scored;
use crate::metric::binning::BinOptions;
use crate::metric::entry::{Value, ValueOf};
use crate::metric::registry;
use crate::num::clock::seconds_now;
use crate::recalibrate::recalibrator::RowsToScore;
use crate::run::graph::{Handle, Outcomes, Step};
use crate::run::plan::kernel;
use crate::run::step::nearness;

/// Divides the rows anew, whatever the data set says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DivideAnew {
    /// the data set
    pub data: Handle<Predictions>,
    /// how
    pub rule: SplitRule,
    /// seed of halves and folds
    pub seed: u64,
}

impl Step for DivideAnew {
    type Output = Split;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Split> {
        self.rule.split(at.the(&self.data)?, self.seed)
    }
}

/// A method that is to be fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToFit {
    /// the method
    pub method: Method,
    /// for one that looks at them, how near rows are, part by part
    pub near: Vec<Handle<LogProximities>>,
}

/// Fits methods that begin with the same one, which is fitted once for all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// the data set
    pub data: Handle<Predictions>,
    /// its division
    pub split: Handle<Split>,
    /// the method that they begin with
    pub base: MethodKind,
    /// the methods
    pub methods: Vec<ToFit>,
}

/// The fits of some methods, or why there are none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Attempted {
    /// method by method
    pub each: Vec<Fits>,
}

/// The fits of one method.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fits {
    /// a fold each; none of `none`
    pub folds: Vec<Fitted>,
    /// why there are none
    pub reason: Option<String>,
    /// seconds that they took, with the method that they begin with; none where there is no clock
    pub seconds: Option<f64>,
}

impl Step for Attempt {
    type Output = Attempted;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<Attempted> {
        let (data, split) = (at.the(&self.data)?, at.the(&self.split)?);
        let near = self.methods.iter().map(|one| nearness(split, &at.each(&one.near)?));
        let near: Vec<Option<Proximities>> = near.collect::<Result<_>>()?;
        let mut each = vec![Fits::default(); self.methods.len()];
        for fold in 0..split.folds {
            let (fit_rows, score_rows) = split.rows_of(fold)?;
            let of_fold = self.methods.iter().zip(&near).map(|(one, near)| After {
                kind: &one.method.kind,
                near: near.as_ref().map(|near| near.of_fold(fold)),
            });
            let of_fold: Vec<After> = of_fold.collect();
            let mut part = |share: f64| progress((fold as f64 + share) / split.folds as f64);
            let found = fit_each_after(data, &self.base, &of_fold, (&fit_rows, &score_rows), &mut part);
            for (fits, found) in each.iter_mut().zip(found) {
                fits.seconds = match (fold, fits.seconds, found.seconds) {
                    (0, _, seconds) => seconds,
                    (_, Some(before), Some(seconds)) => Some(before + seconds),
                    _ => None,
                };
                match found.fitted {
                    Ok(fitted) => fits.folds.push(fitted),
                    Err(error) => fits.reason = Some(reason(error)?),
                }
            }
        }
        for (fits, one) in each.iter_mut().zip(&self.methods) {
            if one.method.kind == MethodKind::NONE || fits.reason.is_some() {
                fits.folds.clear();
            }
        }
        Ok(Attempted { each })
    }
}

/// Why there is no number, for a cell.
///
/// # Errors
/// What is a fault of the program, and what no other cell could do without.
fn reason(error: Error) -> Result<String> {
    match error.code() {
        "internal" | "memory" => Err(error),
        _ => Ok(error.to_string()),
    }
}

/// Metrics of one method at one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// the data set
    pub data: Handle<Predictions>,
    /// its division
    pub split: Handle<Split>,
    /// the fits
    pub fits: Handle<Attempted>,
    /// place of the method among them
    pub place: usize,
    /// data set, method, space, division and settings of the cells
    pub cell: Cell,
    /// metric ids
    pub metrics: Vec<String>,
    /// confidence bins of the metrics
    pub bins: BinOptions,
    /// columns of the metrics of groups
    pub groups: Vec<String>,
    /// where metrics of neighborhoods look
    pub local: Option<LocalOptions>,
    /// for metrics of proximity, how near rows are, part by part
    pub near: Vec<Handle<LogProximities>>,
    /// the KLCE test
    pub klce: Option<KlceSettings>,
}

/// Some cells of an experiment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cells {
    /// numbers, or reasons why there are none
    pub cells: Vec<Cell>,
}

impl Cells {
    /// The same reason for every metric.
    pub(super) fn without(cell: &Cell, metrics: &[String], reason: &str) -> Self {
        Self::of(cell, metrics, |_| Err(Reason::undefined(reason.to_owned())))
    }

    fn of(cell: &Cell, metrics: &[String], value: impl Fn(&str) -> Value) -> Self {
        let each = metrics.iter().map(|id| {
            let value = value(id).and_then(|v| if v.is_finite() { Ok(v) } else { Err(Reason::NotFinite) });
            let (value, reason) = match value {
                Ok(value) => (Some(value), None),
                Err(reason) => (None, Some(reason.to_string())),
            };
            Cell { metric: id.clone(), value, reason, ..cell.clone() }
        });
        Self { cells: each.collect() }
    }
}

impl Step for Measure {
    type Output = Cells;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<Cells> {
        let (data, split) = (at.the(&self.data)?, at.the(&self.split)?);
        let fits = at.the(&self.fits)?.each.get(self.place);
        let fits = fits.ok_or_else(|| Error::internal("A method was not fitted."))?;
        if let Some(reason) = &fits.reason {
            return Ok(Cells::without(&self.cell, &self.metrics, reason));
        }
        let near = nearness(split, &at.each(&self.near)?)?;
        match self.cells(data, split, fits, near.as_ref(), progress) {
            Ok(cells) => Ok(cells),
            Err(error) => Ok(Cells::without(&self.cell, &self.metrics, &reason(error)?)),
        }
    }
}

impl Measure {
    fn cells(
        &self,
        data: &Predictions,
        split: &Split,
        fitted: &Fits,
        near: Option<&Proximities>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Cells> {
        let asked: BTreeSet<String> = self.metrics.iter().cloned().collect();
        let fits: Vec<&Fitted> = fitted.folds.iter().collect();
        let scored = Scored::new(data, split, &fits, &self.bins, &asked)?.with_proximity(near, &asked)?.with_groups(
            data,
            &self.groups,
            &self.bins,
            &asked,
        )?;
        let metrics = ComparisonMetrics { bins: &self.bins, metrics: &self.metrics };
        let mut found = resampled(data, split, &scored, metrics, 0, 0..0, progress)?;
        if let Some(local) = &self.local {
            let rows = Neighborhood::new(data, split, &scored, local)?;
            let counted = registry::any_counts_neighbors(&self.metrics);
            let rows = rows.error(kernel(local)?, local.leave_one_out, counted, local.engine, (0, 1))?.merged();
            found.take_local(&rows, scored.weights(), &self.metrics);
        }
        if let Some(settings) = &self.klce {
            found.values.extend(tested(data, split, &scored, settings)?);
        }
        let events = Some(scored.target.iter().filter(|target| **target == 1).count());
        let cell =
            Cell { rows: found.rows, events, fitted: found.fitted, seconds: fitted.seconds, ..self.cell.clone() };
        let missing = || Err(Reason::FeaturesMissing);
        Ok(Cells::of(&cell, &self.metrics, |id| found.values.get(id).cloned().unwrap_or_else(missing)))
    }
}

/// The metrics of the KLCE test of some scores.
///
/// # Errors
/// As [`klce_work_of_scores`].
fn tested(
    data: &Predictions,
    split: &Split,
    scored: &Scored,
    settings: &KlceSettings,
) -> Result<impl Iterator<Item = (String, Value)>> {
    let work = klce_work_of_scores(data, split, scored, settings)?;
    let found = work.tested(work.run());
    let code = settings.nulls.last().copied().unwrap_or(crate::hypothesis::Null::PermuteCentred);
    let weighted = scored.weights().is_some();
    Ok(registry::all().filter_map(move |metric| {
        let ValueOf::KlceTest(value) = metric.value else { return None };
        let value = if weighted { Err(Reason::NotWithWeights) } else { value(&found, code) };
        Some((metric.id.to_owned(), value))
    }))
}

/// How long a method takes to be fitted, and to score other rows as a stored calibrator does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeFit {
    /// the data set
    pub data: Handle<Predictions>,
    /// its division
    pub split: Handle<Split>,
    /// the method
    pub method: Method,
    /// data set, method, division and settings of the cells
    pub cell: Cell,
    /// of `fit_seconds` and `apply_seconds` those that are asked for
    pub metrics: Vec<String>,
}

impl Step for TimeFit {
    type Output = Cells;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Cells> {
        let (data, split) = (at.the(&self.data)?, at.the(&self.split)?);
        match self.cells(data, split) {
            Ok(cells) => Ok(cells),
            Err(error) => Ok(Cells::without(&self.cell, &self.metrics, &reason(error)?)),
        }
    }
}

/// An application is repeated until this many seconds are measured: clocks of browsers tick coarsely.
const LEAST_SECONDS: f64 = 0.02;
/// But so many times at most.
const MOST_TURNS: usize = 200;

impl TimeFit {
    fn cells(&self, data: &Predictions, split: &Split) -> Result<Cells> {
        let (fit_rows, score_rows) = split.rows_of(0)?;
        let Some(begin) = seconds_now() else {
            return Ok(Cells::without(&self.cell, &self.metrics, "there is no clock here"));
        };
        let passed = |since: f64| seconds_now().unwrap_or(since) - since;
        let fitted = fitted_for_other_data(data, &self.method.kind, &fit_rows)?;
        let fit = passed(begin);
        let rows = RowsToScore {
            data,
            rows: &score_rows,
            before: None,
            of_logits: fitted.of_logits(),
            fitted_on: None,
            log_proximity: None,
            coordinates: None,
        };
        let begin = seconds_now().unwrap_or_default();
        let turned = (1..=MOST_TURNS).try_fold(0, |_, turn| match fitted.scores(&rows, &mut |_| ()) {
            Ok(_) if passed(begin) < LEAST_SECONDS => ControlFlow::Continue(turn),
            Ok(_) => ControlFlow::Break(Ok(turn)),
            Err(error) => ControlFlow::Break(Err(error)),
        });
        let turns = match turned {
            ControlFlow::Continue(turns) => turns,
            ControlFlow::Break(turns) => turns?,
        };
        let apply = passed(begin) / (turns.max(1) * score_rows.len().max(1)) as f64;
        let cell = Cell { rows: score_rows.len(), fitted: fit_rows.len(), ..self.cell.clone() };
        Ok(Cells::of(&cell, &self.metrics, |id| match id {
            FIT_SECONDS => Ok(fit),
            APPLY_SECONDS => Ok(apply),
            other => Err(Reason::undefined(format!("`{other}` is no time"))),
        }))
    }
}
