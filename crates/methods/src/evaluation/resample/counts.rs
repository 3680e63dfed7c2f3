//! Weights of several replicates side by side: columns of a million rows are then read once for all of them.

use std::ops::Range;

use crate::data::ClusterIds;
use crate::num::rng::Lanes;

/// Replicates that are computed together.
pub(super) const AT_ONCE: usize = 4;

/// Rows that are drawn and summed at once: their columns stay in the fastest memory, and browsers compile what is called
/// often well. A multiple of what the generator fills in one go, so that the stream does not depend on it.
pub(super) const BLOCK: usize = 4096;

/// Poisson(1) weights of up to four replicates.
pub(super) struct Counts {
    /// a byte a replicate, a word a row
    pub(super) words: Vec<u32>,
    /// how many replicates
    pub(super) replicates: usize,
}

impl Counts {
    /// Weights of `replicates`, at most four, each from its own stream 2r.
    pub(super) fn poisson(rows: usize, seed: u64, replicates: Range<usize>) -> Self {
        let mut words = vec![0u32; rows];
        for (lane, r) in replicates.clone().take(AT_ONCE).enumerate() {
            let mut lanes = Lanes::seeded(seed, 2 * r as u64);
            let mut drawn = [0u8; BLOCK];
            for words in words.chunks_mut(BLOCK) {
                let drawn = &mut drawn[..words.len()];
                lanes.fill_poisson(drawn);
                place(drawn, lane, words);
            }
        }
        Self { words, replicates: replicates.len().min(AT_ONCE) }
    }

    /// Weights of `rows` rows, drawn once for all rows of a cluster where they belong together.
    pub(super) fn of_rows(rows: usize, clusters: &ClusterIds, seed: u64, replicates: Range<usize>) -> Self {
        if clusters.of.is_empty() {
            return Self::poisson(rows, seed, replicates);
        }
        Self::poisson(clusters.count, seed, replicates).select(&clusters.of)
    }

    /// Those of some rows, in their order.
    pub(super) fn select(&self, rows: &[u32]) -> Self {
        let mut words = vec![0; rows.len()];
        for (words, rows) in words.chunks_mut(BLOCK).zip(rows.chunks(BLOCK)) {
            gather(&self.words, rows, words);
        }
        Self { words, replicates: self.replicates }
    }

    /// Weights of one replicate.
    pub(super) fn of(&self, lane: usize) -> Vec<u8> {
        self.padded(lane, 0)
    }

    /// The same with zeros behind them.
    pub(super) fn padded(&self, lane: usize, zeros: usize) -> Vec<u8> {
        let mut weights = vec![0; self.words.len() + zeros];
        for (bytes, words) in weights.chunks_mut(BLOCK).zip(self.words.chunks(BLOCK)) {
            taken(words, lane, bytes);
        }
        weights
    }
}

/// Puts bytes into their places in words.
#[inline(never)]
fn place(bytes: &[u8], lane: usize, words: &mut [u32]) {
    for (word, &byte) in words.iter_mut().zip(bytes) {
        *word |= u32::from(byte) << (8 * lane);
    }
}

#[inline(never)]
fn gather(from: &[u32], rows: &[u32], into: &mut [u32]) {
    for (word, &row) in into.iter_mut().zip(rows) {
        *word = from[row as usize];
    }
}

/// Takes the bytes of one replicate out of words.
#[inline(never)]
fn taken(words: &[u32], lane: usize, bytes: &mut [u8]) {
    for (byte, word) in bytes.iter_mut().zip(words) {
        *byte = (word >> (8 * lane)) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_replicate_has_the_stream_of_its_own() {
        let counts = Counts::poisson(10_001, 3, 5..8);
        assert_eq!(counts.replicates, 3);
        for lane in 0..3 {
            let mut alone = vec![0; 10_001];
            Lanes::seeded(3, 2 * (5 + lane as u64)).fill_poisson(&mut alone);
            assert_eq!(counts.of(lane), alone);
        }
        let some = counts.select(&[7, 3]);
        assert_eq!(some.of(1), [counts.of(1)[7], counts.of(1)[3]]);
    }
}
