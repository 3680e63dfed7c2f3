//! Several files with labels and scores of the same rows: models of one cohort.

use super::super::labels::Labels;
use super::super::roles::Role;
use super::super::rows::cell_text;
use super::{Unit, ids};
use crate::error::{Error, Result, message, phrases};
use crate::read::stem;
use crate::table::Warning;
use crate::table::values::{MISSING, Values};
use crate::words::text::{listed, quoted, thousands};

/// Roles that each model has of its own, and of which one is enough.
const OWN: &[Role] = &[
    Role::Label,
    Role::Correct,
    Role::Predicted,
    Role::Probability,
    Role::Probabilities,
    Role::Logit,
    Role::Logits,
    Role::Confidence,
    Role::Id,
    Role::Weight,
    Role::Split,
    Role::Text,
];

/// Whether all of these are scores of the same rows: the same ids, or the same outcomes in the same order.
///
/// Ids that only number the rows say nothing; the outcomes do, and of evaluation logs the questions. Files of which one is called calibration and the other
/// test are two parts, unless their ids name the same rows.
pub(super) fn is_one(units: &[Unit]) -> bool {
    let Some((first, others)) = units.split_first() else {
        return false;
    };
    !others.is_empty() && first.complete() && others.iter().all(|other| other.complete() && same_rows(first, other))
}

fn same_rows(a: &Unit, b: &Unit) -> bool {
    if a.table.rows != b.table.rows || a.other_part(b) {
        return false;
    }
    let parts = a.part().is_some() && b.part().is_some() && a.part() != b.part();
    if a.same_questions(b) {
        return true;
    }
    let shared = ids::shared(a, b);
    if shared && !a.numbers_rows() {
        return true;
    }
    !parts && (same_outcomes(a, b, shared) || shared && same_descriptions(a, b))
}

/// Rows with the same numbers and the same descriptions: every column that is no model's own and that both have is equal in every
/// row, and one of them tells rows apart.
fn same_descriptions(a: &Unit, b: &Unit) -> bool {
    let Some(order) = ids::order(a, b) else { return false };
    let described = a.table.columns.iter().zip(&a.roles).filter(|(column, role)| {
        let own = OWN.contains(&role.role) && role.role != Role::Text;
        !own && role.role != Role::Ignore && matches!(column.values, Values::Text { .. } | Values::Numbers(_))
    });
    let both = described.filter_map(|(ours, _)| {
        let theirs = b.table.columns.iter().find(|other| other.name == ours.name)?;
        let equal =
            |(row, other): (usize, &u32)| cell_text(&ours.values, row) == cell_text(&theirs.values, *other as usize);
        Some((ours.values.divides(), order.iter().enumerate().all(equal)))
    });
    let (mut tells, mut same) = (false, true);
    for (divides, equal) in both {
        tells |= divides;
        same &= equal;
    }
    tells && same
}

/// The same label in every row, in the order of the ids where both have the same.
fn same_outcomes(a: &Unit, b: &Unit, by_id: bool) -> bool {
    let (Some(of_a), Some(mut of_b)) = (a.outcomes(), b.outcomes()) else {
        return false;
    };
    if by_id && let Some(order) = ids::order(a, b) {
        let code = |&row: &u32| of_b.codes.get(row as usize).copied().unwrap_or(MISSING);
        of_b.codes = order.iter().map(code).collect();
    }
    differing(&of_a, &of_b).next().is_none()
}

/// Rows whose labels differ.
fn differing(a: &Labels, b: &Labels) -> impl Iterator<Item = usize> {
    let place: Vec<u32> = (b.names.iter())
        .map(|name| a.names.iter().position(|other| other == name))
        .map(|found| found.map_or(u32::MAX - 1, |k| k as u32))
        .collect();
    let theirs = b.recoded(&place);
    let pairs = a.codes.iter().zip(theirs).enumerate();
    pairs.filter_map(|(row, (ours, theirs))| (*ours != theirs).then_some(row))
}

