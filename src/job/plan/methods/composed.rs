//! Methods written with a plus: one after another.

use serde_json::{Map, Value};

use super::{kind as single, read};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::method::{AFTER_BASE, InnerFolds, MethodKind};
use crate::evaluation::proximity::ProximityOptions;
use crate::evaluation::request::RunRequest;
use crate::job::bounds::check_stages;
use crate::recalibrate::bin_mean_shift::BinMeanShiftOptions;

/// Groups of a method that is fitted anew by proximity.
const GROUPS: usize = 5;
/// Inner folds of a cross-fit.
const INNER_FOLDS: u64 = 5;
/// Bins of a histogram in each of them, as in the published comparison.
const GROUP_HISTOGRAM_BINS: usize = 10;
/// Options that say what proximity is.
const OF_PROXIMITY: [&str; 5] = ["features", "neighbours", "distance", "form", "row_normalise"];

/// The method of an id, `first+second` included; the settings of the first stand under `base`.
pub(super) fn kind(data: &Predictions, id: &str, parameters: Value, request: &RunRequest) -> Result<MethodKind> {
    check_stages(id)?;
    let Some((first, second)) = id.rsplit_once('+') else {
        if AFTER_BASE.iter().any(|(known, _)| *known == id) {
            let base = if id == "proximity_stratified" { "isotonic" } else { "none" };
            return Err(refused(
                format!("`{id}` comes after another method."),
                format!("Write {base}+{id}, or another method in place of {base}."),
            ));
        }
        return single(id, parameters, data, request);
    };
    let (mut own, base) = parted(id, parameters)?;
    if second == "proximity_stratified" {
        return stratified(data, first, own, base, request);
    }
    let base = kind(data, first, base, request)?;
    let inner = match second {
        "density_ratio" | "bin_mean_shift" => inner(own.remove("cross_fit"), request.seed)?,
        _ => None,
    };
    let then = match second {
        "density_ratio" => {
            let proximity = proximity(data, id, &mut own, request)?;
            MethodKind::DensityRatio { proximity, options: read(id, own.into())? }
        }
        "bin_mean_shift" => {
            let proximity = proximity(data, id, &mut own, request)?;
            let options: BinMeanShiftOptions = read(id, own.into())?;
            MethodKind::BinMeanShift { proximity, options }
        }
        "none" => {
            return Err(refused(
                "`none` repairs nothing, so it cannot come second.".to_owned(),
                format!("Write {first} alone."),
            ));
        }
        _ => single(second, own.into(), data, request)?,
    };
    if knows_vectors_only(&then) {
        return Err(refused(
            format!("`{second}` needs a probability for every class, and `{first}` hands on one score a row."),
            format!("Let {second} come first, or alone."),
        ));
    }
    if looks_at_the_file(&then) {
        return Err(refused(
            format!("`{second}` looks at the scores of the file, so it cannot come second."),
            format!("Let {second} come first, or alone."),
        ));
    }
    if let (Some(Some(a)), Some(Some(b))) = (base.proximity(), then.proximity())
        && a != b
    {
        return Err(refused(
            format!("`{id}` would look at two kinds of proximity."),
            "Give both the same features, neighbours, distance and form.".to_owned(),
        ));
    }
    Ok(MethodKind::Composed { base: Box::new(base), then: Box::new(then), inner })
}

fn stratified(
    data: &Predictions,
    first: &str,
    mut own: Map<String, Value>,
    mut base: Value,
    request: &RunRequest,
) -> Result<MethodKind> {
    let id = format!("{first}+proximity_stratified");
    if first == "none" || first.contains('+') {
        return Err(refused(
            if first == "none" {
                format!("`{id}` would fit nothing in each group of rows.")
            } else {
                format!("`{id}` would fit several methods in each group of rows.")
            },
            "Write one method before it, such as isotonic+proximity_stratified.".to_owned(),
        ));
    }
    if first == "histogram" && base["bins"].is_null() {
        base = serde_json::json!({ "bins": GROUP_HISTOGRAM_BINS });
    }
    let proximity = proximity(data, &id, &mut own, request)?;
    let groups = match own.remove("groups") {
        None => GROUPS,
        Some(groups) => groups.as_u64().filter(|groups| (2..=100).contains(groups)).ok_or_else(|| {
            refused(
                format!("{groups} groups by proximity were asked for."),
                "groups is a whole number from 2 to 100; 5 is usual.".to_owned(),
            )
        })? as usize,
    };
    if let Some(other) = own.keys().next() {
        return Err(refused(
            format!("The parameters of `{id}` cannot be used: unknown field `{other}`."),
            "It takes groups, base, and what proximity is.".to_owned(),
        ));
    }
    Ok(MethodKind::ProximityStratified { base: Box::new(kind(data, first, base, request)?), proximity, groups })
}

/// The second method's own settings, and those under `base`.
fn parted(id: &str, parameters: Value) -> Result<(Map<String, Value>, Value)> {
    match parameters {
        Value::Null => Ok((Map::new(), Value::Null)),
        Value::Object(mut own) => {
            let base = own.remove("base").unwrap_or_default();
            Ok((own, base))
        }
        _ => Err(refused(
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
        refused(
            format!("cross_fit is {given}."),
            "It is true (5 inner folds), false, or a number of folds from 2 to 20.".to_owned(),
        )
    })? as usize;
    Ok(Some(InnerFolds { folds, seed }))
}

/// What proximity is: as the method says, else as the run says, else by the features of the local settings.
fn proximity(
    data: &Predictions,
    id: &str,
    own: &mut Map<String, Value>,
    request: &RunRequest,
) -> Result<Option<ProximityOptions>> {
    let said = OF_PROXIMITY.iter().filter_map(|name| own.remove_entry(*name));
    let said: ProximityOptions = read(id, Value::Object(said.collect()))?;
    let run = request.proximity.clone().unwrap_or_default();
    let local = request.local.as_ref().and_then(|local| local.features.as_ref());
    ProximityOptions {
        features: said.features.or(run.features),
        neighbours: said.neighbours.or(run.neighbours),
        distance: said.distance.or(run.distance),
        form: said.form.or(run.form),
        row_normalise: said.row_normalise.or(run.row_normalise),
    }
    .filled(data, local)
}

/// Whether a method can do nothing with a single score.
fn knows_vectors_only(kind: &MethodKind) -> bool {
    matches!(
        kind,
        MethodKind::Ets
            | MethodKind::Pts { .. }
            | MethodKind::Ptsk { .. }
            | MethodKind::Mir
            | MethodKind::Vector
            | MethodKind::Matrix
            | MethodKind::Dirichlet
    )
}

/// Whether a method takes its scores from the file, whatever came before it.
fn looks_at_the_file(kind: &MethodKind) -> bool {
    matches!(
        kind,
        MethodKind::Lcb(_)
            | MethodKind::Multicalibration(_)
            | MethodKind::GroupTemperature { .. }
            | MethodKind::GroupHistogram { .. }
    )
}

fn refused(message: String, hint: String) -> Error {
    Error::new("invalid_option", message, hint)
}
