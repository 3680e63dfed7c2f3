//! Several observed shares read at once: bins of a diagram, groups of a plot. What is outside is said of a band that holds
//! all of them together in 19 of 20 files of a calibrated model.

use super::binning::Binning;
use crate::num::cluster::ClusteredDraws;
use crate::num::large_counts::Binomial;
use crate::num::outcome_correlation::Dependence;
use crate::num::rng::{Draws, Lanes, bernoulli_threshold};
use crate::num::weight::{RowWeights, weight};

/// Random streams of these redraws.
const STREAM: u64 = 0x5349_4d55 << 8;
/// Rows times redraws, about.
const MOST_WORK: usize = 20_000_000;
/// Redraws: at most and at least.
const MOST_REDRAWS: usize = 999;
const LEAST_REDRAWS: usize = 199;
/// Level of every band.
const LEVEL: f64 = 0.95;

/// Redraws of the outcomes of so many rows: 999, fewer for many rows, at least 199.
pub fn redraws(rows: usize) -> usize {
    (MOST_WORK / rows.max(1)).clamp(LEAST_REDRAWS, MOST_REDRAWS)
}

/// Outcomes as a calibrated model with these scores would show them. Every band over several shares takes its outcomes from
/// here, so that what is known of the dependence of rows has one place.
pub struct Redraw<'a> {
    thresholds: Vec<i32>,
    target: Vec<u8>,
    clustered: Option<ClusteredDraws<'a>>,
}

impl<'a> Redraw<'a> {
    /// * `s`: scores in [0, 1], n; `dependence`: of the same rows
    pub fn new(s: &[f64], dependence: Option<Dependence<'a>>) -> Self {
        Self {
            thresholds: s.iter().map(|&s| bernoulli_threshold(s)).collect(),
            target: vec![0; s.len()],
            clustered: dependence.map(|Dependence { clusters, correlation }| {
                ClusteredDraws::new(correlation, s, clusters.of, clusters.count)
            }),
        }
    }

    /// Outcomes 0 or 1 of redraw `draw`, each with the probability that its score says: independent, or as dependent within
    /// clusters as it was said. The same number gives scores of the same rows the same random numbers. O(n).
    pub fn outcomes(&mut self, draw: usize) -> &[u8] {
        let mut lanes = Lanes::seeded(0, STREAM + draw as u64);
        match &self.clustered {
            Some(clustered) => clustered.fill(&mut lanes, &self.thresholds, &mut self.target),
            None => lanes.fill_bernoulli(&self.thresholds, &mut self.target),
        }
        &self.target
    }
}

/// Which rows count in which of several shares.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// rows, those of one cell or one tie next to each other
    order: Vec<u32>,
    /// first and last place in `order`, the cell, and which part of each row counts there
    parts: Vec<(usize, usize, usize, f64)>,
    count: usize,
}

impl Cells {
    /// By cell of each row, 0 … `count` − 1; rows of any other code belong to none. O(n).
    pub fn of_codes(code: &[u32], count: usize) -> Self {
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (row, &code) in (0u32..).zip(code) {
            if let Some(rows) = rows.get_mut(code as usize) {
                rows.push(row);
            }
        }
        let (mut order, mut parts) = (Vec::with_capacity(code.len()), Vec::with_capacity(count));
        for (cell, rows) in rows.into_iter().enumerate() {
            let first = order.len();
            order.extend(rows);
            parts.push((first, order.len(), cell, 1.0));
        }
        Self { order, parts, count }
    }

    /// Bins of a score; rows of one score that equal mass by rank puts into several bins count in each by their share. O(n).
    pub fn of_bins(binning: &Binning) -> Self {
        let count = binning.count();
        let Some(ranked) = &binning.ranked else {
            return Self::of_codes(&binning.assignment, count);
        };
        let mut parts = Vec::new();
        for block in ranked.blocks() {
            let rows = block.len().max(1) as f64;
            for (bin, shared) in ranked.bins_of(&block) {
                parts.push((block.start, block.end, bin, shared as f64 / rows));
            }
        }
        Self { order: ranked.order.clone(), parts, count }
    }

    /// Σ over the rows of each cell, every row with its part.
    fn sums(&self, of: impl Fn(usize) -> f64) -> Vec<f64> {
        self.summed(|share| share, of)
    }

