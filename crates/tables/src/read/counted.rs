//! The result of a counting statement: counts of rows by cells of the score, which become predictions.
//!
//! Each cell becomes at most two rows of its mean score Σp/n: one for its Σy events, one for the n − Σy others. Sums of
//! scores and outcomes are so kept within every cell and group; what is lost is where within a cell a score was, and ranks
//! treat the rows of a cell as tied. Totals in the first line show whether the file is whole.

use serde::{Deserialize, Serialize};

use super::tally::{ENGINE, WITHHELD};
use super::{ReadFile, distinct_names};
use crate::counts::settings::MARK;
use crate::counts::statement::{MISSING as NO_VALUE, SUMS, TOTALS, Unused};
use crate::counts::{CountRequest, Grid, Settings};
use crate::error::{Error, Result};
use crate::table::values::EXACT_INTEGERS;
use crate::table::{Column, Dictionary, MISSING, NamedColumn, Values};
use crate::words::text::{FORMULA, counted, quoted, thousands};

/// What a file of counts says of itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// what was counted, and what was left out, in sentences
    pub summary: String,
    /// what its columns are, by their names
    pub columns: Vec<(String, CountColumn)>,
    /// what must be the same in files that are opened together: what it is, and its value, in words
    #[serde(default)]
    pub made: Vec<(String, String)>,
    /// whether neighboring cells of the score were merged: how the scores rank its rows is then partly unknown
    #[serde(default)]
    pub merged: bool,
}

/// What a column made of counts is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum CountColumn {
    /// mean score of the rows
    Score,
    /// 1 for events, 0 for others
    Outcome,
    /// how many rows of the table there are
    Rows,
    /// of which file of several
    File,
    /// value of a grouping column
    Group,
    /// first day of the month
    Month,
    /// center of a cell of a quantized column
    Feature {
        /// width of its cells
        width: f64,
    },
}

/// The columns of a counting statement, which agree with each other and with what their first line states.
pub(super) struct Whole<'a> {
    /// what was counted
    pub(super) settings: Settings,
    /// status, cell and [`SUMS`]
    columns: Vec<&'a NamedColumn>,
    groups: Vec<&'a NamedColumn>,
    month: Option<&'a NamedColumn>,
    features: Vec<&'a NamedColumn>,
    /// what the cells become
    lines: Lines,
    left_out: Vec<(String, f64)>,
}

impl<'a> Whole<'a> {
    /// The counts in a file; none where it contains anything else.
    ///
    /// # Errors
    /// `table_unreadable` where the file was cut or edited, `invalid_option` for counts that cannot be evaluated, `empty` where no
    /// row could be used, `probability_out_of_range` where most scores are above 1.
    pub(super) fn of(file: &'a ReadFile) -> Result<Option<Self>> {
        let [Some(settings), Some(total_rows), Some(total_cells)] = TOTALS.map(|name| find(file, name)) else {
            return Ok(None);
        };
        let columns = ["status", "cell"].into_iter().chain(SUMS).map(|name| find(file, name));
        let Some(columns) = columns.collect::<Option<Vec<&NamedColumn>>>() else { return Ok(None) };
        let text = match &settings.values {
            Values::Text { codes, levels } => {
                codes.iter().map(|code| levels.text(*code)).find(|text| text.starts_with(MARK))
            }
            _ => None,
        };
        let settings = Settings::read(text.ok_or_else(without_first_line)?)?;
        let request = &settings.request;
        check_totals(&columns, total_rows, total_cells)?;
        if let Some(weight) = &request.weight {
            return Err(Error::new(
                "invalid_option",
                format!("These counts contain sums of the sample weights {}, which are not evaluated.", quoted(weight)),
                "Count again without the weights, or evaluate rows with weights.",
            ));
        }
        let lines = Lines::new(&columns, request.grid())?;
        let key = |name: String| {
            find(file, &name).ok_or_else(|| {
                Error::new(
                    "table_unreadable",
                    format!("These counts lack the column {}.", quoted(&name)),
                    "Save the whole result of the statement again, unchanged.",
                )
            })
        };
        let keys = |many: usize, name: &str| (1..=many).map(|k| key(format!("{name}_{k}"))).collect::<Result<_>>();
        let groups = keys(request.by.len(), "group")?;
        let month = request.month.as_ref().map(|_| key("year_month".to_owned())).transpose()?;
        let features = keys(request.features.len(), "feature")?;
        let left_out = left_out(&columns);
        let above = left_out.iter().filter(|(why, _)| why == ABOVE_1).map(|(_, n)| n).sum();
        check_scale(lines.rows.iter().sum(), above)?;
        Ok(Some(Self { settings, columns, groups, month, features, lines, left_out }))
    }

