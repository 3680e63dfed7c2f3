//! Kernel values of all pairs of rows, tile by tile, and the sums that the statistic needs.

use super::KlceSample;
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
    /// The four of them, as they travel.
    pub(super) fn numbers(&self) -> [f64; 4] {
        [self.statistic, self.mass, self.absolute, self.squares]
    }

    /// From [`PairSums::numbers`].
    pub(super) fn of(numbers: &[f64]) -> Self {
        let at = |i: usize| numbers.get(i).copied().unwrap_or(0.0);
        Self { statistic: at(0), mass: at(1), absolute: at(2), squares: at(3) }
    }

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
pub fn pair_sums(sample: &KlceSample, part: Part) -> PairSums {
    let mut sums = PairSums::default();
    for column in column_sums(sample, part) {
        sums.add(&column);
    }
    sums
}

/// [`pair_sums`] of every column of tiles that the part takes, in their order: what [`gathered`] puts together again.
pub(super) fn column_sums(sample: &KlceSample, part: Part) -> Vec<PairSums> {
    let mut tiles = Tiles::<f64>::new(sample);
    let count = tiles.columns();
    let column = |column: usize| {
        let mut sums = PairSums::default();
        for row in 0..=2 * column + 1 {
            if tiles.fill(row, column) {
                tiles.add(row, column, &mut sums);
            }
        }
        sums
    };
    columns(count, part).map(column).collect()
}

