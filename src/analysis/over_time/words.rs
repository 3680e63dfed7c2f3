//! The sheet: one finding from one verdict, what scores say and what happens along time, and a table of periods.

use super::{OverTimeOutcome, OverTimeRequest, TimeWindow, observed_band};
use crate::analysis::entry::fields;
use crate::data::dates::Dates;
use crate::data::{Predictions, View};
use crate::drift::Drift;
use crate::error::Result;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::figure::Dash;
use crate::plot::over_time::{TimeChart, TimeLine, TimePoint};
use crate::plot::palette::Ink;
use crate::report::RunOutcome;
use crate::report::disclosure::Basis;
use crate::report::sheet::{Block, Cell, Sheet, SheetTable};
use crate::report::small_cells::ColumnCounts;
use crate::report::verdict::{Evidence, Verdict};
use crate::report::view::method_rows;
use crate::words::number::{bare_points, count, p_at_most, p_value, percent, percentage_points, points, significant};
use crate::words::text::counted;

/// Whether the same scores mean the same at all times: the window that is furthest from that, corrected for all windows.
pub(super) fn verdict(found: Option<&Drift>, no_test: Option<String>, days: &[f64], dates: &Dates) -> Verdict {
    let Some(found) = found else {
        return Verdict::untested("", None, "Too few rows, dates or outcomes of either kind to test for change");
    };
    let Some(window) = found.windows.get(found.furthest) else {
        return Verdict::untested("", None, "There is no window to test");
    };
    let text = |i: usize| days.get(i).map(|day| dates.text(*day)).unwrap_or_default();
    let (from, to) = (text(window.entries.start), text(window.entries.end.saturating_sub(1)));
    let when = if from == to { from } else { format!("{from} to {to}") };
    match no_test {
        Some(why) => Verdict::untested(when, Some(window.beyond), why),
        None => Verdict::new(when, Some(window.beyond), Evidence::P(found.p)),
    }
}

pub(super) fn sheet(
    data: &Predictions,
    run: &RunOutcome,
    request: &OverTimeRequest,
    outcome: &OverTimeOutcome,
    found: Option<&Drift>,
) -> Result<Sheet> {
    // the ends of a window are days of single rows
    let basis = if outcome.verdict.is_supported() { Basis::Unknown } else { Basis::AllRows };
    let mut blocks = vec![Block::Reading(headline(data.view, outcome, found)).of(basis)];
    if !outcome.windows.is_empty() {
        // windows overlap: from one to the next few rows come and go
        blocks.push(Block::Charts(charts(data.view, outcome)).of(Basis::Unknown));
    }
    // those without a date are in no period
    let all = method_rows(run, request.method.as_deref())?.tally();
    let periods = || outcome.periods.iter().map(|one| (one.rows, one.events));
    let dated = periods().fold((0, 0), |(rows, events), one| (rows + one.0, events + one.1));
    let lines = periods().chain([(all.0.saturating_sub(dated.0), all.1.saturating_sub(dated.1))]);
    let lines = ColumnCounts::of_counts(&lines.map(|(rows, events)| [rows, events]).collect::<Vec<_>>());
    blocks.push(Block::Table(table(data.view, outcome)).of(Basis::of_parts(periods(), all)));
    // where they protect a period that is withheld, their number would reveal it
    let undated = Basis::Values { places: vec![lines.missing()], of: lines };
    let undated = Basis::all_of([Basis::Count(outcome.undated as u64), undated]);
    blocks.push(Block::Note(note(outcome, found, data.is_counted())).of(undated));
    blocks.push(Block::Download { name: "over_time.csv".to_owned(), text: csv(outcome) }.of(Basis::Unknown));
    Ok(Sheet::new(fields(data, run, request), blocks))
}

fn rate(view: View) -> &'static str {
    match view {
        View::Positive => "the observed rate",
        View::TopLabel => "accuracy",
    }
}

