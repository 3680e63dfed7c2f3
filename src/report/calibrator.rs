//! The calibrators of a run, fitted on every calibration row, as JSON that another program can apply.

use serde_json::{Value, json};

use super::RunOutcome;
use crate::data::{Predictions, View};
use crate::error::{Error, Result};
use crate::evaluation::method::{Calibrator, MethodKind, fit};
use crate::evaluation::pair;
use crate::evaluation::split::Split;

mod again;
mod applied;
mod snippet;
mod stored;
mod written;

pub use applied::applied_csv;
pub use snippet::{Language, snippet};
pub use stored::{Stored, StoredFit, StoredMethod, StoredRows};

/// Name and version of the calibrators' form.
pub const SCHEMA: &str = "localcal-calibrator/1";

/// Every method of the run but `none`, refitted on all calibration rows (under folds: on every row).
///
/// Scores in the report come from fits that had not seen their rows; this refit is the one to use on new rows.
/// `input` says what a method looks at: `logits` (of every class) or `score` (of the view), and whether features or
/// groups besides. The first of two methods stands under `base`, those of groups by proximity under `groups`: each says
/// which `method` it is and what it `looks_at`.
/// LoRe, PTS with neighbours, correction by the witness and the methods of proximity ask for near rows, so their
/// calibrators carry the calibration rows' coordinates (where outcomes count, also scores and targets), and the
/// projection where the coordinates are principal components or another linear map: they are as sensitive as the data.
///
/// # Errors
/// As fitting does.
pub fn calibrator_json(data: &Predictions, run: &RunOutcome) -> Result<Vec<u8>> {
    let split = Split::new(data, run.report.settings.seed)?;
    let rows = split.all_calibration_rows();
    let mut methods = Vec::new();
    for method in run.rows.iter().map(|rows| &rows.method).filter(|method| method.kind != MethodKind::None) {
        let fitted = fit(data, &method.kind, &rows, &[], None, &mut |_| ())?;
        let parameters = written::parameters(data, &method.kind, &fitted.calibrator, &rows)?;
        let mut entry = json!({
            "id": resolved(&method.kind, &fitted.calibrator).0.id(),
            "name": method.name,
            "input": looks(data, &method.kind, &fitted.calibrator).words(),
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

/// What is applied: the method and its fit, or the candidate that was chosen and the fit of that.
fn resolved<'a>(kind: &'a MethodKind, calibrator: &'a Calibrator) -> (&'a MethodKind, &'a Calibrator) {
    match (kind, calibrator) {
        (MethodKind::Best(choice), Calibrator::Best(best)) => {
            let chosen = choice.of.iter().find(|method| method.name == best.chosen);
            (chosen.map_or(&MethodKind::None, |m| &m.kind), &*best.fit)
        }
        both => both,
    }
}

/// What a method looks at.
#[derive(Debug, Clone, Copy, Default)]
struct Looks {
    /// at the logits of every class, not at the score of the view
    logits: bool,
    features: bool,
    groups: bool,
}

impl Looks {
    /// At the scores of this data, by the id of a single method.
    fn of(data: &Predictions, id: &str) -> Self {
        let logits = match id {
            "temperature" | "mmce_temperature" | "ets" | "pts" | "ptsk" | "mir" | "vector" | "matrix" | "dirichlet" => {
                true
            }
            "group_temperature" => data.y.is_some(),
            _ => false,
        };
        Self {
            logits: logits && pair::has_vector(data),
            features: matches!(id, "lore" | "lcb" | "ptsk" | "density_ratio" | "bin_mean_shift"),
            groups: matches!(
                id,
                "group_temperature" | "group_histogram" | "multicalibration" | "proportional_multicalibration"
            ),
        }
    }

    fn words(self) -> &'static str {
        match (self.logits, self.features, self.groups) {
            (false, false, false) => "score",
            (false, true, false) => "score and features",
            (false, false, true) => "score and groups",
            (false, true, true) => "score, features and groups",
            (true, false, false) => "logits",
            (true, true, false) => "logits and features",
            (true, false, true) => "logits and groups",
            (true, true, true) => "logits, features and groups",
        }
    }
}

fn looks(data: &Predictions, kind: &MethodKind, calibrator: &Calibrator) -> Looks {
    match resolved(kind, calibrator) {
        (MethodKind::Composed { base, then, .. }, Calibrator::Composed { base: first, .. }) => {
            let mut all = looks(data, base, first);
            all.features |= Looks::of(data, &then.id()).features;
            all
        }
        (MethodKind::ProximityStratified { base, .. }, Calibrator::ProximityStratified { groups, .. }) => {
            let mut all = Looks::default();
            for group in groups {
                let one = looks(data, base, group);
                all.logits |= one.logits;
                all.groups |= one.groups;
            }
            all.features = true;
            all
        }
        (kind, _) => Looks::of(data, &kind.id()),
    }
}

fn unwritable(error: serde_json::Error) -> Error {
    Error::new("invalid_option", format!("The calibrator cannot be written: {error}."), "Run again.")
}
