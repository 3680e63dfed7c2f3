//! From flags and JSON to the options of opening, of the run, and of what is asked after it.
//!
//! JSON is one object as scripts write it: options of opening and of the run beside each other, or in `open` and `run`, those
//! of a question in `analyse`, of a chart in `chart`. What stands outside goes to the first that takes it: the question, the
//! run, opening. Flags come last.

use std::io::Read;

use localcal::data::Role;
use localcal::error::Error;
use localcal::words::text::quoted;
use serde_json::{Value, json};

use crate::args::{OpenArgs, Own, RunArgs};
use crate::catalogue::{open_options, run_options};
use crate::failure::Failure;
use crate::session::Options;
use crate::shape::{Field, Shape};

/// Options of each step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepOptions {
    /// of opening
    pub open: Options,
    /// of the run
    pub run: Options,
    /// of the question or the chart
    pub own: Options,
    /// whether the page's own local settings are wanted
    pub suggest_local: bool,
}

type Step = Result<(), Failure>;

impl StepOptions {
    /// For opening alone.
    ///
    /// # Errors
    /// What was not understood.
    pub fn of_opening(open: &OpenArgs, written: Option<&str>) -> Result<Self, Failure> {
        let mut given = Self::default();
        standard_input_once(open, written)?;
        given.written(written, &[], "")?;
        given.opening(open)?;
        Ok(given)
    }

    /// For a run.
    ///
    /// # Errors
    /// What was not understood.
    pub fn of_run(open: &OpenArgs, run: &RunArgs) -> Result<Self, Failure> {
        Self::of_question(open, run, &Own { known: Vec::new(), given: Vec::new() }, "")
    }

    /// For a question after a run; its options stand in `section` of the JSON.
    ///
    /// # Errors
    /// What was not understood.
    pub fn of_question(open: &OpenArgs, run: &RunArgs, own: &Own, section: &str) -> Result<Self, Failure> {
        let mut given = Self::default();
        standard_input_once(open, run.options.as_deref())?;
        given.written(run.options.as_deref(), &own.known, section)?;
        given.opening(open)?;
        given.running(run, &own.known)?;
        if let (Some(_), [group]) = (shape_of(&own.known, "group"), open.group.as_slice()) {
            given.own.insert("group".to_owned(), group.clone().into());
        }
        for (name, text) in &own.given {
            let shape = shape_of(&own.known, name).unwrap_or(&Shape::Any);
            given.own.insert(name.clone(), read(shape, name, text)?);
        }
        given.run_requested_methods();
        Ok(given)
    }

