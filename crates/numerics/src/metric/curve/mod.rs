//! Calibration curves: the share of events as a smooth, or a rising, function of the score, with bands.
//!
//! | curve | what it is | source |
//! |---|---|---|
//! | [`loess`] | locally linear, tricube weights over the nearest 2/3 of the rows: the curve of the ICI | Cleveland 1979 |
//! | [`spline`] | logistic regression on a restricted cubic spline of the logit of the score | Harrell 2015 |
//! | [`kernel`] | mean of the outcomes weighted with a reflected Gaussian at the width of smECE | Błasiok and Nakkiran 2024 |
//! | isotonic | the non-decreasing steps nearest to the outcomes | Dimitriadis, Gneiting and Jordan 2021 |
//!
//! Beyond `MOST_POINTS` different scores, runs of neighboring rows stand for their means: a smooth curve does not see it.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::num::isotonic::{Block, pool_adjacent_violators, weighted_isotonic_blocks};
use crate::num::weight::{RowWeights, check_weighted};

pub mod band;
pub mod kernel;
pub mod loess;
pub mod points;
pub mod spline;

use points::Point;

/// Points that stand for the rows at most.
const MOST_POINTS: usize = 512;
/// Places at which a curve is told at most.
const PLACES: usize = 101;

/// Which curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CurveKind {
    /// locally linear over the nearest 2/3 of the rows, as the ICI measures from
    #[default]
    Loess,
    /// logistic regression on a restricted cubic spline of the logit
    Spline,
    /// Gaussian kernel of the width of smECE
    Kernel,
    /// non-decreasing steps
    Isotonic,
}

impl CurveKind {
    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loess => "loess",
            Self::Spline => "restricted cubic spline",
            Self::Kernel => "kernel-smoothed",
            Self::Isotonic => "isotonic",
        }
    }
}

/// Coverage of a 95% confidence band.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// pointwise: 95% at each score separately
    #[default]
    Pointwise,
    /// simultaneous: 95% for the whole curve
    Simultaneous,
}

/// A curve with its band, over the observed scores.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CalibrationCurve {
    /// (score, share of events), by rising score; empty where there is none, as of a spline through separated outcomes
    pub points: Vec<(f64, f64)>,
    /// (score, low, high), by rising score; empty where none was asked for
    pub band: Vec<(f64, f64, f64)>,
}

/// What is fitted at the points, and how it follows from their outcomes.
struct Fitted {
    /// share of events at each point, in [0, 1]
    value: Vec<f64>,
    /// the change of the fit at point i with the outcome of point j, on the scale that is fitted; none: not linear
    operator: Option<Vec<Vec<f64>>>,
    /// log-odds of `value` where these are fitted: kept, for a share that is 1 in floating point has lost them
    log_odds: Option<Vec<f64>>,
}

/// The curve of `kind` of outcomes `t` on scores `s`, and its 95 % band.
///
/// * `s`: in [0, 1]; `t`: 0 or 1; `w`: weights of the rows, if they have any; all of one length
/// * `band`: what it promises; `None`: no band; see `band::band`
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One sort; then O(points²), and of a simultaneous or isotonic band [`band::DRAWS`] · points · places.
pub fn calibration_curve(
    s: &[f64],
    t: &[u8],
    w: RowWeights,
    kind: CurveKind,
    band: Option<Coverage>,
) -> Result<CalibrationCurve> {
    check_weighted(s.len(), t.len(), w)?;
    let points = points::points(s, t, w, MOST_POINTS, MOST_POINTS);
    let fitted = match kind {
        CurveKind::Loess => Some(loess::fitted(&points)),
        CurveKind::Spline => spline::fitted(&points),
        CurveKind::Kernel => Some(kernel::fitted(&points, kernel::width(s, t, w)?)),
        CurveKind::Isotonic => {
            Some(Fitted { value: isotonic(&points, points.iter().map(|p| p.y)), operator: None, log_odds: None })
        }
    };
    let Some(fitted) = fitted else { return Ok(CalibrationCurve::default()) };
    let places = places(&points);
    let at = |&i: &usize| Some((points.get(i)?.x, *fitted.value.get(i)?));
    let curve = match kind {
        CurveKind::Isotonic => steps(&weighted_isotonic_blocks(s, t, w)?),
        _ => places.iter().filter_map(at).collect(),
    };
    let band = band.map(|coverage| band::band(&points, &fitted, &places, coverage)).unwrap_or_default();
    Ok(CalibrationCurve { points: curve, band })
}

/// Both ends of every block.
fn steps(blocks: &[Block]) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = blocks.iter().flat_map(|b| [(b.low, b.mean()), (b.high, b.mean())]).collect();
    corners.dedup();
    corners
}

/// The non-decreasing fit at every point.
fn isotonic(points: &[Point], y: impl Iterator<Item = f64>) -> Vec<f64> {
    let blocks = pool_adjacent_violators(points.iter().zip(y).map(|(p, y)| (p.x, p.weight, p.weight * y)));
    let mut blocks = blocks.iter().peekable();
    let mut fitted = Vec::with_capacity(points.len());
    for point in points {
        while blocks.peek().is_some_and(|block| block.high < point.x) {
            blocks.next();
        }
        fitted.push(blocks.peek().map_or(f64::NAN, |block| block.mean()));
    }
    fitted
}

/// The points nearest to [`PLACES`] even steps from the lowest to the highest score.
fn places(points: &[Point]) -> Vec<usize> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let mut places = Vec::with_capacity(PLACES);
    for k in 0..PLACES {
        let x = first.x + (last.x - first.x) * k as f64 / (PLACES - 1) as f64;
        let after = points.partition_point(|point| point.x < x).min(points.len() - 1);
        let before = after.saturating_sub(1);
        let nearest = match (points.get(before), points.get(after)) {
            (Some(a), Some(b)) if x - a.x < b.x - x => before,
            _ => after,
        };
        if places.last() != Some(&nearest) {
            places.push(nearest);
        }
    }
    places
}

#[cfg(test)]
mod tests;
