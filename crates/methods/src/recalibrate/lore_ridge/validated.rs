//! Base, bandwidth and ridge chosen on inner folds of the calibration rows.

use serde::{Deserialize, Serialize};

use super::{Base, base_log_odds, pull, shift};
use crate::error::Result;
use crate::feature::FeatureChoice;
use crate::kernel::{Kernel, KernelSums, Part, Points, Queries, sums_at};
use crate::num::check_lengths;
use crate::recalibrate::in_common::rows_by_code;
use crate::recalibrate::inner::{FOLDS, InnerValidation, loss_of_log_odds};
use crate::recalibrate::platt::Platt;

/// Bandwidths that are tried, the smoothest first, in standard deviations.
pub const GAMMAS: [f64; 5] = [1.6, 0.8, 0.4, 0.2, 0.1];
/// Ridges that are tried beside none of the correction at all (κ = ∞), the smoothest first.
const KAPPAS: [f64; 4] = [30.0, 10.0, 3.0, 1.0];

/// What is tried: every combination.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// simplest first
    pub bases: Vec<Base>,
    /// widest first
    pub gammas: Vec<f64>,
    /// largest first
    pub kappas: Vec<f64>,
    /// whether the base alone, κ = ∞, is tried too
    pub base_alone: bool,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            bases: vec![Base::None, Base::Platt],
            gammas: GAMMAS.to_vec(),
            kappas: KAPPAS.to_vec(),
            base_alone: true,
        }
    }
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// what is corrected
    pub baseline: Base,
    /// γ in standard deviations; none: the base alone
    pub gamma: Option<f64>,
    /// κ; none: ∞, the base alone
    pub kappa: Option<f64>,
    /// coordinates, where there is a choice of them
    pub features: Option<FeatureChoice>,
}

/// Coordinates that may be chosen.
#[derive(Debug, Clone)]
pub struct Space {
    /// how they are asked for, where there is a choice
    pub features: Option<FeatureChoice>,
    /// number of coordinates
    pub d: usize,
    /// standardized places, row-major
    pub at: Vec<f64>,
    /// what neighbors have in common, a code each; empty where all can be neighbors
    pub codes: Vec<u32>,
}

/// A setting by its places among bases and spaces.
struct GridPoint {
    base: usize,
    space: usize,
    gamma: f64,
    /// ∞: the base alone
    kappa: f64,
}

impl Grid {
    /// Every combination, the smoothest first: by κ, then γ; then the simpler base, then the order of the spaces.
    fn cells(&self, spaces: usize) -> Vec<GridPoint> {
        let mut cells = Vec::new();
        if self.base_alone {
            let alone = |base| GridPoint { base, space: 0, gamma: f64::INFINITY, kappa: f64::INFINITY };
            cells.extend((0..self.bases.len()).map(alone));
        }
        for &kappa in &self.kappas {
            for &gamma in &self.gammas {
                for base in 0..self.bases.len() {
                    cells.extend((0..spaces).map(|space| GridPoint { base, space, gamma, kappa }));
                }
            }
        }
        cells
    }

    fn setting(&self, cell: &GridPoint, spaces: &[Space]) -> Option<Setting> {
        let finite = |x: f64| x.is_finite().then_some(x);
        let (gamma, kappa) = (finite(cell.gamma), finite(cell.kappa));
        let features = spaces.get(cell.space).filter(|_| gamma.is_some()).and_then(|space| space.features.clone());
        Some(Setting { baseline: *self.bases.get(cell.base)?, gamma, kappa, features })
    }
}

