//! The typed graph: steps, what they find, and handles from one to the other.
//!
//! A step is a struct of settings and of needs; a need is a handle to what another step finds, of a known type. Which
//! outcomes a step must be handed is read off the step itself, so that no list beside it can disagree.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::packed::pack;
use crate::report::RunOutcome;

/// A handle to an outcome of type `T`: its number in the plan.
///
/// 0 is the data set; in the plan of a run, i is what node i − 1 finds; in that of an analysis, 1 is the report of the
/// run, then come the other data sets, then the nodes; in that of an experiment the other data sets come first.
pub struct Handle<T> {
    number: usize,
    of: PhantomData<fn() -> T>,
}

/// The data set that a plan is about.
pub const DATA: Handle<Predictions> = Handle::numbered(0);
/// The report of the run that an analysis is about.
pub const REPORT: Handle<RunOutcome> = Handle::numbered(1);

/// The k-th of the other data sets that an analysis looks at, from 0.
pub const fn other_data(k: usize) -> Handle<Predictions> {
    Handle::numbered(2 + k)
}

impl<T> Handle<T> {
    /// What is there before the first step, by its number.
    pub const fn numbered(number: usize) -> Self {
        Self { number, of: PhantomData }
    }

    /// Its number in the plan.
    pub const fn number(&self) -> usize {
        self.number
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#{}", self.number)
    }
}

thread_local! {
    /// Numbers of the needs that were written since somebody asked for them.
    static WRITTEN: RefCell<Option<Vec<usize>>> = const { RefCell::new(None) };
}

impl<T> Serialize for Handle<T> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        WRITTEN.with_borrow_mut(|written| {
            if let Some(numbers) = written.as_mut().filter(|numbers| !numbers.contains(&self.number)) {
                numbers.push(self.number);
            }
        });
        to.serialize_u64(self.number as u64)
    }
}

impl<'de, T> Deserialize<'de> for Handle<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        u64::deserialize(from).map(|number| Self::numbered(number as usize))
    }
}

/// Numbers of the outcomes that a step needs, each once, in the order of its fields: every handle in it, however deep,
/// tells its number while the step is written.
///
/// # Errors
/// `internal` if the step cannot be written.
pub fn inputs_of<S: Serialize>(step: &S) -> Result<Vec<usize>> {
    WRITTEN.set(Some(Vec::new()));
    let written = pack(step);
    let numbers = WRITTEN.take().unwrap_or_default();
    written.map_err(|error| Error::internal(format!("A step of the plan cannot be written: {error}.")))?;
    Ok(numbers)
}

/// One thing a worker does, alone, on what earlier steps found.
pub trait Step: Serialize + Any {
    /// what it computes
    type Output: Any;

    /// Does it; `progress` hears the share that is done.
    ///
    /// # Errors
    /// Those of its chapter; `internal` if something that it needs is not `at` hand.
    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<Self::Output>;
}

/// The name of a type without the modules around it: `Show<KlceOutcome>`.
fn short_name<T>() -> String {
    let parts = std::any::type_name::<T>().split('<').map(|part| part.rsplit("::").next().unwrap_or(part));
    parts.collect::<Vec<_>>().join("<")
}

/// The outcomes that one step was handed, by number.
pub struct Outcomes<'a> {
    step: &'static str,
    outcomes: Vec<(usize, &'a dyn Any)>,
}

impl<'a> Outcomes<'a> {
    /// * `step`: the name of the step, for messages
    /// * `numbers`: of `outcomes`, in their order
    ///
    /// # Errors
    /// `internal` if there are more of one than of the other.
    pub(crate) fn new(step: &'static str, numbers: &[usize], outcomes: &[&'a dyn Any]) -> Result<Self> {
        if numbers.len() != outcomes.len() {
            return Err(Error::internal(format!(
                "`{step}` needs {} outcomes and received {}.",
                numbers.len(),
                outcomes.len()
            )));
        }
        Ok(Self { step, outcomes: numbers.iter().copied().zip(outcomes.iter().copied()).collect() })
    }

    /// What the handle stands for.
    ///
    /// # Errors
    /// `internal` if it is not there or something else, with the step, the type and the number.
    pub fn the<T: Any>(&self, need: &Handle<T>) -> Result<&'a T> {
        self.find(need).ok_or_else(|| {
            let there = self.outcomes.iter().any(|(number, _)| *number == need.number);
            let what = if there { "something else" } else { "nothing" };
            Error::internal(format!(
                "`{}` is missing an input: {}, outcome {}; {what} is there.",
                self.step,
                short_name::<T>(),
                need.number
            ))
        })
    }

    /// What each of the handles stands for, in their order.
    ///
    /// # Errors
    /// As [`Outcomes::the`].
    pub fn each<T: Any>(&self, needs: &[Handle<T>]) -> Result<Vec<&'a T>> {
        needs.iter().map(|need| self.the(need)).collect()
    }

    /// What the handle stands for, where there is such an outcome.
    pub fn find<T: Any>(&self, need: &Handle<T>) -> Option<&'a T> {
        let (_, outcome) = self.outcomes.iter().find(|(number, _)| *number == need.number)?;
        outcome.downcast_ref()
    }

    /// What was handed over from the number `first` on.
    ///
    /// # Errors
    /// `internal` if something of another type is among it.
    pub fn from<T: Any>(&self, first: usize) -> Result<Vec<&'a T>> {
        let numbers = self.outcomes.iter().map(|(number, _)| *number).filter(|number| *number >= first);
        numbers.map(|number| self.the(&Handle::numbered(number))).collect()
    }
}

