//! Scales from numbers to pixels, and the ticks a person would choose.

use serde::{Deserialize, Serialize};

use super::text;
use crate::num::special::{logit, sigmoid};
use crate::words::number;

/// Pixels between the labels of two ticks, at least.
const BETWEEN: f64 = 10.0;

/// So many more ticks than usual are tried where fewer leave one.
const MORE: usize = 4;

/// Probabilities closer to 0 or 1 have the place of this one on a logit axis, which 0 and 1 have none on.
const LEAST: f64 = 1e-12;

/// Ratios that mirror each other about 1, ever fewer.
const RATIOS: [&[f64]; 3] = [
    &[0.1, 0.2, 0.5, 0.8, 1.0, 1.25, 2.0, 5.0, 10.0],
    &[0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0],
    &[0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0],
];

/// A map from values to a position in 0..1 along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// equal differences take equal space; `low` may be above `high` to turn the axis round
    Linear {
        /// value at the start of the axis
        low: f64,
        /// value at the end of the axis
        high: f64,
    },
    /// equal ratios take equal space; both ends above 0
    Log {
        /// value at the start of the axis
        low: f64,
        /// value at the end of the axis
        high: f64,
    },
    /// equal ratios of the odds take equal space; both ends between 0 and 1
    Logit {
        /// probability at the start of the axis
        low: f64,
        /// probability at the end of the axis
        high: f64,
    },
}

/// A labeled place on an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tick {
    /// where, in the units of the axis
    pub value: f64,
    /// label; may be empty
    pub label: String,
}

impl Tick {
    /// A tick at `value` that says `label`.
    pub fn new(value: f64, label: impl Into<String>) -> Self {
        Self { value, label: label.into() }
    }
}

impl Scale {
    /// 0 to 1, the axis of a probability.
    pub const UNIT: Scale = Scale::Linear { low: 0.0, high: 1.0 };

    /// The linear scale over the data from `low` to `high`; an empty or unusable range becomes one around it.
    pub fn linear(low: f64, high: f64) -> Self {
        let low = if low.is_finite() { low } else { 0.0 };
        let high = if high.is_finite() { high } else { low };
        if low == high {
            let half = if low == 0.0 { 0.5 } else { low.abs() * 0.05 };
            return Self::Linear { low: low - half, high: high + half };
        }
        Self::Linear { low, high }
    }

    /// The logarithmic scale from `low` to `high`; ends that are not positive numbers become a decade.
    pub fn log(low: f64, high: f64) -> Self {
        let usable = |v: f64| v.is_finite() && v > 0.0;
        let (low, high) = match (usable(low), usable(high)) {
            (true, true) if low < high => (low, high),
            (true, _) => (low, low * 10.0),
            (false, true) => (high / 10.0, high),
            (false, false) => (0.1, 1.0),
        };
        Self::Log { low, high }
    }

    /// The logit scale from `low` to `high`; ends that do not rise between 0 and 1 become 0.001 and 0.999.
    pub fn logit(low: f64, high: f64) -> Self {
        match LEAST <= low && low < high && high <= 1.0 - LEAST {
            true => Self::Logit { low, high },
            false => Self::Logit { low: 0.001, high: 0.999 },
        }
    }

    /// Position of `value` along the axis: 0 at the start, 1 at the end, outside 0..1 for values beyond.
    pub fn position(&self, value: f64) -> f64 {
        match *self {
            Self::Linear { low, high } => (value - low) / (high - low),
            Self::Log { low, high } => (value.max(f64::MIN_POSITIVE) / low).ln() / (high / low).ln(),
            Self::Logit { low, high } => {
                let [value, low, high] = [value, low, high].map(|p| logit(p, LEAST));
                (value - low) / (high - low)
            }
        }
    }

    /// The value at `position`; inverse of [`Scale::position`].
    pub fn value(&self, position: f64) -> f64 {
        match *self {
            Self::Linear { low, high } => low + position * (high - low),
            Self::Log { low, high } => low * (high / low).powf(position),
            Self::Logit { low, high } => {
                let [low, high] = [low, high].map(|p| logit(p, LEAST));
                sigmoid(low + position * (high - low))
            }
        }
    }

    /// The ticks of a level axis of `width` pixels: as many as a person would write, and no label touches its neighbor.
    ///
    /// Multiples of 1, 2 or 5 × 10ᵏ; on a logarithmic axis those numbers themselves, powers of ten alone where there is
    /// no room, every second or third power where there is still less.
    pub fn ticks_across(&self, width: f64) -> Vec<Tick> {
        self.fitting(width, width / 70.0, |tick| text::width(&tick.label, text::SMALL) + BETWEEN)
    }

