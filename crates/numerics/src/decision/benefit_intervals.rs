//! Decision curves with intervals: net benefit, and how much more it is than acting on everybody or by other scores.
//!
//! Rows are drawn again as Poisson bootstrap: a row comes so many times as a Poisson number of mean 1 says. Rows that are acted
//! on at the same thresholds with the same outcome are a cell, whose size then is a Poisson number of its mean, exactly; a draw
//! costs as much as there are cells, whatever the number of rows. Rows that belong together come equally often, one Poisson
//! number a cluster.
//!
//! A difference between two ways to act is one of the rows that they treat differently, of which few may have the event, or
//! none: resamples then hold hardly another number of events than the file. Its variance is at least that which the scores
//! of these rows promise.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::num::check_lengths;
use crate::num::cluster::{RowClusters, correlated_variance};
use crate::num::outcome_correlation::outcome_correlation;
use crate::num::proportion::too_few_to_resample;
use crate::num::quantile::quantile_sorted;
use crate::num::rng::Lanes;
use crate::num::special::{NORMAL_975, wald_p};
use crate::num::ties::at_or_above;

/// Bootstrap draws.
pub const DRAWS: usize = 500;

/// A quantity with its 95 % bootstrap interval (percentiles); a difference with one that is at least as wide as a normal one
/// of the variance that the scores promise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BootstrapEstimate {
    /// on the rows as they are
    pub value: f64,
    /// 2.5 % and 97.5 % quantile of the draws; none where rows are [`too_few_to_resample`]
    pub interval: Option<[f64; 2]>,
    /// standard deviation of the draws, of a difference at least that which the scores promise
    pub sd: f64,
    /// two-sided p-value of the normal distribution with this standard deviation, at least twice the smaller share of draws
    /// beyond 0, so that no interval that holds 0 goes with a small p
    pub p: f64,
}

impl BootstrapEstimate {
    /// Value and ends, as responses list them.
    pub fn numbers(&self) -> [Option<f64>; 3] {
        [Some(self.value), self.interval.map(|[low, _]| low), self.interval.map(|[_, high]| high)]
    }

    /// The same behind its threshold.
    pub fn at(&self, threshold: f64) -> [Option<f64>; 4] {
        let [value, low, high] = self.numbers();
        [Some(threshold), value, low, high]
    }
}

/// Net benefits at one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BenefitAt {
    /// t: act on whoever has a probability of at least t
    pub threshold: f64,
    /// TP/n − FP/n · t/(1 − t)
    pub model: BootstrapEstimate,
    /// that less the net benefit of acting on everybody
    pub over_all: BootstrapEstimate,
    /// that less the net benefit of the other scores
    pub over_base: BootstrapEstimate,
}

