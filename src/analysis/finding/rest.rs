//! What was looked at beside what was named, and what would have been found.

use serde::{Deserialize, Serialize};

use super::Overall;
use crate::data::View;
use crate::num::special::NORMAL_975;
use crate::report::disclosure::Basis;
use crate::report::gap::predicate;
use crate::report::verdict::LEVEL;
use crate::scan::{Kinds, MOST_DETECTED, NotReported, NotScanned, Remainder, Scanned};
use crate::words::number::{count, percent, percentage_points};
use crate::words::text::{capitalized, counted, enumerated};

/// Rows of the subgroups that are told of.
const ROWS: [usize; 3] = [100, 200, 1000];
/// Of them the one in sentences.
const IN_SENTENCES: usize = 200;

/// What is said where no subgroup was asked for.
pub(super) const NOT_EXAMINED: &str = "Subgroups have not been examined.";

/// What was tested for itself where a significant subgroup is not listed.
pub(super) const OUTSIDE_ALL: &str = "rows outside all significant subgroups";

/// Summary of everything that was tested and not reported.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rest {
    /// number of candidates tested
    pub looked_at: usize,
    /// number of candidates tested, by kind
    pub kinds: Kinds,
    /// of significant subgroups that overlap others and have the opposite error outside these, the rows outside
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remainders: Vec<Remainder>,
    /// gaps detectable with 80% power
    pub detectable: Vec<Detectable>,
    /// columns that define no candidate
    pub not_examined: Vec<String>,
    /// what was tested: "480 subgroups, 31 periods and 600 regions"
    pub scope: String,
    /// whether any other subgroup is significant, without the power
    #[serde(skip)]
    pub(super) looked: String,
    /// calibration of the rows outside the significant subgroups, if significant while the overall error is not
    #[serde(skip)]
    pub(super) outside: Option<String>,
    #[serde(skip)]
    found: SearchEnd,
    /// rows are clustered: subgroups that divide clusters have more power than stated
    #[serde(skip)]
    clustered: bool,
    /// mean score of all rows
    #[serde(skip)]
    predicted: f64,
    /// this summary as sentences
    pub sentence: String,
}

/// How the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum SearchEnd {
    /// nothing was looked at, or the search did not end
    #[default]
    Unknown,
    /// nothing is significant
    Nothing,
    /// nothing but what is named
    NothingElse,
}

/// What would have been found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Detectable {
    /// number of rows of a subgroup
    pub rows: usize,
    /// a gap of this size, with 80% power
    pub gap: f64,
}

impl Rest {
    /// [`Scanned::detectable`] of subgroups of 100, 200 and 1,000 rows, as far as there are so many and subgroups of so
    /// many are tested, else of half of them.
    ///
    /// * `overall`: all scored rows; `not_examined`: columns; `least`: minimum number of rows of a subgroup
    pub(super) fn of(scanned: &Scanned, overall: &Overall, not_examined: Vec<String>, least: usize) -> Self {
        let rows = overall.rows;
        let detectable = |n: usize| Detectable { rows: n, gap: scanned.detectable(n, rows, overall.observed) };
        let known = scanned.looked_at > 0 && scanned.critical.is_finite();
        let mut sizes: Vec<usize> = ROWS.into_iter().filter(|n| (least..rows).contains(n)).collect();
        if sizes.is_empty() {
            sizes.push(rows.div_ceil(2).max(least));
        }
        let found = sizes.into_iter().filter(|_| known).map(detectable);
        let mut rest = Rest {
            looked_at: scanned.looked_at,
            kinds: scanned.kinds,
            remainders: scanned.remainders.clone(),
            detectable: found.filter(|one| one.gap < 1.0).collect(),
            not_examined,
            scope: scope(scanned.kinds),
            found: match scanned.looked_at > 0 && scanned.no_other_subgroup() {
                false => SearchEnd::Unknown,
                true if scanned.named.is_empty() => SearchEnd::Nothing,
                true => SearchEnd::NothingElse,
            },
            clustered: scanned.cluster_size > 1.0,
            predicted: overall.predicted,
            ..Rest::default()
        };
        rest.outside = outside(scanned, overall.view);
        rest.looked = rest.looked(scanned, overall);
        rest.sentence = match (rest.power(), scanned.looked_at > 0 && scanned.nothing_left()) {
            (Some(power), true) => format!("{} {power}", rest.looked),
            _ => rest.looked.clone(),
        };
        rest
    }

