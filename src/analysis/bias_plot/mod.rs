//! Local bias against a covariate, with one panel for each value of a group column and one color for each value of
//! another.

mod plan;
mod request;

pub use plan::{ChooseCovariates, CompareBias};
pub use request::BiasPlotRequest;

mod words;

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::analysis::witness::{BiasPart, WitnessInput, sizes};
use crate::data::Predictions;
use crate::error::{Error, Result, phrases};
use crate::feature::groups::{Groups, group_columns, groups};
use crate::feature::{columns_of, covariates, features, numbers};
use crate::hypothesis::WIDTH_P;
use crate::hypothesis::bias_curve::{BiasCurve, RIDGE};
use crate::hypothesis::witness::{GAMMA_CONCATENATED, WitnessForm, WitnessKernel};
use crate::num::moments::mean_and_sd;
use crate::num::order::{ascending, sort_short};
use crate::num::rng::Lanes;
use crate::plot::bias::{BiasChart, BiasSeries};
use crate::plot::chart::{Chart, ChartWidth, Screen};
use crate::report::RunOutcome;
use crate::report::sheet::Sheet;
use crate::report::verdict::Verdict;
use crate::report::view::method_rows;
use crate::table::{Column, MISSING};
use crate::words::number::{count, significant};
use crate::words::text::counted;

/// Maximum number of values of a group column that get a panel or a color.
const MOST_LEVELS: usize = 4;
/// Maximum number of rows that are drawn in one color of one panel.
const MOST_POINTS: usize = 400;
/// Bins of the covariate.
const BINS: usize = 8;
/// Fewest rows for a line.
const LEAST_ROWS: usize = 20;
/// Words for the rows of a file where no column divides them.
const ALL: &str = "all rows";
/// Number of points of the line.
const PLACES: usize = 201;
/// Jitter of whole numbers for display.
const JITTER: f64 = 0.15;

/// Response of `data.analyse("bias_plot")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BiasOutcome {
    /// the panel, as displayed
    pub sheet: Sheet,
    /// verdict on the group with the smallest p-value
    pub verdict: Verdict,
    /// data rows that were evaluated, from 0, ascending
    pub rows: Column<u32>,
    /// covariate of each row
    pub covariate: Column<f64>,
    /// local bias of each row with the sign of the paper, outcome − score: positive if the risk is underestimated. The
    /// panel has the opposite sign, predicted − observed, as everywhere else
    pub bias: Column<f64>,
}

/// The response before its charts are drawn.
pub type BiasWithoutCharts = WithoutCharts<BiasOutcome>;
/// The step that draws its charts.
pub type ShowBias = Show<BiasOutcome>;

impl HasCharts for BiasOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// The requested columns, or the first ones.
struct Chosen {
    covariate: String,
    by: Option<Groups>,
    color: Option<Groups>,
}

fn chosen(data: &Predictions, request: &BiasPlotRequest) -> Result<Chosen> {
    let named = request.covariate.clone();
    let covariate = named.or_else(|| covariates(data).into_iter().next());
    let covariate =
        covariate.ok_or_else(|| Error::new("features_missing", "No numeric covariate.", phrases::COVARIATE))?;
    let columns = group_columns(data);
    let by = request.by.clone().or_else(|| columns.first().cloned());
    let rest = columns.iter().find(|name| by.as_ref() != Some(*name));
    let color = request.colour.clone().or_else(|| rest.cloned());
    let made = |name: Option<String>| {
        let name = name.filter(|name| !name.is_empty());
        name.map(|name| groups(data, &name)).transpose()
    };
    Ok(Chosen { covariate, by: made(by)?, color: made(color)? })
}

