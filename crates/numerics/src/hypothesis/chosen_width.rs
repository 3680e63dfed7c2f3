//! A width of the kernel that sees most: chosen on rows that take no part in the test.

use super::{KlceSample, PairSums};
use crate::error::Result;

/// Rows whose pairs are looked at, at most.
const ROWS: usize = 3000;
/// Candidates are the start times 4 to the powers −STEPS … STEPS.
const STEPS: i32 = 3;

/// Of γ₀ 4⁻³ … γ₀ 4³ the one with the largest T / sd₀(T), sd₀² = 2 Σ_{i≠j} K_ij² v_i v_j, v = Σ_c P_c (1 − P_c): that
/// ratio drives the power of the test. It may be used only on other rows than those of `sample`.
///
/// * `sample`: the rows that choose, under a γ
///
/// # Errors
/// Those of `sample`.
///
/// # Cost
/// Seven times the pairs of 3,000 rows at most.
pub fn powerful_gamma(start: f64, sample: impl Fn(f64) -> Result<KlceSample>) -> Result<f64> {
    let mut best = (f64::NEG_INFINITY, start);
    for step in -STEPS..=STEPS {
        let gamma = start * 4.0_f64.powi(step);
        let ratio = ratio(&sample(gamma)?);
        if ratio > best.0 {
            best = (ratio, gamma);
        }
    }
    Ok(best.1)
}

/// T / sd₀ over the pairs of evenly spaced rows.
fn ratio(sample: &KlceSample) -> f64 {
    let (n, planes) = (sample.n(), sample.planes());
    let taken = n.min(ROWS);
    let rows: Vec<usize> = (0..taken).map(|k| k * n / taken).collect();
    let e = sample.residuals();
    let row = |i: usize| &e[i * planes..(i + 1) * planes];
    let spread: Vec<f64> = sample.p().chunks_exact(planes).map(|p| p.iter().map(|p| p * (1.0 - p)).sum()).collect();
    let mut sums = PairSums::default();
    for (a, &i) in rows.iter().enumerate() {
        for &j in &rows[..a] {
            let k = sample.kernel(i, j);
            let product: f64 = row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum();
            sums.statistic += 2.0 * k * product;
            sums.squares += 4.0 * k * k * spread[i] * spread[j];
        }
    }
    if sums.squares > 0.0 { sums.statistic / sums.squares.sqrt() } else { f64::NEG_INFINITY }
}

#[cfg(test)]
mod tests {
    use super::super::{KlceKernel, tests::sample};
    use super::*;

    /// An error that changes sign every eight units of x needs a kernel narrower than that, but not by much.
    #[test]
    fn finds_the_scale_of_the_error() {
        let n = 1200;
        let x: Vec<f64> = (0..n).map(|i| 40.0 * f64::from(i) / f64::from(n)).collect();
        let y: Vec<u8> = x
            .iter()
            .enumerate()
            .map(|(i, x)| u8::from((i % 10) < if (*x as u32 / 8).is_multiple_of(2) { 8 } else { 2 }))
            .collect();
        let p = vec![0.5; n as usize];
        let wide = super::super::median_gamma(crate::kernel::Points::row_major(1, &x).expect("places"));
        let made = |gamma| {
            let kernel = KlceKernel { width_p: 0.1, gamma };
            Ok(sample(&p, &y, &x, 1, kernel))
        };
        let start = wide.expect("a start");
        let found = powerful_gamma(start, made).expect("a width");
        assert!((3.0..20.0).contains(&(found / start)), "{found} {start}");
    }
}