    /// The ticks of an upright axis of `height` pixels; see [`Scale::ticks_across`].
    pub fn ticks_up(&self, height: f64) -> Vec<Tick> {
        self.fitting(height, height / 40.0, |_| text::SMALL + 4.0)
    }

    /// The same of ratios, at numbers that mirror each other about 1: 0.5, 0.8, 1, 1.25, 2; others where few of them lie on
    /// the axis.
    pub fn ratio_ticks_across(&self, width: f64) -> Vec<Tick> {
        let (low, high) = self.ends();
        let within = |value: &f64| (low..=high).contains(value);
        let room = |tick: &Tick| text::width(&tick.label, text::SMALL);
        let fits = |ticks: &[Tick]| {
            let at = |tick: &Tick| self.position(tick.value) * width;
            ticks.windows(2).all(|two| at(&two[1]) - at(&two[0]) >= 0.5 * (room(&two[0]) + room(&two[1])) + BETWEEN)
        };
        let choices = RATIOS.iter().map(|values| {
            let values = values.iter().copied().filter(within);
            values.map(|value| Tick::new(value, number::plain(value))).collect::<Vec<Tick>>()
        });
        choices.filter(|ticks| ticks.len() > 2).find(|ticks| fits(ticks)).unwrap_or_else(|| self.ticks_across(width))
    }

    /// Values at the start and at the end of the axis.
    pub fn ends(&self) -> (f64, f64) {
        match *self {
            Scale::Linear { low, high } | Scale::Log { low, high } | Scale::Logit { low, high } => (low, high),
        }
    }

    /// The densest choice whose labels, each of so much room round its place, stand apart within `length` pixels.
    fn fitting(&self, length: f64, usual: f64, room: impl Fn(&Tick) -> f64) -> Vec<Tick> {
        let apart = |ticks: &[Tick]| {
            ticks.windows(2).all(|pair| {
                let [a, b] = pair else { return true };
                let between = (self.position(b.value) - self.position(a.value)).abs() * length;
                between >= 0.5 * (room(a) + room(b))
            })
        };
        let choices = match *self {
            Self::Linear { low, high } => linear_choices(low.min(high), low.max(high), usual.max(2.0) as usize),
            Self::Log { low, high } => log_choices(low, high, usual.max(2.0) as usize),
            Self::Logit { low, high } => logit_choices(low, high, usual.max(2.0) as usize),
        };
        let mut choices = choices;
        choices.retain(|ticks| !ticks.is_empty());
        // A single number says nothing of distances: rather more ticks than usual than one.
        let (low, high) = self.ends();
        let more = (usual.max(2.0) as usize + 1..).take(MORE);
        let more = more.map(|count| linear_ticks(low.min(high), low.max(high), count));
        let several = choices.iter().cloned().chain(more).filter(|ticks| ticks.len() > 1);
        if let Some(ticks) = several.into_iter().find(|ticks| apart(ticks)) {
            return ticks;
        }
        // Not even two stand apart.
        let mut last = choices.pop().unwrap_or_default();
        last.truncate(1);
        last
    }
}

/// 0, 0.2 … 1: the ticks of a probability axis.
pub fn unit_ticks() -> Vec<Tick> {
    ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        .iter()
        .enumerate()
        .map(|(i, label)| Tick::new(i as f64 / 5.0, *label))
        .collect()
}

/// The nearest of 1, 2, 5 × 10^k at or above `step`.
pub fn round_step(step: f64) -> f64 {
    if !(step.is_finite() && step > 0.0) {
        return 1.0;
    }
    let decade = 10f64.powf(step.log10().floor());
    let multiple = step / decade;
    // 1 + 1e-9: a step that is 2 up to rounding must not become 5.
    [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| multiple <= m * (1.0 + 1e-9)).unwrap_or(10.0) * decade
}

/// The largest of 1, 2, 5 × 10^k at or below `value`.
pub fn round_below(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 0.0;
    }
    let decade = 10f64.powf(value.log10().floor());
    let multiple = value / decade;
    [5.0, 2.0, 1.0].into_iter().find(|m| multiple * (1.0 + 1e-9) >= *m).unwrap_or(1.0) * decade
}

/// The step of 1, 2, 5 × 10^k that divides `span` into a number of parts nearest to `count`, by ratio.
fn fitting_step(span: f64, count: f64) -> f64 {
    let (above, below) = (round_step(span / count), round_below(span / count));
    let too_few = count / (span / above);
    let too_many = (span / below) / count;
    if too_many < too_few { below } else { above }
}

