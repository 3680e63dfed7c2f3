//! Draws of the statistic through a low-rank factor: sums of Φᵀe over rows, then squares.

use super::KlceSample;
use super::draws::{Draws, label_bits};
use super::low_rank::{Factor, Line, Lines, diagonal};
use super::nearby::BLOCK;
use super::pairs::{Tile, WIDE};
use super::products::{Batch, Shuffles, multiply};
use super::subset_sums::Subsets;
use crate::kernel::Part;

/// Rows whose Φ is held at a time.
const CHUNK: usize = 1024;
/// Draws whose residuals are held at a time.
const TOGETHER: usize = 128;

/// Additive share of the rows of a part in every draw; the last draw is what was observed.
pub struct Projected {
    /// Σ_i φ_i e_i: column of Φ by plane by draw
    pub sums: Vec<f64>,
    /// Σ_i (ΦΦᵀ)_ii e_iᵀe_i, by draw
    pub own: Vec<f64>,
    /// Σ_i (1 − (ΦΦᵀ)_ii)
    pub trace: f64,
}

/// The share of the rows of `part`.
///
/// Cost: n rank²/2 for Φ, then n · rank · draws / 8 additions for labels, eight times as many products for others.
pub fn projected_draws(
    sample: &KlceSample,
    factor: &Factor,
    kind: Draws,
    seed: u64,
    draws: usize,
    part: Part,
) -> Projected {
    let (n, planes, width) = (sample.n(), sample.planes(), draws + 1);
    let rank = factor.rank().next_multiple_of(WIDE);
    let mut out = Projected { sums: vec![0.0; rank * planes * width], own: vec![0.0; width], trace: 0.0 };
    let lines = n.div_ceil(WIDE);
    let of = part.of.max(1);
    let rows = lines * part.index / of * WIDE..(lines * (part.index + 1) / of * WIDE).min(n);
    let bits = match kind {
        Draws::Labels => label_bits(sample, seed, draws),
        _ => Vec::new(),
    };
    let observed = sample.residuals();
    let held = if kind == Draws::Labels { CHUNK } else { rows.len().max(1) };
    let mut first = rows.start;
    while first < rows.end {
        let last = (first + held).min(rows.end);
        let phi = Phi::new(sample, factor, first..last);
        out.trace += phi.own.iter().take(last - first).map(|own| 1.0 - own).sum::<f64>();
        if kind == Draws::Labels {
            phi.labels(sample, &bits, width, &mut out);
        } else {
            let numbers: Vec<usize> = (0..width).collect();
            phi.all_residuals(sample, &Shuffles { observed: &observed, kind, seed, draws }, &numbers, &mut out);
        }
        first = last;
    }
    out
}

/// T of every draw from the added-up shares: Σ_c ‖Σ_i φ_i e_ic‖² − Σ_i (ΦΦᵀ)_ii e_iᵀe_i.
///
/// * `sums`: column of Φ by plane by draw; `own`: by draw
/// * returns: one number per draw, the last that of what was observed
///
/// Cost: O(rank · planes · draws).
pub fn statistics(sums: &[f64], own: &[f64]) -> Vec<f64> {
    let width = own.len();
    let mut out: Vec<f64> = own.iter().map(|own| -own).collect();
    for row in sums.chunks_exact(width.max(1)) {
        out.iter_mut().zip(row).for_each(|(t, sum)| *t += sum * sum);
    }
    out
}

/// Φ of some rows, which begin with a block of sixteen.
pub(super) struct Phi {
    first: usize,
    /// by sixteen rows, then by column of Φ
    lines: Vec<Vec<Line>>,
    /// (ΦΦᵀ)_ii
    own: Vec<f64>,
}

impl Phi {
    pub(super) fn new(sample: &KlceSample, factor: &Factor, rows: std::ops::Range<usize>) -> Self {
        let d = sample.d();
        let place = |row: usize| &sample.z()[row * d..(row + 1) * d];
        let mut phi = Self { first: rows.start, lines: Vec::new(), own: Vec::new() };
        let mut first = rows.start;
        while first < rows.end {
            let last = (first + WIDE).min(rows.end);
            let mut lines = Vec::with_capacity(factor.rank());
            factor.project_onto(&Lines::new((first..last).map(place), d), &mut lines);
            if last - first < WIDE {
                lines.iter_mut().for_each(|line| line[last - first..].fill(0.0));
            }
            phi.own.extend(diagonal(&lines));
            phi.lines.push(lines);
            first = last;
        }
        phi
    }

    /// T of the draws `numbers` of any residuals; Φ is that of all rows.
    ///
    /// Cost: n · rank · draws products.
    pub(super) fn shuffled(&self, sample: &KlceSample, shuffles: &Shuffles, numbers: &[usize]) -> Vec<f64> {
        let (planes, width) = (sample.planes(), numbers.len());
        let rank = self.rank().next_multiple_of(WIDE);
        let mut out = Projected { sums: vec![0.0; rank * planes * width], own: vec![0.0; width], trace: 0.0 };
        self.all_residuals(sample, shuffles, numbers, &mut out);
        statistics(&out.sums, &out.own)
    }

