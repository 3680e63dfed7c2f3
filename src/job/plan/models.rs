//! The jobs of several models: each scored in the same way on its own rows, and what became of it.

use super::Plan;
use super::repeats::{self, Repeats, Scoring};
use crate::data::{Predictions, View};
use crate::error::{Error, Result};
use crate::evaluation::features::{FeatureChoice, default_choice};
use crate::evaluation::group_error::columns_of;
use crate::evaluation::method::Method;
use crate::evaluation::proximity::ProximityOptions;
use crate::evaluation::proximity::metrics::OF_PROXIMITY;
use crate::job::request::{EvaluateOn, ModelsRequest};
use crate::job::{Job, Node};
use crate::report::RunOutcome;
use crate::report::models::ModelsInputs;

/// The jobs, ending in the models beside each other. The first model is that of the last run, whose settings hold for
/// the `others`, too.
///
/// # Errors
/// `unknown_method`, `unknown_metric`, `unknown_column`; `unsupported_view` for a model whose numbers are of another view;
/// `score_missing`, `label_missing`; `invalid_option` for metrics of the trust test and for a wrong number of names.
pub(super) fn plan(
    data: &Predictions,
    run: &RunOutcome,
    others: &[&Predictions],
    request: &ModelsRequest,
) -> Result<Vec<Node>> {
    let models: Vec<&Predictions> = std::iter::once(data)
        .chain(others.iter().copied())
        .collect();
    let mut request = request.clone();
    let usual = match near_of(data, data, run).filled(data, None) {
        Ok(Some(_)) => "bias_index",
        _ => "ece",
    };
    let names = names(&models, request.names.take())?;
    request.x.get_or_insert_with(|| "accuracy".to_owned());
    request.y.get_or_insert_with(|| usual.to_owned());
    let mut metrics: Vec<String> = [&request.x, &request.y]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    if metrics.iter().any(|id| id == "bias_index") {
        metrics.push("bias_z".to_owned());
    }
    repeats::computed(&metrics)?;
    let methods = repeats::methods(run, request.methods.as_deref())?;
    request.methods = Some(methods.iter().map(|m| m.name.clone()).collect());
    request.names = Some(names.clone());

    let mut nodes = Plan::after(1 + models.len());
    let mut needs = vec![0, 1];
    for (k, (model, name)) in models.iter().zip(&names).enumerate() {
        let place = if k == 0 { 0 } else { k + 1 };
        let (part, found) = one(data, model, run, &methods, &metrics).map_err(|error| {
            let message = format!("{error} That is of the model {name}.");
            Error::new(error.code(), message, error.hint())
        })?;
        if model.view != data.view {
            return Err(Error::new(
                "unsupported_view",
                format!(
                    "Numbers of {} do not compare with numbers of {}: {name}.",
                    view_words(model.view),
                    view_words(data.view)
                ),
                "Open both with the same view.",
            ));
        }
        let later = nodes.append(place, part, name);
        needs.extend(found.into_iter().map(later));
    }
    let inputs = ModelsInputs {
        methods,
        models: names,
    };
    nodes.push(Job::Models { request, inputs }, &needs, 1.0, "drawing");
    Ok(nodes.nodes)
}

fn view_words(view: View) -> &'static str {
    match view {
        View::Positive => "a probability",
        View::TopLabel => "the confidence of the predicted class",
    }
}

/// What is near, as the run says; a feature map of the `first` model is unknown to the others: the features of each file
/// then serve.
fn near_of(first: &Predictions, data: &Predictions, run: &RunOutcome) -> ProximityOptions {
    let settings = &run.report.settings;
    let of_run = settings.proximity.clone().unwrap_or_default();
    let local = settings
        .local
        .as_ref()
        .and_then(|local| local.features.clone());
    let is_map = |name: &String| first.projections.iter().any(|(map, _)| map == name);
    let of_file = |choice: &FeatureChoice| match choice {
        FeatureChoice::One(name) => !is_map(name),
        FeatureChoice::Many(names) | FeatureChoice::Pca { of: names, .. } => {
            !names.iter().any(is_map)
        }
    };
    let named = of_run.features.clone().or(local).filter(of_file);
    ProximityOptions {
        features: named.or_else(|| default_choice(data)),
        ..of_run
    }
}

/// The jobs of one model, after its data alone, and the numbers of those that tell the metrics of every method.
fn one(
    first: &Predictions,
    data: &Predictions,
    run: &RunOutcome,
    methods: &[Method],
    metrics: &[String],
) -> Result<(Plan, Vec<usize>)> {
    let settings = &run.report.settings;
    crate::evaluation::pair::scores(data)?;
    crate::evaluation::pair::targets(data)?;
    let asked = |ids: &[&str]| metrics.iter().any(|id| ids.contains(&id.as_str()));
    let near = asked(OF_PROXIMITY)
        .then(|| near_of(first, data, run).filled(data, None))
        .transpose()?;
    let scoring = Scoring {
        methods,
        bins: settings.bins,
        metrics: metrics.iter().cloned().collect(),
        groups: columns_of(data, settings.groups.as_deref(), metrics)?,
        near: near.flatten(),
    };
    let everything = settings.evaluate_on == EvaluateOn::All && methods.len() == 1;
    let mut nodes = Plan::after(1);
    let found = Repeats::once(settings.seed, everything)
        .push_metrics(&mut nodes, data, run, &scoring, metrics)?;
    Ok((nodes, found))
}

/// What the models are called: as someone says, else by their files; no two alike.
fn names(models: &[&Predictions], given: Option<Vec<String>>) -> Result<Vec<String>> {
    if let Some(given) = given {
        if given.len() != models.len() {
            return Err(Error::new(
                "invalid_option",
                format!("{} names for {} models.", given.len(), models.len()),
                "Name every model, that of the last run first.",
            ));
        }
        return Ok(given);
    }
    let mut names: Vec<String> = Vec::with_capacity(models.len());
    for (k, model) in models.iter().enumerate() {
        let file = model
            .table
            .columns
            .first()
            .map_or("", |column| &column.file);
        let stem = file.split('.').find(|part| !part.is_empty());
        let stem = stem.map_or_else(|| format!("model {}", k + 1), str::to_owned);
        let again = (2..).map(|k| format!("{stem} ({k})"));
        let free = |name: &String| !names.contains(name);
        let name = std::iter::once(stem.clone()).chain(again).find(free);
        names.push(name.unwrap_or(stem));
    }
    Ok(names)
}
