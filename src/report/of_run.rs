//! From outcomes to the report.

use crate::metric::reason::{Reason, TestedOn};
use std::collections::BTreeMap;

use super::interval::{difference, metric_value, unavailable, untested};
use super::reading::Overall;
use super::scorecard::present;
use super::{CommonRows, LocalReport, MethodReport, MethodRows, MetricValue, Report, ReportData, RunOutcome, SCHEMA};
use crate::data::folds::Split;
use crate::data::{ClusterIds, Division, Predictions, Role, View, pair};
use crate::error::{Error, Result};
use crate::evaluation::klce::{KlceForm, form};
use crate::evaluation::local::LocalRows;
use crate::evaluation::method::{Calibrator, Method, MethodKind};
use crate::evaluation::request::{EvaluateOn, RunRequest};
use crate::evaluation::resample::Replicates;
use crate::evaluation::scored::Scored;
use crate::feature::{FeatureChoice, left_out, no_test};
use crate::hypothesis::{KlceTestOutcome, Null};
use crate::metric::entry::{self, Metric, MetricRequirement, Value, ValueOf};
use crate::metric::registry;
use crate::num::proportion::too_few_to_resample;
use crate::num::weight::{weighted_mean, weighted_share};
use crate::recalibrate::recalibrator::{WITHOUT_PLACE, warning};
use crate::table::{Column, Warning};
use crate::words::number::count;

/// Code of the warning that methods of a run are scored on different rows.
const ROWS_DIFFER: &str = "rows_differ";

/// Results of the jobs of one method.
#[derive(Default)]
pub struct MethodResults<'a> {
    /// the method
    pub method: Method,
    /// why nothing was found
    pub reason: Option<Reason>,
    /// scores and point values
    pub scored: Option<&'a Scored>,
    /// intervals and floors
    pub replicates: Replicates,
    /// local error of the scored rows
    pub local: LocalRows,
    /// the KLCE test
    pub klce: Option<&'a KlceTestOutcome>,
}

/// The report of a run and what stays for charts and exports.
///
/// A run of many methods reports one after the other: `so_far` is the report on those before, of which the first of
/// `found`, as many as it says, are needed again to compare with. `common` is `none` on the rows of the others, where it
/// is scored on more: the others are then compared with that. The last report is the one that all methods at once
/// would have had, and what only the methods before needed is free.
///
/// # Errors
/// `invalid_option` if no method was asked for.
pub fn report(
    data: &Predictions,
    split: &Split,
    request: &RunRequest,
    (found, common): (&[MethodResults], Option<&MethodResults>),
    so_far: Option<(&RunOutcome, usize)>,
) -> Result<RunOutcome> {
    if found.is_empty() {
        return Err(Error::new("invalid_option", "No method was requested.", "Request at least the method none."));
    }
    // None of them may have run: all that is known then is why.
    let first = found.iter().find_map(|method| method.scored.map(|scored| (scored, method)));
    let base = common.or_else(|| found.iter().find(|method| method.method.kind == MethodKind::NONE));
    let metrics: Vec<&Metric> = request.metrics.iter().flatten().filter_map(|id| registry::metric(id)).collect();
    let (before, known) = so_far.unzip();
    let new = found.get(known.unwrap_or_default()..).unwrap_or_default();
    let mut new_methods: Vec<MethodReport> =
        new.iter().map(|method| method_report(method, base, &metrics, request)).collect();
    note_tested_target(data, new, &mut new_methods);
    withdraw_outcome_dependent(data, request, &mut new_methods);
    note_rows_without_place(data, request, new, &mut new_methods);
    let of_common = common.and_then(|none| Some((none, none.scored?)));
    if let Some((_, scored)) = of_common {
        note_differing_rows(scored.rows.len(), new, &mut new_methods);
    }
    let mut methods = before.map_or_else(Vec::new, |before| before.report.methods.clone());
    methods.append(&mut new_methods);
    let local_before = before.and_then(|before| before.report.local.clone());
    let local = local_before.or_else(|| local_of(request, first));
    let report = Report {
        schema: SCHEMA.to_owned(),
        data: report_data(data, split, request, first.map(|(scored, _)| scored)),
        settings: request.clone(),
        methods,
        local,
        common: of_common.map(|(none, scored)| {
            let mut one = [method_report(none, None, &metrics, request)];
            withdraw_outcome_dependent(data, request, &mut one);
            let [one] = one;
            CommonRows { rows: scored.rows.len(), metrics: one.metrics }
        }),
        disclosure: None,
    };
    let overall = first.map(|(first, found)| {
        let w = first.weights();
        let score = weighted_mean(&first.score, w);
        let rate = weighted_share(&first.target, w);
        Overall::new((score, rate), &first.values, &first.ends, &found.replicates)
    });
    let presentation = present(&report, overall.as_ref());
    let mut rows = before.map_or_else(Vec::new, |before| before.rows.clone());
    for method in new {
        if let Some(scored) = method.scored {
            let rows_of = method_rows(method, scored, rows.first());
            rows.push(rows_of);
        }
    }
    let common = of_common.map(|(none, scored)| method_rows(none, scored, None));
    Ok(RunOutcome { report, presentation, rows, common })
}

