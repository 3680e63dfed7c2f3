//! Scan for miscalibrated subgroups. All candidates are tested at once, with one adjustment for multiplicity.
//!
//! Two questions are separate. *Overall*: are the predictions calibrated on all rows ([`score_test`])? *Subgroups*: in
//! which subgroups do outcomes differ from the predictions after recalibration by the score alone ([`Round`])?

pub(crate) mod basis;
mod candidate;
mod clustered;
mod cut;
mod dependence;
mod fit;
mod input;
mod joint;
mod overall;
mod part;
mod places;
mod redraw;
mod rounds;
mod score;
mod selected;
mod tested;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::data::subgroup::Subgroup;
use crate::error::Result;
use crate::hypothesis::LEVEL;
use crate::num::special::{NORMAL_80, NORMAL_975, normal_above};
use crate::table::Column;

pub use basis::log_odds;
pub use candidate::{Candidate, Singles};
pub use cut::{MOST_VALUES, PAIRED_VALUES};
pub use input::{Family, Of, PAIRED_COLUMNS, ScanInput, Sought, expected_families, scanned_columns, scanned_dates};
pub use overall::{MeanError, OVERALL_REDRAWS, ScoreTest, ScoreTests, mean_error, score_test, score_test_of_counts};
pub use part::scan_part;
pub use places::Places;
pub use redraw::TOGETHER;
pub use rounds::Round;
pub use score::ScanStatistics;
pub use selected::{Conditional, conditional, conditional_at};

/// Redraws for the null distribution of the largest |z|. With the observed value they are 320, of which 16 are 5% and 8
/// are 2.5%.
pub const REDRAWS: usize = 319;
/// Up to this number of rows outcomes are redrawn row by row; above it blocks of rows get random signs.
pub const EXACT_ROWS: usize = 50_000;
/// Number of blocks.
pub const BLOCKS: usize = 2_000;
/// Confidence level of the intervals of calibration errors.
const CONFIDENCE: f64 = 0.95;
/// Steps in which the detectable gap is found: its variance depends on it.
const STEPS_OF_GAP: usize = 30;
/// Maximum number of subgroups that are searched for.
pub const MOST_DETECTED: usize = 8;

/// A significantly miscalibrated subgroup, after adjustment for all candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectedSubgroup {
    /// definition of the subgroup; without conditions if it is a region of similar rows
    pub subgroup: Subgroup,
    /// the region of similar rows; null for a subgroup that is defined by conditions
    pub place: Option<DetectedPlace>,
    /// number of scored rows in the subgroup
    pub rows: usize,
    /// their share of the weight of all scored rows
    pub share: f64,
    /// mean predicted probability
    pub predicted: f64,
    /// observed proportion of events
    pub observed: f64,
    /// lower limit of the 95% CI of predicted − observed
    pub low: f64,
    /// upper limit of that interval
    pub high: f64,
    /// mean predicted probability after recalibration overall, which uses the predicted probability alone
    pub recalibrated: f64,
    /// standardized score statistic after recalibration overall; positive: more events than expected
    pub z: f64,
    /// adjusted p-value, from the null distribution of the largest |z| given the subgroups that were detected before
    pub p: f64,
    /// critical value that |z| had to exceed
    pub critical: f64,
    /// true: the gap is that after recalibration overall; false: that of the original predictions
    pub beyond: bool,
}

impl DetectedSubgroup {
    /// Description in words.
    pub fn description(&self) -> String {
        self.place.as_ref().map_or_else(|| self.subgroup.description(), |place| place.description.clone())
    }

    /// Membership of every row of the data. O(n).
    ///
    /// # Errors
    /// Those of [`Subgroup::rows`].
    pub fn inside(&self, data: &Predictions) -> Result<Vec<bool>> {
        self.place.as_ref().map_or_else(|| self.subgroup.rows(data), |place| Ok(place.inside(data.rows)))
    }

    /// Predicted − observed, or recalibrated − observed if `beyond`; positive: overestimated.
    pub fn gap(&self) -> f64 {
        if self.beyond { self.recalibrated - self.observed } else { self.predicted - self.observed }
    }

    /// 95% CI of the gap: that of predicted − observed, shifted by the effect of recalibration on the mean.
    pub fn interval(&self) -> [f64; 2] {
        let moved = if self.beyond { self.recalibrated - self.predicted } else { 0.0 };
        [(self.low + moved).max(-1.0), (self.high + moved).min(1.0)]
    }

