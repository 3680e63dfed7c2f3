//! The map of signed local error in one bin, with the distribution of local error and the bins to pick from.

use serde::{Deserialize, Serialize};

use super::{ComputedView, DrawnView, Fact, ViewOutcome, method_rows};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::feature::{Within, features_within, left_out};
use crate::kernel::{Kernel, Points};
use crate::local::{BinGap, LocalSample, MIN_NEIGHBORS, bin_gaps, guidance, weighted_summary};
use crate::metric::binning::BinOptions;
use crate::plot::cdf::{CdfChart, cdf};
use crate::plot::figure::Figure;
use crate::plot::histogram::{BinPicker, histogram};
use crate::plot::landscape::Landscape;
use crate::plot::raster::DISC_LIMIT;
use crate::project::scale::median_distance;
use crate::report::mapped_rows::{
    Compared, bins_of, compared, extremes, feature_choice, fit_rows, kernel_of, leave_one_out_of, named_extremes,
    own_row_in_words, with_places, within_of,
};
use crate::report::view::request::MapRequest;
use crate::report::{MethodRows, RunOutcome};
use crate::table::Column;
use crate::words::number::{self, count, percent, points, points_size, significant};
use crate::words::text::counted;

mod draw;
mod field;
mod locate;
mod scene;
mod state;
mod support;

pub(crate) use draw::{limit_of, where_in};
pub use locate::locate;
pub(crate) use scene::named_columns;
use scene::{Plane, Scene, placed};
pub use state::{MapState, redrawn};
pub(crate) use support::supported;

/// A confidence bin that can be selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BinName {
    /// index of the bin
    pub bin: u32,
    /// "0.80–0.87 · 1,204 rows · overestimated by 6.5 pp"
    pub name: String,
}

/// The map that was asked for.
///
/// # Errors
/// `features_missing`, `unknown_column`, `not_a_number`, `unknown_method`, `too_few_rows` for a bin without rows.
pub fn view(data: &Predictions, run: &RunOutcome, request: &MapRequest) -> Result<DrawnView> {
    let rows = method_rows(run, request.method.as_deref())?;
    let choice = feature_choice(data, run, request.features.as_ref())?;
    let within = within_of(run, request.within.as_deref());
    let (all, cut) = features_within(data, &choice, within, &fit_rows(data, run, rows, &choice)?)?;
    let left_out = left_out(data, &choice, within, &rows.rows);
    let rows = &*with_places(rows, &all)?;
    let values = placed(&all, &rows.rows);
    let median = median_distance(&Points::row_major(all.d, &values)?, 0);
    let kernel = kernel_of(run, request.kernel.as_deref(), request.gamma)?;

    let options = bins_of(run, request.bins);
    let original = &*with_places(method_rows(run, None)?, &all)?;
    let binning = options.binning(&original.score)?;
    let original_values = placed(&all, &original.rows);
    let everywhere = LocalSample::new(
        &original.score,
        &original.target,
        &binning.assignment,
        Points::row_major(all.d, &original_values)?,
    )?;
    let compared = compared(&everywhere, request.bin.as_ref())?;
    let bin = match compared {
        Compared::Bin(bin) => Some(bin),
        Compared::Each | Compared::Together => None,
    };
    let hurry = request.draft && rows.rows.len() > DISC_LIMIT;
    let cut = cut.as_ref();
    let leave_one_out = leave_one_out_of(run, request.leave_one_out);
    let axes = request.axes;
    let plane = Plane { original, binning: &binning, options, all: &all, axes, kernel, cut, leave_one_out, hurry };
    let scene = plane.scene(rows, compared)?;
    let beside = match request.beside.as_deref() {
        None => None,
        Some(name) => Some(plane.scene(&*with_places(method_rows(run, Some(name))?, &all)?, compared)?),
    };
    let bins = bin_names(&everywhere, &binning.edges.edges);
    let picker = draw::bin_picker(original, &binning, bin)?;
    let extreme = match bin.is_none() && beside.is_none() && !hurry && bins.len() > 1 {
        true => extreme_bins(&plane, rows, &everywhere, &bins)?,
        false => Vec::new(),
    };
    let shown = draw::DrawnRows {
        scene: &scene,
        method: &rows.method.name,
        beside: beside.as_ref(),
        beside_method: request.beside.as_deref().unwrap_or_default(),
        error_range: None,
        within: &extreme,
        data,
    };
    let limit = draw::color_limit(&scene).max(beside.as_ref().map_or(0.0, draw::color_limit));
    let whole = scene.extent();
    let window = state::window(request.window)?.unwrap_or(whole);
    let landscape = draw::landscape(&shown, kernel, request, data.view, limit, window)?;
    let found = ComputedMap {
        landscape: landscape.with_rows(Default::default(), Column::default()),
        draft: request.draft,
        distribution: draw::distribution_chart(&shown)?,
        bins: picker,
        facts: facts(&scene, (kernel, median), bins_in_words(compared, &options, cut)),
        notes: left_out.into_iter().chain(if hurry { None } else { note(&scene)? }).collect(),
        beside_width: beside_width(request),
    };
    let state = MapState {
        kernel: kernel.name().to_owned(),
        gamma: kernel.gamma(),
        within: cut.map(Within::words),
        median_distance: median,
        bin,
        bins,
        names: scene.axes.map(|axis| scene.features.name(axis)),
        features: (0..all.d).map(|k| all.name(k)).collect(),
        columns: scene.columns.clone(),
        range: gamma_range(kernel, all.d, median),
        window: window.edges(),
        whole: whole.edges(),
        limit,
        flat: scene.flat,
        request: request.computed(),
        x: scene.axis(0).into(),
        y: scene.axis(1).into(),
        rows: scene.rows.into(),
        near_score: scene.near.score.into(),
        near_target: scene.near.target.into(),
        n_eff: scene.near.n_eff.into(),
        support: scene.support.into(),
    };
    let shown = ViewOutcome {
        figure: figure(&landscape, request),
        companions: found.companions(),
        facts: found.facts.clone(),
        notes: found.notes.clone(),
        map: Some(state),
    };
    Ok(DrawnView { shown, found: ComputedView::Map(found) })
}

