//! Methods × quantities as a table, for a sheet and as Markdown; [`grid_latex`](super::grid_latex) writes the same for LaTeX.

use std::fmt::Write as _;

use super::cell::Level;
use super::comparisons::Against;
use super::outline::{Column, Outline, Settings, Variant, settings_id, settings_words, symbol};
use super::ranks::Ranking;
use super::summary::ComparedColumn;
use crate::markup::markdown;
use crate::report::sheet::{Cell, SheetTable, Tone};
use crate::words::number::{count, fixed, plain, to_digits};
use crate::words::text::{capitalized, counted};

/// A table of means.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    /// ids of what it shows, of which its label is made
    pub id: Vec<String>,
    /// what it shows
    pub caption: String,
    /// heads of the names of a row; the last is "method"
    pub stub: Vec<String>,
    /// heads
    pub columns: Vec<GridColumn>,
    /// one a method, or one a method of each quantity
    pub rows: Vec<GridRow>,
    /// test, correction and level behind the marks, in brackets; empty without a test
    pub test: String,
    /// what the table leaves out, and where that is; empty for nothing
    pub remark: String,
}

/// Head of a column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GridColumn {
    /// what it shares with its neighbors; empty for nothing
    pub group: String,
    /// what stands between that and the head where both stand in one line
    pub between: &'static str,
    /// what it shows
    pub head: String,
}

/// One method, or one method by one quantity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GridRow {
    /// as many as the stub has heads
    pub names: Vec<String>,
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
    pub standing: CellRank,
    /// why it is missing; may be empty
    pub reason: String,
}

/// The rank of a mean in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CellRank {
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

/// Values of a setting that stand side by side; of more, so many that are evenly spread.
const LEVELS: usize = 9;

/// Values of a setting, up to which the standard deviations have room beside the means.
const WITH_SPREAD: usize = 4;

/// The tables: methods × metrics, spaces side by side where there is room; where there is none and a setting of the metrics
/// varies, one table with its values side by side; of several data sets methods × data sets, with mean ranks, one a metric.
pub fn grids(outline: &Outline, compared: &[ComparedColumn], ranking: &Ranking) -> Vec<Grid> {
    if outline.data.len() > 1 {
        return by_data_set(outline, compared, ranking);
    }
    let all: Vec<&ComparedColumn> = compared.iter().collect();
    let setting = if all.len() > BESIDE { swept_setting(&all) } else { None };
    let Some((setting, levels)) = setting else {
        return parted(all).into_iter().map(|part| by_metric(outline, &part)).collect();
    };
    let (swept, rest): (Vec<&ComparedColumn>, Vec<&ComparedColumn>) =
        all.into_iter().partition(|one| matches!(one.column.at.get(&setting), Some(Level::Number(_))));
    let rest = if rest.is_empty() { Vec::new() } else { parted(rest) };
    let rest = rest.into_iter().map(|part| by_metric(outline, &part));
    std::iter::once(by_setting(outline, &swept, &setting, &levels)).chain(rest).collect()
}

/// The setting of the metrics that takes the most numbers, with these in order; none where none takes two.
fn swept_setting(all: &[&ComparedColumn]) -> Option<(String, Vec<f64>)> {
    let mut found: Vec<(String, Vec<f64>)> = Vec::new();
    for (name, level) in all.iter().flat_map(|one| &one.column.at) {
        let Level::Number(level) = level else { continue };
        match found.iter_mut().find(|(known, _)| known == name) {
            Some((_, levels)) if levels.contains(level) => {}
            Some((_, levels)) => levels.push(*level),
            None => found.push((name.clone(), vec![*level])),
        }
    }
    let most = found.into_iter().filter(|(_, levels)| levels.len() > 1);
    let (name, mut levels) = most.reduce(|best, one| if one.1.len() > best.1.len() { one } else { best })?;
    levels.sort_unstable_by(f64::total_cmp);
    Some((name, levels))
}

/// At most [`LEVELS`] of some values, evenly spread in their order, both ends among them.
fn spread_out(levels: &[f64]) -> Vec<f64> {
    if levels.len() <= LEVELS {
        return levels.to_vec();
    }
    // equal steps where there are any that reach the end
    let last = levels.len() - 1;
    let steps = (LEVELS / 2..LEVELS).rev().find(|steps| last.is_multiple_of(*steps)).unwrap_or(LEVELS - 1);
    (0..=steps).filter_map(|k| levels.get((k * last + steps / 2) / steps)).copied().collect()
}

