//! Squared kernel calibration error of whole probability vectors (canonical calibration).

use ndarray::{ArrayView2, s};

use super::entry::Value;
use super::entry::{Discloses, Interval, Metric, Range, Replicates, ValueOf};
use super::labels::check_labels;
use super::reason::Reason;
use super::rows::ProbabilityRows;
use crate::error::{Error, Result};
use crate::num::{check_lengths, order, quantile};
use crate::words::text::thousands;

/// Scalar kernel κ between two probability vectors, times the identity matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VectorKernel {
    /// exp(−‖P − P′‖₂/ν)
    Exponential {
        /// ν > 0
        width: f64,
    },
    /// exp(−½‖P − P′‖₁/ν)
    TotalVariation {
        /// ν > 0
        width: f64,
    },
    /// exp(−γ‖P − P′‖₂²)
    Gaussian {
        /// γ > 0
        gamma: f64,
    },
}

/// Estimates of the squared kernel calibration error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kce {
    /// (1/n²) Σᵢⱼ h: never negative, biased upwards
    pub biased: f64,
    /// Σ_{i≠j} h / (n(n − 1)); `None` for one row
    pub unbiased: Option<f64>,
    /// mean of hᵢᵢ
    pub diagonal: f64,
}

fn check_width(kernel: VectorKernel) -> Result<()> {
    let (VectorKernel::Exponential { width: x }
    | VectorKernel::TotalVariation { width: x }
    | VectorKernel::Gaussian { gamma: x }) = kernel;
    if x > 0.0 && x.is_finite() {
        Ok(())
    } else {
        Err(Error::new(
            "invalid_option",
            format!("a kernel width of {x}; it must be positive"),
            "Omit the width for the median distance between rows.",
        ))
    }
}

/// Median ‖P − P′‖₂ between distinct rows, over at most 1,000 evenly spaced rows; 1 when all are equal.
pub fn median_distance(p: ArrayView2<f64>) -> f64 {
    let (n, m) = p.dim();
    let taken = n.min(1000);
    let rows: Vec<f64> = (0..taken).flat_map(|k| p.row(k * n / taken).to_vec()).collect();
    let mut distances = Vec::with_capacity(taken * taken.saturating_sub(1) / 2);
    for i in 0..taken {
        for j in 0..i {
            let (a, b) = (&rows[i * m..(i + 1) * m], &rows[j * m..(j + 1) * m]);
            distances.push(a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt());
        }
    }
    quantile::median(&mut distances).filter(|&d| d > 0.0).unwrap_or(1.0)
}

/// h = κ(P, P′)·(e_y − P)ᵀ(e_y′ − P′).
#[inline]
fn h(kernel: VectorKernel, a: &[f64], ya: u32, b: &[f64], yb: u32) -> f64 {
    let (mut dot, mut square, mut absolute) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        let d = x - y;
        dot += x * y;
        square += d * d;
        absolute += d.abs();
    }
    let residual = dot - a[yb as usize] - b[ya as usize] + f64::from(u8::from(ya == yb));
    residual
        * match kernel {
            VectorKernel::Exponential { width } => (-square.sqrt() / width).exp(),
            VectorKernel::TotalVariation { width } => (-0.5 * absolute / width).exp(),
            VectorKernel::Gaussian { gamma } => (-gamma * square).exp(),
        }
}

