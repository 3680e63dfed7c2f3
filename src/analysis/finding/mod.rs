//! The finding: overall calibration, subgroups that are miscalibrated beyond it, and the recommendation. One sentence
//! supported by significance tests, then its parts.

mod advice;
mod classes;
mod few;
mod overall;
mod place;
mod plan;
mod ranking;
mod request;
mod rest;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::Predictions;
use crate::data::grouping::{Grouping, QUANTILES, grouping};
use crate::data::subgroup::{Among, Condition, Subgroup};
use crate::error::Result;
use crate::metric::entry::IntervalKind;
use crate::num::special::{NORMAL_975, wald_p};
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::disclosure::Basis;
use crate::report::sheet::{Block, Sheet};
use crate::report::small_cells::{ColumnCounts, Overlaps};
use crate::report::verdict::{LEVEL, Verdict};
use crate::report::view::method_rows;
use crate::scan::{DetectedPlace, DetectedSubgroup, OVERALL_REDRAWS, REDRAWS, TimeTest};
use crate::words::number::{p_at_most, p_value};
use crate::words::text::uncapitalized;

pub use crate::scan::{Round, ScanInput, ScanStatistics, Scanned};
pub use advice::{Advice, Advise, Advised, Considered, Evaluate, Evaluated, RecalibratedSubgroup, Statement, Topic};
pub use classes::ClassError;
pub use few::{EVENTS_PER_PARAMETER, TooFew};
pub use overall::Overall;
pub(in crate::analysis) use overall::reported_metrics;
pub use plan::{Begin, Name, PrepareScan, Scan, ScanPart, TestOverall, WriteFinding};
pub use ranking::Reversed;
pub use request::{FindingRequest, PartName, Rank};
pub use rest::{Detectable, Rest};

/// Name of an error that is corrected for the selection of its subgroup.
const CORRECTED_ERROR: &str = "corrected error";
/// Default minimum number of rows of a subgroup.
pub const LEAST: usize = 30;

/// Response of `data.analyse("finding")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingOutcome {
    /// the finding, in one or two sentences
    pub sentence: String,
    /// discrimination is reversed (AUROC below ½): is the sentence, and neither subgroups nor change over time nor a
    /// recalibration are reported
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reversed: Option<Reversed>,
    /// the sample is too small to detect relevant miscalibration: comes before everything else in the sentence
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub few: Option<TooFew>,
    /// true if no miscalibration is significant, neither overall nor in any subgroup nor of the probability of a class
    pub chance: bool,
    /// clusters of dependent rows; null if all rows are independent
    pub clusters: Option<OfClusters>,
    /// change of calibration over time; null without dates, and while the ranking is reversed
    pub time: Option<OverTime>,
    /// estimates for all rows, by metric id
    pub overall: BTreeMap<String, Estimate>,
    /// significantly miscalibrated subgroups, adjusted for all tests, ranked
    #[serde(rename = "whom")]
    pub subgroups: Vec<ReportedSubgroup>,
    /// summary of all other subgroups
    pub rest: Rest,
    /// of several classes, whose confidence is examined: the class whose probability is most significantly miscalibrated
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_error: Option<ClassError>,
    /// the recommendation; null if none was requested
    pub advice: Option<Advice>,
    /// the requested parts, each with its sentence
    pub parts: Vec<FindingPart>,
    /// the blocks of the parts, in order
    pub sheet: Sheet,
    /// the evidence for the sentence
    pub verdict: Verdict,
}

/// The response before its charts are drawn.
pub type FindingWithoutCharts = WithoutCharts<FindingOutcome>;
/// The step that draws its charts.
pub type ShowFinding = Show<FindingOutcome>;

impl HasCharts for FindingOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
        let mut drawn = self.sheet.blocks.iter().cloned();
        for part in &mut self.parts {
            part.blocks = drawn.by_ref().take(part.blocks.len()).collect();
        }
    }
}

