//! Methods as they are asked for: an id, or ids with a plus between them, one after another.

use serde_json::{Map, Value};

use super::{Composition, InnerFolds, Method, MethodKind, MethodSpec, after_another, alone, best, entry, stratified};
use crate::data::Predictions;
use crate::error::{Error, Result, message, phrases};
use crate::recalibrate::recalibrator::{Input, MethodRequest, Place, RunSettings, invalid};
use crate::recalibrate::registry::AnyRecalibrator;
use crate::request::bounds::{check_depth, check_stages};
use crate::request::message::without_nulls;

/// Inner folds of a cross-fit.
const INNER_FOLDS: u64 = 5;

/// The requested methods, with checked settings.
///
/// # Errors
/// `unknown_method`, `invalid_option`, `unknown_column`.
pub fn checked(mut asked: Vec<MethodSpec>, data: &Predictions, run: &RunSettings) -> Result<Vec<Method>> {
    for spec in &mut asked {
        if let MethodSpec::Named { parameters, .. } = spec {
            check_depth(parameters)?;
            without_nulls(parameters);
        }
    }
    let methods = listed(asked, data, run)?;
    methods.iter().try_for_each(affordable)?;
    Ok(methods)
}

/// Fits behind one method, at most.
const MOST_FITS: f64 = 10_000.0;

/// Refuses a method whose parts would fit each other more often than anybody can wait for.
fn affordable(method: &Method) -> Result<()> {
    let fits = method.kind.fits();
    if fits <= MOST_FITS {
        return Ok(());
    }
    Err(invalid(
        format!("`{}` would need {fits} fits; at most {MOST_FITS} are allowed.", method.name),
        "Use fewer folds, groups or candidates, or fewer methods in sequence.",
    ))
}

/// The requested methods, each under a name of its own.
///
/// # Errors
/// As [`checked`].
pub(super) fn listed(asked: Vec<MethodSpec>, data: &Predictions, run: &RunSettings) -> Result<Vec<Method>> {
    let mut methods: Vec<Method> = Vec::with_capacity(asked.len());
    for spec in asked {
        let (id, name, parameters) = match spec {
            MethodSpec::Id(id) => (id.clone(), id, serde_json::Value::Null),
            MethodSpec::Named { id, name, parameters } => (id.clone(), name.unwrap_or(id), parameters),
        };
        if name != id && entry(&name).is_some() {
            return Err(invalid(
                format!("A method with the id `{id}` has the name of another, `{name}`."),
                message![format!("Choose a name other than `{name}`"), phrases::NAMED_METHOD],
            ));
        }
        if methods.iter().any(|method| method.name == name) {
            return Err(invalid(
                "Two methods have the same name.",
                message![format!("Choose a name other than `{name}` for one of them"), phrases::NAMED_METHOD],
            ));
        }
        methods.push(Method { kind: kind(MethodRequest { id: &id, parameters, data, run })?, name });
    }
    Ok(methods)
}

/// One method by its id; `asked.id` is what was written, of two methods both.
fn single(id: &str, asked: MethodRequest) -> Result<MethodKind> {
    if id == best::ENTRY.id {
        return best::checked(asked);
    }
    AnyRecalibrator::checked(id, asked)?.map(MethodKind::Single).ok_or_else(|| {
        let known: Vec<&str> = alone().map(|entry| entry.id).collect();
        let after: Vec<&str> = after_another().map(|entry| entry.id).collect();
        Error::new(
            "unknown_method",
            format!("Unknown recalibration method `{id}`."),
            format!(
                "Available: {}; and after another, as in none+density_ratio: {}.",
                known.join(", "),
                after.join(", ")
            ),
        )
    })
}

/// The method of an id, `first+second` included; the settings of the first stand under `base`.
pub(super) fn kind(asked: MethodRequest) -> Result<MethodKind> {
    let id = asked.id;
    check_stages(id)?;
    let Some((first, second)) = id.rsplit_once('+') else {
        if let Some(Place::After { usual, .. }) = entry(id).map(|entry| entry.place) {
            return Err(invalid(
                format!("`{id}` must follow another method."),
                format!("Write {usual}+{id}, or another method in place of {usual}."),
            ));
        }
        return single(id, asked);
    };
    let (mut own, base) = parted(id, asked.parameters)?;
    let (data, run) = (asked.data, asked.run);
    if second == stratified::ENTRY.id {
        return stratified::checked(first, MethodRequest { id, parameters: own.into(), data, run }, base);
    }
    let base = kind(MethodRequest { id: first, parameters: base, data, run })?;
    let place = entry(second).map(|entry| entry.place);
    let (inner, written) = match place {
        Some(Place::After { .. }) => (inner(own.remove("cross_fit"), run.seed)?, id),
        Some(Place::Untouched) => {
            return Err(invalid(
                format!("`{second}` does not recalibrate, so it cannot come second."),
                format!("Write {first} alone."),
            ));
        }
        Some(Place::Anywhere | Place::First) | None => (None, second),
    };
    let then = single(second, MethodRequest { id: written, parameters: own.into(), data, run })?;
    if matches!(then.last().input, Input::Logits(_)) {
        return Err(invalid(
            format!("`{second}` needs a probability for every class, but `{first}` returns one score per row."),
            format!("Use {second} first, or alone."),
        ));
    }
    if place == Some(Place::First) {
        return Err(invalid(
            format!("`{second}` uses the scores of the file, so it cannot come second."),
            format!("Use {second} first, or alone."),
        ));
    }
    if let (Some(a), Some(b)) = (base.proximity(), then.proximity())
        && a != b
    {
        return Err(invalid(
            format!("`{id}` would use two kinds of proximity."),
            "Use the same features, neighbours, distance and form for both.",
        ));
    }
    Ok(MethodKind::Composed(Composition { base: Box::new(base), then: Box::new(then), inner }))
}

/// The second method's own settings, and those under `base`.
fn parted(id: &str, parameters: Value) -> Result<(Map<String, Value>, Value)> {
    match parameters {
        Value::Null => Ok((Map::new(), Value::Null)),
        Value::Object(mut own) => {
            let base = own.remove("base").unwrap_or_default();
            Ok((own, base))
        }
        _ => Err(invalid(
            format!("The parameters of `{id}` are not an object."),
            message![phrases::METHOD_BEFORE_BASE, id, phrases::BASE_AFTER_METHOD],
        )),
    }
}

/// The folds of `cross_fit`: true, false or how many.
fn inner(cross_fit: Option<Value>, seed: u64) -> Result<Option<InnerFolds>> {
    let given = cross_fit.unwrap_or_default();
    let folds = match &given {
        Value::Null | Value::Bool(false) => return Ok(None),
        Value::Bool(true) => Some(INNER_FOLDS),
        other => other.as_u64().filter(|folds| (2..=20).contains(folds)),
    };
    let folds = folds.ok_or_else(|| {
        invalid(
            message![phrases::CROSS_FIT, format!(" is {given}.")],
            "Use true (5 inner folds), false, or a number of folds from 2 to 20.",
        )
    })? as usize;
    Ok(Some(InnerFolds { folds, seed }))
}
