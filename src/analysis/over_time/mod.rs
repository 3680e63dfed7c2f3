//! Calibration over time: predicted and observed in moving windows, and a test of whether the calibration of the scores
//! changes.

mod plan;
mod request;
mod words;

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::Predictions;
use crate::data::dates::{Dates, Exactness};
use crate::drift::{Drift, InTime, Window, usual_window};
use crate::error::{Error, Result};
use crate::feature::{date_columns, find};
use crate::num::order::ascending;
use crate::num::special::NORMAL_80;
use crate::num::weight::weighted_share;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::sheet::Sheet;
use crate::report::verdict::Verdict;
use crate::report::view::method_rows;
use crate::words::calendar::{civil, days, written};
use crate::words::text::listed;

pub use crate::drift::DrawnWindows;
pub use plan::{DrawWindows, PutInTime, SummarizeOverTime};
pub use request::OverTimeRequest;

/// Response of `data.analyse("over_time")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverTimeOutcome {
    /// the date column
    pub by: String,
    /// name of the method
    pub method: String,
    /// scored rows with a date
    pub rows: usize,
    /// scored rows without a date, which are excluded
    pub undated: usize,
    /// rows in the first window; in other windows the same number, except for ties in the date
    pub window: usize,
    /// overlapping windows in order of time
    pub windows: Vec<TimeWindow>,
    /// calendar periods: months, quarters or years
    pub periods: Vec<Period>,
    /// p-value of no change over time, from the largest standardized deviation over the windows
    pub p: Option<f64>,
    /// 95% CI, simultaneous over all windows, of expected minus observed in the most extreme window, expected from rows with equal
    /// scores at the other dates; null without a test
    #[serde(default)]
    pub change: Option<[f64; 2]>,
    /// observed share of events of all these rows
    pub observed: f64,
    /// change in one window that is detectable with 80% power
    pub detectable: Option<f64>,
    /// verdict on a change of calibration
    pub verdict: Verdict,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type OverTimeWithoutCharts = WithoutCharts<OverTimeOutcome>;
/// The step that draws its charts.
pub type ShowOverTime = Show<OverTimeOutcome>;

impl HasCharts for OverTimeOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// A window along time. Bands hold every window together in at least 19 of 20 cases; all of them are one interval, that of
/// the error, on several scales.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeWindow {
    /// first date
    pub from: String,
    /// last date
    pub to: String,
    /// mean date, in days since 1970-01-01
    pub day: f64,
    /// rows
    pub rows: usize,
    /// mean predicted probability
    #[serde(rename = "says")]
    pub predicted: f64,
    /// share of outcomes
    #[serde(rename = "happened")]
    pub observed: f64,
    /// predicted − observed
    pub gap: f64,
    /// ends of the band of the gap
    pub gap_band: [f64; 2],
    /// observed : expected; null where nothing is expected
    pub ratio: Option<f64>,
    /// ends of its band
    pub ratio_band: Option<[f64; 2]>,
    /// how many fewer events than the same scores mean over all times
    pub beyond: f64,
}

/// A month, a quarter or a year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Period {
    /// 2024-03, 2024 Q1, 2024
    pub name: String,
    /// rows
    pub rows: usize,
    /// of them those with the outcome, whatever their weights
    pub events: usize,
    /// mean predicted probability
    #[serde(rename = "says")]
    pub predicted: f64,
    /// share of outcomes
    #[serde(rename = "happened")]
    pub observed: f64,
}

/// Scored rows in the order of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dated {
    /// the column of dates
    by: String,
    /// scored rows without a date
    undated: usize,
    /// rows of a window that were asked for, or are usual
    window: usize,
    /// the rows
    pub(super) rows: InTime,
}