/// The bins with the smallest and the largest gap, by name. All rows together hide what the paper shows: how error is
/// spread within the best and the worst bin.
fn extreme_bins(
    plane: &Plane,
    rows: &MethodRows,
    everywhere: &LocalSample,
    bins: &[BinName],
) -> Result<Vec<(String, Scene)>> {
    let extremes = extremes(everywhere).into_iter().flat_map(named_extremes);
    let scene = |(word, own): (&str, u32)| {
        let name = bins.iter().find(|bin| bin.bin == own);
        let range = name.and_then(|bin| bin.name.split(' ').next()).unwrap_or_default();
        Ok((format!("{word} {range}"), plane.scene(rows, Compared::Bin(own))?))
    };
    extremes.map(scene).collect()
}

/// The distribution of local error that stands beside a map, with the facts and notes of the map.
///
/// # Errors
/// As [`view`].
pub(super) fn distribution(
    data: &Predictions,
    run: &RunOutcome,
    request: &MapRequest,
) -> Result<(CdfChart, Vec<Fact>, Vec<String>)> {
    match view(data, run, request)?.found {
        ComputedView::Map(found) => Ok((found.distribution, found.facts, found.notes)),
        _ => Err(Error::internal("The map is missing.")),
    }
}

/// What the figures of a map are drawn from, but for its rows, which [`MapState`] holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComputedMap {
    /// the map in one window, without its rows
    landscape: Landscape,
    /// made while a slider moves: without what can wait
    draft: bool,
    /// how local error is spread
    distribution: CdfChart,
    /// the bins to pick from
    bins: BinPicker,
    /// numbers beside it
    facts: Vec<Fact>,
    /// sentences beside it
    notes: Vec<String>,
    /// width of the companions that were drawn
    beside_width: f64,
}

impl ComputedMap {
    /// The distribution of local error, and the bins to pick from.
    fn companions(&self) -> Vec<Figure> {
        vec![cdf(&self.distribution, self.beside_width), histogram(&self.bins, self.beside_width)]
    }
}

/// The map in the width and the colors that are asked for.
fn figure(landscape: &Landscape, request: &MapRequest) -> Figure {
    let width = request.width.unwrap_or(560.0).clamp(280.0, 2000.0);
    landscape.figure(width, request.dpr, request.dark)
}

/// Width of the companions in CSS pixels.
pub(super) fn beside_width(request: &MapRequest) -> f64 {
    request.companion_width.or(request.width).map_or(420.0, |width| width.min(420.0))
}

