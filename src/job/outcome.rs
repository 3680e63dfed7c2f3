//! What came of a job.

use serde::{Deserialize, Serialize};

use super::packed::page_only;
use super::plan::Node;
use super::run::{LocalSuggestion, Offer};
use crate::data::{Column, Predictions, Summary};
use crate::evaluation::comparison::Drawn;
use crate::evaluation::method::Fitted;
use crate::evaluation::projection::Coordinates;
use crate::evaluation::resample::Replicates;
use crate::evaluation::scored::Scored;
use crate::evaluation::split::Split;
use crate::hypothesis::{TrustFound, TrustShare, TrustWork};
use crate::kernel::Engine;
use crate::read::ReadFile;
use crate::report::RunOutcome;
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
use crate::report::neighbourhoods::{Looked, NeighbourhoodsOutcome};
use crate::report::proximity::{ProximityOutcome, ProximitySweepOutcome};
use crate::report::region::RegionOutcome;
use crate::report::sweep::SweepOutcome;
use crate::report::view::ViewOutcome;
use crate::report::witness::{BiasPart, WitnessGround, WitnessOutcome};

/// What came of a job. In JavaScript an object whose `kind` is the name of the variant (`OutcomeMessage`).
///
/// Workers pass it on as bytes ([`packed`](super::packed)), the page reads it as JSON ([`told`](super::told)).
/// What only the page reads stands last: it is never unpacked, and variants are counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// of `read`
    File {
        /// columns of the file
        file: ReadFile,
    },
    /// of `assemble`
    Data {
        /// for people and scripts
        #[serde(with = "page_only")]
        summary: Summary,
        /// for the page
        #[serde(with = "page_only")]
        suggestion: Option<LocalSuggestion>,
        /// for the page
        #[serde(with = "page_only")]
        offer: Box<Offer>,
        /// for the other jobs
        predictions: Box<Predictions>,
    },
    /// of `project`
    Coordinates(
        /// name, values, and what they are
        Box<Coordinates>,
    ),
    /// of `split`
    Split {
        /// fold of each row
        split: Split,
    },
    /// of `proximity`
    Proximity {
        /// ln D, row by row, fold by fold, by number of neighbours
        values: Column<f64>,
    },
    /// of `fit`
    Fitted {
        /// calibrator and scores
        fitted: Fitted,
    },
    /// of `score`
    Scored {
        /// scores and metrics
        scored: Box<Scored>,
    },
    /// of `resample` and `local_resample`
    Replicates {
        /// metric values
        replicates: Replicates,
    },
    /// of `local`
    Local {
        /// places of the rows among the scored rows
        place: Column<u32>,
        /// signed local error
        slce: Column<f64>,
        /// Σ k
        mass: Column<f64>,
        /// (Σ k)² / Σ k²
        n_eff: Column<f64>,
        /// the algorithm of the costliest piece
        engine: Option<Engine>,
    },
    /// of `trust_work`
    TrustWork {
        /// rows and engines
        work: Box<TrustWork>,
    },
    /// of `trust_share`
    TrustShare {
        /// sums
        share: Box<TrustShare>,
    },
    /// of `trust_found`
    TrustFound {
        /// statistic and draws
        found: Box<TrustFound>,
    },
    /// of `places`
    Places {
        /// d
        d: usize,
        /// row-major, one row per row of the data
        values: Column<f64>,
    },
    /// of `sweep_part`
    SweepPart {
        /// limits, grid, then numbers by bandwidth
        values: Column<f64>,
    },
    /// of `report`
    Report(
        /// report, row scores, what the page shows
        Box<RunOutcome>,
    ),
    /// of `view`
    View(
        /// figure and what it was made from
        Box<ViewOutcome>,
    ),
    /// of `look`
    Looked {
        /// places and their rows
        looked: Box<Looked>,
    },
    /// of `permute`
    Maxima {
        /// one number per permutation
        maxima: Column<f64>,
    },
    /// of `witness_ground`
    WitnessGround {
        /// rows and kernel
        ground: Box<WitnessGround>,
    },
    /// of `witness_part`, and draws of `inference_part`
    Bias {
        /// four numbers a query; one a draw, method and task
        part: BiasPart,
    },
    /// of `draw`
    Drawn {
        /// values and replicates
        drawn: Box<Drawn>,
    },
    /// of `recognise`
    #[serde(skip_deserializing)]
    Recognised {
        /// columns and warnings
        #[serde(with = "page_only")]
        summary: Summary,
    },
    /// of `plan`
    #[serde(skip_deserializing)]
    Plan {
        /// in an order in which they can run
        #[serde(with = "page_only")]
        nodes: Vec<Node>,
    },
    /// of `klce_report`: the outcome of the analysis `klce`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Klce(
        /// numbers and sheet
        Box<KlceOutcome>,
    ),
    /// of `sweep_report`: the outcome of the analysis `sweep`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Sweep(
        /// curves and figures
        Box<SweepOutcome>,
    ),
    /// of `libraries`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Libraries(
        /// the numbers
        Box<LibrariesOutcome>,
    ),
    /// of `multiples`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Multiples(
        /// diagrams
        Box<MultiplesOutcome>,
    ),
    /// of `decide`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Decide(
        /// costs of every method
        Box<DecideOutcome>,
    ),
    /// of `groups`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Groups(
        /// gaps, tests, methods
        Box<GroupsOutcome>,
    ),
    /// of `region`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Region(
        /// facts and rows
        Box<RegionOutcome>,
    ),
    /// of `neighbourhoods`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Neighbourhoods(
        /// the list
        Box<NeighbourhoodsOutcome>,
    ),
    /// of `witness`: the outcome of the analysis of that name
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Witness(
        /// sheet and columns
        Box<WitnessOutcome>,
    ),
    /// of `bias_plot`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    BiasPlot(
        /// sheet and columns
        Box<BiasOutcome>,
    ),
    /// of `inference`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Inference(
        /// sheet and numbers
        Box<InferenceOutcome>,
    ),
    /// of `compare`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Compared(
        /// numbers and sheet
        Box<CompareOutcome>,
    ),
    /// of `correlate`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Correlated(
        /// numbers and sheet
        Box<CorrelationOutcome>,
    ),
    /// of `models`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    Models(
        /// numbers and sheet
        Box<ModelsOutcome>,
    ),
    /// of `proximity_sheet`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    ProximitySheet(
        /// numbers and how they are shown
        Box<ProximityOutcome>,
    ),
    /// of `proximity_sweep_sheet`
    #[serde(skip_deserializing, serialize_with = "page_only::serialize")]
    ProximitySweepSheet(
        /// numbers and how they are shown
        Box<ProximitySweepOutcome>,
    ),
    /// of `locate`
    #[serde(skip_deserializing)]
    Card {
        /// lines of text about a row; empty when none is near
        #[serde(with = "page_only")]
        lines: Vec<String>,
        /// its place in the units of the data
        #[serde(with = "page_only")]
        at: Option<[f64; 2]>,
    },
    /// of the exports and of `example`: bytes beside the message
    #[serde(skip_deserializing)]
    Bytes {
        /// the file
        #[serde(with = "page_only")]
        bytes: Column<u8>,
    },
}

impl Outcome {
    /// True where another job may need it.
    pub fn is_shared(&self) -> bool {
        !matches!(
            self,
            Outcome::Recognised { .. }
                | Outcome::Plan { .. }
                | Outcome::Klce(_)
                | Outcome::Sweep(_)
                | Outcome::Libraries(_)
                | Outcome::Multiples(_)
                | Outcome::Decide(_)
                | Outcome::Groups(_)
                | Outcome::Region(_)
                | Outcome::Neighbourhoods(_)
                | Outcome::Witness(_)
                | Outcome::BiasPlot(_)
                | Outcome::Inference(_)
                | Outcome::Compared(_)
                | Outcome::Correlated(_)
                | Outcome::Models(_)
                | Outcome::ProximitySheet(_)
                | Outcome::ProximitySweepSheet(_)
                | Outcome::Card { .. }
                | Outcome::Bytes { .. }
        )
    }
}