/// The scored rows with their dates.
///
/// # Errors
/// `unknown_method`; `unknown_column` for a column that is not there, `invalid_option` for one that holds no dates;
/// `too_few_rows` where no scored row has a date.
///
/// # Cost
/// O(n log n).
pub fn dated(data: &Predictions, run: &RunOutcome, request: &OverTimeRequest) -> Result<Dated> {
    let known = date_columns(data);
    let by = match &request.by {
        Some(name) => name.clone(),
        None => known.first().cloned().ok_or_else(|| {
            Error::new("invalid_option", "No date column.", "Assign “Date” to a column; format 2024-01-31.")
        })?,
    };
    let dates = dates_of(data, &by)?;
    let rows = method_rows(run, request.method.as_deref())?;
    let day = |i: usize| rows.rows.get(i).and_then(|row| dates.of_rows.get(*row as usize)).copied().unwrap_or(f64::NAN);
    let (dated, undated): (Vec<u32>, Vec<u32>) = (0..rows.score.len() as u32).partition(|i| !day(*i as usize).is_nan());
    if dated.is_empty() {
        return Err(Error::new("too_few_rows", "No scored row has a date.", "Choose another date column."));
    }
    let counts = |i: &u32| rows.weights().is_none_or(|weights| weights.get(*i as usize).is_some_and(|w| *w > 0.0));
    let dated: Vec<u32> = dated.into_iter().filter(counts).collect();
    let days_of: Vec<f64> = dated.iter().map(|&i| day(i as usize)).collect();
    // rows of one date stay in the order of the file
    let order: Vec<u32> = ascending(&days_of).iter().filter_map(|&k| dated.get(k as usize).copied()).collect();
    let undated = rows.at(&undated).tally().0;
    let days_of = order.iter().map(|&i| day(i as usize)).collect();
    let ordered = rows.at(&order);
    let (n, events) = ordered.tally();
    let share = events as f64 / n.max(1) as f64;
    let window = request.window.map_or_else(|| usual_window(n, share), |window| window as usize);
    let weight = (ordered.weights().map(<[f64]>::to_vec), ordered.counted);
    let (score, target) = (ordered.score.to_vec(), ordered.target.to_vec());
    let rows = InTime::new(days_of, score, target, weight, (window, request.seed.unwrap_or(0)));
    let rows = rows.with_clusters(ordered.clusters);
    Ok(Dated { by, undated, window, rows })
}

/// The dates of a column.
fn dates_of(data: &Predictions, by: &str) -> Result<Dates> {
    Dates::of(find(data, by)?).ok_or_else(|| {
        let hint = match date_columns(data).as_slice() {
            [] => "No column contains dates, as 2024-01-31, 2024-01 or 2024 Q1.".to_owned(),
            known => format!("Date columns: {}.", listed(known)),
        };
        Error::new("invalid_option", format!("by: “{by}” contains no dates."), hint)
    })
}

/// Scores against outcomes along the dates of the rows, from every draw, in order.
///
/// # Errors
/// As [`dated`].
///
/// # Cost
/// O(n) and that of [`InTime::drift`].
pub fn over_time(
    data: &Predictions,
    run: &RunOutcome,
    request: &OverTimeRequest,
    dated: &Dated,
    drawn: &[&DrawnWindows],
) -> Result<OverTimeOutcome> {
    let Dated { by, undated, window, rows } = dated;
    let dates = dates_of(data, by)?;
    let no_test = data.no_test_by(std::slice::from_ref(by));
    let found = rows.drift(drawn);
    let tested = no_test.is_none();
    let observed = weighted_share(&rows.target, (!rows.weight.is_empty()).then_some(&rows.weight));
    let verdict = words::verdict(found.as_ref(), no_test, &rows.day, &dates);
    let mut outcome = OverTimeOutcome {
        method: method_rows(run, request.method.as_deref())?.method.name.clone(),
        rows: rows.count(0..rows.day.len()) as usize,
        undated: *undated,
        window: found.as_ref().and_then(|found| found.windows.first()).map_or(*window, |one| one.rows as usize),
        windows: found.as_ref().map(|found| windows(found, &rows.day, &dates)).unwrap_or_default(),
        periods: periods(rows, dates.exactness),
        p: found.as_ref().map(|found| found.p),
        change: found.as_ref().filter(|_| tested).map(|found| found.change),
        observed,
        detectable: found.as_ref().and_then(|found| detectable(found, rows.count(0..rows.day.len()), observed)),
        by: by.clone(),
        verdict,
        sheet: Sheet::default(),
    };
    outcome.sheet = words::sheet(data, run, request, &outcome, found.as_ref())?;
    Ok(outcome)
}

/// Steps of the equation for the detectable difference, which converges within a few.
const STEPS_OF_DETECTABLE: usize = 30;