    /// Correction of the gap for selection, and the limits of its interval relative to the uncorrected gap: the
    /// conditional estimate of z minus z, in standard errors. Source: see [`conditional_at`].
    ///
    /// z is that of the difference from the other rows. With f the share of the rows, the gap is (1 − f) times that difference,
    /// of standard error √(1 − f) σ, and a part that does not depend on it, of standard error √f σ; σ is that of the gap.
    /// Selection concerns the first part, and both make the interval.
    ///
    /// z is scaled by the null standard error. It and c* are rescaled to the standard error of the observed outcomes;
    /// otherwise coverage is 93%.
    ///
    /// * `level`: 1 − confidence level
    pub fn selection(&self, level: f64) -> [f64; 3] {
        let [low, high] = self.interval();
        let standard_error = (high - low) / (2.0 * NORMAL_975);
        let of_difference = standard_error * (1.0 - self.share).max(0.0).sqrt();
        let of_rest = normal_above(0.5 * level) * standard_error * self.share.sqrt();
        // The score of the subgroup is Σ w (t − p̂), so one unit of z is |observed − p̂| / |z|. If p̂ includes an
        // overlapping subgroup that was detected before, that is too large.
        let unit = (self.observed - self.recalibrated).abs() / self.z.abs();
        let units = if unit > 0.0 && unit < of_difference { unit / of_difference } else { 1.0 };
        let z = self.z.abs() * units;
        let Conditional { mu, low, high } = conditional_at(z, self.critical * units, level);
        // z is positive for more events than expected: the gap has the opposite sign
        let side = self.gap().signum();
        let middle = side * (mu - z) * of_difference;
        let [a, b] = [low, high].map(|end| {
            let half = side * (end - mu) * of_difference;
            middle + half.signum() * half.hypot(of_rest)
        });
        [middle, a.min(b), a.max(b)]
    }

    /// The gap and its 95 % interval, corrected for selection.
    pub fn corrected(&self) -> [f64; 3] {
        self.selection(1.0 - CONFIDENCE).map(|by| (self.gap() + by).clamp(-1.0, 1.0))
    }

    /// Whether the size of the error is uncertain after correction for selection: the corrected interval includes 0.
    pub fn is_of_uncertain_size(&self) -> bool {
        let [_, low, high] = self.corrected();
        !(low > 0.0 || high < 0.0)
    }

    /// Excess or missing events: rows × |gap|.
    pub fn excess_events(&self) -> f64 {
        self.rows as f64 * self.gap().abs()
    }
}

/// A region of similar rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectedPlace {
    /// columns and arrays that define similarity
    pub features: Vec<String>,
    /// data rows in the region, from 0, ascending
    pub rows: Column<u32>,
    /// columns that distinguish these rows from the others, in words
    pub description: String,
    /// corners of the convex hull of its rows if similarity has two features; otherwise empty
    pub outline: Vec<[f64; 2]>,
}

impl DetectedPlace {
    /// Membership of every one of `n` rows of the data. O(n).
    pub fn inside(&self, n: usize) -> Vec<bool> {
        let mut inside = vec![false; n];
        for &row in self.rows.iter() {
            if let Some(inside) = inside.get_mut(row as usize) {
                *inside = true;
            }
        }
        inside
    }
}

/// Test of a change of calibration over time: periods and trends of date columns, after recalibration by the score alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeTest {
    /// the date column with the smallest p-value
    pub column: String,
    /// p-value adjusted for the two other questions of the finding (Holm)
    pub p: f64,
    /// p-value of the test of time alone
    pub unadjusted: f64,
}

/// Number of candidates tested, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Kinds {
    /// subgroups defined by categories, ranges and pairs of these
    pub subgroups: usize,
    /// periods, trends, and pairs with a period
    pub periods: usize,
    /// regions of similar rows
    pub places: usize,
}

impl Kinds {
    /// Counts of the candidates with a defined z.
    fn of(input: &ScanInput, families: &[Family], z: &[f64]) -> Self {
        let mut found = Self::default();
        for family in families {
            let told = z.iter().skip(family.first).take(family.len).filter(|z| !z.is_nan()).count();
            let dated = |column: usize| input.date_of(Of::Column(column)).is_some();
            match family.of {
                Of::Place(_) => found.places += told,
                Of::Trend(_) => found.periods += told,
                Of::Column(a) if dated(a) => found.periods += told,
                Of::Pair(a, b) if dated(a) || dated(b) => found.periods += told,
                Of::Column(_) | Of::Pair(..) => found.subgroups += told,
            }
        }
        found
    }

    /// Total number of candidates.
    pub fn all(self) -> usize {
        self.subgroups + self.periods + self.places
    }
}

/// Result of the scan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scanned {
    /// significantly miscalibrated subgroups, in the order of detection
    pub named: Vec<DetectedSubgroup>,
    /// why each further significant subgroup is not reported
    pub not_reported: Vec<NotReported>,
    /// of those that overlap others and have the opposite error outside these, the rows outside
    pub remainders: Vec<Remainder>,
    /// smallest gap of a further reported subgroup
    pub least_gap: f64,
    /// the overall error is significant and the detected subgroups do not explain it: gaps are reported after
    /// recalibration by the score alone
    pub beyond: bool,
    /// why no subgroup was tested
    pub not_scanned: Option<NotScanned>,
    /// number of candidates tested
    pub looked_at: usize,
    /// number of candidates tested, by kind
    pub kinds: Kinds,
    /// columns that were scanned
    pub columns: Vec<String>,
    /// columns and arrays that define the similarity of regions
    pub similarity: Vec<String>,
    /// c*: critical value of the largest |z|
    pub critical: f64,
    /// Σ w² v M / Σ w M, the residual variance of one independent row: the median over the subgroups
    pub row_variance: f64,
    /// ρ, the correlation of outcomes within clusters; 0 without clusters
    pub correlation: f64,
    /// m̃ = Σ m² / Σ m, the size of the cluster of a row drawn at random; 1 without clusters
    pub cluster_size: f64,
    /// p-value of the overall test, adjusted for the subgroup scan
    pub overall_p: f64,
    /// p-value of the largest remaining |z| after the detected subgroups; `None` if the search ended before that test
    pub p_of_rest: Option<f64>,
    /// the rows outside the detected subgroups; `None` if no subgroup was detected or too few rows are left
    pub outside: Option<RowsOutside>,
    /// change of calibration over time; `None` without dates
    pub time: Option<TimeTest>,
}

