//! Several evaluation logs with questions of their own, such as one a task: the rows of all, with a column that names the log.

use std::collections::{HashMap, HashSet};

use super::super::recognize::ColumnHints;
use super::super::roles::Role;
use super::super::rows::cell_text;
use super::stack::both;
use super::{Joined, Unit, questions};
use crate::error::{Error, Result};
use crate::read::{Meaning, stem, task};
use crate::table::Warning;
use crate::table::values::{Dictionary, NamedColumn, Table, Values};
use crate::words::text::{counted, listed};

/// Name of the column that says from which log a row is.
const TASK: &str = "task";

/// Whether these are evaluation logs, none of which is called calibration beside one called test. Those of the same questions
/// throughout are models instead; see [`super::cohort`].
pub(super) fn are_tasks(units: &[Unit]) -> bool {
    let parts: HashSet<_> = units.iter().filter_map(|unit| unit.part().map(|part| part as u8)).collect();
    units.len() > 1 && parts.len() < 2 && units.iter().all(|unit| unit.question().is_some())
}

/// The logs as one table, in the order of the files: the columns that all of them have.
///
/// The name of a question begins with that of its log where the same name is of different questions in two logs.
///
/// # Errors
/// `ids_do_not_match` where some of the logs, but not all, are of the same questions; `length_mismatch` for embeddings of different
/// widths.
pub(super) fn joined(units: Vec<Unit>, mut warnings: Vec<Warning>) -> Result<Joined> {
    let pairs = (0..units.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let twice = pairs
        .filter_map(|(a, b)| Some((units.get(a)?, units.get(b)?)))
        .find(|(a, b)| a.same_questions(b) || questions::shared_rows(a, b).is_some());
    if let Some((one, other)) = twice {
        return Err(Error::new(
            "ids_do_not_match",
            format!(
                "{} are of the same questions, but not all of these logs.",
                listed(one.files.iter().chain(&other.files))
            ),
            "Open the logs of one model together, or logs of several models of the same questions.",
        ));
    }
    let renamed = ambiguous(&units);
    let Some((first, others)) = units.split_first() else { return Err(Error::internal("There is no log.")) };
    let there = |name: &str| others.iter().all(|unit| unit.column(name).is_some());
    let mut left_out: Vec<&str> = Vec::new();
    let mut table = Table { rows: units.iter().map(|unit| unit.table.rows).sum(), columns: Vec::new() };
    let mut given = Vec::new();
    for (column, hints) in first.table.columns.iter().zip(&first.given) {
        if !there(&column.name) {
            left_out.push(&column.name);
            continue;
        }
        let mut values = column.values.clone();
        for other in others.iter().filter_map(|unit| unit.column(&column.name)) {
            values = both(&NamedColumn { values, ..column.clone() }, other)?;
        }
        let mut hints = hints.clone();
        if let Some(Meaning::Question { repeats }) = &mut hints.meaning {
            *repeats |= others.iter().any(Unit::repeats);
            (hints.role, hints.reason) = super::of_log(&Meaning::Question { repeats: *repeats });
            if renamed {
                values = question_names(&units);
            }
        }
        table.columns.push(NamedColumn { values, ..column.clone() });
        given.push(hints);
    }
    let known: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let of_others = others.iter().flat_map(|unit| &unit.table.columns).map(|column| column.name.as_str());
    left_out.extend(of_others.filter(|name| !known.contains(name)));
    let mut seen = HashSet::new();
    left_out.retain(|name| seen.insert(*name));
    if !left_out.is_empty() {
        let message = format!("Columns that not all of the logs have were ignored: {}.", listed(&left_out));
        warnings.push(Warning { code: "column_in_one_file".into(), message, row: None, column: None });
    }
    let name = if known.contains(&TASK) { "log" } else { TASK };
    let place = table.columns.len().min(1);
    let file = first.table.columns.first().map_or_else(String::new, |column| column.file.clone());
    table.columns.insert(place, NamedColumn { file, name: name.to_owned(), values: tasks(&units) });
    let reason = Some("name of the log".to_owned());
    given.insert(
        place,
        ColumnHints { role: Some(Role::Group), reason, meaning: Some(Meaning::Field), ..ColumnHints::default() },
    );
    warnings.push(Warning {
        code: "logs_combined".into(),
        message: format!(
            "{} with questions of their own are one data set; `{name}` names the log.",
            counted(units.len(), "log")
        ),
        row: None,
        column: Some(name.to_owned()),
    });
    Ok(Joined { table, given, second: None, models: Vec::new(), header: None, totals: None, warnings })
}

/// What a log is of: the task, else the name of its file.
fn called(unit: &Unit) -> String {
    let file = unit.files.first().map_or("", String::as_str);
    task(file).unwrap_or_else(|| stem(file).to_owned())
}

/// The name of its log for each row; of logs of one name the second has a number.
fn tasks(units: &[Unit]) -> Values {
    let (mut levels, mut codes) = (Dictionary::default(), Vec::new());
    for (place, unit) in units.iter().enumerate() {
        let name = called(unit);
        let code = match units.iter().take(place).filter(|earlier| called(earlier) == name).count() {
            0 => levels.push(&name),
            n => levels.push(&format!("{name} ({})", n + 1)),
        };
        codes.extend(std::iter::repeat_n(code, unit.table.rows));
    }
    Values::Text { codes: codes.into(), levels }
}

/// Names of the questions with those of their logs.
fn question_names(units: &[Unit]) -> Values {
    let (mut levels, mut codes) = (Dictionary::default(), Vec::new());
    for unit in units {
        let mut known: HashMap<String, u32> = HashMap::new();
        for row in 0..unit.table.rows {
            let question = unit.question().map_or_else(String::new, |column| cell_text(&column.values, row));
            let code = *known
                .entry(question)
                .or_insert_with_key(|question| levels.push(&format!("{}/{question}", called(unit))));
            codes.push(code);
        }
    }
    Values::Text { codes: codes.into(), levels }
}

/// Whether a name is that of different questions in two logs, or may be, as nothing else is known of them.
fn ambiguous(units: &[Unit]) -> bool {
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    for unit in units {
        let (Some(question), text) = (unit.question(), unit.text()) else { continue };
        let of_unit: HashMap<String, Option<String>> = (0..unit.table.rows)
            .map(|row| (cell_text(&question.values, row), text.map(|text| cell_text(&text.values, row))))
            .collect();
        for (name, text) in of_unit {
            match known.get(&name) {
                Some(other) if text.is_none() || *other != text => return true,
                Some(_) => {}
                None => drop(known.insert(name, text)),
            }
        }
    }
    false
}

impl Unit {
    pub(super) fn meant(&self, is: impl Fn(&Meaning) -> bool) -> Option<&NamedColumn> {
        let place = self.given.iter().position(|given| given.meaning.as_ref().is_some_and(&is))?;
        self.table.columns.get(place)
    }

    /// The column that names the questions, where the file is a log.
    pub(super) fn question(&self) -> Option<&NamedColumn> {
        self.meant(|meaning| matches!(meaning, Meaning::Question { .. }))
    }

    pub(super) fn text(&self) -> Option<&NamedColumn> {
        self.meant(|meaning| *meaning == Meaning::Text)
    }

    /// Whether there are several attempts at a question.
    fn repeats(&self) -> bool {
        self.meant(|meaning| *meaning == Meaning::Question { repeats: true }).is_some()
    }

    pub(super) fn column(&self, name: &str) -> Option<&NamedColumn> {
        self.table.columns.iter().find(|column| column.name == name)
    }

    /// Whether both are logs of the same questions in the same order: of the same names, and as far as they tell the same texts,
    /// else a field that tells questions apart in both.
    pub(super) fn same_questions(&self, other: &Unit) -> bool {
        let (Some(ours), Some(theirs)) = (self.question(), other.question()) else { return false };
        let rows = self.table.rows;
        let equal = |a: &NamedColumn, b: &NamedColumn| {
            (0..rows).all(|row| cell_text(&a.values, row) == cell_text(&b.values, row))
        };
        if rows != other.table.rows || !equal(ours, theirs) {
            return false;
        }
        if let (Some(ours), Some(theirs)) = (self.text(), other.text()) {
            return equal(ours, theirs);
        }
        let fields =
            self.table.columns.iter().zip(&self.given).filter(|(_, given)| given.meaning == Some(Meaning::Field));
        let mut fields = fields.filter_map(|(field, _)| Some((field, other.column(&field.name)?))).peekable();
        fields.peek().is_none() || fields.any(|(ours, theirs)| ours.values.divides() && equal(ours, theirs))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{OpenOptions, Role, assemble};
    use crate::read::read;

    /// 60 answers to questions from `from` on, with a text each unless it is empty.
    fn log(from: usize, text: &str, field: &str, wrong: usize) -> String {
        let line = |k: usize| {
            let text = if text.is_empty() { String::new() } else { format!("\"question\": \"{text} {k}?\", ") };
            let field = if field.is_empty() { String::new() } else { format!(", \"subject\": \"{field} {}\"", k % 3) };
            let correct = !k.is_multiple_of(wrong);
            format!(
                "{{\"question_id\": {}, {text}\"prompt\": 1, \"confidence\": 0.{}, \"correct\": {correct}{field}}}\n",
                from + k,
                50 + k % 40
            )
        };
        (0..60).map(line).collect()
    }

    fn opened(
        files: &[(&str, String)],
    ) -> Result<(crate::data::Predictions, crate::data::Summary), crate::error::Error> {
        let files: Vec<_> =
            files.iter().map(|(name, text)| read(name, text.as_bytes(), &mut |_| ()).unwrap()).collect();
        assemble(&files, &OpenOptions::default())
    }

    #[test]
    fn logs_of_several_tasks_are_one_data_set() {
        let names = [
            "samples_law_2026-11-24T01-42-17.746730.jsonl",
            "samples_physics_2026-11-24T01-42-17.746730.jsonl",
            "chess.jsonl",
        ];
        let logs = [log(0, "law", "", 3), log(0, "physics", "", 4), log(0, "chess", "", 5)];
        let (data, summary) = opened(&names.into_iter().zip(logs).collect::<Vec<_>>()).unwrap();
        assert_eq!((data.rows, summary.models.len()), (180, 0));
        let task = data.table.columns.iter().zip(&data.roles).find(|(column, _)| column.name == "task").unwrap();
        assert_eq!(task.1.role, Role::Group);
        let texts: Vec<String> = [0, 60, 120].map(|row| super::cell_text(&task.0.values, row)).to_vec();
        assert_eq!(texts, ["law", "physics", "chess"]);
        // the same number is of three questions
        let question = data.table.columns.iter().find(|column| column.name == "question_id").unwrap();
        assert_eq!(super::cell_text(&question.values, 60), "physics/0");
        assert!(data.clusters.is_none(), "{:?}", summary.clusters);
    }

    #[test]
    fn logs_of_the_same_questions_are_models() {
        for (text, field) in [("law", ""), ("", "topic"), ("", "")] {
            let (data, summary) =
                opened(&[("alpha.jsonl", log(0, text, field, 3)), ("beta.jsonl", log(0, text, field, 4))]).unwrap();
            assert_eq!((data.rows, summary.models.len()), (60, 2), "{text} {field}");
        }
    }

    #[test]
    fn tables_of_rows_with_the_same_descriptions_are_models() {
        let table = |wrong: usize, shift: usize| {
            let row = |k: usize| {
                let subject = ["law", "art", "chess"][(k + shift) % 3];
                format!("{k},{subject},0.{},{}\n", 50 + k % 40, u8::from(!k.is_multiple_of(wrong)))
            };
            format!("question_id,subject,confidence,correct\n{}", (0..60).map(row).collect::<String>())
        };
        let models = |shift| {
            let files = [("alpha.csv", table(3, 0)), ("beta.csv", table(4, shift))];
            opened(&files).unwrap().1.models.len()
        };
        assert_eq!((models(0), models(1)), (2, 0));
    }

    #[test]
    fn models_of_several_tasks_are_refused_and_a_calibration_log_calibrates() {
        let law = |wrong| log(0, "law", "", wrong);
        let error = opened(&[("a_law.jsonl", law(3)), ("b_law.jsonl", law(4)), ("a_art.jsonl", log(0, "art", "", 3))])
            .unwrap_err();
        assert!(error.to_string().contains("`a_law.jsonl`, `b_law.jsonl` are of the same questions"), "{error}");
        let (data, _) = opened(&[("law_cal.jsonl", law(3)), ("law_test.jsonl", log(100, "art", "", 3))]).unwrap();
        assert_eq!(data.sets.iter().filter(|set| **set == 0).count(), 60);
    }
}
