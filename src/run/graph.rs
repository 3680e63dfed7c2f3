//! The typed graph: steps, what they find, and handles from one to the other.
//!
//! A step is a struct of settings and of needs; a need is a handle to what another step finds, of a known type. Which
//! outcomes a step must be handed is read off the step itself, so that no list beside it can disagree.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::data::{ColumnRole, Predictions, Role};
use crate::error::{Error, Result};
use crate::feature::projection::Coordinates;
use crate::job::{DataSet, Job, Outcome};
use crate::packed::pack;
use crate::report::RunOutcome;
use crate::table::{Matrix, NamedColumn, Reals, Values};

/// A handle to an outcome of type `T`: its number in the plan.
///
/// 0 is the data set; in the plan of a run, i is what node i − 1 finds; in that of an analysis, 1 is the report of the
/// run, then come the other data sets, then the nodes.
pub struct Need<T> {
    number: usize,
    of: PhantomData<fn() -> T>,
}

/// The data set that a plan is about.
pub const DATA: Need<Predictions> = Need::given(0);
/// The report of the run that an analysis is about.
pub const REPORT: Need<RunOutcome> = Need::given(1);

/// The k-th of the other data sets that an analysis looks at, from 0.
pub const fn other_data(k: usize) -> Need<Predictions> {
    Need::given(2 + k)
}

impl<T> Need<T> {
    /// What is there before the first step, by its number.
    pub const fn given(number: usize) -> Self {
        Self { number, of: PhantomData }
    }

    /// Its number in the plan.
    pub const fn number(&self) -> usize {
        self.number
    }
}

impl<T> Clone for Need<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Need<T> {}

impl<T> PartialEq for Need<T> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<T> fmt::Debug for Need<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#{}", self.number)
    }
}

thread_local! {
    /// Numbers of the needs that were written since somebody asked for them.
    static WRITTEN: RefCell<Option<Vec<usize>>> = const { RefCell::new(None) };
}

impl<T> Serialize for Need<T> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        WRITTEN.with_borrow_mut(|written| {
            if let Some(numbers) = written.as_mut().filter(|numbers| !numbers.contains(&self.number)) {
                numbers.push(self.number);
            }
        });
        to.serialize_u64(self.number as u64)
    }
}

impl<'de, T> Deserialize<'de> for Need<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        u64::deserialize(from).map(|number| Self::given(number as usize))
    }
}

/// Numbers of the outcomes that a step needs, each once, in the order of its fields: every handle in it, however deep,
/// tells its number while the step is written.
///
/// # Errors
/// `internal` if the step cannot be written.
pub fn needs_of<S: Serialize>(step: &S) -> Result<Vec<usize>> {
    WRITTEN.set(Some(Vec::new()));
    let written = pack(step);
    let numbers = WRITTEN.take().unwrap_or_default();
    written.map_err(|error| Error::internal(format!("A step of the plan cannot be written: {error}.")))?;
    Ok(numbers)
}

/// What a step finds, or what is there before the first: one of the types of [`Outcome`].
pub trait Found: Sized {
    /// for messages
    const NAME: &'static str;
    /// itself, where the outcome is of this type
    fn of(outcome: &Outcome) -> Option<&Self>;
}

/// One thing a worker does, alone, on what earlier steps found.
pub trait Step: Serialize + Into<Job> {
    /// what comes of it
    type Found: Found + Into<Outcome>;

    /// Does it; `tell` hears the share that is done.
    ///
    /// # Errors
    /// Those of its chapter; `internal` if something that it needs is not `at` hand.
    fn run(&self, at: &Outcomes, tell: &mut dyn FnMut(f64)) -> Result<Self::Found>;
}

/// The outcomes that one step was handed, by number.
pub struct Outcomes<'a> {
    step: &'static str,
    held: Vec<(usize, &'a Outcome)>,
}