/// The rows that each row is compared with, as displayed.
fn bins_in_words(compared: Compared, bins: &BinOptions, cut: Option<&Within>) -> String {
    let of_bins = match (compared, cut) {
        (Compared::Each, Some(_)) if bins.count == 1 => "as one bin".to_owned(),
        (Compared::Each, _) => within_bins_in_words(bins),
        (Compared::Together, None) => "all rows, as one bin".to_owned(),
        (Compared::Together, Some(_)) => "as one bin".to_owned(),
        (Compared::Bin(_), _) => "within this bin".to_owned(),
    };
    cut.map_or_else(|| of_bins.clone(), |cut| format!("{of_bins}, {}", cut.words()))
}

/// "within their confidence bin (15 bins)".
pub(crate) fn within_bins_in_words(bins: &BinOptions) -> String {
    match bins.count {
        1 => "all rows, as one bin".to_owned(),
        count => format!("within their confidence bin ({count} bins)"),
    }
}

/// From near the nearest neighbor to beyond the whole, on the scale of the data; none where the kernel has no bandwidth.
fn gamma_range(kernel: Kernel, d: usize, median: f64) -> Option<[f64; 2]> {
    let scale = if median > 0.0 { median } else { 1.0 };
    let widths = |scale: f64| [scale / 200.0, scale * 5.0];
    // ‖Δ‖₂ of a pair whose coordinates all differ by the median
    let euclidean = scale * (d.max(1) as f64).sqrt();
    let range = match kernel {
        Kernel::Laplacian { .. } => widths(scale),
        Kernel::Gaussian { .. } => widths(euclidean),
        Kernel::Rbf { .. } => {
            let [near, far] = widths(euclidean).map(|width| 0.5 / (width * width));
            [far, near]
        }
        Kernel::Group | Kernel::Constant => return None,
    };
    // of places that lie closer or further apart than numbers tell there is no scale
    Some(range).filter(|range| range.iter().all(|gamma| *gamma > 0.0 && gamma.is_finite()))
}

fn bin_names(sample: &LocalSample, edges: &[f64]) -> Vec<BinName> {
    let places = number::distinguishing_places(edges, 2);
    let name = |BinGap { bin, rows, gap }| {
        let edge = |i: usize| edges.get(i).copied().unwrap_or(1.0);
        let direction = if gap >= 0.0 { "overestimated" } else { "underestimated" };
        let range = number::bin(edge(bin as usize), edge(bin as usize + 1), places);
        let gap = points_size(gap);
        BinName { bin, name: format!("{range} · {} · {direction} by {gap}", counted(rows, "row")) }
    };
    bin_gaps(sample).into_iter().map(name).collect()
}

/// How many neighbors the rows have.
fn note(scene: &Scene) -> Result<Option<String>> {
    let places = Points::row_major(scene.features.d, &scene.features.values)?;
    let one = vec![0; scene.rows.len()];
    let sample = LocalSample::new(&scene.score, &scene.target, &one, places)?;
    let found = guidance(&sample, &scene.near.mass, &scene.near.n_eff);
    Ok(found.map(|found| found.sentence()))
}

fn facts(scene: &Scene, (kernel, median): (Kernel, f64), compared: String) -> Vec<Fact> {
    let n = scene.rows.len() as f64;
    let score = scene.score.iter().sum::<f64>() / n;
    let rate = scene.target.iter().map(|&t| f64::from(t)).sum::<f64>() / n;
    let local = weighted_summary(&scene.near.slce, &scene.near.n_eff, None);
    let judged = match local.mlce_supported.is_finite() {
        true => points_size(local.mlce_supported),
        false => "no such row".to_owned(),
    };
    let enough = scene.near.n_eff.iter().filter(|&&n_eff| n_eff >= MIN_NEIGHBORS).count();
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    vec![
        fact("rows", count(scene.rows.len() as u64)),
        fact("comparison", compared),
        fact("kernel", format!("{}; {}", draw::kernel_in_words(kernel), own_row_in_words(scene.leave_one_out))),
        fact("effective neighbors, median", draw::median_neighbors(scene)),
        fact("mean score", percent(score)),
        fact("observed", percent(rate)),
        fact("calibration error", points(score - rate)),
        fact("mean absolute local error", points_size(local.mean_lce)),
        fact("largest local error, 20 effective neighbors or more", judged),
        fact("largest local error, all rows", points_size(local.mlce)),
        fact("rows with 20 effective neighbors or more", percent(enough as f64 / n)),
        fact("median distance between rows", significant(median)),
    ]
}