    fn rank(&self) -> usize {
        self.lines.first().map_or(0, Vec::len)
    }

    /// Eight rows (half a line) times 16 columns of Φ.
    fn tile(&self, group: usize, column: usize) -> Tile<f32> {
        let mut tile = [[0.0; WIDE]; BLOCK];
        let lines = &self.lines[group / 2];
        let half = group % 2 * BLOCK;
        for (l, line) in lines[column * WIDE..].iter().take(WIDE).enumerate() {
            for (r, to) in tile.iter_mut().enumerate() {
                to[l] = line[half + r];
            }
        }
        tile
    }

    fn labels(&self, sample: &KlceSample, bits: &[u8], width: usize, out: &mut Projected) {
        let planes = sample.planes();
        let groups = 2 * self.lines.len();
        let mut subsets = Subsets::new();
        let mut sums = vec![[0.0; WIDE]; planes * width];
        for column in 0..self.rank().div_ceil(WIDE) {
            let mut base = vec![[0.0; WIDE]; planes];
            for group in 0..groups {
                let tile = self.tile(group, column);
                let first = self.first + group * BLOCK;
                let p = sample.p().chunks_exact(planes).skip(first);
                for (phi, p) in tile.iter().zip(p) {
                    for (base, p) in base.iter_mut().zip(p) {
                        for l in 0..WIDE {
                            base[l] += f64::from(phi[l]) * p;
                        }
                    }
                }
                subsets.fill(&tile);
                for (plane, sums) in sums.chunks_exact_mut(width).enumerate() {
                    let at = (first / BLOCK * planes + plane) * width;
                    subsets.add(sums, &bits[at..at + width]);
                }
            }
            for (plane, (sums, base)) in sums.chunks_exact_mut(width).zip(&base).enumerate() {
                for (draw, line) in sums.iter_mut().enumerate() {
                    for (l, (sum, base)) in line.iter().zip(base).enumerate() {
                        let at = ((column * WIDE + l) * planes + plane) * width + draw;
                        out.sums[at] += f64::from(*sum) - base;
                    }
                    *line = [0.0; WIDE];
                }
            }
        }
        // Σ own_i (y − p)² = Σ own_i p² + Σ own_i (1 − 2p) y, eight rows at a time.
        let mut line = vec![[0.0_f32; WIDE]; width];
        let mut fixed = 0.0;
        for group in 0..groups {
            let first = self.first + group * BLOCK;
            for plane in 0..planes {
                let mut rows = [[0.0; WIDE]; BLOCK];
                let p = sample.p().chunks_exact(planes).skip(first);
                for (r, (p, own)) in p.zip(&self.own[group * BLOCK..]).take(BLOCK).enumerate() {
                    rows[r][0] = (own * (1.0 - 2.0 * p[plane])) as f32;
                    fixed += own * p[plane] * p[plane];
                }
                subsets.fill(&rows);
                let at = (first / BLOCK * planes + plane) * width;
                subsets.add(&mut line, &bits[at..at + width]);
            }
        }
        for (own, line) in out.own.iter_mut().zip(&line) {
            *own += fixed + f64::from(line[0]);
        }
    }

    /// Adds the share of these rows to the draws `numbers`.
    fn all_residuals(&self, sample: &KlceSample, shuffles: &Shuffles, numbers: &[usize], out: &mut Projected) {
        for (from, some) in (0..).step_by(TOGETHER).zip(numbers.chunks(TOGETHER)) {
            self.residuals(&Batch::new(sample, shuffles, some), from, numbers.len(), out);
        }
    }

    fn residuals(&self, batch: &Batch, from: usize, width: usize, out: &mut Projected) {
        let each = batch.planes * batch.width;
        let groups = 2 * self.lines.len();
        let mut sums = vec![[0.0_f32; WIDE]; each];
        let values = |group: usize| batch.block(self.first / BLOCK + group);
        let singles: Vec<Vec<[f32; BLOCK]>> =
            (0..groups).map(|group| values(group).iter().map(|row| row.map(|e| e as f32)).collect()).collect();
        for column in 0..self.rank().div_ceil(WIDE) {
            for (group, values) in singles.iter().enumerate() {
                multiply(&mut sums, values, &self.tile(group, column));
                if group % 128 == 127 || group + 1 == groups {
                    for (at, line) in sums.iter_mut().enumerate() {
                        let (plane, draw) = (at / batch.width, from + at % batch.width);
                        for (l, sum) in line.iter().enumerate() {
                            let at = ((column * WIDE + l) * batch.planes + plane) * width + draw;
                            out.sums[at] += f64::from(*sum);
                        }
                        *line = [0.0; WIDE];
                    }
                }
            }
        }
        for group in 0..groups {
            let own = &self.own[group * BLOCK..];
            for (at, e) in values(group).iter().enumerate() {
                let part: f64 = e.iter().zip(own).map(|(e, own)| own * e * e).sum();
                out.own[from + at % batch.width] += part;
            }
        }
    }
}
