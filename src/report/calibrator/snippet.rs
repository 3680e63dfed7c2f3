//! The few lines of Python or JavaScript that apply a calibrator without this program.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::{applied_id, input};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::method::{MethodKind, fit};
use crate::evaluation::split::Split;
use crate::report::{MethodRows, RunOutcome};

/// What the lines are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Python with NumPy
    #[default]
    Python,
    /// JavaScript without libraries
    Javascript,
}

/// Functions that a method calls, then the body of its own, in both languages.
struct Source {
    python: &'static [&'static str],
    javascript: &'static [&'static str],
}

macro_rules! source {
    ($body:literal, [$($python:literal),*], [$($javascript:literal),*]) => {
        Source {
            python: &[
                $(include_str!(concat!("snippet/", $python, ".py")),)*
                include_str!(concat!("snippet/", $body, ".py")),
            ],
            javascript: &[
                $(include_str!(concat!("snippet/", $javascript, ".js")),)*
                include_str!(concat!("snippet/", $body, ".js")),
            ],
        }
    };
}

fn source(id: &str, of_logits: bool) -> Option<Source> {
    Some(match id {
        "temperature" | "mmce_temperature" if of_logits => {
            source!("temperature", ["softmax"], ["softmax"])
        }
        "temperature" | "mmce_temperature" => {
            source!("temperature_of_score", ["logit"], ["logit"])
        }
        "none" => source!("none", [], []),
        "platt" => source!("platt", ["logit"], ["logit"]),
        "beta" => source!("beta", [], []),
        "isotonic" => source!("isotonic", [], ["search", "curve"]),
        "histogram" => source!("histogram", [], ["search"]),
        "bbq" => source!("bbq", [], ["search"]),
        "venn_abers" => source!("venn_abers", [], ["search"]),
        "ets" => source!("ets", ["softmax"], ["softmax"]),
        "pts" => source!("pts", ["softmax", "network"], ["softmax", "network"]),
        "ptsk" => source!(
            "ptsk",
            ["softmax", "network", "projected"],
            ["softmax", "network", "projected"]
        ),
        "mir" => source!("mir", ["softmax"], ["softmax", "search", "curve"]),
        "vector" => source!("vector", ["softmax"], ["softmax"]),
        "matrix" => source!("matrix", ["softmax"], ["softmax", "affine"]),
        "dirichlet" => source!("dirichlet", ["softmax"], ["softmax", "affine"]),
        "lore" => source!("lore", ["projected"], ["search", "projected"]),
        _ => return None,
    })
}

/// A function `calibrate(calibrator, …)` that applies one method of an exported calibrator to new scores, as text.
///
/// Its arguments: `s` (scores of the view, n) or `z` (logits of every class, n × m), and `x` (features, n × d) where the
/// method asks for near rows. Answers the same numbers as the core up to rounding.
///
/// # Errors
/// `unknown_method` for a name that the run does not have, or none where the run has several; `invalid_option` for a
/// method that is not written in other languages.
pub fn snippet(
    data: &Predictions,
    run: &RunOutcome,
    method: Option<&str>,
    language: Language,
) -> Result<String> {
    let rows = chosen(run, method)?;
    let name = &rows.method.name;
    let id = match &rows.method.kind {
        kind @ MethodKind::Best(_) => {
            let split = Split::new(data, run.report.settings.seed)?;
            let rows = split.all_calibration_rows();
            let fitted = fit(data, kind, &rows, &[], None, &mut |_| ())?;
            applied_id(kind, &fitted.calibrator)
        }
        kind => kind.id(),
    };
    let what = input(data, &id);
    let found = source(&id, what.starts_with("logits")).ok_or_else(|| {
        Error::new(
            "invalid_option",
            format!("`{id}` is not written in other languages."),
            "Use the exported predictions, or apply the calibrator here.",
        )
    })?;
    // A JSON string is a string in both languages.
    let quoted = serde_json::Value::from(name.as_str()).to_string();
    let arguments = match what {
        "logits" => "z",
        "logits and features" => "z, x",
        "score and features" => "s, x",
        _ => "s",
    };
    Ok(match language {
        Language::Python => python(&found, name, &quoted, arguments),
        Language::Javascript => javascript(&found, name, &quoted, arguments),
    })
}

fn chosen<'a>(run: &'a RunOutcome, method: Option<&str>) -> Result<&'a MethodRows> {
    let fitted: Vec<&MethodRows> = run
        .rows
        .iter()
        .filter(|rows| rows.method.kind.id() != "none")
        .collect();
    let found = match (method, fitted.as_slice()) {
        (None, [only]) => Some(*only),
        (None, _) => None,
        (Some(name), all) => all.iter().find(|rows| rows.method.name == name).copied(),
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = fitted
            .iter()
            .map(|rows| rows.method.name.as_str())
            .collect();
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

/// What the arguments are, line by line.
fn arguments_in_words(arguments: &str) -> Vec<&'static str> {
    let mut lines = Vec::new();
    if arguments.starts_with('z') {
        lines.push("z: logits, one row a case, classes in the order of calibrator.labels.");
        lines.push(
            "   From probabilities: ln(max(P, 2.2e-16)); from one P(y = 1): (0, ln(p / (1 - p))).",
        );
    } else {
        lines.push("s: scores, one a case: what calibrator.score says.");
    }
    if arguments.ends_with('x') {
        lines.push(
            "x: features, one row a case, as calibrator's `coordinates` (or projection.of) name them.",
        );
    }
    lines
}

fn python(source: &Source, name: &str, quoted: &str, arguments: &str) -> String {
    let mut out = format!("# {}\n", heading(name));
    for line in arguments_in_words(arguments) {
        out.push_str(&format!("# {line}\n"));
    }
    out.push_str("# calibrator = json.load(open(\"calibrator.json\"))\n");
    out.push_str("import numpy as np\n\n\n");
    let (body, functions) = split_last(source.python);
    functions.iter().for_each(|text| out.push_str(text));
    out.push_str(&format!(
        "def calibrate(calibrator, {arguments}):\n    \
         c = next(m for m in calibrator[\"methods\"] if m[\"name\"] == {quoted})[\"parameters\"]\n"
    ));
    out.push_str(body);
    out
}

fn javascript(source: &Source, name: &str, quoted: &str, arguments: &str) -> String {
    let mut out = format!("// {}\n", heading(name));
    for line in arguments_in_words(arguments) {
        out.push_str(&format!("// {line}\n"));
    }
    out.push_str("// calibrator: JSON.parse of the exported file.\n");
    let (body, functions) = split_last(source.javascript);
    functions.iter().for_each(|text| out.push_str(text));
    out.push_str(&format!(
        "function calibrate(calibrator, {arguments}) {{\n  \
         const c = calibrator.methods.find(({{ name }}) => name === {quoted}).parameters;\n"
    ));
    out.push_str(body);
    out.push_str("}\n");
    out
}

fn heading(name: &str) -> String {
    // A name is a person's text: it stays on its line.
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    format!("Applies \"{name}\" of an exported calibrator to new cases.")
}

fn split_last<'a>(texts: &'a [&'a str]) -> (&'a str, &'a [&'a str]) {
    texts
        .split_last()
        .map_or(("", &[]), |(last, rest)| (last, rest))
}
