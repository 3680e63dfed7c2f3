//! The area under the ROC curve of reweighted rows and of redrawn outcomes, sixteen rows at a time.
//!
//! Σ over events of w · (weight of the misses below + ½ of those tied) splits by chunks of rows that no tie leaves: pairs
//! of an event and a miss in different chunks are counted by the chunks' sums, those in one chunk by a running sum within
//! a vector of bytes. Doubled, all terms are whole numbers.

use wide::{i16x8, i32x4, u8x16};

use super::sums::{dot, total};
use crate::num::ties;

/// Rows of a short chunk.
const SHORT: usize = 16;

/// Zeros that weights end with, so that the last chunk can be read whole.
pub(super) const SPARE: usize = SHORT;

/// Short chunks that are summed in one call: what lies below a row of them, 8 × 16 × 128 at most, fits 16 bits.
const RUN: usize = 128;

/// Rows by ascending score, in chunks.
pub(super) struct Ranks {
    runs: Vec<Run>,
    short: Vec<Short>,
    target: Vec<u8>,
    /// twice the mean rank of each row among all, a whole number: its multiples of 4,096, and what is left of it (single
    /// precision sums both exactly)
    pub(super) doubled: [Vec<f32>; 2],
}

/// Up to [`RUN`] short chunks, then rows of one tie that is longer than a chunk, if any.
struct Run {
    short: std::ops::Range<usize>,
    long: std::ops::Range<usize>,
}

/// Ties of up to sixteen rows in all.
struct Short {
    first: usize,
    /// 255 where a row is a miss, and where it is an event
    misses: u8x16,
    events: u8x16,
    /// for each event, the last place before its tie, and the last one of its tie; 255 where there is none
    below: u8x16,
    through: u8x16,
}

/// Of some rows in a row: weight of the events, of the misses, and twice the area between them.
#[derive(Clone, Copy, Default)]
struct Area {
    events: u64,
    misses: u64,
    doubled: u64,
}

impl Area {
    /// Puts `later` rows, of higher score, behind these.
    fn then(&mut self, later: Area) {
        self.doubled += later.doubled + 2 * self.misses * later.events;
        self.events += later.events;
        self.misses += later.misses;
    }

    fn value(self) -> Option<f64> {
        let pairs = self.events as f64 * self.misses as f64;
        (pairs > 0.0).then(|| self.doubled as f64 / (2.0 * pairs))
    }
}

impl Ranks {
    /// * `score`: ascending; `target`: 0 or 1, in the same order
    pub(super) fn new(score: &[f64], target: &[u8]) -> Self {
        let n = score.len();
        let mut ranks = Ranks {
            runs: Vec::new(),
            short: Vec::with_capacity(n / SHORT + 1),
            target: target.to_vec(),
            doubled: [Vec::with_capacity(n), Vec::with_capacity(n)],
        };
        let (mut run, mut chunk) = (0, Vec::with_capacity(SHORT));
        let mut first = 0;
        while first < n {
            let end = ties::end_of(n, first, &|i| score[i]).unwrap_or(n);
            let doubled = first + end + 1;
            for (part, value) in ranks.doubled.iter_mut().zip([doubled & !4095, doubled & 4095]) {
                part.resize(end, value as f32);
            }
            let start = chunk.first().map_or(first, |tie: &std::ops::Range<usize>| tie.start);
            if end - start > SHORT {
                ranks.short.extend(Short::new(&chunk, target));
                chunk.clear();
            }
            let long = end - first > SHORT;
            if long || ranks.short.len() - run == RUN {
                let short = run..ranks.short.len();
                run = short.end;
                let long = if long { first..end } else { 0..0 };
                ranks.runs.push(Run { short, long });
            }
            if !long {
                chunk.push(first..end);
            }
            first = end;
        }
        ranks.short.extend(Short::new(&chunk, target));
        let short = run..ranks.short.len();
        ranks.runs.push(Run { short, long: 0..0 });
        ranks
    }

    /// The area under the curve of rows with these weights, 8 at most, [`SPARE`] zeros behind them; `None` when one
    /// outcome has no weight.
    pub(super) fn weighted(&self, weights: &[u8]) -> Option<f64> {
        let mut area = Area::default();
        for Run { short, long } in &self.runs {
            area.then(of_short(&self.short[short.clone()], weights));
            if !long.is_empty() {
                let w = &weights[long.clone()];
                let events = dot(w, &self.target[long.clone()]);
                let misses = total(w) - events;
                area.then(Area { events, misses, doubled: events * misses });
            }
        }
        area.value()
    }

    /// The area where `ones` of all rows are events and their doubled mean ranks sum to `doubled`.
    pub(super) fn redrawn(&self, ones: u64, doubled: f64) -> Option<f64> {
        let area =
            Area { events: ones, misses: self.target.len() as u64 - ones, doubled: doubled as u64 - ones * (ones + 1) };
        area.value()
    }
}

