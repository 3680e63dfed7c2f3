//! Values with intervals and floors, from replicates.

use super::MetricValue;
use crate::evaluation::resample::Replicates;
use crate::metric::entry::{self, Better, Interval, Metric, Range, Value};
pub(crate) use crate::metric::reason::{NONE_WITHIN_FOLDS, TOO_FEW};
use crate::metric::reason::{Reason, TestedOn};
use crate::metric::registry;
use crate::num::quantile::quantile_sorted;
use crate::plot::curves::Curve;
use crate::words::number::{fixed, significant};
use crate::words::text::capitalized;

/// Two-sided level of every interval: 95 %.
pub const LOW: f64 = 0.025;
/// Upper end of the same.
pub const HIGH: f64 = 0.975;

/// The value of a metric with its interval and floor.
///
/// * `ends`: of an analytic interval, see [`Metric::ends`]
pub fn metric_value(metric: &Metric, value: &Value, ends: Option<[f64; 2]>, replicates: &Replicates) -> MetricValue {
    let value = match value {
        Ok(value) if value.is_finite() => *value,
        Ok(_) => return unavailable(Reason::NotFinite),
        Err(reason) => return unavailable(reason.clone()),
    };
    let mut out = MetricValue { value: Some(value), ..MetricValue::default() };
    match metric.interval {
        // the ends are those of the same value, summed in another order
        Interval::Analytic(..) => {
            (out.low, out.high) = ends.map(|[low, high]| (low.min(value), high.max(value))).unzip();
            let draws = replicates.bootstrap.get(metric.id).filter(|_| ends.is_none());
            out.reason = draws.filter(|draws| are_same(draws, value)).map(|_| Reason::SameInResamples);
        }
        Interval::Percentile | Interval::Basic | Interval::Centred => {
            if let Some(draws) = replicates.bootstrap.get(metric.id) {
                let draws = sorted(draws);
                out.resamples = draws.len();
                if are_same(&draws, value) {
                    out.reason = Some(Reason::SameInResamples);
                } else {
                    let range = CorrectedInterval::of((metric.interval, metric.range), value, &draws);
                    (out.corrected, out.low, out.high) = (range.corrected, range.low, range.high);
                }
            }
        }
        Interval::Maximum => out.reason = Some(Reason::Maximum),
        Interval::Tested => out.reason = Some(TESTED),
        Interval::None if !metric.floor => out.reason = Some(Reason::NoInterval),
        Interval::None => (),
    }
    out.interval = metric.interval.kind().filter(|_| out.low.is_some());
    let floor = replicates.floor.get(metric.id).map(|draws| sorted(draws));
    if let Some(draws) = floor.filter(|draws| !draws.is_empty()) {
        out.resamples = draws.len();
        out.floor_mean = Some(draws.iter().sum::<f64>() / draws.len() as f64);
        out.floor_low = quantile_sorted(&draws, LOW);
        out.floor_high = quantile_sorted(&draws, HIGH);
    }
    if contains_zero(metric, &out) {
        (out.low, out.high) = (out.low.map(|low| low.min(0.0)), out.high.map(|high| high.max(0.0)));
    }
    if out.reason.is_none() && (out.low.is_none() || out.floor_mean.is_none()) {
        // the test of the KLCE draws by itself, also where nothing is resampled
        let of_test =
            |id: &str| registry::metric(id).is_some_and(|of| matches!(of.replicates, entry::Replicates::Test(_)));
        let mut draws = replicates.bootstrap.iter().chain(&replicates.floor);
        let resampled = draws.any(|(id, draws)| !draws.is_empty() && !of_test(id));
        let asked = out.resamples > 0 || (resampled && !metric.is_local());
        out.reason = Some(if asked { Reason::UndefinedInResamples } else { Reason::NotResampled });
    }
    out
}

/// Of the metrics of a test; which scores and rows were tested is known to the report ([`of_run`](super::of_run)).
const TESTED: Reason = Reason::Tested { on: TestedOn::Pair, rows: None };

