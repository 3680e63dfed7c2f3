//! Several files to one table: more columns for the same rows, or more rows.

mod cohort;
mod common;
mod counts;
mod ids;
mod parts;
mod questions;
mod stack;
mod tasks;

pub(super) use counts::pooled_counts;

use super::names::{self, DataPart};
use super::options::{OpenOptions, SplitOption};
use super::percent::read_as;
use super::proportions;
use super::recognize::{ColumnHints, preview, recognized};
use super::roles::{ColumnRole, Reading, Role};
use super::sentinels::without;
use super::split::SecondFile;
use crate::error::{Error, Result, Text, message, phrases};
use crate::read::{Ambiguous, CountColumn, Mark, Meaning, ReadFile};
use crate::table::Warning;
use crate::table::column::Column;
use crate::table::values::{Matrix, NamedColumn, Reals, Table, Values};
use crate::words::text::{counted, listed, quoted, thousands};
use parts::{parts_of_arrays, without_training};
use std::borrow::Borrow;
use std::collections::BTreeMap;

/// Roles of what a model says.
const SCORES: &[Role] = &[Role::Probability, Role::Probabilities, Role::Logit, Role::Logits, Role::Confidence];

/// Roles of what happened.
const OUTCOMES: &[Role] = &[Role::Label, Role::Correct];

/// One table of all files, with what is known of its columns.
pub(super) struct Joined {
    pub table: Table,
    pub given: Vec<ColumnHints>,
    pub second: Option<SecondFile>,
    /// files that are models of the same rows, the open one first
    pub models: Vec<String>,
    /// whether the first row of the tables holds names
    pub header: Option<bool>,
    /// whether a last row that looks like totals was left out
    pub totals: Option<bool>,
    pub warnings: Vec<Warning>,
}

/// The files with names of their own, where some have the same: models are known by the names of their files. The second
/// `answers.jsonl` is `answers (2).jsonl`.
fn distinctly_named<F: Borrow<ReadFile>>(files: &[F]) -> Option<Vec<ReadFile>> {
    let names: Vec<&str> = files.iter().map(|file| file.borrow().name.as_str()).collect();
    let again = |place: usize| names.iter().take(place).filter(|earlier| Some(*earlier) == names.get(place)).count();
    if (0..names.len()).all(|place| again(place) == 0) {
        return None;
    }
    let renamed = files.iter().enumerate().map(|(place, file)| {
        let mut file = file.borrow().clone();
        if let times @ 1.. = again(place) {
            let (start, ending) = file.name.rsplit_once('.').unwrap_or((&file.name, ""));
            let dot = if ending.is_empty() { "" } else { "." };
            file.name = format!("{start} ({}){dot}{ending}", times + 1);
            file.columns.iter_mut().for_each(|column| column.file.clone_from(&file.name));
        }
        file
    });
    Some(renamed.collect())
}

/// Columns of equal length from one file (or joined ones from several).
struct Unit {
    files: Vec<String>,
    table: Table,
    given: Vec<ColumnHints>,
    roles: Vec<ColumnRole>,
    /// the part of the data that the names of its arrays say
    of_arrays: Option<DataPart>,
    /// what a person should know of how its files were joined
    warnings: Vec<Warning>,
}

