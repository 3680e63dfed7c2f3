//! Calibrators read back from their JSON.

use serde_json::{Map, Value};

use super::SCHEMA;
use crate::data::{Projection, View};
use crate::error::{Error, Result};
use crate::evaluation::features::FeatureChoice;
use crate::evaluation::method::{Calibrator, NEIGHBOURS, to_unit_length};
use crate::job::message::read;
use crate::kernel::Kernel;
use crate::recalibrate::affine::Affine;
use crate::recalibrate::isotonic::Isotonic;
use crate::recalibrate::platt::{Platt, PlattInput};

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
    /// the fits
    pub methods: Vec<StoredMethod>,
}

/// One fit, ready to be applied.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMethod {
    /// the method's id
    pub id: String,
    /// its name in the run
    pub name: String,
    /// it looks at the logits of every class, not at the score of the view
    pub of_logits: bool,
    /// what was learned
    pub calibrator: Calibrator,
    /// the calibration rows, where applying asks for near ones
    pub near: Option<StoredRows>,
}

/// Calibration rows that a calibrator carries.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredRows {
    /// d
    pub d: usize,
    /// one name per coordinate
    pub names: Vec<String>,
    /// the map from columns to coordinates, where there is one
    pub projection: Option<Projection>,
    /// coordinates, row-major
    pub x: Vec<f64>,
    /// scores; empty where only places count
    pub score: Vec<f64>,
    /// outcomes; empty where only places count
    pub target: Vec<u8>,
}

/// A damaged or incomplete file.
fn damaged(what: impl std::fmt::Display) -> Error {
    Error::new(
        "calibrator_unreadable",
        format!("This calibrator cannot be used: {what}."),
        "Give the JSON that the export `calibrator` wrote, unchanged.",
    )
}

