//! Jobs about for whom a model is wrong.

use super::needs::{bias_parts, predictions, run_of, witness_ground, wrong};
use crate::error::Result;
use crate::job::{Job, Outcome};
use crate::report::witness::{self, BiasPart};
use crate::report::{bias, inference};

/// Runs one of the jobs of the witness, the bias plot and the inference tasks.
///
/// # Errors
/// Those of its chapter; `invalid_option` if the needs are not what the job takes.
pub(super) fn run(job: &Job, needs: &[&Outcome]) -> Result<Outcome> {
    Ok(match job {
        Job::WitnessGround { request } => {
            Outcome::WitnessGround { ground: Box::new(witness::ground(predictions(needs)?, run_of(needs)?, request)?) }
        }
        Job::WitnessPart { part } => {
            let found = witness::work(witness_ground(needs, 0)?, *part)?;
            Outcome::Bias { part: BiasPart::of(&found) }
        }
        Job::Witness { request } => {
            let (data, run) = (predictions(needs)?, run_of(needs)?);
            let (ground, parts) = (witness_ground(needs, 2)?, bias_parts(needs));
            Outcome::Witness(Box::new(witness::outcome(data, run, ground, request, &parts)?))
        }
        Job::BiasGround { request } => {
            Outcome::WitnessGround { ground: Box::new(bias::ground(predictions(needs)?, run_of(needs)?, request)?) }
        }
        Job::BiasPlot { request } => {
            let (data, run) = (predictions(needs)?, run_of(needs)?);
            let (ground, parts) = (witness_ground(needs, 2)?, bias_parts(needs));
            Outcome::BiasPlot(Box::new(bias::outcome(data, run, ground, request, &parts)?))
        }
        Job::InferencePart { request, first, last } => {
            let (data, run) = (predictions(needs)?, run_of(needs)?);
            let values = inference::replicates(data, run, request, *first..*last)?;
            Outcome::Bias { part: BiasPart { values: values.into() } }
        }
        Job::Inference { request } => {
            let (data, run) = (predictions(needs)?, run_of(needs)?);
            let parts = bias_parts(needs);
            let drawn: Vec<f64> = parts.iter().flat_map(|part| part.values.iter().copied()).collect();
            Outcome::Inference(Box::new(inference::outcome(data, run, request, &drawn)?))
        }
        _ => return Err(wrong("a job of this chapter")),
    })
}