    /// Number of lines.
    pub(super) fn len(&self) -> usize {
        self.columns.get(2).map_or(0, |n| numbers(n).len())
    }

    /// Why the rows of a line are not used; `ok` where they are.
    pub(super) fn status(&self, line: usize) -> &str {
        match self.columns.first().map(|status| &status.values) {
            Some(Values::Text { codes, levels }) => codes.get(line).map_or("", |code| levels.text(*code)),
            _ => "",
        }
    }

    /// The cell, then [`SUMS`], of a line.
    pub(super) fn numbers(&self, line: usize) -> [f64; 9] {
        let at = |place: usize| self.columns.get(place + 1).and_then(|column| numbers(column).get(line)).copied();
        std::array::from_fn(|place| at(place).unwrap_or(f64::NAN))
    }

    /// The value of a grouping column in a line.
    pub(super) fn group(&self, place: usize, line: usize) -> Option<String> {
        group(self.groups.get(place)?, line, self.settings.request.dialect == ENGINE)
    }

    /// Year and month of a line.
    pub(super) fn month(&self, line: usize) -> Option<(u32, u32)> {
        month(self.month?, line)
    }

    /// The cell of a quantized column in a line.
    pub(super) fn feature(&self, place: usize, line: usize) -> f64 {
        self.features.get(place).and_then(|column| numbers(column).get(line)).copied().unwrap_or(f64::NAN)
    }
}

/// The predictions behind the columns of a counting statement; a file of anything else as it is.
///
/// # Errors
/// As [`Whole::of`].
pub(super) fn opened(file: ReadFile) -> Result<ReadFile> {
    let Some(whole) = Whole::of(&file)? else { return Ok(file) };
    let (columns, kinds) = made(&file, &whole);
    let made = settings_in_words(&whole.settings.request);
    let counts = Counts { summary: summary(&whole), columns: kinds, made, merged: whole.settings.least.is_some() };
    Ok(ReadFile { columns, counts: Some(counts), ..file })
}

/// Which columns of a text table are groups of a file of counts. The statement wrote their values as texts, and what has no
/// value as [`NO_VALUE`]: `NA` or `null` is the value of a group.
pub(super) fn group_columns(names: &[String]) -> Vec<bool> {
    let counts = TOTALS.iter().all(|name| names.iter().any(|known| known.eq_ignore_ascii_case(name)));
    let begins = |name: &String| name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("group_"));
    names.iter().map(|name| counts && begins(name)).collect()
}

/// Words of the rows whose score is above 1.
pub const ABOVE_1: &str = "score above 1";

/// Refuses counts in which more scores are above 1 than can be used: they are no probabilities.
///
/// * `usable`: rows that are used; `above`: rows whose score is above 1
///
/// # Errors
/// `probability_out_of_range`.
pub fn check_scale(usable: f64, above: f64) -> Result<()> {
    if above <= usable {
        return Ok(());
    }
    let (above, all) = (thousands(above as u64), thousands((above + usable) as u64));
    Err(Error::new(
        "probability_out_of_range",
        format!("{above} of {all} scores are above 1. Probabilities must be between 0 and 1."),
        "If the scores are percentages, count again and say so: --percent in the terminal, “Probabilities are \
         percentages” in the page.",
    ))
}

/// What files that are opened together must have in common.
pub(super) fn settings_in_words(request: &CountRequest) -> Vec<(String, String)> {
    let event = match (&request.positive, &request.negative) {
        (None, _) => "1".to_owned(),
        (Some(positive), None) => quoted(positive),
        (Some(positive), Some(negative)) => format!("{} against {}", quoted(positive), quoted(negative)),
    };
    let names = |names: &[String]| match names {
        [] => "none".to_owned(),
        some => some.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "),
    };
    let features = request.features.iter().map(|of| format!("{} ({} to {}, {})", of.column, of.low, of.high, of.cells));
    let pair = |what: &str, value: String| (what.to_owned(), value);
    vec![
        pair("cells", request.grid().cells().to_string()),
        pair("score", quoted(&request.score)),
        pair("outcome", quoted(&request.outcome)),
        pair("event", event),
        pair("grouping columns", names(&request.by)),
        pair("month", names(request.month.as_slice())),
        pair("quantized columns", names(&features.collect::<Vec<_>>())),
    ]
}

