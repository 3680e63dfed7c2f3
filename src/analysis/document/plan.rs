//! The steps of the analyses that the document shows, then the document.

use serde::{Deserialize, Serialize};

use super::panel::{self, Panel};
use super::{DocumentInput, DocumentRequest, document};
use crate::analysis::finding::{FindingRequest, FindingWithoutCharts, ShowFinding};
use crate::analysis::show::WithoutCharts;
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::markup::DocumentFormat;
use crate::report::RunOutcome;
use crate::report::export::Bytes;
use crate::request::bounds::{Field, LEAST};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

impl Analysis for DocumentRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("suppress", LEAST), ("extra", Field::Within("analysis")), ("experiment", Field::Within("experimenting"))];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        // first, so that its steps are those of the finding alone, and are not done again where they were done
        let (finding, without_finding) = match (&self.finding, &self.without_finding) {
            (_, Some(why)) => (None, Some(why.clone())),
            (Some(asked), None) => (Some(push_finding(&mut plan, of, asked)?), None),
            (None, None) => match push_finding(&mut plan, of, &FindingRequest::default()) {
                Err(error) if error.code() != "internal" => (None, Some(error.to_string())),
                found => (Some(found?), None),
            },
        };
        let mut extra = Vec::new();
        for request in &self.extra {
            extra.push(panel::push(&mut plan, of, request, self.suppress)?);
        }
        // what was asked for is in the plan: the last step need not know it
        let request = Self { extra: Vec::new(), finding: None, without_finding, ..self.clone() };
        let cost = 5.0 + of.data.rows as f64 * 1e-3;
        plan.push(WriteDocument { data: DATA, run: REPORT, finding, extra, request }, cost, "writing the report");
        Ok(plan)
    }
}

/// The steps of the finding but the last, which draws it for a page.
fn push_finding(plan: &mut Plan, of: &LastRun, request: &FindingRequest) -> Result<Handle<FindingWithoutCharts>> {
    let before = of.before + plan.steps.len();
    let mut steps = request.plan(&LastRun { before, ..*of })?;
    let last = steps.steps.pop();
    plan.append(steps);
    let show = last.as_ref().and_then(|last| last.step.downcast_ref::<ShowFinding>());
    show.map(ShowFinding::without_charts).ok_or_else(|| Error::internal("The finding is not drawn by its last step."))
}

/// Writes the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteDocument {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    finding: Option<Handle<FindingWithoutCharts>>,
    extra: Vec<Handle<Panel>>,
    request: DocumentRequest,
}

impl Step for WriteDocument {
    type Output = Bytes;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Bytes> {
        let finding = self.finding.as_ref().map(|need| at.the(need)).transpose()?;
        let shown = DocumentInput {
            data: at.the(&self.data)?,
            run: at.the(&self.run)?,
            finding: finding.map(|WithoutCharts(found)| found),
            extra: at.each(&self.extra)?,
            request: &self.request,
        };
        let document = document(&shown)?;
        let figures = match self.request.format {
            DocumentFormat::Latex => document.figures().into_iter().cloned().collect(),
            // the others contain theirs, or have none
            DocumentFormat::Html | DocumentFormat::Markdown | DocumentFormat::Tables => Vec::new(),
        };
        Ok(Bytes { figures, ..document.written(self.request.format).into_bytes().into() })
    }
}
