//! Kernel values of all pairs of rows, tile by tile, and the sums that the statistic needs.

use super::TrustSample;
use super::nearby::BLOCK;
use crate::kernel::{Lane, Part};
use crate::num::quantile::median;

/// Columns of a tile: two blocks.
pub(super) const WIDE: usize = 2 * BLOCK;
/// Exponents beyond this count as kernel value 0: below 6e-19.
const REACH: f64 = 42.0;

/// Kernel values of 8 rows with 16 columns.
pub(super) type Tile<T> = [[T; WIDE]; BLOCK];

/// Sums over pairs of different rows, both orders counted; sums of parts add up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairSums {
    /// T = Σ_{i≠j} K_ij e_iᵀe_j
    pub statistic: f64,
    /// Σ_{i≠j} K_ij
    pub mass: f64,
    /// Σ_{i≠j} K_ij |e_iᵀe_j|
    pub absolute: f64,
    /// Σ_{i≠j} K_ij²
    pub squares: f64,
}

impl PairSums {
    /// Adds the sums of another part.
    pub fn add(&mut self, other: &Self) {
        self.statistic += other.statistic;
        self.mass += other.mass;
        self.absolute += other.absolute;
        self.squares += other.squares;
    }
}

/// The sums over the pairs of one part; those of all parts add up to the sums over all pairs.
///
/// Cost: O(n² (d + planes)) over all parts; pairs out of the kernel's reach (K < 6e-19) are skipped block by block.
pub fn pair_sums(sample: &TrustSample, part: Part) -> PairSums {
    let mut tiles = Tiles::<f64>::new(sample);
    let mut sums = PairSums::default();
    for column in columns(tiles.columns(), part) {
        for row in 0..=2 * column + 1 {
            if let Some(tile) = tiles.tile(row, column) {
                tiles.add(&tile, row, column, &mut sums);
            }
        }
    }
    sums
}

/// The columns of tiles that a part takes: dealt to and fro, because later ones are longer.
pub(super) fn columns(count: usize, part: Part) -> impl Iterator<Item = usize> {
    let round = 2 * part.of.max(1);
    (0..count).filter(move |column| {
        let turn = column % round;
        turn.min(round - 1 - turn) == part.index
    })
}

/// Rows in blocks, with the boxes around them.
///
/// Distances are taken from where most of a block stands, in double precision; so in single precision, too, what is near
/// is right to some 1e-7, and equal rows are equal.
pub(super) struct Tiles<T> {
    n: usize,
    d: usize,
    planes: usize,
    /// coordinate c of a block: eight lanes, at `block * d + c`
    places: Vec<[f64; BLOCK]>,
    /// the median of each
    middles: Vec<f64>,
    /// places less their median
    values: Vec<[T; BLOCK]>,
    /// least and largest of each coordinate of a block
    boxes: Vec<[f64; 2]>,
    /// residual of plane c of a block: eight lanes, at `block * planes + c`; 0 in the padding
    residuals: Vec<[T; BLOCK]>,
    /// places of a block less the median of another
    moved: Vec<[T; BLOCK]>,
}

/// Rows `from` (row-major, `width` each) in blocks of eight lanes, an even number of blocks, the rest 0.
pub(super) fn blocked(from: &[f64], n: usize, width: usize) -> Vec<[f64; BLOCK]> {
    let blocks = 2 * n.div_ceil(WIDE);
    let mut out = vec![[0.0; BLOCK]; blocks * width];
    for i in 0..n {
        for c in 0..width {
            out[i / BLOCK * width + c][i % BLOCK] = from[i * width + c];
        }
    }
    out
}

impl<T: Lane> Tiles<T> {
    pub(super) fn new(sample: &TrustSample) -> Self {
        let (n, d, planes) = (sample.n(), sample.d(), sample.planes());
        let places = blocked(sample.z(), n, d);
        let mut boxes = Vec::with_capacity(places.len());
        let mut middles = Vec::with_capacity(places.len());
        for (at, lanes) in places.iter().enumerate() {
            let block = at / d;
            let real = n.saturating_sub(block * BLOCK).min(BLOCK);
            let ends = |(low, high): (f64, f64), v: &f64| (low.min(*v), high.max(*v));
            let (low, high) = lanes[..real].iter().fold((f64::MAX, f64::MIN), ends);
            boxes.push([low, high]);
            middles.push(median(&mut lanes[..real].to_vec()).unwrap_or(0.0));
        }
        let from = |(lanes, middle): (&[f64; BLOCK], &f64)| lanes.map(|v| T::of(v - middle));
        Self {
            n,
            d,
            planes,
            values: places.iter().zip(&middles).map(from).collect(),
            places,
            middles,
            boxes,
            residuals: blocked(&sample.residuals(), n, planes)
                .iter()
                .map(|lanes| lanes.map(T::of))
                .collect(),
            moved: vec![[T::ZERO; BLOCK]; d],
        }
    }

