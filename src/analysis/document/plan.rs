//! The steps of the analyses that the document shows, then the document.

use serde::{Deserialize, Serialize};

use super::panel::{self, Panel};
use super::{DocumentRequest, Shown, document};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::report::RunOutcome;
use crate::report::export::Bytes;
use crate::request::bounds::{Field, whole};
use crate::run::graph::{DATA, Need, Outcomes, Plan, REPORT, Step};

impl Analysis for DocumentRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("suppress", whole(3, 1000)), ("extra", Field::Within("analysis"))];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let mut extra = Vec::new();
        for request in &self.extra {
            extra.push(panel::push(&mut plan, of, request)?);
        }
        // what was asked for is in the plan: the last step need not know it
        let request = Self { extra: Vec::new(), ..self.clone() };
        let cost = 5.0 + of.data.rows as f64 * 1e-3;
        plan.push(WriteDocument { data: DATA, run: REPORT, extra, request }, cost, "writing the report");
        Ok(plan)
    }
}

/// Writes the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteDocument {
    data: Need<Predictions>,
    run: Need<RunOutcome>,
    extra: Vec<Need<Panel>>,
    request: DocumentRequest,
}

impl Step for WriteDocument {
    type Found = Bytes;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Bytes> {
        let shown = Shown {
            data: at.the(&self.data)?,
            run: at.the(&self.run)?,
            extra: at.each(&self.extra)?,
            request: &self.request,
        };
        Ok(document(&shown)?.written(self.request.format).into_bytes().into())
    }
}
