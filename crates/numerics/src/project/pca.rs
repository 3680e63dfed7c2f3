//! Principal components: the directions in which the rows differ most.

use nalgebra::DMatrix;
use ndarray::Array2;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

use crate::num::Rows;
use crate::num::order::sort_short;
use crate::{Error, Result};

/// Up to this many features the covariance is decomposed as it is.
const EXACT: usize = 400;
/// Directions beyond those asked for, in the randomised search.
const OVERSAMPLE: usize = 10;
/// Passes over the data of the randomised search.
const PASSES: usize = 6;
/// Rows that are multiplied together.
const ROWS: usize = 256;

/// Mean and principal directions of the rows it was fitted on. No scaling, no whitening.
///
/// ```
/// use localcal_numerics::project::Pca;
/// use ndarray::array;
///
/// // along (3, 4) / 5, at −5, 0 and 5: the variance is 50 / 2
/// let x = array![[-3.0, -4.0], [0.0, 0.0], [3.0, 4.0]];
/// let fit = Pca::fit(&x, 1, 0, &mut |_| ())?;
/// assert!((fit.components[[0, 0]] - 0.6).abs() < 1e-12 && (fit.components[[0, 1]] - 0.8).abs() < 1e-12);
/// assert!((fit.variance[0] - 25.0).abs() < 1e-12 && (fit.total_variance - 25.0).abs() < 1e-12);
/// let along = fit.transform(&x, &mut |_| ())?;
/// assert_eq!(along.dim(), (3, 1));
/// assert!((along[[2, 0]] - 5.0).abs() < 1e-12);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pca {
    /// Mean of each feature, length d.
    pub mean: Vec<f64>,
    /// Unit directions, one a row, shape (q, d), by falling variance; the entry largest in size is positive.
    pub components: Array2<f64>,
    /// Variance along each direction (divisor n − 1), length q, in squared units of the features.
    pub variance: Vec<f64>,
    /// Sum of the variances of all features.
    pub total_variance: f64,
}

impl Pca {
    /// The first `components` principal directions of `rows`, shape (n, d): at most d and n − 1 of them.
    ///
    /// Up to 400 features by the eigenvectors of the covariance; beyond by subspace iteration from a start fixed by
    /// `seed`, six passes in single precision with ten directions to spare. `progress` hears the share done.
    ///
    /// # Errors
    /// `too_few_rows` with fewer than 2 rows; `invalid_option` if no component is asked for.
    ///
    /// # Cost
    /// O(n d²), or O(n d q) for q components beyond 400 features.
    ///
    /// # Source
    /// Halko, Martinsson and Tropp (2011), Finding structure with randomness, algorithm 4.4.
    pub fn fit(rows: &dyn Rows, components: usize, seed: u64, progress: &mut dyn FnMut(f64)) -> Result<Self> {
        let (n, d) = (rows.n(), rows.d());
        if n < 2 {
            return Err(Error::new(
                "too_few_rows",
                format!("Principal components need at least 2 rows; there are {n}."),
                "Include more rows.",
            ));
        }
        let q = components.min(d).min(n - 1);
        if q == 0 {
            return Err(Error::new("invalid_option", "0 principal components were requested.", "Request at least 1."));
        }
        let mut mean = vec![0.0; d];
        let mut row = vec![0.0; d];
        for i in 0..n {
            rows.read(i, &mut row);
            for (mean, value) in mean.iter_mut().zip(&row) {
                *mean += value / n as f64;
            }
        }
        let mut squares = 0.0;
        for i in 0..n {
            rows.read(i, &mut row);
            squares += row.iter().zip(&mean).map(|(x, m)| (x - m).powi(2)).sum::<f64>();
        }
        let divisor = (n - 1) as f64;
        let (directions, spread) = if d <= EXACT {
            leading(covariance(rows, &mean, progress), q)
        } else {
            randomised(rows, &mean, q, seed, progress)
        };
        let mut out = Self {
            mean,
            components: Array2::zeros((q, d)),
            variance: spread.iter().map(|s| s.max(0.0) / divisor).collect(),
            total_variance: squares / divisor,
        };
        for (direction, mut component) in directions.column_iter().zip(out.components.rows_mut()) {
            let largest = direction.iter().fold(0.0, |most: f64, x| if x.abs() > most.abs() { *x } else { most });
            let sign = if largest < 0.0 { -1.0 } else { 1.0 };
            component.iter_mut().zip(direction).for_each(|(to, x)| *to = x * sign);
        }
        Ok(out)
    }

