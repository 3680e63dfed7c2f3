//! Area under the receiver operating characteristic.

use super::entry::{Better, Discloses, Interval, IntervalKind, Metric, Replicates, ValueOf, Weights};
use super::reason::Reason;
use super::rows::Ascending;
use crate::error::Result;
use crate::num::cluster::influence_variance;
use crate::num::special::NORMAL_975;
use crate::num::weight::{RowWeights, Sampling, check_weighted, weight};
use crate::num::{check_lengths, order, ties};

/// P(score of an event > score of a non-event) + ½ P(tie), in [0, 1]; `None` when only one kind of target occurs.
///
/// * `s`: scores, n, of which only the order counts; `t`: targets 0 or 1, n
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One sort.
///
/// # Source
/// Hanley and McNeil (1982), through ranks (Mann and Whitney, 1947).
///
/// ```
/// use localcal_numerics::metric::auroc;
///
/// // of the four pairs, 0.9 > 0.2, 0.9 > 0.6 and 0.4 > 0.2
/// assert_eq!(auroc(&[0.2, 0.6, 0.4, 0.9], &[0, 0, 1, 1])?, Some(0.75));
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn auroc(s: &[f64], t: &[u8]) -> Result<Option<f64>> {
    check_lengths(s.len(), t.len())?;
    Ok(auroc_ordered(s, t, &order::ascending(s)))
}

/// [`auroc`] with the ascending order of the scores at hand.
pub fn auroc_ordered(s: &[f64], t: &[u8], order: &[u32]) -> Option<f64> {
    // Doubled, all terms are whole numbers.
    let (mut below, mut doubled, mut events) = (0_u64, 0_u128, 0_u64);
    for block in ties::tie_blocks(s, order) {
        let rows = block.len() as u64;
        let ones: u64 = order[block].iter().map(|&i| u64::from(t[i as usize])).sum();
        doubled += u128::from(ones) * u128::from(2 * below + rows - ones);
        below += rows - ones;
        events += ones;
    }
    (below > 0 && events > 0).then(|| doubled as f64 / (2.0 * below as f64 * events as f64))
}

/// [`auroc`] with its standard error: V₁ᵢ is the share of non-events below event i (ties count half), V₀ⱼ the share of events
/// above non-event j, and SE² = Σ (V₁ᵢ − A)² / (m₁ (m₁ − 1)) + Σ (V₀ⱼ − A)² / (m₀ (m₀ − 1)).
///
/// With weights shares are weighted, and of each kind of row SE² has the term m / (m − 1) · Σ w² (V − A)² / (Σ w)² with
/// m = (Σ w)² / Σ w²; equal weights give what no weights give. `None` where either kind has a single row or no weight.
///
/// * `s`: scores, n, of which only the order counts; `t`: targets 0 or 1, n; `w`: w ≥ 0, n
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One sort, O(n log n).
///
/// # Source
/// DeLong, DeLong and Clarke-Pearson (1988), from ranks as Sun and Xu (2014).
///
/// ```
/// use localcal_numerics::metric::auroc::delong;
///
/// // V₁ = ½, 1 and V₀ = 1, ½: A = ¾, and both variances are ⅛
/// let (area, error) = delong(&[0.2, 0.6, 0.4, 0.9], &[0, 0, 1, 1], None)?.unwrap();
/// assert_eq!(area, 0.75);
/// assert!((error - 0.125_f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn delong(s: &[f64], t: &[u8], w: RowWeights) -> Result<Option<(f64, f64)>> {
    check_weighted(s.len(), t.len(), w)?;
    Ok(delong_ordered(s, t, (w, Sampling::default()), &order::ascending(s)))
}

