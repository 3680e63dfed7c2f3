//! The scale of the features, which gives a bandwidth its meaning.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;
use serde::{Deserialize, Serialize};

use crate::num::Rows;

/// Default bandwidth γ where no distance is known: the paper's on principal components.
pub const DEFAULT_GAMMA: f64 = 0.4;

/// The bandwidth γ to start with: a fifth of the median distance between rows, in two significant digits.
///
/// * `median_distance`: see [`median_distance`]; where it says nothing, [`DEFAULT_GAMMA`]
///
/// ```
/// assert_eq!(localcal_numerics::project::starting_gamma(2.0), 0.4);
/// assert_eq!(localcal_numerics::project::starting_gamma(1.234), 0.25);
/// ```
pub fn starting_gamma(median_distance: f64) -> f64 {
    let gamma = format!("{:.1e}", 0.2 * median_distance).parse();
    gamma.ok().filter(|&gamma: &f64| gamma > 0.0 && gamma.is_finite()).unwrap_or(DEFAULT_GAMMA)
}

/// Random pairs behind a median distance.
const PAIRS: usize = 20_000;

/// How features are scaled before distances are taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scaling {
    /// as they stand
    #[default]
    None,
    /// each feature to mean 0 and standard deviation 1 (divisor n); a constant feature to 0
    Standardise,
    /// all features by one factor, so that the median of ‖Δ‖₁/d over pairs is 1
    MedianL1,
}

/// A shift and a factor per feature, fitted on some rows and applied to any.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// Subtracted from each feature.
    pub shift: Vec<f64>,
    /// Then multiplied in.
    pub factor: Vec<f64>,
}

impl Scaling {
    /// The shift and factor that this scaling gives on `rows`; `seed` chooses the random pairs.
    ///
    /// # Cost
    /// Two passes over the rows, or 20,000 pairs of them.
    ///
    /// ```
    /// use localcal_numerics::project::Scaling;
    /// use ndarray::array;
    ///
    /// let scale = Scaling::Standardise.fit(&array![[1.0, 5.0], [3.0, 5.0]], 0);
    /// // mean 2, standard deviation 1; a constant feature becomes 0
    /// assert_eq!((scale.shift, scale.factor), (vec![2.0, 5.0], vec![1.0, 0.0]));
    /// ```
    pub fn fit(self, rows: &dyn Rows, seed: u64) -> Scale {
        let (n, d) = (rows.n(), rows.d());
        let (mut shift, mut factor) = (vec![0.0; d], vec![1.0; d]);
        match self {
            Self::None => {}
            Self::MedianL1 => {
                let median = median_distance(rows, seed);
                if median > 0.0 {
                    factor.fill(1.0 / median);
                }
            }
            Self::Standardise => {
                let mut row = vec![0.0; d];
                for i in 0..n {
                    rows.read(i, &mut row);
                    for (mean, x) in shift.iter_mut().zip(&row) {
                        *mean += x / n as f64;
                    }
                }
                let mut square = vec![0.0; d];
                for i in 0..n {
                    rows.read(i, &mut row);
                    for ((square, x), mean) in square.iter_mut().zip(&row).zip(&shift) {
                        *square += (x - mean).powi(2) / n as f64;
                    }
                }
                for (factor, square) in factor.iter_mut().zip(square) {
                    *factor = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
                }
            }
        }
        Scale { shift, factor }
    }
}

/// Rows as a scale makes them.
pub struct Scaled<'a> {
    /// as they were
    pub of: &'a dyn Rows,
    /// what is done to each
    pub scale: &'a Scale,
}

impl Rows for Scaled<'_> {
    fn n(&self) -> usize {
        self.of.n()
    }
    fn d(&self) -> usize {
        self.of.d()
    }
    fn read(&self, i: usize, row: &mut [f64]) {
        self.of.read(i, row);
        let by_feature = self.scale.shift.iter().zip(&self.scale.factor);
        for (x, (shift, factor)) in row.iter_mut().zip(by_feature) {
            *x = (*x - shift) * factor;
        }
    }
}

