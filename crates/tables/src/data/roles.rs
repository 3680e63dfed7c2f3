//! What a column was taken for.

use serde::{Deserialize, Serialize};

use super::sentinels::Sentinel;

/// Role of a column or array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// observed outcome: class index, class name, boolean or one-hot
    Label,
    /// P(y = 1), or the probability of the class named by the column
    Probability,
    /// input only: a probability in percent. Becomes the role `probability` (for an array `probabilities`) with the
    /// reading `percent`
    Percent,
    /// probability matrix, rows × classes
    Probabilities,
    /// log-odds of y = 1, or the logit of the class named by the column
    Logit,
    /// logit matrix, rows × classes
    Logits,
    /// probability of the predicted class
    Confidence,
    /// whether the predicted class was correct
    Correct,
    /// the predicted class
    Predicted,
    /// a numeric feature
    Feature,
    /// feature matrix, rows × d
    Features,
    /// a categorical variable that defines groups
    Group,
    /// date of the row
    Date,
    /// assignment of rows to calibration and evaluation
    Split,
    /// identifier of the row
    Id,
    /// text of the row, such as a question: displayed, described by its words, and usable for lexical similarity
    Text,
    /// sample weight
    Weight,
    /// not used
    Ignore,
}

impl Role {
    /// Every role, in the order in which a person chooses.
    pub const ALL: [Self; 18] = [
        Self::Label,
        Self::Probability,
        Self::Percent,
        Self::Probabilities,
        Self::Logit,
        Self::Logits,
        Self::Confidence,
        Self::Correct,
        Self::Predicted,
        Self::Feature,
        Self::Features,
        Self::Group,
        Self::Split,
        Self::Id,
        Self::Text,
        Self::Weight,
        Self::Date,
        Self::Ignore,
    ];

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Label => "Outcome",
            Self::Probability => "Probability",
            Self::Percent => "Probability (%)",
            Self::Probabilities => "Probabilities of all classes",
            Self::Logit => "Logit",
            Self::Logits => "Logits of all classes",
            Self::Confidence => "Confidence",
            Self::Correct => "Correct (0/1)",
            Self::Predicted => "Predicted class",
            Self::Feature => "Feature",
            Self::Features => "Features (array)",
            Self::Group => "Group",
            Self::Split => "Split",
            Self::Id => "Row identifier",
            Self::Text => "Text",
            Self::Weight => "Weight",
            Self::Date => "Date",
            Self::Ignore => "Ignored",
        }
    }
}

/// Why scores of a model that is not open are ignored.
pub(super) const OTHER_MODEL: &str = "another model";

impl ColumnRole {
    /// Whether it has scores of a model that is not open.
    pub fn is_of_other_model(&self) -> bool {
        self.role == Role::Ignore && self.reason == OTHER_MODEL
    }
}

/// How the values of a column are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// hundredths: 12.5 means 0.125
    Percent,
    /// the mark between digits groups thousands: `1,234` means 1234
    Thousands,
    /// the mark between digits is a decimal mark: `1,234` means 1.234
    Decimal,
}

/// A column's role, and why it has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ColumnRole {
    /// file the column came from
    pub file: String,
    /// header or array name
    pub name: String,
    /// role of the column
    pub role: Role,
    /// why, in a few words
    pub reason: String,
    /// `[rows]` or `[rows, width]`
    pub shape: Vec<usize>,
    /// false if the role should be checked
    pub sure: bool,
    /// its values are texts, each a category
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text: bool,
    /// the first five values, as in the file
    pub preview: Vec<String>,
    /// rows without a value
    #[serde(default, skip_serializing_if = "none")]
    pub missing: usize,
    /// conversion of its values; null if there is none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// another possible reading of its values: a conversion that would make them valid scores, or the other meaning of a
    /// separator between digits; null if there is none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<Reading>,
    /// a value as it is written in the file, where its mark can be a decimal mark or one of thousands
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// values that represent, or may represent, a missing one
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sentinels: Vec<Sentinel>,
    /// of a column that was quantized when rows were counted: its values are the centers of cells of this width
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_width: Option<f64>,
}

fn none(rows: &usize) -> bool {
    *rows == 0
}
