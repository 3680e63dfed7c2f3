//! The jobs of a trust test: rows first, then shares of the pairs and of the draws, then what they say together.

use super::cost::{PART_MS, scored_share};
use super::{Plan, features};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::trust::{MOST_ROWS, TrustSettings, planes};
use crate::hypothesis::{Null, SIMULATED, STEPS, trust_cost};
use crate::job::request::{EvaluateOn, KlceRequest, RunRequest};
use crate::job::{Job, Node};
use crate::metric::entry::Needs;
use crate::metric::klce::P_CODE;
use crate::metric::registry;
use crate::report::RunOutcome;
use crate::report::ground::feature_choice;
use crate::report::klce::ALPHA;
use crate::report::view::method_rows;

/// Parts at most.
const MOST_PARTS: usize = 64;
/// Milliseconds in which the label of one row is drawn.
const LABEL_MS: f64 = 1.4e-6;
/// What takes less is done in one part.
const WORTH_PARTS_MS: f64 = 40.0;

/// Fills in the defaults of a run's trust test; `None` where none of its metrics is asked for, or nothing says which rows
/// are alike.
///
/// # Errors
/// `invalid_option`, `unknown_column`.
pub(super) fn settings(data: &Predictions, request: &mut RunRequest) -> Result<Option<TrustSettings>> {
    let metrics = request.metrics.as_deref().unwrap_or_default();
    if !registry::any_needs(metrics, Needs::Covariates) {
        return Ok(None);
    }
    let (wants_code, seed) = (metrics.iter().any(|id| id == P_CODE.id), request.seed);
    let local = request.local.as_ref().and_then(|local| local.features.clone());
    let options = request.klce.get_or_insert_default();
    options.features = options.features.take().or(local);
    let null = *options.null.get_or_insert(Null::PermuteCentred);
    let mut nulls = vec![Null::Bernoulli];
    if wants_code && null != Null::Bernoulli {
        nulls.push(null);
    }
    // Checked even where there is nothing to test on.
    let features = options.features.clone();
    let choice = features.clone().unwrap_or(features::FeatureChoice::Many(Vec::new()));
    let settings = TrustSettings::new(choice, options.width_p, options.gamma.as_ref(), nulls, options.resamples, seed)?;
    options.width_p = Some(settings.width_p);
    options.gamma = Some(settings.gamma.clone());
    options.resamples = Some(settings.draws);
    let Some(choice) = features else {
        return Ok(None);
    };
    features::check(data, &choice)?;
    Ok(Some(settings))
}

/// Rows that a method of a run is scored on, as far as is known before it is.
pub(super) fn rows_scored(data: &Predictions, request: &RunRequest, is_none: bool) -> usize {
    let share = if is_none && request.evaluate_on == EvaluateOn::All { 1.0 } else { scored_share(data) };
    (data.rows as f64 * share).ceil() as usize
}

/// The jobs of the analysis: one test per method, then the sheet.
///
/// # Errors
/// `features_missing`, `unknown_column`, `unknown_method`, `invalid_option`.
pub(super) fn analysis(data: &Predictions, run: &RunOutcome, request: &KlceRequest) -> Result<Vec<Node>> {
    let mut request = request.clone();
    let before = run.report.settings.klce.clone().unwrap_or_default();
    let choice = request.features.take().or(before.features);
    let choice = feature_choice(data, run, choice.as_ref())?;
    features::check(data, &choice)?;
    let alpha = request.alpha.unwrap_or(ALPHA);
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(Error::new(
            "invalid_option",
            format!("The level alpha is {alpha}."),
            "A level lies between 0 and 1; the usual one is 0.05.",
        ));
    }
    let nulls = request.nulls.clone().unwrap_or(Null::ALL.to_vec());
    let gamma = request.gamma.as_ref().or(before.gamma.as_ref());
    let settings = TrustSettings::new(
        choice,
        request.width_p.or(before.width_p),
        gamma,
        nulls,
        request.resamples.or(before.resamples),
        request.seed,
    )?;
    let methods: Vec<String> = match &request.methods {
        Some(names) if !names.is_empty() => names.clone(),
        _ => run.rows.iter().map(|rows| rows.method.name.clone()).collect(),
    };
    let mut nodes = Plan::after(2);
    let mut needs = vec![0, 1];
    for name in &methods {
        let rows = method_rows(run, Some(name))?.rows.len();
        let test = push(&mut nodes, data, &settings, &[0, 1], Some(name), rows, Some((alpha, request.simulate)));
        needs.push(test);
    }
    request.methods = Some(methods);
    nodes.push(Job::KlceReport { request, settings }, &needs, 1.0, "writing it down");
    Ok(nodes.nodes)
}

/// Appends the jobs of one test and returns the number of its outcome; `needs`: data, split and scored, or data and
/// report. `power`: the level at which what could be caught is wanted, and whether by simulation.
pub(super) fn push(
    nodes: &mut Plan,
    data: &Predictions,
    settings: &TrustSettings,
    needs: &[usize],
    method: Option<&str>,
    rows: usize,
    power: Option<(f64, bool)>,
) -> usize {
    let n = rows.min(MOST_ROWS);
    let (d, planes) = (features::width_of(data, &settings.features), planes(data));
    let name = method.unwrap_or("none");
    let job = Job::TrustWork { settings: settings.clone(), method: method.map(str::to_owned) };
    let search = if n >= 6_000 { 400.0 } else { 0.0 };
    let work = nodes.push(job, needs, 2.0 + data.rows as f64 * 1e-3 + search, &format!("trust test of {name}"));
    let cost = trust_cost(n, d + planes, planes, settings.draws, &settings.nulls);
    let label = format!("trust test of {name}");
    let mut needs = vec![work];
    let parts = parts(cost, n, settings.draws);
    for part in 0..parts {
        let job = Job::TrustShare { part, parts };
        needs.push(nodes.push(job, &[work], cost / parts as f64, &label));
    }
    let cost = if power.is_some() { 60.0 } else { 1.0 };
    let alpha = power.map(|(alpha, _)| alpha);
    let mut found = nodes.push(Job::TrustFound { alpha }, &needs, cost, "adding up");
    if power.is_none_or(|(_, simulate)| !simulate) || planes > 1 || !settings.nulls.contains(&Null::Bernoulli) {
        return found;
    }
    let cost = trust_cost(n, d + 1, 1, 2 * SIMULATED, &[Null::Bernoulli]);
    let parts = self::parts(cost, n, 2 * SIMULATED);
    let label = format!("simulating biases of {name}");
    for _ in 0..STEPS {
        let mut needs = vec![work, found];
        for part in 0..parts {
            let job = Job::TrustSimulate { part, parts };
            needs.push(nodes.push(job, &[work, found], cost / parts as f64, &label));
        }
        found = nodes.push(Job::TrustSimulated {}, &needs, 1.0, &label);
    }
    found
}

/// Parts for `draws` draws of the labels of `n` rows: long enough that drawing them, which each part does for itself, is a
/// tenth of the work. Several come in fours, to suit two workers and four.
fn parts(cost: f64, n: usize, draws: usize) -> usize {
    if cost < WORTH_PARTS_MS {
        return 1;
    }
    let each = PART_MS.max(10.0 * LABEL_MS * n as f64 * draws as f64);
    ((cost / each) as usize).max(1).next_multiple_of(4).min(MOST_PARTS)
}
