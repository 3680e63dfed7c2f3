//! The map of signed local error in one bin, with the distribution of local error and the bins to pick from.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::{Fact, ViewOutcome, method_rows};
use crate::data::{Column, Predictions};
use crate::error::{Error, Result};
use crate::evaluation::features::{FeatureChoice, Features, default_choice, features};
use crate::evaluation::split::Split;
use crate::job::plan::DEFAULT_GAMMA;
use crate::job::request::{BinChoice, EvaluateOn, MapRequest};
use crate::kernel::{Kernel, Part, Points};
use crate::local::{LocalQueries, LocalSample, bin_gaps, extreme_bins, summary, within_bins};
use crate::plot::format::{count, percent, points, significant};
use crate::plot::map::Extent;
use crate::project::scale::median_distance;
use crate::report::{MethodRows, RunOutcome};

mod draw;
mod field;
mod locate;
mod state;

pub use locate::locate;
pub use state::{MapState, again};

/// Fewer effective neighbours are drawn grey.
const MIN_NEIGHBOURS: f64 = 20.0;
/// Best and worst bins hold at least this many rows, if any does.
const MIN_BIN: usize = 10;

/// A bin to pick.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Tsify)]
pub struct BinName {
    /// its index
    pub bin: u32,
    /// "0.80–0.87 · 1,204 rows · too high by 6.5 points"
    pub name: String,
}

/// The rows of the bin, their places, and what is around each.
struct Scene {
    rows: Vec<u32>,
    score: Vec<f64>,
    target: Vec<u8>,
    features: Features,
    axes: [usize; 2],
    /// the kernel looks at just the two coordinates that are drawn
    flat: bool,
    near: Near,
    support: Vec<u8>,
}

/// Kernel-weighted means around each row.
struct Near {
    score: Vec<f64>,
    target: Vec<f64>,
    slce: Vec<f64>,
    mass: Vec<f64>,
    n_eff: Vec<f64>,
}

/// The map that was asked for.
///
/// # Errors
/// `features_missing`, `unknown_column`, `not_a_number`, `unknown_method`, `too_few_rows` for a bin without rows.
pub fn view(data: &Predictions, run: &RunOutcome, request: &MapRequest) -> Result<ViewOutcome> {
    let rows = method_rows(run, request.method.as_deref())?;
    let settings = run.report.settings.local.as_ref();
    let choice = request
        .features
        .clone()
        .or_else(|| settings?.features.clone())
        .or_else(|| default_choice(data));
    let choice = choice.ok_or_else(|| {
        Error::new(
            "features_missing",
            "A map needs features: columns that say which rows are alike.",
            "Give one or more columns the role feature.",
        )
    })?;
    let all = features(data, &choice, &fit_rows(data, run, rows, &choice)?)?;
    let values = all.select(&rows.rows);
    let median = median_distance(&Points::new(all.d, &values)?, 0);
    let gamma = request
        .gamma
        .or_else(|| settings?.gamma)
        .unwrap_or(DEFAULT_GAMMA);
    let kernel = Kernel::Laplacian { gamma };
    kernel.check()?;

    let options = request.bins.unwrap_or(run.report.settings.bins);
    let binning = options.binning(&rows.score)?;
    let everywhere = LocalSample::new(
        &rows.score,
        &rows.target,
        &binning.assignment,
        Points::new(all.d, &values)?,
    )?;
    let bin = chosen(&everywhere, request.bin.as_ref())?;
    let scene = scene(
        rows,
        &binning.assignment,
        bin,
        &all,
        &values,
        request.axes,
        kernel,
    )?;
    let beside = match request.beside.as_deref() {
        None => None,
        Some(name) => {
            let other = method_rows(run, Some(name))?;
            let (assignment, values) = (
                options.binning(&other.score)?.assignment,
                all.select(&other.rows),
            );
            // a repair may leave the bin empty, and then there is nothing to stand beside
            let any = bin.is_none_or(|bin| assignment.contains(&bin));
            any.then(|| self::scene(other, &assignment, bin, &all, &values, request.axes, kernel))
                .transpose()?
        }
    };
    let bins = bin_names(&everywhere, &binning.edges.edges);
    let shown = draw::Shown {
        scene: &scene,
        method: &rows.method.name,
        beside: beside.as_ref(),
        beside_method: request.beside.as_deref().unwrap_or_default(),
        row_numbers: &data.row_numbers,
    };
    let limit = draw::color_limit(&scene).max(beside.as_ref().map_or(0.0, draw::color_limit));
    let whole = scene.extent();
    let window = state::window(request.window)?.unwrap_or(whole);
    let figure = draw::figure(&shown, kernel, request, data.view, limit, window)?;
    let companions = vec![
        draw::distribution_figure(&shown, request)?,
        draw::bin_picker(&rows.bins, bin, request),
    ];
    let state = MapState {
        gamma,
        median_distance: median,
        bin,
        bins,
        names: scene.axes.map(|axis| name_of(&scene.features, axis)),
        features: all.names.clone(),
        range: gamma_range(median),
        window: window.edges(),
        whole: whole.edges(),
        limit,
        flat: scene.flat,
        request: request.computed(),
        x: scene.axis(0).into(),
        y: scene.axis(1).into(),
        rows: Column::default(),
        near_score: Column::default(),
        near_target: Column::default(),
        n_eff: Column::default(),
        support: Column::default(),
    };
    Ok(ViewOutcome {
        figure,
        companions,
        facts: facts(&scene, median),
        map: Some(MapState {
            rows: scene.rows.into(),
            near_score: scene.near.score.into(),
            near_target: scene.near.target.into(),
            n_eff: scene.near.n_eff.into(),
            support: scene.support.into(),
            ..state
        }),
    })
}

