//! Calibration error over equal-mass bins with the upward bias of its plug-in estimate taken off.

use std::rc::Rc;

use super::binning::Closed;
use super::entry::{Cost, Discloses, Interval, Metric, Range, Replicates, ValueOf};
use super::rows::Pair;

use crate::error::{Error, Result};
use crate::num::special::normal_tail;
use crate::num::{check_lengths, order, ties};

/// Whether a score with few distinct values gets one bin a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DiscreteBins {
    /// equal mass always
    #[default]
    Never,
    /// one bin a value when there are fewer than n/4 of them
    Auto,
}

/// Plug-in and debiased calibration error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DebiasedEce {
    /// 2·plug-in − its expectation over redrawn bin means; `None` when a bin has one row
    pub l1: Option<f64>,
    /// √max(l2_squared, 0)
    pub l2: f64,
    /// Σ (n_b/n)[gap² − t̄(1 − t̄)/(n_b − 1)]; may be negative
    pub l2_squared: f64,
    /// Σ (n_b/n)|gap|
    pub plug_in_l1: f64,
    /// √Σ (n_b/n)gap²
    pub plug_in_l2: f64,
    /// non-empty bins
    pub bins: usize,
}

/// Debiased calibration error over `count` equal-mass bins, right-closed, edges halfway between neighbors.
///
/// The L1 form takes off E|N(t̄, t̄(1 − t̄)/n_b) − s̄| − |gap| in closed form, where the authors draw from that
/// distribution. Source: Kumar, Liang and Ma (2019), sections 5 and E.
///
/// # Errors
/// `empty`, `length_mismatch`, `invalid_option` for no bins. One sort.
pub fn debiased_ece(s: &[f64], t: &[u8], count: usize, discrete: DiscreteBins) -> Result<DebiasedEce> {
    check_lengths(s.len(), t.len())?;
    if count == 0 {
        return Err(Error::new("invalid_option", "0 bins; at least 1 is needed", "Use 15 bins."));
    }
    let order = order::ascending(s);
    let uppers = upper_edges(s, &order, count, discrete);
    let mut bins: Vec<(f64, f64, f64)> = Vec::new();
    let mut edge = 0;
    let mut open = false;
    for &i in &order {
        let (score, target) = (s[i as usize], f64::from(t[i as usize]));
        while edge + 1 < uppers.len() && ties::above(score, uppers[edge]) {
            edge += 1;
            open = false;
        }
        if !open {
            bins.push((0.0, 0.0, 0.0));
            open = true;
        }
        if let Some(bin) = bins.last_mut() {
            *bin = (bin.0 + 1.0, bin.1 + score, bin.2 + target);
        }
    }
    let n = s.len() as f64;
    let (mut l1, mut redrawn, mut plug_in, mut debiased, mut single) = (0.0, 0.0, 0.0, 0.0, false);
    for (rows, score, target) in &bins {
        let (weight, score, target) = (rows / n, score / rows, target / rows);
        let gap = score - target;
        let variance = target * (1.0 - target);
        l1 += weight * gap.abs();
        plug_in += weight * gap * gap;
        redrawn += weight * folded_normal_mean(gap, (variance / rows).sqrt());
        if *rows < 2.0 {
            single = true;
        } else {
            debiased += weight * (gap * gap - variance / (rows - 1.0));
        }
    }
    Ok(DebiasedEce {
        l1: (!single).then_some(2.0 * l1 - redrawn),
        l2: debiased.max(0.0).sqrt(),
        l2_squared: debiased,
        plug_in_l1: l1,
        plug_in_l2: plug_in.sqrt(),
        bins: bins.len(),
    })
}

/// E|X| of X ~ N(mean, sd²).
fn folded_normal_mean(mean: f64, sd: f64) -> f64 {
    if sd == 0.0 {
        return mean.abs();
    }
    let z = mean.abs() / sd;
    let tail = normal_tail(z);
    sd * (2.0 / std::f64::consts::PI).sqrt() * (-0.5 * z * z).exp() + mean.abs() * (1.0 - 2.0 * tail)
}

