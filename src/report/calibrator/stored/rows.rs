//! The calibration rows that a calibrator carries.

use serde_json::{Map, Value};

use super::sound::{UNIT, each};
use crate::data::Projection;
use crate::job::message::read;

/// Calibration rows that a calibrator carries.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredRows {
    /// d
    pub d: usize,
    /// one name per coordinate
    pub names: Vec<String>,
    /// the map from columns to coordinates, where there is one
    pub projection: Option<Projection>,
    /// coordinates, row-major
    pub x: Vec<f64>,
    /// scores; empty where only places count
    pub score: Vec<f64>,
    /// outcomes; empty where only places count
    pub target: Vec<u8>,
    /// D; empty but for the density ratio
    pub proximity: Vec<f64>,
}

/// The calibration rows, all of one length, every number finite.
pub(super) fn rows(parameters: &Map<String, Value>, outcomes: bool) -> std::result::Result<StoredRows, String> {
    let names: Vec<String> = read(parameters.get("coordinates").cloned().unwrap_or_default())
        .map_err(|error| format!("coordinates: {error}"))?;
    let d = names.len();
    let x = numbers(parameters.get("x"), "x")?;
    if d == 0 || x.is_empty() || x.len() % d != 0 {
        return Err(format!("x holds {} numbers for {d} coordinates", x.len()));
    }
    let n = x.len() / d;
    let (mut score, mut target) = (Vec::new(), Vec::new());
    if outcomes {
        score = numbers(parameters.get("score"), "score")?;
        let outcomes = numbers(parameters.get("target"), "target")?;
        if score.len() != n || outcomes.len() != n {
            return Err(format!("score and target must hold {n} numbers, as many as x has rows"));
        }
        each("score", &score, &UNIT)?;
        if let Some(place) = outcomes.iter().position(|t| *t != 0.0 && *t != 1.0) {
            return Err(format!("target, at place {}, is neither 0 nor 1", place + 1));
        }
        target = outcomes.into_iter().map(|t| t as u8).collect();
    }
    let projection = match parameters.get("projection") {
        None | Some(Value::Null) => None,
        Some(map) => {
            let of: Vec<String> =
                read(map.get("of").cloned().unwrap_or_default()).map_err(|error| format!("projection.of: {error}"))?;
            let mean = numbers(map.get("mean"), "projection.mean")?;
            let components = numbers(map.get("components"), "projection.components")?;
            if of.is_empty() || mean.len() != of.len() || components.len() != d * of.len() {
                return Err(format!(
                    "the projection holds {} means and {} components for {} columns and {d} coordinates",
                    mean.len(),
                    components.len(),
                    of.len()
                ));
            }
            Some(Projection { of, mean: mean.into(), components: components.into() })
        }
    };
    Ok(StoredRows { d, names, projection, x, score, target, proximity: Vec::new() })
}

/// An array of finite numbers; `name` for what is said where it is none.
pub(super) fn numbers(value: Option<&Value>, name: &str) -> std::result::Result<Vec<f64>, String> {
    let items = value.and_then(Value::as_array);
    let items = items.ok_or_else(|| format!("{name} is missing"))?;
    items
        .iter()
        .enumerate()
        .map(|(i, item)| {
            item.as_f64().filter(|v| v.is_finite()).ok_or_else(|| format!("{name} holds no number at place {}", i + 1))
        })
        .collect()
}
