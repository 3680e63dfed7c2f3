//! What workers are asked to do: steps, what they find, and plans of many steps.
//!
//! A plan is a list of nodes; each names the earlier nodes whose outcomes it needs. The number of nodes depends on
//! the data only, and every random stream on the seed and the place in the data only, so one worker and sixteen
//! give the same bits. A pool that runs plans needs to know nothing of what the steps mean.

mod answer;
mod call;
mod offer;
pub mod options;
mod outcome;
mod progress;
mod run;
mod suggest;
pub mod told;

use serde::{Deserialize, Serialize};

use crate::analysis::analyses;
use crate::error::{Error, Result};
use crate::run::graph::{Outcomes, Step, needs_of};
use crate::run::step::{
    Divide, DivideRepeat, Draw, Fit, LocalError, LocalResample, Resample, ResampleFurther, Score, SearchNear, TrustAdd,
    TrustPrepare, TrustShareOut, TrustSimulate, TrustSimulated, WriteReport,
};

pub use crate::run::graph::{Node, Plan};
pub(crate) use call::without_nulls;
pub use call::{Call, not_understood};
pub use offer::{Offer, OfferedMap, OfferedMethod};
pub use outcome::{Bytes, Card, DataSet, Outcome, Recognised};
pub use progress::Progress;
pub use run::{Given, execute, execute_after, run};
pub use suggest::LocalSuggestion;

macro_rules! steps {
    ($(
        #[doc = $words:literal]
        $module:ident: $Request:ident; steps [$($Step:ident),*];
        passes [$($Pass:ident($PassType:ident)),*]; finds [$($Find:ident($FindType:ident)),*]
    )*) => {
        closed! {
            Divide(Divide),
            DivideRepeat(DivideRepeat),
            SearchNear(SearchNear),
            Fit(Fit),
            Score(Score),
            Resample(Resample),
            ResampleFurther(ResampleFurther),
            LocalError(LocalError),
            LocalResample(LocalResample),
            TrustPrepare(TrustPrepare),
            TrustShareOut(TrustShareOut),
            TrustAdd(TrustAdd),
            TrustSimulate(TrustSimulate),
            TrustSimulated(TrustSimulated),
            Draw(Draw),
            WriteReport(WriteReport),
            $($($Step(crate::analysis::$module::$Step),)*)*
        }
    };
}

macro_rules! closed {
    ($($Step:ident($Type:ty),)*) => {
        /// One thing a worker does. The steps of a plan travel as bytes ([`packed`]).
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
            /// As [`needs_of`].
            pub fn needs(&self) -> Result<Vec<usize>> {
                match self {
                    $(Job::$Step(step) => needs_of(step),)*
                    Job::Call(_) => Ok(Vec::new()),
                }
            }

            /// What comes of a step.
            fn step(&self, at: &Outcomes, tell: &mut dyn FnMut(f64)) -> Result<Outcome> {
                match self {
                    $(Job::$Step(step) => step.run(at, tell).map(Outcome::from),)*
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