/// One quantity in one place under every value of a setting.
struct Swept<'a> {
    column: &'a Column,
    /// the other settings of where the metric looks
    at: Settings,
    levels: Vec<&'a ComparedColumn<'a>>,
}

impl Swept<'_> {
    fn metric(&self) -> String {
        self.column.measure.head()
    }

    fn space(&self) -> String {
        let at = (!self.at.is_empty()).then(|| settings_words(&self.at));
        self.column.space.clone().into_iter().chain(at).collect::<Vec<_>>().join(", ")
    }
}

/// The values of a setting, together for each quantity and place.
fn by_place<'a>(swept: &[&'a ComparedColumn<'a>], setting: &str) -> Vec<Swept<'a>> {
    let mut places: Vec<Swept<'a>> = Vec::new();
    for &one in swept {
        let column = one.column;
        let mut at = column.at.clone();
        at.remove(setting);
        let same = |place: &&mut Swept| {
            (place.column.measure, &place.column.space, &place.at) == (column.measure, &column.space, &at)
        };
        match places.iter_mut().find(same) {
            Some(place) => place.levels.push(one),
            None => places.push(Swept { column, at, levels: vec![one] }),
        }
    }
    places
}

/// Metric, space and method down, values of a setting across.
fn by_setting<'a>(outline: &Outline, swept: &[&'a ComparedColumn<'a>], setting: &str, levels: &[f64]) -> Grid {
    let shown = spread_out(levels);
    let blocks = by_place(swept, setting);
    let first = blocks.first();
    let differ =
        |of: &dyn Fn(&Swept) -> String| blocks.iter().any(|block| first.is_some_and(|first| of(first) != of(block)));
    let (metrics, spaces) = (differ(&|block| block.metric()), differ(&|block| block.space()));
    let several = first.is_some_and(|block| block.column.divisions.len() > 1);
    let spread = several && shown.len() <= WITH_SPREAD;
    let mut rows = Vec::new();
    for block in &blocks {
        let at = |level: f64| {
            let here = |one: &&&ComparedColumn| one.column.at.get(setting) == Some(&Level::Number(level));
            block.levels.iter().find(here).copied()
        };
        let values = shown.iter().filter_map(|level| at(*level)).flat_map(|one| &one.summary);
        let values: Vec<(f64, Option<f64>)> =
            values.filter_map(|one| Some((one.mean?, one.sd.filter(|_| spread)))).collect();
        let places = block.column.measure.places(&values);
        for variant in &outline.variants {
            let cells: Vec<GridCell> = shown
                .iter()
                .map(|level| at(*level).map_or_else(GridCell::default, |one| cell(one, variant, places, spread)))
                .collect();
            if cells.iter().all(|cell| cell.text.is_empty()) {
                continue;
            }
            let names = metrics.then(|| block.metric()).into_iter().chain(spaces.then(|| block.space()));
            rows.push(GridRow { names: names.chain([variant.label()]).collect(), cells });
        }
    }
    let of_all = |shared: String| if shared.is_empty() { String::new() } else { format!(", {shared}") };
    let of = first.filter(|_| !spaces).map_or_else(String::new, |block| of_all(block.space()));
    let name = first.filter(|_| !metrics).map_or_else(String::new, |block| block.metric());
    let what = match (spread, several) {
        (true, _) => "mean ± standard deviation",
        (_, true) => "mean",
        _ => "value",
    };
    let symbol = symbol(setting);
    let over = first.map_or_else(String::new, |block| over_divisions(block.column));
    let caption = match metrics {
        true => format!("{} {over} by {symbol}{of}", capitalized(what)),
        false => format!("{name} by {symbol}, {what} {over}{of}"),
    };
    let shown_of = (shown.len() < levels.len())
        .then(|| format!("{} of {} values of {symbol} are shown.", shown.len(), count(levels.len() as u64)));
    let bands = (several && !spread).then(|| "Bands in figures: standard deviations.".to_owned());
    let ranked = Some(ranked_by_distance(swept)).filter(|words| several && !words.is_empty());
    let remark = shown_of.into_iter().chain(bands).chain(ranked).collect::<Vec<_>>().join(" ");
    let mut id: Vec<String> = Vec::new();
    for metric in blocks.iter().map(|block| block.column.measure.id) {
        if !id.iter().any(|known| known == metric) {
            id.push(metric.to_owned());
        }
    }
    id.extend(["by".to_owned(), setting.to_owned()]);
    let stub = metrics.then_some("Metric").into_iter().chain(spaces.then_some("Space")).chain(["Method"]);
    let column =
        |level: &f64| GridColumn { group: symbol.to_owned(), between: " = ", head: plain(to_digits(*level, 3)) };
    Grid {
        id,
        caption,
        stub: stub.map(str::to_owned).collect(),
        columns: shown.iter().map(column).collect(),
        rows,
        test: test_words(swept, false),
        remark,
    }
}

