//! Disclosure control: what every value that leaves was computed from, and the gate that withholds what is of few rows.
//!
//! A value states its [`Basis`]: what it is, and of how many rows. Where nobody has stated it, the gate cannot judge it
//! and withholds it. Which further lines of a table go, so that totals do not reveal those that are withheld, is the
//! rule of [`small_cells`](super::small_cells).

use serde::{Deserialize, Serialize};

use super::sheet::{Block, SheetTable};
use super::small_cells::{Overlaps, is_small, left_out};
use crate::data::View;
use crate::metric::accuracy::ACCURACY;
use crate::metric::ece::{MCE, MCE_WEIGHTED};
use crate::metric::entry::ValueOf;
use crate::metric::ici::EMAX;
use crate::metric::local_error::MEAN_LCE;
use crate::metric::registry;
use crate::plot::chart::Chart;
use crate::plot::figure::Figure;
use crate::words::number::count;

/// What a value was computed from, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Basis {
    /// nobody has stated it: cannot be judged, and is withheld
    #[default]
    Unknown,
    /// no row is behind it: names, settings, definitions
    Setting,
    /// computed from all scored rows, of which there are enough with and without the outcome
    /// ([`enough`](super::small_cells::enough))
    AllRows,
    /// a number of rows
    Count(u64),
    /// computed from some rows, and their outcomes could be counted from it
    Share {
        /// those rows
        rows: u64,
        /// of them with the outcome
        events: u64,
    },
    /// a statistic of some rows, such as a largest error, from which nothing can be counted
    Statistic(u64),
    /// a parameter that was fitted to so many rows
    Parameter(u64),
    /// names rows
    Identifier,
    /// a statistic of one of several picked slices: what one leaves of all rows, or of another, counts, too
    Picked {
        /// all of them
        of: Overlaps,
        /// which of them
        place: usize,
    },
    /// enough rows, but what they leave of others that are shown is few
    Reveals,
    /// what was of few rows has been taken out already
    Thinned(Audit),
    /// computed from all of these
    All(Vec<Basis>),
    /// of a table, a list or a chart of rows, line by line; one more is that of the rows of which no line tells, so that
    /// totals do not reveal them
    Lines(Vec<Basis>),
    /// of a table, column by column behind the first, which names the lines
    Columns(Vec<Basis>),
    /// of a table, line by line and, behind the first, column by column
    Grid {
        /// of every line
        lines: Vec<Basis>,
        /// of every column behind the first
        columns: Vec<Basis>,
    },
}

/// A value with what it was computed from.
#[derive(Debug, Clone, PartialEq)]
pub struct Stated<T> {
    /// the value
    pub what: T,
    /// what it was computed from
    pub basis: Basis,
}

impl<T> Stated<T> {
    /// Both.
    pub fn new(what: T, basis: Basis) -> Self {
        Self { what, basis }
    }

    /// A value behind which is no row.
    pub fn setting(what: T) -> Self {
        Self::new(what, Basis::Setting)
    }

    /// A value of all scored rows.
    pub fn all_rows(what: T) -> Self {
        Self::new(what, Basis::AllRows)
    }
}

impl Block {
    /// With what it was computed from.
    pub fn of(self, basis: Basis) -> Stated<Self> {
        Stated::new(self, basis)
    }
}

/// What was withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Audit {
    /// values in tables, lists and reports
    pub values: u64,
    /// of them those that would reveal others by their totals
    pub complementary: u64,
    /// sentences
    pub sentences: u64,
    /// figures
    pub figures: u64,
}

impl Audit {
    /// Both.
    pub fn add(&mut self, other: Self) {
        self.values += other.values;
        self.complementary += other.complementary;
        self.sentences += other.sentences;
        self.figures += other.figures;
    }

