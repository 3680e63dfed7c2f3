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
/// assert_eq!(localcal_numerics::hypothesis::multiplicity::holm(&[0.01, 0.03, 0.02]), [0.03, 0.04, 0.04]);
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

/// The level of each interval that belongs to Holm's test at `alpha`: an interval of confidence 1 − level leaves out zero
/// exactly where [`holm`] finds p < α.
///
/// α / (m − j + 1) for the j-th smallest p up to the first that is not rejected, and its level for all that follow; α for `NaN`
/// (no test). O(m log m). Source: Serlin (1993), "Confidence intervals and the scientific method: a case for Holm on the
/// range".
///
/// ```
/// // 3 · 0.01 < .05, 2 · 0.03 is not: what follows is held to the same
/// assert_eq!(localcal_numerics::hypothesis::multiplicity::holm_levels(&[0.04, 0.01, 0.03], 0.05), [0.025, 0.05 / 3.0, 0.025]);
/// ```
pub fn holm_levels(p: &[f64], alpha: f64) -> Vec<f64> {
    let (order, m) = tested(p);
    let mut out = vec![alpha; p.len()];
    let mut open = true;
    let mut level = alpha;
    for (rank, &i) in order.iter().enumerate() {
        if open {
            level = alpha / (m - rank) as f64;
            open = p[i] < level;
        }
        out[i] = level;
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
/// let found = localcal_numerics::hypothesis::multiplicity::benjamini_hochberg(&[0.01, 0.5, 0.03, 0.02]);
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
    fn intervals_leave_out_zero_where_holm_rejects() {
        let lists: [&[f64]; 4] =
            [&[0.04, 0.001, 0.03, 0.5, 0.012], &[0.01, 0.02, 0.049], &[0.2, f64::NAN, 0.01], &[0.026, 0.027, 0.9]];
        for p in lists {
            for ((corrected, level), p) in holm(p).iter().zip(holm_levels(p, 0.05)).zip(p) {
                assert_eq!(*corrected < 0.05, *p < level, "{p}");
            }
        }
    }

    #[test]
    fn no_test_counts_for_none() {
        close(&holm(&[0.02, f64::NAN, 0.6]), &[0.04, f64::NAN, 0.6]);
        close(&benjamini_hochberg(&[]), &[]);
    }
}
