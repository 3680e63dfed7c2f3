//! Methods written with a plus: one after another.

use serde_json::{Map, Value};

use super::single;
use crate::error::Result;
use crate::evaluation::method::{InnerFolds, MethodKind, entry};
use crate::recalibrate::recalibrator::{Asked, Input, Place, invalid};
use crate::request::bounds::check_stages;

/// Groups of a method that is fitted anew by proximity.
const GROUPS: usize = 5;
/// Inner folds of a cross-fit.
const INNER_FOLDS: u64 = 5;
/// Bins of a histogram in each of them, as in the published comparison.
const GROUP_HISTOGRAM_BINS: usize = 10;

/// The method of an id, `first+second` included; the settings of the first stand under `base`.
pub(super) fn kind(asked: Asked) -> Result<MethodKind> {
    let id = asked.id;
    check_stages(id)?;
    let Some((first, second)) = id.rsplit_once('+') else {
        if let Some(Place::After { usual, .. }) = entry(id).map(|entry| entry.place) {
            return Err(invalid(
                format!("`{id}` comes after another method."),
                format!("Write {usual}+{id}, or another method in place of {usual}."),
            ));
        }
        return single(id, asked);
    };
    let (mut own, base) = parted(id, asked.parameters)?;
    let (data, run) = (asked.data, asked.run);
    if second == "proximity_stratified" {
        return stratified(first, Asked { id, parameters: own.into(), data, run }, base);
    }
    let base = kind(Asked { id: first, parameters: base, data, run })?;
    let place = entry(second).map(|entry| entry.place);
    let (inner, written) = match place {
        Some(Place::After { .. }) => (inner(own.remove("cross_fit"), run.seed)?, id),
        Some(Place::Untouched) => {
            return Err(invalid(
                format!("`{second}` repairs nothing, so it cannot come second."),
                format!("Write {first} alone."),
            ));
        }
        Some(Place::Anywhere | Place::First) | None => (None, second),
    };
    let then = single(second, Asked { id: written, parameters: own.into(), data, run })?;
    if matches!(then.last().input, Input::Logits(_)) {
        return Err(invalid(
            format!("`{second}` needs a probability for every class, and `{first}` hands on one score a row."),
            format!("Let {second} come first, or alone."),
        ));
    }
    if place == Some(Place::First) {
        return Err(invalid(
            format!("`{second}` looks at the scores of the file, so it cannot come second."),
            format!("Let {second} come first, or alone."),
        ));
    }
    if let (Some(a), Some(b)) = (base.proximity(), then.proximity())
        && a != b
    {
        return Err(invalid(
            format!("`{id}` would look at two kinds of proximity."),
            "Give both the same features, neighbours, distance and form.",
        ));
    }
    Ok(MethodKind::Composed { base: Box::new(base), then: Box::new(then), inner })
}

fn stratified(first: &str, asked: Asked, mut base: Value) -> Result<MethodKind> {
    let (id, data, run) = (asked.id, asked.data, asked.run);
    if first == "none" || first.contains('+') {
        return Err(invalid(
            if first == "none" {
                format!("`{id}` would fit nothing in each group of rows.")
            } else {
                format!("`{id}` would fit several methods in each group of rows.")
            },
            "Write one method before it, such as isotonic+proximity_stratified.",
        ));
    }
    if first == "histogram" && base["bins"].is_null() {
        base = serde_json::json!({ "bins": GROUP_HISTOGRAM_BINS });
    }
    let (proximity, mut rest) = asked.proximity()?;
    let mut own = rest.parameters.as_object_mut().map(std::mem::take).unwrap_or_default();
    let groups = match own.remove("groups") {
        None => GROUPS,
        Some(groups) => groups.as_u64().filter(|groups| (2..=100).contains(groups)).ok_or_else(|| {
            invalid(
                format!("{groups} groups by proximity were asked for."),
                "groups is a whole number from 2 to 100; 5 is usual.",
            )
        })? as usize,
    };
    if let Some(other) = own.keys().next() {
        return Err(invalid(
            format!("The parameters of `{id}` cannot be used: unknown field `{other}`."),
            "It takes groups, base, and what proximity is.",
        ));
    }
    let base = Box::new(kind(Asked { id: first, parameters: base, data, run })?);
    Ok(MethodKind::ProximityStratified { base, proximity, groups })
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
            format!("Write {{ id: \"{id}\", parameters: {{ base: {{ … }}, … }} }}."),
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
            format!("cross_fit is {given}."),
            "It is true (5 inner folds), false, or a number of folds from 2 to 20.",
        )
    })? as usize;
    Ok(Some(InnerFolds { folds, seed }))
}
