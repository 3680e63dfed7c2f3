//! Test of calibration over all rows.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::EXACT_ROWS;
use super::basis::{ScoreBasis, log_odds};
use super::dependence::Dependence;
use super::redraw::{CHUNK, DataSets, Redraws, TOGETHER};
use crate::num::cluster::{ClusteredDraws, RowClusters, cluster_variance, correlated_variance, small_sample_factor};
use crate::num::outcome_correlation::outcome_correlation;
use crate::num::rng::bernoulli_threshold;
use crate::num::weight::{RowWeights, Sampling, total_weight, weight};

/// Redraws behind the p-value.
pub const OVERALL_REDRAWS: usize = 999;
/// Streams of the seed that belong to this test.
const STREAM: u64 = 1 << 40;

/// Test of t ~ Bernoulli(s) against any smooth recalibration function of the score.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ScoreTest {
    /// T = Uᵀ I⁻¹ U with U = Σ w x (t − s), I = Σ w² s(1 − s) x xᵀ, x the row of `ScoreBasis`
    pub statistic: f64,
    /// columns of the basis
    pub freedom: usize,
    /// p-value of T under calibration
    pub p: f64,
}

impl ScoreTest {
    /// Mean error, in standard errors under calibration, that is detected with 80% power at this level: √λ with
    /// P(χ²(freedom, λ) > χ²₁₋ₐ(freedom)) = 0.8. O(1).
    ///
    /// An error that is the same at every score lies in one of the `freedom` directions of the test.
    pub fn detectable(&self, level: f64) -> f64 {
        let freedom = self.freedom.max(1) as f64;
        let Ok(critical) = ChiSquared::new(freedom).map(|chi| chi.inverse_cdf(1.0 - level)) else { return f64::NAN };
        // Σ Poisson(j; λ/2) P(χ²(freedom + 2j) > c)
        let power = |lambda: f64| {
            let (mut weight, mut sum) = ((-lambda / 2.0).exp(), 0.0);
            for j in 0..200 {
                let above = ChiSquared::new(freedom + 2.0 * f64::from(j)).map_or(0.0, |chi| chi.sf(critical));
                sum += weight * above;
                weight *= lambda / 2.0 / f64::from(j + 1);
            }
            sum
        };
        let (mut low, mut high) = (0.0, 100.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if power(middle) < 0.8 { low = middle } else { high = middle }
        }
        (0.5 * (low + high)).sqrt()
    }
}

/// Score test of overall calibration: t ~ Bernoulli(s) against log-odds in the span of `ScoreBasis`.
///
/// Up to [`EXACT_ROWS`] rows p = (1 + #{T* ≥ T}) / (B + 1) over B = 999 outcomes redrawn from the scores. Above, the sums
/// are approximately normal and p is that of χ² with one degree of freedom per column.
///
/// With clusters, outcomes are redrawn with the correlation of the residuals within clusters, and above [`EXACT_ROWS`]
/// rows I is Σ_c U_c U_cᵀ over clusters.
///
/// * `s`: scores, n; `t`: 0 or 1, n; `w`: w ≥ 0, n
/// * `clusters`: of each row, with their number; none: rows are independent
/// * `stream`: of the redraws
///
/// # Cost
/// O(n B).
///
/// # Source
/// Cox (1958); Rao (1948).
pub fn score_test(
    s: &[f64],
    t: &[u8],
    w: RowWeights,
    clusters: Option<(&[u32], usize)>,
    seed: u64,
    stream: u64,
) -> ScoreTest {
    match Dependence::new(clusters, t, s) {
        Some(dependence) if s.len() > EXACT_ROWS => by_clusters(s, t, w, &dependence),
        dependence => {
            let draws = dependence.as_ref().map(Dependence::draws);
            ScoreTests::redrawn(s, w, false, draws.as_ref(), seed, stream).test(t)
        }
    }
}

/// Mean error of some rows, and its standard error under calibration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanError {
    /// Σ w (t − s) / Σ w in standard errors; 0 where the sum is. The standard error is that under calibration or that of the
    /// residuals t − s, whichever is larger: outcomes vary more about scores that are too extreme than these imply, so that
    /// their mean error may be none.
    pub z: f64,
    /// √(Σ w² s(1 − s)) / Σ w, of clusters with the correlation of their outcomes
    pub standard_error: f64,
}