/// By what means are ranked that do not show it: their distance from the ideal of their metric; empty where there are none.
fn ranked_by_distance(part: &[&ComparedColumn]) -> String {
    let mut names: Vec<String> = Vec::new();
    for one in part.iter().filter(|one| one.best.is_some() && one.column.measure.better.ideal().is_some()) {
        let name = capitalized(one.column.measure.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return String::new();
    }
    format!("{}: ranked by the mean distance from the ideal value, not by the mean shown.", names.join(", "))
}

/// Columns of one table each.
fn parted<'a>(all: Vec<&'a ComparedColumn<'a>>) -> Vec<Vec<&'a ComparedColumn<'a>>> {
    if all.len() <= BESIDE {
        return vec![all];
    }
    let mut parts: Vec<Vec<&ComparedColumn>> = Vec::new();
    for one in all {
        let place =
            parts.iter().position(|part| part.first().is_some_and(|first| first.column.space == one.column.space));
        match place.and_then(|place| parts.get_mut(place)) {
            Some(part) => part.push(one),
            None => parts.push(vec![one]),
        }
    }
    let mut out: Vec<Vec<&ComparedColumn>> = Vec::new();
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
        1 => "in one split".to_owned(),
        n => format!("over {} splits", count(n as u64)),
    }
}

fn by_metric(outline: &Outline, part: &[&ComparedColumn]) -> Grid {
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
            true => GridColumn { head: column.measure.head(), ..GridColumn::default() },
            false if alone => GridColumn {
                head: format!("{}, {}", column.measure.head(), beneath.join(", ")),
                ..GridColumn::default()
            },
            false => GridColumn { group: column.measure.head(), between: ", ", head: beneath.join(", ") },
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
    let places: Vec<usize> = part.iter().map(|one| places(one)).collect();
    let rows = outline.variants.iter().map(|variant| GridRow {
        names: vec![variant.label()],
        cells: part.iter().zip(&places).map(|(one, places)| cell(one, variant, *places, true)).collect(),
    });
    // a method without any value in this table, such as of another setting, has no line here
    let rows = rows.filter(|row| row.cells.iter().any(|cell| !cell.text.is_empty()));
    let mut id: Vec<String> = Vec::new();
    for metric in part.iter().map(|one| one.column.measure.id) {
        if !id.iter().any(|known| known == metric) {
            id.push(metric.to_owned());
        }
    }
    if id.len() > NAMED {
        id = vec!["methods".to_owned()];
    }
    id.extend(space.clone());
    id.extend(at.filter(|at| !at.is_empty()).map(settings_id));
    let (columns, rows) = (columns.collect(), rows.collect());
    let stub = vec!["Method".to_owned()];
    let remark = if spread { ranked_by_distance(part) } else { String::new() };
    Grid { id, caption, stub, columns, rows, test: test_words(part, true), remark }
}

/// Test, correction, level, and what could have been found: what a mark of a table rests on.
///
/// * `sizes`: with what could have been found by each quantity
fn test_words(part: &[&ComparedColumn], sizes: bool) -> String {
    let Some(first) = part.iter().find(|one| one.comparisons.iter().any(|one| one.p.is_some())) else {
        return String::new();
    };
    let size = |one: &&ComparedColumn| {
        let found = one.comparisons.iter().filter(|other| other.against == Against::Best);
        let most = found.filter_map(|other| other.detectable).reduce(f64::max)?;
        let unit = one.column.measure.after_number().replace('\u{a0}', " ");
        Some(format!("{} {}{unit}", one.column.measure.name, one.column.measure.number(most)))
    };
    let mut sizes: Vec<String> = part.iter().filter(|_| sizes).filter_map(size).collect();
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
        " (corrected resampled t-test over {} splits, Holm for {}, level .05{detectable})",
        count(first.column.divisions.len() as u64),
        counted(first.pairs.corrected_for(), "comparison")
    )
}

