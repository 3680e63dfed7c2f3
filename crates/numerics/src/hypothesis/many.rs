//! The KLCE test of many outcomes of the same rows: their kernel is met once for all of them.
//!
//! Scores and covariates stay, so K does; the outcomes are further right-hand sides of the pass that draws the null.

use super::draws::{Draws, bits_beside};
use super::low_rank::Factor;
use super::p_value::is_above;
use super::pairs::gathered;
use super::products::{Shuffles, shuffled_draws};
use super::projected::Phi;
use super::subset_sums::statistics_of_labels;
use super::work::{EXACT_ROWS, SINGLE_SPREAD, SINGLE_TIE};
use super::{KlceSample, Null, PairSums, null_comparison, pair_sums};
use crate::kernel::Part;
use crate::num::moments::mean_and_sd;

/// Draws of a null that shuffles residuals: 99 and what is tested are 100, of which 5 are 5 %.
pub const SHUFFLES: usize = 99;

/// Draws after which it is first asked whether more are needed; then twice as many, and so on.
const FIRST: usize = 16;

/// Rows whose outcomes are many.
pub struct ManyOutcomes<'a> {
    sample: &'a KlceSample,
    /// Φ of every row, where K has a low rank
    phi: Option<Phi>,
    /// sums over pairs of what was observed: |e_iᵀe_j| is what ties are measured by; 0 where nothing is shuffled
    pairs: PairSums,
}

impl<'a> ManyOutcomes<'a> {
    /// * `factor`: where shuffles go through a low rank
    /// * `shuffles`: whether anything will be shuffled
    ///
    /// # Cost
    /// Nothing without shuffles; else n²/2 kernel values, and n rank²/2 for a factor.
    pub fn new(sample: &'a KlceSample, factor: Option<&Factor>, shuffles: bool) -> Self {
        let phi = factor.filter(|_| shuffles).map(|factor| Phi::new(sample, factor, 0..sample.n()));
        let pairs = if shuffles { pair_sums(sample, Part::WHOLE) } else { PairSums::default() };
        Self { sample, phi, pairs }
    }

    /// In the order of the sample.
    fn ordered(&self, happened: &[u32]) -> Vec<u32> {
        self.sample.order().iter().map(|&row| happened.get(row as usize).copied().unwrap_or_default()).collect()
    }

    /// Mean of the statistic over all permutations of residuals e: Σ_{i≠j} K_ij · mean_{i≠j} e_iᵀe_j.
    pub(super) fn mean_of_permutations(&self, e: &[f64]) -> f64 {
        let (n, planes) = (self.sample.n() as f64, self.sample.planes());
        let squares: f64 = e.iter().map(|e| e * e).sum();
        let sum = |plane: usize| e.iter().skip(plane).step_by(planes).sum::<f64>();
        let products: f64 = (0..planes).map(|plane| sum(plane).powi(2)).sum::<f64>() - squares;
        self.pairs.mass * products / (n * (n - 1.0)).max(1.0)
    }