/// What was run on; `scored`: of the first method.
fn report_data(data: &Predictions, split: &Split, request: &RunRequest, scored: Option<&Scored>) -> ReportData {
    let positive = data.positive.filter(|_| data.view == View::Positive);
    ReportData {
        rows: data.rows_in_all(),
        classes: pair::classes(data),
        view: data.view,
        positive: positive.and_then(|positive| data.labels.get(positive).cloned()),
        split: split_in_words(data, request),
        calibration_rows: data.rows_of(&split.all_calibration_rows()),
        evaluation_rows: scored.map_or_else(|| split.evaluation_rows().len(), |scored| scored.tally().0),
        weights: data.weights.as_ref().filter(|weights| !weights.counted).map(|weights| weights.column.clone()),
        clusters: data.clusters.as_ref().map(|clusters| clusters.column.clone()),
        model: data.model.clone(),
        readings: (data.roles.iter())
            .filter(|column| column.role != Role::Ignore)
            .filter_map(|column| Some((column.name.clone(), column.reading?)))
            .collect(),
        only: data.opened.only().to_vec(),
    }
}

/// Says beside `none` that it is scored on more rows than the others, and what is compared.
fn note_differing_rows(common: usize, found: &[MethodResults], methods: &mut [MethodReport]) {
    for (method, found) in methods.iter_mut().zip(found) {
        let Some(scored) = found.scored.filter(|scored| scored.rows.len() != common) else { continue };
        method.warnings.push(warning(
            ROWS_DIFFER,
            format!(
                "Evaluated on {} rows, the other methods on {}: differences, verdicts and method tables use these \
                 {}.",
                count(scored.rows.len() as u64),
                count(common as u64),
                count(common as u64)
            ),
        ));
    }
}

/// Local error of every row under the first method; none where no metric looks at neighborhoods.
fn local_of(request: &RunRequest, first: Option<(&Scored, &MethodResults)>) -> Option<LocalReport> {
    let metrics = request.metrics.as_deref().unwrap_or_default();
    let settings =
        request.local.as_ref().filter(|_| registry::any_requires(metrics, MetricRequirement::Neighbourhoods));
    let (settings, (scored, found)) = settings.zip(first)?;
    let (rows, n) = (&found.local, scored.rows.len());
    Some(LocalReport {
        settings: settings.clone(),
        slce: rows.in_place(&rows.slce, n).into(),
        mass: rows.in_place(&rows.mass, n).into(),
        n_eff: rows.in_place(&rows.n_eff, n).into(),
        engine: rows.engine,
    })
}

fn split_in_words(data: &Predictions, request: &RunRequest) -> String {
    let undivided = match data.is_counted() && data.divided_into_folds() {
        true => !request.recalibrates(),
        false => request.evaluate_on == EvaluateOn::All,
    };
    if undivided {
        return "all rows, original predictions".to_owned();
    }
    match &data.division {
        Division::Folds { folds } if data.is_counted() => format!(
            "{folds}-fold cross-fitting, the rows of each cell divided at random; no method was fitted on the rows it \
             is evaluated on"
        ),
        Division::Folds { folds } => {
            format!("{folds}-fold cross-fitting; no method was fitted on the rows it is evaluated on")
        }
        Division::Half => "a stratified half of the rows; methods were fitted on the other half".to_owned(),
        Division::Given { by } => {
            format!("evaluation rows (data split: {by}); methods were fitted on the calibration rows")
        }
    }
}

