//! Doing one job.

use super::{Job, Outcome, Progress};
use crate::error::Result;
use crate::run::graph::{Outcomes, with_maps};
use crate::table::Array;

mod execute;

pub use execute::{execute, execute_after};

/// What a job is handed.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// what it needs, in the order in which it names it
    pub needs: &'a [&'a Outcome],
    /// feature maps of the data set, which become columns of it
    pub maps: &'a [&'a Outcome],
}

impl<'a, T: AsRef<[&'a Outcome]> + ?Sized> From<&'a T> for Given<'a> {
    fn from(needs: &'a T) -> Self {
        Self { needs: needs.as_ref(), maps: &[] }
    }
}

/// Runs `job` on what it is given and the columns that came with it.
///
/// # Errors
/// Whatever the job's chapter returns; `internal` if it is not given what it needs.
pub fn run<'a>(
    job: &Job,
    given: impl Into<Given<'a>>,
    columns: Vec<Array>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome> {
    let Given { needs, maps } = given.into();
    let mapped = with_maps(needs.first().copied(), maps)?;
    let mut needs = needs.to_vec();
    if let (Some(mapped), Some(first)) = (&mapped, needs.first_mut()) {
        *first = mapped;
    }
    if let Job::Call(call) = job {
        let numbers: Vec<usize> = (0..needs.len()).collect();
        let at = Outcomes::new(job.name(), &numbers, &needs)?;
        return super::answer::answer(call, &at, columns, progress);
    }
    let at = Outcomes::new(job.name(), &job.needs()?, &needs)?;
    job.step(&at, &mut |share| progress(share.into()))
}
