//! Recalibrators: description, request, fit, and application.

use std::borrow::Cow;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use super::candidacy::{AdviceInput, Candidacy, FittedNumbers};
use super::fit::Fit;
use super::in_common::InCommon;
use super::memory::{Memory, Remembers};
use super::parameter::{Parameter, Takes};
use super::snippet::Snippet;
use crate::data::Predictions;
use crate::data::pair::{self, VectorLogits};
use crate::error::{Error, Result, Text, message, phrases};
use crate::feature::groups::{Groups, groups};
use crate::feature::proximity::ProximityOptions;
use crate::feature::{
    FeatureChoice, Features, Within, absent, features, features_by_name, find, kept_without_place, moved_without_place,
    no_row_has_a_place,
};
use crate::metric::binning::BinOptions;
use crate::request::bounds::Field;
use crate::request::message::read;
use crate::table::Warning;

/// Callback that receives the completed fraction.
pub type Progress<'a> = &'a mut dyn FnMut(f64);

/// Description of a recalibrator. Every field is required, since no default would be correct for all.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// id in requests, reports and stored calibrators
    pub id: &'static str,
    /// display name
    pub title: &'static str,
    /// what it does, in a few words
    pub plain: &'static str,
    /// the fitted function, as a formula
    pub definition: &'static str,
    /// objective of the fit, and its optimization
    pub minimises: &'static str,
    /// author, year
    pub source: &'static str,
    /// parameters that can be set
    pub parameters: &'static [Parameter],
    /// scores or logits, and the code that applies a fit to them
    pub input: Input,
    /// code for the method alone, if its output differs from the input of a following method
    pub alone: Option<Snippet>,
    /// requirements: settings by the user, or content of the file
    pub needs: MethodRequirement,
    /// whether the fit supports sample weights; otherwise every row has weight 1
    pub weighted: bool,
    /// whether it can be fitted to counts of rows by cells of the score: a row of weight n is equivalent to n rows,
    /// and only the score and groups are used
    pub from_counts: bool,
    /// calibration rows about which its parameters disclose information
    pub fitted_to: FittedTo,
    /// position among combined methods
    pub place: Place,
    /// how it takes part in the recommendation
    pub candidacy: Candidacy,
    /// position in prepared experiments
    pub grid: GridPlace,
    /// entries in the page's list of methods
    pub offers: &'static [Offered],
    /// fitted parameters to display, each with its label; either all or none are displayed
    pub read_out: &'static [(&'static str, &'static str)],
}

impl Entry {
    /// Whether it can only follow another method: `base+id`.
    pub fn comes_after(&self) -> bool {
        matches!(self.place, Place::After { .. })
    }

    /// "logits, or the score; features".
    pub fn looks_at(&self) -> String {
        let first = match self.input {
            Input::Score(_) => "the score",
            Input::Logits(_) => "logits",
            Input::Either { .. } => "logits, else the score",
        };
        let beside = match self.needs {
            MethodRequirement::Nothing => "",
            MethodRequirement::Features => "; features",
            MethodRequirement::Groups => "; groups",
            MethodRequirement::Proximity => "; proximity",
        };
        format!("{first}{beside}")
    }

    /// Bounds of the parameters that are, or contain, numbers.
    pub fn bounds(&self) -> impl Iterator<Item = (&'static str, Field)> {
        self.parameters.iter().filter_map(|parameter| match parameter.takes {
            Takes::Bounded(field) => Some((parameter.name, field)),
            Takes::Choice(_)
            | Takes::Switch
            | Takes::Column
            | Takes::Columns
            | Takes::Slices
            | Takes::ChoosingMetric => None,
        })
    }
}

/// Input of a recalibrator, with the code that applies it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Input {
    /// the score of the view, one per row
    Score(Snippet),
    /// the logits of every class; not applicable to a single score
    Logits(Snippet),
    /// the logits of every class if there are labels and logits, else the score of the view
    Either {
        /// code for logits
        logits: Snippet,
        /// code for one score per row
        score: Snippet,
    },
}

impl Input {
    /// Whether it uses logits if the file contains them.
    pub fn takes_logits(self) -> bool {
        !matches!(self, Input::Score(_))
    }

