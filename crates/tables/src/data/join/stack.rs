//! Two files of other rows, one after the other: the first calibrates, the second is scored.

use super::super::roles::Role;
use super::super::rows::cell_text;
use super::{Joined, OUTCOMES, SCORES, SecondFile, Unit};
use crate::error::{Error, Result};
use crate::table::Warning;
use crate::table::column::Column;
use crate::table::values::{Dictionary, MISSING, Matrix, NamedColumn, Reals, Table, Values};
use crate::words::text::{counted, listed, quoted, thousands};

/// Roles that one column of each file has.
const SINGLE: &[Role] = &[
    Role::Label,
    Role::Probability,
    Role::Probabilities,
    Role::Logit,
    Role::Logits,
    Role::Confidence,
    Role::Correct,
    Role::Predicted,
    Role::Features,
    Role::Id,
    Role::Weight,
    Role::Text,
];

/// Stacks two units: columns are matched by name, else by a role that only one column of each has.
pub(super) fn stacked(first: Unit, second: Unit, mut warnings: Vec<Warning>) -> Result<Joined> {
    let by_name: Vec<Option<usize>> = first
        .table
        .columns
        .iter()
        .map(|c| second.table.columns.iter().position(|other| other.name == c.name))
        .collect();
    let only = |unit: &Unit, role: Role| {
        let mut found = (0..unit.roles.len()).filter(|&j| unit.roles.get(j).is_some_and(|r| r.role == role));
        found.next().filter(|_| found.next().is_none())
    };
    let mut table = Table { rows: first.table.rows + second.table.rows, columns: Vec::new() };
    let mut given = Vec::new();
    let mut used = Vec::new();
    for (j, column) in first.table.columns.iter().enumerate() {
        let role = first.roles.get(j).map(|r| r.role);
        let partner = by_name.get(j).copied().flatten().or_else(|| {
            let role = role.filter(|role| SINGLE.contains(role))?;
            only(&first, role)?;
            only(&second, role).filter(|k| !by_name.contains(&Some(*k)))
        });
        let Some(other) = partner.and_then(|k| second.table.columns.get(k)) else {
            warnings.push(left_out(column));
            continue;
        };
        used.extend(partner);
        table.columns.push(NamedColumn {
            file: column.file.clone(),
            name: column.name.clone(),
            values: both(column, other)?,
        });
        let mut known = first.given.get(j).cloned().unwrap_or_default();
        if let Some(of_second) = partner.and_then(|k| second.given.get(k)) {
            known.role = known.role.or(of_second.role);
            known.reading = known.reading.or(of_second.reading);
        }
        given.push(known);
    }
    let kept = |roles: &[Role]| {
        let role = |name: &String| first.roles.iter().find(|role| role.name == *name).map(|role| role.role);
        table.columns.iter().any(|column| role(&column.name).is_some_and(|role| roles.contains(&role)))
    };
    if !kept(SCORES) || !kept(OUTCOMES) {
        return Err(apart(&first, &second));
    }
    for (k, column) in second.table.columns.iter().enumerate() {
        if !used.contains(&k) {
            warnings.push(left_out(column));
        }
    }
    Ok(Joined {
        table,
        given,
        second: Some(SecondFile {
            first_rows: first.table.rows,
            first: first.files.join(", "),
            second: second.files.join(", "),
        }),
        models: Vec::new(),
        header: None,
        totals: None,
        warnings,
    })
}

/// Error for two files of which each has outcomes and scores, in columns that the other does not have.
fn apart(first: &Unit, second: &Unit) -> Error {
    let named = |unit: &Unit| format!("{} ({})", listed(&unit.files), counted(unit.table.rows, "row"));
    Error::new(
        "length_mismatch",
        format!("Different columns contain the outcomes and predictions of {} and {}.", named(first), named(second)),
        "Open one of them; files opened together have the same rows, or the same columns.",
    )
}

fn left_out(column: &NamedColumn) -> Warning {
    Warning {
        code: "column_in_one_file".into(),
        message: format!(
            "A column in only one of the two files was ignored: {} of {}.",
            quoted(&column.name),
            quoted(&column.file)
        ),
        row: None,
        column: Some(column.name.clone()),
    }
}

pub(super) fn both(a: &NamedColumn, b: &NamedColumn) -> Result<Values> {
    match (&a.values, &b.values) {
        (Values::Numbers(x), Values::Numbers(y)) => {
            Ok(Values::Numbers(Column::from([x.as_slice(), y.as_slice()].concat())))
        }
        (Values::Matrix(x), Values::Matrix(y)) if x.width == y.width => {
            let values = match (&x.values, &y.values) {
                (Reals::F32(x), Reals::F32(y)) => Reals::F32(Column::from([x.as_slice(), y.as_slice()].concat())),
                _ => Reals::F64(Column::from([x.values.wide(), y.values.wide()].concat())),
            };
            Ok(Values::Matrix(Matrix { width: x.width, values }))
        }
        (Values::Matrix(_), _) | (_, Values::Matrix(_)) => {
            let width = |c: &NamedColumn| c.values.shape().get(1).copied().unwrap_or(1);
            Err(Error::new(
                "length_mismatch",
                format!(
                    "{} columns of {} have no counterpart in the {} of {}.",
                    thousands(width(a)),
                    quoted(&a.name),
                    thousands(width(b)),
                    quoted(&b.name)
                ),
                "Both files need the same classes and the same features.",
            ))
        }
        _ => Ok(texts(a, b)),
    }
}

fn texts(a: &NamedColumn, b: &NamedColumn) -> Values {
    let mut levels = Dictionary::default();
    let mut known: std::collections::HashMap<String, u32> = std::collections::HashMap::new();
    let mut codes: Vec<u32> = Vec::new();
    for values in [&a.values, &b.values] {
        let rows = values.shape().first().copied().unwrap_or(0);
        for row in 0..rows {
            let text = cell_text(values, row);
            codes.push(if text.is_empty() {
                MISSING
            } else {
                *known.entry(text).or_insert_with_key(|text| levels.push(text))
            });
        }
    }
    Values::Text { codes: Column::from(codes), levels }
}
