//! PIECE: expected calibration error over cells of confidence and proximity.

use super::binning::{BinOptions, BinScheme};
use super::entry::{Cost, Discloses, Interval, Metric, Replicates, ValueOf};
use super::rows::Arranged;
use crate::error::Result;
use crate::num::{check_lengths, order, ties};
use crate::proximity::Form;

/// M: confidence bins.
pub const CONFIDENCE_BINS: usize = 15;
/// H: proximity bins.
pub const PROXIMITY_BINS: usize = 10;

/// The cell of every row: bin of the score × `proximity_bins` + bin of the proximity.
///
/// * [`Form::Paper`]: bins of equal mass by score, then of equal mass by proximity inside each; a score bin with fewer
///   rows than proximity bins has one cell per row
/// * [`Form::Code`]: score bins of equal width, and quantile bins of the proximity of all rows
///
/// `nearness`: anything that rises with proximity, such as ln D; only its order counts. Tied rows share the bin of their
/// middle rank, those of one score by score and those of one proximity inside each bin: no order of the rows decides.
///
/// # Errors
/// `empty`, `length_mismatch`; `invalid_option` for a number of bins that is not from 1 to 1,000.
///
/// # Cost
/// Two sorts.
pub fn piece_cells(
    s: &[f64],
    nearness: &[f64],
    form: Form,
    (score_bins, proximity_bins): (usize, usize),
) -> Result<Vec<u32>> {
    check_lengths(s.len(), nearness.len())?;
    let width = BinOptions::equal_width(score_bins);
    let within = BinOptions::equal_width(proximity_bins).validated()?;
    let columns = within.count as u32;
    if form == Form::Code {
        let rows = width.binning(s)?.assignment;
        let quantiles = within.with_scheme(BinScheme::EqualMassQuantile);
        let across = quantiles.binning(nearness)?.assignment;
        return Ok(rows.iter().zip(&across).map(|(b, h)| b * columns + h).collect());
    }
    let ranked = width.with_scheme(BinScheme::EqualMassRank).binning(s)?;
    let mut counts = vec![0usize; ranked.count()];
    for &bin in &ranked.assignment {
        counts[bin as usize] += 1;
    }
    let (mut rank, mut last) = (vec![0usize; counts.len()], vec![0usize; counts.len()]);
    let mut cells = vec![0; s.len()];
    let order = order::ascending(nearness);
    for tie in ties::tie_blocks(nearness, &order) {
        // Tied proximities may belong to several score bins: each has its own ranks of them.
        let rows = &order[tie];
        for &row in rows {
            last[ranked.assignment[row as usize] as usize] += 1;
        }
        for &row in rows {
            let bin = ranked.assignment[row as usize] as usize;
            let h = ties::shared_part(&(rank[bin]..last[bin]), within.count, counts[bin]);
            cells[row as usize] = bin as u32 * columns + h as u32;
        }
        for &row in rows {
            let bin = ranked.assignment[row as usize] as usize;
            rank[bin] = last[bin];
        }
    }
    Ok(cells)
}

/// Σ_cells (n_cell/n) |mean target − mean score|, in [0, 1].
///
/// Never below the ECE over the same score bins. Source: Xiong et al. (2023), definition 1.
///
/// # Errors
/// `empty`, `length_mismatch`.
pub fn piece_of(cells: &[u32], s: &[f64], t: &[u8]) -> Result<f64> {
    check_lengths(s.len(), t.len())?;
    check_lengths(cells.len(), t.len())?;
    let last = cells.iter().max().copied().unwrap_or(0) as usize;
    let mut gaps = vec![0.0; last + 1];
    for ((&cell, &s), &t) in cells.iter().zip(s).zip(t) {
        gaps[cell as usize] += s - f64::from(t);
    }
    Ok(gaps.iter().map(|gap: &f64| gap.abs()).sum::<f64>() / s.len() as f64)
}

/// PIECE with 15 confidence bins and 10 proximity bins.
///
/// # Errors
/// `empty`, `length_mismatch`.
pub fn piece(s: &[f64], t: &[u8], nearness: &[f64], form: Form) -> Result<f64> {
    let cells = piece_cells(s, nearness, form, (CONFIDENCE_BINS, PROXIMITY_BINS))?;
    piece_of(&cells, s, t)
}

/// PIECE: how far off by score and by how far from other rows.
pub static PIECE: Metric = Metric {
    id: "piece",
    name: "PIECE",
    plain: "average gap across bins of score and proximity",
    definition: "Proximity-informed expected calibration error: mean of |mean score − observed proportion| over 15 \
                 bins of equal mass by score, each divided into 10 of equal mass by proximity, weighted by rows. At \
                 least the ECE over the same score bins.",
    formula: "Σ_cells (n_cell/n) |s̄ − t̄|",
    source: "Xiong et al. 2023",
    value: ValueOf::Proximity(|near| {
        let cells = near.arranged.shared(|| Ok(PaperCells(cells(near.arranged, Form::Paper)?)))?;
        Ok(Ok(piece_of(&cells.0, near.arranged.score, near.target)?))
    }),
    replicates: Replicates::Samples(Cost { per_row: 3e-4, fixed: 0.0 }),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};

/// PIECE (published code): the same in the cells of the published numbers.
pub static PIECE_CODE: Metric = Metric {
    id: "piece_code",
    name: "PIECE (published code)",
    plain: "the same in the cells of the published code",
    definition: "The same over 15 bins of equal width by score × 10 quantile bins of the proximity of all rows.",
    formula: "Σ_cells (n_cell/n) |s̄ − t̄|",
    source: "Xiong et al. 2023, code",
    value: ValueOf::Proximity(|near| {
        let cells = near.arranged.shared(|| Ok(CodeCells(cells(near.arranged, Form::Code)?)))?;
        Ok(Ok(piece_of(&cells.0, near.arranged.score, near.target)?))
    }),
    replicates: Replicates::Samples(Cost { per_row: 3e-4, fixed: 0.0 }),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};

/// Cells of the paper's form.
struct PaperCells(Vec<u32>);
/// Cells of the published code.
struct CodeCells(Vec<u32>);

fn cells(arranged: &Arranged, form: Form) -> Result<Vec<u32>> {
    piece_cells(arranged.score, arranged.proximity, form, (CONFIDENCE_BINS, PROXIMITY_BINS))
}
