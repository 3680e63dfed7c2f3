//! The reliability diagram of one method, or of the predictions before and after a repair.

use statrs::distribution::{Binomial, DiscreteCDF};

use super::method_rows;
use crate::data::{Predictions, View};
use crate::error::Result;
use crate::metric::reliability::ReliabilityBin;
use crate::metric::smooth_ece::{weighted_smooth_ece, weighted_smooth_reliability_curve};
use crate::num::isotonic::weighted_isotonic_blocks;
use crate::num::weight::RowWeights;
use crate::plot::reliability::{BinMark, Histogram, ReliabilityChart, ReliabilitySeries};
use crate::recalibrate::isotonic::{Interpolation, Isotonic};
use crate::report::{MethodRows, RunOutcome};

/// Bars of the histogram strip.
const STRIPS: usize = 100;

/// Scores that a diagram shows.
pub(crate) struct Shown<'a> {
    /// of the series
    pub name: &'a str,
    /// s
    pub score: &'a [f64],
    /// t
    pub target: &'a [u8],
    /// w
    pub weight: RowWeights<'a>,
    /// reliability table of both
    pub bins: &'a [ReliabilityBin],
}

impl<'a> From<&'a MethodRows> for Shown<'a> {
    fn from(rows: &'a MethodRows) -> Self {
        Self {
            name: &rows.method.name,
            score: &rows.score,
            target: &rows.target,
            weight: rows.weights(),
            bins: &rows.bins,
        }
    }
}

/// The diagram of `none`, or of `none` and `after` on one axis.
///
/// # Errors
/// `unknown_method` if `after` was not run.
pub fn chart(data: &Predictions, run: &RunOutcome, after: Option<&str>, smooth: bool) -> Result<ReliabilityChart> {
    let mut shown = vec![Shown::from(method_rows(run, None)?)];
    if let Some(after) = after {
        shown.push(method_rows(run, Some(after))?.into());
    }
    diagram(data.view, &shown, smooth)
}

/// What a diagram of these scores holds; band and histogram are those of the first.
///
/// # Errors
/// Those of the curves.
pub(crate) fn diagram(view: View, shown: &[Shown], smooth: bool) -> Result<ReliabilityChart> {
    let [score_name, target_name, events_name, others_name] = match view {
        View::TopLabel => ["confidence of the predicted class", "accuracy", "right", "wrong"],
        View::Positive => ["predicted probability", "share that happened", "happened", "did not"],
    }
    .map(str::to_owned);
    let curve_name = if smooth { "kernel-smoothed" } else { "isotonic" };
    let (score, target, bins) = shown.first().map_or((&[][..], &[][..], &[][..]), |s| (s.score, s.target, s.bins));
    let series: Result<Vec<_>> = shown.iter().map(|one| series_of(one, smooth)).collect();
    Ok(ReliabilityChart {
        title: String::new(),
        caption: String::new(),
        small: false,
        curve_name: curve_name.to_owned(),
        events_name,
        others_name,
        score_name,
        target_name,
        band: bins
            .iter()
            .map(|bin| {
                let (low, high) = consistency(bin);
                (bin.mean_score, low, high)
            })
            .collect(),
        histogram: histogram(score, target),
        n: score.len() as u64,
        series: series?,
        square_root_heights: true,
    })
}

fn series_of(shown: &Shown, smooth: bool) -> Result<ReliabilitySeries> {
    let (score, target) = (shown.score, shown.target);
    let bins = shown.bins.iter().map(|bin| {
        let (low, high) = consistency(bin);
        BinMark {
            low: bin.low,
            high: bin.high,
            n: bin.n as u32,
            weight: shown.weight.map(|_| bin.weight),
            score: bin.mean_score,
            target: bin.mean_target,
            gap: bin.gap,
            wilson_low: bin.target_low,
            wilson_high: bin.target_high,
            inside_band: (low..=high).contains(&bin.mean_target),
        }
    });
    let curve = if smooth {
        let sigma = weighted_smooth_ece(score, target, shown.weight)?.bandwidth;
        let curve = weighted_smooth_reliability_curve(score, target, shown.weight, sigma, 200)?;
        let (low, high) = observed(score);
        let seen = curve.iter().filter(|point| (low..=high).contains(&point.score));
        seen.filter_map(|point| Some((point.score, point.target?))).collect()
    } else {
        let blocks = weighted_isotonic_blocks(score, target, shown.weight)?;
        let fit = Isotonic::from_blocks(&blocks, Interpolation::Linear);
        fit.x.into_iter().zip(fit.y).collect()
    };
    Ok(ReliabilitySeries { name: shown.name.to_owned(), bins: bins.collect(), curve })
}

/// Lowest and highest score.
fn observed(scores: &[f64]) -> (f64, f64) {
    scores.iter().fold((1.0, 0.0), |(low, high), &s| (s.min(low), s.max(high)))
}

/// 95 % range of the share of a bin in which every row happens with the bin's mean score; of as many rows as tell as much
/// where rows have weights.
pub fn consistency(bin: &ReliabilityBin) -> (f64, f64) {
    let (n, p) = (bin.effective, bin.mean_score.clamp(0.0, 1.0));
    match Binomial::new(p, bin.n as u64) {
        Ok(binomial) if bin.n <= 10_000 && n == bin.n as f64 => {
            (binomial.inverse_cdf(0.025) as f64 / n, binomial.inverse_cdf(0.975) as f64 / n)
        }
        _ => {
            let half = crate::num::proportion::Z_95 * (p * (1.0 - p) / n).sqrt();
            ((p - half).max(0.0), (p + half).min(1.0))
        }
    }
}

fn histogram(score: &[f64], target: &[u8]) -> Histogram {
    let (mut events, mut others) = (vec![0u32; STRIPS], vec![0u32; STRIPS]);
    for (&s, &t) in score.iter().zip(target) {
        let strip = ((s * STRIPS as f64) as usize).min(STRIPS - 1);
        if t == 1 { events[strip] += 1 } else { others[strip] += 1 }
    }
    let edges = (0..=STRIPS).map(|i| i as f64 / STRIPS as f64).collect();
    Histogram { edges, events, others }
}
