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
    /// the reliability diagram of one method, or of `none` and one method on one axis
    Reliability(ReliabilityRequest),
    /// the map of signed local error
    Map(MapRequest),
    /// the distribution of local error in a bin
    Cdf(MapRequest),
}

/// What the reliability diagram shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ReliabilityRequest {
    /// method name to lay over `none`
    pub method: Option<String>,
    /// the calibration curve; default: `loess`
    pub curve: CurveKind,
    /// the band: `pointwise` or `simultaneous` round the curve, `consistency` round the diagonal, or `none`
    pub band: BandChoice,
    /// `fitted` (the default): both axes where the data are; `full`: 0 to 1
    pub axes: AxesChoice,
    /// a symbol with an interval for every bin; default: yes
    pub bins: Option<bool>,
    /// bins and bars of fewer rows than this are left out, and those that would tell them; default: none
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

/// The band of a reliability diagram, at 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BandChoice {
    /// round the curve, score by score
    #[default]
    Pointwise,
    /// round the curve, for all of it at once
    Simultaneous,
    /// round the diagonal: where bins of a calibrated model would stay
    Consistency,
    /// none
    None,
}

/// Ends of the axes of a reliability diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AxesChoice {
    /// where the data are
    #[default]
    Fitted,
    /// 0 to 1
    Full,
}

/// What the map shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MapRequest {
    /// coordinates; default: those of the run, else the feature columns, else two principal components
    pub features: Option<FeatureChoice>,
    /// the two coordinates that are drawn, by position; default: the first two
    pub axes: Option<[usize; 2]>,
    /// what the map shows of the plane: left, right, lower and upper edge; default: every row
    pub window: Option<[f64; 4]>,
    /// `laplacian`, `gaussian`, `rbf`, `group` or `constant`; default: that of the run's local settings
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// bandwidth γ
    pub gamma: Option<f64>,
    /// which rows can be neighbours, as in `local`; default: the run's
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// leave each row out of its own neighborhood, as in `local`; default: the run's
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leave_one_out: Option<bool>,
    /// `each` (the default): every row, compared within its confidence bin; `all`: every row, as one bin; or the rows of
    /// one bin: by index, `worst` or `best`
    pub bin: Option<BinChoice>,
    /// confidence bins; default: those of the run's local settings
    pub bins: Option<BinOptions>,
    /// name of a method of the last run whose scores are shown; default: `none`
    pub method: Option<String>,
    /// name of another method of the last run: colours get limits that hold for both, and both distributions
    /// stand on one axis
    pub beside: Option<String>,
    /// the smallest count that may leave: with one nothing is drawn, for every point is a row; default: none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppress: Option<u64>,
    /// width in CSS pixels
    pub width: Option<f64>,
    /// width of the companions in CSS pixels; default: that of the map, 420 at most
    pub companion_width: Option<f64>,
    /// device pixels per CSS pixel
    pub dpr: Option<f64>,
    /// colours for a dark page
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
