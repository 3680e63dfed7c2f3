//! Rows of two files matched by the columns that both have: by all of them together, where no single one names a row.

use std::collections::HashSet;

use super::super::names;
use super::super::roles::Role;
use super::ids::{matched, rows_matched_by, texts};
use super::{NamedColumn, Unit};
use crate::table::Warning;
use crate::table::values::Values;
use crate::words::text::{counted, listed, quoted, thousands};

/// Matches the rows by the columns of one name in both, such as patient and visit, where they name each row together and the
/// same ones in both. Where they do not, rows are joined by their order, and what contradicts it is said.
pub(super) fn by_common_columns(unit: &mut Unit, other: &mut Unit) -> Option<Warning> {
    let common = common_columns(unit, other);
    let differing: Vec<&Common> = common.iter().filter(|common| common.differ > 0).collect();
    let most = differing.iter().max_by_key(|common| common.differ)?;
    let parts: Vec<&Common> = common.iter().filter(|common| common.names_rows).collect();
    let tuples = |side: fn(&Common) -> &Vec<String>| -> Vec<String> {
        let of_row =
            |row: usize| parts.iter().filter_map(move |part| side(part).get(row)).map(|text| format!("{text}\u{1f}"));
        (0..unit.table.rows).map(|row| of_row(row).collect()).collect()
    };
    let (left, right) = (tuples(|common| &common.ours), tuples(|common| &common.theirs));
    let distinct = left.iter().collect::<HashSet<_>>().len() == left.len();
    if let Some(order) = matched(&left, &right).ok().filter(|_| distinct && !parts.is_empty()) {
        let names = listed(parts.iter().map(|part| &part.name));
        let matched = Some(rows_matched_by(unit, other, &names));
        let reason = format!("the rows were matched by {names}");
        for part in &parts {
            if let Some(given) = other.given.get_mut(part.place).filter(|given| given.role.is_none()) {
                (given.role, given.reason) = (Some(Role::Ignore), Some(reason.clone()));
            }
        }
        other.table.reorder_rows(&order);
        return matched;
    }
    let message = format!(
        "The rows of {} and {} were joined by their order, although {} differs between them in {} of {}. If the rows are in \
         another order, add one column to both that names each row.",
        listed(&unit.files),
        listed(&other.files),
        quoted(&most.name),
        thousands(most.differ),
        counted(unit.table.rows, "row")
    );
    Some(Warning { code: "joined_by_order".into(), message, row: None, column: None })
}

/// A column that two units of as many rows have under one name.
struct Common {
    name: String,
    /// its place in the other unit
    place: usize,
    ours: Vec<String>,
    theirs: Vec<String>,
    /// rows in which the values differ
    differ: usize,
    /// it may be part of what names a row
    names_rows: bool,
}

fn common_columns(unit: &Unit, other: &Unit) -> Vec<Common> {
    let mut found = Vec::new();
    if unit.table.rows != other.table.rows {
        return found;
    }
    let free = |unit: &Unit, j: usize| {
        let given = unit.given.get(j).is_some_and(|given| given.role.is_some_and(|role| role != Role::Id));
        let role = unit.roles.get(j).map(|role| role.role);
        !given && matches!(role, Some(Role::Id | Role::Ignore | Role::Feature | Role::Group | Role::Date))
    };
    let whole = |column: &NamedColumn| match &column.values {
        Values::Numbers(v) => v.iter().all(|x| x.is_finite() && x.fract() == 0.0),
        Values::Text { .. } => true,
        Values::Matrix(_) => false,
    };
    for (_, left) in unit.table.columns.iter().enumerate().filter(|(j, _)| free(unit, *j)) {
        let named = |(_, right): &(usize, &NamedColumn)| names::plain(&left.name) == names::plain(&right.name);
        let Some((place, right)) = other.table.columns.iter().enumerate().find(named) else { continue };
        let matrix = [left, right].iter().any(|column| matches!(column.values, Values::Matrix(_)));
        if matrix || !free(other, place) {
            continue;
        }
        let (ours, theirs) = (texts(unit, left), texts(other, right));
        let differ = (0..unit.table.rows).filter(|row| differs(left, right, &ours, &theirs, *row)).count();
        let names_rows = whole(left) && whole(right);
        found.push(Common { name: left.name.clone(), place, ours, theirs, differ, names_rows });
    }
    found
}

/// Numbers that are one another in six digits may have been written so.
fn differs(left: &NamedColumn, right: &NamedColumn, ours: &[String], theirs: &[String], row: usize) -> bool {
    if let (Values::Numbers(left), Values::Numbers(right)) = (&left.values, &right.values)
        && let (Some(left), Some(right)) = (left.get(row), right.get(row))
        && (left - right).abs() <= 1e-6 * left.abs()
    {
        return false;
    }
    ours.get(row) != theirs.get(row)
}
