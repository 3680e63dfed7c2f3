//! What of the predictions is evaluated.

use serde::{Deserialize, Serialize};

/// The pair (score, target) that is evaluated; the two views are never mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// (c, a): confidence of the predicted class, and whether it was right
    #[default]
    TopLabel,
    /// (p, y): probability of the positive class, and whether it was observed
    Positive,
}

impl View {
    /// Both views.
    pub const ALL: [Self; 2] = [Self::Positive, Self::TopLabel];

    /// Its name for people: what is evaluated.
    pub fn title(self) -> &'static str {
        match self {
            Self::Positive => "Probability of the event",
            Self::TopLabel => "Confidence of the predicted class",
        }
    }

    /// The two means that are compared, in words: that of the scores, and that of the targets.
    pub fn terms(self) -> (&'static str, &'static str) {
        match self {
            Self::TopLabel => ("mean confidence", "accuracy"),
            Self::Positive => ("predicted", "observed"),
        }
    }

    /// The same as titles of columns of numbers.
    pub fn columns(self) -> (&'static str, &'static str) {
        match self {
            Self::TopLabel => ("#Mean confidence", "#Accuracy"),
            Self::Positive => ("#Predicted", "#Observed"),
        }
    }

    /// "miscalibration overall"; of several classes, whose probabilities may be miscalibrated where confidence is not, "miscalibration
    /// of confidence".
    pub fn miscalibration(self) -> &'static str {
        match self {
            Self::TopLabel => "miscalibration of confidence",
            Self::Positive => "miscalibration overall",
        }
    }

    /// What the targets count: the rows in which the event was observed, or the prediction was right.
    pub fn events(self) -> &'static str {
        match self {
            Self::TopLabel => "correct predictions",
            Self::Positive => "events",
        }
    }

    /// What an error is the difference of: positive where scores are too high.
    pub fn difference(self) -> &'static str {
        match self {
            Self::TopLabel => "confidence − accuracy",
            Self::Positive => "predicted − observed",
        }
    }

    /// The scores as the subject of a sentence: "Probabilities", "Confidence".
    pub fn subject(self) -> &'static str {
        match self {
            Self::TopLabel => "Confidence",
            Self::Positive => "Probabilities",
        }
    }
}
