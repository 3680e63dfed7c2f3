//! The methods as a paragraph: what was computed, and its sources.

use super::{Cited, DocumentInput, StatedPiece, method_title, overall};
use crate::data::{Division, View};
use crate::decision::benefit_intervals::DRAWS;
use crate::error::Result;
use crate::evaluation::method::{self, MethodSpec, fitted_to};
use crate::markup::Piece;
use crate::metric::entry::IntervalKind;
use crate::recalibrate::recalibrator::FittedTo;
use crate::report::scorecard::{drawn_words, parameters};
use crate::words::number::count;
use crate::words::text::counted;

/// How the intervals of the measures were made, one kind after the other.
fn intervals(told: &[overall::Measure], clustered: bool, cited: &mut Cited) -> Option<String> {
    const KINDS: [(IntervalKind, &str, &str); 7] = [
        (IntervalKind::Wald, "Wald (robust or delta-method standard errors)", "White 1982"),
        (IntervalKind::Delong, "DeLong", "DeLong, DeLong and Clarke-Pearson 1988"),
        (IntervalKind::Wilson, "Wilson", "Wilson 1927"),
        (IntervalKind::Exact, "exact", ""),
        (
            IntervalKind::ExactOrWald,
            "Clopper–Pearson where fewer than 20 rows of an outcome are observed or expected, else Wald",
            "Clopper and Pearson 1934",
        ),
        (IntervalKind::BootstrapPercentile, "bootstrap percentile", "Efron and Tibshirani 1993"),
        (
            IntervalKind::BootstrapBasic,
            "basic bootstrap around the bias-corrected value, for measures biased upward",
            "Efron and Tibshirani 1993",
        ),
    ];
    let each: Vec<String> = KINDS
        .iter()
        .filter_map(|(kind, words, source)| {
            let of = told.iter().filter(|measure| measure.value.interval == Some(*kind));
            let names: Vec<&str> = of.map(|measure| measure.name.as_str()).collect();
            (!names.is_empty()).then(|| format!("{words}{}: {}", cited.cite(source), names.join(", ")))
        })
        .collect();
    let clustered =
        if clustered { " Wald, Wilson and DeLong intervals allow for dependence within clusters." } else { "" };
    (!each.is_empty()).then(|| format!("95% confidence intervals are {}.{clustered}", each.join("; ")))
}

/// Which draws the intervals and null ranges come from.
fn resampling(shown: &DocumentInput, told: &[overall::Measure]) -> Option<String> {
    let made = told.iter().map(|measure| (measure.name.as_str(), measure.value.resamples));
    let drawn = drawn_words(made.filter(|(_, made)| *made > 0));
    let (rows, within) = match &shown.data.clusters {
        None => ("rows".to_owned(), ""),
        Some(clusters) => {
            (format!("whole clusters of rows ({})", clusters.column), ", with their correlation within clusters")
        }
    };
    (!drawn.is_empty()).then(|| {
        format!(
            "Bootstrap intervals resample {rows}; “if calibrated” refers to the 95% null range, from outcomes simulated from the \
             scores{within}: {drawn}. Seed {}.",
            shown.run.report.settings.seed
        )
    })
}

/// The scan for subgroups, and the tests that it is adjusted together with.
fn scan(shown: &DocumentInput, cited: &mut Cited) -> Option<String> {
    let found = shown.finding.filter(|found| found.rest.looked_at > 0)?;
    let with = match found.time {
        Some(_) => "tests of overall calibration and of change over time",
        None => "overall test",
    };
    let corrected = match found.subgroups.is_empty() {
        true => "",
        false => {
            " Errors of listed subgroups and their intervals are corrected for selection: they are conditional on a test \
             statistic beyond its critical value."
        }
    };
    let changes = match found.advice.as_ref().is_some_and(|advice| advice.method != MethodSpec::Id("none".to_owned())) {
        true => {
            " Changes by the recommended method have paired bootstrap intervals, not adjusted for the choice of the method."
        }
        false => "",
    };
    Some(format!(
        "Tested for error beyond that correctable from the score alone: {} (categories, numeric ranges, missing values, \
         pairs); p-values are the proportion of simulated outcome sets whose largest standardized error is at least as \
         large{}, adjusted together with the {with} by Holm’s method.{corrected}{changes}",
        found.rest.scope,
        cited.cite("Westfall and Young 1993")
    ))
}

