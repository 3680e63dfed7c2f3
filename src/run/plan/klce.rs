//! The jobs of a KLCE test: rows first, then shares of the pairs and of the draws, then what they say together.

use super::cost::{PART_MS, scored_share};
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::klce::{KlceSettings, MOST_ROWS, planes};
use crate::evaluation::method::whose_scores;
use crate::evaluation::request::{EvaluateOn, RunRequest};
use crate::feature;
use crate::hypothesis::{KlceTestOutcome, Null, SIMULATED, STEPS, klce_cost};
use crate::metric::entry::MetricRequirement;
use crate::metric::klce::P_CODE;
use crate::metric::registry;
use crate::run::graph::{DATA, Handle, Plan};
use crate::run::step::{KlceAdd, KlceOf, KlcePrepare, KlceShareOut, KlceSimulate, KlceSimulated};

/// Parts at most.
const MOST_PARTS: usize = 64;
/// Milliseconds in which the label of one row is drawn.
const LABEL_MS: f64 = 1.4e-6;
/// What takes less is done in one part.
const LEAST_SPLIT_MS: f64 = 40.0;

/// Fills in the defaults of a run's KLCE test; `None` where none of its metrics is asked for, or no column defines
/// the similarity of rows.
///
/// # Errors
/// `invalid_option`, `unknown_column`.
pub(super) fn settings(data: &Predictions, request: &mut RunRequest) -> Result<Option<KlceSettings>> {
    let metrics = request.metrics.as_deref().unwrap_or_default();
    if !registry::any_requires(metrics, MetricRequirement::Covariates) {
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
    let choice = features.clone().unwrap_or(feature::FeatureChoice::Many(Vec::new()));
    let settings = KlceSettings::new(choice, options.width_p, options.gamma.as_ref(), nulls, options.resamples, seed)?;
    options.width_p = Some(settings.width_p);
    options.gamma = Some(settings.gamma.clone());
    options.resamples = Some(settings.draws);
    let Some(choice) = features else {
        return Ok(None);
    };
    feature::check(data, &choice)?;
    Ok(Some(settings))
}

/// Rows that a method of a run is scored on, as far as is known before it is.
pub(super) fn rows_scored(data: &Predictions, request: &RunRequest, is_none: bool) -> usize {
    let share = if is_none && request.evaluate_on == EvaluateOn::All { 1.0 } else { scored_share(data) };
    (data.rows as f64 * share).ceil() as usize
}

/// Appends the steps of one test; answers what it finds. `power`: the level at which what could be caught is wanted, and
/// whether by simulation.
pub(crate) fn push(
    nodes: &mut Plan,
    data: &Predictions,
    settings: &KlceSettings,
    of: KlceOf,
    rows: usize,
    power: Option<(f64, bool)>,
) -> Handle<KlceTestOutcome> {
    let n = rows.min(MOST_ROWS);
    let (d, planes) = (feature::width_of(data, &settings.features), planes(data));
    let whose = match &of {
        KlceOf::Run { method, .. } => whose_scores(method),
        KlceOf::Scores { .. } => "the scores".to_owned(),
    };
    let label = format!("KLCE test of {whose}");
    let search = if n >= 6_000 { 400.0 } else { 0.0 };
    let step = KlcePrepare { data: DATA, of, settings: settings.clone() };
    let work = nodes.push(step, 2.0 + data.rows as f64 * 1e-3 + search, &label);
    let cost = klce_cost(n, d + planes, planes, settings.draws, &settings.nulls);
    let parts = parts(cost, n, settings.draws);
    let share = |part| KlceShareOut { work, part, parts };
    let shares = (0..parts).map(|part| nodes.push(share(part), cost / parts as f64, &label)).collect();
    let cost = if power.is_some() { 60.0 } else { 1.0 };
    let alpha = power.map(|(alpha, _)| alpha);
    let mut found = nodes.push(KlceAdd { work, shares, alpha }, cost, "summing");
    if power.is_none_or(|(_, simulate)| !simulate) || planes > 1 || !settings.nulls.contains(&Null::Bernoulli) {
        return found;
    }
    let cost = klce_cost(n, d + 1, 1, 2 * SIMULATED, &[Null::Bernoulli]);
    let parts = self::parts(cost, n, 2 * SIMULATED);
    let label = format!("simulating power for {whose}");
    for _ in 0..STEPS {
        let so_far = found;
        let share = |part| KlceSimulate { work, so_far, part, parts };
        let shares = (0..parts).map(|part| nodes.push(share(part), cost / parts as f64, &label)).collect();
        found = nodes.push(KlceSimulated { work, so_far, shares }, 1.0, &label);
    }
    found
}

/// Parts for `draws` draws of the labels of `n` rows: long enough that drawing them, which each part does for itself, is a
/// tenth of the work. Several come in fours, to suit two workers and four.
fn parts(cost: f64, n: usize, draws: usize) -> usize {
    if cost < LEAST_SPLIT_MS {
        return 1;
    }
    let each = PART_MS.max(10.0 * LABEL_MS * n as f64 * draws as f64);
    ((cost / each) as usize).max(1).next_multiple_of(4).min(MOST_PARTS)
}
