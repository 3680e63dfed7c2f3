//! Whether the mean ranks of methods over data sets differ.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use crate::num::order::{ascending, equal_blocks};

/// Ranks of k methods over N data sets, and Friedman's test that all of them are equal.
#[derive(Debug, Clone, PartialEq)]
pub struct Friedman {
    /// mean rank of each method, 1 the best
    pub mean_ranks: Vec<f64>,
    /// χ²_F, corrected for ties
    pub chi2: f64,
    /// k − 1
    pub freedom: f64,
    /// P(χ² ≥ χ²_F)
    pub p: f64,
    /// Iman and Davenport's F, with k − 1 and (k − 1)(N − 1) degrees of freedom; infinite where every data set ranks
    /// them in the same order
    pub f: f64,
    /// of F: less conservative than that of χ²
    pub p_f: f64,
}

/// Ranks of some values, 1 the smallest; equal values share the mean of their ranks. O(k).
///
/// ```
/// assert_eq!(localcal_numerics::hypothesis::friedman::mid_ranks(&[0.3, 0.1, 0.3]), [2.5, 1.0, 2.5]);
/// ```
pub fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let order = ascending(values);
    let mut ranks = vec![0.0; values.len()];
    for block in equal_blocks(values, &order) {
        let rank = 0.5 * (block.start + 1 + block.end) as f64;
        for &place in order.get(block).unwrap_or_default() {
            if let Some(slot) = ranks.get_mut(place as usize) {
                *slot = rank;
            }
        }
    }
    ranks
}

/// Mean rank of each of k methods over the data sets, 1 the smallest value; empty without data sets. O(N k).
pub fn mean_ranks(blocks: &[Vec<f64>]) -> Vec<f64> {
    let mut sums = vec![0.0; blocks.first().map_or(0, Vec::len)];
    for block in blocks {
        for (sum, rank) in sums.iter_mut().zip(mid_ranks(block)) {
            *sum += rank;
        }
    }
    sums.iter().map(|sum| sum / blocks.len() as f64).collect()
}

/// Friedman's test over N data sets (`blocks`), each with a value of every one of k methods, smaller the better.
///
/// χ²_F = [12/(N k (k + 1)) Σ_j R_j² − 3 N (k + 1)] / (1 − Σ ties (t³ − t) / (N k (k² − 1))), R_j the sum of the ranks
/// of method j; F = (N − 1) χ²_F / (N (k − 1) − χ²_F). None for fewer than two data sets or three methods (a sign or a
/// signed-rank test is the test of two), for blocks that are not of one length, for values that are not finite, and
/// where every value is tied. O(N k).
///
/// # Source
/// Friedman (1937); Iman and Davenport (1980); Demšar (2006), "Statistical comparisons of classifiers over multiple
/// data sets", section 3.2.2.
pub fn friedman(blocks: &[Vec<f64>]) -> Option<Friedman> {
    let methods = blocks.first()?.len();
    let whole = |block: &Vec<f64>| block.len() == methods && block.iter().all(|v| v.is_finite());
    if blocks.len() < 2 || methods < 3 || !blocks.iter().all(whole) {
        return None;
    }
    let (n, k) = (blocks.len() as f64, methods as f64);
    let mean_ranks = mean_ranks(blocks);
    let ties: f64 = blocks
        .iter()
        .map(|block| {
            let order = ascending(block);
            equal_blocks(block, &order).map(|tied| (tied.len() as f64).powi(3) - tied.len() as f64).sum::<f64>()
        })
        .sum();
    let untied = 1.0 - ties / (n * k * (k * k - 1.0));
    if untied <= 0.0 {
        return None;
    }
    let squares: f64 = mean_ranks.iter().map(|rank| (rank * n).powi(2)).sum();
    let chi2 = ((12.0 / (n * k * (k + 1.0)) * squares - 3.0 * n * (k + 1.0)) / untied).max(0.0);
    let freedom = k - 1.0;
    let p = ChiSquared::new(freedom).ok()?.sf(chi2);
    let rest = n * freedom - chi2;
    // rounding must not turn the same order everywhere into an enormous number of either sign
    let (f, p_f) = if rest <= 1e-9 * n * freedom {
        (f64::INFINITY, 0.0)
    } else {
        let f = (n - 1.0) * chi2 / rest;
        (f, FisherSnedecor::new(freedom, freedom * (n - 1.0)).ok()?.sf(f))
    };
    Some(Friedman { mean_ranks, chi2, freedom, p, f, p_f })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_6_of_demsar() {
        // mean ranks 3.143, 2.000, 2.893, 1.964 over 14 data sets: χ² = 9.28, F = 3.69
        let table = [
            [0.763, 0.768, 0.771, 0.798],
            [0.599, 0.591, 0.590, 0.569],
            [0.954, 0.971, 0.968, 0.967],
            [0.628, 0.661, 0.654, 0.657],
            [0.882, 0.888, 0.886, 0.898],
            [0.936, 0.931, 0.916, 0.931],
            [0.661, 0.668, 0.609, 0.685],
            [0.583, 0.583, 0.563, 0.625],
            [0.775, 0.838, 0.866, 0.875],
            [1.000, 1.000, 1.000, 1.000],
            [0.940, 0.962, 0.965, 0.962],
            [0.619, 0.666, 0.614, 0.669],
            // printed equal, and ranked 2 and 3
            [0.972, 0.981, 0.9751, 0.975],
            [0.957, 0.978, 0.946, 0.970],
        ];
        let blocks: Vec<Vec<f64>> = table.iter().map(|row| row.iter().map(|v| -v).collect()).collect();
        let found = friedman(&blocks).expect("a test");
        for (rank, printed) in found.mean_ranks.iter().zip([3.143, 2.000, 2.893, 1.964]) {
            assert!((rank - printed).abs() < 5e-4, "{:?}", found.mean_ranks);
        }
        // The paper leaves ties uncorrected: 9.28; corrected, as SciPy does, it is larger.
        assert!(found.chi2 > 9.28 && found.p < 0.05 && found.p_f < 0.05, "{found:?}");
    }

    #[test]
    fn nothing_to_test_and_nothing_but_one_order() {
        assert_eq!(friedman(&[]), None);
        assert_eq!(friedman(&[vec![1.0, 2.0, 3.0]]), None);
        assert_eq!(friedman(&[vec![1.0, 2.0], vec![2.0, 1.0]]), None);
        assert_eq!(friedman(&[vec![1.0; 3], vec![2.0; 3]]), None);
        assert_eq!(friedman(&[vec![1.0, 2.0, f64::NAN], vec![1.0, 2.0, 3.0]]), None);
        assert_eq!(friedman(&[vec![1.0, 2.0, 3.0], vec![1.0, 2.0]]), None);
        let same = friedman(&[vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 9.0]]).expect("a test");
        assert_eq!((same.f, same.p_f, same.chi2), (f64::INFINITY, 0.0, 4.0));
    }
}
