//! The jobs of a bandwidth sweep: divide, fit and score where there are several seeds; coordinates of every map;
//! ranges of bandwidths of every curve; curves and figures.

use super::{Plan, local_settings};
use crate::data::{Division, Predictions};
use crate::error::{Error, Result};
use crate::evaluation::features::{self, FeatureChoice};
use crate::evaluation::local::bin_counts;
use crate::evaluation::method::MethodKind;
use crate::evaluation::sweep::{BANDWIDTHS, SweepPart};
use crate::job::request::{EvaluateOn, SweepRequest};
use crate::job::{Job, Node};
use crate::kernel::{Engine, Kernel, cheapest};
use crate::report::sweep::SweepInputs;
use crate::report::view::method_rows;
use crate::report::{MethodRows, RunOutcome};

/// Milliseconds that a part should take where bandwidths share little.
const PART_MS: f64 = 180.0;
/// And where they share every distance, which each part takes anew; such parts tell how far they are.
const SHARED_PART_MS: f64 = 1500.0;
/// Seeds at most: each fits every method again.
const MOST_SEEDS: usize = 100;

/// Labels redrawn for the floor that are held at once, of eight bytes.
const MOST_REDRAWN: usize = 40_000_000;

/// The jobs of a sweep, ending in curves and figures.
///
/// # Errors
/// `unknown_method`, `features_missing`, `unknown_column`; `invalid_option` for settings that contradict each other.
pub fn plan(data: &Predictions, run: &RunOutcome, request: &SweepRequest) -> Result<Vec<Node>> {
    let settings = &run.report.settings;
    let mut request = request.clone();
    let local = settings.local.clone().unwrap_or_default();
    request.kernel = request.kernel.or(local.kernel.clone());
    request.bins = request.bins.or(local.bins);
    request.gamma = request.gamma.or(settings.local.as_ref().and_then(|local| local.gamma));
    let maps = match request.features.take() {
        Some(maps) if !maps.is_empty() => maps,
        _ => local_settings(data, local, &settings.bins)?.features.into_iter().collect(),
    };
    maps.iter().try_for_each(|map| features::check(data, map))?;
    request.features = Some(maps.clone());
    let bins = request.bins.unwrap_or(settings.bins).validated()?;
    request.bins = Some(bins);
    let kernel = Kernel::asked(request.kernel.as_deref().unwrap_or("laplacian"), 1.0)?;
    let count = check(data, &request, kernel)?;
    let methods: Vec<&MethodRows> = match &request.methods {
        Some(names) => names.iter().map(|name| method_rows(run, Some(name))).collect::<Result<_>>()?,
        None => run.rows.iter().collect(),
    };
    let folds = match data.division {
        Division::Folds { folds } => folds,
        _ => 1,
    };

    let mut nodes = Plan::after(2);
    let seeds = request.seeds.unwrap_or(1);
    // By seed: the split; and for each method where its scores are.
    let mut sources: Vec<(usize, Vec<usize>)> = Vec::new();
    for seed in 0..seeds {
        let split = nodes.push(
            Job::Split { seed: settings.seed.wrapping_add(seed as u64), everything: false },
            &[0],
            data.rows as f64 * 5e-5,
            "dividing the rows",
        );
        let scored = methods
            .iter()
            .map(|rows| match seeds {
                1 => 1,
                _ => scores_again(&mut nodes, data, rows, split, folds, settings),
            })
            .collect();
        sources.push((split, scored));
    }

    let replicates: Vec<(usize, Option<usize>)> = if request.folds {
        (0..folds).map(|fold| (0, Some(fold))).collect()
    } else {
        (0..seeds).map(|seed| (seed, None)).collect()
    };
    let (mut needs, mut curves) = (Vec::new(), Vec::new());
    for map in &maps {
        let places: Vec<usize> = sources
            .iter()
            .map(|(split, _)| {
                let job = Job::Places { features: map.clone() };
                nodes.push(job, &[0, *split], data.rows as f64 * 1e-3, "features")
            })
            .collect();
        for (m, rows) in methods.iter().enumerate() {
            let share = if request.folds { folds as f64 } else { 1.0 };
            let ranges = ranges(data, map, rows, &request, kernel, count, share)?;
            for &(seed, fold) in &replicates {
                let source = sources[seed].1[m];
                for &(first, last, cost) in &ranges {
                    let part = SweepPart {
                        method: (source == 1).then(|| rows.method.name.clone()),
                        fold,
                        kernel,
                        bins,
                        gammas: request.gammas,
                        floor: request.floor,
                        seed: settings.seed,
                        first,
                        last,
                    };
                    let label = format!("local error of {} by bandwidth", rows.method.name);
                    let job = Job::SweepPart { part };
                    needs.push(nodes.push(job, &[places[seed], source], cost, &label));
                }
            }
            curves.push(SweepInputs {
                method: rows.method.name.clone(),
                features: features::name_of(map),
                replicates: replicates.len(),
                fixed: matches!(data.division, Division::Given { .. }),
                parts: ranges.len(),
            });
        }
    }
    nodes.push(Job::SweepReport { request, curves }, &needs, 1.0, "drawing");
    Ok(nodes.nodes)
}