/// Joins files.
///
/// Files of equally many rows add columns, matched by an id column in both if their values are the same, or by a column each
/// that holds the same keys in another order, else in order. Outcomes and scores of different numbers of rows are joined by their
/// ids, without the rows that have no partner. Files that have labels and scores each are models of one cohort where their rows are the same, and
/// evaluation logs where most of their questions are; logs are pooled where they are of other questions; else the second is an evaluation set: its
/// rows come after.
///
/// # Errors
/// `unknown_column` for a role given to no column; `invalid_option` for a model that is not there; `length_mismatch`,
/// `ids_do_not_match`, `empty`.
pub(super) fn joined<F: Borrow<ReadFile>>(files: &[F], options: &OpenOptions) -> Result<Joined> {
    check_names(files, options)?;
    check_marks(files, options)?;
    let renamed = distinctly_named(files);
    let files: Vec<&ReadFile> = match &renamed {
        Some(renamed) => renamed.iter().collect(),
        None => files.iter().map(Borrow::borrow).collect(),
    };
    let mut warnings: Vec<Warning> = files.iter().flat_map(|file| file.warnings.clone()).collect();
    let mut units: Vec<Unit> = Vec::new();
    let parts = parts_of_arrays(&files);
    for file in &files {
        units.extend(units_of(file, &parts, options));
    }
    without_training(&mut units, &mut warnings);
    if units.iter().all(|unit| unit.table.rows == 0) {
        return Err(Error::new(
            "empty",
            "There are no rows: every column is empty.",
            message![phrases::DROP_AT_FIRST, " a file with at least one row of predictions."],
        ));
    }
    if units.len() > 1 {
        units.iter_mut().for_each(Unit::recognize);
        units = with_meaning(units, &mut warnings)?;
    }
    let mut groups: Vec<Unit> = Vec::new();
    for unit in units {
        add(&mut groups, unit)?;
    }
    merge_incomplete(&mut groups)?;
    merge_by_ids(&mut groups)?;
    warnings.extend(groups.iter_mut().flat_map(|group| std::mem::take(&mut group.warnings)));
    let header = files.iter().find_map(|file| file.header);
    let totals = files.iter().find_map(|file| file.totals);
    let of_files = matches!(options.split(), SplitOption::Files { .. });
    if !of_files && (cohort::is_one(&groups) || questions::keep_common(&mut groups, &mut warnings)) {
        let (only, models) = cohort::joined(groups, options.model.as_deref(), &mut warnings)?;
        return Ok(Joined { table: only.table, given: only.given, second: None, models, header, totals, warnings });
    }
    if !of_files && tasks::are_tasks(&groups) {
        return Ok(Joined { header, totals, ..tasks::joined(groups, warnings)? });
    }
    // A file called test is scored, whatever the order of dropping.
    if let [first, second] = groups.as_slice()
        && first.part() == Some(CohortSide::Scored)
        && second.part() == Some(CohortSide::Calibration)
    {
        groups.reverse();
    }
    match <[Unit; 1]>::try_from(groups) {
        Ok([only]) => Ok(Joined {
            table: only.table,
            given: only.given,
            second: None,
            models: Vec::new(),
            header,
            totals,
            warnings,
        }),
        Err(groups) => match <[Unit; 2]>::try_from(groups) {
            Ok([first, second]) if first.complete() && second.complete() => {
                let stacked = stack::stacked(first, second, warnings)?;
                Ok(Joined { header, totals, ..stacked })
            }
            Ok(pair) => Err(mismatch(&pair)),
            Err(many) => Err(mismatch(&many)),
        },
    }
}

fn mismatch(units: &[Unit]) -> Error {
    if units.len() > 2 && units.iter().all(Unit::complete) {
        return Error::new(
            "length_mismatch",
            format!(
                "{} have outcomes and scores each: {}. At most two are opened together, one to calibrate and one to evaluate.",
                counted(units.len(), "table"),
                listed(units.iter().flat_map(|unit| &unit.files))
            ),
            "Join parts of one table to one file, one below the other; a column can name the part.",
        );
    }
    let counts: Vec<String> = units.iter().map(|u| thousands(u.table.rows)).collect();
    let names: Vec<String> = units
        .iter()
        .map(|unit| {
            let columns = unit.table.columns.as_slice();
            match columns {
                [only] => format!("{} in {}", quoted(&only.name), quoted(&only.file)),
                _ => listed(&unit.files),
            }
        })
        .collect();
    let same_rows = "Files of the same rows must have the same number of rows; an evaluation file needs its own outcomes and scores.";
    let of_one_file = units.windows(2).all(|pair| matches!(pair, [one, other] if one.files == other.files));
    let hint: Text = match transposed(units) {
        Some(hint) => hint.into(),
        None if of_one_file => {
            message![same_rows, " Assign the ", phrases::PLAIN_ROLE_IGNORE, " to arrays of other rows."]
        }
        None => same_rows.into(),
    };
    Error::new("length_mismatch", format!("{} rows do not match: {}.", counts.join(" and "), names.join(" and ")), hint)
}

