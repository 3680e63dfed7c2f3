//! The report as a document: what was found, how, for whom, and what cannot be known from the file.

mod checklist;
mod data;
mod decisions;
mod groups;
mod limits;
mod methods;
mod overall;
mod panel;
mod plan;
mod provenance;
mod request;
mod small;

use std::collections::BTreeSet;

use crate::analysis::finding::FindingOutcome;
use crate::data::{Predictions, Role, View};
use crate::document::{Document, Part, Piece, Section};
use crate::error::Result;
use crate::experiment::{Begun, concluded_of};
use crate::num::weight::{weighted_mean, weighted_share};
use crate::plot::chart::Screen;
use crate::report::small_cells::enough;
use crate::report::view::request::{ChartRequest, MapRequest};
use crate::report::view::{DrawnView, method_rows, view};
use crate::report::{MethodRows, RunOutcome};
use crate::words::number::{count, percent};

pub use panel::{FindPanel, Panel};
pub use plan::WriteDocument;
pub use request::{DocumentRequest, OpenedFile};

/// The metric by whose value wrong rows can be counted.
const ACCURACY: &str = "accuracy";

/// Widths of charts that stand beside their findings, in CSS pixels: of 88 mm, of 64 mm, of 62 mm
/// ([`MM_PER_PX`](crate::plot::svg::MM_PER_PX)).
const COLUMN: f64 = 400.0;
const DIAGRAM: f64 = 292.0;
const NARROW: f64 = 280.0;

/// What a document is made of.
struct Shown<'a> {
    data: &'a Predictions,
    run: &'a RunOutcome,
    /// its charts are not drawn
    finding: Option<&'a FindingOutcome>,
    extra: Vec<&'a Panel>,
    request: &'a DocumentRequest,
}

impl Shown<'_> {
    /// The smallest count that may be shown.
    fn least(&self) -> Option<u64> {
        self.request.suppress
    }

    /// The predictions as they are, or the first method where they were not run.
    fn base(&self) -> Result<&MethodRows> {
        method_rows(self.run, None)
    }

    /// Methods of the run other than the predictions as they are.
    fn repairs(&self) -> impl Iterator<Item = &MethodRows> {
        self.run.rows.iter().filter(|rows| rows.method.kind.id() != "none")
    }

    /// "died = Y": what is predicted; none where that is whether the predicted class is right.
    fn event(&self) -> Option<String> {
        let label = self.data.positive.and_then(|place| self.data.labels.get(place));
        let column = self.data.roles.iter().find(|column| column.role == Role::Label);
        match (self.data.view, column, label) {
            (View::Positive, Some(column), Some(label)) => Some(format!("{} = {label}", column.name)),
            _ => None,
        }
    }

    /// The columns that hold the scores, or the model they are of.
    fn scores(&self) -> String {
        if let Some(model) = &self.data.model {
            return model.clone();
        }
        let scores = [Role::Probability, Role::Probabilities, Role::Logit, Role::Logits, Role::Confidence];
        let names: Vec<&str> = self
            .data
            .roles
            .iter()
            .filter(|column| scores.contains(&column.role))
            .map(|column| column.name.as_str())
            .collect();
        match names.as_slice() {
            [] => "the scores".to_owned(),
            [one] => (*one).to_owned(),
            [first, .., last] if names.len() > 3 => format!("{first} … {last}"),
            several => several.join(", "),
        }
    }

    /// Scored rows.
    fn rows(&self) -> Result<usize> {
        self.base().map(|rows| rows.score.len())
    }
}

/// Works that are cited so far.
#[derive(Default)]
struct Cited(BTreeSet<String>);

impl Cited {
    /// Notes the works that a source names, and answers " (Cox 1958)", or nothing where it names none.
    fn cite(&mut self, source: &str) -> String {
        let works = crate::document::references::cited(source);
        if works.is_empty() {
            return String::new();
        }
        let words = format!(" ({})", works.join("; "));
        self.0.extend(works);
        words
    }
}

/// The document on a run, in the parts that were asked for.
///
/// # Errors
/// `too_few_rows` where all rows, or all with or without the outcome, are fewer than the smallest count that may be
/// shown; those of the charts.
fn document(shown: &Shown) -> Result<Document> {
    if let Some(least) = shown.least() {
        enough(shown.data.view, shown.run, least)?;
    }
    let mut cited = Cited::default();
    let mut sections = Vec::new();
    let usual: Vec<Part> = Part::ALL.iter().map(|(part, _)| *part).collect();
    let asked = shown.request.sections.as_ref().unwrap_or(&usual);
    // references hang on what the other parts cite, wherever they stand
    let last = asked.iter().filter(|part| **part == Part::References);
    let mut written: Vec<(Part, Vec<Section>)> = Vec::new();
    for part in asked.iter().filter(|part| **part != Part::References).chain(last) {
        if written.iter().all(|(known, _)| known != part) {
            written.push((*part, sections_of(shown, *part, &mut cited)?));
        }
    }
    for part in asked {
        if let Some(place) = written.iter().position(|(known, _)| known == part) {
            sections.extend(written.swap_remove(place).1);
        }
    }
    Ok(Document { title: title(shown), about: about(shown)?, date: shown.request.date.clone(), sections }.numbered())
}

fn title(shown: &Shown) -> String {
    let asked = shown.request.title.clone().filter(|title| !title.trim().is_empty());
    asked.unwrap_or_else(|| match shown.event() {
        Some(event) => format!("Calibration of {} for {event}", shown.scores()),
        None => format!("Calibration of {}", shown.scores()),
    })
}

