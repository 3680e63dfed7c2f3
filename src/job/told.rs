//! What the page reads of an outcome, as JSON.

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::Value;

use super::packed::pack;
use super::run::{LocalSuggestion, Offer};
use super::{Node, Outcome};
use crate::data::{Column, Summary};
use crate::report::Report;
use crate::report::bias::BiasOutcome;
use crate::report::compare::CompareOutcome;
use crate::report::correlation::CorrelationOutcome;
use crate::report::decide::DecideOutcome;
use crate::report::groups::GroupsOutcome;
use crate::report::inference::InferenceOutcome;
use crate::report::klce::KlceOutcome;
use crate::report::libraries::LibrariesOutcome;
use crate::report::models::ModelsOutcome;
use crate::report::multiples::MultiplesOutcome;
use crate::report::neighbourhoods::NeighbourhoodsOutcome;
use crate::report::proximity::{ProximityOutcome, ProximitySweepOutcome};
use crate::report::region::RegionOutcome;
use crate::report::scorecard::Presentation;
use crate::report::sweep::SweepOutcome;
use crate::report::view::ViewOutcome;
use crate::report::witness::WitnessOutcome;

/// An outcome as the page reads it: an object whose `kind` is the name of the variant, with the fields beside it. What
/// only other jobs need of an outcome is left out; columns are places among those that travel beside the message.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OutcomeMessage<'a> {
    /// a data set
    Data {
        /// for people and scripts
        summary: &'a Summary,
        /// local settings for a person who chose none
        suggestion: &'a Option<LocalSuggestion>,
        /// what can be asked of it
        offer: &'a Offer,
    },
    /// what columns were taken for
    Recognised {
        /// columns and warnings
        summary: &'a Summary,
    },
    /// jobs in an order in which they can run
    Plan {
        /// the jobs
        nodes: Vec<PlanNode<'a>>,
    },
    /// a feature map
    Coordinates(FeatureMap<'a>),
    /// a run
    Report {
        /// for scripts
        report: &'a Report,
        /// for the page
        presentation: &'a Presentation,
    },
    /// a chart
    View(&'a ViewOutcome),
    /// a row of a map
    Card {
        /// lines of text about it; empty when none is near
        lines: &'a [String],
        /// its place in the units of the data
        at: Option<[f64; 2]>,
    },
    /// a file
    Bytes {
        /// the file
        bytes: &'a Column<u8>,
    },
    /// of the analysis `sweep`
    Sweep(&'a SweepOutcome),
    /// of the analysis `klce`
    Klce(&'a KlceOutcome),
    /// of the analysis `libraries`
    Libraries(&'a LibrariesOutcome),
    /// of the analysis `multiples`
    Multiples(&'a MultiplesOutcome),
    /// of the analysis `decide`
    Decide(&'a DecideOutcome),
    /// of the analysis `groups`
    Groups(&'a GroupsOutcome),
    /// of the analysis `region`
    Region(&'a RegionOutcome),
    /// of the analysis `neighbourhoods`
    Neighbourhoods(&'a NeighbourhoodsOutcome),
    /// of the analysis `witness`
    Witness(&'a WitnessOutcome),
    /// of the analysis `bias_plot`
    BiasPlot(&'a BiasOutcome),
    /// of the analysis `inference`
    Inference(&'a InferenceOutcome),
    /// of the analysis `compare`
    Compared(&'a CompareOutcome),
    /// of the analysis `correlate`
    Correlated(&'a CorrelationOutcome),
    /// of the analysis `models`
    Models(&'a ModelsOutcome),
    /// of the analysis `proximity`
    ProximitySheet(&'a ProximityOutcome),
    /// of the analysis `proximity_sweep`
    ProximitySweepSheet(&'a ProximitySweepOutcome),
}

/// A job of a plan, as it is passed on.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanNode<'a> {
    /// its bytes
    job: Column<u8>,
    /// places of what it needs: the outcomes given first, then those of the nodes
    needs: &'a [usize],
    /// expected milliseconds
    cost: f64,
    /// what a person reads while it runs
    label: &'a str,
}

/// What a feature map is, without its numbers.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeatureMap<'a> {
    /// by which `features` can mean it
    name: &'a str,
    /// q: how many coordinates
    coordinates: usize,
    /// one name per coordinate
    names: &'a [String],
    /// what it was made from and how, in words
    text: &'a str,
    /// median of ‖Δ‖₁/q over pairs of rows: what a bandwidth γ is to be held against; null with one row
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
pub fn told(outcome: &Outcome) -> serde_json::Result<Value> {
    serde_json::to_value(message(outcome)?)
}

fn message(outcome: &Outcome) -> serde_json::Result<Option<OutcomeMessage<'_>>> {
    Ok(Some(match outcome {
        Outcome::Data { summary, suggestion, offer, .. } => OutcomeMessage::Data { summary, suggestion, offer },
        Outcome::Recognised { summary } => OutcomeMessage::Recognised { summary },
        Outcome::Plan { nodes } => {
            OutcomeMessage::Plan { nodes: nodes.iter().map(plan_node).collect::<Result<_, _>>()? }
        }
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
        Outcome::View(found) => OutcomeMessage::View(found),
        Outcome::Card { lines, at } => OutcomeMessage::Card { lines, at: *at },
        Outcome::Bytes { bytes } => OutcomeMessage::Bytes { bytes },
        Outcome::Sweep(found) => OutcomeMessage::Sweep(found),
        Outcome::Klce(found) => OutcomeMessage::Klce(found),
        Outcome::Libraries(found) => OutcomeMessage::Libraries(found),
        Outcome::Multiples(found) => OutcomeMessage::Multiples(found),
        Outcome::Decide(found) => OutcomeMessage::Decide(found),
        Outcome::Groups(found) => OutcomeMessage::Groups(found),
        Outcome::Region(found) => OutcomeMessage::Region(found),
        Outcome::Neighbourhoods(found) => OutcomeMessage::Neighbourhoods(found),
        Outcome::Witness(found) => OutcomeMessage::Witness(found),
        Outcome::BiasPlot(found) => OutcomeMessage::BiasPlot(found),
        Outcome::Inference(found) => OutcomeMessage::Inference(found),
        Outcome::Compared(found) => OutcomeMessage::Compared(found),
        Outcome::Correlated(found) => OutcomeMessage::Correlated(found),
        Outcome::Models(found) => OutcomeMessage::Models(found),
        Outcome::ProximitySheet(found) => OutcomeMessage::ProximitySheet(found),
        Outcome::ProximitySweepSheet(found) => OutcomeMessage::ProximitySweepSheet(found),
        Outcome::File { .. }
        | Outcome::Split { .. }
        | Outcome::Proximity { .. }
        | Outcome::Fitted { .. }
        | Outcome::Scored { .. }
        | Outcome::Replicates { .. }
        | Outcome::Local { .. }
        | Outcome::TrustWork { .. }
        | Outcome::TrustShare { .. }
        | Outcome::TrustFound { .. }
        | Outcome::Places { .. }
        | Outcome::SweepPart { .. }
        | Outcome::Looked { .. }
        | Outcome::Maxima { .. }
        | Outcome::WitnessGround { .. }
        | Outcome::Bias { .. }
        | Outcome::Drawn { .. } => return Ok(None),
    }))
}

fn plan_node(node: &Node) -> serde_json::Result<PlanNode<'_>> {
    let job = Column::from(pack(&node.job).map_err(serde_json::Error::custom)?);
    Ok(PlanNode { job, needs: &node.needs, cost: node.cost, label: &node.label })
}
