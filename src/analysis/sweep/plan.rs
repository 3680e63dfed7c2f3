//! Divide, fit and score where there are several seeds; coordinates of every map; ranges of bandwidths of every curve;
//! curves and figures.

use serde::{Deserialize, Serialize};

use super::part::{BANDWIDTHS, RowPlaces, ScoredRows, SweepNumbers, SweepPart};
use super::{SweepCurveParts, SweepRequest, SweepWithoutCharts, outcome};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::folds::Split;
use crate::data::{Division, Predictions};
use crate::error::{Error, Result, Text, phrases};
use crate::evaluation::local::bin_counts;
use crate::evaluation::method::{MethodKind, title, whose_scores};
use crate::evaluation::request::{EvaluateOn, RunRequest};
use crate::evaluation::scored::Scored;
use crate::feature::{self, FeatureChoice, Within};
use crate::kernel::{Engine, Kernel, cheapest};
use crate::metric::binning::BinOptions;
use crate::plot::chart::Screen;
use crate::report::mapped_rows::leave_one_out_of;
use crate::report::view::method_rows;
use crate::report::{MethodRows, RunOutcome};
use crate::request::bounds::{BINS, FEATURES, FIGURE, Field, WIDTH, whole};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::{cost, local_settings};
use crate::run::step::{Divide, Fit, Score};

/// Milliseconds that a part should take where bandwidths share little.
const PART_MS: f64 = 180.0;
/// And where they share every distance, which each part takes anew; such parts tell how far they are.
const SHARED_PART_MS: f64 = 1500.0;
/// Seeds at most: each fits every method again.
const MOST_SEEDS: usize = 100;

/// Labels redrawn for the floor that are held at once, of eight bytes.
const MOST_REDRAWN: usize = 40_000_000;

/// Bounds of `gammas`.
const GAMMAS: &[(&str, Field)] = &[("low", WIDTH), ("high", WIDTH), ("count", whole(2, 200))];

impl Analysis for SweepRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[
        ("features", FEATURES),
        ("gammas", Field::Fields(GAMMAS)),
        ("bins", BINS),
        ("seeds", whole(1, MOST_SEEDS as u64)),
        ("floor", whole(0, 10_000)),
        ("gamma", WIDTH),
        ("width", FIGURE),
    ];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let (data, run) = (of.data, of.run);
        let settings = &run.report.settings;
        let Completed { request, maps, bins, kernel, leave_one_out } = Completed::of(self, data, run)?;
        let count = check(data, &request, kernel)?;
        let methods: Vec<&MethodRows> = match &request.methods {
            Some(names) => names.iter().map(|name| method_rows(run, Some(name))).collect::<Result<_>>()?,
            None => run.rows.iter().collect(),
        };
        // Methods beside each other are measured on the rows that all share.
        let beside = methods.len() > 1;
        let everything = settings.evaluate_on == EvaluateOn::All && !beside;
        let folds = match data.division {
            Division::Folds { folds } => folds,
            _ => 1,
        };

        let mut plan = of.plan();
        let seeds = request.seeds.unwrap_or(1);
        // By seed: the division, and for each method where its scores are.
        let mut sources: Vec<(Handle<Split>, Vec<Scores>)> = Vec::new();
        for seed in 0..seeds {
            let seed = settings.seed.wrapping_add(seed as u64);
            let step = Divide { data: DATA, seed, everything: false };
            let split = plan.push(step, data.rows as f64 * 5e-5, "splitting the rows");
            let scores = methods.iter().map(|rows| match seeds {
                1 => Scores::Run { run: REPORT, method: rows.method.name.clone(), beside },
                _ => Scores::Again(scores_again(&mut plan, data, rows, split, folds, (settings, everything))),
            });
            let scores = scores.collect();
            sources.push((split, scores));
        }

        let replicates: Vec<(usize, Option<usize>)> = if request.folds {
            (0..folds).map(|fold| (0, Some(fold))).collect()
        } else {
            (0..seeds).map(|seed| (seed, None)).collect()
        };
        let mut curves = Vec::new();
        for map in &maps {
            let mut places = Vec::with_capacity(sources.len());
            for (split, _) in &sources {
                let (features, within) = (map.clone(), request.within.clone());
                let step = PlaceRows { data: DATA, split: *split, features, within };
                places.push(plan.push(step, data.rows as f64 * 1e-3, "features"));
            }
            for (m, rows) in methods.iter().enumerate() {
                let left_out = feature::left_out(data, map, request.within.as_deref(), &rows.rows);
                let share = if request.folds { folds as f64 } else { 1.0 };
                let ranges = ranges(data, map, rows, &request, kernel, count, share)?;
                let label = format!("local error of {} by bandwidth", whose_scores(&rows.method.name));
                let mut parts = Vec::with_capacity(replicates.len());
                for &(seed, fold) in &replicates {
                    let each = ranges.iter().map(|&(first, last, cost)| {
                        let part = SweepPart {
                            fold,
                            kernel,
                            leave_one_out,
                            bins,
                            gammas: request.gammas,
                            floor: request.floor,
                            seed: settings.seed,
                            first,
                            last,
                        };
                        let step = SweepRange { places: places[seed], scores: sources[seed].1[m].clone(), part };
                        plan.push(step, cost, &label)
                    });
                    parts.push(each.collect());
                }
                curves.push(CurveHandles {
                    method: rows.method.name.clone(),
                    features: feature::name_of(map),
                    fixed: matches!(data.division, Division::Given { .. }),
                    left_out,
                    parts,
                });
            }
        }
        let found = plan.push(JoinCurves { curves, request }, 1.0, "joining the curves");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// A request with the settings of the run where it has none of its own.