/// Whether resampling cannot show any uncertainty, as where every answer is correct: that is no interval of width 0.
fn are_same(draws: &[f64], value: f64) -> bool {
    let near = |draw: &f64| (draw - value).abs() <= 1e-12 * value.abs().max(1.0);
    draws.len() > 1 && draws.iter().all(near)
}

/// Whether an error of 0 belongs to the interval of a metric that is 0 for a calibrated model: its value is one that a calibrated
/// model shows, too. The basic interval alone leaves 0 out for most calibrated files, for the bias of
/// a sum of absolute errors is itself underestimated.
pub(crate) fn contains_zero(metric: &Metric, value: &MetricValue) -> bool {
    metric.zero_if_calibrated && value.floor_high.is_some() && !value.above_floor()
}

/// The same of a value and the replicates of its floor.
fn may_be_zero(metric: &Metric, value: f64, replicates: &Replicates) -> bool {
    let floor = replicates.floor.get(metric.id).map(|draws| sorted(draws));
    let floor_high = floor.and_then(|draws| quantile_sorted(&draws, HIGH));
    contains_zero(metric, &MetricValue { value: Some(value), floor_high, ..MetricValue::default() })
}

/// Whether a difference is one of pooled folds alone, which is neither better nor worse: that of a metric of the [order
/// alone](Metric::order_only). Each fold has a fit of its own, which moves its scores against those of other folds,
/// while within each fold all rows are in the order of the original scores.
pub(crate) fn is_of_pooling(difference: &MetricValue) -> bool {
    difference.reason == Some(Reason::NoneWithinFolds)
}

/// Why a net benefit has no interval there.
pub(crate) const NO_INTERVAL: &str = "no intervals: fewer than 10 rows have the rarer outcome";

/// What the bands of decision curves are, or why there are none: "Bands: pointwise 95% CI of each line."
///
/// * `each`: whether every line has one where any has
pub(crate) fn bands(curves: &[Curve], each: bool) -> String {
    match curves.iter().all(|curve| curve.band.is_empty()) {
        true => format!("{}.", capitalized(NO_INTERVAL)),
        false => format!("Bands: pointwise 95% CI of {}.", if each { "each line" } else { "the first line" }),
    }
}

/// A difference without interval where rows are [`too_few_to_resample`](crate::num::proportion::too_few_to_resample).
pub fn untested(difference: MetricValue) -> MetricValue {
    let Some(value) = difference.value else { return difference };
    MetricValue { value: Some(value), reason: Some(Reason::TooFew), ..MetricValue::default() }
}

/// The difference of a method to `none` on the same rows; replicates are paired.
pub fn difference(metric: &Metric, ours: &Value, base: &Value, replicates: (&Replicates, &Replicates)) -> MetricValue {
    let (Ok(ours), Ok(base)) = (ours, base) else {
        return unavailable(Reason::NotOfBoth);
    };
    let value = ours - base;
    if !value.is_finite() {
        return unavailable(Reason::NotFinite);
    }
    let mut out = MetricValue { value: Some(value), ..MetricValue::default() };
    let draws = replicates.0.bootstrap.get(metric.id).zip(replicates.1.bootstrap.get(metric.id));
    let made = (metric.interval.of_difference(), metric.range);
    match draws.filter(|(a, b)| a.len() == b.len() && !a.is_empty()) {
        Some(_) if metric.interval == Interval::Maximum => out.reason = Some(Reason::Maximum),
        _ if metric.interval == Interval::Tested => out.reason = Some(TESTED),
        Some((a, b)) => {
            out.resamples = a.iter().zip(b.iter()).filter(|(a, b)| (*a - *b).is_finite()).count();
            let may = |value: f64, replicates: &Replicates| may_be_zero(metric, value, replicates);
            let range = CorrectedInterval::of_difference(made, (*ours, a), (*base, b))
                .of_errors_that_may_be_zero(may(*ours, replicates.0), may(*base, replicates.1));
            (out.corrected, out.low, out.high) = (range.corrected, range.low, range.high);
            out.interval = made.0.kind().filter(|_| out.low.is_some());
            if range.low.is_none() {
                out.reason = Some(Reason::UndefinedInResamples);
            }
        }
        None => out.reason = Some(Reason::NotResampled),
    }
    out
}