/// What to do with an array that has a column for each of the rows of the others.
fn transposed(units: &[Unit]) -> Option<String> {
    let rows_of_others = |unit: &Unit, rows: usize| {
        unit.table.rows != rows && units.iter().any(|other| other.table.rows == rows && other.predicts())
    };
    let mut columns = units.iter().flat_map(|unit| unit.table.columns.iter().map(move |column| (unit, column)));
    columns.find_map(|(unit, column)| match &column.values {
        Values::Matrix(matrix) if rows_of_others(unit, matrix.width) => Some(format!(
            "{} has the shape ({} × {}). Transpose it, so that it has one row per prediction: `{}.T`.",
            quoted(&column.name),
            thousands(matrix.rows()),
            thousands(matrix.width),
            column.name
        )),
        _ => None,
    })
}

/// What a person said of a column, by its name or by `file:name`.
pub(super) fn setting_for<T: Clone>(of: &BTreeMap<String, T>, column: &NamedColumn) -> Option<T> {
    of.get(&format!("{}:{}", column.file, column.name)).or_else(|| of.get(&column.name)).cloned()
}

/// A column under the reading that a person or its values ask for, and what is known of it.
fn opened(column: &NamedColumn, file: &ReadFile, options: &OpenOptions) -> (NamedColumn, ColumnHints) {
    let mut role = setting_for(&options.roles, column);
    let mut wished = setting_for(&options.readings, column);
    let stands = setting_for(&options.missing, column).unwrap_or_default();
    let marked = file.ambiguous.iter().find(|one| one.column == column.name);
    let marked = marked.map(|one| Marked::of(one, wished));
    let sentinels;
    let as_marked = match (marked.as_ref().and_then(|marked| marked.other), &column.values) {
        (Some(other), _) => Values::Numbers(other.clone()),
        // a list of one number for each row, as Keras predicts
        (None, Values::Matrix(Matrix { width: 1, values: Reals::F64(values) })) => Values::Numbers(values.clone()),
        (None, values) => values.clone(),
    };
    let as_marked = match stands.as_slice() {
        [] => {
            sentinels = Vec::new();
            as_marked
        }
        stands => {
            let (values, found) = without(&as_marked, stands);
            sentinels = found;
            values
        }
    };
    let as_written = column;
    let column = &NamedColumn { values: as_marked, file: column.file.clone(), name: column.name.clone() };
    if role == Some(Role::Percent) {
        wished = Some(Reading::Percent);
        role = Some(match column.values {
            Values::Matrix(_) => Role::Probabilities,
            _ if names::is_confidence(&column.name) => Role::Confidence,
            _ => Role::Probability,
        });
    }
    let (values, reading) = read_as(column, wished);
    let changed = reading.is_some() || !sentinels.is_empty();
    let preview = changed.then(|| preview(&as_written.values));
    let meaning = file.log.as_ref().and_then(|log| log.columns.iter().find(|(name, _)| *name == column.name));
    let meaning = meaning.map(|(_, meaning)| meaning.clone());
    let counted = file.counts.as_ref().and_then(|counts| counts.columns.iter().find(|(name, _)| *name == column.name));
    let (role, reason) = match (role, &meaning, counted) {
        (_, _, Some((_, what))) => of_counts(*what),
        (None, Some(meaning), None) => of_log(meaning),
        (role, ..) => (role, None),
    };
    let given = ColumnHints {
        role,
        reason,
        reading: reading.or(marked.as_ref().map(|marked| marked.now)),
        preview,
        offer: marked.as_ref().map(|marked| marked.offer),
        written: marked.map(|marked| marked.example.to_owned()),
        sentinels,
        meaning,
        cell_width: match counted {
            Some((_, CountColumn::Feature { width })) => Some(*width),
            _ => None,
        },
    };
    let column = NamedColumn { file: column.file.clone(), name: column.name.clone(), values };
    (column, given)
}