    /// The code for logits, or for one score per row.
    pub fn snippet(self, of_logits: bool) -> Option<Snippet> {
        match (self, of_logits) {
            (Input::Score(score) | Input::Either { score, .. }, false) => Some(score),
            (Input::Logits(logits) | Input::Either { logits, .. }, true) => Some(logits),
            (Input::Score(_), true) | (Input::Logits(_), false) => None,
        }
    }
}

/// Calibration rows about which the parameters of a fit disclose information, for disclosure control; in order, so that
/// of several fits the largest holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FittedTo {
    /// all rows together: a few parameters fitted to every row
    AllRows,
    /// beside such parameters one per value of a column, under `shifts` or `fits`, fitted to the rows of the value:
    /// that of a value of few rows can be removed
    RowsOfValues,
    /// some rows: those of a group, bin, class or location, or single rows
    SomeRows,
}

/// Requirements of a method besides scores and outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodRequirement {
    /// nothing
    Nothing,
    /// coordinates that define the similarity of rows
    Features,
    /// columns that define groups
    Groups,
    /// proximity to the other rows
    Proximity,
}

impl MethodRequirement {
    /// The code of what is missing.
    pub fn missing(self) -> Option<&'static str> {
        match self {
            MethodRequirement::Nothing => None,
            MethodRequirement::Features | MethodRequirement::Proximity => Some("features_missing"),
            MethodRequirement::Groups => Some("groups_missing"),
        }
    }
}

/// Position of a recalibrator among combined methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// alone, first or second
    Anywhere,
    /// alone or first: it uses the scores of the file
    First,
    /// alone or first; leaves predictions unchanged
    Untouched,
    /// after another only
    After {
        /// the usual preceding method
        usual: &'static str,
        /// label in a chart of the methods that it follows
        chart: &'static str,
    },
}

/// Position of a recalibrator in a prepared experiment of all pairs of methods. No two have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridPlace {
    /// not in it
    None,
    /// among the first methods of pairs
    Base(u8),
    /// among the second methods of pairs
    Second(u8),
}

/// An entry in the page's list of methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offered {
    /// method, as `run` takes it
    pub id: &'static str,
    /// display name
    pub title: &'static str,
    /// true: listed at once; false: listed on request
    pub usual: bool,
    /// rank in the list; equal ranks keep the order of the registry
    pub rank: u8,
}

/// Settings of the run that apply if a method does not set its own.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSettings {
    /// bins of the metrics
    pub bins: BinOptions,
    /// seed of folds
    pub seed: u64,
    /// coordinates of the local metrics
    pub features: Option<FeatureChoice>,
    /// kernel of the local metrics
    pub kernel: String,
    /// bandwidth of the local metrics
    pub gamma: f64,
    /// confidence bins of the local metrics
    pub local_bins: BinOptions,
    /// which rows can be neighbors in the local metrics
    pub within: Option<String>,
    /// settings of proximity
    pub proximity: ProximityOptions,
}

/// A requested method before validation.
pub struct MethodRequest<'a> {
    /// as it was written, of two methods both
    pub id: &'a str,
    /// its settings, or null
    pub parameters: Value,
    /// the open file
    pub data: &'a Predictions,
    /// what the run says
    pub run: &'a RunSettings,
}

