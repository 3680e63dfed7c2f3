//! For whom scores are wrong: every slice of the rows looked at once, with one correction for having looked everywhere.
//!
//! Two questions are kept apart. *Overall*: are outcomes what the scores say ([`score_test`])? *For whom, beyond that*: whose
//! outcomes differ from what a repair that sees only the score could make of them ([`Round`])?

mod basis;
mod candidate;
mod clustered;
mod cut;
mod dependence;
mod fit;
mod ground;
mod joint;
mod look;
mod overall;
mod places;
mod redraw;
mod rounds;
mod score;
mod selected;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::data::subgroup::Subgroup;
use crate::error::Result;
use crate::local::NORMAL_975;
use crate::table::Column;

pub use candidate::{Candidate, Singles};
pub use cut::{MOST_PAIRED as PAIRED_VALUES, MOST_VALUES};
pub use ground::{Family, Ground, MOST_PAIRED as PAIRED_COLUMNS, Of, Sought, columns_looked_at, dates_looked_at};
pub use look::look;
pub use overall::{MeanError, ScoreTest, ScoreTests, mean_error, score_test, score_test_of_counts};
pub use places::Places;
pub use redraw::TOGETHER;
pub use rounds::Round;
pub use score::Looked;
pub use selected::{Conditional, conditional, conditional_at};

/// Redraws behind the largest |z|: 319 and the file itself are 320, of which 16 are 5 %, and 8 are half of that.
pub const REDRAWS: usize = 319;
/// Up to so many rows outcomes are redrawn one by one; beyond, blocks of rows get random signs.
pub const EXACT_ROWS: usize = 50_000;
/// Blocks of rows.
pub const BLOCKS: usize = 2_000;
/// The 80 % quantile of the standard normal distribution: four times in five.
const NORMAL_80: f64 = 0.841_621_233_572_914_2;
/// Of the intervals of gaps.
const CONFIDENCE: f64 = 0.95;
/// Subgroups that are searched for at most.
pub const MOST_DETECTED: usize = 8;

/// A significantly miscalibrated subgroup, after adjustment for all candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectedSubgroup {
    /// definition of the subgroup; without conditions if it is a region of similar rows
    pub slice: Subgroup,
    /// the region of similar rows; null for a subgroup that is defined by conditions
    pub place: Option<DetectedPlace>,
    /// number of scored rows in the subgroup
    pub rows: usize,
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
    /// Who, in words.
    pub fn description(&self) -> String {
        self.place.as_ref().map_or_else(|| self.slice.description(), |place| place.description.clone())
    }

    /// For every row of the data, whether it is in it. O(n).
    ///
    /// # Errors
    /// Those of [`Subgroup::rows`].
    pub fn inside(&self, data: &Predictions) -> Result<Vec<bool>> {
        self.place.as_ref().map_or_else(|| self.slice.rows(data), |place| Ok(place.inside(data.rows)))
    }

    /// predicted − observed, or recalibrated − observed where that is what is told; above 0: scores are too high.
    pub fn gap(&self) -> f64 {
        if self.beyond { self.recalibrated - self.observed } else { self.predicted - self.observed }
    }

    /// 95 % interval of the gap: that of predicted − observed, moved by what mending moves the mean.
    pub fn interval(&self) -> [f64; 2] {
        let moved = if self.beyond { self.recalibrated - self.predicted } else { 0.0 };
        [(self.low + moved).max(-1.0), (self.high + moved).min(1.0)]
    }

    /// What the gap is moved by to correct it for having been named because it was large, and what its ends are away from it then:
    /// the conditional estimate of z less z, in standard errors of the gap. Source: see [`conditional_at`].
    ///
    /// z is in units of the standard error where the slice is calibrated, which it is not: z and c* are taken in units of that of
    /// the outcomes as they are, without which intervals hold the truth in 93 of 100 cases.
    ///
    /// * `level`: share of intervals that may miss
    pub fn selection(&self, level: f64) -> [f64; 3] {
        let [low, high] = self.interval();
        let standard_error = (high - low) / (2.0 * NORMAL_975);
        // The score of the slice is Σ w (t − p̂): one unit of z is |observed − p̂| / |z|. Where p̂ knows a slice that was named
        // before and overlaps this one, that is too much.
        let unit = (self.observed - self.recalibrated).abs() / self.z.abs();
        let units = if unit > 0.0 && unit < standard_error { unit / standard_error } else { 1.0 };
        let z = self.z.abs() * units;
        let Conditional { mu, low, high } = conditional_at(z, self.critical * units, level);
        // z is above 0 where more events: the gap has the other sign
        let side = self.gap().signum();
        let [middle, a, b] = [mu, low, high].map(|to| side * (to - z) * standard_error);
        [middle, a.min(b), a.max(b)]
    }

    /// The gap and its 95 % interval, corrected for selection.
    pub fn corrected(&self) -> [f64; 3] {
        self.selection(1.0 - CONFIDENCE).map(|by| (self.gap() + by).clamp(-1.0, 1.0))
    }

    /// Whether chance that it was listed for leaves open how large its error is: the corrected interval includes 0.
    pub fn is_of_uncertain_size(&self) -> bool {
        let [_, low, high] = self.corrected();
        !(low > 0.0 || high < 0.0)
    }

    /// rows × |gap|: how many rows' worth of outcomes the scores are wrong by.
    pub fn harm(&self) -> f64 {
        self.rows as f64 * self.gap().abs()
    }
}

