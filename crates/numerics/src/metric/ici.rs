//! Integrated calibration index and its quantiles, from a lowess curve.

use std::rc::Rc;

use super::curve::loess::{SPAN, lowess};
use super::curve::points::points;
use super::entry::{Cost, Discloses, Interval, Metric, Replicates, ValueOf};
use super::rows::Pair;
use crate::error::Result;
use crate::num::{check_lengths, order, quantile};

/// Distances between scores and the smoothed share of events.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibrationIndex {
    /// mean of |smooth(s) − s| (integrated calibration index)
    pub ici: f64,
    /// median
    pub e50: f64,
    /// 90th percentile
    pub e90: f64,
    /// maximum
    pub emax: f64,
}

/// Rows beyond which neighboring rows are smoothed as one.
const MOST_ROWS: usize = 4096;
/// Points that stand for the rows then.
const POINTS: usize = 2048;

/// ICI, E50, E90 and Emax with a lowess curve: locally linear, tricube weights over the nearest 2/3 of the rows, no
/// robustness steps, cut to [0, 1] (the smoother of Harrell's `val.prob`; Austin and Steyerberg take R's `loess`,
/// which is locally quadratic over 3/4 of the rows).
///
/// The window holds a whole number of rows, ⌊2n/3⌋: repeating every row moves it by up to half a row of the old ones, and
/// the curve with it (by some per cent of these numbers in a hundred rows), unless n is a multiple of 3.
///
/// Above 4,096 rows, sorted rows are first averaged into 2,048 points of equal mass; the curve is far smoother than
/// that. Source: Cleveland (1979); Austin and Steyerberg (2019), section 2.2. Errors: `empty`, `length_mismatch`.
pub fn calibration_index(s: &[f64], t: &[u8]) -> Result<CalibrationIndex> {
    check_lengths(s.len(), t.len())?;
    let points = points(s, t, None, MOST_ROWS, POINTS);
    let smooth = lowess(&points, SPAN);
    let n = s.len() as f64;
    let mut distances: Vec<(f64, f64)> =
        points.iter().zip(&smooth).map(|(p, y)| ((y.clamp(0.0, 1.0) - p.x).abs(), p.weight)).collect();
    let ici = distances.iter().map(|(d, w)| d * w).sum::<f64>() / n;
    order::sort(&mut distances, &|a, b| a.0.total_cmp(&b.0));
    let mut sorted = Vec::with_capacity(s.len().min(MOST_ROWS));
    for (d, w) in &distances {
        // Up to MOST_ROWS every row stands for itself; the points above that are of (nearly) equal weight.
        let copies = if s.len() <= MOST_ROWS { *w as usize } else { 1 };
        sorted.resize(sorted.len() + copies, *d);
    }
    let at = |q| quantile::quantile_sorted(&sorted, q).unwrap_or(0.0);
    Ok(CalibrationIndex { ici, e50: at(0.5), e90: at(0.9), emax: at(1.0) })
}