/// The same with the test behind the marks of mean ranks, where these are tested.
fn with_ranks(test: String, tested: bool) -> String {
    const RANKS: &str = "mean ranks: Friedman’s and Nemenyi’s tests, level .05)";
    match (tested, test.strip_suffix(')')) {
        (false, _) => test,
        (true, Some(means)) => format!("{means}; {RANKS}"),
        (true, None) => format!(" ({RANKS}"),
    }
}

/// Detectable differences that a legend names.
const NAMED: usize = 4;

/// Decimals of a column.
pub fn places(compared: &ComparedColumn) -> usize {
    let values = compared.summary.iter().filter_map(|one| Some((one.mean?, one.sd)));
    compared.column.measure.places(&values.collect::<Vec<_>>())
}

fn cell(compared: &ComparedColumn, variant: &Variant, places: usize, spread: bool) -> GridCell {
    let place = compared.column.series.iter().position(|series| series.variant == *variant);
    let Some(summary) = place.and_then(|place| compared.summary.get(place)) else {
        return GridCell::default();
    };
    GridCell {
        text: summary.mean.map_or_else(
            || "–".to_owned(),
            |mean| compared.column.measure.written(mean, summary.sd.filter(|_| spread), places),
        ),
        number: summary.mean,
        standing: match (summary.best, summary.tied) {
            (true, _) => CellRank::Best,
            (_, true) => CellRank::Tied,
            _ => CellRank::Plain,
        },
        reason: summary.reason.clone().unwrap_or_default(),
    }
}

fn by_data_set(outline: &Outline, compared: &[ComparedColumn], ranking: &Ranking) -> Vec<Grid> {
    let mut grids = Vec::new();
    let mut done: Vec<&Column> = Vec::new();
    for one in compared {
        let column = one.column;
        let same_quantity =
            |other: &Column| other.measure == column.measure && other.space == column.space && other.at == column.at;
        if done.iter().any(|other| same_quantity(other)) {
            continue;
        }
        done.push(column);
        let part: Vec<&ComparedColumn> = compared.iter().filter(|other| same_quantity(other.column)).collect();
        let ranks = ranking
            .ranks
            .iter()
            .find(|ranks| ranks.metric == column.measure.id && ranks.space == column.space && ranks.at == column.at);
        let mut columns: Vec<GridColumn> = part
            .iter()
            .map(|one| GridColumn { head: one.column.data.clone().unwrap_or_default(), ..GridColumn::default() })
            .collect();
        columns.extend(ranks.map(|_| GridColumn { head: "mean rank".to_owned(), ..GridColumn::default() }));
        let places: Vec<usize> = part.iter().map(|one| places(one)).collect();
        let rows = outline.variants.iter().map(|variant| {
            let columns = part.iter().zip(&places);
            let mut cells: Vec<GridCell> = columns.map(|(one, places)| cell(one, variant, *places, true)).collect();
            cells.extend(ranks.map(|ranks| {
                let place = ranks.methods.iter().position(|one| one.variant() == *variant);
                let rank = place.and_then(|place| ranks.methods.get(place)).map(|one| one.rank);
                let near = ranks.together().first().filter(|run| run.0 == 0).map_or(0, |run| run.1);
                GridCell {
                    text: rank.map_or_else(|| "–".to_owned(), |rank| fixed(rank, 2)),
                    number: rank,
                    standing: match place {
                        Some(0) => CellRank::Best,
                        Some(place) if place <= near => CellRank::Tied,
                        _ => CellRank::Plain,
                    },
                    reason: String::new(),
                }
            }));
            GridRow { names: vec![variant.label()], cells }
        });
        let rows = rows.filter(|row| row.cells.iter().any(|cell| cell.number.is_some() || !cell.reason.is_empty()));
        let one_each = part.iter().all(|one| one.column.divisions.len() == 1);
        let what = if one_each { "one split each" } else { "mean ± standard deviation over splits" };
        let unit = match column.measure.unit {
            "" => String::new(),
            unit => format!(" in {unit}"),
        };
        let id = std::iter::once(column.measure.id.to_owned()).chain(column.space.clone());
        let id = id.chain((!column.at.is_empty()).then(|| settings_id(&column.at)));
        grids.push(Grid {
            id: id.chain(["by-data-set".to_owned()]).collect(),
            stub: vec!["Method".to_owned()],
            remark: if one_each { String::new() } else { ranked_by_distance(&part) },
            caption: format!("{}{unit} by data set, {what}", column.name()),
            columns,
            rows: rows.collect(),
            test: with_ranks(test_words(&part, true), ranks.is_some_and(|ranks| ranks.critical_difference.is_some())),
        });
    }
    grids
}

