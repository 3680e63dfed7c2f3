//! From a question about the last run to a list of jobs.
//!
//! Need 0 is the data set, need 1 the report of the run; node i answers need i + 2.

use crate::data::Predictions;
use crate::error::Result;
use crate::job::Node;
use crate::job::request::AnalysisRequest;
use crate::report::RunOutcome;

/// The jobs of an analysis, ending in its outcome.
///
/// # Errors
/// Those of the kind that is asked for.
pub fn plan(
    _data: &Predictions,
    _run: &RunOutcome,
    request: &AnalysisRequest,
) -> Result<Vec<Node>> {
    match *request {}
}
