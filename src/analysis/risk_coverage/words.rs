//! The sheet: what can be answered, the curve, thresholds and areas.

use std::fmt::Write;

use super::{CertifiedThreshold, CoveragePoint, MethodCoverage, RiskCoverageOutcome, RiskCoverageRequest};
use crate::analysis::entry::fields;
use crate::data::{Predictions, View};
use crate::evaluation::method::{title, whose_scores};
use crate::metric::risk_coverage::{AUGRC, AURC, E_AURC};
use crate::num::proportion::clopper_pearson;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::figure::Dash;
use crate::plot::palette::Ink;
use crate::report::RunOutcome;
use crate::report::disclosure::{Basis, Stated};
use crate::report::sheet::{Block, Cell, Sheet, SheetTable};
use crate::words::number::{
    count, distinguishing_places, fixed_hundredfold, percent, percent_interval, plain, significant,
};
use crate::words::text::counted;

/// Of the chart.
const ROOM: ChartWidth = ChartWidth::UpTo { usual: 640.0, most: 820.0 };
/// Points of a curve.
const DRAWN: usize = 200;
/// Lines of the table of thresholds, at least; so many where there are no more.
const LISTED: usize = 15;

pub(super) fn sheet(
    data: &Predictions,
    run: &RunOutcome,
    request: &RiskCoverageRequest,
    outcome: &RiskCoverageOutcome,
) -> Sheet {
    let original = outcome.methods.iter().find(|one| one.name == "none");
    let Some(of) = original.or(outcome.methods.first()) else { return Sheet::default() };
    let confidence = &ConfidenceWords::of(&outcome.methods, of);
    // a threshold is the score of a row, and so is where a curve turns
    let mut blocks = vec![
        Block::Reading(reading(of, outcome, confidence)).of(Basis::Unknown),
        Block::Charts(vec![chart(data, outcome, confidence)]).of(Basis::Unknown),
        Block::Table(certified_table(outcome, confidence)).of(Basis::Unknown),
        Block::Table(areas_table(outcome)).of(Basis::AllRows),
        Block::Table(points_table(of, data.clusters.is_none(), confidence)).of(Basis::Unknown),
    ];
    let setting = |text: String| Stated::setting(Block::Note(text));
    blocks.push(setting(note(outcome)));
    if data.view == View::Positive {
        blocks.push(setting(
            "The predicted class is the more probable one by the original predictions, for every method; its probability \
             is the confidence."
                .to_owned(),
        ));
    }
    if let Some(clusters) = &data.clusters {
        blocks.push(setting(format!(
            "Rows are clustered by {}: thresholds are certified on one row of each cluster, drawn at random. Curve and areas \
             include all rows.",
            clusters.column
        )));
    }
    blocks.push(Block::Download { name: "risk_coverage.csv".to_owned(), text: csv(outcome) }.of(Basis::Unknown));
    Sheet::new(fields(data, run, request), blocks)
}

/// Thresholds as percentages, all with as many decimals as distinguish them from each other and from 100%.
struct ConfidenceWords {
    places: usize,
}

impl ConfidenceWords {
    /// * `of`: the method whose thresholds are listed
    fn of(methods: &[MethodCoverage], of: &MethodCoverage) -> Self {
        let certified = methods.iter().filter_map(|one| one.certified.as_ref()).map(|found| found.threshold);
        let observed = methods.iter().filter_map(|one| one.observed.as_ref()).map(|point| point.threshold);
        let stated = listed(of).into_iter().map(|point| point.threshold).chain(certified).chain(observed).chain([1.0]);
        let stated: Vec<f64> = stated.map(|threshold| 100.0 * threshold).collect();
        Self { places: distinguishing_places(&stated, 1) }
    }

    fn words(&self, threshold: f64) -> String {
        format!("{}%", fixed_hundredfold(threshold, self.places))
    }
}

