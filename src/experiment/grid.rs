//! Methods × quantities as a table: for a sheet, as Markdown and as LaTeX, all from the same cells.

use std::fmt::Write as _;

use super::comparisons::Against;
use super::outline::{Column, Outline, Variant, settings_words};
use super::ranks::Ranking;
use super::summary::Judged;
use crate::document::{latex, markdown};
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::words::number::{count, fixed};

/// A table of means.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    /// what it shows
    pub caption: String,
    /// heads
    pub columns: Vec<GridColumn>,
    /// one a method
    pub rows: Vec<GridRow>,
    /// test, correction and level behind the marks, in brackets; empty without a test
    pub test: String,
}

/// Head of a column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GridColumn {
    /// what it shares with its neighbours; empty for nothing
    pub group: String,
    /// what it shows
    pub head: String,
}

/// One method.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GridRow {
    /// its name
    pub label: String,
    /// one a column
    pub cells: Vec<GridCell>,
}

/// One mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GridCell {
    /// mean ± standard deviation, or a dash
    pub text: String,
    /// the mean
    pub number: Option<f64>,
    /// against the others
    pub standing: Standing,
    /// why it is missing; may be empty
    pub reason: String,
}

/// How a mean stands in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standing {
    /// significantly different from the best, or not tested
    #[default]
    Plain,
    /// the best
    Best,
    /// not significantly different from it
    Tied,
}

/// Behind what is not significantly different from the best.
const TIED: &str = "†";

/// Columns that stand side by side; more are parted by space, then by setting.
const BESIDE: usize = 8;

/// The tables: methods × metrics, spaces side by side where there is room; of several data sets methods × data sets, with mean
/// ranks, one a metric.
pub fn grids(outline: &Outline, judged: &[Judged], ranking: &Ranking) -> Vec<Grid> {
    if outline.data.len() > 1 {
        return by_data_set(outline, judged, ranking);
    }
    let all: Vec<&Judged> = judged.iter().collect();
    parted(all).into_iter().map(|part| by_metric(outline, &part)).collect()
}

/// Columns of one table each.
fn parted<'a>(all: Vec<&'a Judged<'a>>) -> Vec<Vec<&'a Judged<'a>>> {
    if all.len() <= BESIDE {
        return vec![all];
    }
    let mut parts: Vec<Vec<&Judged>> = Vec::new();
    for one in all {
        let place =
            parts.iter().position(|part| part.first().is_some_and(|first| first.column.space == one.column.space));
        match place.and_then(|place| parts.get_mut(place)) {
            Some(part) => part.push(one),
            None => parts.push(vec![one]),
        }
    }
    let mut out: Vec<Vec<&Judged>> = Vec::new();
    for part in parts {
        if part.len() <= BESIDE {
            out.push(part);
            continue;
        }
        let from = out.len();
        for one in part {
            let beyond = out.get(from..).unwrap_or_default();
            let place =
                beyond.iter().position(|part| part.first().is_some_and(|first| first.column.at == one.column.at));
            match place.and_then(|place| out.get_mut(from + place)) {
                Some(part) => part.push(one),
                None => out.push(vec![one]),
            }
        }
    }
    out
}

/// `over 10 divisions`, `in one division`.
pub fn over_divisions(column: &Column) -> String {
    match column.divisions.len() {
        1 => "in one division".to_owned(),
        n => format!("over {} divisions", count(n as u64)),
    }
}

fn by_metric(outline: &Outline, part: &[&Judged]) -> Grid {
    let first = part.first().map(|one| one.column);
    // what all columns share stands in the caption
    let space = first
        .and_then(|first| first.space.clone())
        .filter(|_| part.iter().all(|one| one.column.space == first.and_then(|first| first.space.clone())));
    let at = first.map(|first| &first.at).filter(|at| part.iter().all(|one| one.column.at == **at));
    let columns = part.iter().map(|one| {
        let column = one.column;
        let own_space = column.space.clone().filter(|_| space.is_none());
        let own_at = (at.is_none() && !column.at.is_empty()).then(|| settings_words(&column.at));
        let beneath: Vec<String> = own_space.into_iter().chain(own_at).collect();
        let alone = part.iter().filter(|other| other.column.measure == column.measure).count() < 2;
        match beneath.is_empty() {
            true => GridColumn { group: String::new(), head: column.measure.head() },
            false if alone => {
                GridColumn { group: String::new(), head: format!("{}, {}", column.measure.head(), beneath.join(", ")) }
            }
            false => GridColumn { group: column.measure.head(), head: beneath.join(", ") },
        }
    });
    let shared: Vec<String> =
        space.clone().into_iter().chain(at.filter(|at| !at.is_empty()).map(settings_words)).collect();
    let of = if shared.is_empty() { String::new() } else { format!(", {}", shared.join(", ")) };
    let spread = first.is_some_and(|first| first.divisions.len() > 1);
    let what = if spread { "Mean ± standard deviation" } else { "Values" };
    let data = first.and_then(|first| first.data.clone()).map_or_else(String::new, |data| format!("{data}: "));
    let caption = match first {
        Some(first) => format!("{data}{what} {}{of}", over_divisions(first)),
        None => String::new(),
    };
    let rows = outline
        .variants
        .iter()
        .map(|variant| GridRow { label: variant.label(), cells: part.iter().map(|one| cell(one, variant)).collect() });
    // a method without any value in this table, such as of another setting, has no line here
    let rows = rows.filter(|row| row.cells.iter().any(|cell| !cell.text.is_empty()));
    let test = test_words(part);
    Grid { caption, columns: columns.collect(), rows: rows.collect(), test }
}

