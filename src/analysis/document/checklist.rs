//! Items of TRIPOD+AI that concern calibration: filled from the numbers, or marked.

use super::{Cited, DocumentInput, StatedPiece, overall};
use crate::data::{ColumnRole, Role, View};
use crate::error::Result;
use crate::evaluation::method::MethodSpec;
use crate::markup::{Piece, ReportPart};
use crate::num::weight::weighted_share;
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::report::small_cells::count_or_small;
use crate::words::number::{count, percent};
use crate::words::text::first_of;

/// What only who made the model can say.
const UNKNOWN: &str = "cannot be determined from this file";
/// Columns that an item names; of more it states how many.
const LISTED: usize = 8;

/// An item: its number, what it asks for in a few words, and what this report has of it; none: [`UNKNOWN`].
struct Item {
    number: &'static str,
    asks: &'static str,
    answer: Option<String>,
}

impl Item {
    fn new(number: &'static str, asks: &'static str, answer: impl Into<String>) -> Self {
        Self { number, asks, answer: Some(answer.into()) }
    }

    fn unknown(number: &'static str, asks: &'static str) -> Self {
        Self { number, asks, answer: None }
    }

    /// The answer holds only on this condition.
    fn only_if(self, known: bool) -> Self {
        Self { answer: self.answer.filter(|_| known), ..self }
    }
}

/// The sections of the document that have something in them.
pub(super) struct Present<'a>(pub(super) &'a [ReportPart]);

impl Present<'_> {
    fn has(&self, part: ReportPart) -> bool {
        self.0.contains(&part)
    }

    /// The words followed by "; see Data", where the document has that section.
    fn see(&self, words: impl Into<String>, part: ReportPart, name: &str) -> String {
        let words = words.into();
        if self.has(part) { format!("{words}; see {name}") } else { words }
    }
}

/// What items are answered from.
struct Contents<'a> {
    shown: &'a DocumentInput<'a>,
    present: Present<'a>,
    /// group columns; where subgroups were tested, those of them that were
    groups: Vec<&'a str>,
    /// columns by whose values or ranges subgroups were tested
    tested_by: Vec<&'a str>,
    /// measures of performance
    measures: usize,
    /// subgroups were tested
    tested: bool,
    /// and are left out, since the ranking is reversed
    left_out: bool,
    /// titles of the methods of the run
    recalibrations: Vec<String>,
    /// scored rows, and those of them with the outcome
    rows: usize,
    events: usize,
    /// with sample weights, the weighted one
    event_rate: f64,
}

