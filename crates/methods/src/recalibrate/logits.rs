//! Logits where a file holds only probabilities.

use ndarray::{Array2, ArrayView2};

use crate::num::special::logit;
use crate::table::{Matrix, Reals};

/// logit(clip(p)) of every probability; `clip` is [`PROB_CLIP`](crate::num::special::PROB_CLIP) unless said otherwise.
pub fn binary_logits(p: &[f64], clip: f64) -> Vec<f64> {
    p.iter().map(|&p| logit(p, clip)).collect()
}

/// ln(max(P, clip)) of every entry: logits up to a constant a row, which softmax does not see.
pub fn log_probabilities(p: &Matrix, clip: f64) -> Matrix {
    let values = match &p.values {
        Reals::F64(v) => v.iter().map(|&p| p.clamp(clip, 1.0).ln()).collect(),
        Reals::F32(v) => v.iter().map(|&p| f64::from(p).clamp(clip, 1.0).ln()).collect(),
    };
    Matrix { width: p.width, values: Reals::F64(values) }
}

/// The array with every row replaced by `change`.
pub(crate) fn mapped_rows(z: ArrayView2<f64>, mut change: impl FnMut(usize, &mut [f64])) -> Array2<f64> {
    let mut out = z.as_standard_layout().into_owned();
    for (i, mut row) in out.rows_mut().into_iter().enumerate() {
        if let Some(row) = row.as_slice_mut() {
            change(i, row);
        }
    }
    out
}

/// The matrix with every row replaced by `change`.
pub(crate) fn map_rows(z: &Matrix, mut change: impl FnMut(usize, &mut [f64])) -> Matrix {
    let (n, m) = (z.rows(), z.width);
    let mut values = vec![0.0; n * m];
    for (i, row) in values.chunks_exact_mut(m.max(1)).enumerate() {
        z.row_into(i, row);
        change(i, row);
    }
    Matrix { width: m, values: Reals::F64(values.into()) }
}
