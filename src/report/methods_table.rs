//! The comparison of methods as text to paste: Markdown, LaTeX or CSV.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::Report;
use super::scorecard::{RecalibrationCell, RecalibrationTable, present};
use crate::metric::entry::Written;
use crate::metric::registry::metric;
use crate::words::latex::{NEEDS, escaped, label, math};
use crate::words::number::{column_places, count, in_column, p_digits};

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TableFormat {
    /// with bars between the cells, numbers to the right
    #[default]
    Markdown,
    /// a table with a caption, a label and the lines of `booktabs`
    Latex,
    /// every digit of every number
    Csv,
}

/// Options of `data.export("table")`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TableRequest {
    /// default: Markdown
    pub format: TableFormat,
    /// every metric of the scorecard, not only those that decide between methods
    pub every: bool,
    /// threshold: values that could reveal fewer rows than this are withheld; default: none
    pub suppress: Option<u64>,
}

/// One line a method, one column a metric, in the order of the run; all on the same rows, whose number stands beside `none`
/// where that is scored on more as well.
pub fn methods_table(report: &Report, request: TableRequest) -> String {
    let table = present(report, None).recalibration;
    let shown = |i: &usize| request.every || table.columns[*i].main;
    let places: Vec<usize> = (0..table.columns.len()).filter(shown).collect();
    if request.format == TableFormat::Latex {
        return latex(report, &table, &places);
    }
    let markdown = request.format == TableFormat::Markdown;
    let (start, between, end) = if markdown { ("| ", " | ", " |") } else { ("", ",", "") };
    let line = |cells: Vec<String>| format!("{start}{}{end}\n", cells.join(between));
    let name = |name: &str| match name.contains([',', '"', '\n']) {
        _ if markdown => name.replace('|', "\\|"),
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    };
    let value = |(i, cell): (&usize, &RecalibrationCell)| match markdown {
        true => in_its_column(&table, *i, cell),
        false => cell.number.map_or_else(String::new, |number| number.to_string()),
    };
    let heads = places.iter().map(|&i| name(&table.columns[i].name));
    let mut text = line(std::iter::once("method".to_owned()).chain(heads).collect());
    if markdown {
        let rule = places.iter().map(|_| "---:".to_owned());
        text += &line(std::iter::once("---".to_owned()).chain(rule).collect());
    }
    for row in &table.rows {
        let cells = places.iter().filter_map(|i| Some((i, row.cells.get(*i)?))).map(value);
        let rows = report.common.as_ref().filter(|_| row.name == "none");
        let called = match rows {
            Some(common) => format!("{} (n = {})", row.name, common.rows),
            None => row.name.clone(),
        };
        text += &line(std::iter::once(name(&called)).chain(cells).collect());
    }
    text
}

/// A value with the decimals of its column.
fn in_its_column(table: &RecalibrationTable, column: usize, cell: &RecalibrationCell) -> String {
    let numbers = table.rows.iter().filter_map(|row| row.cells.get(column)?.number);
    let metric = table.columns.get(column).and_then(|column| metric(&column.id));
    match cell.number {
        Some(p) if metric.is_some_and(|metric| metric.written == Written::PValue) => p_digits(p),
        Some(number) => in_column(number, column_places(numbers, 3)),
        None => cell.value.clone(),
    }
}

/// The columns at `places`, six side by side; more stand below, in the same table.
fn latex(report: &Report, table: &RecalibrationTable, places: &[usize]) -> String {
    let rows = report.common.as_ref().map_or(report.data.evaluation_rows, |common| common.rows);
    let caption = format!("Metrics of each method on the same rows (n = {})", count(rows as u64));
    let mut text = format!(
        "{NEEDS}\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\label{{{}}}\n\\small\n",
        escaped(&caption),
        label("tab", &["methods"])
    );
    let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
    for (k, places) in places.chunks(BESIDE).enumerate() {
        if k > 0 {
            text += "\\par\\medskip\n";
        }
        let _ = writeln!(text, "\\begin{{tabular}}{{@{{}}l{}@{{}}}}\n\\toprule", "r".repeat(places.len()));
        let heads = places.iter().filter_map(|i| table.columns.get(*i)).map(|column| escaped(&column.name));
        text += &line(std::iter::once("method".to_owned()).chain(heads).collect());
        text += "\\midrule\n";
        for row in &table.rows {
            let cells = places.iter().filter_map(|i| Some(in_its_column(table, *i, row.cells.get(*i)?)));
            text += &line(std::iter::once(escaped(&row.title)).chain(cells.map(|cell| math(&cell, false))).collect());
        }
        text += "\\bottomrule\n\\end{tabular}\n";
    }
    text + "\\end{table}\n"
}

/// Columns that stand side by side in LaTeX.
const BESIDE: usize = 6;
