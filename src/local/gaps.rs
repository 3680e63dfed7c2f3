//! The gap of each bin.

use super::sample::{LocalSample, rows_by_bin};

/// Mean residual s − t of each bin that holds rows: (bin, rows, signed gap), bins ascending.
pub fn bin_gaps(sample: &LocalSample) -> Vec<(u32, usize, f64)> {
    rows_by_bin(sample.bin)
        .into_iter()
        .map(|(bin, rows)| {
            let total: f64 = rows.iter().map(|row| sample.residual(*row as usize)).sum();
            (bin, rows.len(), total / rows.len() as f64)
        })
        .collect()
}
