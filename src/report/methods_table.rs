//! The comparison of methods as text to paste: Markdown, LaTeX or CSV.

use serde::{Deserialize, Serialize};

use super::Report;
use super::scorecard::{RepairCell, present};

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TableFormat {
    /// with bars between the cells, numbers to the right
    #[default]
    Markdown,
    /// the lines of a `tabular`
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
}

/// One line a method, one column a metric, in the order of the run; all on the same rows, whose number stands beside `none`
/// where that is scored on more as well.
pub fn methods_table(report: &Report, request: TableRequest) -> String {
    let table = present(report, None).repair;
    let (start, between, end) = match request.format {
        TableFormat::Markdown => ("| ", " | ", " |"),
        TableFormat::Latex => ("", " & ", " \\\\"),
        TableFormat::Csv => ("", ",", ""),
    };
    let line = |cells: Vec<String>| format!("{start}{}{end}\n", cells.join(between));
    let name = |name: &str| match request.format {
        TableFormat::Markdown => name.replace('|', "\\|"),
        TableFormat::Latex => latex(name),
        TableFormat::Csv if name.contains([',', '"', '\n']) => {
            format!("\"{}\"", name.replace('"', "\"\""))
        }
        TableFormat::Csv => name.to_owned(),
    };
    let value = |cell: &RepairCell| match (request.format, cell.number) {
        (TableFormat::Csv, Some(number)) => number.to_string(),
        (TableFormat::Csv, None) => String::new(),
        _ => cell.value.clone(),
    };
    let shown = |i: &usize| request.every || table.columns[*i].main;
    let places: Vec<usize> = (0..table.columns.len()).filter(shown).collect();
    let heads = places.iter().map(|&i| name(&table.columns[i].name));
    let mut text = line(std::iter::once("method".to_owned()).chain(heads).collect());
    if request.format == TableFormat::Markdown {
        let rule = places.iter().map(|_| "---:".to_owned());
        text += &line(std::iter::once("---".to_owned()).chain(rule).collect());
    }
    for row in &table.rows {
        let cells = places.iter().filter_map(|&i| row.cells.get(i)).map(value);
        let rows = report.common.as_ref().filter(|_| row.name == "none");
        let called = match rows {
            Some(common) => format!("{} (n = {})", row.name, common.rows),
            None => row.name.clone(),
        };
        text += &line(std::iter::once(name(&called)).chain(cells).collect());
    }
    text
}

/// With a backslash before what LaTeX reads as a command.
/// A star or a bracket at the beginning of a line would be an argument of the `\\` before it.
fn latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    if text.starts_with(['[', '*']) {
        out.push_str("{}");
    }
    for c in text.chars() {
        if "_%&#$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
