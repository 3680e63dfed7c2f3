//! Parts of the data that a column names: rows that calibrate, rows that are scored, rows that a model was fitted to.

use super::names::{self, DataPart};
use super::options::{OpenOptions, SplitOption};
use super::roles::{ColumnRole, Role};
use crate::error::{Error, Result, message, phrases};
use crate::table::Warning;
use crate::table::values::{NamedColumn, Table, Values};
use crate::words::text::{counted, listed, quoted, thousands};

/// Values of a column that names parts, at most, where its name does not say so.
const MOST_PARTS: usize = 5;

/// What the values of a column name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Parts {
    calibration: bool,
    scored: bool,
    training: bool,
    /// a value that is the name of no part
    other: bool,
}

impl Parts {
    pub fn of<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut parts = Self::default();
        for value in values {
            let part = match DataPart::named(value) {
                Some(DataPart::Calibration) => &mut parts.calibration,
                Some(DataPart::Scored) => &mut parts.scored,
                Some(DataPart::Training) => &mut parts.training,
                None => &mut parts.other,
            };
            *part = true;
        }
        parts
    }

    /// Rows that calibrate and rows that are scored.
    pub fn both_sides(self) -> bool {
        self.calibration && self.scored
    }

    /// Training rows beside others, which are not divided further.
    pub fn one_beside_training(self) -> bool {
        self.training && !self.both_sides() && (self.calibration || self.scored || self.other)
    }

    /// Training rows beside rows of other known parts, and nothing else.
    fn known_beside_training(self) -> bool {
        self.training && !self.other && (self.calibration || self.scored)
    }
}

/// Texts that name calibration and evaluation rows.
pub(super) const BOTH_SIDES: &str = "names calibration and evaluation rows";
/// Texts that name training rows beside others.
pub(super) const TRAINING: &str = "names training rows";

/// What the texts of a column name, [`BOTH_SIDES`] or [`TRAINING`], where they say to which part each row belongs.
///
/// * `named`: the name of the column says so
pub(super) fn named_parts(levels: &[&str], named: bool) -> Option<&'static str> {
    if !named && levels.len() > MOST_PARTS {
        return None;
    }
    let parts = Parts::of(levels.iter().copied());
    if parts.both_sides() && (named || parts.known_beside_training()) {
        Some(BOTH_SIDES)
    } else {
        let training = parts.known_beside_training() || named && parts.one_beside_training();
        training.then_some(TRAINING)
    }
}

fn is_training(level: &str) -> bool {
    DataPart::named(level) == Some(DataPart::Training)
}

/// Which of the chosen rows (none: all) are no training rows, and how many are, as the column says that was asked to divide the
/// rows or has the role `split`. They stay where that column divides the rows, for [`divided`](super::split::divided) leaves
/// them out, and where rows were chosen by it.
///
/// # Errors
/// `empty` where only training rows were chosen.
pub(super) fn without_training(
    chosen: Option<Vec<bool>>,
    table: &Table,
    roles: &[ColumnRole],
    options: &OpenOptions,
    warnings: &mut Vec<Warning>,
) -> Result<(Option<Vec<bool>>, usize)> {
    let split = options.split();
    let asked =
        |column: &NamedColumn| matches!(&split, SplitOption::Column { column: name, .. } if column.is_called(name));
    let of_role = table.columns.iter().zip(roles).find(|(_, role)| role.role == Role::Split).map(|(column, _)| column);
    let mut columns = table.columns.iter().find(|column| asked(column)).into_iter().chain(of_role);
    let found = columns.find_map(|column| {
        let Values::Text { codes, levels } = &column.values else { return None };
        let parts = Parts::of(levels.iter());
        parts.training.then_some((column, codes, levels, parts))
    });
    let Some((column, codes, levels, parts)) = found else { return Ok((chosen, 0)) };
    let divides = match &split {
        SplitOption::Auto(_) => parts.both_sides(),
        SplitOption::Column { calibration, .. } => asked(column) && (parts.both_sides() || !calibration.is_empty()),
        _ => false,
    };
    if divides || options.only().iter().any(|condition| column.is_called(&condition.column)) {
        return Ok((chosen, 0));
    }
    let training: Vec<bool> = levels.iter().map(is_training).collect();
    let mut rest = chosen.clone().unwrap_or_else(|| vec![true; table.rows]);
    let mut left_out = 0;
    for (row, &code) in rest.iter_mut().zip(codes.iter()) {
        if *row && training.get(code as usize) == Some(&true) {
            (*row, left_out) = (false, left_out + 1);
        }
    }
    if left_out == 0 {
        return Ok((chosen, 0));
    }
    if !rest.contains(&true) {
        return Err(Error::new(
            "empty",
            format!("Every selected row is a training row of the split column {}.", quoted(&column.name)),
            message!["Change the selection, or assign the ", phrases::ROLE_IGNORE, " to the column."],
        ));
    }
    warnings.push(outside(column, left_out, levels.iter().filter(|level| is_training(level))));
    Ok((Some(rest), left_out))
}

/// Rows that neither calibrate nor are evaluated, by their values of the split column; none: they have no value.
pub(super) fn outside<'a>(column: &NamedColumn, rows: usize, values: impl IntoIterator<Item = &'a str>) -> Warning {
    let names = listed(values);
    let names = if names.is_empty() { "no value".to_owned() } else { names };
    Warning {
        code: "rows_outside_split".into(),
        message: format!(
            "{} excluded from both calibration and evaluation ({names} in the split column).",
            counted(rows, "row")
        ),
        row: None,
        column: Some(column.name.clone()),
    }
}