    /// Expected milliseconds of a fit.
    pub fn cost(n: usize, d: usize, components: usize) -> f64 {
        // where there are few columns, most of the time goes into reading them row by row
        let per_value =
            if d <= EXACT { 2e-5 + d as f64 * 4e-7 } else { (2 * PASSES * (components + OVERSAMPLE)) as f64 * 1.5e-7 };
        (n * d) as f64 * per_value
    }

    /// Number of components, q.
    pub fn q(&self) -> usize {
        self.variance.len()
    }

    /// Coordinates of `rows`, shape (n, d), along the components: shape (n, q). `progress` hears the share done.
    ///
    /// # Errors
    /// `length_mismatch` if `rows` has another number of features than the fit.
    ///
    /// # Cost
    /// O(n d q).
    pub fn transform(&self, rows: &dyn Rows, progress: &mut dyn FnMut(f64)) -> Result<Array2<f64>> {
        let d = self.mean.len();
        if rows.d() != d {
            return Err(Error::new(
                "length_mismatch",
                format!("{} features, but the components were fitted on {d}", rows.d()),
                "use the same feature columns",
            ));
        }
        let directions = DMatrix::from_iterator(d, self.q(), self.components.iter().copied());
        let mut out = Array2::zeros((rows.n(), self.q()));
        for (first, last) in chunks(rows.n()) {
            let there = centered::<f64>(rows, first, last, &self.mean, |x| x).tr_mul(&directions);
            for (to, row) in (first..last).zip(there.row_iter()) {
                out.row_mut(to).iter_mut().zip(&row).for_each(|(to, x)| *to = *x);
            }
            progress(last as f64 / rows.n() as f64);
        }
        Ok(out)
    }
}

/// First and end of each chunk of rows.
fn chunks(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).step_by(ROWS).map(move |first| (first, (first + ROWS).min(n)))
}

/// Rows of a chunk less the mean, one per column.
fn centered<T: nalgebra::Scalar>(
    rows: &dyn Rows,
    first: usize,
    last: usize,
    mean: &[f64],
    round: impl Fn(f64) -> T,
) -> DMatrix<T> {
    let mut row = vec![0.0; mean.len()];
    let mut values = Vec::with_capacity(mean.len() * (last - first));
    for i in first..last {
        rows.read(i, &mut row);
        values.extend(row.iter().zip(mean).map(|(x, m)| round(x - m)));
    }
    DMatrix::from_vec(mean.len(), last - first, values)
}

/// Σ (x − mean)(x − mean)ᵀ.
fn covariance(rows: &dyn Rows, mean: &[f64], progress: &mut dyn FnMut(f64)) -> DMatrix<f64> {
    let d = rows.d();
    let mut sum = DMatrix::zeros(d, d);
    for (first, last) in chunks(rows.n()) {
        let x = centered::<f64>(rows, first, last, mean, |x| x);
        sum.gemm(1.0, &x, &x.transpose(), 1.0);
        progress(last as f64 / rows.n() as f64);
    }
    sum
}

/// The `q` eigenvectors of largest eigenvalue, as columns, and their eigenvalues.
fn leading(symmetric: DMatrix<f64>, q: usize) -> (DMatrix<f64>, Vec<f64>) {
    let found = symmetric.symmetric_eigen();
    let mut order: Vec<usize> = (0..found.eigenvalues.len()).collect();
    sort_short(&mut order, |a, b| found.eigenvalues[*a] > found.eigenvalues[*b]);
    order.truncate(q);
    let values = order.iter().map(|i| found.eigenvalues[*i]).collect();
    (found.eigenvectors.select_columns(&order), values)
}

