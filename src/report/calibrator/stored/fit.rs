//! One fit read back, with the rows that it looks at again and the methods within it.

use serde_json::{Map, Value};

use crate::error::{Text, message, phrases};
use crate::evaluation::method::{Calibrator, FittedMethod, PROXIMITY_STRATIFIED, alone};
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::proximity_parameters::read_proximity;
use crate::recalibrate::registry::AnyLearned;
use crate::recalibrate::validity::numbers;

type Read<T> = std::result::Result<T, Text>;

/// Reads the fit of a method; `logits`: it was fitted where every class had a score.
///
/// # Errors
/// What is not as it should be.
pub(super) fn fit(id: &str, parameters: &Map<String, Value>, logits: bool, classes: usize) -> Read<FittedMethod> {
    match id.rsplit_once('+') {
        None => single(id, parameters, logits, classes),
        Some((_, second)) if second == PROXIMITY_STRATIFIED.id => {
            let listed = parameters.get("groups").and_then(Value::as_array);
            let listed = listed.ok_or("groups are missing")?.iter();
            let parts = listed.map(|group| within(group, "a group", classes));
            let parts = parts.collect::<Read<Vec<_>>>()?;
            let edges = numbers(parameters.get("log_proximity_edges"), "log_proximity_edges")?;
            if !edges.is_sorted() || parts.len() != edges.len() + 1 {
                let told = format!("{} groups do not fit together with {} inner edges", parts.len(), edges.len());
                return Err(told.into());
            }
            let calibrator = Calibrator::ProximityStratified {
                log_proximity_edges: edges,
                groups: parts.iter().map(|part| part.calibrator.clone()).collect(),
                pooled: Vec::new(),
                proximity: read_proximity(parameters)?,
            };
            Ok(FittedMethod { calibrator, memory: Memory::read(parameters, Remembers::Places)?, parts })
        }
        Some((_, second)) => {
            let base = parameters.get("base").unwrap_or(&Value::Null);
            let base = within(base, "base", classes)?;
            let then = single(second, parameters, false, classes)?;
            let calibrator = Calibrator::Composed {
                base: Box::new(base.calibrator.clone()),
                then: Box::new(then.calibrator.clone()),
                // how it was fitted says nothing about how it is applied
                cross_fit: None,
            };
            Ok(FittedMethod { calibrator, memory: Memory::default(), parts: vec![base, then] })
        }
    }
}

/// A method within another.
fn within(value: &Value, place: &str, classes: usize) -> Read<FittedMethod> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let (Some(id), Some(looks), Some(parameters)) = (text("method"), text("looks_at"), value.as_object()) else {
        return Err(message![format!("{place} does not say "), phrases::METHOD_AND_LOOKS]);
    };
    fit(id, parameters, looks.starts_with("logits"), classes)
}

fn single(id: &str, parameters: &Map<String, Value>, logits: bool, classes: usize) -> Read<FittedMethod> {
    let Some((fit, memory)) = AnyLearned::read_back(id, parameters, classes)? else {
        let known: Vec<String> = alone().map(|entry| format!("`{}`", entry.id)).collect();
        return Err(format!("unknown variant `{id}`, expected one of {}", known.join(", ")).into());
    };
    let of_logits = logits && fit.entry().input.takes_logits();
    Ok(FittedMethod { calibrator: Calibrator::Single { fit, of_logits }, memory, parts: Vec::new() })
}
