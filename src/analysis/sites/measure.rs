//! What is computed of every site and pooled: O:E, calibration in the large, calibration slope, AUROC.

use serde::{Deserialize, Serialize};

use crate::data::View;
use crate::error::Result;
use crate::metric::auroc::delong_ordered;
use crate::metric::clinical::{WaldEstimate, clustered_intercept_slope};
use crate::metric::observed_expected::log_ratio;
use crate::num::cluster::{RowClusters, design_effect};
use crate::num::order;
use crate::num::special::{NORMAL_975, sigmoid};
use crate::num::weight::{Sampling, weighted_mean};
use crate::report::MethodRows;

/// A measure of calibration or discrimination that is pooled over sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SiteMeasure {
    /// observed : expected, pooled on the logarithmic scale
    ObservedExpected,
    /// calibration in the large
    InterceptLarge,
    /// calibration slope
    Slope,
    /// AUROC, pooled on the scale of log-odds
    Auroc,
}

impl SiteMeasure {
    /// In the order of [`super::SiteEstimate::values`].
    pub const ALL: [Self; 4] = [Self::ObservedExpected, Self::InterceptLarge, Self::Slope, Self::Auroc];

    /// For people.
    pub fn title(self) -> &'static str {
        ["O:E", "Calibration in the large", "Calibration slope", "AUROC"][self as usize]
    }

    /// In a sentence.
    pub(super) fn words(self) -> &'static str {
        ["O:E", "calibration in the large", "calibration slope", "AUROC"][self as usize]
    }

    /// On which scale it is pooled.
    pub(super) fn scale(self) -> &'static str {
        ["log O:E", "log-odds", "slope", "log-odds of the AUROC"][self as usize]
    }

    /// Of calibrated predictions; none of the AUROC.
    pub(super) fn ideal(self) -> Option<f64> {
        [Some(1.0), Some(0.0), Some(1.0), None][self as usize]
    }

    /// In files.
    pub(super) fn id(self) -> &'static str {
        ["observed_expected", "intercept_large", "slope", "auroc"][self as usize]
    }

    /// Expected events, and expected other rows, that a site needs where `least` are asked for: twice as many for the slope, three
    /// times for the AUROC, whose standard errors are too small with few. Of 300 calibrated files of 15 sites with 3% events,
    /// Cochran's Q rejects with 12 expected events per site in 16% for the slope and 29% for the AUROC, with 21 in 6% and 11%,
    /// with 30 in 7% and 8%.
    pub(super) fn least(self, least: f64) -> f64 {
        match self {
            Self::ObservedExpected | Self::InterceptLarge => least,
            Self::Slope => 2.0 * least,
            Self::Auroc => 3.0 * least,
        }
    }

    /// From the scale on which it is pooled.
    pub(super) fn back(self, x: f64) -> f64 {
        match self {
            Self::ObservedExpected => x.exp(),
            Self::InterceptLarge | Self::Slope => x,
            Self::Auroc => sigmoid(x),
        }
    }
}

/// A measure of some rows on the scale on which it is pooled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub value: f64,
    pub standard_error: f64,
}

impl Estimate {
    /// Ends of its 95 % Wald interval on the measure's own scale.
    pub fn interval(self, of: SiteMeasure) -> [f64; 2] {
        [-NORMAL_975, NORMAL_975].map(|z| of.back(self.value + z * self.standard_error))
    }
}

/// The estimate, or why there is none.
pub(super) type EstimateOrReason = std::result::Result<Estimate, &'static str>;

/// Rows, events and measures of a site; where a measure cannot be estimated, why.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    pub n: usize,
    pub events: usize,
    /// n times the mean score
    pub expected: f64,
    pub values: [EstimateOrReason; 4],
    /// its clusters, where rows are clustered
    clustered: Option<Clustered>,
}

/// What the variances of a site owe to its clusters.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Clustered {
    /// variance of each measure as if rows were independent; `NaN` where it is not known
    independent: [f64; 4],
    /// number of clusters
    count: usize,
    /// size of the cluster of a row drawn at random: Σ m² / Σ m
    size: f64,
}

impl Measured {
    /// Whether it has enough expected events and other rows for a measure of it to be pooled.
    pub fn is_large(&self, measure: SiteMeasure, least: f64) -> bool {
        self.expected.min(self.n as f64 - self.expected) >= measure.least(least)
    }
}