fn linear_ticks(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let span = high - low;
    if !(span.is_finite() && span > 0.0) {
        return Vec::new();
    }
    let step = fitting_step(span, count.max(1) as f64);
    let slack = 1e-9 * span / step;
    let first = (low / step - slack).ceil();
    let last = (high / step + slack).floor();
    if last < first {
        return Vec::new();
    }
    let places = number::decimals_of_step(step);
    let far = !(1e-6..1e9).contains(&step);
    (0..=(last - first) as usize)
        .map(|i| {
            let value = (first + i as f64) * step;
            // Multiples of the step, not sums of it: 0.6 and not 0.6000000000000001.
            let value = number::rounded(value, places);
            let label =
                if far { power_label(value) } else { number::fixed(value, if value == 0.0 { 0 } else { places }) };
            Tick::new(value, label)
        })
        .collect()
}

/// Ticks at multiples of 1, 2 or 5 × 10ᵏ, about `most` at first and ever fewer.
fn linear_choices(low: f64, high: f64, most: usize) -> Vec<Vec<Tick>> {
    (1..=most.max(1)).rev().map(|count| linear_ticks(low, high, count)).collect()
}

/// Ticks for equal ratios, ever fewer: 1, 2, 5 × 10ᵏ; 10ᵏ; every second, third … power; over less than a decade where
/// these say too little, multiples as on a linear axis.
fn log_choices(low: f64, high: f64, most: usize) -> Vec<Vec<Tick>> {
    let within = move |value: &f64| *value >= low * (1.0 - 1e-9) && *value <= high * (1.0 + 1e-9);
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let powers = move |every: i32, multiples: &'static [u32]| -> Vec<Tick> {
        let exponents = (first..=last).filter(|exponent| exponent.rem_euclid(every) == 0);
        // Parsed, so that 1e-3 is the nearest number to 0.001.
        let values = exponents.flat_map(|k| multiples.iter().filter_map(move |m| format!("{m}e{k}").parse().ok()));
        values.filter(within).map(|value| Tick::new(value, power_label(value))).collect()
    };
    let fifths = powers(1, &[1, 2, 5]);
    let narrow = high / low < 10.0 && fifths.len() < 4;
    let mut choices = if narrow { linear_choices(low, high, most) } else { Vec::new() };
    let seconds = fifths.iter().step_by(2).cloned().collect();
    choices.push(fifths);
    choices.extend((1..=(last - first).max(1)).map(|every| powers(every, &[1])));
    // 500 and 2,000, where 1,000 between them has no room
    choices.push(seconds);
    // A single number says nothing of a ratio: where powers leave one, any multiples are better.
    choices.retain(|ticks| ticks.len() > 1);
    choices.extend(linear_choices(low, high, most));
    for ticks in &mut choices {
        ticks.retain(|tick| tick.value > 0.0);
    }
    choices
}

/// Ticks for equal ratios of the odds, ever fewer: 0.5, and as far from 0 as from 1 the numbers 1, 2, 5 × 10ᵏ; 10ᵏ;
/// every second, third … power; where these say too little, multiples as on a linear axis.
fn logit_choices(low: f64, high: f64, most: usize) -> Vec<Vec<Tick>> {
    const POWERS: usize = 12;
    let axis = Scale::logit(low, high);
    let within = |value: f64| (-1e-9..=1.0 + 1e-9).contains(&axis.position(value));
    let mirrored = |every: usize, multiples: &[u32]| -> Vec<Tick> {
        let mut below = Vec::new();
        for k in (1..=POWERS).step_by(every) {
            // Parsed, so that 1e-3 is the nearest number to 0.001.
            let values = multiples.iter().rev().filter_map(|m| format!("{m}e-{k}").parse::<f64>().ok());
            below.extend(values.filter(|value| *value < 0.5).map(|value| (k, value)));
        }
        let above =
            below.iter().map(|&(k, value)| Tick::new(number::rounded(1.0 - value, k), number::fixed(1.0 - value, k)));
        let lower = below.iter().rev().map(|&(_, value)| Tick::new(value, power_label(value)));
        let all = lower.chain([Tick::new(0.5, "0.5")]).chain(above);
        all.filter(|tick| within(tick.value)).collect()
    };
    let fifths = mirrored(1, &[1, 2, 5]);
    let mut choices = if fifths.len() < 4 { linear_choices(low, high, most) } else { Vec::new() };
    choices.push(fifths);
    choices.extend((1..=3).map(|every| mirrored(every, &[1])));
    choices.retain(|ticks| ticks.len() > 1);
    choices.extend(linear_choices(low, high, most));
    choices
}

