//! Sums over the rows of a replicate: whole numbers exactly, others in single precision within a stretch of rows, or in double.
//!
//! A replicate is one of hundreds of random draws; a relative error of 1e-7 in it is far below what the draws differ by,
//! and half as many bytes are read and twice as many rows summed at once as in double precision.

use wide::f32x8;

/// Rows that are summed in single precision before they are added in double.
const STRETCH: usize = 256;

/// Sums that run side by side, so that additions do not wait for one another.
const SIDE_BY_SIDE: usize = 8;

/// Small whole numbers as floats.
#[inline(never)]
pub(super) fn floats(bytes: &[u8], into: &mut [f32]) {
    // 2²³ + b has b as its last bits: no conversion of integers, of which browsers make a scalar loop
    for (float, &byte) in into.iter_mut().zip(bytes) {
        *float = f32::from_bits(0x4b00_0000 | u32::from(byte)) - 8_388_608.0;
    }
}

/// Σ w v of several columns as long as the weights; exact while all partial sums of a stretch are whole and under 2²⁴.
#[inline(never)]
pub(super) fn weighted_sums<const K: usize>(w: &[f32], columns: [&[f32]; K]) -> [f64; K] {
    let columns = columns.map(|v| &v[..w.len()]);
    let mut sums = [0.0; K];
    for first in (0..w.len()).step_by(STRETCH) {
        let range = first..w.len().min(first + STRETCH);
        let here = of_stretch(&w[range.clone()], columns.map(|v| &v[range.clone()]));
        for (sum, here) in sums.iter_mut().zip(here) {
            *sum += here;
        }
    }
    sums
}

/// In vectors by name: left to itself, the compiler gathers single numbers of several columns into one.
#[inline(always)]
fn of_stretch<const K: usize>(w: &[f32], columns: [&[f32]; K]) -> [f64; K] {
    let (whole, rest) = w.as_chunks::<SIDE_BY_SIDE>();
    let columns = columns.map(|v| v.as_chunks::<SIDE_BY_SIDE>());
    let wholes = columns.map(|(v, _)| &v[..whole.len()]);
    let mut sums = [f32x8::ZERO; K];
    for (i, w) in whole.iter().enumerate() {
        let w = f32x8::new(*w);
        for (sum, v) in sums.iter_mut().zip(wholes) {
            *sum += w * f32x8::new(v[i]);
        }
    }
    std::array::from_fn(|k| {
        let last = rest.iter().zip(columns[k].1);
        let last: f64 = last.map(|(&w, &v)| f64::from(w) * f64::from(v)).sum();
        let sums = sums[k].to_array().map(f64::from);
        sums.iter().sum::<f64>() + last
    })
}

/// Σ w v in double precision, over rows that are added block by block.
#[derive(Clone, Copy, Default)]
pub(super) struct DoubleSum {
    /// a single sum waits for itself at every row
    lanes: [f64; 4],
}

impl DoubleSum {
    /// Adds the rows that both have; blocks but the last have a multiple of four.
    #[inline(never)]
    pub(super) fn add(&mut self, w: &[f64], v: &[f64]) {
        let (w, rest) = w.as_chunks::<4>();
        let (v, last) = v.split_at(v.len().min(4 * w.len()));
        for (w, v) in w.iter().zip(v.as_chunks::<4>().0) {
            self.lanes = std::array::from_fn(|lane| self.lanes[lane] + w[lane] * v[lane]);
        }
        rest.iter().zip(last).for_each(|(w, v)| self.lanes[0] += w * v);
    }

    pub(super) fn total(self) -> f64 {
        self.lanes.iter().sum()
    }
}

/// Σ w t of bytes, t 0 or 1, in blocks whose sums fit 16 bits.
#[inline(never)]
pub(super) fn dot(w: &[u8], t: &[u8]) -> u64 {
    let block = |(w, t): (&[u8], &[u8])| {
        let products = w.iter().zip(t).map(|(&w, &t)| u16::from(w & t.wrapping_neg()));
        u64::from(products.sum::<u16>())
    };
    w.chunks(STRETCH).zip(t.chunks(STRETCH)).map(block).sum()
}

/// Σ w of bytes.
#[inline(never)]
pub(super) fn total(w: &[u8]) -> u64 {
    let block = |w: &[u8]| u64::from(w.iter().map(|&w| u16::from(w)).sum::<u16>());
    w.chunks(STRETCH).map(block).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_double_precision() {
        for n in [0, 1, 7, 255, 256, 1003] {
            let bytes: Vec<u8> = (0..n).map(|i| (i * 7 % 9) as u8).collect();
            let ones: Vec<u8> = (0..n).map(|i| (i % 3 == 0) as u8).collect();
            let mut w = vec![0.0; n];
            floats(&bytes, &mut w);
            assert!(w.iter().zip(&bytes).all(|(w, &b)| *w == f32::from(b)));
            let (v, whole): (Vec<f32>, Vec<f32>) = (0..n).map(|i| ((i as f32).sin(), (i * 4 % 8191) as f32)).unzip();
            let of = |v: &[f32]| -> f64 {
                let terms = v.iter().zip(&bytes);
                terms.map(|(&v, &b)| f64::from(v) * f64::from(b)).sum()
            };
            let [a, b] = weighted_sums(&w, [&v, &whole]);
            assert!((a - of(&v)).abs() <= 1e-6 * n as f64);
            assert_eq!(b, of(&whole));
            let all = bytes.iter().map(|&b| u64::from(b));
            assert_eq!(total(&bytes), all.clone().sum::<u64>());
            let ones_only = all.zip(&ones).map(|(w, &t)| w * u64::from(t));
            assert_eq!(dot(&bytes, &ones), ones_only.sum::<u64>());
        }
    }
}