    /// Σ over the clusters of each cell of the squared sum of the values of their rows there, every row with its part.
    fn between(&self, dependence: Dependence, of: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut all: Vec<(usize, u32, f64)> = Vec::with_capacity(self.order.len());
        for &(first, end, cell, share) in &self.parts {
            let rows = self.order.get(first..end).unwrap_or(&[]);
            let cluster = |row: &u32| dependence.clusters.of.get(*row as usize).copied();
            all.extend(rows.iter().filter_map(|row| Some((cell, cluster(row)?, share * of(*row as usize)))));
        }
        all.sort_by_key(|(cell, cluster, _)| (*cell, *cluster));
        let mut sums = vec![0.0; self.count];
        for together in all.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let sum: f64 = together.iter().map(|(.., value)| value).sum();
            if let Some(total) = together.first().and_then(|(cell, ..)| sums.get_mut(*cell)) {
                *total += sum * sum;
            }
        }
        sums
    }

    fn summed(&self, part: impl Fn(f64) -> f64, of: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        for &(first, end, cell, share) in &self.parts {
            let rows = self.order.get(first..end).unwrap_or(&[]);
            let sum: f64 = rows.iter().map(|&row| of(row as usize)).sum();
            if let Some(total) = sums.get_mut(cell) {
                *total += part(share) * sum;
            }
        }
        sums
    }
}

/// Shares of several cells under a calibrated model.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// standard error of the share of each cell, √(Σ w² s(1 − s)) / Σ w, larger where rows are dependent; 0 where it cannot
    /// vary or has no rows
    pub error: Vec<f64>,
    /// by cell, factor by which dependence increases the variance of its share; 1 of independent rows
    pub design_effect: Vec<f64>,
    /// of every redraw the largest |share − mean score| over all cells, in standard errors
    largest: Vec<f64>,
}

impl Expected {
    /// The same of rows each of which stands for a whole number of rows, `counts`: their outcomes are binomial.
    ///
    /// # Cost
    /// O(n · redraws).
    pub fn of_counts(s: &[f64], counts: &[f64], cells: &Cells, redraws: usize) -> Self {
        let count = |i: usize| counts.get(i).copied().unwrap_or(0.0);
        let mass = cells.sums(count);
        let spread = cells.summed(|share| share * share, |i| count(i) * s[i] * (1.0 - s[i]));
        let expected = cells.sums(|i| count(i) * s[i]);
        let of_rows: Vec<Binomial> = s.iter().enumerate().map(|(i, &s)| Binomial::of(count(i), s)).collect();
        let largest = (0..redraws).map(|draw| {
            let mut draws = Draws::seeded(0, STREAM + draw as u64);
            let events: Vec<f64> = of_rows.iter().map(|of_row| of_row.draw(&mut draws)).collect();
            Self::farthest(&cells.sums(|i| events[i]), &expected, &spread)
        });
        Self::of_spread(largest.collect(), &spread, &mass)
    }

    /// The largest standardized deviation.
    fn farthest(observed: &[f64], expected: &[f64], spread: &[f64]) -> f64 {
        let each = observed.iter().zip(expected).zip(spread);
        each.filter(|(_, spread)| **spread > 0.0)
            .map(|((observed, expected), spread)| (observed - expected).abs() / spread.sqrt())
            .fold(0.0, f64::max)
    }

    fn of_spread(largest: Vec<f64>, spread: &[f64], mass: &[f64]) -> Self {
        let error = spread.iter().zip(mass).map(|(spread, mass)| if *mass > 0.0 { spread.sqrt() / mass } else { 0.0 });
        Self { error: error.collect(), design_effect: vec![1.0; mass.len()], largest }
    }

    /// * `s`: scores, n; `w`: weights; `dependence` and `cells`: of the same rows
    ///
    /// # Cost
    /// O(n · redraws), with clusters also O(n log n).
    pub fn new(s: &[f64], w: RowWeights, dependence: Option<Dependence>, cells: &Cells, redraws: usize) -> Self {
        let mass = cells.sums(|i| weight(w, i));
        let independent = cells.summed(|share| share * share, |i| weight(w, i).powi(2) * s[i] * (1.0 - s[i]));
        let spread = match dependence {
            Some(dependence) => {
                let between = cells.between(dependence, |i| weight(w, i) * (s[i] * (1.0 - s[i])).sqrt());
                let each = independent.iter().zip(&between);
                each.map(|(own, between)| own + dependence.correlation * (between - own)).collect()
            }
            None => independent.clone(),
        };
        let expected = cells.sums(|i| weight(w, i) * s[i]);
        let mut redraw = Redraw::new(s, dependence);
        let largest = (0..redraws).map(|draw| {
            let target = redraw.outcomes(draw);
            let observed = match w {
                None => cells.sums(|i| f64::from(target[i])),
                Some(w) => cells.sums(|i| w[i] * f64::from(target[i])),
            };
            Self::farthest(&observed, &expected, &spread)
        });
        let effect = spread.iter().zip(&independent).map(|(spread, own)| if *own > 0.0 { spread / own } else { 1.0 });
        Self { design_effect: effect.collect(), ..Self::of_spread(largest.collect(), &spread, &mass) }
    }
}