/// Net benefit of `p` at every threshold, and its differences to acting on everybody and to `base` on the same rows.
///
/// * `p`, `base`: probabilities, n; `y`: 1 where it happened, n; `thresholds`: in [0, 1), ascending
/// * `clusters`: rows that belong together are drawn again together
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// O(n log T) and [`DRAWS`] times (cells + T); (n + T) with clusters.
///
/// # Source
/// Vickers and Elkin (2006); intervals: Vickers, Cronin, Elkin and Gonen (2008), by bootstrap.
pub fn net_benefit_intervals(
    p: &[f64],
    base: &[f64],
    y: &[u8],
    thresholds: &[f64],
    clusters: Option<RowClusters>,
    seed: u64,
) -> Result<Vec<BenefitAt>> {
    check_lengths(p.len(), y.len())?;
    check_lengths(p.len(), base.len())?;
    let events = y.iter().filter(|&&y| y == 1).count();
    let too_few = too_few_to_resample((y.len(), events));
    let reached = |p: f64| thresholds.partition_point(|t| at_or_above(p, *t));
    let mut cells: BTreeMap<(usize, usize, u8), u64> = BTreeMap::new();
    for ((&p, &base), &y) in p.iter().zip(base).zip(y) {
        *cells.entry((reached(p), reached(base), y)).or_default() += 1;
    }
    let counts: Vec<f64> = cells.values().map(|&count| count as f64).collect();
    let places: Vec<(usize, usize, u8)> = cells.keys().copied().collect();
    // With clusters: cell of each row.
    let cell_of: Vec<u32> = clusters.map_or_else(Vec::new, |_| {
        let rows = p.iter().zip(base).zip(y);
        let key = |((&p, &base), &y): ((&f64, &f64), &u8)| (reached(p), reached(base), y);
        rows.map(|row| places.binary_search(&key(row)).map_or(u32::MAX, |place| place as u32)).collect()
    });
    let here = differences(&places, &counts, thresholds);
    let promised = promised(p, base, y, thresholds, clusters);
    let tables: BTreeMap<u64, Poisson> = cells.values().map(|&count| (count, Poisson::new(count as f64))).collect();
    let mut lanes = Lanes::seeded(seed, 0x6e62);
    let mut left: Vec<f64> = Vec::new();
    let mut draws: Vec<Vec<[f64; 3]>> = Vec::with_capacity(DRAWS);
    let mut drawn = vec![0.0; counts.len()];
    for _ in 0..DRAWS {
        match clusters {
            Some(clusters) => draw_clusters(&cell_of, clusters, &mut lanes, &mut drawn),
            None => draw_cells(cells.values().filter_map(|count| tables.get(count)), &mut lanes, &mut left, &mut drawn),
        }
        draws.push(differences(&places, &drawn, thresholds));
    }
    let estimate = |k: usize, of: usize| {
        let mut values: Vec<f64> = draws.iter().map(|draw| draw[k][of]).filter(|v| v.is_finite()).collect();
        values.sort_unstable_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let square: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let value = here[k][of];
        let at = |q| quantile_sorted(&values, q).unwrap_or(value);
        let of_draws = (square / (values.len().max(2) - 1) as f64).sqrt();
        let sd = of_draws.max(if of == 0 { 0.0 } else { promised[k][of - 1] });
        let ends = match sd > of_draws {
            true => [at(0.025).min(value - NORMAL_975 * sd), at(0.975).max(value + NORMAL_975 * sd)],
            false => [at(0.025), at(0.975)],
        };
        let share = |beyond: &dyn Fn(f64) -> bool| {
            values.iter().filter(|value| beyond(**value)).count() as f64 / values.len().max(1) as f64
        };
        let tail = 2.0 * share(&|v| v <= 0.0).min(share(&|v| v >= 0.0));
        BootstrapEstimate { value, interval: (!too_few).then_some(ends), sd, p: wald_p(value, sd).max(tail).min(1.0) }
    };
    let each = thresholds.iter().enumerate();
    Ok(each
        .map(|(k, &threshold)| BenefitAt {
            threshold,
            model: estimate(k, 0),
            over_all: estimate(k, 1),
            over_base: estimate(k, 2),
        })
        .collect())
}

/// Rows of each cell in a draw of clusters: all rows of a cluster a Poisson number of times with mean 1. O(n).
///
/// * `cell_of`: cell of each row
fn draw_clusters(cell_of: &[u32], clusters: RowClusters, lanes: &mut Lanes, drawn: &mut [f64]) {
    let mut times = vec![0u8; clusters.count];
    lanes.fill_poisson(&mut times);
    drawn.fill(0.0);
    for (&cell, &c) in cell_of.iter().zip(clusters.of) {
        if let (Some(drawn), Some(&times)) = (drawn.get_mut(cell as usize), times.get(c as usize)) {
            *drawn += f64::from(times);
        }
    }
}

/// Rows of each cell in a draw of independent rows: a Poisson number whose mean is the number of rows of the cell.
/// O(cells).
///
/// * `tables`: of each cell; `left`: uniform numbers that earlier draws did not use
fn draw_cells<'a>(
    tables: impl Iterator<Item = &'a Poisson>,
    lanes: &mut Lanes,
    left: &mut Vec<f64>,
    drawn: &mut [f64],
) {
    for (drawn, table) in drawn.iter_mut().zip(tables) {
        if left.is_empty() {
            left.extend(lanes.uniform());
        }
        *drawn = table.at(left.pop().unwrap_or_default());
    }
}

