//! Calibrators read back from their JSON.

use serde_json::Value;

use super::{SCHEMA, ScoreColumn};
use crate::data::View;
use crate::error::{Error, Result, Text, message, phrases};
use crate::evaluation::method::FittedMethod;
use crate::request::bounds::check_depth;
use crate::request::message::read;

mod fit;

/// What a calibrator file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// the pair that was looked at
    pub view: View,
    /// class names in the order of the logits; may be empty
    pub labels: Vec<String>,
    /// the label counted as 1
    pub positive: Option<String>,
    /// m
    pub classes: usize,
    /// the columns of scores that were fitted to; empty where the calibrator does not name them
    pub score_columns: Vec<ScoreColumn>,
    /// the fits
    pub methods: Vec<StoredMethod>,
}

/// One fit, ready to be applied, under its name.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMethod {
    /// the method's id
    pub id: String,
    /// its name in the run
    pub name: String,
    /// what was learned
    pub fit: FittedMethod,
}

/// A damaged or incomplete file.
fn damaged(what: impl Into<Text>) -> Error {
    let what = message!["Invalid calibrator: ", what, "."];
    Error::new("calibrator_unreadable", what, phrases::CALIBRATOR_UNCHANGED)
}

impl Stored {
    /// From the JSON of an export, read as an object (the page turns text into one).
    ///
    /// # Errors
    /// `calibrator_unreadable` saying what is not as it should be: another version, an unknown method,
    /// parameters that are missing, no numbers, or of another length.
    pub fn read(value: &Value) -> Result<Self> {
        check_depth(value)?;
        match value.get("schema").and_then(Value::as_str) {
            Some(SCHEMA) => (),
            Some(other) => {
                return Err(Error::new(
                    "calibrator_unreadable",
                    format!("The calibrator has the schema `{other}`; `{SCHEMA}` is supported."),
                    "Export it again with this version.",
                ));
            }
            None => return Err(damaged("it has no `schema`")),
        }
        let field = |name: &str| value.get(name).cloned().unwrap_or_default();
        let labels: Vec<String> = read(field("labels")).map_err(|error| damaged(format!("labels: {error}")))?;
        let classes = match value.get("classes").and_then(Value::as_u64) {
            Some(classes) if (2..=1 << 20).contains(&classes) => classes as usize,
            Some(classes) => return Err(damaged(format!("it has {classes} classes"))),
            None => labels.len().max(2),
        };
        let listed = value.get("methods").and_then(Value::as_array);
        let methods: Vec<StoredMethod> =
            listed.into_iter().flatten().map(|method| one(method, classes)).collect::<Result<_>>()?;
        if !matches!(value.get("positive"), None | Some(Value::Null | Value::String(_))) {
            return Err(damaged("positive is not the name of a label"));
        }
        if methods.is_empty() {
            return Err(damaged("it contains no method"));
        }
        Ok(Self {
            view: read(field("view")).map_err(|error| damaged(format!("view: {error}")))?,
            labels,
            positive: value.get("positive").and_then(Value::as_str).map(str::to_owned),
            classes,
            score_columns: match value.get("score_columns") {
                None | Some(Value::Null) => Vec::new(),
                Some(columns) => read(columns.clone()).map_err(|error| damaged(format!("score_columns: {error}")))?,
            },
            methods,
        })
    }

    /// Leaves one method, by its name.
    ///
    /// # Errors
    /// `unknown_method`.
    pub fn only(mut self, name: &str) -> Result<Self> {
        let known: Vec<String> = self.methods.iter().map(|m| m.name.clone()).collect();
        self.methods.retain(|method| method.name == name);
        if self.methods.is_empty() {
            return Err(Error::new(
                "unknown_method",
                format!("The calibrator contains no method named `{name}`."),
                format!("Available: {}.", known.join(", ")),
            ));
        }
        Ok(self)
    }
}

fn one(method: &Value, classes: usize) -> Result<StoredMethod> {
    let text = |name: &str| method.get(name).and_then(Value::as_str);
    let id = text("id").ok_or_else(|| damaged("a method has no `id`"))?;
    let name = text("name").unwrap_or(id);
    let parameters = method.get("parameters").and_then(Value::as_object);
    let parameters = parameters.ok_or_else(|| damaged(format!("`{name}` has no parameters")))?;
    let logits = text("input").is_none_or(|input| input.starts_with("logits"));
    let fit =
        fit::fit(id, parameters, logits, classes).map_err(|what| damaged(message![format!("`{name}`: "), what]))?;
    Ok(StoredMethod { id: id.to_owned(), name: name.to_owned(), fit })
}
