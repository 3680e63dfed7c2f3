//! The jobs that look for near rows: one search for all metrics and methods that ask for the same.

use crate::data::folds::Split;
use crate::data::{Division, Predictions};
use crate::error::Result;
use crate::evaluation::method::{Fitted, Method};
use crate::evaluation::proximity::LogProximities;
use crate::evaluation::request::RunRequest;
use crate::feature::proximity::ProximityOptions;
use crate::feature::{FeatureChoice, width_of};
use crate::metric::entry::MetricRequirement;
use crate::metric::registry;
use crate::report::RunOutcome;
use crate::report::mapped_rows::feature_choice;
use crate::run::graph::{DATA, Handle, Plan};
use crate::run::step::{Divide, Fit, SearchProximity};

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
    if !registry::any_requires(request.metrics.as_deref().unwrap_or_default(), MetricRequirement::Proximity) {
        return Ok(None);
    }
    request.proximity = near.clone().or(given);
    Ok(near)
}

/// Searches that are in the plan already.
#[derive(Default)]
pub(crate) struct Searches {
    found: Vec<Known>,
    /// rows that take part, and rows that they are near to, where a division is not that of the data set
    counted: Option<(usize, usize)>,
}

struct Known {
    split: Handle<Split>,
    options: ProximityOptions,
    parts: Vec<Handle<LogProximities>>,
}

impl Searches {
    /// Searches under one division that is not that of the data set.
    pub(crate) fn under(split: &Split) -> Self {
        let (calibrating, scored) = (split.all_calibration_rows().len(), split.evaluation_rows().len());
        let counted = match (split.folds, calibrating) {
            (1, 0) => (scored, scored),
            (1, some) => (some + scored, some),
            _ => (scored, scored),
        };
        Self { found: Vec::new(), counted: Some(counted) }
    }

    /// The parts of a search among the rows of `data` as `split` divides them.
    pub(crate) fn nodes(
        &mut self,
        nodes: &mut Plan,
        data: (Handle<Predictions>, &Predictions),
        split: Handle<Split>,
        options: &ProximityOptions,
    ) -> Vec<Handle<LogProximities>> {
        let same = |one: &&Known| one.split == split && one.options == *options;
        if let Some(known) = self.found.iter().find(same) {
            return known.parts.clone();
        }
        let parts = match self.counted {
            Some(counted) => search_among(nodes, (data.0, data.1, split), options, &[options.k()], counted),
            None => search(nodes, data, split, options, &[options.k()]),
        };
        self.found.push(Known { split, options: options.clone(), parts: parts.clone() });
        parts
    }

    /// One fit per fold, on what the method looks at; `name`: what labels call it.
    pub(crate) fn fits(
        &mut self,
        nodes: &mut Plan,
        (data, known): (Handle<Predictions>, &Predictions),
        split: Handle<Split>,
        method: &Method,
        folds: usize,
        name: &str,
    ) -> Vec<Handle<Fitted>> {
        let near = match method.kind.proximity() {
            Some(near) => self.nodes(nodes, (data, known), split, near),
            _ => Vec::new(),
        };
        let (cost, label) = (method.kind.cost(known), format!("fitting {name}"));
        let fit = |fold| Fit { data, split, near: near.clone(), method: method.clone(), fold };
        (0..folds).map(|fold| nodes.push(fit(fold), cost, &label)).collect()
    }
}

/// Pushes the parts of a search for several numbers of neighbors.
pub(crate) fn search(
    nodes: &mut Plan,
    (data, known): (Handle<Predictions>, &Predictions),
    split: Handle<Split>,
    options: &ProximityOptions,
    neighbours: &[usize],
) -> Vec<Handle<LogProximities>> {
    let everything = matches!(nodes.step(split), Some(Divide { everything: true, .. }));
    search_among(nodes, (data, known, split), options, neighbours, counts(known, everything))
}

/// The same for a known number of rows that take part, and of rows that they are near to.
fn search_among(
    nodes: &mut Plan,
    (data, known, split): (Handle<Predictions>, &Predictions, Handle<Split>),
    options: &ProximityOptions,
    neighbours: &[usize],
    (rows, references): (usize, usize),
) -> Vec<Handle<LogProximities>> {
    let d = options.features.as_ref().map_or(1, |choice| width_of(known, choice)).max(1) as f64;
    let k = neighbours.iter().copied().max().unwrap_or(1) as f64;
    let per_row = references as f64 * (d + 10.0) * 1e-7 + k * (d + 20.0) * 2e-6;
    let layout = (rows + references) as f64 * d * 4e-6;
    let total = rows as f64 * per_row;
    let longest = PART_MS.max(layout / LAYOUT_SHARE);
    let parts = (total / longest).ceil().clamp(1.0, MOST_PARTS.min(rows.max(1) as f64)) as usize;
    let cost = total / parts as f64 + layout;
    super::ranges(rows, parts)
        .map(|(first, last)| {
            let (proximity, neighbours) = (options.clone(), neighbours.to_vec());
            nodes.push(SearchProximity { data, split, proximity, neighbours, first, last }, cost, "finding neighbors")
        })
        .collect()
}

/// Rows that take part, and rows that they are near to.
pub(crate) fn counts(data: &Predictions, everything: bool) -> (usize, usize) {
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

/// The rows as the run divided them.
pub(crate) fn divided(nodes: &mut Plan, data: &Predictions, run: &RunOutcome, everything: bool) -> Handle<Split> {
    let step = Divide { data: DATA, seed: run.report.settings.seed, everything };
    nodes.push(step, data.rows as f64 * 5e-5, "splitting the rows")
}

/// What proximity is for an analysis: as it says, else as the run says.
///
/// # Errors
/// `features_missing`; those of [`ProximityOptions::filled`].
pub fn options(data: &Predictions, run: &RunOutcome, asked: ProximityOptions) -> Result<ProximityOptions> {
    let of_run = run.report.settings.proximity.clone().unwrap_or_default();
    let named: Option<FeatureChoice> = asked.features.clone().or(of_run.features.clone());
    let same = named == of_run.features;
    let choice = feature_choice(data, run, named.as_ref())?;
    let form = asked.form.or(of_run.form);
    let filled = ProximityOptions {
        features: Some(choice),
        neighbours: asked.neighbours.or(of_run.neighbours),
        distance: asked.distance.or(of_run.distance),
        row_normalise: asked.row_normalise.or(if same && form == of_run.form { of_run.row_normalise } else { None }),
        form,
    };
    Ok(filled.filled(data, None)?.unwrap_or_default())
}