/// 0.001, 500, 10⁻⁹.
fn power_label(value: f64) -> String {
    let plain = number::plain(value);
    let Some((mantissa, exponent)) = plain.split_once('e') else {
        return plain;
    };
    let raised = exponent.chars().map(|c| match c {
        '\u{2212}' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4'..='9' => char::from_u32(0x2070 + c as u32 - '0' as u32).unwrap_or(c),
        other => other,
    });
    let power: String = std::iter::once("10".to_owned()).chain(raised.map(String::from)).collect();
    if mantissa == "1" { power } else { format!("{mantissa}·{power}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|t| t.label.as_str()).collect()
    }

    #[test]
    fn unit_axis_has_fifths() {
        let values = |ticks: Vec<Tick>| ticks.iter().map(|t| t.value).collect::<Vec<_>>();
        assert_eq!(values(Scale::UNIT.ticks_across(400.0)), values(unit_ticks()));
        assert_eq!(labels(&Scale::UNIT.ticks_across(140.0)), ["0", "0.5", "1.0"]);
        assert_eq!(Scale::UNIT.ticks_across(400.0)[3].value, 0.6);
    }

    #[test]
    fn linear_ticks_are_one_two_five() {
        assert_eq!(labels(&Scale::linear(-3.2, 4.1).ticks_across(350.0)), ["\u{2212}2", "0", "2", "4"]);
        assert_eq!(labels(&Scale::linear(0.0, 4834.0).ticks_up(160.0)), ["0", "1,000", "2,000", "3,000", "4,000"]);
        let small = Scale::linear(0.01, 0.034).ticks_across(350.0);
        assert_eq!(labels(&small), ["0.010", "0.015", "0.020", "0.025", "0.030"]);
        // An axis that runs downwards has the same ticks.
        assert_eq!(labels(&Scale::linear(10.0, 0.0).ticks_up(80.0)), ["0", "5", "10"]);
    }

    #[test]
    fn log_ticks_are_those_a_person_would_write() {
        assert_eq!(labels(&Scale::log(0.001, 10.0).ticks_across(250.0)), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(&Scale::log(0.05, 2.0).ticks_across(300.0)), ["0.05", "0.1", "0.2", "0.5", "1", "2"]);
        assert_eq!(labels(&Scale::log(0.32, 0.78).ticks_across(300.0)), ["0.4", "0.5", "0.6", "0.7"]);
        let wide = Scale::log(1e-12, 1e6).ticks_across(300.0);
        assert_eq!(labels(&wide), ["10⁻¹²", "10⁻⁹", "10⁻⁶", "0.001", "1", "1,000", "10⁶"]);
        assert_eq!(labels(&Scale::log(1.6e-7, 4.7e-7).ticks_across(200.0)), ["2·10⁻⁷", "4·10⁻⁷"]);
    }

    #[test]
    fn logit_ticks_mirror_each_other_about_one_half() {
        let ticks = |low, high, width| Scale::logit(low, high).ticks_across(width);
        assert_eq!(labels(&ticks(0.0005, 0.9995, 450.0)), ["0.001", "0.01", "0.1", "0.5", "0.9", "0.99", "0.999"]);
        assert_eq!(labels(&ticks(0.001, 0.999, 450.0)), ["0.001", "0.01", "0.1", "0.5", "0.9", "0.99", "0.999"]);
        // rare events: none beyond the data
        assert_eq!(labels(&ticks(0.004, 0.3, 450.0)), ["0.005", "0.01", "0.02", "0.05", "0.1", "0.2"]);
        assert_eq!(labels(&ticks(0.7, 0.996, 450.0)), ["0.8", "0.9", "0.95", "0.98", "0.99", "0.995"]);
        assert_eq!(labels(&ticks(0.2, 0.8, 450.0)), ["0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8"]);
    }

    #[test]
    fn equal_ratios_of_the_odds_take_equal_space() {
        let scale = Scale::logit(0.01, 0.99);
        assert_eq!([0.01, 0.99].map(|p| scale.position(p)), [0.0, 1.0]);
        assert!((scale.position(0.5) - 0.5).abs() < 1e-12);
        // odds of 1/9, between those of 1/99 and 1
        assert!((scale.position(0.1) - (99f64 / 9.0).ln() / (2.0 * 99f64.ln())).abs() < 1e-12);
        // 0 and 1 have places beyond the ends
        assert!(scale.position(0.0).is_finite() && scale.position(0.0) < 0.0);
        assert!(scale.position(1.0).is_finite() && scale.position(1.0) > 1.0);
        assert_eq!(Scale::logit(0.0, 1.0), Scale::logit(f64::NAN, 2.0));
    }

    #[test]
    fn ratios_mirror_each_other_about_one() {
        let ticks = |low, high, width| Scale::log(low, high).ratio_ticks_across(width);
        assert_eq!(labels(&ticks(0.4, 2.4, 240.0)), ["0.5", "0.8", "1", "1.25", "2"]);
        assert_eq!(labels(&ticks(0.15, 6.0, 460.0)), ["0.2", "0.5", "0.8", "1", "1.25", "2", "5"]);
        assert_eq!(labels(&ticks(0.15, 6.0, 180.0)), ["0.2", "0.5", "1", "2", "5"]);
        // few of them are on a short axis
        assert_eq!(labels(&ticks(0.9, 1.12, 240.0)), ["0.9", "1.0", "1.1"]);
    }

    #[test]
    fn positions_turn_back_into_values() {
        for scale in [Scale::linear(-2.0, 7.0), Scale::log(1e-3, 1e2), Scale::logit(0.01, 0.99)] {
            for value in [0.001, 0.5, 1.0, 6.5] {
                // there is no probability beyond 1
                let value = if matches!(scale, Scale::Logit { .. }) { value / 7.0 } else { value };
                let back = scale.value(scale.position(value));
                assert!((back - value).abs() < 1e-12 * value.max(1.0));
            }
        }
        assert_eq!(Scale::linear(10.0, 0.0).position(10.0), 0.0);
    }

    #[test]
    fn a_single_number_is_no_axis() {
        // 50 is beyond both ends
        assert_eq!(labels(&Scale::linear(-48.0, 28.0).ticks_across(190.0)), ["\u{2212}40", "\u{2212}20", "0", "20"]);
        assert_eq!(labels(&Scale::linear(-28.0, 48.0).ticks_up(80.0)), ["\u{2212}20", "0", "20", "40"]);
    }

    #[test]
    fn broken_ranges_become_usable() {
        for scale in [
            Scale::linear(f64::NAN, f64::INFINITY),
            Scale::linear(3.0, 3.0),
            Scale::log(-1.0, 0.0),
            Scale::log(2.0, 2.0),
        ] {
            let ticks = scale.ticks_across(300.0);
            assert!(!ticks.is_empty() && ticks.len() < 15, "{scale:?} {ticks:?}");
        }
    }

    #[test]
    fn steps_round_up_and_peaks_round_down() {
        assert_eq!(round_step(0.2), 0.2);
        assert_eq!(round_step(2.1), 5.0);
        assert_eq!(round_below(4834.0), 2000.0);
        assert_eq!(round_below(5.0), 5.0);
        assert_eq!(round_below(f64::NAN), 0.0);
    }

    proptest::proptest! {
        /// Whatever is measured and however wide the axis, no label touches another, and there is one at least.
        #[test]
        fn labels_of_ticks_never_overlap(
            length in 30.0..1_600.0_f64,
            center in -12.0..12.0_f64,
            decades in 0.001..14.0_f64,
            sign in proptest::bool::ANY,
        ) {
            let (low, high) = (10f64.powf(center - decades / 2.0), 10f64.powf(center + decades / 2.0));
            let turned = if sign { Scale::linear(-high, low) } else { Scale::linear(low, high) };
            let probability = |odds: f64| odds.clamp(1e-6, 1e6) / (1.0 + odds.clamp(1e-6, 1e6));
            for scale in [Scale::log(low, high), turned, Scale::logit(probability(low), probability(high))] {
                let across = scale.ticks_across(length);
                let ends: Vec<(f64, f64)> = across
                    .iter()
                    .map(|tick| {
                        let (at, half) = (scale.position(tick.value) * length, 0.5 * text::width(&tick.label, text::SMALL));
                        (at - half, at + half)
                    })
                    .collect();
                proptest::prop_assert!(!across.is_empty(), "{scale:?} at {length}");
                proptest::prop_assert!(ends.windows(2).all(|pair| pair[0].1 < pair[1].0), "{scale:?} at {length}: {across:?}");
                let up: Vec<f64> = scale.ticks_up(length).iter().map(|tick| scale.position(tick.value) * length).collect();
                proptest::prop_assert!(up.windows(2).all(|pair| pair[1] - pair[0] >= text::SMALL));
                let inside = across.iter().all(|tick| (-1e-6..=1.0 + 1e-6).contains(&scale.position(tick.value)));
                proptest::prop_assert!(inside);
            }
        }
    }
}
