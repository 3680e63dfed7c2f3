//! Conclusions of a study that uses predicted probabilities in place of outcomes.

mod plan;
mod request;

pub use plan::{Conclude, DrawRows, DrawnErrors};
pub use request::InferenceRequest;

mod words;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::grouping::{QUANTILES, grouping};
use crate::data::{Predictions, View};
use crate::error::{Error, Result, message, phrases};
use crate::feature::groups::{group_columns, groups};
use crate::feature::{covariates, numbers};
use crate::hypothesis::inference::Task;
use crate::metric::entry::{Interval, Range};
use crate::num::cluster::fill_clustered_poisson;
use crate::num::order::sort_short;
use crate::num::proportion::too_few_to_resample;
use crate::num::rng::Lanes;
use crate::plot::chart::Screen;
use crate::report::disclosure::Basis;
use crate::report::interval::CorrectedInterval;
use crate::report::sheet::Sheet;
use crate::report::small_cells::ColumnCounts;
use crate::report::verdict::Verdict;
use crate::report::view::method_rows;
use crate::report::{MethodRows, RunOutcome};

/// Maximum number of groups that are compared with the rest.
const MOST_GROUPS: usize = 12;

/// Response of `data.analyse("inference")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InferenceOutcome {
    /// the panel, as displayed
    pub sheet: Sheet,
    /// one estimate per method and task
    pub estimates: Vec<InferenceEstimate>,
    /// verdict on the first estimate
    pub verdict: Verdict,
}

/// The response before its charts are drawn.
pub type InferenceWithoutCharts = WithoutCharts<InferenceOutcome>;
/// The step that draws its charts.
pub type ShowInference = Show<InferenceOutcome>;

impl HasCharts for InferenceOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// An estimate from observed outcomes and from predicted probabilities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InferenceEstimate {
    /// name of the method
    pub method: String,
    /// `mean` or `gap`
    pub task: Cow<'static, str>,
    /// quantity that is averaged, or groups that are compared
    pub of: String,
    /// number of rows
    pub n: usize,
    /// of them with the event
    pub events: usize,
    /// estimate from outcomes; null if no row contributes to the mean
    pub truth: Option<f64>,
    /// estimate from predicted probabilities
    pub estimate: Option<f64>,
    /// estimate − truth
    pub error: Option<f64>,
    /// lower limit of the 95% CI of `error`: rows are resampled, with the same rows for both estimates; null if fewer than 10
    /// of the rows have the rarer outcome
    pub low: Option<f64>,
    /// upper limit of that interval
    pub high: Option<f64>,
    /// two-sided p-value of such an error if calibrated; null if it cannot be computed
    pub p: Option<f64>,
    /// number of resamples of the interval
    pub resamples: usize,
}

struct Estimand {
    name: String,
    gap: bool,
    /// column of the groups that are compared, and their values
    of_groups: Option<(String, Vec<String>)>,
    /// why there is no result, if the column determines the outcome
    no_test: Option<String>,
    /// of every row of the data
    values: EstimandValues,
}

enum EstimandValues {
    Mean(Vec<f64>),
    Side(Vec<u8>),
}

impl Estimand {
    /// Rows that it is about: of a covariate those with a value and those without, of groups those of each side and those of
    /// neither. A group that is withheld where the groups of its column are listed is withheld here, too.
    fn basis(&self, data: &Predictions, run: &RunOutcome) -> Basis {
        let Ok(rows) = method_rows(run, None) else { return Basis::Unknown };
        let of_groups = match &self.of_groups {
            None => Basis::AllRows,
            Some((column, values)) => match grouping(data, std::slice::from_ref(column), QUANTILES) {
                Ok(by) => {
                    let place = |value: &String| by.names.iter().position(|name| name == value);
                    let places: Option<Vec<usize>> = values.iter().map(place).collect();
                    let of = ColumnCounts::of(run, &by);
                    places.map_or(Basis::Unknown, |places| Basis::all_of([Basis::Values { places, of }]))
                }
                Err(_) => Basis::Unknown,
            },
        };
        let side = |row: &u32| match &self.values {
            EstimandValues::Mean(values) => {
                if values.get(*row as usize).is_some_and(|value| value.is_finite()) {
                    0
                } else {
                    2
                }
            }
            EstimandValues::Side(sides) => sides.get(*row as usize).copied().unwrap_or(2),
        };
        let of = |wanted: u8| {
            let mine = || rows.rows.iter().zip(rows.target.iter()).filter(|(row, _)| side(row) == wanted);
            Basis::share(mine().count(), mine().filter(|(_, target)| **target == 1).count())
        };
        Basis::all_of([of_groups, of(0), of(1), of(2)])
    }
}