    /// "23 values, 2 figures and 1 sentence withheld (…); 4 of the values so that totals do not reveal others."
    pub fn words(&self, least: u64) -> String {
        let of = |n: u64, one: &str| match n {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{} {one}s", count(n))),
        };
        let what = [of(self.values, "value"), of(self.figures, "figure"), of(self.sentences, "sentence")];
        let what: Vec<String> = what.into_iter().flatten().collect();
        if what.is_empty() {
            return format!(
                "Disclosure control: no value was computed from fewer than {least} rows; none is withheld."
            );
        }
        let what = match what.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
            _ => what.concat(),
        };
        let totals = match self.complementary {
            0 => String::new(),
            n => format!("; {} of the values so that totals do not reveal others", count(n)),
        };
        format!(
            "Disclosure control: {} withheld, computed from fewer than {least} rows or from an unknown number{totals}.",
            what
        )
    }
}

/// Why a value may not leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judged {
    Shown,
    Withheld,
    Reveals,
}

impl Basis {
    /// Of a share or mean of rows, of which so many have the outcome.
    pub fn share(rows: usize, events: usize) -> Self {
        Self::Share { rows: rows as u64, events: events as u64 }
    }

    /// Of lines about parts of all rows that share none, each with its rows and those of them with the outcome, and of the
    /// rows of which no line tells. `all`: number of all rows, and of those with the outcome.
    pub fn of_parts(parts: impl Iterator<Item = (usize, usize)>, all: (usize, usize)) -> Self {
        let mut rest = all;
        let mut lines = Vec::new();
        for (rows, events) in parts {
            rest = (rest.0.saturating_sub(rows), rest.1.saturating_sub(events));
            lines.push(Self::share(rows, events));
        }
        if rest.0 > 0 {
            lines.push(Self::share(rest.0, rest.1));
        }
        Self::Lines(lines)
    }

    /// Of the value of a metric over all scored rows: extremes over bins, groups, rows or places are of those alone. An
    /// unknown metric is not judged.
    pub fn of_metric(id: &str, view: View) -> Self {
        let extremes = [MCE.id, MCE_WEIGHTED.id, EMAX.id];
        let Some(metric) = registry::metric(id) else { return Self::Unknown };
        match metric.value {
            _ if extremes.contains(&id) => Self::Unknown,
            // by the outcomes at one half, rows that are classified wrongly can be counted
            _ if id == ACCURACY.id && view == View::Positive => Self::Unknown,
            ValueOf::Neighbourhoods { .. } if id != MEAN_LCE.id => Self::Unknown,
            ValueOf::Groups(_) => Self::Unknown,
            _ => Self::AllRows,
        }
    }

    /// Of a figure, sentence or cell that shows all of these: withheld where one of them is.
    pub fn all_of(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::All(parts.into_iter().collect())
    }

    /// Counts that can be read off it.
    fn counts(&self) -> Vec<u64> {
        match self {
            Self::Count(n) | Self::Statistic(n) | Self::Parameter(n) => vec![*n],
            Self::Share { rows, events } => vec![*rows, *events, rows.saturating_sub(*events)],
            _ => Vec::new(),
        }
    }

    fn judged(&self, least: u64) -> Judged {
        match self {
            Self::Setting | Self::AllRows | Self::Thinned(_) => Judged::Shown,
            Self::Unknown | Self::Identifier => Judged::Withheld,
            Self::Reveals => Judged::Reveals,
            Self::Count(_) | Self::Share { .. } => match self.counts().iter().any(|n| is_small(*n, least)) {
                true => Judged::Withheld,
                false => Judged::Shown,
            },
            Self::Picked { of, place } => match (of.left_out(least).get(*place), of.rows(*place) < least) {
                (_, true) => Judged::Withheld,
                (Some(false), false) => Judged::Shown,
                _ => Judged::Reveals,
            },
            // of no row there is no statistic: nobody has counted
            Self::Statistic(n) | Self::Parameter(n) if *n < least => Judged::Withheld,
            Self::Statistic(_) | Self::Parameter(_) => Judged::Shown,
            Self::All(parts) | Self::Lines(parts) | Self::Columns(parts) => {
                let judged = parts.iter().map(|part| part.judged(least));
                judged.reduce(|a, b| if a == Judged::Shown { b } else { a }).unwrap_or(Judged::Withheld)
            }
            Self::Grid { lines, columns } => match lines.iter().chain(columns).all(|part| part.may_leave(least)) {
                true => Judged::Shown,
                false => Judged::Withheld,
            },
        }
    }

