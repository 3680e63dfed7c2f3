//! The gate of disclosure control: everything that leaves with small counts withheld goes through it, and what is of few
//! rows stays behind.

use crate::metric::Reason;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::disclosure::{Audit, Basis, Judged, Stated, judged_parts};
use super::interval::unavailable;
use super::sheet::{Block, SheetTable};
use super::small_cells::{is_small, mentions_small_count};
use super::{MethodRows, MetricValue, Report, RunOutcome};
use crate::evaluation::method::fitted_to;
use crate::metric::accuracy::ACCURACY;
use crate::plot::figure::Figure;
use crate::recalibrate::recalibrator::FittedTo;
use crate::words::text::counted;

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
        let each: Vec<Judged> = match basis {
            Basis::Lines(parts) if Basis::parts(parts) == values.len() => {
                parts.iter().flat_map(|part| part.each(self.least)).collect()
            }
            Basis::Lines(_) => vec![Judged::Withheld; values.len()],
            one => vec![if one.may_leave(self.least) { Judged::Shown } else { Judged::Withheld }; values.len()],
        };
        let kept = values.into_iter().zip(each).filter_map(|(value, judged)| {
            let shown = judged == Judged::Shown;
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
            // one more line is that of the rows without one
            Basis::Grid { lines, columns }
                if [0, 1].map(|more| table.rows.len() + more).contains(&Basis::parts(lines))
                    && Basis::parts(columns) == across =>
            {
                let kept = self.table(table, &Basis::Columns(columns.clone()))?;
                return self.table(kept, &Basis::Lines(lines.clone()));
            }
            Basis::Grid { .. } => return self.whole(&table, &Basis::Unknown).then_some(table),
            Basis::Lines(parts) if [0, 1].map(|more| table.rows.len() + more).contains(&Basis::parts(parts)) => {
                (parts, true)
            }
            Basis::Columns(parts) if Basis::parts(parts) == across => (parts, false),
            Basis::Lines(_) | Basis::Columns(_) => return self.whole(&table, &Basis::Unknown).then_some(table),
            one => return self.whole(&table, one).then_some(table),
        };
        let Some(mut out) = judged_parts(parts, self.least) else {
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
        table.caption += &format!("{gap}({} withheld)", counted(withheld, what));
        Some(table)
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

/// Takes out of a report what tells of few rows: local errors, which are one a row; parameters of fits that tell of a
/// group, a bin, a class or single rows, with the warnings about them; metrics that are the value of one bin, group or
/// place; an accuracy with few errors; an ECE of which one side is of few rows. What was withheld is listed in the report as `disclosure`.
///
/// * `run`: of which the report is
/// * `least`: the smallest count that may be shown
pub fn in_report(report: &mut Report, run: &RunOutcome, least: u64) {
    let mut audit =
        Audit { values: report.local.as_ref().map_or(0, |local| local.slce.len() as u64), ..Audit::default() };
    report.local = None;
    let withheld = |id: &str, value: &MetricValue, rows: Option<&MethodRows>| -> bool {
        match value.value {
            None => false,
            Some(share) if id == ACCURACY.id => {
                // of weighted rows it is unknown how many are wrong
                let rows = rows.filter(|rows| rows.counted || rows.weights().is_none());
                rows.is_none_or(|rows| {
                    let all = rows.tally().0 as u64;
                    let wrong = ((1.0 - share) * all as f64).round() as u64;
                    is_small(wrong, least) || is_small(all.saturating_sub(wrong), least)
                })
            }
            Some(_) => !Basis::of_metric_of(id, run).may_leave(least),
        }
    };
    let metrics = |metrics: &mut BTreeMap<String, MetricValue>, rows: Option<&MethodRows>, audit: &mut Audit| {
        for (id, value) in metrics.iter_mut() {
            if withheld(id, value, rows) {
                *value = unavailable(Reason::Suppressed);
                audit.values += 1;
            }
            // how many rows were tested tells how many were not
            if let Some(Reason::Tested { rows, .. }) = &mut value.reason {
                *rows = None;
            }
            if value.clipped.is_some_and(|clipped| is_small(clipped.rows as u64, least)) {
                value.clipped = None;
            }
        }
    };
    for method in &mut report.methods {
        let known = fitted_to(&method.id) == FittedTo::AllRows;
        if !known && !method.parameters.is_null() {
            method.parameters = Value::Null;
            audit.values += 1;
        }
        let before = method.warnings.len();
        method
            .warnings
            .retain(|warning| known && warning.row.is_none() && !mentions_small_count(&warning.message, least));
        audit.sentences += (before - method.warnings.len()) as u64;
        let rows = run.rows.iter().find(|rows| rows.method.name == method.name);
        metrics(&mut method.metrics, rows, &mut audit);
    }
    if let Some(common) = &mut report.common {
        metrics(&mut common.metrics, run.common.as_ref(), &mut audit);
    }
    // a difference gives either of the two values from the other
    let suppressed = |of: &BTreeMap<String, MetricValue>| -> BTreeSet<String> {
        let gone = of.iter().filter(|(_, value)| value.reason == Some(Reason::Suppressed));
        gone.map(|(id, _)| id.clone()).collect()
    };
    let none = report.methods.iter().filter(|method| method.id == "none").map(|method| &method.metrics);
    let base: BTreeSet<String> =
        none.chain(report.common.iter().map(|common| &common.metrics)).flat_map(suppressed).collect();
    for method in &mut report.methods {
        let own = suppressed(&method.metrics);
        method.differences.retain(|id, value| {
            let gone = own.contains(id) || base.contains(id);
            let kept =
                !gone && (id == ACCURACY.id || value.value.is_none() || Basis::of_metric_of(id, run).may_leave(least));
            audit.values += u64::from(!kept);
            kept
        });
    }
    report.disclosure = Some(audit);
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
        // the rows without a line count as one
        let rest = [lines.clone(), vec![share(7, 3)]].concat();
        let shown = Gate::new(10).table(of.clone(), &Basis::Grid { lines: rest, columns: columns.clone() });
        assert_eq!(texts(shown).len(), 2);
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
}
