//! Multicalibration in the order of the software behind the published comparison: round after round over all cells.

use serde::{Deserialize, Serialize};

use super::Multicalibration;
use crate::error::{Error, Result};
use crate::metric::binning::{BinEdges, BinOptions, Closed};
use crate::num::Memberships;
use crate::num::check_lengths;
use crate::recalibrate::fit::Fit;

/// Settings of the published form.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PublishedOptions {
    /// α: gaps up to here are left
    pub alpha: f64,
    /// η: share of the gap that a step takes away
    pub eta: f64,
    /// ρ: α counts in proportion to max(ȳ, ρ); none: as it is
    pub rho: Option<f64>,
    /// γ: groups hold more than this share of the rows, their bins more than γα / 11 of them
    pub gamma: f64,
    /// cells that are looked at, rounds together
    pub visits: usize,
}

impl Default for PublishedOptions {
    fn default() -> Self {
        Self { alpha: 0.01, eta: 1.0, rho: Some(0.1), gamma: 0.01, visits: 100 }
    }
}

impl PublishedOptions {
    /// Shares of the rows that a group and one of its bins must exceed.
    fn shares(&self) -> (f64, f64) {
        let of_cell = self.gamma * self.alpha / (TENTHS + 1) as f64;
        (self.gamma, of_cell)
    }
}

/// Tenths, closed on the right, 0 in the first.
const TENTHS: usize = 10;

/// Cells with more rows than the shares say, in the order of their groups: (group, bin, rows).
fn cells(p: &[f64], rows: &[Vec<u32>], edges: &BinEdges, (of_group, of_cell): (f64, f64)) -> Vec<(u32, u32, Vec<u32>)> {
    let n = p.len() as f64;
    let mut found = Vec::new();
    for (group, rows) in rows.iter().enumerate() {
        if rows.len() as f64 / n <= of_group {
            continue;
        }
        let mut by_bin = vec![Vec::new(); edges.count()];
        for &i in rows {
            by_bin[edges.bin_of(p[i as usize])].push(i);
        }
        for (bin, rows) in by_bin.into_iter().enumerate() {
            if rows.len() as f64 > of_cell * n {
                found.push((group as u32, bin as u32, rows));
            }
        }
    }
    found
}

