//! Engine B: K ≈ ΦΦᵀ with few columns, where rows are similar: T of a draw is then ‖Φᵀe‖² − Σ_i (ΦΦᵀ)_ii e_i².
//!
//! Pivots are found by an incomplete Cholesky factorisation of a sample of the rows, block by block (candidates spread
//! over what is left, the largest first); every row is then projected on its own, so rows can be dealt to workers. With
//! R = K − ΦΦᵀ ⪰ 0 the error of T has mean 0 under the Bernoulli null and a standard deviation of at most tr(R) / √8: the
//! trace decides whether the factor may be used, never the rank.
//!
//! Source: Fine and Scheinberg (2001), incomplete Cholesky; Chen et al. (2022), randomly pivoted Cholesky.

use serde::{Deserialize, Serialize};

use super::KlceSample;
use super::pairs::WIDE;
use crate::table::Column;

/// tr(R) / n at which the factor is good: its error is then a thirtieth of the noise of 1,000 draws.
pub const GOOD_TRACE: f64 = 1e-3;
/// Rows among which pivots are looked for, and rows on which the factor is tried.
pub const SAMPLED_ROWS: usize = 3072;
/// Candidates for the pivots of a block, and pivots of a block at most.
const CANDIDATES: usize = 48;
const BLOCK_PIVOTS: usize = 16;

/// Sixteen rows side by side.
pub(super) type Line = [f32; WIDE];

/// Pivots with their factor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    d: usize,
    /// coordinates of the pivots, row-major rank × d
    places: Column<f64>,
    /// lower triangle L of K at the pivots = LLᵀ, row by row; the diagonal inverted
    lower: Column<f32>,
    /// tr(R) / n over rows that had no part in the choice
    pub trace: f64,
}

impl Factor {
    /// Number of pivots.
    pub fn rank(&self) -> usize {
        self.places.len() / self.d.max(1)
    }

    /// A factor of at most `cap` columns with tr(R)/n ≤ 10⁻³ on rows beside those it was made from; `None` if that takes
    /// more.
    ///
    /// Cost: O(3072 rank²).
    pub fn find(sample: &KlceSample, cap: usize) -> Option<Self> {
        let (n, d) = (sample.n(), sample.d());
        if d == 0 {
            return None;
        }
        let taken = n.min(SAMPLED_ROWS);
        // Half a step apart, so that the rows of the trial are others wherever there are enough.
        let rows: Vec<usize> = (0..taken).map(|k| (2 * k + 1) * n / (2 * taken)).collect();
        let others: Vec<usize> = (0..taken).map(|k| k * n / taken).collect();
        let place = |row: usize| &sample.z()[row * d..(row + 1) * d];
        let mut factor = Self { d, places: Column::default(), lower: Column::default(), trace: 1.0 };
        let lines: Vec<Lines> =
            rows.chunks(WIDE).map(|rows| Lines::new(rows.iter().map(|&row| place(row)), d)).collect();
        let mut projected: Vec<Vec<Line>> = vec![Vec::new(); lines.len()];
        let mut left: Vec<f64> = vec![1.0; taken];
        loop {
            let trace = left.iter().sum::<f64>() / taken as f64;
            if trace <= GOOD_TRACE / 2.0 {
                break;
            }
            if factor.rank() >= cap {
                return None;
            }
            let before = factor.rank();
            factor.extend(&rows, &left, &projected, place);
            if factor.rank() == before {
                break;
            }
            for (block, lines) in lines.iter().enumerate() {
                let to = &mut projected[block];
                factor.project_onto(lines, to);
                for line in &to[before..] {
                    for (left, phi) in left[block * WIDE..].iter_mut().zip(line) {
                        *left = (*left - f64::from(phi * phi)).max(0.0);
                    }
                }
            }
        }
        let mut trace = 0.0;
        for rows in others.chunks(WIDE) {
            let lines = Lines::new(rows.iter().map(|&row| place(row)), d);
            let mut phi = Vec::with_capacity(factor.rank());
            factor.project_onto(&lines, &mut phi);
            trace += diagonal(&phi)[..rows.len()].iter().map(|own| (1.0 - own).max(0.0)).sum::<f64>();
        }
        factor.trace = trace / taken as f64;
        (factor.trace <= GOOD_TRACE).then_some(factor)
    }

