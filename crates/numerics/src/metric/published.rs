//! Calibration numbers as published evaluation scripts of language models compute them, in their own arithmetic: sums in pairs as
//! numpy adds, edges as they are rounded there, and equal confidences divided where a script divides them.
//!
//! The order of tied rows is part of such a number: `numpy.argsort` does not keep it, and its order depends on the processor. Here
//! tied rows keep the order of the file, and [`Ranked::block_rms_range`] and [`Tied`] give what any order would give.

use crate::num::logistic::logistic;
use crate::num::order::ascending;
use crate::num::special::{logit, sigmoid};

/// Σ x as numpy adds doubles that lie side by side: eight running sums up to 128 values, halves beyond. O(n).
pub fn pairwise_sum(x: &[f64]) -> f64 {
    match x.len() {
        0..8 => x.iter().sum(),
        8..=128 => {
            let mut sums = [0.0; 8];
            let (eights, rest) = x.as_chunks::<8>();
            for eight in eights {
                sums.iter_mut().zip(eight).for_each(|(sum, x)| *sum += x);
            }
            let [a, b, c, d, e, f, g, h] = sums;
            rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, x| sum + x)
        }
        n => {
            let (before, after) = x.split_at(n / 2 - n / 2 % 8);
            pairwise_sum(before) + pairwise_sum(after)
        }
    }
}

/// The mean as numpy rounds it.
fn mean(x: &[f64]) -> f64 {
    pairwise_sum(x) / x.len() as f64
}

/// Confidences in ascending order, tied ones in the order of the file; the order is found once for many outcomes.
#[derive(Debug, Clone)]
pub struct Ranked {
    order: Vec<u32>,
    /// ascending
    c: Vec<f64>,
}

/// Which blocks a root mean square sums over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// all of them
    All,
    /// all but the one of the largest confidences
    AllButLast,
}

impl Ranked {
    /// One sort.
    ///
    /// * `c`: confidences, n, no NaN
    pub fn new(c: &[f64]) -> Self {
        let order = ascending(c);
        let c = order.iter().map(|row| c[*row as usize]).collect();
        Self { order, c }
    }

    /// Rows.
    fn n(&self) -> usize {
        self.c.len()
    }

    /// Outcomes in the order of the confidences, as 0 and 1.
    fn along(&self, correct: &[u8]) -> Vec<f64> {
        self.order.iter().map(|row| f64::from(correct[*row as usize].min(1))).collect()
    }

    /// Ends of blocks of `size` rows; the last one holds what is left over, too. None below `size` rows.
    fn ends(&self, size: usize) -> Vec<usize> {
        let blocks = self.n() / size.max(1);
        (1..=blocks).map(|block| if block == blocks { self.n() } else { block * size }).collect()
    }

    /// √(Σ_b (n_b/n) (c̄_b − ā_b)²) over blocks of `size` rows by ascending confidence; `None` below `size` rows, where the
    /// scripts end with an IndexError. O(n).
    ///
    /// * `correct`: 1 where the answer is right, n, in the order of the file
    ///
    /// Source: `calib_err` of Hendrycks et al. (2021), natural adversarial examples, and of Humanity's Last Exam.
    pub fn block_rms(&self, correct: &[u8], size: usize, blocks: Blocks) -> Option<f64> {
        let right = self.along(correct);
        let ends = self.ends(size);
        let summed = match blocks {
            Blocks::All => ends.len(),
            Blocks::AllButLast => ends.len().checked_sub(1)?,
        };
        let (mut start, mut sum) = (0, 0.0);
        for end in ends.into_iter().take(summed) {
            let gap = mean(self.c.get(start..end)?) - mean(right.get(start..end)?);
            sum += (end - start) as f64 / self.n() as f64 * (gap * gap);
            start = end;
        }
        (summed > 0 || blocks == Blocks::AllButLast).then(|| sum.sqrt())
    }