    /// p-values of `outcomes` under [`Null::Bernoulli`], which share their draws; `None` where all draws are equal.
    ///
    /// * `outcomes`: the plane that happened in each row, in the order in which the rows were given; the number of planes
    ///   where none did
    ///
    /// # Cost
    /// n²/256 additions of 16 numbers per plane, draw and outcome.
    ///
    /// ```
    /// use localcal_numerics::hypothesis::{ManyOutcomes, KlceKernel, KlceSample};
    /// use localcal_numerics::kernel::Points;
    /// use ndarray::Array2;
    ///
    /// // ten rows at one place, each said to be ½: all of them happen, or five do
    /// let (p, y, x) = ([0.5; 10], [1; 10], Array2::zeros((10, 1)));
    /// let sample = KlceSample::pairs(&p, &y, Points::new(x.view())?, KlceKernel::usual(1))?;
    /// let five = vec![0, 1, 0, 1, 0, 1, 0, 1, 0, 1];
    /// let p = ManyOutcomes::new(&sample, None, false).drawn(&[vec![0; 10], five], 999, 0);
    /// assert!(p[0].unwrap() < 0.01 && p[1].unwrap() > 0.9);
    /// # Ok::<(), localcal_numerics::Error>(())
    /// ```
    pub fn drawn(&self, outcomes: &[Vec<u32>], draws: usize, seed: u64) -> Vec<Option<f64>> {
        let ordered: Vec<Vec<u32>> = outcomes.iter().map(|happened| self.ordered(happened)).collect();
        let others: Vec<&[u32]> = ordered.iter().map(Vec::as_slice).collect();
        let bits = bits_beside(self.sample, seed, draws, &others);
        let (pairs, statistics) = statistics_of_labels(self.sample, &bits, draws + others.len(), Part::WHOLE);
        let absolute = gathered(self.sample.n(), &[pairs]).absolute;
        let (null, observed) = statistics.split_at(draws.min(statistics.len()));
        let p = |t: &f64| {
            null_comparison(Null::Bernoulli, null, *t, SINGLE_TIE * absolute, SINGLE_SPREAD * absolute).p.ok()
        };
        observed.iter().map(p).collect()
    }

    /// p-values of one outcome under nulls that shuffle its residuals; those of the same kind share their draws.
    ///
    /// * `observed`: as one of the outcomes of [`ManyOutcomes::drawn`]
    /// * `alpha`: where only p ≤ α is asked: no more is drawn once every p-value is above it for certain, see `is_above`,
    ///   and p-values are those of the draws so far. A third of the draws suffices where the null holds
    ///
    /// # Cost
    /// n²/2 products per draw and plane, or n · rank with a factor.
    pub fn shuffled(
        &self,
        happened: &[u32],
        nulls: &[Null],
        draws: usize,
        seed: u64,
        alpha: Option<f64>,
    ) -> Vec<Option<f64>> {
        let observed = self.sample.residuals_of(&self.ordered(happened));
        let exact = self.sample.n() <= EXACT_ROWS;
        let (tie, spread) = if exact { (1e-12, 1e-12) } else { (SINGLE_TIE, SINGLE_SPREAD) };
        let (tie, spread) = (tie * self.pairs.absolute, spread * self.pairs.absolute);
        let expected = self.mean_of_permutations(&observed);
        let mut p = vec![None; nulls.len()];
        let mut kinds: Vec<Draws> = Vec::new();
        for kind in nulls.iter().map(|null| null.draws()) {
            if kinds.contains(&kind) {
                continue;
            }
            kinds.push(kind);
            let of_this_kind = || nulls.iter().zip(0..).filter(|(null, _)| null.draws() == kind);
            let shuffles = Shuffles { observed: &observed, kind, seed, draws };
            let statistics = |numbers: &[usize]| match &self.phi {
                Some(phi) => phi.shuffled(self.sample, &shuffles, numbers),
                None => shuffled_draws(self.sample, &shuffles, numbers, exact),
            };
            let mut more = if alpha.is_some() { FIRST.min(draws) } else { draws };
            // What was observed goes with the first ones.
            let mut numbers: Vec<usize> = std::iter::once(draws).chain(0..more).collect();
            let mut found = statistics(&numbers);
            let t = found.remove(0);
            let above = |found: &[f64], alpha: f64| {
                mean_and_sd(found).1 > spread
                    && of_this_kind().all(|(null, _)| is_above(*null, found, draws, (t, tie), expected, alpha))
            };
            while found.len() < draws && !alpha.is_some_and(|alpha| above(&found, alpha)) {
                more = (2 * more).min(draws - found.len());
                numbers = (found.len()..found.len() + more).collect();
                found.extend(statistics(&numbers));
            }
            for (null, k) in of_this_kind() {
                p[k] = null_comparison(*null, &found, t, tie, spread).p.ok();
            }
        }
        p
    }
}