impl MethodRequest<'_> {
    /// The settings as a value of type `T`, every one at its default where none is given.
    ///
    /// # Errors
    /// `invalid_option` with what is wrong.
    pub fn read<T: Default + DeserializeOwned>(self) -> Result<T> {
        settings(self.id, self.parameters)
    }

    /// Nothing: the method has no settings.
    ///
    /// # Errors
    /// `invalid_option` if there are some.
    pub fn read_none(self) -> Result<()> {
        self.read::<NoParameters>().map(|_| ())
    }

    /// What proximity is: as the method says, else as the run says, else by the features of the local settings; and the
    /// other settings.
    ///
    /// # Errors
    /// `invalid_option`, `unknown_column`.
    pub fn proximity(mut self) -> Result<(Option<ProximityOptions>, Self)> {
        const OF_PROXIMITY: [&str; 5] = ["features", "neighbours", "distance", "form", "row_normalise"];
        let mut said = Map::new();
        if let Value::Object(own) = &mut self.parameters {
            said.extend(OF_PROXIMITY.iter().filter_map(|name| own.remove_entry(*name)));
        }
        let said: ProximityOptions = settings(self.id, said.into())?;
        let run = self.run.proximity.clone();
        let filled = ProximityOptions {
            features: said.features.or(run.features),
            neighbours: said.neighbours.or(run.neighbours),
            distance: said.distance.or(run.distance),
            form: said.form.or(run.form),
            row_normalise: said.row_normalise.or(run.row_normalise),
        };
        Ok((filled.filled(self.data, self.run.features.as_ref())?, self))
    }
}

#[derive(Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct NoParameters {}

/// Settings of the method `id` as a value of type `T`.
///
/// # Errors
/// `invalid_option` with what is wrong.
pub fn settings<T: Default + DeserializeOwned>(id: &str, parameters: Value) -> Result<T> {
    if parameters.is_null() {
        return Ok(T::default());
    }
    read(parameters).map_err(|error| {
        invalid(
            message![format!("The parameters of `{id}` cannot be used: "), phrases::unread(&error), "."],
            phrases::WHAT_METHODS_TAKE,
        )
    })
}

/// What is said of a setting that makes no sense.
pub fn invalid(message: impl Into<Text>, hint: impl Into<Text>) -> Error {
    Error::new("invalid_option", message, hint)
}

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

/// The rows that a method is fitted on, and what it may ask of them.
#[derive(Clone, Copy)]
pub struct CalibrationRows<'a> {
    /// the open file
    pub data: &'a Predictions,
    /// rows of the data, ascending
    pub rows: &'a [u32],
    /// scores that the method before gave to `rows`; none: those of the file
    pub before: Option<&'a [f64]>,
    /// ln D of every data row with respect to `rows`, where it is known
    pub log_proximity: Option<&'a [f64]>,
    /// whether the fit is for other data too: it then remembers where rows lie even if here it is not asked
    pub leaves: bool,
}

/// Some of the rows that a method is fitted on.
pub struct FitRows {
    /// rows of the data, ascending
    pub rows: Vec<u32>,
    /// scores that the method before gave to them
    before: Option<Vec<f64>>,
}

fn picked<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().map(|&row| values[row as usize]).collect()
}

/// ln D of some rows; not a number where it is not known.
pub fn of_rows(log_proximity: &[f64], rows: &[u32]) -> Vec<f64> {
    rows.iter().map(|row| log_proximity.get(*row as usize).copied().unwrap_or(f64::NAN)).collect()
}

impl<'a> CalibrationRows<'a> {
    /// s and t of the view.
    ///
    /// # Errors
    /// `score_missing`, `label_missing`.
    pub fn pairs(&self) -> Result<(Vec<f64>, Vec<u8>)> {
        let s = match self.before {
            Some(s) => s.to_vec(),
            None => picked(&pair::scores(self.data)?, self.rows),
        };
        Ok((s, picked(&pair::targets(self.data)?, self.rows)))
    }