    /// The smallest and the largest [`block_rms`](Self::block_rms) over all orders of tied rows, by a dynamic program whose state
    /// is the number of right rows already used of the tie that an end of a block cuts. `None` below `size` rows, and where a
    /// tie is so large that it would take more than 10⁸ steps.
    pub fn block_rms_range(&self, correct: &[u8], size: usize, blocks: Blocks) -> Option<[f64; 2]> {
        let right = self.along(correct);
        let ends = self.ends(size);
        let last = ends.len().checked_sub(1)?;
        // (end of the tie, right rows in it) of every tie, in order
        let mut ties: Vec<(usize, usize)> = Vec::new();
        for (at, (c, right)) in self.c.iter().zip(&right).enumerate() {
            match ties.last_mut() {
                Some(tie) if at > 0 && self.c.get(at - 1) == Some(c) => *tie = (at + 1, tie.1 + *right as usize),
                _ => ties.push((at + 1, *right as usize)),
            }
        }
        let n = self.n() as f64;
        let (mut tie, mut start, mut steps) = (0, 0, 0_usize);
        // right rows used of the tie at `start` → smallest and largest sum so far
        let mut used_rows = 0;
        let mut states = vec![Some([0.0, 0.0])];
        for (block, end) in ends.into_iter().enumerate() {
            let rows = end - start;
            let confidence = pairwise_sum(self.c.get(start..end)?);
            let counts = !(block == last && blocks == Blocks::AllButLast);
            let cost = |right: usize| match counts {
                true => rows as f64 / n * ((confidence - right as f64) / rows as f64).powi(2),
                false => 0.0,
            };
            // the tie that `start` is in, those that lie wholly in the block, the one that `end` cuts
            let &(first_end, first_right) = ties.get(tie)?;
            let mut whole = 0;
            let mut at = first_end;
            let mut cut = tie;
            while at < end {
                cut += 1;
                let &(tie_end, in_tie) = ties.get(cut)?;
                if tie_end <= end {
                    whole += in_tie;
                }
                at = tie_end;
            }
            let &(cut_end, cut_right) = ties.get(cut)?;
            let before_cut = if cut == tie { start } else { ties.get(cut - 1)?.0 };
            let cut_start = if cut == 0 { 0 } else { ties.get(cut - 1)?.0 };
            let is_cut = cut_end > end;
            let take = end - before_cut;
            let mut next: Vec<Option<[f64; 2]>> = vec![None; if is_cut { cut_right + 1 } else { 1 }];
            for (used, state) in states.iter().enumerate() {
                let Some([low, high]) = *state else { continue };
                let from_first = first_right.checked_sub(used)?;
                // right rows that the tie at the end may give, and how many of it were used before this block
                let (fixed, gone, left_rows) = match cut == tie {
                    true => (0, used, (cut_end - cut_start).checked_sub(used_rows)?),
                    false => (from_first + whole, 0, cut_end - cut_start),
                };
                let left_right = cut_right.checked_sub(gone)?;
                let (least, most) = match is_cut {
                    true => ((take + left_right).saturating_sub(left_rows), take.min(left_right)),
                    // the whole rest of the last tie, which `fixed` has already unless it is the first
                    false if cut == tie => (left_right, left_right),
                    false => (0, 0),
                };
                steps += most - least + 1;
                if steps > MOST_STEPS {
                    return None;
                }
                for taken in least..=most {
                    let cost = cost(fixed + taken);
                    let place = if is_cut { gone + taken } else { 0 };
                    let (low, high) = (low + cost, high + cost);
                    if let Some(known) = next.get_mut(place) {
                        *known = Some(known.map_or([low, high], |[a, b]| [a.min(low), b.max(high)]));
                    }
                }
            }
            states = next;
            used_rows = match (is_cut, cut == tie) {
                (true, true) => used_rows + take,
                (true, false) => take,
                (false, _) => 0,
            };
            tie = if is_cut { cut } else { cut + 1 };
            start = end;
        }
        let all = states.into_iter().flatten().reduce(|[a, b], [c, d]| [a.min(c), b.max(d)])?;
        Some(all.map(f64::sqrt))
    }