/// [`delong`] with the ascending order of the scores at hand. Where rows lie in clusters, the placements of all rows of one,
/// events and non-events, are summed before they are squared, with G/(G − 1) for G clusters (Obuchowski, 1997). Where weights
/// are numbers of rows, SE² has the terms of that many rows.
pub fn delong_ordered(s: &[f64], t: &[u8], (w, sampling): (RowWeights, Sampling), order: &[u32]) -> Option<(f64, f64)> {
    // of non-events and of events: Σ w, Σ w² (Σ w of numbers of rows)
    let mut mass = [[0.0_f64; 2]; 2];
    for (i, &t) in t.iter().enumerate() {
        let (w, kind) = (weight(w, i), &mut mass[usize::from(t == 1)]);
        kind[0] += w;
        kind[1] += sampling.variance(w);
    }
    let [zeros, ones] = [mass[0][0], mass[1][0]];
    if zeros <= 0.0 || ones <= 0.0 {
        return None;
    }
    // V of every block of ties, by kind, with Σ w² of its rows
    let mut placed: Vec<[(f64, f64); 2]> = Vec::new();
    let (mut below, mut events, mut area) = (0.0, 0.0, 0.0);
    for block in ties::tie_blocks(s, order) {
        let mut here = [[0.0_f64; 2]; 2];
        for &i in order.get(block).unwrap_or(&[]) {
            let i = i as usize;
            let (w, kind) = (weight(w, i), &mut here[usize::from(t[i] == 1)]);
            kind[0] += w;
            kind[1] += sampling.variance(w);
        }
        let above_misses = (below + 0.5 * here[0][0]) / zeros;
        let under_events = (ones - events - 0.5 * here[1][0]) / ones;
        area += here[1][0] / ones * above_misses;
        placed.push([(under_events, here[0][1]), (above_misses, here[1][1])]);
        below += here[0][0];
        events += here[1][0];
    }
    if let Some(clusters) = sampling.clusters {
        let mut influence = vec![0.0; s.len()];
        for (block, kinds) in ties::tie_blocks(s, order).zip(&placed) {
            for &i in order.get(block).unwrap_or(&[]) {
                let (i, kind) = (i as usize, usize::from(t[i as usize] == 1));
                influence[i] = weight(w, i) * (kinds[kind].0 - area) / mass[kind][0];
            }
        }
        return Some((area.min(1.0), influence_variance(influence, Some(clusters)).sqrt()));
    }
    let mut variance = 0.0;
    for kind in 0..2 {
        let [total, squares] = mass[kind];
        let rows = total * total / squares;
        if rows <= 1.0 + 1e-9 {
            return None;
        }
        let spread: f64 = placed.iter().map(|kinds| kinds[kind].1 * (kinds[kind].0 - area).powi(2)).sum();
        variance += rows / (rows - 1.0) * spread / (total * total);
    }
    Some((area.min(1.0), variance.sqrt()))
}

/// [`auroc`] of rows in ascending order of score, row i of weight w(i): Σ w w′ over pairs instead of their number.
pub fn auroc_ascending(s: &[f64], t: &[u8], w: impl Fn(usize) -> f64) -> Option<f64> {
    let mut sums = Sums::default();
    while sums.rows < s.len() {
        sums.add(s, t, &w);
    }
    // Both shares of the pairs, each rounded on its own: their ratio never leaves [0, 1], and is 1 where nothing is left.
    (sums.below > 0.0 && sums.events > 0.0).then(|| sums.area / (sums.area + sums.rest))
}

/// Rows that are summed in one call: browsers compile well what is called often.
const BLOCK: usize = 4096;

/// Of the rows so far: their number, weight of the misses and of the events, Σ w w′ of the pairs in which the event is
/// above, and of those in which it is below; ties count half in each.
#[derive(Default)]
struct Sums {
    rows: usize,
    below: f64,
    events: f64,
    area: f64,
    rest: f64,
}

