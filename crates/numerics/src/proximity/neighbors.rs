//! Exact nearest neighbors by blocked distances: every pair is looked at, eight references at a time.

use std::hint::black_box;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::kernel::Lane;
use crate::num::Rows;
use crate::num::order;
use crate::{Error, Result};

const LANES: usize = 8;
/// Bytes of coordinates of references, or of queries, that are worked on together.
const CHUNK_BYTES: usize = 128 * 1024;
/// Candidates beyond those asked for: distances in single precision may put near ties in a wrong order. Where more rows
/// than these are too near to be distinguished by them, they are compared again.
const SPARE: usize = 8;
/// Rows, spread over all, whose medians place and scale them.
const SAMPLED: usize = 1_000;
/// Rounding to single precision, relative.
const SINGLE: f64 = f32::EPSILON as f64 / 2.0;

/// How far apart two rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Distance"))]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// ‖x − x′‖₂
    #[default]
    Euclidean,
    /// 1 − x·x′ / (‖x‖₂ ‖x′‖₂)
    Cosine,
}

/// The nearest references of some queries, shape (queries, k), row-major: entries `i * k .. (i + 1) * k` belong to the
/// i-th query of the range, by rising distance, ties by rising index.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbors {
    /// neighbors per query
    pub k: usize,
    /// which reference, from 0
    pub index: Vec<u32>,
    /// how far, in units of the features; from 0 to 2 for the cosine
    pub distance: Vec<f64>,
}

/// References, laid out to be searched.
pub struct Search<'a> {
    references: &'a dyn Rows,
    metric: Metric,
    center: Vec<f64>,
    scale: f64,
    blocks: Vec<[f32; LANES]>,
}

impl<'a> Search<'a> {
    /// Lays out `references`, a matrix of shape (n, d): any that [`Rows`] reads, such as an `ndarray` view.
    ///
    /// # Errors
    /// `too_few_rows` without any; `not_a_number` for a row without direction (`Cosine`).
    pub fn new(references: &'a dyn Rows, metric: Metric) -> Result<Self> {
        let (n, d) = (references.n(), references.d());
        if n == 0 {
            return Err(Error::new(
                "too_few_rows",
                "There are 0 rows in which to search for neighbors.",
                "Give at least 1 row to search in.",
            ));
        }
        let (center, scale) = match metric {
            Metric::Euclidean => typical(references),
            Metric::Cosine => (vec![0.0; d], 1.0),
        };
        let mut search = Self { references, metric, center, scale, blocks: Vec::new() };
        search.blocks = search.layout(references, 0..n)?;
        Ok(search)
    }

