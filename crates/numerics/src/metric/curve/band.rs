//! Bands of a calibration curve: where it would lie without noise.
//!
//! The outcome of a point varies by p(1 − p)/n about its share p; a smoother passes it on by its weights, so the curve at
//! score x varies by v(x) = Σⱼ l(x)ⱼ² pⱼ(1 − pⱼ)/nⱼ. The shares are the curve's own, moved as if two of four more rows had
//! been events, so that a band has a width also where none was seen. The band at x is the curve ± z √v(x), cut to 0 and 1.
//! A pointwise band takes z = 1.96; a simultaneous one the z that the largest studentized deviation of redrawn curves
//! exceeds in 5 % of the draws, outcomes being drawn from those shares. A spline is fitted as log-odds; its weights,
//! variances and band are on their scale (by the delta method), with its own shares. Steps that rise vary as their redraws from a smooth
//! curve do (Sen, Banerjee and Woodroofe, 2010).
//!
//! What is covered is the curve that the same smoother draws through the shares themselves; how far it smooths them over is
//! not in the band.

use super::points::Point;
use super::{Coverage, Fitted, isotonic, loess};
use crate::num::order;
use crate::num::rng::Lanes;
use crate::num::special::{NORMAL_975, sigmoid};

/// Curves that are redrawn.
pub const DRAWS: usize = 999;
/// Of the redraws: a band does not change from one look to the next.
const SEED: u64 = 0;

/// (score, low, high) at `places`, which are indices of `points`.
///
/// # Cost
/// O(places · points); of simultaneous and of isotonic bands [`DRAWS`] times that.
pub(super) fn band(points: &[Point], fitted: &Fitted, places: &[usize], coverage: Coverage) -> Vec<(f64, f64, f64)> {
    let deviations = match &fitted.operator {
        Some(operator) => linear(points, fitted, operator, places, coverage),
        None => redrawn(points, places),
    };
    let z = match coverage {
        Coverage::Pointwise => NORMAL_975,
        Coverage::Simultaneous => deviations.largest.max(NORMAL_975),
    };
    let end = |(&i, variance): (&usize, &f64)| {
        let half = z * variance.sqrt();
        let (low, high) = match &fitted.log_odds {
            Some(log_odds) => {
                let eta = *log_odds.get(i)?;
                (sigmoid(eta - half), sigmoid(eta + half))
            }
            None => {
                let value = *fitted.value.get(i)?;
                ((value - half).max(0.0), (value + half).min(1.0))
            }
        };
        Some((points.get(i)?.x, low, high))
    };
    places.iter().zip(&deviations.variance).filter_map(end).collect()
}

/// How a curve varies at some places.
struct Deviations {
    /// v(x)
    variance: Vec<f64>,
    /// 95 % quantile of the largest |deviation|/√v(x)
    largest: f64,
}

/// Shares that outcomes are drawn from: the fit as if two of four more rows had been events (Agresti and Coull, 1998), so
/// that also where no event was seen one could be.
fn shares(points: &[Point], value: &[f64], operator: &[Vec<f64>]) -> Vec<f64> {
    let z2 = NORMAL_975 * NORMAL_975;
    let share = |(p, weights): (&f64, &Vec<f64>)| {
        let rows = 1.0 / weights.iter().zip(points).map(|(l, point)| l * l / point.rows).sum::<f64>();
        if rows.is_finite() { (p * rows + 0.5 * z2) / (rows + z2) } else { p.clamp(1e-9, 1.0 - 1e-9) }
    };
    value.iter().zip(operator).map(share).collect()
}

fn linear(
    points: &[Point],
    fitted: &Fitted,
    operator: &[Vec<f64>],
    places: &[usize],
    coverage: Coverage,
) -> Deviations {
    let p = match fitted.log_odds {
        Some(_) => fitted.value.iter().map(|p| p.clamp(1e-9, 1.0 - 1e-9)).collect(),
        None => shares(points, &fitted.value, operator),
    };
    let spread: Vec<f64> = p.iter().zip(points).map(|(p, point)| p * (1.0 - p) / point.rows).collect();
    let at: Vec<&Vec<f64>> = places.iter().filter_map(|&i| operator.get(i)).collect();
    let variance: Vec<f64> =
        at.iter().map(|weights| weights.iter().zip(&spread).map(|(l, s)| l * l * s).sum::<f64>()).collect();
    let largest = match coverage {
        Coverage::Pointwise => NORMAL_975,
        Coverage::Simultaneous => {
            let mut draws = Redraws::new(points, &p);
            let mut largest = || {
                let noise: Vec<f64> = draws.next().iter().zip(&p).map(|(y, p)| y - p).collect();
                let deviation = |weights: &&Vec<f64>| weights.iter().zip(&noise).map(|(l, e)| l * e).sum::<f64>().abs();
                let each = at.iter().map(deviation).zip(&variance);
                each.map(|(deviation, variance)| deviation / variance.sqrt()).fold(0.0, f64::max)
            };
            upper((0..DRAWS).map(|_| largest()).collect())
        }
    };
    Deviations { variance, largest }
}