impl Stored {
    /// From the JSON of an export, read as an object (the page turns text into one).
    ///
    /// # Errors
    /// `calibrator_unreadable` saying what is not as it should be: another version, an unknown method,
    /// parameters that are missing, no numbers, or of another length.
    pub fn read(value: &Value) -> Result<Self> {
        match value.get("schema").and_then(Value::as_str) {
            Some(SCHEMA) => (),
            Some(other) => {
                return Err(Error::new(
                    "calibrator_unreadable",
                    format!("The calibrator is written in `{other}`; what is read is `{SCHEMA}`."),
                    "Export it again with this version.",
                ));
            }
            None => return Err(damaged("it has no `schema`")),
        }
        let field = |name: &str| value.get(name).cloned().unwrap_or_default();
        let labels: Vec<String> =
            read(field("labels")).map_err(|error| damaged(format_args!("labels: {error}")))?;
        let classes = match value.get("classes").and_then(Value::as_u64) {
            Some(classes) if classes <= 1 << 20 => classes as usize,
            Some(classes) => return Err(damaged(format_args!("it has {classes} classes"))),
            None => labels.len().max(2),
        };
        let listed = value.get("methods").and_then(Value::as_array);
        let methods: Vec<StoredMethod> = listed
            .into_iter()
            .flatten()
            .map(|method| one(method, classes))
            .collect::<Result<_>>()?;
        if methods.is_empty() {
            return Err(damaged("it holds no method"));
        }
        Ok(Self {
            view: read(field("view")).map_err(|error| damaged(format_args!("view: {error}")))?,
            labels,
            positive: value
                .get("positive")
                .and_then(Value::as_str)
                .map(str::to_owned),
            classes,
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
                format!("The calibrator holds no method called `{name}`."),
                format!("It holds: {}.", known.join(", ")),
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
    let parameters =
        parameters.ok_or_else(|| damaged(format_args!("`{name}` has no parameters")))?;
    let of = |what: &dyn std::fmt::Display| damaged(format_args!("`{name}`: {what}"));
    let (mut calibrator, near) = match id {
        "lore" => {
            let near = rows(parameters, true).map_err(|what| of(&what))?;
            (lore(parameters).map_err(|what| of(&what))?, Some(near))
        }
        "ptsk" => {
            let mut near = rows(parameters, false).map_err(|what| of(&what))?;
            let calibrator = tagged("ptsk", parameters).map_err(|error| of(&error))?;
            if let Calibrator::Ptsk {
                unit_length: true, ..
            } = calibrator
            {
                to_unit_length(&mut near.x, near.d);
            }
            (calibrator, Some(near))
        }
        _ => {
            let tag = match id {
                "mmce_temperature" => "temperature",
                "proportional_multicalibration" => "multicalibration",
                "none" => "identity",
                other => other,
            };
            (tagged(tag, parameters).map_err(|error| of(&error))?, None)
        }
    };
    if let Some(what) = unsound(&calibrator, classes) {
        return Err(of(&what));
    }
    let of_logits =
        calibrator.takes_logits() && text("input").is_none_or(|input| input.starts_with("logits"));
    if let (false, Calibrator::Temperature(fit)) = (of_logits, &calibrator) {
        // One score a row: σ(logit s / T), which is a logistic curve through ½.
        calibrator = Calibrator::Platt(Platt {
            a: 1.0 / fit.temperature,
            b: 0.0,
            input: PlattInput::Logit,
        });
    }
    Ok(StoredMethod {
        id: id.to_owned(),
        name: name.to_owned(),
        of_logits,
        calibrator,
        near,
    })
}

fn tagged(tag: &str, parameters: &Map<String, Value>) -> serde_json::Result<Calibrator> {
    let mut outside = Map::new();
    outside.insert(tag.to_owned(), Value::Object(parameters.clone()));
    read(Value::Object(outside))
}

fn lore(parameters: &Map<String, Value>) -> std::result::Result<Calibrator, String> {
    let field = |name: &str| parameters.get(name).cloned().unwrap_or_default();
    let name = parameters.get("kernel").and_then(Value::as_str);
    let gamma = parameters.get("gamma").and_then(Value::as_f64);
    let kernel = name
        .and_then(|name| Kernel::named(name, gamma.unwrap_or(1.0)))
        .filter(|kernel| kernel.check().is_ok())
        .ok_or("kernel and gamma name no kernel")?;
    Ok(Calibrator::Lore {
        kernel,
        bins: read(field("bins")).map_err(|error| format!("bins: {error}"))?,
        features: read::<FeatureChoice>(field("features"))
            .map_err(|error| format!("features: {error}"))?,
    })
}

/// The calibration rows, all of one length, every number finite.
fn rows(
    parameters: &Map<String, Value>,
    outcomes: bool,
) -> std::result::Result<StoredRows, String> {
    let names: Vec<String> = read(parameters.get("coordinates").cloned().unwrap_or_default())
        .map_err(|error| format!("coordinates: {error}"))?;
    let d = names.len();
    let x = numbers(parameters.get("x"), "x")?;
    if d == 0 || x.is_empty() || x.len() % d != 0 {
        return Err(format!("x holds {} numbers for {d} coordinates", x.len()));
    }
    let n = x.len() / d;
    let (mut score, mut target) = (Vec::new(), Vec::new());
    if outcomes {
        score = numbers(parameters.get("score"), "score")?;
        target = numbers(parameters.get("target"), "target")?
            .into_iter()
            .map(|t| t as u8)
            .collect();
        if score.len() != n || target.len() != n || target.iter().any(|&t| t > 1) {
            return Err(format!(
                "score and target must hold {n} numbers, as many as x has rows"
            ));
        }
    }
    let projection = match parameters.get("projection") {
        None | Some(Value::Null) => None,
        Some(map) => {
            let of: Vec<String> = read(map.get("of").cloned().unwrap_or_default())
                .map_err(|error| format!("projection.of: {error}"))?;
            let mean = numbers(map.get("mean"), "projection.mean")?;
            let components = numbers(map.get("components"), "projection.components")?;
            if of.is_empty() || mean.len() != of.len() || components.len() != d * of.len() {
                return Err(format!(
                    "the projection holds {} means and {} components for {} columns and {d} coordinates",
                    mean.len(),
                    components.len(),
                    of.len()
                ));
            }
            Some(Projection {
                of,
                mean: mean.into(),
                components: components.into(),
            })
        }
    };
    Ok(StoredRows {
        d,
        names,
        projection,
        x,
        score,
        target,
    })
}

fn numbers(value: Option<&Value>, name: &str) -> std::result::Result<Vec<f64>, String> {
    let items = value.and_then(Value::as_array);
    let items = items.ok_or_else(|| format!("{name} is missing"))?;
    items
        .iter()
        .enumerate()
        .map(|(i, item)| {
            item.as_f64()
                .filter(|v| v.is_finite())
                .ok_or_else(|| format!("{name} holds no number at place {}", i + 1))
        })
        .collect()
}

/// What makes the parameters useless, if anything: lengths that do not fit together, or values that are no numbers.
fn unsound(calibrator: &Calibrator, m: usize) -> Option<String> {
    let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
    let curve =
        |x: &[f64], y: &[f64]| x.len() == y.len() && finite(x) && finite(y) && x.is_sorted();
    let affine = |fit: &Affine, weights: usize| {
        fit.bias.len() == m
            && fit.weights.len() == weights
            && finite(&fit.bias)
            && finite(&fit.weights)
    };
    let edges = |edges: &[f64], values: usize| {
        values > 0 && edges.len() == values + 1 && finite(edges) && edges.is_sorted()
    };
    let isotonic = |fit: &Isotonic| !fit.x.is_empty() && curve(&fit.x, &fit.y);
    let sound = match calibrator {
        Calibrator::Temperature(fit) => fit.temperature > 0.0 && fit.temperature.is_finite(),
        Calibrator::Platt(fit) => finite(&[fit.a, fit.b]),
        Calibrator::Beta(fit) => finite(&[fit.a, fit.b, fit.c]),
        Calibrator::Isotonic(fit) | Calibrator::Mir(fit) => isotonic(fit),
        Calibrator::VennAbers(fit) => {
            curve(&fit.lower.x, &fit.lower.y) && curve(&fit.upper.x, &fit.upper.y)
        }
        Calibrator::Histogram(fit) => {
            edges(&fit.edges, fit.values.len())
                && fit.values.iter().flatten().all(|v| v.is_finite())
        }
        Calibrator::Bbq(fit) => fit.models.iter().all(|model| {
            edges(&model.edges, model.values.len())
                && finite(&model.values)
                && model.weight.is_finite()
        }),
        Calibrator::Ets(fit) => fit.temperature > 0.0 && finite(&fit.weights),
        Calibrator::Pts(network) | Calibrator::Ptsk { network, .. } => {
            let more = match calibrator {
                Calibrator::Pts(_) => 0,
                _ => NEIGHBOURS,
            };
            network.top <= m
                && network.extra == more
                && network.is_whole()
                && finite(&network.network)
        }
        Calibrator::Vector(fit) => affine(fit, m),
        Calibrator::Matrix(fit) | Calibrator::Dirichlet(fit) => affine(fit, m.saturating_mul(m)),
        // never within itself
        Calibrator::Best(_) => false,
        // the rest is not applied to other files
        _ => true,
    };
    (!sound).then(|| {
        format!("its numbers are damaged, or do not fit together with each other and {m} classes")
    })
}