/// Refuses a file that was counted in another way than the first.
///
/// * `first`, `other`: name, and [`Counts::made`]
///
/// # Errors
/// `invalid_option`, naming both files and what differs.
pub(crate) fn agree(first: (&str, &[(String, String)]), other: (&str, &[(String, String)])) -> Result<()> {
    let differs = first.1.iter().zip(other.1).find(|(a, b)| !a.1.eq_ignore_ascii_case(&b.1));
    let Some(((what, here), (_, there))) = differs else { return Ok(()) };
    Err(Error::new(
        "invalid_option",
        format!(
            "Counts of different settings cannot be pooled: {what} {here} in {}, {there} in {}.",
            quoted(first.0),
            quoted(other.0)
        ),
        "Count again with the same settings, or open one of the files.",
    ))
}

/// Refuses counts that are there twice.
pub(crate) fn twice(earlier: &str, name: &str) -> Error {
    Error::new(
        "invalid_option",
        format!("{} and {} contain the same counts.", quoted(earlier), quoted(name)),
        "Open each file of counts once: their rows are added.",
    )
}

/// A column by its name, in capitals or not: engines write both.
fn find<'a>(file: &'a ReadFile, name: &str) -> Option<&'a NamedColumn> {
    file.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
}

fn numbers(column: &NamedColumn) -> &[f64] {
    match &column.values {
        Values::Numbers(numbers) => numbers,
        _ => &[],
    }
}

fn without_first_line() -> Error {
    Error::new(
        "table_unreadable",
        "These counts have lost the line with their settings and totals.",
        "Save the whole result of the statement again, unchanged.",
    )
}

/// Refuses a file whose lines do not add up to the totals that the statement wrote.
fn check_totals(columns: &[&NamedColumn], total_rows: &NamedColumn, total_cells: &NamedColumn) -> Result<()> {
    let stated = |column: &NamedColumn| numbers(column).iter().copied().find(|x| x.is_finite());
    let (Some(rows), Some(cells)) = (stated(total_rows), stated(total_cells)) else { return Err(without_first_line()) };
    let n = columns.get(2).map_or(&[][..], |n| numbers(n));
    let found: f64 = n.iter().sum();
    if found == rows && n.len() as f64 == cells {
        return Ok(());
    }
    let say = |rows: f64, cells: f64| format!("{} rows in {} cells", thousands(rows as u64), thousands(cells as u64));
    Err(Error::new(
        "table_unreadable",
        format!(
            "These counts are incomplete or were edited: their first line states {}, the file contains {}.",
            say(rows, cells),
            if found.is_finite() { say(found, n.len() as f64) } else { "lines without a number of rows".to_owned() }
        ),
        "Save the whole result of the statement again; some programs show only the first lines.",
    ))
}

/// Beyond, a number of rows is not exact.
pub(super) const MOST_ROWS: f64 = EXACT_INTEGERS as f64;

/// The rows that the cells become, in the order of the lines.
struct Lines {
    /// line of the file
    line: Vec<usize>,
    score: Vec<f64>,
    outcome: Vec<f64>,
    rows: Vec<f64>,
    cells: usize,
}

impl Lines {
    fn new(columns: &[&NamedColumn], grid: Grid) -> Result<Self> {
        let [status, cell, n, sum_y, sum_p, _, sum_py, ..] = columns else { return Err(without_first_line()) };
        let used = used(status);
        let mut out = Self { line: vec![], score: vec![], outcome: vec![], rows: vec![], cells: 0 };
        for line in (0..used.len()).filter(|line| used.get(*line) == Some(&true)) {
            let at = |column: &NamedColumn| numbers(column).get(line).copied().unwrap_or(f64::NAN);
            let [cell, n, sum_y, sum_p, sum_py] = [cell, n, sum_y, sum_p, sum_py].map(|column| at(column));
            let whole = |x: f64| (0.0..=MOST_ROWS).contains(&x) && x.fract() == 0.0;
            if !(whole(n) && whole(sum_y) && n >= 1.0 && sum_y <= n && cell.fract() == 0.0 && cell.abs() < 1e9) {
                return Err(contradiction(line, "its numbers of rows and events are not possible"));
            }
            out.cells += 1;
            let within = |sum: f64, rows: f64| {
                let score = grid.within(cell as i32, sum / rows);
                score.ok_or_else(|| contradiction(line, "its mean score is outside of its cell"))
            };
            // one score, so that ranks treat the rows of a cell as tied
            let score = within(sum_p, n)?;
            for (outcome, rows, sum) in [(1.0, sum_y, sum_py), (0.0, n - sum_y, sum_p - sum_py)] {
                if rows == 0.0 {
                    continue;
                }
                within(sum, rows)?;
                out.line.push(line);
                out.score.push(score);
                out.outcome.push(outcome);
                out.rows.push(rows);
            }
        }
        if out.line.is_empty() {
            return Err(Error::new(
                "empty",
                "None of the rows that were counted has both a score and an outcome.",
                "Check the names of the columns in the statement.",
            ));
        }
        Ok(out)
    }
}

