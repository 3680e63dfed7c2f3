//! The decision curve: what acting on the scores is worth.

use super::{COLUMN, DocumentInput, StatedPiece};
use crate::data::{PresentClusters, View};
use crate::decision::benefit_intervals::{BenefitAt, BootstrapEstimate, net_benefit_intervals};
use crate::decision::net_benefit::net_benefit;
use crate::error::Result;
use crate::markup::Piece;
use crate::num::ties::at_or_above;
use crate::num::weight::weighted_share;
use crate::plot::curves::{CurveChart, curves_so_high};
use crate::plot::decision_curve::{decision_curves, line};
use crate::plot::palette::Ink;
use crate::report::MethodRows;
use crate::report::disclosure::{Audit, Basis, Stated};
use crate::report::interval::NO_INTERVAL;
use crate::report::sheet::{Cell, SheetTable};
use crate::report::small_cells::is_small;
use crate::words::number::fixed_hundredfold;

/// Thresholds of the curve above 0.
const POINTS: usize = 99;
/// Height of the curve in CSS pixels: that of the table beside it.
const SIDE: f64 = 132.0;
/// Shares of the highest threshold that is drawn, at which the table has a line.
const LINES: [f64; 4] = [0.125, 0.25, 0.5, 0.75];

/// Nothing where scores are no probability of an event; where rows have weights, that net benefit does not take them.
pub(super) fn pieces(shown: &DocumentInput) -> Result<Vec<StatedPiece>> {
    let base = shown.base()?;
    if shown.data.view != View::Positive || base.score.is_empty() {
        return Ok(Vec::new());
    }
    if base.weights().is_some() {
        let note = "Not computed: net benefit is not defined here with sample weights.";
        return Ok(vec![StatedPiece::setting(Piece::Note(note.to_owned()))]);
    }
    let of_same_rows = |rows: &&MethodRows| rows.rows == base.rows;
    let recommended = shown.recommended_rows().filter(of_same_rows);
    let method = recommended.or_else(|| shown.recalibrations().find(of_same_rows));
    let share = weighted_share(&base.target, None);
    let top = highest(share);
    let mut lines: Vec<f64> = LINES.iter().map(|part| rounded(part * top)).collect();
    lines.dedup();
    if let Some(least) = shown.least() {
        return of_many(base, method, &lines, least);
    }
    let curve = (0..=POINTS).map(|i| top * i as f64 / POINTS as f64);
    let mut thresholds: Vec<f64> = curve.clone().chain(lines.iter().copied()).collect();
    thresholds.sort_unstable_by(f64::total_cmp);
    thresholds.dedup();
    let seed = shown.run.report.settings.seed;
    let clusters = base.clusters.present();
    let clusters = clusters.as_ref().map(PresentClusters::rows);
    let found = net_benefit_intervals(&base.score, &base.score, &base.target, &thresholds, clusters, seed)?;
    let after = method
        .map(|rows| net_benefit_intervals(&rows.score, &base.score, &rows.target, &thresholds, clusters, seed))
        .transpose()?;
    let name = method.map(name);
    let mut figure = curves_so_high(&chart(&found, after.as_deref(), name.as_deref(), share), COLUMN, SIDE);
    figure.alt = format!("Decision curve: {}", figure.alt);
    let table = table(&found, after.as_deref(), &lines, share, name.as_deref());
    // of each threshold those acted on can be counted, and between two of them few may lie
    let beside = vec![
        StatedPiece::new(Piece::Table(table), Basis::Unknown),
        StatedPiece::setting(Piece::Note(MEANING.to_owned())),
    ];
    Ok(vec![StatedPiece::Beside(Box::new(Stated::new(figure, Basis::Unknown)), beside)])
}

const MEANING: &str = "Net benefit: true positives per 100 rows minus false positives weighted by the odds of the \
     threshold; acting on none is 0. Relevant thresholds are for the decision maker to choose.";

fn name(method: &MethodRows) -> String {
    super::method_title(&method.method.kind.id(), &method.method.name)
}