impl<'a> Contents<'a> {
    fn of(shown: &'a DocumentInput<'a>, parts: &'a [ReportPart]) -> Result<Self> {
        let rows = shown.base()?;
        let titled = shown.recalibrations().map(|rows| super::method_title(&rows.method.kind.id(), &rows.method.name));
        let rest = shown.finding.map(|found| &found.rest);
        let clusters = shown.data.clusters.as_ref().map(|clusters| clusters.column.as_str());
        let examined = |column: &&ColumnRole| {
            let is_left_out = rest.is_some_and(|rest| rest.not_examined.contains(&column.name));
            !is_left_out && clusters != Some(column.name.as_str())
        };
        let columns = |roles: &'static [Role]| {
            let of = shown.data.roles.iter().filter(|column| roles.contains(&column.role));
            of.filter(examined).map(|column| column.name.as_str()).collect()
        };
        Ok(Self {
            shown,
            present: Present(parts),
            groups: columns(&[Role::Group]),
            tested_by: columns(&[Role::Group, Role::Feature]),
            measures: overall::performance_measures(shown).len(),
            tested: shown.finding.is_some_and(|found| found.rest.looked_at > 0),
            left_out: shown.finding.is_some_and(|found| found.reversed.is_some()),
            recalibrations: titled.collect(),
            rows: rows.target.len(),
            events: rows.target.iter().filter(|t| **t == 1).count(),
            event_rate: weighted_share(&rows.target, rows.weights()),
        })
    }

    fn of_events(&self) -> bool {
        self.shown.data.view == View::Positive
    }

    /// What the document has of errors by these columns.
    fn errors_by(&self, columns: &[&str]) -> String {
        let named = first_of(columns, LISTED);
        if self.left_out {
            return format!("left out while the ranking is reversed: {named}");
        }
        let significant = self.shown.finding.is_some_and(|found| !found.subgroups.is_empty());
        match (self.tested, significant) {
            (false, _) => format!("groups in the file, not tested: {named}"),
            (true, true) if self.present.has(ReportPart::Groups) => {
                format!("tested by {named}; Subgroups lists those that are significant")
            }
            (true, true) => format!("tested by {named}; estimates by group are not in this report"),
            (true, false) => {
                format!("tested by {named}, no group is significant; estimates by group are not in this report")
            }
        }
    }

    /// What was updated, and the section that says more; `more` follows the methods of the run.
    fn updated(&self, part: ReportPart, name: &str, more: &str) -> String {
        if !self.recalibrations.is_empty() {
            return self.present.see(self.recalibrations.join(", "), part, name) + more;
        }
        // candidates of the recommendation are no methods of the run
        let advice = self.shown.finding.and_then(|found| found.advice.as_ref());
        let Some(advice) = advice.filter(|advice| advice.candidates.len() > 1) else {
            return "no recalibration was fitted".to_owned();
        };
        let recommended = if advice.method == MethodSpec::Id("none".to_owned()) { "none" } else { "one" };
        let said = format!("candidates were fitted and evaluated, and {recommended} is recommended");
        self.present.see(said, ReportPart::Summary, "Summary")
    }

    /// Items 5 to 15.
    fn methods(&self) -> Vec<Item> {
        let Self { shown, present, groups, tested_by, tested, .. } = self;
        let event = shown.event();
        let dated = shown.data.roles.iter().any(|column| column.role == Role::Date);
        let precision = match *tested && present.has(ReportPart::Summary) {
            true => "see Summary for detectable errors",
            false => "see the intervals for precision",
        };
        let selection = shown.data.selection();
        let size = match &selection {
            Some(selection) => format!("all rows with {selection}; {precision}"),
            None if shown.data.dropped > 0 => format!("all rows of the file that were not excluded; {precision}"),
            None => format!("all rows of the file; {precision}"),
        };
        let clusters = match &shown.data.clusters {
            Some(clusters) => format!("rows of one {} were kept together throughout", clusters.column),
            None => format!("errors by {}, adjusted for all subgroups examined", first_of(groups, LISTED)),
        };
        let has_curve = self.of_events() && shown.data.weights.is_none() && present.has(ReportPart::Decisions);
        let curve = if has_curve { ", decision curve" } else { "" };
        let kinds = if present.has(ReportPart::Methods) { "; see Methods for the type of each interval" } else { "" };
        let performance = match present.has(ReportPart::Overall) {
            true => format!("reliability diagram{curve}; {} measures{kinds}", self.measures),
            false => format!("none in this report{curve}"),
        };
        let weighted = if shown.data.weights.is_some() { "weighted event rate" } else { "event rate" };
        let rate = percent(self.event_rate);
        let output = if self.of_events() { "a probability" } else { "a confidence" };
        let in_methods = |words: String| present.see(words, ReportPart::Methods, "Methods");
        let in_data = |words: &str| present.see(words, ReportPart::Data, "Data");
        let horizon = match shown.data.follow_up() {
            Some(_) => present.see("; censoring is not modeled", ReportPart::Limits, "Limits"),
            None => String::new(),
        };
        vec![
            match selection {
                Some(selection) => Item::new(
                    "5a, 6",
                    "source of the data, setting, eligibility",
                    format!("rows selected: {selection}; anything else {UNKNOWN}"),
                ),
                None => Item::unknown("5a, 6", "source of the data, setting, eligibility"),
            },
            Item::new("5b", "dates of the data", in_data("dates are in the file")).only_if(dated),
            Item::new(
                "8a",
                "outcome",
                format!(
                    "{}; how and when it was determined {UNKNOWN}{horizon}",
                    event.unwrap_or_else(|| shown.classes())
                ),
            ),
            Item::new("10", "sample size", size),
            Item::new("11", "missing values: how handled", in_data("no values were imputed")),
            Item::new("12a", "how the rows were used", shown.run.report.data.split.clone()),
            Item::new("12d", "differences between clusters: how handled", in_methods(clusters))
                .only_if(shown.data.clusters.is_some() || *tested && !groups.is_empty()),
            Item::new("12e", "measures and plots of performance", performance).only_if(self.measures > 0),
            Item::new("12f", "updating after the evaluation", self.updated(ReportPart::Methods, "Methods", "")),
            Item::unknown("12g", "how predictions were calculated"),
            Item::new(
                "13",
                "class imbalance, recalibration after it",
                match self.of_events() {
                    true => format!("{weighted} here: {rate}; handling during model development {UNKNOWN}"),
                    false => {
                        format!("rows of each class are not in this report; handling during development {UNKNOWN}")
                    }
                },
            ),
            Item::new("14", "fairness: how examined", self.errors_by(tested_by))
                .only_if((*tested || self.left_out) && !tested_by.is_empty()),
            Item::new("15", "model output", in_data(output)),
        ]
    }

    /// Items 20 to 26.
    fn results(&self) -> Vec<Item> {
        let Self { present, tested, .. } = self;
        let what = if self.of_events() { "with the outcome" } else { "predicted correctly" };
        let excluded = match self.shown.data.dropped as u64 {
            0 => String::new(),
            dropped => format!("; excluded on reading: {}", count_or_small(dropped, self.shown.least())),
        };
        let (rows, events) = (count(self.rows as u64), count(self.events as u64));
        let flow = format!("{rows} scored, {events} {what}{excluded}");
        let overall = match present.has(ReportPart::Overall) {
            true => "see Overall calibration",
            false => "not in this report",
        };
        let performance = match (tested, present.has(ReportPart::Groups)) {
            (true, true) => format!("{overall}, and Subgroups"),
            (true, false) => format!("{overall}; estimates by group are not in this report"),
            (false, _) if self.left_out => format!("{overall}; subgroups are left out while the ranking is reversed"),
            (false, _) => format!("{overall}; subgroups were not tested"),
        };
        let updated = self.updated(ReportPart::Overall, "Overall calibration", "; the fit is in calibrator.json");
        vec![
            Item::new("20a", "flow of rows, with and without the outcome", present.see(flow, ReportPart::Data, "Data")),
            Item::new("23a", "performance with intervals, key groups", performance).only_if(self.measures > 0),
            Item::new("23b", "differences between clusters: results", self.errors_by(&self.groups))
                .only_if(!self.groups.is_empty()),
            Item::new("24", "results of updating", updated),
            Item::new("26", "limitations", present.see("those of the file", ReportPart::Limits, "Limits")),
        ]
    }
}

/// `parts`: the other sections that the document has.
pub(super) fn pieces(shown: &DocumentInput, cited: &mut Cited, parts: &[ReportPart]) -> Result<Vec<StatedPiece>> {
    let contents = Contents::of(shown, parts)?;
    let mut table = SheetTable::new("", &["Item", "Topic", "In this report"]);
    for Item { number, asks, answer } in contents.methods().into_iter().chain(contents.results()) {
        let answer = match answer {
            Some(text) => Cell::from(text),
            None => Cell { text: UNKNOWN.to_owned(), tone: Tone::Muted, ..Cell::default() },
        };
        table.rows.push(vec![Cell::from(number), Cell::from(asks), answer]);
    }
    let source = cited.cite("Collins et al. 2024");
    let note = format!("Items are abbreviated; the wording of the checklist{source} is authoritative.");
    Ok(vec![StatedPiece::all_rows(Piece::Table(table)), StatedPiece::setting(Piece::Note(note))])
}