    fn written(&mut self, written: Option<&str>, own: &[Field], section: &str) -> Step {
        let Some(written) = written else {
            return Ok(());
        };
        let Value::Object(fields) = object(&text_of(written)?, "--options")? else {
            return Ok(());
        };
        let (open, run) = (open_options(), run_options());
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("open", Value::Object(fields)) => self.open.extend(fields),
                ("run", Value::Object(fields)) => self.run.extend(fields),
                (name, Value::Object(fields)) if !section.is_empty() && name == section => self.own.extend(fields),
                (name, value) => {
                    let target = if shape_of(own, name).is_some() {
                        if name == "seed" {
                            self.run.insert(name.to_owned(), value.clone());
                        }
                        // a question about a session is one about a file that is read as it says
                        if name == "session" { &mut self.open } else { &mut self.own }
                    } else if shape_of(&run, name).is_some() {
                        &mut self.run
                    } else if shape_of(&open, name).is_some() {
                        &mut self.open
                    } else {
                        let known =
                            own.iter().chain(&run).chain(&open).map(|field| field.name.as_str()).collect::<Vec<_>>();
                        return Err(Error::new(
                            "invalid_option",
                            format!("Unknown option `{name}`."),
                            format!("Available: {}.", known.join(", ")),
                        )
                        .into());
                    };
                    target.insert(name.to_owned(), value);
                }
            }
        }
        Ok(())
    }

    fn opening(&mut self, open: &OpenArgs) -> Step {
        let mut roles = Options::new();
        let one = [(&open.label, "label"), (&open.weights, "weight"), (&open.id, "id")];
        for (column, role) in one {
            if let Some(column) = column {
                roles.insert(column.clone(), role.into());
            }
        }
        let several = [
            (&open.probability, "probability"),
            (&open.feature, "feature"),
            (&open.group, "group"),
            (&open.ignore, "ignore"),
        ];
        for (columns, role) in several {
            roles.extend(columns.iter().map(|column| (column.clone(), role.into())));
        }
        for pair in &open.roles {
            let Some((column, role)) = pair.rsplit_once('=') else {
                return Err(Failure::usage(format!("--roles takes COLUMN=ROLE, not `{pair}`")));
            };
            roles.insert(column.to_owned(), known_role(column, role)?.into());
        }
        if !roles.is_empty() {
            match self.open.entry("roles").or_insert_with(|| json!({})) {
                Value::Object(held) => held.extend(roles),
                other => *other = roles.into(),
            }
        }
        let clusters = |column: &String| if column == "none" { Value::Null } else { column.clone().into() };
        let one: [(&str, Option<Value>); 11] = [
            ("positive", open.positive.clone().map(Value::from)),
            ("view", open.view.clone().map(Value::from)),
            ("model", open.model.clone().map(Value::from)),
            ("rows", open.rows.clone().map(Value::from)),
            ("unanswered", open.unanswered.clone().map(Value::from)),
            ("clusters", open.clusters.as_ref().map(clusters)),
            ("renormalise", open.renormalise.then(|| true.into())),
            ("header", open.header.map(Value::from)),
            ("totals", open.totals.map(Value::from)),
            ("sheet", open.sheet.map(Value::from)),
            ("max_memory", open.max_memory.map(Value::from)),
        ];
        self.open.extend(one.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        if let Some(session) = &open.session {
            self.open.insert("session".to_owned(), object(&text_of(session)?, "--session")?);
        }
        let mut missing = Options::new();
        for pair in &open.missing {
            let Some((column, value)) = pair.rsplit_once('=') else {
                return Err(Failure::usage(format!("--missing takes COLUMN=VALUE, not `{pair}`")));
            };
            let value = value.parse::<f64>().map_or_else(|_| json!(value), |number| json!(number));
            if let Value::Array(values) = missing.entry(column).or_insert_with(|| json!([])) {
                values.push(value);
            }
        }
        if !missing.is_empty() {
            self.open.insert("missing".to_owned(), missing.into());
        }
        if let Some(folds) = open.folds {
            self.open.insert("split".to_owned(), json!({ "folds": folds }));
        }
        if let Some(split) = &open.split {
            self.open.insert("split".to_owned(), division(split)?);
        }
        Ok(())
    }

    fn running(&mut self, run: &RunArgs, own: &[Field]) -> Step {
        if let Some(project) = &run.project {
            object(project, "--project")?;
        }
        let mut local = Options::new();
        match run.local.as_deref() {
            None => {}
            Some("auto") => self.suggest_local = true,
            Some(text) => {
                if let Value::Object(fields) = object(text, "--local")? {
                    local.extend(fields);
                }
            }
        }
        let known = run_options();
        let of_run = [
            ("methods", &run.methods),
            ("metrics", &run.metrics),
            ("bins", &run.bins),
            ("groups", &run.groups),
            ("resamples", &run.resamples),
            ("evaluate_on", &run.evaluate_on),
            ("klce", &run.klce),
            ("proximity", &run.proximity),
        ];
        for (name, text) in of_run {
            let Some(text) = text else { continue };
            let value = read(shape_of(&known, name).unwrap_or(&Shape::Any), name, text)?;
            let asked = shape_of(own, name).is_some() && name != "methods";
            if asked {
                self.own.insert(name.to_owned(), value.clone());
            }
            if !asked || matches!(name, "bins" | "groups") {
                self.run.insert(name.to_owned(), value);
            }
        }
        if let Some(seed) = run.seed {
            if shape_of(own, "seed").is_some() {
                self.own.insert("seed".to_owned(), seed.into());
            }
            self.run.insert("seed".to_owned(), seed.into());
        }
        for (name, text) in [("features", &run.features), ("gamma", &run.gamma), ("kernel", &run.kernel)] {
            let Some(text) = text else { continue };
            let value = Shape::Any.read(text).map_err(|what| Failure::usage(format!("--{name}: {what}")))?;
            match shape_of(own, name) {
                // columns that the finding examines have the same name: the flag is that of similarity
                Some(Shape::List(item)) if matches!(**item, Shape::Text) => local.insert(name.to_owned(), value),
                // several maps on one axis: one was named
                Some(Shape::List(_)) if !text.starts_with('[') => self.own.insert(name.to_owned(), json!([value])),
                Some(_) => self.own.insert(name.to_owned(), value),
                None => local.insert(name.to_owned(), value),
            };
        }
        if !local.is_empty() {
            match self.run.entry("local").or_insert_with(|| json!({})) {
                Value::Object(held) => held.extend(local),
                other => *other = local.into(),
            }
        }
        Ok(())
    }

    /// Methods that are asked about are run, where nothing says which are.
    fn run_requested_methods(&mut self) {
        let one = ["method", "beside"].into_iter().filter_map(|name| self.own.get(name));
        let several = self.own.get("methods").and_then(Value::as_array).into_iter().flatten();
        let asked: Vec<&str> = one.chain(several).filter_map(Value::as_str).filter(|name| *name != "none").collect();
        if !asked.is_empty() && !self.run.contains_key("methods") {
            let methods: Value = std::iter::once("none").chain(asked).collect();
            self.run.insert("methods".to_owned(), methods);
        }
    }

    /// Puts `none` before the methods: what is said of a file is said of its own predictions.
    pub fn with_none(&mut self) {
        if let Some(Value::Array(methods)) = self.run.get_mut("methods") {
            let none = |method: &Value| method.as_str().or_else(|| method.get("id")?.as_str()) == Some("none");
            if !methods.iter().any(none) {
                methods.insert(0, "none".into());
            }
        }
    }
}

