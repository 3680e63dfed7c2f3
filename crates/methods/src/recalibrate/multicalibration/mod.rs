//! Multicalibration: scores that are right on average within every bin of every group, groups overlapping or not.

mod entry;

pub use entry::{ByCells, Shifts};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::metric::binning::{BinEdges, BinOptions, Closed};
use crate::num::Memberships;
use crate::num::check_lengths;
use crate::recalibrate::fit::Fit;
use crate::table::MISSING;

mod published;

pub use published::{PublishedOptions, apply_in_company, fit_published};

/// When a cell, a bin of a group, counts as wrong, and what is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CellOptions {
    /// bins of the score, made anew before every step
    pub bins: BinOptions,
    /// α: largest gap that is left
    pub alpha: f64,
    /// η: share of the gap that a step takes away
    pub eta: f64,
    /// ρ: gaps count in proportion to max(ȳ, ρ); none: as they are
    pub rho: Option<f64>,
    /// cells with fewer rows are left alone
    pub min_rows: usize,
    /// steps at most
    pub most_steps: usize,
}

impl Default for CellOptions {
    fn default() -> Self {
        Self { bins: BinOptions::equal_width(10), alpha: 0.01, eta: 1.0, rho: None, min_rows: 30, most_steps: 1000 }
    }
}

/// Shifts in the order in which they are taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Multicalibration {
    /// B + 1 edges
    pub edges: Vec<f64>,
    /// which end of a bin belongs to it
    pub closed: Closed,
    /// (group, bin, shift): the rows of the group whose score now lies in the bin are shifted
    pub steps: Vec<(u32, u32, f64)>,
    /// where rounds end, in the published form: within one, bins are those at its beginning, and cuts to [0, 1] wait
    /// for its end
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<u32>,
}

impl CellOptions {
    /// Refuses numbers that make no sense.
    ///
    /// # Errors
    /// `invalid_option`.
    pub fn check(&self) -> Result<()> {
        self.bins.validated()?;
        let rho = self.rho.unwrap_or(1.0);
        if self.alpha > 0.0 && self.eta > 0.0 && self.eta <= 1.0 && rho > 0.0 && rho <= 1.0 {
            return Ok(());
        }
        Err(Error::new(
            "invalid_option",
            format!("alpha is {}, eta is {}, rho is {rho}.", self.alpha, self.eta),
            "alpha must be above 0, such as 0.01; eta and rho must be above 0 and at most 1.",
        ))
    }
}

/// Scores are summed in units of 2⁻⁴⁰, so that a sum does not depend on the order in which rows join and leave a cell.
const UNIT: f64 = (1_u64 << 40) as f64;

/// Sums over the rows of a cell.
#[derive(Debug, Clone, Copy, Default)]
struct CellSums {
    n: i64,
    events: i64,
    scores: i64,
}

impl CellSums {
    fn take(&mut self, sign: i64, t: u8, p: f64) {
        self.n += sign;
        self.events += sign * i64::from(t);
        self.scores += sign * (p * UNIT) as i64;
    }

    /// ȳ − p̄, and max(ȳ, ρ) or 1.
    fn gap(&self, rho: Option<f64>) -> (f64, f64) {
        let (n, rate) = (self.n as f64, self.events as f64 / self.n as f64);
        (rate - self.scores as f64 / UNIT / n, rho.map_or(1.0, |rho| rate.max(rho)))
    }
}

