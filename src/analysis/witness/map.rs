//! The map of the witness: rows in the color of their own bias, behind them the bias at every place.

use super::input::{GRID, WitnessInput};
use super::words::WitnessRows;
use crate::data::Predictions;
use crate::hypothesis::witness::LocalBias;
use crate::local::MIN_NEIGHBORS;
use crate::num::order;
use crate::num::order::sort_short;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::landscape::Landscape;
use crate::plot::map::MapChart;
use crate::plot::raster::Support;
use crate::plot::table::TextTable;
use crate::report::view::map::{limit_of, supported};
use crate::words::number::{count, points, significant};

/// Rows of the text twin.
const TABLE_ROWS: usize = 12;

/// Warm where scores are too high, as on every map: the color is that of −LCB.
pub(super) fn chart(data: &Predictions, input: &WitnessInput, seen: &WitnessRows, field: &LocalBias) -> Chart {
    let error: Vec<f64> = seen.bias.lcb.iter().map(|lcb| -lcb).collect();
    let support = &seen.support;
    let extent = input.extent();
    let value: Vec<f64> = field.lcb.iter().map(|lcb| -lcb).collect();
    let behind_support =
        (0..value.len()).map(|i| supported(field.n_eff[i], field.mass[i], value[i], field.se[i])).collect::<Vec<u8>>();
    let [x, y] = input.axes.map(|axis| seen.in_order(&input.coordinate(axis)));
    let limit = limit_of(&error, support);
    let few = support.iter().filter(|&&s| s == Support::Few as u8);
    let names = input.axes.map(|axis| input.names[axis].clone());
    let others = input.d() + 1 - 2;
    let behind = match (input.at, others) {
        (_, 0) => "the same at every place".to_owned(),
        (Some(at), _) => {
            format!("the same for rows with a score near {}, at any value of the other covariates", significant(at))
        }
        (None, _) => "mean error of all rows near that place, at any score and other covariates".to_owned(),
    };
    let pair = data.view.difference();
    let [x_name, y_name] = names;
    let chart = MapChart {
        extent,
        table: table(data, input, seen, &x, &y, [&x_name, &y_name]),
        x_name,
        y_name,
        picture: None,
        color_limit: limit,
        error_range: None,
        value_name: format!("local error: {pair} of similar rows"),
        n: seen.rows.len() as u64,
        n_grey: few.count() as u64,
        selection: None,
        cursor: None,
        title: String::new(),
        caption: format!(
            "Points: rows, colored by the local error of rows with similar covariates and score. Background: \
             {behind}. Pale or hatched: pointwise 95% interval includes 0. Gray: fewer than {MIN_NEIGHBORS:.0} \
             effective neighbors."
        ),
        alt: String::new(),
    };
    let landscape = Landscape {
        chart,
        x: x.into(),
        y: y.into(),
        value: error.into(),
        support: support.clone().into(),
        side: GRID,
        behind: value.into(),
        behind_support: behind_support.into(),
        line: Vec::new(),
    };
    Chart::new(landscape, ChartWidth::UpTo { usual: 560.0, most: 640.0 })
}

/// The rows with the largest bias that is more than chance, else with the largest.
fn table(
    data: &Predictions,
    input: &WitnessInput,
    seen: &WitnessRows,
    x: &[f64],
    y: &[f64],
    [x_name, y_name]: [&str; 2],
) -> TextTable {
    let mut table = TextTable::new(&["row", x_name, y_name, "#score", "#local error", "#effective neighbors"]);
    let score = seen.in_order(&input.score);
    let mut order: Vec<usize> = (0..seen.rows.len()).filter(|&i| seen.support[i] > Support::Few as u8).collect();
    let lcb = |i: usize| seen.bias.lcb[i];
    let first = |i: usize, j: usize| lcb(j).abs().total_cmp(&lcb(i).abs()).then(i.cmp(&j));
    if order.len() > TABLE_ROWS {
        order::select(&mut order, TABLE_ROWS, &|&i, &j| first(i, j));
        order.truncate(TABLE_ROWS);
    }
    sort_short(&mut order, |&i, &j| first(i, j).is_lt());
    for i in order {
        let number = data.row_numbers.get(seen.rows[i] as usize);
        table.rows.push(vec![
            number.map_or_else(String::new, |number| count(u64::from(*number))),
            significant(x[i]),
            significant(y[i]),
            significant(score[i]),
            points(-lcb(i)),
            significant(seen.bias.n_eff[i]),
        ]);
    }
    table
}
