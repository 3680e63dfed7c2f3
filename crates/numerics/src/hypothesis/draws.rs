//! Outcomes as they would be if the scores were right, and residuals as they would be if rows did not matter.

use serde::{Deserialize, Serialize};

use super::KlceSample;
use super::nearby::BLOCK;
use super::pairs::WIDE;
use crate::num::rng::{Lanes, bernoulli_threshold};
use crate::table::Column;

/// How the statistic is drawn under the null hypothesis; K stays, the residuals change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Null {
    /// outcomes redrawn from the scores: the exact null, sensitive to local and global miscalibration
    Bernoulli,
    /// residuals permuted, the mean over draws subtracted: the paper's p-values
    PermuteCentred,
    /// permuted residuals: sensitive only to errors that differ between locations
    Permute,
    /// residuals drawn with replacement: sensitive only to errors that differ between locations
    Bootstrap,
}

impl Null {
    /// Every null.
    pub const ALL: [Self; 4] = [Self::Bernoulli, Self::PermuteCentred, Self::Permute, Self::Bootstrap];

    /// Its draws; both permutation nulls share theirs.
    pub(super) fn draws(self) -> Draws {
        match self {
            Self::Bernoulli => Draws::Labels,
            Self::PermuteCentred | Self::Permute => Draws::Permuted,
            Self::Bootstrap => Draws::Repeated,
        }
    }
}

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draws {
    /// outcomes from the scores
    Labels,
    /// residuals without replacement
    Permuted,
    /// residuals with replacement
    Repeated,
}

impl Draws {
    fn stream(self, draw: usize) -> u64 {
        ((self as u64 + 1) << 40) | draw as u64
    }
}

/// Draws outcomes of a sample: which plane happened in each row.
pub(super) struct Labels<'a> {
    sample: &'a KlceSample,
    /// of every truth
    thresholds: Vec<Vec<i32>>,
    bytes: Vec<u8>,
}

impl<'a> Labels<'a> {
    pub(super) fn new(sample: &'a KlceSample) -> Self {
        let binary = sample.planes() == 1;
        let truths = if binary { sample.truths() } else { &[] };
        let of = |p: &Column<f64>| p.iter().map(|&p| bernoulli_threshold(p)).collect();
        Self {
            sample,
            thresholds: truths.iter().map(of).collect(),
            bytes: vec![0; if binary { sample.n() } else { 0 }],
        }
    }

    /// Where plane 0 happened in draw `draw` of `draws`, eight rows a byte; `None` where there are several planes, or
    /// nothing is drawn.
    fn bits(&mut self, seed: u64, (draw, draws): (usize, usize), take: &mut dyn FnMut(usize, u8)) -> Option<()> {
        let truth = draw % self.thresholds.len().max(1);
        let thresholds = self.thresholds.get(truth).filter(|_| draw < draws)?;
        Lanes::seeded(seed, Draws::Labels.stream(draw)).bernoulli_bits(thresholds, take);
        Some(())
    }

    /// Outcomes of draw `draw` of `draws`; draw `draws` is what was observed.
    pub(super) fn fill(&mut self, seed: u64, draw: usize, draws: usize, happened: &mut [u32]) {
        if draw >= draws {
            happened.copy_from_slice(self.sample.observed());
            return;
        }
        let mut lanes = Lanes::seeded(seed, Draws::Labels.stream(draw));
        let truth = draw % self.thresholds.len().max(1);
        if let Some(thresholds) = self.thresholds.get(truth) {
            lanes.fill_bernoulli(thresholds, &mut self.bytes);
            for (to, &y) in happened.iter_mut().zip(&self.bytes) {
                *to = u32::from(y == 0);
            }
            return;
        }
        let m = self.sample.planes();
        for (rows, vectors) in happened.chunks_mut(4).zip(self.sample.p().chunks(4 * m)) {
            let u = lanes.uniform();
            for ((to, p), u) in rows.iter_mut().zip(vectors.chunks(m)).zip(u) {
                let (mut left, mut class) = (u * p.iter().sum::<f64>(), 0);
                while class + 1 < m && left >= p[class] {
                    left -= p[class];
                    class += 1;
                }
                *to = class as u32;
            }
        }
    }
}

