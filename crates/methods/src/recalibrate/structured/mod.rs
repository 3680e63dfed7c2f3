//! Structured vector and matrix scaling: an affine map of tempered logits, held near to the identity.

mod entry;

pub use entry::{StructuredMatrix, StructuredScaling, StructuredVariant, StructuredVector};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::num::special::softmax_in_place;
use crate::num::weight::{RowWeights, total_weight};
use crate::recalibrate::affine::{self, Affine, Penalty, Shape};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::temperature::{self, TemperatureOptions};
use crate::table::{Matrix, Reals};

/// P′ = softmax(W ln Q + b), Q = (1 − ε) softmax(Z/T) + ε/m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Structured {
    /// T
    pub temperature: f64,
    /// ε = 1/(n + 1) of n calibration rows: no probability is 0
    pub mixture: f64,
    /// W and b
    #[serde(flatten)]
    pub map: Affine,
}

/// Fits T, then W and b by penalized maximum likelihood: ridge penalties that pull W to I and b to 0, smaller with more
/// rows and larger with more classes, so that it does not fit noise where a free matrix does.
///
/// * `z`: n × m logits; `y`: n classes; `w`: weights above 0, whose sum stands for n
///
/// The penalty on the mean NLL is m/n |diag(W) − 1|² + m/n |b|² and, for a matrix, m(m − 1)/n Σ_{i≠j} W²ᵢⱼ. The objectives
/// are those after T, with the penalty.
///
/// Source: Berta, Holzmüller, Jordan and Bach (2026), "Structured matrix scaling for multi-class calibration"; `svs` and
/// `sms` of probmetrics with its default ridge.
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`.
///
/// # Cost
/// Some 30 passes of O(nm) for a vector, O(nm²) for a matrix.
///
/// # Examples
/// Two rows of three are of the first class; nothing was learned where the logits say so.
///
/// ```
/// use localcal_methods::recalibrate::{affine::Shape, structured::fit};
/// use localcal_methods::table::{Matrix, Reals};
///
/// let z = Matrix { width: 2, values: Reals::F64(vec![2.0_f64.ln(), 0.0, 2.0_f64.ln(), 0.0, 2.0_f64.ln(), 0.0].into()) };
/// let fit = fit(&z, &[0, 0, 1], None, Shape::Vector)?.parameters;
/// let mut row = [2.0_f64.ln(), 0.0];
/// fit.apply_row(&mut row);
/// assert!((row[0] - 2.0 / 3.0).abs() < 0.05);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(z: &Matrix, y: &[u32], w: RowWeights, shape: Shape) -> Result<Fit<Structured>> {
    let t = temperature::weighted_fit(z, y, w, &TemperatureOptions::default())?;
    let (n, m) = (total_weight(w, y.len()), z.width as f64);
    let mut learned = Structured {
        temperature: t.parameters.temperature,
        mixture: 1.0 / (n + 1.0),
        map: Affine::identity(z.width, shape),
    };
    let mut tempered = Vec::with_capacity(y.len() * z.width);
    let mut row = vec![0.0; z.width];
    for i in 0..y.len() {
        z.row_into(i, &mut row);
        learned.temper(&mut row);
        tempered.extend_from_slice(&row);
    }
    let tempered = Matrix { width: z.width, values: Reals::F64(tempered.into()) };
    let penalty = Penalty::TowardsIdentity { diagonal: m / n, off_diagonal: m * (m - 1.0) / n, intercept: m / n };
    let mut fit = affine::weighted_fit(&tempered, y, w, shape, penalty)?.map(|map| {
        learned.map = map;
        learned
    });
    fit.warnings.splice(0..0, t.warnings);
    fit.at_bound = fit.at_bound.or(t.at_bound);
    Ok(fit)
}

impl Structured {
    /// ln((1 − ε) softmax(z/T) + ε/m), in place.
    fn temper(&self, row: &mut [f64]) {
        let even = self.mixture / row.len() as f64;
        row.iter_mut().for_each(|z| *z /= self.temperature);
        softmax_in_place(row);
        row.iter_mut().for_each(|p| *p = ((1.0 - self.mixture) * *p + even).ln());
    }

    /// softmax(W ln Q + b) of one row of m logits, in place, Q = (1 − ε) softmax(z/T) + ε/m.
    pub fn apply_row(&self, row: &mut [f64]) {
        self.temper(row);
        self.map.apply_row(row);
    }
}