/// The table without the curve, whose steps are single rows, and of its lines those between which many rows lie.
fn of_many(base: &MethodRows, method: Option<&MethodRows>, lines: &[f64], least: u64) -> Result<Vec<StatedPiece>> {
    let both: Vec<(&[f64], &[u8])> =
        std::iter::once(base).chain(method).map(|rows| (rows.score.as_slice(), rows.target.as_slice())).collect();
    let told = apart(&both, lines, least);
    let values = (lines.len() - told.len()) as u64 * if method.is_some() { 3 } else { 2 };
    let thinned = Basis::Thinned(Audit { values, figures: 1, ..Audit::default() });
    let note = Piece::Note(format!(
        "The decision curve, and thresholds between which fewer than {least} rows with or without the outcome can lie, are \
         withheld."
    ));
    let note = StatedPiece::new(note, thinned);
    if told.is_empty() {
        return Ok(vec![note]);
    }
    let table = exact(base, method, &told, method.map(name).as_deref())?;
    Ok(vec![StatedPiece::all_rows(Piece::Table(table)), StatedPiece::setting(Piece::Note(MEANING.to_owned())), note])
}

/// Of rising thresholds those that part the rows of every method, with and without the outcome, so that no small count
/// lies below the first, between two, or above the last: net benefits tell how many are acted on rightly and wrongly.
///
/// * `methods`: of each the scores and the outcomes
fn apart(methods: &[(&[f64], &[u8])], lines: &[f64], least: u64) -> Vec<f64> {
    // with the outcome and without it, of those acted on
    let acted = |threshold: f64| -> Vec<u64> {
        let of = |(score, target): &(&[f64], &[u8])| {
            let acted = score.iter().zip(target.iter()).filter(|(score, _)| at_or_above(**score, threshold));
            let (mut hit, mut missed) = (0, 0);
            acted.for_each(|(_, target)| if *target == 1 { hit += 1 } else { missed += 1 });
            [hit, missed]
        };
        methods.iter().flat_map(of).collect()
    };
    let mut before = acted(f64::NEG_INFINITY);
    let mut told: Vec<f64> = Vec::new();
    for &threshold in lines {
        let here = acted(threshold);
        let small = before.iter().zip(&here).any(|(b, h)| is_small(b.saturating_sub(*h), least));
        if !small && here.iter().all(|count| !is_small(*count, least)) && told.last() != Some(&threshold) {
            told.push(threshold);
            before = here;
        }
    }
    told
}

/// Where a decision could lie: up to three times the observed share of events, below certainty, whose odds are infinite.
fn highest(rate: f64) -> f64 {
    let top = (3.0 * rate).max(0.1);
    ((top * 20.0).ceil() / 20.0).min(0.99)
}

/// To what a person would choose: whole per cent, from a tenth on multiples of five.
fn rounded(threshold: f64) -> f64 {
    let step = if threshold < 0.1 { 0.01 } else { 0.05 };
    ((threshold / step).round() * step * 100.0).round().max(1.0) / 100.0
}

fn chart(found: &[BenefitAt], after: Option<&[BenefitAt]>, name: Option<&str>, share: f64) -> CurveChart {
    let points =
        |found: &[BenefitAt]| -> Vec<[Option<f64>; 4]> { found.iter().map(|at| at.model.at(at.threshold)).collect() };
    let mut lines = vec![line("original", &points(found), Ink::Before, true)];
    if let (Some(after), Some(name)) = (after, name) {
        lines.push(line(name, &points(after), Ink::After, true));
    }
    let caption = match lines.iter().all(|line| line.band.is_empty()) {
        true => format!("Per 100 rows; {NO_INTERVAL}."),
        false => "Per 100 rows, with pointwise 95% CI.".to_owned(),
    };
    let y_name = "net benefit".to_owned();
    CurveChart { caption, y_name, ..decision_curves(lines, found.iter().map(|at| at.threshold), share) }
}