/// The mean error. O(n).
///
/// * `s`, `t`, `w`, `clusters`: as for [`score_test`]; `counted`: weights are numbers of rows
pub fn mean_error(s: &[f64], t: &[u8], w: RowWeights, counted: bool, clusters: Option<RowClusters>) -> MeanError {
    let each = || s.iter().zip(t).enumerate();
    let sum: f64 = each().map(|(i, (s, &t))| weight(w, i) * (f64::from(t) - s)).sum();
    let variance: f64 = match clusters {
        Some(clusters) => {
            let icc = outcome_correlation(s, t, clusters.of, clusters.count);
            correlated_variance(each().map(|(i, (s, _))| weight(w, i) * (s * (1.0 - s)).max(0.0).sqrt()), clusters, icc)
        }
        None => {
            let sampling = Sampling { clusters: None, counted };
            each().map(|(i, (s, _))| sampling.variance(weight(w, i)) * s * (1.0 - s)).sum()
        }
    };
    let total = total_weight(w, s.len());
    let residuals = || each().map(|(i, (s, &t))| (weight(w, i), f64::from(t) - s - sum / total));
    let observed = match clusters {
        Some(clusters) => cluster_variance(residuals().map(|(w, r)| w * r), clusters.of, clusters.count),
        None => {
            let sampling = Sampling { clusters: None, counted };
            residuals().map(|(w, r)| sampling.variance(w) * r * r).sum()
        }
    };
    // without any variance every difference is significant
    let z = if sum == 0.0 { 0.0 } else { sum / variance.max(observed).sqrt() };
    MeanError { z, standard_error: variance.sqrt() / total }
}

/// [`score_test`] of rows that were counted beforehand, row i `counts[i]` times: by χ² for any number of rows.
///
/// # Cost
/// O(n).
pub fn score_test_of_counts(s: &[f64], t: &[u8], counts: &[f64]) -> ScoreTest {
    ScoreTests::redrawn(s, Some(counts), true, None, 0, 0).test(t)
}

/// T = Uᵀ (G/(G − 1) Σ_c U_c U_cᵀ)⁻¹ U over G clusters, by χ².
fn by_clusters(s: &[f64], t: &[u8], w: RowWeights, dependence: &Dependence) -> ScoreTest {
    let l = log_odds(s);
    let basis = ScoreBasis::new(&l, |i| weight(w, i) * s[i] * (1.0 - s[i]));
    let d = basis.len();
    let (mut row, mut of_clusters) = (vec![0.0; d], vec![0.0; d * dependence.count]);
    for (i, cluster) in dependence.of.iter().enumerate() {
        basis.fill(l[i], &mut row);
        let r = weight(w, i) * (f64::from(t[i]) - s[i]);
        let sums = of_clusters[*cluster as usize * d..].iter_mut();
        sums.zip(&row).for_each(|(sum, x)| *sum += r * x);
    }
    let mut u = DVector::<f64>::zeros(d);
    let mut information = DMatrix::<f64>::zeros(d, d);
    for of_cluster in of_clusters.chunks_exact(d.max(1)) {
        let of_cluster = DVector::from_row_slice(of_cluster);
        information += small_sample_factor(dependence.count) * &of_cluster * of_cluster.transpose();
        u += of_cluster;
    }
    let Some(factor) = information.cholesky().filter(|_| d > 0) else {
        return ScoreTest { statistic: 0.0, freedom: d, p: 1.0 };
    };
    let found = statistic(&factor, &u);
    ScoreTest { statistic: found, freedom: d, p: ChiSquared::new(d as f64).map_or(1.0, |chi| chi.sf(found)) }
}

/// The score test of any outcomes of the same scores, which share their redraws.
pub struct ScoreTests<'a> {
    s: &'a [f64],
    w: RowWeights<'a>,
    /// ℓ
    l: Vec<f64>,
    basis: ScoreBasis,
    /// I; none where it is singular
    factor: Option<Cholesky<f64, Dyn>>,
    /// T* of every redraw, ascending; none where p is that of χ²
    redrawn: Option<Vec<f64>>,
}

impl<'a> ScoreTests<'a> {
    /// * `s`, `w`, `seed`, `stream`: as for [`score_test`]
    ///
    /// # Cost
    /// O(n B).
    pub fn new(s: &'a [f64], w: RowWeights<'a>, seed: u64, stream: u64) -> Self {
        Self::redrawn(s, w, false, None, seed, stream)
    }

