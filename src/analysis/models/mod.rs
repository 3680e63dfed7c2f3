//! Comparison of several models. Models of the same rows: curves, a table of paired differences, groups and decision
//! curves. All models: one metric against another, with one point for each model and method.

mod cohort;
mod describe;
mod measures;
mod paired;
mod plan;
mod request;

pub use cohort::{Cohort, CohortModel, LeftOut, PairModels};
pub use describe::{DescribeModel, GroupGap, ModelBenefit, ModelDescription};
pub use measures::{DrawModels, ModelDraws};
pub use paired::{ModelDifference, ModelVerdict, PairedMetric, PairedModels, PairedValue};
pub use plan::{CohortSteps, CompareModels};
pub use request::ModelsRequest;

mod paired_words;
mod words;

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::comparison::Drawn;
use crate::evaluation::method::Method;
use crate::metric::Reason;
use crate::metric::bias_index::{BIAS_INDEX, BIAS_Z, FAIR_P};
use crate::num::special::normal_two_sided;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::sheet::Sheet;
use crate::report::verdict::Verdict;

/// The metrics of every model under every method.
pub struct Scorings<'a> {
    /// `none` first
    pub methods: &'a [Method],
    /// names of the models, that of the last run first
    pub models: &'a [String],
    /// by model, then by method
    pub parts: Vec<Vec<&'a Drawn>>,
    /// `None` with a single model
    pub cohort: Option<OfCohort<'a>>,
}

/// What was found about the models of the same rows.
pub struct OfCohort<'a> {
    /// the models
    pub cohort: &'a Cohort,
    /// their measures on rows that were drawn again, in parts
    pub draws: Vec<&'a ModelDraws>,
    /// by model, those of other rows left empty
    pub looks: Vec<&'a ModelDescription>,
}

/// Response of `data.analyse("models")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelsOutcome {
    /// settings of the request, with defaults
    pub settings: ModelsRequest,
    /// results by model and method
    pub points: Vec<ModelPoint>,
    /// paired comparison of models of the same rows; null with one model
    pub paired: Option<PairedModels>,
    /// verdict on the paired differences, for models of the same rows; else on the proximity bias with the smallest
    /// p-value among the original predictions. Other values are not tested
    pub verdict: Verdict,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type ModelsWithoutCharts = WithoutCharts<ModelsOutcome>;
/// The step that draws its charts.
pub type ShowModels = Show<ModelsOutcome>;

impl HasCharts for ModelsOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.settings.width = screen.width;
        self.sheet.draw(screen);
    }
}

/// One model under one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelPoint {
    /// name of the model
    pub model: String,
    /// name of the method
    pub method: String,
    /// rows scored
    pub rows: usize,
    /// the metric across
    pub x: Option<f64>,
    /// the metric up
    pub y: Option<f64>,
    /// why one of them is null
    pub reason: Option<String>,
    /// two-sided p-value of the bias index, if that is one of the metrics
    pub p: Option<f64>,
    /// `p` times the number of models, at most 1 (Bonferroni)
    pub p_bonferroni: Option<f64>,
    /// p-value of the bias index that counts each row once, however many pairs contain it, times the number of models, at
    /// most 1; the verdict uses this one
    pub p_rows_bonferroni: Option<f64>,
}

/// Every model under every method.
///
/// The bias index has a rank-sum z, corrected for ties; p = 2 Φ(−|z|), and counts where p times the number of models is at
/// most 0.05: that is a level of 0.05 over the number of models (Bonferroni).
///
/// # Errors
/// `internal` if there is not one scoring for each model and method.
///
/// # Source
/// Xiong et al. (2023), Proximity-Informed Calibration for Deep Neural Networks, figures 2 and 5 to 9.
pub fn models(
    data: &Predictions,
    run: &RunOutcome,
    request: &ModelsRequest,
    inputs: &Scorings,
) -> Result<ModelsOutcome> {
    let (methods, count) = (inputs.methods.len(), inputs.models.len());
    if inputs.parts.len() != count || inputs.parts.iter().any(|parts| parts.len() != methods || methods == 0) {
        return Err(Error::internal(format!(
            "There is not one scoring for each of {count} models and {methods} methods."
        )));
    }
    let ids = [&request.x, &request.y].map(|id| id.as_deref().unwrap_or_default());
    // its test takes rows for independent
    let tested = ids.contains(&BIAS_INDEX.id) && data.dependent_rows().is_none();
    let each_model = inputs.parts.iter().zip(inputs.models);
    let parts = each_model.flat_map(|(parts, model)| parts.iter().zip(inputs.methods).map(move |one| (model, one)));
    let points = parts.map(|(model, (part, method))| {
        let value = |id: &str| part.values.get(id).and_then(|value| value.as_ref().ok().copied());
        let reason = ids.iter().find_map(|id| match part.values.get(*id) {
            Some(value) => value.clone().err(),
            None => Some(Reason::NotComputed),
        });
        let z = value(BIAS_Z.id).filter(|_| tested);
        let p = z.map(normal_two_sided);
        ModelPoint {
            model: model.clone(),
            method: method.name.clone(),
            rows: part.rows,
            x: value(ids[0]),
            y: value(ids[1]),
            reason: reason.map(|reason| reason.to_string()),
            p,
            p_bonferroni: p.map(|p| (p * count as f64).min(1.0)),
            p_rows_bonferroni: value(FAIR_P.id).filter(|_| tested).map(|p| (p * count as f64).min(1.0)),
        }
    });
    let bins = &run.report.settings.bins;
    let of_cohort = inputs.cohort.as_ref();
    let paired = of_cohort.map(|of| paired::paired(of.cohort, bins, &of.draws, &of.looks)).transpose()?;
    let paired = paired.map(|found| PairedModels { sentence: paired_words::sentence(&found), ..found });
    let mut outcome = ModelsOutcome {
        settings: request.clone(),
        points: points.collect(),
        paired,
        verdict: Verdict::untested("", None, ""),
        sheet: Sheet::default(),
    };
    outcome.verdict = match &outcome.paired {
        Some(paired) if paired.models.len() > 1 => paired.verdict.clone(),
        _ => words::verdict(inputs, &outcome),
    };
    let together = match (of_cohort, &outcome.paired) {
        (Some(of), Some(paired)) => paired_words::blocks(data, of, paired, bins)?,
        _ => Vec::new(),
    };
    outcome.sheet = words::sheet(data, run, inputs, &outcome, together);
    Ok(outcome)
}