fn estimands(data: &Predictions, request: &InferenceRequest) -> Result<Vec<Estimand>> {
    if data.view != View::Positive {
        return Err(Error::new(
            "unsupported_view",
            "Only P(y = 1) can replace outcomes; this view evaluates confidence.",
            message![phrases::POSITIVE_VIEW, "; a file of confidence and correctness has none."],
        ));
    }
    let named = |asked: &Option<String>, first: Vec<String>| {
        let name = asked.clone().or_else(|| first.into_iter().next());
        name.filter(|name| !name.is_empty())
    };
    let mut tasks = Vec::new();
    if let Some(name) = named(&request.of, covariates(data)) {
        tasks.push(Estimand {
            values: EstimandValues::Mean(numbers(data, &name)?),
            no_test: data.no_test_by(std::slice::from_ref(&name)),
            name,
            of_groups: None,
            gap: false,
        });
    }
    if let Some(name) = named(&request.group, group_columns(data)) {
        let by = groups(data, &name)?;
        let mut sizes = vec![0usize; by.levels.len()];
        for &code in &by.codes {
            if let Some(size) = sizes.get_mut(code as usize) {
                *size += 1;
            }
        }
        let mut levels: Vec<usize> = (0..sizes.len()).collect();
        sort_short(&mut levels, |&a, &b| sizes[a] > sizes[b]);
        levels.truncate(MOST_GROUPS);
        levels.sort_unstable();
        if let [a, b] = levels[..]
            && sizes.len() == 2
        {
            let side = |code: &u32| match *code as usize {
                code if code == b => 1,
                code if code == a => 0,
                _ => 2,
            };
            tasks.push(Estimand {
                name: format!("{name}: {} minus {}", by.levels[b], by.levels[a]),
                of_groups: Some((name.clone(), vec![by.levels[a].clone(), by.levels[b].clone()])),
                gap: true,
                no_test: data.no_test_by(std::slice::from_ref(&name)),
                values: EstimandValues::Side(by.codes.iter().map(side).collect()),
            });
        } else {
            for level in levels.into_iter().filter(|_| sizes.len() > 2) {
                let side = |code: &u32| match by.levels.get(*code as usize) {
                    Some(_) => u8::from(*code as usize == level),
                    None => 2,
                };
                tasks.push(Estimand {
                    name: format!("{name}: {} minus the rest", by.levels[level]),
                    of_groups: Some((name.clone(), vec![by.levels[level].clone()])),
                    gap: true,
                    no_test: data.no_test_by(std::slice::from_ref(&name)),
                    values: EstimandValues::Side(by.codes.iter().map(side).collect()),
                });
            }
        }
    }
    if tasks.is_empty() {
        return Err(Error::new(
            "features_missing",
            "No covariate to average and no group to compare.",
            phrases::OF_OR_GROUP,
        ));
    }
    Ok(tasks)
}

fn of_rows(asked: &Estimand, rows: &[u32]) -> Task {
    match &asked.values {
        EstimandValues::Mean(values) => {
            let value = |row: &u32| values.get(*row as usize).copied().unwrap_or(f64::NAN);
            Task::Mean(rows.iter().map(value).collect())
        }
        EstimandValues::Side(sides) => {
            let side = |row: &u32| sides.get(*row as usize).copied().unwrap_or(2);
            Task::Gap(rows.iter().map(side).collect())
        }
    }
}

/// Rows that count, those with a value or on either side, and those of them with the event.
fn tally_in(task: &Task, target: &[u8]) -> (usize, usize) {
    let counts = |row: usize| match task {
        Task::Mean(values) => values.get(row).is_some_and(|value| value.is_finite()),
        Task::Gap(sides) => sides.get(row).is_some_and(|side| *side < 2),
    };
    let counted = || target.iter().enumerate().filter(|(row, _)| counts(*row));
    (counted().count(), counted().filter(|(_, target)| **target == 1).count())
}

