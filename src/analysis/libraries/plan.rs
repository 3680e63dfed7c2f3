//! One step.

use serde::{Deserialize, Serialize};

use super::published::draws;
use super::{LibrariesOutcome, LibrariesRequest, libraries};
use crate::analysis::{Analysis, LastRun};
use crate::data::{Predictions, View};
use crate::error::Result;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};

impl Analysis for LibrariesRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let rows = of.data.rows;
        // of confidences the outcomes are drawn again for some of the numbers
        let drawn = if of.data.view == View::TopLabel { rows * draws(rows) } else { 0 };
        let cost = rows as f64 * 1e-3 + drawn as f64 * 3e-3;
        // There are no figures.
        let request = Self { width: None, ..self.clone() };
        plan.push(CompareLibraries { data: DATA, run: REPORT, request }, cost, "other libraries");
        Ok(plan)
    }
}

/// What other libraries would print.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareLibraries {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: LibrariesRequest,
}

impl Step for CompareLibraries {
    type Output = LibrariesOutcome;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<LibrariesOutcome> {
        let data = at.the(&self.data)?;
        let mut found = libraries(data, at.the(&self.run)?, self.request.method.as_deref(), progress)?;
        found.sheet.note_weights(data);
        Ok(found)
    }
}
