//! A region of the map: its rows, their gap, and what distinguishes them from the rest.

use serde::Serialize;
use tsify::Tsify;

use super::RunOutcome;
use super::export::row_ids_csv;
use super::ground::Ground;
use super::view::Fact;
use crate::data::{Column, Predictions, View};
use crate::error::{Error, Result};
use crate::job::request::{MapRequest, RegionRequest};
use crate::local::{NORMAL_975, at_least};
use crate::plot::format::{count, percent, points, points_size};
use crate::plot::table::TextTable;

mod difference;

pub use difference::{Difference, differences, headline};

/// What is known about a region.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
pub struct RegionOutcome {
    /// what distinguishes its rows, in one line: "age 23–31 and race = African-American"
    pub headline: String,
    /// rows, shares, gap with interval
    pub facts: Vec<Fact>,
    /// the columns whose distribution differs most from the rest
    pub distinguished_by: TextTable,
    /// rows in the region
    pub n: usize,
    /// mean score − share that happened
    pub gap: f64,
    /// ends of its 95 % interval
    pub interval: [f64; 2],
    /// rows of the data, from 0, ascending
    #[tsify(type = "number")]
    pub rows: Column<u32>,
}

/// The region that was asked for, against the rest of the rows shown.
///
/// Its gap is the mean residual m of its n rows with the interval m ± 1.96 √(v/n), v as in
/// [`at_least`](crate::local::at_least).
///
/// # Errors
/// Those of the map; `invalid_option` unless one of box, polygon and rows is given; `too_few_rows` for an empty region.
pub fn region(
    data: &Predictions,
    run: &RunOutcome,
    request: &RegionRequest,
) -> Result<RegionOutcome> {
    let ground = Ground::new(data, run, &map_request(request))?;
    let inside = inside(&ground, request)?;
    let (here, rest) = (
        gap_of(&ground, &inside, true),
        gap_of(&ground, &inside, false),
    );
    let n = here.n as usize;
    if n == 0 {
        return Err(Error::new(
            "too_few_rows",
            "No row lies in this region.",
            "Draw it around some points.",
        ));
    }
    let found = differences(data, &ground.rows, &inside);
    let interval = here.interval();
    let (says, happens) = match data.view {
        View::TopLabel => ("mean confidence", "accuracy"),
        View::Positive => ("mean probability", "happened"),
    };
    let fact = |name: &str, value: String| Fact {
        name: name.to_owned(),
        value,
    };
    let shown = ground.rows.len();
    let mut facts = vec![
        fact(
            "rows",
            format!(
                "{} ({} of those shown)",
                count(n as u64),
                percent(n as f64 / shown as f64)
            ),
        ),
        fact(says, percent(here.score)),
        fact(happens, percent(here.happened)),
        fact("gap", gap_words(here.gap(), interval)),
    ];
    if rest.n > 0.0 {
        facts.push(fact(
            "gap elsewhere",
            gap_words(rest.gap(), rest.interval()),
        ));
    }
    let mut columns = TextTable::new(&["column", "here", "elsewhere", "#difference"]);
    columns.rows = found.iter().map(Difference::cells).collect();
    let rows = ground
        .rows
        .iter()
        .zip(&inside)
        .filter(|(_, inside)| **inside);
    Ok(RegionOutcome {
        headline: if rest.n == 0.0 {
            "every row shown".to_owned()
        } else {
            headline(data, &ground.rows, &inside, &found)
        },
        facts,
        distinguished_by: columns,
        n,
        gap: here.gap(),
        interval,
        rows: rows.map(|(row, _)| *row).collect(),
    })
}

/// The rows of a region as CSV: ids where the file has them, else row numbers.
///
/// # Errors
/// As [`region`].
pub fn region_rows_csv(
    data: &Predictions,
    run: &RunOutcome,
    request: &RegionRequest,
) -> Result<Vec<u8>> {
    let ground = Ground::new(data, run, &map_request(request))?;
    let inside = inside(&ground, request)?;
    let rows = ground
        .rows
        .iter()
        .zip(&inside)
        .filter(|(_, inside)| **inside);
    let rows: Vec<u32> = rows.map(|(row, _)| *row).collect();
    Ok(row_ids_csv(data, &rows))
}

