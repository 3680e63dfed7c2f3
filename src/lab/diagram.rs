//! Reliability diagrams of rows of a world: those of Explore, over all probabilities, so that a handle moves no axis.

use std::borrow::Cow;

use crate::data::View;
use crate::error::Result;
use crate::metric::binning::BinOptions;
use crate::metric::reliability::{ReliabilityBin, reliability_table};
use crate::plot::reliability::{ReliabilityChart, ReliabilitySeries};
use crate::report::view::reliability::{DiagramScores, bin_marks, consistency_bands, over_axes};
use crate::report::view::request::{AxesChoice, BandChoice, ReliabilityRequest};

/// Scores and outcomes under a name.
pub(super) struct Scores<'a> {
    pub name: &'a str,
    pub p: &'a [f64],
    pub y: &'a [u8],
}

/// The diagram of these scores over so many bins of equal width, with the band in which a calibrated model stays.
///
/// # Errors
/// `empty`, `length_mismatch`, `invalid_option`: those of the bins.
pub(super) fn diagram(scores: &[Scores], bins: usize) -> Result<ReliabilityChart> {
    let binning = BinOptions::equal_width(bins);
    let tables: Vec<Vec<ReliabilityBin>> =
        scores.iter().map(|of| reliability_table(of.p, of.y, &binning)).collect::<Result<_>>()?;
    let shown: Vec<DiagramScores> = (scores.iter().zip(&tables))
        .map(|(of, bins)| DiagramScores {
            name: Cow::Borrowed(of.name),
            score: of.p,
            target: of.y,
            weight: None,
            counted: false,
            clusters: None,
            bins,
            binning,
        })
        .collect();
    let request =
        ReliabilityRequest { band: BandChoice::Consistency, axes: AxesChoice::Full, ..ReliabilityRequest::default() };
    let bands = consistency_bands(&shown)?;
    let series = shown.iter().zip(&bands).map(|(shown, bands)| ReliabilitySeries {
        name: shown.name.clone().into_owned(),
        bins: bin_marks(shown, Some(bands)),
        curve: Vec::new(),
        band: Vec::new(),
    });
    let chart = over_axes(View::Positive, &shown, series.collect(), bands.first(), &request, None);
    Ok(ReliabilityChart { curve_name: String::new(), band_words: String::new(), ..chart })
}

/// With the true curve of what happens at each stated probability, as a line.
pub(super) fn with_truth(mut chart: ReliabilityChart, truth: impl Fn(f64) -> f64) -> ReliabilityChart {
    const PLACES: usize = 100;
    if let Some(series) = chart.series.first_mut() {
        let at = |i: usize| (i as f64 + 0.5) / PLACES as f64;
        series.curve = (0..PLACES).map(at).map(|p| (p, truth(p))).collect();
        "true probability".clone_into(&mut chart.curve_name);
    }
    chart
}
