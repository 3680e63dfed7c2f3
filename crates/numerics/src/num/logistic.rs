//! Unpenalized logistic regression with standard errors.

use nalgebra::DMatrix;

use super::cluster::{RowClusters, small_sample_factor};
use super::optimize::{Solution, newton_over_rows};
use super::special::{log_loss_of_log_odds, sigmoid};
use super::weight::Sampling;

/// A maximum-likelihood fit of P(t = 1) = σ(offset + β₀ + Σ βⱼ xⱼ).
#[derive(Debug, Clone, PartialEq)]
pub struct Logistic {
    /// β₀ (the intercept), β₁, …
    pub coefficients: Vec<f64>,
    /// square roots of the diagonal of the inverse Fisher information
    pub standard_errors: Vec<f64>,
    /// square roots of the diagonal of H⁻¹ (Σ w² (t − p)² x xᵀ) H⁻¹, H the information: right whether or not the log-odds are
    /// linear, and where weights are not numbers of rows (Huber, 1967; White, 1982; HC0); of rows
    /// in clusters their scores are summed first, with G/(G − 1) for G clusters
    pub robust_errors: Vec<f64>,
    /// mean log-likelihood, nats
    pub log_likelihood: f64,
}

/// Fits by Newton's method (iteratively reweighted least squares).
///
/// * `covariates`: columns of length n, without the intercept; `offset`: fixed part of the log-odds
/// * `None` where the maximum does not exist or is not unique: one kind of outcome, separated outcomes, covariates
///   that depend on each other
///
/// O(n d²) a step, about 6 steps. Source: McCullagh and Nelder (1989), section 4.4.
///
/// ```
/// use localcal_numerics::num::logistic::logistic;
///
/// // 1 of 4 where x = 0, 3 of 4 where x = 1: the log-odds rise from −ln 3 by 2 ln 3
/// let x = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
/// let fit = logistic(&[&x], None, &[1, 0, 0, 0, 1, 1, 1, 0]).unwrap();
/// assert!((fit.coefficients[0] + f64::ln(3.0)).abs() < 1e-9);
/// assert!((fit.coefficients[1] - 2.0 * f64::ln(3.0)).abs() < 1e-9);
/// // variance of the first 1/1 + 1/3
/// assert!((fit.standard_errors[0] - (4.0_f64 / 3.0).sqrt()).abs() < 1e-6);
/// ```
pub fn logistic(covariates: &[&[f64]], offset: Option<&[f64]>, t: &[u8]) -> Option<Logistic> {
    weighted_logistic(covariates, offset, t, None)
}

/// [`logistic`] that maximizes Σ w ln P(tᵢ), as if row i stood there wᵢ times.
///
/// * `w`: length n, above 0
pub fn weighted_logistic(
    covariates: &[&[f64]],
    offset: Option<&[f64]>,
    t: &[u8],
    w: Option<&[f64]>,
) -> Option<Logistic> {
    clustered_logistic(covariates, offset, t, w, Sampling::default())
}

/// Weighted mean and standard deviation of each covariate; `None` where one does not vary.
fn scales(covariates: &[&[f64]], weight: impl Fn(usize) -> f64, total: f64) -> Option<Vec<(f64, f64)>> {
    let scale = |x: &&[f64]| {
        let sum = |f: &dyn Fn(f64) -> f64| -> f64 { x.iter().enumerate().map(|(i, &v)| weight(i) * f(v)).sum() };
        let mean = sum(&|v| v) / total;
        (mean, (sum(&|v| (v - mean).powi(2)) / total).sqrt())
    };
    let scales: Vec<(f64, f64)> = covariates.iter().map(scale).collect();
    scales.iter().all(|(mean, sd)| sd.is_finite() && *sd > 1e-14 * mean.abs()).then_some(scales)
}

/// A logistic model of centered and scaled covariates, which keep the Newton steps well conditioned.
struct Scaled<'a> {
    covariates: &'a [&'a [f64]],
    offset: Option<&'a [f64]>,
    /// mean and standard deviation of each covariate
    scales: Vec<(f64, f64)>,
}

