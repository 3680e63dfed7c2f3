//! What the page asks of a worker.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::options::check_written;
use crate::analysis::AnalysisRequest;
use crate::counts::CountRequest;
use crate::data::OpenOptions;
use crate::error::{Error, Result, message, phrases};
use crate::evaluation::request::RunRequest;
use crate::experiment::{self, Begun, Cell, Spec};
use crate::feature::projection::ProjectionRequest;
use crate::lab::LabRequest;
use crate::report::calibrator::Language;
use crate::report::methods_table::TableRequest;
use crate::report::view::request::ChartRequest;
use crate::request::bounds::check_depth;
use crate::request::message::read;
use crate::request::message::without_nulls;

/// A job that the page writes itself, as JSON; the jobs of a plan come from the core, and the page only passes them on.
///
/// In JavaScript an object whose `kind` is the name of the variant (`CallMessage`); here the name stands outside, because
/// a name among the fields makes serde keep and read everything twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// what can be asked for by a name, in words
    Describe {},
    /// bytes (the first column beside the message) to columns
    Read {
        /// file name, for messages and to name columns
        name: String,
        /// whether the first row of a text table holds names; default: as it looks
        #[serde(default)]
        header: Option<bool>,
        /// whether the last row of a text table holds totals of the others and is left out; default: as it looks
        #[serde(default)]
        totals: Option<bool>,
        /// bytes that the file may have, packed, unpacked and as numbers; default: 2³¹
        #[serde(default)]
        most: Option<u64>,
    },
    /// needs: nothing; the statement that counts the rows of a table where they are
    CountStatement {
        /// the table and its columns
        request: CountRequest,
    },
    /// needs: nothing; a screen of the calibration lab
    Lab {
        /// its state
        request: LabRequest,
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
    /// needs: those of `plan_analysis`; the plan of an analysis that answers with its sheet alone, from which is withheld what
    /// was computed from few rows, or from an unknown number: what may be saved of it
    PlanWithheld {
        /// what is asked
        request: AnalysisRequest,
        /// counts below this one, and what would tell them, are withheld
        suppress: u64,
    },
    /// needs: data, and other data sets that are done like it; the plan of an experiment, whose feature maps are there
    PlanExperiment {
        /// what is asked
        spec: Spec,
        /// what is there already; what still answers what is asked is not done again
        #[serde(default)]
        begun: Box<Begun>,
    },
    /// needs: data; the tables and figures of some papers, prepared for it
    Papers {},
    /// needs: nothing; what the cells of an experiment say
    ConcludeExperiment {
        /// what was asked
        spec: Spec,
        /// every number that there is
        cells: Vec<Cell>,
        /// number of CSS pixels that a chart may be wide
        #[serde(default)]
        width: Option<f64>,
        /// metrics by which few rows could be told, and values of fewer rows than this, are left out; default: none
        #[serde(default)]
        suppress: Option<u64>,
    },
    /// needs: nothing; the same as a file
    ExportExperiment {
        /// what was asked
        spec: Spec,
        /// every number that there is
        cells: Vec<Cell>,
        /// how it is written
        #[serde(default)]
        format: experiment::Format,
        /// metrics by which few rows could be told, and values of fewer rows than this, are left out; default: none
        #[serde(default)]
        suppress: Option<u64>,
    },
    /// needs: data; a feature map with a name, which from then on goes with the needs of every job of the data set
    Project {
        /// what to compute
        projection: ProjectionRequest,
    },
    /// needs: data, report; and for a map that only moves, the view before
    View {
        /// the chart
        request: ChartRequest,
    },
    /// needs: data, report, view of a map: the row nearest to a place
    Locate {
        /// first coordinate, in the units of the data
        x: f64,
        /// second coordinate
        y: f64,
    },
    /// needs: data: what a file that can be saved says about single rows
    About {
        /// as `data.export` names it, or `region_rows`
        export: String,
    },
    /// needs: data, report (or data alone before any run): the predictions as CSV
    ExportPredictions {
        /// false: without the column that names the rows; default: with it
        #[serde(default)]
        identifiers: Option<bool>,
    },
    /// needs: data, report: fits on every calibration row, as JSON
    ExportCalibrator {
        /// what was fitted to fewer rows than this is left out; default: nothing
        #[serde(default)]
        suppress: Option<u64>,
    },
    /// needs: data alone: its predictions under a stored calibrator, as CSV
    ExportApplied {
        /// the JSON of an export, as an object
        calibrator: serde_json::Value,
        /// name of the one method to apply; default: all
        #[serde(default)]
        method: Option<String>,
        /// the probability of every class besides
        #[serde(default)]
        classes: bool,
        /// false: without the column that names the rows; default: with it
        #[serde(default)]
        identifiers: Option<bool>,
    },
    /// needs: data, report: a function that applies a method's calibrator, in another language
    ExportSnippet {
        /// name of a method of the run; may be left out where there is but one besides `none`
        #[serde(default)]
        method: Option<String>,
        /// default: Python
        #[serde(default)]
        language: Language,
    },
    /// needs: data, report: the report as JSON
    ExportReport {
        /// counts below this one, and what would tell them, are left out; default: none
        #[serde(default)]
        suppress: Option<u64>,
    },
    /// needs: data, report: how the file was read, what was chosen, repairs and numbers, as JSON: for next month's file
    ExportSession {
        /// what the page wants to find again; passed on as it is
        #[serde(default)]
        page: Option<serde_json::Value>,
        /// what was computed from or fitted to fewer rows than this is left out; default: values of groups of fewer than ten
        #[serde(default)]
        suppress: Option<u64>,
        /// true: with the numbers of every group, however few its rows, for a comparison on the spot; not with `suppress`
        #[serde(default)]
        every_group: Option<bool>,
    },
    /// needs: data: the coordinates of a feature map, or any columns by one name, as CSV
    ExportCoordinates {
        /// its name
        name: String,
        /// false: without the column that names the rows; default: with it
        #[serde(default)]
        identifiers: Option<bool>,
    },
    /// needs: data, report: the comparison of methods as text
    ExportTable(TableRequest),
}