fn headline(view: View, outcome: &OverTimeOutcome, found: Option<&Drift>) -> String {
    let verdict = &outcome.verdict;
    let when = &verdict.subject;
    let (predicted, _) = view.terms();
    let score = match view {
        View::Positive => "scores",
        View::TopLabel => "confidence",
    };
    let window = found.and_then(|found| found.windows.get(found.furthest));
    let seen = window.map_or_else(String::new, |window| {
        format!(": {} was {} ({predicted} {})", rate(view), percent(window.observed), percent(window.predicted))
    });
    // the tested error is not predicted − observed, which is beside it. The largest of many windows is too large, so that the
    // change has no single value here, but an interval that holds for every window
    let change = outcome.change.map_or_else(String::new, |[low, high]| {
        let (least, most, side) = if high < 0.0 { (-high, -low, "above") } else { (low, high, "below") };
        format!(
            ", {} to {} {side} that of rows with equal {score} at the other dates (95% CI, simultaneous over all \
             windows)",
            bare_points(least).trim_start_matches('+'),
            percentage_points(most)
        )
    });
    // not those of the finding, which tests periods and a trend
    let tests = match (&verdict.evidence, found) {
        (&Evidence::P(p), Some(found)) => {
            let smallest = 1.0 / (1 + found.draws) as f64;
            let p = if p <= smallest { p_at_most(p) } else { p_value(p) };
            format!(" ({}, {p})", counted(found.windows.len(), "moving window"))
        }
        _ => String::new(),
    };
    verdict.headline(
        || {
            format!(
                "Calibration changed over time{tests}, most clearly in {when}{seen}{change}. This window was chosen as the \
                 most extreme: its observed deviation tends to overstate the change, which may have begun earlier or lasted longer."
            )
        },
        || {
            format!("No significant change over time{tests}.{}", power(outcome))
        },
    )
}

/// " Power was 80% for a change of 12.0 percentage points in one window." Of rare events a change can be that large to one side alone.
fn power(outcome: &OverTimeOutcome) -> String {
    let Some(size) = outcome.detectable else { return String::new() };
    let change = match (size > outcome.observed, size > 1.0 - outcome.observed) {
        (true, true) => return " Power was below 80% for any change in one window.".to_owned(),
        (true, false) => "an increase",
        (false, true) => "a decrease",
        (false, false) => "a change",
    };
    format!(" Power was 80% for {change} of {} in one window.", percentage_points(size))
}

/// How many rows windows have: dates are not divided.
fn window_in_words(outcome: &OverTimeOutcome) -> String {
    let rows = || outcome.windows.iter().map(|window| window.rows as u64);
    match (rows().min(), rows().max()) {
        (Some(least), Some(most)) if most > least + 1 => {
            format!("{} to {} rows, whole dates,", count(least), count(most))
        }
        _ => counted(outcome.window, "row"),
    }
}

/// What is drawn of a window: a value and its band.
type Drawn<'a> = dyn 'a + Fn(&TimeWindow) -> Option<(f64, Option<[f64; 2]>)>;

