//! Which chart of the last run to draw.

use serde::{Deserialize, Serialize};

use crate::feature::FeatureChoice;
use crate::metric::binning::BinOptions;
use crate::metric::curve::CurveKind;

/// Which chart of the last run to draw. In JavaScript an object whose `chart` is the name of the variant
/// (`ChartMessage`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChartRequest {
    /// reliability diagram of one method, or of the original predictions and one method
    Reliability(ReliabilityRequest),
    /// map of signed local error
    Map(MapRequest),
    /// distribution of local error in a bin
    Cdf(MapRequest),
}

/// What the reliability diagram shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ReliabilityRequest {
    /// name of a method to show together with `none`
    pub method: Option<String>,
    /// the calibration curve; default: `loess`
    pub curve: CurveKind,
    /// the 95% band: `pointwise` or `simultaneous` around the curve, `consistency` around the diagonal, or `none`
    pub band: BandChoice,
    /// `fitted` (the default): both axes cover the range of the data; `full`: 0 to 1; `logit`: the range of the data, on
    /// the scale of log-odds
    pub axes: AxesChoice,
    /// a symbol with an interval for every bin; default: yes
    pub bins: Option<bool>,
    /// bins and bars of fewer rows than this, and those that would reveal them, are suppressed; default: none
    pub suppress: Option<u64>,
    /// width in CSS pixels
    pub width: Option<f64>,
}

impl ReliabilityRequest {
    /// What is computed, without how wide it is drawn.
    pub fn computed(&self) -> Self {
        Self { width: None, ..self.clone() }
    }
}

/// The 95% band of a reliability diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BandChoice {
    /// around the curve, pointwise
    #[default]
    Pointwise,
    /// around the curve, simultaneous over all scores
    Simultaneous,
    /// around the diagonal: the null band of the bins of a calibrated model
    Consistency,
    /// none
    None,
}

/// Ends of the axes of a reliability diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AxesChoice {
    /// the range of the data
    #[default]
    Fitted,
    /// 0 to 1
    Full,
    /// the range of the data, equal ratios of the odds in equal space
    Logit,
}

/// What the map shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapRequest {
    /// coordinates; default: those of the run, else the feature columns, else two principal components
    pub features: Option<FeatureChoice>,
    /// the two coordinates of the map, by position; default: the first two
    pub axes: Option<[usize; 2]>,
    /// left, right, lower and upper edge of the map; default: around all rows
    pub window: Option<[f64; 4]>,
    /// `laplacian`, `gaussian`, `rbf`, `group` or `constant`; default: that of the run's local settings
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// bandwidth γ
    pub gamma: Option<f64>,
    /// which rows can be neighbors, as in `local`; default: the run's
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// exclude each row from its own neighborhood, as in `local`; default: the run's
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leave_one_out: Option<bool>,
    /// rows that are compared: `each` (the default): all rows, within their confidence bins; `all`: all rows, as one bin; or
    /// the rows of one bin: by index, `worst` or `best`
    pub bin: Option<BinChoice>,
    /// confidence bins; default: those of the run's local settings
    pub bins: Option<BinOptions>,
    /// name of a method of the last run whose scores are shown; default: `none`
    pub method: Option<String>,
    /// name of another method of the last run, with which the map shares its color scale and the distribution of local error
    /// its axis
    pub beside: Option<String>,
    /// smallest count that is not suppressed; if specified, nothing is drawn, as every point is a row; default: none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppress: Option<u64>,
    /// width in CSS pixels
    pub width: Option<f64>,
    /// width of the accompanying figures in CSS pixels; default: that of the map, at most 420
    pub companion_width: Option<f64>,
    /// device pixels per CSS pixel
    pub dpr: Option<f64>,
    /// dark color scheme
    pub dark: bool,
    /// while a slider moves: leave out what can wait (the field behind many points, what could be chance)
    pub draft: bool,
}

impl MapRequest {
    /// What is computed, without how it is drawn.
    pub fn computed(&self) -> MapRequest {
        MapRequest { window: None, width: None, companion_width: None, dpr: None, dark: false, ..self.clone() }
    }
}

/// A confidence bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "bin is an index from 0, \"each\", \"all\", \"worst\" or \"best\"")]
pub enum BinChoice {
    /// by index, from 0
    Index(usize),
    /// `each` (every row, within its bin), `all` (every row, as one bin), `worst` or `best`
    Word(String),
}
