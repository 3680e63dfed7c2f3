//! exp(−t) for whole arrays, without a branch or a library call, so that it runs in SIMD lanes.
//!
//! [`exp_nonpositive`](crate::num::special::exp_nonpositive) is the same function with one more term of the series, and it
//! keeps NaN. Here an exponential is computed for every pair of rows, where the term would cost time, and a row at no known
//! distance has weight 0.

use crate::num::special::{LN2_HIGH, LN2_LOW, ROUND};

/// Below −`DEEPEST` the exponential is taken as 0: nothing subnormal ever enters a sum.
const DEEPEST: f64 = 708.0;
/// 1/k! for k = 12 … 0; on |r| ≤ ln 2 / 2 the remainder is below 2e-16.
const SERIES: [f64; 13] = [
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// exp(−t) for t ≥ 0; 0 where t > 708, is infinite or not a number.
///
/// Relative error below 4e-16. Cody and Waite's reduction, then the Taylor series of degree 12.
#[inline(always)]
pub(crate) fn decay(t: f64) -> f64 {
    let shifted = -t * std::f64::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let r = (-t - whole * LN2_HIGH) - whole * LN2_LOW;
    let mut series = SERIES[0];
    for coefficient in &SERIES[1..] {
        series = series * r + coefficient;
    }
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    let value = series * scale;
    if t <= DEEPEST { value } else { 0.0 }
}

/// e⁻ᵗ of several t ≥ 0 at once: every step is a loop over fixed lanes.
#[inline(always)]
pub fn decay_lanes<const L: usize>(t: &[f64; L]) -> [f64; L] {
    let mut shifted = [0.0; L];
    let mut r = [0.0; L];
    let mut series = [SERIES[0]; L];
    let mut out = [0.0; L];
    for l in 0..L {
        shifted[l] = -t[l] * std::f64::consts::LOG2_E + ROUND;
    }
    for l in 0..L {
        let whole = shifted[l] - ROUND;
        r[l] = (-t[l] - whole * LN2_HIGH) - whole * LN2_LOW;
    }
    for coefficient in &SERIES[1..] {
        for l in 0..L {
            series[l] = series[l] * r[l] + coefficient;
        }
    }
    for l in 0..L {
        let scale = f64::from_bits(shifted[l].to_bits().wrapping_add(1023) << 52);
        let value = series[l] * scale;
        out[l] = if t[l] <= DEEPEST { value } else { 0.0 };
    }
    out
}

/// Replaces every t by exp(−t).
#[inline(never)]
pub(crate) fn decay_all(values: &mut [f64]) {
    let (lanes, rest) = values.as_chunks_mut::<4>();
    for chunk in lanes {
        *chunk = decay_lanes(chunk);
    }
    for value in rest {
        *value = decay(*value);
    }
}

/// 1.5·2^23.
const ROUND_F32: f32 = 12_582_912.0;
/// Below −`DEEPEST_F32` the single-precision exponential is taken as 0.
const DEEPEST_F32: f32 = 87.0;
const SERIES_F32: [f32; 8] = [1.0 / 5_040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

/// exp(−t) in single precision, for t ≥ 0; 0 where t > 87. Relative error below 3e-7.
#[inline(always)]
pub(crate) fn decay_lanes_f32<const L: usize>(t: &[f32; L]) -> [f32; L] {
    let mut shifted = [0.0; L];
    let mut r = [0.0; L];
    let mut series = [SERIES_F32[0]; L];
    let mut out = [0.0; L];
    for l in 0..L {
        shifted[l] = -t[l] * std::f32::consts::LOG2_E + ROUND_F32;
    }
    for l in 0..L {
        let whole = shifted[l] - ROUND_F32;
        r[l] = (-t[l] - whole * 0.693_359_4) - whole * -2.121_944_4e-4;
    }
    for coefficient in &SERIES_F32[1..] {
        for l in 0..L {
            series[l] = series[l] * r[l] + coefficient;
        }
    }
    for l in 0..L {
        let scale = f32::from_bits(shifted[l].to_bits().wrapping_add(127) << 23);
        let value = series[l] * scale;
        out[l] = if t[l] <= DEEPEST_F32 { value } else { 0.0 };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_library_to_the_last_bits() {
        let mut t: Vec<f64> = (0..70_800).map(|i| f64::from(i) * 0.01 + 1e-5).collect();
        let expected: Vec<f64> = t.iter().map(|t| (-t).exp()).collect();
        decay_all(&mut t);
        for (found, expected) in t.iter().zip(&expected) {
            assert!((found / expected - 1.0).abs() < 5e-16, "{found} {expected}");
        }
    }

    #[test]
    fn edges_are_exact() {
        assert_eq!(decay(0.0), 1.0);
        for deep in [708.1, 1e10, f64::MAX, f64::INFINITY, f64::NAN] {
            assert_eq!(decay(deep), 0.0);
            assert_eq!(decay_lanes(&[deep; 4]), [0.0; 4]);
        }
    }

    #[test]
    fn single_precision_agrees_to_its_last_bits() {
        for i in 0..87_000u32 {
            let t = i as f32 * 0.001;
            let expected = (-f64::from(t)).exp();
            for found in decay_lanes_f32(&[t; 8]) {
                assert!((f64::from(found) / expected - 1.0).abs() < 3e-7, "{t}");
            }
        }
        for deep in [87.1, 1e9, f32::INFINITY, f32::NAN] {
            assert_eq!(decay_lanes_f32(&[deep; 8]), [0.0; 8]);
        }
    }
}
