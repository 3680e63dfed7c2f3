//! What a column was taken for.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// What a column or array says about each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// what happened: class index, class name, boolean or one-hot
    Label,
    /// P(y = 1), or the probability of the class that the column is named after
    Probability,
    /// rows × classes probabilities
    Probabilities,
    /// log-odds of y = 1, or the logit of the class that the column is named after
    Logit,
    /// rows × classes logits
    Logits,
    /// probability of the predicted class
    Confidence,
    /// whether the predicted class was right
    Correct,
    /// the predicted class
    Predicted,
    /// one coordinate of the feature space
    Feature,
    /// rows × d coordinates
    Features,
    /// a category that rows belong to
    Group,
    /// which rows calibrate and which are scored
    Split,
    /// names the row
    Id,
    /// sample weight
    Weight,
    /// not used
    Ignore,
}

/// A column's role, and why it has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Tsify)]
pub struct ColumnRole {
    /// file the column came from
    pub file: String,
    /// header or array name
    pub name: String,
    /// what it was taken for
    pub role: Role,
    /// why, in a few words
    pub reason: String,
    /// `[rows]` or `[rows, width]`
    pub shape: Vec<usize>,
    /// false when a person should look at the guess
    pub sure: bool,
    /// the first five values, as text
    pub preview: Vec<String>,
}
