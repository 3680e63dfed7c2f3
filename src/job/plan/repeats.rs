//! The jobs that divide the rows several times, and fit and score every method each time.

use std::collections::BTreeSet;

use super::cost::local_parts;
use super::proximity::Searches;
use super::{Plan, local_settings};
use crate::data::{Division, Predictions};
use crate::error::{Error, Result};
use crate::evaluation::comparison::repeats_of;
use crate::evaluation::method::{Method, MethodKind};
use crate::evaluation::proximity::ProximityOptions;
use crate::job::Job;
use crate::metric::binning::BinOptions;
use crate::metric::entry::{Interval, Needs};
use crate::metric::registry;
use crate::report::RunOutcome;
use crate::report::proximity::options;
use crate::report::view::method_rows;

/// Repeats at most: each fits every method again.
const MOST_REPEATS: usize = 100;
/// The column that is looked for where none is named.
const SEED_COLUMN: &str = "seed";

/// Divisions of the rows: by one seed after the other, or as a column says.
pub(super) struct Repeats {
    /// the column that names them
    pub(super) by: Option<String>,
    /// seed of the first
    seed: u64,
    /// every row is scored
    everything: bool,
    /// what each adds to the label of its jobs
    labels: Vec<String>,
}

/// What is scored in each repeat.
pub(super) struct Scoring<'a> {
    pub(super) methods: &'a [Method],
    pub(super) bins: BinOptions,
    /// beyond the scorecard
    pub(super) metrics: BTreeSet<String>,
    /// columns of the metrics of groups
    pub(super) groups: Vec<String>,
    /// what the metrics of proximity look at
    pub(super) near: Option<ProximityOptions>,
}

/// One method in one repeat: numbers of the nodes that divide and score the rows, and what the labels of later ones end in.
pub(super) struct ScoredOnce {
    pub(super) split: usize,
    pub(super) scored: usize,
    pub(super) name: String,
}

impl Repeats {
    /// As the column `by` says, or a column called `seed` where the file says which rows calibrate; else `count` times,
    /// by default `usual` times where the file leaves room for more than one.
    ///
    /// # Errors
    /// `unknown_column`; `invalid_option` for repeats that the file leaves no room for.
    pub(super) fn new(
        data: &Predictions,
        by: Option<String>,
        count: Option<usize>,
        usual: usize,
        seed: u64,
    ) -> Result<Self> {
        let given = matches!(data.division, Division::Given { .. });
        let by = by.or_else(|| {
            let look = given && count.is_none() && repeats_of(data, SEED_COLUMN).is_ok();
            look.then(|| SEED_COLUMN.to_owned())
        });
        if let Some(column) = by {
            let names = repeats_of(data, &column)?;
            if count.is_some_and(|count| count != names.len()) {
                return Err(Error::new(
                    "invalid_option",
                    format!(
                        "{} repeats were asked for, and the column that names them has {} values.",
                        count.unwrap_or(0),
                        names.len()
                    ),
                    "Leave `repeats` out, or `by`.",
                ));
            }
            let label = |name: String| format!(", {column} {name}");
            return Ok(Self {
                labels: names.into_iter().map(label).collect(),
                by: Some(column),
                seed,
                everything: false,
            });
        }
        let count = count.unwrap_or(if given { 1 } else { usual });
        if !(1..=MOST_REPEATS).contains(&count) {
            return Err(Error::new(
                "invalid_option",
                format!("{count} repeats were asked for."),
                "Ask for 1 to 100; 5 is usual.",
            ));
        }
        if given && count > 1 {
            return Err(Error::new(
                "invalid_option",
                format!("{count} repeats were asked for, and the file says which rows calibrate."),
                "Ask for 1, name a column of repeats in `by`, or open the data with split: { folds: 5 } or { half: true }.",
            ));
        }
        let label = |r: usize| match count {
            1 => String::new(),
            _ => format!(", repeat {r} of {count}"),
        };
        Ok(Self { by: None, seed, everything: false, labels: (1..=count).map(label).collect() })
    }

    /// One division, or every row scored.
    pub(super) fn once(seed: u64, everything: bool) -> Self {
        Self { by: None, seed, everything, labels: vec![String::new()] }
    }

    /// How many.
    pub(super) fn count(&self) -> usize {
        self.labels.len()
    }

    fn division(&self, repeat: usize) -> Job {
        match &self.by {
            Some(column) => Job::SplitOfRepeat { column: column.clone(), repeat, seed: self.seed },
            None => Job::Split { seed: self.seed.wrapping_add(repeat as u64), everything: self.everything },
        }
    }

