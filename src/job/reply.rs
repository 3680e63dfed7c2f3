//! What the page reads of an outcome, as JSON.

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::Value;

use super::{Card, DataSet, ExperimentPlan, Node, Outcome, Plan, Recognized, Unpacked};
use crate::analysis::analyses;
use crate::catalogue::Catalogue;
use crate::data::Summary;
use crate::experiment::papers::Prepared;
use crate::experiment::plan::ExperimentSize;
use crate::experiment::step::Cells;
use crate::experiment::{Cell, Concluded, Spec};
use crate::job::{LocalSuggestion, Offer};
use crate::lab::LabAnswer;
use crate::packed::pack;
use crate::plot::Figure;
use crate::read::Member;
use crate::report::Report;
use crate::report::about::FileAbout;
use crate::report::export::Bytes;
use crate::report::scorecard::Presentation;
use crate::report::view::ViewOutcome;
use crate::table::Column;

macro_rules! messages {
    ($(
        #[doc = $words:literal]
        $module:ident: $Request:ident; steps [$($Step:ident),*];
        passes [$($Pass:ident($PassType:ident)),*]; finds [$($Find:ident($FindType:ident)),*]
    )*) => {
        /// An outcome as the page reads it: an object with the fields of the variant, whose `kind` is the name of the
        /// variant. Content that only other jobs need is omitted; columns are indices into those that accompany the
        /// message.
        #[derive(Debug, Clone, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum OutcomeMessage<'a> {
            /// a data set
            Data {
                /// summary for users and scripts
                summary: &'a Summary,
                /// default local settings
                suggestion: &'a Option<LocalSuggestion>,
                /// what can be requested for it
                offer: &'a Offer,
            },
            /// the catalogue of everything that a request can name
            Catalogue(&'a Catalogue),
            /// the files of an archive
            Unpacked {
                /// those to be opened one by one; null if the archive, or a file that is none, is read as one file
                files: &'a Option<Vec<Member>>,
            },
            /// interpretation of the columns of files
            Recognized {
                /// columns and warnings
                summary: &'a Summary,
            },
            /// jobs in executable order
            Plan {
                /// the jobs
                nodes: Vec<PlanNode<'a>>,
            },
            /// the jobs of an experiment
            ExperimentPlan {
                /// the experiment, with defaults
                spec: &'a Spec,
                /// jobs in executable order; the results of those that compute cells are to be returned
                nodes: Vec<PlanNode<'a>>,
                /// number of fits
                fits: usize,
                /// cells that need no job: each has no value, and a reason
                cells: &'a [Cell],
                /// total number of cells
                all: usize,
                /// factors that determine the number of cells
                size: &'a ExperimentSize,
            },
            /// some cells of an experiment
            Cells(&'a Cells),
            /// conclusions from the cells of an experiment
            Experiment(&'a Concluded),
            /// tables and figures of some papers, prepared for the data
            Papers(&'a Prepared),
            /// a screen of the lab
            Lab(&'a LabAnswer),
            /// a feature map
            Coordinates(FeatureMap<'a>),
            /// a run
            Report {
                /// results, for scripts
                report: &'a Report,
                /// results, for display
                presentation: &'a Presentation,
            },
            /// a chart
            View(&'a ViewOutcome),
            /// a row of a map
            Card {
                /// lines of text about the row; empty if no row is near
                lines: &'a [String],
                /// its position in the units of the data
                at: Option<[f64; 2]>,
            },
            /// what an export discloses about single rows
            About(&'a FileAbout),
            /// a file
            Bytes {
                /// content of the file
                bytes: &'a Column<u8>,
                /// notes about the file, in sentences; absent if there are none
                #[serde(skip_serializing_if = "<[String]>::is_empty")]
                notes: &'a [String],
                /// figures that an article includes, in reading order; absent in other files
                #[serde(skip_serializing_if = "<[Figure]>::is_empty")]
                figures: &'a [Figure],
            },
            $($(
                #[doc = concat!("of the analysis `", stringify!($module), "`")]
                $Find(&'a crate::analysis::$module::$FindType),
            )*)*
        }

        fn message(outcome: &Outcome) -> serde_json::Result<Option<OutcomeMessage<'_>>> {
            Ok(Some(match outcome {
                Outcome::Data(DataSet { summary, suggestion, offer, .. }) => OutcomeMessage::Data { summary, suggestion, offer },
                Outcome::Catalogue(found) => OutcomeMessage::Catalogue(found),
                Outcome::Unpacked(Unpacked { files }) => OutcomeMessage::Unpacked { files },
                Outcome::Recognized(Recognized { summary }) => OutcomeMessage::Recognized { summary },
                Outcome::Plan(Plan { nodes, .. }) => {
                    OutcomeMessage::Plan { nodes: nodes.iter().map(plan_node).collect::<Result<_, _>>()? }
                }
                Outcome::ExperimentPlan(ExperimentPlan { spec, nodes, fits, cells, all, size }) => OutcomeMessage::ExperimentPlan {
                    nodes: nodes.iter().map(plan_node).collect::<Result<_, _>>()?,
                    fits: *fits,
                    all: *all,
                    spec,
                    cells,
                    size,
                },
                Outcome::Cells(found) => OutcomeMessage::Cells(found),
                Outcome::Experiment(found) => OutcomeMessage::Experiment(found),
                Outcome::Papers(found) => OutcomeMessage::Papers(found),
                Outcome::Lab(found) => OutcomeMessage::Lab(found),
                Outcome::Coordinates(map) => OutcomeMessage::Coordinates(FeatureMap {
                    name: &map.name,
                    coordinates: map.coordinates,
                    names: &map.names,
                    text: &map.text,
                    median_distance: map.median_distance,
                    gamma: map.gamma,
                    variance_share: map.variance_share,
                }),
                Outcome::Report(run) => OutcomeMessage::Report { report: &run.report, presentation: &run.presentation },
                Outcome::View(found) => OutcomeMessage::View(&found.shown),
                Outcome::Card(Card { lines, at }) => OutcomeMessage::Card { lines, at: *at },
                Outcome::About(found) => OutcomeMessage::About(found),
                Outcome::Bytes(Bytes { bytes, notes, figures }) => {
                    OutcomeMessage::Bytes { bytes, notes, figures }
                }
                $($(Outcome::$Find(found) => OutcomeMessage::$Find(found),)*)*
                // what only other steps read
                _ => return Ok(None),
            }))
        }
    };
}

analyses!(messages);

/// A job of a plan, as it is passed on.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanNode<'a> {
    /// its bytes
    job: Column<u8>,
    /// indices of its inputs: the given outcomes first, then those of the nodes
    needs: &'a [usize],
    /// expected milliseconds
    cost: f64,
    /// message while it runs
    label: &'a str,
}

/// Description of a feature map, without its coordinates.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeatureMap<'a> {
    /// its name in `features`
    name: &'a str,
    /// q, number of coordinates
    coordinates: usize,
    /// one name per coordinate
    names: &'a [String],
    /// description of its input and method
    text: &'a str,
    /// median of ‖Δ‖₁/q over pairs of rows, the scale of a bandwidth γ; null with one row
    median_distance: Option<f64>,
    /// bandwidth γ to start with: a fifth of that distance
    gamma: f64,
    /// share of the variance that the principal components keep, where there are any
    variance_share: Option<f64>,
}

/// The outcome as the page reads it, null where it reads nothing of it; its columns go into the cargo.
///
/// # Errors
/// None that an outcome can cause.
pub fn reply(outcome: &Outcome) -> serde_json::Result<Value> {
    serde_json::to_value(message(outcome)?)
}

fn plan_node(node: &Node) -> serde_json::Result<PlanNode<'_>> {
    let job = Column::from(pack(&node.job).map_err(serde_json::Error::custom)?);
    Ok(PlanNode { job, needs: &node.needs, cost: node.cost, label: &node.label })
}
