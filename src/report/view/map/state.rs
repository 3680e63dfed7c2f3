//! What stays of a map: for hovering, for controls, and for drawing it again without computing it again.

use serde::{Deserialize, Serialize};

use super::scene::{LocalMeans, Scene};
use super::{BinName, ComputedMap, beside_width, draw, figure, method_rows};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::feature::Features;
use crate::kernel::Kernel;
use crate::plot::extent::Extent;
use crate::plot::landscape::Landscape;
use crate::report::RunOutcome;
use crate::report::mapped_rows::{Compared, leave_one_out_of};
use crate::report::view::request::{BinChoice, MapRequest};
use crate::report::view::{ComputedView, DrawnView, ViewOutcome};
use crate::table::Column;

/// State of a map, for tooltips and controls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MapState {
    /// `laplacian`, `gaussian`, `rbf`, `group` or `constant`
    pub kernel: String,
    /// bandwidth γ; null for a kernel without one
    pub gamma: Option<f64>,
    /// which rows can be neighbors, in words; absent: all
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// median of ‖Δ‖₁ / d over pairs of rows, the scale of γ
    pub median_distance: f64,
    /// the selected bin; null: all rows
    pub bin: Option<u32>,
    /// bins that can be selected
    pub bins: Vec<BinName>,
    /// names of the plotted coordinates
    pub names: [String; 2],
    /// names of all coordinates
    pub features: Vec<String>,
    /// columns that describe the location of a row, if the coordinates are principal components
    pub columns: Vec<String>,
    /// range of γ for a logarithmic slider: lowest and highest; null for a kernel without bandwidth
    pub range: Option<[f64; 2]>,
    /// data rows of the points, from 0
    pub rows: Column<u32>,
    /// first coordinate
    pub x: Column<f64>,
    /// second coordinate
    pub y: Column<f64>,
    /// kernel-weighted mean score around each point
    pub near_score: Column<f64>,
    /// kernel-weighted observed proportion of events around each point
    pub near_target: Column<f64>,
    /// effective number of neighbors of each point
    pub n_eff: Column<f64>,
    /// precision of the local error of each point, see [`Support`](crate::plot::raster::Support)
    pub support: Column<u8>,
    /// limits of the displayed window: left, right, lower, upper
    pub window: [f64; 4],
    /// limits of the window that contains all rows
    pub whole: [f64; 4],
    /// error with full color saturation
    pub limit: f64,
    /// true if the kernel uses only the two plotted coordinates
    pub flat: bool,
    /// settings of the map
    pub request: MapRequest,
}

impl MapState {
    /// Whether a map that is asked for holds the same numbers: a finished map also serves for a draft.
    pub fn serves(&self, request: &MapRequest) -> bool {
        let wanted = MapRequest { draft: false, ..request.computed() };
        self.request == wanted
    }
}

/// The map that was computed before, in another window, another width or other colors; companions, facts and notes
/// come again only where their width is another.
///
/// # Errors
/// `unknown_method` if the run that it belongs to is gone; `invalid_option` for an empty window.
///
/// # Cost
/// In the same window drawing alone: O(rows + pixels); in another one besides, for a finished flat map, one grid of sums.
pub fn redrawn(
    data: &Predictions,
    run: &RunOutcome,
    request: &MapRequest,
    (before, found): (&MapState, &ComputedMap),
) -> Result<DrawnView> {
    let window = match window(request.window)? {
        Some(window) => window,
        None => Extent::within(before.whole),
    };
    let slce = (before.near_score.iter().zip(&**before.near_target)).map(|(s, t)| s - t);
    let landscape = if found.landscape.chart.extent == window && found.draft == request.draft {
        let places = [before.x.clone(), before.y.clone(), slce.collect()];
        found.landscape.with_rows(places, before.support.clone())
    } else {
        in_window(data, run, request, before, (slce.collect(), window, found.landscape.chart.error_range))?
    };
    let beside_width = beside_width(request);
    let resized = found.beside_width != beside_width;
    let found = ComputedMap {
        landscape: landscape.with_rows(Default::default(), Column::default()),
        draft: request.draft,
        beside_width,
        ..found.clone()
    };
    let mut view = ViewOutcome {
        figure: figure(&landscape, request),
        map: Some(MapState { window: window.edges(), ..before.clone() }),
        ..ViewOutcome::default()
    };
    if resized {
        (view.companions, view.facts, view.notes) = (found.companions(), found.facts.clone(), found.notes.clone());
    }
    Ok(DrawnView { shown: view, found: ComputedView::Map(found) })
}

/// The map that was computed before, in another window; `slce`: the local error of each row; `error_range`: that it shares.
fn in_window(
    data: &Predictions,
    run: &RunOutcome,
    request: &MapRequest,
    before: &MapState,
    (slce, window, error_range): (Vec<f64>, Extent, Option<[f64; 2]>),
) -> Result<Landscape> {
    let rows = method_rows(run, request.method.as_deref())?;
    let of_row = |row: &u32| rows.rows.binary_search(row).unwrap_or(0);
    let places: Vec<usize> = before.rows.iter().map(of_row).collect();
    let values = before.x.iter().zip(&**before.y).flat_map(|(&x, &y)| [x, y]);
    let one = before.features.len() == 1;
    let (d, axes) = if one { (1, [0, 0]) } else { (2, [0, 1]) };
    let values = if one { before.x.to_vec() } else { values.collect() };
    let scene = Scene {
        rows: before.rows.to_vec(),
        score: places.iter().map(|&i| rows.score[i]).collect(),
        target: places.iter().map(|&i| rows.target[i]).collect(),
        features: Features {
            d,
            values,
            names: before.names.to_vec(),
            projection: None,
            loadings: Vec::new(),
            arrays: Vec::new(),
        },
        columns: before.columns.clone(),
        axes,
        flat: before.flat,
        compared: match (before.bin, &request.bin) {
            (Some(bin), _) => Compared::Bin(bin),
            (None, Some(BinChoice::Word(word))) if word == "all" => Compared::Together,
            (None, _) => Compared::Each,
        },
        within: before.within.clone(),
        leave_one_out: leave_one_out_of(run, request.leave_one_out),
        near: LocalMeans {
            slce,
            score: Vec::new(),
            target: Vec::new(),
            mass: Vec::new(),
            n_eff: before.n_eff.to_vec(),
        },
        support: before.support.to_vec(),
    };
    let shown = draw::DrawnRows {
        scene: &scene,
        method: &rows.method.name,
        beside: None,
        beside_method: "",
        error_range,
        within: &[],
        data,
    };
    let kernel = Kernel::parsed(&before.kernel, before.gamma.unwrap_or(1.0))?;
    draw::landscape(&shown, kernel, request, data.view, before.limit, window)
}

/// The window that was asked for.
pub(crate) fn window(edges: Option<[f64; 4]>) -> Result<Option<Extent>> {
    let Some([x0, x1, y0, y1]) = edges else {
        return Ok(None);
    };
    let wide = |low: f64, high: f64| low.is_finite() && high.is_finite() && high > low;
    if wide(x0, x1) && wide(y0, y1) {
        return Ok(Some(Extent::within([x0, x1, y0, y1])));
    }
    Err(Error::new(
        "invalid_option",
        format!("The map cannot show {x0} to {x1} by {y0} to {y1}."),
        "Specify left, right, lower and upper edges, each pair increasing.",
    ))
}