/// The role of a column made of counts of rows. It cannot be another: the counts were made for these roles.
fn of_counts(what: CountColumn) -> (Option<Role>, Option<String>) {
    let (role, reason) = match what {
        CountColumn::Score => (Role::Probability, "mean score of the rows of a cell"),
        CountColumn::Outcome => (Role::Label, "outcome of the rows of a cell"),
        CountColumn::Rows => (Role::Weight, "number of rows"),
        CountColumn::File => (Role::Group, "file of the counts"),
        CountColumn::Group => (Role::Group, "groups of the counts"),
        CountColumn::Month => (Role::Date, "months of the counts"),
        CountColumn::Feature { .. } => (Role::Feature, "quantized column of the counts"),
    };
    (Some(role), Some(reason.to_owned()))
}

/// The role of a column of an evaluation log, and why; what is known of a question besides is left to its values.
fn of_log(meaning: &Meaning) -> (Option<Role>, Option<String>) {
    let (role, reason) = match meaning {
        Meaning::Question { repeats: false } => (Role::Id, "question of the log"),
        Meaning::Question { repeats: true } => (Role::Ignore, "question; attempts at one question are dependent"),
        Meaning::Text => (Role::Text, "text of the question"),
        Meaning::Attempt => (Role::Ignore, "number of the attempt"),
        Meaning::Confidence => (Role::Confidence, "confidence of the log"),
        Meaning::Correct => (Role::Correct, "judgment of the log"),
        Meaning::Status => (Role::Ignore, "whether the attempt can be scored"),
        Meaning::Unused(why) => (Role::Ignore, why.as_str()),
        Meaning::Field => return (None, None),
    };
    (Some(role), Some(reason.to_owned()))
}

/// How a column is read whose mark between digits may mean two things.
struct Marked<'a> {
    now: Reading,
    offer: Reading,
    /// a value as it is in the file
    example: &'a str,
    /// the values, where they are not those of the file as it was read
    other: Option<&'a Column<f64>>,
}

impl<'a> Marked<'a> {
    fn of(one: &'a Ambiguous, wished: Option<Reading>) -> Self {
        let (first, second) = match one.mark {
            Mark::Decimal => (Reading::Decimal, Reading::Thousands),
            Mark::Thousands => (Reading::Thousands, Reading::Decimal),
        };
        let other = wished == Some(second);
        let (now, offer) = if other { (second, first) } else { (first, second) };
        Self { now, offer, example: &one.example, other: other.then_some(&one.other) }
    }
}

/// Refuses to read a mark between digits in a way that the values do not allow.
fn check_marks<F: Borrow<ReadFile>>(files: &[F], options: &OpenOptions) -> Result<()> {
    for (name, reading) in options.readings.iter().filter(|(_, reading)| **reading != Reading::Percent) {
        let doubtful = |file: &ReadFile| {
            file.ambiguous.iter().any(|one| one.column == *name || format!("{}:{}", file.name, one.column) == *name)
        };
        if !files.iter().any(|file| doubtful(file.borrow())) {
            let reading = if *reading == Reading::Thousands { "thousands" } else { "decimal" };
            return Err(Error::new(
                "invalid_option",
                format!("readings: the numbers of {} have one reading only, not `{reading}`.", quoted(name)),
                "Omit the reading.",
            ));
        }
    }
    Ok(())
}

fn check_names<F: Borrow<ReadFile>>(files: &[F], options: &OpenOptions) -> Result<()> {
    let columns = || files.iter().flat_map(|file| &file.borrow().columns);
    let roles = options.roles.keys().map(|name| (Text::from(phrases::NO_COLUMN_IN_ROLES), name));
    let readings = options.readings.keys().map(|name| (Text::from("readings: no column"), name));
    let missing = options.missing.keys().map(|name| (Text::from("missing: no column"), name));
    for (none, wished) in roles.chain(readings).chain(missing) {
        let known = columns().any(|column| column.is_called(wished));
        if !known {
            return Err(Error::new(
                "unknown_column",
                none.and(format!(" or array has the name {}.", quoted(wished))),
                format!("There are {}.", listed(columns().map(|c| &c.name))),
            ));
        }
    }
    Ok(())
}