/// So many standard errors on either side of the mean scores hold the shares of all cells of all parts in 19 of 20 files of
/// a calibrated model: the ⌈0.95 (B + 1)⌉-th smallest of B redraws of the largest standardized deviation. Redraws of the
/// same number go together.
///
/// # Source
/// Westfall and Young (1993), single-step max-T, for the reliability diagram as in Bröcker and Smith (2007).
pub fn critical<'a>(parts: impl IntoIterator<Item = &'a Expected>) -> f64 {
    let mut all: Vec<f64> = Vec::new();
    for part in parts {
        all.resize(all.len().max(part.largest.len()), 0.0);
        for (most, own) in all.iter_mut().zip(&part.largest) {
            *most = most.max(*own);
        }
    }
    all.sort_unstable_by(f64::total_cmp);
    let place = (LEVEL * (all.len() + 1) as f64 - 1e-9).ceil() as usize;
    all.get(place.saturating_sub(1)).or(all.last()).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::metric::binning::{BinOptions, BinScheme};
    use crate::metric::reliability::reliability_bins;
    use crate::num::cluster::RowClusters;

    fn uniforms(n: usize, seed: u64) -> Vec<f64> {
        let mut lanes = Lanes::seeded(seed, 9);
        std::iter::repeat_with(|| lanes.uniform()).flatten().take(n).collect()
    }

    #[test]
    fn one_cell_of_many_rows_needs_a_normal_quantile() {
        let s = vec![0.3; 2_000];
        let found = Expected::new(&s, None, None, &Cells::of_codes(&vec![0; 2_000], 1), 999);
        assert!((found.error[0] - (0.21_f64 / 2_000.0).sqrt()).abs() < 1e-12);
        let one = critical([&found]);
        assert!((one - 1.96).abs() < 0.15, "{one}");
        // Šidák for ten independent cells: Φ⁻¹(1 − (1 − 0.95^0.1) / 2) = 2.80
        let codes: Vec<u32> = (0..2_000).map(|i| i % 10).collect();
        let ten = critical([&Expected::new(&s, None, None, &Cells::of_codes(&codes, 10), 999)]);
        assert!((ten - 2.80).abs() < 0.15, "{ten}");
        // the same part twice is no further reading
        let again = critical([&found, &found]);
        assert_eq!(one, again);
    }

    #[test]
    fn clusters_widen_the_band_by_their_design_effect() {
        // 400 clusters of 5 rows of one score in one cell: 1 + (5 − 1) ρ
        let s = vec![0.3; 2_000];
        let of: Vec<u32> = (0..2_000).map(|i| i / 5).collect();
        let dependence = Dependence { clusters: RowClusters { of: &of, count: 400 }, correlation: 0.5 };
        let found = Expected::new(&s, None, Some(dependence), &Cells::of_codes(&vec![0; 2_000], 1), 999);
        assert!((found.design_effect[0] - 3.0).abs() < 1e-9, "{:?}", found.design_effect);
        assert!((found.error[0] - (3.0 * 0.21_f64 / 2_000.0).sqrt()).abs() < 1e-12);
        // the redraws have that variance, too
        let one = critical([&found]);
        assert!((one - 1.96).abs() < 0.15, "{one}");
    }

    #[test]
    fn shares_of_ties_are_those_of_the_table() {
        let s: Vec<f64> = uniforms(200, 1).iter().map(|v| (v * 8.0).round() / 8.0).collect();
        let t: Vec<u8> = uniforms(200, 2).iter().zip(&s).map(|(u, s)| u8::from(u < s)).collect();
        let options = BinOptions::equal_width(7).with_scheme(BinScheme::EqualMassRank);
        let binning = options.binning(&s).unwrap();
        let cells = Cells::of_bins(&binning);
        let table = reliability_bins(&s, &t, &binning).unwrap();
        let (mass, events) = (cells.sums(|_| 1.0), cells.sums(|i| f64::from(t[i])));
        for bin in &table {
            assert!((mass[bin.bin] - bin.weight).abs() < 1e-9);
            assert!((events[bin.bin] / mass[bin.bin] - bin.mean_target).abs() < 1e-9);
        }
    }
}
