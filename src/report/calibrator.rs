//! The calibrators of a run, fitted on every calibration row, as JSON that another program can apply.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::RunOutcome;
use crate::data::{Predictions, View};
use crate::error::{Error, Result};
use crate::evaluation::features;
use crate::evaluation::method::{Calibrator, InnerFolds, MethodKind, fit, near_of, out_of_fold};
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
/// LoRe, PTS with neighbours, correction by the witness and the methods of proximity ask for near rows, so their
/// calibrators carry the calibration rows' coordinates (but for two of the last also scores and targets), and the
/// projection where the coordinates are principal components or another linear map: they are as sensitive as the data.
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
        let near = match method.kind.proximity() {
            Some(Some(proximity)) => Some(near_of(data, proximity, &rows, &[])?),
            _ => None,
        };
        let fitted = fit(data, &method.kind, &rows, &[], near.as_deref(), &mut |_| ())?;
        let id = applied_id(&method.kind, &fitted.calibrator);
        let mut parameters = fitted.calibrator.applied().parameters();
        if let Some(map) = parameters.as_object_mut() {
            let seen = Seen {
                data,
                rows: &rows,
                near: near.as_deref(),
            };
            seen.write(map, &method.kind, fitted.calibrator.applied())?;
        }
        let mut entry = json!({
            "id": id,
            "name": method.name,
            "input": input(data, &id),
            "parameters": parameters,
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
fn applied_id(kind: &MethodKind, calibrator: &Calibrator) -> Cow<'static, str> {
    match (kind, calibrator) {
        (MethodKind::Best(choice), Calibrator::Best(best)) => choice
            .of
            .iter()
            .find(|candidate| candidate.name == best.chosen)
            .map_or("none".into(), |candidate| candidate.kind.id()),
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

/// Calibration rows, for methods that look at them again for every new row.
struct Seen<'a> {
    data: &'a Predictions,
    rows: &'a [u32],
    near: Option<&'a [f64]>,
}

impl Seen<'_> {
    /// Rows stand beside the method that looks at them: the first of two has its own, under `base`.
    fn write(
        &self,
        map: &mut Map<String, Value>,
        kind: &MethodKind,
        calibrator: &Calibrator,
    ) -> Result<()> {
        match (kind, calibrator) {
            (
                MethodKind::Composed { base, inner, .. },
                Calibrator::Composed {
                    base: first, then, ..
                },
            ) => {
                self.add_rows(map, then, Some((base, inner.as_ref())))?;
                match map.get_mut("base").and_then(Value::as_object_mut) {
                    Some(fields) => self.write(fields, base, first),
                    None => Ok(()),
                }
            }
            _ => self.add_rows(map, calibrator, None),
        }
    }

    /// Writes coordinates, scores, targets and proximities beside the parameters of a method that needs them; scores
    /// are those that the method `before` gave.
    fn add_rows(
        &self,
        map: &mut Map<String, Value>,
        calibrator: &Calibrator,
        before: Option<(&MethodKind, Option<&InnerFolds>)>,
    ) -> Result<()> {
        let (choice, all) = match calibrator {
            Calibrator::Ptsk { features, .. } => (Some(features), false),
            Calibrator::Lore { features, .. } | Calibrator::Lcb { features, .. } => {
                (Some(features), true)
            }
            Calibrator::DensityRatio { proximity, .. } => (proximity.features.as_ref(), true),
            Calibrator::BinMeanShift { proximity, .. }
            | Calibrator::ProximityStratified { proximity, .. } => {
                (proximity.features.as_ref(), false)
            }
            _ => (None, false),
        };
        let Some(choice) = choice else { return Ok(()) };
        let coordinates = features::features(self.data, choice, self.rows)?;
        map.insert("dimension".into(), json!(coordinates.d));
        map.insert("coordinates".into(), json!(coordinates.names));
        if let Some(projection) = &coordinates.projection {
            let (mean, components) = (&*projection.mean, &*projection.components);
            map.insert(
                "projection".into(),
                json!({ "of": projection.of, "mean": mean, "components": components }),
            );
        }
        map.insert("x".into(), json!(coordinates.select(self.rows)));
        if !all {
            return Ok(());
        }
        let s = match before {
            None => pair::scores(self.data)?,
            Some((kind, inner)) => {
                let (data, rows) = (self.data, self.rows);
                let given = match inner {
                    Some(inner) => out_of_fold(data, kind, inner, rows, &mut |_| ())?,
                    None => fit(data, kind, rows, rows, self.near, &mut |_| ())?
                        .score
                        .to_vec(),
                };
                let mut s = vec![f64::NAN; data.rows];
                for (&row, score) in rows.iter().zip(given) {
                    s[row as usize] = score;
                }
                s
            }
        };
        let t = pair::targets(self.data)?;
        let rows = self.rows.iter();
        if let Calibrator::Lore { bins, .. } = calibrator {
            let s: Vec<f64> = rows.clone().map(|&row| s[row as usize]).collect();
            let binning = bins.binning(&s)?;
            map.insert("edges".into(), json!(binning.edges.edges));
            map.insert("closed".into(), json!(binning.edges.closed));
            map.insert("bin".into(), json!(binning.assignment));
        }
        map.insert(
            "score".into(),
            rows.clone().map(|&row| s[row as usize]).collect(),
        );
        map.insert(
            "target".into(),
            rows.clone().map(|&row| t[row as usize]).collect(),
        );
        if let (Calibrator::DensityRatio { .. }, Some(near)) = (calibrator, self.near) {
            let d = rows.map(|&row| near[row as usize].exp());
            map.insert("proximity".into(), d.collect());
        }
        Ok(())
    }
}

fn unwritable(error: serde_json::Error) -> Error {
    Error::new(
        "invalid_option",
        format!("The calibrator cannot be written: {error}."),
        "Run again.",
    )
}