/// The measures of some rows, by their weights and clusters; what keeps one from being known is in the words of the view.
/// O(n log n).
///
/// # Errors
/// `empty`.
pub(super) fn measured(rows: &MethodRows, view: View) -> Result<Measured> {
    let present = rows.clusters.present();
    let clusters = present.as_ref().map(|present| present.rows());
    let (n, events) = rows.tally();
    let values = values(rows, view, Sampling { clusters, counted: rows.counted })?;
    let clustered = match clusters {
        None => None,
        Some(RowClusters { of, count }) => {
            let alone = self::values(rows, view, Sampling { clusters: None, counted: rows.counted })?;
            let independent = alone.map(|found| found.map_or(f64::NAN, |found| found.standard_error.powi(2)));
            Some(Clustered { independent, count, size: design_effect(1.0, of, count) })
        }
    };
    Ok(Measured { n, events, expected: n as f64 * weighted_mean(&rows.score, rows.weights()), values, clustered })
}

/// The four measures with the errors that `sampling` implies.
fn values(rows: &MethodRows, view: View, sampling: Sampling) -> Result<[EstimateOrReason; 4]> {
    let (s, t, w) = (&rows.score[..], &rows.target[..], rows.weights());
    let (n, events) = rows.tally();
    let [none, only, none_expected] = match view {
        View::Positive => ["no events", "only events", "no expected events"],
        View::TopLabel => ["no correct predictions", "only correct predictions", "no expected correct predictions"],
    };
    let one_kind = match events {
        0 => Some(none),
        _ if events == n => Some(only),
        _ => None,
    };
    let wald = |found: Option<WaldEstimate>| {
        let separated = one_kind.unwrap_or("scores separate the outcomes");
        found.map(|found| (found.value, found.standard_error)).ok_or(separated)
    };
    let ratio = log_ratio(s, t, w, sampling)?.ok_or(if events == 0 { none } else { none_expected });
    let cox = clustered_intercept_slope(s, t, w, sampling)?;
    let area = match delong_ordered(s, t, (w, sampling), &order::ascending(s)) {
        Some((area, error)) if area > 0.0 && area < 1.0 => {
            Ok(((area / (1.0 - area)).ln(), error / (area * (1.0 - area))))
        }
        Some(_) => Err("scores separate the outcomes"),
        None => Err(one_kind.unwrap_or("one row of a kind")),
    };
    let usable = |(value, standard_error): (f64, f64)| {
        let known = value.is_finite() && standard_error.is_finite() && standard_error > 0.0;
        known.then_some(Estimate { value, standard_error }).ok_or("no standard error")
    };
    Ok([ratio, wald(cox.intercept_large), wald(cox.slope), area].map(|found| found.and_then(usable)))
}

/// Raises the standard errors of sites with clustered rows to at least those that the clusters of all sites imply.
///
/// A site's cluster-robust variance comes from its own clusters: where these are few, it is often far too small, and the site
/// then looks different from the others. Of each measure, the variance is therefore at least v (1 + (m̃ − 1) ρ), v as if rows
/// were independent, m̃ the size of the cluster of a row drawn at random, and ρ the correlation that makes the robust variances
/// of all sites that are pooled, weighted by their clusters less one, as large as that on average; not below 0. O(sites).
pub(super) fn pool_cluster_errors(sites: &mut [&mut Measured], least: f64) {
    for (place, measure) in SiteMeasure::ALL.into_iter().enumerate() {
        let (mut excess, mut most) = (0.0, 0.0);
        for site in sites.iter().filter(|site| site.is_large(measure, least)) {
            let Some((clusters, Some(Ok(found)))) = site.clustered.map(|clusters| (clusters, site.values.get(place)))
            else {
                continue;
            };
            let ratio = found.standard_error.powi(2) / clusters.independent[place];
            if ratio.is_finite() {
                let weight = clusters.count as f64 - 1.0;
                excess += weight * (ratio - 1.0);
                most += weight * (clusters.size - 1.0);
            }
        }
        let correlation = if most > 0.0 { (excess / most).max(0.0) } else { 0.0 };
        for site in sites.iter_mut() {
            let Some(Clustered { independent, size, .. }) = site.clustered else { continue };
            if let Some(Ok(found)) = site.values.get_mut(place) {
                let least = (independent[place] * (1.0 + (size - 1.0) * correlation)).sqrt();
                // `max` leaves out what is not known
                found.standard_error = found.standard_error.max(least);
            }
        }
    }
}
