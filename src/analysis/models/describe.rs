//! One model of a cohort: its calibration curve, its gap in every group, what acting on it is worth.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::cohort::{Cohort, CohortModel};
use crate::analysis::decide::{round_end, thresholds, upper};
use crate::analysis::groups::{Dependent, error_at};
use crate::data::grouping::{PREDICTED, QUANTILES, group_columns, grouping};
use crate::data::{Predictions, PresentClusters, Role, View};
use crate::decision::benefit_intervals::{BenefitAt, BootstrapEstimate, net_benefit_intervals};
use crate::error::Result;
use crate::metric::binning::BinOptions;
use crate::metric::reliability::{ReliabilityBin, weighted_reliability_table};
use crate::plot::reliability::{ReliabilityChart, ReliabilitySeries};
use crate::report::view::reliability::{DiagramScores, axes_of, over_axes, series_of};
use crate::report::view::request::{BandChoice, ReliabilityRequest};
use crate::run::graph::{DATA, Handle, Outcomes, Step};

/// Bands that are drawn at most: more hide each other.
const BANDS: usize = 2;
/// Columns of groups where nobody names some.
const COLUMNS: usize = 4;
/// Groups of a column that are told, the largest.
const GROUPS: usize = 12;

/// Calibration error of a group under one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupGap {
    /// column that defines the groups
    pub column: String,
    /// value of the group
    pub group: String,
    /// name of the model
    pub model: String,
    /// number of rows
    pub rows: usize,
    /// mean predicted probability
    #[serde(rename = "says")]
    pub predicted: f64,
    /// observed proportion of events (or of correct predictions)
    #[serde(rename = "happened")]
    pub observed: f64,
    /// predicted − observed
    pub gap: f64,
    /// lower limit of the 95% CI of `gap`
    pub low: f64,
    /// upper limit of that interval
    pub high: f64,
    /// two-sided p-value of a gap at least this large if calibrated, unadjusted
    pub p: f64,
    /// p-value adjusted for all groups under all models (Holm)
    pub p_holm: f64,
}

/// Net benefit of decisions by one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelBenefit {
    /// name of the model
    pub model: String,
    /// (threshold, net benefit in true positives per row, lower limit, upper limit); the limits of this and the following
    /// are null if fewer than 10 rows have the rarer outcome
    pub curve: Vec<[Option<f64>; 4]>,
    /// (threshold, net benefit minus that of treating all rows as positive, lower limit, upper limit)
    pub over_all: Vec<[Option<f64>; 4]>,
    /// (threshold, net benefit minus that of the current model, lower limit, upper limit); empty for the current model
    pub difference: Vec<[Option<f64>; 4]>,
}

/// What is drawn and told of one model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelDescription {
    pub(super) groups: Vec<GroupGap>,
    pub(super) benefit: Option<ModelBenefit>,
    /// its calibration curve, without bins
    pub(super) series: Option<ReliabilitySeries>,
    /// ends of the axes that it needs
    pub(super) axes: (f64, f64),
}

/// The columns of groups that are told: those that were named, else those with the role group, else the first that could
/// be groups; none that tells the outcome.
pub(super) fn reported_columns(data: &Predictions, named: Option<&[String]>) -> Vec<String> {
    if let Some(named) = named {
        return named.to_vec();
    }
    let all: Vec<String> = group_columns(data);
    let fit = |name: &&String| name.as_str() != PREDICTED && data.no_test_by(std::slice::from_ref(*name)).is_none();
    let role = |name: &&String| {
        let columns = data.table.columns.iter().zip(&data.roles);
        columns.filter(|(column, _)| column.name == **name).any(|(_, role)| role.role == Role::Group)
    };
    let of_role: Vec<String> = all.iter().filter(role).filter(fit).take(COLUMNS).cloned().collect();
    match of_role.is_empty() {
        true => all.iter().filter(fit).take(1).cloned().collect(),
        false => of_role,
    }
}

fn request(banded: bool) -> ReliabilityRequest {
    let band = if banded { BandChoice::Pointwise } else { BandChoice::None };
    ReliabilityRequest { bins: Some(false), band, ..ReliabilityRequest::default() }
}

/// Whether the curve of the k-th of so many models has a band.
fn banded(k: usize, models: usize) -> bool {
    k == 0 || models <= BANDS
}

/// All curves in one diagram; the histogram is that of the open model.
pub(super) fn diagram(
    cohort: &Cohort,
    looks: &[&ModelDescription],
    bins: &BinOptions,
) -> Result<Option<ReliabilityChart>> {
    let Some(open) = cohort.models.first() else { return Ok(None) };
    let series: Vec<ReliabilitySeries> = looks.iter().filter_map(|look| look.series.clone()).collect();
    let axes = looks.iter().filter(|look| look.series.is_some()).map(|look| look.axes);
    let axes = axes.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let table = weighted_reliability_table(&open.score, &open.target, cohort.weights(), bins)?;
    let shown = diagram_scores(cohort, open, &table, *bins);
    let asked = request(true);
    Ok((!series.is_empty()).then(|| over_axes(cohort.view, std::slice::from_ref(&shown), series, None, &asked, axes)))
}