/// The files as one table: the open model's columns, what the other files say besides, and their scores put aside.
///
/// # Errors
/// `invalid_option` for a model that none of the files is; `ids_do_not_match`.
pub(super) fn joined(
    mut units: Vec<Unit>,
    wished: Option<&str>,
    warnings: &mut Vec<Warning>,
) -> Result<(Unit, Vec<String>)> {
    let names: Vec<String> = units.iter().map(Unit::model).collect();
    let place = match wished {
        None => 0,
        Some(wished) => {
            let called = |name: &String| stem(name) == wished;
            let known = |name: &String| name == wished;
            let found = names.iter().position(known);
            found.or_else(|| names.iter().position(called)).ok_or_else(|| {
                Error::new(
                    "invalid_option",
                    message![phrases::MODEL, format!(": {} is not one of the models.", quoted(wished))],
                    format!("There are {}.", listed(&names)),
                )
            })?
        }
    };
    let mut open = units.remove(place);
    let mut models = names;
    let name = models.remove(place);
    let reason = if open.id().is_some() && units.iter().all(|other| ids::shared(&open, other)) {
        "the same ids"
    } else if open.question().is_some() && units.iter().all(|other| open.answers() == other.answers()) {
        "the same questions"
    } else {
        "the same outcomes in the same order"
    };
    warnings.push(Warning {
        code: "models_of_one_cohort".into(),
        message: format!(
            "{} files are models of the same {} rows ({reason}): {} is open; also available: {}.",
            thousands(units.len() + 1),
            thousands(open.table.rows),
            quoted(&name),
            listed(&models)
        ),
        row: None,
        column: None,
    });
    let outcomes = open.outcomes();
    for (mut other, model) in units.into_iter().zip(&models) {
        warnings.extend(ids::align(&mut open, &mut other)?);
        warn_of_differences(outcomes.as_ref(), &other, model, warnings);
        other.put_aside(&open, model);
        open.widen(other)?;
    }
    models.insert(0, name);
    Ok((open, models))
}

/// A warning where a file with the same ids has other outcomes.
fn warn_of_differences(outcomes: Option<&Labels>, other: &Unit, model: &str, warnings: &mut Vec<Warning>) {
    let (Some(ours), Some(theirs)) = (outcomes, other.outcomes()) else {
        return;
    };
    // Rows without a partner were left out of the files: what is left is compared with nothing.
    if ours.codes.len() != theirs.codes.len() {
        return;
    }
    let rows: Vec<usize> = differing(ours, &theirs).collect();
    if let Some(row) = rows.first() {
        warnings.push(Warning {
            code: "outcomes_differ".into(),
            message: format!(
                "{} of {} rows have a different outcome in {} (first: row {}); each model is evaluated on the \
                 outcomes of its own file.",
                thousands(rows.len()),
                thousands(ours.codes.len()),
                quoted(model),
                thousands(row + 1)
            ),
            row: Some(row + 1),
            column: None,
        });
    }
}

impl Unit {
    /// What the model of this unit is called.
    fn model(&self) -> String {
        let scored = self.roles.iter().position(|role| super::SCORES.contains(&role.role));
        let column = scored.and_then(|j| self.table.columns.get(j));
        column.map_or_else(|| self.files.first().cloned().unwrap_or_default(), |column| column.file.clone())
    }

    /// What happened in each row, where one column says so.
    fn outcomes(&self) -> Option<Labels> {
        let mut labels =
            (0..self.roles.len()).filter(|&j| self.roles.get(j).is_some_and(|role| role.role == Role::Label));
        let (only, None) = (labels.next()?, labels.next()) else {
            return None;
        };
        Some(Labels::of(&self.table.columns.get(only)?.values))
    }

    /// The ids are the numbers of the rows, from 0 or 1: any file has them.
    fn numbers_rows(&self) -> bool {
        let Some(column) = self.id() else {
            return false;
        };
        let number = |row: usize| cell_text(&column.values, row).parse::<usize>().ok();
        match number(0) {
            Some(first @ 0..=1) => (0..self.table.rows).all(|row| number(row) == Some(first + row)),
            _ => false,
        }
    }

    /// Takes the roles that each model has of its own from the columns of one that is not open, and from those that
    /// the open one has, too.
    fn put_aside(&mut self, open: &Unit, model: &str) {
        for j in 0..self.roles.len() {
            let (Some(role), Some(column)) = (self.roles.get(j), self.table.columns.get(j)) else {
                continue;
            };
            let known = open.table.columns.iter().any(|c| c.name == column.name);
            let score = super::SCORES.contains(&role.role);
            let Some(given) = self.given.get_mut(j) else {
                continue;
            };
            if given.role.is_some() && !OWN.contains(&role.role) {
                continue;
            }
            if OWN.contains(&role.role) || role.role == Role::Ignore || known {
                given.role = Some(Role::Ignore);
                given.reason = Some(if score {
                    format!("score of the model {}", quoted(model))
                } else if OWN.contains(&role.role) || known {
                    "in the file of the open model".into()
                } else {
                    role.reason.clone()
                });
            }
        }
    }
}
