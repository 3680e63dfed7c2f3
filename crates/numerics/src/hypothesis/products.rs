//! The statistic of draws of any kind, pair by pair: in double precision for small samples, where ties matter; in single
//! precision where a draw is no longer a set of labels and the kernel has no low rank.

use std::ops::Range;

use super::KlceSample;
use super::draws::{Draws, residual_draw};
use super::nearby::BLOCK;
use super::pairs::{Tile, Tiles, WIDE};
use crate::kernel::Lane;

/// Draws that share a pass over the kernel.
const TOGETHER: usize = 64;
/// Row blocks between two emptyings of the sums.
const FLUSH: usize = 128;

/// T of draws `range` of `draws`; draw `draws` is what was observed. In double precision (`exact`) or single.
///
/// Cost: n²/2 products per draw and plane.
pub fn product_draws(
    sample: &KlceSample,
    kind: Draws,
    seed: u64,
    draws: usize,
    range: Range<usize>,
    exact: bool,
) -> Vec<f64> {
    let numbers: Vec<usize> = range.collect();
    shuffled_draws(sample, &Shuffles { observed: &sample.residuals(), kind, seed, draws }, &numbers, exact)
}

/// Draws of any residuals in the place of the observed ones.
pub(super) struct Shuffles<'a> {
    /// what is shuffled, row-major n × planes
    pub observed: &'a [f64],
    pub kind: Draws,
    pub seed: u64,
    /// draw number `draws` is `observed` as it stands
    pub draws: usize,
}

/// T of the draws `numbers` of `shuffles`.
pub(super) fn shuffled_draws(sample: &KlceSample, shuffles: &Shuffles, numbers: &[usize], exact: bool) -> Vec<f64> {
    let statistics = if exact { statistics::<f64> } else { statistics::<f32> };
    numbers.chunks(TOGETHER).flat_map(|some| statistics(sample, &Batch::new(sample, shuffles, some))).collect()
}

/// Residuals of some draws: eight rows at `(block · planes + plane) · width + draw`, 0 in the padding.
pub(super) struct Batch {
    pub(super) planes: usize,
    pub(super) width: usize,
    pub(super) values: Vec<[f64; BLOCK]>,
}

impl Batch {
    pub(super) fn new(sample: &KlceSample, shuffles: &Shuffles, numbers: &[usize]) -> Self {
        let &Shuffles { observed, kind, seed, draws } = shuffles;
        let (n, planes, width) = (sample.n(), sample.planes(), numbers.len());
        let blocks = 2 * n.div_ceil(WIDE);
        let mut values = vec![[0.0; BLOCK]; blocks * planes * width];
        let mut e = vec![0.0; n * planes];
        for (place, &draw) in numbers.iter().enumerate() {
            residual_draw(sample, observed, kind, seed, (draw, draws), &mut e);
            for (i, row) in e.chunks_exact(planes).enumerate() {
                for (plane, e) in row.iter().enumerate() {
                    values[(i / BLOCK * planes + plane) * width + place][i % BLOCK] = *e;
                }
            }
        }
        Self { planes, width, values }
    }

    /// All planes and draws of a block.
    pub(super) fn block(&self, block: usize) -> &[[f64; BLOCK]] {
        let each = self.planes * self.width;
        &self.values[block * each..(block + 1) * each]
    }
}

fn statistics<T: Lane>(sample: &KlceSample, batch: &Batch) -> Vec<f64> {
    let mut tiles = Tiles::<T>::new(sample);
    let values: Vec<[T; BLOCK]> = batch.values.iter().map(|row| row.map(T::of)).collect();
    let each = batch.planes * batch.width;
    let mut out = vec![0.0; batch.width];
    let mut sums = vec![[T::ZERO; WIDE]; each];
    for column in 0..tiles.columns() {
        let mut pending = 0;
        for row in 0..=2 * column + 1 {
            if tiles.fill(row, column) {
                multiply(&mut sums, &values[row * each..(row + 1) * each], &tiles.tile);
                pending += 1;
            }
            if pending == FLUSH || (pending > 0 && row == 2 * column + 1) {
                let own = [batch.block(2 * column), batch.block(2 * column + 1)];
                flush(&mut sums, own, &mut out);
                pending = 0;
            }
        }
    }
    out
}

#[inline(never)]
pub(super) fn multiply<T: Lane>(sums: &mut [[T; WIDE]], rows: &[[T; BLOCK]], tile: &Tile<T>) {
    for (sum, e) in sums.iter_mut().zip(rows) {
        let mut line = *sum;
        for (k, &e) in tile.iter().zip(e) {
            for l in 0..WIDE {
                line[l] = line[l].plus(e.times(k[l]));
            }
        }
        *sum = line;
    }
}

fn flush<T: Lane>(sums: &mut [[T; WIDE]], own: [&[[f64; BLOCK]]; 2], out: &mut [f64]) {
    let width = out.len();
    for (at, sum) in sums.iter_mut().enumerate() {
        let (low, high) = sum.split_at(BLOCK);
        let part = |e: &[f64; BLOCK], sums: &[T]| -> f64 { e.iter().zip(sums).map(|(e, sum)| e * sum.wide()).sum() };
        out[at % width] += 2.0 * (part(&own[0][at], low) + part(&own[1][at], high));
        *sum = [T::ZERO; WIDE];
    }
}