/// Takes the worst cell, shifts its rows by η(ȳ − p̄), cuts to [0, 1], and again, until no cell with `min_rows` rows has
/// a gap |ȳ − p̄| (in proportion to max(ȳ, ρ) with `rho`) above α.
///
/// Objectives are the largest such gap before and after. Bins of equal mass are fixed by the first scores.
///
/// * `s`, `t`: scores and targets
///
/// # Errors
/// `empty`, `length_mismatch`, `invalid_option`.
///
/// # Cost
/// O(n) a step, some ten to a thousand steps.
///
/// # Source
/// Hébert-Johnson et al. (2018); with `rho` La Cava, Lett and Wan (2023).
///
/// # Examples
/// One group of 40 rows, of which 30 happen where the scores say one half: one shift makes it 3/4.
///
/// ```
/// use localcal_methods::num::Memberships;
/// use localcal_methods::recalibrate::multicalibration::{CellOptions, fit};
///
/// let of_rows = |n: usize| Memberships { width: 1, groups: vec![0; n], count: 1 };
/// let t = [[1; 30].as_slice(), [0; 10].as_slice()].concat();
/// let shifts = fit(&[0.5; 40], &t, &of_rows(40), &CellOptions::default())?.parameters;
/// assert!((shifts.apply(&[0.5], &of_rows(1))[0] - 0.75).abs() < 1e-12);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(s: &[f64], t: &[u8], memberships: &Memberships, options: &CellOptions) -> Result<Fit<Multicalibration>> {
    check_lengths(s.len(), t.len())?;
    memberships.check(s.len())?;
    options.check()?;
    let edges = options.bins.bin_edges(s)?;
    let (bins, rows) = (edges.count(), memberships.rows());
    let mut p = s.to_vec();
    let mut bin: Vec<usize> = p.iter().map(|&p| edges.bin_of(p)).collect();
    let mut cells = vec![CellSums::default(); memberships.count * bins];
    for (group, rows) in rows.iter().enumerate() {
        for &i in rows {
            let i = i as usize;
            cells[group * bins + bin[i]].take(1, t[i], p[i]);
        }
    }
    let least = options.min_rows.max(1) as i64;
    let worst = |cells: &[CellSums]| {
        let mut worst: Option<(usize, f64, f64)> = None;
        for (place, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.n >= least) {
            let (gap, scale) = cell.gap(options.rho);
            if worst.is_none_or(|(_, _, size)| gap.abs() / scale > size) {
                worst = Some((place, gap, gap.abs() / scale));
            }
        }
        worst
    };
    let before = worst(&cells).map_or(0.0, |(_, _, size)| size);
    let mut steps = Vec::new();
    let mut after;
    loop {
        // No cell with enough rows is left: nothing to be wrong about.
        let Some((place, gap, size)) = worst(&cells) else {
            after = 0.0;
            break;
        };
        after = size;
        if size <= options.alpha || steps.len() == options.most_steps {
            break;
        }
        let (group, wanted) = (place / bins, place % bins);
        let shift = options.eta * gap;
        steps.push((group as u32, wanted as u32, shift));
        for &i in &rows[group] {
            let i = i as usize;
            if bin[i] != wanted {
                continue;
            }
            let moved = (p[i] + shift).clamp(0.0, 1.0);
            let next = edges.bin_of(moved);
            for &own in &memberships.groups[i * memberships.width..(i + 1) * memberships.width] {
                if own != MISSING {
                    let from = own as usize * bins;
                    cells[from + bin[i]].take(-1, t[i], p[i]);
                    cells[from + next].take(1, t[i], moved);
                }
            }
            (p[i], bin[i]) = (moved, next);
        }
    }
    let small = cells.iter().filter(|cell| cell.n > 0 && cell.n < least);
    let small = small.count();
    let mut found = Fit::plain(
        Multicalibration { edges: edges.edges, closed: edges.closed, steps, rounds: Vec::new() },
        before,
        after,
    );
    if after > options.alpha {
        found.warnings.push(format!(
            "stopped after {} steps with a remaining error of {:.3}; requested {}",
            options.most_steps, after, options.alpha
        ));
    }
    if small > 0 {
        found.warnings.push(format!("bins of groups with fewer than {least} calibration rows are unchanged: {small}"));
    }
    Ok(found)
}

impl Multicalibration {
    fn bins(&self) -> BinEdges {
        BinEdges { edges: self.edges.clone(), closed: self.closed, equal_width: false }
    }

    /// Repeats the steps on new rows, whose bins are looked up before each (of the published form before each round): recalibrated
    /// probabilities, length n.
    ///
    /// * `s`: scores in [0, 1], length n
    /// * `memberships`: the groups of every row
    ///
    /// # Cost
    /// O(n + steps · rows of the group); of the published form O(rounds · n log bins) beside the steps.
    pub fn apply(&self, s: &[f64], memberships: &Memberships) -> Vec<f64> {
        if !self.rounds.is_empty() {
            return published::apply(self, s, memberships);
        }
        let (edges, rows) = (self.bins(), memberships.rows());
        let mut p = s.to_vec();
        let mut bin: Vec<u32> = p.iter().map(|&p| edges.bin_of(p) as u32).collect();
        for &(group, wanted, shift) in &self.steps {
            for &i in rows.get(group as usize).into_iter().flatten() {
                let (Some(p), Some(bin)) = (p.get_mut(i as usize), bin.get_mut(i as usize)) else {
                    continue;
                };
                if *bin == wanted {
                    *p = (*p + shift).clamp(0.0, 1.0);
                    *bin = edges.bin_of(*p) as u32;
                }
            }
        }
        p
    }
}

#[cfg(test)]
mod tests;
