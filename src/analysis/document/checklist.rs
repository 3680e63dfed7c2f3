//! Items of TRIPOD+AI that concern calibration: filled from the numbers, or marked.

use super::{Cited, DocumentInput, Ungated, overall};
use crate::data::{Role, View};
use crate::document::{Piece, ReportPart};
use crate::error::Result;
use crate::evaluation::method::MethodSpec;
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::words::number::{count, percent};

/// What only who made the model can say.
const UNKNOWN: &str = "cannot be determined from this file";

/// An item: its number, what it asks for in a few words, and what this report has of it; none: [`UNKNOWN`].
struct Item {
    number: &'static str,
    asks: &'static str,
    answer: Option<String>,
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

/// What the document has of errors by group.
fn by_group(shown: &DocumentInput, present: &Present, groups: &[&str], looked: bool) -> String {
    let named = groups.join(", ");
    let significant = shown.finding.is_some_and(|found| !found.whom.is_empty());
    match (looked, significant) {
        (false, _) => format!("groups in the file, not tested: {named}"),
        (true, true) if present.has(ReportPart::Groups) => {
            format!("tested by {named}; Subgroups lists those that are significant")
        }
        (true, true) => format!("tested by {named}; estimates by group are not in this report"),
        (true, false) => {
            format!("tested by {named}, no group is significant; estimates by group are not in this report")
        }
    }
}

/// `parts`: the other sections that the document has.
pub(super) fn pieces(shown: &DocumentInput, cited: &mut Cited, parts: &[ReportPart]) -> Result<Vec<Ungated>> {
    let present = Present(parts);
    let groups: Vec<&str> = (shown.data.roles.iter())
        .filter(|column| column.role == Role::Group)
        .map(|column| column.name.as_str())
        .collect();
    let measures: Vec<String> = overall::performance_measures(shown).into_iter().map(|measure| measure.name).collect();
    let looked = shown.finding.is_some_and(|found| found.rest.looked_at > 0);
    let repairs: Vec<String> =
        shown.recalibrations().map(|rows| super::methods::title(&rows.method.kind.id(), &rows.method.name)).collect();
    let rows = shown.base()?;
    let events = rows.target.iter().filter(|t| **t == 1).count();
    let rate = percent(events as f64 / rows.target.len().max(1) as f64);
    let dated = shown.data.roles.iter().any(|column| column.role == Role::Date);
    let of_events = shown.data.view == View::Positive;
    let known = |number, asks: &'static str, answer: &str| Item { number, asks, answer: Some(answer.to_owned()) };
    let unknown = |number, asks| Item { number, asks, answer: None };
    let item = |number, asks, when: bool, answer: String| Item { number, asks, answer: when.then_some(answer) };
    let updated = |part: ReportPart, name: &str, more: &str| match repairs.as_slice() {
        [] => match shown.finding.and_then(|found| found.advice.as_ref()) {
            // Candidates of the recommendation are no methods of the run.
            Some(advice) if advice.candidates.len() > 1 && advice.method != MethodSpec::Id("none".to_owned()) => {
                present.see(
                    "candidates were fitted and evaluated, and one is recommended",
                    ReportPart::Summary,
                    "Summary",
                )
            }
            Some(advice) if advice.candidates.len() > 1 => present.see(
                "candidates were fitted and evaluated, and none is recommended",
                ReportPart::Summary,
                "Summary",
            ),
            _ => "no recalibration was fitted".to_owned(),
        },
        names => present.see(names.join(", "), part, name) + more,
    };
    let items = [
        unknown("5a, 6", "source of the data, setting, eligibility"),
        item("5b", "dates of the data", dated, present.see("dates are in the file", ReportPart::Data, "Data")),
        item(
            "8a",
            "outcome",
            shown.event().is_some(),
            format!("{}; how and when it was determined {UNKNOWN}", shown.event().unwrap_or_default()),
        ),
        item(
            "10",
            "sample size",
            true,
            match looked && present.has(ReportPart::Summary) {
                true => "all rows of the file; see Summary for detectable errors".to_owned(),
                false => "all rows of the file; see the intervals for precision".to_owned(),
            },
        ),
        known("11", "missing values: how handled", &present.see("no values were imputed", ReportPart::Data, "Data")),
        item("12a", "how the rows were used", true, shown.run.report.data.split.clone()),
        item(
            "12d",
            "differences between clusters: how handled",
            shown.data.clusters.is_some() || looked && !groups.is_empty(),
            match &shown.data.clusters {
                Some(clusters) => present.see(
                    format!("rows of one {} were kept together throughout", clusters.column),
                    ReportPart::Methods,
                    "Methods",
                ),
                None => present.see(
                    format!("errors by {}, adjusted for all subgroups examined", groups.join(", ")),
                    ReportPart::Methods,
                    "Methods",
                ),
            },
        ),
        item("12e", "measures and plots of performance", !measures.is_empty(), {
            let curve = if of_events && present.has(ReportPart::Decisions) { ", decision curve" } else { "" };
            let kinds =
                if present.has(ReportPart::Methods) { "; see Methods for the type of each interval" } else { "" };
            match present.has(ReportPart::Overall) {
                true => format!("reliability diagram{curve}; {} measures{kinds}", measures.len()),
                false => format!("none in this report{curve}"),
            }
        }),
        item("12f", "updating after the evaluation", true, updated(ReportPart::Methods, "Methods", "")),
        unknown("12g", "how predictions were calculated"),
        item(
            "13",
            "class imbalance, recalibration after it",
            of_events,
            format!("event rate here: {rate}; handling during model development {UNKNOWN}"),
        ),
        item("14", "fairness: how examined", looked && !groups.is_empty(), by_group(shown, &present, &groups, looked)),
        known(
            "15",
            "model output",
            &present.see(if of_events { "a probability" } else { "a confidence" }, ReportPart::Data, "Data"),
        ),
        item(
            "20a",
            "flow of rows, with and without the outcome",
            of_events,
            present.see(
                format!("{} scored, {} with the outcome", count(rows.target.len() as u64), count(events as u64)),
                ReportPart::Data,
                "Data",
            ),
        ),
        item("23a", "performance with intervals, key groups", !measures.is_empty(), {
            let overall = match present.has(ReportPart::Overall) {
                true => "see Overall calibration",
                false => "not in this report",
            };
            match (looked, present.has(ReportPart::Groups)) {
                (true, true) => format!("{overall}, and Subgroups"),
                (true, false) => format!("{overall}; estimates by group are not in this report"),
                (false, _) => format!("{overall}; subgroups were not tested"),
            }
        }),
        item(
            "23b",
            "differences between clusters: results",
            !groups.is_empty(),
            by_group(shown, &present, &groups, looked),
        ),
        item("24", "results of updating", true, {
            updated(ReportPart::Overall, "Overall calibration", "; the fit is in calibrator.json")
        }),
        known("26", "limitations", &present.see("those of the file", ReportPart::Limits, "Limits")),
    ];
    let mut table = SheetTable::new("", &["Item", "Topic", "In this report"]);
    for Item { number, asks, answer } in items {
        let answer = match answer {
            Some(text) => Cell::from(text),
            None => Cell { text: UNKNOWN.to_owned(), tone: Tone::Muted, ..Cell::default() },
        };
        table.rows.push(vec![Cell::from(number), Cell::from(asks), answer]);
    }
    let source = cited.cite("Collins et al. 2024");
    let note = format!("Items are abbreviated; the wording of the checklist{source} is authoritative.");
    Ok(vec![Ungated::all_rows(Piece::Table(table)), Ungated::setting(Piece::Note(note))])
}
