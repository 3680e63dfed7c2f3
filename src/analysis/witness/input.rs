//! Rows, their scaled places, and what one part of the work computes.

use ndarray::s;
use serde::{Deserialize, Serialize};

use crate::analysis::witness::WitnessRequest;
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::feature::{features, left_out, no_independent_test};
use crate::hypothesis::WIDTH_P;
use crate::hypothesis::witness::{LocalBias, SCALED, WitnessKernel, witness};
use crate::kernel::{Engine, Part, Points, cost};
use crate::local::{Anywhere, LocalQueries, LocalSample, TOGETHER, anywhere, spread_out};
use crate::num::order::ascending;
use crate::num::rng::Lanes;
use crate::plot::extent::Extent;
use crate::report::RunOutcome;
use crate::report::mapped_rows::{feature_choice, fit_rows, with_places};
use crate::report::view::method_rows;
use crate::table::Column;
use crate::words::number::count;

/// Cells along one side of the field.
pub const GRID: usize = 64;
/// Most rows that count as neighbors.
const MOST_SOURCES: usize = 100_000;
/// Milliseconds that the bias of the rows may take.
const ROWS_MS: f64 = 12_000.0;
/// And how many rows are looked at at least.
const LEAST_ROWS: usize = 500;

/// Rows and kernel: what every part needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WitnessInput {
    /// rows of the data; where not all are looked at, those that are stand first
    pub rows: Column<u32>,
    /// scores of the method
    pub score: Column<f64>,
    /// targets
    pub target: Column<u8>,
    /// d covariates a row
    pub x: Column<f64>,
    /// names of the covariates, then of the score
    pub names: Vec<String>,
    /// the kernel
    pub kernel: WitnessKernel,
    /// rows that are looked at
    pub queried: usize,
    /// the two coordinates of the map; d stands for the score
    pub axes: [usize; 2],
    /// the score at which the field is drawn; else scores do not matter to it
    pub at: Option<f64>,
    /// a row is not its own neighbor
    pub leave_one_out: bool,
    /// how the kernel was chosen, in sentences
    pub notes: Vec<String>,
    /// why there is no test, where the outcome defines the similarity of rows
    pub no_test: Option<String>,
}

/// What a share of the work is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WitnessTarget {
    /// the bias around every row
    Rows,
    /// the bias at every place of the map
    Field,
    /// how often outcomes drawn from the scores look as bad anywhere
    Chance,
}

/// Maximum number of locations at which the bias is tested.
const CHANCE_PLACES: usize = 512;
/// Minimum number of these locations, if there are as many rows.
const LEAST_PLACES: usize = 64;
/// Draws of the outcomes.
pub const CHANCE_DRAWS: usize = 199;
/// Milliseconds that these draws may take.
const CHANCE_MS: f64 = 3_000.0;

/// Milliseconds of the draws at one place.
fn place_ms(sources: usize, d: usize) -> f64 {
    let passes = CHANCE_DRAWS as f64 / TOGETHER as f64;
    2.0 * passes * cost(Engine::Blocks, SCALED, 1, sources, d + 1, false)
}

/// Number of locations that are tested, and the milliseconds that this takes.
pub fn chance(sources: usize, d: usize) -> (usize, f64) {
    let each = place_ms(sources, d);
    let places = ((CHANCE_MS / each) as usize).clamp(LEAST_PLACES, CHANCE_PLACES);
    let places = places.min(sources);
    (places, places as f64 * each)
}

/// A share of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessWork {
    /// what is asked
    pub asked: WitnessTarget,
    /// part of `of`
    pub index: usize,
    /// how many parts there are
    pub of: usize,
}

/// How many rows are neighbors, and how many are looked at.
pub fn sizes(n: usize, d: usize, leave_one_out: bool) -> (usize, usize) {
    let sources = n.min(MOST_SOURCES);
    let all = 2.0 * cost(Engine::Blocks, SCALED, sources, sources, d + 1, false);
    let share = (ROWS_MS / all).min(1.0);
    let looked = ((sources as f64 * share) as usize).max(LEAST_ROWS.min(sources));
    if leave_one_out {
        // A row is only told from its neighbors among the rows that are looked at.
        let looked = ((sources as f64 * share.sqrt()) as usize).max(LEAST_ROWS.min(sources));
        (looked, looked)
    } else {
        (sources, looked)
    }
}