struct Completed {
    request: SweepRequest,
    maps: Vec<FeatureChoice>,
    bins: BinOptions,
    kernel: Kernel,
    leave_one_out: bool,
}

impl Completed {
    fn of(asked: &SweepRequest, data: &Predictions, run: &RunOutcome) -> Result<Self> {
        let settings = &run.report.settings;
        let mut request = SweepRequest { width: None, ..asked.clone() };
        let local = settings.local.clone().unwrap_or_default();
        request.kernel = request.kernel.or(local.kernel.clone());
        request.bins = request.bins.or(local.bins);
        request.within = request.within.or(local.within.clone());
        Within::new(data, request.within.as_deref())?;
        request.gamma = request.gamma.or(local.gamma);
        let maps = match request.features.take() {
            Some(maps) if !maps.is_empty() => maps,
            _ => local_settings(data, local, &settings.bins)?.features.into_iter().collect(),
        };
        maps.iter().try_for_each(|map| feature::check(data, map))?;
        request.features = Some(maps.clone());
        let bins = request.bins.unwrap_or(settings.bins).validated()?;
        request.bins = Some(bins);
        let kernel = Kernel::parsed(request.kernel.as_deref().unwrap_or("laplacian"), 1.0)?;
        let leave_one_out = leave_one_out_of(run, request.leave_one_out);
        request.leave_one_out = Some(leave_one_out);
        Ok(Self { request, maps, bins, kernel, leave_one_out })
    }
}

/// Where the scores of a method are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Scores {
    /// in the report of the run
    Run {
        /// the report
        run: Handle<RunOutcome>,
        /// name of the method
        method: String,
        /// on the rows that all methods share
        beside: bool,
    },
    /// scored again, under another division
    Again(Handle<Scored>),
}

/// The coordinates of every row, components fitted on calibration rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlaceRows {
    data: Handle<Predictions>,
    split: Handle<Split>,
    /// the map
    features: FeatureChoice,
    /// which rows can be neighbors
    within: Option<String>,
}

impl Step for PlaceRows {
    type Output = RowPlaces;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<RowPlaces> {
        let (data, split) = (at.the(&self.data)?, at.the(&self.split)?);
        let calibration = split.all_calibration_rows();
        let fit_rows = if calibration.is_empty() { split.evaluation_rows() } else { calibration };
        let (found, cut) = feature::features_within(data, &self.features, self.within.as_deref(), &fit_rows)?;
        let codes = cut.map(|cut| cut.codes).unwrap_or_default();
        Ok(RowPlaces { d: found.d, values: found.values.into(), codes: codes.into() })
    }
}

/// Local error against some of the bandwidths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepRange {
    places: Handle<RowPlaces>,
    scores: Scores,
    /// which bins and bandwidths
    part: SweepPart,
}

impl Step for SweepRange {
    type Output = SweepNumbers;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<SweepNumbers> {
        let places = at.the(&self.places)?;
        let rows = match &self.scores {
            Scores::Run { run, method, beside } => {
                let run = at.the(run)?;
                let rows = method_rows(run, Some(method))?;
                let rows = if *beside { run.beside_others(rows) } else { rows };
                ScoredRows { rows: &rows.rows, fold: &rows.fold, score: &rows.score, target: &rows.target }
            }
            Scores::Again(scored) => {
                let rows = at.the(scored)?;
                ScoredRows { rows: &rows.rows, fold: &rows.fold, score: &rows.score, target: &rows.target }
            }
        };
        self.part.run(places, &rows, progress)
    }
}

/// One curve, and where its numbers are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveHandles {
    /// name of the method
    method: String,
    /// the map in words
    features: String,
    /// the file says which rows calibrate: every seed divides them alike
    fixed: bool,
    /// rows with a gap in a feature, in words
    left_out: Option<String>,
    /// by seed or fold, then by range of bandwidths
    parts: Vec<Vec<Handle<SweepNumbers>>>,
}

