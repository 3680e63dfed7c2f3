//! Whether differences are symmetric about zero: the signed-rank test and the sign test.

use super::friedman::mid_ranks;
use crate::num::special::normal_two_sided;

/// Up to so many differences the distribution is counted out.
const EXACT: usize = 50;

/// Wilcoxon's signed-rank test of differences of independent pairs against a symmetric distribution round zero:
/// two-sided p.
///
/// Differences of zero are left out; T is the smaller of the two sums of the ranks of |d| (mean ranks where these are
/// tied). Up to 50 differences every choice of signs is counted, ties included; beyond, z = (T − n(n+1)/4) /
/// √(n(n+1)(2n+1)/24 − Σ(t³−t)/48). None without a difference that is not zero, or with one that is not finite. O(n³)
/// at most.
///
/// # Source
/// Wilcoxon (1945); Pratt and Gibbons (1981) on ties.
///
/// ```
/// // five of one sign: 2 / 2⁵
/// assert_eq!(localcal_numerics::hypothesis::signed_rank::signed_rank(&[0.1, 0.2, 0.3, 0.4, 0.6, 0.0]), Some(0.0625));
/// ```
pub fn signed_rank(differences: &[f64]) -> Option<f64> {
    if differences.iter().any(|d| !d.is_finite()) {
        return None;
    }
    let kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let n = kept.len();
    if n == 0 {
        return None;
    }
    let sizes: Vec<f64> = kept.iter().map(|d| d.abs()).collect();
    let ranks = mid_ranks(&sizes);
    let positive: f64 = kept.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, rank)| rank).sum();
    let all = 0.5 * (n * (n + 1)) as f64;
    let least = positive.min(all - positive);
    if n > EXACT {
        let mut sorted = ranks;
        sorted.sort_unstable_by(f64::total_cmp);
        let ties: f64 =
            sorted.chunk_by(|a, b| a == b).map(|tied| (tied.len() as f64).powi(3) - tied.len() as f64).sum();
        let count = n as f64;
        let variance = count * (count + 1.0) * (2.0 * count + 1.0) / 24.0 - ties / 48.0;
        return Some(normal_two_sided((0.5 * all - least) / variance.sqrt()).min(1.0));
    }
    // Ranks are multiples of one half: sums of twice the ranks are whole numbers, and how many choices of signs give
    // each is below 2⁵⁰, which is exact.
    let twice: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank).round() as usize).collect();
    let mut ways = vec![0.0_f64; n * (n + 1) + 1];
    if let Some(none) = ways.first_mut() {
        *none = 1.0;
    }
    for &rank in &twice {
        for sum in (rank..ways.len()).rev() {
            let before = ways.get(sum - rank).copied().unwrap_or(0.0);
            if let Some(slot) = ways.get_mut(sum) {
                *slot += before;
            }
        }
    }
    let tail: f64 = ways.iter().take((2.0 * least).round() as usize + 1).sum();
    Some((2.0 * tail / 2f64.powi(n as i32)).min(1.0))
}

/// The sign test: how likely as few of the less frequent sign are among n differences that are not zero, both signs
/// equally likely; two-sided p, exact.
///
/// p = min(1, 2 Σ_{i ≤ least} C(n, i) / 2ⁿ). None without a difference that is not zero, or with one that is no
/// number. O(n).
///
/// ```
/// // one of five against the others: 2 (1 + 5) / 32
/// let p = localcal_numerics::hypothesis::signed_rank::sign_test(&[0.1, 0.2, 0.3, 0.4, -0.6, 0.0]).unwrap();
/// assert!((p - 0.375).abs() < 1e-12);
/// ```
pub fn sign_test(differences: &[f64]) -> Option<f64> {
    if differences.iter().any(|d| d.is_nan()) {
        return None;
    }
    let positive = differences.iter().filter(|d| **d > 0.0).count();
    let negative = differences.iter().filter(|d| **d < 0.0).count();
    let n = positive + negative;
    if n == 0 {
        return None;
    }
    let mut term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for i in 0..=positive.min(negative) {
        tail += term.exp();
        term += ((n - i) as f64 / (i + 1) as f64).ln();
    }
    Some((2.0 * tail).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_and_everything() {
        assert_eq!(signed_rank(&[]), None);
        assert_eq!(signed_rank(&[0.0, 0.0]), None);
        assert_eq!(signed_rank(&[f64::NAN, 1.0]), None);
        assert_eq!(sign_test(&[0.0]), None);
        assert_eq!(sign_test(&[f64::NAN, 1.0]), None);
        assert_eq!(sign_test(&[1.0, -1.0]), Some(1.0));
        assert_eq!(signed_rank(&[1.0, -1.0]), Some(1.0));
    }
}