/// "Answer at a confidence of 85.0% or more: with 95% confidence, at most 40.0% of the answers are wrong. Coverage 34.8% (95% CI
/// 30.4% to 39.3%)."
fn reading(of: &MethodCoverage, outcome: &RiskCoverageOutcome, confidence: &ConfidenceWords) -> String {
    let level = percent_of_level(outcome.confidence);
    let Some(found) = &of.certified else {
        return format!(
            "No threshold can be certified for an error rate of at most {} ({level} confidence, n = {}). That takes at least \
             {} answers without an error.",
            percent(outcome.risk),
            count(of.tested as u64),
            count(of.least as u64)
        );
    };
    let held_out = found.held_out.map_or_else(String::new, |other| {
        let interval = other.risk_interval.map_or_else(String::new, |[low, high]| {
            format!(
                " ({}, 95% CI {})",
                percent(other.errors as f64 / other.answered as f64),
                percent_interval(low, high)
            )
        });
        format!(
            " In the held-out half, {} of {} answers are wrong{interval}.",
            count(other.errors as u64),
            count(other.answered as u64)
        )
    });
    let risk = percent(outcome.risk);
    if found.coverage >= 1.0 {
        return format!(
            "All predictions can be answers: at most {risk} of them are wrong ({level} confidence).{held_out}{}",
            without_a_model(of)
        );
    }
    format!(
        "Answer at a confidence of {} or more: at most {risk} of the answers are wrong ({level} confidence). Coverage {}.{held_out}",
        confidence.words(found.threshold),
        coverage_words(found, "95% CI ")
    )
}

/// " Always predicting the more frequent outcome would be wrong in 0.34% of these 20,000 rows, which is within the limit, too. Of 67
/// incorrect predictions, 67 are events." Where the outcome is so rare that the limit says nothing about it.
fn without_a_model(of: &MethodCoverage) -> String {
    let Some(rarer) = of.rarer else { return String::new() };
    let (outcome, are) = match rarer.events {
        Some(true) => ("more frequent outcome", "are events"),
        Some(false) => ("more frequent outcome", "are non-events"),
        None => ("most frequent class", "have another class"),
    };
    let errors = match of.errors {
        0 => String::new(),
        errors => format!(" Of {}, {} {are}.", counted(errors, "incorrect prediction"), count(rarer.errors as u64)),
    };
    format!(
        " Always predicting the {outcome} would be wrong in {} of these {}, which is within the limit, too.{errors}",
        percent(rarer.rows as f64 / of.n as f64),
        counted(of.n, "row")
    )
}

/// "34.8% (95% CI 30.4% to 39.3%)"; in a column whose head says of what level the interval is, without `what`.
fn coverage_words(found: &CertifiedThreshold, what: &str) -> String {
    let [low, high] = found.coverage_interval;
    format!("{} ({what}{})", percent(found.coverage), percent_interval(low, high))
}

/// "95%" of 0.95, "99.9%" of 0.999.
fn percent_of_level(level: f64) -> String {
    format!("{}%", plain((level * 1e6).round() / 1e4))
}

/// At most so many points, the last always among them.
fn thinned(points: &[CoveragePoint]) -> impl Iterator<Item = &CoveragePoint> {
    let every = points.len().div_ceil(DRAWN).max(1);
    let last = points.len().saturating_sub(1);
    points.iter().enumerate().filter(move |(i, _)| i % every == 0 || *i == last).map(|(_, point)| point)
}