/// ICI: mean distance from a smooth curve.
pub static ICI: Metric = Metric {
    id: "ici",
    name: "ICI",
    plain: "mean distance from a smooth calibration curve",
    definition: "Mean |score − lowess estimate of the outcome rate|.",
    formula: "(1/n) Σ |l(s) − s|, l the lowess curve",
    source: "Austin and Steyerberg 2019",
    value: ValueOf::Pair(|pair| Ok(Some(index_of(pair)?.ici))),
    replicates: Replicates::Samples(Cost { per_row: 2e-3, fixed: 0.0 }),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// E50: the median distance from a smooth curve.
pub static E50: Metric = Metric {
    id: "e50",
    name: "E50",
    plain: "median distance from a smooth calibration curve",
    definition: "Median of |score − lowess estimate|.",
    formula: "median of |l(s) − s|",
    source: "Austin and Steyerberg 2019",
    value: ValueOf::Pair(|pair| Ok(Some(index_of(pair)?.e50))),
    replicates: Replicates::Samples(Cost { per_row: 2e-3, fixed: 0.0 }),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// E90: what nine of ten rows stay below.
pub static E90: Metric = Metric {
    id: "e90",
    name: "E90",
    plain: "90th percentile of the distance from a smooth calibration curve",
    definition: "90% quantile of |score − lowess estimate|.",
    formula: "90% quantile of |l(s) − s|",
    source: "Austin and Steyerberg 2019",
    value: ValueOf::Pair(|pair| Ok(Some(index_of(pair)?.e90))),
    replicates: Replicates::Samples(Cost { per_row: 2e-3, fixed: 0.0 }),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// Emax: the largest distance from a smooth curve.
pub static EMAX: Metric = Metric {
    id: "emax",
    name: "Emax",
    plain: "largest distance from a smooth calibration curve",
    definition: "Maximum of |score − lowess estimate|.",
    formula: "max |l(s) − s|",
    source: "Harrell 2015",
    value: ValueOf::Pair(|pair| Ok(Some(index_of(pair)?.emax))),
    replicates: Replicates::Samples(Cost { per_row: 2e-3, fixed: 0.0 }),
    interval: Interval::Maximum,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};

fn index_of(pair: &Pair) -> Result<Rc<CalibrationIndex>> {
    pair.shared(|| calibration_index(pair.score, pair.target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, near};
    use crate::num::rng::Lanes;

    #[test]
    fn agrees_with_statsmodels() {
        // statsmodels.nonparametric.lowess(y, p, frac=2/3, it=0)
        let (p, y) = b12();
        let smooth = lowess(&points(&p, &y, None, MOST_ROWS, POINTS), SPAN);
        let expected = [
            0.164_147_81,
            0.280_829_52,
            0.326_033_45,
            0.406_544_55,
            0.372_768_35,
            0.425_571_07,
            0.484_708_5,
            0.501_365_11,
            0.564_141,
            0.713_046_59,
            0.821_498_44,
            0.929_250_22,
        ];
        for (got, expected) in smooth.iter().zip(expected) {
            near(Some(*got), expected, 1e-7);
        }
        let index = calibration_index(&p, &y).expect("valid");
        near(Some(index.ici), 0.067_561_896_570_702, 1e-7);
        near(Some(index.e50), 0.061_406_204_964_595, 1e-7);
        near(Some(index.e90), 0.124_844_890_038_302, 1e-7);
        near(Some(index.emax), 0.130_829_519_441_369, 1e-7);
    }

    #[test]
    fn many_rows_agree_with_fewer() {
        let mut lanes = Lanes::seeded(6, 0);
        let s: Vec<f64> = (0..1000).flat_map(|_| lanes.uniform()).collect();
        let t: Vec<u8> = s
            .chunks(4)
            .flat_map(|p| {
                let u = lanes.uniform();
                p.iter().zip(u).map(|(p, u)| u8::from(u < p * p)).collect::<Vec<_>>()
            })
            .collect();
        let few = calibration_index(&s, &t).expect("valid");
        let many = calibration_index(&s.repeat(2), &t.repeat(2)).expect("valid");
        for (a, b) in [(few.ici, many.ici), (few.e50, many.e50), (few.e90, many.e90), (few.emax, many.emax)] {
            near(Some(a), b, 2e-3);
        }
        // E|p − p²| = 1/6
        near(Some(few.ici), 1.0 / 6.0, 0.03);
    }

    /// 66 of 99 rows are 132 of 198; 66 of 100 would be 132 of 200, but ⌊2n/3⌋ takes 133, which is the 67th row twice.
    #[test]
    fn rows_twice_differ_by_the_window_alone() {
        let mut lanes = Lanes::seeded(9, 0);
        let s: Vec<f64> = (0..100).map(|_| lanes.uniform()[0]).collect();
        let t: Vec<u8> = (0..100).map(|_| u8::from(lanes.uniform()[0] < 0.4)).collect();
        let (once, twice) = (&s[..99], s[..99].repeat(2));
        let a = calibration_index(once, &t[..99]).expect("valid");
        let b = calibration_index(&twice, &t[..99].repeat(2)).expect("valid");
        near(Some(a.ici), b.ici, 1e-13);
        near(Some(a.emax), b.emax, 1e-13);
        let smooth = |s: &[f64], t: &[u8], span| lowess(&points(s, t, None, MOST_ROWS, POINTS), span);
        let doubled = smooth(&s.repeat(2), &t.repeat(2), SPAN);
        let wider = smooth(&s, &t, 0.67);
        let same = smooth(&s, &t, SPAN);
        assert!(doubled.iter().zip(&wider).all(|(a, b)| (a - b).abs() < 1e-13));
        assert!(doubled.iter().zip(&same).any(|(a, b)| (a - b).abs() > 1e-4));
    }

    #[test]
    fn equal_scores_have_one_distance() {
        let index = calibration_index(&[0.3; 10], &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]).expect("valid");
        near(Some(index.emax), 0.2, 1e-12);
        near(Some(index.ici), 0.2, 1e-12);
    }
}