/// A file's columns, apart by their number of rows and by the part of the data that their names say.
fn units_of(file: &ReadFile, parts: &BTreeMap<String, DataPart>, options: &OpenOptions) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    for column in &file.columns {
        let rows = column.values.shape().first().copied().unwrap_or(0);
        let part = parts.get(&column.name).copied();
        let unit = match units.iter_mut().position(|unit| unit.table.rows == rows && unit.of_arrays == part) {
            Some(k) => units.get_mut(k),
            None => {
                units.push(Unit {
                    files: vec![file.name.clone()],
                    table: Table { rows, columns: Vec::new() },
                    given: Vec::new(),
                    roles: Vec::new(),
                    of_arrays: part,
                    warnings: Vec::new(),
                });
                units.last_mut()
            }
        };
        if let Some(unit) = unit {
            let proportions = proportions::of(column);
            let column = proportions.as_ref().map_or(column, |(numbers, _)| numbers);
            let (column, given) = opened(column, file, options);
            unit.warnings.extend(proportions.map(|(_, said)| said));
            unit.given.push(given);
            unit.table.columns.push(column);
        }
    }
    units
}

/// Passes over arrays that belong to no row (class names, settings saved as vectors).
fn with_meaning(units: Vec<Unit>, warnings: &mut Vec<Warning>) -> Result<Vec<Unit>> {
    let main: Vec<(String, usize)> = units
        .iter()
        .filter(|unit| unit.predicts())
        .flat_map(|unit| unit.files.iter().map(|f| (f.clone(), unit.table.rows)))
        .collect();
    let ignored = |unit: &Unit| unit.given.iter().all(|given| given.role == Some(Role::Ignore));
    let (kept, passed): (Vec<Unit>, Vec<Unit>) = units.into_iter().partition(|unit| {
        let has_main = |file: &String| main.iter().any(|(f, _)| f == file);
        let same_rows = main.iter().any(|(_, rows)| *rows == unit.table.rows);
        unit.labeled()
            || unit.scored()
            || unit.given.iter().any(|given| given.role.is_some_and(|role| role != Role::Ignore))
            || same_rows
            || main.is_empty()
            || !ignored(unit) && !unit.files.iter().any(has_main)
    });
    for unit in passed.into_iter().filter(|unit| !ignored(unit)) {
        for column in &unit.table.columns {
            warnings.push(Warning {
                code: "array_passed_over".into(),
                message: format!(
                    "An array of {} does not match the rows and was ignored: {}.",
                    counted(unit.table.rows, "row"),
                    quoted(&column.name)
                ),
                row: None,
                column: Some(column.name.clone()),
            });
        }
    }
    Ok(kept)
}

/// Adds a unit's columns to the first group whose rows it continues, or starts a group.
fn add(groups: &mut Vec<Unit>, unit: Unit) -> Result<()> {
    let only = unit.labeled() != unit.scored() && !unit.beside_labels_and_scores();
    for group in groups.iter_mut() {
        let same_rows = group.table.rows == unit.table.rows && !group.other_part(&unit);
        let both = group.complete() && unit.complete();
        let doubled = group.complete() && only && unit.predicts() && !ids::shared(group, &unit);
        if same_rows && !both && !doubled {
            return group.widen(unit);
        }
    }
    groups.push(unit);
    Ok(())
}

