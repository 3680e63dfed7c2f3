//! Sample weights: how much each row counts.

use serde::{Deserialize, Serialize};

use super::join::setting_for;
use super::names::is_weight;
use super::predictions::Predictions;
use super::roles::{ColumnRole, Role};
use super::rows::{Check, Fault};
use super::scores::not_one_a_row;
use crate::error::{Error, Result, message, phrases};
use crate::table::column::Column;
use crate::table::values::{MISSING, NamedColumn, Table, Values};
use crate::words::text::{quoted, thousands};

/// How much each row counts; only the ratios of weights matter.
///
/// A mean over rows becomes Σ w x / Σ w. Weights are divided by their mean over the rows that count, so that they sum to
/// the number of these rows; equal weights are 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// name of the column
    pub column: String,
    /// w ≥ 0, one a row, mean 1 over those above 0; a row of weight 0 takes no part. Numbers of rows are kept as they are
    pub values: Column<f64>,
    /// whether each weight is a number of rows that were counted elsewhere: then Σ w is the number of rows, and rows are what
    /// intervals and tests depend on
    #[serde(default)]
    pub counted: bool,
    /// whether neighboring cells of the score were merged after the rows were counted
    #[serde(default)]
    pub merged: bool,
}

/// A weight below this share of the largest is 0: its square could not be told from 0, and no sum that holds both would
/// show it.
const LEAST: f64 = 1e-100;

impl Weights {
    /// Weights of mean 1 over the rows that count.
    ///
    /// # Errors
    /// `weights_all_zero`.
    pub(super) fn new(column: String, mut values: Vec<f64>) -> Result<Self> {
        // Divided by the largest first, sums cannot overflow, and equal weights are exactly 1.
        let most = values.iter().copied().fold(0.0, f64::max);
        if most <= 0.0 {
            return Err(Error::new(
                "weights_all_zero",
                format!("All weights in `{column}` are 0."),
                message!["Check the column, or assign it the ", phrases::PLAIN_ROLE_IGNORE, " to weight rows equally."],
            ));
        }
        for w in &mut values {
            *w /= most;
            if *w < LEAST {
                *w = 0.0;
            }
        }
        let count = values.iter().filter(|&&w| w > 0.0).count() as f64;
        let mean = values.iter().sum::<f64>() / count;
        values.iter_mut().for_each(|w| *w /= mean);
        Ok(Self { column, values: values.into(), counted: false, merged: false })
    }

    /// Numbers of rows that were counted elsewhere.
    ///
    /// # Errors
    /// `too_large` where they are more rows together than the page can count, whose numbers have 32 bits.
    pub(super) fn of_counts(column: String, values: Vec<f64>, merged: bool) -> Result<Self> {
        check_rows(values.iter().sum(), usize::MAX)?;
        Ok(Self { column, values: values.into(), counted: true, merged })
    }

    /// The weight of data row `row`.
    pub fn of(&self, row: u32) -> f64 {
        self.values.get(row as usize).copied().unwrap_or(0.0)
    }

    /// Weights of the rows that a fit sees, divided by their mean: what is added to sums over them, such as smoothed targets,
    /// then weighs as much as without weights. Numbers of rows stay what they are.
    pub fn of_fit(&self, rows: &[u32]) -> Vec<f64> {
        let mut w = self.select(rows);
        if self.counted {
            return w;
        }
        let most = w.iter().copied().fold(0.0, f64::max);
        if most > 0.0 {
            // as in `new`, so that equal weights are exactly 1
            w.iter_mut().for_each(|w| *w /= most);
            let mean = w.iter().sum::<f64>() / w.len() as f64;
            w.iter_mut().for_each(|w| *w /= mean);
        }
        w
    }

    /// Weights of some rows.
    pub fn select(&self, rows: &[u32]) -> Vec<f64> {
        rows.iter().map(|&row| self.of(row)).collect()
    }
}

impl Predictions {
    /// The column that is called a weight and has one value per outcome, as the sampling weights of a case-control sample have.
    /// Without them predictions are compared with the rate of the sample. A measurement can have this name, so the column is not
    /// used before a person has given its role. O(n), where such a column reveals the outcome.
    pub fn weights_by_outcome(&self) -> Option<&ColumnRole> {
        let y = self.y.as_ref().filter(|_| self.weights.is_none())?;
        let revealing = self.leakage.iter().map(|place| *place as usize);
        let columns = revealing.filter_map(|place| self.roles.get(place).zip(self.table.columns.get(place)));
        let of_outcomes = |column: &NamedColumn| {
            let Values::Numbers(values) = &column.values else { return false };
            let mut of: Vec<Option<f64>> = vec![None; self.labels.len()];
            values.iter().zip(y.iter()).all(|(value, class)| {
                *value > 0.0
                    && value.is_finite()
                    && of.get_mut(*class as usize).is_some_and(|of| *of.get_or_insert(*value) == *value)
            })
        };
        let mut found = columns.filter(|(role, column)| {
            matches!(role.role, Role::Feature | Role::Group)
                && is_weight(&role.name)
                && setting_for(&self.opened.roles, column).is_none()
                && of_outcomes(column)
        });
        found.next().map(|(role, _)| role)
    }

