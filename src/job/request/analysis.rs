//! Questions about the last run.

use serde::{Deserialize, Serialize};

use super::{BiasPlotRequest, BinChoice, CorrelationRequest, InferenceRequest, ModelsRequest, WitnessRequest};
use crate::evaluation::features::FeatureChoice;
use crate::evaluation::trust::GammaChoice;
use crate::hypothesis::Null;
use crate::metric::binning::BinOptions;
use crate::proximity::{Form, Metric};
use crate::report::groups::GroupMetric;
use crate::report::multiples::MultiplesBy;

/// A question about the last run that takes several jobs: what `data.analyse` takes, under the name of its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AnalysisRequest {
    /// who is in a region of the map, and what is wrong there
    Region(RegionRequest),
    /// the rows of a region as a CSV file of ids
    RegionRows(RegionRequest),
    /// the worst neighbourhoods of the map, corrected for having looked everywhere
    Neighbourhoods(NeighbourhoodsRequest),
    /// what other libraries would print for the rows of the last run, and why it differs
    Libraries(LibrariesRequest),
    /// reliability diagrams in small multiples
    Multiples(MultiplesRequest),
    /// answering or asking: thresholds and costs
    Decide(DecideRequest),
    /// for whom: the gap of every group
    Groups(GroupsRequest),
    /// local error of methods and maps against the bandwidth
    Sweep(SweepRequest),
    /// whether the scores are wrong anywhere: the trust test
    Klce(KlceRequest),
    /// for whom scores are off, among people who are alike
    Witness(WitnessRequest),
    /// local bias against a covariate, by group
    BiasPlot(BiasPlotRequest),
    /// what a study would conclude if it used scores in the place of outcomes
    Inference(InferenceRequest),
    /// methods against each other, by paired differences
    Compare(CompareRequest),
    /// which metric rises with the error of the worst group, over repeats and methods
    Correlation(CorrelationRequest),
    /// several models beside each other
    Models(ModelsRequest),
    /// whether rows far from the others can be trusted as much, under every method
    Proximity(ProximityRequest),
    /// the same numbers against the number of neighbours
    ProximitySweep(ProximitySweepRequest),
}

impl AnalysisRequest {
    /// Every kind and the question it answers, in the order of the variants.
    pub const KINDS: &[(&str, &str)] = &[
        ("region", "who is in a region of the map, and what is wrong there"),
        ("region_rows", "the rows of a region, as a list of ids"),
        ("neighbourhoods", "the worst places of the map, corrected for having looked everywhere"),
        ("libraries", "what other libraries would print for the same rows, and why it differs"),
        ("multiples", "reliability diagrams by method, class or group"),
        ("decide", "answering or asking a person: thresholds and costs"),
        ("groups", "for whom: the gap of every group"),
        ("sweep", "local error of methods and maps against the bandwidth"),
        ("klce", "whether scores are wrong anywhere: the trust test"),
        ("witness", "for whom scores are off, among people who are alike"),
        ("bias_plot", "local bias against a covariate, by group"),
        ("inference", "what a study would conclude that used scores for outcomes"),
        ("compare", "methods against each other, by paired differences"),
        ("correlation", "which metric rises with the error of the worst group"),
        ("models", "several models of the same rows beside each other"),
        ("proximity", "whether rows far from the others can be trusted as much"),
        ("proximity_sweep", "the same against the number of neighbours"),
    ];
}

/// Whose scores other libraries would be given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LibrariesRequest {
    /// name of a method of the last run; default: `none`
    pub method: Option<String>,
    /// of the page in CSS pixels; the table does not look at it
    pub width: Option<f64>,
}

/// Options of `data.analyse("multiples")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MultiplesRequest {
    /// `method` (the default), `class` or `group`
    pub by: MultiplesBy,
    /// name of a method of the last run whose classes or groups are shown; default: `none`
    pub method: Option<String>,
    /// one column whose values are groups, or two; default: the first that can be
    pub columns: Option<Vec<String>>,
    /// every diagram, not only the first twelve
    pub all: bool,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}

/// Options of `data.analyse("decide")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DecideRequest {
    /// w, the cost of a wrong answer; default 10
    pub wrong: Option<f64>,
    /// u, the cost of asking a person; default 1
    pub unsure: Option<f64>,
    /// names of methods of the last run; default: all
    pub methods: Option<Vec<String>>,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}

/// Options of `data.analyse("groups")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GroupsRequest {
    /// one column whose values are groups, or two for their pairs; default: the first that can be
    pub columns: Option<Vec<String>>,
    /// name of a method of the last run; default: `none`
    pub method: Option<String>,
    /// what the table of methods shows; default: MCE
    pub metric: Option<GroupMetric>,
    /// into how many groups of equal size a number is cut; default 4
    pub quantiles: Option<usize>,
    /// groups with fewer rows are left empty in `csv`; default 10
    pub least: Option<usize>,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}

/// A region of the map: one of box, polygon and rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RegionRequest {
    /// name of a method of the last run; default: `none`
    pub method: Option<String>,
    /// coordinates, as for the map
    pub features: Option<FeatureChoice>,
    /// the two coordinates of box and polygon, by position; default: the first two
    pub axes: Option<[usize; 2]>,
    /// the bin whose rows are shown, as for the map
    pub bin: Option<BinChoice>,
    /// [x0, x1, y0, y1], edges included
    #[serde(rename = "box")]
    pub rectangle: Option<[f64; 4]>,
    /// corners of a closed polygon
    pub polygon: Option<Vec<[f64; 2]>>,
    /// rows of the data, from 0, as `map.rows` names them
    pub rows: Option<Vec<u32>>,
}