/// Test, correction, level, and what could have been found: what a mark of a table rests on.
fn test_words(part: &[&Judged]) -> String {
    let Some(first) = part.iter().find(|one| one.comparisons.iter().any(|one| one.p.is_some())) else {
        return String::new();
    };
    let sizes = |one: &&Judged| {
        let found = one.comparisons.iter().filter(|other| other.against == Against::Best);
        let most = found.filter_map(|other| other.detectable).reduce(f64::max)?;
        let unit = one.column.measure.unit;
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        Some(format!("{} {}{unit}", one.column.measure.name, one.column.measure.number(most)))
    };
    let mut sizes: Vec<String> = part.iter().filter_map(sizes).collect();
    let more = sizes.len() > NAMED;
    sizes.truncate(NAMED);
    let detectable = match sizes.is_empty() {
        true => String::new(),
        false => format!(
            "; detectable difference at 80% power at most {}{}",
            sizes.join(", "),
            if more { ", …" } else { "" }
        ),
    };
    format!(
        " (corrected resampled t-test over {} divisions, Holm for {} comparisons, level .05{detectable})",
        count(first.column.divisions.len() as u64),
        count(first.pairs.corrected_for() as u64)
    )
}

/// Detectable differences that a legend names.
const NAMED: usize = 4;

fn cell(judged: &Judged, variant: &Variant) -> GridCell {
    let place = judged.column.series.iter().position(|series| series.variant == *variant);
    let Some(summary) = place.and_then(|place| judged.summary.get(place)) else {
        return GridCell::default();
    };
    GridCell {
        text: summary.mean.map_or_else(|| "–".to_owned(), |mean| judged.column.measure.spread(mean, summary.sd)),
        number: summary.mean,
        standing: match (summary.best, summary.tied) {
            (true, _) => Standing::Best,
            (_, true) => Standing::Tied,
            _ => Standing::Plain,
        },
        reason: summary.reason.clone().unwrap_or_default(),
    }
}

fn by_data_set(outline: &Outline, judged: &[Judged], ranking: &Ranking) -> Vec<Grid> {
    let mut grids = Vec::new();
    let mut done: Vec<&Column> = Vec::new();
    for one in judged {
        let column = one.column;
        let alike =
            |other: &Column| other.measure == column.measure && other.space == column.space && other.at == column.at;
        if done.iter().any(|other| alike(other)) {
            continue;
        }
        done.push(column);
        let part: Vec<&Judged> = judged.iter().filter(|other| alike(other.column)).collect();
        let ranks = ranking
            .ranks
            .iter()
            .find(|ranks| ranks.metric == column.measure.id && ranks.space == column.space && ranks.at == column.at);
        let mut columns: Vec<GridColumn> = part
            .iter()
            .map(|one| GridColumn { group: String::new(), head: one.column.data.clone().unwrap_or_default() })
            .collect();
        columns.extend(ranks.map(|_| GridColumn { group: String::new(), head: "mean rank".to_owned() }));
        let rows = outline.variants.iter().map(|variant| {
            let mut cells: Vec<GridCell> = part.iter().map(|one| cell(one, variant)).collect();
            cells.extend(ranks.map(|ranks| {
                let place = ranks.methods.iter().position(|one| one.variant() == *variant);
                let rank = place.and_then(|place| ranks.methods.get(place)).map(|one| one.rank);
                let near = ranks.together().first().filter(|run| run.0 == 0).map_or(0, |run| run.1);
                GridCell {
                    text: rank.map_or_else(|| "–".to_owned(), |rank| fixed(rank, 2)),
                    number: rank,
                    standing: match place {
                        Some(0) => Standing::Best,
                        Some(place) if place <= near => Standing::Tied,
                        _ => Standing::Plain,
                    },
                    reason: String::new(),
                }
            }));
            GridRow { label: variant.label(), cells }
        });
        let rows = rows.filter(|row| row.cells.iter().any(|cell| cell.number.is_some() || !cell.reason.is_empty()));
        let one_each = part.iter().all(|one| one.column.divisions.len() == 1);
        let what = if one_each { "one division each" } else { "mean ± standard deviation over its divisions" };
        let unit = match column.measure.unit {
            "" => String::new(),
            unit => format!(" in {unit}"),
        };
        grids.push(Grid {
            caption: format!("{}{unit} by data set, {what}", column.name()),
            columns,
            rows: rows.collect(),
            test: test_words(&part),
        });
    }
    grids
}

