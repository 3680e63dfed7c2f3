//! Figures of the map: the picture, the distribution of local error, the bin picker.

use super::field::{Grid, field, line};
use super::scene::Scene;
use crate::data::{Predictions, PresentClusters, View};
use crate::error::{Error, Result};
use crate::evaluation::method::title;
use crate::feature::value_at;
use crate::kernel::{Kernel, Points};
use crate::local::{LocalSample, MIN_NEIGHBORS, bin_cdf};
use crate::metric::binning::Binning;
use crate::metric::reliability::weighted_reliability_bins;
use crate::metric::simultaneous::{Cells, Expected, critical, redraws};
use crate::num::order;
use crate::num::order::sort_short;
use crate::num::outcome_correlation::Dependence;
use crate::num::quantile::quantile_sorted;
use crate::plot::cdf::{CdfChart, CdfSeries, steps};
use crate::plot::extent::Extent;
use crate::plot::histogram::{BinPicker, PickBin};
use crate::plot::landscape::Landscape;
use crate::plot::map::MapChart;
use crate::plot::map_line::{LinePlace, error_range};
use crate::plot::raster::{DISC_LIMIT, Support};
use crate::plot::table::TextTable;
use crate::report::MethodRows;
use crate::report::gap::direction;
use crate::report::mapped_rows::{Compared, own_row_in_words};
use crate::report::view::reliability::simultaneous;
use crate::report::view::request::MapRequest;
use crate::words::number::{count, significant};
use crate::words::text::capitalized;

/// Rows of the text twin.
const TABLE_ROWS: usize = 12;
/// Steps of the distribution that are drawn.
const STEPS: usize = 400;

/// The rows that are drawn, and those of another method that share their scales.
pub(crate) struct DrawnRows<'a> {
    pub scene: &'a Scene,
    pub method: &'a str,
    pub beside: Option<&'a Scene>,
    pub beside_method: &'a str,
    /// ends of the error axis of a map of one feature, where they are known from the other method
    pub error_range: Option<[f64; 2]>,
    /// single bins whose distribution stands beside that of all rows, by name
    pub within: &'a [(String, Scene)],
    /// what they are rows of
    pub data: &'a Predictions,
}

/// The map itself, of what lies in `window`; `limit` is the error that takes the full color.
pub(crate) fn landscape(
    shown: &DrawnRows,
    kernel: Kernel,
    request: &MapRequest,
    view: View,
    limit: f64,
    window: Extent,
) -> Result<Landscape> {
    let scene = shown.scene;
    let (x, y) = (scene.axis(0), scene.axis(1));
    let support = &scene.support;
    // Many points hide the field anyway, and it takes a third of the time of a tick.
    let grid = if request.draft && scene.rows.len() > DISC_LIMIT { None } else { field(scene, kernel, window)? };
    let (beside, line) = (shown.beside, line(scene, kernel, window)?);
    let error_range = match beside.filter(|_| !line.is_empty()) {
        Some(beside) => {
            let (own, other) = (error_range(&line), error_range(&super::field::line(beside, kernel, window)?));
            Some([own[0].min(other[0]), own[1].max(other[1])])
        }
        None => None,
    };
    let n_grey = support.iter().filter(|&&s| s == Support::Few as u8).count();
    let pair = match view {
        View::TopLabel => "confidence − accuracy",
        View::Positive => "predicted − observed",
    };
    let chart = MapChart {
        extent: window,
        x_name: scene.features.name(scene.axes[0]),
        y_name: scene.features.name(scene.axes[1]),
        picture: None,
        color_limit: limit,
        error_range: error_range.or(shown.error_range),
        value_name: format!("signed local error: {pair}"),
        n: scene.rows.len() as u64,
        n_grey: n_grey as u64,
        selection: None,
        cursor: None,
        title: if line.is_empty() { finding(shown.data, scene, support) } else { finding_along(scene, &line) },
        caption: match line.is_empty() {
            true => caption(scene, kernel, pair, grid.is_some()),
            false => caption_along(scene, kernel, pair),
        },
        alt: String::new(),
        table: worst_rows(shown, &x, &y, support),
    };
    let behind_support = grid.as_ref().map(Grid::support).unwrap_or_default();
    let (side, behind) = grid.map_or_else(Default::default, |grid| (grid.side, grid.value));
    Ok(Landscape {
        chart,
        x: x.into(),
        y: y.into(),
        value: scene.near.slce.clone().into(),
        support: support.clone().into(),
        side,
        behind: behind.into(),
        behind_support: behind_support.into(),
        line,
    })
}