/// Every setting of a grid on inner folds: each row scored by the base and the sums of the other folds, and the smoothest
/// setting whose NLL is the smallest up to one paired standard error. None where there is nothing to choose from.
///
/// All folds and bases are right-hand sides of one kernel sum over all rows: of a row only the columns of its own fold are
/// read, in which the rows of that fold weigh nothing.
///
/// * `fold`: inner fold of each row, below [`FOLDS`]; `spaces`: standardized on these rows
/// * `progress`: hears the share done
///
/// # Errors
/// `length_mismatch`; `empty` where a fold holds every row.
///
/// # Cost
/// γ × spaces kernel sums with 20 right-hand sides.
pub fn cross_validated(
    s: &[f64],
    t: &[u8],
    spaces: &[Space],
    fold: &[u8],
    grid: &Grid,
    progress: &mut dyn FnMut(f64),
) -> Result<Option<InnerValidation<Setting>>> {
    check_lengths(s.len(), t.len())?;
    check_lengths(s.len(), fold.len())?;
    let n = s.len();
    let width = 2 * FOLDS * grid.bases.len();
    let mut sides = vec![0.0; n * width];
    let mut log_odds = vec![vec![f64::NAN; n]; grid.bases.len()];
    for (place, base) in grid.bases.iter().enumerate() {
        for held in 0..FOLDS {
            let curve = without(*base, s, t, fold, held)?;
            let column = 2 * (place * FOLDS + held);
            for (i, row) in sides.chunks_exact_mut(width).enumerate() {
                if usize::from(fold[i]) == held {
                    log_odds[place][i] = base_log_odds(&curve, s[i]);
                } else {
                    let pull = pull(&curve, s[i], t[i]);
                    row[column] = pull.residual;
                    row[column + 1] = pull.information;
                }
            }
        }
    }
    let cells = grid.cells(spaces.len());
    let mut losses = vec![Vec::new(); cells.len()];
    for (cell, losses) in cells.iter().zip(&mut losses).filter(|(cell, _)| cell.kappa.is_infinite()) {
        *losses = log_odds[cell.base].iter().zip(t).map(|(z, t)| loss_of_log_odds(*z, *t)).collect();
    }
    let passes = (spaces.len() * grid.gammas.len()) as f64;
    for (place, space) in spaces.iter().enumerate() {
        let at = Points::row_major(space.d, &space.at)?;
        check_lengths(n, at.n())?;
        // Beyond three coordinates distances cost most, and all bandwidths share them; below, sums of one bandwidth at a
        // time take less room.
        let together = if space.d > 3 { grid.gammas.len().max(1) } else { 1 };
        for (turn, gammas) in grid.gammas.chunks(together).enumerate() {
            let kernels: Vec<Kernel> = gammas.iter().map(|&gamma| Kernel::Laplacian { gamma }).collect();
            let sums = sums_within(space, at, &sides, width, &kernels)?;
            for (sums, &gamma) in sums.iter().zip(gammas) {
                let of_this = |cell: &GridPoint| cell.kappa.is_finite() && cell.space == place && cell.gamma == gamma;
                for (cell, losses) in cells.iter().zip(&mut losses).filter(|(cell, _)| of_this(cell)) {
                    let loss = |i: usize| {
                        let column = i * width + 2 * (cell.base * FOLDS + usize::from(fold[i]));
                        let mass = sums.mass[i];
                        let moved = shift(sums.mean[column] * mass, sums.mean[column + 1] * mass, cell.kappa);
                        loss_of_log_odds(log_odds[cell.base][i] + moved, t[i])
                    };
                    *losses = (0..n).map(loss).collect();
                }
            }
            progress(((place * grid.gammas.len() + (turn + 1) * together) as f64 / passes).min(1.0));
        }
    }
    let settings = cells.iter().filter_map(|cell| grid.setting(cell, spaces)).collect();
    Ok(InnerValidation::smoothest(settings, &losses))
}

/// Kernel sums at every row over those that can be its neighbors, one a bandwidth.
fn sums_within(space: &Space, at: Points, sides: &[f64], width: usize, kernels: &[Kernel]) -> Result<Vec<KernelSums>> {
    let own = Queries::Sources { leave_one_out: false };
    if space.codes.is_empty() {
        return sums_at(own, at, sides, width, kernels, false, Part::WHOLE);
    }
    let mut all = vec![KernelSums::unanswered(at.n(), width, false); kernels.len()];
    for rows in rows_by_code(&space.codes, at.n()).values() {
        let places = at.gather(rows);
        let each = rows.iter().flat_map(|&row| &sides[row as usize * width..(row as usize + 1) * width]);
        let sides: Vec<f64> = each.copied().collect();
        let here = Points::row_major(space.d, &places)?;
        let found = sums_at(own, here, &sides, width, kernels, false, Part::WHOLE)?;
        all.iter_mut().zip(&found).for_each(|(all, found)| all.scatter(rows, found));
    }
    Ok(all)
}

/// The base on the rows that an inner fold does not hold.
fn without(base: Base, s: &[f64], t: &[u8], fold: &[u8], held: usize) -> Result<Platt> {
    let others = || (0..s.len()).filter(|&i| usize::from(fold[i]) != held);
    let (s, t): (Vec<f64>, Vec<u8>) = others().map(|i| (s[i], t[i])).unzip();
    base.fit(&s, &t)
}