/// Rows and kernel: the covariate in units of its standard deviation, groups as 0 and 1, the score as a further
/// covariate.
///
/// # Errors
/// `features_missing`, `unknown_column`, `unknown_method`, `invalid_option`, `too_few_rows`.
pub fn input(data: &Predictions, run: &RunOutcome, request: &BiasPlotRequest) -> Result<WitnessInput> {
    let method = method_rows(run, request.method.as_deref())?;
    let chosen = chosen(data, request)?;
    let covariate = numbers(data, &chosen.covariate)?;
    let covariates = request.features.as_ref().map(|choice| features(data, choice, &method.rows)).transpose()?;
    let has_place = |row: u32| covariates.as_ref().is_none_or(|all| all.has_place(row));
    let known: Vec<u32> = (0u32..)
        .zip(method.rows.iter())
        .filter(|(_, row)| covariate[**row as usize].is_finite() && has_place(**row))
        .map(|(place, _)| place)
        .collect();
    if known.is_empty() {
        return Err(Error::new(
            "too_few_rows",
            format!("No scored row has a number in `{}`.", chosen.covariate),
            "Choose another covariate.",
        ));
    }
    let mut notes = Vec::new();
    let missing = method.rows.len() - known.len();
    if missing > 0 {
        let of = if covariates.is_some() { "the covariate or a coordinate of similarity" } else { "the covariate" };
        notes.push(format!("Excluded: {} without a number in {of}.", counted(missing, "row")));
    }
    let rows: Vec<u32> = known.iter().map(|place| method.rows[*place as usize]).collect();
    let (x, names) = match covariates {
        Some(all) => {
            notes.push("Covariates are unscaled.".to_owned());
            (all.select(&rows), (0..all.d).map(|k| all.name(k)).collect())
        }
        None => scaled_coordinates(&chosen, &covariate, &rows, &mut notes),
    };
    let d = names.len();
    let (sources, queried) = sizes(known.len(), d, false);
    let kept = sampled(known.len(), (sources, queried), &mut notes);
    let kernel = WitnessKernel {
        form: WitnessForm::Concatenated,
        width_p: WIDTH_P,
        gamma: request.gamma.unwrap_or(GAMMA_CONCATENATED),
    };
    kernel.check()?;
    let place = |i: &usize| known[*i] as usize;
    Ok(WitnessInput {
        rows: kept.iter().map(|i| method.rows[place(i)]).collect(),
        score: kept.iter().map(|i| method.score[place(i)]).collect(),
        target: kept.iter().map(|i| method.target[place(i)]).collect(),
        x: kept.iter().flat_map(|i| x[i * d..(i + 1) * d].iter().copied()).collect(),
        names: names.into_iter().chain(["score".to_owned()]).collect(),
        kernel,
        queried,
        axes: [0, d],
        at: None,
        leave_one_out: false,
        notes,
        no_test: no_test(data, &chosen, request),
    })
}

/// The covariate in units of its standard deviation, then 0 or 1/√2 for every value of the group columns: row-major, with the
/// names of the coordinates.
fn scaled_coordinates(
    chosen: &Chosen,
    covariate: &[f64],
    rows: &[u32],
    notes: &mut Vec<String>,
) -> (Vec<f64>, Vec<String>) {
    let own: Vec<f64> = rows.iter().map(|&row| covariate[row as usize]).collect();
    let sd = mean_and_sd(&own).1;
    let unit = if sd > 0.0 { sd } else { 1.0 };
    notes.push(format!("{} is scaled by its standard deviation, {}.", chosen.covariate, significant(unit)));
    let by: Vec<&Groups> = chosen.by.iter().chain(&chosen.color).collect();
    let mut names = vec![chosen.covariate.clone()];
    for groups in &by {
        let of = |level: &String| format!("{} = {level}", groups.name);
        names.extend(groups.levels.iter().map(of));
    }
    let mut x = Vec::with_capacity(rows.len() * names.len());
    for (&row, own) in rows.iter().zip(&own) {
        x.push(own / unit);
        for groups in &by {
            let code = groups.codes[row as usize];
            // Two values differ by 1 as a single flag would, hence the half.
            let flag = std::f64::consts::FRAC_1_SQRT_2;
            let is = |level: u32| if level == code { flag } else { 0.0 };
            x.extend((0..groups.levels.len() as u32).map(is));
        }
    }
    (x, names)
}

/// Positions of the rows that bias is computed from: all of `n`, or a random sample where not every one is looked at.
fn sampled(n: usize, (sources, queried): (usize, usize), notes: &mut Vec<String>) -> Vec<usize> {
    if queried == n {
        return (0..n).collect();
    }
    let mut lanes = Lanes::seeded(0, 0x6269_6173);
    let keys: Vec<f64> = (0..n.div_ceil(4)).flat_map(|_| lanes.uniform()).take(n).collect();
    notes.push(format!("Computed from {} of {} rows, sampled at random.", count(queried as u64), count(n as u64)));
    ascending(&keys)[..sources].iter().map(|&i| i as usize).collect()
}