    /// The `k` nearest references (fewer when there are fewer) of the queries in `range`; without `queries`, of the
    /// references themselves, each left out of its own list.
    ///
    /// All pairs in single precision, then the nearest again in double precision, and with them every reference that
    /// single precision cannot tell from those: the softmax of a sure model puts thousands of rows within 1e-9 of each
    /// other. An answer does not depend on how queries are cut into ranges. `progress` hears the share done.
    ///
    /// # Errors
    /// `length_mismatch` if queries have another number of coordinates; `not_a_number` as [`Search::new`].
    ///
    /// # Cost
    /// O(n_q n d): about 0.1 ns per pair and coordinate; for queries among crowded rows twice that, and a distance in
    /// double precision to each row of the crowd.
    ///
    /// ```
    /// use localcal_numerics::proximity::{Metric, Search};
    /// use ndarray::array;
    ///
    /// let x = array![[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]];
    /// let search = Search::new(&x, Metric::Euclidean)?;
    /// let own = search.nearest(None, 0..3, 1, &mut |_| ())?;
    /// assert_eq!((own.index, own.distance), (vec![1, 0, 1], vec![5.0, 5.0, 5.0]));
    ///
    /// let new = array![[6.0, 9.0]];
    /// let found = search.nearest(Some(&new), 0..1, 2, &mut |_| ())?;
    /// assert_eq!((found.index, found.distance[0]), (vec![2, 1], 1.0));
    /// # Ok::<(), localcal_numerics::Error>(())
    /// ```
    pub fn nearest(
        &self,
        queries: Option<&dyn Rows>,
        range: Range<usize>,
        k: usize,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Neighbors> {
        let d = self.references.d();
        let asked = queries.unwrap_or(self.references);
        if asked.d() != d {
            return Err(Error::new(
                "length_mismatch",
                format!("Queries have {} coordinates, the rows to search in {d}.", asked.d()),
                "Use the same feature columns for both.",
            ));
        }
        let own = queries.is_none();
        let range = range.start..range.end.min(asked.n());
        let k = k.min(self.references.n() - usize::from(own));
        let mut found =
            Neighbors { k, index: Vec::with_capacity(range.len() * k), distance: Vec::with_capacity(range.len() * k) };
        let chunk = (CHUNK_BYTES / (d * LANES * 4)).clamp(1, 64);
        // Browsers compile a function well only once it has been called often: this stays a function of its own.
        let meet = black_box(meet as fn(&[[f32; LANES]], &[[f32; LANES]], usize, usize, usize, &mut [Nearest]));
        let mut nearest: Vec<Nearest> = (0..chunk * LANES).map(|_| Nearest::new(k)).collect();
        let n = self.references.n();
        for first in range.clone().step_by(chunk * LANES) {
            let group = first..(first + chunk * LANES).min(range.end);
            let blocks = self.layout(asked, group.clone())?;
            nearest.iter_mut().for_each(Nearest::clear);
            for (part, references) in self.blocks.chunks(chunk * d).enumerate() {
                for (query, nearest) in blocks.chunks(d).zip(nearest.chunks_mut(LANES)) {
                    meet(query, references, d, part * chunk * LANES, n, nearest);
                }
            }
            let count = group.len();
            let mut crowded = Vec::new();
            for ((place, q), nearest) in group.enumerate().zip(nearest.iter_mut()) {
                let least = self.refine(asked, q, own, nearest, &mut found);
                crowded.extend(least.map(|limit| (place, q, limit)));
            }
            for (place, q, limit) in crowded {
                let candidates = self.within(&blocks, place, limit);
                self.settle(asked, q, own, &candidates, q - range.start, &mut found);
            }
            progress((first + count - range.start) as f64 / range.len() as f64);
        }
        Ok(found)
    }

    /// Candidates again in double precision; the `k` nearest are kept. Answers up to which squared distance in single
    /// precision references may be as near as those, where not all of them were candidates.
    fn refine(
        &self,
        queries: &dyn Rows,
        q: usize,
        own: bool,
        nearest: &mut Nearest,
        out: &mut Neighbors,
    ) -> Option<f32> {
        nearest.compact();
        // Too far away for single precision, a query has no candidates among them: it then meets every reference.
        let n = self.references.n();
        let candidates: Vec<u32> = match nearest.keys.len() < nearest.wanted.min(n) {
            true => (0..n as u32).collect(),
            false => nearest.keys.iter().map(|key| *key as u32).collect(),
        };
        let start = out.distance.len();
        out.index.resize(start + out.k, 0);
        out.distance.resize(start + out.k, 0.0);
        self.settle(queries, q, own, &candidates, start / out.k.max(1), out);
        let last = out.distance.last().copied().filter(|_| out.k > 0)?;
        // Nothing is nearer than rows that are the same, and of those the first came first.
        if candidates.len() == n || last == 0.0 {
            return None;
        }
        let limit = self.indistinguishable(queries, q, last);
        let seen = nearest.keys.iter().max().map_or(0.0, |key| f32::from_bits((*key >> 32) as u32));
        (seen <= limit).then_some(limit)
    }

    /// Writes the `k` nearest of some candidates to place `at` of the answer.
    fn settle(&self, queries: &dyn Rows, q: usize, own: bool, candidates: &[u32], at: usize, out: &mut Neighbors) {
        let d = self.references.d();
        let (mut query, mut row) = (vec![0.0; d], vec![0.0; d]);
        queries.read(q, &mut query);
        let mut exact: Vec<(f64, u32)> = Vec::with_capacity(candidates.len());
        for &j in candidates {
            if own && j as usize == q {
                continue;
            }
            self.references.read(j as usize, &mut row);
            exact.push((self.metric.distance(&query, &row), j));
        }
        if exact.len() > out.k && out.k > 0 {
            exact.select_nth_unstable_by(out.k - 1, by_distance);
            exact.truncate(out.k);
        }
        order::sort(&mut exact, &by_distance);
        let (index, distance) = (&mut out.index[at * out.k..], &mut out.distance[at * out.k..]);
        for ((index, distance), (exact, j)) in index.iter_mut().zip(distance).zip(exact) {
            (*index, *distance) = (j, exact);
        }
    }

    /// A squared distance in single precision that no reference exceeds which is at most `distance` away from a query.
    ///
    /// Rounding moves a coordinate x by at most u|x|, u = 2⁻²⁴: a difference of rows a and b by u(‖a‖ + ‖b‖), where
    /// ‖b‖ ≤ ‖a‖ + ‖a − b‖; its square, as a sum of d squares, by (d + 3)u of itself.
    fn indistinguishable(&self, queries: &dyn Rows, q: usize, distance: f64) -> f32 {
        let d = self.references.d();
        let mut query = vec![0.0; d];
        queries.read(q, &mut query);
        let (apart, length) = match self.metric {
            Metric::Euclidean => {
                for (x, center) in query.iter_mut().zip(&self.center) {
                    *x = (*x - center) * self.scale;
                }
                (distance * self.scale, norm(&query))
            }
            // rows of length 1: 1 − x·x′ is half of a square, and is itself rounded
            Metric::Cosine => ((2.0 * (distance + (d + 4) as f64 * f64::EPSILON)).sqrt(), 1.0),
        };
        let most = apart + 1.01 * SINGLE * (2.0 * length + apart) + f64::from(f32::MIN_POSITIVE);
        let squared = most * most * (1.0 + 1.01 * SINGLE * (d + 4) as f64);
        (squared as f32).next_up()
    }

    /// Every reference whose squared distance in single precision to the query at `place` of `blocks` is at most
    /// `limit`.
    fn within(&self, blocks: &[[f32; LANES]], place: usize, limit: f32) -> Vec<u32> {
        let (n, d) = (self.references.n(), self.references.d());
        let query = &blocks[place / LANES * d..][..d];
        let lane = place % LANES;
        let squares = if lane < LANES / 2 { f32::squares::<0> } else { f32::squares::<1> };
        let mut near = Vec::new();
        for (block, reference) in self.blocks.chunks_exact(d).enumerate() {
            let first = block * LANES;
            let squared = squares(query, reference)[lane % (LANES / 2)];
            let close = squared.iter().enumerate().take(n - first).filter(|(_, squared)| **squared <= limit);
            near.extend(close.map(|(place, _)| (first + place) as u32));
        }
        near
    }

    /// Rows in blocks of eight: coordinate c of the lanes of block b at `b * d + c`; places past the end are far away.
    fn layout(&self, rows: &dyn Rows, range: Range<usize>) -> Result<Vec<[f32; LANES]>> {
        let d = rows.d();
        let mut blocks = vec![[0.0; LANES]; range.len().div_ceil(LANES) * d];
        let mut row = vec![0.0; d];
        for (place, i) in range.enumerate() {
            rows.read(i, &mut row);
            let mut scale = self.scale;
            if self.metric == Metric::Cosine {
                scale = 1.0 / norm(&row);
                if !scale.is_finite() || scale == 0.0 {
                    return Err(Error::new(
                        "not_a_number",
                        format!("Row {} is 0 in every coordinate, so its cosine is not defined.", i + 1),
                        "Use the Euclidean distance, or exclude such rows.",
                    ));
                }
            }
            let block = &mut blocks[place / LANES * d..][..d];
            for ((lanes, x), center) in block.iter_mut().zip(&row).zip(&self.center) {
                lanes[place % LANES] = ((x - center) * scale) as f32;
            }
        }
        Ok(blocks)
    }
}

/// Where most rows are, and the factor that brings them to size 1: single precision is finest near zero.
///
/// By medians: a mean moves away from all other rows with one extreme value (999999999 for “unknown”), and far from
/// zero single precision takes them all for one place. Where half of the rows are in one place, the row farthest from
/// it has size 1.
fn typical(references: &dyn Rows) -> (Vec<f64>, f64) {
    let (n, d) = (references.n(), references.d());
    let mut rows = Vec::new();
    let mut row = vec![0.0; d];
    for i in (0..n).step_by(n.div_ceil(SAMPLED).max(1)) {
        references.read(i, &mut row);
        rows.extend_from_slice(&row);
    }
    let column = |c: usize| rows.iter().skip(c).step_by(d).copied();
    let center: Vec<f64> = (0..d).map(|c| upper_median(column(c).collect())).collect();
    let size = |row: &[f64]| row.iter().zip(&center).map(|(x, center)| (x - center).abs()).fold(0.0, f64::max);
    let mut usual = upper_median(rows.chunks_exact(d.max(1)).map(size).collect());
    if usual == 0.0 {
        for i in 0..n {
            references.read(i, &mut row);
            usual = size(&row).max(usual);
        }
    }
    let scale = if usual > 0.0 { (1.0 / usual).min(f64::MAX) } else { 1.0 };
    (center, scale)
}

/// The upper median; 0 of nothing.
fn upper_median(mut values: Vec<f64>) -> f64 {
    match values.len() / 2 {
        0 => values.first().copied().unwrap_or(0.0),
        half => *order::select(&mut values, half, &f64::total_cmp),
    }
}

fn by_distance(a: &(f64, u32), b: &(f64, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

impl Metric {
    fn distance(self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Self::Euclidean => {
                let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
                let length = squares.sum::<f64>().sqrt();
                if length.is_finite() {
                    return length;
                }
                // The largest difference first, so that no square overflows; what does is as far as a number goes.
                let apart = || a.iter().zip(b).map(|(a, b)| (a / 2.0 - b / 2.0).abs());
                let most = apart().fold(0.0, f64::max);
                let rest = apart().map(|x| (x / most) * (x / most)).sum::<f64>().sqrt();
                (2.0 * (most * rest)).min(f64::MAX)
            }
            Self::Cosine => {
                let (of_a, of_b) = (norm(a), norm(b));
                let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                let mut cosine = dot / (of_a * of_b);
                if !(dot.is_finite() && (of_a * of_b).is_finite()) {
                    let unit = a.iter().zip(b).map(|(a, b)| (a / of_a) * (b / of_b));
                    cosine = unit.sum();
                }
                (1.0 - cosine).max(0.0)
            }
        }
    }
}

/// ‖x‖₂, where its square overflows too; at most the largest number.
fn norm(row: &[f64]) -> f64 {
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length.is_finite() {
        return length;
    }
    let most = row.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let rest = row.iter().map(|x| (x / most) * (x / most)).sum::<f64>();
    (most * rest.sqrt()).min(f64::MAX)
}

/// The nearest candidates so far of one query: keys are the bits of the squared distance, then the index, so that
/// whole numbers in order are distances in order, ties by index.
struct Nearest {
    wanted: usize,
    limit: f32,
    keys: Vec<u64>,
}

impl Nearest {
    fn new(k: usize) -> Self {
        // one more for the query itself
        let wanted = k + 1 + SPARE;
        Self { wanted, limit: f32::INFINITY, keys: Vec::with_capacity(2 * wanted) }
    }

    fn clear(&mut self) {
        self.limit = f32::INFINITY;
        self.keys.clear();
    }

    fn push(&mut self, squared: f32, index: usize) {
        self.keys.push(u64::from(squared.to_bits()) << 32 | index as u64);
        if self.keys.len() == 2 * self.wanted {
            self.compact();
        }
    }

    /// Keeps the candidates that are wanted; whatever comes later must be nearer than the last of them.
    fn compact(&mut self) {
        if self.keys.len() > self.wanted {
            let (_, last, _) = self.keys.select_nth_unstable(self.wanted - 1);
            self.limit = f32::from_bits((*last >> 32) as u32);
            self.keys.truncate(self.wanted);
        }
    }
}

/// Eight queries against a chunk of references.
fn meet(
    query: &[[f32; LANES]],
    references: &[[f32; LANES]],
    d: usize,
    first: usize,
    n: usize,
    nearest: &mut [Nearest],
) {
    for (block, reference) in references.chunks_exact(d).enumerate() {
        let index = first + block * LANES;
        let last = LANES.min(n - index);
        let (low, high) = (f32::squares::<0>(query, reference), f32::squares::<1>(query, reference));
        for (nearest, squared) in nearest.iter_mut().zip(low.iter().chain(&high)) {
            for (lane, &squared) in squared.iter().enumerate().take(last) {
                if squared < nearest.limit {
                    nearest.push(squared, index + lane);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Points;

    fn uniform(n: usize, d: usize, seed: u64) -> Vec<f64> {
        let mut rng = crate::num::rng::Lanes::seeded(seed, 0);
        let draws = std::iter::repeat_with(|| rng.uniform()).flatten();
        draws.take(n * d).collect()
    }

    fn plain(metric: Metric, queries: Points, references: Points, own: bool, k: usize) -> Neighbors {
        let mut out = Neighbors { k, index: vec![], distance: vec![] };
        for q in 0..queries.n() {
            let mut all: Vec<(f64, u32)> = (0..references.n())
                .filter(|&j| !(own && j == q))
                .map(|j| (metric.distance(queries.row(q), references.row(j)), j as u32))
                .collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            out.index.extend(all.iter().take(k).map(|x| x.1));
            out.distance.extend(all.iter().take(k).map(|x| x.0));
        }
        out
    }

    #[test]
    fn the_same_as_looking_at_every_pair() {
        for (n, m, d, k) in [(300, 77, 5, 10), (1000, 13, 2, 40), (65, 65, 33, 64), (9, 1, 1, 3)] {
            let (x, z) = (uniform(n, d, 1), uniform(m, d, 2));
            let (x, z) = (Points::row_major(d, &x).unwrap(), Points::row_major(d, &z).unwrap());
            for metric in [Metric::Euclidean, Metric::Cosine] {
                let search = Search::new(&x, metric).unwrap();
                let mut shares = vec![];
                let found = search.nearest(Some(&z), 0..m, k, &mut |share| shares.push(share)).unwrap();
                assert_eq!(found, plain(metric, z, x, false, k));
                assert_eq!(shares.last(), Some(&1.0));
                let own = search.nearest(None, 0..n, k, &mut |_| ()).unwrap();
                assert_eq!(own, plain(metric, x, x, true, k.min(n - 1)));
                let part = search.nearest(None, 5..n, k, &mut |_| ()).unwrap();
                assert_eq!(part.index, own.index[5 * own.k..]);
            }
        }
    }

    /// What single precision takes for one place is several: a crowd that lies within 1e-9 far from the center.
    #[test]
    fn the_nearest_of_a_crowd_are_the_nearest() {
        for (d, apart) in [(1, 1e-9), (3, 1e-9), (10, 1e-12), (10, 3e-7)] {
            let (n, m) = (700, 50);
            let mut values = uniform(n, d, 4);
            // most rows stand in one corner
            for row in values.chunks_exact_mut(d).skip(40) {
                row.iter_mut().for_each(|x| *x = 1.0 - *x * apart);
            }
            let x = Points::row_major(d, &values).unwrap();
            let z = Points::row_major(d, &values[(n - m) * d..]).unwrap();
            let metrics: &[Metric] = if d == 1 { &[Metric::Euclidean] } else { &[Metric::Euclidean, Metric::Cosine] };
            for &metric in metrics {
                let search = Search::new(&x, metric).unwrap();
                let own = search.nearest(None, 0..n, 10, &mut |_| ()).unwrap();
                assert_eq!(own.distance, plain(metric, x, x, true, 10).distance, "{d} {apart} {metric:?}");
                let found = search.nearest(Some(&z), 0..m, 10, &mut |_| ()).unwrap();
                assert_eq!(found.distance, plain(metric, z, x, false, 10).distance, "{d} {apart} {metric:?}");
            }
            let search = Search::new(&x, Metric::Euclidean).unwrap();
            assert_eq!(search.nearest(None, 0..n, 10, &mut |_| ()).unwrap(), plain(Metric::Euclidean, x, x, true, 10));
        }
    }

    /// One extreme value leaves all other rows as far apart in single precision as they are: few are looked at again.
    #[test]
    fn an_extreme_value_hides_no_distance() {
        let (n, d, k) = (400, 3, 10);
        for extreme in [999_999_999.0, -1e30, 1e300] {
            let mut values = uniform(n, d, 5);
            values[7 * d] = extreme;
            let x = Points::row_major(d, &values).unwrap();
            let search = Search::new(&x, Metric::Euclidean).unwrap();
            let found = search.nearest(None, 0..n, k, &mut |_| ()).unwrap();
            assert_eq!(found, plain(Metric::Euclidean, x, x, true, k));
            let limit = search.indistinguishable(&x, 0, found.distance[k - 1]);
            let again = search.within(&search.layout(&x, 0..LANES).unwrap(), 0, limit);
            assert!(again.len() <= k + SPARE, "{extreme}: {} of {n} rows", again.len());
        }
    }

    #[test]
    fn duplicates_go_by_index_and_size_does_not_matter() {
        let mut values = vec![1e150; 40];
        values[39] = -1e150;
        let points = Points::row_major(1, &values).unwrap();
        let search = Search::new(&points, Metric::Euclidean).unwrap();
        let found = search.nearest(None, 0..40, 3, &mut |_| ()).unwrap();
        assert_eq!(found.index[..6], [1, 2, 3, 0, 2, 3]);
        assert_eq!(found.index[117..], [0, 1, 2]);
        assert_eq!(found.distance[..3], [0.0; 3]);
    }

    /// Queries whose scaled distance is no single-precision number meet every reference in double precision.
    #[test]
    fn far_queries_have_neighbors_too() {
        let (near, far) = (uniform(60, 2, 3), [1e300, -1e300, 1.7e308, -1.7e308, 1e40, 0.0]);
        let (x, z) = (Points::row_major(2, &near).unwrap(), Points::row_major(2, &far).unwrap());
        for metric in [Metric::Euclidean, Metric::Cosine] {
            let found = Search::new(&x, metric).unwrap().nearest(Some(&z), 0..3, 5, &mut |_| ()).unwrap();
            assert_eq!(found, plain(metric, z, x, false, 5));
            assert!(found.distance.iter().all(|d| d.is_finite()));
        }
    }

    #[test]
    fn what_cannot_be_searched() {
        let values = [1.0, 2.0, 0.0, 0.0];
        let points = Points::row_major(2, &values).unwrap();
        let code = |result: Result<()>| result.unwrap_err().code();
        assert_eq!(code(Search::new(&points, Metric::Cosine).map(|_| ())), "not_a_number");
        let one = Points::row_major(1, &values).unwrap();
        let search = Search::new(&points, Metric::Euclidean).unwrap();
        let found = search.nearest(Some(&one), 0..1, 1, &mut |_| ());
        assert_eq!(code(found.map(|_| ())), "length_mismatch");
        let none = Points::row_major(1, &[]).unwrap();
        assert_eq!(code(Search::new(&none, Metric::Euclidean).map(|_| ())), "too_few_rows");
    }
}
