//! Many tests at once: p-values that keep what one test promises.

use crate::num::order::ascending;

/// Holm's step-down p-values: below α, the chance that even one of the true hypotheses is rejected is at most α,
/// however the tests depend on each other.
///
/// p₍ᵢ₎ ← max over j ≤ i of min(1, (m − j + 1) p₍ⱼ₎), in the order of the p-values given; `NaN` (no test) is passed over.
/// O(m log m). Source: Holm (1979), "A simple sequentially rejective multiple test procedure".
///
/// ```
/// // 3 · 0.01; 2 · 0.02; max(0.04, 1 · 0.03)
/// assert_eq!(localcal::hypothesis::multiplicity::holm(&[0.01, 0.03, 0.02]), [0.03, 0.04, 0.04]);
/// ```
pub fn holm(p: &[f64]) -> Vec<f64> {
    let (order, m) = tested(p);
    let mut out = p.to_vec();
    let mut most = 0.0_f64;
    for (rank, &i) in order.iter().enumerate() {
        most = most.max(((m - rank) as f64 * p[i]).min(1.0));
        out[i] = most;
    }
    out
}

/// Benjamini and Hochberg's step-up p-values: among those below α, an expected share of at most α is chance, for
/// independent or positively dependent tests.
///
/// p₍ᵢ₎ ← min over j ≥ i of min(1, m p₍ⱼ₎ / j). O(m log m).
/// Source: Benjamini and Hochberg (1995), "Controlling the false discovery rate".
///
/// ```
/// // 4/1 · 0.01; min(4/2 · 0.04, 4/3 · 0.03); 4/4 · 0.5
/// let found = localcal::hypothesis::multiplicity::benjamini_hochberg(&[0.01, 0.5, 0.03, 0.02]);
/// assert_eq!(found, [0.04, 0.5, 0.04, 0.04]);
/// ```
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let (order, m) = tested(p);
    let mut out = p.to_vec();
    let mut least = 1.0_f64;
    for (rank, &i) in order.iter().enumerate().rev() {
        least = least.min(m as f64 * p[i] / (rank + 1) as f64);
        out[i] = least;
    }
    out
}

/// Places of the p-values by size, and their number.
fn tested(p: &[f64]) -> (Vec<usize>, usize) {
    let order: Vec<usize> = ascending(p).into_iter().map(|i| i as usize).filter(|&i| !p[i].is_nan()).collect();
    let m = order.len();
    (order, m)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-12 || (a.is_nan() && b.is_nan()), "{found:?}");
        }
    }

    #[test]
    fn as_statsmodels_multipletests() {
        let p = [0.04, 0.001, 0.03, 0.5, 0.012];
        close(&holm(&p), &[0.09, 0.005, 0.09, 0.5, 0.048]);
        close(&benjamini_hochberg(&p), &[0.05, 0.005, 0.05, 0.5, 0.03]);
    }

    #[test]
    fn no_test_counts_for_none() {
        close(&holm(&[0.02, f64::NAN, 0.6]), &[0.04, f64::NAN, 0.6]);
        close(&benjamini_hochberg(&[]), &[]);
    }
}
