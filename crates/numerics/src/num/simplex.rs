//! Convex problems in three weights that are not negative and sum to 1.

use super::optimize::newton;

/// Minimizes wᵀGw for a positive semi-definite G; (w, value).
///
/// Exact: the minimum lies in the interior, on an edge or at a corner, and all seven are looked at.
pub fn quadratic_on_simplex(gram: &[[f64; 3]; 3]) -> ([f64; 3], f64) {
    let value = |w: &[f64; 3]| {
        let mut sum = 0.0;
        for j in 0..3 {
            for k in 0..3 {
                sum += w[j] * gram[j][k] * w[k];
            }
        }
        sum
    };
    let mut candidates = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for (j, k) in [(0, 1), (0, 2), (1, 2)] {
        let curvature = gram[j][j] - 2.0 * gram[j][k] + gram[k][k];
        let share = (gram[k][k] - gram[j][k]) / curvature;
        if share > 0.0 && share < 1.0 {
            let mut w = [0.0; 3];
            (w[j], w[k]) = (share, 1.0 - share);
            candidates.push(w);
        }
    }
    // Interior: w₃ = 1 − w₁ − w₂, two linear equations.
    let d = |j: usize, k: usize| gram[j][k] - gram[j][2] - gram[2][k] + gram[2][2];
    let r = |j: usize| gram[2][2] - gram[j][2];
    let determinant = d(0, 0) * d(1, 1) - d(0, 1) * d(0, 1);
    let w1 = (r(0) * d(1, 1) - r(1) * d(0, 1)) / determinant;
    let w2 = (r(1) * d(0, 0) - r(0) * d(0, 1)) / determinant;
    if w1 > 0.0 && w2 > 0.0 && w1 + w2 < 1.0 {
        candidates.push([w1, w2, 1.0 - w1 - w2]);
    }
    candidates
        .into_iter()
        .map(|w| (w, value(&w)))
        .fold(([1.0, 0.0, 0.0], f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best })
}

/// Maximizes Σ ln(w·cᵢ) over mixture weights w; `c` holds the components' densities. (w, mean negative log).
///
/// Convex: the best edge is the answer unless moving towards the third component helps, then Newton from there.
/// O(n) a step.
///
/// ```
/// // two rows that only the first and only the second component explain: half each
/// let (w, _) = localcal_numerics::num::simplex::mixture_weights(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
/// assert!((w[0] - 0.5).abs() < 1e-6 && (w[1] - 0.5).abs() < 1e-6 && w[2] < 1e-6);
/// ```
pub fn mixture_weights(c: &[[f64; 3]]) -> ([f64; 3], f64) {
    let n = c.len().max(1) as f64;
    let loss = |w: &[f64; 3]| {
        c.iter().map(|c| -(w[0] * c[0] + w[1] * c[1] + w[2] * c[2]).max(f64::MIN_POSITIVE).ln()).sum::<f64>() / n
    };
    let mut best = ([1.0, 0.0, 0.0], f64::INFINITY);
    for (j, k) in [(0, 1), (0, 2), (1, 2)] {
        let share = best_share(c, j, k);
        let mut w = [0.0; 3];
        (w[j], w[k]) = (share, 1.0 - share);
        let value = loss(&w);
        if value < best.1 {
            best = (w, value);
        }
    }
    // Slope of the loss in each weight; the active ones are at −1, and below that means "more of it".
    let slope = |w: &[f64; 3], j: usize| {
        -c.iter().map(|c| c[j] / (w[0] * c[0] + w[1] * c[1] + w[2] * c[2]).max(f64::MIN_POSITIVE)).sum::<f64>() / n
    };
    let (w, _) = best;
    if (0..3).all(|j| w[j] > 0.0 || slope(&w, j) >= -1.0 - 1e-12) {
        return best;
    }
    let start: Vec<f64> = w.iter().take(2).map(|w| 0.99 * w + 0.01 / 3.0).collect();
    let found = newton(
        |x, gradient, hessian| {
            let w = [x[0], x[1], 1.0 - x[0] - x[1]];
            if w.iter().any(|w| *w < 0.0) {
                return f64::INFINITY;
            }
            gradient.fill(0.0);
            hessian.fill(0.0);
            for c in c {
                let p = (w[0] * c[0] + w[1] * c[1] + w[2] * c[2]).max(f64::MIN_POSITIVE);
                let (a, b) = ((c[0] - c[2]) / p, (c[1] - c[2]) / p);
                gradient[0] -= a / n;
                gradient[1] -= b / n;
                hessian[0] += a * a / n;
                hessian[1] += a * b / n;
                hessian[3] += b * b / n;
            }
            hessian[2] = hessian[1];
            loss(&w)
        },
        &start,
        200,
    );
    if found.value < best.1 {
        ([found.x[0], found.x[1], (1.0 - found.x[0] - found.x[1]).max(0.0)], found.value)
    } else {
        best
    }
}

/// The share of component j in the best mixture of j and k, by safeguarded Newton on [0, 1].
fn best_share(c: &[[f64; 3]], j: usize, k: usize) -> f64 {
    let derivatives = |share: f64| {
        let (mut first, mut second) = (0.0, 0.0);
        for c in c {
            let d = c[j] - c[k];
            let r = d / (share * c[j] + (1.0 - share) * c[k]).max(f64::MIN_POSITIVE);
            first -= r;
            second += r * r;
        }
        (first, second)
    };
    let (mut low, mut high) = (0.0, 1.0);
    if derivatives(low).0 >= 0.0 {
        return low;
    }
    if derivatives(high).0 <= 0.0 {
        return high;
    }
    let mut share = 0.5;
    for _ in 0..100 {
        let (first, second) = derivatives(share);
        if first > 0.0 {
            high = share;
        } else {
            low = share;
        }
        let newton = share - first / second;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - share).abs() < 1e-15 {
            break;
        }
        share = next;
    }
    share
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Weights on a grid of 1/40.
    fn grid() -> impl Iterator<Item = [f64; 3]> {
        (0..=40).flat_map(|i| (0..=40 - i).map(move |j| [i as f64 / 40.0, j as f64 / 40.0, (40 - i - j) as f64 / 40.0]))
    }

    proptest! {
        #[test]
        fn no_grid_point_is_better(rows in proptest::collection::vec([-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64], 1..20)) {
            let mut gram = [[0.0; 3]; 3];
            for r in &rows {
                for j in 0..3 {
                    for k in 0..3 {
                        gram[j][k] += r[j] * r[k];
                    }
                }
            }
            let (w, value) = quadratic_on_simplex(&gram);
            prop_assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12 && w.iter().all(|w| *w >= 0.0));
            for g in grid() {
                let at: f64 = rows.iter().map(|r| (g[0] * r[0] + g[1] * r[1] + g[2] * r[2]).powi(2)).sum();
                prop_assert!(value <= at + 1e-9);
            }
            let densities: Vec<[f64; 3]> = rows.iter().map(|r| r.map(|x| 0.01 + x.abs())).collect();
            let (w, value) = mixture_weights(&densities);
            prop_assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12 && w.iter().all(|w| *w >= 0.0));
            for g in grid() {
                let at: f64 = densities.iter().map(|c| -(g[0] * c[0] + g[1] * c[1] + g[2] * c[2]).ln()).sum::<f64>() / densities.len() as f64;
                prop_assert!(value <= at + 1e-9);
            }
        }
    }
}