    /// The logits of every row of the file, if it has them and no method comes before.
    pub fn logits(&self) -> Option<VectorLogits<'a>> {
        pair::vector_logits(self.data).filter(|_| self.before.is_none())
    }

    /// The class of each row.
    ///
    /// # Errors
    /// `label_missing`.
    pub fn classes(&self) -> Result<Vec<u32>> {
        let y = self.data.y.as_ref().ok_or_else(|| {
            Error::new("label_missing", "This method needs the class of each row.", phrases::LABEL_NEEDED)
        })?;
        Ok(picked(y, self.rows))
    }

    /// The weights of the rows, if the data has weights.
    pub fn weights(&self) -> Option<Vec<f64>> {
        self.data.weights.as_ref().map(|w| w.of_fit(self.rows))
    }

    /// Coordinates of every row of the data, and the rows of the fit that have a place: the others have a gap in one
    /// of the columns, and tell nothing of near rows.
    ///
    /// # Errors
    /// As [`features`]; `too_few_rows` where no row of the fit has a place.
    pub fn features(&self, choice: &FeatureChoice) -> Result<(Features, FitRows)> {
        let all = features(self.data, choice, self.rows)?;
        let placed = all.placed(self.rows);
        Ok((all, self.picked(&placed)?))
    }

    /// The same for several choices: the rows of the fit that have a place in each of them. Where neighbors have
    /// something in common, it stands behind the coordinates.
    ///
    /// # Errors
    /// As [`features`](Self::features); `features_missing` without a choice.
    pub fn spaces(
        &self,
        choices: &[FeatureChoice],
        within: Option<&str>,
        who: &str,
    ) -> Result<(Vec<Features>, FitRows, Option<InCommon>)> {
        if choices.is_empty() {
            return Err(missing_features(who));
        }
        let cut = Within::new(self.data, within)?;
        let all = choices.iter().map(|choice| {
            let all = features(self.data, choice, self.rows)?;
            match &cut {
                Some(cut) => cut.behind(self.data, all),
                None => Ok(all),
            }
        });
        let all: Result<Vec<Features>> = all.collect();
        let all = all?;
        let everywhere = |row: u32| all.iter().all(|space| space.has_place(row));
        let placed = (0u32..).zip(self.rows).filter(|(_, row)| everywhere(**row)).map(|(i, _)| i);
        let placed: Vec<u32> = placed.collect();
        let rows = self.picked(&placed)?;
        let common = within
            .zip(cut)
            .map(|(of, cut)| InCommon { of: of.to_owned(), coordinates: cut.coordinates(self.data).len() });
        Ok((all, rows, common))
    }

    /// The rows of the fit at these positions among all of them.
    fn picked(&self, positions: &[u32]) -> Result<FitRows> {
        if positions.is_empty() {
            return Err(no_row_has_a_place());
        }
        let before = self.before.map(|s| positions.iter().filter_map(|&i| s.get(i as usize).copied()).collect());
        Ok(FitRows { rows: picked(self.rows, positions), before })
    }

    /// The same, of some of the rows alone.
    pub fn of(self, some: &'a FitRows) -> Self {
        Self { rows: &some.rows, before: some.before.as_deref(), ..self }
    }

    /// Fits a method of scores to (s, t, weights).
    ///
    /// # Errors
    /// `score_missing`, `label_missing`; those of `fit`.
    pub fn fit_pairs<L>(
        &self,
        fit: impl FnOnce(&[f64], &[u8], Option<&[f64]>) -> Result<Fit<L>>,
    ) -> Result<FitOutcome<L>> {
        let (s, t) = self.pairs()?;
        fit(&s, &t, self.weights().as_deref()).map(FitOutcome::from)
    }

    /// Fits a method of logits to (Z of every row of the data, classes of the fitted rows, their weights).
    ///
    /// # Errors
    /// `label_missing`; those of [`required_logits`](Self::required_logits) and of `fit`.
    pub fn fit_logits<L>(
        &self,
        fit: impl FnOnce(&VectorLogits, &[u32], Option<&[f64]>) -> Result<Fit<L>>,
    ) -> Result<FitOutcome<L>> {
        let z = self.required_logits()?;
        fit(&z, &self.classes()?, self.weights().as_deref()).map(FitOutcome::from)
    }

    /// The logits, for a method whose only input they are ([`Input::Logits`]): rows without logits are refused before
    /// it is fitted.
    ///
    /// # Errors
    /// `internal`.
    pub fn required_logits(&self) -> Result<VectorLogits<'a>> {
        self.logits().ok_or_else(|| Error::internal("A method of logits is fitted to rows without logits."))
    }

    /// ln D of the rows of the fit that have a place, and these rows; all of them where none is near to any.
    ///
    /// # Errors
    /// `features_missing` where it is not known.
    pub fn log_proximities<'p>(
        &self,
        proximity: &'p Option<ProximityOptions>,
    ) -> Result<(&'p ProximityOptions, Vec<f64>, FitRows)> {
        let known = proximity.as_ref().zip(self.log_proximity.map(|near| of_rows(near, self.rows)));
        let (proximity, ln_d) = known.ok_or_else(|| {
            Error::new(
                "features_missing",
                "This method uses proximity, which needs feature columns.",
                phrases::FEATURES_OF_PROXIMITY_METHOD,
            )
        })?;
        let some = (0u32..).zip(&ln_d).filter(|(_, ln_d)| !ln_d.is_nan()).map(|(i, _)| i);
        let mut some: Vec<u32> = some.collect();
        if some.is_empty() {
            some = (0..ln_d.len() as u32).collect();
        }
        Ok((proximity, picked(&ln_d, &some), self.picked(&some)?))
    }

    /// Where the rows lie, for proximity to them in other data; nothing where the fit stays.
    ///
    /// # Errors
    /// As [`features`].
    pub fn places(&self, proximity: &ProximityOptions) -> Result<Memory> {
        match proximity.features.as_ref().filter(|_| self.leaves) {
            Some(choice) => {
                let (all, some) = self.features(choice)?;
                Ok(Memory::of_places(&all, &some.rows))
            }
            None => Ok(Memory::default()),
        }
    }
}