/// How the map was computed and how it is read; `pair`: what is compared.
fn caption(scene: &Scene, kernel: Kernel, pair: &str, has_field: bool) -> String {
    let kernel = kernel_in_words(kernel);
    let own = format!(
        " In these means, {}; median effective neighbors: {}.",
        own_row_in_words(scene.leave_one_out),
        median_neighbors(scene)
    );
    let (within, behind) = match (scene.compared, has_field) {
        (Compared::Each, true) if scene.within.is_some() => {
            (" in the same confidence bin", " Background: average over all rows at each place.")
        }
        (Compared::Each, true) => (" in the same confidence bin", " Background: average over bins at each place."),
        (Compared::Each, false) => (" in the same confidence bin", ""),
        (Compared::Together, _) => (" at any confidence", ""),
        (Compared::Bin(_), _) => (" in this bin", ""),
    };
    let among = scene.within.as_ref().map_or_else(String::new, |words| format!(", {words} only"));
    format!(
        "Points: rows, colored by kernel-weighted {pair} of neighboring rows{within}{among}, {kernel}.{own}{behind} Pale \
         or hatched: pointwise 95% interval includes 0. Gray: fewer than {MIN_NEIGHBORS:.0} effective neighbors."
    )
}

/// The same of the only feature.
fn caption_along(scene: &Scene, kernel: Kernel, pair: &str) -> String {
    let kernel = kernel_in_words(kernel);
    let across = if scene.within.is_some() { " and of any eligibility as neighbor" } else { "" };
    format!(
        "Line: kernel-weighted {pair} of rows near each value, {kernel}, at any confidence{across}. Band: pointwise \
         95% interval, warm or cool where it excludes 0; simultaneous coverage is lower. No line: fewer than \
         {MIN_NEIGHBORS:.0} effective neighbors. Below: distribution of the rows."
    )
}

/// A round limit that holds 98 % of the supported errors, so that a few extremes do not wash out the rest.
pub(crate) fn color_limit(scene: &Scene) -> f64 {
    limit_of(&scene.near.slce, &scene.support)
}

/// The same of any errors with their support.
pub(crate) fn limit_of(errors: &[f64], support: &[u8]) -> f64 {
    let rows = errors.iter().zip(support);
    let supported = rows.filter(|&(_, &s)| s > Support::Few as u8);
    let mut sizes: Vec<f64> = supported.map(|(v, _)| v.abs()).filter(|v| v.is_finite()).collect();
    let place = (0.98 * sizes.len() as f64) as usize;
    let size = if place < sizes.len() { *order::select(&mut sizes, place, &f64::total_cmp) } else { 0.1 };
    [0.02, 0.05, 0.1, 0.2, 0.3, 0.5].into_iter().find(|&limit| size <= limit).unwrap_or(1.0)
}

/// The largest local error that is shown. It is the largest of many, and no single place was chosen before looking:
/// whether it is more than chance is for the worst neighborhoods to say.
fn finding(data: &Predictions, scene: &Scene, support: &[u8]) -> String {
    let known = (0..support.len()).filter(|&i| support[i] > Support::Few as u8);
    let worst = known.max_by(|&i, &j| {
        let size = |i: usize| scene.near.slce[i].abs();
        size(i).total_cmp(&size(j))
    });
    let Some(i) = worst else {
        let or = match scene.compared {
            Compared::Together => "",
            Compared::Each | Compared::Bin(_) => "; compare all rows as one bin",
        };
        return format!("Too few neighbors to estimate local error{or}.");
    };
    let axis = |axis: usize| {
        format!(
            "{} near {}",
            scene.features.name(axis),
            significant(scene.features.values[i * scene.features.d + axis])
        )
    };
    // Where a component lies nobody knows; where the row lies in the columns that it runs along anybody does.
    let row = scene.rows[i] as usize;
    let columns = scene.columns.iter().filter_map(|name| where_in(name, value_at(data, name, row)?));
    let columns: Vec<String> = columns.collect();
    let place = match (columns.is_empty(), scene.axes[0] == scene.axes[1]) {
        (false, _) => columns.join(" and "),
        (_, true) => axis(scene.axes[0]),
        (_, false) => scene.axes.map(axis).join(" and "),
    };
    format!("Largest local error on the map (not tested): {}, {place}.", direction(scene.near.slce[i]))
}

/// The same of the only feature.
fn finding_along(scene: &Scene, line: &[LinePlace]) -> String {
    let known = line.iter().filter(|place| place.known);
    match known.max_by(|a, b| a.error.abs().total_cmp(&b.error.abs())) {
        Some(place) => format!(
            "Largest local error along {} (not tested): {}, near {}.",
            scene.features.name(0),
            direction(place.error),
            significant(place.x)
        ),
        None => "Too few neighbors to estimate local error.".to_owned(),
    }
}

/// "age near 63"; of a value of a text column "ward = ICU" where the row has it, else nothing.
pub(crate) fn where_in(name: &str, value: f64) -> Option<String> {
    if name.contains(" = ") {
        return (value == 1.0).then(|| name.to_owned());
    }
    Some(format!("{name} near {}", significant(value)))
}