impl Scaled<'_> {
    /// The number of coefficients.
    fn d(&self) -> usize {
        self.covariates.len() + 1
    }

    /// The log odds of row i, whose scaled covariates are written to `row` behind its 1 for the intercept.
    #[inline]
    fn log_odds(&self, i: usize, beta: &[f64], row: &mut [f64]) -> f64 {
        for (j, (x, (mean, sd))) in self.covariates.iter().zip(&self.scales).enumerate() {
            row[j + 1] = (x[i] - mean) / sd;
        }
        self.offset.map_or(0.0, |o| o[i]) + row.iter().zip(beta).map(|(x, b)| x * b).sum::<f64>()
    }

    /// A of β = A γ: coefficients γ of scaled covariates on the scale of the covariates.
    fn back(&self) -> DMatrix<f64> {
        let mut back = DMatrix::<f64>::identity(self.d(), self.d());
        for (j, (mean, sd)) in self.scales.iter().enumerate() {
            back[(j + 1, j + 1)] = 1.0 / sd;
            back[(0, j + 1)] = -mean / sd;
        }
        back
    }

    /// Σ over clusters, or rows, of the square of their score, the gradient of their log-likelihood.
    fn squared_scores(
        &self,
        t: &[u8],
        beta: &[f64],
        weight: impl Fn(usize) -> f64,
        sampling: Sampling,
    ) -> DMatrix<f64> {
        let (d, clusters) = (self.d(), sampling.clusters);
        let mut row = vec![1.0; d];
        let mut scores = DMatrix::<f64>::zeros(d, d);
        let mut of_clusters = DMatrix::<f64>::zeros(d, clusters.map_or(0, |clusters| clusters.count));
        for (i, &t) in t.iter().enumerate() {
            let eta = self.log_odds(i, beta, &mut row);
            // squared, what one row adds, or as many rows as a count says
            let root = if sampling.counted { weight(i).sqrt() } else { weight(i) };
            let residual = root * (f64::from(t) - sigmoid(eta));
            match clusters.and_then(|clusters| clusters.of.get(i)).filter(|c| (**c as usize) < of_clusters.ncols()) {
                Some(&c) => (0..d).for_each(|j| of_clusters[(j, c as usize)] += residual * row[j]),
                None => {
                    for j in 0..d {
                        for k in 0..d {
                            scores[(j, k)] += residual * residual * row[j] * row[k];
                        }
                    }
                }
            }
        }
        match clusters {
            Some(RowClusters { count, .. }) => &of_clusters * of_clusters.transpose() * small_sample_factor(count),
            None => scores,
        }
    }
}

