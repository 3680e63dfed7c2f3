//! The spline curve: logistic regression on a restricted cubic spline of the logit of the score.
//!
//! Between the outer knots a cubic, beyond them a line on the scale of the log-odds. Five knots at the 5, 27.5, 50, 72.5 and
//! 95 % quantiles of 500 rows or more; four from 300, three from 100 rows on, or where scores repeat; a line where they leave
//! less: with more knots for the rows the band holds too little.
//! Source: Harrell (2015), section 2.4.5; Austin and Steyerberg (2019).

use nalgebra::{DMatrix, DVector};

use super::Fitted;
use super::points::Point;
use crate::num::logistic::weighted_logistic;
use crate::num::special::sigmoid;

/// Quantiles of the knots, from many to few (Harrell 2015, table 2.3), and the rows that they ask for.
const KNOTS: [(f64, &[f64]); 3] =
    [(500.0, &[0.05, 0.275, 0.5, 0.725, 0.95]), (300.0, &[0.05, 0.35, 0.65, 0.95]), (100.0, &[0.1, 0.5, 0.9])];
/// Scores are kept this far from 0 and 1 before their logit is taken.
const CLIP: f64 = 1e-6;

/// The curve and its weights; `None` where no fit exists: one kind of outcome, or outcomes that scores separate.
pub(super) fn fitted(points: &[Point]) -> Option<Fitted> {
    let logits: Vec<f64> = points.iter().map(|p| logit(p.x)).collect();
    let rows: f64 = points.iter().map(|p| p.rows).sum();
    let enough = KNOTS.iter().filter(|(least, _)| rows >= *least);
    let knots = enough.map(|(_, quantiles)| knots(points, &logits, quantiles));
    let bases =
        knots.filter(|knots| knots.windows(2).all(|pair| pair[1] - pair[0] > 1e-6)).map(|knots| basis(&logits, &knots));
    bases.chain(std::iter::once(vec![logits.clone()])).find_map(|columns| fit(points, &columns))
}

fn logit(p: f64) -> f64 {
    let p = p.clamp(CLIP, 1.0 - CLIP);
    (p / (1.0 - p)).ln()
}

/// The logits below which so many shares of the rows lie.
fn knots(points: &[Point], logits: &[f64], quantiles: &[f64]) -> Vec<f64> {
    let total: f64 = points.iter().map(|p| p.weight).sum();
    let at = |q: &f64| {
        let mut below = 0.0;
        let mut place = points.iter().zip(logits).map(|(p, logit)| {
            below += p.weight;
            (below, *logit)
        });
        place.find(|(below, _)| *below >= q * total).map_or(f64::NAN, |found| found.1)
    };
    quantiles.iter().map(at).collect()
}

/// The columns of a restricted cubic spline with k knots: x and k − 2 truncated cubics over (t_k − t₁)².
fn basis(x: &[f64], knots: &[f64]) -> Vec<Vec<f64>> {
    let [first, .., before_last, last] = knots else { return vec![x.to_vec()] };
    let cube = |v: f64| v.max(0.0).powi(3);
    let scale = (last - first).powi(2);
    let column = |knot: &f64| {
        let (a, b) = ((last - knot) / (last - before_last), (before_last - knot) / (last - before_last));
        let term = |x: &f64| (cube(x - knot) - cube(x - before_last) * a + cube(x - last) * b) / scale;
        x.iter().map(term).collect()
    };
    let bent = knots.iter().take(knots.len() - 2).map(column);
    std::iter::once(x.to_vec()).chain(bent).collect()
}

/// The maximum-likelihood fit on `columns`, and the change of the log-odds at each point with each outcome.
///
/// A point is so many rows with the outcome 1 and so many with 0. Δηᵢ = bᵢᵀ H⁻¹ Σⱼ bⱼ wⱼ Δyⱼ, H the information.
fn fit(points: &[Point], columns: &[Vec<f64>]) -> Option<Fitted> {
    let (mut rows, mut t, mut w) = (Vec::new(), Vec::new(), Vec::new());
    for (j, point) in points.iter().enumerate() {
        for (outcome, weight) in [(1, point.weight * point.y), (0, point.weight * (1.0 - point.y))] {
            if weight > 0.0 {
                rows.push(j);
                t.push(outcome);
                w.push(weight);
            }
        }
    }
    let repeated: Vec<Vec<f64>> = columns.iter().map(|column| rows.iter().map(|&j| column[j]).collect()).collect();
    let covariates: Vec<&[f64]> = repeated.iter().map(Vec::as_slice).collect();
    let fit = weighted_logistic(&covariates, None, &t, Some(&w))?;
    let d = columns.len() + 1;
    let design = DMatrix::from_fn(points.len(), d, |j, k| if k == 0 { 1.0 } else { columns[k - 1][j] });
    let eta = &design * DVector::from_column_slice(&fit.coefficients);
    let value: Vec<f64> = eta.iter().map(|&eta| sigmoid(eta)).collect();
    let curvature =
        DVector::from_iterator(points.len(), points.iter().zip(&value).map(|(p, v)| p.weight * v * (1.0 - v)));
    let information = design.transpose() * DMatrix::from_fn(points.len(), d, |j, k| curvature[j] * design[(j, k)]);
    let half = information.cholesky()?.solve(&design.transpose());
    let operator = (0..points.len())
        .map(|i| {
            let row = design.row(i) * &half;
            row.iter().zip(points).map(|(leverage, p)| leverage * p.weight).collect()
        })
        .collect();
    Some(Fitted { value, operator: Some(operator), log_odds: Some(eta.iter().copied().collect()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::near;

    /// By hand: knots 0, 1, 2 at x = 3: ((3−0)³ − (3−1)³·2 + (3−2)³·1)/4 = (27 − 16 + 1)/4.
    #[test]
    fn the_basis_is_harrells() {
        let columns = basis(&[-1.0, 0.5, 3.0], &[0.0, 1.0, 2.0]);
        near(Some(columns[1][0]), 0.0, 1e-15);
        near(Some(columns[1][1]), 0.125 / 4.0, 1e-15);
        near(Some(columns[1][2]), 3.0, 1e-14);
    }
}
