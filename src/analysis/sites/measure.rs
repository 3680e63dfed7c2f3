//! What is computed of every site and pooled: O:E, calibration in the large, calibration slope, AUROC.

use serde::{Deserialize, Serialize};

use crate::data::View;
use crate::error::Result;
use crate::metric::auroc::delong_ordered;
use crate::metric::clinical::{WaldEstimate, clustered_intercept_slope};
use crate::metric::observed_expected::log_ratio;
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
}

/// The measures of some rows, by their weights and clusters; what keeps one from being known is in the words of the view.
/// O(n log n).
///
/// # Errors
/// `empty`.
pub(super) fn measured(rows: &MethodRows, view: View) -> Result<Measured> {
    let present = rows.clusters.present();
    let clusters = present.as_ref().map(|present| present.rows());
    let sampling = Sampling { clusters, counted: rows.counted };
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
    Ok(Measured {
        n,
        events,
        expected: n as f64 * weighted_mean(s, w),
        values: [ratio, wald(cox.intercept_large), wald(cox.slope), area].map(|found| found.and_then(usable)),
    })
}
