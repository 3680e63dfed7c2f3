//! How wrong the worst bin of the worst group is.

use std::collections::BTreeMap;

use super::binning::BinEdges;
use crate::error::Result;
use crate::num::{Memberships, check_lengths};
use crate::table::MISSING;

/// Largest |ȳ − p̄| over the bins of all groups: the multicalibration loss; divided by max(ȳ, ρ) with `rho`: the
/// proportional one, which is never smaller.
///
/// 0 where no cell has `min_rows` rows. Errors: `empty`, `length_mismatch`. O(n) per grouping.
///
/// Source: Hébert-Johnson et al. (2018); La Cava, Lett and Wan (2023).
pub fn cell_loss(
    s: &[f64],
    t: &[u8],
    memberships: &Memberships,
    edges: &BinEdges,
    min_rows: usize,
    rho: Option<f64>,
) -> Result<f64> {
    check_lengths(s.len(), t.len())?;
    check_lengths(memberships.groups.len(), s.len() * memberships.width)?;
    let mut worst = 0.0_f64;
    for rows in memberships.rows() {
        let mut sums = vec![(0_usize, 0.0, 0.0); edges.count()];
        for i in rows {
            let (s, t) = (s[i as usize], t[i as usize]);
            let cell = &mut sums[edges.bin_of(s)];
            *cell = (cell.0 + 1, cell.1 + s, cell.2 + f64::from(t));
        }
        for (n, score, events) in sums {
            if n >= min_rows.max(1) {
                let (n, rate) = (n as f64, events / n as f64);
                let scale = rho.map_or(1.0, |rho| rate.max(rho));
                worst = worst.max((rate - score / n).abs() / scale);
            }
        }
    }
    Ok(worst)
}

/// Largest |ln max(ȳ_i, ρ) − ln max(ȳ_j, ρ)| over bins and over pairs of groups that follow one another in a bin:
/// differential calibration.
///
/// * `groups`: a code a row, [`MISSING`] for none. Errors: `empty`, `length_mismatch`. O(n).
///
/// Source: La Cava, Lett and Wan (2023); pairs as in pmcboost.
pub fn differential_calibration(
    s: &[f64],
    t: &[u8],
    groups: &[u32],
    edges: &BinEdges,
    min_rows: usize,
    rho: f64,
) -> Result<f64> {
    check_lengths(s.len(), t.len())?;
    check_lengths(groups.len(), t.len())?;
    let mut cells: BTreeMap<(usize, u32), (usize, f64)> = BTreeMap::new();
    for ((&s, &t), &group) in s.iter().zip(t).zip(groups) {
        if group != MISSING {
            let cell = cells.entry((edges.bin_of(s), group)).or_default();
            *cell = (cell.0 + 1, cell.1 + f64::from(t));
        }
    }
    let known: Vec<(usize, f64)> = cells
        .into_iter()
        .filter(|(_, (n, _))| *n >= min_rows.max(1))
        .map(|((bin, _), (n, events))| (bin, (events / n as f64).max(rho).ln()))
        .collect();
    let pairs = known.windows(2).filter_map(|pair| match pair {
        [(a, before), (b, after)] if a == b => Some((after - before).abs()),
        _ => None,
    });
    Ok(pairs.fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{F8_G, close, f8_top};
    use crate::metric::binning::BinOptions;

    /// Gaps of F8 by group and half: (A, low) .575, (A, high) .15, (B, high) −.2375.
    #[test]
    fn worked_values() {
        let (s, t) = f8_top();
        let by = Memberships { width: 1, groups: F8_G.to_vec(), count: 2 };
        let edges = BinOptions::equal_width(2).bin_edges(&s).expect("valid");
        let loss = |least, rho| cell_loss(&s, &t, &by, &edges, least, rho).ok();
        close(loss(1, None), 0.575);
        close(loss(4, None), 0.2375);
        close(loss(5, None), 0.0);
        // B, high: half of them were right.
        close(loss(4, Some(0.1)), 0.475);
        let found = differential_calibration(&s, &t, &F8_G, &edges, 1, 0.1).ok();
        close(found, 2.0_f64.ln());
        let found = differential_calibration(&s, &t, &F8_G, &edges, 3, 0.1).ok();
        close(found, 0.0);
        let error = cell_loss(&s, &t, &by, &edges, 1, None).and(cell_loss(&s[..3], &t[..3], &by, &edges, 1, None));
        assert_eq!(error.expect_err("8 memberships").code(), "length_mismatch");
    }
}