/// The difference of a window from the other dates that the test detects with 80% power, of the window with the median standard
/// error SE: δ = (c + 0.84 √(v₁/v)) SE / (1 − n/N), as in [`Scanned::detectable`](crate::scan::Scanned::detectable). The fit to all
/// dates, which include the n rows of the window, takes n/N of the difference; v = π (1 − π), and v₁ = v + δ |1 − 2π| − δ² where the
/// difference increases the variance.
///
/// * `observed`: π, share of events of all N rows
fn detectable(found: &Drift, rows: u64, observed: f64) -> Option<f64> {
    let mut windows: Vec<&Window> = found.windows.iter().collect();
    windows.sort_by(|a, b| a.beyond_error.total_cmp(&b.beyond_error));
    let window = windows.get(windows.len() / 2)?;
    let variance = observed * (1.0 - observed);
    let error = window.beyond_error / (1.0 - window.rows as f64 / rows as f64);
    let with = |gap: f64| {
        let there = variance + gap * (1.0 - 2.0 * observed).abs() - gap * gap;
        (found.needed + NORMAL_80 * (there.max(variance) / variance).sqrt()) * error
    };
    Some((0..STEPS_OF_DETECTABLE).fold(0.0, |gap, _| with(gap)))
}

/// The band of the observed share: predicted less the ends of the band of the gap.
fn observed_band(predicted: f64, [low, high]: [f64; 2]) -> [f64; 2] {
    [high, low].map(|gap| (predicted - gap).clamp(0.0, 1.0))
}

fn windows(found: &Drift, days: &[f64], dates: &Dates) -> Vec<TimeWindow> {
    let text = |i: usize| days.get(i).map(|day| dates.text(*day)).unwrap_or_default();
    let one = |window: &Window| {
        let observed_over = |share: f64| (window.predicted > 0.0).then(|| share / window.predicted);
        let [low, high] = observed_band(window.predicted, window.interval);
        TimeWindow {
            from: text(window.entries.start),
            to: text(window.entries.end.saturating_sub(1)),
            day: window.day,
            rows: window.rows as usize,
            predicted: window.predicted,
            observed: window.observed,
            gap: window.predicted - window.observed,
            gap_band: window.interval,
            ratio: observed_over(window.observed),
            ratio_band: observed_over(low).zip(observed_over(high)).map(|(low, high)| [low, high]),
            beyond: window.beyond,
        }
    };
    found.windows.iter().map(one).collect()
}

/// Rows by months; by quarters where there are more than 24 months, by years where there are more than 24 quarters.
fn periods(rows: &InTime, exactness: Exactness) -> Vec<Period> {
    let (Some(first), Some(last)) = (rows.day.first(), rows.day.last()) else { return Vec::new() };
    let span = last - first;
    let longest = match () {
        () if span > 24.0 * 91.0 => Exactness::Year,
        () if span > 24.0 * 30.5 => Exactness::Quarter,
        () => Exactness::Month,
    };
    // a file that names quarters knows no months
    let length = longest.min(exactness);
    let start = |day: f64| {
        let (year, month, _) = civil(day.floor() as i64);
        match length {
            Exactness::Year => days(year, 1, 1),
            Exactness::Quarter => days(year, (month - 1) / 3 * 3 + 1, 1),
            _ => days(year, month, 1),
        }
    };
    let name = |day: i64| written(day as f64, length);
    let mut found: Vec<(i64, Period, f64)> = Vec::new();
    for (i, day) in rows.day.iter().enumerate() {
        let (start, w) = (start(*day), rows.weight.get(i).copied().unwrap_or(1.0));
        if found.last().is_none_or(|last| last.0 != start) {
            found.push((start, Period { name: name(start), rows: 0, events: 0, predicted: 0.0, observed: 0.0 }, 0.0));
        }
        if let Some((_, period, mass)) = found.last_mut() {
            let counted = rows.count(i..i + 1) as usize;
            period.rows += counted;
            period.events += counted * usize::from(rows.target[i]);
            *mass += w;
            period.predicted += w * rows.score[i];
            period.observed += w * f64::from(rows.target[i]);
        }
    }
    let mean = |(_, period, mass): (i64, Period, f64)| Period {
        predicted: period.predicted / mass,
        observed: period.observed / mass,
        ..period
    };
    found.into_iter().map(mean).collect()
}
