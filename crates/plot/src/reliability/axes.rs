//! Where the data are: the ends of both axes of a reliability diagram.

use super::{FEW_ROWS, ReliabilitySeries};
use crate::num::order;
use crate::num::special::{logit, sigmoid};
use crate::scale::{Scale, round_below, round_step};
use crate::words::number;

/// Axes over all probabilities.
pub const FULL: (f64, f64) = (0.0, 1.0);
/// Share of the rows that may lie beyond each end.
const LEFT_OUT: f64 = 0.005;
/// A bin of fewer rows than [`FEW_ROWS`] is in view if it has this share of all.
const SOME: f64 = 0.02;
/// Axes that would take more than this of 0 to 1 take all of it.
const MOST: f64 = 0.75;
/// Room between what is drawn and the ends of logit axes, log-odds.
const LOGIT_ROOM: f64 = 0.1;
/// An end nearer to 0, or 1, than this part of the distance to the other end moves there.
const NEAR: f64 = 0.3;

/// One pair of ends for both axes, so that the diagonal stays one: round numbers round the scores but for one row in 200 at
/// each end, and round every bin of [`FEW_ROWS`] rows with its interval, and the point of a smaller one that is no stray one.
///
/// Where that is most of 0 to 1, or nothing, [`FULL`]. O(n).
pub fn fitted_axes<'a>(scores: &[f64], series: impl IntoIterator<Item = &'a ReliabilitySeries>) -> (f64, f64) {
    let Some((mut low, mut high)) = range(scores, series, f64::is_finite) else { return FULL };
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

/// The same on the scale of log-odds, from 10⁻⁶ to 1 − 10⁻⁶ at most: numbers 1, 2, 5 × 10ᵏ, or as far from 1, round
/// whatever is neither 0 nor 1. 0.001 to 0.999 where nothing is. O(n).
pub fn logit_axes<'a>(scores: &[f64], series: impl IntoIterator<Item = &'a ReliabilitySeries>) -> (f64, f64) {
    const LEAST: f64 = 1e-6;
    let inside = |p: f64| 0.0 < p && p < 1.0;
    let Some((low, high)) = range(scores, series, inside) else { return (0.001, 0.999) };
    let at = |p: f64, room: f64| sigmoid(logit(p, LEAST) + room).clamp(LEAST, 1.0 - LEAST);
    let below = |p: f64| if p <= 0.5 { round_below(p) } else { 1.0 - round_step(1.0 - p) };
    (below(at(low, -LOGIT_ROOM)), 1.0 - below(at(1.0 - high, -LOGIT_ROOM)))
}

/// The scale of axes with these ends.
pub fn scale_of((low, high): (f64, f64), logit: bool) -> Scale {
    if logit { Scale::logit(low, high) } else { Scale::linear(low, high) }
}

/// From the lowest to the highest value that is drawn, of those that can be: scores but for one row in 200 at each end,
/// bins with their intervals, and the points of smaller ones. O(n).
fn range<'a>(
    scores: &[f64],
    series: impl IntoIterator<Item = &'a ReliabilitySeries>,
    can_be: impl Fn(f64) -> bool,
) -> Option<(f64, f64)> {
    let mut sorted: Vec<f64> = scores.iter().copied().filter(|s| can_be(*s)).collect();
    let last = sorted.len().checked_sub(1)?;
    let beyond = (LEFT_OUT * sorted.len() as f64) as usize;
    let mut low = *order::select(&mut sorted, beyond, &|a, b| a.total_cmp(b));
    let mut high = *order::select(&mut sorted, last - beyond, &|a, b| a.total_cmp(b));
    for bin in series.into_iter().flat_map(|series| &series.bins) {
        let values = if bin.n >= FEW_ROWS {
            [bin.wilson_low, bin.score, bin.wilson_high]
        } else if bin.n as f64 >= SOME * scores.len() as f64 {
            // of few rows in all, the bin is no stray one: it is seen, if not the whole of its interval
            [bin.target, bin.score, bin.target]
        } else {
            continue;
        };
        // shares of weighted sums may be a last digit within 0 and 1
        let values = values.map(|value| if (value - value.round()).abs() < 1e-9 { value.round() } else { value });
        for value in values.into_iter().filter(|value| can_be(*value)) {
            (low, high) = (low.min(value), high.max(value));
        }
    }
    Some((low, high))
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
    fn logit_axes_end_at_numbers_that_mirror_each_other() {
        let close = |(low, high): (f64, f64), ends: (f64, f64)| {
            assert!((low - ends.0).abs() < 1e-12 && (high - ends.1).abs() < 1e-12, "{low} to {high}");
        };
        close(logit_axes(&evenly(0.012, 0.27), []), (0.01, 0.5));
        close(logit_axes(&evenly(0.62, 0.9985), []), (0.5, 0.998));
        close(logit_axes(&[0.5], []), (0.2, 0.8));
        // neither 0 nor 1 has a place, and no axis reaches further than 10⁻⁶
        close(logit_axes(&[0.0, 0.03, 0.15, 1.0], []), (0.02, 0.2));
        close(logit_axes(&[1e-300, 0.3], []), (1e-6, 0.5));
        close(logit_axes(&[0.0, 1.0], []), (0.001, 0.999));
        let bin = BinMark {
            low: 0.0,
            high: 0.1,
            n: 400,
            events: 0,
            weight: None,
            score: 0.02,
            target: 0.0,
            gap: 0.02,
            wilson_low: 0.0,
            wilson_high: 0.0095,
            inside_band: false,
        };
        let series = ReliabilitySeries { name: String::new(), bins: vec![bin], curve: vec![], band: vec![] };
        close(logit_axes(&evenly(0.012, 0.27), [&series]), (0.005, 0.5));
    }

    #[test]
    fn a_bin_far_from_the_diagonal_stays_in_view_and_a_stray_row_does_not_stretch_them() {
        let bin = |n, high| BinMark {
            low: 0.0,
            high: 0.1,
            n,
            events: 3 * n / 10,
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
