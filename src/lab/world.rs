//! A world whose truth is known: where rows lie, what a model states there, how often it happens, and what happened.
//!
//! Every uniform number is a function of (seed, draw, row, purpose) alone. So more rows change none of those that are there,
//! a handle moves probabilities and no random number, and another draw has the same rows with new outcomes. Only integers,
//! additions, multiplications and [`sigmoid`], which needs no library: the same bits everywhere.

use std::ops::Range;

use super::LabRequest;
use crate::num::special::sigmoid;

/// Both coordinates lie in [−`HALF_WIDTH`, `HALF_WIDTH`].
pub const HALF_WIDTH: f64 = 3.0;
/// Where a region or a group moves it, the true probability stays this far from 0 and 1.
const EDGE: f64 = 0.01;
/// What a random number is for: coordinates and group of a row, its outcome; redraws of a line-up follow.
const X1: u64 = 0;
const X2: u64 = 1;
const GROUP: u64 = 2;
const OUTCOME: u64 = 3;
/// Purposes that a row has.
const PURPOSES: u64 = 32;
/// Draw of the coordinates, which no draw of outcomes has.
const PLACES: u32 = 0;

/// One step of SplitMix64 from a counter (Steele, Lea and Flood, 2014).
pub(super) fn mixed(counter: u64) -> u64 {
    let mut z = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Uniform in [0, 1), 53 bits: M(M(seed·2³² + draw) + 32·row + purpose) with M = [`mixed`].
fn uniform(seed: u32, draw: u32, row: u32, purpose: u64) -> f64 {
    let stream = mixed(u64::from(seed) << 32 | u64::from(draw));
    let bits = mixed(stream.wrapping_add(PURPOSES * u64::from(row) + purpose)) >> 11;
    bits as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// A disc in which the true probability differs from what the coordinates say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Region {
    /// its center
    pub center: [f64; 2],
    /// its radius, of the Euclidean distance
    pub radius: f64,
    /// stated − true probability inside; above 0: overestimated
    pub error: f64,
}

impl Region {
    /// Whether a place lies in it.
    pub fn holds(&self, x: [f64; 2]) -> bool {
        let [dx, dy] = [x[0] - self.center[0], x[1] - self.center[1]];
        dx * dx + dy * dy <= self.radius * self.radius
    }
}

/// What is true of every place, and what the model states there.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    intercept: f64,
    slope: f64,
    base: f64,
    regions: Vec<Region>,
    gap: f64,
    noise: f64,
    factor: f64,
    shift: f64,
    moved: f64,
}

impl Truth {
    /// As the handles say.
    pub fn new(handles: &LabRequest) -> Self {
        let [_, base, gap] = handles.group;
        let region = |&[c1, c2, radius, depth]: &[f64; 4]| Region { center: [c1, c2], radius, error: depth / 100.0 };
        Self {
            intercept: handles.a,
            slope: handles.b,
            base,
            regions: handles.region.iter().map(region).collect(),
            gap: gap / 100.0,
            noise: handles.noise,
            factor: handles.factor,
            shift: handles.s,
            moved: handles.moved,
        }
    }

    /// Its regions.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// f(x) = a + b·x₁ + base·1[g = B]: log-odds without regions, gap and noise.
    pub fn log_odds(&self, x: [f64; 2], in_b: bool) -> f64 {
        self.intercept + self.slope * x[0] + if in_b { self.base } else { 0.0 }
    }

    /// q(x, g): r = σ(f) less the errors of the regions that hold x and the gap of group B, within [.01, .99] where one of
    /// them applies, then q + ε (1 − 2q).
    pub fn probability(&self, x: [f64; 2], in_b: bool) -> f64 {
        let mut q = sigmoid(self.log_odds(x, in_b));
        let errors = self.regions.iter().filter(|region| region.holds(x)).map(|region| region.error);
        let error = errors.sum::<f64>() + if in_b { self.gap } else { 0.0 };
        if error != 0.0 {
            q = (q - error).clamp(EDGE, 1.0 - EDGE);
        }
        q + self.noise * (1.0 - 2.0 * q)
    }

