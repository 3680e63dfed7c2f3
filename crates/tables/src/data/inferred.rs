//! An outcome that nothing but its values suggests. Evaluation needs an outcome, so it may be guessed; rows that a stored fit is
//! applied to need none, and a covariate of two values must not be taken for one.

use super::names;
use super::predictions::{Predictions, Scores};
use super::recognize::ONLY_EVENT;
use super::roles::{ColumnRole, Role};
use crate::table::Values;

/// Whether a column is the outcome by its values alone: neither a person nor its name says so.
pub fn is_inferred_outcome(column: &ColumnRole) -> bool {
    let name = column.name.as_str();
    let is_named = names::rank(name, names::LABEL).is_some()
        || names::suggests_label(name)
        || names::tells_outcome(name)
        || names::suggests_event(name) && !names::suggests_history(name);
    let guessed = !column.sure || column.reason == ONLY_EVENT;
    matches!(column.role, Role::Label | Role::Correct) && guessed && !is_named
}

impl Predictions {
    /// The same rows without an outcome, whose column is an ordinary one. Two classes that were named by the outcome alone are
    /// called `pair`.
    pub fn without_outcome(&self, pair: Option<&[String; 2]>) -> Self {
        let mut data = self.clone();
        data.y = None;
        data.correct = None;
        if let (Some(pair), Some(Scores::Binary { .. })) = (pair, &data.scores) {
            data.labels = pair.to_vec();
        }
        for (column, values) in data.roles.iter_mut().zip(&data.table.columns) {
            if matches!(column.role, Role::Label | Role::Correct) {
                column.role = match values.values {
                    Values::Text { .. } => Role::Group,
                    Values::Numbers(_) => Role::Feature,
                    _ => Role::Ignore,
                };
            }
        }
        data
    }
}
