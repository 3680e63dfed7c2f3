//! What comes of a step, or of what the page asks for: one line a type.

use std::any::Any;

use serde::{Deserialize, Serialize};

use crate::analysis::analyses;
use crate::catalogue::Catalogue;
use crate::data::folds::Split;
use crate::data::{Predictions, Summary};
use crate::evaluation::comparison::Drawn;
use crate::evaluation::local::LocalRows;
use crate::evaluation::method::Fitted;
use crate::evaluation::proximity::LogProximities;
use crate::evaluation::resample::Replicates;
use crate::evaluation::scored::Scored;
use crate::experiment::Concluded;
use crate::experiment::papers::Prepared;
use crate::experiment::step::{Attempted, Cells};
use crate::feature::projection::Coordinates;
use crate::hypothesis::{KlceShare, KlceTestOutcome, KlceWork};
use crate::job::{ExperimentPlan, LocalSuggestion, Offer, Plan};
use crate::lab::LabAnswer;
use crate::packed::page_only;
use crate::read::{Member, ReadFile};
use crate::report::RunOutcome;
use crate::report::about::FileAbout;
use crate::report::export::Bytes;
use crate::report::view::DrawnView;

macro_rules! outcomes {
    ($(
        #[doc = $words:literal]
        $module:ident: $Request:ident; steps [$($Step:ident),*];
        passes [$($Pass:ident($PassType:ident)),*]; finds [$($Find:ident($FindType:ident)),*]
    )*) => {
        outcome_enum! {
            // what only other steps read
            passed [
                File(ReadFile),
                Split(Split),
                Proximity(LogProximities),
                Fitted(Fitted),
                Scored(Scored),
                Replicates(Replicates),
                Local(LocalRows),
                KlceWork(KlceWork),
                KlceShare(KlceShare),
                KlceTestOutcome(KlceTestOutcome),
                Drawn(Drawn),
                Attempted(Attempted),
                $($($Pass(crate::analysis::$module::$PassType),)*)*
            ]
            // what the page reads, too
            both [
                Data(DataSet),
                Coordinates(Coordinates),
                Report(RunOutcome),
                View(DrawnView),
            ]
            // what only the page reads
            shown [
                Catalogue(Catalogue),
                Unpacked(Unpacked),
                Recognized(Recognized),
                Plan(Plan),
                Card(Card),
                About(FileAbout),
                Bytes(Bytes),
                ExperimentPlan(ExperimentPlan),
                Cells(Cells),
                Experiment(Concluded),
                Papers(Prepared),
                Lab(LabAnswer),
                $($($Find(crate::analysis::$module::$FindType),)*)*
            ]
        }
    };
}

macro_rules! outcome_enum {
    (
        passed [$($Passed:ident($PassedType:ty),)*]
        both [$($Both:ident($BothType:ty),)*]
        shown [$($Shown:ident($ShownType:ty),)*]
    ) => {
        /// What came of a step, or of a call.
        ///
        /// Workers pass it on as bytes ([`packed`](crate::packed)), the page reads it as JSON ([`reply`](super::reply)).
        /// What only the page reads stands last: it is never unpacked, and variants are counted.
        #[allow(clippy::large_enum_variant, reason = "moved a few times, each after milliseconds of work")]
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Outcome {
            $(#[doc = concat!("[`", stringify!($PassedType), "`], for other steps")] $Passed($PassedType),)*
            $(#[doc = concat!("[`", stringify!($BothType), "`], for other steps and the page")] $Both($BothType),)*
            $(
                #[doc = concat!("[`", stringify!($ShownType), "`], for the page")]
                #[serde(skip)]
                $Shown($ShownType),
            )*
        }

        impl Outcome {
            /// True where another step may need it.
            pub fn is_shared(&self) -> bool {
                matches!(self, $(Outcome::$Passed(_) |)* $(Outcome::$Both(_))|*)
            }

            /// What steps see of it: of a data set its predictions, of all else the whole.
            pub fn value(&self) -> &dyn Any {
                match self {
                    Outcome::Data(data) => &data.predictions,
                    $(Outcome::$Passed(found) => found,)*
                    $(#[allow(unreachable_patterns, reason = "a data set stands above")] Outcome::$Both(found) => found,)*
                    $(Outcome::$Shown(found) => found,)*
                }
            }
        }

        $(held!($Passed($PassedType));)*
        $(held!($Both($BothType));)*
        $(held!($Shown($ShownType));)*
    };
}

macro_rules! held {
    ($Variant:ident($Type:ty)) => {
        impl From<$Type> for Outcome {
            fn from(found: $Type) -> Self {
                Outcome::$Variant(found)
            }
        }
    };
}

analyses!(outcomes);

/// A data set, for the page and for steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataSet {
    /// for people and scripts
    #[serde(with = "page_only")]
    pub summary: Summary,
    /// for the page
    #[serde(with = "page_only")]
    pub suggestion: Option<LocalSuggestion>,
    /// for the page
    #[serde(with = "page_only")]
    pub offer: Offer,
    /// for steps
    pub predictions: Predictions,
}

/// The files of an archive.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unpacked {
    /// those that are opened one by one; None where the archive, or what is no archive, is read as one file
    pub files: Option<Vec<Member>>,
}

/// What the columns of files are taken for, where they do not make a data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recognized {
    /// columns and warnings
    pub summary: Summary,
}

/// A row of a map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Card {
    /// lines of text about the row; empty when none is near
    pub lines: Vec<String>,
    /// its place in the units of the data
    pub at: Option<[f64; 2]>,
}
