//! Bin mean shift: scores move by a share of the gap that rows of like score and like proximity showed.

mod entry;

pub use entry::{CellShift, ShiftOfCells};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::metric::piece::piece_cells;
use crate::num::check_lengths;
use crate::num::ties::at_or_above;
use crate::proximity::Form;
use crate::recalibrate::fit::Fit;

/// Settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BinMeanShiftOptions {
    /// λ, the share of the gap that is taken away, 0 to 1
    pub lambda: f64,
    /// M, score bins of equal mass
    pub bins: usize,
    /// H, proximity bins of equal mass inside each
    pub proximity_bins: usize,
    /// cells with fewer calibration rows do not move
    pub min_cell: usize,
}

impl Default for BinMeanShiftOptions {
    fn default() -> Self {
        Self { lambda: 0.5, bins: 10, proximity_bins: 5, min_cell: 1 }
    }
}

/// Gaps by cell, and where the cells end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BinMeanShift {
    /// λ
    pub lambda: f64,
    /// M − 1 inner edges of the score
    pub score_edges: Vec<f64>,
    /// for each score bin the H − 1 inner edges of ln D
    pub log_proximity_edges: Vec<Vec<f64>>,
    /// for each score bin, observed share of events − mean score in each of its cells; 0 where nothing is known
    pub gaps: Vec<Vec<f64>>,
    /// calibration rows in each cell
    pub counts: Vec<Vec<usize>>,
}

/// The gaps of cells of score and proximity; cells as those of PIECE.
///
/// c′ = clip(c + λ (mean target − mean score of the cell), 0, 1). The objective is the mean squared error on the
/// calibration rows, tied ones in one cell; without clipping it falls by λ (2 − λ) Σ (n_cell/n) gap². New rows
/// fall into cells by edges half-way between the outermost rows of neighboring cells, closed on the left; so do those of
/// the fit.
///
/// # Errors
/// `empty`, `length_mismatch`, `invalid_option`.
///
/// # Cost
/// Two sorts.
///
/// # Source
/// Xiong et al. (2023), section 4.2; the numbers of bins are not given there.
///
/// # Examples
/// One cell, three of four where the scores say one half: half of the gap of 1/4 is taken away.
///
/// ```
/// use localcal_methods::recalibrate::bin_mean_shift::{BinMeanShiftOptions, fit};
///
/// let one_cell = BinMeanShiftOptions { bins: 1, proximity_bins: 1, ..BinMeanShiftOptions::default() };
/// let shift = fit(&[0.5; 4], &[1, 1, 1, 0], &[-4.0, -3.0, -2.0, -1.0], &one_cell)?.parameters;
/// assert_eq!(shift.apply(&[0.5], &[-2.5])?, [0.625]);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(s: &[f64], t: &[u8], ln_d: &[f64], options: &BinMeanShiftOptions) -> Result<Fit<BinMeanShift>> {
    check_lengths(s.len(), t.len())?;
    if !(0.0..=1.0).contains(&options.lambda) {
        return Err(Error::new(
            "invalid_option",
            format!("lambda is {}.", options.lambda),
            "It is the proportion of the error that is removed, from 0 to 1.",
        ));
    }
    let (m, h) = (options.bins, options.proximity_bins);
    let cells = piece_cells(s, ln_d, Form::Paper, (m, h))?;
    let mut sums = vec![(0usize, 0.0, 0.0); m * h];
    for ((&cell, &s), &t) in cells.iter().zip(s).zip(t) {
        let sum = &mut sums[cell as usize];
        *sum = (sum.0 + 1, sum.1 + s, sum.2 + f64::from(t));
    }
    let gap = |(n, s, t): &(usize, f64, f64)| {
        if *n == 0 || *n < options.min_cell { 0.0 } else { (t - s) / *n as f64 }
    };
    let gaps: Vec<f64> = sums.iter().map(gap).collect();
    let h32 = h as u32;
    let mut edges = Vec::with_capacity(m);
    for bin in 0..m as u32 {
        let rows = ln_d.iter().zip(&cells);
        let rows = rows.filter(|(_, cell)| **cell / h32 == bin);
        edges.push(inner_edges(rows.map(|(d, cell)| (*d, cell % h32)), h));
    }
    let moved = cells.iter().zip(s).map(|(&cell, &s)| shifted(s, options.lambda, gaps[cell as usize]));
    let error = |(s, &t): (f64, &u8)| (s - f64::from(t)).powi(2);
    let n = s.len() as f64;
    let after = moved.zip(t).map(error).sum::<f64>() / n;
    let before = s.iter().copied().zip(t).map(error).sum::<f64>() / n;
    let counts: Vec<usize> = sums.iter().map(|sum| sum.0).collect();
    Ok(Fit::plain(
        BinMeanShift {
            lambda: options.lambda,
            score_edges: inner_edges(s.iter().zip(&cells).map(|(s, cell)| (*s, cell / h32)), m),
            log_proximity_edges: edges,
            gaps: gaps.chunks(h).map(<[f64]>::to_vec).collect(),
            counts: counts.chunks(h).map(<[usize]>::to_vec).collect(),
        },
        before,
        after,
    ))
}

