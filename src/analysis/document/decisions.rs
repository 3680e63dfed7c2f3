//! The decision curve: what acting on the scores is worth.

use super::{COLUMN, Shown};
use crate::data::View;
use crate::decision::net_benefit::{NetBenefit, net_benefit};
use crate::document::Piece;
use crate::error::Result;
use crate::plot::curves::{Curve, CurveChart, curves};
use crate::plot::figure::Dash;
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
    let top = highest(base);
    let thresholds: Vec<f64> = (1..=POINTS).map(|i| top * i as f64 / POINTS as f64).collect();
    let found = net_benefit(&base.score, &base.target, &thresholds)?;
    let after = repair.map(|rows| net_benefit(&rows.score, &rows.target, &thresholds)).transpose()?;
    let names = (shown.scores(), repair.map(|rows| super::methods::title(&rows.method.kind.id(), &rows.method.name)));
    let figure = curves(&chart(&found, after.as_deref(), &names), COLUMN);
    let lines: Vec<f64> = LINES.iter().map(|share| rounded(share * top)).collect();
    let table = table(base, repair, &lines, &names)?;
    Ok(vec![Piece::Beside(
        Box::new(figure),
        vec![
            Piece::Text(
                "Net benefit: of every 100 rows, those acted on rightly less those acted on wrongly, weighed by the \
                 odds of \
                 the threshold. Acting on nobody is worth 0; scores are of use where they are worth more than that and more \
                 than acting on all."
                    .to_owned(),
            ),
            Piece::Table(table),
            Piece::Note("No threshold was given: which of them matter, and what follows from acting, only who \
                decides can say.".to_owned()),
        ],
    )])
}

/// Where a decision could lie: up to three times the share that happened.
fn highest(rows: &MethodRows) -> f64 {
    let rate = rows.target.iter().map(|t| f64::from(*t)).sum::<f64>() / rows.target.len().max(1) as f64;
    let top = (3.0 * rate).clamp(0.1, 0.99);
    (top * 20.0).ceil() / 20.0
}

/// To what a person would choose: whole per cent.
fn rounded(threshold: f64) -> f64 {
    (100.0 * threshold).round().max(1.0) / 100.0
}

fn chart(found: &[NetBenefit], after: Option<&[NetBenefit]>, names: &(String, Option<String>)) -> CurveChart {
    let line = |name: &str, points: Vec<(f64, f64)>, ink, dash| Curve {
        name: name.to_owned(),
        points,
        band: Vec::new(),
        ink,
        dash,
        name_at: None,
    };
    let model = |found: &[NetBenefit]| found.iter().map(|at| (100.0 * at.threshold, 100.0 * at.model)).collect();
    let mut lines = vec![line("as it is", model(found), Ink::Before, Dash::Solid)];
    if let (Some(after), Some(name)) = (after, &names.1) {
        lines.push(line(name, model(after), Ink::After, Dash::Solid));
    }
    let top = lines.iter().flat_map(|line| &line.points).map(|point| point.1).fold(0.1, f64::max);
    let mut all: Vec<(f64, f64)> = found.iter().map(|at| (100.0 * at.threshold, 100.0 * at.all)).collect();
    all.retain(|(_, value)| *value > -0.3 * top);
    let name_at = all.last().copied();
    lines.push(Curve { name_at, ..line("act on all", all, Ink::Muted, Dash::Dashed) });
    CurveChart {
        curves: lines,
        log_x: false,
        y_range: Some((-0.3 * top, 1.08 * top)),
        x_name: "threshold, per cent".to_owned(),
        y_name: "net benefit per 100 rows".to_owned(),
        marked: None,
        title: String::new(),
        caption: "Decision curve: net benefit against the threshold.".to_owned(),
    }
}

fn table(
    base: &MethodRows,
    repair: Option<&MethodRows>,
    thresholds: &[f64],
    names: &(String, Option<String>),
) -> Result<SheetTable> {
    let mut heads = vec!["Threshold".to_owned(), "#As it is".to_owned()];
    heads.extend(names.1.iter().map(|name| format!("#{name}")));
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
