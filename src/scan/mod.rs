//! For whom scores are wrong: every slice of the rows looked at once, with one correction for having looked everywhere.
//!
//! Two questions are kept apart. *Overall*: are outcomes what the scores say ([`score_test`])? *For whom, beyond that*: whose
//! outcomes differ from what a repair that sees only the score could make of them ([`Round`])?

mod basis;
mod cut;
mod fit;
mod ground;
mod joint;
mod look;
mod overall;
mod redraw;
mod rounds;
mod selected;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::data::slice::Slice;

pub use cut::{MOST_PAIRED as PAIRED_VALUES, MOST_VALUES};
pub use ground::{Family, Ground, MOST_PAIRED as PAIRED_COLUMNS, arrays_not_looked_at, columns_looked_at};
pub use look::{Looked, look};
pub use overall::{ScoreTest, ScoreTests, score_test};
pub use redraw::TOGETHER;
pub use rounds::{ALONE, Round, holm};
pub use selected::{Conditional, conditional, conditional_at};

/// Redraws behind the largest |z|: 319 and the file itself are 320, of which 16 are 5 %, and 8 are half of that.
pub const REDRAWS: usize = 319;
/// Up to so many rows outcomes are redrawn one by one; beyond, blocks of rows get random signs.
pub const EXACT_ROWS: usize = 50_000;
/// Blocks of rows.
pub const BLOCKS: usize = 2_000;
/// The 80 % quantile of the standard normal distribution: four times in five.
const NORMAL_80: f64 = 0.841_621_233_572_914_2;
/// Slices that are looked for at most.
pub const MOST_NAMED: usize = 8;

/// A slice that is off by more than chance, everything that was looked at counted in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Named {
    /// who
    pub slice: Slice,
    /// scored rows of it
    pub rows: usize,
    /// mean score
    pub says: f64,
    /// share that happened
    pub happened: f64,
    /// lower end of the 95 % interval of says − happened
    pub low: f64,
    /// upper end
    pub high: f64,
    /// the mean of the scores once they are mended overall by what the score alone can mend
    pub mended: f64,
    /// z of the orthogonalised score, in units of its standard deviation; above 0: more happened than expected
    pub z: f64,
    /// chance of a largest |z| like this on a file where nothing but what is named before is off
    pub p: f64,
    /// its gap is that of the mended scores: who is off beyond what the score alone could mend, and not plainly
    pub beyond: bool,
}

impl Named {
    /// says − happened, or mended − happened where that is what is told; above 0: scores are too high.
    pub fn gap(&self) -> f64 {
        if self.beyond { self.mended - self.happened } else { self.says - self.happened }
    }

    /// 95 % interval of the gap: that of says − happened, moved by what mending moves the mean.
    pub fn interval(&self) -> [f64; 2] {
        let moved = if self.beyond { self.mended - self.says } else { 0.0 };
        [(self.low + moved).max(-1.0), (self.high + moved).min(1.0)]
    }

    /// rows × |gap|: how many rows' worth of outcomes the scores are wrong by.
    pub fn harm(&self) -> f64 {
        self.rows as f64 * self.gap().abs()
    }
}

/// What the scan found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scanned {
    /// slices that are off beyond chance, in the order in which they were found
    pub named: Vec<Named>,
    /// slices that are off beyond chance, too, but by too little to be told or at the ends of one that is
    pub untold: usize,
    /// all rows together are off, and the slices that were found do not account for it: gaps are told beyond what the
    /// score alone could mend
    pub beyond: bool,
    /// why no slice was looked at
    pub unlooked: Option<Unlooked>,
    /// slices that were looked at
    pub looked_at: usize,
    /// columns that were looked at
    pub columns: Vec<String>,
    /// c*: a largest |z| above this would have been named
    pub critical: f64,
    /// Σ w² v M / Σ w M of the slices, their median: the variance of one row's residual
    pub row_variance: f64,
    /// chance of as much as all rows together show, corrected for having looked for whom
    pub overall_p: f64,
    /// chance of what stands out most beside the slices that were found; none where the search ended before it was asked
    pub p_of_rest: Option<f64>,
    /// chance of as much as the rows beside all slices that were found show together; none where no slice was, or too
    /// few rows are left to tell
    pub elsewhere: Option<f64>,
}

impl Scanned {
    /// A gap that would have been named four times in five in a slice of `n` rows out of `of`, a share `happened` of all having
    /// the outcome:
    /// δ = (c* + 0.84 √(v₁/v)) √(v / (n (1 − n/of))).
    ///
    /// v: [`Scanned::row_variance`]; v₁ = v + δ |1 − 2 share| − δ², the variance of outcomes that are off by δ, to the side
    /// where it grows; the slice's own part of the fit of all rows hides n/of of its gap.
    pub fn detectable(&self, n: usize, of: usize, happened: f64) -> f64 {
        let v = self.row_variance;
        let rows = n as f64 * (1.0 - n as f64 / of as f64);
        let each = (v / rows).sqrt();
        let about = (self.critical + NORMAL_80) * each;
        let there = v + about * (1.0 - 2.0 * happened).abs() - about * about;
        (self.critical + NORMAL_80 * (there.max(v) / v).sqrt()) * each
    }

    /// Whether the search ended because nobody else stands out, and nobody who does is left untold.
    pub fn nobody_else(&self) -> bool {
        self.nothing_left() && self.untold == 0
    }

    /// Whether the search ended because nobody else stands out.
    pub fn nothing_left(&self) -> bool {
        self.p_of_rest.is_some_and(|p| p > rounds::LEVEL)
    }

    /// Whether the search ended at [`MOST_NAMED`] slices.
    pub fn is_full(&self) -> bool {
        self.named.len() + self.untold >= MOST_NAMED
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