/// A column that names training rows beside others and has no role that leaves them out: they are evaluated.
pub(super) fn training_rows(table: &Table, roles: &[ColumnRole]) -> Option<Warning> {
    let (column, train, rows) = table.columns.iter().zip(roles).find_map(|(column, role)| {
        if matches!(role.role, Role::Group | Role::Feature | Role::Ignore)
            && let Some((train, rows)) = flagged(column)
        {
            return Some((column, train, rows));
        }
        let Values::Text { codes, levels } = &column.values else { return None };
        let few = role.role == Role::Group && levels.len() <= MOST_PARTS;
        let parts = if few { Parts::of(levels.iter()) } else { Parts::default() };
        let train = levels.iter().find(|level| is_training(level)).filter(|_| parts.calibration || parts.scored)?;
        let rows = codes.iter().filter(|code| levels.text(**code) == train).count();
        Some((column, train.to_owned(), rows))
    })?;
    (rows > 0).then(|| Warning {
        code: "training_rows".into(),
        message: format!(
            "{} of {} are evaluated like all others ({} in the column {}). If the model was fitted to them, include only the \
             other rows.",
            counted(rows, "row"),
            thousands(table.rows),
            quoted(&train),
            quoted(&column.name)
        ),
        row: None,
        column: Some(column.name.clone()),
    })
}

/// The value of a column such as `is_train` that says of a row that a model was fitted to it, and the number of these rows.
fn flagged(column: &NamedColumn) -> Option<(String, usize)> {
    let listed = |names: &[&str]| names.contains(&names::plain(&column.name).as_str());
    let yes = if listed(names::IS_TRAINING) { true } else { listed(names::IS_TEST).then_some(false)? };
    match &column.values {
        Values::Text { codes, levels } => {
            let said = |text: &str| match text.to_lowercase().as_str() {
                "true" | "t" | "yes" | "y" => Some(true),
                "false" | "f" | "no" | "n" => Some(false),
                _ => None,
            };
            let train = levels.iter().find(|level| said(level) == Some(yes))?;
            let both = levels.len() == 2 && levels.iter().all(|level| said(level).is_some());
            both.then(|| (train.to_owned(), codes.iter().filter(|code| levels.text(**code) == train).count()))
        }
        Values::Numbers(values) => {
            let train = f64::from(u8::from(yes));
            let rows = values.iter().filter(|value| **value == train).count();
            let others = values.iter().filter(|value| **value == 1.0 - train).count();
            (others > 0 && rows + others == values.len()).then(|| (train.to_string(), rows))
        }
        Values::Matrix(_) => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::assemble;
    use super::super::options::OpenOptions;
    use super::*;

    fn text(name: &str, parts: [&str; 3]) -> String {
        let row = |k: usize| format!("0.{},{},{}\n", 10 + k, k % 2, parts[k % 3]);
        format!("p,y,{name}\n{}", (0..30).map(row).collect::<String>())
    }

    /// Rows that are left, the role of the column of parts, and the codes of warnings.
    fn opened(text: &str, options: &str) -> (usize, Role, String) {
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let options: OpenOptions = serde_json::from_str(options).unwrap();
        let (data, summary) = assemble(&[file], &options).unwrap();
        let codes: Vec<String> = summary.warnings.into_iter().map(|warning| warning.code).collect();
        (data.rows, data.roles[2].role, codes.join(" "))
    }

    #[test]
    fn training_rows_are_left_out_unless_chosen() {
        let out = "rows_outside_split".to_owned();
        for (name, parts) in [
            ("split", ["train", "val", "val"]),
            ("split", ["Train", "test", "test"]),
            ("split", ["train", "test", "external"]),
            ("part", ["training", "test", "test"]),
            ("Partition", ["1_Training", "2_Testing", "2_Testing"]),
            ("_ROLE_", ["TRAIN", "VALIDATE", "VALIDATE"]),
            ("set", ["learn", "test", "test"]),
        ] {
            assert_eq!(opened(&text(name, parts), "{}"), (20, Role::Split, out.clone()), "{name} {parts:?}");
        }
        // a column that divides the rows leaves them in the table, and outside both parts
        assert_eq!(opened(&text("part", ["train", "val", "test"]), "{}"), (30, Role::Split, out.clone()));
        let two = text("split", ["train", "val", "val"]);
        assert_eq!(opened(&two, r#"{ "split": { "column": "split" } }"#), (20, Role::Split, out));
        let chosen = r#"{ "split": { "column": "split", "calibration": ["train"] } }"#;
        assert_eq!(opened(&two, chosen), (30, Role::Split, String::new()));
        let only = r#"{ "only": [{ "column": "split", "values": ["train"] }] }"#;
        assert_eq!(opened(&two, only), (10, Role::Split, String::new()));
    }

    #[test]
    fn training_rows_of_a_group_are_evaluated_with_a_warning() {
        let said = (30, Role::Group, "training_rows".to_owned());
        assert_eq!(opened(&text("phase", ["train", "test", "external"]), "{}"), said);
        assert_eq!(opened(&text("split", ["train", "test", "test"]), r#"{ "roles": { "split": "group" } }"#), said);
        for (name, parts) in [
            ("is_train", ["True", "False", "False"]),
            ("is_train", ["1", "0", "0"]),
            ("is_test", ["0", "1", "1"]),
            ("inTraining", ["yes", "no", "no"]),
        ] {
            let (rows, _, codes) = opened(&text(name, parts), "{}");
            assert_eq!((rows, codes.as_str()), (30, "training_rows"), "{name} {parts:?}");
        }
        // a way to travel is no part
        assert_eq!(opened(&text("mode", ["train", "bus", "car"]), "{}"), (30, Role::Group, String::new()));
    }
}
