//! The calibrators of a run, fitted on every calibration row, as JSON that another program can apply.

use serde_json::{Map, Value, json};

use super::RunOutcome;
use crate::data::{Predictions, View};
use crate::error::{Error, Result};
use crate::evaluation::features;
use crate::evaluation::features::FeatureChoice;
use crate::evaluation::method::{Calibrator, MethodKind, fit};
use crate::evaluation::pair;
use crate::evaluation::split::Split;

mod applied;
mod snippet;
mod stored;

pub use applied::applied_csv;
pub use snippet::{Language, snippet};
pub use stored::{Stored, StoredMethod, StoredRows};

/// Name and version of the calibrators' form.
pub const SCHEMA: &str = "localcal-calibrator/1";

/// Every method of the run but `none`, refitted on all calibration rows (under folds: on every row).
///
/// Scores in the report come from fits that had not seen their rows; this refit is the one to use on new rows.
/// `input` says what a method looks at: `logits` (of every class) or `score` (of the view), and whether features besides.
/// LoRe, PTS with neighbours and correction by the witness ask for near rows, so their calibrators carry the calibration rows' coordinates, and the
/// projection where these are principal components or another linear map; LoRe and the witness ask what happened
/// there, so they carry scores and targets too: they are as sensitive as the data.
///
/// # Errors
/// As fitting does.
pub fn calibrator_json(data: &Predictions, run: &RunOutcome) -> Result<Vec<u8>> {
    let split = Split::new(data, run.report.settings.seed)?;
    let rows = split.all_calibration_rows();
    let mut methods = Vec::new();
    for method in run
        .rows
        .iter()
        .map(|rows| &rows.method)
        .filter(|method| method.kind != MethodKind::None)
    {
        let fitted = fit(data, &method.kind, &rows, &[], &mut |_| ())?;
        let id = applied_id(&method.kind, &fitted.calibrator);
        let mut entry = json!({
            "id": id,
            "name": method.name,
            "input": input(data, id),
            "parameters": with_rows(data, fitted.calibrator.applied(), &rows)?,
        });
        if let (Calibrator::Best(_), Some(entry)) = (&fitted.calibrator, entry.as_object_mut()) {
            let why = fitted.calibrator.parameters();
            entry.insert("chosen_by".into(), why["by"].clone());
            entry.insert("scores".into(), why["scores"].clone());
        }
        methods.push(entry);
    }
    let score = match (data.view, pair::has_vector(data)) {
        (View::Positive, _) => "P(y = positive)",
        (View::TopLabel, _) => "confidence of the predicted class",
    };
    let value: Value = json!({
        "schema": SCHEMA,
        "view": data.view,
        "score": score,
        "classes": pair::classes(data),
        "labels": data.labels,
        "positive": data.positive.and_then(|positive| data.labels.get(positive)),
        "fitted_rows": rows.len(),
        "split": run.report.data.split,
        "methods": methods,
    });
    serde_json::to_vec_pretty(&value).map_err(unwritable)
}

/// The id of what is applied: of the method, or of the candidate that was chosen.
fn applied_id(kind: &MethodKind, calibrator: &Calibrator) -> &'static str {
    match (kind, calibrator) {
        (MethodKind::Best(choice), Calibrator::Best(best)) => choice
            .of
            .iter()
            .find(|candidate| candidate.name == best.chosen)
            .map_or("none", |candidate| candidate.kind.id()),
        _ => kind.id(),
    }
}

/// What a method looks at in this data.
fn input(data: &Predictions, id: &str) -> &'static str {
    let of_vector = matches!(
        id,
        "temperature"
            | "mmce_temperature"
            | "ets"
            | "pts"
            | "mir"
            | "vector"
            | "matrix"
            | "dirichlet"
    );
    match id {
        "lore" | "lcb" => "score and features",
        "group_temperature" if pair::has_vector(data) => "logits and groups",
        "group_temperature"
        | "group_histogram"
        | "multicalibration"
        | "proportional_multicalibration" => "score and groups",
        "ptsk" => "logits and features",
        _ if of_vector && pair::has_vector(data) => "logits",
        _ => "score",
    }
}

/// The parameters, with the calibration rows where applying asks for near ones.
fn with_rows(data: &Predictions, calibrator: &Calibrator, rows: &[u32]) -> Result<Value> {
    let mut parameters = calibrator.parameters();
    let Some(map) = parameters.as_object_mut() else {
        return Ok(parameters);
    };
    match calibrator {
        Calibrator::Ptsk { features, .. } => insert_places(data, features, rows, map)?,
        Calibrator::Lore { features, .. } | Calibrator::Lcb { features, .. } => {
            insert_places(data, features, rows, map)?;
            let (s, t) = (pair::scores(data)?, pair::targets(data)?);
            let s: Vec<f64> = rows.iter().map(|&row| s[row as usize]).collect();
            let t: Vec<u8> = rows.iter().map(|&row| t[row as usize]).collect();
            if let Calibrator::Lore { bins, .. } = calibrator {
                let binning = bins.binning(&s)?;
                map.insert("edges".into(), json!(binning.edges.edges));
                map.insert("closed".into(), json!(binning.edges.closed));
                map.insert("bin".into(), json!(binning.assignment));
            }
            map.insert("score".into(), json!(s));
            map.insert("target".into(), json!(t));
        }
        _ => (),
    }
    Ok(parameters)
}

fn insert_places(
    data: &Predictions,
    choice: &FeatureChoice,
    rows: &[u32],
    map: &mut Map<String, Value>,
) -> Result<()> {
    let coordinates = features::features(data, choice, rows)?;
    map.insert("dimension".into(), json!(coordinates.d));
    map.insert("coordinates".into(), json!(coordinates.names));
    if let Some(projection) = &coordinates.projection {
        let (mean, components) = (&*projection.mean, &*projection.components);
        map.insert(
            "projection".into(),
            json!({ "of": projection.of, "mean": mean, "components": components }),
        );
    }
    map.insert("x".into(), json!(coordinates.select(rows)));
    Ok(())
}

fn unwritable(error: serde_json::Error) -> Error {
    Error::new(
        "invalid_option",
        format!("The calibrator cannot be written: {error}."),
        "Run again.",
    )
}
