//! What workers are asked to do: jobs, their outcomes, and plans of many jobs.
//!
//! A plan is a list of nodes; each names the earlier nodes whose outcomes it needs. The number of nodes depends on
//! the data only, and every random stream on the seed and the place in the data only, so one worker and sixteen
//! give the same bits. A pool that runs plans needs to know nothing of what the jobs mean.

pub mod message;
pub mod plan;
mod progress;
pub mod request;
pub mod run;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::data::{Column, OpenOptions, Predictions, Summary};
use crate::evaluation::comparison::Drawn;
use crate::evaluation::features::FeatureChoice;
use crate::evaluation::method::{Fitted, Method};
use crate::evaluation::projection::Coordinates;
use crate::evaluation::resample::Replicates;
use crate::evaluation::scored::Scored;
use crate::evaluation::split::Split;
use crate::evaluation::sweep::SweepPart;
use crate::evaluation::trust::TrustSettings;
use crate::hypothesis::{TrustFound, TrustShare, TrustWork};
use crate::kernel::Engine;
use crate::metric::binning::BinOptions;
use crate::read::ReadFile;
use crate::report::RunOutcome;
use crate::report::bias::BiasOutcome;
use crate::report::calibrator::Language;
use crate::report::compare::{CompareInputs, CompareOutcome};
use crate::report::correlation::CorrelationOutcome;
use crate::report::decide::DecideOutcome;
use crate::report::groups::GroupsOutcome;
use crate::report::inference::InferenceOutcome;
use crate::report::klce::KlceOutcome;
use crate::report::libraries::LibrariesOutcome;
use crate::report::methods_table::TableRequest;
use crate::report::models::{ModelsInputs, ModelsOutcome};
use crate::report::multiples::MultiplesOutcome;
use crate::report::neighbourhoods::{Looked, NeighbourhoodsOutcome};
use crate::report::proximity::{ProximityOutcome, ProximitySweepOutcome};
use crate::report::region::RegionOutcome;
use crate::report::sweep::{SweepInputs, SweepOutcome};
use crate::report::view::ViewOutcome;
use crate::report::witness::{BiasPart, WitnessGround, WitnessOutcome, WitnessWork};
use request::{
    AnalysisRequest, BiasPlotRequest, ChartRequest, CompareRequest, CorrelationRequest,
    DecideRequest, GroupsRequest, InferenceRequest, KlceRequest, LocalOptions, ModelsRequest,
    MultiplesRequest, NeighbourhoodsRequest, ProjectionRequest, ProximityOptions, ProximityRequest,
    ProximitySweepRequest, RegionRequest, RunRequest, SweepRequest, WitnessRequest,
};

pub use message::unread;
pub use plan::Node;
pub use progress::Progress;
pub use run::LocalSuggestion;