/// Isotonic fits of outcomes drawn from the loess curve.
fn redrawn(points: &[Point], places: &[usize]) -> Deviations {
    let smooth = loess::fitted(points);
    let p = shares(points, &smooth.value, smooth.operator.as_deref().unwrap_or_default());
    let mut draws = Redraws::new(points, &p);
    let deviations: Vec<Vec<f64>> = (0..DRAWS)
        .map(|_| {
            let fit = isotonic(points, draws.next().iter().copied());
            places.iter().map(|&i| fit[i] - p[i]).collect()
        })
        .collect();
    let variance: Vec<f64> = (0..places.len())
        .map(|k| (deviations.iter().map(|d| d[k] * d[k]).sum::<f64>() / DRAWS as f64).max(1e-12))
        .collect();
    let largest = |draw: &Vec<f64>| draw.iter().zip(&variance).map(|(d, v)| d.abs() / v.sqrt()).fold(0.0, f64::max);
    let largest = upper(deviations.iter().map(largest).collect());
    Deviations { variance, largest }
}

/// The 95 % quantile: of 999 the 950th.
fn upper(mut values: Vec<f64>) -> f64 {
    let place = (0.95 * (values.len() + 1) as f64) as usize - 1;
    *order::select(&mut values, place, &|a, b| a.total_cmp(b))
}

/// Shares of events of points whose rows happen with some probability, drawn again and again.
struct Redraws {
    /// of each point the first count that is at all likely, cumulative probabilities from it on, and rows
    counts: Vec<Counts>,
    lanes: Lanes,
    left: Vec<f64>,
    drawn: Vec<f64>,
}

struct Counts {
    first: f64,
    cumulative: Vec<f64>,
    rows: f64,
}

impl Redraws {
    fn new(points: &[Point], p: &[f64]) -> Self {
        let counts = points.iter().zip(p).map(|(point, &p)| Counts::new(point.rows.round().max(1.0), p)).collect();
        Self { counts, lanes: Lanes::seeded(SEED, 0), left: Vec::new(), drawn: Vec::new() }
    }

    fn next(&mut self) -> &[f64] {
        self.drawn.clear();
        for counts in &self.counts {
            let u = match self.left.pop() {
                Some(u) => u,
                None => {
                    self.left.extend(self.lanes.uniform());
                    self.left.pop().unwrap_or_default()
                }
            };
            let count = counts.first + counts.cumulative.partition_point(|c| *c <= u) as f64;
            self.drawn.push(count.min(counts.rows) / counts.rows);
        }
        &self.drawn
    }
}

impl Counts {
    /// Of a binomial distribution within nine standard deviations of its mean.
    fn new(rows: f64, p: f64) -> Self {
        let (mean, sd) = (rows * p, (rows * p * (1.0 - p)).sqrt());
        let first = (mean - 9.0 * sd - 3.0).floor().max(0.0);
        let last = (mean + 9.0 * sd + 12.0).ceil().min(rows);
        // From the mode outwards, so that nothing underflows.
        let mode = ((rows + 1.0) * p).floor().clamp(first, last);
        let odds = p / (1.0 - p);
        let (places, top) = ((last - first) as usize + 1, (mode - first) as usize);
        let mut mass = vec![0.0; places];
        mass[top] = 1.0;
        for k in top + 1..places {
            let count = first + k as f64;
            mass[k] = mass[k - 1] * odds * (rows - count + 1.0) / count;
        }
        for k in (0..top).rev() {
            let count = first + k as f64 + 1.0;
            mass[k] = mass[k + 1] * count / ((rows - count + 1.0) * odds);
        }
        let total: f64 = mass.iter().sum();
        let mut sum = 0.0;
        let cumulative = mass.iter().map(|m| {
            sum += m / total;
            sum
        });
        Self { first, cumulative: cumulative.collect(), rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_the_moments_of_binomials() {
        for (rows, p) in [(1.0, 0.3), (7.0, 0.02), (400.0, 0.5), (2_000.0, 0.999), (1e6, 1e-4)] {
            let counts = Counts::new(rows, p);
            let mass = counts.cumulative.iter().scan(0.0, |last, c| Some((c - std::mem::replace(last, *c)).max(0.0)));
            let mass: Vec<f64> = mass.collect();
            let moment =
                |power| mass.iter().enumerate().map(|(k, m)| m * (counts.first + k as f64).powi(power)).sum::<f64>();
            let (mean, square) = (moment(1), moment(2));
            assert!((mean / (rows * p) - 1.0).abs() < 1e-9, "{rows} {p}: {mean}");
            assert!(((square - mean * mean) / (rows * p * (1.0 - p)) - 1.0).abs() < 1e-6, "{rows} {p}");
        }
    }
}
