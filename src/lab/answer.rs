//! Everything that a screen shows.

use serde::Serialize;

use super::LabRequest;
use crate::plot::chart::{Chart, ChartWidth, Drawing};
use crate::plot::figure::Figure;
use crate::words::number::{fixed, significant};

/// A chart takes the width that it is asked for: a screen has one or two of them side by side.
pub(super) const ROOM: ChartWidth = ChartWidth::UpTo { usual: 440.0, most: 620.0 };
/// The narrowest diagram; the page draws twenty of them smaller.
pub(super) const PANEL: ChartWidth = ChartWidth::UpTo { usual: 200.0, most: 200.0 };

/// Response of a screen of the lab.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabAnswer {
    /// number of the screen
    pub screen: u8,
    /// the result and its explanation, one sentence each
    pub sentences: Vec<String>,
    /// id of the correct prediction, by the known truth; null if it is always the same
    pub right: Option<String>,
    /// values in reading order
    pub numbers: Vec<LabNumber>,
    /// conditions, each fulfilled or not
    pub lights: Vec<LabLight>,
    /// charts
    pub charts: Vec<LabChart>,
    /// single outcomes, 0 or 1, if the screen displays them
    pub outcomes: Vec<u8>,
    /// four-letter code that a student gives to the teacher
    pub code: Option<String>,
    /// tally of the class codes of the line-up
    pub tally: Option<LabTally>,
    /// tally of the class codes of screen 1
    pub pooled: Option<LabPooled>,
    /// the rows as a CSV file
    pub csv: Option<String>,
}

/// A number of a screen.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabNumber {
    /// stable, for tests and scripts
    pub id: String,
    /// name of the number
    pub name: String,
    /// the value; null if it is not defined
    pub value: Option<f64>,
    /// the value, formatted; "–" if it is not defined
    pub text: String,
    /// reference value, formatted, or why there is no value; empty if there is none
    pub beside: String,
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabLight {
    /// description, with its value
    pub name: String,
    /// whether it holds
    pub on: bool,
}

/// A chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabChart {
    /// id of the chart on the screen
    pub id: String,
    /// drawn for the page
    pub figure: Figure,
}

/// Tally of the class codes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabTally {
    /// codes that count
    pub counted: usize,
    /// of them, those that found the real panel
    pub hits: usize,
    /// p-value: probability of at least this number of correct answers by guessing
    pub p: f64,
    /// the same by number of rows, the smallest first; levels without a code are omitted
    pub levels: Vec<LabTallyLevel>,
    /// hits and p-value, one sentence for each level; with several levels one of all of them
    pub sentences: Vec<String>,
    /// rejected codes, one sentence each
    pub refused: Vec<String>,
}

/// Tally of the codes of a level of the line-up.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabTallyLevel {
    /// rows of each diagram
    pub n: u32,
    /// codes that count
    pub counted: usize,
    /// of them, those that found the real panel
    pub hits: usize,
    /// p-value: probability of at least this number of correct answers by guessing
    pub p: f64,
}

/// Tally of the class codes for ten questions. There is no p-value: the questions are shared, so answers are dependent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabPooled {
    /// codes that count
    pub counted: usize,
    /// mean stated confidence, 0.5 to 1; null without a code
    pub stated: Option<f64>,
    /// share of right answers; null without a code
    pub right: Option<f64>,
    /// rejected codes, one sentence each
    pub refused: Vec<String>,
}

impl LabAnswer {
    /// With nothing on it yet.
    pub(super) fn of(request: &LabRequest) -> Self {
        Self {
            screen: request.screen,
            sentences: Vec::new(),
            right: None,
            numbers: Vec::new(),
            lights: Vec::new(),
            charts: Vec::new(),
            outcomes: Vec::new(),
            code: None,
            tally: None,
            pooled: None,
            csv: None,
        }
    }

    /// A number of the screen by its id; not a number where there is none.
    pub fn value(&self, id: &str) -> f64 {
        self.numbers.iter().find(|number| number.id == id).and_then(|number| number.value).unwrap_or(f64::NAN)
    }

    pub(super) fn say(&mut self, sentence: impl Into<String>) {
        self.sentences.push(sentence.into());
    }

    /// A number with three significant digits.
    pub(super) fn number(&mut self, id: &str, name: &str, value: f64) {
        self.number_as(id, name, value, significant(value), "");
    }

    /// A decimal with three places, and what it is compared with.
    pub(super) fn decimal(&mut self, id: &str, name: &str, value: f64, beside: &str) {
        self.number_as(id, name, value, fixed(value, 3), beside);
    }

    pub(super) fn number_as(&mut self, id: &str, name: &str, value: f64, text: String, beside: &str) {
        // JSON has no number for what is none
        if value.is_finite() {
            let [id, name, beside] = [id, name, beside].map(str::to_owned);
            self.numbers.push(LabNumber { id, name, value: Some(value), text, beside });
        }
    }

    /// A number that is not defined in this state, and why.
    pub(super) fn undefined(&mut self, id: &str, name: &str, why: &str) {
        let [id, name, text, beside] = [id, name, "–", why].map(str::to_owned);
        self.numbers.push(LabNumber { id, name, value: None, text, beside });
    }

    pub(super) fn light(&mut self, name: String, on: bool) {
        self.lights.push(LabLight { name, on });
    }

    pub(super) fn draw(&mut self, request: &LabRequest, id: &str, drawing: impl Into<Drawing>, room: ChartWidth) {
        self.charts.push(LabChart { id: id.to_owned(), figure: Chart::new(drawing, room).figure(&request.page()) });
    }
}
