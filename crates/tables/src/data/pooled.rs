//! Rows of several models below each other, which are evaluated as if they were of one: what is said of the column that tells
//! them apart.

use super::names::plain;
use super::roles::{ColumnRole, Role};
use crate::table::Warning;
use crate::table::values::{NamedColumn, Table, Values};
use crate::words::text::{listed, quoted, thousands};

/// Names of a column that says which model each row is of, the last ones of tidymodels and mlr3.
const MODELS: [&str; 7] = ["model", "model_id", "classifier", "algorithm", "config", "wflow_id", "learner_id"];
/// Models at most.
const MOST: usize = 20;
/// Rows of each from which on the same outcomes in the same order are no chance.
const FEWEST_ROWS: usize = 20;

/// Whether the column is called so, and has several values.
pub(super) fn named(column: &NamedColumn) -> Option<Warning> {
    let Values::Text { levels, .. } = &column.values else { return None };
    let named = MODELS.contains(&plain(&column.name).as_str()) && (2..=MOST).contains(&levels.len());
    named.then(|| pooled(column, &levels.iter().collect::<Vec<_>>()))
}

/// A column whatever its name, of which the rows of each value have the same outcomes in the same order: they are the same cases.
///
/// * `outcomes`: a code a row
///
/// O(columns), and O(rows) for a column that is so.
pub(super) fn by_outcomes(table: &Table, roles: &[ColumnRole], outcomes: Option<&[u32]>) -> Option<Warning> {
    let outcomes = outcomes?;
    let mut columns = table.columns.iter().zip(roles).filter(|(column, role)| {
        matches!(role.role, Role::Group | Role::Feature | Role::Ignore) && named(column).is_none()
    });
    columns.find_map(|(column, _)| Some(pooled(column, &repeated(&column.values, outcomes)?)))
}

/// The values of such a column as texts.
fn repeated(values: &Values, outcomes: &[u32]) -> Option<Vec<String>> {
    let mut cases = Cases::default();
    let texts = match values {
        Values::Text { codes, levels } if levels.len() <= MOST => {
            for (code, outcome) in codes.iter().zip(outcomes) {
                cases.add(*code as usize, *outcome)?;
            }
            levels.iter().map(str::to_owned).collect()
        }
        Values::Numbers(numbers) => {
            let mut known: Vec<f64> = Vec::new();
            for (number, outcome) in numbers.iter().zip(outcomes) {
                let place = known.iter().position(|one| one == number).unwrap_or(known.len());
                cases.add(place, *outcome)?;
                if place == known.len() {
                    known.push(*number);
                }
            }
            known.iter().map(f64::to_string).collect()
        }
        _ => return None,
    };
    cases.are_the_same().then_some(texts)
}

/// Outcomes of the rows of each value, as far as they are the same.
#[derive(Default)]
struct Cases {
    /// those of the value with most rows so far
    outcomes: Vec<u32>,
    /// rows of each value so far
    rows: Vec<usize>,
}

impl Cases {
    /// None where the outcome is another than in the same row of another value, or there are too many values.
    fn add(&mut self, value: usize, outcome: u32) -> Option<()> {
        if value >= MOST {
            return None;
        }
        self.rows.resize(self.rows.len().max(value + 1), 0);
        let row = self.rows.get_mut(value)?;
        match self.outcomes.get(*row) {
            Some(known) if *known != outcome => return None,
            Some(_) => {}
            None => self.outcomes.push(outcome),
        }
        *row += 1;
        Some(())
    }

    fn are_the_same(&self) -> bool {
        let differs = self.outcomes.iter().any(|outcome| Some(outcome) != self.outcomes.first());
        let all = self.rows.iter().all(|rows| *rows == self.outcomes.len());
        self.rows.len() > 1 && self.outcomes.len() >= FEWEST_ROWS && differs && all
    }
}

fn pooled<S: AsRef<str>>(column: &NamedColumn, values: &[S]) -> Warning {
    Warning {
        code: "models_in_rows".into(),
        message: format!(
            "Rows with {} values of {} are evaluated together: {}. To evaluate one model, include its rows alone.",
            thousands(values.len()),
            quoted(&column.name),
            listed(values)
        ),
        row: None,
        column: Some(column.name.clone()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::assemble;
    use super::super::options::OpenOptions;

    /// Warnings of a table with a line for each case of each value of a column.
    fn warned(name: &str, values: &[&str], outcome: impl Fn(usize, usize) -> usize) -> Vec<String> {
        let mut text = format!("p,y,{name}\n");
        for case in 0..40 {
            for (k, value) in values.iter().enumerate() {
                text += &format!("0.{},{},{value}\n", 10 + case + k, outcome(case, k));
            }
        }
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        summary.warnings.into_iter().map(|warning| warning.code).filter(|code| code == "models_in_rows").collect()
    }

    #[test]
    fn rows_of_several_models_are_told_whatever_their_column_is_called() {
        let same = |case: usize, _: usize| usize::from(case * 7 % 5 < 2);
        for (name, values) in [("method", ["gbm", "logit"]), ("cp", ["0.01", "0.1"]), ("model", ["a", "b"])] {
            assert_eq!(warned(name, &values, same), ["models_in_rows"], "{name}");
        }
        // groups have cases of their own; a column without events tells nothing
        assert!(warned("ward", &["A", "B"], |case, k| usize::from((case + k) * 7 % 5 < 2)).is_empty());
        assert!(warned("ward", &["A", "B"], |_, k| k).is_empty());
    }
}