impl Short {
    /// * `ties`: of sixteen rows in all at most, one behind the other
    fn new(ties: &[std::ops::Range<usize>], target: &[u8]) -> Option<Self> {
        let first = ties.first()?.start;
        let mut places = [[0u8; SHORT], [0; SHORT], [255; SHORT], [255; SHORT]];
        for tie in ties {
            for row in tie.clone() {
                let lane = row - first;
                if target[row] == 1 {
                    places[1][lane] = 255;
                    places[2][lane] = (tie.start - first).wrapping_sub(1) as u8;
                    places[3][lane] = (tie.end - 1 - first) as u8;
                } else {
                    places[0][lane] = 255;
                }
            }
        }
        let [misses, events, below, through] = places.map(u8x16::new);
        Some(Short { first, misses, events, below, through })
    }
}

/// Lanes of a vector moved up by 1, 2, 4 and 8 places.
const SHIFTS: [u8x16; 4] = {
    let mut shifts = [[255; SHORT]; 4];
    let mut k = 0;
    while k < 4 {
        let mut lane = 1 << k;
        while lane < SHORT {
            shifts[k][lane] = (lane - (1 << k)) as u8;
            lane += 1;
        }
        k += 1;
    }
    [u8x16::new(shifts[0]), u8x16::new(shifts[1]), u8x16::new(shifts[2]), u8x16::new(shifts[3])]
};

#[inline(never)]
fn of_short(chunks: &[Short], weights: &[u8]) -> Area {
    let (mut within, mut across) = (i32x4::ZERO, i32x4::ZERO);
    let mut events = i16x8::ZERO;
    let mut before = 0;
    for chunk in chunks {
        let Some(w) = weights[chunk.first..].first_chunk::<SHORT>() else {
            continue;
        };
        let w = u8x16::new(*w);
        let mut misses = w & chunk.misses;
        for shift in SHIFTS {
            misses += misses.shuffle_zeroing(shift);
        }
        let (below, through) = (misses.shuffle_zeroing(chunk.below), misses.shuffle_zeroing(chunk.through));
        let (w, of) = (w & chunk.events, below + through);
        let low = i16x8::from_u8x16_low(w);
        let high = i16x8::from_u8x16_high(w);
        within += low.dot(i16x8::from_u8x16_low(of)) + high.dot(i16x8::from_u8x16_high(of));
        let pairs = low + high;
        events += pairs;
        across += pairs.dot(i16x8::splat(before));
        before += i16::from(misses.to_array()[SHORT - 1]);
    }
    let sum = |four: i32x4| four.to_array().iter().map(|&x| x as u64).sum::<u64>();
    Area {
        events: events.to_array().iter().map(|&x| x as u64).sum(),
        misses: before as u64,
        doubled: sum(within) + 2 * sum(across),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::auroc::auroc_ordered;
    use crate::num::rng::Lanes;

    #[test]
    fn areas_are_those_of_repeated_rows() {
        let mut lanes = Lanes::seeded(4, 0);
        // ties of one to fifty rows, within chunks and across them
        for (n, tie) in [(1, 3), (7, 3), (60, 3), (500, 50), (5000, 1), (3000, 15), (3000, 17)] {
            let mut above = 0.0;
            let score: Vec<f64> = (0..n)
                .map(|i| {
                    above += f64::from(u8::from(i % tie == 0 || i % 70 >= 40));
                    above
                })
                .collect();
            let mut target = vec![0; n as usize];
            let half = vec![0; n as usize];
            lanes.fill_bernoulli(&half, &mut target);
            let ranks = Ranks::new(&score, &target);
            for most in [false, true] {
                let mut weights = vec![8; n as usize];
                if !most {
                    lanes.fill_poisson(&mut weights);
                }
                let repeated: Vec<u32> =
                    (0..n as u32).flat_map(|i| std::iter::repeat_n(i, usize::from(weights[i as usize]))).collect();
                weights.resize(n as usize + SPARE, 0);
                assert_eq!(
                    ranks.weighted(&weights),
                    auroc_ordered(&score, &target, &repeated),
                    "{n} rows in ties of {tie}"
                );
            }
            let all: Vec<u32> = (0..n as u32).collect();
            let ones = target.iter().filter(|&&t| t == 1).count() as u64;
            let doubled = (0..n as usize).filter(|&i| target[i] == 1);
            let doubled = doubled.map(|i| ranks.doubled.iter().map(|part| f64::from(part[i])).sum::<f64>());
            assert_eq!(ranks.redrawn(ones, doubled.sum()), auroc_ordered(&score, &target, &all));
        }
    }
}
