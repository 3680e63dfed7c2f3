//! What workers are asked to do: steps, what they find, and plans of many steps.
//!
//! A plan is a list of nodes; each names the earlier nodes whose outcomes it needs. The number of nodes depends on
//! the data only, and every random stream on the seed and the place in the data only, so one worker and sixteen
//! give the same bits. A pool that runs plans needs to know nothing of what the steps mean.

mod answer;
mod call;
mod glance;
mod offer;
pub mod options;
mod outcome;
mod progress;
pub mod reply;
mod run;
mod suggest;

use std::any::Any;

use serde::{Deserialize, Serialize};

use crate::analysis::analyses;
use crate::error::{Error, Result};
use crate::experiment::plan::{ExperimentSize, Planned};
use crate::experiment::step::{Attempt, DivideAnew, Measure, TimeFit};
use crate::experiment::{Cell, Spec};
use crate::run::graph::{self, Outcomes, Step, inputs_of};
use crate::run::step::{
    Divide, DivideRepeat, Draw, Fit, KlceAdd, KlcePrepare, KlceShareOut, KlceSimulate, KlceSimulated, LocalError,
    LocalResample, Resample, ResampleOnRequest, Score, SearchProximity, WriteReport,
};

pub use call::{Call, not_understood};
pub use offer::{ColumnChoices, Lack, Offer, OfferedMap, OfferedMethod};
pub use outcome::{Card, DataSet, Outcome, Recognized, Unpacked};
pub use progress::Progress;
pub use run::{JobInputs, every_outcome, execute, execute_after, run};
pub use suggest::LocalSuggestion;

macro_rules! steps {
    ($(
        #[doc = $words:literal]
        $module:ident: $Request:ident; steps [$($Step:ident),*];
        passes [$($Pass:ident($PassType:ident)),*]; finds [$($Find:ident($FindType:ident)),*]
    )*) => {
        job_enum! {
            Divide(Divide),
            DivideRepeat(DivideRepeat),
            SearchProximity(SearchProximity),
            Fit(Fit),
            Score(Score),
            Resample(Resample),
            ResampleOnRequest(ResampleOnRequest),
            LocalError(LocalError),
            LocalResample(LocalResample),
            KlcePrepare(KlcePrepare),
            KlceShareOut(KlceShareOut),
            KlceAdd(KlceAdd),
            KlceSimulate(KlceSimulate),
            KlceSimulated(KlceSimulated),
            Draw(Draw),
            WriteReport(WriteReport),
            DivideAnew(DivideAnew),
            Attempt(Attempt),
            Measure(Measure),
            TimeFit(TimeFit),
            $($($Step(crate::analysis::$module::$Step),)*)*
        }
    };
}

macro_rules! job_enum {
    ($($Step:ident($Type:ty),)*) => {
        /// One thing a worker does. The steps of a plan travel as bytes ([`packed`](crate::packed)).
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Job {
            $(#[doc = concat!("[`", stringify!($Type), "`]")] $Step($Type),)*
            /// what the page asks for; last, because variants are counted and this one does not travel
            #[serde(skip)]
            Call(Call),
        }

        impl Job {
            /// Its name, for messages.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Job::$Step(_) => stringify!($Step),)*
                    Job::Call(_) => "Call",
                }
            }

            /// Numbers of the outcomes that a step needs, in the order in which it is handed them. A call takes what the
            /// page gives it.
            ///
            /// # Errors
            /// As [`inputs_of`].
            pub fn needs(&self) -> Result<Vec<usize>> {
                match self {
                    $(Job::$Step(step) => inputs_of(step),)*
                    Job::Call(_) => Ok(Vec::new()),
                }
            }

            /// The step of a plan as a job.
            ///
            /// # Errors
            /// `internal` if it is none of those that travel.
            fn of(step: Box<dyn Any>, name: &str) -> Result<Self> {
                $(
                    let step = match step.downcast::<$Type>() {
                        Ok(step) => return Ok(Job::$Step(*step)),
                        Err(step) => step,
                    };
                )*
                drop(step);
                Err(Error::internal(format!("`{name}` is not among the steps that workers know.")))
            }

            /// What comes of a step.
            fn step(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<Outcome> {
                match self {
                    $(Job::$Step(step) => step.run(at, progress).map(Outcome::from),)*
                    Job::Call(_) => Err(Error::internal("A call is no step of a plan.")),
                }
            }
        }

        $(impl From<$Type> for Job {
            fn from(step: $Type) -> Self {
                Job::$Step(step)
            }
        })*
    };
}

analyses!(steps);

/// A step of a plan on its way to a worker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Node {
    /// what to do
    pub job: Job,
    /// numbers of the outcomes that it needs; see [`graph::Handle`]
    pub needs: Vec<usize>,
    /// expected milliseconds, for progress
    pub cost: f64,
    /// what a person is told while it runs
    pub label: String,
}

/// The steps of an experiment, and what is known before the first of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentPlan {
    /// the request, with defaults
    pub spec: Spec,
    /// the jobs; those that find cells are what is asked for
    pub nodes: Vec<Node>,
    /// how many fits the jobs are
    pub fits: usize,
    /// cells that need no job
    pub cells: Vec<Cell>,
    /// how many cells there are in all
    pub all: usize,
    /// what makes them so many
    pub size: ExperimentSize,
}

impl TryFrom<Planned> for ExperimentPlan {
    type Error = Error;

    fn try_from(planned: Planned) -> Result<Self> {
        let Planned { spec, plan, fits, cells, all, size } = planned;
        Ok(Self { spec, nodes: Plan::try_from(plan)?.nodes, fits, cells, all, size })
    }
}

/// The steps of a plan as jobs, in an order in which they can run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// the jobs
    pub nodes: Vec<Node>,
}

impl TryFrom<graph::Plan> for Plan {
    type Error = Error;

    fn try_from(plan: graph::Plan) -> Result<Self> {
        let node = |planned: graph::Planned| {
            let job = Job::of(planned.step, &planned.name)?;
            Ok(Node { job, needs: planned.needs, cost: planned.cost, label: planned.label })
        };
        Ok(Self { nodes: plan.steps.into_iter().map(node).collect::<Result<_>>()? })
    }
}