/// At each threshold the standard deviations that the scores promise of the differences to acting on all and to the base: that
/// of Σ (1 + t/(1 − t)) yᵢ / n over the rows that are treated differently, yᵢ ~ Bernoulli(sᵢ), with the correlation within
/// clusters that outcomes have beyond the scores. Of the base and the other scores the one whose variance is larger.
/// O(n T).
fn promised(p: &[f64], base: &[f64], y: &[u8], thresholds: &[f64], clusters: Option<RowClusters>) -> Vec<[f64; 2]> {
    let correlation = clusters.map_or(0.0, |RowClusters { of, count }| outcome_correlation(p, y, of, count));
    let of = |threshold: &f64| {
        let acts = |s: f64| at_or_above(s, *threshold);
        let scale = 1.0 / ((1.0 - threshold) * p.len() as f64);
        let spread = |s: f64| (s * (1.0 - s)).max(0.0).sqrt();
        let less_than_all = p.iter().map(|&s| if acts(s) { 0.0 } else { scale * spread(s) });
        let other_than_base = p.iter().zip(base).map(|(&s, &b)| match acts(s) == acts(b) {
            true => 0.0,
            false => scale * spread(s).max(spread(b)) * if acts(s) { 1.0 } else { -1.0 },
        });
        let sd = |terms: &mut dyn Iterator<Item = f64>| {
            let terms: Vec<f64> = terms.collect();
            match clusters {
                Some(clusters) => correlated_variance(terms.iter().copied(), clusters, correlation),
                None => terms.iter().map(|e| e * e).sum(),
            }
            .sqrt()
        };
        [sd(&mut { less_than_all }), sd(&mut { other_than_base })]
    };
    thresholds.iter().map(of).collect()
}

/// At each threshold: net benefit, that less acting on all, that less the base; of cells with these sizes.
fn differences(places: &[(usize, usize, u8)], sizes: &[f64], thresholds: &[f64]) -> Vec<[f64; 3]> {
    // worth of those who reach exactly so many thresholds: events and others, of the scores and of the base
    let mut reach = vec![[0.0; 4]; thresholds.len() + 1];
    for (&(mine, base, y), &size) in places.iter().zip(sizes) {
        reach[mine][usize::from(y == 0)] += size;
        reach[base][2 + usize::from(y == 0)] += size;
    }
    let total = reach.iter().fold([0.0; 2], |sum, each| [sum[0] + each[0], sum[1] + each[1]]);
    let n = total[0] + total[1];
    let mut above = [0.0; 4];
    let mut found = vec![[0.0; 3]; thresholds.len()];
    for (k, &threshold) in thresholds.iter().enumerate().rev() {
        for (sum, more) in above.iter_mut().zip(reach[k + 1]) {
            *sum += more;
        }
        let odds = threshold / (1.0 - threshold);
        let [mine, base] = [(above[0] - above[1] * odds) / n, (above[2] - above[3] * odds) / n];
        let all = (total[0] - total[1] * odds) / n;
        found[k] = [mine, mine - all, mine - base];
    }
    found
}

/// Poisson numbers by inversion, within nine standard deviations of their mean.
struct Poisson {
    first: f64,
    cumulative: Vec<f64>,
}

impl Poisson {
    fn new(mean: f64) -> Self {
        let first = (mean - 9.0 * mean.sqrt() - 3.0).floor().max(0.0);
        let last = (mean + 9.0 * mean.sqrt() + 15.0).ceil();
        let top = (mean - first).floor();
        let mut mass = vec![0.0; (last - first) as usize + 1];
        // From the mode outwards, so that nothing underflows.
        mass[top as usize] = 1.0;
        for k in top as usize + 1..mass.len() {
            mass[k] = mass[k - 1] * mean / (first + k as f64);
        }
        for k in (0..top as usize).rev() {
            mass[k] = mass[k + 1] * (first + k as f64 + 1.0) / mean;
        }
        let total: f64 = mass.iter().sum();
        let mut sum = 0.0;
        let cumulative = mass.iter().map(|m| {
            sum += m / total;
            sum
        });
        Self { first, cumulative: cumulative.collect() }
    }