impl Grid {
    fn has(&self, standing: Standing) -> bool {
        self.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.standing == standing)
    }

    /// What the marks mean; empty where there are none.
    pub fn legend(&self) -> String {
        let best = self.has(Standing::Best).then_some("Bold: the best of its column.");
        let tied =
            self.has(Standing::Tied).then(|| format!("{TIED} not significantly different from it{}.", self.test));
        let parts: Vec<String> = best.map(str::to_owned).into_iter().chain(tied).collect();
        parts.join(" ")
    }

    fn heads(&self) -> impl Iterator<Item = String> + '_ {
        self.columns.iter().map(|column| match column.group.as_str() {
            "" => column.head.clone(),
            group => format!("{group}, {}", column.head),
        })
    }

    /// For a sheet.
    pub fn sheet_table(&self) -> SheetTable {
        let heads: Vec<String> = self.heads().map(|head| format!("#{head}")).collect();
        let titles: Vec<&str> = std::iter::once("method").chain(heads.iter().map(String::as_str)).collect();
        let mut table = SheetTable::new(self.caption.clone(), &titles);
        table.rows = self
            .rows
            .iter()
            .map(|row| {
                let cells = row.cells.iter().map(|cell| {
                    let (tone, beneath) = match cell.standing {
                        Standing::Best => (Tone::Best, "best".to_owned()),
                        Standing::Tied => (Tone::Plain, "not significantly different from the best".to_owned()),
                        Standing::Plain => (Tone::Plain, cell.reason.clone()),
                    };
                    Cell { text: cell.text.clone(), number: cell.number, beneath, tone }
                });
                std::iter::once(Cell::from(row.label.clone())).chain(cells).collect()
            })
            .collect();
        table
    }

    /// As Markdown: the best bold.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut out = format!("{}\n\n", markdown::escaped(&self.caption));
        out += &line(
            std::iter::once("method".to_owned()).chain(self.heads().map(|head| markdown::escaped(&head))).collect(),
        );
        out += &line(std::iter::once("---").chain(self.columns.iter().map(|_| "---:")).map(str::to_owned).collect());
        for row in &self.rows {
            let cells = row.cells.iter().map(|cell| match cell.standing {
                Standing::Best => format!("**{}**", markdown::escaped(&cell.text)),
                Standing::Tied => format!("{} {TIED}", markdown::escaped(&cell.text)),
                Standing::Plain => markdown::escaped(&cell.text),
            });
            out += &line(std::iter::once(markdown::escaped(&row.label)).chain(cells).collect());
        }
        if !self.legend().is_empty() {
            let _ = write!(out, "\n{}\n", self.legend());
        }
        out
    }

    /// As a table of LaTeX with the lines of `booktabs`: the best bold, heads that belong together under one.
    pub fn latex(&self) -> String {
        let row = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let mut out = String::from("\\begin{table}\n\\centering\n");
        let _ = writeln!(out, "\\caption{{{}}}", latex::escaped(&self.caption));
        let _ = writeln!(out, "\\begin{{tabular}}{{@{{}}l{}@{{}}}}\n\\toprule", "r".repeat(self.columns.len()));
        if self.columns.iter().any(|column| !column.group.is_empty()) {
            out += &self.latex_groups();
        }
        out += &row(std::iter::once("method".to_owned())
            .chain(self.columns.iter().map(|c| latex::escaped(&c.head)))
            .collect());
        out += "\\midrule\n";
        for line in &self.rows {
            let cells = line.cells.iter().map(|cell| match cell.standing {
                Standing::Best => format!("\\textbf{{{}}}", latex::escaped(&cell.text)),
                Standing::Tied => format!("{}$^\\dagger$", latex::escaped(&cell.text)),
                Standing::Plain => latex::escaped(&cell.text),
            });
            out += &row(std::iter::once(latex::escaped(&line.label)).chain(cells).collect());
        }
        out += "\\bottomrule\n\\end{tabular}\n";
        if !self.legend().is_empty() {
            let legend = latex::escaped(&self.legend()).replace("\\beyond{†}", "$^\\dagger$");
            let _ = writeln!(out, "\\par\\smallskip{{\\footnotesize {legend}}}");
        }
        out + "\\end{table}\n"
    }

    /// The line of heads over heads, and the rules beneath them.
    fn latex_groups(&self) -> String {
        let (mut heads, mut rules) = (String::new(), String::new());
        let mut place = 2;
        for run in self.columns.chunk_by(|a, b| !a.group.is_empty() && a.group == b.group) {
            let group = run.first().map(|column| column.group.as_str()).unwrap_or_default();
            let _ = match group {
                "" => write!(heads, " & "),
                group => write!(heads, " & \\multicolumn{{{}}}{{c}}{{{}}}", run.len(), latex::escaped(group)),
            };
            if !group.is_empty() {
                let _ = write!(rules, "\\cmidrule(lr){{{place}-{}}}", place + run.len() - 1);
            }
            place += run.len();
        }
        format!("{heads} \\\\\n{rules}\n")
    }
}
