//! The arithmetic of blocked sums, in single or double precision.

use super::exponential::{decay_lanes, decay_lanes_f32};

/// Lanes of a block.
pub(super) const LANES: usize = 8;
/// Rows that meet a block together.
pub(super) const ROWS: usize = 4;

/// A number that blocked sums can run on.
pub(crate) trait Lane: Copy + PartialOrd {
    const ZERO: Self;
    /// Kernel mass that a sum with its own pair in it may lose: n exponents from ln(n / DROPPED) on add up to less.
    const DROPPED: f64;
    /// Rounds to this precision.
    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// exp(−t) per lane.
    fn decay(t: &[Self; LANES]) -> [Self; LANES];
    /// Sums over the coordinates between half of a block and another: `SQUARED`, of (a − b)²; else what makes up the
    /// ℓ₁ distance, see [`Lane::distance`].
    fn parts<const HALF: usize, const SQUARED: bool>(
        rows: &[[Self; LANES]],
        columns: &[[Self; LANES]],
    ) -> [[Self; LANES]; ROWS];
    /// Σ (a − b)² over the coordinates, between half of a block of rows (`HALF` 0 or 1) and another block.
    #[inline(always)]
    fn squares<const HALF: usize>(
        rows: &[[Self; LANES]],
        columns: &[[Self; LANES]],
    ) -> [[Self; LANES]; ROWS] {
        Self::parts::<HALF, true>(rows, columns)
    }
    /// The ℓ₁ distance from the sum of the parts and the two ℓ₁ norms.
    fn distance(parts: Self, a: Self, b: Self) -> Self;
}

impl Lane for f32 {
    const ZERO: Self = 0.0;
    const DROPPED: f64 = 1e-7;
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
    fn abs(self) -> Self {
        f32::abs(self)
    }
    #[inline(always)]
    fn decay(t: &[Self; LANES]) -> [Self; LANES] {
        decay_lanes_f32(t)
    }
    // Σ|a − b| = Σa + Σb − 2 Σ min(a, b): one instruction less per coordinate. Sound on centred columns only.
    #[inline(always)]
    fn parts<const HALF: usize, const SQUARED: bool>(
        rows: &[[Self; LANES]],
        columns: &[[Self; LANES]],
    ) -> [[Self; LANES]; ROWS] {
        parts_f32::<HALF, SQUARED>(rows, columns)
    }
    #[inline(always)]
    fn distance(parts: Self, a: Self, b: Self) -> Self {
        let distance = (a + b) - 2.0 * parts;
        if distance > 0.0 { distance } else { 0.0 }
    }
}

impl Lane for f64 {
    const ZERO: Self = 0.0;
    const DROPPED: f64 = 1e-10;
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
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn decay(t: &[Self; LANES]) -> [Self; LANES] {
        decay_lanes(t)
    }
    #[inline(always)]
    fn parts<const HALF: usize, const SQUARED: bool>(
        rows: &[[Self; LANES]],
        columns: &[[Self; LANES]],
    ) -> [[Self; LANES]; ROWS] {
        parts_f64::<HALF, SQUARED>(rows, columns)
    }
    #[inline(always)]
    fn distance(parts: Self, _: Self, _: Self) -> Self {
        parts
    }
}

type Block<T> = [T; LANES];

/// Σ min(a, b) or Σ (a − b)² over the coordinates.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
fn parts_f32<const HALF: usize, const SQUARED: bool>(
    rows: &[Block<f32>],
    columns: &[Block<f32>],
) -> [Block<f32>; ROWS] {
    let mut sum = [[0.0; LANES]; ROWS];
    for (a, b) in rows.iter().zip(columns) {
        for r in 0..ROWS {
            let a = a[HALF * ROWS + r];
            for l in 0..LANES {
                let delta = a - b[l];
                let least = if b[l] < a { b[l] } else { a };
                sum[r][l] += if SQUARED { delta * delta } else { least };
            }
        }
    }
    sum
}

/// Σ |a − b| or Σ (a − b)² over the coordinates.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
fn parts_f64<const HALF: usize, const SQUARED: bool>(
    rows: &[Block<f64>],
    columns: &[Block<f64>],
) -> [Block<f64>; ROWS] {
    let mut sum = [[0.0; LANES]; ROWS];
    for (a, b) in rows.iter().zip(columns) {
        for r in 0..ROWS {
            for l in 0..LANES {
                let delta = a[HALF * ROWS + r] - b[l];
                sum[r][l] += if SQUARED { delta * delta } else { delta.abs() };
            }
        }
    }
    sum
}

// For wasm the same in vector types: left to itself the compiler takes the many sums apart again, which is several
// times slower. The intrinsics are safe functions; the results are the same bits.

#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn parts_f32<const HALF: usize, const SQUARED: bool>(
    rows: &[Block<f32>],
    columns: &[Block<f32>],
) -> [Block<f32>; ROWS] {
    use core::arch::wasm32::{
        f32x4, f32x4_add, f32x4_extract_lane, f32x4_mul, f32x4_pmin, f32x4_splat, f32x4_sub, v128,
    };
    let part = |a: v128, b: v128| {
        if SQUARED {
            let delta = f32x4_sub(a, b);
            f32x4_mul(delta, delta)
        } else {
            f32x4_pmin(a, b)
        }
    };
    let mut sum = [[f32x4_splat(0.0); 2]; ROWS];
    for (a, b) in rows.iter().zip(columns) {
        let low = f32x4(b[0], b[1], b[2], b[3]);
        let high = f32x4(b[4], b[5], b[6], b[7]);
        for r in 0..ROWS {
            let own = f32x4_splat(a[HALF * ROWS + r]);
            sum[r][0] = f32x4_add(sum[r][0], part(own, low));
            sum[r][1] = f32x4_add(sum[r][1], part(own, high));
        }
    }
    sum.map(|[low, high]| {
        [
            f32x4_extract_lane::<0>(low),
            f32x4_extract_lane::<1>(low),
            f32x4_extract_lane::<2>(low),
            f32x4_extract_lane::<3>(low),
            f32x4_extract_lane::<0>(high),
            f32x4_extract_lane::<1>(high),
            f32x4_extract_lane::<2>(high),
            f32x4_extract_lane::<3>(high),
        ]
    })
}

#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn parts_f64<const HALF: usize, const SQUARED: bool>(
    rows: &[Block<f64>],
    columns: &[Block<f64>],
) -> [Block<f64>; ROWS] {
    use core::arch::wasm32::{
        f64x2, f64x2_abs, f64x2_add, f64x2_extract_lane, f64x2_mul, f64x2_splat, f64x2_sub,
    };
    let mut out = [[0.0; LANES]; ROWS];
    // One row at a time: four running sums and four columns fit the registers.
    for (r, out) in out.iter_mut().enumerate() {
        let mut sum = [f64x2_splat(0.0); 4];
        for (a, b) in rows.iter().zip(columns) {
            let own = f64x2_splat(a[HALF * ROWS + r]);
            for (pair, sum) in sum.iter_mut().enumerate() {
                let delta = f64x2_sub(own, f64x2(b[2 * pair], b[2 * pair + 1]));
                let part = if SQUARED {
                    f64x2_mul(delta, delta)
                } else {
                    f64x2_abs(delta)
                };
                *sum = f64x2_add(*sum, part);
            }
        }
        for (pair, sum) in sum.iter().enumerate() {
            out[2 * pair] = f64x2_extract_lane::<0>(*sum);
            out[2 * pair + 1] = f64x2_extract_lane::<1>(*sum);
        }
    }
    out
}
