//! Loess: at every point a weighted line through the nearest rows.
//!
//! Locally linear, tricube weights over the nearest 2/3 of the rows, no robustness steps (the smoother of Harrell's
//! `val.prob`; Austin and Steyerberg take R's `loess`, which is locally quadratic over 3/4 of the rows). Source: Cleveland
//! (1979).

use super::Fitted;
use super::points::Point;

/// Share of the rows under a window.
pub const SPAN: f64 = 2.0 / 3.0;

/// The curve and its weights.
pub(super) fn fitted(points: &[Point]) -> Fitted {
    let window = Windows::new(points, SPAN);
    let value = window.lines();
    let operator = (0..points.len()).map(|i| window.weights(i)).collect();
    Fitted { value: value.into_iter().map(|y| y.clamp(0.0, 1.0)).collect(), operator: Some(operator), log_odds: None }
}

/// Locally linear fit at every point over the nearest `span` of the total weight.
///
/// The window holds a whole number of rows, ⌊span · n⌋: repeating every row moves it by up to half a row of the old ones.
pub fn lowess(points: &[Point], span: f64) -> Vec<f64> {
    Windows::new(points, span).lines()
}

struct Windows<'a> {
    points: &'a [Point],
    /// rows in a window
    nearest: f64,
    /// of the scores
    range: f64,
}

impl<'a> Windows<'a> {
    fn new(points: &'a [Point], span: f64) -> Self {
        let rows: f64 = points.iter().map(|p| p.weight).sum();
        let nearest = (span * rows + 1e-10).floor().max(1.0);
        let range = points.last().map_or(0.0, |p| p.x) - points.first().map_or(0.0, |p| p.x);
        Self { points, nearest, range }
    }

    fn lines(&self) -> Vec<f64> {
        let points = self.points;
        let line = |(i, at): (usize, &Point)| local_line(points, i, at.x, radius(points, i, self.nearest), self.range);
        points.iter().enumerate().map(line).collect()
    }

    /// lᵢⱼ: the line at point i is Σⱼ lᵢⱼ yⱼ.
    fn weights(&self, i: usize) -> Vec<f64> {
        let (points, x) = (self.points, self.points[i].x);
        let radius = radius(points, i, self.nearest);
        let mut weights: Vec<f64> = points
            .iter()
            .map(|p| {
                let far = (p.x - x).abs();
                if far < radius { p.weight * (1.0 - (far / radius).powi(3)).powi(3) } else { 0.0 }
            })
            .collect();
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            weights.fill(0.0);
            weights[i] = 1.0;
            return weights;
        }
        let mean = weights.iter().zip(points).map(|(k, p)| k * p.x).sum::<f64>() / total;
        let sxx: f64 = weights.iter().zip(points).map(|(k, p)| k * (p.x - mean).powi(2)).sum();
        let sloped = (sxx / total).sqrt() > 1e-3 * self.range;
        for (weight, p) in weights.iter_mut().zip(points) {
            let slope = if sloped { (x - mean) * (p.x - mean) / sxx } else { 0.0 };
            *weight *= 1.0 / total + slope;
        }
        weights
    }
}

/// Distance to the `nearest`-th row from point `i`, itself counted.
fn radius(points: &[Point], i: usize, nearest: f64) -> f64 {
    let x = points[i].x;
    let (mut low, mut high) = (i, i);
    let mut taken = points[i].weight;
    let mut distance = 0.0;
    while taken < nearest {
        let left = low.checked_sub(1).and_then(|k| points.get(k));
        let right = points.get(high + 1);
        // Whether a side is left is asked of the rows, not of a distance that may be no number.
        (distance, taken) = match (left, right) {
            (None, None) => break,
            (Some(near), None) => {
                low -= 1;
                (x - near.x, taken + near.weight)
            }
            (Some(near), Some(other)) if x - near.x <= other.x - x => {
                low -= 1;
                (x - near.x, taken + near.weight)
            }
            (_, Some(near)) => {
                high += 1;
                (near.x - x, taken + near.weight)
            }
        };
    }
    distance
}

fn local_line(points: &[Point], i: usize, x: f64, radius: f64, range: f64) -> f64 {
    let (mut w, mut wx, mut wy) = (0.0, 0.0, 0.0);
    let near = |p: &&Point| (p.x - x).abs() < radius;
    let from = points[..i].partition_point(|p| x - p.x >= radius);
    let window = || points[from..].iter().take_while(|p| p.x - x < radius).filter(near);
    let weight = |p: &Point| p.weight * (1.0 - ((p.x - x).abs() / radius).powi(3)).powi(3);
    for p in window() {
        let k = weight(p);
        w += k;
        wx += k * p.x;
        wy += k * p.y;
    }
    if w <= 0.0 {
        return points[i].y;
    }
    let (mean_x, mean_y) = (wx / w, wy / w);
    let (mut sxx, mut sxy) = (0.0, 0.0);
    for p in window() {
        let k = weight(p);
        sxx += k * (p.x - mean_x).powi(2);
        sxy += k * (p.x - mean_x) * (p.y - mean_y);
    }
    // A window without width has no slope.
    if (sxx / w).sqrt() > 1e-3 * range { mean_y + sxy / sxx * (x - mean_x) } else { mean_y }
}

#[cfg(test)]
mod tests {
    use super::super::points::points;
    use super::*;
    use crate::fixtures::{b12, near};

    #[test]
    fn a_line_is_a_weighted_sum_of_outcomes() {
        let (p, y) = b12();
        let points = points(&p, &y, None, 100, 100);
        let windows = Windows::new(&points, SPAN);
        for (i, line) in windows.lines().iter().enumerate() {
            let weights = windows.weights(i);
            let sum: f64 = weights.iter().zip(&points).map(|(l, point)| l * point.y).sum();
            near(Some(sum), *line, 1e-12);
            near(Some(weights.iter().sum()), 1.0, 1e-12);
        }
    }
}
