//! For whom scores are wrong: every slice of the rows looked at once, with one correction for having looked everywhere.
//!
//! Two questions are kept apart. *Overall*: are outcomes what the scores say ([`score_test`])? *For whom, beyond that*: whose
//! outcomes differ from what a repair that sees only the score could make of them ([`Round`])?

mod basis;
mod cut;
mod fit;
mod ground;
mod look;
mod overall;
mod redraw;
mod rounds;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::data::slice::Slice;

pub use ground::{Family, Ground, columns_looked_at, share};
pub use look::{Looked, look};
pub use overall::{ScoreTest, score_test};
pub use rounds::{Round, holm};

/// Redraws behind the largest |z|: 319 and the file itself are 320, of which 16 are 5 %, and 8 are half of that.
pub const REDRAWS: usize = 319;
/// Up to so many rows outcomes are redrawn one by one; beyond, blocks of rows get random signs.
pub const EXACT_ROWS: usize = 50_000;
/// Blocks of rows.
pub const BLOCKS: usize = 2_000;
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
}

impl Named {
    /// says − happened; above 0: scores are too high.
    pub fn gap(&self) -> f64 {
        self.says - self.happened
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
    /// slices that were looked at
    pub looked_at: usize,
    /// columns that were looked at
    pub columns: Vec<String>,
    /// c*: a largest |z| above this would have been named
    pub critical: f64,
    /// V / Σ M of the slices, their median: the variance of one row's residual
    pub row_variance: f64,
    /// chance of as much as all rows together show, corrected for having looked for whom
    pub overall_p: f64,
    /// chance of what stands out most beside the named slices
    pub p_of_rest: Option<f64>,
    /// chance of as much as the rows beside the named slices show together; none where no slice is named
    pub elsewhere: Option<f64>,
}
