//! The area under the ROC curve of reweighted rows and of redrawn outcomes, without following ties row by row.

/// Rows by ascending score: where the events are, and how many non-events lie below and within each one's tie.
pub(super) struct Ranks {
    /// places of the rows whose target is 0, and of the others, ascending
    misses: Vec<u32>,
    events: Vec<u32>,
    /// for each event, misses of lower score, and of lower or equal score
    bounds: Vec<[u32; 2]>,
    /// twice the mean rank of each row among all: whole numbers
    pub(super) doubled: Vec<f64>,
}

impl Ranks {
    /// * `score`: ascending; `target`: 0 or 1, in the same order
    pub(super) fn new(score: &[f64], target: &[u8]) -> Self {
        let n = score.len();
        let mut ranks = Ranks {
            misses: Vec::with_capacity(n),
            events: Vec::with_capacity(n),
            bounds: Vec::with_capacity(n),
            doubled: Vec::with_capacity(n),
        };
        let mut first = 0;
        while first < n {
            let mut end = first + 1;
            while end < n && score[end] == score[first] {
                end += 1;
            }
            let below = ranks.misses.len() as u32;
            for (place, &t) in (first as u32..).zip(&target[first..end]) {
                ranks.doubled.push((first + end + 1) as f64);
                if t == 1 {
                    ranks.events.push(place);
                } else {
                    ranks.misses.push(place);
                }
            }
            let through = ranks.misses.len() as u32;
            ranks.bounds.resize(ranks.events.len(), [below, through]);
            first = end;
        }
        ranks
    }

    /// The area under the curve of rows with these weights; `None` when one outcome has no weight.
    ///
    /// Σ over events of w · (weight of the misses below + ½ of those tied); doubled, all terms are whole numbers.
    #[inline(never)]
    pub(super) fn weighted(&self, weights: &[u8]) -> Option<f64> {
        let mut sum = 0;
        let mut below = Vec::with_capacity(self.misses.len() + 1);
        below.push(0);
        for &place in &self.misses {
            sum += u32::from(weights[place as usize]);
            below.push(sum);
        }
        let (mut doubled, mut positives) = (0, 0);
        for (&place, &[low, high]) in self.events.iter().zip(&self.bounds) {
            let w = u64::from(weights[place as usize]);
            positives += w;
            doubled += w * (u64::from(below[low as usize]) + u64::from(below[high as usize]));
        }
        area(doubled as f64, positives, u64::from(sum))
    }

    /// The area where `ones` of all rows are events and their doubled mean ranks sum to `doubled`.
    pub(super) fn redrawn(&self, ones: u64, doubled: f64) -> Option<f64> {
        let (n, events) = (self.doubled.len() as u64, ones as f64);
        area(doubled - events * (events + 1.0), ones, n - ones)
    }
}

fn area(doubled: f64, positives: u64, negatives: u64) -> Option<f64> {
    let pairs = positives as f64 * negatives as f64;
    (pairs > 0.0).then(|| doubled / (2.0 * pairs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::auroc::auroc_ordered;
    use crate::num::rng::Lanes;

    #[test]
    fn areas_are_those_of_repeated_rows() {
        let mut lanes = Lanes::seeded(4, 0);
        for n in [1, 7, 60] {
            let score: Vec<f64> = (0..n).map(|i| f64::from(i / 3) / 20.0).collect();
            let mut target = vec![0; n as usize];
            let half = vec![0; n as usize];
            lanes.fill_bernoulli(&half, &mut target);
            let ranks = Ranks::new(&score, &target);
            let mut weights = vec![0; n as usize];
            lanes.fill_poisson(&mut weights);
            let repeated: Vec<u32> = (0..n as u32)
                .flat_map(|i| std::iter::repeat_n(i, usize::from(weights[i as usize])))
                .collect();
            assert_eq!(
                ranks.weighted(&weights),
                auroc_ordered(&score, &target, &repeated)
            );
            let all: Vec<u32> = (0..n as u32).collect();
            let ones = target.iter().filter(|&&t| t == 1).count() as u64;
            let doubled = ranks
                .doubled
                .iter()
                .zip(&target)
                .map(|(r, &t)| r * f64::from(t))
                .sum();
            assert_eq!(
                ranks.redrawn(ones, doubled),
                auroc_ordered(&score, &target, &all)
            );
        }
    }
}