    /// Number of columns of tiles.
    pub(super) fn columns(&self) -> usize {
        self.n.div_ceil(WIDE)
    }

    /// Squared distance between the boxes of two blocks.
    fn apart(&self, a: usize, b: usize) -> f64 {
        let boxes = |block: usize| &self.boxes[block * self.d..(block + 1) * self.d];
        let gap = |(a, b): (&[f64; 2], &[f64; 2])| (a[0] - b[1]).max(b[0] - a[1]).max(0.0);
        boxes(a)
            .iter()
            .zip(boxes(b))
            .map(gap)
            .map(|gap| gap * gap)
            .sum()
    }

    /// K of row block `row` with the columns of `column`, row before column; `None` where all of it is out of reach.
    pub(super) fn tile(&mut self, row: usize, column: usize) -> Option<Tile<T>> {
        let mut tile = [[T::ZERO; WIDE]; BLOCK];
        let mut any = false;
        for half in 0..2 {
            let block = 2 * column + half;
            if block < row || block * BLOCK >= self.n || self.apart(row, block) > REACH {
                continue;
            }
            any = true;
            self.look(row, block);
            let columns = &self.values[block * self.d..(block + 1) * self.d];
            let squares = [
                T::squares::<0>(&self.moved, columns),
                T::squares::<1>(&self.moved, columns),
            ];
            for (r, to) in tile.iter_mut().enumerate() {
                let k = T::decay(&squares[r / 4][r % 4]);
                to[half * BLOCK..(half + 1) * BLOCK].copy_from_slice(&k);
            }
            self.mask(&mut tile, row, block, half);
        }
        any.then_some(tile)
    }

    /// Looks at the rows of `row` from where those of `block` stand.
    fn look(&mut self, row: usize, block: usize) {
        let of = |block: usize| block * self.d..(block + 1) * self.d;
        let seen = self.places[of(row)].iter().zip(&self.middles[of(block)]);
        for (moved, (lanes, middle)) in self.moved.iter_mut().zip(seen) {
            *moved = lanes.map(|v| T::of(v - middle));
        }
    }

    /// Leaves pairs with i < j < n.
    fn mask(&self, tile: &mut Tile<T>, row: usize, block: usize, half: usize) {
        let real = self.n.saturating_sub(block * BLOCK).min(BLOCK);
        if block > row && real == BLOCK {
            return;
        }
        for (r, to) in tile.iter_mut().enumerate() {
            let to = &mut to[half * BLOCK..(half + 1) * BLOCK];
            to[real..].fill(T::ZERO);
            if block == row {
                to[..=r].fill(T::ZERO);
            }
        }
    }

    /// Adds the pairs of a tile.
    #[inline(never)]
    pub(super) fn add(&self, tile: &Tile<T>, row: usize, column: usize, sums: &mut PairSums) {
        let of = |block: usize| &self.residuals[block * self.planes..(block + 1) * self.planes];
        let rows = of(row);
        for half in 0..2 {
            let columns = of(2 * column + half);
            let [mut statistic, mut mass] = [[T::ZERO; BLOCK]; 2];
            let [mut absolute, mut squares] = [[T::ZERO; BLOCK]; 2];
            for (r, k) in tile.iter().enumerate() {
                let mut product = [T::ZERO; BLOCK];
                for (own, other) in rows.iter().zip(columns) {
                    for l in 0..BLOCK {
                        product[l] = product[l].plus(own[r].times(other[l]));
                    }
                }
                let k = &k[half * BLOCK..(half + 1) * BLOCK];
                for l in 0..BLOCK {
                    statistic[l] = statistic[l].plus(k[l].times(product[l]));
                    absolute[l] = absolute[l].plus(k[l].times(product[l].abs()));
                    mass[l] = mass[l].plus(k[l]);
                    squares[l] = squares[l].plus(k[l].times(k[l]));
                }
            }
            let total = |lanes: [T; BLOCK]| 2.0 * lanes.iter().map(|v| v.wide()).sum::<f64>();
            sums.add(&PairSums {
                statistic: total(statistic),
                mass: total(mass),
                absolute: total(absolute),
                squares: total(squares),
            });
        }
    }
}
