//! One fit read back, with the rows that it looks at again and the methods within it.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::rows::{StoredRows, numbers, rows};
use super::sound::{each, unsound};
use crate::evaluation::features::FeatureChoice;
use crate::evaluation::method::{Calibrator, to_unit_length};
use crate::evaluation::proximity::{MOST_NEIGHBOURS, ProximityOptions};
use crate::job::message::read;
use crate::kernel::Kernel;
use crate::recalibrate::density_ratio::DensityRatio;
use crate::recalibrate::platt::{Platt, PlattInput};

/// A fit, ready to be applied.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFit {
    /// what was learned
    pub calibrator: Calibrator,
    /// it, or the first of its methods, looks at the logits of every class, not at the score of the view
    pub of_logits: bool,
    /// the calibration rows, where applying asks for near ones
    pub near: Option<StoredRows>,
    /// the first and the second of two methods, or those of groups by proximity
    pub parts: Vec<StoredFit>,
}

type Read<T> = std::result::Result<T, String>;

/// Reads the fit of a method; `logits`: it was fitted where every class had a score.
///
/// # Errors
/// What is not as it should be.
pub(super) fn fit(id: &str, parameters: &Map<String, Value>, logits: bool, classes: usize) -> Read<StoredFit> {
    match id.rsplit_once('+') {
        None => single(id, parameters, logits, classes),
        Some((_, "proximity_stratified")) => {
            let listed = parameters.get("groups").and_then(Value::as_array);
            let listed = listed.ok_or("groups are missing")?.iter();
            let parts = listed.map(|group| within(group, "a group", classes));
            let parts = parts.collect::<Read<Vec<_>>>()?;
            let edges = numbers(parameters.get("log_proximity_edges"), "log_proximity_edges")?;
            if !edges.is_sorted() || parts.len() != edges.len() + 1 {
                return Err(format!("{} groups do not fit together with {} inner edges", parts.len(), edges.len()));
            }
            let calibrator = Calibrator::ProximityStratified {
                log_proximity_edges: edges,
                groups: parts.iter().map(|part| part.calibrator.clone()).collect(),
                pooled: Vec::new(),
                proximity: proximity(parameters)?,
            };
            Ok(StoredFit {
                calibrator,
                of_logits: parts.iter().any(|part| part.of_logits),
                near: Some(rows(parameters, false)?),
                parts,
            })
        }
        Some((_, second)) => {
            let base = parameters.get("base").unwrap_or(&Value::Null);
            let base = within(base, "base", classes)?;
            let then = single(second, parameters, false, classes)?;
            Ok(StoredFit {
                calibrator: Calibrator::Composed {
                    base: Box::new(base.calibrator.clone()),
                    then: Box::new(then.calibrator.clone()),
                    // how it was fitted says nothing about how it is applied
                    cross_fit: None,
                },
                of_logits: base.of_logits,
                near: None,
                parts: vec![base, then],
            })
        }
    }
}

/// A method within another.
fn within(value: &Value, place: &str, classes: usize) -> Read<StoredFit> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let (Some(id), Some(looks), Some(parameters)) = (text("method"), text("looks_at"), value.as_object()) else {
        return Err(format!("{place} does not say which `method` it is and what it `looks_at`"));
    };
    fit(id, parameters, looks.starts_with("logits"), classes)
}