/// Rows that are similar.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectedPlace {
    /// columns and arrays by which they are
    pub features: Vec<String>,
    /// rows of the data, from 0, ascending
    pub rows: Column<u32>,
    /// what distinguishes them from the rest, in words
    pub description: String,
    /// corners of the smallest convex region that holds them, by the two features in their order; empty of any other number
    pub outline: Vec<[f64; 2]>,
}

impl DetectedPlace {
    /// For every one of `n` rows of the data, whether it is in it. O(n).
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

/// Whether calibration changes over time: periods and drift of one column of dates, beyond what the score alone could correct.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeTest {
    /// the column of dates that shows most
    pub column: String,
    /// chance of as much, corrected for the two other questions of the finding (Holm)
    pub p: f64,
    /// the same as if time had been looked at alone
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
    /// Of those that say something.
    fn of(ground: &Ground, families: &[Family], z: &[f64]) -> Self {
        let mut found = Self::default();
        for family in families {
            let told = z.iter().skip(family.first).take(family.len).filter(|z| !z.is_nan()).count();
            let dated = |column: usize| ground.date_of(Of::Column(column)).is_some();
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

    /// All of them.
    pub fn all(self) -> usize {
        self.subgroups + self.periods + self.places
    }
}

/// What the scan found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scanned {
    /// slices that are off beyond chance, in the order in which they were found
    pub named: Vec<DetectedSubgroup>,
    /// slices that are off beyond chance, too, but by too little to be told or at the ends of one that is
    pub untold: usize,
    /// all rows together are off, and the slices that were found do not account for it: gaps are told beyond what the
    /// score alone could correct
    pub beyond: bool,
    /// why no slice was looked at
    pub unlooked: Option<Unlooked>,
    /// candidates that were looked at
    pub looked_at: usize,
    /// the same by kind
    pub kinds: Kinds,
    /// columns that were looked at
    pub columns: Vec<String>,
    /// columns and arrays that define the similarity of places
    pub similarity: Vec<String>,
    /// c*: a largest |z| above this would have been named
    pub critical: f64,
    /// Σ w² v M / Σ w M of the slices, their median: the variance of one row's residual
    pub row_variance: f64,
    /// chance of as much as all rows together show, corrected for having looked for whom
    pub overall_p: f64,
    /// chance of what stands out most beside the slices that were found; none where the search ended before it was asked
    pub p_of_rest: Option<f64>,
    /// the rows that are in none of the subgroups that were found; none where none was, or too few rows are left to tell
    pub outside: Option<RowsOutside>,
    /// whether calibration changes over time; none without dates
    pub time: Option<TimeTest>,
}

/// Rows that are in no significant subgroup, together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RowsOutside {
    /// how many there are
    pub rows: usize,
    /// mean score
    pub predicted: f64,
    /// observed share of events
    pub observed: f64,
    /// z of the mean error where every score is right ([`mean_error`])
    pub mean_z: f64,
    /// p-value of [`score_test`] of these rows
    pub p: f64,
}

impl Scanned {
    /// p-value of the rows outside all subgroups that were found, where it decides what is said: where all rows together are
    /// not significant, it is a further question beside that of further subgroups, and both are corrected for each other.
    pub fn p_outside(&self) -> Option<f64> {
        let further = if self.overall_p <= rounds::LEVEL { 1.0 } else { 2.0 };
        self.outside.map(|outside| (further * outside.p).min(1.0))
    }

    /// A gap that would have been named four times in five in a slice of `n` rows out of `of`, a share `observed` of all having
    /// the outcome:
    /// δ = (c* + 0.84 √(v₁/v)) √(v / (n (1 − n/of))).
    ///
    /// v: [`Scanned::row_variance`]; v₁ = v + δ |1 − 2 share| − δ², the variance of outcomes that are off by δ, to the side
    /// where it grows; the slice's own part of the fit of all rows hides n/of of its gap.
    pub fn detectable(&self, n: usize, of: usize, observed: f64) -> f64 {
        let v = self.row_variance;
        let rows = n as f64 * (1.0 - n as f64 / of as f64);
        let each = (v / rows).sqrt();
        let about = (self.critical + NORMAL_80) * each;
        let there = v + about * (1.0 - 2.0 * observed).abs() - about * about;
        (self.critical + NORMAL_80 * (there.max(v) / v).sqrt()) * each
    }

    /// Whether the search ended because no other subgroup is significant, and none that is goes unreported.
    pub fn no_other_subgroup(&self) -> bool {
        self.nothing_left() && self.untold == 0
    }

    /// Whether the search ended because no other subgroup is significant.
    pub fn nothing_left(&self) -> bool {
        self.p_of_rest.is_some_and(|p| p > rounds::LEVEL)
    }

    /// Whether the search ended at [`MOST_DETECTED`] slices.
    pub fn is_full(&self) -> bool {
        self.named.len() + self.untold >= MOST_DETECTED
    }
}

/// Why no slice was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unlooked {
    /// all outcomes are the same
    SameOutcomes,
    /// no column says who a row is
    NoColumns,
    /// no group has so many rows
    Small {
        /// rows
        least: usize,
    },
    /// outcomes are too few to tell groups apart, or the score tells who is in them
    Alike,
    /// all scores are 0 or 1: nothing is left to chance
    SureScores,
}