/// Why there is no test, if one of the columns determines the outcome.
fn no_test(data: &Predictions, chosen: &Chosen, request: &BiasPlotRequest) -> Option<String> {
    let groups = chosen.by.iter().chain(&chosen.color);
    let mut names: Vec<String> = groups.map(|groups| groups.name.clone()).collect();
    names.push(chosen.covariate.clone());
    if let Some(choice) = &request.features {
        names.extend(columns_of(data, choice));
    }
    let Some(why) = data.no_test_by(&names) else { return data.dependent_rows() };
    Some(format!("{why}. Use columns known before the outcome"))
}

/// Some rows of one panel in one color.
struct PlottedGroup {
    by: String,
    color: String,
    rows: Vec<usize>,
}

/// Panels and sentences from the bias of every evaluated row.
///
/// # Errors
/// As [`input`]; `internal` if parts are missing.
pub fn outcome(
    data: &Predictions,
    run: &RunOutcome,
    input: &WitnessInput,
    request: &BiasPlotRequest,
    parts: &[&BiasPart],
) -> Result<BiasOutcome> {
    let chosen = chosen(data, request)?;
    let all = numbers(data, &chosen.covariate)?;
    let each = parts.iter().flat_map(|part| part.values.chunks_exact(4));
    let found: Vec<[f64; 2]> = each.map(|one| [one[0], one[3]]).collect();
    if found.len() != input.queried {
        return Err(Error::internal("Parts of the bias are missing."));
    }
    let places: Vec<f64> = input.rows[..input.queried].iter().map(|&row| f64::from(row)).collect();
    let order = ascending(&places);
    let rows: Vec<u32> = order.iter().map(|&i| input.rows[i as usize]).collect();
    let x: Vec<f64> = rows.iter().map(|&row| all[row as usize]).collect();
    let lcb: Vec<f64> = order.iter().map(|&i| found[i as usize][0]).collect();
    // displayed is predicted − observed, as everywhere
    let error: Vec<f64> = lcb.iter().map(|lcb| -lcb).collect();
    let se: Vec<f64> = order.iter().map(|&i| found[i as usize][1]).collect();
    let pairs: Vec<(f64, u8)> = order.iter().map(|&i| (input.score[i as usize], input.target[i as usize])).collect();

    let (by, all_by) = levels(&chosen.by, &rows);
    let (color, all_colors) = levels(&chosen.color, &rows);
    let mut left_out = Vec::new();
    for (groups, all) in [(&chosen.by, all_by), (&chosen.color, all_colors)] {
        if let Some(groups) = groups.as_ref().filter(|_| all > MOST_LEVELS) {
            left_out.push(format!(
                "Only the {MOST_LEVELS} most frequent of {} values of {} are included.",
                count(all as u64),
                groups.name
            ));
        }
    }
    let plotted = plotted_groups(&chosen, &rows, &by, &color);
    let limit = limit(&lcb);
    let ends = ends(&x);
    let charts: Vec<Chart> = by
        .iter()
        .map(|(_, name)| {
            let own = plotted.iter().filter(|group| group.by == *name);
            let series: Vec<_> = own.map(|group| series(group, &x, &error, &se, ends)).collect();
            let few = if series.iter().any(|one| one.n < LEAST_ROWS) {
                format!(" Groups of fewer than {LEAST_ROWS} rows have neither.")
            } else {
                String::new()
            };
            let chart = BiasChart {
                series,
                x_name: chosen.covariate.clone(),
                value_name: data.view.difference().to_owned(),
                x: ends,
                limit,
                title: name.clone(),
                caption: format!(
                    "Points: a sample of the rows, integers jittered. Line: cubic ridge regression. Bars: ± one \
                     standard error, by eighths of the rows.{few}"
                ),
            };
            Chart::new(chart, ChartWidth::all(420.0))
        })
        .collect();
    let of = words::Plotted { error: &error, pairs: &pairs, input, left_out: &left_out };
    let (sheet, verdict) = words::sheet(data, run, request, &chosen, &plotted, charts, &of);
    Ok(BiasOutcome { sheet, verdict, rows: rows.into(), covariate: x.into(), bias: lcb.into() })
}