/// How the interval of a difference of distances from what is best is made, and where each distance lies: where the best is a
/// value in between, noise pushes distances upwards.
pub(crate) fn of_distances(metric: &Metric) -> (Interval, Range) {
    match (metric.interval.of_difference(), metric.better) {
        (Interval::Percentile, Better::Zero | Better::One) => (Interval::Basic, Range::Positive),
        (kind, _) => (kind, metric.range),
    }
}

/// A difference in words: itself, what the interval belongs to where that is another number, and the interval.
///
/// `−0.0123`, `corrected −0.0130`, `−0.020 to −0.005`
pub(crate) fn difference_parts(value: f64, corrected: Option<f64>, ends: Option<(f64, f64)>) -> Vec<String> {
    // The ends of an interval are not known to three digits.
    let short = |v: f64| {
        if v == 0.0 { "0".to_owned() } else { fixed(v, (1 - v.abs().log10().floor() as i32).clamp(0, 6) as usize) }
    };
    let signed = |v: f64| format!("{}{}", if v > 0.0 { "+" } else { "" }, significant(v));
    let mut parts = vec![signed(value)];
    if let Some((low, high)) = ends {
        parts.extend(corrected.map(|v| format!("corrected\u{a0}{}", signed(v))));
        parts.push(format!("{} to {}", short(low), short(high)));
    }
    parts
}

/// The same in a line: −0.0123 (−0.020 to −0.005).
pub(crate) fn difference_words(value: f64, corrected: Option<f64>, ends: Option<(f64, f64)>) -> String {
    let mut parts = difference_parts(value, corrected, ends);
    match ends.and_then(|_| parts.pop()) {
        Some(interval) => format!("{} ({interval})", parts.join(", ")),
        None => parts.concat(),
    }
}

/// No value, and why.
pub fn unavailable(reason: Reason) -> MetricValue {
    MetricValue { reason: Some(reason), ..MetricValue::default() }
}

/// What replicates say about a value: low ≤ corrected ≤ high, or low ≤ value ≤ high where nothing is corrected.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct CorrectedInterval {
    /// the value less its resampling bias, where noise pushes it upwards
    pub(crate) corrected: Option<f64>,
    /// lower end of the 95 % interval
    pub(crate) low: Option<f64>,
    /// upper end
    pub(crate) high: Option<f64>,
}

impl CorrectedInterval {
    /// The interval of the difference ours − base of two errors, where one may be 0 (see [`contains_zero`]): nothing is
    /// less than an error of 0, so that the interval reaches to 0 from the side on which it is the smaller. Resampling
    /// alone calls one of four methods better than calibrated scores in 8 of 40 files with about 20 events; with this, in 1.
    pub(crate) fn of_errors_that_may_be_zero(self, ours: bool, base: bool) -> Self {
        Self {
            low: self.low.map(|low| if ours { low.min(0.0) } else { low }),
            high: self.high.map(|high| if base { high.max(0.0) } else { high }),
            ..self
        }
    }

    /// The interval of the difference ours − base of two values of one making and range, from paired replicates.
    ///
    /// Values that noise pushes upwards are each corrected and cut to their range, since their biases may differ. The
    /// interval belongs to the difference of the corrected values, which stand beside it, and reaches no further than their
    /// own intervals allow: no difference of two errors is larger than the errors.
    pub(crate) fn of_difference(
        (kind, range): (Interval, Range),
        (ours, of_ours): (f64, &[f64]),
        (base, of_base): (f64, &[f64]),
    ) -> Self {
        let paired: Vec<f64> = of_ours.iter().zip(of_base).map(|(ours, base)| ours - base).collect();
        let alone = Self::of((kind, range.of_difference()), ours - base, &sorted(&paired));
        if kind != Interval::Basic {
            return alone;
        }
        let [ours, base] =
            [(ours, of_ours), (base, of_base)].map(|(v, draws)| Self::of((kind, range), v, &sorted(draws)));
        let (Some(corrected), Some(most), Some(most_of_base)) =
            (ours.corrected.zip(base.corrected).map(|(ours, base)| ours - base), ours.high, base.high)
        else {
            return alone;
        };
        let least = range.cut(f64::NEG_INFINITY);
        Self {
            corrected: Some(corrected),
            low: alone.low.map(|low| low.max(least - most_of_base).min(corrected)),
            high: alone.high.map(|high| high.min(most - least).max(corrected)),
        }
    }

