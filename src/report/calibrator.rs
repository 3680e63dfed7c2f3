//! The calibrators of a run, fitted on every calibration row, as JSON that another program can apply.

use serde_json::{Value, json};

use super::RunOutcome;
use super::small_cells::enough;
use crate::data::folds::Split;
use crate::data::{Predictions, View, pair};
use crate::error::{Error, Result};
use crate::evaluation::method::{Calibrator, FittedMethod, MethodKind, fitted_for_other_data};
use crate::recalibrate::recalibrator::MethodRequirement;

mod applied;
mod columns;
mod snippet;
mod stored;
pub(super) mod withheld;
mod written;

pub use applied::applied_csv;
pub use columns::ScoreColumn;
use columns::score_columns;
pub use snippet::{Language, snippet};
pub use stored::{Stored, StoredMethod};
use withheld::{Withheld, withhold};

/// Name and version of the calibrators' form.
pub const SCHEMA: &str = "localcal-calibrator/1";

/// Every method of the run but `none`, refitted on all calibration rows (under folds: on every row).
///
/// Scores in the report come from fits that had not seen their rows; this refit is the one to use on new rows.
/// `input` says what a method looks at: `logits` (of every class) or `score` (of the view), and whether features or
/// groups besides. The first of two methods stands under `base`, those of groups by proximity under `groups`: each says
/// which `method` it is and what it `looks_at`.
/// LoRe, PTS with neighbors, correction by the witness and the methods of proximity ask for near rows, so their
/// calibrators carry the calibration rows' coordinates (where outcomes count, also scores and targets), and the
/// projection where the coordinates are principal components or another linear map: they are as sensitive as the data.
///
/// With `suppress`, a smallest count, methods whose parameters may be fitted to fewer rows stay out, as do values of groups
/// of fewer rows, which are then scored as new ones; `left_out` names them.
///
/// # Errors
/// As fitting does; `too_few_rows` where all rows are fewer than `suppress`, or where no method stays.
pub fn calibrator_json(data: &Predictions, run: &RunOutcome, suppress: Option<u64>) -> Result<Vec<u8>> {
    let mut value = calibrator_value(data, run)?;
    if let Some(least) = suppress {
        enough(data.view, run, least)?;
        let split = Split::new(data, run.report.settings.seed)?;
        let left_out = withhold((data, run), &split, &mut value, &Withheld::All(vec![least]))?;
        let some = value.get("methods").and_then(Value::as_array).is_some_and(|methods| !methods.is_empty());
        if !some && !left_out.is_empty() {
            return Err(Error::new(
                "too_few_rows",
                format!(
                    "No fitted method can be exported: the parameters of each may depend on fewer than {least} \
                         rows."
                ),
                "Fit a method whose parameters depend on all rows, such as Platt scaling, or export without \
                 suppressing counts.",
            ));
        }
        if let Some(fields) = value.as_object_mut() {
            fields.insert("left_out".to_owned(), left_out.into());
        }
    }
    serde_json::to_vec_pretty(&value).map_err(unwritable)
}

/// The same as an object.
pub(super) fn calibrator_value(data: &Predictions, run: &RunOutcome) -> Result<Value> {
    let split = Split::new(data, run.report.settings.seed)?;
    let rows = split.all_calibration_rows();
    let mut methods = Vec::new();
    for method in run.rows.iter().map(|rows| &rows.method).filter(|method| method.kind != MethodKind::NONE) {
        let fitted = fitted_for_other_data(data, &method.kind, &rows)?;
        let mut entry = json!({
            "id": fitted.applied().calibrator.id(),
            "name": method.name,
            "input": Looks::of(&fitted).words(),
            "parameters": written::parameters(&fitted)?,
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
    Ok(json!({
        "schema": SCHEMA,
        "view": data.view,
        "score": score,
        "score_columns": score_columns(data),
        "classes": pair::classes(data),
        "labels": data.labels,
        "positive": data.positive.and_then(|positive| data.labels.get(positive)),
        "fitted_rows": data.rows_of(&rows),
        "split": run.report.data.split,
        "methods": methods,
    }))
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
    fn at(needs: MethodRequirement, logits: bool) -> Self {
        Self {
            logits,
            features: matches!(needs, MethodRequirement::Features | MethodRequirement::Proximity),
            groups: matches!(needs, MethodRequirement::Groups),
        }
    }

    fn of(fitted: &FittedMethod) -> Self {
        let fitted = fitted.applied();
        match (&fitted.calibrator, &*fitted.parts) {
            (Calibrator::Single { fit, of_logits }, _) => Self::at(fit.entry().needs, *of_logits),
            (_, parts) => {
                let own = Self { features: !fitted.memory.names.is_empty(), ..Self::default() };
                parts.iter().map(Self::of).fold(own, |all, one| Self {
                    logits: all.logits || one.logits,
                    features: all.features || one.features,
                    groups: all.groups || one.groups,
                })
            }
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

fn unwritable(error: serde_json::Error) -> Error {
    Error::new("internal", format!("The calibrator cannot be written: {error}."), "This is a bug in the program.")
}
