//! Recalibrators: fit and application. Their description is in `entry`, their request in `method_request`, their rows in
//! `rows`.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use super::candidacy::{AdviceInput, Candidacy, FittedNumbers};
pub use super::entry::{Entry, FittedTo, GridPlace, Input, MethodRequirement, Offered, Place};
use super::fit::Fit;
use super::memory::{Memory, Remembers};
pub use super::method_request::{MethodRequest, RunSettings, invalid, settings};
pub use super::rows::{
    CalibrationRows, FitRows, RowsToScore, WITHOUT_PLACE, missing_features, no_logits, of_rows, spaces,
};
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::Features;
use crate::feature::proximity::ProximityOptions;
use crate::request::message::read;
use crate::table::Warning;

/// Callback that receives the completed fraction.
pub type Progress<'a> = &'a mut dyn FnMut(f64);

/// Something to know about a fit.
pub fn warning(code: &str, message: String) -> Warning {
    Warning { code: code.to_owned(), message, row: None, column: None }
}

/// A recalibration method with checked settings.
pub trait Recalibrator: Debug + Clone + PartialEq + Serialize + DeserializeOwned {
    /// What it learns.
    type Learned: Learned;

    /// What it says of itself.
    const ENTRY: Entry;

    /// The settings, checked: the only place where they are.
    ///
    /// # Errors
    /// `invalid_option`, `unknown_column`.
    fn checked(asked: MethodRequest) -> Result<Self>;

    /// What it [`needs`](Entry::needs), as far as it is named; one that needs something defines it.
    fn requirement_state(&self) -> RequirementState<'_> {
        const { assert!(matches!(Self::ENTRY.needs, MethodRequirement::Nothing)) };
        RequirementState::Nothing
    }

    /// Expected milliseconds of a fit and of scoring the rows of one fold.
    fn cost(&self, data: &Predictions) -> f64;

    /// Learns from calibration rows.
    ///
    /// # Errors
    /// Those of the rows that are looked at, and of the mathematics.
    fn fit(&self, on: &CalibrationRows, progress: Progress) -> Result<FitOutcome<Self::Learned>>;
}

/// The requirement of a recalibrator, as far as it is specified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RequirementState<'a> {
    /// it needs nothing
    Nothing,
    /// coordinates or groups
    Columns {
        /// whether they are named
        named: bool,
    },
    /// how near the other rows are; none: in which coordinates is not named
    Proximity(Option<&'a ProximityOptions>),
}

/// What a recalibrator learned: small, and with the rows that it [`REMEMBERS`](Learned::REMEMBERS) all that is needed
/// to apply it.
pub trait Learned: Debug + Clone + PartialEq + Serialize + DeserializeOwned {
    /// Which calibration rows are looked at again.
    const REMEMBERS: Remembers;

    /// Scores of the view for new rows. The only place where the fit is applied to rows.
    ///
    /// # Errors
    /// Those of what is looked at: `features_missing`, `not_a_number`, `unknown_column`.
    fn scores(&self, memory: &Memory, to: &RowsToScore, progress: Progress) -> Result<Scores>;

    /// Scores of rows that no calibration row is near to, because a feature is missing: unchanged, unless a
    /// fit knows something of all rows.
    fn far_from_all(&self, s: &[f64]) -> Vec<f64> {
        s.to_vec()
    }

    /// What becomes of the probabilities of every class.
    fn of_vectors(&self) -> OfVectors<'_>;

    /// Whether numbers that were read go together with each other and with `m` classes, and are such as fits have.
    ///
    /// # Errors
    /// What is not as it should be.
    fn check(&self, m: usize) -> std::result::Result<(), String>;