    /// * `counted`: weights are numbers of rows: their variances add up, and p is that of χ²
    fn redrawn(
        s: &'a [f64],
        w: RowWeights<'a>,
        counted: bool,
        draws: Option<&ClusteredDraws>,
        seed: u64,
        stream: u64,
    ) -> Self {
        let l = log_odds(s);
        let spread = |i: usize| s[i] * (1.0 - s[i]);
        let information = |i: usize| weight(w, i) * spread(i);
        let basis = match w.filter(|_| counted) {
            Some(counts) => ScoreBasis::of_counts(&l, counts, information),
            None => ScoreBasis::new(&l, information),
        };
        let d = basis.len();
        let n = s.len();
        // w x of every row, where outcomes are redrawn
        let redrawn = n <= EXACT_ROWS && !counted;
        let (mut x, mut row) = (Vec::with_capacity(if redrawn { n * d } else { 0 }), vec![0.0; d]);
        let mut expected = vec![0.0; d];
        let mut information = DMatrix::<f64>::zeros(d, d);
        for i in 0..n {
            basis.fill(l[i], &mut row);
            let w = weight(w, i);
            for j in 0..d {
                let wx = w * row[j];
                if redrawn {
                    x.push(wx);
                }
                expected[j] += wx * s[i];
                for k in 0..=j {
                    information[(j, k)] += if counted { wx } else { wx * w } * row[k] * spread(i);
                }
            }
        }
        information.fill_upper_triangle_with_lower_triangle();
        let factor = if d > 0 { information.cholesky() } else { None };
        let drawn = factor
            .as_ref()
            .filter(|_| redrawn)
            .map(|factor| redraws((s, &x), &expected, factor, (draws, seed, stream)));
        Self { s, w, l, basis, factor, redrawn: drawn }
    }

    /// The test of outcomes `t`.
    ///
    /// # Cost
    /// O(n).
    pub fn test(&self, t: &[u8]) -> ScoreTest {
        let (s, d) = (self.s, self.basis.len());
        if d == 0 {
            // If all scores are 0 or 1, an incorrect one has probability 0.
            let wrong = s.iter().zip(t).any(|(s, &t)| *s != f64::from(t));
            return ScoreTest {
                statistic: 0.0,
                freedom: 0,
                p: if wrong { 1.0 / (OVERALL_REDRAWS + 1) as f64 } else { 1.0 },
            };
        }
        let Some(factor) = &self.factor else {
            return ScoreTest { statistic: 0.0, freedom: d, p: 1.0 };
        };
        let (mut u, mut row) = (DVector::<f64>::zeros(d), vec![0.0; d]);
        for (i, (&l, (&s, &t))) in self.l.iter().zip(s.iter().zip(t)).enumerate() {
            self.basis.fill(l, &mut row);
            let w = weight(self.w, i);
            for (u, x) in u.iter_mut().zip(&row) {
                *u += w * x * (f64::from(t) - s);
            }
        }
        let observed = statistic(factor, &u);
        let p = match &self.redrawn {
            None => ChiSquared::new(d as f64).map_or(1.0, |chi| chi.sf(observed)),
            Some(drawn) => {
                // Numbers that differ by rounding only are the same.
                let enough = observed * (1.0 - 1e-9);
                let reached = drawn.len() - drawn.partition_point(|drawn| *drawn < enough);
                (1 + reached) as f64 / (OVERALL_REDRAWS + 1) as f64
            }
        };
        ScoreTest { statistic: observed, freedom: d, p }
    }
}

/// Uᵀ I⁻¹ U.
fn statistic(factor: &Cholesky<f64, Dyn>, u: &DVector<f64>) -> f64 {
    u.dot(&factor.solve(u))
}

/// T* of outcomes redrawn from the scores, ascending.
///
/// * `x`: w x of every row, n × d; `expected`: Σ w x s
fn redraws(
    (s, x): (&[f64], &[f64]),
    expected: &[f64],
    factor: &Cholesky<f64, Dyn>,
    (draws, seed, stream): (Option<&ClusteredDraws>, u64, u64),
) -> Vec<f64> {
    let (n, d) = (s.len(), expected.len());
    let thresholds: Vec<i32> = s.iter().map(|&s| bernoulli_threshold(s)).collect();
    let mut found = Vec::with_capacity(OVERALL_REDRAWS);
    for first in (0..OVERALL_REDRAWS).step_by(TOGETHER) {
        let mut redraws =
            Redraws::new(&thresholds, draws, seed, STREAM + stream * OVERALL_REDRAWS as u64 + first as u64);
        let mut sums = vec![[0.0; TOGETHER]; d];
        for start in (0..n).step_by(CHUNK) {
            for (drawn, x) in redraws.chunk(start).iter().zip(x[start * d..].chunks_exact(d)) {
                let drawn = drawn.map(f64::from);
                for (sums, x) in sums.iter_mut().zip(x) {
                    for (sum, t) in sums.iter_mut().zip(drawn) {
                        *sum += x * t;
                    }
                }
            }
        }
        let drawn =
            (0..TOGETHER.min(OVERALL_REDRAWS - first)).map(|k| DVector::from_fn(d, |j, _| sums[j][k] - expected[j]));
        found.extend(drawn.map(|u| statistic(factor, &u)));
    }
    found.sort_unstable_by(f64::total_cmp);
    found
}
