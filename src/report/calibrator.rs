//! The calibrators of a run, fitted on every calibration row, as JSON that another program can apply.

use serde_json::{Value, json};

use super::RunOutcome;
use crate::data::{Predictions, View};
use crate::error::{Error, Result};
use crate::evaluation::features;
use crate::evaluation::method::{Calibrator, MethodKind, fit};
use crate::evaluation::pair;
use crate::evaluation::split::Split;

/// Name and version of the calibrators' form.
pub const SCHEMA: &str = "localcal-calibrator/1";

/// Every method of the run but `none`, refitted on all calibration rows (under folds: on every row).
///
/// Scores in the report come from fits that had not seen their rows; this refit is the one to use on new rows.
/// LoRe, PTS with neighbours and correction by the witness ask for near rows, so their calibrators carry the calibration rows' coordinates, scores and
/// targets, and the projection where the coordinates are principal components or another linear map: they are as sensitive as the data.
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
        let mut parameters = fitted.calibrator.parameters();
        if let (
            Calibrator::Lore {
                features: choice, ..
            }
            | Calibrator::Lcb {
                features: choice, ..
            }
            | Calibrator::Ptsk {
                features: choice, ..
            },
            Some(map),
        ) = (&fitted.calibrator, parameters.as_object_mut())
        {
            let coordinates = features::features(data, choice, &rows)?;
            let (s, t) = (pair::scores(data)?, pair::targets(data)?);
            map.insert("dimension".into(), json!(coordinates.d));
            map.insert("coordinates".into(), json!(coordinates.names));
            if let Some(projection) = &coordinates.projection {
                let (mean, components) = (&*projection.mean, &*projection.components);
                map.insert(
                    "projection".into(),
                    json!({ "of": projection.of, "mean": mean, "components": components }),
                );
            }
            map.insert("x".into(), json!(coordinates.select(&rows)));
            map.insert(
                "score".into(),
                rows.iter().map(|&row| s[row as usize]).collect(),
            );
            map.insert(
                "target".into(),
                rows.iter().map(|&row| t[row as usize]).collect(),
            );
        }
        methods
            .push(json!({ "id": method.kind.id(), "name": method.name, "parameters": parameters }));
    }
    let score = match (data.view, pair::has_vector(data)) {
        (View::Positive, _) => "P(y = positive)",
        (View::TopLabel, _) => "confidence of the predicted class",
    };
    let value: Value = json!({
        "schema": SCHEMA,
        "view": data.view,
        "score": score,
        "labels": data.labels,
        "positive": data.positive.and_then(|positive| data.labels.get(positive)),
        "fitted_rows": rows.len(),
        "split": run.report.data.split,
        "methods": methods,
    });
    serde_json::to_vec_pretty(&value).map_err(unwritable)
}

fn unwritable(error: serde_json::Error) -> Error {
    Error::new(
        "invalid_option",
        format!("The calibrator cannot be written: {error}."),
        "Run again.",
    )
}