/// The rows of every panel and color; `by`, `color`: their values, by code.
fn plotted_groups(chosen: &Chosen, rows: &[u32], by: &[(u32, String)], color: &[(u32, String)]) -> Vec<PlottedGroup> {
    let is = |groups: &Option<Groups>, row: u32, code: u32| match groups {
        Some(groups) => groups.codes[row as usize] == code,
        None => true,
    };
    let mut plotted = Vec::with_capacity(by.len() * color.len());
    for (code, name) in by {
        for (other, own) in color {
            let here = |i: &usize| is(&chosen.by, rows[*i], *code) && is(&chosen.color, rows[*i], *other);
            let rows = (0..rows.len()).filter(here).collect();
            plotted.push(PlottedGroup { by: name.clone(), color: own.clone(), rows });
        }
    }
    plotted
}

/// The most frequent values of a group column among some rows, in their own order, and the number of values; a single one
/// for all rows without a column.
fn levels(groups: &Option<Groups>, rows: &[u32]) -> (Vec<(u32, String)>, usize) {
    let Some(groups) = groups else {
        return (vec![(MISSING, ALL.to_owned())], 1);
    };
    let mut sizes = vec![0usize; groups.levels.len()];
    for &row in rows {
        if let Some(size) = sizes.get_mut(groups.codes[row as usize] as usize) {
            *size += 1;
        }
    }
    let mut found: Vec<usize> = (0..sizes.len()).filter(|&k| sizes[k] > 0).collect();
    let all = found.len();
    sort_short(&mut found, |&a, &b| sizes[a] > sizes[b]);
    found.truncate(MOST_LEVELS);
    found.sort_unstable();
    let named = (found.into_iter()).map(|k| (k as u32, format!("{} = {}", groups.name, groups.levels[k]))).collect();
    (named, all)
}

/// A round limit that covers 98% of the biases, at least 5 percentage points.
fn limit(lcb: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = lcb.iter().map(|v| v.abs()).filter(|v| v.is_finite()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let size = crate::num::quantile::quantile_sorted(&sizes, 0.98).unwrap_or(0.1);
    let round = [0.05, 0.1, 0.2, 0.3, 0.5];
    round.into_iter().find(|&limit| size <= limit).unwrap_or(1.0)
}

fn ends(x: &[f64]) -> (f64, f64) {
    let low = x.iter().copied().fold(f64::INFINITY, f64::min);
    let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if high > low {
        let room = 0.02 * (high - low);
        (low - room, high + room)
    } else {
        (low - 0.5, high + 0.5)
    }
}

fn series(group: &PlottedGroup, x: &[f64], error: &[f64], se: &[f64], ends: (f64, f64)) -> BiasSeries {
    let rows = &group.rows;
    let own: Vec<f64> = rows.iter().map(|&i| x[i]).collect();
    let bias: Vec<f64> = rows.iter().map(|&i| error[i]).collect();
    let step = rows.len().div_ceil(MOST_POINTS).max(1);
    let whole = own.iter().all(|v| v.fract() == 0.0) && ends.1 - ends.0 > 4.0;
    let mut lanes = Lanes::seeded(0, 0x6a69_7474);
    let points = (0..rows.len()).step_by(step).map(|k| {
        let moved = if whole { JITTER * (2.0 * lanes.uniform()[0] - 1.0) } else { 0.0 };
        (own[k] + moved, bias[k])
    });
    // without a second column, all rows of the panel
    let name = if group.color == ALL { &group.by } else { &group.color };
    let mut found = BiasSeries { name: name.clone(), n: rows.len(), points: points.collect(), ..BiasSeries::default() };
    let order = ascending(&own);
    if rows.len() < LEAST_ROWS {
        return found;
    }
    if let Some(curve) = BiasCurve::fit(&own, &bias, RIDGE) {
        let at = |share: f64| own[order[(share * (order.len() - 1) as f64) as usize] as usize];
        let (low, high) = (at(0.01), at(0.99));
        let place = |k: usize| low + (high - low) * k as f64 / (PLACES - 1) as f64;
        found.line = (0..PLACES).map(|k| (place(k), curve.at(place(k)))).collect();
    }
    for bin in 0..BINS {
        let here = &order[order.len() * bin / BINS..order.len() * (bin + 1) / BINS];
        let n = here.len() as f64;
        let mean = |of: &dyn Fn(usize) -> f64| here.iter().map(|&k| of(k as usize)).sum::<f64>() / n;
        found.bins.push((mean(&|k| own[k]), mean(&|k| bias[k]), mean(&|k| se[rows[k]])));
    }
    found
}
