//! Bayesian binning into quantiles: an average over histogram binnings.

mod entry;

pub use entry::BayesianBinning;

use serde::{Deserialize, Serialize};
use statrs::function::gamma::ln_gamma;

use crate::error::Result;
use crate::metric::brier::brier_pair;
use crate::num::order::sort_short;
use crate::num::{check_lengths, order, ties};
use crate::recalibrate::fit::Fit;

/// How binnings are made and scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BbqVariant {
    /// equal-width bins scored by BIC, models cut at the elbow; fitted left-closed, applied right-closed (as netcal)
    #[default]
    NetcalBic,
    /// equal-mass bins scored by the Beta-binomial marginal likelihood
    Naeini,
}

/// Largest number of bins that can be asked for: every number up to it is a binning of its own.
pub const MOST_BINNINGS: usize = 1000;

/// Variant and numbers of bins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BbqOptions {
    /// how binnings are made and scored
    pub variant: BbqVariant,
    /// least and largest number of bins; from n when left out
    pub range: Option<(usize, usize)>,
    /// cut the models at the elbow of their weights; default: yes for BIC, no for Naeini
    pub elbow: Option<bool>,
}

/// One histogram binning and its weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BbqModel {
    /// weight; all sum to 1
    pub weight: f64,
    /// B + 1 edges
    pub edges: Vec<f64>,
    /// value of each bin
    pub values: Vec<f64>,
}

/// A weighted set of binnings; bins are right-closed, scores beyond the outer edges belong to the outer bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bbq {
    /// by descending weight
    pub models: Vec<BbqModel>,
}

/// Fits every binning with B_lo ≤ B ≤ B_hi bins and weighs them; the objective is the mean squared error.
///
/// B_lo = max(1, ⌊n^⅓/10⌋); B_hi = min(⌈n/5⌉ (Naeini: ⌈n/3⌉), ⌈10 n^⅓⌉). In the Naeini variant the prior of a bin
/// has strength 2/B and is centered at the bin's middle.
///
/// Source: Naeini, Cooper and Hauskrecht (2015), equations 2–5; the BIC form is that of the netcal library.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One sort, and B log n for every binning.
///
/// # Examples
/// With one score there is one bin: its share of events.
///
/// ```
/// use localcal_methods::recalibrate::bbq::{BbqOptions, fit};
///
/// let fit = fit(&[0.5; 4], &[1, 1, 1, 0], &BbqOptions::default())?;
/// assert!((fit.parameters.apply(&[0.5])[0] - 0.75).abs() < 1e-12);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(s: &[f64], t: &[u8], options: &BbqOptions) -> Result<Fit<Bbq>> {
    check_lengths(s.len(), t.len())?;
    let rows = Sorted::new(s, t);
    let n = s.len();
    let (low, high) = options.range.unwrap_or_else(|| {
        let root = (n as f64).cbrt();
        let share = match options.variant {
            BbqVariant::NetcalBic => 5,
            BbqVariant::Naeini => 3,
        };
        (((root / 10.0) as usize).max(1), n.div_ceil(share).min((10.0 * root).ceil() as usize))
    });
    let low = low.max(1);
    let mut models: Vec<BbqModel> = (low..=high.max(low))
        .map(|count| match options.variant {
            BbqVariant::NetcalBic => rows.equal_width(count),
            BbqVariant::Naeini => rows.equal_mass(count),
        })
        .collect();
    // Until here `weight` holds a log score.
    let top = models.iter().fold(f64::NEG_INFINITY, |m, model| m.max(model.weight));
    models.iter_mut().for_each(|m| m.weight = (m.weight - top).exp());
    sort_short(&mut models, |a, b| a.weight > b.weight);
    if options.elbow.unwrap_or(options.variant == BbqVariant::NetcalBic) {
        models.truncate(elbow(&models));
    }
    let total: f64 = models.iter().map(|m| m.weight).sum();
    models.iter_mut().for_each(|m| m.weight /= total);
    let bbq = Bbq { models };
    let after = brier_pair(&bbq.apply(s), t)?;
    Ok(Fit::plain(bbq, brier_pair(s, t)?, after))
}