/// The requested methods, else all of the run.
///
/// # Errors
/// `unknown_method`.
pub fn methods<'a>(run: &'a RunOutcome, names: Option<&[String]>) -> Result<Vec<&'a MethodRows>> {
    match names {
        Some([name]) => Ok(vec![method_rows(run, Some(name))?]),
        Some(names) => {
            names.iter().map(|name| method_rows(run, Some(name)).map(|rows| run.beside_others(rows))).collect()
        }
        None => Ok(run.compared().collect()),
    }
}

/// estimate − truth in the resamples `range`, of every method and task; `NaN` if no row contributes to a mean.
///
/// Resampling uses Poisson(1) weights, the same for every method with as many rows.
///
/// # Errors
/// As [`outcome`].
pub fn replicates(
    data: &Predictions,
    run: &RunOutcome,
    request: &InferenceRequest,
    range: std::ops::Range<usize>,
) -> Result<Vec<f64>> {
    let asked = estimands(data, request)?;
    let methods = methods(run, request.methods.as_deref())?;
    let tasks: Vec<Vec<Task>> =
        methods.iter().map(|method| asked.iter().map(|a| of_rows(a, &method.rows)).collect()).collect();
    let mut found = Vec::with_capacity(range.len() * methods.len() * asked.len());
    for r in range {
        for (method, tasks) in methods.iter().zip(&tasks) {
            let mut weights = vec![0; method.rows.len()];
            let (mut lanes, clusters) = (Lanes::seeded(request.seed, 2 * r as u64), &method.clusters);
            match clusters.of.is_empty() {
                true => lanes.fill_poisson(&mut weights),
                false => fill_clustered_poisson(&mut lanes, &clusters.of, clusters.count, &mut weights),
            }
            found.extend(
                tasks.iter().map(|task| task.error(&method.score, &method.target, &weights).unwrap_or(f64::NAN)),
            );
        }
    }
    Ok(found)
}

/// Estimates with intervals and the sheet.
///
/// # Errors
/// `unsupported_view` but in the positive view; `features_missing`, `unknown_column`, `unknown_method`, `invalid_option`.
pub fn outcome(
    data: &Predictions,
    run: &RunOutcome,
    request: &InferenceRequest,
    replicates: &[f64],
) -> Result<InferenceOutcome> {
    let asked = estimands(data, request)?;
    let methods = methods(run, request.methods.as_deref())?;
    let each = asked.len() * methods.len();
    let mut estimates = Vec::with_capacity(each);
    for (m, method) in methods.iter().enumerate() {
        for (k, one) in asked.iter().enumerate() {
            let task = of_rows(one, &method.rows);
            let found = task.of(&method.score, &method.target, &[]);
            let p = found.and_then(|(truth, estimate)| task.p_if_calibrated(&method.score, estimate - truth));
            let place = m * asked.len() + k;
            let mut drawn: Vec<f64> = (replicates.iter().skip(place)).step_by(each.max(1)).copied().collect();
            drawn.retain(|v| !v.is_nan());
            drawn.sort_unstable_by(f64::total_cmp);
            let error = found.map(|f| f.1 - f.0);
            let (n, events) = tally_in(&task, &method.target);
            let interval = error
                .filter(|_| !too_few_to_resample((n, events)))
                .map(|error| CorrectedInterval::of((Interval::Percentile, Range::Any), error, &drawn))
                .unwrap_or_default();
            estimates.push(InferenceEstimate {
                method: method.method.name.clone(),
                task: if one.gap { "gap" } else { "mean" }.into(),
                of: one.name.clone(),
                n,
                events,
                truth: found.map(|f| f.0),
                estimate: found.map(|f| f.1),
                error,
                low: interval.low,
                high: interval.high,
                p: p.filter(|_| one.no_test.is_none() && data.clusters.is_none()),
                resamples: drawn.len(),
            });
        }
    }
    let verdict = words::verdict(estimates.first(), &asked);
    Ok(InferenceOutcome { sheet: words::sheet(data, run, request, &asked, (&estimates, &verdict)), verdict, estimates })
}