/// An estimate with its 95% CI.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// the estimate; null if undefined
    pub value: Option<f64>,
    /// lower confidence limit; null without an interval
    pub low: Option<f64>,
    /// upper confidence limit
    pub high: Option<f64>,
    /// estimate corrected for its bias, for metrics that noise inflates: the interval refers to it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<f64>,
    /// method of the interval; null without an interval
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<IntervalKind>,
}

impl Estimate {
    /// Two-sided p of this being `value`, from the width of the interval; none without an interval.
    pub(super) fn wald_p(&self, value: f64) -> Option<f64> {
        let (estimate, error) = (self.value?, (self.high? - self.low?) / (2.0 * NORMAL_975));
        Some(wald_p(estimate - value, error))
    }
}

/// Clusters of dependent rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfClusters {
    /// the cluster column
    pub column: String,
    /// number of clusters among the scored rows
    pub count: usize,
    /// correlation of outcomes within clusters beyond a logistic recalibration of the scores, 0 to 1
    pub icc: f64,
    /// this information as a sentence
    pub sentence: String,
}

/// Change of calibration over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverTime {
    /// the date column
    pub column: String,
    /// p-value of any change in a period or as a trend, adjusted for the overall test and that of subgroups
    pub p: f64,
    /// this result as a sentence
    pub sentence: String,
}

/// An adjusted p-value of the scan: one that was the smallest possible before the adjustment is a bound.
pub(in crate::analysis) fn p_of_scan(p: f64) -> String {
    p_by_redraws(p, REDRAWS)
}

/// The same of the overall test.
fn p_of_overall(p: f64) -> String {
    p_by_redraws(p, OVERALL_REDRAWS)
}

fn p_by_redraws(p: f64, redraws: usize) -> String {
    // of three questions
    let smallest = 3.0 / (redraws + 1) as f64;
    if p <= smallest + 1e-9 { p_at_most(p) } else { p_value(p) }
}

impl OverTime {
    fn of(test: &TimeTest) -> Self {
        let what = match test.p <= LEVEL {
            true => "Calibration changed over time",
            false => "No significant change in calibration over time",
        };
        let p = p_of_scan(test.p);
        let sentence = format!("{what} ({}: periods and linear trend, adjusted {p}).", test.column);
        Self { column: test.column.clone(), p: test.p, sentence }
    }
}

/// Kind of a reported subgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReportedSubgroupKind {
    /// rows that meet conditions
    Subgroup,
    /// rows that meet conditions, one of which is on a date
    Period,
    /// rows that are similar
    Place,
}

/// A significantly miscalibrated subgroup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportedSubgroup {
    /// kind of subgroup
    pub kind: ReportedSubgroupKind,
    /// description of the subgroup
    pub description: String,
    /// columns that define it
    pub columns: Vec<String>,
    /// number of scored rows
    pub rows: usize,
    /// mean predicted probability
    #[serde(rename = "says")]
    pub predicted: f64,
    /// observed proportion of events
    #[serde(rename = "happened")]
    pub observed: f64,
    /// predicted − observed, not corrected for selection
    pub gap: f64,
    /// lower limit of the 95% CI of `gap`
    pub low: f64,
    /// upper limit of that interval
    pub high: f64,
    /// p-value adjusted for all tests
    pub p: f64,
    /// excess or missing events: rows × |gap|; after recalibration overall if `recalibrated` is not null
    #[serde(rename = "harm")]
    pub excess_events: f64,
    /// calibration error with its 95% CI, corrected for selection; after recalibration overall if `recalibrated` is not
    /// null
    pub corrected: Estimate,
    /// conditions that define the subgroup, see [`Subgroup`]; empty for a region of similar rows
    pub conditions: Vec<Condition>,
    /// rows of a region of similar rows; null for other kinds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<DetectedPlace>,
    /// mean predicted probability after recalibration overall; null if the error of the original predictions is reported
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "mended")]
    pub recalibrated: Option<f64>,
}

