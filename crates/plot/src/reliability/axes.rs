//! Where the data are: the ends of both axes of a reliability diagram.

use super::{FEW_ROWS, ReliabilitySeries};
use crate::num::order;
use crate::scale::round_step;
use crate::words::number;

/// Axes over all probabilities.
pub const FULL: (f64, f64) = (0.0, 1.0);
/// Share of the rows that may lie beyond each end.
const LEFT_OUT: f64 = 0.005;
/// A bin of fewer rows than [`FEW_ROWS`] is in view if it has this share of all.
const SOME: f64 = 0.02;
/// Axes that would take more than this of 0 to 1 take all of it.
const MOST: f64 = 0.75;
/// An end nearer to 0, or 1, than this part of the distance to the other end moves there.
const NEAR: f64 = 0.3;

/// One pair of ends for both axes, so that the diagonal stays one: round numbers round the scores but for one row in 200 at
/// each end, and round every bin of [`FEW_ROWS`] rows with its interval, and the point of a smaller one that is no stray one.
///
/// Where that is most of 0 to 1, or nothing, [`FULL`]. O(n).
pub fn fitted_axes<'a>(scores: &[f64], series: impl IntoIterator<Item = &'a ReliabilitySeries>) -> (f64, f64) {
    let mut sorted: Vec<f64> = scores.iter().copied().filter(|s| s.is_finite()).collect();
    if sorted.is_empty() {
        return FULL;
    }
    let beyond = (LEFT_OUT * sorted.len() as f64) as usize;
    let upper_place = sorted.len() - 1 - beyond;
    let mut low = *order::select(&mut sorted, beyond, &|a, b| a.total_cmp(b));
    let mut high = *order::select(&mut sorted, upper_place, &|a, b| a.total_cmp(b));
    for bin in series.into_iter().flat_map(|series| &series.bins) {
        if bin.n >= FEW_ROWS {
            low = low.min(bin.wilson_low).min(bin.score);
            high = high.max(bin.wilson_high).max(bin.score);
        } else if bin.n as f64 >= SOME * scores.len() as f64 {
            // of few rows in all, the bin is no stray one: it is seen, if not the whole of its interval
            low = low.min(bin.target).min(bin.score);
            high = high.max(bin.target).max(bin.score);
        }
    }
    let room = 0.03 * (high - low).max(0.01);
    (low, high) = (low - room, high + room);
    if low < NEAR * high {
        low = 0.0;
    }
    if 1.0 - high < NEAR * (1.0 - low) {
        high = 1.0;
    }
    let step = round_step((high - low) / 10.0);
    let places = number::decimals_of_step(step);
    let low = number::rounded((low / step + 1e-9).floor() * step, places).max(0.0);
    let high = number::rounded((high / step - 1e-9).ceil() * step, places).min(1.0);
    // As well where a score is no probability.
    if high - low > MOST || high <= low { FULL } else { (low, high) }
}

#[cfg(test)]
mod tests {
    use super::super::BinMark;
    use super::*;

    fn evenly_of(n: u32, low: f64, high: f64) -> Vec<f64> {
        (0..n).map(|i| low + (high - low) * f64::from(i) / f64::from(n - 1)).collect()
    }

    fn evenly(low: f64, high: f64) -> Vec<f64> {
        evenly_of(1000, low, high)
    }

    #[test]
    fn ends_are_round_and_hold_the_data() {
        // 11 % happen: the square is filled
        assert_eq!(fitted_axes(&evenly(0.01, 0.27), []), (0.0, 0.3));
        assert_eq!(fitted_axes(&evenly(0.0001, 0.013), []), (0.0, 0.014));
        // a network that is never unsure
        assert_eq!(fitted_axes(&evenly(0.62, 0.999), []), (0.6, 1.0));
        assert_eq!(fitted_axes(&evenly(0.45, 0.55), []), (0.44, 0.56));
        assert_eq!(fitted_axes(&evenly(0.02, 0.97), []), FULL);
        assert_eq!(fitted_axes(&[], []), FULL);
        assert_eq!(fitted_axes(&[f64::NAN, 7.0], []), FULL);
        let (low, high) = fitted_axes(&[0.5], []);
        assert!(low < 0.5 && 0.5 < high && high - low < 0.1, "{low} {high}");
    }

    #[test]
    fn a_bin_far_from_the_diagonal_stays_in_view_and_a_stray_row_does_not_stretch_them() {
        let bin = |n, high| BinMark {
            low: 0.0,
            high: 0.1,
            n,
            weight: None,
            score: 0.1,
            target: 0.3,
            gap: -0.2,
            wilson_low: 0.25,
            wilson_high: high,
            inside_band: false,
        };
        let series =
            |n| ReliabilitySeries { name: String::new(), bins: vec![bin(n, 0.39)], curve: vec![], band: vec![] };
        let mut scores = evenly(0.01, 0.19);
        scores[999] = 0.93;
        assert_eq!(fitted_axes(&scores, [&series(40)]), (0.0, 0.45));
        assert_eq!(fitted_axes(&scores, [&series(4)]), (0.0, 0.2));
        // nothing but bins of few rows: their points are in view
        assert_eq!(fitted_axes(&evenly_of(90, 0.01, 0.19), [&series(9)]), (0.0, 0.35));
    }
}