/// Error rate among the answered rows over their share, with the limit; the certified coverage is marked.
fn chart(data: &Predictions, outcome: &RiskCoverageOutcome, confidence: &ConfidenceWords) -> Chart {
    let alone = outcome.methods.len() == 1;
    let independent = data.clusters.is_none();
    let mut curves: Vec<Curve> = Vec::new();
    for (i, one) in outcome.methods.iter().enumerate() {
        let at = |point: &CoveragePoint| (100.0 * point.coverage, 100.0 * point.risk);
        let around = |point: &CoveragePoint| {
            let (low, high) = clopper_pearson(point.errors, point.answered);
            (100.0 * point.coverage, 100.0 * low, 100.0 * high)
        };
        // a few answers tell nothing: their interval would set the height of the axis
        let told = |point: &&CoveragePoint| point.answered >= 10;
        curves.push(Curve {
            name: if alone { "error rate".to_owned() } else { title(&one.name).into_owned() },
            points: thinned(&one.points).map(at).collect(),
            ink: Ink::Category(i as u8),
            dash: Dash::Solid,
            name_at: None,
            band: match alone && independent {
                true => thinned(&one.points).filter(told).map(around).collect(),
                false => Vec::new(),
            },
        });
    }
    let limit = 100.0 * outcome.risk;
    curves.push(Curve {
        name: "limit".to_owned(),
        points: vec![(0.0, limit), (100.0, limit)],
        ink: Ink::Muted,
        dash: Dash::Dashed,
        name_at: None,
        band: Vec::new(),
    });
    let certified = outcome.methods.first().and_then(|one| one.certified.as_ref());
    let band = if alone && independent { " Band: pointwise 95% CI (Clopper–Pearson)." } else { "" };
    Chart::new(
        CurveChart {
            curves,
            log_x: false,
            y_range: None,
            x_name: "coverage, most confident first (%)".to_owned(),
            y_name: "errors among the answered (%)".to_owned(),
            marked: certified
                .map(|found| (100.0 * found.coverage, format!("from {}", confidence.words(found.threshold)))),
            title: "Error rate by coverage".to_owned(),
            caption: format!(
                "Risk–coverage curve over the distinct confidences; equal confidences are answered together.{band}"
            ),
        },
        ROOM,
    )
}

fn certified_table(outcome: &RiskCoverageOutcome, confidence: &ConfidenceWords) -> SheetTable {
    let mut table = SheetTable::new(
        format!(
            "Thresholds for an error rate of at most {} ({} confidence)",
            percent(outcome.risk),
            percent_of_level(outcome.confidence)
        ),
        &["Predictions", "#Threshold", "#Coverage (95% CI)", "#Errors / answered", "#By observed rate alone"],
    );
    let definitions = [
        (1, "The lowest confidence from which on the error rate is certified."),
        (3, "On the rows by which the threshold was chosen."),
        (
            4,
            "The lowest threshold at which the observed error rate is below the limit, and its coverage. It is chosen by the \
             same rows, and new rows exceed the limit in a large part of samples.",
        ),
    ];
    for (place, text) in definitions {
        if let Some(column) = table.columns.get_mut(place) {
            text.clone_into(&mut column.definition);
        }
    }
    for one in &outcome.methods {
        let mut cells = vec![Cell::from(title(&one.name).as_ref())];
        match &one.certified {
            Some(found) => cells.extend([
                Cell::number(confidence.words(found.threshold), found.threshold),
                Cell::number(coverage_words(found, ""), found.coverage),
                Cell::number(
                    format!("{} / {}", count(found.errors as u64), count(found.answered as u64)),
                    found.errors as f64 / found.answered as f64,
                ),
            ]),
            None => cells.extend([Cell::from("none"), Cell::from("–"), Cell::from("–")]),
        }
        cells.push(one.observed.map_or_else(
            || Cell::from("none"),
            |point| {
                Cell::number(confidence.words(point.threshold), point.threshold)
                    .with_beneath(format!("coverage {}", percent(point.coverage)))
            },
        ));
        table.rows.push(cells);
    }
    table
}

fn areas_table(outcome: &RiskCoverageOutcome) -> SheetTable {
    let metrics = [&AURC, &E_AURC, &AUGRC];
    let heads: Vec<String> = metrics.iter().map(|metric| format!("#{}", metric.name)).collect();
    let titles: Vec<&str> = std::iter::once("Predictions").chain(heads.iter().map(String::as_str)).collect();
    let mut table = SheetTable::new("Areas under the curves", &titles);
    for (column, metric) in table.columns.iter_mut().skip(1).zip(metrics) {
        metric.definition.clone_into(&mut column.definition);
    }
    for one in &outcome.methods {
        let areas = one.areas.iter().map(|area| Cell::number(significant(*area), *area));
        table.rows.push(std::iter::once(Cell::from(title(&one.name).as_ref())).chain(areas).collect());
    }
    table
}

