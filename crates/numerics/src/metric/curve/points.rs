//! Rows by rising score, those of one score as one point, and runs of neighbors where there are many.

use crate::num::weight::{RowWeights, weight};
use crate::num::{order, ties};

/// Rows with one score, or a run of neighboring rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// mean score
    pub x: f64,
    /// share of events
    pub y: f64,
    /// rows, or the sum of their weights scaled to mean 1
    pub weight: f64,
    /// rows of equal weight that would tell as much: (Σ w)² / Σ w²
    pub rows: f64,
}

/// The points of rows with scores `s`, outcomes `t` and weights `w`, by rising score.
///
/// Up to `most_rows` rows every different score is a point; beyond, `runs` runs of as many rows each. Of tied rows some may
/// then stand in one run and some in the next: each counts with the mean outcome of all. One sort.
pub fn points(s: &[f64], t: &[u8], w: RowWeights, most_rows: usize, runs: usize) -> Vec<Point> {
    let order = order::ascending(s);
    let scale = w.map_or(1.0, |w| s.len() as f64 / w.iter().sum::<f64>());
    let merge = |rows: &[u32]| merged(rows, s, t, w, scale);
    if s.len() <= most_rows {
        let tie = |tie: std::ops::Range<usize>| Point { x: s[order[tie.start] as usize], ..merge(&order[tie]) };
        return ties::tie_blocks(s, &order).map(tie).filter(weighs).collect();
    }
    let mut share = Vec::with_capacity(s.len());
    for tie in ties::tie_blocks(s, &order) {
        let end = tie.end;
        share.resize(end, merge(&order[tie]).y);
    }
    let n = order.len();
    (0..runs)
        .map(|k| {
            let run = k * n / runs..(k + 1) * n / runs;
            let whole = merge(&order[run.clone()]);
            let sum = run.clone().map(|k| weight(w, order[k] as usize) * share[k]).sum::<f64>();
            let total = match w {
                None => run.len().max(1) as f64,
                Some(w) => run.map(|k| w[order[k] as usize]).sum(),
            };
            Point { y: sum / total, ..whole }
        })
        .filter(weighs)
        .collect()
}

/// Rows without any weight have no mean.
fn weighs(point: &Point) -> bool {
    point.weight > 0.0
}

fn merged(rows: &[u32], s: &[f64], t: &[u8], w: RowWeights, scale: f64) -> Point {
    let sum = |of: &dyn Fn(usize) -> f64| rows.iter().map(|&i| of(i as usize)).sum::<f64>();
    let total = w.map_or(rows.len() as f64, |w| sum(&|i| w[i]));
    let squares = w.map_or(rows.len() as f64, |w| sum(&|i| w[i] * w[i]));
    Point {
        x: sum(&|i| weight(w, i) * s[i]) / total,
        y: sum(&|i| weight(w, i) * f64::from(t[i])) / total,
        weight: if w.is_some() { scale * total } else { total },
        rows: total * total / squares,
    }
}
