//! The sheet: a headline of the same numbers, a table, a curve each.

use super::widths::{Cohort, MOST_ROWS};
use super::{Planned, PlannedInterval, SampleSizeOutcome, SampleSizeRequest};
use crate::analysis::entry::fields;
use crate::data::{Predictions, View};
use crate::evaluation::method::whose_scores;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::figure::Dash;
use crate::plot::palette::Ink;
use crate::report::RunOutcome;
use crate::report::disclosure::Stated;
use crate::report::sheet::{Block, Cell, Sheet, SheetTable};
use crate::words::number::{count, percent, plain, significant};

/// Of each chart.
const ROOM: ChartWidth = ChartWidth::Third;
/// Places along a curve.
const POINTS: usize = 61;

impl Planned {
    /// At the beginning of a line.
    fn title(self) -> &'static str {
        match self {
            Planned::Ratio => "O:E ratio",
            Planned::Slope => "Calibration slope",
            Planned::Auroc => "AUROC",
        }
    }

    /// Within a sentence.
    fn words(self) -> &'static str {
        match self {
            Planned::Ratio => "the O:E ratio",
            Planned::Slope => "the calibration slope",
            Planned::Auroc => "the AUROC",
        }
    }
}

pub(super) fn sheet(
    data: &Predictions,
    run: &RunOutcome,
    request: &SampleSizeRequest,
    outcome: &SampleSizeOutcome,
    cohort: &Cohort,
) -> Sheet {
    let figures = outcome.intervals.iter().filter(|one| one.width.is_some());
    let mut blocks = vec![
        Block::Reading(headline(outcome)),
        Block::Table(table(data.view, outcome)),
        Block::Charts(figures.map(|one| chart(one, outcome.rows, cohort)).collect()),
    ];
    for one in &outcome.intervals {
        if let Some(reason) = &one.reason {
            blocks.push(Block::Note(format!("{}: no width, because {reason}.", one.of.title())));
        }
    }
    blocks.push(Block::Note(note(data.view, outcome)));
    if let Some(clusters) = &data.clusters {
        blocks.push(Block::Note(format!(
            "Rows are clustered by {}: design effect {}, assuming further rows in clusters of the same sizes. It is that of a \
             mean: where scores vary within clusters, the intervals of slope and AUROC are narrower.",
            clusters.column,
            significant(cohort.effect)
        )));
    }
    blocks.push(Block::Download { name: "sample_size.csv".to_owned(), text: csv(outcome) });
    Sheet::new(fields(data, run, request), blocks.into_iter().map(Stated::all_rows).collect())
}

/// "About 2,310 rows are needed for the target width of all three 95% intervals (569 scored; the calibration slope needs the most)."
fn headline(outcome: &SampleSizeOutcome) -> String {
    let known: Vec<&PlannedInterval> = outcome.intervals.iter().filter(|one| one.width.is_some()).collect();
    let n = count(outcome.rows as u64);
    let words: Vec<&str> = known.iter().map(|one| one.of.words()).collect();
    let whose = match words.as_slice() {
        [_, _, _] => "all three 95% intervals".to_owned(),
        [one] => format!("the 95% interval of {one}"),
        several => format!("the 95% intervals of {}", several.join(" and ")),
    };
    if let Some(beyond) = known.iter().find(|one| one.rows.is_none()) {
        return format!(
            "More than {} rows are needed for an interval of {} no wider than {} ({n} scored).",
            count(MOST_ROWS),
            beyond.of.words(),
            plain(beyond.target)
        );
    }
    let most = known.iter().max_by_key(|one| one.rows).and_then(|one| Some((one.of, one.rows?)));
    match most {
        Some((_, rows)) if rows <= outcome.rows as u64 => {
            format!("The {n} scored rows suffice for the target width of {whose}.")
        }
        Some((of, rows)) => {
            let which = if known.len() > 1 { format!("; {} needs the most", of.words()) } else { String::new() };
            format!("About {} rows are needed for the target width of {whose} ({n} scored{which}).", count(up(rows)))
        }
        None => "The required sample size cannot be computed for these scores.".to_owned(),
    }
}

/// Up to three digits.
fn up(rows: u64) -> u64 {
    let unit = 10_u64.pow(rows.max(1).ilog10().saturating_sub(2));
    rows.div_ceil(unit) * unit
}

