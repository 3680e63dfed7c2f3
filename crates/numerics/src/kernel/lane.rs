//! The arithmetic of blocked sums, in single or double precision.

use wide::{f32x8, f64x8};

use super::exponential::{decay_lanes, decay_lanes_f32};

/// Lanes of a block.
pub(super) const LANES: usize = 8;
/// Rows that meet a block together.
pub(super) const ROWS: usize = 4;

/// A coordinate of eight rows.
type Block<T> = [T; LANES];
/// The coordinates of eight rows, and their ℓ₁-type norms.
pub(super) type Rows<'a, T> = (&'a [Block<T>], &'a Block<T>);
/// Four rows against eight.
pub(super) type Tile<T> = [Block<T>; ROWS];

/// A number that blocked sums can run on.
///
/// The inner loops name their vectors: left to itself the compiler takes the many sums apart again, which is several times
/// slower.
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
    /// Σ |a − b| over the coordinates, between half of a block of rows (`HALF` 0 or 1) and another block.
    fn distances<const HALF: usize>(rows: Rows<Self>, columns: Rows<Self>) -> Tile<Self>;
    /// Σ (a − b)² over the coordinates.
    fn squares<const HALF: usize>(rows: &[Block<Self>], columns: &[Block<Self>]) -> Tile<Self>;
}

/// Exponents between four rows (half a block) and the eight of another block.
#[inline(always)]
pub(super) fn tile<T: Lane, const HALF: usize>(rows: Rows<T>, columns: Rows<T>, squared: bool) -> Tile<T> {
    if squared { T::squares::<HALF>(rows.0, columns.0) } else { T::distances::<HALF>(rows, columns) }
}

/// sum + kernel, lane by lane.
#[inline(always)]
pub(super) fn added<T: Lane>(mut sum: [T; LANES], kernel: [T; LANES]) -> [T; LANES] {
    for l in 0..LANES {
        sum[l] = sum[l].plus(kernel[l]);
    }
    sum
}

/// sum + kernel·weight, lane by lane; by value, so that nothing can alias.
#[inline(always)]
pub(super) fn weighted<T: Lane>(mut sum: [T; LANES], kernel: [T; LANES], weight: [T; LANES]) -> [T; LANES] {
    for l in 0..LANES {
        sum[l] = sum[l].plus(kernel[l].times(weight[l]));
    }
    sum
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
    // Σ|a − b| = Σa + Σb − 2 Σ min(a, b): one instruction less per coordinate. Sound on centered columns only.
    #[inline(always)]
    fn distances<const HALF: usize>((rows, row_norm): Rows<Self>, (columns, column_norm): Rows<Self>) -> Tile<Self> {
        let least = sums::<HALF>(rows, columns, |a, b| a.fast_min(b));
        let norm = f32x8::new(*column_norm);
        std::array::from_fn(|r| {
            let both = f32x8::splat(row_norm[HALF * ROWS + r]) + norm;
            f32x8::ZERO.fast_max(both - (least[r] + least[r])).to_array()
        })
    }
    #[inline(always)]
    fn squares<const HALF: usize>(rows: &[Block<Self>], columns: &[Block<Self>]) -> Tile<Self> {
        let square = |a: f32x8, b: f32x8| (a - b) * (a - b);
        sums::<HALF>(rows, columns, square).map(f32x8::to_array)
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
    fn distances<const HALF: usize>((rows, _): Rows<Self>, (columns, _): Rows<Self>) -> Tile<Self> {
        sums_wide::<HALF>(rows, columns, |a, b| (a - b).abs())
    }
    #[inline(always)]
    fn squares<const HALF: usize>(rows: &[Block<Self>], columns: &[Block<Self>]) -> Tile<Self> {
        sums_wide::<HALF>(rows, columns, |a, b| (a - b) * (a - b))
    }
}

/// Sums of `part` over the coordinates: eight running sums, two columns and a row fit the registers. Four rows are loaded
/// at once and spread by shuffles, two coordinates a turn: what counts here is the number of instructions.
#[inline(always)]
fn sums<const HALF: usize>(
    rows: &[Block<f32>],
    columns: &[Block<f32>],
    part: impl Fn(f32x8, f32x8) -> f32x8,
) -> [f32x8; ROWS] {
    let mut sum = [f32x8::ZERO; ROWS];
    let mut step = |a: &Block<f32>, b: &Block<f32>| {
        let (a, b) = (f32x8::new(*a).to_array(), f32x8::new(*b));
        for r in 0..ROWS {
            sum[r] += part(f32x8::splat(a[HALF * ROWS + r]), b);
        }
    };
    let ((rows, last_row), (columns, last_column)) = (rows.as_chunks::<2>(), columns.as_chunks::<2>());
    for ([a, c], [b, d]) in rows.iter().zip(columns) {
        step(a, b);
        step(c, d);
    }
    for (a, b) in last_row.iter().zip(last_column) {
        step(a, b);
    }
    sum
}

/// The same in double precision, one row at a time: four running sums and four columns fit the registers.
#[inline(always)]
fn sums_wide<const HALF: usize>(
    rows: &[Block<f64>],
    columns: &[Block<f64>],
    part: impl Fn(f64x8, f64x8) -> f64x8,
) -> Tile<f64> {
    std::array::from_fn(|r| {
        let mut sum = f64x8::ZERO;
        for (a, b) in rows.iter().zip(columns) {
            sum += part(f64x8::splat(a[HALF * ROWS + r]), f64x8::new(*b));
        }
        sum.to_array()
    })
}
