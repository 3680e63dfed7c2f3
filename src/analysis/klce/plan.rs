//! One KLCE test per method, then the sheet.

use serde::{Deserialize, Serialize};

use super::{KlceQuestion, KlceRequest, KlceWithoutCharts, klce};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::klce::KlceSettings;
use crate::feature;
use crate::hypothesis::{KlceTestOutcome, LEVEL, Null};
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::mapped_rows::feature_choice;
use crate::report::view::method_rows;
use crate::request::bounds::{DRAWS, FEATURES, FIGURE, Field, SEED, WIDTH, WIDTH_OR_NONE, real};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::klce::push;
use crate::run::step::KlceOf;

impl Analysis for KlceRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[
        ("features", FEATURES),
        ("width_p", WIDTH),
        ("gamma", WIDTH_OR_NONE),
        ("resamples", DRAWS),
        ("seed", SEED),
        ("alpha", real(1e-9, 1.0 - 1e-9)),
        ("width", FIGURE),
    ];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut request = Self { width: None, ..self.clone() };
        let before = of.run.report.settings.klce.clone().unwrap_or_default();
        let choice = request.features.take().or(before.features);
        let choice = feature_choice(of.data, of.run, choice.as_ref())?;
        feature::check(of.data, &choice)?;
        let alpha = request.alpha.unwrap_or(LEVEL);
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(Error::new(
                "invalid_option",
                format!("The level alpha is {alpha}."),
                "The level must lie between 0 and 1; 0.05 is usual.",
            ));
        }
        // draws that take rows for independent would say nothing of these
        let dependent = feature::no_independent_test(of.data, &choice).is_some();
        let nulls = request.nulls.clone().unwrap_or(if dependent { Vec::new() } else { Null::ALL.to_vec() });
        let power = (!nulls.is_empty()).then_some((alpha, request.simulate));
        let gamma = request.gamma.as_ref().or(before.gamma.as_ref());
        let settings = KlceSettings::new(
            choice,
            request.width_p.or(before.width_p),
            gamma,
            nulls,
            request.resamples.or(before.resamples),
            request.seed,
        )?;
        let methods: Vec<String> = match &request.methods {
            Some(names) if !names.is_empty() => names.clone(),
            _ => of.run.rows.iter().map(|rows| rows.method.name.clone()).collect(),
        };
        let mut plan = of.plan();
        let mut tests = Vec::with_capacity(methods.len());
        for name in &methods {
            let rows = method_rows(of.run, Some(name))?.rows.len();
            let scores = KlceOf::Run { run: REPORT, method: name.clone() };
            tests.push(push(&mut plan, of.data, &settings, scores, rows, power));
        }
        request.methods = Some(methods);
        let step = WriteKlce { data: DATA, run: REPORT, tests, request, settings };
        let found = plan.push(step, 1.0, "summarizing");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// The tests of several methods side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteKlce {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    /// one per method
    tests: Vec<Handle<KlceTestOutcome>>,
    /// the request, with defaults
    request: KlceRequest,
    /// kernel and nulls
    settings: KlceSettings,
}

impl Step for WriteKlce {
    type Output = KlceWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<KlceWithoutCharts> {
        let data = at.the(&self.data)?;
        let question = KlceQuestion {
            settings: &self.settings,
            methods: self.request.methods.as_deref().unwrap_or_default(),
            alpha: self.request.alpha.unwrap_or(LEVEL),
            simulate: self.request.simulate,
        };
        let mut found = klce(data, at.the(&self.run)?, &question, &at.each(&self.tests)?)?;
        found.sheet.note_weights(data);
        Ok(WithoutCharts(found))
    }
}