/// The error of a method of similar rows without coordinates of similarity.
pub fn missing_features(who: &str) -> Error {
    Error::new(
        "features_missing",
        format!("{who} needs feature columns, which define similarity."),
        phrases::FEATURES_OF_METHOD,
    )
}

/// The coordinates that are asked for: one choice, or several to choose from; else those of the run.
///
/// # Errors
/// `invalid_option` where both are asked for, or a choice from none.
pub fn spaces(
    features: Option<FeatureChoice>,
    choose: Option<Vec<FeatureChoice>>,
    run: Option<&FeatureChoice>,
) -> Result<Vec<FeatureChoice>> {
    match (features, choose) {
        (Some(_), Some(_)) => {
            Err(invalid("Features and a list of candidates both define similarity.", "Specify one of them."))
        }
        (None, Some(choose)) if choose.is_empty() => Err(invalid(
            "The list of candidates is empty.",
            "Name candidates, each written as features are, or omit it.",
        )),
        (None, Some(choose)) => Ok(choose),
        (given, None) => Ok(given.or_else(|| run.cloned()).into_iter().collect()),
    }
}

/// Code of what is said of rows with a gap in a feature.
pub const WITHOUT_PLACE: &str = "rows_without_place";

/// New rows, and what a fit may ask of them.
#[derive(Clone, Copy)]
pub struct RowsToScore<'a> {
    /// the open file
    pub data: &'a Predictions,
    /// rows of the data
    pub rows: &'a [u32],
    /// scores that the method before gave to `rows`; none: those of the file
    pub before: Option<&'a [f64]>,
    /// whether the fit looks at the logits of every class
    pub of_logits: bool,
    /// the rows of the fit, ascending, where they are rows of this data: none is its own neighbor
    pub fitted_on: Option<&'a [u32]>,
    /// ln D of every data row, where it is known
    pub log_proximity: Option<&'a [f64]>,
    /// coordinates of every row, where they are known
    pub coordinates: Option<&'a Features>,
}

impl<'a> RowsToScore<'a> {
    /// Rows of a file that the fit has not seen.
    pub fn of_other_data(data: &'a Predictions, rows: &'a [u32]) -> Self {
        Self { data, rows, before: None, of_logits: false, fitted_on: None, log_proximity: None, coordinates: None }
    }

