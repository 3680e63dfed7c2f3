//! Items of TRIPOD+AI that concern calibration: filled from the numbers, or marked.

use super::{Cited, Shown, overall};
use crate::data::{Role, View};
use crate::document::Piece;
use crate::error::Result;
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::words::number::percent;

/// What only who made the model can say.
const UNKNOWN: &str = "cannot be known from this file";

/// An item: its number, what it asks for in a few words, and what this report has of it; none: [`UNKNOWN`].
struct Item {
    number: &'static str,
    asks: &'static str,
    answer: Option<String>,
}

pub(super) fn pieces(shown: &Shown, cited: &mut Cited) -> Result<Vec<Piece>> {
    let groups: Vec<&str> = (shown.data.roles.iter())
        .filter(|column| column.role == Role::Group)
        .map(|column| column.name.as_str())
        .collect();
    let measures: Vec<String> = overall::told(shown).into_iter().map(|measure| measure.name).collect();
    let looked = shown.finding.is_some_and(|found| found.rest.looked_at > 0);
    let repairs: Vec<String> =
        shown.repairs().map(|rows| super::methods::title(&rows.method.kind.id(), &rows.method.name)).collect();
    let rows = shown.base()?;
    let rate = rows.target.iter().map(|t| f64::from(*t)).sum::<f64>() / rows.target.len().max(1) as f64;
    let items = [
        Item {
            number: "12d",
            asks: "how differences between clusters, such as hospitals, were handled and quantified",
            answer: (looked && !groups.is_empty())
                .then(|| format!("gaps by {}, corrected for looking at all of them; see Methods", groups.join(", "))),
        },
        Item {
            number: "12e",
            asks: "measures and plots of performance, and why these",
            answer: (!measures.is_empty()).then(|| {
                let curve = if shown.data.view == View::Positive { ", decision curve" } else { "" };
                format!("reliability diagram{curve}; {}: see Methods", measures.join(", "))
            }),
        },
        Item {
            number: "12f",
            asks: "updating of the model after its evaluation, overall or for groups or settings",
            answer: Some(match repairs.as_slice() {
                [] => "no repair was fitted".to_owned(),
                names => format!("repairs of the scores: {}; see Methods", names.join(", ")),
            }),
        },
        Item { number: "12g", asks: "how predictions were calculated: formula, code, interface", answer: None },
        Item {
            number: "13",
            asks: "methods against class imbalance, and recalibration after them",
            answer: (shown.data.view == View::Positive).then(|| {
                format!(
                    "share with the outcome here: {}; what was done when the model was built {UNKNOWN}",
                    percent(rate)
                )
            }),
        },
        Item {
            number: "23a",
            asks: "performance with confidence intervals, also in key groups, with plots",
            answer: (!measures.is_empty()).then(|| match looked {
                true => "see Calibration overall, and For whom".to_owned(),
                false => "see Calibration overall; groups were not looked at".to_owned(),
            }),
        },
        Item {
            number: "23b",
            asks: "results on differences between clusters",
            answer: match groups.as_slice() {
                [] => None,
                names => Some(format!(
                    "{}: {}; whether one of them is a cluster {UNKNOWN}",
                    if looked { "see For whom" } else { "groups in the file, not looked at" },
                    names.join(", ")
                )),
            },
        },
        Item {
            number: "24",
            asks: "results of updating: the updated model, and how it performs",
            answer: Some(match repairs.as_slice() {
                [] => "no repair was fitted".to_owned(),
                _ => "see the comparison of repairs; the fitted repair is exported as calibrator.json".to_owned(),
            }),
        },
    ];
    let mut table = SheetTable::new("", &["Item", "Asks for", "In this report"]);
    for Item { number, asks, answer } in items {
        let answer = match answer {
            Some(text) => Cell::from(text),
            None => Cell { text: UNKNOWN.to_owned(), tone: Tone::Muted, ..Cell::default() },
        };
        table.rows.push(vec![Cell::from(number), Cell::from(asks), answer]);
    }
    let source = cited.cite("Collins et al. 2024");
    Ok(vec![
        Piece::Table(table),
        Piece::Note(format!(
            "Items in short words of this report; the checklist itself{source} has the wording that counts."
        )),
    ])
}