/// Of which scores.
fn table(view: View, outcome: &SampleSizeOutcome) -> SheetTable {
    let n = count(outcome.rows as u64);
    let of_them = match view {
        View::TopLabel => "#Correct among them",
        View::Positive => "#Events among them",
    };
    let now = format!("#Width at {n} rows");
    let mut table = SheetTable::new(
        format!("Expected 95% intervals of {}", whose_scores(&outcome.method)),
        &["Measure", &now, "#Target", "#Rows needed", of_them],
    );
    let whole = |number: Option<u64>| number.map_or_else(|| "–".into(), |n| Cell::number(count(n), n as f64));
    for one in &outcome.intervals {
        let rows = match (one.rows, one.width) {
            (None, Some(_)) => Cell::from(format!("more than {}", count(MOST_ROWS))),
            (Some(rows), _) if rows <= outcome.rows as u64 => whole(one.rows).with_beneath("reached"),
            (rows, _) => whole(rows),
        };
        table.rows.push(vec![
            one.of.title().into(),
            one.width.map_or_else(|| "–".into(), |width| Cell::number(significant(width), width)),
            Cell::number(significant(one.target), one.target),
            rows,
            whole(one.events),
        ]);
    }
    table
}

/// Width against rows, from a few to more than it takes; today's rows and the target are marked.
fn chart(one: &PlannedInterval, n: usize, cohort: &Cohort) -> Chart {
    let today = n as f64;
    let needed = one.rows.map_or(today, |rows| rows as f64);
    let (low, high) = ((today.min(needed) / 4.0).max(2.0), today.max(needed) * 4.0);
    let at = |i: usize| low * (high / low).powf(i as f64 / (POINTS - 1) as f64);
    let line = |name: &str, ink, dash, height: &dyn Fn(f64) -> Option<f64>| Curve {
        name: name.to_owned(),
        points: (0..POINTS).filter_map(|i| Some((at(i), height(at(i))?))).collect(),
        ink,
        dash,
        name_at: None,
        band: Vec::new(),
    };
    let drawn = one.width.unwrap_or(one.target);
    let words = match one.rows {
        Some(rows) => format!("{}: {} rows", one.of.title(), count(rows)),
        None => format!("{}: more than {} rows", one.of.title(), count(MOST_ROWS)),
    };
    let shown = CurveChart {
        curves: vec![
            line("target", Ink::Axis, Dash::Dashed, &|_| Some(one.target)),
            line("width", Ink::Category(0), Dash::Solid, &|n| one.of.width(cohort, n).ok()),
        ],
        log_x: true,
        y_range: Some((0.0, 1.25 * drawn.max(2.0 * one.target))),
        x_name: "scored rows".to_owned(),
        y_name: "width of the 95% interval".to_owned(),
        marked: Some((today, format!("{} now", count(n as u64)))),
        title: words,
        caption: String::new(),
    };
    Chart::new(shown, ROOM)
}

fn note(view: View, outcome: &SampleSizeOutcome) -> String {
    let (what, cohort) = match view {
        View::TopLabel => ("correct predictions", "correct predictions"),
        View::Positive => ("events", "events"),
    };
    let auroc = outcome.auroc.map_or(String::new(), |auroc| format!(", AUROC {}", significant(auroc)));
    format!(
        "Closed formulas (Riley et al. 2021; AUROC after Newcombe 2006) for calibrated scores (as many {what} as \
         expected, slope 1). Further rows are assumed similar to these: proportion of {cohort} {}, same spread of \
         scores{auroc}. Calibration itself is not tested here; if scores are miscalibrated, or one outcome is rare, \
         intervals can be wider. The formula of O:E ignores the scores: with good discrimination the interval that is \
         computed at the same rows is narrower.",
        percent(outcome.share)
    )
}

fn csv(outcome: &SampleSizeOutcome) -> String {
    let mut text = "interval_of,target,width_now,rows_now,rows_needed,events_needed\n".to_owned();
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let whole = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    for one in &outcome.intervals {
        let of = match one.of {
            Planned::Ratio => "observed_expected",
            Planned::Slope => "calibration_slope",
            Planned::Auroc => "auroc",
        };
        text += &format!(
            "{of},{},{},{},{},{}\n",
            one.target,
            number(one.width),
            outcome.rows,
            whole(one.rows),
            whole(one.events)
        );
    }
    text
}