/// A step in a plan.
pub struct Planned {
    /// what to do
    pub step: Box<dyn Any>,
    /// its type, for messages
    pub name: String,
    /// numbers of the outcomes that it needs, as the step itself says; see [`Handle`]
    pub needs: Vec<usize>,
    /// expected milliseconds, for progress
    pub cost: f64,
    /// what a person is told while it runs
    pub label: String,
}

/// A growing list of steps.
pub struct Plan {
    /// in an order in which they can run
    pub steps: Vec<Planned>,
    /// outcomes that are there before the first step
    given: usize,
    /// what labels begin with
    before_labels: String,
}

impl Plan {
    /// The plan of a run: [`DATA`] is there.
    pub fn of_run() -> Self {
        Self { steps: Vec::new(), given: 1, before_labels: String::new() }
    }

    /// The plan of an experiment: [`DATA`] is there, and then other data sets.
    pub fn of_experiment(others: usize) -> Self {
        Self { given: 1 + others, ..Self::of_run() }
    }

    /// The plan of an analysis: [`DATA`], [`REPORT`] and some [`other_data`] are there.
    ///
    /// * `before`: steps that stand before its first where it becomes part of another plan, see [`Plan::append`]
    pub fn of_analysis(others: usize, before: usize) -> Self {
        Self { given: 2 + others + before, ..Self::of_run() }
    }

    /// Appends the steps of a plan that was made to stand after those of this one.
    pub fn append(&mut self, mut after: Plan) {
        self.steps.append(&mut after.steps);
    }

    /// Labels of later steps begin with these words.
    pub fn label_with(&mut self, words: String) {
        self.before_labels = words;
    }

    /// Appends a step; answers the handle to what it will find.
    pub fn push<S: Step>(&mut self, step: S, cost: f64, label: &str) -> Handle<S::Output> {
        // Nothing in a step can fail to be written; what could is told when the step runs.
        let needs = inputs_of(&step).unwrap_or_default();
        let label = format!("{}{label}", self.before_labels);
        self.steps.push(Planned { step: Box::new(step), name: short_name::<S>(), needs, cost: cost.max(0.1), label });
        Handle::numbered(self.steps.len() + self.given - 1)
    }

    /// The step that finds what the handle stands for, where it is one of the plan and of this type.
    pub fn step<S: Step>(&self, need: Handle<S::Output>) -> Option<&S> {
        let place = need.number.checked_sub(self.given)?;
        self.steps.get(place)?.step.downcast_ref()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::evaluation::resample::Replicates;
    use crate::evaluation::scored::Scored;
    use crate::packed::unpack;
    use crate::run::step::{Draw, MethodHandles, Resample, WriteReport};

    fn resample(scored: Handle<Scored>) -> Resample {
        Resample { data: None, scored, bins: Default::default(), seed: 1, first: 0, last: 2 }
    }

    #[test]
    fn what_a_step_needs_is_read_off_its_fields() {
        let mut plan = Plan::of_run();
        let scored: Handle<Scored> = Handle::numbered(4);
        let replicates = plan.push(resample(scored), 1.0, "draws");
        assert_eq!(plan.steps[0].needs, [4]);
        assert_eq!(plan.step::<Resample>(replicates).map(|step| step.last), Some(2));
        let method = MethodHandles { scored: Some(scored), replicates: vec![replicates], ..MethodHandles::default() };
        let report = WriteReport {
            data: DATA,
            split: Handle::numbered(2),
            so_far: None,
            common: None,
            known: vec![method.clone()],
            new: vec![method],
            request: Default::default(),
        };
        // Each once, however deep it stands and however often.
        assert_eq!(inputs_of(&report).unwrap(), [0, 2, 4, 1]);
        assert_eq!(unpack::<WriteReport>(&pack(&report).unwrap()).unwrap(), report);
    }

    #[test]
    fn what_is_missing_is_named() {
        let found = Replicates::default();
        let step = Draw {
            data: DATA,
            split: Handle::numbered(1),
            scored: Handle::numbered(2),
            local: Vec::new(),
            bins: Default::default(),
            metrics: Vec::new(),
            seed: 0,
            first: 0,
            last: 0,
        };
        let numbers = inputs_of(&step).unwrap();
        let told = |given: &[&dyn Any], numbers: &[usize]| {
            let at = Outcomes::new("Draw", numbers, given);
            let error = at.and_then(|at| step.run(&at, &mut |_| ())).unwrap_err();
            assert_eq!(error.code(), "internal");
            error.to_string()
        };
        assert_eq!(told(&[&found], &numbers), "`Draw` needs 3 outcomes and received 1.");
        // A missing one never lets another take its place.
        let nothing = "`Draw` is missing an input: Predictions, outcome 0; nothing is there.";
        assert_eq!(told(&[&found, &found], &[1, 2]), nothing);
        let other = "`Draw` is missing an input: Predictions, outcome 0; something else is there.";
        assert_eq!(told(&[&found, &found, &found], &numbers), other);
    }
}