fn single(id: &str, parameters: &Map<String, Value>, logits: bool, classes: usize) -> Read<StoredFit> {
    let mut near = match id {
        "lore" | "lcb" | "density_ratio" => Some(rows(parameters, true)?),
        "ptsk" | "bin_mean_shift" => Some(rows(parameters, false)?),
        _ => None,
    };
    let mut calibrator = match id {
        "lore" => lore(parameters)?,
        "density_ratio" => Calibrator::DensityRatio {
            densities: DensityRatio { options: of(parameters, &["exponent", "floor"])?, ..DensityRatio::default() },
            proximity: proximity(parameters)?,
        },
        "bin_mean_shift" => Calibrator::BinMeanShift {
            shift: of(parameters, &["lambda", "score_edges", "log_proximity_edges", "gaps", "counts"])?,
            proximity: proximity(parameters)?,
        },
        "mmce_temperature" => tagged("temperature", parameters)?,
        "proportional_multicalibration" => tagged("multicalibration", parameters)?,
        "none" => Calibrator::Identity {},
        other => tagged(other, parameters)?,
    };
    if let Some(what) = unsound(&calibrator, classes) {
        return Err(what);
    }
    match (&calibrator, &mut near) {
        (Calibrator::Ptsk { unit_length: true, .. }, Some(near)) => to_unit_length(&mut near.x, near.d),
        (Calibrator::DensityRatio { .. }, Some(near)) => {
            near.proximity = numbers(parameters.get("proximity"), "proximity")?;
            many(near, near.proximity.len(), "proximity")?;
            each("proximity", &near.proximity, &(0.0..=1.0 + 1e-9))?;
        }
        (Calibrator::Lcb { alpha, .. }, Some(near)) if !alpha.is_empty() => {
            many(near, alpha.len(), "alpha")?;
        }
        _ => (),
    }
    let of_logits = logits && (calibrator.takes_logits() || matches!(calibrator, Calibrator::GroupTemperature(_)));
    if let (false, Calibrator::Temperature(fit)) = (of_logits, &calibrator) {
        // One score a row: σ(logit s / T), which is a logistic curve through ½.
        calibrator = Calibrator::Platt(Platt { a: 1.0 / fit.temperature, b: 0.0, input: PlattInput::Logit });
    }
    Ok(StoredFit { calibrator, of_logits, near, parts: Vec::new() })
}

/// Refuses numbers that are not as many as the rows.
fn many(near: &StoredRows, count: usize, name: &str) -> Read<()> {
    match near.score.len() {
        n if n == count => Ok(()),
        n => Err(format!("{name} must hold {n} numbers, as many as x has rows")),
    }
}

fn tagged(tag: &str, parameters: &Map<String, Value>) -> Read<Calibrator> {
    let mut outside = Map::new();
    outside.insert(tag.to_owned(), Value::Object(parameters.clone()));
    read(Value::Object(outside)).map_err(|error| error.to_string())
}

/// What is read from a few of the parameters.
fn of<T: DeserializeOwned>(parameters: &Map<String, Value>, names: &[&str]) -> Read<T> {
    let mut few = Map::new();
    for name in names {
        if let Some(value) = parameters.get(*name) {
            few.insert((*name).to_owned(), value.clone());
        }
    }
    read(Value::Object(few)).map_err(|error| error.to_string())
}

fn proximity(parameters: &Map<String, Value>) -> Read<ProximityOptions> {
    let found: ProximityOptions = of(parameters, &["features", "neighbours", "distance", "form", "row_normalise"])?;
    match found.k() {
        1..=MOST_NEIGHBOURS => Ok(found),
        k => Err(format!("it looks at {k} neighbours")),
    }
}

fn lore(parameters: &Map<String, Value>) -> Read<Calibrator> {
    let field = |name: &str| parameters.get(name).cloned().unwrap_or_default();
    let name = parameters.get("kernel").and_then(Value::as_str);
    let gamma = parameters.get("gamma").and_then(Value::as_f64);
    let kernel = name
        .and_then(|name| Kernel::named(name, gamma.unwrap_or(1.0)))
        .filter(|kernel| kernel.check().is_ok())
        .ok_or("kernel and gamma name no kernel")?;
    Ok(Calibrator::Lore {
        kernel,
        bins: read(field("bins")).map_err(|error| format!("bins: {error}"))?,
        features: read::<FeatureChoice>(field("features")).map_err(|error| format!("features: {error}"))?,
    })
}