/// Rounds over all cells, groups and bins rising; a cell whose gap exceeds α (α max(ȳ, ρ) with `rho`) is shifted at once,
/// so that later cells of the round see it; bins are made, and scores cut to [0, 1], between rounds. Ends after a round
/// without a shift, or after `visits` cells.
///
/// # Errors
/// `empty`, `length_mismatch`; `invalid_option` if nothing may be looked at.
///
/// # Source
/// La Cava, Lett and Wan (2023), "Fair admission risk prediction with proportional multicalibration", as implemented in
/// pmcboost.
pub fn fit_published(
    s: &[f64],
    t: &[u8],
    memberships: &Memberships,
    options: &PublishedOptions,
) -> Result<Fit<Multicalibration>> {
    check_lengths(s.len(), t.len())?;
    memberships.check(s.len())?;
    let rho = options.rho.unwrap_or(1.0);
    if !(options.alpha > 0.0 && options.gamma >= 0.0 && rho > 0.0) || options.visits == 0 {
        return Err(Error::new(
            "invalid_option",
            format!(
                "alpha is {}, gamma is {}, rho is {rho}, with at most {} cells.",
                options.alpha, options.gamma, options.visits
            ),
            "The published comparison uses alpha 0.01, gamma 0.01, rho 0.1 and 100 cells.",
        ));
    }
    let bins = BinOptions { closed: Closed::Right, ..BinOptions::equal_width(TENTHS) };
    let edges = bins.bin_edges(s)?;
    let shares = options.shares();
    let rows = memberships.rows();
    let mut p = s.to_vec();
    let (mut steps, mut rounds, mut visited) = (Vec::new(), Vec::new(), 0);
    let gap = |p: &[f64], rows: &[u32]| {
        let n = rows.len() as f64;
        let score: f64 = rows.iter().map(|&i| p[i as usize]).sum::<f64>() / n;
        let rate: f64 = rows.iter().map(|&i| f64::from(t[i as usize])).sum::<f64>() / n;
        (rate - score, options.rho.map_or(1.0, |rho| rate.max(rho)))
    };
    let largest = |p: &[f64]| {
        let all = cells(p, &rows, &edges, shares).into_iter();
        all.map(|(_, _, rows)| {
            let (gap, scale) = gap(p, &rows);
            gap.abs() / scale
        })
        .fold(0.0, f64::max)
    };
    let before = largest(&p);
    // Every round looks at a cell, or is the last.
    while visited < options.visits {
        let from = steps.len();
        for (group, bin, rows) in cells(&p, &rows, &edges, shares) {
            let (gap, scale) = gap(&p, &rows);
            if gap.abs() > options.alpha * scale {
                let shift = options.eta * gap;
                rows.iter().for_each(|&i| p[i as usize] += shift);
                steps.push((group, bin, shift));
            }
            visited += 1;
            if visited == options.visits {
                break;
            }
        }
        p.iter_mut().for_each(|p| *p = p.clamp(0.0, 1.0));
        if steps.len() == from {
            break;
        }
        rounds.push(steps.len() as u32);
    }
    let mut found = Fit::plain(
        Multicalibration { edges: edges.edges.clone(), closed: edges.closed, steps, rounds },
        before,
        largest(&p),
    );
    if found.objective_after > options.alpha {
        found.warnings.push(format!(
            "stopped after {visited} cells with a remaining error of {:.3}; requested {}",
            found.objective_after, options.alpha
        ));
    }
    Ok(found)
}

/// The rounds again on new rows, each alone: a row takes the shifts of its groups and of the bin in which it stands at the
/// beginning of a round, however many others stand there.
///
/// On the rows of the fit this is what the published software does; for others see [`apply_in_company`].
pub(super) fn apply(fit: &Multicalibration, s: &[f64], memberships: &Memberships) -> Vec<f64> {
    let (edges, rows) = (fit.bins(), memberships.rows());
    let mut p = s.to_vec();
    let mut from = 0;
    for &end in &fit.rounds {
        let bins = edges.assignment(&p);
        for (group, bin, shift) in fit.steps.get(from..end as usize).unwrap_or(&[]) {
            for &i in rows.get(*group as usize).into_iter().flatten() {
                let i = i as usize;
                if let (Some(p), Some(own)) = (p.get_mut(i), bins.get(i))
                    && own == bin
                {
                    *p += shift;
                }
            }
        }
        p.iter_mut().for_each(|p| *p = p.clamp(0.0, 1.0));
        from = end as usize;
    }
    p
}

/// The rounds again on new rows as the published software takes them: a cell must hold its share of the new rows too, and
/// those that are too small among them are passed over.
///
/// A row's score then depends on its company, so no method of a run applies a fit this way; the published comparison did.
pub fn apply_in_company(
    fit: &Multicalibration,
    options: &PublishedOptions,
    s: &[f64],
    memberships: &Memberships,
) -> Vec<f64> {
    let (edges, rows) = (fit.bins(), memberships.rows());
    let mut p = s.to_vec();
    let mut from = 0;
    for &end in &fit.rounds {
        let here = cells(&p, &rows, &edges, options.shares());
        for (group, bin, shift) in fit.steps.get(from..end as usize).unwrap_or(&[]) {
            let place = here.binary_search_by_key(&(*group, *bin), |(g, b, _)| (*g, *b));
            if let Some((_, _, rows)) = place.ok().and_then(|place| here.get(place)) {
                rows.iter().for_each(|&i| p[i as usize] += shift);
            }
        }
        p.iter_mut().for_each(|p| *p = p.clamp(0.0, 1.0));
        from = end as usize;
    }
    p
}