/// Which lines count rows that are used.
fn used(status: &NamedColumn) -> Vec<bool> {
    match &status.values {
        Values::Text { codes, levels } => codes.iter().map(|code| levels.text(*code) == "ok").collect(),
        _ => Vec::new(),
    }
}

/// Refuses a line, counted from 0.
pub(super) fn contradiction(line: usize, why: &str) -> Error {
    Error::new(
        "table_unreadable",
        format!("Line {} of these counts contradicts itself: {why}.", line + 1),
        "Save the whole result of the statement again, unchanged.",
    )
}

/// Columns of predictions, and what they are.
type Made = (Vec<NamedColumn>, Vec<(String, CountColumn)>);

fn made(file: &ReadFile, whole: &Whole) -> Made {
    let (lines, request) = (&whole.lines, &whole.settings.request);
    let mut columns = vec![
        (request.score.clone(), CountColumn::Score, Values::Numbers(Column::from(lines.score.clone()))),
        (request.outcome.clone(), CountColumn::Outcome, Values::Numbers(Column::from(lines.outcome.clone()))),
        ("rows".to_owned(), CountColumn::Rows, Values::Numbers(Column::from(lines.rows.clone()))),
    ];
    for (k, name) in request.by.iter().enumerate() {
        let value = |line| whole.group(k, line).map(plain_whole);
        columns.push((name.clone(), CountColumn::Group, texts(lines, value)));
    }
    if let Some(name) = &request.month {
        let date = |line| whole.month(line).map(|(year, month)| format!("{year:04}-{month:02}"));
        // a column without any value is no dates: every month was withheld
        if lines.line.iter().any(|line| date(*line).is_some()) {
            columns.push((name.clone(), CountColumn::Month, texts(lines, date)));
        }
    }
    for (k, of) in request.features.iter().enumerate() {
        let width = (of.high - of.low) / f64::from(of.cells);
        let center = |line: &usize| of.low + width * (whole.feature(k, *line) + 0.5);
        let values = lines.line.iter().map(center).collect::<Vec<f64>>();
        columns.push((of.column.clone(), CountColumn::Feature { width }, Values::Numbers(values.into())));
    }
    let names = distinct_names(columns.iter().map(|(name, ..)| name.clone()).collect());
    let named = columns.into_iter().zip(names).map(|((_, what, values), name)| {
        (NamedColumn { file: file.name.clone(), name: name.clone(), values }, (name, what))
    });
    named.unzip()
}

/// A column of texts, a line each.
fn texts(lines: &Lines, text: impl Fn(usize) -> Option<String>) -> Values {
    let (mut levels, mut known) = (Dictionary::default(), std::collections::HashMap::new());
    let codes: Vec<u32> = (lines.line.iter())
        .map(|&line| match text(line) {
            Some(text) => *known.entry(text).or_insert_with_key(|text| levels.push(text)),
            None => MISSING,
        })
        .collect();
    Values::Text { codes: codes.into(), levels }
}

/// The value of a group; `own`: this program wrote it.
fn group(column: &NamedColumn, line: usize, own: bool) -> Option<String> {
    match &column.values {
        Values::Text { codes, levels } => {
            let code = codes.get(line).copied().filter(|code| *code != MISSING)?;
            let text = levels.text(code);
            // as this program keeps spreadsheets from running it
            let text = text.strip_prefix('\'').filter(|rest| own && rest.starts_with(FORMULA)).unwrap_or(text);
            Some(text.to_owned()).filter(|text| !text.is_empty() && text != NO_VALUE)
        }
        Values::Numbers(numbers) => numbers.get(line).filter(|x| x.is_finite()).map(f64::to_string),
        Values::Matrix(_) => None,
    }
}