    /// What its sentences state of some rows alone: the rows that a remainder leaves of its subgroup and of the listed ones may be
    /// few, and are not counted here, so that nothing is said of it where small counts are suppressed.
    pub(in crate::analysis) fn basis(&self) -> Option<Basis> {
        (!self.remainders.is_empty()).then_some(Basis::Unknown)
    }

    /// Nothing of what was looked at, while the ranking is reversed; `dated`: change over time was tested.
    pub(super) fn left_out(dated: bool) -> Self {
        let what = if dated { "Subgroups and change over time" } else { "Subgroups" };
        let sentence = format!("{what} are left out while the ranking is reversed.");
        Rest { looked: sentence.clone(), sentence, ..Rest::default() }
    }

    /// Whether all that was looked at is within chance.
    pub(super) fn nothing_found(&self) -> bool {
        self.found == SearchEnd::Nothing
    }

    /// Whether all that was looked at beside what is named is within chance.
    pub(super) fn nothing_else(&self) -> bool {
        self.found == SearchEnd::NothingElse
    }

    /// What was looked at, and whether anything else is significant; not the power.
    fn looked(&self, scanned: &Scanned, overall: &Overall) -> String {
        if scanned.looked_at == 0 {
            let why = match (scanned.not_scanned, overall.view) {
                (Some(NotScanned::SameOutcomes), View::Positive) => "all outcomes are the same".to_owned(),
                (Some(NotScanned::SameOutcomes), View::TopLabel) => {
                    "all predictions are correct, or all are incorrect".to_owned()
                }
                (Some(NotScanned::SureScores), _) => "all scores are 0 or 1".to_owned(),
                (Some(NotScanned::Small { least }), _) => {
                    format!("no category or range that divides the rows has {} of them", count(least as u64))
                }
                (Some(NotScanned::Untestable), _) if overall.is_separated() => {
                    "the scores separate the outcomes completely (AUROC 1), which suggests leakage".to_owned()
                }
                (Some(NotScanned::Untestable), _) => {
                    "too few outcomes, or scores that separate the outcomes or determine membership".to_owned()
                }
                (Some(NotScanned::NoColumns) | None, _) => "no column describes the rows".to_owned(),
            };
            return format!("Subgroups were not tested: {why}.");
        }
        let further = not_listed(scanned);
        if scanned.nothing_left() {
            let scope = &self.scope;
            return match scanned.named.is_empty() {
                true if scanned.overall_p <= LEVEL => {
                    format!(
                        "{further}No subgroup is significantly miscalibrated beyond the overall error ({scope} tested)."
                    )
                }
                true => format!("{further}No significant miscalibration in any of {scope}."),
                false => match (&self.outside, scanned.beyond) {
                    (Some(outside), _) => {
                        format!(
                            "{further}{outside}; no further subgroup differs significantly from these ({scope} tested)."
                        )
                    }
                    (None, true) => {
                        format!(
                            "{further}No further subgroup is significant beyond the overall error ({scope} tested)."
                        )
                    }
                    // further ones: they are tested given those that are listed, which may account for part of their errors
                    (None, false) => format!("{further}No further subgroup is significant ({scope} tested)."),
                },
            };
        }
        if scanned.is_full() {
            return format!(
                "{further}The search stops at {MOST_DETECTED} subgroups; others of the {} may also be miscalibrated.",
                self.scope
            );
        }
        format!("{further}No other testable subgroup remains ({} tested).", self.scope)
    }

    /// What the finding has not said yet.
    ///
    /// * `said`: the sentence of the finding
    pub(in crate::analysis) fn beside(&self, said: &str) -> String {
        let power = self.power().filter(|power| !said.contains(power.as_str())).unwrap_or_default();
        let about = self.sentence.strip_suffix(power.as_str()).unwrap_or(&self.sentence).trim_end();
        let about = match said.contains(&self.scope) && !self.scope.is_empty() || said.contains(about) {
            true => "",
            false => about,
        };
        format!("{about} {power}").trim().to_owned()
    }