impl ReportedSubgroup {
    fn of(named: &DetectedSubgroup) -> Self {
        let dated = |condition: &Condition| matches!(condition.is, Among::Dates { .. });
        let [value, low, high] = named.corrected();
        Self {
            kind: match &named.place {
                Some(_) => ReportedSubgroupKind::Place,
                None if named.subgroup.conditions.iter().any(dated) => ReportedSubgroupKind::Period,
                None => ReportedSubgroupKind::Subgroup,
            },
            description: named.description(),
            corrected: Estimate { value: Some(value), low: Some(low), high: Some(high), ..Estimate::default() },
            place: named.place.clone(),
            columns: named.subgroup.columns(),
            rows: named.rows,
            predicted: named.predicted,
            observed: named.observed,
            gap: named.predicted - named.observed,
            low: named.low,
            high: named.high,
            p: named.p,
            excess_events: named.excess_events(),
            conditions: named.subgroup.conditions.clone(),
            recalibrated: named.beyond.then_some(named.recalibrated),
        }
    }

    /// The observed gap in the form that is reported: after recalibration overall if so, else that of the original
    /// predictions. Its sign is the direction. Its size is not reported, since the subgroup was selected for it.
    pub fn observed_gap(&self) -> f64 {
        self.recalibrated.unwrap_or(self.predicted) - self.observed
    }

    /// The size of the error and its 95% CI, corrected for selection: stated in all sentences, charts and tables.
    pub fn error(&self) -> [f64; 3] {
        let Estimate { value, low, high, .. } = self.corrected;
        [value, low, high].map(|end| end.unwrap_or(f64::NAN))
    }

    /// Whether chance that the subgroup was listed for leaves open how large its error is: the corrected interval includes 0.
    pub fn is_of_uncertain_size(&self) -> bool {
        let [_, low, high] = self.error();
        !(low > 0.0 || high < 0.0)
    }

    /// Whether that leaves open even its direction: the corrected estimate has the other sign than the sentence would say.
    pub fn is_of_uncertain_direction(&self) -> bool {
        self.is_of_uncertain_size() && self.error()[0] * self.observed_gap() < 0.0
    }

    /// For every row of the data, whether it is in it. O(n).
    ///
    /// # Errors
    /// Those of [`Subgroup::rows`].
    pub fn inside(&self, data: &Predictions) -> Result<Vec<bool>> {
        match &self.place {
            Some(place) => Ok(place.inside(data.rows)),
            None => Subgroup { conditions: self.conditions.clone() }.rows(data),
        }
    }
}

/// What the errors of the listed subgroups are called ([`ReportedSubgroup::error`]).
pub fn error_name(subgroups: &[ReportedSubgroup]) -> &'static str {
    match !subgroups.is_empty() && subgroups.iter().all(|one| one.recalibrated.is_some()) {
        true => "corrected error, recalibrated overall",
        false => CORRECTED_ERROR,
    }
}

/// What the numbers of every named subgroup are computed from; they may overlap, and what one leaves of the rows
/// counts, too. One that is made of values of a column, or of combinations of two, is withheld where the lines of these
/// values are, in every table.
///
/// # Errors
/// Those of the subgroups' conditions; `unknown_method` where the run has no `none`.
pub fn of_subgroups(subgroups: &[ReportedSubgroup], data: &Predictions, run: &RunOutcome) -> Result<Vec<Basis>> {
    let rows = method_rows(run, None)?;
    let mut picked: Vec<Vec<bool>> = Vec::new();
    for subgroup in subgroups {
        let mask = subgroup.inside(data)?;
        picked.push(rows.rows.iter().map(|row| mask.get(*row as usize) == Some(&true)).collect());
    }
    let of = Overlaps::of(&picked, &rows.target, rows.weights().filter(|_| rows.counted));
    let mut known = BTreeMap::new();
    let basis = |(place, (subgroup, picked)): (usize, (&ReportedSubgroup, &Vec<bool>))| {
        let alone = Basis::Picked { of: of.clone(), place };
        match of_values(subgroup, data, run, picked, &mut known) {
            Some(values) => Basis::all_of([alone, values]),
            None => alone,
        }
    };
    Ok(subgroups.iter().zip(&picked).enumerate().map(basis).collect())
}

