//! D, the proximity of a row: near 1 among its neighbors, near 0 far from every one of them.
//!
//! Everything works on ln D. Distances much larger than 1 take D itself to 0, where ranks and bins would be lost; its
//! logarithm keeps them.

use serde::{Deserialize, Serialize};

use super::neighbors::{Metric, Neighbors};
use crate::num::Rows;
use crate::num::special::log_sum_exp;

/// Which formula: the paper's, or the one that its authors ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ProximityForm"))]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// the paper's
    #[default]
    Paper,
    /// that of the published code
    Code,
}

/// Below this a proximity has lost its digits.
pub const UNDERFLOW: f64 = 1e-300;

/// ln D of a row from the distances to its K nearest reference rows; not a number without any.
///
/// * [`Form::Paper`]: D = exp(−(1/K) Σ_j ‖x − x_j‖₂), so ln D is minus the mean distance
/// * [`Form::Code`]: D = (1/K) Σ_j exp(−‖x − x_j‖₂²); for the cosine, whose distance is half a square already,
///   exp(−distance)
///
/// Source: Xiong et al. (2023), equation 3; the published code for the second form.
///
/// # Cost
/// O(K).
///
/// ```
/// use localcal_numerics::proximity::Metric;
/// use localcal_numerics::proximity::measure::{Form, log_proximity};
///
/// // D = exp(−(1 + 3)/2)
/// assert_eq!(log_proximity(Form::Paper, Metric::Euclidean, &[1.0, 3.0]), -2.0);
/// // D = (e⁰ + e^(−4)) / 2
/// let ln_d = log_proximity(Form::Code, Metric::Euclidean, &[0.0, 2.0]);
/// assert!((ln_d - ((1.0 + f64::exp(-4.0)) / 2.0).ln()).abs() < 1e-12);
/// ```
pub fn log_proximity(form: Form, metric: Metric, distances: &[f64]) -> f64 {
    let k = distances.len() as f64;
    match form {
        _ if distances.is_empty() => f64::NAN,
        Form::Paper => -(distances.iter().sum::<f64>() / k),
        Form::Code => {
            let exponent = |d: &f64| match metric {
                Metric::Euclidean => -(d * d).min(f64::MAX),
                Metric::Cosine => -d,
            };
            let exponents: Vec<f64> = distances.iter().map(exponent).collect();
            log_sum_exp(&exponents) - k.ln()
        }
    }
}

/// [`log_proximity`] of every query of a search, length `queries`.
///
/// ```
/// use localcal_numerics::proximity::measure::{Form, log_proximities};
/// use localcal_numerics::proximity::{Metric, Search};
/// use ndarray::array;
///
/// let x = array![[0.0], [1.0], [3.0]];
/// let nearest = Search::new(&x, Metric::Euclidean)?.nearest(None, 0..3, 2, &mut |_| ())?;
/// // minus the mean distance to the two others
/// assert_eq!(log_proximities(Form::Paper, Metric::Euclidean, &nearest, 3), [-2.0, -1.5, -2.5]);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn log_proximities(form: Form, metric: Metric, found: &Neighbors, queries: usize) -> Vec<f64> {
    if found.k == 0 {
        return vec![f64::NAN; queries];
    }
    let rows = found.distance.chunks_exact(found.k);
    rows.map(|distances| log_proximity(form, metric, distances)).collect()
}

/// Share of proximities that are smaller than a number can tell apart from 0: D < 1e-300.
///
/// ```
/// // e^(−700) is a number, e^(−2000) is 0
/// assert_eq!(localcal_numerics::proximity::measure::underflow_share(&[-1.0, -600.0, -2000.0, -3000.0]), 0.5);
/// ```
pub fn underflow_share(log_proximity: &[f64]) -> f64 {
    let limit = UNDERFLOW.ln();
    let lost = log_proximity.iter().filter(|ln_d| **ln_d < limit).count();
    lost as f64 / log_proximity.len().max(1) as f64
}

/// Rows brought to length 1; a row of zeros stays as it is.
pub struct UnitRows<'a> {
    /// the rows as they stand
    pub of: &'a dyn Rows,
}

impl Rows for UnitRows<'_> {
    fn n(&self) -> usize {
        self.of.n()
    }
    fn d(&self) -> usize {
        self.of.d()
    }
    fn read(&self, i: usize, row: &mut [f64]) {
        self.of.read(i, row);
        // The largest first, so that no square overflows.
        let most = row.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if most > 0.0 {
            row.iter_mut().for_each(|x| *x /= most);
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().for_each(|x| *x /= length);
        }
    }
}
