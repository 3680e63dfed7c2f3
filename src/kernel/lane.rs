//! The arithmetic of blocked sums, in single or double precision.

use super::exponential::{decay_lanes, decay_lanes_f32};

/// Lanes of a block.
pub(super) const LANES: usize = 8;
/// Rows that meet a block together.
pub(super) const ROWS: usize = 4;

/// A number that blocked sums can run on.
pub(super) trait Lane: Copy + PartialOrd {
    const ZERO: Self;
    /// Rounds to this precision.
    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// exp(−t) per lane.
    fn decay(t: &[Self; LANES]) -> [Self; LANES];
    /// What one coordinate adds to an ℓ₁ distance; see [`Lane::distance`].
    fn part(a: Self, b: Self) -> Self;
    /// The ℓ₁ distance from the sum of the parts and the two ℓ₁ norms.
    fn distance(parts: Self, a: Self, b: Self) -> Self;
    /// (a − b)².
    fn square(a: Self, b: Self) -> Self;
}

impl Lane for f32 {
    const ZERO: Self = 0.0;
    fn of(value: f64) -> Self {
        value as f32
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn decay(t: &[Self; LANES]) -> [Self; LANES] {
        decay_lanes_f32(t)
    }
    // Σ|a − b| = Σa + Σb − 2 Σ min(a, b): one instruction less per coordinate. Sound on centred columns only.
    #[inline(always)]
    fn part(a: Self, b: Self) -> Self {
        if b < a { b } else { a }
    }
    #[inline(always)]
    fn distance(parts: Self, a: Self, b: Self) -> Self {
        let distance = (a + b) - 2.0 * parts;
        if distance > 0.0 { distance } else { 0.0 }
    }
    #[inline(always)]
    fn square(a: Self, b: Self) -> Self {
        (a - b) * (a - b)
    }
}

impl Lane for f64 {
    const ZERO: Self = 0.0;
    fn of(value: f64) -> Self {
        value
    }
    fn wide(self) -> f64 {
        self
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn decay(t: &[Self; LANES]) -> [Self; LANES] {
        decay_lanes(t)
    }
    #[inline(always)]
    fn part(a: Self, b: Self) -> Self {
        (a - b).abs()
    }
    #[inline(always)]
    fn distance(parts: Self, _: Self, _: Self) -> Self {
        parts
    }
    #[inline(always)]
    fn square(a: Self, b: Self) -> Self {
        (a - b) * (a - b)
    }
}
