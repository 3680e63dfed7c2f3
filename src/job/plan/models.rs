//! The jobs of several models: each scored in the same way on its own rows, and what became of it.

use super::files::{Asked, Files};
use super::repeats;
use crate::data::Predictions;
use crate::error::Result;
use crate::job::request::ModelsRequest;
use crate::job::{Job, Node};
use crate::metric::accuracy::ACCURACY;
use crate::metric::bias_index::{BIAS_INDEX, BIAS_Z, FAIR_P};
use crate::metric::ece::ECE;
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
    let mut request = request.clone();
    let files = Files::new(data, others, request.names.take())?;
    let usual = if files.has_proximity(run) { BIAS_INDEX.id } else { ECE.id };
    request.x.get_or_insert_with(|| ACCURACY.id.to_owned());
    request.y.get_or_insert_with(|| usual.to_owned());
    let mut metrics: Vec<String> = [&request.x, &request.y].into_iter().flatten().cloned().collect();
    if metrics.iter().any(|id| id == BIAS_INDEX.id) {
        metrics.push(BIAS_Z.id.to_owned());
    }
    repeats::computed(&metrics)?;
    if metrics.iter().any(|id| id == BIAS_INDEX.id) {
        metrics.push(FAIR_P.id.to_owned());
    }
    let methods = repeats::methods(run, request.methods.as_deref())?;
    request.methods = Some(methods.iter().map(|m| m.name.clone()).collect());
    request.names = Some(files.names.clone());

    let asked = Asked { methods: &methods, metrics: &metrics, groups: run.report.settings.groups.as_deref() };
    let (mut nodes, found) = files.push_metrics(run, &asked)?;
    let needs: Vec<usize> = [0, 1].into_iter().chain(found).collect();
    let inputs = ModelsInputs { methods, models: files.names };
    nodes.push(Job::Models { request, inputs }, &needs, 1.0, "drawing");
    Ok(nodes.nodes)
}