/// The value of a group as a column of the opened file has it: engines write a whole number among others as 2.0.
fn plain_whole(text: String) -> String {
    match text.strip_suffix(".0").filter(|whole| whole.parse::<i64>().is_ok()) {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Year and month of 202401.
fn month(column: &NamedColumn, line: usize) -> Option<(u32, u32)> {
    let number = numbers(column).get(line).copied().filter(|x| (1.0..1e7).contains(x))? as u32;
    let (year, month) = (number / 100, number % 100);
    (1..=12).contains(&month).then_some((year, month))
}

/// Rows that were not used, by reason.
fn left_out(columns: &[&NamedColumn]) -> Vec<(String, f64)> {
    let (Some(status), Some(n)) = (columns.first(), columns.get(2)) else { return Vec::new() };
    let Values::Text { codes, levels } = &status.values else { return Vec::new() };
    let mut sums: Vec<(String, f64)> = Vec::new();
    for (code, n) in codes.iter().zip(numbers(n)) {
        let id = levels.text(*code);
        if id == "ok" {
            continue;
        }
        let known = Unused::of(id).map_or(id, |why| why.words());
        match sums.iter_mut().find(|(words, _)| words == known) {
            Some((_, sum)) => *sum += n,
            None => sums.push((known.to_owned(), *n)),
        }
    }
    sums
}

fn summary(whole: &Whole) -> String {
    let Whole { settings: Settings { request, least }, lines, left_out, .. } = whole;
    let all: f64 = lines.rows.iter().sum();
    let left: Vec<String> = left_out.iter().map(|(why, n)| format!("{} {why}", thousands(*n as u64))).collect();
    let left = match (left.as_slice(), least) {
        ([], None) => "No row was left out.".to_owned(),
        ([], Some(_)) => "Rows not used: none stated; reasons of few rows are not stated.".to_owned(),
        (some, None) => format!("Rows not used: {}.", some.join(", ")),
        (some, Some(_)) => format!("Rows not used: {}; reasons of few rows are not stated.", some.join(", ")),
    };
    let merged = least.map_or_else(String::new, |least| {
        format!(
            " Cells were merged until each counts at least {least} rows, with and without the event; groups with \
             fewer, observed or implied by the scores, are in {WITHHELD}. Merging averages errors of opposite sign: \
             ECE and MCE can be much lower than those of the rows, AUROC is lower, and the slope less exact."
        )
    });
    format!(
        "Counts of {} of the table {} in {} (score {}, outcome {}). {left}{merged}",
        counted(all as u64, "row"),
        quoted(&request.table),
        counted(lines.cells, "cell"),
        quoted(&request.score),
        quoted(&request.outcome),
    )
}

#[cfg(test)]
mod tests {
    use crate::read::{CountColumn, ReadFile, read};
    use crate::table::Values;

    const HEAD: &str = "settings,total_rows,total_cells,group_1,status,cell,n,sum_y,sum_p,sum_pp,sum_py,sum_ppy,sum_loss,\
                        sum_loss_y\n";
    const FIRST: &str = "localcal-counts=1&dialect=duckdb&grid=960&table=visits&score=risk&outcome=died&by=ward";

    fn file(lines: &str, rows: u64, cells: u64) -> String {
        format!("{HEAD}{FIRST},{rows},{cells},{lines}")
    }

    fn good() -> String {
        file(
            "A,ok,960,4,1,2,1,0.5,0.25,3,0.7\n,,,A,ok,193,3,3,0.3015,0.03,0.3015,0.03,7,7\n,,,B,p_missing,,5,,,,,,,\n",
            12,
            3,
        )
    }

    fn opened(text: &str) -> crate::Result<ReadFile> {
        read("counts.csv", text.as_bytes(), &mut |_| ())
    }

    #[test]
    fn a_cell_becomes_its_events_and_the_others() {
        let file = opened(&good()).expect("counts");
        let counts = file.counts.as_ref().expect("counts");
        let kinds: Vec<CountColumn> = counts.columns.iter().map(|(_, what)| *what).collect();
        assert_eq!(kinds, [CountColumn::Score, CountColumn::Outcome, CountColumn::Rows, CountColumn::Group]);
        let names: Vec<&str> = file.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["risk", "died", "rows", "ward"]);
        let of = |k: usize| match &file.columns[k].values {
            Values::Numbers(numbers) => numbers.to_vec(),
            _ => Vec::new(),
        };
        assert_eq!(of(1), [1.0, 0.0, 1.0]);
        assert_eq!(of(2), [1.0, 3.0, 3.0]);
        let close = of(0).iter().zip([0.5, 0.5, 0.1005]).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close, "{:?}", of(0));
        assert!(counts.summary.contains("Counts of 7 rows of the table `visits` in 2 cells"), "{}", counts.summary);
        assert!(counts.summary.contains("Rows not used: 5 no score."), "{}", counts.summary);
    }

    #[test]
    fn values_of_groups_are_texts_whatever_they_look_like() {
        let lines: Vec<String> = ["NA", "null", "01", "1", "\"1,234\"", "2.0", "(missing)", ""]
            .into_iter()
            .enumerate()
            .map(|(k, group)| format!("{}{group},ok,960,2,1,1,0.5,0.5,0.25,1.4,0.7\n", if k > 0 { ",,," } else { "" }))
            .collect();
        let file = opened(&file(&lines.concat(), 16, 8)).expect("counts");
        let ward = file.columns.iter().find(|column| column.name == "ward").expect("groups");
        let Values::Text { codes, levels } = &ward.values else { panic!("{ward:?}") };
        let of: Vec<&str> = codes.iter().step_by(2).map(|code| levels.text(*code)).collect();
        assert_eq!(of, ["NA", "null", "01", "1", "1,234", "2", "", ""]);
        assert_eq!(codes.iter().filter(|code| **code == crate::table::MISSING).count(), 4);
    }

    #[test]
    fn capitals_of_an_engine_are_read() {
        let (head, rest) = (HEAD.to_uppercase(), good());
        assert!(opened(&format!("{head}{}", &rest[HEAD.len()..])).expect("counts").counts.is_some());
    }

    /// One byte after the other is replaced, left out, or where the file ends: it opens or is refused.
    #[test]
    fn damaged_counts_end_in_an_answer() {
        let good = good();
        for place in 0..good.len() {
            for by in ["", "-", "9", "e", ",", "\n", "%", "&", "\"", "\u{0}"] {
                let Some((before, after)) = good.split_at_checked(place) else { continue };
                let after: String = after.chars().skip(1).collect();
                let _ = opened(&format!("{before}{by}{after}"));
            }
            let _ = opened(good.get(..place).unwrap_or_default());
        }
        let huge = file("A,ok,960,1e300,1,5e299,1,0.5,0.25,3,0.7\n", 1, 1).replace(",1,1,A", ",1e300,1,A");
        assert!(opened(&huge).expect_err("too many").to_string().contains("contradicts itself"));
    }

    #[test]
    fn what_was_cut_or_edited_is_refused() {
        let good = good();
        let without_last: String = good.lines().take(3).map(|line| format!("{line}\n")).collect();
        let without_first: String =
            good.lines().enumerate().filter(|(k, _)| *k != 1).map(|(_, l)| format!("{l}\n")).collect();
        for (text, words) in [
            (without_last, "states 12 rows in 3 cells, the file contains 7 rows in 2 cells"),
            (without_first, "lost the line with their settings"),
            (good.replace("960,4,1", "960,5,1"), "incomplete or were edited"),
            (good.replace("960,4,1,", "960,4,7,"), "Line 1 of these counts contradicts itself"),
            (good.replace("960,4,1,2,1,0.5", "960,4,1,2,1,0.6"), "mean score is outside of its cell"),
            (good.replace("960,4,1,2,", "99999,4,1,2,"), "outside of its cell"),
            (good.replace("localcal-counts=1", "localcal-counts=3"), "version 3"),
            (good.replace("&by=ward", "&by=ward&by=sex"), "lack the column `group_2`"),
            (good.replace("&by=ward", "&weight=w"), "sums of the sample weights `w`"),
            (
                good.replace("B,p_missing,,5", "B,p_above_1,,8").replace(",12,3,", ",15,3,"),
                "8 of 15 scores are above 1.",
            ),
            (file("A,y_missing,,5,,,,,,,\n,,,A,p_missing,,1,,,,,,,\n", 6, 2), "has both a score and an outcome"),
        ] {
            let error = opened(&text).expect_err(words);
            assert!(error.to_string().contains(words), "{words}: {error}");
        }
    }
}
