//! Outcomes of all rows drawn from the calibration that was fitted to all of them.

use std::ops::Range;

use super::InTime;
use super::overall_fit::OverallFit;
use crate::data::PresentClusters;
use crate::num::cluster::{ClusteredDraws, within_cluster_correlation};
use crate::num::large_counts::Binomial;
use crate::num::rng::{Draws, Lanes, bernoulli_threshold};

/// Outcomes of all rows drawn from p̂, with one correlation within clusters.
pub(super) struct Redraws<'a> {
    rows: &'a InTime,
    thresholds: Vec<i32>,
    dependent: Option<ClusteredDraws<'a>>,
    /// of rows: t*
    labels: Vec<u8>,
    /// of counts: their distributions, and the number of events drawn
    counts: Vec<Binomial>,
    events: Vec<f64>,
}

impl<'a> Redraws<'a> {
    pub(super) fn new(rows: &'a InTime, fit: &OverallFit, clusters: Option<&'a PresentClusters>) -> Self {
        let dependent = clusters.map(|clusters| {
            let residual: Vec<f64> = fit.p.iter().zip(rows.target.iter()).map(|(p, &t)| f64::from(t) - p).collect();
            let variance: Vec<f64> = fit.p.iter().map(|p| p * (1.0 - p)).collect();
            let rho = within_cluster_correlation(&residual, &variance, &clusters.of, clusters.count);
            ClusteredDraws::new(rho, &fit.p, &clusters.of, clusters.count)
        });
        let counts = rows.weight.iter().zip(fit.p.iter()).filter(|_| rows.counted);
        Self {
            thresholds: fit.p.iter().map(|&p| bernoulli_threshold(p)).collect(),
            dependent,
            labels: vec![0; rows.day.len()],
            counts: counts.map(|(&n, &p)| Binomial::of(n, p)).collect(),
            events: Vec::new(),
            rows,
        }
    }

    /// The data set of this number.
    pub(super) fn draw(&mut self, number: usize) {
        if self.rows.counted {
            let mut draws = Draws::seeded(self.rows.seed, number as u64);
            self.events = self.counts.iter().map(|count| count.draw(&mut draws)).collect();
            return;
        }
        let mut lanes = Lanes::seeded(self.rows.seed, number as u64);
        match &self.dependent {
            Some(dependent) => dependent.fill(&mut lanes, &self.thresholds, &mut self.labels),
            None => lanes.fill_bernoulli(&self.thresholds, &mut self.labels),
        }
    }

    /// Entries with events among some, each with its weight or its number of events.
    #[inline]
    pub(super) fn each_event(&self, entries: Range<usize>, mut take: impl FnMut(usize, f64)) {
        if self.rows.counted {
            entries.for_each(|i| take(i, self.events[i]));
            return;
        }
        let first = entries.start;
        let (eights, rest) = self.labels[entries].as_chunks::<8>();
        for (k, eight) in eights.iter().enumerate() {
            // a byte is 0 or 1
            let mut bits = u64::from_le_bytes(*eight);
            while bits != 0 {
                let i = first + 8 * k + bits.trailing_zeros() as usize / 8;
                take(i, self.rows.w(i));
                bits &= bits - 1;
            }
        }
        for (i, _) in (first + 8 * eights.len()..).zip(rest).filter(|(_, label)| **label == 1) {
            take(i, self.rows.w(i));
        }
    }
}