fn shifted(s: f64, lambda: f64, gap: f64) -> f64 {
    (s + lambda * gap).clamp(0.0, 1.0)
}

/// Inner edges of parts that follow each other along a value: half-way between the highest value of the parts below and
/// the lowest of those from there on. Where one side has no rows the edge lies beyond every value.
fn inner_edges(rows: impl Iterator<Item = (f64, u32)>, parts: usize) -> Vec<f64> {
    let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); parts];
    for (value, part) in rows {
        if let Some((low, high)) = ends.get_mut(part as usize) {
            (*low, *high) = (low.min(value), high.max(value));
        }
    }
    let (mut below, mut edges) = (f64::NEG_INFINITY, Vec::with_capacity(parts));
    for part in 1..parts {
        below = below.max(ends[part - 1].1);
        // The first part from here on that has rows.
        let above = ends[part..].iter().find(|end| end.0 <= end.1);
        edges.push(match above {
            Some(_) if below == f64::NEG_INFINITY => f64::MIN,
            Some(above) => 0.5 * (below + above.0),
            None => f64::MAX,
        });
    }
    edges
}

impl BinMeanShift {
    /// The score less λ times the gap of its cell of score and proximity, for new rows: recalibrated scores, length n.
    ///
    /// * `s`: scores in [0, 1], length n
    /// * `ln_d`: logarithm of the proximity of every row, length n
    ///
    /// # Errors
    /// `length_mismatch`.
    ///
    /// # Cost
    /// O(n log bins).
    pub fn apply(&self, s: &[f64], ln_d: &[f64]) -> Result<Vec<f64>> {
        if s.len() != ln_d.len() {
            return Err(Error::new(
                "length_mismatch",
                format!("{} scores against {} proximities", s.len(), ln_d.len()),
                "Provide one proximity for every score.",
            ));
        }
        let cell = |s: f64, ln_d: f64| {
            let bin = self.score_edges.partition_point(|edge| at_or_above(s, *edge));
            let edges = self.log_proximity_edges.get(bin)?;
            let place = edges.partition_point(|edge| at_or_above(ln_d, *edge));
            self.gaps.get(bin)?.get(place).copied()
        };
        let rows = s.iter().zip(ln_d);
        Ok(rows.map(|(&s, &ln_d)| shifted(s, self.lambda, cell(s, ln_d).unwrap_or(0.0))).collect())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fixtures::{apart, close, dr10, near};
    use proptest::prelude::*;

    fn options(lambda: f64) -> BinMeanShiftOptions {
        BinMeanShiftOptions { lambda, bins: 2, proximity_bins: 2, min_cell: 1 }
    }

    #[test]
    fn worked_values() {
        let (c, d, t) = dr10();
        // The worked values cut the tie at .80 as it stands.
        let c = apart(&c);
        let cells = piece_cells(&c, &d, Form::Paper, (2, 2)).unwrap();
        let half = [0.9875, 0.9375, 0.591_666_67, 0.925, 0.6, 0.825, 0.641_666_67, 0.45, 0.4, 0.541_666_67];
        let whole = [1.025, 0.975, 0.333_333_33, 1.05, 0.45, 0.95, 0.383_333_33, 0.3, 0.25, 0.283_333_33];
        let found = fit(&c, &t, &d, &options(1.0)).unwrap();
        for (i, &cell) in cells.iter().enumerate() {
            let gap = found.parameters.gaps[cell as usize / 2][cell as usize % 2];
            near(Some(c[i] + gap), whole[i], 6e-9);
            near(Some(c[i] + 0.5 * gap), half[i], 6e-9);
        }
        let found = fit(&c, &t, &d, &options(0.5)).unwrap();
        close(Some(found.objective_before), 0.234);
        near(Some(found.objective_after), 0.143_468_75, 6e-9);
        // What rows of the fit are given by edges is what their ranks give.
        let by_edges = found.parameters.apply(&c, &d).unwrap();
        for i in 0..10 {
            near(Some(by_edges[i]), half[i], 6e-9);
        }
        // λ = 1 before clipping: the fall is the sum of n_cell/n gap².
        let fall: f64 = cells
            .iter()
            .map(|&cell| {
                fit(&c, &t, &d, &options(1.0)).unwrap().parameters.gaps[cell as usize / 2][cell as usize % 2].powi(2)
            })
            .sum::<f64>()
            / 10.0;
        near(Some(fall), 0.120_708_33, 6e-9);
        near(Some(0.234 - fall), 0.113_291_67, 6e-9);
    }

    #[test]
    fn tied_rows_share_a_cell_and_new_ones_find_it() {
        // .82 twice as written and once as 1 − .18, two of one proximity: ranks would cut both ties.
        let s = [0.82, 0.3, 1.0 - 0.18, 0.4, 0.82, 0.9];
        let ln_d = [-1.0, -2.0, -1.0, -3.0, -0.5, -4.0];
        let t = [1, 0, 0, 0, 1, 1];
        let found = fit(&s, &t, &ln_d, &options(1.0)).unwrap();
        let given = found.parameters.apply(&s, &ln_d).unwrap();
        assert_eq!(found.parameters.counts, [[1, 1], [3, 1]]);
        let turn = |k: usize| (k * 5 + 3) % 6;
        let pick = |v: &[f64]| (0..6).map(|k| v[turn(k)]).collect::<Vec<_>>();
        let turned: Vec<u8> = (0..6).map(|k| t[turn(k)]).collect();
        let other = fit(&pick(&s), &turned, &pick(&ln_d), &options(1.0)).unwrap();
        assert_eq!(other.parameters.score_edges, found.parameters.score_edges);
        assert_eq!(other.parameters.counts, found.parameters.counts);
        let again = other.parameters.apply(&s, &ln_d).unwrap();
        assert!(given.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-15));
        // The objective is that of what the rows of the fit are given.
        let rows = given.iter().zip(&t);
        let error: f64 = rows.map(|(s, &t)| (s - f64::from(t)).powi(2)).sum::<f64>() / 6.0;
        assert!((error - found.objective_after).abs() < 1e-15);
    }