/// The rows with the largest supported errors.
fn worst_rows(shown: &DrawnRows, x: &[f64], y: &[f64], support: &[u8]) -> TextTable {
    let scene = shown.scene;
    let (x_name, y_name) = (scene.features.name(scene.axes[0]), scene.features.name(scene.axes[1]));
    let mut table = TextTable::new(&["row", &x_name, &y_name, "local error", "effective neighbors"]);
    let mut order: Vec<usize> = (0..support.len()).filter(|&i| support[i] > Support::Few as u8).collect();
    let largest_first = |&i: &usize, &j: &usize| {
        let (a, b) = (scene.near.slce[i].abs(), scene.near.slce[j].abs());
        b.total_cmp(&a).then(i.cmp(&j))
    };
    if order.len() > TABLE_ROWS {
        order::select(&mut order, TABLE_ROWS, &largest_first);
        order.truncate(TABLE_ROWS);
    }
    sort_short(&mut order, |i, j| largest_first(i, j).is_lt());
    for &i in &order {
        let number = shown.data.row_numbers.get(scene.rows[i] as usize);
        table.rows.push(vec![
            number.map_or_else(String::new, |number| count(u64::from(*number))),
            significant(x[i]),
            significant(y[i]),
            crate::words::number::points(scene.near.slce[i]),
            significant(scene.near.n_eff[i]),
        ]);
    }
    table
}

/// "Laplacian kernel, γ = 0.4".
pub(crate) fn kernel_in_words(kernel: Kernel) -> String {
    let name = capitalized(kernel.name());
    let gamma = kernel.gamma().map_or_else(String::new, |gamma| format!(", γ = {}", significant(gamma)));
    format!("{name} kernel{gamma}")
}

/// The median over the rows shown of how many rows each is compared with, (Σ k)² / Σ k².
pub(crate) fn median_neighbors(scene: &Scene) -> String {
    let mut known: Vec<f64> = scene.near.n_eff.iter().copied().filter(|n| n.is_finite()).collect();
    known.sort_unstable_by(f64::total_cmp);
    quantile_sorted(&known, 0.5).map_or_else(|| "–".to_owned(), significant)
}

/// How local error is spread over the rows shown, before and after where two methods are.
pub(crate) fn distribution_chart(shown: &DrawnRows) -> Result<CdfChart> {
    let mut series = vec![distribution(shown.scene, &title(shown.method))?];
    if let Some(beside) = shown.beside {
        series.push(distribution(beside, &title(shown.beside_method))?);
    }
    let mut caption = String::new();
    if !shown.within.is_empty() {
        "all rows".clone_into(&mut series[0].name);
        let bins = match shown.within.len() {
            1 => "the bin named",
            _ => "the bins with the smallest and the largest gap",
        };
        caption = format!(
            "Cumulative distribution of local error in all rows and in {bins}, where rows are compared within their bin. Thin \
             dashed: mean error of the bin, which is all a reliability diagram shows."
        );
    }
    for (name, scene) in shown.within {
        series.push(distribution(scene, name)?);
    }
    Ok(CdfChart {
        series,
        value_name: "local error".to_owned(),
        rows_of: "the rows shown".to_owned(),
        title: String::new(),
        caption,
    })
}

/// How local error is spread over the rows of a scene.
fn distribution(scene: &Scene, name: &str) -> Result<CdfSeries> {
    let one = vec![0u32; scene.rows.len()];
    let sample = LocalSample::new(
        &scene.score,
        &scene.target,
        &one,
        Points::row_major(scene.features.d, &scene.features.values)?,
    )?;
    let found = bin_cdf(&sample, &scene.near.slce, 0);
    let found = found.ok_or_else(|| Error::new("too_few_rows", "The bin holds no row.", "Pick another bin."))?;
    Ok(CdfSeries {
        name: name.to_owned(),
        steps: steps(&found.lce, STEPS),
        mean: found.mean_lce,
        gap: found.gap,
        n: found.lce.len() as u64,
    })
}

/// The bins of the score as bars to click; those outside what all bins of a calibrated model show together are marked.
///
/// * `selected`: index of a bin
///
/// # Errors
/// Those of the reliability table.
pub(crate) fn bin_picker(original: &MethodRows, binning: &Binning, selected: Option<u32>) -> Result<BinPicker> {
    let (score, target, weights) = (&original.score, &original.target, original.weights());
    let bins = weighted_reliability_bins(score, target, weights, binning)?;
    let present = original.clusters.present();
    let clusters = present.as_ref().map(PresentClusters::rows);
    let dependence = clusters.and_then(|clusters| Dependence::of(score, target, clusters));
    let expected = Expected::new(score, weights, dependence, &Cells::of_bins(binning), redraws(score.len()));
    let band = simultaneous(&bins, &expected, critical([&expected]));
    let pick = bins.iter().zip(band).map(|(bin, (low, high))| PickBin {
        low: bin.low,
        high: bin.high,
        n: bin.n as u32,
        gap: bin.gap,
        inside_band: (low..=high).contains(&bin.mean_target),
    });
    let place = selected.and_then(|bin| bins.iter().position(|one| one.bin == bin as usize));
    Ok(BinPicker {
        bins: pick.collect(),
        selected: place.map(|place| place as u32),
        score_name: "score".to_owned(),
        square_root_heights: true,
        title: String::new(),
    })
}
