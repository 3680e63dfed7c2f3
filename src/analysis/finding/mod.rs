//! The finding: is it right overall, for whom is it wrong beyond that, and what would mend it. One sentence that survives
//! chance, then its parts.

mod advice;
mod overall;
mod plan;
mod request;
mod rest;
mod words;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, Undrawn};
use crate::data::slice::{Condition, Slice};
use crate::plot::chart::Screen;
use crate::report::sheet::{Block, Sheet};
use crate::report::verdict::Verdict;
use crate::scan::Named;

pub use crate::scan::{Ground, Looked, Round, Scanned};
pub use advice::{Advice, Advise, Advised, Considered, Judge, Judged, Mended};
pub use overall::Overall;
pub(in crate::analysis) use overall::told;
pub use plan::{Begin, Look, LookAtRows, Name, Scan, TestOverall, WriteFinding};
pub use request::{FindingRequest, PartName, Rank};
pub use rest::{Detectable, Rest};

/// Slices of fewer rows are not looked at, unless someone says otherwise.
pub const LEAST: usize = 30;

/// What `data.analyse("finding")` resolves to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingOutcome {
    /// what may be said, in one sentence or two
    pub sentence: String,
    /// nothing is off beyond chance, neither overall nor for anybody
    pub chance: bool,
    /// numbers of all rows together, by metric id
    pub overall: BTreeMap<String, Estimate>,
    /// rows that belong together; null where they are independent
    #[serde(default)]
    pub clusters: Option<FoundClusters>,
    /// for whom: slices that are off beyond chance, everything that was looked at counted in, ranked
    pub whom: Vec<Whom>,
    /// about all other slices
    pub rest: Rest,
    /// what to do; null where none was asked for
    pub advice: Option<Advice>,
    /// the parts that were asked for, each with its sentence
    pub parts: Vec<Part>,
    /// the blocks of the parts, one after the other
    pub sheet: Sheet,
    /// what the sentence stands on
    pub verdict: Verdict,
}

/// Rows that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoundClusters {
    /// name of the column
    pub column: String,
    /// clusters of the scored rows
    pub count: usize,
    /// correlation of outcomes within clusters beyond a logistic recalibration of the scores, 0 to 1
    pub icc: f64,
}

/// The same, its charts not drawn yet.
pub type UndrawnFinding = Undrawn<FindingOutcome>;
/// Draws it.
pub type ShowFinding = Show<FindingOutcome>;

impl HasCharts for FindingOutcome {
    fn draw(&mut self, screen: &Screen) {
        for part in &mut self.parts {
            let blocks = std::mem::take(&mut part.blocks);
            let mut drawn = Sheet { fields: Vec::new(), blocks };
            drawn.draw(screen);
            part.blocks = drawn.blocks;
        }
        self.sheet.blocks = self.parts.iter().flat_map(|part| part.blocks.iter().cloned()).collect();
    }
}

/// A number with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// null where it is not defined
    pub value: Option<f64>,
    /// lower end; null where there is no interval
    pub low: Option<f64>,
    /// upper end
    pub high: Option<f64>,
    /// what the interval belongs to, of numbers that noise pushes upwards
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<f64>,
}

/// A slice that is off beyond chance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Whom {
    /// who, in words
    pub description: String,
    /// columns that say who
    pub columns: Vec<String>,
    /// scored rows
    pub rows: usize,
    /// mean score
    pub says: f64,
    /// share that happened
    pub happened: f64,
    /// says − happened
    pub gap: f64,
    /// lower end of its 95 % interval
    pub low: f64,
    /// upper end
    pub high: f64,
    /// chance of as much on a calibrated file, corrected for everything that was looked at
    pub p: f64,
    /// rows × |gap|, of the mended scores where those are told
    pub harm: f64,
    /// who, for machines: see [`Slice`]
    pub conditions: Vec<Condition>,
    /// mean score once scores are mended overall, where the slice is told to be off beyond that
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mended: Option<f64>,
}

impl Whom {
    fn of(named: &Named) -> Self {
        Self {
            description: named.slice.description(),
            columns: named.slice.columns(),
            rows: named.rows,
            says: named.says,
            happened: named.happened,
            gap: named.says - named.happened,
            low: named.low,
            high: named.high,
            p: named.p,
            harm: named.harm(),
            conditions: named.slice.conditions.clone(),
            mended: named.beyond.then_some(named.mended),
        }
    }

    /// The rows it is about.
    pub fn slice(&self) -> Slice {
        Slice { conditions: self.conditions.clone() }
    }
}

/// A part of the finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// which
    pub id: PartName,
    /// its sentence
    pub heading: String,
    /// figures, numbers, tables
    pub blocks: Vec<Block>,
}