    #[test]
    fn what_cannot_be_fitted() {
        let (c, d, t) = dr10();
        let c = apart(&c);
        let told = |options: BinMeanShiftOptions| fit(&c, &t, &d, &options).unwrap_err().to_string();
        assert_eq!(told(options(1.5)), "lambda is 1.5.");
        assert_eq!(told(options(f64::NAN)), "lambda is NaN.");
        assert!(told(BinMeanShiftOptions { bins: 0, ..Default::default() }).starts_with("0 confidence bins"));
        let found = fit(&c, &t, &d, &BinMeanShiftOptions::default()).unwrap().parameters;
        assert_eq!(found.apply(&c, &d[1..]).unwrap_err().to_string(), "10 scores against 9 proximities");
        // One row a bin: new rows beyond it find its cell or none.
        assert_eq!(found.counts.iter().map(|c| c.iter().sum::<usize>()).collect::<Vec<_>>(), [1; 10]);
        assert!(found.apply(&c, &d).unwrap().iter().all(|s| (0.0..=1.0).contains(s)));
    }

    proptest! {
        #[test]
        fn gaps_vanish_and_the_squared_error_falls_by_them(
            rows in proptest::collection::vec((0.3..0.7_f64, any::<bool>(), -5.0..0.0_f64), 1..120), lambda in 0.0..=1.0_f64,
        ) {
            let s: Vec<f64> = rows.iter().map(|r| r.0).collect();
            let t: Vec<u8> = rows.iter().map(|r| u8::from(r.1)).collect();
            let ln_d: Vec<f64> = rows.iter().map(|r| r.2).collect();
            let asked = BinMeanShiftOptions { lambda, bins: 4, proximity_bins: 3, min_cell: 1 };
            let found = fit(&s, &t, &ln_d, &asked).unwrap();
            let p = &found.parameters;
            let squares: f64 = p.gaps.iter().flatten().zip(p.counts.iter().flatten())
                .map(|(gap, &n)| n as f64 * gap * gap).sum::<f64>() / s.len() as f64;
            let cells = piece_cells(&s, &ln_d, Form::Paper, (4, 3)).unwrap();
            let moved: Vec<f64> = cells.iter().zip(&s).map(|(&cell, &s)| s + lambda * p.gaps[cell as usize / 3][cell as usize % 3]).collect();
            if moved.iter().all(|s| (0.0..=1.0).contains(s)) {
                let fall = found.objective_before - found.objective_after;
                prop_assert!((fall - lambda * (2.0 - lambda) * squares).abs() < 1e-12);
                // Edges and ranks agree.
                prop_assert_eq!(p.apply(&s, &ln_d).unwrap(), moved);
            }
            let still = BinMeanShiftOptions { lambda: 0.0, ..asked };
            prop_assert_eq!(fit(&s, &t, &ln_d, &still).unwrap().parameters.apply(&s, &ln_d).unwrap(), s.clone());
            // One cell: everything moves by the mean gap.
            let one = BinMeanShiftOptions { lambda: 1.0, bins: 1, proximity_bins: 1, min_cell: 1 };
            let gap = fit(&s, &t, &ln_d, &one).unwrap().parameters.gaps[0][0];
            let mean = (t.iter().map(|&t| f64::from(t)).sum::<f64>() - s.iter().sum::<f64>()) / s.len() as f64;
            prop_assert!((gap - mean).abs() < 1e-12);
        }
    }
}