/// Number of models kept: ties with the best, then as long as the next step down exceeds 0.001 variances.
fn elbow(models: &[BbqModel]) -> usize {
    let n = models.len() as f64;
    let w: Vec<f64> = models.iter().map(|m| m.weight).collect();
    let mean = w.iter().sum::<f64>() / n;
    let variance = w.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / n;
    let mut k = 0;
    while k + 1 < w.len() && w[k] == w[k + 1] {
        k += 1;
    }
    while k + 1 < w.len() && (w[k] - w[k + 1]) / variance > 0.001 {
        k += 1;
    }
    k + 1
}

/// Scores in ascending order with running counts of events.
struct Sorted {
    s: Vec<f64>,
    /// events among the first i rows
    events: Vec<u32>,
}

impl Sorted {
    fn new(s: &[f64], t: &[u8]) -> Self {
        let order = order::ascending(s);
        let mut events = Vec::with_capacity(s.len() + 1);
        let mut sum = 0;
        events.push(0);
        for &i in &order {
            sum += u32::from(t[i as usize]);
            events.push(sum);
        }
        Self { s: order.iter().map(|&i| s[i as usize]).collect(), events }
    }

    /// (rows, events) between the ranks.
    fn count(&self, from: usize, to: usize) -> (f64, f64) {
        ((to - from) as f64, f64::from(self.events[to] - self.events[from]))
    }

    fn equal_width(&self, count: usize) -> BbqModel {
        let edges: Vec<f64> = (0..=count).map(|i| i as f64 / count as f64).collect();
        let n = self.s.len();
        let (mut left, mut right) = (0, 0);
        let (mut values, mut log_likelihood) = (Vec::with_capacity(count), 0.0);
        for b in 0..count {
            let last = b + 1 == count;
            // Fitted on [low, high) …
            let end = if last { n } else { self.s.partition_point(|&s| !ties::at_or_above(s, edges[b + 1])) };
            let (rows, events) = self.count(left, end);
            left = end;
            let value = if rows > 0.0 { events / rows } else { 0.5 * (edges[b] + edges[b + 1]) };
            // … and judged on (low, high].
            let end = if last { n } else { self.s.partition_point(|&s| !ties::above(s, edges[b + 1])) };
            let (rows, events) = self.count(right, end);
            right = end;
            if events > 0.0 {
                log_likelihood += events * value.ln().max(-100.0);
            }
            if rows > events {
                log_likelihood += (rows - events) * (1.0 - value).ln().max(-100.0);
            }
            values.push(value);
        }
        let bic = -2.0 * log_likelihood + count as f64 * (n as f64).ln();
        BbqModel { weight: -0.5 * bic, edges, values }
    }

    fn equal_mass(&self, count: usize) -> BbqModel {
        let n = self.s.len();
        let mut edges = vec![0.0];
        for b in 1..count {
            let start = (b * n).div_ceil(count);
            if start > 0 && start < n {
                edges.push(0.5 * (self.s[start - 1] + self.s[start]));
            }
        }
        edges.push(1.0);
        // a bin needs a width: the prior of its share has it from the middle, which must lie inside (0, 1)
        edges.dedup_by(|later, first| *later - *first < ties::SAME);
        let bins = edges.len() - 1;
        let strength = 2.0 / bins as f64;
        let (mut from, mut score) = (0, 0.0);
        let mut values = Vec::with_capacity(bins);
        for b in 0..bins {
            let to = if b + 1 == bins { n } else { self.s.partition_point(|&s| !ties::above(s, edges[b + 1])) };
            let (rows, events) = self.count(from, to);
            from = to;
            let center = 0.5 * (edges[b] + edges[b + 1]);
            let (alpha, beta) = (strength * center, strength * (1.0 - center));
            score += ln_gamma(strength) - ln_gamma(rows + strength) + ln_gamma(events + alpha) - ln_gamma(alpha)
                + ln_gamma(rows - events + beta)
                - ln_gamma(beta);
            values.push((events + alpha) / (rows + strength));
        }
        BbqModel { weight: score, edges, values }
    }
}

