//! Local error of one method in one map against a range of bandwidths.

use serde::{Deserialize, Serialize};

use crate::analysis::sweep::GammaGrid;
use crate::error::{Error, Result};
use crate::feature::within::strata;
use crate::feature::{is_place, no_row_has_a_place};
use crate::kernel::{Kernel, Points};
use crate::local::{LocalSample, Sweep, SweepFloor, SweepPoint, gamma_grid, sweep};
use crate::metric::binning::BinOptions;
use crate::num::moments::mean_and_sd;
use crate::project::scale::median_distance;
use crate::table::Column;

/// Bandwidths when nobody says how many.
pub const BANDWIDTHS: usize = 25;
/// The paper's grid.
const LOW: f64 = 1e-2;
/// The paper's grid.
const HIGH: f64 = 1e2;

/// A range of bandwidths of one curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepPart {
    /// the fold that is looked at on its own
    pub fold: Option<usize>,
    /// kernel of any bandwidth
    pub kernel: Kernel,
    /// no row counts itself
    pub leave_one_out: bool,
    /// confidence bins
    pub bins: BinOptions,
    /// the whole grid
    pub gammas: GammaGrid,
    /// redraws of the labels
    pub floor: usize,
    /// seed of the redraws
    pub seed: u64,
    /// first bandwidth of the part
    pub first: usize,
    /// end of its bandwidths
    pub last: usize,
}

/// Coordinates of every row of the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowPlaces {
    pub(super) d: usize,
    /// row-major
    pub(super) values: Column<f64>,
    /// what neighbors have in common, one code a row; empty where all rows can be neighbors
    pub(super) codes: Column<u32>,
}

/// Scores and targets of scored rows.
pub struct ScoredRows<'a> {
    /// scored rows of the data
    pub rows: &'a [u32],
    /// fold of each
    pub fold: &'a [u8],
    /// s′ of each
    pub score: &'a [f64],
    /// t of each
    pub target: &'a [u8],
}

/// What one part found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepNumbers {
    /// the median of ‖Δ‖₁/d over pairs of rows
    pub median_distance: f64,
    /// the whole grid
    pub gammas: Vec<f64>,
    /// (MLCE, mean LCE) as γ → 0; no row has 20 neighbors there
    pub at_zero: [f64; 2],
    /// (MLCE, mean LCE, MLCE of rows with 20 neighbors) as γ → ∞
    pub at_infinity: [f64; 3],
    /// by bandwidth of the part: MLCE, mean LCE, MLCE of rows with 20 neighbors; then mean and standard deviation of the
    /// floor of each
    pub points: Vec<[f64; 9]>,
}

impl SweepPart {
    /// The numbers of this part; `places`: of every row of the data.
    ///
    /// # Errors
    /// `split_empty` if the fold scored no row; as [`sweep`].
    ///
    /// # Cost
    /// That of [`sweep`].
    pub fn run(&self, places: &RowPlaces, scored: &ScoredRows, progress: &mut dyn FnMut(f64)) -> Result<SweepNumbers> {
        let RowPlaces { d, values: places, codes } = places;
        let d = *d;
        // A row with a gap in a feature has no place.
        let place_of = |i: usize| {
            let from = scored.rows.get(i).map(|row| *row as usize * d)?;
            places.get(from..from + d).filter(|place| is_place(place))
        };
        let mut mine: Vec<usize> = (0..scored.rows.len())
            .filter(|&i| self.fold.is_none_or(|fold| usize::from(scored.fold[i]) == fold))
            .collect();
        if mine.is_empty() {
            return Err(Error::new(
                "split_empty",
                "A fold has no rows to evaluate.",
                "Use fewer folds, or bands over seeds.",
            ));
        }
        mine.retain(|&i| place_of(i).is_some());
        if mine.is_empty() {
            return Err(no_row_has_a_place());
        }
        let known: Vec<f64> =
            places.chunks_exact(d.max(1)).filter(|place| is_place(place)).flatten().copied().collect();
        let score: Vec<f64> = mine.iter().map(|&i| scored.score[i]).collect();
        let target: Vec<u8> = mine.iter().map(|&i| scored.target[i]).collect();
        let values: Vec<f64> = mine.iter().filter_map(|&i| place_of(i)).flatten().copied().collect();
        let rows: Vec<u32> = mine.iter().map(|&i| scored.rows[i]).collect();
        let bin = strata(codes, self.bins.binning(&score)?.assignment, &rows);
        let sample = LocalSample::new(&score, &target, &bin, Points::row_major(d, &values)?)?;
        let median_distance = median_distance(&Points::row_major(d, &known)?, 0);
        let gammas = grid(&self.gammas, median_distance);
        let range = self.first.min(gammas.len())..self.last.min(gammas.len());
        let Sweep { points, individual, global, global_supported } =
            sweep(&sample, (self.kernel, self.leave_one_out), &gammas[range], self.floor, self.seed, progress)?;
        let numbers = |point: &SweepPoint| {
            let of = |value: fn(&SweepFloor) -> f64| mean_and_sd(&point.floor.iter().map(value).collect::<Vec<f64>>());
            let ((a, b), (c, d), (e, f)) = (of(|one| one.mlce), of(|one| one.mean_lce), of(|one| one.mlce_supported));
            [point.mlce, point.mean_lce, point.mlce_supported, a, b, c, d, e, f]
        };
        Ok(SweepNumbers {
            median_distance,
            gammas,
            at_zero: individual.into(),
            at_infinity: [global.0, global.1, global_supported],
            points: points.iter().map(numbers).collect(),
        })
    }
}

/// The bandwidths: as asked; where nothing is asked the paper's 1e-2 … 1e2 if the median ‖Δ‖₁/d of the features lies
/// within it, else as wide a range around the median.
pub fn grid(asked: &GammaGrid, median_distance: f64) -> Vec<f64> {
    let center = if suits(median_distance) { 1.0 } else { median_distance };
    let low = asked.low.unwrap_or(LOW * center);
    let high = asked.high.unwrap_or(HIGH * center).max(low);
    gamma_grid(low, high, asked.count.unwrap_or(BANDWIDTHS))
}

/// Whether the paper's grid suits features of this scale; features that do not differ at all have none.
pub fn suits(median_distance: f64) -> bool {
    !(median_distance > 0.0 && median_distance.is_finite()) || (LOW..=HIGH).contains(&median_distance)
}