/// A role by its name.
fn known_role<'a>(column: &str, role: &'a str) -> Result<&'a str, Failure> {
    let name = |role: &Role| serde_json::to_value(role).ok()?.as_str().map(str::to_owned);
    let known: Vec<String> = Role::ALL.iter().filter_map(name).collect();
    if known.iter().any(|known| known == role) {
        return Ok(role);
    }
    let what = format!("--roles: {} is no role, for column {}.", quoted(role), quoted(column));
    Err(Error::new("invalid_option", what, format!("Roles: {}.", known.join(", "))).into())
}

/// Standard input holds data, options or a session, and one of them.
fn standard_input_once(open: &OpenArgs, written: Option<&str>) -> Step {
    let files = open.files.iter().filter(|file| file.as_os_str() == "-").count();
    let texts = [written, open.session.as_deref()].into_iter().filter(|text| *text == Some("-")).count();
    if files + texts > 1 {
        return Err(Failure::usage("`-` is standard input, which can be read only once"));
    }
    Ok(())
}

fn shape_of<'a>(known: &'a [Field], name: &str) -> Option<&'a Shape> {
    known.iter().find(|field| field.name == name).map(|field| &field.shape)
}

fn read(shape: &Shape, name: &str, text: &str) -> Result<Value, Failure> {
    shape.read(text).map_err(|what| Failure::usage(format!("--{}: {what}, not `{text}`", name.replace('_', "-"))))
}

/// How rows are divided.
fn division(text: &str) -> Result<Value, Failure> {
    if text.starts_with('{') {
        return object(text, "--split");
    }
    if let Some(first) = text.strip_prefix("first:") {
        return Ok(json!({ "first": read(&Shape::Number, "split", first)? }));
    }
    Ok(match (text, text.split_once('=')) {
        ("auto", _) => "auto".into(),
        ("half", _) => json!({ "half": true }),
        ("files", _) => json!({ "files": true }),
        (column, None) => json!({ "column": column }),
        (_, Some((column, values))) => {
            json!({ "column": column, "calibration": values.split(',').collect::<Vec<_>>() })
        }
    })
}

/// What was given as JSON: itself, a file, or standard input.
fn text_of(written: &str) -> Result<String, Failure> {
    if written.trim_start().starts_with('{') {
        return Ok(written.to_owned());
    }
    let mut text = String::new();
    let read = match written {
        "-" => std::io::stdin().read_to_string(&mut text).map(|_| text),
        path => std::fs::read_to_string(path),
    };
    read.map_err(|error| Failure::unreadable(written, &error))
}

/// A JSON object.
pub fn object(text: &str, what: &str) -> Result<Value, Failure> {
    let wrong = |why: &str| {
        Error::new(
            "invalid_option",
            format!("Invalid {what}: {why}."),
            "Use a JSON object: names in double quotes with their values, between braces.",
        )
    };
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(wrong("not an object").into()),
        Err(error) => Err(wrong(&format!("not valid JSON, {error}")).into()),
    }
}