/// Net benefits with their intervals at some thresholds, and how much more the recalibration is worth.
fn table(
    found: &[BenefitAt],
    after: Option<&[BenefitAt]>,
    lines: &[f64],
    share: f64,
    name: Option<&str>,
) -> SheetTable {
    let mut heads = vec!["Threshold".to_owned(), "#Original".to_owned()];
    heads.extend(name.map(|name| format!("#{name}: difference")));
    heads.push("#Act on all".to_owned());
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let caption = match found.iter().any(|at| at.model.interval.is_some()) {
        true => "Net benefit per 100 rows (95% CI)".to_owned(),
        false => format!("Net benefit per 100 rows; {NO_INTERVAL}"),
    };
    let mut table = SheetTable::new(caption, &heads);
    let places = if share < 0.02 { 2 } else { 1 };
    let words = |value: f64| fixed_hundredfold(value, places);
    let cell = |of: BootstrapEstimate| {
        let ends = of.interval.map_or_else(String::new, |ends| format!(" ({})", ends.map(words).join(" to ")));
        Cell::number(format!("{}{ends}", words(of.value)), of.value)
    };
    let at = |found: &[BenefitAt], line: f64| found.iter().find(|at| at.threshold == line).copied();
    for &line in lines {
        let Some(here) = at(found, line) else { continue };
        let mut row = vec![Cell::from(whole_percent(line)), cell(here.model)];
        row.extend(after.and_then(|after| at(after, line)).map(|after| cell(after.over_base)));
        let all = here.model.value - here.over_all.value;
        row.push(Cell::number(words(all), all));
        table.rows.push(row);
    }
    table
}

fn whole_percent(threshold: f64) -> String {
    format!("{}%", fixed_hundredfold(threshold, 0))
}

/// Net benefits without intervals, where those between thresholds are of many rows.
fn exact(base: &MethodRows, method: Option<&MethodRows>, thresholds: &[f64], name: Option<&str>) -> Result<SheetTable> {
    let mut heads = vec!["Threshold".to_owned(), "#Original".to_owned()];
    heads.extend(name.iter().map(|name| format!("#{name}")));
    heads.push("#Act on all".to_owned());
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let mut table = SheetTable::new("Net benefit per 100 rows", &heads);
    let found = net_benefit(&base.score, &base.target, thresholds)?;
    let after = method.map(|rows| net_benefit(&rows.score, &rows.target, thresholds)).transpose()?;
    for (place, at) in found.iter().enumerate() {
        let cell = |value: f64| Cell::number(fixed_hundredfold(value, 2), value);
        let mut row = vec![Cell::from(whole_percent(at.threshold)), cell(at.model)];
        row.extend(after.iter().filter_map(|after| after.get(place)).map(|after| cell(after.model)));
        row.push(cell(at.all));
        table.rows.push(row);
    }
    Ok(table)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn no_threshold_is_certain() {
        for rate in [0.0, 0.01, 0.2, 0.31, 0.32, 0.33, 0.5, 1.0] {
            let top = highest(rate);
            assert!((0.1..=0.99).contains(&top), "{rate}: {top}");
            let found = net_benefit(&[0.2, 1.0], &[0, 1], &[top]).unwrap();
            assert!(found[0].model.is_finite() && found[0].all.is_finite());
        }
    }

    #[test]
    fn few_rows_lie_between_no_two_thresholds() {
        // a hundred rows of each outcome, evenly from 0 to 1
        let score: Vec<f64> = (0..200).map(|i| f64::from(i / 2) / 100.0).collect();
        let target: Vec<u8> = (0..200).map(|i| u8::from(i % 2 == 0)).collect();
        let thresholds = [0.02, 0.1, 0.13, 0.5, 0.98];
        assert_eq!(apart(&[(&score, &target)], &thresholds, 5), [0.1, 0.5]);
        assert_eq!(apart(&[(&score, &target)], &thresholds, 1), thresholds);
        // what a second method would tell counts, too: nearly all its scores lie below 0.5
        let low: Vec<f64> = score.iter().map(|s| 0.51 * s).collect();
        assert_eq!(apart(&[(&score, &target), (&low, &target)], &thresholds, 5), [0.1]);
    }
}