impl Call {
    /// A call as it is written: `{ name: fields }`, with the name besides among the fields as `kind`, and that of a chart
    /// among those of its request as `chart`. Fields that are null count as left out, but for the
    /// options of opening in which null says something.
    ///
    /// # Errors
    /// `invalid_option` for what lies too deep, numbers out of their bounds, and what has not the form of a call.
    pub fn written(mut value: Value) -> Result<Self> {
        check_depth(&value)?;
        let call = value.as_object_mut().and_then(|o| o.iter_mut().next());
        if let Some((kind, call)) = call {
            match (kind.as_str(), call.get_mut("options")) {
                ("assemble" | "recognise", Some(options)) => OpenOptions::without_nulls(options),
                _ => without_nulls(call),
            }
            if let Some(fields) = call.as_object_mut() {
                fields.remove("kind");
                fields.get_mut("request").map(chart_outside);
            }
        }
        check_written(&mut value)?;
        read(value).map_err(|error| not_understood(&error))
    }
}

/// What is said of a message that has not the form it should have: all that a script can get wrong is what it asks.
pub fn not_understood(error: &dyn std::fmt::Display) -> Error {
    let what = message!["Invalid request: ", phrases::unread(error), "."];
    Error::new("invalid_option", what, phrases::TYPED_INTERFACE)
}

/// The name of a chart stands among its fields in JavaScript, too.
fn chart_outside(request: &mut Value) {
    let chart = request.as_object_mut().and_then(|o| o.remove("chart"));
    if let Some(Value::String(chart)) = chart {
        let mut outside = serde_json::Map::new();
        outside.insert(chart, request.take());
        *request = outside.into();
    }
}