/// Every threshold where there are few, else those at which coverage passes a tenth.
fn listed(of: &MethodCoverage) -> Vec<&CoveragePoint> {
    let all = of.points.len() <= LISTED;
    let mut tenth = 1.0;
    let passes = |point: &&CoveragePoint| {
        let listed = all || point.coverage * 10.0 >= tenth;
        if listed {
            tenth = (point.coverage * 10.0).floor() + 1.0;
        }
        listed
    };
    of.points.iter().filter(passes).collect()
}

/// The thresholds that are [`listed`]; intervals where rows are `independent`.
fn points_table(of: &MethodCoverage, independent: bool, confidence: &ConfidenceWords) -> SheetTable {
    let rate = if independent { "#Error rate (95% CI)" } else { "#Error rate" };
    let mut table = SheetTable::new(
        format!("Error rate by threshold of {}", whose_scores(&of.name)),
        &["#Confidence from", "#Answered", "#Coverage", "#Errors", rate, "#Errors / all rows"],
    );
    for point in listed(of) {
        let interval = match independent {
            true => {
                let (low, high) = clopper_pearson(point.errors, point.answered);
                format!(" ({})", percent_interval(low, high))
            }
            false => String::new(),
        };
        table.rows.push(vec![
            Cell::number(confidence.words(point.threshold), point.threshold),
            Cell::number(count(point.answered as u64), point.answered as f64),
            Cell::number(percent(point.coverage), point.coverage),
            Cell::number(count(point.errors as u64), point.errors as f64),
            Cell::number(format!("{}{interval}", percent(point.risk)), point.risk),
            Cell::number(percent(point.generalized_risk), point.generalized_risk),
        ]);
    }
    table
}

fn note(outcome: &RiskCoverageOutcome) -> String {
    format!(
        "A prediction is answered if its confidence is at least the threshold, and deferred otherwise. Thresholds are certified \
         by exact binomial tests (learn-then-test, Angelopoulos et al. 2021; a fixed sequence and Bonferroni over all \
         thresholds, at half the level each): with {} confidence, the error rate among the answered rows is at most the limit \
         for new rows of the same population. This holds for each method by itself. With a held-out half, coverage and its \
         interval are those of that half.",
        percent_of_level(outcome.confidence)
    )
}

fn csv(outcome: &RiskCoverageOutcome) -> String {
    let mut text = "method,threshold,answered,errors,coverage,risk,generalized_risk\n".to_owned();
    for one in &outcome.methods {
        for point in &one.points {
            // writing to a text cannot fail
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{}",
                crate::report::csv::guarded(&one.name),
                point.threshold,
                point.answered,
                point.errors,
                point.coverage,
                point.risk,
                point.generalized_risk
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighboring_thresholds_are_distinguished() {
        let point = |threshold: f64, answered: usize| CoveragePoint {
            threshold,
            answered,
            errors: 0,
            coverage: answered as f64 / 30.0,
            risk: 0.0,
            generalized_risk: 0.0,
        };
        let points = vec![point(1.0, 10), point(0.9998, 20), point(0.62, 30)];
        let of = MethodCoverage {
            name: "none".to_owned(),
            n: 30,
            errors: 0,
            areas: [0.0; 3],
            points,
            tested: 30,
            certified: None,
            observed: None,
            least: 59,
            rarer: None,
        };
        let table = points_table(&of, true, &ConfidenceWords::of(std::slice::from_ref(&of), &of));
        let from: Vec<&str> = table.rows.iter().filter_map(|row| row.first()).map(|cell| cell.text.as_str()).collect();
        assert_eq!(from, ["100.00%", "99.98%", "62.00%"]);
    }
}
