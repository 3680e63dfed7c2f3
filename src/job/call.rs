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
/// In JavaScript an object whose `kind` is the name of the variant (`CallMessage`); here the name is the outer key, because
/// a name among the fields makes serde keep and read everything twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// the catalogue of everything that a request can name
    Describe {},
    /// the files of an archive (the first column beside the message) that are opened one by one, if there are any
    Unpack {
        /// file name, for messages
        name: String,
    },
    /// reads the bytes of a file (the first column beside the message) into columns
    Read {
        /// file name, for messages and column names
        name: String,
        /// whether the first row of a text table contains names; default: detected
        #[serde(default)]
        header: Option<bool>,
        /// whether the last row of a text table contains totals and is excluded; default: detected
        #[serde(default)]
        totals: Option<bool>,
        /// maximum size of the file in bytes: packed, unpacked and as numbers; default: 2³¹
        #[serde(default)]
        most: Option<u64>,
    },
    /// needs: nothing; the SQL statement that counts the rows of a table in the database
    CountStatement {
        /// the table and its columns
        request: CountRequest,
    },
    /// the counts in the bytes of a file (the first column beside the message) as CSV, with cells of few rows merged
    MergeCounts {
        /// file name, for messages
        name: String,
        /// the smallest number of rows that a cell may count, with and without the event
        suppress: u64,
    },
    /// needs: nothing; a screen of the calibration lab
    Lab {
        /// its state
        request: LabRequest,
    },
    /// a built-in example, generated as the bytes of a CSV file
    Example {
        /// its name
        name: String,
    },
    /// needs: each file; interprets files as predictions
    Assemble {
        /// options of the user
        options: OpenOptions,
    },
    /// needs: each file; interprets the columns of files that do not form a data set
    Recognize {
        /// options of the user
        options: OpenOptions,
    },
    /// needs: data; the plan of a run
    Plan {
        /// the request
        request: RunRequest,
    },
    /// needs: data, report, and other data sets involved; the plan of an analysis of the last run
    PlanAnalysis {
        /// the request
        request: AnalysisRequest,
    },
    /// needs: those of `plan_analysis`; the plan of an analysis that returns only its panel, for saving: values computed
    /// from few or an unknown number of rows are withheld
    PlanWithheld {
        /// the request
        request: AnalysisRequest,
        /// threshold: smaller counts, and values that would reveal them, are withheld
        suppress: u64,
    },
    /// needs: data, and further data sets; the plan of an experiment whose feature maps exist
    PlanExperiment {
        /// the request
        spec: Spec,
        /// existing results; those that still apply are not computed again
        #[serde(default)]
        begun: Box<Begun>,
    },
    /// needs: data; tables and figures of some papers, prepared for the data
    Papers {},
    /// needs: nothing; conclusions from the cells of an experiment
    ConcludeExperiment {
        /// the request
        spec: Spec,
        /// all cells
        cells: Vec<Cell>,
        /// maximum width of a chart in CSS pixels
        #[serde(default)]
        width: Option<f64>,
        /// threshold: metrics that could reveal few rows, and values of fewer rows than this, are withheld; default: none
        #[serde(default)]
        suppress: Option<u64>,
    },
    /// needs: nothing; the conclusions as a file
    ExportExperiment {
        /// the request
        spec: Spec,
        /// all cells
        cells: Vec<Cell>,
        /// file format
        #[serde(default)]
        format: experiment::Format,
        /// threshold: metrics that could reveal few rows, and values of fewer rows than this, are withheld; default: none
        #[serde(default)]
        suppress: Option<u64>,
    },
    /// needs: data; a named feature map, which is then an input of every job of the data set
    Project {
        /// the request
        projection: ProjectionRequest,
    },
    /// needs: data, report; for a map that only moves, also the previous view
    View {
        /// the request
        request: ChartRequest,
    },
    /// needs: data, report, view of a map: the row nearest to a point
    Locate {
        /// first coordinate, in the units of the data
        x: f64,
        /// second coordinate
        y: f64,
    },
    /// needs: data: what an export discloses about single rows
    About {
        /// as `data.export` names it, or `region_rows`
        export: String,
    },
    /// needs: data, report (or only data before any run): the predictions as CSV
    ExportPredictions {
        /// false: without the column of row identifiers; default: with it
        #[serde(default)]
        identifiers: Option<bool>,
    },
    /// needs: data, report: fits on every calibration row, as JSON
    ExportCalibrator {
        /// threshold: fits to fewer rows than this are withheld; default: none
        #[serde(default)]
        suppress: Option<u64>,
    },
    /// needs: data: its predictions under a stored calibrator, as CSV
    ExportApplied {
        /// JSON object of an exported calibrator
        calibrator: serde_json::Value,
        /// name of the only method to apply; default: all
        #[serde(default)]
        method: Option<String>,
        /// true: also the probabilities of all classes
        #[serde(default)]
        classes: bool,
        /// false: without the column of row identifiers; default: with it
        #[serde(default)]
        identifiers: Option<bool>,
    },
    /// needs: data, report: a function that applies a fitted method, in a programming language
    ExportSnippet {
        /// name of a method of the run; optional if there is only one besides `none`
        #[serde(default)]
        method: Option<String>,
        /// default: Python
        #[serde(default)]
        language: Language,
    },
    /// needs: data, report: the report as JSON
    ExportReport {
        /// threshold: smaller counts, and values that would reveal them, are withheld; default: none
        #[serde(default)]
        suppress: Option<u64>,
    },
    /// needs: data, report: a session for a later file, as JSON: how the file was read, settings, fitted recalibrations
    /// and results
    ExportSession {
        /// state of the page, stored unchanged
        #[serde(default)]
        page: Option<serde_json::Value>,
        /// threshold: values computed from or fitted to fewer rows than this are withheld; default: values of groups of
        /// fewer than ten
        #[serde(default)]
        suppress: Option<u64>,
        /// true: with the numbers of every group, however few its rows, for a comparison on the spot; not with `suppress`
        #[serde(default)]
        every_group: Option<bool>,
    },
    /// needs: data: the coordinates of a feature map, or any columns under one name, as CSV
    ExportCoordinates {
        /// its name
        name: String,
        /// false: without the column of row identifiers; default: with it
        #[serde(default)]
        identifiers: Option<bool>,
    },
    /// needs: data, report: the comparison of methods as a table in text
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
                ("assemble" | "recognize", Some(options)) => OpenOptions::without_nulls(options),
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