fn about(shown: &Shown) -> Result<String> {
    let rows = shown.rows()?;
    let held = match shown.data.division {
        crate::data::Division::Given { .. } => "held-out rows",
        _ => "rows",
    };
    Ok(format!("{} {held}", count(rows as u64)))
}

/// A part with its remark; several where it holds panels, none where there is nothing to say.
fn sections_of(shown: &Shown, part: Part, cited: &mut Cited) -> Result<Vec<Section>> {
    if part == Part::Panels {
        return Ok(panels(shown));
    }
    let pieces = match part {
        Part::Summary => summary(shown)?,
        Part::Data => data::pieces(shown)?,
        Part::Overall => overall::pieces(shown)?,
        Part::Groups => groups::pieces(shown)?,
        Part::Map => map(shown),
        Part::Decisions => decisions::pieces(shown)?,
        Part::Panels => Vec::new(),
        Part::Methods => methods::pieces(shown, cited)?,
        Part::Limits => limits::pieces(shown)?,
        Part::Checklist => checklist::pieces(shown, cited)?,
        Part::References => vec![Piece::List(crate::document::references::list(&cited.0))],
        Part::Provenance => provenance::pieces(shown),
        Part::Signature => vec![Piece::Lines(["Name", "Date", "Signature"].map(str::to_owned).to_vec())],
    };
    let remark = shown.request.remarks.get(&part).filter(|text| !text.trim().is_empty()).cloned();
    if pieces.is_empty() && remark.is_none() {
        return Ok(Vec::new());
    }
    Ok(vec![Section { part, heading: part.heading().to_owned(), pieces, remark }])
}

/// The finding, what to do, and what would have been seen, each said once; where nothing was concluded both means, without a
/// claim.
fn summary(shown: &Shown) -> Result<Vec<Piece>> {
    if let Some(found) = shown.finding.filter(|found| !found.sentence.is_empty()) {
        if groups::tells_of_few(shown)? {
            return Ok(vec![Piece::Lead(groups::left_out_words(shown))]);
        }
        let advice = found.advice.as_ref().map(|advice| advice.sentence.clone());
        let more: Vec<String> = advice.into_iter().chain([found.rest.beside(&found.sentence)]).collect();
        let more = more.join(" ").trim().to_owned();
        let mut pieces = vec![Piece::Lead(found.sentence.clone())];
        pieces.extend((!more.is_empty()).then_some(Piece::Text(more)));
        return Ok(pieces);
    }
    let rows = shown.base()?;
    let (score, rate) = (weighted_mean(&rows.score, rows.weights()), weighted_share(&rows.target, rows.weights()));
    let happens = match shown.data.view {
        View::TopLabel => "is right",
        View::Positive => "it happens",
    };
    let n = count(rows.score.len() as u64);
    Ok(vec![Piece::Lead(format!("It says {} and {happens} {} of {n} times.", percent(score), percent(rate)))])
}

/// The map of local error, where the run has settings for one; never where small counts are left out, for each of its points is a row.
fn map(shown: &Shown) -> Vec<Piece> {
    if shown.run.report.settings.local.is_none() || shown.least().is_some() {
        return Vec::new();
    }
    let asked =
        MapRequest { width: Some(DIAGRAM), companion_width: Some(DIAGRAM), dpr: Some(2.0), ..MapRequest::default() };
    // rows that cannot be placed on a plane have no map
    let Ok(DrawnView { shown: found, .. }) = view(shown.data, shown.run, &ChartRequest::Map(asked), None) else {
        return Vec::new();
    };
    let beside = std::iter::once(Piece::Facts(found.facts)).chain(found.notes.into_iter().map(Piece::Note));
    vec![Piece::Beside(Box::new(found.figure), beside.collect())]
}

/// An experiment without the numbers by which few rows could be counted: shares of right rows, and those of small divisions.
fn told(begun: &Begun, least: Option<u64>) -> Begun {
    let mut begun = begun.clone();
    if let Some(least) = least {
        begun.spec.metrics.retain(|metric| metric != ACCURACY);
        begun.cells.retain(|cell| cell.metric != ACCURACY && cell.rows as u64 >= least);
    }
    begun
}

/// Every panel that was added, under its question; then the experiment.
fn panels(shown: &Shown) -> Vec<Section> {
    let rows = shown.rows().unwrap_or(0);
    let experiment = shown.request.experiment.as_ref().map(|begun| Panel {
        kind: "experiment".to_owned(),
        title: if begun.spec.title.is_empty() { "Experiment".to_owned() } else { begun.spec.title.clone() },
        sheet: concluded_of(shown.data, &told(begun, shown.least()), &Screen::default())
            .map(|found| found.sheet)
            .map_err(|error| error.to_string()),
    });
    let mut sections: Vec<Section> = shown
        .extra
        .iter()
        .copied()
        .chain(&experiment)
        .map(|panel| Section {
            part: Part::Panels,
            heading: panel.title.clone(),
            pieces: match &panel.sheet {
                Ok(sheet) => small::in_pieces(Piece::of_sheet(sheet.blocks.clone()), rows as u64, shown.least()),
                Err(why) => vec![Piece::Note(format!("Not shown: {why}"))],
            },
            remark: None,
        })
        .collect();
    if let Some(last) = sections.last_mut() {
        last.remark = shown.request.remarks.get(&Part::Panels).cloned();
    }
    sections
}
