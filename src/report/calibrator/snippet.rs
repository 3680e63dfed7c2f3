//! The few lines of Python or JavaScript that apply a calibrator without this program.

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::method::{Calibrator, MethodKind, fit};
use crate::evaluation::split::Split;
use crate::report::{MethodRows, RunOutcome};

mod lines;
mod source;

use lines::Lines;

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
    let fitted = match chooses(kind) {
        true => {
            let split = Split::new(data, run.report.settings.seed)?;
            let rows = split.all_calibration_rows();
            fit(data, kind, &rows, &[], None, &mut |_| ())?.calibrator
        }
        false => Calibrator::Identity {},
    };
    Lines::new(data, language).calibrate(&rows.method.name, kind, &fitted)
}

/// Whether a method chooses, or one within it.
fn chooses(kind: &MethodKind) -> bool {
    match kind {
        MethodKind::Composed { base, .. } | MethodKind::ProximityStratified { base, .. } => chooses(base),
        kind => matches!(kind, MethodKind::Best(_)),
    }
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
        Error::new(
            "unknown_method",
            match method {
                Some(name) => format!("The last run fitted no method called `{name}`."),
                None => format!("The last run fitted {} methods.", names.len()),
            },
            format!("Name one of them: {}.", names.join(", ")),
        )
    })
}