/// The rows of the method with the coordinates that were asked for.
///
/// # Errors
/// Those of the map; `invalid_option` for widths or axes that make no sense.
pub fn input(data: &Predictions, run: &RunOutcome, request: &WitnessRequest) -> Result<WitnessInput> {
    let method = method_rows(run, request.method.as_deref())?;
    let choice = feature_choice(data, run, request.features.as_ref())?;
    let all = features(data, &choice, &fit_rows(data, run, method, &choice)?)?;
    let left_out = left_out(data, &choice, None, &method.rows);
    let method = &*with_places(method, &all)?;
    let (d, n) = (all.d, method.rows.len());
    let (sources, queried) = sizes(n, d, request.leave_one_out);
    let kept: Vec<u32> = if queried == n {
        (0..n as u32).collect()
    } else {
        // In an order that has nothing to do with that of the file.
        let mut lanes = Lanes::seeded(0, 0x7769_746e);
        let keys: Vec<f64> = (0..n.div_ceil(4)).flat_map(|_| lanes.uniform()).collect();
        ascending(&keys[..n])[..sources].to_vec()
    };
    let rows: Vec<u32> = kept.iter().map(|&i| method.rows[i as usize]).collect();
    let score: Vec<f64> = kept.iter().map(|&i| method.score[i as usize]).collect();
    let x = all.select(&rows);
    let mut names: Vec<String> = (0..d).map(|k| all.name(k)).collect();
    names.push("score".to_owned());
    let identifiers: Vec<String> = all.names.iter().cloned().chain(["score".to_owned()]).collect();
    let width = (request.width_p.unwrap_or(WIDTH_P), request.gamma);
    let (kernel, note) = WitnessKernel::chosen(request.form, width, Points::row_major(d, &x)?, &score)?;
    let mut notes: Vec<String> = left_out.into_iter().chain(note).collect();
    if queried < n {
        notes.push(format!(
            "Computed for {} of {} rows, sampled at random, with {} as neighbors.",
            count(queried as u64),
            count(n as u64),
            count(sources as u64)
        ));
    }
    if let Some(at) = request.at.filter(|at| !(0.0..=1.0).contains(at)) {
        return Err(Error::new(
            "invalid_option",
            format!("The map was requested at the score {at}."),
            "Scores must lie between 0 and 1. Omit the score to use all scores.",
        ));
    }
    Ok(WitnessInput {
        axes: axes(request, &names, &identifiers)?,
        target: kept.iter().map(|&i| method.target[i as usize]).collect(),
        rows: rows.into(),
        score: score.into(),
        x: x.into(),
        names,
        kernel,
        queried,
        at: request.at,
        leave_one_out: request.leave_one_out,
        notes,
        no_test: no_independent_test(data, &choice),
    })
}

/// The coordinates of the map by what they are called or by their identifier, by position, or the first two.
fn axes(request: &WitnessRequest, names: &[String], identifiers: &[String]) -> Result<[usize; 2]> {
    let by_identifier = |name: &String| identifiers.iter().position(|known| known == name);
    let named = |name: &Option<String>| match name {
        None => Ok(None),
        Some(name) => match names.iter().position(|known| known == name).or_else(|| by_identifier(name)) {
            Some(place) => Ok(Some(place)),
            None => Err(Error::new(
                "unknown_column",
                format!("Unknown map coordinate `{name}`."),
                format!("Choose two of {}.", names.join(", ")),
            )),
        },
    };
    let last = names.len().saturating_sub(1);
    let [x, y] = request.axes.unwrap_or([0, 1]).map(|axis| axis.min(last));
    let (x, y) = (named(&request.x)?.unwrap_or(x), named(&request.y)?.unwrap_or(y));
    if x == y {
        return Err(Error::new(
            "invalid_option",
            "Both axes of the map are the same coordinate.",
            format!("Choose two of {}.", names.join(", ")),
        ));
    }
    Ok([x, y])
}

