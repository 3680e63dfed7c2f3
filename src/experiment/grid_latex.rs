//! A table of means as LaTeX with the lines of `booktabs`, ready for an article.

use std::fmt::Write as _;

use super::grid::{CellRank, Grid, GridCell, GridRow};
use crate::words::latex::{SIZES, escaped, math};

/// The table, referred to by `label`: the best bold, heads that belong together under one; where rows have several names, lines
/// of the same quantity under one. Columns that no line has room for stand in another block of the same table.
pub fn latex(grid: &Grid, label: &str) -> String {
    let name_width = grid.rows.iter().filter_map(|row| row.names.last()).map(|name| letters(name)).max().unwrap_or(0);
    let widths: Vec<usize> = grid
        .columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let cells = grid.rows.iter().filter_map(|row| row.cells.get(place)).map(|cell| letters(&cell.text));
            cells.chain([letters(&column.head)]).max().unwrap_or(0) + 2
        })
        .collect();
    let total = name_width + widths.iter().sum::<usize>();
    let (size, line) = SIZES.into_iter().find(|(_, line)| total <= *line).unwrap_or(SIZES[2]);
    let mut out = format!(
        "\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\label{{{label}}}\n\\{size}\n",
        escaped(&grid.caption)
    );
    for (k, (from, to)) in blocks(&widths, line.saturating_sub(name_width)).into_iter().enumerate() {
        if k > 0 {
            out.push_str("\\par\\medskip\n");
        }
        tabular(&mut out, grid, from, to);
    }
    if !grid.legend().is_empty() {
        let _ = writeln!(out, "\\par\\smallskip\n{{\\footnotesize {}\\par}}", escaped(&grid.legend()));
    }
    out + "\\end{table}\n"
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// Runs of columns that are no wider than `room`; one at least in each.
fn blocks(widths: &[usize], room: usize) -> Vec<(usize, usize)> {
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    let mut taken = 0;
    for (place, width) in widths.iter().enumerate() {
        match blocks.last_mut() {
            Some(block) if taken + width <= room => block.1 = place + 1,
            _ => {
                blocks.push((place, place + 1));
                taken = 0;
            }
        }
        taken += width;
    }
    blocks
}

/// Columns `from` to before `to`.
fn tabular(out: &mut String, grid: &Grid, from: usize, to: usize) {
    let columns = grid.columns.get(from..to).unwrap_or_default();
    let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
    let _ = writeln!(out, "\\begin{{tabular}}{{@{{}}l{}@{{}}}}\n\\toprule", "r".repeat(columns.len()));
    if columns.iter().any(|column| !column.group.is_empty()) {
        *out += &groups(columns.iter().map(|column| column.group.as_str()).collect());
    }
    let method = grid.stub.last().map(|head| escaped(head)).unwrap_or_default();
    *out += &line(std::iter::once(method).chain(columns.iter().map(|column| head(&column.head))).collect());
    *out += "\\midrule\n";
    let above = |row: &GridRow| row.names.split_last().map(|(_, above)| above.join(", ")).unwrap_or_default();
    let mut last = String::new();
    for row in &grid.rows {
        let block = above(row);
        if block != last {
            let gap = if last.is_empty() { "" } else { "\\addlinespace\n" };
            let _ = writeln!(
                out,
                "{gap}\\multicolumn{{{}}}{{@{{}}l@{{}}}}{{\\emph{{{}}}}} \\\\",
                columns.len() + 1,
                escaped(&block)
            );
            last = block;
        }
        let name = row.names.last().map(|name| escaped(name)).unwrap_or_default();
        let name = if last.is_empty() { name } else { format!("\\quad {name}") };
        let cells = row.cells.get(from..to).unwrap_or_default().iter().map(value);
        *out += &line(std::iter::once(name).chain(cells).collect());
    }
    *out += "\\bottomrule\n\\end{tabular}\n";
}

/// A number, or words.
fn head(text: &str) -> String {
    math(text, false)
}

/// The mark of what is not significantly different takes no room, so that numbers stand under each other.
fn value(cell: &GridCell) -> String {
    match cell.standing {
        CellRank::Best => math(&cell.text, true),
        CellRank::Tied => format!("{}\\rlap{{$^\\dagger$}}", math(&cell.text, false)),
        CellRank::Plain => math(&cell.text, false),
    }
}

/// The line of heads over heads, and the rules beneath them.
fn groups(names: Vec<&str>) -> String {
    let (mut heads, mut rules) = (String::new(), String::new());
    let mut place = 2;
    for run in names.chunk_by(|a, b| !a.is_empty() && a == b) {
        let group = run.first().copied().unwrap_or_default();
        let _ = match group {
            "" => write!(heads, " & "),
            group => write!(heads, " & \\multicolumn{{{}}}{{c}}{{{}}}", run.len(), escaped(group)),
        };
        if !group.is_empty() {
            let _ = write!(rules, "\\cmidrule(lr){{{place}-{}}}", place + run.len() - 1);
        }
        place += run.len();
    }
    format!("{heads} \\\\\n{rules}\n")
}
