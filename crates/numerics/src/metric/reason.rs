//! Why a value, its interval or its null range is missing.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a difference of methods is not tested where rows are
/// [`too_few_to_resample`](crate::num::proportion::too_few_to_resample), as a phrase.
pub const TOO_FEW: &str = "not tested: fewer than 10 rows have the rarer outcome";

/// Phrase of [`Reason::NoneWithinFolds`].
pub const NONE_WITHIN_FOLDS: &str = "0 within folds";

/// Why a value is missing; of one that is there, why it has no interval or null range, or what was tested. It is
/// written as a code or a phrase, and read from the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// local metrics are part of the request, and neither settings nor features define similarity
    NoLocalSettings,
    /// no features define similarity
    FeaturesMissing,
    /// no column defines groups
    GroupsMissing,
    /// its definition counts rows or pairs of rows, or it is a p-value
    NotWithWeights,
    /// rows were counted beforehand
    NotFromCounts,
    /// it was not part of the run
    NotComputed,
    /// the value is not a finite number
    NotFinite,
    /// a difference of which one value is missing
    NotOfBoth,
    /// as the metric states it
    Undefined(Cow<'static, str>),
    /// a maximum has no interval
    Maximum,
    /// the metric has no interval
    NoInterval,
    /// without replicates
    NotResampled,
    /// the value is defined in no replicate
    UndefinedInResamples,
    /// all replicates are the same
    SameInResamples,
    /// fewer than 10 rows have the rarer outcome
    TooFew,
    /// the order of the rows of each fold is that of the original scores, so that the difference comes from pooling
    /// folds
    NoneWithinFolds,
    /// the test states its own p-value
    Tested {
        /// scores and outcomes that were tested
        on: TestedOn,
        /// number of rows that were tested, if fewer than are scored
        rows: Option<usize>,
    },
    /// groups or similarity are defined by a column that determines the outcome: a null range would ignore it
    ColumnsTellOutcome,
    /// withheld by disclosure control
    Suppressed,
}

/// Scores and outcomes of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestedOn {
    /// those of the view
    Pair,
    /// probabilities of all classes
    Vectors,
    /// confidence of the predicted class and correctness
    TopLabel,
}

impl TestedOn {
    const ALL: [Self; 3] = [Self::Pair, Self::Vectors, Self::TopLabel];

    fn code(self) -> &'static str {
        match self {
            Self::Pair => "tested",
            Self::Vectors => "tested_on_vectors",
            Self::TopLabel => "tested_on_confidence_and_correctness",
        }
    }
}

impl Reason {
    /// Those without content.
    const PLAIN: [Self; 17] = [
        Self::NoLocalSettings,
        Self::FeaturesMissing,
        Self::GroupsMissing,
        Self::NotWithWeights,
        Self::NotFromCounts,
        Self::NotComputed,
        Self::NotFinite,
        Self::NotOfBoth,
        Self::Maximum,
        Self::NoInterval,
        Self::NotResampled,
        Self::UndefinedInResamples,
        Self::SameInResamples,
        Self::TooFew,
        Self::NoneWithinFolds,
        Self::ColumnsTellOutcome,
        Self::Suppressed,
    ];

    /// A reason of a metric of its own, as a phrase.
    pub fn undefined(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Undefined(why.into())
    }

    /// The code or phrase.
    pub fn text(&self) -> Cow<'_, str> {
        let text = match self {
            Self::NoLocalSettings => "no_local_settings",
            Self::FeaturesMissing => "features_missing",
            Self::GroupsMissing => "groups_missing",
            Self::NotWithWeights => "not defined with sample weights",
            Self::NotFromCounts => "needs the rows; counts by cells of the score do not contain it",
            Self::NotComputed => "not computed",
            Self::NotFinite => "not a finite number",
            Self::NotOfBoth => "not defined for both",
            Self::Undefined(why) => why,
            Self::Maximum => "maximum",
            Self::NoInterval => "no_interval",
            Self::NotResampled => "not_resampled",
            Self::UndefinedInResamples => "undefined in every resample",
            Self::SameInResamples => "no interval: the same in every resample",
            Self::TooFew => TOO_FEW,
            Self::NoneWithinFolds => NONE_WITHIN_FOLDS,
            Self::Tested { on, rows: None } => on.code(),
            Self::Tested { on, rows: Some(rows) } => return format!("{}_on_{rows}_rows", on.code()).into(),
            Self::ColumnsTellOutcome => "columns_tell_outcome",
            Self::Suppressed => "suppressed",
        };
        text.into()
    }

    /// The reason that is written so.
    fn read(text: String) -> Self {
        if let Some(plain) = Self::PLAIN.into_iter().find(|plain| plain.text() == text) {
            return plain;
        }
        let rows = text.strip_suffix("_rows").and_then(|text| text.rsplit_once("_on_"));
        let rows = rows.and_then(|(code, rows)| Some((code, Some(rows.parse::<usize>().ok()?))));
        let (code, rows) = rows.unwrap_or((&text, None));
        match TestedOn::ALL.into_iter().find(|on| on.code() == code) {
            Some(on) => Self::Tested { on, rows },
            None => Self::undefined(text),
        }
    }
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_the_same() {
        let tested = TestedOn::ALL.into_iter().flat_map(|on| [None, Some(40)].map(|rows| Reason::Tested { on, rows }));
        let own = ["only one outcome occurs", "tested_on_paper", "tested_on_x_rows", ""].map(Reason::undefined);
        for reason in Reason::PLAIN.into_iter().chain(tested).chain(own) {
            assert_eq!(Reason::read(reason.to_string()), reason);
        }
        let some = Reason::Tested { on: TestedOn::Vectors, rows: Some(40) };
        assert_eq!(some.to_string(), "tested_on_vectors_on_40_rows");
    }
}