/// Upper edges, ascending and distinct; the last is 1.
fn upper_edges(s: &[f64], order: &[u32], count: usize, discrete: DiscreteBins) -> Vec<f64> {
    let at = |rank: usize| s[order[rank] as usize];
    let n = order.len();
    let mut edges = Vec::new();
    let starts: Vec<usize> = ties::tie_blocks(s, order).map(|b| b.start).collect();
    if discrete == DiscreteBins::Auto && starts.len() * 4 < n {
        edges.extend(starts.iter().skip(1).map(|&start| Closed::Right.between(at(start - 1), at(start))));
    } else {
        let count = count.min(n);
        let (size, larger) = (n / count, n % count);
        for b in 1..count {
            let start = b * size + b.min(larger);
            edges.push(Closed::Right.between(at(start - 1), at(start)));
        }
    }
    edges.push(1.0);
    edges.dedup();
    edges
}

/// Debiased ECE (L1): how far off, less what chance adds.
pub static DEBIASED_ECE_L1: Metric = Metric {
    id: "debiased_ece_l1",
    name: "Debiased ECE (L1)",
    plain: "ECE corrected for its upward bias",
    definition: "ECE over 15 bins of equal mass, minus its expected excess.",
    formula: "2 Σ_b (n_b/n) |gap_b| − Σ_b (n_b/n) E|gap_b + N(0, t̄_b(1 − t̄_b)/n_b)|",
    source: "Kumar, Liang and Ma 2019",
    range: Range::Any,
    value: ValueOf::Pair(|pair| Ok(debiased_of(pair)?.l1)),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Centred,
    zero_if_calibrated: true,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};

/// Debiased ECE (L2): squared gaps, less what chance adds.
pub static DEBIASED_ECE_L2: Metric = Metric {
    id: "debiased_ece_l2",
    name: "Debiased ECE (L2)",
    plain: "root mean squared gap corrected for its upward bias",
    definition: "√ of the debiased mean squared gap over 15 bins of equal mass; 0 where that is negative.",
    formula: "√max(0, Σ_b (n_b/n) [gap_b² − t̄_b(1 − t̄_b)/(n_b − 1)])",
    source: "Kumar, Liang and Ma 2019",
    value: ValueOf::Pair(|pair| Ok(Some(debiased_of(pair)?.l2))),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Centred,
    zero_if_calibrated: true,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};

/// Bins of equal mass.
const MASS_BINS: usize = 15;

fn debiased_of(pair: &Pair) -> Result<Rc<DebiasedEce>> {
    pair.shared(|| debiased_ece(pair.score, pair.target, MASS_BINS, DiscreteBins::default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, close, f8_top, near};
    use crate::num::rng::Lanes;

    #[test]
    fn worked_values() {
        let (s, t) = f8_top();
        let e = debiased_ece(&s, &t, 4, DiscreteBins::Never).expect("valid");
        close(Some(e.l2_squared), -0.013_125);
        assert_eq!((e.l2, e.bins), (0.0, 4));
        near(Some(e.plug_in_l2), 0.334_477_20, 5e-9);
        let (s, t) = b12();
        let e = debiased_ece(&s, &t, 3, DiscreteBins::Never).expect("valid");
        near(Some(e.l2_squared), -0.066_527_78, 5e-9);
        near(Some(e.plug_in_l2 * e.plug_in_l2), 0.002_916_67, 5e-9);
        close(Some(e.plug_in_l1), 0.05);
    }

    #[test]
    fn the_expectation_is_what_drawing_gives() {
        let mut lanes = Lanes::seeded(5, 0);
        let draws: Vec<f64> = (0..100_000).flat_map(|_| lanes.normal()).collect();
        for (mean, sd) in [(0.1, 0.2), (0.0, 1.0), (-0.3, 0.1)] {
            let drawn = draws.iter().map(|z| (mean + sd * z).abs()).sum::<f64>() / draws.len() as f64;
            assert!((folded_normal_mean(mean, sd) - drawn).abs() < 0.005 * sd.max(0.5));
        }
        assert_eq!(folded_normal_mean(-0.2, 0.0), 0.2);
    }

    #[test]
    fn single_rows_and_few_values() {
        let (s, t) = f8_top();
        assert_eq!(debiased_ece(&s, &t, 15, DiscreteBins::Never).expect("valid").l1, None);
        let s = [[0.2; 6], [0.7; 6]].concat();
        let t = [1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0];
        let e = debiased_ece(&s, &t, 5, DiscreteBins::Auto).expect("valid");
        assert_eq!(e.bins, 2);
        assert!(e.l1.is_some());
    }
}