    /// "Power was 80% for a gap of 6.0 percentage points in one of these subgroups with 200 rows." With clusters "at least 80%",
    /// which is the power in a subgroup of whole clusters. Of scores near 0 or 1 an error can be that large to one side alone.
    pub(super) fn power(&self) -> Option<String> {
        let said = self.detectable.iter().find(|one| one.rows == IN_SENTENCES).or(self.detectable.last())?;
        let error = match (said.gap > self.predicted, said.gap > 1.0 - self.predicted) {
            (true, true) => {
                let rows = count(said.rows as u64);
                return Some(format!("Power was below 80% for any gap in one of these subgroups with {rows} rows."));
            }
            (true, false) => "an underestimate",
            (false, true) => "an overestimate",
            (false, false) => "a gap",
        };
        Some(format!(
            "Power was {}80% for {error} of {} in one of these subgroups with {} rows.",
            if self.clustered { "at least " } else { "" },
            percentage_points(said.gap),
            count(said.rows as u64)
        ))
    }
}

/// "3 further significant subgroups are not listed: gap below 2 percentage points (2), borders meeting a listed one (1). "
fn not_listed(scanned: &Scanned) -> String {
    let reasons = [
        (NotReported::SmallGap, format!("gap below {}", percentage_points(scanned.least_gap))),
        (NotReported::Uncertain, "interval including 0".to_owned()),
        (NotReported::Remainder, "opposite error outside the others".to_owned()),
        (NotReported::FewEvents, "excess below 1% of the largest".to_owned()),
        (NotReported::Adjoins, "borders meeting a listed one".to_owned()),
    ];
    let with_number = |(reason, words): (NotReported, String)| {
        let number = scanned.not_reported.iter().filter(|one| **one == reason).count();
        (number > 0).then_some((number, words))
    };
    let found: Vec<(usize, String)> = reasons.into_iter().filter_map(with_number).collect();
    let subgroups = match scanned.not_reported.len() {
        0 => return String::new(),
        1 => "1 further significant subgroup is not listed".to_owned(),
        more => format!("{} further significant subgroups are not listed", count(more as u64)),
    };
    let why: Vec<String> = match found.as_slice() {
        [(_, only)] => vec![only.clone()],
        several => several.iter().map(|(number, words)| format!("{words} ({number})")).collect(),
    };
    format!("{subgroups}: {}. ", why.join(", "))
}

/// "Probabilities of the other 1,983 rows are overestimated (predicted 20.1%, observed 14.1%)": that a subgroup is underestimated
/// does not make the others right. None where they are not significant, or what is said of all rows says it.
fn outside(scanned: &Scanned, view: View) -> Option<String> {
    let outside = scanned.outside.filter(|_| !scanned.beyond && scanned.p_outside().is_some_and(|p| p <= LEVEL))?;
    let n = count(outside.rows as u64);
    let rows = match scanned.not_reported.len() {
        0 => format!("the other {n} rows"),
        _ => format!("the {n} {OUTSIDE_ALL}"),
    };
    let (predicted, observed) = view.terms();
    let both = format!("{predicted} {}, {observed} {}", percent(outside.predicted), percent(outside.observed));
    Some(match outside.mean_z.abs() > NORMAL_975 {
        true => {
            format!(
                "{} of {rows} {} ({both})",
                view.subject(),
                predicate(view, "", outside.predicted - outside.observed)
            )
        }
        false => {
            format!("{} are also significantly miscalibrated ({both})", capitalized(&rows))
        }
    })
}

/// "480 subgroups, 31 periods and 600 regions".
fn scope(kinds: Kinds) -> String {
    let each = [(kinds.subgroups, "subgroup"), (kinds.periods, "period"), (kinds.places, "region")];
    enumerated(each.into_iter().filter(|(number, _)| *number > 0).map(|(number, one)| counted(number, one)))
}