fn diagram_scores<'a>(
    cohort: &'a Cohort,
    model: &'a CohortModel,
    bins: &'a [ReliabilityBin],
    binning: BinOptions,
) -> DiagramScores<'a> {
    DiagramScores {
        name: Cow::Borrowed(&model.name),
        score: &model.score,
        target: &model.target,
        weight: cohort.weights(),
        counted: false,
        clusters: Some(&cohort.clusters),
        bins,
        binning,
    }
}

/// Looks at the `model`-th of all models; finds nothing where it is none of the cohort.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribeModel {
    pub(super) data: Handle<Predictions>,
    pub(super) cohort: Handle<Cohort>,
    pub(super) model: usize,
    pub(super) bins: BinOptions,
    /// columns
    pub(super) groups: Vec<String>,
    pub(super) seed: u64,
}

impl DescribeModel {
    pub(super) fn new(cohort: Handle<Cohort>, model: usize, bins: BinOptions, groups: Vec<String>, seed: u64) -> Self {
        Self { data: DATA, cohort, model, bins, groups, seed }
    }
}

impl Step for DescribeModel {
    type Output = ModelDescription;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<ModelDescription> {
        let (data, cohort) = (at.the(&self.data)?, at.the(&self.cohort)?);
        let place = cohort.models.iter().position(|model| model.place == self.model);
        let found = place.and_then(|k| Some((k, cohort.models.first()?, cohort.models.get(k)?)));
        let Some((k, open, model)) = found.filter(|_| cohort.models.len() > 1 && !cohort.rows.is_empty()) else {
            return Ok(ModelDescription::default());
        };
        let table = weighted_reliability_table(&model.score, &model.target, cohort.weights(), &self.bins)?;
        let asked = request(banded(k, cohort.models.len()));
        let mut series = series_of(&diagram_scores(cohort, model, &table, self.bins), None, &asked)?;
        let axes = axes_of(&model.score, std::slice::from_ref(&series), &asked);
        series.bins.clear();
        progress(0.3);
        let benefit = match cohort.view {
            View::Positive => Some(benefit(cohort, open, model, k, self.seed)?),
            View::TopLabel => None,
        };
        progress(0.8);
        Ok(ModelDescription { groups: groups(data, cohort, model, &self.groups)?, benefit, series: Some(series), axes })
    }
}

fn benefit(cohort: &Cohort, open: &CohortModel, model: &CohortModel, k: usize, seed: u64) -> Result<ModelBenefit> {
    // The same thresholds for all, up to where nearly all scores of all models end.
    let high = cohort.models.iter().filter_map(|model| upper(&model.score)).fold(0.05, f64::max);
    let at = thresholds(0.0, round_end(high));
    let clusters = cohort.clusters.present();
    let clusters = clusters.as_ref().map(PresentClusters::rows);
    let found = net_benefit_intervals(&model.score, &open.score, &model.target, &at, clusters, seed)?;
    let line = |of: &dyn Fn(&BenefitAt) -> BootstrapEstimate| {
        found.iter().map(|at| of(at).at(at.threshold)).collect::<Vec<_>>()
    };
    Ok(ModelBenefit {
        model: model.name.clone(),
        curve: line(&|at| at.model),
        over_all: line(&|at| at.over_all),
        difference: if k == 0 { Vec::new() } else { line(&|at| at.over_base) },
    })
}

fn groups(data: &Predictions, cohort: &Cohort, model: &CohortModel, columns: &[String]) -> Result<Vec<GroupGap>> {
    let mut found = Vec::new();
    let dependent = Dependent::of_pairs(&model.score, &model.target, &cohort.clusters);
    for column in columns {
        let by = grouping(data, std::slice::from_ref(column), QUANTILES)?;
        let testable = data.no_test_by(std::slice::from_ref(column)).is_none();
        let named = by.names.iter().zip(by.positions(&cohort.rows));
        let mut groups: Vec<_> = named.filter(|(_, positions)| !positions.is_empty()).collect();
        // the largest first, equal ones in their order
        crate::num::order::sort(&mut groups, &|a, b| b.1.len().cmp(&a.1.len()));
        groups.truncate(GROUPS);
        for (name, positions) in groups {
            let (gap, p) = error_at((&model.score, &model.target), &positions, dependent.as_ref(), testable);
            let [low, high] = gap.interval();
            found.push(GroupGap {
                column: by.title.clone(),
                group: name.clone(),
                model: model.name.clone(),
                rows: positions.len(),
                predicted: gap.score,
                observed: gap.observed,
                gap: gap.gap(),
                low,
                high,
                p,
                p_holm: p,
            });
        }
    }
    Ok(found)
}
