//! Predictions with their labels, checked and ready to be measured.

use serde::{Deserialize, Serialize};

use super::attempts::AttemptCounts;
use super::clusters::Clusters;
use super::derived::Derived;
use super::options::OpenOptions;
use super::roles::{ColumnRole, Role};
use super::subgroup::Subgroup;
use super::view::View;
use super::weights::Weights;
use crate::error::{Error, Result};
use crate::table::column::Column;
use crate::table::values::{Matrix, NamedColumn, Table};

/// What the model said about each row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Scores {
    /// p = P(y = 1) of two classes; `logit` when the file held log-odds
    Binary {
        /// probabilities, length n
        p: Column<f64>,
        /// log-odds as given, length n
        logit: Option<Column<f64>>,
    },
    /// n × m probabilities, columns in the order of the classes
    Probabilities(Matrix),
    /// n × m logits, columns in the order of the classes
    Logits(Matrix),
    /// only the confidence of the predicted class is known
    Confidence,
}

/// How rows are divided into calibration and evaluation rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Division {
    /// K-fold cross-fitting: every row is scored by a fit that has not seen it
    Folds {
        /// number of folds
        folds: usize,
    },
    /// a seeded half of the rows, stratified by label, calibrates; the other half is scored
    Half,
    /// each row's set is given (see [`Predictions::sets`])
    Given {
        /// what says so: a split column, the second file, the first n rows
        by: String,
    },
}

/// Set of a row under [`Division::Given`]: it calibrates.
pub const CALIBRATION: u8 = 0;
/// Set of a row under [`Division::Given`]: it is scored.
pub const EVALUATION: u8 = 1;
/// Set of a row under [`Division::Given`]: it is left out (a training row, or a set that nobody named).
pub const LEFT_OUT: u8 = 2;

/// n rows of predictions and outcomes; every vector has one entry a row, in file order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Predictions {
    /// n
    pub rows: usize,
    /// rows of the files that were left out on reading: something was amiss with them, or the model was fitted to them
    pub dropped: usize,
    /// of these, rows whose outcome is missing
    #[serde(default)]
    pub outcome_missing: usize,
    /// attempts of an evaluation log, where some have no confidence or no judgment; those excluded are among `dropped`
    #[serde(default)]
    pub attempts: Option<AttemptCounts>,
    /// class names; index = class; empty when only confidence and correctness are known
    pub labels: Vec<String>,
    /// the pair that is looked at
    pub view: View,
    /// class counted as 1 in the positive view
    pub positive: Option<usize>,
    /// what the model said; in `Binary`, p is the probability of `labels[1]`, and `positive` = 1
    pub scores: Option<Scores>,
    /// y: class index a row
    pub y: Option<Column<u32>>,
    /// ŷ: predicted class a row (argmax, ties to the lowest index; for `Binary` 1 iff p > 0.5)
    pub predicted: Option<Column<u32>>,
    /// c: confidence of ŷ
    pub confidence: Option<Column<f64>>,
    /// a: 1 where ŷ = y
    pub correct: Option<Column<u8>>,
    /// how much each row counts; every row once where there are none
    pub weights: Option<Weights>,
    /// rows that belong together; none where every row stands for itself
    #[serde(default)]
    pub clusters: Option<Clusters>,
    /// rows that are equal, where so many are that some must be copies: they are kept in one fold; null with clusters
    #[serde(default)]
    pub copies: Option<Clusters>,
    /// how rows are divided
    pub division: Division,
    /// set of each row under [`Division::Given`]; empty otherwise
    pub sets: Column<u8>,
    /// as it was opened: what a person, a script or a session said
    #[serde(default)]
    pub opened: OpenOptions,
    /// which of several models of the same rows this is
    pub model: Option<String>,
    /// 1-based row number in the file (the second file goes on counting)
    pub row_numbers: Column<u32>,
    /// every column as read, rows aligned with the vectors above
    pub table: Table,
    /// role of each of `table.columns`
    pub roles: Vec<ColumnRole>,
    /// places of the columns in `table` whose values tell the outcome, see [`leakage`](super::leakage)
    #[serde(default)]
    pub leakage: Column<u32>,
    /// places of the columns in `table` that name the question and the attempt of each row of an evaluation log, beside the id
    #[serde(default)]
    pub identifiers: Column<u32>,
    /// whether a column of lexical dimensions is behind those of the files
    #[serde(default)]
    pub lexical: bool,
    /// names of the last of `table.columns` that are no columns of the file but feature maps, with the map where it is
    /// linear; they are put here for one job at a time
    #[serde(skip)]
    pub projections: Vec<(String, Option<Projection>)>,
    /// logits of probabilities, once somebody asked
    #[serde(skip)]
    pub derived: Derived,
}

impl Predictions {
    /// The columns that name the rows: the id, where there is one, then the question and the attempt of an evaluation log.
    pub fn naming_columns(&self) -> impl Iterator<Item = &NamedColumn> {
        let id = self.roles.iter().position(|column| column.role == Role::Id);
        let others = self.identifiers.iter().map(|place| *place as usize);
        id.into_iter().chain(others).filter_map(|place| self.table.columns.get(place))
    }

    /// The conditions that the rows meet, where only some of the files were chosen: "ward = ICU and age ≥ 70".
    pub fn selection(&self) -> Option<String> {
        let conditions = self.opened.only().to_vec();
        (!conditions.is_empty()).then(|| Subgroup { conditions }.description())
    }

    /// How many rows were left out because their outcome is missing, where they are a tenth of the file or more: then what holds
    /// for the others may not hold for all. None for counts, of which each stands for many rows.
    pub fn many_without_outcome(&self) -> Option<usize> {
        let many = 10 * self.outcome_missing >= self.rows + self.dropped && self.outcome_missing > 0;
        (many && !self.is_counted()).then_some(self.outcome_missing)
    }

    /// Number of rows that stand behind these: of those that were counted elsewhere as many as were counted.
    pub fn rows_in_all(&self) -> usize {
        let counted = self.weights.as_ref().filter(|weights| weights.counted);
        counted.map_or(self.rows, |weights| weights.values.iter().sum::<f64>().round() as usize)
    }

    /// How many rows some of these are: of those that were counted elsewhere as many as were counted.
    pub fn rows_of(&self, rows: &[u32]) -> usize {
        let counted = self.weights.as_ref().filter(|weights| weights.counted);
        counted.map_or(rows.len(), |weights| weights.select(rows).iter().sum::<f64>().round() as usize)
    }

    /// Refuses what cannot be computed from counts.
    ///
    /// # Errors
    /// `invalid_option` where the data set consists of counts; `what` begins the sentence.
    pub fn with_rows(&self, what: &str) -> Result<()> {
        if !self.is_counted() {
            return Ok(());
        }
        Err(Error::new(
            "invalid_option",
            format!("{what} needs the rows; this data set consists of counts of rows by cells of the score."),
            "Open a random sample of the rows, a file of predictions and outcomes.",
        ))
    }

    /// Whether every row is evaluated, by the fit of a fold that it is not in.
    pub fn divided_into_folds(&self) -> bool {
        matches!(self.division, Division::Folds { .. })
    }

    /// Whether the rows are counts of rows by cells of the score.
    pub fn is_counted(&self) -> bool {
        self.weights.as_ref().is_some_and(|weights| weights.counted)
    }
}

/// A linear map from columns to coordinates: coordinate = component · (x − mean).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Projection {
    /// one name per entry of a row before the projection
    pub of: Vec<String>,
    /// mean of each
    pub mean: Column<f64>,
    /// directions, one after the other
    pub components: Column<f64>,
}
