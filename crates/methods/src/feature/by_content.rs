//! Columns by what they contain: numbers that describe rows, and dates.

use super::columns::find;
use crate::data::dates::{Dates, is_of_birth};
use crate::data::{Predictions, Role};
use crate::error::{Error, Result};
use crate::table::Values;

/// Numeric columns that describe rows, by name.
pub fn covariates(data: &Predictions) -> Vec<String> {
    let columns = data.roles.iter().zip(&data.table.columns);
    let numeric =
        columns.filter(|(role, column)| role.role == Role::Feature && matches!(column.values, Values::Numbers(_)));
    numeric.map(|(role, _)| role.name.clone()).collect()
}

/// A numeric column of every row; what is missing is `NaN`.
///
/// # Errors
/// `unknown_column`; `invalid_option` for text and arrays.
pub fn numbers(data: &Predictions, name: &str) -> Result<Vec<f64>> {
    match &find(data, name)?.values {
        Values::Numbers(numbers) => Ok(numbers.to_vec()),
        other => Err(Error::new(
            "invalid_option",
            format!("`{name}` has {} values that are not single numbers.", other.shape().first().copied().unwrap_or(0)),
            "Name a numeric column.",
        )),
    }
}

/// Columns of dates: those with the role, of birth and such as only one outcome has (a date of death) last, then years
/// that have another role.
pub fn date_columns(data: &Predictions) -> Vec<String> {
    let columns = || data.roles.iter().zip(&data.table.columns);
    let mut named: Vec<String> =
        columns().filter(|(role, _)| role.role == Role::Date).map(|(role, _)| role.name.clone()).collect();
    named.sort_by_key(|name| is_of_birth(name) || data.leakage(name).is_some());
    let years = columns().filter(|(role, column)| {
        matches!(role.role, Role::Group | Role::Feature)
            && matches!(column.values, Values::Numbers(_))
            && Dates::of(column).is_some()
    });
    named.extend(years.map(|(role, _)| role.name.clone()));
    named
}
