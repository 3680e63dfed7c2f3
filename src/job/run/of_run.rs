//! The report of a run, from the outcomes of its jobs in the order of its plan.

use super::needs::{local_rows, predictions, split, wrong};
use crate::error::Result;
use crate::job::Outcome;
use crate::job::plan::MethodInputs;
use crate::job::request::RunRequest;
use crate::report::RunOutcome;
use crate::report::of_run::{self, MethodFound};

/// Takes from `needs`, behind data, division and more, what `inputs` say that each method has; the first `known` of them
/// are in the report so far.
///
/// # Errors
/// `invalid_option` if something else stands there; as [`of_run::report`].
pub(super) fn report(
    needs: &[&Outcome],
    request: &RunRequest,
    inputs: &[MethodInputs],
    known: usize,
) -> Result<RunOutcome> {
    let mut rest = needs.iter().skip(3);
    let so_far = if known > 0 {
        let Some(Outcome::Report(run)) = rest.next() else {
            return Err(wrong("the report so far"));
        };
        Some((&**run, known))
    } else {
        None
    };
    let mut found = Vec::with_capacity(inputs.len());
    for input in inputs {
        let mut method =
            MethodFound { method: input.method.clone(), reason: input.reason.clone(), ..MethodFound::default() };
        if input.reason.is_none() {
            let Some(Outcome::Scored { scored }) = rest.next() else {
                return Err(wrong("scores"));
            };
            method.scored = Some(scored);
            for _ in 0..input.resample {
                let Some(Outcome::Replicates { replicates }) = rest.next() else {
                    return Err(wrong("replicates"));
                };
                method.replicates.extend(replicates);
            }
            let parts: Vec<&Outcome> = rest.by_ref().take(input.local).copied().collect();
            method.local = local_rows(&parts)?;
            for _ in 0..input.local_resample {
                let Some(Outcome::Replicates { replicates }) = rest.next() else {
                    return Err(wrong("replicates"));
                };
                method.replicates.extend(replicates);
            }
            if input.trust {
                let Some(Outcome::TrustFound { found }) = rest.next() else {
                    return Err(wrong("a trust test"));
                };
                method.trust = Some(found);
            }
        }
        found.push(method);
    }
    of_run::report(predictions(needs)?, split(needs, 1)?, request, &found, so_far)
}
