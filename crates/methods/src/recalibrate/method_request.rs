//! Request of a recalibrator: its settings as they were written, and those of the run beside them.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::data::Predictions;
use crate::error::{Error, Result, Text, message, phrases};
use crate::feature::FeatureChoice;
use crate::feature::proximity::ProximityOptions;
use crate::metric::binning::BinOptions;
use crate::request::message::read;

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