/// The rows of a significant subgroup that are in no other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remainder {
    /// the whole subgroup, in words
    pub description: String,
    /// number of these rows
    pub rows: usize,
    /// mean predicted probability
    pub predicted: f64,
    /// observed proportion of events
    pub observed: f64,
    /// mean predicted probability after recalibration overall, if their error is that beyond it; otherwise null
    pub recalibrated: Option<f64>,
}

impl Remainder {
    /// Predicted − observed, or recalibrated − observed.
    pub fn gap(&self) -> f64 {
        self.recalibrated.unwrap_or(self.predicted) - self.observed
    }
}

/// The rows outside all significant subgroups.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RowsOutside {
    /// number of rows
    pub rows: usize,
    /// mean predicted probability
    pub predicted: f64,
    /// observed proportion of events
    pub observed: f64,
    /// z of the mean error under calibration ([`mean_error`])
    pub mean_z: f64,
    /// p-value of [`score_test`] of these rows
    pub p: f64,
}

impl Scanned {
    /// p-value of the rows outside the detected subgroups, where it decides a statement. If the overall test is not
    /// significant, it is a second question beside further subgroups, and the two are adjusted for each other.
    pub fn p_outside(&self) -> Option<f64> {
        let further = if self.overall_p <= LEVEL { 1.0 } else { 2.0 };
        self.outside.map(|outside| (further * outside.p).min(1.0))
    }

    /// Gap that would be detected with 80% power in a subgroup of `n` rows out of `of`, if a proportion `observed` of all
    /// rows are events: δ = (c* + 0.84 √(v₁/v)) √(v d / (n (1 − n/of))).
    ///
    /// v: [`Scanned::row_variance`]; v₁ = v + δ |1 − 2 observed| − δ², the variance of outcomes with a calibration error
    /// of δ, in the direction in which it increases. The overall fit absorbs n/of of the gap, since it includes the
    /// subgroup. d = 1 + (m̃ − 1) ρ₁, at most m̃, is the design effect of whole clusters, which vary most:
    /// ρ₁ = ρ + δ² (n/of) (1 − n/of) / v, since the error, common to the rows of a cluster, is part of their correlation.
    pub fn detectable(&self, n: usize, of: usize, observed: f64) -> f64 {
        let v = self.row_variance;
        let share = n as f64 / of as f64;
        let further = (self.cluster_size.min(n as f64) - 1.0).max(0.0);
        let with = |gap: f64| {
            let there = v + gap * (1.0 - 2.0 * observed).abs() - gap * gap;
            let correlation = self.correlation + gap * gap * share * (1.0 - share) / v;
            let variance = v * (1.0 + further * correlation.min(1.0)) / (n as f64 * (1.0 - share));
            (self.critical + NORMAL_80 * (there.max(v) / v).sqrt()) * variance.sqrt()
        };
        (0..STEPS_OF_GAP).fold(0.0, |gap, _| with(gap))
    }

    /// Whether the search ended because no other subgroup is significant, and all significant ones are reported.
    pub fn no_other_subgroup(&self) -> bool {
        self.nothing_left() && self.not_reported.is_empty()
    }

    /// Whether the search ended because no other subgroup is significant.
    pub fn nothing_left(&self) -> bool {
        self.p_of_rest.is_some_and(|p| p > LEVEL)
    }

    /// Whether the search ended at [`MOST_DETECTED`] subgroups.
    pub fn is_full(&self) -> bool {
        self.named.len() + self.not_reported.len() >= MOST_DETECTED
    }
}

/// Why a significant subgroup is not reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotReported {
    /// the interval of its error includes 0, or its error has the other sign than z
    Uncertain,
    /// the same, since others within it have the opposite error: see [`Scanned::remainders`]
    Remainder,
    /// its range adjoins or overlaps that of a reported one
    Adjoins,
    /// its gap is below [`Scanned::least_gap`]
    SmallGap,
    /// its excess or missing events are below 1% of the most
    FewEvents,
}

/// Why no subgroup was tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotScanned {
    /// all outcomes are the same
    SameOutcomes,
    /// no column describes the rows
    NoColumns,
    /// no subgroup has this many rows
    Small {
        /// minimum number of rows
        least: usize,
    },
    /// too few outcomes to test subgroups, or the score determines membership
    Untestable,
    /// all scores are 0 or 1, so no variance is left
    SureScores,
}