/// Curves, and what the figures show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JoinCurves {
    curves: Vec<CurveHandles>,
    /// the request, with defaults
    request: SweepRequest,
}

impl Step for JoinCurves {
    type Output = SweepWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<SweepWithoutCharts> {
        let curve = |curve: &CurveHandles| -> Result<SweepCurveParts> {
            Ok(SweepCurveParts {
                method: curve.method.clone(),
                features: curve.features.clone(),
                fixed: curve.fixed,
                left_out: curve.left_out.clone(),
                parts: curve.parts.iter().map(|parts| at.each(parts)).collect::<Result<_>>()?,
            })
        };
        outcome(&self.request, &self.curves.iter().map(curve).collect::<Result<Vec<_>>>()?).map(WithoutCharts)
    }
}

/// Refuses what contradicts itself; answers the number of bandwidths.
fn check(data: &Predictions, request: &SweepRequest, kernel: Kernel) -> Result<usize> {
    fn invalid<T>(message: impl Into<Text>, hint: impl Into<Text>) -> Result<T> {
        Err(Error::new("invalid_option", message, hint))
    }
    let count = request.gammas.count.unwrap_or(BANDWIDTHS);
    let ends = [request.gammas.low, request.gammas.high, request.gamma];
    if let Some(bad) = ends.into_iter().flatten().find(|g| !(*g > 0.0 && g.is_finite())) {
        return invalid(
            format!("A bandwidth γ is {bad}."),
            "Bandwidths must be positive; the default range is 0.01 to 100.",
        );
    }
    if !(2..=200).contains(&count) {
        return invalid(format!("{count} bandwidths were requested."), "Request 2 to 200; the default is 25.");
    }
    if matches!((request.gammas.low, request.gammas.high), (Some(low), Some(high)) if low >= high) {
        return invalid("The lowest bandwidth is not below the highest.".to_owned(), phrases::SWAP_GAMMAS);
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
                "floor is {}; with {} rows it must be at most {most}, as all simulated labels are kept in memory.",
                request.floor, data.rows
            ),
            "100 simulations suffice.",
        );
    }
    let seeds = request.seeds.unwrap_or(1);
    if !(1..=MOST_SEEDS).contains(&seeds) || (request.folds && seeds > 1) {
        return invalid(
            format!("{seeds} seeds were requested{}.", if request.folds { ", and bands over folds" } else { "" }),
            format!("Request 1 to {MOST_SEEDS} seeds, or bands over folds."),
        );
    }
    if request.folds && !matches!(data.division, Division::Folds { folds } if folds > 1) {
        return invalid(
            "Bands over folds were requested, but the rows are not split into folds.".to_owned(),
            phrases::FOLDS_OR_SEEDS,
        );
    }
    Ok(count)
}

/// Fits and scores a method of the run under another division.
fn scores_again(
    plan: &mut Plan,
    data: &Predictions,
    rows: &MethodRows,
    split: Handle<Split>,
    folds: usize,
    (settings, everything): (&RunRequest, bool),
) -> Handle<Scored> {
    let method = &rows.method;
    let (mut by, mut fits) = (split, Vec::new());
    if method.kind != MethodKind::NONE {
        for fold in 0..folds {
            let fit = Fit { data: DATA, split, near: Vec::new(), method: method.clone(), fold };
            fits.push(plan.push(fit, method.kind.cost(data), &format!("fitting {}", title(&method.name))));
        }
    } else if everything {
        by = plan.push(Divide { data: DATA, seed: 0, everything: true }, 1.0, "splitting the rows");
    }
    let score = Score {
        data: DATA,
        split: by,
        fits,
        near: Vec::new(),
        bins: settings.bins,
        metrics: Default::default(),
        groups: Vec::new(),
    };
    plan.push(score, data.rows as f64 * 3e-4, &format!("metrics of {}", whose_scores(&method.name)))
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
    let d = feature::width_of(data, map);
    let bins = request.bins.unwrap_or_default().binning(&rows.score)?.assignment;
    let cut = Within::new(data, request.within.as_deref())?;
    let bins = Within::strata(cut.as_ref(), bins, &rows.rows);
    // The first pass takes one right-hand side, later ones eight at about twice the time.
    let sides = 1.0 + 2.0 * (request.floor as f64 / 8.0).ceil();
    let (mut total, mut shared) = (rows.rows.len() as f64 * 2e-4, false);
    for n in bin_counts(&bins).into_values() {
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
    Ok(cost::ranges(count, parts).map(|(first, last)| (first, last, total / parts as f64)).collect())
}