/// Outcomes of `draws` draws, and what was observed as one more, as bits: see [`bits_beside`].
pub(super) fn label_bits(sample: &KlceSample, seed: u64, draws: usize) -> Vec<u8> {
    bits_beside(sample, seed, draws, &[sample.observed()])
}

/// Outcomes of `draws` draws, then `others`, as bits: byte `(group · planes + plane) · width + draw`, width = draws + others,
/// says in which of eight rows the plane happened.
///
/// * `others`: the plane that happened in each row, in the sample's order
pub(super) fn bits_beside(sample: &KlceSample, seed: u64, draws: usize, others: &[&[u32]]) -> Vec<u8> {
    let (planes, width) = (sample.planes(), draws + others.len());
    let groups = 2 * sample.n().div_ceil(WIDE);
    let mut bits = vec![0_u8; groups * planes * width];
    let mut labels = Labels::new(sample);
    let mut drawn = vec![0; sample.n()];
    for draw in 0..width {
        let mut take = |group: usize, byte| bits[group * width + draw] = byte;
        if labels.bits(seed, (draw, draws), &mut take).is_some() {
            continue;
        }
        let happened = match draw.checked_sub(draws).and_then(|other| others.get(other)) {
            Some(other) => other,
            None => {
                labels.fill(seed, draw, draws, &mut drawn);
                drawn.as_slice()
            }
        };
        for (row, &plane) in happened.iter().enumerate() {
            if (plane as usize) < planes {
                let at = (row / BLOCK * planes + plane as usize) * width + draw;
                bits[at] |= 1 << (row % BLOCK);
            }
        }
    }
    bits
}

/// Residuals of draw `draw` of `draws`, row-major n × planes; draw `draws` is what was observed.
pub(super) fn residual_draw(
    sample: &KlceSample,
    observed: &[f64],
    kind: Draws,
    seed: u64,
    (draw, draws): (usize, usize),
    to: &mut [f64],
) {
    let (n, planes) = (sample.n(), sample.planes());
    if draw >= draws {
        to.copy_from_slice(observed);
        return;
    }
    let mut from: Vec<u32> = (0..n as u32).collect();
    match kind {
        Draws::Labels => {
            let mut happened = vec![0; n];
            Labels::new(sample).fill(seed, draw, draws, &mut happened);
            for (to, p) in to.iter_mut().zip(sample.p()) {
                *to = -p;
            }
            for (row, &plane) in to.chunks_exact_mut(planes).zip(&happened) {
                if let Some(e) = row.get_mut(plane as usize) {
                    *e += 1.0;
                }
            }
            return;
        }
        Draws::Permuted => {
            let mut below = Below::new(seed, kind.stream(draw));
            for i in (1..n).rev() {
                from.swap(i, below.draw(i as u32 + 1) as usize);
            }
        }
        Draws::Repeated => {
            let mut below = Below::new(seed, kind.stream(draw));
            from.fill_with(|| below.draw(n as u32));
        }
    }
    for (row, &from) in to.chunks_exact_mut(planes).zip(&from) {
        let from = from as usize * planes;
        row.copy_from_slice(&observed[from..from + planes]);
    }
}

/// Whole numbers below a bound, by multiplication; what is uneven is below bound / 2³².
struct Below {
    lanes: Lanes,
    waiting: [u32; crate::num::rng::LANES],
    next: usize,
}

impl Below {
    fn new(seed: u64, stream: u64) -> Self {
        Self { lanes: Lanes::seeded(seed, stream), waiting: [0; crate::num::rng::LANES], next: crate::num::rng::LANES }
    }

    #[inline(always)]
    fn draw(&mut self, bound: u32) -> u32 {
        if self.next == self.waiting.len() {
            self.waiting = self.lanes.next();
            self.next = 0;
        }
        let u = self.waiting[self.next];
        self.next += 1;
        ((u64::from(u) * u64::from(bound)) >> 32) as u32
    }
}