/// Biased and unbiased estimates from all pairs of rows.
///
/// Residuals are whole vectors: for two classes h = 2κ(y − p)(y′ − p′).
/// Source: Widmann, Lindsten and Zachariah (2019), table 1 (SKCE_b and SKCE_uq).
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`, `invalid_option` for a width that is not positive.
///
/// # Cost
/// O(n² m): half a second for 10,000 rows of 10 classes. For more rows take [`kce_block`], for two classes
/// [`kce_pair`].
pub fn kce(p: ArrayView2<f64>, y: &[u32], kernel: VectorKernel) -> Result<Kce> {
    check_labels(p.dim(), y)?;
    check_width(kernel)?;
    let (n, m) = p.dim();
    let values: Vec<f64> = p.iter().copied().collect();
    let row = |i: usize| &values[i * m..(i + 1) * m];
    let (mut off, mut diagonal) = (0.0, 0.0);
    for i in 0..n {
        diagonal += h(kernel, row(i), y[i], row(i), y[i]);
        let mut sum = 0.0;
        for j in 0..i {
            sum += h(kernel, row(i), y[i], row(j), y[j]);
        }
        off += sum;
    }
    Ok(estimates(2.0 * off, diagonal, n as f64))
}

fn estimates(off: f64, diagonal: f64, n: f64) -> Kce {
    Kce {
        biased: (off + diagonal) / (n * n),
        unbiased: (n > 1.0).then(|| off / (n * (n - 1.0))),
        diagonal: diagonal / n,
    }
}

/// Mean of the unbiased estimate over consecutive blocks of `size` ≥ 2 rows; an incomplete last block is dropped.
///
/// `None` with fewer rows than one block. Source and errors as [`kce`]. O(n·size·m).
pub fn kce_block(p: ArrayView2<f64>, y: &[u32], kernel: VectorKernel, size: usize) -> Result<Option<f64>> {
    check_labels(p.dim(), y)?;
    check_width(kernel)?;
    if size < 2 {
        return Err(Error::new(
            "invalid_option",
            format!("blocks of {size} rows; at least 2 are needed"),
            "Use blocks of 2 rows.",
        ));
    }
    let m = p.ncols();
    let (mut total, mut blocks) = (0.0, 0_usize);
    for (b, labels) in y.chunks_exact(size).enumerate() {
        let block: Vec<f64> = p.slice(s![b * size..(b + 1) * size, ..]).iter().copied().collect();
        let mut sum = 0.0;
        for i in 0..size {
            for j in 0..i {
                sum += h(kernel, &block[i * m..(i + 1) * m], labels[i], &block[j * m..(j + 1) * m], labels[j]);
            }
        }
        total += 2.0 * sum / (size * (size - 1)) as f64;
        blocks += 1;
    }
    Ok((blocks > 0).then(|| total / blocks as f64))
}

/// The same as [`kce`] on the vectors (1 − s, s) with an exponential kernel of |s − s′|·`rate`, in one sort.
///
/// ‖P − P′‖₂ = √2|s − s′|, so the exponential kernel of width ν is rate √2/ν; total variation is rate 1/ν.
/// Errors: `empty`, `length_mismatch`.
pub fn kce_pair(s: &[f64], t: &[u8], rate: f64) -> Result<Kce> {
    check_lengths(s.len(), t.len())?;
    let (mut before, mut off, mut diagonal, mut last) = (0.0, 0.0, 0.0, 0.0);
    for i in order::ascending(s) {
        let (score, r) = (s[i as usize], f64::from(t[i as usize]) - s[i as usize]);
        before *= (-(score - last) * rate).exp();
        last = score;
        off += 2.0 * r * before;
        diagonal += r * r;
        before += r;
    }
    Ok(estimates(2.0 * off, 2.0 * diagonal, s.len() as f64))
}

/// Kernel calibration error (biased): how far off, as whole vectors.
pub static KCE_BIASED: Metric = Metric {
    id: "kce_biased",
    name: "Kernel calibration error (biased)",
    plain: "kernel calibration error of the probability vector",
    definition: "Squared kernel calibration error of whole probability vectors, pairs with themselves included; exponential kernel, median bandwidth.",
    formula: "(1/n²) Σ_ij h_ij, h = k(P, P′)(e_y − P)·(e_y′ − P′)",
    source: "Widmann, Lindsten and Zachariah 2019",
    unit: "squared probability",
    value: ValueOf::Vectors(|rows| kce_of(rows, |error| Some(error.biased))),
    replicates: Replicates::Never,
    interval: Interval::None,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// Kernel calibration error (unbiased): the same without bias.
pub static KCE_UNBIASED: Metric = Metric {
    id: "kce_unbiased",
    name: "Kernel calibration error (unbiased)",
    plain: "the same, unbiased",
    definition: "Without pairs of a row with itself; may be negative.",
    formula: "Σ_{i≠j} h_ij / (n(n − 1))",
    source: "Widmann, Lindsten and Zachariah 2019",
    range: Range::Any,
    unit: "squared probability",
    value: ValueOf::Vectors(|rows| kce_of(rows, |error| error.unbiased)),
    replicates: Replicates::Never,
    interval: Interval::None,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// Kernel calibration error (blocks): the same in linear time.
pub static KCE_BLOCK: Metric = Metric {
    id: "kce_block",
    name: "Kernel calibration error (blocks)",
    plain: "the same in linear time",
    definition: "Mean of the unbiased estimate over consecutive pairs of rows.",
    formula: "(2/n) Σ_k h_{2k−1, 2k}",
    source: "Widmann, Lindsten and Zachariah 2019",
    range: Range::Any,
    unit: "squared probability",
    value: ValueOf::Vectors(|rows| {
        let kernel = median_kernel(rows)?;
        Ok(kce_block(rows.p, rows.y, kernel, 2)?.ok_or_else(two_rows))
    }),
    replicates: Replicates::Never,
    interval: Interval::None,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// Kernel errors look at every pair of rows: not beyond this many rows.
const MOST_PAIR_ROWS: usize = 20_000;

/// The kernel whose width is the median distance between rows.
fn median_kernel(rows: &ProbabilityRows) -> Result<VectorKernel> {
    let kernel = rows.shared(|| Ok(VectorKernel::Exponential { width: median_distance(rows.p) }))?;
    Ok(*kernel)
}

/// A kernel error over all pairs of rows, where there are not too many.
fn kce_of(rows: &ProbabilityRows, value: fn(&Kce) -> Option<f64>) -> Result<Value> {
    if rows.y.len() > MOST_PAIR_ROWS {
        return Ok(Err(Reason::undefined(format!(
            "uses every pair of rows: unavailable beyond {} rows; kce_block is available",
            thousands(MOST_PAIR_ROWS)
        ))));
    }
    let kernel = median_kernel(rows)?;
    let error = rows.shared(|| kce(rows.p, rows.y, kernel))?;
    Ok(value(&error).ok_or_else(two_rows))
}

fn two_rows() -> Reason {
    Reason::undefined("needs two rows")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{close, f8, matrix, near};
    use crate::metric::properties::{rows, split};
    use proptest::prelude::*;

    #[test]
    fn worked_values() {
        let (p, y) = f8();
        let p = p.to_array();
        let cases = [
            (
                VectorKernel::Exponential { width: 1.0 },
                0.025_097_168_563_333_48,
                -0.039_346_093_070_476_02,
                -0.185_346_60,
            ),
            (VectorKernel::TotalVariation { width: 1.0 }, 0.021_273_76, -0.043_715_70, -0.198_591_43),
            (VectorKernel::Gaussian { gamma: 0.5 }, 0.013_133_19, -0.053_019_21, -0.248_184_68),
        ];
        for (kernel, biased, unbiased, block) in cases {
            let k = kce(p.view(), &y, kernel).expect("valid");
            near(Some(k.biased), biased, 6e-9);
            near(k.unbiased, unbiased, 6e-9);
            near(kce_block(p.view(), &y, kernel, 2).expect("valid"), block, 6e-9);
        }
        let exact = kce(p.view(), &y, cases[0].0).expect("valid");
        close(Some(exact.biased), cases[0].1);
        close(exact.unbiased, cases[0].2);
        assert_eq!(
            kce(p.view(), &y, VectorKernel::Gaussian { gamma: 0.0 }).expect_err("no width").code(),
            "invalid_option"
        );
        assert_eq!(kce_block(p.view(), &y, cases[0].0, 1).expect_err("no pairs").code(), "invalid_option");
        assert!(median_distance(p.view()) > 0.3);
        assert_eq!(median_distance(matrix(2, vec![0.5; 8]).to_array().view()), 1.0);
    }

    proptest! {
        #[test]
        fn biased_unbiased_and_binary_agree(rows in rows(), width in 0.1..3.0_f64) {
            let (s, t, _) = split(&rows);
            let p = matrix(2, s.iter().flat_map(|&s| [1.0 - s, s]).collect()).to_array();
            let y: Vec<u32> = t.iter().map(|&t| u32::from(t)).collect();
            let n = s.len() as f64;
            for (kernel, rate) in [
                (VectorKernel::Exponential { width }, std::f64::consts::SQRT_2 / width),
                (VectorKernel::TotalVariation { width }, 1.0 / width),
            ] {
                let k = kce(p.view(), &y, kernel).expect("valid");
                prop_assert!(k.biased >= -1e-12);
                if let Some(unbiased) = k.unbiased {
                    prop_assert!((k.biased - ((n - 1.0) * unbiased + k.diagonal) / n).abs() < 1e-12);
                }
                let pair = kce_pair(&s, &t, rate).expect("valid");
                prop_assert!((pair.biased - k.biased).abs() < 1e-11 && (pair.diagonal - k.diagonal).abs() < 1e-12);
                // twice the scalar form
                let mut scalar = 0.0;
                for i in 0..s.len() {
                    for j in 0..s.len() {
                        scalar += (f64::from(t[i]) - s[i]) * (f64::from(t[j]) - s[j]) * (-(s[i] - s[j]).abs() * rate).exp();
                    }
                }
                prop_assert!((k.biased - 2.0 * scalar / (n * n)).abs() < 1e-11);
            }
        }
    }
}