    /// s of the view, or what the method before made of it.
    ///
    /// # Errors
    /// `score_missing`.
    pub fn scores(&self) -> Result<Cow<'a, [f64]>> {
        Ok(match self.before {
            Some(s) => Cow::Borrowed(s),
            None => Cow::Owned(picked(&pair::scores(self.data)?, self.rows)),
        })
    }

    /// The scores that `score` gives to the rows at the positions `placed`, ascending; the others get what `far` makes
    /// of what they had, and that is told.
    ///
    /// # Errors
    /// `score_missing`; those of `score`.
    pub fn where_placed(
        &self,
        placed: &[u32],
        far: impl FnOnce(&[f64]) -> Vec<f64>,
        score: impl FnOnce(&RowsToScore) -> Result<Scores>,
    ) -> Result<Scores> {
        let without = self.rows.len() - placed.len().min(self.rows.len());
        if without == 0 {
            return score(self);
        }
        let kept = self.scores()?;
        let (rows, before) = (picked(self.rows, placed), picked(&kept, placed));
        let before = self.before.map(|_| before.as_slice());
        let found = match placed {
            [] => Scores::default(),
            _ => score(&RowsToScore { rows: &rows, before, ..*self })?,
        };
        let far = far(&kept);
        let told = if far == *kept { kept_without_place(without) } else { moved_without_place(without) };
        let has_place = |place: &u32| placed.binary_search(place).is_ok();
        let nowhere = (0u32..).zip(self.rows).filter(|(place, _)| !has_place(place)).map(|(_, row)| *row);
        let mut scores = Scores { score: far, warnings: found.warnings, without_place: found.without_place }
            .and_without_place(nowhere);
        for (&place, value) in placed.iter().zip(found.score) {
            if let Some(score) = scores.score.get_mut(place as usize) {
                *score = value;
            }
        }
        scores.warnings.push(warning(WITHOUT_PLACE, told));
        Ok(scores)
    }

    /// s by a map of scores.
    ///
    /// # Errors
    /// `score_missing`.
    pub fn mapped(&self, map: impl FnOnce(&[f64]) -> Vec<f64>) -> Result<Scores> {
        Ok(map(&self.scores()?).into())
    }

    /// The logits of every row of the file, if the fit looks at them.
    pub fn logits(&self) -> Option<VectorLogits<'a>> {
        pair::vector_logits(self.data).filter(|_| self.of_logits)
    }

    /// s by a map of logits: of each row the probability of the class whose score it is.
    pub fn by_logits(&self, z: &VectorLogits, mut map: impl FnMut(usize, &mut [f64])) -> Vec<f64> {
        let mut vector = vec![0.0; z.width()];
        let each = self.rows.iter().map(|&row| {
            let row = row as usize;
            z.row_into(row, &mut vector);
            map(row, &mut vector);
            vector.get(pair::scored_class(self.data, row)).copied().unwrap_or(0.0)
        });
        each.collect()
    }

    /// s by a fit that knows logits alone.
    ///
    /// # Errors
    /// `calibrator_mismatch` where there are none.
    pub fn by_logit_map(&self, map: &dyn LogitMap) -> Result<Scores> {
        let z = self.logits().ok_or_else(no_logits)?;
        Ok(self.by_logits(&z, |_, row| map.apply_logits(row)).into())
    }

    /// Coordinates of the rows, found by the names that the fit remembers.
    ///
    /// # Errors
    /// `features_missing` for a column that is not there, `not_a_number`.
    pub fn places(&self, memory: &Memory) -> Result<Vec<f64>> {
        Ok(match self.coordinates {
            Some(known) => known.select(self.rows),
            None => features_by_name(self.data, &memory.names, memory.projection.as_ref())?.select(self.rows),
        })
    }

    /// ln D of the rows among the remembered ones.
    ///
    /// # Errors
    /// As [`places`](Self::places), and those of the search.
    pub fn log_proximities(&self, memory: &Memory, proximity: &ProximityOptions) -> Result<Vec<f64>> {
        match self.log_proximity {
            Some(known) => Ok(of_rows(known, self.rows)),
            None => memory.log_proximities(&self.places(memory)?, proximity),
        }
    }

    /// The groups of a column that the fit looked at; values that it did not know stay.
    ///
    /// # Errors
    /// `features_missing`; `invalid_option` for a column that cannot say groups.
    pub fn groups(&self, name: &str) -> Result<Groups> {
        find(self.data, name).map_err(|_| absent(name))?;
        groups(self.data, name)
    }
}

/// What is said where a stored method needs a score for every class.
pub fn no_logits() -> Error {
    Error::new(
        "calibrator_mismatch",
        "A method of this calibrator needs a score for every class.",
        phrases::OTHER_STORED_METHOD,
    )
}
