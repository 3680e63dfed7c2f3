//! The jobs that divide the rows several times, and fit and score every method each time.

use std::collections::BTreeSet;

use super::cost::local_parts;
use super::proximity::Searches;
use super::{local_error, local_settings};
use crate::data::folds::Split;
use crate::data::{Division, Predictions};
use crate::error::{Error, Result, phrases};
use crate::evaluation::comparison::{Drawn, repeats_of};
use crate::evaluation::method::{Method, MethodKind, title, whose_scores};
use crate::evaluation::scored::Scored;
use crate::feature::proximity::ProximityOptions;
use crate::metric::binning::BinOptions;
use crate::metric::entry::{Interval, MetricRequirement};
use crate::metric::registry;
use crate::report::RunOutcome;
use crate::report::view::method_rows;
use crate::run::graph::{Handle, Plan};
use crate::run::plan::proximity::options;
use crate::run::step::{Divide, DivideRepeat, Draw, Score};

/// Repeats at most: each fits every method again.
const MOST_REPEATS: usize = 100;
/// The column of repeats where the request gives none.
const SEED_COLUMN: &str = "seed";

/// Divisions of the rows: by one seed after the other, or as a column says.
pub(crate) struct Repeats {
    /// the column that names them
    pub(crate) by: Option<String>,
    /// seed of the first
    seed: u64,
    /// every row is scored
    everything: bool,
    /// what each adds to the label of its jobs
    labels: Vec<String>,
}

/// What is scored in each repeat.
pub(crate) struct Scoring<'a> {
    pub(crate) methods: &'a [Method],
    pub(crate) bins: BinOptions,
    /// beyond the scorecard
    pub(crate) metrics: BTreeSet<String>,
    /// columns of the metrics of groups
    pub(crate) groups: Vec<String>,
    /// what the metrics of proximity look at
    pub(crate) near: Option<ProximityOptions>,
}

/// One method in one repeat: handles to the division and to the scores, and whose they are, as labels of later steps end.
pub(crate) struct ScoredOnce {
    pub(crate) split: Handle<Split>,
    pub(crate) scored: Handle<Scored>,
    pub(crate) whose: String,
}

/// One method whose metrics are told: handles to its scores, and to the metrics.
pub(crate) struct Measured {
    pub(crate) scored: Handle<Scored>,
    pub(crate) drawn: Handle<Drawn>,
}

