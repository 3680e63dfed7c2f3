//! What workers are asked to do: jobs, their outcomes, and plans of many jobs.
//!
//! A plan is a list of nodes; each names the earlier nodes whose outcomes it needs. The number of nodes depends on
//! the data only, and every random stream on the seed and the place in the data only, so one worker and sixteen
//! give the same bits. A pool that runs plans needs to know nothing of what the jobs mean.

pub mod bounds;
mod call;
pub mod message;
mod outcome;
pub mod packed;
pub mod plan;
mod progress;
pub mod request;
pub mod run;
pub mod told;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::evaluation::features::FeatureChoice;
use crate::evaluation::method::Method;
use crate::evaluation::sweep::SweepPart;
use crate::evaluation::trust::TrustSettings;
use crate::metric::binning::BinOptions;
use crate::report::compare::CompareInputs;
use crate::report::models::ModelsInputs;
use crate::report::sweep::SweepInputs;
use crate::report::witness::WitnessWork;
use request::{
    BiasPlotRequest, CompareRequest, CorrelationRequest, DecideRequest, GroupsRequest, InferenceRequest, KlceRequest,
    LocalOptions, ModelsRequest, MultiplesRequest, NeighbourhoodsRequest, ProximityOptions, ProximityRequest,
    ProximitySweepRequest, RegionRequest, RunRequest, SweepRequest, WitnessRequest,
};

pub(crate) use call::without_nulls;
pub use call::{Call, not_understood};
pub use outcome::Outcome;
pub use plan::Node;
pub use progress::Progress;
pub use run::LocalSuggestion;

