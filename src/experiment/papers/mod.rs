//! The tables and figures of three papers, prepared for the open file.
//!
//! A [`PaperPart`] is one table or figure: an experiment to run, an analysis or a chart of a run, or why predictions do not
//! suffice for it. Each is made for the columns of the file and says what it takes of the paper; where the paper's
//! convention differs from the sound one, the sound one is asked for, and the paper's stands beside it where somebody
//! needs it to compare with print.

mod i_trustworthy;
mod lore;
mod procal;
mod similarity;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::spec::{ExperimentMethod, Knob, Spec, Vary};
use crate::data::Predictions;
use crate::evaluation::request::RunRequest;
use crate::feature::projection::ProjectionRequest;
use crate::metric::binning::{BinOptions, BinScheme, Closed, Edges};
use similarity::PaperSimilarity;

/// A paper, and its tables and figures for the open file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Paper {
    /// `lore`, `i_trustworthy` or `procal`
    pub id: String,
    /// short name: "LoRe 2022"
    pub title: String,
    /// authors, title and place
    pub citation: String,
    /// note on all its parts: how the file differs from that of the paper, and how this is handled; may be empty
    pub note: String,
    /// its tables and figures
    pub parts: Vec<PaperPart>,
}

/// A table or figure of a paper, for the open file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PaperPart {
    /// "table 1", "figures 5 to 7"; the same part as printed has "as printed" after it
    pub id: String,
    /// title
    pub title: String,
    /// differences from the paper, with the reason; may be empty
    pub note: String,
    /// how it is made
    pub made: Made,
}

/// How a part is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PaperPartMade"))]
#[serde(rename_all = "snake_case")]
pub enum Made {
    /// `data.experiment(spec)`
    Experiment(Box<Spec>),
    /// `data.analyse(kind, options)`
    Analysis {
        /// what must be computed before
        before: Before,
        /// the kind of analysis
        kind: String,
        /// its options
        #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, serde_json::Value>"))]
        options: Value,
    },
    /// `data.export("chart", { chart, … })`
    Chart {
        /// what must be computed before
        before: Before,
        /// `reliability`, `map` or `cdf`
        chart: String,
        /// its options
        #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, serde_json::Value>"))]
        options: Value,
    },
    /// why it cannot be made of this file
    Cannot(String),
}

/// What an analysis or a chart is about.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PaperPartBefore"))]
#[serde(default)]
pub struct Before {
    /// feature maps, each by its name: made where there is none of that name yet
    pub project: Vec<ProjectionRequest>,
    /// the run
    pub run: RunRequest,
}

/// Some papers, prepared for a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PreparedPapers"))]
pub struct Prepared {
    /// in the order of the years
    pub papers: Vec<Paper>,
}

/// The three papers, prepared for a file. O(columns), and O(rows) to see which are groups.
pub fn papers(data: &Predictions) -> Vec<Paper> {
    let similarity = PaperSimilarity::of(data);
    vec![lore::paper(data, &similarity), procal::paper(data, &similarity), i_trustworthy::paper(&similarity)]
}

/// Bins whose numbers are those of scikit-learn's `calibration_curve`: closed on the right, edges of `numpy.linspace`.
fn published_bins(count: usize) -> BinOptions {
    BinOptions { count, scheme: BinScheme::EqualWidth, closed: Closed::Right, edges: Edges::Numpy }
}

/// A method with a name of its own.
fn named(id: &str, name: &str) -> ExperimentMethod {
    with(id, name, Value::Null)
}

/// A method with a name and settings.
fn with(id: &str, name: &str, parameters: Value) -> ExperimentMethod {
    ExperimentMethod::Named { id: id.to_owned(), name: Some(name.to_owned()), parameters, space: None }
}

/// A method that looks at one space only.
fn within(id: &str, name: &str, space: &str) -> ExperimentMethod {
    ExperimentMethod::Named {
        id: id.to_owned(),
        name: Some(name.to_owned()),
        parameters: Value::Null,
        space: Some(space.to_owned()),
    }
}

/// Metric ids as a spec has them.
fn ids(metrics: &[&str]) -> Vec<String> {
    metrics.iter().map(|id| (*id).to_owned()).collect()
}

/// A setting with several numbers.
fn numbers(setting: &str, values: impl IntoIterator<Item = f64>, of: Option<Knob>) -> Vary {
    let values = values.into_iter().map(super::Level::Number).collect();
    Vary { setting: setting.to_owned(), values, of }
}

/// A part that is an experiment.
fn experiment(id: &str, title: &str, note: impl Into<String>, spec: Spec) -> PaperPart {
    let spec = Spec { title: title.to_owned(), ..spec };
    part(id, title, note, Made::Experiment(Box::new(spec)))
}

/// A part.
fn part(id: &str, title: &str, note: impl Into<String>, made: Made) -> PaperPart {
    PaperPart { id: id.to_owned(), title: title.to_owned(), note: note.into(), made }
}

/// A part that cannot be made.
fn cannot(id: &str, title: &str, why: &str) -> PaperPart {
    part(id, title, "", Made::Cannot(why.to_owned()))
}