    /// Whether what shows all of it may leave.
    pub fn may_leave(&self, least: u64) -> bool {
        self.judged(least) == Judged::Shown
    }
}

/// The gate: everything that leaves with small counts withheld goes through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gate {
    /// the smallest count that may leave
    pub least: u64,
    /// what was withheld so far
    pub audit: Audit,
}

impl Gate {
    /// With nothing withheld yet.
    pub fn new(least: u64) -> Self {
        Self { least, audit: Audit::default() }
    }

    /// A sentence, if it may leave.
    pub fn sentence(&mut self, text: String, basis: &Basis) -> Option<String> {
        if let Basis::Thinned(audit) = basis {
            self.audit.add(*audit);
        }
        if basis.may_leave(self.least) {
            return Some(text);
        }
        self.audit.sentences += 1;
        None
    }

    /// Whether a figure may leave, with its text twin and caption.
    pub fn figure(&mut self, basis: &Basis) -> bool {
        if let Basis::Thinned(audit) = basis {
            self.audit.add(*audit);
        }
        let shown = basis.may_leave(self.least);
        self.audit.figures += u64::from(!shown);
        shown
    }

    /// A block of a sheet without what may not leave; a note in its place where that is all of it.
    pub fn block(&mut self, Stated { what, basis }: Stated<Block>) -> Block {
        let least = self.least;
        let note = |what: &str| Block::Note(format!("{what} withheld: it may concern fewer than {least} rows."));
        let mut sentence = |text: String, block: fn(String) -> Block| {
            self.sentence(text, &basis).map_or_else(|| note("A sentence is"), block)
        };
        match what {
            Block::Reading(text) => sentence(text, Block::Reading),
            Block::Heading(text) => sentence(text, Block::Heading),
            Block::Text(text) => sentence(text, Block::Text),
            Block::Note(text) => sentence(text, Block::Note),
            Block::Facts(facts) => Block::Facts(self.values(facts, &basis)),
            Block::Table(table) => self.table(table, &basis).map_or_else(|| note("A table is"), Block::Table),
            Block::Download { name, text } => {
                let kept = self.values(vec![text], &basis).pop();
                kept.map_or_else(|| note("A file is"), |text| Block::Download { name, text })
            }
            // side by side they are judged as one; who asks for one by its place is told that it is withheld
            Block::Figures(figures) => match self.figure(&basis) {
                true => Block::Figures(figures),
                false => {
                    let title = format!("Withheld: this chart may concern fewer than {least} rows.");
                    let empty = |width| Figure { width, title: title.clone(), alt: title.clone(), ..Figure::default() };
                    Block::Figures(figures.into_iter().map(|figure| empty(figure.width)).collect())
                }
            },
            Block::Charts(charts) => match self.figure(&basis) {
                true => Block::Charts(charts),
                false => note("A chart is"),
            },
        }
    }

    /// Those of several values, such as points of a list, that may leave.
    pub fn values<T>(&mut self, values: Vec<T>, basis: &Basis) -> Vec<T> {
        let each: Vec<Basis> = match basis {
            Basis::Lines(parts) if parts.len() == values.len() => parts.clone(),
            Basis::Lines(_) => vec![Basis::Unknown; values.len()],
            one => vec![one.clone(); values.len()],
        };
        let kept = values.into_iter().zip(each).filter_map(|(value, basis)| {
            let shown = basis.may_leave(self.least);
            self.audit.values += u64::from(!shown);
            shown.then_some(value)
        });
        kept.collect()
    }