impl<'a> Outcomes<'a> {
    /// * `step`: the name of the step, for messages
    /// * `numbers`: of `outcomes`, in their order
    ///
    /// # Errors
    /// `internal` if there are more of one than of the other.
    pub(crate) fn new(step: &'static str, numbers: &[usize], outcomes: &[&'a Outcome]) -> Result<Self> {
        if numbers.len() != outcomes.len() {
            return Err(Error::internal(format!(
                "`{step}` needs {} outcomes and was handed {}.",
                numbers.len(),
                outcomes.len()
            )));
        }
        Ok(Self { step, held: numbers.iter().copied().zip(outcomes.iter().copied()).collect() })
    }

    /// What the handle stands for.
    ///
    /// # Errors
    /// `internal` if it is not there or something else, with the step, the type and the number.
    pub fn the<T: Found + 'a>(&self, need: &Need<T>) -> Result<&'a T> {
        self.find(need).ok_or_else(|| {
            let there = self.held.iter().any(|(number, _)| *number == need.number);
            let what = if there { "something else" } else { "nothing" };
            Error::internal(format!(
                "`{}` did not get what it needs: {}, outcome {}; {what} is there.",
                self.step,
                T::NAME,
                need.number
            ))
        })
    }

    /// What each of the handles stands for, in their order.
    ///
    /// # Errors
    /// As [`Outcomes::the`].
    pub fn each<T: Found + 'a>(&self, needs: &[Need<T>]) -> Result<Vec<&'a T>> {
        needs.iter().map(|need| self.the(need)).collect()
    }

    /// What the handle stands for, where there is such an outcome.
    pub fn find<T: Found + 'a>(&self, need: &Need<T>) -> Option<&'a T> {
        let (_, outcome) = self.held.iter().find(|(number, _)| *number == need.number)?;
        T::of(outcome)
    }

    /// What was handed over from the number `first` on.
    ///
    /// # Errors
    /// `internal` if something of another type is among it.
    pub fn from<T: Found + 'a>(&self, first: usize) -> Result<Vec<&'a T>> {
        let numbers = self.held.iter().map(|(number, _)| *number).filter(|number| *number >= first);
        numbers.map(|number| self.the(&Need::given(number))).collect()
    }
}

/// The data set with feature maps as further columns; `None` where there are no maps, or nothing that could have them.
///
/// # Errors
/// `internal` if one of the maps is none.
pub(crate) fn with_maps(data: Option<&Outcome>, maps: &[&Outcome]) -> Result<Option<Outcome>> {
    let Some(data) = data.and_then(Predictions::of).filter(|_| !maps.is_empty()) else {
        return Ok(None);
    };
    let mut predictions = data.clone();
    for map in maps {
        let map =
            Coordinates::of(map).ok_or_else(|| Error::internal("Something came in the place of a feature map."))?;
        // A map of another data set, which an analysis looks at beside this one.
        if map.values.len() != predictions.rows * map.coordinates {
            continue;
        }
        predictions.table.columns.push(NamedColumn {
            file: String::new(),
            name: map.name.clone(),
            values: Values::Matrix(Matrix { width: map.coordinates, values: Reals::F64(map.values.clone()) }),
        });
        predictions.roles.push(ColumnRole {
            file: String::new(),
            name: map.name.clone(),
            role: Role::Features,
            reason: map.text.clone(),
            shape: vec![predictions.rows, map.coordinates],
            sure: true,
            preview: Vec::new(),
            reading: None,
            offer: None,
        });
        predictions.projections.push((map.name.clone(), map.projection.clone()));
    }
    let (summary, suggestion, offer) = Default::default();
    Ok(Some(DataSet { summary, suggestion, offer, predictions }.into()))
}

/// A step in a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Node {
    /// what to do
    pub job: Job,
    /// numbers of the outcomes that it needs, as the step itself says; see [`Need`]
    pub needs: Vec<usize>,
    /// expected milliseconds, for progress
    pub cost: f64,
    /// what a person is told while it runs
    pub label: String,
}