impl WitnessInput {
    /// Number of covariates.
    pub fn d(&self) -> usize {
        self.names.len().saturating_sub(1)
    }

    /// One coordinate of every row: a covariate, or the score.
    pub fn coordinate(&self, axis: usize) -> Vec<f64> {
        let d = self.d();
        if axis >= d {
            return self.score.to_vec();
        }
        self.x.iter().skip(axis).step_by(d).copied().collect()
    }

    /// Ranges of the map.
    pub fn extent(&self) -> Extent {
        let [x, y] = self.axes.map(|axis| self.coordinate(axis));
        Extent::around(&x, &y)
    }

    fn factor(&self, axis: usize) -> f64 {
        let (of_x, of_p) = self.kernel.scales();
        if axis >= self.d() { of_p } else { of_x }
    }
}

/// What a share of the work found.
pub enum Worked {
    /// the bias of some queries
    Bias(LocalBias),
    /// the draws of some outcomes
    Chance(Anywhere),
}

/// What one part finds: of the rows with the whole kernel; of the field with the part of it that is drawn, the other
/// covariates left out, the scores too unless one is fixed.
///
/// # Errors
/// As the kernel sums.
pub fn work(input: &WitnessInput, part: WitnessWork) -> Result<Worked> {
    let n = input.score.len();
    let zero = vec![0; n.max(GRID * GRID)];
    let share = |n: usize| n * part.index / part.of..n * (part.index + 1) / part.of;
    if part.asked != WitnessTarget::Field {
        let d = input.d();
        let places = input.kernel.places(Points::row_major(d, &input.x)?, &input.score)?;
        let points = Points::new(places.view())?;
        let sample = LocalSample::new(&input.score, &input.target, &zero[..n], points)?;
        if part.asked == WitnessTarget::Chance {
            let looked = spread_out(points, chance(n, d).0);
            let at = points.gather(&looked);
            let queries = LocalQueries::At { bin: &zero[..looked.len()], features: Points::row_major(d + 1, &at)? };
            let found = anywhere(&sample, &queries, SCALED, 0, share(CHANCE_DRAWS))?;
            return Ok(Worked::Chance(found));
        }
        if input.leave_one_out {
            let own = LocalQueries::Sample { leave_one_out: true };
            let part = Part { index: part.index, of: part.of };
            return witness(&sample, &own, part).map(Worked::Bias);
        }
        let asked = share(input.queried);
        let queries =
            LocalQueries::At { bin: &zero[..asked.len()], features: Points::new(places.slice(s![asked.clone(), ..]))? };
        return witness(&sample, &queries, Part::WHOLE).map(Worked::Bias);
    }
    let Extent { x0, x1, y0, y1 } = input.extent();
    let center = |low: f64, high: f64, i: usize| low + (high - low) * (i as f64 + 0.5) / GRID as f64;
    let mut drawn: Vec<usize> = input.axes.to_vec();
    let fixed = input.at.filter(|_| !drawn.contains(&input.d()));
    if fixed.is_some() {
        drawn.push(input.d());
    }
    let columns: Vec<Vec<f64>> = drawn.iter().map(|&axis| input.coordinate(axis)).collect();
    let factors: Vec<f64> = drawn.iter().map(|&axis| input.factor(axis)).collect();
    let mut places = Vec::with_capacity(n * drawn.len());
    for row in 0..n {
        places.extend(columns.iter().zip(&factors).map(|(c, f)| c[row] * f));
    }
    let mut asked = Vec::new();
    for cell in share(GRID * GRID) {
        let at = [center(x0, x1, cell % GRID), center(y0, y1, cell / GRID)];
        asked.extend(at.iter().chain(&fixed).zip(&factors).map(|(v, f)| v * f));
    }
    let points = Points::row_major(drawn.len(), &places)?;
    let sample = LocalSample::new(&input.score, &input.target, &zero[..n], points)?;
    let queries =
        LocalQueries::At { bin: &zero[..asked.len() / drawn.len()], features: Points::row_major(drawn.len(), &asked)? };
    witness(&sample, &queries, Part::WHOLE).map(Worked::Bias)
}
