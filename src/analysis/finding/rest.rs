//! What would have been seen, had it been there.

use serde::{Deserialize, Serialize};

use super::Overall;
use crate::data::View;
use crate::scan::{MOST_NAMED, Scanned, Unlooked};
use crate::words::number::{count, points_size};

/// Rows of the slices that are told of.
const ROWS: [usize; 3] = [100, 200, 1000];
/// Of them the one in sentences.
const SAID: usize = 200;

/// What a finding says of all others where somebody was named.
pub(super) const ELSEWHERE_RIGHT: &str = "Elsewhere right within chance.";
/// What it says where all scores are off.
pub(super) const NOBODY_BEYOND: &str = "Nobody is off beyond that.";

/// About all that was looked at and not named.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rest {
    /// slices that were looked at
    pub looked_at: usize,
    /// gaps that would have been seen four times in five
    pub detectable: Vec<Detectable>,
    /// the same in words
    pub sentence: String,
}

/// What would have been seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Detectable {
    /// in a slice of so many rows
    pub rows: usize,
    /// a gap of this size, four times in five
    pub gap: f64,
}

impl Rest {
    /// [`Scanned::detectable`] of slices of 100, 200 and 1,000 rows, as far as there are so many, else of half of them.
    ///
    /// * `overall`: all scored rows
    pub(super) fn of(scanned: &Scanned, overall: &Overall) -> Self {
        let rows = overall.rows;
        let detectable = |n: usize| Detectable { rows: n, gap: scanned.detectable(n, rows, overall.happened) };
        let known = scanned.looked_at > 0 && scanned.critical.is_finite();
        let mut sizes: Vec<usize> = ROWS.into_iter().filter(|n| *n < rows).collect();
        if sizes.is_empty() {
            sizes.push(rows.div_ceil(2));
        }
        let found = sizes.into_iter().filter(|_| known).map(detectable);
        let mut rest = Rest {
            looked_at: scanned.looked_at,
            detectable: found.filter(|one| one.gap < 1.0).collect(),
            sentence: String::new(),
        };
        rest.sentence = match (rest.seen(), scanned.looked_at > 0 && scanned.nothing_left()) {
            (Some(seen), true) => format!("{} {seen}", rest.looked(scanned, overall.view)),
            _ => rest.looked(scanned, overall.view),
        };
        rest
    }

    /// Whom it looked at, and whether anybody else stands out; not what would have been seen.
    pub(super) fn looked(&self, scanned: &Scanned, view: View) -> String {
        if scanned.looked_at == 0 {
            let why = match (scanned.unlooked, view) {
                (Some(Unlooked::SameOutcomes), View::Positive) => "All outcomes are the same".to_owned(),
                (Some(Unlooked::SameOutcomes), View::TopLabel) => {
                    "Every prediction is right, or every one is wrong".to_owned()
                }
                (Some(Unlooked::SureScores), _) => "All scores are 0 or 1".to_owned(),
                (Some(Unlooked::Small { least }), _) => {
                    format!("No group and no range, smaller than all rows together, has {} rows", count(least as u64))
                }
                (Some(Unlooked::Alike), _) => {
                    "Outcomes are too few to tell groups apart, or the score tells who is in them".to_owned()
                }
                (Some(Unlooked::NoColumns) | None, _) => "No column says who a row is".to_owned(),
            };
            return format!("{why}: nobody was looked at apart.");
        }
        let slices = if self.looked_at == 1 { "slice" } else { "slices" };
        let of = match scanned.columns.len() {
            1 => "1 column".to_owned(),
            columns => format!("{columns} columns"),
        };
        let looking = format!("looking at {} {slices} of {of}.", count(self.looked_at as u64));
        let untold = match scanned.untold {
            0 => String::new(),
            1 => "1 more slice is off by more than chance, too little to be told or at the ends of one that is. "
                .to_owned(),
            more => {
                format!(
                    "{more} more slices are off by more than chance, too little to be told or at the ends of one that is. "
                )
            }
        };
        if scanned.nothing_left() {
            let nobody = if scanned.named.is_empty() { "Nobody" } else { "Nobody else" };
            return format!("{untold}{nobody} is off by more than chance would show, {looking}");
        }
        if scanned.is_full() {
            return format!("{untold}The search ended at {MOST_NAMED} slices, others may be off, too, {looking}");
        }
        format!("{untold}Beside them no slice is left that could be told apart, {looking}")
    }

    /// What the finding has not said yet.
    ///
    /// * `said`: the sentence of the finding
    pub(in crate::analysis) fn beside(&self, said: &str) -> String {
        let seen = self.seen().filter(|_| self.looked_at > 0).unwrap_or_default();
        let about = self.sentence.strip_suffix(seen.as_str()).unwrap_or(&self.sentence).trim_end();
        let nobody_is_said = [ELSEWHERE_RIGHT, NOBODY_BEYOND].iter().any(|words| said.contains(words));
        let about = match (nobody_is_said, said.contains(about)) {
            (true, _) => format!("{} slices of the rows were looked at.", count(self.looked_at as u64)),
            (false, true) => String::new(),
            (false, false) => about.to_owned(),
        };
        let seen = if said.contains(seen.as_str()) { "" } else { seen.as_str() };
        format!("{about} {seen}").trim().to_owned()
    }

    /// "A gap of 6.0 points in 200 rows would have been seen four times in five."
    pub(super) fn seen(&self) -> Option<String> {
        let said = self.detectable.iter().find(|one| one.rows == SAID).or(self.detectable.last())?;
        Some(format!(
            "A gap of {} in {} rows would have been seen four times in five.",
            points_size(said.gap),
            count(said.rows as u64)
        ))
    }
}