/// A growing list of nodes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// in an order in which they can run
    pub nodes: Vec<Node>,
    /// outcomes that are there before the first node
    given: usize,
    /// what labels begin with
    before_labels: String,
}

impl Plan {
    /// The plan of a run: [`DATA`] is there.
    pub fn of_run() -> Self {
        Self { nodes: Vec::new(), given: 1, before_labels: String::new() }
    }

    /// The plan of an analysis: [`DATA`], [`REPORT`] and some [`other_data`] are there.
    pub fn of_analysis(others: usize) -> Self {
        Self { given: 2 + others, ..Self::of_run() }
    }

    /// Labels of later nodes begin with these words.
    pub fn label_with(&mut self, words: String) {
        self.before_labels = words;
    }

    /// Appends a step; answers the handle to what it will find.
    pub fn push<S: Step>(&mut self, step: S, cost: f64, label: &str) -> Need<S::Found> {
        // Nothing in a step can fail to be written; what could is told when the step runs.
        let needs = needs_of(&step).unwrap_or_default();
        let label = format!("{}{label}", self.before_labels);
        self.nodes.push(Node { job: step.into(), needs, cost: cost.max(0.1), label });
        Need::given(self.nodes.len() + self.given - 1)
    }

    /// The step that finds what the handle stands for, where it is one of the plan.
    pub fn step<T>(&self, need: Need<T>) -> Option<&Job> {
        let place = need.number.checked_sub(self.given)?;
        self.nodes.get(place).map(|node| &node.job)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::evaluation::resample::Replicates;
    use crate::evaluation::scored::Scored;
    use crate::packed::unpack;
    use crate::run::step::{Draw, MethodNeeds, Resample, WriteReport};

    fn resample(scored: Need<Scored>) -> Resample {
        Resample { data: None, scored, bins: Default::default(), seed: 1, first: 0, last: 2 }
    }

    #[test]
    fn what_a_step_needs_is_read_off_its_fields() {
        let mut plan = Plan::of_run();
        let scored: Need<Scored> = Need::given(4);
        let replicates = plan.push(resample(scored), 1.0, "draws");
        assert_eq!(plan.nodes[0].needs, [4]);
        let method = MethodNeeds { scored: Some(scored), replicates: vec![replicates], ..MethodNeeds::default() };
        let report = WriteReport {
            data: DATA,
            split: Need::given(2),
            so_far: None,
            known: vec![method.clone()],
            new: vec![method],
            request: Default::default(),
        };
        // Each once, however deep it stands and however often.
        assert_eq!(needs_of(&report).unwrap(), [0, 2, 4, 1]);
        let job = Job::from(report);
        assert_eq!(unpack::<Job>(&pack(&job).unwrap()).unwrap(), job);
    }

    #[test]
    fn what_is_missing_is_named() {
        let found = Outcome::from(Replicates::default());
        let step = Draw {
            data: DATA,
            split: Need::given(1),
            scored: Need::given(2),
            local: Vec::new(),
            bins: Default::default(),
            metrics: Vec::new(),
            seed: 0,
            first: 0,
            last: 0,
        };
        let numbers = needs_of(&step).unwrap();
        let told = |given: &[&Outcome], numbers: &[usize]| {
            let at = Outcomes::new("Draw", numbers, given);
            let error = at.and_then(|at| step.run(&at, &mut |_| ())).unwrap_err();
            assert_eq!(error.code(), "internal");
            error.to_string()
        };
        assert_eq!(told(&[&found], &numbers), "`Draw` needs 3 outcomes and was handed 1.");
        // A missing one never lets another take its place.
        let nothing = "`Draw` did not get what it needs: Data, outcome 0; nothing is there.";
        assert_eq!(told(&[&found, &found], &[1, 2]), nothing);
        let other = "`Draw` did not get what it needs: Data, outcome 0; something else is there.";
        assert_eq!(told(&[&found, &found, &found], &numbers), other);
    }
}