/// Says once for each method which rows have a gap in a feature: what looks at near rows leaves them out.
fn note_rows_without_place(
    data: &Predictions,
    request: &RunRequest,
    found: &[MethodResults],
    methods: &mut [MethodReport],
) {
    let local = request.local.as_ref().and_then(|local| local.features.as_ref());
    let within = request.local.as_ref().and_then(|local| local.within.as_deref());
    let near = request.proximity.as_ref().and_then(|near| near.features.as_ref());
    let tested = request.klce.as_ref().and_then(|klce| klce.features.as_ref());
    let mut choices: Vec<&FeatureChoice> = Vec::new();
    for choice in [local, near, tested].into_iter().flatten() {
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    let mut known: Option<(Column<u32>, Vec<Warning>)> = None;
    for (method, found) in methods.iter_mut().zip(found) {
        let Some(scored) = found.scored else { continue };
        let said = match &known {
            Some((rows, said)) if *rows == scored.rows => said.clone(),
            _ => {
                let each = choices.iter().filter_map(|choice| {
                    let within = within.filter(|_| local == Some(choice));
                    left_out(data, choice, within, &scored.rows)
                });
                let mut said: Vec<Warning> = Vec::new();
                for message in each {
                    if said.iter().all(|known| known.message != message) {
                        said.push(warning(WITHOUT_PLACE, message));
                    }
                }
                said
            }
        };
        method.warnings.extend(said.iter().cloned());
        known = Some((scored.rows.clone(), said));
    }
}

/// What every method has in common is kept once: the columns of the `first`, where they are the same.
fn method_rows(found: &MethodResults, scored: &Scored, first: Option<&MethodRows>) -> MethodRows {
    fn shared<T: Clone + PartialEq>(own: &Column<T>, first: Option<&Column<T>>) -> Column<T> {
        first.filter(|first| *first == own).unwrap_or(own).clone()
    }
    MethodRows {
        method: found.method.clone(),
        rows: shared(&scored.rows, first.map(|first| &first.rows)),
        fold: shared(&scored.fold, first.map(|first| &first.fold)),
        score: scored.score.clone(),
        target: shared(&scored.target, first.map(|first| &first.target)),
        weight: shared(&scored.weight, first.map(|first| &first.weight)),
        counted: scored.counted,
        clusters: ClusterIds {
            of: shared(&scored.clusters.of, first.map(|first| &first.clusters.of)),
            count: scored.clusters.count,
        },
        bins: scored.bins.clone(),
        calibrators: scored.calibrators.clone(),
        slce: if found.local.place.is_empty() {
            Vec::new().into()
        } else {
            found.local.in_place(&found.local.slce, scored.rows.len()).into()
        },
        without_place: scored.without_place.clone(),
    }
}

fn method_report(
    found: &MethodResults,
    base: Option<&MethodResults>,
    metrics: &[&Metric],
    request: &RunRequest,
) -> MethodReport {
    let values = all_values(found, request);
    let mut replicates = found.replicates.clone();
    if let Some(klce) = found.klce {
        replicates.floor.extend(klce_floors(klce));
    }
    let base = base
        .filter(|base| base.method != found.method)
        .filter(|base| matches!((base.scored, found.scored), (Some(a), Some(b)) if a.rows == b.rows));
    let base_values = base.map(|base| all_values(base, request));
    let few = found.scored.is_some_and(|scored| too_few_to_resample(scored.tally()));
    let mut report = MethodReport {
        id: found.method.kind.id().into_owned(),
        name: found.method.name.clone(),
        parameters: parameters(found),
        warnings: found.scored.map(|scored| scored.warnings.clone()).unwrap_or_default(),
        metrics: BTreeMap::new(),
        differences: BTreeMap::new(),
    };
    let at_ends = found.scored.map(|scored| scored.warning_of_ends(metrics));
    let at_ends = at_ends.and_then(|found| found.ok().flatten());
    report.warnings.extend(at_ends);
    let keeps_order = metrics.iter().any(|metric| metric.order_only)
        && base
            .and_then(|base| base.scored)
            .zip(found.scored)
            .is_some_and(|(base, own)| own.keeps_order_within_folds(base));
    for metric in metrics {
        let mut value = match (&found.reason, values.get(metric.id)) {
            (Some(reason), _) => unavailable(reason.clone()),
            (None, Some(value)) => {
                let ends = found.scored.and_then(|scored| scored.ends.get(metric.id)).copied();
                metric_value(metric, value, ends, &replicates)
            }
            (None, None) => unavailable(Reason::NotComputed),
        };
        value.clipped = found.scored.and_then(|scored| scored.clipped(metric.cut));
        report.metrics.insert(metric.id.to_owned(), value);
        if let (Some(base), Some(base_values)) = (base, &base_values)
            && let (Some(ours), Some(theirs)) = (values.get(metric.id), base_values.get(metric.id))
        {
            let paired: (&Replicates, &Replicates) = (&found.replicates, &base.replicates);
            let difference = difference(metric, ours, theirs, paired);
            let difference = if few { untested(difference) } else { difference };
            let difference = match metric.order_only && difference.low.is_some() && keeps_order {
                true => MetricValue { reason: Some(Reason::NoneWithinFolds), ..difference },
                false => difference,
            };
            report.differences.insert(metric.id.to_owned(), difference);
        }
    }
    report
}

/// Point values by id, local ones included.
fn all_values(found: &MethodResults, request: &RunRequest) -> BTreeMap<String, Value> {
    let mut values = found.scored.map(|scored| scored.values.clone()).unwrap_or_default();
    let (n, w) = found.scored.map_or((0, None), |s| (s.rows.len(), s.weights()));
    let local = found.local.summary(n, w);
    for metric in registry::all() {
        let ValueOf::Neighbourhoods { value, .. } = metric.value else {
            continue;
        };
        let value = match request.local {
            None => Err(Reason::NoLocalSettings),
            Some(_) if w.is_some() && !metric.weights.is_defined() => Err(Reason::NotWithWeights),
            Some(_) => value(&local),
        };
        values.insert(metric.id.to_owned(), value);
    }
    values.extend(klce_values(found, request));
    values
}

fn weighted(found: &MethodResults) -> bool {
    found.scored.is_some_and(|scored| scored.weights().is_some())
}

/// Metrics of the KLCE test, or why there are none.
fn klce_values(found: &MethodResults, request: &RunRequest) -> Vec<(String, Value)> {
    let missing = match &request.klce {
        _ if weighted(found) => Reason::NotWithWeights,
        Some(options) if options.features.is_none() => Reason::FeaturesMissing,
        _ => Reason::NotComputed,
    };
    let klce = found.klce.filter(|_| !weighted(found));
    let code = request.klce.as_ref().and_then(|options| options.null).unwrap_or(Null::PermuteCentred);
    let values = registry::all().filter_map(|metric| match metric.value {
        ValueOf::KlceTest(value) => {
            Some((metric.id.to_owned(), klce.map_or_else(|| Err(missing.clone()), |found| value(found, code))))
        }
        _ => None,
    });
    values.collect()
}

/// Says beside the numbers of a KLCE test what stood for (p, y), and for the rows, where that is not what it seems.
fn note_tested_target(data: &Predictions, found: &[MethodResults], methods: &mut [MethodReport]) {
    let on = match form(data) {
        KlceForm::Pair => TestedOn::Pair,
        KlceForm::Vectors => TestedOn::Vectors,
        KlceForm::TopLabel => TestedOn::TopLabel,
    };
    for (method, found) in methods.iter_mut().zip(found) {
        let (Some(klce), Some(scored)) = (found.klce, found.scored) else {
            continue;
        };
        let reason = Reason::Tested { on, rows: Some(klce.n).filter(|n| *n < scored.rows.len()) };
        for metric in registry::requiring(MetricRequirement::Covariates) {
            if let Some(value) = method.metrics.get_mut(metric.id).filter(|value| value.value.is_some()) {
                value.reason = Some(reason.clone());
            }
        }
    }
}

/// What right scores would show: the statistics of every label draw.
fn klce_floors(found: &KlceTestOutcome) -> impl Iterator<Item = (String, Column<f64>)> {
    registry::all().filter_map(|metric| match metric.replicates {
        entry::Replicates::Test(Some(floor)) => Some((metric.id.to_owned(), floor(found).into())),
        _ => None,
    })
}

/// One object, or one per fold.
fn parameters(found: &MethodResults) -> serde_json::Value {
    let Some(scored) = found.scored else {
        return serde_json::json!({});
    };
    match scored.calibrators.as_slice() {
        [] => serde_json::json!({}),
        [one] => one.parameters(),
        folds => folds.iter().map(Calibrator::parameters).collect(),
    }
}

/// Takes away what chance would show where rows are grouped or alike by a column that tells the outcome: drawn outcomes
/// know nothing of it. Says so once for each method.
fn withdraw_outcome_dependent(data: &Predictions, request: &RunRequest, methods: &mut [MethodReport]) {
    let local = request.local.as_ref().and_then(|local| local.features.as_ref());
    let near = request.proximity.as_ref().and_then(|near| near.features.as_ref());
    let by_groups = data.no_test_by(request.groups.as_deref().unwrap_or_default());
    let [by_local, by_near] = [local, near].map(|choice| no_test(data, choice?));
    for (needs, why) in [
        (MetricRequirement::Groups, by_groups),
        (MetricRequirement::Neighbourhoods, by_local),
        (MetricRequirement::Proximity, by_near),
    ] {
        let Some(why) = why else { continue };
        let ids: Vec<&str> = registry::requiring(needs).iter().map(|metric| metric.id).collect();
        for method in methods.iter_mut() {
            let mut taken = false;
            for id in &ids {
                let value = method.metrics.get_mut(*id);
                if let Some(value) = value.filter(|value| value.value.is_some()) {
                    (value.floor_mean, value.floor_low, value.floor_high) = (None, None, None);
                    value.reason = Some(Reason::ColumnsTellOutcome);
                    taken = true;
                }
            }
            if taken {
                method.warnings.push(Warning {
                    code: "columns_tell_outcome".into(),
                    message: format!("{why}: {}", ids.join(", ")),
                    row: None,
                    column: None,
                });
            }
        }
    }
}