/// The sums over all pairs of `n` rows, from those of the columns of every part.
///
/// Columns are added in their own order, whoever summed them: any number of parts gives the same bits.
pub(super) fn gathered(n: usize, parts: &[Vec<PairSums>]) -> PairSums {
    let count = n.div_ceil(WIDE);
    let mut all = vec![PairSums::default(); count];
    for (index, sums) in parts.iter().enumerate() {
        let part = Part { index, of: parts.len() };
        for (column, sums) in columns(count, part).zip(sums) {
            all[column] = *sums;
        }
    }
    let mut whole = PairSums::default();
    all.iter().for_each(|sums| whole.add(sums));
    whole
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
/// Distances are taken from where most of a column's rows stand, in double precision; so in single precision, too, what is
/// near is right to some 1e-7, and equal rows are equal.
pub(super) struct Tiles<T> {
    n: usize,
    d: usize,
    planes: usize,
    /// coordinate c of a block: eight lanes, at `block * d + c`
    places: Vec<[f64; BLOCK]>,
    /// median of coordinate c over the rows of a column, at `column * d + c`
    middles: Vec<f64>,
    /// places less the median of their column
    values: Vec<[T; BLOCK]>,
    /// least and largest of each coordinate of a block
    boxes: Vec<[f64; 2]>,
    /// residual of plane c of a block: eight lanes, at `block * planes + c`; 0 in the padding
    residuals: Vec<[T; BLOCK]>,
    /// places of a block less the median of a column
    moved: Vec<[T; BLOCK]>,
    /// kernel values of the pairs that were asked for last, 0 where i ≥ j
    pub(super) tile: Tile<T>,
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
    pub(super) fn new(sample: &KlceSample) -> Self {
        let (n, d, planes) = (sample.n(), sample.d(), sample.planes());
        let places = blocked(sample.z(), n, d);
        let mut boxes = Vec::with_capacity(places.len());
        for (at, lanes) in places.iter().enumerate() {
            let block = at / d;
            let real = n.saturating_sub(block * BLOCK).min(BLOCK);
            let ends = |(low, high): (f64, f64), v: &f64| (low.min(*v), high.max(*v));
            let (low, high) = lanes[..real].iter().fold((f64::MAX, f64::MIN), ends);
            boxes.push([low, high]);
        }
        let middle = |at: usize| {
            let rows = sample.z().chunks_exact(d).skip(at / d * WIDE).take(WIDE);
            median(&mut rows.map(|row| row[at % d]).collect::<Vec<f64>>()).unwrap_or(0.0)
        };
        let middles: Vec<f64> = (0..n.div_ceil(WIDE) * d).map(middle).collect();
        let from = |(at, lanes): (usize, &[f64; BLOCK])| {
            let middle = middles[at / (2 * d) * d + at % d];
            lanes.map(|v| T::of(v - middle))
        };
        Self {
            n,
            d,
            planes,
            values: places.iter().enumerate().map(from).collect(),
            places,
            middles,
            boxes,
            residuals: blocked(&sample.residuals(), n, planes).iter().map(|lanes| lanes.map(T::of)).collect(),
            moved: vec![[T::ZERO; BLOCK]; d],
            tile: [[T::ZERO; WIDE]; BLOCK],
        }
    }

    /// Number of columns of tiles.
    pub(super) fn columns(&self) -> usize {
        self.n.div_ceil(WIDE)
    }

    /// Squared distance between the boxes of two blocks.
    fn apart(&self, a: usize, b: usize) -> f64 {
        let boxes = |block: usize| &self.boxes[block * self.d..(block + 1) * self.d];
        let mut sum = 0.0;
        for (a, b) in boxes(a).iter().zip(boxes(b)) {
            // comparing beats `max`, which is a call in wasm
            let gap = if a[0] > b[1] { a[0] - b[1] } else { b[0] - a[1] };
            sum += if gap > 0.0 { gap * gap } else { 0.0 };
        }
        sum
    }

    /// Fills the tile with K of row block `row` and the columns of `column`, row before column; false where all of it is out
    /// of reach.
    pub(super) fn fill(&mut self, row: usize, column: usize) -> bool {
        self.tile = [[T::ZERO; WIDE]; BLOCK];
        let mut any = false;
        let of = |at: usize| at * self.d..(at + 1) * self.d;
        let seen = self.places[of(row)].iter().zip(&self.middles[of(column)]);
        for (moved, (lanes, middle)) in self.moved.iter_mut().zip(seen) {
            *moved = lanes.map(|v| T::of(v - middle));
        }
        for half in 0..2 {
            let block = 2 * column + half;
            if block < row || block * BLOCK >= self.n || self.apart(row, block) > REACH {
                continue;
            }
            any = true;
            let columns = &self.values[block * self.d..(block + 1) * self.d];
            let squares = [T::squares::<0>(&self.moved, columns), T::squares::<1>(&self.moved, columns)];
            for (r, to) in self.tile.iter_mut().enumerate() {
                let k = T::decay(&squares[r / 4][r % 4]);
                to[half * BLOCK..(half + 1) * BLOCK].copy_from_slice(&k);
            }
            self.mask(row, block, half);
        }
        any
    }

    /// Leaves pairs with i < j < n.
    fn mask(&mut self, row: usize, block: usize, half: usize) {
        let real = self.n.saturating_sub(block * BLOCK).min(BLOCK);
        if block > row && real == BLOCK {
            return;
        }
        for (r, to) in self.tile.iter_mut().enumerate() {
            let to = &mut to[half * BLOCK..(half + 1) * BLOCK];
            to[real..].fill(T::ZERO);
            if block == row {
                to[..=r].fill(T::ZERO);
            }
        }
    }

    /// Adds the pairs of the tile, which is that of `row` and `column`.
    #[inline(never)]
    pub(super) fn add(&self, row: usize, column: usize, sums: &mut PairSums) {
        let of = |block: usize| &self.residuals[block * self.planes..(block + 1) * self.planes];
        let rows = of(row);
        let [mut statistic, mut mass] = [[T::ZERO; BLOCK]; 2];
        let [mut absolute, mut squares] = [[T::ZERO; BLOCK]; 2];
        for half in 0..2 {
            let columns = of(2 * column + half);
            for (r, k) in self.tile.iter().enumerate() {
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