impl Repeats {
    /// As the column `by` says, or a column called `seed` where the file says which rows calibrate; else `count` times,
    /// by default `usual` times where the file leaves room for more than one.
    ///
    /// # Errors
    /// `unknown_column`; `invalid_option` for repeats that the file leaves no room for.
    pub(crate) fn new(
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
                        "{} repeats were requested, but the column of repeats has {} values.",
                        count.unwrap_or(0),
                        names.len()
                    ),
                    phrases::REPEATS_OR_BY,
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
                format!("{count} repeats were requested."),
                "Request 1 to 100; 5 is usual.",
            ));
        }
        if given && count > 1 {
            return Err(Error::new(
                "invalid_option",
                format!("{count} repeats were requested, but the file specifies the calibration rows."),
                phrases::DIVIDE_OTHERWISE,
            ));
        }
        let label = |r: usize| match count {
            1 => String::new(),
            _ => format!(", repeat {r} of {count}"),
        };
        Ok(Self { by: None, seed, everything: false, labels: (1..=count).map(label).collect() })
    }

    /// One division, or every row scored.
    pub(crate) fn once(seed: u64, everything: bool) -> Self {
        Self { by: None, seed, everything, labels: vec![String::new()] }
    }

    /// How many.
    pub(crate) fn count(&self) -> usize {
        self.labels.len()
    }

    fn divide(
        &self,
        nodes: &mut Plan,
        (data, known): (Handle<Predictions>, &Predictions),
        repeat: usize,
    ) -> Handle<Split> {
        let (cost, label) = (known.rows as f64 * 5e-5, "splitting the rows");
        match &self.by {
            Some(column) => {
                nodes.push(DivideRepeat { data, column: column.clone(), repeat, seed: self.seed }, cost, label)
            }
            None => {
                let seed = self.seed.wrapping_add(repeat as u64);
                nodes.push(Divide { data, seed, everything: self.everything }, cost, label)
            }
        }
    }

    /// Pushes the steps of every repeat; answers repeat by repeat, method by method.
    pub(crate) fn push(
        &self,
        nodes: &mut Plan,
        (data, known): (Handle<Predictions>, &Predictions),
        scoring: &Scoring,
    ) -> Vec<Vec<ScoredOnce>> {
        let folds = match known.division {
            Division::Folds { folds } => folds,
            _ => 1,
        };
        let mut searches = Searches::default();
        let mut repeats = Vec::with_capacity(self.labels.len());
        for (r, label) in self.labels.iter().enumerate() {
            let split = self.divide(nodes, (data, known), r);
            let mut once = Vec::with_capacity(scoring.methods.len());
            for method in scoring.methods {
                let whose = format!("{}{label}", whose_scores(&method.name));
                let fits = match method.kind {
                    MethodKind::NONE => Vec::new(),
                    _ => searches.fits(
                        nodes,
                        (data, known),
                        split,
                        method,
                        folds,
                        &format!("{}{label}", title(&method.name)),
                    ),
                };
                let near = scoring.near.as_ref().map(|near| searches.nodes(nodes, (data, known), split, near));
                let score = Score {
                    data,
                    split,
                    fits,
                    near: near.unwrap_or_default(),
                    bins: scoring.bins,
                    metrics: scoring.metrics.clone(),
                    groups: scoring.groups.clone(),
                };
                let scored = nodes.push(score, known.rows as f64 * 3e-4, &format!("metrics of {whose}"));
                once.push(ScoredOnce { split, scored, whose });
            }
            repeats.push(once);
        }
        repeats
    }

    /// The same, and after each the step that tells its `metrics`, those on neighborhoods as the run says; answers repeat
    /// by repeat, method by method.
    ///
    /// # Errors
    /// As the settings of the local error.
    pub(crate) fn push_metrics(
        &self,
        nodes: &mut Plan,
        (data, known): (Handle<Predictions>, &Predictions),
        run: &RunOutcome,
        scoring: &Scoring,
        metrics: &[String],
    ) -> Result<Vec<Vec<Measured>>> {
        let local = run.report.settings.local.clone();
        let local = local
            .filter(|_| registry::any_requires(metrics, MetricRequirement::Neighbourhoods))
            .map(|local| local_settings(known, local, &scoring.bins))
            .transpose()?;
        let mut repeats = Vec::new();
        for once in self.push(nodes, (data, known), scoring) {
            let mut found = Vec::with_capacity(once.len());
            for ScoredOnce { split, scored, whose } in once {
                let local = match &local {
                    Some(local) => {
                        let parts = local_parts(known, local)?;
                        let counted = registry::any_counts_neighbors(metrics);
                        local_error(nodes, (local, counted), parts, (data, split, scored), &whose)
                    }
                    None => Vec::new(),
                };
                let step = Draw {
                    data,
                    split,
                    scored,
                    local,
                    bins: scoring.bins,
                    metrics: metrics.to_vec(),
                    seed: self.seed,
                    first: 0,
                    last: 0,
                };
                let drawn = nodes.push(step, known.rows as f64 * 1e-4, &format!("metrics of {whose}"));
                found.push(Measured { scored, drawn });
            }
            repeats.push(found);
        }
        Ok(repeats)
    }
}

/// Whether every one of the metrics can be computed here.
///
/// # Errors
/// `unknown_metric`; `invalid_option` for those of the KLCE test.
pub(crate) fn computed(ids: &[String]) -> Result<()> {
    registry::requested(Some(ids))?;
    let tested = |id: &&String| registry::metric(id).is_none_or(|metric| metric.interval == Interval::Tested);
    ids.iter().find(tested).map_or(Ok(()), |id| {
        Err(Error::new(
            "invalid_option",
            format!("The KLCE test is not available here: `{id}`."),
            "Omit its metrics, or request them in a run.",
        ))
    })
}

/// What the metrics of proximity look at, where one of them is asked for: as the run says.
///
/// # Errors
/// `features_missing`, `unknown_column`.
pub(crate) fn proximity_options(
    data: &Predictions,
    run: &RunOutcome,
    metrics: &[String],
) -> Result<Option<ProximityOptions>> {
    let asked = registry::any_requires(metrics, MetricRequirement::Proximity);
    asked.then(|| options(data, run, ProximityOptions::default())).transpose()
}

/// The methods of the run that were asked for, `none` first.
///
/// # Errors
/// `unknown_method`.
pub(crate) fn methods(run: &RunOutcome, names: Option<&[String]>) -> Result<Vec<Method>> {
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
