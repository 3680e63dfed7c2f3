//! The gap of each bin.

use super::sample::{LocalSample, rows_by_bin};

/// The gap of a bin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BinGap {
    /// the bin
    pub bin: u32,
    /// its rows
    pub rows: usize,
    /// their mean residual s − t, in [−1, 1]; positive: over-confident
    pub gap: f64,
}

/// Mean residual s − t of each bin that holds rows, bins ascending. O(n).
///
/// ```
/// use localcal_numerics::kernel::Points;
/// use localcal_numerics::local::{BinGap, LocalSample, bin_gaps};
/// use ndarray::array;
///
/// let x = array![[0.0], [0.0], [0.0]];
/// let sample = LocalSample::new(&[0.75, 0.5, 0.25], &[1, 0, 0], &[2, 2, 0], Points::new(x.view())?)?;
/// // (−0.25 + 0.5) / 2 in bin 2
/// assert_eq!(bin_gaps(&sample), [BinGap { bin: 0, rows: 1, gap: 0.25 }, BinGap { bin: 2, rows: 2, gap: 0.125 }]);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn bin_gaps(sample: &LocalSample) -> Vec<BinGap> {
    rows_by_bin(sample.bin)
        .into_iter()
        .map(|(bin, rows)| {
            let total: f64 = rows.iter().map(|row| sample.residual(*row as usize)).sum();
            BinGap { bin, rows: rows.len(), gap: total / rows.len() as f64 }
        })
        .collect()
}