    /// From replicates in ascending order, of a value that lies in a range.
    ///
    /// An interval that would leave out what it belongs to is extended to hold it: with few draws quantiles may, and a mean
    /// may lie beyond them where more than 39 of 40 draws agree and the rest are far off.
    pub(crate) fn of((kind, range): (Interval, Range), value: f64, sorted: &[f64]) -> Self {
        let (Some(first), Some(last)) = (quantile_sorted(sorted, LOW), quantile_sorted(sorted, HIGH)) else {
            return Self::default();
        };
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        let (belongs, low, high, range) = match kind {
            Interval::Percentile | Interval::Analytic(..) => (value, first, last, Range::Any),
            Interval::Basic => {
                let corrected = range.cut(2.0 * value - mean);
                (corrected, 2.0 * value - last, 2.0 * value - first, range)
            }
            Interval::Centred => (value, value + mean - last, value + mean - first, range),
            Interval::Maximum | Interval::Tested | Interval::None => return Self::default(),
        };
        Self {
            corrected: (kind == Interval::Basic).then_some(belongs),
            low: Some(range.cut(low).min(belongs)),
            high: Some(range.cut(high).max(belongs)),
        }
    }
}

fn sorted(draws: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = draws.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::metric::accuracy::ACCURACY;
    use crate::num::proportion::{LEAST_OF_OUTCOME, too_few_to_resample};

    fn assert_contains(estimate: CorrectedInterval, value: f64) {
        let belongs = estimate.corrected.unwrap_or(value);
        let ends = (estimate.low, estimate.high);
        assert!(
            matches!(ends, (Some(low), Some(high)) if low <= belongs && belongs <= high),
            "{estimate:?} of {value}"
        );
    }

    #[test]
    fn a_difference_in_words_is_its_parts() {
        let ends = Some((-0.0204, -0.0052));
        assert_eq!(difference_parts(-0.01234, None, None), ["−0.0123"]);
        assert_eq!(difference_parts(-0.01234, None, ends), ["−0.0123", "−0.020 to −0.0052"]);
        let parts = difference_parts(-0.01234, Some(-0.013), ends);
        assert_eq!(parts, ["−0.0123", "corrected\u{a0}−0.0130", "−0.020 to −0.0052"]);
        assert_eq!(difference_words(-0.01234, None, None), "−0.0123");
        let words = difference_words(-0.01234, Some(-0.013), ends);
        assert_eq!(words, "−0.0123, corrected\u{a0}−0.0130 (−0.020 to −0.0052)");
    }

    /// v = 0.1 and draws of 0.11, 0.12 … 0.20: mean 0.155, so corrected 0.045; the interval goes to 0.2 − q.
    #[test]
    fn ten_draws_by_hand() {
        let draws: Vec<f64> = (11..=20).map(|k| f64::from(k) / 100.0).collect();
        let found = CorrectedInterval::of((Interval::Basic, Range::Share), 0.1, &draws);
        let close = |a: Option<f64>, b: f64| assert!((a.unwrap_or(f64::NAN) - b).abs() < 1e-12);
        close(found.corrected, 0.045);
        close(found.low, 0.2 - 0.19775);
        close(found.high, 0.2 - 0.11225);
        let found = CorrectedInterval::of((Interval::Centred, Range::Any), 0.1, &draws);
        assert_eq!(found.corrected, None);
        close(found.low, 0.1 + 0.155 - 0.19775);
        close(found.high, 0.1 + 0.155 - 0.11225);
    }

    /// An ECE of 0.02 whose replicates have the mean 0.022, corrected 0.018, and one of 0.012 that is all noise, corrected 0.
    #[test]
    fn a_corrected_difference_is_that_of_the_corrected_errors() {
        let around = |mean: f64| -> Vec<f64> { (-20..=20).map(|k| mean + 1e-4 * f64::from(k)).collect() };
        let of = |ours: (f64, f64), base: (f64, f64)| {
            let (drawn, of_base) = (around(ours.1), around(base.1));
            CorrectedInterval::of_difference((Interval::Basic, Range::Share), (ours.0, &drawn), (base.0, &of_base))
        };
        let close = |a: Option<f64>, b: f64| assert!((a.unwrap_or(f64::NAN) - b).abs() < 1e-12, "{a:?}, not {b}");
        // −0.008 less the difference of the biases would be −0.044, more than the error of the base
        close(of((0.012, 0.05), (0.02, 0.022)).corrected, -0.018);
        for (ours, base) in [((0.012, 0.05), (0.02, 0.022)), ((0.02, 0.022), (0.012, 0.05)), ((0.0, 0.01), (0.0, 0.02))]
        {
            let found = of(ours, base);
            let (low, high) = (found.low.unwrap(), found.high.unwrap());
            assert_contains(found, ours.0 - base.0);
            // no further than either error may be large
            assert!(
                low >= -(2.0 * base.0 - base.1 + 0.002).max(0.0) && high <= (2.0 * ours.0 - ours.1 + 0.002).max(0.0)
            );
        }
        // what is not pushed upwards is the plain paired interval
        let (ours, base) = (around(0.3), around(0.2));
        let found = CorrectedInterval::of_difference((Interval::Percentile, Range::Share), (0.3, &ours), (0.2, &base));
        assert_eq!(found.corrected, None);
        close(found.low, 0.1);
    }

    #[test]
    fn where_every_resample_is_the_same_there_is_no_interval() {
        let drawn = |draws: Vec<f64>| {
            let mut replicates = Replicates::default();
            replicates.bootstrap.insert(ACCURACY.id.to_owned(), draws.into());
            metric_value(&ACCURACY, &Ok(1.0), None, &replicates)
        };
        let all_right = drawn(vec![1.0; 20]);
        assert_eq!((all_right.value, all_right.low, all_right.interval), (Some(1.0), None, None));
        assert_eq!(all_right.reason, Some(Reason::SameInResamples));
        assert!(drawn([vec![1.0; 19], vec![0.9]].concat()).low.is_some());
    }

    #[test]
    fn draws_of_the_trust_test_are_no_resamples() {
        let mut replicates = Replicates::default();
        replicates.floor.insert("klce2_normalised".to_owned(), vec![0.1, 0.2].into());
        let piece = registry::metric("piece").unwrap();
        let reason = |replicates: &Replicates| metric_value(piece, &Ok(0.1), None, replicates).reason;
        assert_eq!(reason(&replicates), Some(Reason::NotResampled));
        replicates.floor.insert("brier".to_owned(), vec![0.1, 0.2].into());
        assert_eq!(reason(&replicates), Some(Reason::UndefinedInResamples));
    }

    #[test]
    fn every_interval_holds_what_it_belongs_to() {
        let kinds = [
            (Interval::Percentile, Range::Any),
            (Interval::Basic, Range::Share),
            (Interval::Basic, Range::Positive),
            (Interval::Basic, Range::Signed),
            (Interval::Centred, Range::Share),
        ];
        // 24 of 1,000 draws far off: the mean lies beyond the 97.5 % quantile; and as far off to the other side.
        let skewed = |far: f64| {
            let mut draws = vec![0.3; 976];
            draws.extend(vec![far; 24]);
            draws.sort_unstable_by(f64::total_cmp);
            draws
        };
        let many = [skewed(1.0), skewed(0.0), vec![0.4], vec![0.1, 0.1, 0.1], vec![0.0, 1.0], vec![1.0; 40]];
        for (kind, draws) in kinds.iter().flat_map(|kind| many.iter().map(move |d| (kind, d))) {
            for value in [0.0, 0.1, 0.3, 1.0 / 3.0, 0.97, 1.0] {
                assert_contains(CorrectedInterval::of(*kind, value, draws), value);
            }
        }
        assert_eq!(CorrectedInterval::of((Interval::Basic, Range::Share), 0.3, &[]), CorrectedInterval::default());
    }

    #[test]
    fn an_error_that_a_calibrated_model_shows_has_an_interval_from_zero() {
        // resampled between 0.03 and 0.04; a calibrated model shows up to 0.035
        let draws = |from: f64, to: f64| {
            (0..=1000).map(|k| from + (to - from) * f64::from(k) / 1000.0).collect::<Vec<f64>>().into()
        };
        let of = |id: &str, value: f64| {
            let mut replicates = Replicates::default();
            replicates.bootstrap.insert(id.to_owned(), draws(0.03, 0.04));
            replicates.floor.insert(id.to_owned(), draws(0.01, 0.035));
            let found = metric_value(crate::metric::registry::metric(id).unwrap(), &Ok(value), None, &replicates);
            (found.low.unwrap(), found.corrected, found.above_floor())
        };
        let (low, corrected, above) = of("ece", 0.03);
        assert!(low == 0.0 && corrected.is_some() && !above, "{low} {corrected:?}");
        let (low, _, above) = of("ece", 0.036);
        assert!(low > 0.03 && above, "{low}");
        // what is not 0 for a calibrated model, or better the larger, stays as it is
        assert!(of("brier", 0.033).0 > 0.0 && of("discrimination", 0.033).0 > 0.0);
    }

    #[test]
    fn few_rows_of_one_outcome_are_not_compared() {
        assert!(too_few_to_resample((100, 1)) && too_few_to_resample((100, 91)) && too_few_to_resample((0, 0)));
        let least = format!("than {LEAST_OF_OUTCOME} rows");
        assert!(!too_few_to_resample((20, 10)) && TOO_FEW.contains(&least) && NO_INTERVAL.contains(&least));
        let found = MetricValue { value: Some(-0.1), low: Some(-0.2), high: Some(-0.05), ..MetricValue::default() };
        let found = untested(found);
        assert_eq!((found.value, found.low, found.high), (Some(-0.1), None, None));
        assert_eq!(found.reason, Some(Reason::TooFew));
        assert_eq!(untested(unavailable(Reason::Maximum)).reason, Some(Reason::Maximum));
    }

    /// Both intervals exclude 0 by resampling; the error of the base, or of the method, is one that a calibrated model
    /// shows.
    #[test]
    fn nothing_is_better_than_an_error_that_may_be_zero() {
        let ece = registry::metric("ece").unwrap();
        let made = |error: f64, floor: f64| {
            let mut replicates = Replicates::default();
            let around = |k: i32| error + 1e-5 * f64::from(k);
            replicates.bootstrap.insert("ece".to_owned(), (0..40).map(around).collect::<Vec<f64>>().into());
            replicates.floor.insert("ece".to_owned(), vec![0.5 * floor, floor].into());
            (Ok(error), replicates)
        };
        let of = |ours: (f64, f64), base: (f64, f64)| {
            let ((ours, drawn), (base, of_base)) = (made(ours.0, ours.1), made(base.0, base.1));
            let found = difference(ece, &ours, &base, (&drawn, &of_base));
            (found.low.unwrap(), found.high.unwrap())
        };
        let (low, high) = of((0.01, 0.03), (0.05, 0.03));
        assert!(low < -0.03 && high < -0.03, "the base is above its null range: {low} {high}");
        let (low, high) = of((0.01, 0.06), (0.05, 0.06));
        assert!(low < -0.03 && high == 0.0, "the base may be 0: {low} {high}");
        let (low, high) = of((0.05, 0.06), (0.01, 0.06));
        assert!(low == 0.0 && high > 0.03, "the method may be 0: {low} {high}");
    }

    /// Where everything lies inside, nothing is extended.
    #[test]
    fn quantiles_are_left_alone_where_they_hold_the_value() {
        let draws: Vec<f64> = (0..=1000).map(|k| f64::from(k) / 1000.0).collect();
        let found = CorrectedInterval::of((Interval::Percentile, Range::Any), 0.5, &draws);
        assert_eq!(found.low, quantile_sorted(&draws, LOW));
        assert_eq!(found.high, quantile_sorted(&draws, HIGH));
    }
}