/// [`weighted_logistic`] with cluster-robust standard errors: the square roots of the diagonal of
/// G/(G − 1) I⁻¹ (Σ_c u_c u_cᵀ) I⁻¹, I the Fisher information, u_c = Σ_{i∈c} wᵢ (tᵢ − pᵢ) xᵢ. Coefficients are the same.
///
/// Source: Liang and Zeger (1986). statsmodels' `cov_type="cluster"` multiplies by (n − 1)/(n − d) besides.
///
/// * `sampling`: clusters of the n rows, or weights that are numbers of rows
pub fn clustered_logistic(
    covariates: &[&[f64]],
    offset: Option<&[f64]>,
    t: &[u8],
    w: Option<&[f64]>,
    sampling: Sampling,
) -> Option<Logistic> {
    let (n, d) = (t.len(), covariates.len() + 1);
    let events = t.iter().filter(|&&t| t == 1).count();
    let lengths = covariates.iter().chain(&offset).chain(&w).map(|x| x.len());
    if events == 0 || events == n || lengths.into_iter().any(|length| length != n) {
        return None;
    }
    if covariates.iter().any(|x| separates(x, t)) {
        return None;
    }
    let weight = |i: usize| w.map_or(1.0, |w| w[i]);
    let total = w.map_or(n as f64, |w| w.iter().sum());
    let model = Scaled { covariates, offset, scales: scales(covariates, weight, total)? };
    let mut information = vec![0.0; d * d];
    let mut row = vec![1.0; d];
    let mut minus_log_likelihood = |step: usize, beta: &[f64], gradient: &mut [f64], hessian: &mut [f64]| {
        gradient.fill(0.0);
        hessian.fill(0.0);
        let mut loss = 0.0;
        for (i, &t) in t.iter().enumerate().step_by(step) {
            let eta = model.log_odds(i, beta, &mut row);
            let (p, w, t) = (sigmoid(eta), weight(i), f64::from(t));
            loss += w * log_loss_of_log_odds(eta, t);
            let (residual, curvature) = (w * (p - t), w * (p * (1.0 - p)));
            for j in 0..d {
                gradient[j] += residual * row[j];
                for k in 0..=j {
                    hessian[j * d + k] += curvature * row[j] * row[k];
                }
            }
        }
        for j in 0..d {
            for k in 0..j {
                hessian[k * d + j] = hessian[j * d + k];
            }
        }
        information.copy_from_slice(hessian);
        loss
    };
    let mut solution = newton_over_rows(t, &mut minus_log_likelihood, &vec![0.0; d], 100);
    if covariates.is_empty() {
        // Where all scores are as good as 0 or 1 the likelihood is so flat that the first step leads nowhere.
        let surplus = |b: f64| -> f64 {
            let expected = |i: usize| sigmoid(offset.map_or(0.0, |o| o[i]) + b);
            (0..n).map(|i| weight(i) * (expected(i) - f64::from(t[i]))).sum()
        };
        if solution.x.first().is_none_or(|&b| surplus(b).abs() > 1e-6 * total) {
            let x = vec![balance(-MOST_SHIFT, MOST_SHIFT, surplus)];
            let value = minus_log_likelihood(1, &x, &mut [0.0], &mut [0.0]);
            solution = Solution { x, value, converged: true, steps: solution.steps };
        }
    }
    // A likelihood of 1 means that several covariates together separate the outcomes.
    if !solution.converged || covariates.len() > 1 && solution.value < 1e-6 {
        return None;
    }
    let back = model.back();
    let inverse = DMatrix::from_row_slice(d, d, &information).cholesky()?.inverse();
    let gamma = nalgebra::DVector::from_column_slice(&solution.x);
    let scores = model.squared_scores(t, &solution.x, weight, sampling);
    let errors = |covariance: DMatrix<f64>| -> Vec<f64> {
        let covariance = &back * covariance * back.transpose();
        covariance.diagonal().iter().map(|v| v.sqrt()).collect()
    };
    let robust_errors = errors(&inverse * scores * &inverse);
    let standard_errors = errors(inverse);
    standard_errors.iter().chain(&robust_errors).all(|s| s.is_finite()).then(|| Logistic {
        coefficients: (&back * gamma).iter().copied().collect(),
        standard_errors,
        robust_errors,
        log_likelihood: -solution.value / total,
    })
}

/// Beyond every shift that moves scores cut at 2⁻⁵² from one end to the other.
const MOST_SHIFT: f64 = 80.0;