fn map_request(request: &RegionRequest) -> MapRequest {
    MapRequest {
        method: request.method.clone(),
        features: request.features.clone(),
        axes: request.axes,
        bin: request.bin.clone(),
        ..MapRequest::default()
    }
}

/// "+12.0 points (+3.1 … +20.9)".
pub(super) fn gap_words(gap: f64, [low, high]: [f64; 2]) -> String {
    let bare = |v: f64| {
        let words = points(v);
        words.split('\u{a0}').next().unwrap_or_default().to_owned()
    };
    format!("{} ({} … {})", points(gap), bare(low), bare(high))
}

/// "too high by 12.0 points".
pub(in crate::report) fn direction(gap: f64) -> String {
    let side = if gap >= 0.0 { "too high" } else { "too low" };
    format!("{side} by {}", points_size(gap))
}

/// Which rows shown lie in the region.
fn inside(ground: &Ground, request: &RegionRequest) -> Result<Vec<bool>> {
    let all = 0..ground.rows.len();
    match (&request.rectangle, &request.polygon, &request.rows) {
        (Some([x0, x1, y0, y1]), None, None) => {
            let within = |v: f64, a: f64, b: f64| a.min(b) <= v && v <= a.max(b);
            let place = all.map(|i| ground.drawn(i));
            Ok(place
                .map(|[x, y]| within(x, *x0, *x1) && within(y, *y0, *y1))
                .collect())
        }
        (None, Some(corners), None) => {
            Ok(all.map(|i| encloses(corners, ground.drawn(i))).collect())
        }
        (None, None, Some(rows)) => {
            let mut rows = rows.clone();
            rows.sort_unstable();
            let asked = |row: &u32| rows.binary_search(row).is_ok();
            Ok(ground.rows.iter().map(asked).collect())
        }
        _ => Err(Error::new(
            "invalid_option",
            "A region is a box, a polygon or a list of rows: one of the three.",
            "Give box: [x0, x1, y0, y1], polygon: [[x, y], …] or rows: [0, 4, …].",
        )),
    }
}

/// Whether a closed polygon goes around a place: an odd number of its edges lies to the right.
fn encloses(corners: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let mut odd = false;
    let before = corners.iter().cycle().skip(corners.len().max(1) - 1);
    for (a, b) in before.zip(corners) {
        let crosses = (a[1] > y) != (b[1] > y);
        if crosses && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) {
            odd = !odd;
        }
    }
    odd
}

/// Means over some rows.
struct Gap {
    n: f64,
    score: f64,
    happened: f64,
    variance: f64,
    binomial: f64,
}

impl Gap {
    fn gap(&self) -> f64 {
        self.score - self.happened
    }

    fn interval(&self) -> [f64; 2] {
        let se = (at_least(self.variance, self.binomial, self.n) / self.n).sqrt();
        [-NORMAL_975, NORMAL_975].map(|z| (self.gap() + z * se).clamp(-1.0, 1.0))
    }
}

fn gap_of(ground: &Ground, inside: &[bool], wanted: bool) -> Gap {
    let (mut n, mut score, mut happened, mut squares, mut binomial) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for ((s, t), inside) in ground.score.iter().zip(&ground.target).zip(inside) {
        if *inside == wanted {
            let t = f64::from(*t);
            n += 1.0;
            score += s;
            happened += t;
            squares += (s - t) * (s - t);
            binomial += s * (1.0 - s);
        }
    }
    let mean = (score - happened) / n;
    Gap {
        n,
        score: score / n,
        happened: happened / n,
        variance: (squares / n - mean * mean).max(0.0),
        binomial: binomial / n,
    }
}

#[cfg(test)]
mod tests;