    /// Pushes the jobs of every repeat; answers repeat by repeat, method by method.
    pub(super) fn push(&self, nodes: &mut Plan, data: &Predictions, scoring: &Scoring) -> Vec<ScoredOnce> {
        let n = data.rows as f64;
        let folds = match data.division {
            Division::Folds { folds } => folds,
            _ => 1,
        };
        let mut found = Vec::new();
        let mut searches = Searches::default();
        for (r, label) in self.labels.iter().enumerate() {
            let split = nodes.push(self.division(r), &[0], n * 5e-5, "dividing the rows");
            for method in scoring.methods {
                let name = format!("{}{label}", method.name);
                let mut needs = vec![0, split];
                if method.kind != MethodKind::NONE {
                    let mut fit_needs = vec![0, split];
                    if let Some(near) = method.kind.proximity() {
                        fit_needs.extend(searches.nodes(nodes, data, split, near));
                    }
                    for fold in 0..folds {
                        let job = Job::Fit { method: method.clone(), fold };
                        let cost = method.kind.cost(data);
                        needs.push(nodes.push(job, &fit_needs, cost, &format!("fitting {name}")));
                    }
                }
                if let Some(near) = &scoring.near {
                    needs.extend(searches.nodes(nodes, data, split, near));
                }
                let job =
                    Job::Score { bins: scoring.bins, metrics: scoring.metrics.clone(), groups: scoring.groups.clone() };
                let scored = nodes.push(job, &needs, n * 3e-4, &format!("scoring {name}"));
                found.push(ScoredOnce { split, scored, name });
            }
        }
        found
    }

    /// The same, and after each the job that tells its `metrics`, those on neighbourhoods as the run says; answers the
    /// numbers of these.
    ///
    /// # Errors
    /// As the settings of the local error.
    pub(super) fn push_metrics(
        &self,
        nodes: &mut Plan,
        data: &Predictions,
        run: &RunOutcome,
        scoring: &Scoring,
        metrics: &[String],
    ) -> Result<Vec<usize>> {
        let local = run.report.settings.local.clone();
        let local = local
            .filter(|_| registry::any_needs(metrics, Needs::Neighbourhoods))
            .map(|local| local_settings(data, local, &scoring.bins))
            .transpose()?;
        let mut found = Vec::new();
        for once in self.push(nodes, data, scoring) {
            let mut draw = vec![0, once.split, once.scored];
            if let Some(local) = &local {
                let parts = local_parts(data, local)?;
                draw.extend(nodes.local_error(local, parts, &draw, &once.name));
            }
            let job = Job::Draw { bins: scoring.bins, metrics: metrics.to_vec(), seed: self.seed, first: 0, last: 0 };
            let label = format!("metrics of {}", once.name);
            found.push(nodes.push(job, &draw, data.rows as f64 * 1e-4, &label));
        }
        Ok(found)
    }
}

/// Whether every one of the metrics can be computed here.
///
/// # Errors
/// `unknown_metric`; `invalid_option` for those of the trust test.
pub(super) fn computed(ids: &[String]) -> Result<()> {
    registry::requested(Some(ids))?;
    let tested = |id: &&String| registry::metric(id).is_none_or(|metric| metric.interval == Interval::Tested);
    ids.iter().find(tested).map_or(Ok(()), |id| {
        Err(Error::new(
            "invalid_option",
            format!("The trust test is not made here: `{id}`."),
            "Leave out its metrics, or ask for them in a run.",
        ))
    })
}

/// What the metrics of proximity look at, where one of them is asked for: as the run says.
///
/// # Errors
/// `features_missing`, `unknown_column`.
pub(super) fn near(data: &Predictions, run: &RunOutcome, metrics: &[String]) -> Result<Option<ProximityOptions>> {
    let asked = registry::any_needs(metrics, Needs::Proximity);
    asked.then(|| options(data, run, ProximityOptions::default())).transpose()
}

/// The methods of the run that were asked for, `none` first.
///
/// # Errors
/// `unknown_method`.
pub(super) fn methods(run: &RunOutcome, names: Option<&[String]>) -> Result<Vec<Method>> {
    let mut methods = vec![Method { name: "none".to_owned(), kind: MethodKind::NONE }];
    let asked: Vec<Method> = match names {
        Some(names) => names
            .iter()
            .filter(|name| *name != "none")
            .map(|name| method_rows(run, Some(name)).map(|rows| rows.method.clone()))
            .collect::<Result<_>>()?,
        None => run.rows.iter().map(|rows| rows.method.clone()).collect(),
    };
    for method in asked {
        let known = methods.iter().any(|other| other.name == method.name);
        if method.kind != MethodKind::NONE && !known && method.kind.missing().is_none() {
            methods.push(method);
        }
    }
    Ok(methods)
}