impl Sums {
    /// Adds the next rows, up to the end of a tie.
    #[inline(never)]
    fn add(&mut self, s: &[f64], t: &[u8], w: &impl Fn(usize) -> f64) {
        let goal = s.len().min(self.rows + BLOCK);
        while self.rows < goal {
            let (mut zeros, mut ones) = (0.0, 0.0);
            let end = ties::end_of(s.len(), self.rows, &|i| s[i]).unwrap_or(s.len());
            while self.rows < end {
                if t[self.rows] == 1 {
                    ones += w(self.rows);
                } else {
                    zeros += w(self.rows);
                }
                self.rows += 1;
            }
            self.area += ones * (self.below + 0.5 * zeros);
            self.rest += zeros * (self.events + 0.5 * ones);
            self.below += zeros;
            self.events += ones;
        }
    }
}

/// AUROC: how well it ranks.
pub static AUROC: Metric = Metric {
    id: "auroc",
    name: "AUROC",
    plain: "area under the ROC curve",
    definition: "Probability that a row with the event has a higher score than a row without; ties count half. \
                 Positive view: p and y. Top-label view: confidence and correctness.",
    formula: "P(s₁ > s₀) + ½ P(s₁ = s₀)",
    source: "Hanley and McNeil 1982",
    better: Better::Higher,
    value: ValueOf::Rows(|rows| {
        let Ascending { score, target } = &*rows.ascending()?;
        let area = auroc_ascending(score, target, |i| weight(rows.pair.weights, rows.order[i] as usize));
        Ok(area.ok_or(Reason::undefined("only one outcome occurs")))
    }),
    weights: Weights::Form("pairs count w w′"),
    replicates: Replicates::Sums(|sums| sums.auroc),
    interval: Interval::Analytic(IntervalKind::Delong, |pair, order| {
        let found = delong_ordered(pair.score, pair.target, (pair.weights, pair.sampling()), order);
        // a perfect ranking has no error but that of its sums, which says nothing of other rows
        let found = found.filter(|(area, _)| (1e-14..=1.0 - 1e-14).contains(area));
        Ok(found.map(|(area, error)| [area - NORMAL_975 * error, area + NORMAL_975 * error]))
    }),
    floor: false,
    order_only: true,
    scorecard: true,
    bar: false,
    validates: Some(3),
    decides: Some(5),
    chooses: Some(6),
    discloses: Discloses::All,
    from_counts: true,
    ..Metric::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, close, f8_top};
    use crate::num::rng::Lanes;

    #[test]
    fn worked_values() {
        let (s, t) = f8_top();
        close(auroc(&s, &t).expect("valid"), 5.0 / 12.0);
        let (s, t) = b12();
        close(auroc(&s, &t).expect("valid"), 0.75);
        assert_eq!(auroc(&[0.1, 0.2], &[1, 1]).expect("valid"), None);
        close(auroc(&[0.5, 0.5], &[0, 1]).expect("valid"), 0.5);
    }

    /// No loop over ties waits for what equals nothing.
    #[test]
    fn scores_that_are_no_numbers_come_to_an_end() {
        let s = [0.2, f64::NAN, f64::NAN, 0.4];
        let found = auroc_ascending(&s, &[0, 1, 0, 1], |_| 1.0);
        assert!(found.is_some_and(|area| (0.0..=1.0).contains(&area)));
        let found = auroc(&s, &[0, 1, 0, 1]).expect("valid");
        assert!(found.is_some_and(|area| (0.0..=1.0).contains(&area)));
    }

    /// Weights of any size: a perfect ranking is 1 and its mirror image 0, to the last bit.
    #[test]
    fn weights_never_lead_beyond_one() {
        let mut lanes = Lanes::seeded(3, 0);
        for n in 2..200_usize {
            let w: Vec<f64> = (0..n).map(|_| 0.1 + lanes.uniform()[0]).collect();
            let s: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let up: Vec<u8> = (0..n).map(|i| u8::from(2 * i >= n)).collect();
            let down: Vec<u8> = up.iter().map(|t| 1 - t).collect();
            assert_eq!(auroc_ascending(&s, &up, |i| w[i]), Some(1.0), "{n}");
            assert_eq!(auroc_ascending(&s, &down, |i| w[i]), Some(0.0), "{n}");
        }
    }
}
