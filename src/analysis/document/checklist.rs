//! Items of TRIPOD+AI that concern calibration: filled from the numbers, or marked.

use super::{Cited, DocumentInput, Ungated, overall};
use crate::data::{Role, View};
use crate::document::Piece;
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

pub(super) fn pieces(shown: &DocumentInput, cited: &mut Cited) -> Result<Vec<Ungated>> {
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
    let updated = |words: &str| match repairs.as_slice() {
        [] => match shown.finding.and_then(|found| found.advice.as_ref()) {
            // Candidates of the recommendation are no methods of the run.
            Some(advice) if advice.candidates.len() > 1 && advice.method != MethodSpec::Id("none".to_owned()) => {
                "candidates were fitted and evaluated, and one is recommended: see Summary".to_owned()
            }
            Some(advice) if advice.candidates.len() > 1 => {
                "candidates were fitted and evaluated, and none is recommended: see Summary".to_owned()
            }
            _ => "no recalibration was fitted".to_owned(),
        },
        names => format!("{}; {words}", names.join(", ")),
    };
    let items = [
        unknown("5a, 6", "source of the data, setting, eligibility"),
        item("5b", "dates of the data", dated, "see Data".to_owned()),
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
            match looked {
                true => "all rows of the file; see Summary for detectable errors".to_owned(),
                false => "all rows of the file; see the intervals for precision".to_owned(),
            },
        ),
        known("11", "missing values: how handled", "see Data; no values were imputed"),
        item("12a", "how the rows were used", true, shown.run.report.data.split.clone()),
        item(
            "12d",
            "differences between clusters: how handled",
            shown.data.clusters.is_some() || looked && !groups.is_empty(),
            match &shown.data.clusters {
                Some(clusters) => format!("rows of one {} were kept together throughout; see Methods", clusters.column),
                None => format!("errors by {}, adjusted for all subgroups examined; see Methods", groups.join(", ")),
            },
        ),
        item("12e", "measures and plots of performance", !measures.is_empty(), {
            let curve = if of_events { ", decision curve" } else { "" };
            format!(
                "reliability diagram{curve}; {} measures; see Methods for the type of each interval",
                measures.len()
            )
        }),
        item("12f", "updating after the evaluation", true, updated("see Methods")),
        unknown("12g", "how predictions were calculated"),
        item(
            "13",
            "class imbalance, recalibration after it",
            of_events,
            format!("event rate here: {rate}; handling during model development {UNKNOWN}"),
        ),
        item(
            "14",
            "fairness: how examined",
            looked && !groups.is_empty(),
            format!("calibration by {}; see Subgroups", groups.join(", ")),
        ),
        known("15", "model output", if of_events { "a probability; see Data" } else { "a confidence; see Data" }),
        item(
            "20a",
            "flow of rows, with and without the outcome",
            of_events,
            format!("{} scored, {} with the outcome; see Data", count(rows.target.len() as u64), count(events as u64)),
        ),
        item(
            "23a",
            "performance with intervals, key groups",
            !measures.is_empty(),
            match looked {
                true => "see Overall calibration, and Subgroups".to_owned(),
                false => "see Overall calibration; subgroups were not tested".to_owned(),
            },
        ),
        item(
            "23b",
            "differences between clusters: results",
            !groups.is_empty(),
            format!(
                "{}: {}",
                if looked { "see Subgroups" } else { "groups in the file, not tested" },
                groups.join(", ")
            ),
        ),
        item("24", "results of updating", true, updated("see Overall calibration; the fit is in calibrator.json")),
        known("26", "limitations", "those of the file; see Limits"),
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