    fn at(&self, u: f64) -> f64 {
        let place = self.cumulative.partition_point(|c| *c <= u).min(self.cumulative.len() - 1);
        self.first + place as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::net_benefit::net_benefit;

    #[test]
    fn values_are_net_benefits_and_intervals_as_wide_as_theory_has_them() {
        let mut lanes = Lanes::seeded(8, 0);
        let (mut p, mut base, mut y) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..4_000 {
            let [u, v, w, _] = lanes.uniform();
            p.push(u * u);
            base.push((u * u + 0.2 * w).min(1.0));
            y.push(u8::from(v < u * u));
        }
        let thresholds = [0.05, 0.2, 0.5];
        let found = net_benefit_intervals(&p, &base, &y, &thresholds, None, 1).expect("found");
        let plain = net_benefit(&p, &y, &thresholds).expect("found");
        let other = net_benefit(&base, &y, &thresholds).expect("found");
        for ((at, plain), other) in found.iter().zip(&plain).zip(&other) {
            assert!((at.model.value - plain.model).abs() < 1e-12);
            assert!((at.over_all.value - (plain.model - plain.all)).abs() < 1e-12);
            assert!((at.over_base.value - (plain.model - other.model)).abs() < 1e-12);
            // Net benefit is a mean over the rows, so its standard error is sd/√n.
            let odds = at.threshold / (1.0 - at.threshold);
            let worth = |p: f64, y: u8| if p >= at.threshold { if y == 1 { 1.0 } else { -odds } } else { 0.0 };
            let rows: Vec<f64> = p.iter().zip(&y).map(|(p, y)| worth(*p, *y)).collect();
            let n = rows.len() as f64;
            let mean = rows.iter().sum::<f64>() / n;
            let se = (rows.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n / n).sqrt();
            assert!((at.model.sd / se - 1.0).abs() < 0.12, "{} {se}", at.model.sd);
            let [low, high] = at.model.interval.expect("both outcomes");
            assert!(low < at.model.value && at.model.value < high);
        }
        let same = net_benefit_intervals(&p, &p, &y, &thresholds, None, 1).expect("found");
        assert!(same.iter().all(|at| at.over_base.sd == 0.0 && at.over_base.value == 0.0));
    }

    /// Rows below the threshold happen as often as it says, so that acting on all is as good: of files without a single event
    /// there, resamples know no other.
    #[test]
    fn few_events_among_the_rows_that_differ_do_not_make_a_difference_certain() {
        let mut better = 0;
        for seed in 0..200 {
            let mut lanes = Lanes::seeded(seed, 11);
            let uniforms: Vec<f64> = std::iter::repeat_with(|| lanes.uniform()).flatten().take(500).collect();
            let p: Vec<f64> = (0..500).map(|row| if row < 30 { 0.0499 } else { 0.3 }).collect();
            let y: Vec<u8> = uniforms.iter().zip(&p).map(|(u, p)| u8::from(u < p)).collect();
            let found = net_benefit_intervals(&p, &p, &y, &[0.05], None, seed).expect("found");
            let [low, _] = found[0].over_all.interval.expect("many events");
            better += usize::from(low > 0.0);
            assert!(found[0].over_all.p > 0.05 || low > 0.0 || found[0].over_all.value < 0.0);
        }
        // of one side at most 2.5%
        assert!(better <= 8, "{better} of 200");
    }

    /// Of 9 events every resample holds some of the same few; of none, none.
    #[test]
    fn few_rows_of_an_outcome_have_no_intervals() {
        let p: Vec<f64> = (0..200).map(|row| f64::from(row) / 200.0).collect();
        for (events, known) in [(0, false), (9, false), (10, true), (190, true), (191, false), (200, false)] {
            let y: Vec<u8> = (0..200).map(|row| u8::from(row < events)).collect();
            for at in net_benefit_intervals(&p, &p, &y, &[0.1, 0.5], None, 1).expect("found") {
                assert_eq!((at.model.interval.is_some(), at.over_all.interval.is_some()), (known, known), "{events}");
                assert_eq!(at.model.numbers()[1].is_some(), known);
            }
        }
    }
}