/// As [`leading`] of the covariance, without forming it.
fn randomised(
    rows: &dyn Rows,
    mean: &[f64],
    q: usize,
    seed: u64,
    progress: &mut dyn FnMut(f64),
) -> (DMatrix<f64>, Vec<f64>) {
    let d = rows.d();
    let width = (q + OVERSAMPLE).min(d);
    let mut rng = Pcg64::new(u128::from(seed), 0x9e37);
    let start = (0..d * width).map(|_| (rng.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0);
    let mut basis = DMatrix::from_iterator(d, width, start).qr().q();
    for pass in 1..PASSES {
        let next = image(rows, mean, &basis, pass - 1, progress).qr().q();
        basis = next;
    }
    // The last pass reads off the spread within the subspace.
    let inner = basis.transpose() * image(rows, mean, &basis, PASSES - 1, progress);
    let (rotation, spread) = leading((&inner + inner.transpose()) * 0.5, q);
    (basis * rotation, spread)
}

/// Σ x xᵀ · basis over the centered rows, a chunk of rows at a time: products in f32, sums over chunks in f64.
fn image(
    rows: &dyn Rows,
    mean: &[f64],
    basis: &DMatrix<f64>,
    pass: usize,
    progress: &mut dyn FnMut(f64),
) -> DMatrix<f64> {
    let mut sum = DMatrix::zeros(basis.nrows(), basis.ncols());
    let single = basis.map(|x| x as f32);
    for (first, last) in chunks(rows.n()) {
        let x = centered::<f32>(rows, first, last, mean, |x| x as f32);
        let onto = x.transpose() * &single;
        let back = x * onto;
        sum.zip_apply(&back, |sum: &mut f64, part: f32| *sum += f64::from(part));
        progress((pass as f64 + last as f64 / rows.n() as f64) / PASSES as f64);
    }
    sum
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Points;

    /// Rows with independent coordinates of standard deviations 1, 1/2, 1/3, … turned by a fixed reflection.
    fn rows(n: usize, d: usize) -> Vec<f64> {
        let mut rng = Pcg64::new(5, 6);
        let mut uniform = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        let mut values = Vec::with_capacity(n * d);
        for _ in 0..n {
            let row: Vec<f64> = (0..d).map(|c| uniform() / (c + 1) as f64).collect();
            // Householder reflection by (1, …, 1)/√d, and a shift.
            let mean = row.iter().sum::<f64>() / d as f64;
            values.extend(row.iter().map(|x| x - 2.0 * mean + 3.0));
        }
        values
    }

    #[test]
    fn a_line_by_hand() {
        // Along (3, 4)/5 at −2, 0, 2; variance 4.
        let values = [1.0 - 1.2, 2.0 - 1.6, 1.0, 2.0, 1.0 + 1.2, 2.0 + 1.6];
        let points = Points::row_major(2, &values).unwrap();
        let found = Pca::fit(&points, 2, 0, &mut |_| ()).unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        near(found.components[[0, 0]], 0.6);
        near(found.components[[0, 1]], 0.8);
        near(found.variance[0], 4.0);
        near(found.variance[1], 0.0);
        near(found.total_variance, 4.0);
        let there = found.transform(&points, &mut |_| ()).unwrap();
        for (found, expected) in there.rows().into_iter().zip([-2.0, 0.0, 2.0]) {
            near(found[0], expected);
            near(found[1], 0.0);
        }
        assert_eq!(
            Pca::fit(&Points::row_major(1, &[1.0]).unwrap(), 1, 0, &mut |_| ()).unwrap_err().code(),
            "too_few_rows"
        );
        assert_eq!(
            found.transform(&Points::row_major(1, &[1.0]).unwrap(), &mut |_| ()).unwrap_err().code(),
            "length_mismatch"
        );
    }

    #[test]
    fn randomised_agrees_with_exact() {
        let (n, d, q) = (600, 450, 5);
        let values = rows(n, d);
        let points = Points::row_major(d, &values).unwrap();
        let found = Pca::fit(&points, q, 1, &mut |_| ()).unwrap();
        let (directions, spread) = leading(covariance(&points, &found.mean, &mut |_| ()), q);
        for (c, spread) in spread.iter().enumerate() {
            let own = found.components.row(c);
            let cosine: f64 = own.iter().zip(directions.column(c).iter()).map(|(a, b)| a * b).sum();
            assert!(cosine.abs() > 1.0 - 1e-5, "component {c}: {cosine}");
            assert!((found.variance[c] / (spread / (n - 1) as f64) - 1.0).abs() < 1e-5);
        }
        assert_eq!(Pca::fit(&points, q, 1, &mut |_| ()).unwrap(), found);
    }

    #[test]
    fn components_are_orthonormal_and_keep_the_variance() {
        let (n, d) = (300, 7);
        let values = rows(n, d);
        let points = Points::row_major(d, &values).unwrap();
        let found = Pca::fit(&points, 50, 0, &mut |_| ()).unwrap();
        assert_eq!(found.q(), d);
        for a in 0..d {
            for b in 0..d {
                let dot = found.components.row(a).dot(&found.components.row(b));
                assert!((dot - f64::from(u8::from(a == b))).abs() < 1e-12);
            }
        }
        assert!((found.variance.iter().sum::<f64>() / found.total_variance - 1.0).abs() < 1e-12);
        let there = found.transform(&points, &mut |_| ()).unwrap();
        for c in 0..d {
            let variance = there.column(c).iter().map(|x| x * x).sum::<f64>() / (n - 1) as f64;
            assert!((variance / found.variance[c] - 1.0).abs() < 1e-9);
        }
    }
}