/// Columns, one or two, with the groups that their values make, and the rows of each.
type KnownColumns = BTreeMap<Vec<String>, Option<(Grouping, ColumnCounts)>>;

/// Of which values of its column, or combinations of its two, a subgroup consists, as one line of their table or
/// several; none where it divides the rows of one. `picked`: of each scored row whether it is in it. O(n log n).
fn of_values(
    subgroup: &ReportedSubgroup,
    data: &Predictions,
    run: &RunOutcome,
    picked: &[bool],
    known: &mut KnownColumns,
) -> Option<Basis> {
    let columns: BTreeSet<&String> = subgroup.conditions.iter().map(|condition| &condition.column).collect();
    let columns: Vec<String> = columns.into_iter().cloned().collect();
    let (by, counts) = (known.entry(columns.clone()))
        .or_insert_with(|| {
            let by = grouping(data, &columns, QUANTILES).ok()?;
            let counts = ColumnCounts::of(run, &by);
            Some((by, counts))
        })
        .as_ref()?;
    let rows = method_rows(run, None).ok()?;
    // of every value, and of the rows without one: rows that are in it, and rows that are not
    let mut lines = vec![[false; 2]; by.names.len() + 1];
    for (row, inside) in rows.rows.iter().zip(picked) {
        let code = by.code.get(*row as usize).map_or(usize::MAX, |code| *code as usize);
        if let Some(line) = lines.get_mut(code.min(by.names.len())) {
            line[usize::from(*inside)] = true;
        }
    }
    let divided = lines.contains(&[true, true]);
    let places = lines.iter().enumerate().filter(|(_, line)| line[1]).map(|(place, _)| place).collect();
    (!divided).then(|| Basis::Union { of: counts.clone(), places })
}

/// A part of the finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingPart {
    /// id of the part
    pub id: PartName,
    /// its sentence
    pub heading: String,
    /// where the same sentence appears elsewhere; null if it does not
    #[serde(default)]
    pub repeated: Option<Repetition>,
    /// figures, numbers, tables
    pub blocks: Vec<Block>,
}

/// Where the sentence of a part appears elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Repetition {
    /// in the sentence of the finding
    Finding,
    /// in a text of its blocks
    Blocks,
}

impl FindingPart {
    /// A part whose sentence is said nowhere else.
    pub(crate) fn new(id: PartName, heading: String, blocks: Vec<Block>) -> Self {
        Self { id, heading, repeated: None, blocks }
    }

    /// Notes where its sentence is said besides.
    ///
    /// * `finding`: the sentence of the finding
    pub(crate) fn beside(self, finding: &str) -> Self {
        let in_blocks =
            self.blocks.iter().any(|block| matches!(block, Block::Text(text) if text.contains(&self.heading)));
        // after a colon it goes on in lower case
        let in_finding = finding.contains(&self.heading) || finding.contains(&uncapitalized(&self.heading));
        let repeated = match (in_finding, in_blocks) {
            (true, _) => Some(Repetition::Finding),
            (false, true) => Some(Repetition::Blocks),
            (false, false) => None,
        };
        Self { repeated, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_states_where_its_sentence_is_repeated() {
        let repeated = |finding: &str, blocks: Vec<Block>| {
            FindingPart::new(PartName::Overall, "Confidence is overestimated.".to_owned(), blocks)
                .beside(finding)
                .repeated
        };
        assert_eq!(repeated("No subgroup was tested.", Vec::new()), None);
        assert_eq!(repeated("Confidence is overestimated. No subgroup.", Vec::new()), Some(Repetition::Finding));
        assert_eq!(repeated("Only 3 errors: confidence is overestimated.", Vec::new()), Some(Repetition::Finding));
        let text = vec![Block::Text("Confidence is overestimated. So it is among errors.".to_owned())];
        assert_eq!(repeated("No subgroup was tested.", text), Some(Repetition::Blocks));
    }
}
