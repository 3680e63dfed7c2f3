//! Outcomes drawn again from their probabilities, several data sets side by side.

use crate::num::cluster::ClusteredDraws;
use crate::num::rng::Lanes;

/// Data sets side by side.
pub const TOGETHER: usize = 16;
/// Rows at a time; a multiple of 16 continues each stream.
pub const CHUNK: usize = 512;

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

    /// The next rows, from `start` on: chunks must be asked for in order.
    pub fn chunk(&mut self, start: usize) -> &[[u8; TOGETHER]] {
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
