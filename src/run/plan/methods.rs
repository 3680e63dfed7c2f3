//! The methods of a request, with checked settings.

use serde::Deserialize;

use super::DEFAULT_GAMMA;
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::method::{Choice, Method, MethodKind, MethodSpec, after_another, alone};
use crate::evaluation::request::RunRequest;
use crate::metric::log_loss::NLL;
use crate::metric::registry;
use crate::recalibrate::recalibrator::{Asked, RunSettings, invalid};
use crate::recalibrate::registry::AnyRecalibrator;
use crate::request::bounds::check_depth;
use crate::request::message::without_nulls;

mod composed;

/// The methods of a request with checked settings; LoRe's defaults come from the local settings.
pub(super) fn methods(data: &Predictions, request: &RunRequest) -> Result<Vec<Method>> {
    let mut asked = request.methods.clone().unwrap_or_default();
    for spec in &mut asked {
        if let MethodSpec::Named { parameters, .. } = spec {
            check_depth(parameters)?;
            without_nulls(parameters);
        }
    }
    let local = request.local.clone().unwrap_or_default();
    let run = RunSettings {
        bins: request.bins,
        seed: request.seed,
        features: local.features,
        kernel: local.kernel.unwrap_or_else(|| "laplacian".to_owned()),
        gamma: local.gamma.unwrap_or(DEFAULT_GAMMA),
        local_bins: local.bins.unwrap_or(request.bins),
        proximity: request.proximity.clone().unwrap_or_default(),
    };
    let methods = listed(asked, data, &run)?;
    methods.iter().try_for_each(affordable)?;
    Ok(methods)
}

/// Fits behind one method, at most.
const MOST_FITS: f64 = 10_000.0;

/// Refuses a method whose parts would fit each other more often than anybody can wait for.
fn affordable(method: &Method) -> Result<()> {
    let fits = method.kind.fits();
    if fits <= MOST_FITS {
        return Ok(());
    }
    Err(invalid(
        format!("{fits} fits would stand behind one method, `{}`; {MOST_FITS} at most do.", method.name),
        "Ask for fewer folds, groups or candidates, or for fewer methods one after another.",
    ))
}

fn listed(asked: Vec<MethodSpec>, data: &Predictions, run: &RunSettings) -> Result<Vec<Method>> {
    let mut methods: Vec<Method> = Vec::with_capacity(asked.len());
    for spec in asked {
        let (id, name, parameters) = match spec {
            MethodSpec::Id(id) => (id.clone(), id, serde_json::Value::Null),
            MethodSpec::Named { id, name, parameters } => (id.clone(), name.unwrap_or(id), parameters),
        };
        if methods.iter().any(|method| method.name == name) {
            return Err(invalid(
                "Two methods would stand under the same name.",
                format!("Give one of them another name than `{name}`: {{ id, name, parameters }}."),
            ));
        }
        methods.push(Method { kind: composed::kind(Asked { id: &id, parameters, data, run })?, name });
    }
    Ok(methods)
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BestParameters {
    of: Option<Vec<MethodSpec>>,
    by: Option<String>,
    folds: Option<usize>,
}

/// Candidates of `best` by default; leaving the predictions alone is one of them.
const CANDIDATES: [&str; 5] = ["none", "temperature", "platt", "beta", "isotonic"];

/// The candidates, and what decides between them.
fn best(asked: Asked) -> Result<MethodKind> {
    let (data, run) = (asked.data, asked.run);
    let given: BestParameters = asked.read()?;
    let usual = || CANDIDATES.map(|id| MethodSpec::Id(id.to_owned())).to_vec();
    let of = listed(given.of.unwrap_or_else(usual), data, run)?;
    if of.is_empty() || of.iter().any(|method| method.kind.chooses()) {
        return Err(invalid(
            format!("`best` chooses from {} methods, none of them `best`.", of.len()),
            "Name one or more other methods in parameters.of.",
        ));
    }
    let by = given.by.unwrap_or_else(|| NLL.id.to_owned());
    let choosing: Vec<&str> = registry::choosing().iter().map(|metric| metric.id).collect();
    if !choosing.contains(&by.as_str()) {
        return Err(invalid(
            format!("`best` does not choose by `{by}`."),
            format!("parameters.by is one of: {}.", choosing.join(", ")),
        ));
    }
    Ok(MethodKind::Best(Choice { of, by, folds: given.folds.unwrap_or(5), bins: run.bins, seed: run.seed }))
}

/// One method by its id; `asked.id` is what was written, of two methods both.
fn single(id: &str, asked: Asked) -> Result<MethodKind> {
    if id == "best" {
        return best(asked);
    }
    AnyRecalibrator::checked(id, asked)?.map(MethodKind::Single).ok_or_else(|| {
        let known: Vec<&str> = alone().map(|entry| entry.id).collect();
        let after: Vec<&str> = after_another().map(|entry| entry.id).collect();
        Error::new(
            "unknown_method",
            format!("No recalibration method has the id `{id}`."),
            format!("Known: {}; and after another, as in none+density_ratio: {}.", known.join(", "), after.join(", ")),
        )
    })
}