/// Where an increasing function goes through 0 between `low` and `high`, by halves.
fn balance(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Whether all events lie on one side of the others, ends shared or not: the likelihood then rises for ever.
fn separates(x: &[f64], t: &[u8]) -> bool {
    let ends = |kind: u8| {
        let of_kind = x.iter().zip(t).filter(|(_, t)| **t == kind);
        of_kind.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], (x, _)| [low.min(*x), high.max(*x)])
    };
    let ([low, high], [event_low, event_high]) = (ends(0), ends(1));
    high <= event_low || event_high <= low
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scores_of_0_and_1_are_shifted_too() {
        // As many events are expected as there are: 40 scores at one end with 4 wrong, 60 at the other with 6 wrong.
        let certain = 36.043_653_389_117_15;
        let z: Vec<f64> = (0..100).map(|i| if i < 40 { certain } else { -certain }).collect();
        let t: Vec<u8> = (0..100).map(|i| u8::from((4..46).contains(&i))).collect();
        let found = weighted_logistic(&[], Some(&z), &t, None).unwrap();
        let expected: f64 = z.iter().map(|z| sigmoid(z + found.coefficients[0])).sum();
        assert!((expected - 42.0).abs() < 1e-9, "{expected}");
        assert!(found.standard_errors[0] > 0.0);
    }

    #[test]
    fn separated_outcomes_have_no_maximum() {
        for (x, t) in [
            (vec![0.25, 0.25, 0.75, 0.75], vec![0, 1, 1, 1]),
            (vec![0.2, 0.3, 0.3, 0.4, 0.4], vec![0, 0, 0, 0, 1]),
            (vec![3.0, 2.0, 1.0, 1.0], vec![0, 0, 0, 1]),
        ] {
            assert_eq!(logistic(&[&x], None, &t), None, "{x:?}");
        }
        assert!(logistic(&[&[0.2, 0.3, 0.3, 0.4]], None, &[0, 1, 0, 0]).is_some());
    }

    /// Every sixteenth row of very many says nothing of where to begin: all of these have the outcome, or hardly any.
    #[test]
    fn some_rows_that_mislead_do_not() {
        const N: usize = 70_000;
        let z: Vec<f64> = (0..N).map(|i| ((i * 7919) % N) as f64 / N as f64 * 6.0 - 3.0).collect();
        let alternating: Vec<u8> = (0..N).map(|i| u8::from(i % 2 == 0)).collect();
        let fit = logistic(&[&z], None, &alternating).unwrap();
        assert!(fit.coefficients.iter().all(|b| b.abs() < 0.01), "{fit:?}");
        let rare: Vec<u8> = (0..N).map(|i| u8::from(i % 3499 == 1 && i % 16 > 0 && z[i] > -1.0)).collect();
        let events = rare.iter().map(|t| f64::from(*t)).sum::<f64>();
        assert!((5.0..20.0).contains(&events) && rare.iter().step_by(16).all(|t| *t == 0));
        let fit = logistic(&[&z], None, &rare).unwrap();
        let expected: f64 = z.iter().map(|z| sigmoid(fit.coefficients[0] + fit.coefficients[1] * z)).sum();
        assert!((expected - events).abs() < 1e-6 && fit.coefficients[1] > 0.1, "{fit:?}");
    }

    #[test]
    fn agrees_with_statsmodels() {
        // statsmodels.api.Logit(y, add_constant(x)).fit()
        let x = [0.5, 1.5, -0.3, 2.2, 0.9, -1.1, 0.1, 1.0];
        let z = [1.0, 0.0, 2.0, 1.0, 3.0, 0.5, 0.2, -1.0];
        let fit = logistic(&[&x, &z], None, &[0, 1, 0, 1, 1, 0, 1, 0]).expect("a maximum");
        for (got, expected) in fit.coefficients.iter().zip(STATSMODELS[0]) {
            assert!((got - expected).abs() < 1e-8, "{got} {expected}");
        }
        for (got, expected) in fit.standard_errors.iter().zip(STATSMODELS[1]) {
            assert!((got - expected).abs() < 1e-6, "{got} {expected}");
        }
    }

    const STATSMODELS: [[f64; 3]; 2] = [
        [-1.774_852_811_654_385_8, 2.090_379_643_859_667_3, 0.631_203_649_292_446_2],
        [1.556_277_164_833_883_6, 1.514_894_478_276_018_5, 0.826_658_943_430_059],
    ];

    #[test]
    fn no_maximum_is_no_fit() {
        assert_eq!(logistic(&[&[1.0, 2.0]], None, &[1, 1]), None);
        assert_eq!(logistic(&[&[1.0, 2.0, 3.0, 4.0]], None, &[0, 0, 1, 1]), None);
        assert_eq!(logistic(&[&[1.0, 1.0, 1.0]], None, &[0, 1, 1]), None);
        let x = [1.0, 2.0, 0.5, 0.7];
        assert_eq!(logistic(&[&x, &x], None, &[0, 1, 1, 0]), None);
    }

    proptest! {
        #[test]
        fn the_score_equations_hold(rows in proptest::collection::vec((-3.0..3.0_f64, -1.0..5.0_f64, 0..2_u8), 10..80)) {
            let x: Vec<f64> = rows.iter().map(|r| r.0).collect();
            let z: Vec<f64> = rows.iter().map(|r| r.1).collect();
            let t: Vec<u8> = rows.iter().map(|r| r.2).collect();
            if let Some(fit) = logistic(&[&x, &z], None, &t) {
                prop_assume!(fit.coefficients.iter().all(|c| c.abs() < 50.0));
                let b = &fit.coefficients;
                let p: Vec<f64> = x.iter().zip(&z).map(|(x, z)| sigmoid(b[0] + b[1] * x + b[2] * z)).collect();
                let ones = vec![1.0; t.len()];
                for column in [&ones, &x, &z] {
                    let gap: f64 = column.iter().zip(p.iter().zip(&t)).map(|(x, (p, &t))| x * (p - f64::from(t))).sum();
                    prop_assert!(gap.abs() < 1e-6, "{}", gap);
                }
            }
        }
    }
}