impl Bbq {
    /// Σ weight · value of the score's bin over the binnings, for every score: recalibrated probabilities, length n.
    ///
    /// * `s`: scores in [0, 1], length n
    ///
    /// # Cost
    /// O((n + bins) log bins), bins of all binnings together.
    pub fn apply(&self, s: &[f64]) -> Vec<f64> {
        // All binnings together are one step function: a search instead of one a model.
        let mut steps: Vec<(f64, f64)> = Vec::new();
        let mut first = 0.0;
        for model in &self.models {
            first += model.weight * model.values.first().copied().unwrap_or(0.0);
            for (b, pair) in model.values.windows(2).enumerate() {
                steps.push((model.edges[b + 1], model.weight * (pair[1] - pair[0])));
            }
        }
        order::sort(&mut steps, &|a, b| a.0.total_cmp(&b.0));
        let mut level = first;
        let levels: Vec<f64> = std::iter::once(first)
            .chain(steps.iter().map(|step| {
                level += step.1;
                level
            }))
            .collect();
        s.iter().map(|&s| levels[steps.partition_point(|step| ties::above(s, step.0))].clamp(0.0, 1.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, near};
    use proptest::prelude::*;

    #[test]
    fn worked_values_by_bic() {
        let (p, y) = b12();
        let rows = Sorted::new(&p, &y);
        for (count, bic) in [(1, 19.120_438_98), (2, 18.859_858_98), (3, 22.502_602_79)] {
            near(Some(-2.0 * rows.equal_width(count).weight), bic, 6e-9);
        }
        let bbq = fit(&p, &y, &BbqOptions::default()).expect("valid").parameters;
        let weights: Vec<f64> = bbq.models.iter().map(|m| m.weight).collect();
        for (got, expected) in weights.iter().zip([0.490_281_53, 0.430_389_14, 0.079_329_33]) {
            near(Some(*got), expected, 6e-9);
        }
        let (a, b, c, d) = (0.398_454_08, 0.426_219_34, 0.589_646_52, 0.594_935_14);
        for (got, expected) in bbq.apply(&p).iter().zip([a, a, a, a, b, b, b, c, c, d, d, d]) {
            near(Some(*got), expected, 6e-9);
        }
    }

    #[test]
    fn worked_values_by_marginal_likelihood() {
        let (p, y) = b12();
        let rows = Sorted::new(&p, &y);
        for (count, score) in [(1, -9.393_661_43), (2, -10.277_186_86), (3, -11.530_168_61), (4, -13.963_247_24)] {
            near(Some(rows.equal_mass(count).weight), score, 6e-9);
        }
        let options = BbqOptions { variant: BbqVariant::Naeini, range: Some((1, 4)), elbow: None };
        let bbq = fit(&p, &y, &options).expect("valid").parameters;
        for (model, expected) in bbq.models.iter().zip([0.648_612_76, 0.268_086_7, 0.076_579_44, 0.006_721_09]) {
            near(Some(model.weight), expected, 6e-9);
        }
        let q = bbq.apply(&[0.3, 0.85]);
        near(Some(q[0]), 0.430_454_37, 6e-9);
        near(Some(q[1]), 0.568_518_72, 6e-9);
    }

    proptest! {
        #[test]
        fn the_step_function_is_the_mixture(rows in proptest::collection::vec((0.0..=1.0_f64, 0..2_u8), 1..80), naeini in any::<bool>()) {
            let (s, t): (Vec<f64>, Vec<u8>) = rows.into_iter().unzip();
            let variant = if naeini { BbqVariant::Naeini } else { BbqVariant::NetcalBic };
            let bbq = fit(&s, &t, &BbqOptions { variant, ..BbqOptions::default() }).expect("valid").parameters;
            prop_assert!((bbq.models.iter().map(|m| m.weight).sum::<f64>() - 1.0).abs() < 1e-12);
            for (s, got) in s.iter().zip(bbq.apply(&s)) {
                let expected: f64 = bbq.models.iter().map(|m| {
                    let inner = &m.edges[1..m.edges.len() - 1];
                    m.weight * m.values[inner.iter().filter(|e| *e < s).count()]
                }).sum();
                prop_assert!((got - expected).abs() < 1e-12);
            }
        }
    }
}