/// Median of ‖x − x′‖₁/d over pairs of different rows: all pairs when they are few, else 20,000 drawn with `seed`.
///
/// The number to hold γ against: the Laplacian kernel is e^(−1/γ) at a pair whose ‖Δ‖₁/d is 1. `NaN` with fewer
/// than two rows.
///
/// # Cost
/// O(d) a pair.
///
/// ```
/// use localcal_numerics::project::median_distance;
/// use ndarray::array;
///
/// // (|0 − 1| + |0 − 3|) / 2
/// assert_eq!(median_distance(&array![[0.0, 0.0], [1.0, 3.0]], 0), 2.0);
/// ```
pub fn median_distance(rows: &dyn Rows, seed: u64) -> f64 {
    let (n, d) = (rows.n(), rows.d());
    if n < 2 {
        return f64::NAN;
    }
    let (mut a, mut b) = (vec![0.0; d], vec![0.0; d]);
    let mut distance = |i: usize, j: usize| {
        rows.read(i, &mut a);
        rows.read(j, &mut b);
        let differences = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
        differences.sum::<f64>() / d as f64
    };
    let mut found: Vec<f64> = if n * (n - 1) / 2 <= PAIRS {
        (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| distance(i, j)).collect()
    } else {
        let mut rng = Pcg64::new(u128::from(seed), 0x5ca1e);
        let mut below = |n: usize| ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize;
        let mut pairs = Vec::with_capacity(PAIRS);
        for _ in 0..PAIRS {
            let i = below(n);
            let j = below(n - 1);
            pairs.push(distance(i, if j >= i { j + 1 } else { j }));
        }
        pairs
    };
    found.sort_unstable_by(f64::total_cmp);
    let half = found.len() / 2;
    if found.len().is_multiple_of(2) { 0.5 * (found[half - 1] + found[half]) } else { found[half] }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Points;

    fn scaled(scaling: Scaling, points: Points) -> Vec<f64> {
        let scale = scaling.fit(&points, 0);
        let rows = Scaled { of: &points, scale: &scale };
        let mut out = vec![0.0; points.values().len()];
        for (i, row) in out.chunks_exact_mut(points.d()).enumerate() {
            rows.read(i, row);
        }
        out
    }

    #[test]
    fn medians_by_hand() {
        // Pairs of (0,0), (1,1), (4,0): 1, 2, 2.
        let values = [0.0, 0.0, 1.0, 1.0, 4.0, 0.0];
        let points = Points::row_major(2, &values).unwrap();
        assert_eq!(median_distance(&points, 0), 2.0);
        let one = scaled(Scaling::MedianL1, points);
        assert_eq!(median_distance(&Points::row_major(2, &one).unwrap(), 0), 1.0);
        assert!(median_distance(&Points::row_major(2, &values[..2]).unwrap(), 0).is_nan());
        let same = [3.0; 8];
        let same = Points::row_major(2, &same).unwrap();
        assert_eq!(scaled(Scaling::MedianL1, same), [3.0; 8]);
    }

    #[test]
    fn drawn_pairs_come_close_to_all() {
        // Uniform on a line: the distance of two has median 1 − √(1/2).
        let values: Vec<f64> = (0..5000).map(|i| f64::from(i) / 5000.0).collect();
        let points = Points::row_major(1, &values).unwrap();
        let found = median_distance(&points, 3);
        assert!((found - (1.0 - 0.5f64.sqrt())).abs() < 0.01, "{found}");
        assert_eq!(found, median_distance(&points, 3));
        assert_ne!(found, median_distance(&points, 4));
    }

    #[test]
    fn standardized_features() {
        let values = [1.0, 5.0, 3.0, 5.0];
        let points = Points::row_major(2, &values).unwrap();
        assert_eq!(scaled(Scaling::Standardise, points), [-1.0, 0.0, 1.0, 0.0]);
        assert_eq!(scaled(Scaling::None, points), values);
    }
}
