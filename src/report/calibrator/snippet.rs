//! The few lines of Python or JavaScript that apply a calibrator without this program.

use crate::metric::Reason;
use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::{Error, Result, Text, phrases};
use crate::evaluation::method::fitted_for_other_data;
use crate::report::{MethodRows, RunOutcome};

mod lines;
mod steps;

use lines::Lines;
use steps::Steps;

/// What the lines are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Python with NumPy
    #[default]
    Python,
    /// JavaScript without libraries
    Javascript,
}

/// A function `calibrate(calibrator, …)` that applies one method of an exported calibrator to new scores, as text.
///
/// Its arguments: `s` (scores of the view, n) or `z` (logits of every class, n × m), `x` (features, n × d) where the
/// method asks for near rows, and `g` (texts, n × columns) where it asks for groups. Of two methods that both ask for
/// near rows the first has its own, `x_base`. Answers the same numbers as the core up to rounding.
///
/// # Errors
/// `unknown_method` for a name that the run does not have, or none where the run has several; `invalid_option` for a
/// method that is not written in other languages.
pub fn snippet(data: &Predictions, run: &RunOutcome, method: Option<&str>, language: Language) -> Result<String> {
    let rows = chosen(run, method)?;
    let kind = &rows.method.kind;
    // Only a choice has to be made before it is known what is written.
    let steps = match kind.chooses() {
        true => {
            let rows = Split::new(data, run.report.settings.seed)?.all_calibration_rows();
            Steps::of_fit(&fitted_for_other_data(data, kind, &rows)?)
        }
        false => Steps::of_kind(data, kind),
    };
    Lines::new(language).calibrate(&rows.method.name, &steps?)
}

fn chosen<'a>(run: &'a RunOutcome, method: Option<&str>) -> Result<&'a MethodRows> {
    let fitted: Vec<&MethodRows> = run.rows.iter().filter(|rows| rows.method.kind.id() != "none").collect();
    let found = match (method, fitted.as_slice()) {
        (None, [only]) => Some(*only),
        (None, _) => None,
        (Some(name), all) => all.iter().find(|rows| rows.method.name == name).copied(),
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = fitted.iter().map(|rows| rows.method.name.as_str()).collect();
        let asked = run.report.methods.iter().find(|one| Some(one.name.as_str()) == method && one.id != "none");
        let reason = asked.and_then(|one| one.metrics.values().find_map(|value| value.reason.as_ref()));
        if let (Some(Reason::FeaturesMissing), Some(name)) = (reason, method) {
            return Error::new(
                "features_missing",
                format!("`{name}` was not fitted: it needs features, which define similarity."),
                phrases::FEATURES_OF_METHOD,
            );
        }
        Error::new(
            "unknown_method",
            match method {
                Some(name) => format!("The last run did not fit a method named `{name}`."),
                None => format!("The last run fitted {} methods.", names.len()),
            },
            match names.is_empty() {
                true => phrases::RUN_SOME_FIRST.into(),
                false => Text::from(format!("Choose one of: {}.", names.join(", "))),
            },
        )
    })
}

fn unwritten(what: &str) -> Error {
    Error::new(
        "invalid_option",
        format!("`{what}` is not available as code."),
        "Use the exported predictions, or apply the calibrator here.",
    )
}
