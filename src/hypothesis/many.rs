//! The trust test of many outcomes of the same rows: their kernel is met once for all of them.
//!
//! Scores and covariates stay, so K does; the outcomes are further right-hand sides of the pass that draws the null.

use super::draws::bits_beside;
use super::low_rank::Factor;
use super::pairs::gathered;
use super::products::shuffled_draws;
use super::projected::Phi;
use super::subset_sums::statistics_of_labels;
use super::work::{EXACT_ROWS, SINGLE_SPREAD, SINGLE_TIE};
use super::{Null, TrustSample, pair_sums, standing};
use crate::kernel::Part;

/// Draws of a null that shuffles residuals: 99 and what is tested are 100, of which 5 are 5 %.
pub const SHUFFLES: usize = 99;

/// Rows whose outcomes are many.
pub struct ManyOutcomes<'a> {
    sample: &'a TrustSample,
    /// Φ of every row, where K has a low rank
    phi: Option<Phi>,
    /// Σ_{i≠j} K |e_i e_j| of what was observed: what ties are measured by; 0 until something is shuffled
    absolute: f64,
}

impl<'a> ManyOutcomes<'a> {
    /// * `factor`: where shuffles go through a low rank
    /// * `shuffles`: whether anything will be shuffled
    ///
    /// # Cost
    /// Nothing without shuffles; else n²/2 kernel values, and n rank²/2 for a factor.
    pub fn new(sample: &'a TrustSample, factor: Option<&Factor>, shuffles: bool) -> Self {
        let phi = factor.filter(|_| shuffles).map(|factor| Phi::new(sample, factor, 0..sample.n()));
        let absolute = if shuffles { pair_sums(sample, Part::WHOLE).absolute } else { 0.0 };
        Self { sample, phi, absolute }
    }

    /// In the order of the sample.
    fn ordered(&self, happened: &[u32]) -> Vec<u32> {
        self.sample.order().iter().map(|&row| happened.get(row as usize).copied().unwrap_or_default()).collect()
    }

    /// p-values of `outcomes` under [`Null::Bernoulli`], which share their draws; `None` where every draw is alike.
    ///
    /// * `outcomes`: the plane that happened in each row, in the order in which the rows were given; the number of planes
    ///   where none did
    ///
    /// # Cost
    /// n²/256 additions of 16 numbers per plane, draw and outcome.
    ///
    /// ```
    /// use localcal::hypothesis::{ManyOutcomes, TrustKernel, TrustSample};
    /// use localcal::kernel::Points;
    /// use ndarray::Array2;
    ///
    /// // ten rows at one place, each said to be ½: all of them happen, or five do
    /// let (p, y, x) = ([0.5; 10], [1; 10], Array2::zeros((10, 1)));
    /// let sample = TrustSample::pairs(&p, &y, Points::new(x.view())?, TrustKernel::usual(1))?;
    /// let five = vec![0, 1, 0, 1, 0, 1, 0, 1, 0, 1];
    /// let p = ManyOutcomes::new(&sample, None, false).drawn(&[vec![0; 10], five], 999, 0);
    /// assert!(p[0].unwrap() < 0.01 && p[1].unwrap() > 0.9);
    /// # Ok::<(), localcal::Error>(())
    /// ```
    pub fn drawn(&self, outcomes: &[Vec<u32>], draws: usize, seed: u64) -> Vec<Option<f64>> {
        let ordered: Vec<Vec<u32>> = outcomes.iter().map(|happened| self.ordered(happened)).collect();
        let others: Vec<&[u32]> = ordered.iter().map(Vec::as_slice).collect();
        let bits = bits_beside(self.sample, seed, draws, &others);
        let (pairs, statistics) = statistics_of_labels(self.sample, &bits, draws + others.len(), Part::WHOLE);
        let absolute = gathered(self.sample.n(), &[pairs]).absolute;
        let (null, observed) = statistics.split_at(draws.min(statistics.len()));
        let p = |t: &f64| standing(Null::Bernoulli, null, *t, SINGLE_TIE * absolute, SINGLE_SPREAD * absolute).p.ok();
        observed.iter().map(p).collect()
    }

    /// p-values of one outcome under nulls that shuffle its residuals; those that draw alike share their draws.
    ///
    /// * `happened`: as one of the outcomes of [`ManyOutcomes::drawn`]
    ///
    /// # Cost
    /// n²/2 products per draw and plane, or n · rank with a factor.
    pub fn shuffled(&self, happened: &[u32], nulls: &[Null], draws: usize, seed: u64) -> Vec<Option<f64>> {
        let observed = self.sample.residuals_of(&self.ordered(happened));
        let exact = self.sample.n() <= EXACT_ROWS;
        let (tie, spread) = if exact { (1e-12, 1e-12) } else { (SINGLE_TIE, SINGLE_SPREAD) };
        let mut known = Vec::new();
        let mut p = Vec::with_capacity(nulls.len());
        for &null in nulls {
            let kind = null.draws();
            if !known.iter().any(|(of, _)| *of == kind) {
                let drawn = match &self.phi {
                    Some(phi) => phi.shuffled(self.sample, &observed, kind, seed, draws),
                    None => shuffled_draws(self.sample, &observed, kind, seed, draws, 0..draws + 1, exact),
                };
                known.push((kind, drawn));
            }
            let found = known.iter().find(|(of, _)| *of == kind).and_then(|(_, drawn)| {
                let (t, drawn) = drawn.split_last()?;
                standing(null, drawn, *t, tie * self.absolute, spread * self.absolute).p.ok()
            });
            p.push(found);
        }
        p
    }
}