    /// Edges of bins of equal mass as the package uncertainty-calibration sets them: half-way between the last row of a part and
    /// the first of the next, equal edges once, the last 1. Parts differ by one row at most, the larger ones first.
    pub fn equal_mass_edges(&self, bins: usize) -> Vec<f64> {
        let bins = bins.min(self.n()).max(1);
        let (size, larger) = (self.n() / bins, self.n() % bins);
        let end = |part: usize| part * size + part.min(larger);
        let between = |part: usize| Some((self.c.get(end(part) - 1)? + self.c.get(end(part))?) / 2.0);
        let mut edges: Vec<f64> = (1..bins).filter_map(between).collect();
        edges.push(1.0);
        edges.dedup();
        edges
    }

    /// Σ_b (n_b/n) |c̄_b − ā_b| over bins (low, high] that end at `edges`. O(n).
    pub fn ece(&self, correct: &[u8], edges: &[f64]) -> f64 {
        let right = self.along(correct);
        let mut start = 0;
        let mut sum = 0.0;
        for edge in edges {
            let end = start + self.c.get(start..).unwrap_or_default().partition_point(|c| c <= edge);
            if end > start {
                let rows = start..end;
                let (c, right) = (self.c.get(rows.clone()).unwrap_or_default(), right.get(rows).unwrap_or_default());
                sum += (end - start) as f64 / self.n() as f64 * (mean(c) - mean(right)).abs();
            }
            start = end;
        }
        sum
    }

    /// Accuracy of the i + 1 most confident rows, for every i.
    ///
    /// * `tied`: the order of tied rows
    pub fn ranked_accuracy(&self, correct: &[u8], tied: Tied) -> Vec<f64> {
        let mut descending: Vec<u32> = self.order.iter().rev().copied().collect();
        let mut start = 0;
        while start < descending.len() {
            let at = |place: usize| self.c.get(self.n() - 1 - place);
            let end = start + (start..self.n()).take_while(|place| at(*place) == at(start)).count();
            if let Some(tie) = descending.get_mut(start..end) {
                match tied {
                    Tied::Reversed => {}
                    Tied::AsInFile => tie.reverse(),
                    Tied::RightFirst => tie.sort_by_key(|row| correct[*row as usize] == 0),
                    Tied::WrongFirst => tie.sort_by_key(|row| correct[*row as usize] != 0),
                }
            }
            start = end;
        }
        let mut right = 0.0;
        let accuracy = |(i, row): (usize, &u32)| {
            right += f64::from(correct[*row as usize].min(1));
            right / (i + 1) as f64
        };
        descending.iter().enumerate().map(accuracy).collect()
    }
}

/// Steps of a range over orders.
const MOST_STEPS: usize = 100_000_000;

/// The order of tied rows among the most confident first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tied {
    /// of the file
    AsInFile,
    /// of the file, the last row first
    Reversed,
    /// right ones first: the largest accuracies
    RightFirst,
    /// wrong ones first: the smallest
    WrongFirst,
}

/// The mean of [`Ranked::ranked_accuracy`], the area under accuracy by coverage.
pub fn accuracy_area(accuracy: &[f64]) -> f64 {
    mean(accuracy)
}

/// What σ(a logit c + b), fitted to these rows by maximum likelihood, makes of them, c clipped at 10⁻¹²; `None` where there is no
/// maximum.
pub fn platt_on_same_rows(c: &[f64], correct: &[u8]) -> Option<Vec<f64>> {
    let z: Vec<f64> = c.iter().map(|c| logit(*c, 1e-12)).collect();
    let fit = logistic(&[&z], None, correct)?;
    let &[intercept, slope] = fit.coefficients.as_slice() else { return None };
    Some(z.iter().map(|z| sigmoid(intercept + slope * z)).collect())
}