impl Grid {
    fn has(&self, standing: CellRank) -> bool {
        self.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.standing == standing)
    }

    /// What the mark of those that are not significantly different from `best` means, where there are any.
    pub fn tied(&self, best: &str) -> Option<String> {
        self.has(CellRank::Tied).then(|| format!("{TIED} not significantly different from {best}{}.", self.test))
    }

    /// What the marks mean, and what is left out; empty where there is nothing to say.
    pub fn legend(&self) -> String {
        let best = self.has(CellRank::Best).then_some(match self.stub.len() {
            1 => "Bold: the best of its column.",
            _ => "Bold: the best of its column within each metric and space.",
        });
        let tied = self.tied("it");
        let remark = Some(self.remark.clone()).filter(|remark| !remark.is_empty());
        best.map(str::to_owned).into_iter().chain(tied).chain(remark).collect::<Vec<_>>().join(" ")
    }

    fn heads(&self) -> impl Iterator<Item = String> + '_ {
        self.columns.iter().map(|column| match column.group.as_str() {
            "" => column.head.clone(),
            group => format!("{group}{}{}", column.between, column.head),
        })
    }

    /// For a sheet.
    pub fn sheet_table(&self) -> SheetTable {
        let heads: Vec<String> = self.heads().map(|head| format!("#{head}")).collect();
        let titles: Vec<&str> = self.stub.iter().chain(&heads).map(String::as_str).collect();
        let mut table = SheetTable::new(self.caption.clone(), &titles);
        table.rows = self
            .rows
            .iter()
            .map(|row| {
                let cells = row.cells.iter().map(|cell| {
                    let (text, tone, beneath) = match cell.standing {
                        CellRank::Best => (cell.text.clone(), Tone::Best, "best".to_owned()),
                        CellRank::Tied => (format!("{}\u{a0}{TIED}", cell.text), Tone::Plain, String::new()),
                        CellRank::Plain => (cell.text.clone(), Tone::Plain, cell.reason.clone()),
                    };
                    Cell { text, number: cell.number, beneath, tone }
                });
                row.names.iter().map(|name| Cell::from(name.clone())).chain(cells).collect()
            })
            .collect();
        table
    }

    /// As Markdown: the best bold.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut out = format!("{}\n\n", markdown::escaped(&self.caption));
        out += &line(self.stub.iter().cloned().chain(self.heads()).map(|head| markdown::escaped(&head)).collect());
        let rules = self.stub.iter().map(|_| "---").chain(self.columns.iter().map(|_| "---:"));
        out += &line(rules.map(str::to_owned).collect());
        for row in &self.rows {
            let cells = row.cells.iter().map(|cell| match cell.standing {
                CellRank::Best => format!("**{}**", markdown::escaped(&cell.text)),
                CellRank::Tied => format!("{} {TIED}", markdown::escaped(&cell.text)),
                CellRank::Plain => markdown::escaped(&cell.text),
            });
            out += &line(row.names.iter().map(|name| markdown::escaped(name)).chain(cells).collect());
        }
        if !self.legend().is_empty() {
            let _ = write!(out, "\n{}\n", self.legend());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legend_names_the_test_behind_each_mark() {
        let of_means = || " (corrected resampled t-test over 5 splits)".to_owned();
        assert_eq!(with_ranks(of_means(), false), of_means());
        assert_eq!(
            with_ranks(of_means(), true),
            " (corrected resampled t-test over 5 splits; mean ranks: Friedman’s and Nemenyi’s tests, level .05)"
        );
        assert_eq!(with_ranks(String::new(), true), " (mean ranks: Friedman’s and Nemenyi’s tests, level .05)");
    }

    #[test]
    fn levels_are_evenly_spread() {
        let levels = |n: usize| (0..n).map(|k| k as f64).collect::<Vec<_>>();
        assert_eq!(spread_out(&levels(25)), [0.0, 3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0, 24.0]);
        assert_eq!(spread_out(&levels(9)), levels(9));
        assert_eq!(spread_out(&levels(11)), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        for n in 10..60 {
            let shown = spread_out(&levels(n));
            assert!(shown.len() <= LEVELS && shown.first() == Some(&0.0) && shown.last() == Some(&(n as f64 - 1.0)));
            assert!(shown.windows(2).all(|pair| pair[0] < pair[1]), "{shown:?}");
        }
    }
}