/// What is said and what happens; observed : expected, or the gap.
fn charts(view: View, outcome: &OverTimeOutcome) -> Vec<Chart> {
    let line = |name: &str, ink, dash, of: &Drawn<'_>| TimeLine {
        name: name.to_owned(),
        points: (outcome.windows.iter())
            .filter_map(|window| {
                let (value, band) = of(window)?;
                Some(TimePoint { day: window.day, value, low: band.map(|b| b[0]), high: band.map(|b| b[1]) })
            })
            .collect(),
        ink,
        dash,
    };
    let (predicted, observed, y_name) = match view {
        View::Positive => ("predicted", "observed", "probability of the event"),
        View::TopLabel => ("confidence", "accuracy", "accuracy"),
    };
    let caption =
        format!("Windows of {} by {}; simultaneous 95% bands over all windows.", window_in_words(outcome), outcome.by);
    let both = TimeChart {
        lines: vec![
            line(observed, Ink::Category(0), Dash::Solid, &|w| {
                Some((w.observed, Some(observed_band(w.predicted, w.gap_band))))
            }),
            line(predicted, Ink::Category(1), Dash::Dashed, &|w| Some((w.predicted, None))),
        ],
        level: None,
        y_name: y_name.to_owned(),
        shares: true,
        x_name: outcome.by.clone(),
        title: "Predicted and observed over time".to_owned(),
        caption: caption.clone(),
    };
    let against = match view {
        View::Positive => TimeChart {
            lines: vec![line("O:E ratio", Ink::Category(0), Dash::Solid, &|w| Some((w.ratio?, w.ratio_band)))],
            level: Some((1.0, "O:E = 1".to_owned())),
            y_name: "O:E ratio".to_owned(),
            shares: false,
            ..both.clone()
        },
        View::TopLabel => TimeChart {
            lines: vec![line("confidence − accuracy", Ink::Category(0), Dash::Solid, &|w| {
                Some((w.gap, Some(w.gap_band)))
            })],
            level: Some((0.0, "calibrated".to_owned())),
            y_name: "confidence − accuracy".to_owned(),
            shares: true,
            ..both.clone()
        },
    };
    let title = match view {
        View::Positive => "O:E ratio over time",
        View::TopLabel => "Confidence and accuracy over time",
    };
    let against = TimeChart { title: title.to_owned(), ..against };
    [against, both].into_iter().map(|chart| Chart::new(chart, ChartWidth::Half)).collect()
}

fn table(view: View, outcome: &OverTimeOutcome) -> SheetTable {
    let (predicted, observed) = view.columns();
    let mut table = SheetTable::new(
        format!("Predicted and observed by {}", outcome.by),
        &["Period", "#Rows", predicted, observed, "#Predicted − observed", "#O:E ratio"],
    );
    for period in &outcome.periods {
        let gap = period.predicted - period.observed;
        let ratio = (period.predicted > 0.0).then(|| period.observed / period.predicted);
        table.rows.push(vec![
            period.name.as_str().into(),
            Cell::number(count(period.rows as u64), period.rows as f64),
            Cell::number(percent(period.predicted), period.predicted),
            Cell::number(percent(period.observed), period.observed),
            Cell::number(points(gap), gap),
            ratio.map_or_else(|| "–".into(), |ratio| Cell::number(significant(ratio), ratio)),
        ]);
    }
    table
}

fn note(outcome: &OverTimeOutcome, found: Option<&Drift>, counted: bool) -> String {
    let undated = match outcome.undated {
        0 => String::new(),
        1 => " 1 row without a date is excluded.".to_owned(),
        n => format!(" {} rows without a date are excluded.", count(n as u64)),
    };
    let of_counts = match counted {
        true => {
            " Computed from counts: changes within a month are not seen, and the score of a row is the mean of its cell."
        }
        false => "",
    };
    let Some(found) = found else {
        return format!("Single periods are not tested.{of_counts}{undated}");
    };
    format!(
        "The test compares a smooth curve of the scores, fitted to all dates, with the most extreme window. Its \
         null distribution is the most extreme of {} simulations of all outcomes from that curve, refitted each \
         time, over {} windows. A constant error is not a change, nor is a change in case mix; a new population \
         with miscalibrated scores is. The p-value is not adjusted for other tests; that of the finding is, and also \
         covers a trend. Single periods of the table are not tested.{of_counts}{undated}",
        count(found.draws as u64),
        found.windows.len()
    )
}

fn csv(outcome: &OverTimeOutcome) -> String {
    let mut text =
        "from,to,rows,predicted,observed,gap,gap_low,gap_high,observed_expected,ratio_low,ratio_high\n".to_owned();
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for w in &outcome.windows {
        text += &format!(
            "{},{},{},{},{},{},{},{},{},{},{}\n",
            w.from,
            w.to,
            w.rows,
            w.predicted,
            w.observed,
            w.gap,
            w.gap_band[0],
            w.gap_band[1],
            number(w.ratio),
            number(w.ratio_band.map(|band| band[0])),
            number(w.ratio_band.map(|band| band[1]))
        );
    }
    text
}