/// Calibration rows where there are any that are not scored, else every scored row.
fn fit_rows(
    data: &Predictions,
    run: &RunOutcome,
    rows: &MethodRows,
    choice: &FeatureChoice,
) -> Result<Vec<u32>> {
    if !matches!(choice, FeatureChoice::Pca { .. }) {
        return Ok(Vec::new()); // nothing is fitted
    }
    if run.report.settings.evaluate_on == EvaluateOn::All {
        return Ok(rows.rows.to_vec());
    }
    let calibration = Split::new(data, run.report.settings.seed)?.all_calibration_rows();
    Ok(if calibration.is_empty() {
        rows.rows.to_vec()
    } else {
        calibration
    })
}

fn chosen(sample: &LocalSample, choice: Option<&BinChoice>) -> Result<Option<u32>> {
    let extremes = || extreme_bins(sample, MIN_BIN).or_else(|| extreme_bins(sample, 1));
    match choice {
        None => Ok(None),
        Some(BinChoice::Index(bin)) => {
            let bin = *bin as u32;
            if sample.bin.contains(&bin) {
                return Ok(Some(bin));
            }
            Err(Error::new(
                "too_few_rows",
                format!("Bin {bin} holds no row."),
                "Pick another bin.",
            ))
        }
        Some(BinChoice::Word(word)) => match word.as_str() {
            "all" => Ok(None),
            "worst" => Ok(extremes().map(|bins| bins.worst)),
            "best" => Ok(extremes().map(|bins| bins.best)),
            other => Err(Error::new(
                "invalid_option",
                format!("No bin is called `{other}`."),
                "Use the index of a bin, or all, worst or best.",
            )),
        },
    }
}

