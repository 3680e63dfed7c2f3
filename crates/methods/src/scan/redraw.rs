//! Outcomes redrawn from their probabilities, several data sets in parallel.

use crate::num::cluster::ClusteredDraws;
use crate::num::large_counts::Binomial;
use crate::num::rng::{Draws, Lanes};

/// Data sets side by side.
pub const TOGETHER: usize = 16;
/// Rows at a time; a multiple of 16 continues each stream.
pub const CHUNK: usize = 512;

/// What is drawn of a row.
pub trait Drawn: Copy {
    /// Its sum of outcomes t*, of a row of weight `w`.
    fn sum(self, w: f64) -> f64;
    /// The same minus its expected value, w p.
    fn residual(self, w: f64, p: f64) -> f32;
}

/// t*, 0 or 1.
impl Drawn for u8 {
    #[inline(always)]
    fn sum(self, w: f64) -> f64 {
        f64::from(self) * w
    }
    #[inline(always)]
    fn residual(self, w: f64, p: f64) -> f32 {
        w as f32 * (f32::from(self) - p as f32)
    }
}

/// How many of the `w` rows that a row represents are events.
impl Drawn for f64 {
    fn sum(self, _: f64) -> f64 {
        self
    }
    fn residual(self, w: f64, p: f64) -> f32 {
        // the difference of two numbers that may be large
        (self - w * p) as f32
    }
}

/// Outcomes of [`TOGETHER`] data sets side by side.
pub trait DataSets {
    /// of a row of one of them
    type Of: Drawn;
    /// The next [`CHUNK`] rows, from `start` on: chunks must be asked for in order.
    fn chunk(&mut self, start: usize) -> &[[Self::Of; TOGETHER]];
}

/// For rows that represent several: row i has Binomial(n, p̂) events in each data set, which is one stream of the
/// seed.
pub struct CountedRedraws<'a> {
    n: &'a [f64],
    p: &'a [f64],
    draws: Vec<Draws>,
    rows: Vec<[f64; TOGETHER]>,
}

impl<'a> CountedRedraws<'a> {
    /// * `n`, `p`: of every row; `first`: stream of the first data set
    pub fn new(n: &'a [f64], p: &'a [f64], seed: u64, first: u64) -> Self {
        let draws = (first..).take(TOGETHER).map(|stream| Draws::seeded(seed, stream)).collect();
        Self { n, p, draws, rows: vec![[0.0; TOGETHER]; CHUNK] }
    }
}

impl DataSets for CountedRedraws<'_> {
    type Of = f64;

    fn chunk(&mut self, start: usize) -> &[[f64; TOGETHER]] {
        let of_rows = self.n.iter().zip(self.p).skip(start);
        let mut count = 0;
        for (row, (&n, &p)) in self.rows.iter_mut().zip(of_rows) {
            let events = Binomial::of(n, p);
            for (to, draws) in row.iter_mut().zip(&mut self.draws) {
                *to = events.draw(draws);
            }
            count += 1;
        }
        self.rows.get(..count).unwrap_or_default()
    }
}

/// t* of [`TOGETHER`] data sets, [`CHUNK`] rows at a time: each data set is one stream of the seed, whoever asks for it.
pub struct Redraws<'a> {
    thresholds: &'a [i32],
    lanes: Vec<Lanes>,
    labels: Vec<u8>,
    /// of a chunk; of all rows where those of a cluster depend on each other
    rows: Vec<[u8; TOGETHER]>,
    whole: bool,
}

impl<'a> Redraws<'a> {
    /// * `thresholds`: [`crate::num::rng::bernoulli_threshold`] of every row
    /// * `clustered`: how rows of a cluster depend on each other; none: rows are independent
    /// * `first`: stream of the first data set
    pub fn new(thresholds: &'a [i32], clustered: Option<&ClusteredDraws>, seed: u64, first: u64) -> Self {
        let mut lanes: Vec<Lanes> = (first..).take(TOGETHER).map(|stream| Lanes::seeded(seed, stream)).collect();
        let Some(clustered) = clustered else {
            return Self { thresholds, lanes, labels: vec![0; CHUNK], rows: vec![[0; TOGETHER]; CHUNK], whole: false };
        };
        let mut labels = vec![0; thresholds.len()];
        let mut rows = vec![[0; TOGETHER]; thresholds.len()];
        for (k, lanes) in lanes.iter_mut().enumerate() {
            clustered.fill(lanes, thresholds, &mut labels);
            rows.iter_mut().zip(&labels).for_each(|(row, label)| row[k] = *label);
        }
        Self { thresholds, lanes, labels: Vec::new(), rows, whole: true }
    }
}

impl DataSets for Redraws<'_> {
    type Of = u8;

    fn chunk(&mut self, start: usize) -> &[[u8; TOGETHER]] {
        let end = (start + CHUNK).min(self.thresholds.len());
        if self.whole {
            return self.rows.get(start..end).unwrap_or_default();
        }
        let thresholds = self.thresholds.get(start..end).unwrap_or_default();
        let labels = &mut self.labels[..thresholds.len()];
        let rows = &mut self.rows[..thresholds.len()];
        for (k, lanes) in self.lanes.iter_mut().enumerate() {
            lanes.fill_bernoulli(thresholds, labels);
            for (row, label) in rows.iter_mut().zip(&*labels) {
                row[k] = *label;
            }
        }
        rows
    }
}