/// Joins what found no partner to a group of equally many rows.
fn merge_incomplete(groups: &mut Vec<Unit>) -> Result<()> {
    let mut k = 0;
    while k < groups.len() {
        let partner = groups.get(k).filter(|g| !g.complete()).and_then(|group| {
            let same_rows = |other: &Unit| other.table.rows == group.table.rows && !other.other_part(group);
            (0..groups.len()).find(|&other| other != k && groups.get(other).is_some_and(same_rows))
        });
        if let Some(partner) = partner {
            let (low, high) = (k.min(partner), k.max(partner));
            let unit = groups.remove(high);
            if let Some(group) = groups.get_mut(low) {
                group.widen(unit)?;
            }
            k = 0;
        } else {
            k += 1;
        }
    }
    Ok(())
}

/// Joins groups of different numbers of rows by their ids: outcomes with scores, and either with features of most of its rows.
fn merge_by_ids(groups: &mut Vec<Unit>) -> Result<()> {
    let belong = |one: &Unit, other: &Unit| {
        let scores_of = |a: &Unit, b: &Unit| !a.scored() && a.labeled() && b.scored() && !b.labeled();
        let supplement = scores_of(one, other) || scores_of(other, one);
        let both = one.complete() && other.complete();
        !both && ids::partners(one, other).is_some_and(|found| supplement || found.lose_no_predictions([one, other]))
    };
    let pair = |groups: &[Unit]| {
        let mut pairs = (0..groups.len()).flat_map(|low| (low + 1..groups.len()).map(move |high| (low, high)));
        pairs.find(|&(low, high)| groups.get(low).zip(groups.get(high)).is_some_and(|(one, other)| belong(one, other)))
    };
    while let Some((low, high)) = pair(groups.as_slice()) {
        let unit = groups.remove(high);
        if let Some(group) = groups.get_mut(low) {
            group.widen(unit)?;
        }
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CohortSide {
    Calibration,
    Scored,
}

impl Unit {
    fn recognize(&mut self) {
        self.roles = recognized(&self.table, &self.given, None).roles;
    }

    fn has(&self, roles: &[Role]) -> bool {
        self.roles.iter().any(|role| roles.contains(&role.role))
    }

    fn labeled(&self) -> bool {
        self.has(OUTCOMES)
    }

    fn scored(&self) -> bool {
        self.has(SCORES)
    }

    fn complete(&self) -> bool {
        self.labeled() && self.scored()
    }

    /// Outcomes or scores, and not features alone.
    fn predicts(&self) -> bool {
        self.labeled() || self.scored()
    }

    /// More than labels or scores: features or groups that may belong to any file.
    fn beside_labels_and_scores(&self) -> bool {
        self.has(&[Role::Feature, Role::Features, Role::Group])
    }

    /// Whether the names of arrays say that these are rows of another part of the data.
    fn other_part(&self, other: &Unit) -> bool {
        self.of_arrays.is_some() && other.of_arrays.is_some() && self.of_arrays != other.of_arrays
    }

    /// Which part of the data the names of its arrays, or that of the file, speak of.
    fn part(&self) -> Option<CohortSide> {
        match self.of_arrays {
            Some(DataPart::Calibration) => return Some(CohortSide::Calibration),
            Some(DataPart::Scored) => return Some(CohortSide::Scored),
            Some(DataPart::Training) | None => {}
        }
        let words: Vec<String> = self.files.iter().flat_map(|f| super::names::words(f)).collect();
        let any = |part: DataPart| words.iter().any(|word| DataPart::named(word) == Some(part));
        match (any(DataPart::Calibration), any(DataPart::Scored)) {
            (true, false) => Some(CohortSide::Calibration),
            (false, true) => Some(CohortSide::Scored),
            _ => None,
        }
    }

    /// Adds the columns of another unit of the same rows.
    fn widen(&mut self, mut other: Unit) -> Result<()> {
        let warning = ids::align(self, &mut other)?;
        self.warnings.extend(other.warnings);
        self.warnings.extend(warning);
        self.of_arrays = self.of_arrays.or(other.of_arrays);
        self.files.extend(other.files);
        self.table.columns.extend(other.table.columns);
        self.given.extend(other.given);
        self.roles.extend(other.roles);
        Ok(())
    }
}