/// Refuses what contradicts itself; answers the number of bandwidths.
fn check(data: &Predictions, request: &SweepRequest, kernel: Kernel) -> Result<usize> {
    let invalid = |message: String, hint: &str| Err(Error::new("invalid_option", message, hint));
    let count = request.gammas.count.unwrap_or(BANDWIDTHS);
    let ends = [request.gammas.low, request.gammas.high, request.gamma];
    if let Some(bad) = ends.into_iter().flatten().find(|g| !(*g > 0.0 && g.is_finite())) {
        return invalid(
            format!("A bandwidth γ is {bad}."),
            "Bandwidths are positive numbers; the usual range is 0.01 to 100.",
        );
    }
    if !(2..=200).contains(&count) {
        return invalid(format!("{count} bandwidths were asked for."), "Ask for 2 to 200; 25 is usual.");
    }
    if matches!((request.gammas.low, request.gammas.high), (Some(low), Some(high)) if low >= high) {
        return invalid(
            "The lowest bandwidth is not below the highest.".to_owned(),
            "Swap gammas.low and gammas.high.",
        );
    }
    if kernel.gamma().is_none() {
        return invalid(
            "The group and the constant kernel have no bandwidth.".to_owned(),
            "Use laplacian, gaussian or rbf.",
        );
    }
    let most = MOST_REDRAWN / data.rows.max(1);
    if request.floor > most {
        return invalid(
            format!(
                "floor is {}; with {} rows it is {most} at most: every redraw of every label is held.",
                request.floor, data.rows
            ),
            "A hundred redraws show what chance does.",
        );
    }
    let seeds = request.seeds.unwrap_or(1);
    if !(1..=MOST_SEEDS).contains(&seeds) || (request.folds && seeds > 1) {
        return invalid(
            format!("{seeds} seeds were asked for{}.", if request.folds { ", and bands over folds" } else { "" }),
            "Ask for 1 to 100 seeds, or for bands over folds.",
        );
    }
    if request.folds && !matches!(data.division, Division::Folds { folds } if folds > 1) {
        return invalid(
            "Bands over folds were asked for, and the rows are not divided into folds.".to_owned(),
            "Open the data with split: { folds: 5 }, or ask for seeds.",
        );
    }
    Ok(count)
}

/// Fits and scores a method of the run under another division; answers the number of its scores.
fn scores_again(
    nodes: &mut Plan,
    data: &Predictions,
    rows: &MethodRows,
    split: usize,
    folds: usize,
    settings: &crate::job::request::RunRequest,
) -> usize {
    let name = &rows.method.name;
    let mut needs = vec![0, split];
    if rows.method.kind != MethodKind::NONE {
        for fold in 0..folds {
            let job = Job::Fit { method: rows.method.clone(), fold };
            let cost = rows.method.kind.cost(data);
            needs.push(nodes.push(job, &[0, split], cost, &format!("fitting {name}")));
        }
    } else if settings.evaluate_on == EvaluateOn::All {
        needs[1] = nodes.push(Job::Split { seed: 0, everything: true }, &[0], 1.0, "dividing the rows");
    }
    let job = Job::Score { bins: settings.bins, metrics: Default::default(), groups: Vec::new() };
    nodes.push(job, &needs, data.rows as f64 * 3e-4, &format!("scoring {name}"))
}

/// Ranges of bandwidths with their expected milliseconds; `share`: into how many folds the rows of a curve fall.
fn ranges(
    data: &Predictions,
    map: &FeatureChoice,
    rows: &MethodRows,
    request: &SweepRequest,
    kernel: Kernel,
    count: usize,
    share: f64,
) -> Result<Vec<(usize, usize, f64)>> {
    let d = features::width_of(data, map);
    let bins = request.bins.unwrap_or_default().binning(&rows.score)?;
    // The first pass takes one right-hand side, later ones eight at about twice the time.
    let sides = 1.0 + 2.0 * (request.floor as f64 / 8.0).ceil();
    let (mut total, mut shared) = (rows.rows.len() as f64 * 2e-4, false);
    for n in bin_counts(&bins.assignment).into_values() {
        let n = (n as f64 / share).ceil() as usize;
        let (engine, cost) = cheapest(kernel, n, n, d, true);
        shared |= engine == Engine::Blocks;
        total += match engine {
            // The distances once, then about half of a pass per bandwidth.
            Engine::Blocks => cost * (0.5 + count as f64 / 2.0 * sides),
            _ => cost * count as f64 * sides,
        };
    }
    let target = if shared { SHARED_PART_MS } else { PART_MS };
    let parts = ((total / target).ceil() as usize).clamp(1, if shared { 8.min(count) } else { count });
    Ok(super::ranges(count, parts).map(|(first, last)| (first, last, total / parts as f64)).collect())
}
