//! The columns of scores that a calibrator was fitted to, held against those that it is applied to: scores of another
//! model, or percentages that are read as fractions, would be recalibrated without a word.

use serde::{Deserialize, Serialize};

use crate::data::{ColumnRole, Predictions, Reading, Role};
use crate::error::{Error, Result, message, phrases};
use crate::words::text::{listed, quoted};

/// A column of scores, and how it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreColumn {
    /// header or array name
    pub name: String,
    /// as `open` takes it; `percent` for probabilities in percent
    pub role: Role,
}

/// Those of the open model.
pub fn score_columns(data: &Predictions) -> Vec<ScoreColumn> {
    let role = |column: &ColumnRole| match column.role {
        Role::Probability | Role::Probabilities if column.reading == Some(Reading::Percent) => Some(Role::Percent),
        role @ (Role::Probability | Role::Probabilities | Role::Logit | Role::Logits | Role::Confidence) => Some(role),
        _ => None,
    };
    let columns = data.roles.iter().take(data.columns_of_files());
    columns.filter_map(|column| Some(ScoreColumn { name: column.name.clone(), role: role(column)? })).collect()
}

/// What is said where the scores of the open file have other names than those of the fit (`fitted`; empty where the
/// calibrator does not name them).
///
/// # Errors
/// `calibrator_mismatch` where the file has the columns of the fit and others are open, or reads them otherwise, unless a
/// person chose them.
pub(super) fn compared(data: &Predictions, fitted: &[ScoreColumn]) -> Result<Option<String>> {
    let open = score_columns(data);
    if fitted.is_empty() || open.is_empty() || open == fitted {
        return Ok(None);
    }
    let chosen = |name: &str| {
        let of = |key: &String| key == name || key.rsplit_once(':').is_some_and(|(_, own)| own == name);
        data.opened.roles.keys().chain(data.opened.readings.keys()).any(of)
    };
    let another = |one: &&ScoreColumn| open.iter().any(|other| other.name == one.name && other.role != one.role);
    if let Some(column) = fitted.iter().find(another).filter(|column| !chosen(&column.name)) {
        let now = open.iter().find(|other| other.name == column.name).map_or(column.role, |other| other.role);
        return Err(Error::new(
            "calibrator_mismatch",
            format!(
                "{} was read as {} when the calibrator was fitted, and is read as {} in this file.",
                quoted(&column.name),
                read_as(column.role),
                read_as(now)
            ),
            message![format!("Assign the right role to {} ", quoted(&column.name)), phrases::ROLE_OF_SCORE],
        ));
    }
    let names = |columns: &[ScoreColumn]| listed(columns.iter().map(|column| &column.name));
    let in_file = |one: &ScoreColumn| data.roles.iter().any(|column| column.name == one.name);
    let is_open = |one: &ScoreColumn| open.iter().any(|other| other.name == one.name);
    let chosen = data.opened.model.is_some() || open.iter().all(|column| chosen(&column.name));
    if !chosen && fitted.iter().all(in_file) && !fitted.iter().all(is_open) {
        return Err(Error::new(
            "calibrator_mismatch",
            format!("The calibrator was fitted to {}; in this file, {} is open.", names(fitted), names(&open)),
            phrases::SCORES_OF_CALIBRATOR,
        ));
    }
    let renamed = !fitted.iter().all(is_open);
    Ok(renamed.then(|| format!("The calibrator was fitted to {}; applied to {}.", names(fitted), names(&open))))
}

fn read_as(role: Role) -> &'static str {
    match role {
        Role::Percent => "percentages (0.5 as 0.5%)",
        Role::Logit | Role::Logits => "logits",
        Role::Confidence => "confidence",
        _ => "fractions (0.5 as 50%)",
    }
}