    /// The parameters as reports and stored calibrators write them.
    fn parameters(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// From such parameters.
    ///
    /// # Errors
    /// What is not as it should be.
    fn from_parameters(parameters: &Map<String, Value>) -> std::result::Result<Self, String> {
        read(Value::Object(parameters.clone())).map_err(|error| error.to_string())
    }

    /// What stands beside the remembered rows in a stored calibrator.
    ///
    /// # Errors
    /// As what is derived from them.
    fn beside_memory(&self, _memory: &Memory) -> Result<Map<String, Value>> {
        Ok(Map::new())
    }

    /// Whether remembered rows that were read go together with the rest.
    ///
    /// # Errors
    /// What is not as it should be.
    fn check_memory(&self, _memory: &mut Memory, _parameters: &Map<String, Value>) -> std::result::Result<(), String> {
        Ok(())
    }
}

/// A map from scores to scores: all that there is to most of what is learned. In a whole vector the predicted class
/// takes the score, and the others share the rest in proportion.
pub trait ScoreMap: Debug + Clone + PartialEq + Serialize + DeserializeOwned {
    /// Scores for new rows.
    fn recalibrated(&self, s: &[f64]) -> Vec<f64>;

    /// As [`Learned::check`].
    ///
    /// # Errors
    /// What is not as it should be.
    fn check_map(&self, m: usize) -> std::result::Result<(), String>;
}

impl<M: ScoreMap> Learned for M {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.mapped(|s| self.recalibrated(s))
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, m: usize) -> std::result::Result<(), String> {
        self.check_map(m)
    }
}

/// A map from the logits of a row to probabilities.
pub trait LogitMap {
    /// Turns a row of logits into probabilities, in place.
    fn apply_logits(&self, row: &mut [f64]);
}

/// Temperatures by the name of a group.
pub trait GroupLogitMap {
    /// The column that says the group.
    fn column(&self) -> &str;
    /// Turns a row of logits of a group into probabilities, in place.
    fn apply_logits(&self, group: Option<&str>, row: &mut [f64]);
}

/// What becomes of the probabilities of every class of a row.
#[derive(Clone, Copy)]
pub enum OfVectors<'a> {
    /// they stay
    Untouched,
    /// the predicted class takes the score, the others share the rest in proportion
    Lifted,
    /// a map of the logits
    Mapped(&'a dyn LogitMap),
    /// a map of the logits whose rows need not sum to 1; they do as they leave
    Unnormalized(&'a dyn LogitMap),
    /// a map of the logits for each group
    ByGroup(&'a dyn GroupLogitMap),
    /// the temperature at which the predicted class has the score
    Tempered,
}

/// The outcome of a fit.
pub struct FitOutcome<L> {
    /// what was learned
    pub learned: L,
    /// the rows that are looked at again; empty where none are
    pub memory: Memory,
    /// what a person should know
    pub warnings: Vec<Warning>,
    /// coordinates of every row of the data, where they were computed
    pub coordinates: Option<Features>,
}

impl<L> FitOutcome<L> {
    /// Without remembered rows.
    pub fn new(learned: L, warnings: Vec<Warning>) -> Self {
        Self { learned, memory: Memory::default(), warnings, coordinates: None }
    }
}

impl<L> From<Fit<L>> for FitOutcome<L> {
    fn from(fit: Fit<L>) -> Self {
        let warnings = fit_warnings(&fit);
        Self::new(fit.parameters, warnings)
    }
}

/// Warnings of a fit.
pub fn fit_warnings<P>(fit: &Fit<P>) -> Vec<Warning> {
    let bound = fit.at_bound.iter().map(|bound| warning("at_bound", format!("The fit stopped at a bound: {bound}.")));
    bound.chain(fit.warnings.iter().map(|message| warning("fit", message.clone()))).collect()
}

/// Recalibrated scores, and what a person should know about them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores {
    /// one a row, in the order of the rows
    pub score: Vec<f64>,
    /// what a person should know
    pub warnings: Vec<Warning>,
    /// rows of the data, ascending, that have a gap in a feature by which the fit compares rows: nothing was found for
    /// them
    pub without_place: Vec<u32>,
}

impl From<Vec<f64>> for Scores {
    fn from(score: Vec<f64>) -> Self {
        Self { score, ..Self::default() }
    }
}

impl Scores {
    /// The same with further rows without a place.
    pub fn and_without_place(mut self, rows: impl IntoIterator<Item = u32>) -> Self {
        self.without_place.extend(rows);
        self.without_place.sort_unstable();
        self.without_place.dedup();
        self
    }
}
