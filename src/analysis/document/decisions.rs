//! The decision curve: what acting on the scores is worth.

use super::{COLUMN, Shown};
use crate::data::View;
use crate::decision::net_benefit::{NetBenefit, net_benefit};
use crate::document::Piece;
use crate::document::suppress::is_small;
use crate::error::Result;
use crate::num::ties::at_or_above;
use crate::num::weight::weighted_share;
use crate::plot::curves::{CurveChart, curves};
use crate::plot::decision_curve::{decision_curves, line};
use crate::plot::palette::Ink;
use crate::report::MethodRows;
use crate::report::sheet::{Cell, SheetTable};
use crate::words::number::{fixed, percent};

/// Thresholds of the curve.
const POINTS: usize = 99;
/// Shares of the highest threshold that is drawn, at which the table has a line.
const LINES: [f64; 4] = [0.125, 0.25, 0.5, 0.75];

/// Nothing where scores are no probability of an event, or where rows have weights, which net benefit does not take.
pub(super) fn pieces(shown: &Shown) -> Result<Vec<Piece>> {
    let base = shown.base()?;
    if shown.data.view != View::Positive || base.weights().is_some() || base.score.is_empty() {
        return Ok(Vec::new());
    }
    let repair = shown.repairs().find(|rows| rows.rows == base.rows);
    let share = weighted_share(&base.target, None);
    let top = highest(share);
    let lines: Vec<f64> = LINES.iter().map(|part| rounded(part * top)).collect();
    if let Some(least) = shown.least() {
        return of_many(base, repair, &lines, least);
    }
    let thresholds: Vec<f64> = (1..=POINTS).map(|i| top * i as f64 / POINTS as f64).collect();
    let found = net_benefit(&base.score, &base.target, &thresholds)?;
    let after = repair.map(|rows| net_benefit(&rows.score, &rows.target, &thresholds)).transpose()?;
    let name = repair.map(name);
    let figure = curves(&chart(&found, after.as_deref(), name.as_deref(), share), COLUMN);
    let table = table(base, repair, &lines, name.as_deref())?;
    Ok(vec![Piece::Beside(Box::new(figure), vec![Piece::Text(MEANING.to_owned()), Piece::Table(table)])])
}

const MEANING: &str = "Net benefit: of every 100 rows, those acted on rightly less those acted on wrongly, weighed by \
     the odds of the threshold. Acting on nobody is worth 0; scores are of use where they are worth more than that and \
     more than acting on all. Which thresholds matter, only who decides can say.";

fn name(repair: &MethodRows) -> String {
    super::methods::title(&repair.method.kind.id(), &repair.method.name)
}

/// The table without the curve, whose steps are single rows, and of its lines those between which many rows lie.
fn of_many(base: &MethodRows, repair: Option<&MethodRows>, lines: &[f64], least: u64) -> Result<Vec<Piece>> {
    let both: Vec<(&[f64], &[u8])> =
        std::iter::once(base).chain(repair).map(|rows| (rows.score.as_slice(), rows.target.as_slice())).collect();
    let told = apart(&both, lines, least);
    let note = Piece::Note(format!(
        "The decision curve and thresholds between which fewer than {least} rows with or without the outcome may lie are \
         left out."
    ));
    if told.is_empty() {
        return Ok(vec![note]);
    }
    let table = table(base, repair, &told, repair.map(name).as_deref())?;
    Ok(vec![Piece::Text(MEANING.to_owned()), Piece::Table(table), note])
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

/// Where a decision could lie: up to three times the share that happened, below certainty, whose odds are infinite.
fn highest(rate: f64) -> f64 {
    let top = (3.0 * rate).max(0.1);
    ((top * 20.0).ceil() / 20.0).min(0.99)
}

/// To what a person would choose: whole per cent.
fn rounded(threshold: f64) -> f64 {
    (100.0 * threshold).round().max(1.0) / 100.0
}

fn chart(found: &[NetBenefit], after: Option<&[NetBenefit]>, name: Option<&str>, share: f64) -> CurveChart {
    // without intervals, the ends of which are not drawn
    let model = |found: &[NetBenefit]| found.iter().map(|at| [at.threshold, at.model, 0.0, 0.0]).collect::<Vec<_>>();
    let mut lines = vec![line("as it is", &model(found), Ink::Before, false)];
    if let (Some(after), Some(name)) = (after, name) {
        lines.push(line(name, &model(after), Ink::After, false));
    }
    let caption = "Decision curve: net benefit against the threshold.".to_owned();
    CurveChart { caption, ..decision_curves(lines, found.iter().map(|at| at.threshold), share) }
}

fn table(base: &MethodRows, repair: Option<&MethodRows>, thresholds: &[f64], name: Option<&str>) -> Result<SheetTable> {
    let mut heads = vec!["Threshold".to_owned(), "#As it is".to_owned()];
    heads.extend(name.iter().map(|name| format!("#{name}")));
    heads.push("#Act on all".to_owned());
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let mut table = SheetTable::new("Net benefit per 100 rows", &heads);
    let found = net_benefit(&base.score, &base.target, thresholds)?;
    let after = repair.map(|rows| net_benefit(&rows.score, &rows.target, thresholds)).transpose()?;
    for (place, at) in found.iter().enumerate() {
        let cell = |value: f64| Cell::number(fixed(100.0 * value, 2), value);
        let mut row = vec![Cell::from(percent(at.threshold)), cell(at.model)];
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