/// One thing a worker does.
///
/// In JavaScript an object whose `kind` is the name of the variant (`JobMessage`); here the name stands outside, because
/// a name among the fields makes serde keep and read everything twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Job {
    /// bytes (the first column beside the message) to columns
    Read {
        /// file name, for messages and to name columns
        name: String,
    },
    /// a built-in example that is generated, as the bytes of a CSV file
    Example {
        /// its name
        name: String,
    },
    /// files (needs: each file) to predictions
    Assemble {
        /// what the person said about them
        options: OpenOptions,
    },
    /// files (needs: each file) to what their columns are taken for, where they do not make a data set
    Recognise {
        /// what the person said about them
        options: OpenOptions,
    },
    /// needs: data; the plan of a run
    Plan {
        /// what is asked
        request: RunRequest,
    },
    /// needs: data, report, and other data sets that it is about; the plan of an analysis of the last run
    PlanAnalysis {
        /// what is asked
        request: AnalysisRequest,
    },
    /// needs: data; a feature map with a name, which from then on goes with the needs of every job of the data set
    Project {
        /// what to compute
        projection: ProjectionRequest,
    },
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
        #[tsify(type = "unknown")]
        method: Method,
        /// which fold
        fold: usize,
    },
    /// needs: data, split, one fit per fold (none for `none`); for metrics of proximity, its parts
    Score {
        /// bins of the metrics
        bins: BinOptions,
        /// metric ids; those of the scorecard are always computed
        #[tsify(type = "string[]")]
        metrics: BTreeSet<String>,
        /// columns whose values are groups, where a metric of groups is asked for
        #[serde(default)]
        #[tsify(optional)]
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
        #[tsify(type = "string[]")]
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
        #[tsify(type = "unknown")]
        settings: TrustSettings,
        /// the method, where a report is needed
        #[tsify(optional)]
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
        #[tsify(optional)]
        alpha: Option<f64>,
    },
    /// needs: data, report, then the trust test of every method
    KlceReport {
        /// what was asked, defaults filled in
        request: KlceRequest,
        /// kernel and nulls
        #[tsify(type = "unknown")]
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
        #[tsify(type = "unknown")]
        part: SweepPart,
    },
    /// needs: the parts of every curve, in order; curves and figures
    SweepReport {
        /// what was asked, defaults filled in
        request: SweepRequest,
        /// how many outcomes make up each curve
        #[tsify(type = "unknown")]
        curves: Vec<SweepInputs>,
    },
    /// needs: data, split of `none`, then for each method what `inputs` says
    Report {
        /// what was asked
        request: RunRequest,
        /// how many outcomes of each kind follow, method by method
        #[tsify(type = "unknown")]
        inputs: Vec<plan::MethodInputs>,
    },
    /// needs: data, report; and for a map that only moves, the view before
    View {
        /// the chart
        request: ChartRequest,
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
        #[tsify(type = "unknown")]
        inputs: CompareInputs,
    },
    /// needs: data, report, then for each repeat and each method its values, without replicates
    Correlate {
        /// what was asked, defaults filled in
        request: CorrelationRequest,
        /// what the needs are
        #[tsify(type = "unknown")]
        inputs: CompareInputs,
    },
    /// needs: data, report, then for each model and each method its values, without replicates
    Models {
        /// what was asked, defaults filled in
        request: ModelsRequest,
        /// what the needs are
        #[tsify(type = "unknown")]
        inputs: ModelsInputs,
    },
    /// needs: data, report, split, the parts of proximity: rows near and far under every method
    ProximitySheet(ProximityRequest),
    /// needs: data, report, split, the parts of proximity, distance by distance
    ProximitySweepSheet(ProximitySweepRequest),
    /// needs: data, report, view of a map: the row nearest to a place
    Locate {
        /// first coordinate, in the units of the data
        x: f64,
        /// second coordinate
        y: f64,
    },
    /// needs: data, report: what other libraries would print
    Libraries {
        /// name of a method of the run; default: `none`
        #[tsify(optional)]
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
        #[tsify(type = "unknown")]
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
    /// needs: data, report (or data alone before any run): the predictions as CSV
    ExportPredictions {},
    /// needs: data, report: fits on every calibration row, as JSON
    ExportCalibrator {},
    /// needs: data alone: its predictions under a stored calibrator, as CSV
    ExportApplied {
        /// the JSON of an export, as an object
        #[tsify(type = "unknown")]
        calibrator: serde_json::Value,
        /// name of the one method to apply; default: all
        #[serde(default)]
        #[tsify(optional)]
        method: Option<String>,
        /// the probability of every class besides
        #[serde(default)]
        #[tsify(optional)]
        classes: bool,
    },
    /// needs: data, report: a function that applies a method's calibrator, in another language
    ExportSnippet {
        /// name of a method of the run; may be left out where there is but one besides `none`
        #[serde(default)]
        #[tsify(optional)]
        method: Option<String>,
        /// default: Python
        #[serde(default)]
        #[tsify(optional)]
        language: Language,
    },
    /// needs: data, report: the report as JSON
    ExportReport {},
    /// needs: data: the coordinates of a feature map, or any columns by one name, as CSV
    ExportCoordinates {
        /// its name
        name: String,
    },
    /// needs: data, report: the comparison of methods as text
    ExportTable(TableRequest),
}

