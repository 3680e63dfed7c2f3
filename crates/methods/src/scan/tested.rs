//! The tests of all candidates in one round, with the null distribution of the largest |z|.

use super::REDRAWS;
use super::input::{Family, ScanInput};
use super::score::ScanStatistics;
use crate::table::Column;

/// All candidates by their numbers.
pub(super) struct Tested<'a> {
    pub(super) input: &'a ScanInput,
    pub(super) families: Vec<Family>,
    /// z of each; NaN of those that cannot be tested
    pub(super) z: Vec<f64>,
    /// largest |z*| of each redraw
    maxima: Vec<f64>,
    /// largest |z*| of each redraw among candidates about time
    time_maxima: Vec<f64>,
}

/// The most significant candidate about time.
pub(super) struct AboutTime {
    pub(super) number: usize,
    /// the date column
    pub(super) column: String,
    /// p-value among all candidates about time
    pub(super) p: f64,
}

impl<'a> Tested<'a> {
    /// * `looked`: results of all candidates, in the order of their numbers
    pub(super) fn new(input: &'a ScanInput, looked: &[&ScanStatistics]) -> Self {
        let largest = |of: fn(&ScanStatistics) -> &Column<f64>| {
            let mut maxima = vec![0.0_f64; REDRAWS];
            for part in looked {
                maxima.iter_mut().zip(of(part).iter()).for_each(|(most, found)| *most = most.max(*found));
            }
            maxima
        };
        Self {
            input,
            families: input.families(),
            z: looked.iter().flat_map(|part| part.z.iter().copied()).collect(),
            maxima: largest(|part| &part.maxima),
            time_maxima: largest(|part| &part.time_maxima),
        }
    }

    /// |z|; 0 of a candidate that cannot be tested.
    pub(super) fn size(&self, number: usize) -> f64 {
        self.z.get(number).filter(|z| !z.is_nan()).map_or(0.0, |z| z.abs())
    }

    /// The first of those with the largest |z|; `None` if none can be tested.
    pub(super) fn most_significant(&self, numbers: impl Iterator<Item = usize>) -> Option<usize> {
        let tested = numbers.filter(|&number| self.z.get(number).is_some_and(|z| !z.is_nan()));
        tested.reduce(|a, b| if self.size(b) > self.size(a) { b } else { a })
    }

    /// p-value of a candidate among all candidates.
    pub(super) fn p(&self, number: usize) -> f64 {
        self.p_by(number, &self.maxima)
    }

    /// (1 + #{max |z*| ≥ |z|}) / (B + 1)
    fn p_by(&self, number: usize, maxima: &[f64]) -> f64 {
        let as_large = maxima.iter().filter(|redrawn| **redrawn >= self.size(number)).count();
        (1 + as_large) as f64 / (REDRAWS + 1) as f64
    }

    /// c*: the |z| that the level stands for; ∞ where redraws are too few for it.
    pub(super) fn critical(&self, level: f64) -> f64 {
        critical(&self.maxima, level)
    }

    /// The same among the candidates about time.
    pub(super) fn critical_of_time(&self, level: f64) -> f64 {
        critical(&self.time_maxima, level)
    }

    /// The most significant candidate about time; `None` if none can be tested.
    pub(super) fn about_time(&self) -> Option<AboutTime> {
        let dated = self.families.iter().filter_map(|family| {
            let cut = self.input.cuts.get(self.input.date_of(family.of)?)?;
            Some((family.first..family.first + family.len, cut))
        });
        let number = self.most_significant(dated.clone().flat_map(|(numbers, _)| numbers))?;
        let (_, cut) = dated.into_iter().find(|(numbers, _)| numbers.contains(&number))?;
        Some(AboutTime { number, column: cut.column.clone(), p: self.p_by(number, &self.time_maxima) })
    }
}

/// The |z| that a level stands for among the largest of all redraws; ∞ where these are too few for it.
fn critical(maxima: &[f64], level: f64) -> f64 {
    let mut maxima = maxima.to_vec();
    maxima.sort_unstable_by(|a, b| b.total_cmp(a));
    let allowed = (level * (REDRAWS + 1) as f64 + 1e-9) as usize;
    allowed.checked_sub(1).and_then(|k| maxima.get(k)).copied().unwrap_or(f64::INFINITY)
}