/// The recalibration methods, with their parameters where those may be told.
fn recalibrations(shown: &DocumentInput, cited: &mut Cited) -> Option<String> {
    let methods = shown.run.report.methods.iter().filter(|method| method.id != "none");
    let each = methods.map(|method| {
        let sources: Vec<&str> = method.id.split('+').filter_map(method::entry).map(|entry| entry.source).collect();
        let fitted = match parameters(method) {
            words if words.is_empty() => words,
            // of a group, a bin or single rows
            _ if shown.least().is_some() && fitted_to(&method.id) != FittedTo::AllRows => String::new(),
            words => format!(": {words}"),
        };
        format!("{}{}{fitted}", method_title(&method.id, &method.name), cited.cite(&sources.join("; ")))
    });
    let fitted = each.collect::<Vec<String>>().join("; ");
    let folds = match &shown.data.division {
        Division::Folds { .. } => " (parameters are means over folds)",
        _ => "",
    };
    (!fitted.is_empty())
        .then(|| format!("Recalibration methods, evaluated on rows not used to fit them{folds}: {fitted}."))
}

fn net_benefit(shown: &DocumentInput, cited: &mut Cited) -> Option<String> {
    if shown.data.view != View::Positive || shown.run.report.data.weights.is_some() {
        return None;
    }
    let intervals = match shown.least() {
        None => {
            let of = if shown.data.clusters.is_some() { " of clusters" } else { "" };
            format!(", with pointwise 95% CIs from {} bootstrap resamples{of}", count(DRAWS as u64))
        }
        Some(_) => String::new(),
    };
    let source = cited.cite("Vickers and Elkin 2006");
    Some(format!("Net benefit was computed across thresholds{source}{intervals}."))
}

pub(super) fn pieces(shown: &DocumentInput, cited: &mut Cited) -> Result<Vec<StatedPiece>> {
    let report = &shown.run.report;
    let rows = counted(shown.rows()?, "row");
    let mut said = vec![match shown.event() {
        Some(event) => {
            format!("Calibration of predicted probabilities of {event} was assessed on {rows} ({}).", report.data.split)
        }
        None if shown.data.y.is_none() => {
            format!("Calibration of the confidence was assessed on {rows} ({}).", report.data.split)
        }
        None => format!(
            "Calibration of the confidence of the predicted class was assessed on {rows} ({}).",
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
        "The reliability diagram shows a regression of outcomes on scores ({curve}){known} and {} bins with Wilson intervals{}.",
        report.settings.bins.count,
        cited.cite("Wilson 1927")
    ));
    let told = overall::performance_measures(shown);
    if !told.is_empty() {
        let measures: Vec<String> =
            told.iter().map(|measure| format!("{}{}", measure.name, cited.cite(measure.source))).collect();
        said.push(format!("Measures: {}.", measures.join("; ")));
    }
    if let Some(intervals) = intervals(&told, shown.data.clusters.is_some(), cited) {
        said.push(intervals);
    }
    said.extend(resampling(shown, &told));
    said.extend(scan(shown, cited));
    said.extend(recalibrations(shown, cited));
    said.extend(net_benefit(shown, cited));
    if let Some(least) = shown.least() {
        said.push(format!(
            "Values computed from fewer than {least} rows, or from rows of which fewer than {least} have or lack the outcome, \
             are withheld, as are values from which those could be derived, and values computed from an unknown number of rows."
        ));
    }
    Ok(vec![StatedPiece::all_rows(Piece::Text(said.join(" ")))])
}
