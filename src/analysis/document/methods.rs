//! How it was done, as a paragraph: what was really computed, and whom that goes back to.

use super::{Cited, Shown, overall};
use crate::data::View;
use crate::decision::benefit_intervals::DRAWS;
use crate::document::Piece;
use crate::error::Result;
use crate::evaluation::method::{self, MethodKind};
use crate::words::number::count;

/// A method as people write it, by its id; under another name, that name.
pub(super) fn title(id: &str, name: &str) -> String {
    if id == MethodKind::NONE.id() { "as they are".to_owned() } else { method::title(name).into_owned() }
}

pub(super) fn pieces(shown: &Shown, cited: &mut Cited) -> Result<Vec<Piece>> {
    let report = &shown.run.report;
    let rows = count(shown.rows()? as u64);
    let mut said = vec![match shown.event() {
        Some(event) => format!(
            "Predicted probabilities of {event} were held against outcomes on {rows} rows ({}).",
            report.data.split
        ),
        None => format!(
            "The confidence in the predicted class was held against whether it was right on {rows} rows ({}).",
            report.data.split
        ),
    }];
    if let Some(column) = &report.data.weights {
        said.push(format!("Rows are weighted by {column}."));
    }
    let curve = overall::curve(shown)?;
    let known = match curve {
        "isotonic" => cited.cite("Dimitriadis, Gneiting and Jordan 2021"),
        "kernel-smoothed" => cited.cite("Błasiok and Nakkiran 2024"),
        _ => String::new(),
    };
    said.push(format!(
        "The diagram shows the {curve} regression of outcomes on scores{known} and {} bins with Wilson intervals{}.",
        report.settings.bins.count,
        cited.cite("Wilson 1927")
    ));
    let told = overall::told(shown);
    if !told.is_empty() {
        let measures: Vec<String> =
            told.iter().map(|measure| format!("{}{}", measure.name, cited.cite(measure.source))).collect();
        said.push(format!("Measures: {}.", measures.join("; ")));
    }
    let draws = told.iter().map(|measure| measure.value.resamples).max().unwrap_or(0);
    if draws > 0 {
        let pushed: Vec<&str> = told
            .iter()
            .filter(|measure| measure.value.corrected.is_some() && measure.value.low.is_some())
            .map(|measure| measure.name.as_str())
            .collect();
        said.push(format!(
            "Intervals are 95 % bootstrap intervals of {} resamples of {}{}, by percentiles{}; “if calibrated” is \
             the range of \
             19 out of 20 sets of outcomes redrawn from the scores{}. Seed {}.",
            count(draws as u64),
            match &shown.data.clusters {
                None => "rows".to_owned(),
                Some(clusters) => format!("whole clusters of rows ({})", clusters.column),
            },
            cited.cite("Efron and Tibshirani 1993"),
            match pushed.as_slice() {
                [] => String::new(),
                names => format!(
                    ", and basic ones about the bias-corrected value for what noise pushes upwards \
                    ({})",
                    names.join(", ")
                ),
            },
            match &shown.data.clusters {
                None => "",
                Some(_) => ", with their correlation within clusters",
            },
            report.settings.seed
        ));
    }
    if let Some(found) = shown.finding.filter(|found| found.rest.looked_at > 0) {
        said.push(format!(
            "For whom scores are off was asked of {} slices of the rows at once (values of groups, ranges of \
             numbers, pairs of \
             both), beyond what a repair of the scores alone could mend; p is the share of redrawn sets of outcomes in which \
             the largest standardised gap of all is as large{}.",
            count(found.rest.looked_at as u64),
            cited.cite("Westfall and Young 1993")
        ));
    }
    let repairs: Vec<String> = (report.methods.iter())
        .filter(|method| method.id != "none")
        .map(|method| {
            let sources: Vec<&str> = method.id.split('+').filter_map(method::entry).map(|entry| entry.source).collect();
            format!("{}{}", title(&method.id, &method.name), cited.cite(&sources.join("; ")))
        })
        .collect();
    if !repairs.is_empty() {
        said.push(format!("Repairs that were fitted, and judged on rows that no fit saw: {}.", repairs.join("; ")));
    }
    if shown.data.view == View::Positive && report.data.weights.is_none() {
        let intervals = match shown.least() {
            None => {
                format!(", with 95 % intervals of {} bootstrap draws, each threshold for itself", count(DRAWS as u64))
            }
            Some(_) => String::new(),
        };
        said.push(format!(
            "Net benefit was computed over thresholds{}{intervals}.",
            cited.cite("Vickers and Elkin 2006")
        ));
    }
    if let Some(least) = shown.least() {
        said.push(format!(
            "Counts below {least}, their shares, and further cells from which they could be worked out are left out."
        ));
    }
    Ok(vec![Piece::Text(said.join(" "))])
}