/// One thing a worker does. The jobs of a plan travel as bytes ([`packed`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Job {
    /// needs: data; which rows calibrate
    Split {
        /// seed of folds and halves
        seed: u64,
        /// score every row, fit nothing
        everything: bool,
    },
    /// needs: data, split; proximity of some rows to the calibration rows of each fold
    Proximity {
        /// settings with every default filled in
        proximity: ProximityOptions,
        /// numbers of neighbours
        neighbours: Vec<usize>,
        /// first of the rows that take part
        first: usize,
        /// end of them
        last: usize,
    },
    /// needs: data, split; for methods that ask for it, the parts of proximity; one method on one fold
    Fit {
        /// the method
        method: Method,
        /// which fold
        fold: usize,
    },
    /// needs: data, split, one fit per fold (none for `none`); for metrics of proximity, its parts
    Score {
        /// bins of the metrics
        bins: BinOptions,
        /// metric ids; those of the scorecard are always computed
        metrics: BTreeSet<String>,
        /// columns whose values are groups, where a metric of groups is asked for
        groups: Vec<String>,
    },
    /// needs: scored, with the data before it where a metric needs a probability for every class
    Resample {
        /// bins of the metrics
        bins: BinOptions,
        /// seed of the streams
        seed: u64,
        /// first replicate
        first: usize,
        /// end of the replicates
        last: usize,
    },
    /// needs: scored; replicates of metrics beyond the scorecard
    ResampleFurther {
        /// bins of the metrics
        bins: BinOptions,
        /// metric ids
        metrics: BTreeSet<String>,
        /// seed of the streams
        seed: u64,
        /// first replicate
        first: usize,
        /// end of the replicates
        last: usize,
    },
    /// needs: data, split, scored; local error within some bins, or a share of the pairs within them
    Local {
        /// settings with every default filled in
        local: LocalOptions,
        /// part of `parts`
        part: usize,
        /// how many parts the work is dealt to
        parts: usize,
    },
    /// needs: data, split, scored; replicates of the local metrics
    LocalResample {
        /// settings with every default filled in
        local: LocalOptions,
        /// seed of the streams
        seed: u64,
        /// first replicate
        first: usize,
        /// end of the replicates
        last: usize,
    },
    /// needs: data, split and scored, or data and report; the rows of a trust test and how they are dealt with
    TrustWork {
        /// kernel and nulls
        settings: TrustSettings,
        /// the method, where a report is needed
        method: Option<String>,
    },
    /// needs: trust work; one share of it
    TrustShare {
        /// part of `parts`
        part: usize,
        /// how many parts the work is dealt to
        parts: usize,
    },
    /// needs: trust work, then every share in order
    TrustFound {
        /// level at which what could be caught is wanted
        alpha: Option<f64>,
    },
    /// needs: trust work, what is known; a share of the outcomes of a simulated bias
    TrustSimulate {
        /// part of `parts`
        part: usize,
        /// how many parts the work is dealt to
        parts: usize,
    },
    /// needs: trust work, what is known, then every share of the simulation in order
    TrustSimulated {},
    /// needs: data, report, then the trust test of every method
    KlceReport {
        /// what was asked, defaults filled in
        request: KlceRequest,
        /// kernel and nulls
        settings: TrustSettings,
    },
    /// needs: data, split; the coordinates of every row, components fitted on calibration rows
    Places {
        /// the map
        features: FeatureChoice,
    },
    /// needs: places, scored or report; local error against some of the bandwidths
    SweepPart {
        /// which scores, bins and bandwidths
        part: SweepPart,
    },
    /// needs: the parts of every curve, in order; curves and figures
    SweepReport {
        /// what was asked, defaults filled in
        request: SweepRequest,
        /// how many outcomes make up each curve
        curves: Vec<SweepInputs>,
    },
    /// needs: data, split, split of `none`, the report so far where there is one, then for each method what `inputs` says
    Report {
        /// what was asked
        request: RunRequest,
        /// how many outcomes of each kind follow, method by method
        inputs: Vec<plan::MethodInputs>,
        /// how many of these methods are in the report so far: others are compared with them; 0 where there is none
        known: usize,
    },
    /// needs: data; the division of one repeat, as a column names it
    SplitOfRepeat {
        /// the column
        column: String,
        /// place of its value among the sorted ones
        repeat: usize,
        /// seed of folds and halves
        seed: u64,
    },
    /// needs: data, split, scored, and for local metrics the parts of the local error; values and paired replicates of one
    /// method
    Draw {
        /// bins of the metrics
        bins: BinOptions,
        /// metric ids
        metrics: Vec<String>,
        /// seed of the streams
        seed: u64,
        /// first replicate
        first: usize,
        /// end of the replicates
        last: usize,
    },
    /// needs: data, report, then for each repeat and each method the parts of its replicates
    Compare {
        /// what was asked, defaults filled in
        request: CompareRequest,
        /// what the needs are
        inputs: CompareInputs,
    },
    /// needs: data, report, then for each repeat and each method its values, without replicates
    Correlate {
        /// what was asked, defaults filled in
        request: CorrelationRequest,
        /// what the needs are
        inputs: CompareInputs,
    },
    /// needs: data, report, then for each model and each method its values, without replicates
    Models {
        /// what was asked, defaults filled in
        request: ModelsRequest,
        /// what the needs are
        inputs: ModelsInputs,
    },
    /// needs: data, report, split, the parts of proximity: rows near and far under every method
    ProximitySheet(ProximityRequest),
    /// needs: data, report, split, the parts of proximity, distance by distance
    ProximitySweepSheet(ProximitySweepRequest),
    /// needs: data, report: what other libraries would print
    Libraries {
        /// name of a method of the run; default: `none`
        method: Option<String>,
    },
    /// needs: data, report: reliability diagrams in small multiples
    Multiples(MultiplesRequest),
    /// needs: data, report: answering or asking
    Decide(DecideRequest),
    /// needs: data, report: the gap of every group
    Groups(GroupsRequest),
    /// needs: data, report: a region of the map, or the ids of its rows as CSV
    Region {
        /// which
        request: RegionRequest,
        /// the ids alone
        ids: bool,
    },
    /// needs: data, report; the places where neighbourhoods are looked for
    Look {
        /// where
        request: NeighbourhoodsRequest,
    },
    /// needs: places; largest errors of permutations
    Permute {
        /// seed of the streams
        seed: u64,
        /// first permutation
        first: usize,
        /// end of the permutations
        last: usize,
    },
    /// needs: data, places, then the largest errors, part by part
    Neighbourhoods {
        /// permutations where rows are few
        usual: usize,
    },
    /// needs: data, report; rows and places of the witness
    WitnessGround {
        /// what was asked
        request: WitnessRequest,
    },
    /// needs: ground; the bias of some rows or places
    WitnessPart {
        /// which
        part: WitnessWork,
    },
    /// needs: data, report, ground, then the parts in order
    Witness {
        /// what was asked
        request: WitnessRequest,
    },
    /// needs: data, report; rows and kernel of the bias plot, whose parts are those of the witness
    BiasGround {
        /// what was asked
        request: BiasPlotRequest,
    },
    /// needs: data, report, ground, then the parts in order
    BiasPlot {
        /// what was asked
        request: BiasPlotRequest,
    },
    /// needs: data, report; errors of some draws of the rows
    InferencePart {
        /// what was asked
        request: InferenceRequest,
        /// first draw
        first: usize,
        /// end of the draws
        last: usize,
    },
    /// needs: data, report, then the draws in order
    Inference {
        /// what was asked
        request: InferenceRequest,
    },
    /// what the page asks for; last, because variants are counted and this one does not travel
    #[serde(skip)]
    Call(Call),
}