fn scene(
    rows: &MethodRows,
    assignment: &[u32],
    bin: Option<u32>,
    all: &Features,
    values: &[f64],
    axes: Option<[usize; 2]>,
    kernel: Kernel,
) -> Result<Scene> {
    let inside: Vec<u32> = (0u32..)
        .zip(assignment)
        .filter(|&(_, &own)| bin.is_none_or(|bin| bin == own))
        .map(|(place, _)| place)
        .collect();
    let score: Vec<f64> = inside.iter().map(|&i| rows.score[i as usize]).collect();
    let target: Vec<u8> = inside.iter().map(|&i| rows.target[i as usize]).collect();
    let places = Points::new(all.d, values)?.gather(&inside);
    let one = vec![0u32; inside.len()];
    let sample = LocalSample::new(&score, &target, &one, Points::new(all.d, &places)?)?;
    let both: Vec<f64> = score
        .iter()
        .zip(&target)
        .flat_map(|(&s, &t)| [s, f64::from(t)])
        .collect();
    let own = LocalQueries::Sample {
        leave_one_out: false,
    };
    let sums = within_bins(&sample, &own, &both, 2, kernel, true, Part::WHOLE)?;
    let near_score: Vec<f64> = sums.mean.iter().step_by(2).copied().collect();
    let near_target: Vec<f64> = sums.mean.iter().skip(1).step_by(2).copied().collect();
    let near = Near {
        slce: near_score
            .iter()
            .zip(&near_target)
            .map(|(s, t)| s - t)
            .collect(),
        score: near_score,
        target: near_target,
        mass: sums.mass,
        n_eff: sums.n_eff.unwrap_or_default(),
    };
    let features = Features {
        d: all.d,
        values: places,
        names: all.names.clone(),
        projection: None,
    };
    let last = all.d.saturating_sub(1);
    let axes = axes.unwrap_or([0, 1]).map(|axis| axis.min(last));
    Ok(Scene {
        flat: all.d == 2 && axes == [0, 1],
        support: draw::support(&near),
        rows: inside.iter().map(|&i| rows.rows[i as usize]).collect(),
        score,
        target,
        features,
        axes,
        near,
    })
}

impl Scene {
    /// The values along the axis that is drawn across (0) or upwards (1).
    fn axis(&self, drawn: usize) -> Vec<f64> {
        let Features { d, values, .. } = &self.features;
        let values = values.iter().skip(self.axes[drawn]);
        values.step_by((*d).max(1)).copied().collect()
    }

    /// Room for every row.
    fn extent(&self) -> Extent {
        Extent::around(&self.axis(0), &self.axis(1))
    }
}

fn name_of(features: &Features, axis: usize) -> String {
    features.names.get(axis).cloned().unwrap_or_default()
}

/// From near the nearest neighbour to beyond the whole, on the scale of the data.
fn gamma_range(median: f64) -> [f64; 2] {
    let scale = if median > 0.0 { median } else { 1.0 };
    [scale / 200.0, scale * 5.0]
}

fn bin_names(sample: &LocalSample, edges: &[f64]) -> Vec<BinName> {
    let name = |(bin, rows, gap): (u32, usize, f64)| {
        let edge = |i: usize| edges.get(i).copied().unwrap_or(1.0);
        let direction = if gap >= 0.0 { "too high" } else { "too low" };
        let range = format!(
            "{}–{}",
            significant(edge(bin as usize)),
            significant(edge(bin as usize + 1))
        );
        let gap = points(gap.abs());
        BinName {
            bin,
            name: format!(
                "{range} · {} rows · {direction} by {}",
                count(rows as u64),
                gap.trim_start_matches('+')
            ),
        }
    };
    bin_gaps(sample).into_iter().map(name).collect()
}

fn facts(scene: &Scene, median: f64) -> Vec<Fact> {
    let n = scene.rows.len() as f64;
    let score = scene.score.iter().sum::<f64>() / n;
    let rate = scene.target.iter().map(|&t| f64::from(t)).sum::<f64>() / n;
    let local = summary(&scene.near.slce);
    let enough = scene
        .near
        .n_eff
        .iter()
        .filter(|&&n_eff| n_eff >= MIN_NEIGHBOURS)
        .count();
    let fact = |name: &str, value: String| Fact {
        name: name.to_owned(),
        value,
    };
    vec![
        fact("rows", count(scene.rows.len() as u64)),
        fact("mean score", percent(score)),
        fact("happened", percent(rate)),
        fact("gap", points(score - rate)),
        fact(
            "mean local error",
            points(local.mean_lce).trim_start_matches('+').to_owned(),
        ),
        fact(
            "largest local error",
            points(local.mlce).trim_start_matches('+').to_owned(),
        ),
        fact(
            "rows with 20 neighbours or more",
            percent(enough as f64 / n),
        ),
        fact("median distance between rows", significant(median)),
    ]
}