    /// The table without what may not leave; none where nothing of it may.
    ///
    /// Lines and columns are withheld with their names and without a gap, and the caption counts them: neither name nor
    /// place says which they were. O(lines²).
    pub fn table(&mut self, table: SheetTable, basis: &Basis) -> Option<SheetTable> {
        let across = table.columns.len().saturating_sub(1);
        let (parts, by_line) = match basis {
            Basis::Grid { lines, columns } if lines.len() == table.rows.len() && columns.len() == across => {
                let kept = self.table(table, &Basis::Columns(columns.clone()))?;
                return self.table(kept, &Basis::Lines(lines.clone()));
            }
            Basis::Grid { .. } => return self.whole(&table, &Basis::Unknown).then_some(table),
            Basis::Lines(parts) if [0, 1].map(|more| table.rows.len() + more).contains(&parts.len()) => (parts, true),
            Basis::Columns(parts) if parts.len() == across => (parts, false),
            Basis::Lines(_) | Basis::Columns(_) => return self.whole(&table, &Basis::Unknown).then_some(table),
            one => return self.whole(&table, one).then_some(table),
        };
        let Some(mut out) = self.parts(parts) else {
            self.whole(&table, &Basis::Unknown);
            return None;
        };
        out.truncate(if by_line { table.rows.len() } else { across });
        let each = if by_line { across as u64 } else { table.rows.len() as u64 };
        let places = |judged: Judged| out.iter().filter(|one| **one == judged).count() as u64;
        self.audit.complementary += each * places(Judged::Reveals);
        self.audit.values += each * (places(Judged::Reveals) + places(Judged::Withheld));
        let withheld = out.iter().filter(|one| **one != Judged::Shown).count();
        if withheld == 0 {
            return Some(table);
        }
        if withheld == out.len() {
            return None;
        }
        let mut table = if by_line { without_lines(table, &out) } else { without_columns(table, &out) };
        let gap = if table.caption.is_empty() { "" } else { " " };
        let what = if by_line { "line" } else { "column" };
        let s = if withheld == 1 { "" } else { "s" };
        table.caption += &format!("{gap}({} {what}{s} withheld)", count(withheld as u64));
        Some(table)
    }

    /// A chart of rows without those that may not leave, judged as the lines of a table are, and what was withheld of it; none
    /// where that is all of it or cannot be judged row by row. Of `parts` beyond its rows none is drawn.
    pub fn thinned(chart: &Chart, basis: &Basis, least: u64) -> Option<(Chart, Audit)> {
        let Basis::Lines(parts) = basis else { return None };
        let rows = chart.rows().filter(|rows| *rows <= parts.len())?;
        let judged = Self::new(least).parts(parts)?;
        let out: Vec<bool> = judged.iter().take(rows).map(|judged| *judged != Judged::Shown).collect();
        let reveals = judged.iter().take(rows).filter(|judged| **judged == Judged::Reveals).count() as u64;
        let withheld = out.iter().filter(|out| **out).count() as u64;
        if withheld == rows as u64 {
            return None;
        }
        let s = if withheld == 1 { "" } else { "s" };
        let said = if withheld == 0 { String::new() } else { format!(" ({} row{s} withheld)", count(withheld)) };
        let chart = if withheld == 0 { chart.clone() } else { chart.without_rows(&out, &said) };
        Some((chart, Audit { values: withheld, complementary: reveals, ..Audit::default() }))
    }

    /// A table that is shown or withheld as one.
    fn whole(&mut self, table: &SheetTable, basis: &Basis) -> bool {
        if let Basis::Thinned(audit) = basis {
            self.audit.add(*audit);
        }
        let shown = basis.may_leave(self.least);
        if !shown {
            self.audit.values += table.rows.iter().map(|row| row.len().saturating_sub(1) as u64).sum::<u64>();
        }
        shown
    }