/// Where to look for the worst neighbourhoods.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NeighbourhoodsRequest {
    /// name of a method of the last run; default: `none`
    pub method: Option<String>,
    /// coordinates, as for the map
    pub features: Option<FeatureChoice>,
    /// the two coordinates that name a place, by position; default: the first two
    pub axes: Option<[usize; 2]>,
    /// bandwidth γ, as for the map
    pub gamma: Option<f64>,
    /// with whom rows are compared, as for the map: within their confidence bin (`each`, the default), `all` as one bin, or
    /// the rows of one bin
    pub bin: Option<BinChoice>,
    /// permutations; default: 200, fewer where they would take long
    pub resamples: Option<usize>,
    /// seed of the permutations
    pub seed: u64,
}

/// Options of `data.analyse("sweep")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SweepRequest {
    /// names of methods of the last run; default: all that have scores
    pub methods: Option<Vec<String>>,
    /// one map or several to stand on one axis; default: that of the run's local settings
    pub features: Option<Vec<FeatureChoice>>,
    /// bandwidths; default: 25 on a grid that suits the features
    pub gammas: GammaGrid,
    /// as in `local`; default: the run's
    pub kernel: Option<String>,
    /// confidence bins; default: those of the run's local settings
    pub bins: Option<BinOptions>,
    /// how many times the rows are divided, methods fitted and scored; from 2 on curves are means with bands
    pub seeds: Option<usize>,
    /// curves are means over the folds of the run, each on its own, with bands
    pub folds: bool,
    /// redraws of the labels from the scores, for the curve that a calibrated model would show
    pub floor: usize,
    /// the bandwidth in use, to be marked; default: the run's
    pub gamma: Option<f64>,
    /// of the figures in CSS pixels
    pub width: Option<f64>,
}

/// Options of `data.analyse("klce")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct KlceRequest {
    /// names of methods of the last run; default: all that have scores
    pub methods: Option<Vec<String>>,
    /// covariates on which rows are alike, any columns; default: those of the run
    pub features: Option<FeatureChoice>,
    /// width of the kernel on scores; default 0.1
    pub width_p: Option<f64>,
    /// γ of exp(−γ‖X − X′‖²): a number, `default` (1/d), `median` or `power`
    pub gamma: Option<GammaChoice>,
    /// default: all four
    pub nulls: Option<Vec<Null>>,
    /// draws of each null; default 1,000
    pub resamples: Option<usize>,
    /// seed of the draws
    pub seed: u64,
    /// level of the test; default 0.05
    pub alpha: Option<f64>,
    /// find by simulation what the test would have caught; default: by an approximation alone
    pub simulate: bool,
    /// of the figures in CSS pixels
    pub width: Option<f64>,
}

/// Bandwidths, equally spaced in the logarithm.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GammaGrid {
    /// the smallest; default by the features
    pub low: Option<f64>,
    /// the largest; default by the features
    pub high: Option<f64>,
    /// how many; default 25
    pub count: Option<usize>,
}

/// Options of `data.analyse("compare")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CompareRequest {
    /// names of methods of the last run; default: all. `none` is always among them
    pub methods: Option<Vec<String>>,
    /// metric ids; default: `nll`, `brier` and `ece`
    pub metrics: Option<Vec<String>>,
    /// how many times the rows are divided, methods fitted and scored; default: once
    pub repeats: Option<usize>,
    /// a column that says which rows belong to which repeat; default: a column called `seed`, where the file says which
    /// rows calibrate
    pub by: Option<String>,
    /// of the first division and of the replicates; default: the run's
    pub seed: Option<u64>,
    /// replicates behind the intervals; default by the number of rows
    pub resamples: Option<usize>,
    /// `table` (default): methods × metrics; `paper`: every method beside what it builds on, "base → + ours"
    pub layout: CompareLayout,
    /// of the figure in CSS pixels
    pub width: Option<f64>,
}

/// How a comparison is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CompareLayout {
    /// one line a method, one column a metric
    #[default]
    Table,
    /// one line a pair: what a method builds on, and what it makes of it
    Paper,
}

/// Options of `data.analyse("proximity")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ProximityRequest {
    /// names of methods of the last run; default: all that have scores
    pub methods: Option<Vec<String>>,
    /// coordinates; default: those of the run, else the feature columns, else two principal components
    pub features: Option<FeatureChoice>,
    /// K, nearest rows that count; default: as in the run, else 10
    pub neighbours: Option<usize>,
    /// `euclidean` or `cosine`
    pub distance: Option<Metric>,
    /// `paper` or `code`
    pub form: Option<Form>,
    /// bring rows of coordinates to length 1
    pub row_normalise: Option<bool>,
    /// a column whose values are shown apart
    pub group: Option<String>,
    /// each row stands in one pair at most
    pub without_replacement: bool,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}

/// Options of `data.analyse("proximity_sweep")`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ProximitySweepRequest {
    /// names of methods of the last run; default: `none` and at most three more
    pub methods: Option<Vec<String>>,
    /// coordinates, as for `proximity`
    pub features: Option<FeatureChoice>,
    /// numbers of neighbours; default: 18 from 1 to 1,000, as far as there are rows
    pub neighbours: Option<Vec<usize>>,
    /// default: both
    pub distances: Option<Vec<Metric>>,
    /// `paper` or `code`
    pub form: Option<Form>,
    /// bring rows of coordinates to length 1
    pub row_normalise: Option<bool>,
    /// of the page in CSS pixels
    pub width: Option<f64>,
}