    /// p(x, g) = σ(T·f + s + move·1[g = B]): what the model states.
    pub fn stated(&self, x: [f64; 2], in_b: bool) -> f64 {
        sigmoid(self.factor * self.log_odds(x, in_b) + self.shift + if in_b { self.moved } else { 0.0 })
    }
}

/// Some rows of a world; every vector has one entry a row.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// what is true of every place
    pub truth: Truth,
    /// numbers of the rows
    pub rows: Range<u32>,
    /// x₁ and x₂ of every row, one row after the other
    pub x: Vec<f64>,
    /// whether a row belongs to group B
    pub in_b: Vec<bool>,
    /// true probabilities q
    pub q: Vec<f64>,
    /// stated probabilities p
    pub p: Vec<f64>,
    /// outcomes, 0 or 1
    pub y: Vec<u8>,
    seed: u32,
}

impl World {
    /// The first n rows of the world that the handles say. O(n).
    pub fn new(handles: &LabRequest) -> Self {
        Self::of_rows(handles, 0..handles.n)
    }

    /// These rows of it.
    pub fn of_rows(handles: &LabRequest, rows: Range<u32>) -> Self {
        let truth = Truth::new(handles);
        let [share, ..] = handles.group;
        let n = rows.len();
        let (mut x, mut in_b) = (Vec::with_capacity(2 * n), Vec::with_capacity(n));
        let (mut q, mut p) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for row in rows.clone() {
            let place = [X1, X2].map(|k| 2.0 * HALF_WIDTH * uniform(handles.seed, PLACES, row, k) - HALF_WIDTH);
            let b = uniform(handles.seed, PLACES, row, GROUP) < share;
            x.extend(place);
            in_b.push(b);
            q.push(truth.probability(place, b));
            p.push(truth.stated(place, b));
        }
        let mut world = Self { truth, rows, x, in_b, q, p, y: Vec::new(), seed: handles.seed };
        world.y = world.outcomes(handles.draw);
        world
    }

    /// Outcomes of another draw, u < q. O(n).
    pub fn outcomes(&self, draw: u32) -> Vec<u8> {
        self.drawn(&self.q, draw, OUTCOME)
    }

    /// Outcomes of a calibrated model that states p: the `k`-th of a line-up, for k < 28. O(n).
    pub fn calibrated_outcomes(&self, draw: u32, k: u64) -> Vec<u8> {
        self.drawn(&self.p, draw, OUTCOME + 1 + k)
    }

    /// The uniform number that decides the outcome of each row in a draw. O(n).
    pub(super) fn deciding(&self, draw: u32) -> Vec<f64> {
        self.rows.clone().map(|row| uniform(self.seed, draw, row, OUTCOME)).collect()
    }

    /// The same truth at places of the plane, for group A, without outcomes. O(places).
    pub(super) fn at(&self, places: &[f64]) -> Self {
        let (each, _) = places.as_chunks::<2>();
        Self {
            truth: self.truth.clone(),
            rows: 0..0,
            x: places.to_vec(),
            in_b: vec![false; each.len()],
            q: each.iter().map(|&x| self.truth.probability(x, false)).collect(),
            p: each.iter().map(|&x| self.truth.stated(x, false)).collect(),
            y: Vec::new(),
            seed: self.seed,
        }
    }

    fn drawn(&self, probability: &[f64], draw: u32, purpose: u64) -> Vec<u8> {
        let each = self.rows.clone().zip(probability);
        each.map(|(row, &probability)| u8::from(uniform(self.seed, draw, row, purpose) < probability)).collect()
    }

    /// x of a row.
    pub fn place(&self, row: usize) -> [f64; 2] {
        let (places, _) = self.x.as_chunks::<2>();
        places.get(row).copied().unwrap_or_default()
    }

    /// The places, one coordinate at a time.
    pub fn coordinate(&self, axis: usize) -> Vec<f64> {
        self.x.iter().skip(axis).step_by(2).copied().collect()
    }

    /// √ mean (s − q)² of scores of these rows against the truth. O(n).
    pub fn error_of(&self, s: &[f64]) -> f64 {
        let squares = s.iter().zip(&self.q).map(|(s, q)| (s - q) * (s - q));
        (squares.sum::<f64>() / self.q.len().max(1) as f64).sqrt()
    }
}