    /// Adds up to 16 pivots from candidates spread evenly over what is left of the diagonal.
    fn extend<'a>(
        &mut self,
        rows: &[usize],
        left: &[f64],
        projected: &[Vec<Line>],
        place: impl Fn(usize) -> &'a [f64],
    ) {
        let total: f64 = left.iter().sum();
        let mut candidates: Vec<usize> = Vec::with_capacity(CANDIDATES);
        let (mut so_far, mut next) = (0.0, 0.5);
        for (k, left) in left.iter().enumerate() {
            so_far += left / total * CANDIDATES as f64;
            if so_far > next {
                candidates.push(k);
                next = so_far.floor() + 0.5;
            }
        }
        let rank = self.rank();
        let row_of = |k: usize| -> Vec<f32> {
            let lane = k % WIDE;
            projected[k / WIDE][..rank].iter().map(|line| line[lane]).collect()
        };
        let mut phi: Vec<Vec<f32>> = candidates.iter().map(|&k| row_of(k)).collect();
        let mut open: Vec<f64> = candidates.iter().map(|&k| left[k]).collect();
        let most = open.iter().copied().fold(0.0, f64::max);
        for _ in 0..BLOCK_PIVOTS {
            let (mut best, mut pivot) = (0.0, 0);
            for (at, &left) in open.iter().enumerate() {
                if left > best {
                    (best, pivot) = (left, at);
                }
            }
            // What the block's own pivots explain is better chosen afresh.
            if best <= 0.25 * most || best <= 1e-6 {
                break;
            }
            let own = phi[pivot].clone();
            let root = best.sqrt();
            let place_of = |at: usize| place(rows[candidates[at]]);
            for at in 0..candidates.len() {
                let square = |(a, b): (&f64, &f64)| (a - b) * (a - b);
                let exponent: f64 = place_of(at).iter().zip(place_of(pivot)).map(square).sum();
                let known: f64 = phi[at].iter().zip(&own).map(|(a, b)| f64::from(a * b)).sum();
                let value = ((-exponent).exp() - known) / root;
                phi[at].push(value as f32);
                open[at] -= value * value;
            }
            open[pivot] = 0.0;
            self.places.extend_from_slice(place_of(pivot));
            self.lower.extend_from_slice(&own);
            self.lower.push((1.0 / root) as f32);
        }
    }

    /// Φ of sixteen rows: from as many columns as `phi` holds to all of them.
    pub(super) fn project_onto(&self, rows: &Lines, phi: &mut Vec<Line>) {
        let first = phi.len();
        for pivot in first..self.rank() {
            let place = &self.places[pivot * self.d..(pivot + 1) * self.d];
            let mut value = rows.kernel(place);
            let start = pivot * (pivot + 1) / 2;
            let lower = &self.lower[start..=start + pivot];
            subtract(&mut value, &lower[..pivot], phi);
            let inverse = lower[pivot];
            phi.push(value.map(|v| v * inverse));
        }
    }
}

/// value −= Σ_l lower_l φ_l.
#[inline(never)]
fn subtract(value: &mut Line, lower: &[f32], phi: &[Line]) {
    let mut sums = [[0.0_f32; WIDE]; 2];
    let (pairs, _) = phi.as_chunks::<2>();
    let (twos, rest) = lower.as_chunks::<2>();
    for (lower, phi) in twos.iter().zip(pairs) {
        for l in 0..WIDE {
            sums[0][l] += lower[0] * phi[0][l];
            sums[1][l] += lower[1] * phi[1][l];
        }
    }
    if let (Some(lower), Some(phi)) = (rest.first(), phi.get(2 * twos.len())) {
        for l in 0..WIDE {
            sums[0][l] += lower * phi[l];
        }
    }
    for l in 0..WIDE {
        value[l] -= sums[0][l] + sums[1][l];
    }
}

/// Σ φ² of sixteen rows.
pub(super) fn diagonal(phi: &[Line]) -> [f64; WIDE] {
    let mut own = [0.0; WIDE];
    for line in phi {
        for l in 0..WIDE {
            own[l] += f64::from(line[l] * line[l]);
        }
    }
    own
}

/// Coordinates of sixteen rows side by side.
pub(super) struct Lines {
    values: Vec<[f64; WIDE]>,
}

impl Lines {
    pub(super) fn new<'a>(rows: impl Iterator<Item = &'a [f64]>, d: usize) -> Self {
        let mut values = vec![[0.0; WIDE]; d];
        for (lane, row) in rows.take(WIDE).enumerate() {
            values.iter_mut().zip(row).for_each(|(to, v)| to[lane] = *v);
        }
        Self { values }
    }

    fn kernel(&self, place: &[f64]) -> Line {
        let mut squares = [0.0; WIDE];
        for (own, at) in self.values.iter().zip(place) {
            for l in 0..WIDE {
                let delta = own[l] - at;
                squares[l] += delta * delta;
            }
        }
        crate::kernel::decay_lanes(&squares).map(|k| k as f32)
    }
}
