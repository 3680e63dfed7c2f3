//! What an experiment is made of.

use serde::{Deserialize, Serialize};

use super::cell::{Cell, Level};
use crate::feature::FeatureChoice;
use crate::feature::projection::ProjectionRequest;
use crate::hypothesis::Null;
use crate::metric::binning::BinOptions;
use crate::proximity::{Form, Metric};

/// What a saved experiment says it is.
pub const SCHEMA: &str = "localcal-experiment/1";

/// An experiment, methods × spaces × divisions × metrics: the request of `data.experiment` and the content of a saved
/// experiment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExperimentSpec"))]
#[serde(default, deny_unknown_fields)]
pub struct Spec {
    /// title
    pub title: String,
    /// methods; one id can occur several times under different names; default: `none` and the usual recalibration methods
    pub methods: Vec<ExperimentMethod>,
    /// spaces that define similarity, for local metrics and for methods that use neighbors; default: the suggestion of
    /// the page
    pub spaces: Vec<Space>,
    /// repeated divisions of the rows into calibration and evaluation
    pub divisions: Divisions,
    /// metric ids, and `fit_seconds`, `apply_seconds` (per row scored); default: accuracy, NLL, Brier score, ECE
    pub metrics: Vec<String>,
    /// settings with several values; all combinations are evaluated
    pub vary: Vec<Vary>,
    /// confidence bins of the metrics; default: 15 of equal width, left-closed
    pub bins: BinOptions,
    /// one or two columns that define groups, for metrics of groups; default: the first column that can
    pub groups: Option<Vec<String>>,
    /// which methods are compared, which determines the number of comparisons for adjustment; default: all pairs
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<Compare>,
    /// seed of all random numbers except the divisions
    pub seed: u64,
    /// fingerprint of the scores and outcomes; filled in, so that an experiment is not continued with another file
    pub data: Option<String>,
    /// true if several files contain the same rows, as judged by their outcomes; filled in, so that they are not tested
    /// as independent data sets
    pub same_rows: bool,
}

/// What is there of an experiment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExperimentBegun"))]
pub struct Begun {
    /// the request, with defaults
    pub spec: Spec,
    /// the numbers
    pub cells: Vec<Cell>,
}

/// A method of an experiment: an id, or an id with a name, settings and its space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, deny_unknown_fields, expecting = "a method is an id, or { id, name, parameters, space }")]
pub enum ExperimentMethod {
    /// an id with every setting at its default; `base+second` for one after another
    Id(String),
    /// an id with further fields
    Named {
        /// its id
        id: String,
        /// name in tables; default: the id
        #[serde(default)]
        name: Option<String>,
        /// settings by name
        #[serde(default)]
        #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, serde_json::Value>"))]
        parameters: serde_json::Value,
        /// name of its space; default: each space, once
        #[serde(default)]
        space: Option<String>,
    },
}

impl ExperimentMethod {
    /// Its id.
    pub fn id(&self) -> &str {
        match self {
            Self::Id(id) | Self::Named { id, .. } => id,
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Id(id) | Self::Named { id, name: None, .. } => id,
            Self::Named { name: Some(name), .. } => name,
        }
    }
}

/// A definition of similarity: coordinates and kernel.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Space {
    /// name in tables
    pub name: String,
    /// columns or arrays of the file, or `{ pca, of }`; with `project`, the name of that map, filled in when the
    /// experiment is planned
    pub features: Option<FeatureChoice>,
    /// feature map to be computed first: scaled columns, then principal components, then t-SNE
    pub project: Option<ProjectionRequest>,
    /// kernel of local error and LoRe: `laplacian` (default), `gaussian`, `rbf`, `group` or `constant`
    pub kernel: Option<String>,
    /// bandwidth γ of the kernel; default 0.4
    pub gamma: Option<f64>,
    /// confidence bins of local error and LoRe; default: those of the experiment
    pub bins: Option<BinOptions>,
    /// K, number of nearest calibration rows for proximity; default 10
    pub neighbours: Option<usize>,
    /// distance of proximity: `euclidean` (default) or `cosine`
    pub distance: Option<Metric>,
    /// form of proximity: `paper` (default) or `code`
    pub form: Option<Form>,
    /// width of the KLCE kernel on scores; default 0.1
    pub width_p: Option<f64>,
    /// γ of the KLCE kernel on covariates; default 1 / (number of coordinates)
    pub trust_gamma: Option<f64>,
    /// null distribution of `p_code`; default: permuted residuals, centered
    pub null: Option<Null>,
    /// draws of each null distribution; default 1,000
    pub resamples: Option<usize>,
}

/// Repeated divisions of the rows. Default: as the file defines, else halves with five seeds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Divisions {
    /// halves stratified by outcome, one division for each seed: number of seeds (from 0), or a list; with `folds`: seeds
    /// of the folds
    pub seeds: Option<Seeds>,
    /// number of folds K, each scored by fits on the others: K divisions for each seed
    pub folds: Option<usize>,
    /// column whose values are repeats, each divided as the file defines
    pub by: Option<String>,
    /// true: each file is a data set and is divided once, as it defines, else in halves with seed 0
    pub files: bool,
}

/// Seeds, or how many from 0 on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "seeds are a number or a list")]
pub enum Seeds {
    /// seeds 0, 1, … up to this number of seeds
    Count(u64),
    /// these
    These(Vec<u64>),
}

/// A setting that takes several values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Vary {
    /// name of a setting of a method (`lambda`, `gamma`, `bins`, `neighbours`, …), or of a space
    pub setting: String,
    /// its values
    pub values: Vec<Level>,
    /// what the setting applies to; default: the methods that have it, else the metrics
    #[serde(default)]
    pub of: Option<Knob>,
}

/// Which methods of an experiment are compared with which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExperimentCompare"))]
#[serde(untagged, expecting = "compare is \"all\", { control: method } or { pairs: [[method, method], …] }")]
pub enum Compare {
    /// each method with this one
    Control {
        /// its name
        control: String,
    },
    /// these pairs, the first minus the second, planned in advance
    Pairs {
        /// names
        pairs: Vec<[String; 2]>,
    },
    /// every pair of methods
    Every(EveryPair),
}

/// `"all"`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EveryPair {
    /// every pair of methods
    All,
}

impl Compare {
    /// Names of methods that it speaks of.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Every(_) => Vec::new(),
            Self::Control { control } => vec![control],
            Self::Pairs { pairs } => pairs.iter().flatten().map(String::as_str).collect(),
        }
    }
}

/// Where a setting is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Knob {
    /// the methods that have it; metrics use the settings of the spaces
    Methods,
    /// the metrics; methods use the settings of the spaces
    Metrics,
}