/// The mean over `bins` bins (low, high] of equal width of |c̄_b − ā_b|, each filled bin with the same weight: the mean gap of the
/// points of scikit-learn's `calibration_curve`, whose edges are i·(1/bins). Rows are added one by one. O(n).
pub fn unweighted_gap(c: &[f64], correct: &[u8], bins: usize) -> Option<f64> {
    let step = 1.0 / bins as f64;
    let inner: Vec<f64> = (1..bins).map(|i| i as f64 * step).collect();
    let mut sums = vec![[0.0; 3]; bins];
    for (c, right) in c.iter().zip(correct) {
        if let Some([rows, confidence, accuracy]) = sums.get_mut(inner.partition_point(|edge| edge < c)) {
            *rows += 1.0;
            *confidence += c;
            *accuracy += f64::from((*right).min(1));
        }
    }
    let filled = sums.iter().filter(|[rows, ..]| *rows > 0.0);
    let gaps: Vec<f64> = filled.map(|[rows, c, right]| (right / rows - c / rows).abs()).collect();
    (!gaps.is_empty()).then(|| mean(&gaps))
}

/// ECE over `bins` bins [low, high) with one more for a confidence of 1, in single precision, as torchmetrics computes it: edges as
/// torch rounds them, rows added one by one, and bins in eight running sums, as on processors with AVX2. O(n).
pub fn single_precision_ece(c: &[f64], correct: &[u8], bins: usize) -> f64 {
    let step = 1.0 / bins as f32;
    let edge = |i: usize| if i < bins.div_ceil(2) { step * i as f32 } else { 1.0 - step * (bins - i) as f32 };
    let edges: Vec<f32> = (0..=bins).map(edge).collect();
    let mut sums = vec![[0.0_f32; 3]; bins + 1];
    for (c, right) in c.iter().zip(correct) {
        let c = *c as f32;
        let place = edges.partition_point(|edge| *edge <= c).saturating_sub(1);
        if let Some([rows, confidence, accuracy]) = sums.get_mut(place) {
            *rows += 1.0;
            *confidence += c;
            *accuracy += f32::from((*right).min(1));
        }
    }
    let n: f32 = sums.iter().map(|[rows, ..]| rows).sum();
    let part = |[rows, confidence, accuracy]: &[f32; 3]| match *rows > 0.0 {
        true => (accuracy / rows - confidence / rows).abs() * (rows / n),
        false => 0.0,
    };
    let parts: Vec<f32> = sums.iter().map(part).collect();
    let (eights, rest) = parts.as_chunks::<8>();
    let mut lanes = [0.0_f32; 8];
    for eight in eights {
        lanes.iter_mut().zip(eight).for_each(|(sum, part)| *sum += part);
    }
    let rest: f32 = rest.iter().sum();
    f64::from(lanes.iter().fold(rest, |sum, lane| sum + lane))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fixtures::STATED;
    use proptest::prelude::*;

    fn rows(times: usize) -> (Vec<f64>, Vec<u8>) {
        let one = STATED.iter().map(|(c, a)| (f64::from(*c) / 100.0, *a));
        std::iter::repeat_n(one, times).flatten().unzip()
    }

    /// tests/golden/make_published.py: the same definitions by numpy, uncertainty-calibration and torchmetrics.
    #[test]
    fn the_numbers_of_the_scripts_to_the_last_digit() {
        let (c, a) = rows(15);
        let ranked = Ranked::new(&c);
        assert_eq!(ranked.block_rms(&a, 100, Blocks::AllButLast), Some(0.130_668_570_675_273_07));
        assert_eq!(ranked.block_rms(&a, 100, Blocks::All), Some(0.199_609_970_767_457_12));
        let near = |found: Option<[f64; 2]>, expected: [f64; 2]| {
            let found = found.unwrap();
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?}");
        };
        near(ranked.block_rms_range(&a, 100, Blocks::AllButLast), [0.057_876_054_471_252_7, 0.199_859_552_135_268_5]);
        near(ranked.block_rms_range(&a, 100, Blocks::All), [0.180_592_789_507_746, 0.232_911_868_591_394]);
        let (c, a) = rows(1);
        let ranked = Ranked::new(&c);
        assert_eq!(ranked.block_rms(&a, 100, Blocks::AllButLast), None);
        assert_eq!(ranked.block_rms(&a, 23, Blocks::All), Some(0.152_173_913_043_478_16));
        near(ranked.block_rms_range(&a, 5, Blocks::AllButLast), [0.173_016_711_934_702, 0.278_856_360_094_615]);
        near(ranked.block_rms_range(&a, 5, Blocks::All), [0.203_375_055_116_104, 0.298_642_763_180_359]);
        let edges = ranked.equal_mass_edges(10);
        assert_eq!(edges, [0.25, 0.55, 0.7, 0.725, 0.8, 0.825, 0.9, 0.925, 0.975, 1.0]);
        assert_eq!(ranked.ece(&a, &edges), 0.221_739_130_434_782_6);
        assert_eq!(ranked.ece(&a, &[1.0]), 0.152_173_913_043_478_16);
        assert_eq!(unweighted_gap(&c, &a, 5), Some(0.217_202_380_952_380_92));
        assert_eq!(single_precision_ece(&c, &a, 15), 0.230_434_790_253_639_22);
        assert_eq!(single_precision_ece(&c, &a, 10), 0.221_739_128_232_002_26);
        // the optimum, of which the optimizer of HELM stops short by 1e-7
        let platt = platt_on_same_rows(&c, &a).unwrap();
        let ranked = Ranked::new(&platt);
        assert!((ranked.ece(&a, &ranked.equal_mass_edges(10)) - 0.199_085_887_562_290_37).abs() < 1e-12);
        assert!(ranked.ece(&a, &[1.0]) < 1e-12);
    }

    #[test]
    fn ranks_of_tied_rows() {
        let (c, a) = rows(1);
        let ranked = Ranked::new(&c);
        let area = |tied| accuracy_area(&ranked.ranked_accuracy(&a, tied));
        // 1 − AURC over the orders of tied rows, tests/golden/make_selective.py
        assert!((area(Tied::RightFirst) - (1.0 - 0.340_786_163_436_090_03)).abs() < 1e-14);
        assert!((area(Tied::WrongFirst) - (1.0 - 0.420_968_119_161_523_93)).abs() < 1e-14);
        assert!((area(Tied::AsInFile) - (1.0 - 0.362_551_173_788_056_85)).abs() < 1e-14);
        assert!(area(Tied::Reversed) < area(Tied::RightFirst));
    }

    /// Every order of the rows that keeps the confidences ascending.
    fn over_all_orders(rows: &[(u8, u8)], size: usize, blocks: Blocks) -> [f64; 2] {
        type Rows = Vec<(u8, u8)>;
        fn walk(left: &mut Rows, taken: &mut Rows, each: &mut impl FnMut(&Rows)) {
            let Some(least) = left.iter().map(|(c, _)| *c).min() else { return each(taken) };
            for place in 0..left.len() {
                if left[place].0 == least {
                    let row = left.remove(place);
                    taken.push(row);
                    walk(left, taken, each);
                    taken.pop();
                    left.insert(place, row);
                }
            }
        }
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        walk(&mut rows.to_vec(), &mut Vec::new(), &mut |rows| {
            let (c, a): (Vec<f64>, Vec<u8>) = rows.iter().map(|(c, a)| (f64::from(*c) / 4.0, *a)).unzip();
            let value = Ranked::new(&c).block_rms(&a, size, blocks).unwrap();
            range = [range[0].min(value), range[1].max(value)];
        });
        range
    }

    proptest! {
        #[test]
        fn ranges_are_those_over_all_orders(
            rows in prop::collection::vec((0..4u8, 0..2u8), 3..8), size in 1..4usize, all in any::<bool>()
        ) {
            let blocks = if all { Blocks::All } else { Blocks::AllButLast };
            let (c, a): (Vec<f64>, Vec<u8>) = rows.iter().map(|(c, a)| (f64::from(*c) / 4.0, *a)).unzip();
            let found = Ranked::new(&c).block_rms_range(&a, size, blocks).unwrap();
            let expected = over_all_orders(&rows, size, blocks);
            prop_assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
        }

        #[test]
        fn sums_in_pairs_are_sums(x in prop::collection::vec(0.0f64..1.0, 0..600)) {
            prop_assert!((pairwise_sum(&x) - x.iter().sum::<f64>()).abs() < 1e-10);
        }
    }
}