    /// One judgement a part; none where its totals would reveal what is withheld.
    fn parts(&self, parts: &[Basis]) -> Option<Vec<Judged>> {
        let mut judged: Vec<Judged> = parts.iter().map(|part| part.judged(self.least)).collect();
        // those that add up to totals
        let adding = |part: &Basis| matches!(part, Basis::Count(_) | Basis::Share { .. });
        let places: Vec<usize> = (0..parts.len()).filter(|k| parts.get(*k).is_some_and(adding)).collect();
        let lines: Vec<Vec<u64>> = places.iter().filter_map(|k| parts.get(*k)).map(Basis::counts).collect();
        for (place, out) in places.into_iter().zip(left_out(&lines, self.least)?) {
            if let Some(judged) = judged.get_mut(place).filter(|judged| out && **judged == Judged::Shown) {
                *judged = Judged::Reveals;
            }
        }
        Some(judged)
    }
}

fn without_lines(mut table: SheetTable, out: &[Judged]) -> SheetTable {
    let mut flags = out.iter();
    table.rows.retain(|_| flags.next() == Some(&Judged::Shown));
    table
}

fn without_columns(mut table: SheetTable, out: &[Judged]) -> SheetTable {
    // the first column names the lines
    let shown = |place: &usize| place.checked_sub(1).is_none_or(|place| out.get(place) == Some(&Judged::Shown));
    let order: Vec<usize> = (0..table.columns.len()).filter(shown).collect();
    table.columns = order.iter().filter_map(|place| table.columns.get(*place).cloned()).collect();
    for row in &mut table.rows {
        *row = order.iter().filter_map(|place| row.get(*place).cloned()).collect();
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sheet::Cell;

    fn table(names: &[&str]) -> SheetTable {
        let mut table = SheetTable::new("Groups", &["group", "#gap"]);
        table.rows = names.iter().map(|name| vec![Cell::from(*name), Cell::from(format!("gap of {name}"))]).collect();
        table
    }

    fn texts(table: Option<SheetTable>) -> Vec<String> {
        let rows = table.map(|table| table.rows).unwrap_or_default();
        rows.iter().map(|row| row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn what_nobody_states_is_withheld() {
        let mut gate = Gate::new(10);
        assert_eq!(gate.sentence("0.791 in TINY".to_owned(), &Basis::Unknown), None);
        assert!(!gate.figure(&Basis::Unknown) && !gate.figure(&Basis::Lines(Vec::new())));
        assert_eq!(gate.table(table(&["a", "b"]), &Basis::Unknown), None);
        // a statement about another number of lines is none about these
        assert_eq!(gate.table(table(&["a", "b"]), &Basis::Lines(vec![Basis::AllRows])), None);
        assert_eq!(gate.table(table(&["P0001", "P0002"]), &Basis::Identifier), None);
        assert_eq!(gate.values(vec![1, 2], &Basis::Lines(vec![Basis::Setting, Basis::Statistic(9)])), [1]);
        assert_eq!(gate.audit, Audit { values: 7, complementary: 0, sentences: 1, figures: 2 });
        assert_eq!(
            gate.audit.words(10),
            "Disclosure control: 7 values, 2 figures and 1 sentence withheld, computed from fewer than 10 rows or from an \
             unknown number."
        );
    }

    #[test]
    fn lines_of_few_rows_lose_name_and_place() {
        let share = |rows, events| Basis::Share { rows, events };
        let lines = Basis::Lines(vec![share(3, 2), share(400, 200), share(60, 30), share(500, 100)]);
        let mut gate = Gate::new(10);
        let shown = gate.table(table(&["TINY", "A", "B", "C"]), &lines);
        assert!(shown.as_ref().is_some_and(|table| table.caption == "Groups (2 lines withheld)"));
        // the next line goes, too: else the total would tell the first
        assert_eq!(texts(shown), ["B gap of B", "C gap of C"]);
        assert_eq!(gate.audit, Audit { values: 2, complementary: 1, ..Audit::default() });
        // nobody is left to hide behind
        assert_eq!(gate.table(table(&["TINY"]), &Basis::Lines(vec![share(3, 2)])), None);
        let all = Basis::Lines(vec![Basis::AllRows, share(40, 20)]);
        assert_eq!(texts(gate.table(table(&["all", "A"]), &all)), ["all gap of all", "A gap of A"]);
    }

    #[test]
    fn columns_of_few_rows_go() {
        let mut table = SheetTable::new("MCE of every method", &["method", "#largest", "#TINY", "#A", "#B"]);
        table.rows.push(["none", "0.791", "0.791", "0.1", "0.2"].map(Cell::from).to_vec());
        let share = |rows, events| Basis::Share { rows, events };
        let columns = Basis::Columns(vec![Basis::Statistic(3), share(3, 2), share(400, 200), share(300, 100)]);
        let shown = Gate::new(10).table(table, &columns).unwrap_or_default();
        let heads: Vec<&str> = shown.columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(heads, ["method", "B"]);
        assert_eq!(texts(Some(shown)), ["none 0.2"]);
    }

    #[test]
    fn lines_and_columns_of_few_rows_go() {
        let mut of = table(&["TINY", "A", "B", "C"]);
        of.columns.extend(SheetTable::new("", &["#lowest"]).columns);
        of.rows.iter_mut().for_each(|row| row.push(Cell::from("0.3")));
        let share = |rows, events| Basis::Share { rows, events };
        let lines = vec![share(3, 2), share(400, 200), share(60, 30), share(500, 100)];
        let columns = vec![Basis::Setting, Basis::Unknown];
        let mut gate = Gate::new(10);
        let shown = gate.table(of.clone(), &Basis::Grid { lines: lines.clone(), columns: columns.clone() });
        assert_eq!(texts(shown), ["B gap of B", "C gap of C"]);
        assert_eq!(gate.audit, Audit { values: 6, complementary: 1, ..Audit::default() });
        // about another number of lines
        assert_eq!(Gate::new(10).table(of, &Basis::Grid { lines: lines[1..].to_vec(), columns }), None);
    }

    #[test]
    fn blocks_keep_their_places() {
        let mut gate = Gate::new(10);
        let few = Basis::Statistic(3);
        let told = |block: Block| matches!(block, Block::Note(words) if words.contains("withheld"));
        assert!(told(gate.block(Block::Reading("0.791".to_owned()).of(few.clone()))));
        assert!(told(gate.block(Block::Table(table(&["a"])).of(few.clone()))));
        let download = || Block::Download { name: "a.csv".to_owned(), text: "0.791".to_owned() };
        assert!(told(gate.block(download().of(few.clone()))));
        assert_eq!(gate.block(download().of(Basis::AllRows)), download());
        // as many figures as there were, none of which shows anything
        let figure = Figure { title: "TINY".to_owned(), ..Figure::default() };
        let Block::Figures(left) = gate.block(Block::Figures(vec![figure; 2]).of(few)) else { panic!("no figures") };
        assert!(
            left.len() == 2
                && left.iter().all(|figure| figure.title.starts_with("Withheld") && figure.panels.is_empty())
        );
        assert_eq!(gate.audit, Audit { values: 2, complementary: 0, sentences: 1, figures: 1 });
    }

    #[test]
    fn extremes_are_of_few_rows() {
        let of = |id: &str| Basis::of_metric(id, View::Positive);
        for id in ["nll", "brier", "ece", "auroc", "slope", "ici", "mean_lce"] {
            assert_eq!(of(id), Basis::AllRows, "{id}");
        }
        for id in ["mce", "emax", "mlce", "group_mce_max", "accuracy", "no such metric"] {
            assert_eq!(of(id), Basis::Unknown, "{id}");
        }
        let extreme = |metric: &&crate::metric::Metric| {
            let words = format!("{} {} {}", metric.name, metric.plain, metric.definition).to_lowercase();
            ["largest", "maximum", "worst"].iter().any(|word| words.contains(word))
        };
        for metric in registry::all().filter(extreme) {
            // the largest sum of rows, or one over pairs of all
            let of_all = ["ks", "mmce", "mmce_w"].contains(&metric.id);
            assert!(of_all || of(metric.id) == Basis::Unknown, "{}: {}", metric.id, metric.definition);
        }
    }
}
