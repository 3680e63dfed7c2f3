//! Scales from numbers to pixels, and the ticks a person would choose.

use serde::{Deserialize, Serialize};

use crate::words::number;

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
}

/// A labelled place on an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tick {
    /// where, in the units of the axis
    pub value: f64,
    /// what is written there; may be empty
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

    /// Position of `value` along the axis: 0 at the start, 1 at the end, outside 0..1 for values beyond.
    pub fn position(&self, value: f64) -> f64 {
        match *self {
            Self::Linear { low, high } => (value - low) / (high - low),
            Self::Log { low, high } => (value.max(f64::MIN_POSITIVE) / low).ln() / (high / low).ln(),
        }
    }

    /// The value at `position`; inverse of [`Scale::position`].
    pub fn value(&self, position: f64) -> f64 {
        match *self {
            Self::Linear { low, high } => low + position * (high - low),
            Self::Log { low, high } => low * (high / low).powf(position),
        }
    }

    /// About `count` ticks inside the scale, at multiples of 1, 2 or 5 (linear) or at decades (log).
    pub fn ticks(&self, count: usize) -> Vec<Tick> {
        match *self {
            Self::Linear { low, high } => linear_ticks(low.min(high), low.max(high), count),
            Self::Log { low, high } => log_ticks(low, high, count),
        }
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
    let places = number::decimals_of_step(step);
    (0..=(last - first) as usize)
        .map(|i| {
            let value = (first + i as f64) * step;
            // Multiples of the step, not sums of it: 0.6 and not 0.6000000000000001.
            let value = number::rounded(value, places);
            Tick::new(value, number::fixed(value, if value == 0.0 { 0 } else { places }))
        })
        .collect()
}

fn log_ticks(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let (first, last) = (low.log10(), high.log10());
    let decades = last - first;
    let multiples: &[f64] = if decades * 3.0 <= count as f64 + 1.0 {
        &[1.0, 2.0, 5.0]
    } else if decades <= count as f64 + 1.0 && decades < 2.0 {
        &[1.0, 3.0]
    } else {
        &[1.0]
    };
    let every = (decades / count.max(1) as f64).ceil().max(1.0) as i32;
    let mut ticks = Vec::new();
    for exponent in first.floor() as i32..=last.ceil() as i32 {
        if multiples.len() == 1 && exponent.rem_euclid(every) != 0 {
            continue;
        }
        for multiple in multiples {
            // Parsed, so that 1e-3 is the nearest number to 0.001.
            let value: f64 = format!("{multiple}e{exponent}").parse().unwrap_or(f64::NAN);
            if value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9) {
                ticks.push(Tick::new(value, number::plain(value)));
            }
        }
    }
    ticks
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
        assert_eq!(values(Scale::UNIT.ticks(5)), values(unit_ticks()));
        assert_eq!(labels(&Scale::UNIT.ticks(2)), ["0", "0.5", "1.0"]);
        assert_eq!(Scale::UNIT.ticks(5)[3].value, 0.6);
    }

    #[test]
    fn linear_ticks_are_one_two_five() {
        assert_eq!(labels(&Scale::linear(-3.2, 4.1).ticks(5)), ["\u{2212}2", "0", "2", "4"]);
        assert_eq!(labels(&Scale::linear(0.0, 4834.0).ticks(4)), ["0", "1,000", "2,000", "3,000", "4,000"]);
        assert_eq!(labels(&Scale::linear(0.01, 0.034).ticks(5)), ["0.010", "0.015", "0.020", "0.025", "0.030"]);
        // An axis that runs downwards has the same ticks.
        assert_eq!(labels(&Scale::linear(10.0, 0.0).ticks(2)), ["0", "5", "10"]);
    }

    #[test]
    fn log_ticks_are_decades_or_their_parts() {
        assert_eq!(labels(&Scale::log(0.001, 10.0).ticks(5)), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(&Scale::log(0.05, 2.0).ticks(6)), ["0.05", "0.1", "0.2", "0.5", "1", "2"]);
        let wide = Scale::log(1e-12, 1e6).ticks(5);
        assert!(wide.len() >= 4 && wide.len() <= 6, "{wide:?}");
    }

    #[test]
    fn positions_turn_back_into_values() {
        for scale in [Scale::linear(-2.0, 7.0), Scale::log(1e-3, 1e2)] {
            for value in [0.001, 0.5, 1.0, 6.5] {
                let back = scale.value(scale.position(value));
                assert!((back - value).abs() < 1e-12 * value.max(1.0));
            }
        }
        assert_eq!(Scale::linear(10.0, 0.0).position(10.0), 0.0);
    }

    #[test]
    fn broken_ranges_become_usable() {
        for scale in [
            Scale::linear(f64::NAN, f64::INFINITY),
            Scale::linear(3.0, 3.0),
            Scale::log(-1.0, 0.0),
            Scale::log(2.0, 2.0),
        ] {
            let ticks = scale.ticks(5);
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
}
