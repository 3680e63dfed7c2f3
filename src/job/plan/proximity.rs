//! The jobs that look for near rows: one search for all metrics and methods that ask for the same.

use super::Plan;
use crate::data::{Division, Predictions};
use crate::error::Result;
use crate::evaluation::features::width_of;
use crate::evaluation::proximity::ProximityOptions;
use crate::evaluation::split::Split;
use crate::job::request::{ProximityRequest, ProximitySweepRequest, RunRequest};
use crate::job::{Job, Node};
use crate::metric::entry::Needs;
use crate::metric::registry;
use crate::report::{RunOutcome, proximity as report};

/// Milliseconds that a part should take.
const PART_MS: f64 = 180.0;
/// Laying out the rows to search in takes this share of a part at most.
const LAYOUT_SHARE: f64 = 0.125;
/// Parts at most.
const MOST_PARTS: f64 = 512.0;

/// The proximity of a run with every default filled in, if a metric asks for it and something says which rows are near
/// each other; the request then holds it too.
pub(super) fn settings(data: &Predictions, request: &mut RunRequest) -> Result<Option<ProximityOptions>> {
    let local = request.local.as_ref().and_then(|local| local.features.as_ref());
    let given = request.proximity.clone();
    let near = given.clone().unwrap_or_default().filled(data, local)?;
    if !registry::any_needs(request.metrics.as_deref().unwrap_or_default(), Needs::Proximity) {
        return Ok(None);
    }
    request.proximity = near.clone().or(given);
    Ok(near)
}

/// Searches that are in the plan already.
#[derive(Default)]
pub(super) struct Searches {
    /// number of the split, settings, numbers of the parts
    found: Vec<(usize, ProximityOptions, Vec<usize>)>,
}

impl Searches {
    /// Numbers of the parts of a search among the rows as the node `split` divides them.
    pub(super) fn nodes(
        &mut self,
        nodes: &mut Plan,
        data: &Predictions,
        split: usize,
        options: &ProximityOptions,
    ) -> Vec<usize> {
        let same = |one: &&(usize, ProximityOptions, Vec<usize>)| one.0 == split && one.1 == *options;
        if let Some((_, _, parts)) = self.found.iter().find(same) {
            return parts.clone();
        }
        let parts = search(nodes, data, split, options, &[options.k()]);
        self.found.push((split, options.clone(), parts.clone()));
        parts
    }
}

/// Pushes the parts of a search for several numbers of neighbours.
pub(super) fn search(
    nodes: &mut Plan,
    data: &Predictions,
    split: usize,
    options: &ProximityOptions,
    neighbours: &[usize],
) -> Vec<usize> {
    let everything = matches!(
        nodes.nodes.get(split.wrapping_sub(nodes.given)).map(|node| &node.job),
        Some(Job::Split { everything: true, .. })
    );
    let (rows, references) = counts(data, everything);
    let d = options.features.as_ref().map_or(1, |choice| width_of(data, choice)).max(1) as f64;
    let k = neighbours.iter().copied().max().unwrap_or(1) as f64;
    let per_row = references as f64 * (d + 10.0) * 1e-7 + k * (d + 20.0) * 2e-6;
    let layout = (rows + references) as f64 * d * 4e-6;
    let total = rows as f64 * per_row;
    let longest = PART_MS.max(layout / LAYOUT_SHARE);
    let parts = (total / longest).ceil().clamp(1.0, MOST_PARTS.min(rows.max(1) as f64)) as usize;
    let cost = total / parts as f64 + layout;
    super::ranges(rows, parts)
        .map(|(first, last)| {
            let job = Job::Proximity { proximity: options.clone(), neighbours: neighbours.to_vec(), first, last };
            nodes.push(job, &[0, split], cost, "looking for near rows")
        })
        .collect()
}

/// Rows that take part, and rows that they are near to.
fn counts(data: &Predictions, everything: bool) -> (usize, usize) {
    let n = data.rows;
    match data.division {
        _ if everything => (n, n),
        Division::Folds { .. } => (n, n),
        Division::Half => (n, n.div_ceil(2)),
        Division::Given { .. } => Split::new(data, 0).map_or((n, n), |split| {
            let calibrating = split.all_calibration_rows().len();
            let scored = split.evaluation_rows().len();
            match calibrating {
                0 => (scored, scored),
                some => (some + scored, some),
            }
        }),
    }
}

/// The jobs of `proximity`: the rows as the run divided them, the search, the sheet.
///
/// # Errors
/// `features_missing`, `unknown_column`, `unknown_method`, `invalid_option`.
pub(super) fn plan(data: &Predictions, run: &RunOutcome, request: &ProximityRequest) -> Result<Vec<Node>> {
    let options = report::options(data, run, request.proximity())?;
    let mut request = request.clone().with(options.clone());
    // An empty name is how a page says that nobody stands apart.
    request.group = request.group.filter(|name| !name.is_empty());
    let (methods, everything) = report::methods(run, request.methods.as_deref())?;
    let cost = data.rows as f64 * 2e-3 * methods.len() as f64;
    let mut nodes = Plan::after(2);
    let split = divided(&mut nodes, data, run, everything);
    let mut needs = vec![0, 1, split];
    needs.extend(search(&mut nodes, data, split, &options, &[options.k()]));
    nodes.push(Job::ProximitySheet(request), &needs, cost, "near and far");
    Ok(nodes.nodes)
}

/// The jobs of `proximity_sweep`: a search for each distance, and the sheet.
///
/// # Errors
/// As [`plan`].
pub(super) fn sweep(data: &Predictions, run: &RunOutcome, request: &ProximitySweepRequest) -> Result<Vec<Node>> {
    let options = report::options(data, run, request.proximity())?;
    let (_, everything) = report::methods(run, request.methods.as_deref())?;
    let (_, references) = counts(data, everything);
    let request = report::sweep::filled(run, request, &options, references)?;
    let ks = report::sweep::numbers(&request);
    let mut nodes = Plan::after(2);
    let split = divided(&mut nodes, data, run, everything);
    let mut needs = vec![0, 1, split];
    let distances = request.distances.clone().unwrap_or_default();
    for distance in &distances {
        let options = ProximityOptions { distance: Some(*distance), neighbours: ks.last().copied(), ..options.clone() };
        needs.extend(search(&mut nodes, data, split, &options, &ks));
    }
    let curves = request.methods.as_ref().map_or(1, Vec::len) * distances.len() * ks.len();
    let cost = data.rows as f64 * 1e-3 * curves as f64;
    nodes.push(Job::ProximitySweepSheet(request), &needs, cost, "drawing");
    Ok(nodes.nodes)
}

/// The rows as the run divided them.
fn divided(nodes: &mut Plan, data: &Predictions, run: &RunOutcome, everything: bool) -> usize {
    let job = Job::Split { seed: run.report.settings.seed, everything };
    nodes.push(job, &[0], data.rows as f64 * 5e-5, "dividing the rows")
}