    /// Says that such a column is not used as weights, and how it is.
    pub fn about_weights_by_outcome(&self) -> Option<String> {
        let name = quoted(&self.weights_by_outcome()?.name);
        Some(format!(
            "{name} has one value per outcome, as the sampling weights of a case-control sample have. It is not used as weights. If \
             it contains sample weights, assign it the role Weight (terminal: --weights); otherwise ignore it."
        ))
    }
}

/// Refuses counts of more rows than a number of rows holds.
fn check_rows(rows: f64, most: usize) -> Result<()> {
    if rows <= most as f64 {
        return Ok(());
    }
    Err(Error::new(
        "too_large",
        format!(
            "These counts represent {} rows; at most {} are supported here.",
            thousands(rows as u64),
            thousands(most)
        ),
        "Score them in the terminal, or count fewer rows.",
    ))
}

/// Kish's effective number of rows (Σ w)² / Σ w²: as many equal rows would tell a mean as exactly.
///
/// Between 1 and n; 0 where all weights are 0. Source: Kish (1965), section 11.7.
pub fn effective_rows(w: &[f64]) -> f64 {
    // Scaled by the largest, squares neither overflow nor vanish.
    let most = w.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return 0.0;
    }
    let (sum, squares) = w.iter().fold((0.0, 0.0), |(sum, squares), w| {
        let w = w / most;
        (sum + w, squares + w * w)
    });
    sum * sum / squares
}

/// Weights of every row of the first column with that role, checked; faults go to `check`.
///
/// # Errors
/// `not_a_number` for an array of several columns.
pub(super) fn weights(table: &Table, roles: &[ColumnRole], check: &mut Check) -> Result<Option<(usize, Vec<f64>)>> {
    let Some(place) = roles.iter().position(|column| column.role == Role::Weight) else {
        return Ok(None);
    };
    let Some(column) = table.columns.get(place) else {
        return Ok(None);
    };
    let values: Vec<f64> = match &column.values {
        Values::Numbers(numbers) => numbers.to_vec(),
        Values::Text { codes, levels } => codes
            .iter()
            .map(|&code| match code {
                MISSING => f64::NAN,
                code => levels.text(code).trim().parse().unwrap_or(f64::NAN),
            })
            .collect(),
        Values::Matrix(matrix) => {
            return Err(not_one_a_row(table, place, matrix.width));
        }
    };
    let is_text = |row: usize| match &column.values {
        Values::Text { codes, .. } => codes.get(row).is_some_and(|&code| code != MISSING),
        _ => false,
    };
    for (row, &w) in values.iter().enumerate() {
        let fault = match w {
            w if w.is_nan() && is_text(row) => Fault::NotANumber,
            w if w.is_nan() => Fault::Missing,
            w if w.is_infinite() => Fault::Infinite,
            w if w < 0.0 => Fault::NegativeWeight(w),
            _ => continue,
        };
        check.note(row, place, None, fault);
    }
    Ok(Some((place, values)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ratios_matter() {
        let equal = Weights::new("w".into(), vec![0.3; 7]).expect("positive");
        assert_eq!(equal.values.to_vec(), [1.0; 7]);
        let some = Weights::new("w".into(), vec![0.0, 1.0, 3.0]).expect("positive");
        assert_eq!(some.values.to_vec(), [0.0, 0.5, 1.5]);
        assert_eq!(some.select(&[2, 0]), [1.5, 0.0]);
        let large = Weights::new("w".into(), vec![1e308, 1e308]).expect("positive");
        assert_eq!(large.values.to_vec(), [1.0; 2]);
        let tiny = Weights::new("w".into(), vec![1.0, 1e-170, 5e-324, 1.0]).expect("positive");
        assert_eq!(tiny.values.to_vec(), [1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn effective_numbers() {
        assert_eq!(effective_rows(&[]), 0.0);
        assert_eq!(effective_rows(&[0.0, 0.0]), 0.0);
        assert_eq!(effective_rows(&[3.0; 7]), 7.0);
        // (1 + 2 + 3)² / (1 + 4 + 9)
        assert!((effective_rows(&[1.0, 2.0, 3.0]) - 36.0 / 14.0).abs() < 1e-14);
        assert_eq!(effective_rows(&[1e300, 1e300]), 2.0);
        assert_eq!(effective_rows(&[0.0, 5.0]), 1.0);
    }
}
