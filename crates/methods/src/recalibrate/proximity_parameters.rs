//! Fits that look at proximity, as reports and stored calibrators write them: the fields of all their parts side by side.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::feature::proximity::{MOST_NEIGHBORS, ProximityOptions};
use crate::request::message::read;

/// The fields of some objects within an object, among its own.
pub fn flattened(fit: &impl Serialize, inner: &[&str]) -> Value {
    let mut parameters = serde_json::to_value(fit).unwrap_or_default();
    if let Some(fields) = parameters.as_object_mut() {
        for name in inner {
            if let Some(Value::Object(more)) = fields.remove(*name) {
                fields.extend(more);
            }
        }
    }
    parameters
}

/// What is read from a few of the parameters.
///
/// # Errors
/// What is not as it should be.
pub fn few<T: DeserializeOwned>(parameters: &Map<String, Value>, names: &[&str]) -> Result<T, String> {
    let of = |name: &&str| Some(((*name).to_owned(), parameters.get(*name)?.clone()));
    read(Value::Object(names.iter().filter_map(of).collect())).map_err(|error| error.to_string())
}

/// What proximity is.
///
/// # Errors
/// What is not as it should be.
pub fn read_proximity(parameters: &Map<String, Value>) -> Result<ProximityOptions, String> {
    let found: ProximityOptions = few(parameters, &["features", "neighbours", "distance", "form", "row_normalise"])?;
    match found.k() {
        1..=MOST_NEIGHBORS => Ok(found),
        k => Err(format!("it uses {k} neighbors")),
    }
}
