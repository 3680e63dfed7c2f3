//! The reliability diagram of one method, or of the predictions before and after a repair.

use statrs::distribution::{Binomial, DiscreteCDF};

use super::{Fact, ViewOutcome, method_rows};
use crate::data::{Predictions, View};
use crate::error::Result;
use crate::metric::reliability::ReliabilityBin;
use crate::metric::smooth_ece::{smooth_ece, smooth_reliability_curve};
use crate::plot::reliability::{
    BinMark, Histogram, ReliabilityChart, ReliabilitySeries, reliability,
};
use crate::recalibrate::isotonic::{self, Interpolation};
use crate::report::{MethodRows, RunOutcome};

/// Bars of the histogram strip.
const STRIPS: usize = 100;

/// The diagram of `none`, or of `none` and `after` on one axis.
///
/// # Errors
/// `unknown_method` if `after` was not run.
pub fn view(
    data: &Predictions,
    run: &RunOutcome,
    after: Option<&str>,
    smooth: bool,
    width: f64,
) -> Result<ViewOutcome> {
    let before = method_rows(run, None)?;
    let mut series = vec![series_of(before, smooth)?];
    if let Some(after) = after {
        series.push(series_of(method_rows(run, Some(after))?, smooth)?);
    }
    let (score_name, target_name, events, others) = match data.view {
        View::TopLabel => (
            "confidence of the predicted class",
            "accuracy",
            "right",
            "wrong",
        ),
        View::Positive => (
            "predicted probability",
            "share that happened",
            "happened",
            "did not",
        ),
    };
    let chart = ReliabilityChart {
        title: String::new(),
        caption: String::new(),
        width,
        curve_name: if smooth {
            "kernel-smoothed".to_owned()
        } else {
            "isotonic".to_owned()
        },
        events_name: events.to_owned(),
        others_name: others.to_owned(),
        score_name: score_name.to_owned(),
        target_name: target_name.to_owned(),
        band: before
            .bins
            .iter()
            .map(|bin| {
                let (low, high) = consistency(bin);
                (bin.mean_score, low, high)
            })
            .collect(),
        histogram: histogram(before),
        n: before.rows.len() as u64,
        series,
        square_root_heights: true,
    };
    Ok(ViewOutcome {
        figure: reliability(&chart),
        companions: Vec::new(),
        facts: Vec::<Fact>::new(),
        notes: Vec::new(),
        map: None,
    })
}

fn series_of(rows: &MethodRows, smooth: bool) -> Result<ReliabilitySeries> {
    let bins = rows.bins.iter().map(|bin| {
        let (low, high) = consistency(bin);
        BinMark {
            low: bin.low,
            high: bin.high,
            n: bin.n as u32,
            score: bin.mean_score,
            target: bin.mean_target,
            gap: bin.gap,
            wilson_low: bin.target_low,
            wilson_high: bin.target_high,
            inside_band: (low..=high).contains(&bin.mean_target),
        }
    });
    let curve = if smooth {
        let sigma = smooth_ece(&rows.score, &rows.target)?.bandwidth;
        let curve = smooth_reliability_curve(&rows.score, &rows.target, sigma, 200)?;
        let (low, high) = observed(&rows.score);
        let seen = curve
            .iter()
            .filter(|point| (low..=high).contains(&point.score));
        seen.filter_map(|point| Some((point.score, point.target?)))
            .collect()
    } else {
        let fit = isotonic::fit(&rows.score, &rows.target, Interpolation::Linear)?.parameters;
        fit.x.into_iter().zip(fit.y).collect()
    };
    Ok(ReliabilitySeries {
        name: rows.method.name.clone(),
        bins: bins.collect(),
        curve,
    })
}

/// Lowest and highest score.
fn observed(scores: &[f64]) -> (f64, f64) {
    scores
        .iter()
        .fold((1.0, 0.0), |(low, high), &s| (s.min(low), s.max(high)))
}

/// 95 % range of the share of a bin in which every row happens with the bin's mean score.
pub fn consistency(bin: &ReliabilityBin) -> (f64, f64) {
    let (n, p) = (bin.n as f64, bin.mean_score.clamp(0.0, 1.0));
    match Binomial::new(p, bin.n as u64) {
        Ok(binomial) if bin.n <= 10_000 => (
            binomial.inverse_cdf(0.025) as f64 / n,
            binomial.inverse_cdf(0.975) as f64 / n,
        ),
        _ => {
            let half = crate::metric::reliability::Z_95 * (p * (1.0 - p) / n).sqrt();
            ((p - half).max(0.0), (p + half).min(1.0))
        }
    }
}

fn histogram(rows: &MethodRows) -> Histogram {
    let (mut events, mut others) = (vec![0u32; STRIPS], vec![0u32; STRIPS]);
    for (&s, &t) in rows.score.iter().zip(rows.target.iter()) {
        let strip = ((s * STRIPS as f64) as usize).min(STRIPS - 1);
        if t == 1 {
            events[strip] += 1
        } else {
            others[strip] += 1
        }
    }
    let edges = (0..=STRIPS).map(|i| i as f64 / STRIPS as f64).collect();
    Histogram {
        edges,
        events,
        others,
    }
}