/// What came of a job. In JavaScript an object whose `kind` is the name of the variant (`OutcomeMessage`).
///
/// What only the page reads is not read back by workers: that half of the reading code would be a tenth of the core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// of `read`
    File {
        /// columns of the file
        #[tsify(type = "unknown")]
        file: ReadFile,
    },
    /// of `assemble`
    Data {
        /// for people and scripts
        #[serde(deserialize_with = "unread")]
        summary: Summary,
        /// for the page
        #[serde(deserialize_with = "unread")]
        suggestion: Option<LocalSuggestion>,
        /// for the other jobs
        #[tsify(type = "unknown")]
        predictions: Box<Predictions>,
    },
    /// of `recognise`
    #[serde(skip_deserializing)]
    Recognised {
        /// columns and warnings
        summary: Summary,
    },
    /// of `plan`
    #[serde(skip_deserializing)]
    Plan {
        /// in an order in which they can run
        nodes: Vec<Node>,
    },
    /// of `project`
    Coordinates(
        /// name, values, and what they are
        Box<Coordinates>,
    ),
    /// of `split`
    Split {
        /// fold of each row
        #[tsify(type = "unknown")]
        split: Split,
    },
    /// of `proximity`
    Proximity {
        /// ln D, row by row, fold by fold, by number of neighbours
        #[tsify(type = "number")]
        values: Column<f64>,
    },
    /// of `fit`
    Fitted {
        /// calibrator and scores
        #[tsify(type = "unknown")]
        fitted: Fitted,
    },
    /// of `score`
    Scored {
        /// scores and metrics
        #[tsify(type = "unknown")]
        scored: Box<Scored>,
    },
    /// of `resample` and `local_resample`
    Replicates {
        /// metric values
        #[tsify(type = "unknown")]
        replicates: Replicates,
    },
    /// of `local`
    Local {
        /// places of the rows among the scored rows
        #[tsify(type = "number")]
        place: Column<u32>,
        /// signed local error
        #[tsify(type = "number")]
        slce: Column<f64>,
        /// Σ k
        #[tsify(type = "number")]
        mass: Column<f64>,
        /// (Σ k)² / Σ k²
        #[tsify(type = "number")]
        n_eff: Column<f64>,
        /// the algorithm of the costliest piece
        engine: Option<Engine>,
    },
    /// of `trust_work`
    TrustWork {
        /// rows and engines
        #[tsify(type = "unknown")]
        work: Box<TrustWork>,
    },
    /// of `trust_share`
    TrustShare {
        /// sums
        #[tsify(type = "unknown")]
        share: Box<TrustShare>,
    },
    /// of `klce_report`: the outcome of the analysis `klce`
    #[serde(skip_deserializing)]
    Klce(
        /// numbers and sheet
        Box<KlceOutcome>,
    ),
    /// of `trust_found`
    TrustFound {
        /// statistic and draws
        #[tsify(type = "unknown")]
        found: Box<TrustFound>,
    },
    /// of `places`
    Places {
        /// d
        d: usize,
        /// row-major, one row per row of the data
        #[tsify(type = "number")]
        values: Column<f64>,
    },
    /// of `sweep_part`
    SweepPart {
        /// limits, grid, then numbers by bandwidth
        #[tsify(type = "number")]
        values: Column<f64>,
    },
    /// of `sweep_report`: the outcome of the analysis `sweep`
    #[serde(skip_deserializing)]
    Sweep(
        /// curves and figures
        Box<SweepOutcome>,
    ),
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
    /// of `libraries`
    #[serde(skip_deserializing)]
    Libraries(
        /// the numbers
        Box<LibrariesOutcome>,
    ),
    /// of `multiples`
    #[serde(skip_deserializing)]
    Multiples(
        /// diagrams
        Box<MultiplesOutcome>,
    ),
    /// of `decide`
    #[serde(skip_deserializing)]
    Decide(
        /// costs of every method
        Box<DecideOutcome>,
    ),
    /// of `groups`
    #[serde(skip_deserializing)]
    Groups(
        /// gaps, tests, methods
        Box<GroupsOutcome>,
    ),
    /// of `region`
    #[serde(skip_deserializing)]
    Region(
        /// facts and rows
        Box<RegionOutcome>,
    ),
    /// of `look`
    Looked {
        /// places and their rows
        #[tsify(type = "unknown")]
        looked: Box<Looked>,
    },
    /// of `permute`
    Maxima {
        /// one number per permutation
        #[tsify(type = "number")]
        maxima: Column<f64>,
    },
    /// of `neighbourhoods`
    #[serde(skip_deserializing)]
    Neighbourhoods(
        /// the list
        Box<NeighbourhoodsOutcome>,
    ),
    /// of `witness_ground`
    WitnessGround {
        /// rows and kernel
        #[tsify(type = "unknown")]
        ground: Box<WitnessGround>,
    },
    /// of `witness_part`, and draws of `inference_part`
    Bias {
        /// four numbers a query; one a draw, method and task
        #[tsify(type = "unknown")]
        part: BiasPart,
    },
    /// of `witness`: the outcome of the analysis of that name
    #[serde(skip_deserializing)]
    Witness(
        /// sheet and columns
        Box<WitnessOutcome>,
    ),
    /// of `bias_plot`
    #[serde(skip_deserializing)]
    BiasPlot(
        /// sheet and columns
        Box<BiasOutcome>,
    ),
    /// of `inference`
    #[serde(skip_deserializing)]
    Inference(
        /// sheet and numbers
        Box<InferenceOutcome>,
    ),
    /// of `draw`
    Drawn {
        /// values and replicates
        #[tsify(type = "unknown")]
        drawn: Box<Drawn>,
    },
    /// of `compare`
    #[serde(skip_deserializing)]
    Compared(
        /// numbers and sheet
        Box<CompareOutcome>,
    ),
    /// of `correlate`
    #[serde(skip_deserializing)]
    Correlated(
        /// numbers and sheet
        Box<CorrelationOutcome>,
    ),
    /// of `models`
    #[serde(skip_deserializing)]
    Models(
        /// numbers and sheet
        Box<ModelsOutcome>,
    ),
    /// of `proximity_sheet`
    #[serde(skip_deserializing)]
    ProximitySheet(
        /// numbers and how they are shown
        Box<ProximityOutcome>,
    ),
    /// of `proximity_sweep_sheet`
    #[serde(skip_deserializing)]
    ProximitySweepSheet(
        /// numbers and how they are shown
        Box<ProximitySweepOutcome>,
    ),
    /// of `locate`
    #[serde(skip_deserializing)]
    Card {
        /// lines of text about a row; empty when none is near
        lines: Vec<String>,
        /// its place in the units of the data
        at: Option<[f64; 2]>,
    },
    /// of the exports and of `example`: bytes beside the message
    #[serde(skip_deserializing)]
    Bytes {
        /// the file
        #[tsify(type = "number")]
        bytes: Column<u8>,
    },
}
