//! Doing one job.

use std::any::Any;

use super::answer::answer;
use super::{Job, Outcome, Progress};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::feature::projection::with_map;
use crate::run::graph::Outcomes;
use crate::table::Array;

mod execute;

pub use execute::{every_outcome, execute, execute_after};

/// The inputs of a job.
#[derive(Debug, Clone, Copy)]
pub struct JobInputs<'a> {
    /// what it needs, in the order in which it names it
    pub needs: &'a [&'a Outcome],
    /// feature maps of the data set, which become columns of it
    pub maps: &'a [&'a Outcome],
}

impl<'a, T: AsRef<[&'a Outcome]> + ?Sized> From<&'a T> for JobInputs<'a> {
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
    given: impl Into<JobInputs<'a>>,
    columns: Vec<Array>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome> {
    let JobInputs { needs, maps } = given.into();
    let mut values: Vec<&dyn Any> = needs.iter().map(|outcome| outcome.value()).collect();
    let mapped = values.first().map(|data| with_maps(*data, maps)).transpose()?.flatten();
    if let (Some(mapped), Some(first)) = (&mapped, values.first_mut()) {
        *first = mapped;
    }
    if let Job::Call(call) = job {
        let numbers: Vec<usize> = (0..values.len()).collect();
        return answer(call, &Outcomes::new(job.name(), &numbers, &values)?, columns, progress);
    }
    let at = Outcomes::new(job.name(), &job.needs()?, &values)?;
    job.step(&at, &mut |share| progress(share.into()))
}

/// The data set with feature maps as further columns; `None` where there are no maps, or nothing that could have them.
///
/// # Errors
/// `internal` if one of the maps is none.
fn with_maps(data: &dyn Any, maps: &[&Outcome]) -> Result<Option<Predictions>> {
    let Some(data) = data.downcast_ref::<Predictions>().filter(|_| !maps.is_empty()) else {
        return Ok(None);
    };
    let mut predictions = data.clone();
    for map in maps {
        let Outcome::Coordinates(map) = map else {
            return Err(Error::internal("Something came in the place of a feature map."));
        };
        with_map(&mut predictions, map);
    }
    Ok(Some(predictions))
}
