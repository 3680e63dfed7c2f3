//! The method that does best on calibration rows held back: chosen inside every fit, never by the rows that are scored.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::fitted::{FittedMethod, Rows, fit_and_score};
use super::request::listed;
use super::{Calibrator, Fitted, Method, MethodKind, MethodSpec, fit};
use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::{Error, Result, message, phrases};
use crate::evaluation::scored::Scored;
use crate::metric::binning::BinOptions;
use crate::metric::entry::Better;
use crate::metric::log_loss::NLL;
use crate::metric::registry;
use crate::recalibrate::memory::Memory;
use crate::recalibrate::parameter::{Parameter, Takes, bounded};
use crate::recalibrate::recalibrator::{
    Candidacy, Entry, FittedTo, GridPlace, Input, MethodRequest, MethodRequirement, Offered, Place, Progress, Scores,
    invalid,
};
use crate::recalibrate::snippet::Snippet;
use crate::request::bounds::{Field, whole};

/// What it says of itself.
pub(super) const ENTRY: Entry = Entry {
    id: "best",
    title: "Best of several (inner folds)",
    plain: "best candidate on inner folds of the calibration rows",
    definition: "the candidate with the best metric over inner folds of the calibration rows, fitted on all of them",
    minimises: "the chosen metric over inner folds",
    source: "Varma and Simon (2006)",
    parameters: &[
        bounded("of", Field::Methods, CANDIDATES, "the candidates"),
        Parameter { name: "by", words: "selection metric", takes: Takes::ChoosingMetric, default: "\"nll\"" },
        bounded("folds", whole(2, 20), "5", "inner folds"),
    ],
    // What is written in other languages is the candidate that was chosen.
    input: Input::Score(Snippet { python: &[], javascript: &[] }),
    alone: None,
    needs: MethodRequirement::Nothing,
    weighted: true,
    from_counts: false,
    fitted_to: FittedTo::SomeRows,
    place: Place::Anywhere,
    candidacy: Candidacy::ON_REQUEST,
    grid: GridPlace::None,
    offers: &[Offered { id: "best", title: "Best of several (inner folds)", usual: false, rank: 29 }],
    read_out: &[],
};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BestParameters {
    of: Option<Vec<MethodSpec>>,
    by: Option<String>,
    folds: Option<usize>,
}

/// Default candidates of `best`, as in a request; the original predictions are one of them.
const CANDIDATES: &str = r#"["none", "temperature", "platt", "beta", "isotonic"]"#;

/// The candidates, and what decides between them.
pub(super) fn checked(asked: MethodRequest) -> Result<MethodKind> {
    let (data, run) = (asked.data, asked.run);
    let given: BestParameters = asked.read()?;
    let usual = || serde_json::from_str(CANDIDATES).unwrap_or_default();
    let of = listed(given.of.unwrap_or_else(usual), data, run)?;
    if of.is_empty() || of.iter().any(|method| method.kind.chooses()) {
        return Err(invalid(
            format!("`best` selects from other methods than itself ({} named).", of.len()),
            message!["Name one or more ", phrases::OTHER_METHODS_OF_BEST, "."],
        ));
    }
    let by = given.by.unwrap_or_else(|| NLL.id.to_owned());
    let choosing: Vec<&str> = registry::choosing().iter().map(|metric| metric.id).collect();
    if !choosing.contains(&by.as_str()) {
        return Err(invalid(
            format!("`best` cannot select by `{by}`."),
            message![phrases::BEST_CHOOSES_BY, format!(": {}.", choosing.join(", "))],
        ));
    }
    Ok(MethodKind::Best(Choice { of, by, folds: given.folds.unwrap_or(5), bins: run.bins, seed: run.seed }))
}

/// Which methods stand for choice, and what decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// the candidates; of equals the first is taken
    pub of: Vec<Method>,
    /// metric id
    pub by: String,
    /// inner folds
    pub folds: usize,
    /// bins of the metric, where it has bins
    pub bins: BinOptions,
    /// seed of the inner folds
    pub seed: u64,
}

/// What was chosen, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// name of the candidate
    pub chosen: String,
    /// metric id
    pub by: String,
    /// value of every candidate over the inner folds; null where it is not defined
    pub scores: Vec<(String, Option<f64>)>,
    /// the candidate fitted on every calibration row
    pub fit: Box<Calibrator>,
}

/// Divides `fit_rows` into inner folds, scores every candidate on the folds it was not fitted on, and fits the best of
/// them on all of `fit_rows`. `score_rows` take no part until then.
///
/// Source: Varma and Simon (2006), "Bias in error estimation when using cross-validation for model selection".
///
/// # Errors
/// `too_few_rows` with fewer than two rows an inner fold; those of the candidates.
///
/// # Cost
/// folds + 1 fits a candidate at most.
pub(super) fn fit_best(
    data: &Predictions,
    choice: &Choice,
    of: Rows,
    progress: Progress,
) -> Result<(FittedMethod, Scores)> {
    let fit_rows = of.fit;
    if fit_rows.len() < 2 * choice.folds {
        return Err(Error::new(
            "too_few_rows",
            format!("Too few calibration rows ({}) for selection by {} inner folds.", fit_rows.len(), choice.folds),
            "Use one method, or at least two rows per inner fold.",
        ));
    }
    let inner = Split::within(data, fit_rows, choice.folds, choice.seed);
    let better = registry::metric(&choice.by).map_or(Better::Lower, |metric| metric.better);
    let steps = (choice.of.len() * choice.folds + 1) as f64;
    let mut scores = Vec::with_capacity(choice.of.len());
    let mut best: Option<(usize, f64)> = None;
    for (k, candidate) in choice.of.iter().enumerate() {
        let mut fits = Vec::with_capacity(choice.folds);
        for fold in 0..choice.folds {
            let done = (k * choice.folds + fold) as f64;
            let (rows, held) = inner.rows_of(fold)?;
            fits.push(fit(data, &candidate.kind, &rows, &held, None, &mut |share| {
                progress((done + share) / steps);
            })?);
        }
        let fits: Vec<&Fitted> = fits.iter().collect();
        let scored = Scored::new(data, &inner, &fits, &choice.bins, &BTreeSet::new())?;
        let value = scored.values.get(&choice.by).cloned();
        let value = value.and_then(|value| value.ok()).filter(|v| v.is_finite());
        let rank = value.map(|v| better.badness(v));
        if let Some(rank) = rank
            && best.is_none_or(|(_, least)| rank < least)
        {
            best = Some((k, rank));
        }
        scores.push((candidate.name.clone(), value));
    }
    let Some(chosen) = best.and_then(|(k, _)| choice.of.get(k)) else {
        return Err(Error::new(
            "too_few_rows",
            format!("No candidate has a value of `{}` on {} calibration rows.", choice.by, fit_rows.len()),
            "Select by another metric.",
        ));
    };
    let (last, of_last) = fit_and_score(data, &chosen.kind, of.of(fit_rows, of.score), &mut |share| {
        progress((steps - 1.0 + share) / steps);
    })?;
    let calibrator = Calibrator::Best(Chosen {
        chosen: chosen.name.clone(),
        by: choice.by.clone(),
        scores,
        fit: Box::new(last.calibrator.clone()),
    });
    Ok((FittedMethod { calibrator, memory: Memory::default(), parts: vec![last] }, of_last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_candidates_can_be_requested() {
        let candidates: Vec<MethodSpec> = serde_json::from_str(CANDIDATES).expect("a list of methods");
        assert!(candidates.contains(&MethodSpec::Id("none".to_owned())));
    }
}
