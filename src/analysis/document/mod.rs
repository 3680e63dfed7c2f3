//! The content of the report: findings, methods, subgroups, and limitations, as a [`Document`] that
//! [`markup`](crate::markup) writes.

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
mod stated;

use std::collections::BTreeSet;

use crate::analysis::finding::{Advice, FindingOutcome};
use crate::data::{Predictions, Role, View};
use crate::error::Result;
use crate::evaluation::method::{self, MethodKind};
use crate::experiment::{Begun, concluded_of, may_leave};
use crate::markup::{Document, Piece, ReportPart, Section};
use crate::num::weight::{weighted_mean, weighted_share};
use crate::plot::chart::Screen;
use crate::report::disclosure::{Basis, Stated};
use crate::report::gate::Gate;
use crate::report::sheet::{FieldKind, Sheet};
use crate::report::small_cells::enough;
use crate::report::view::request::{ChartRequest, MapRequest};
use crate::report::view::{DrawnView, method_rows, view};
use crate::report::{MethodRows, RunOutcome};
use crate::words::number::{count, percent};

pub use panel::{ComputePanel, Panel, WithheldOutcome, WithholdFew, withheld};
pub use plan::WriteDocument;
pub use request::{DocumentRequest, OpenedFile};
use stated::StatedPiece;

/// Widths of charts beside their findings, in CSS pixels: 88 mm, 64 mm, 62 mm
/// ([`MM_PER_PX`](crate::plot::svg::MM_PER_PX)).
const COLUMN: f64 = 400.0;
const DIAGRAM: f64 = 292.0;
const NARROW: f64 = 280.0;

/// A method as people write it, by its id; under another name, that name.
fn method_title(id: &str, name: &str) -> String {
    if id == MethodKind::NONE.id() { "original predictions".to_owned() } else { method::title(name).into_owned() }
}

/// Content of a document.
struct DocumentInput<'a> {
    data: &'a Predictions,
    run: &'a RunOutcome,
    /// its charts are not drawn
    finding: Option<&'a FindingOutcome>,
    extra: Vec<&'a Panel>,
    request: &'a DocumentRequest,
}

impl DocumentInput<'_> {
    /// Smallest count that may be disclosed.
    fn least(&self) -> Option<u64> {
        self.request.suppress
    }

    /// The original predictions, or the first method if they were not run.
    fn base(&self) -> Result<&MethodRows> {
        method_rows(self.run, None)
    }

    /// Methods of the run other than the original predictions.
    fn recalibrations(&self) -> impl Iterator<Item = &MethodRows> {
        self.run.rows.iter().filter(|rows| rows.method.kind.id() != "none")
    }

    /// The method that the finding recommends; none where it recommends none.
    fn recommended(&self) -> Option<&Advice> {
        self.finding.and_then(groups::advised)
    }

    /// Its rows, where it was run: under the name that the page gives it, or any other.
    fn recommended_rows(&self) -> Option<&MethodRows> {
        let advice = self.recommended()?;
        self.recalibrations().find(|rows| rows.title() == advice.title)
    }

    /// "died = Y": the predicted event; `None` if it is whether the predicted class is correct.
    fn event(&self) -> Option<String> {
        let label = self.data.positive.and_then(|place| self.data.labels.get(place));
        let column = self.data.roles.iter().find(|column| column.role == Role::Label);
        match (self.data.view, column, label) {
            (View::Positive, Some(column), Some(label)) => Some(format!("{} = {label}", column.name)),
            _ => None,
        }
    }

    /// What is predicted where it is no event: the classes of a column, or whether answers are correct.
    fn classes(&self) -> String {
        let column = self.data.roles.iter().find(|column| column.role == Role::Label);
        match column.filter(|_| !self.data.labels.is_empty()) {
            Some(column) => format!("{} ({} classes)", column.name, self.data.labels.len()),
            None => "whether an answer is correct".to_owned(),
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
            [first, .., last] if names.len() > 3 => format!("{first} to {last}"),
            several => several.join(", "),
        }
    }

    /// Scored rows.
    fn rows(&self) -> Result<usize> {
        self.base().map(|rows| rows.score.len())
    }
}

/// Works cited so far.
#[derive(Default)]
struct Cited(BTreeSet<String>);

impl Cited {
    /// Records the works named by a source, and returns " (Cox 1958)", or an empty text if it names none.
    fn cite(&mut self, source: &str) -> String {
        let works = crate::markup::references::cited(source);
        if works.is_empty() {
            return String::new();
        }
        let words = format!(" ({})", works.join("; "));
        self.0.extend(works);
        words
    }
}

/// The document on a run, with the requested parts.
///
/// # Errors
/// `too_few_rows` where all rows, or all with or without the outcome, are fewer than the smallest count that may be
/// shown; those of the charts.
fn document(shown: &DocumentInput) -> Result<Document> {
    if let Some(least) = shown.least() {
        enough(shown.data.view, shown.run, least)?;
    }
    let mut cited = Cited::default();
    let mut gate = shown.least().map(Gate::new);
    let mut sections: Vec<Section> = Vec::new();
    let usual: Vec<ReportPart> = ReportPart::ALL.iter().map(|(part, _)| *part).collect();
    let asked = shown.request.sections.as_ref().unwrap_or(&usual);
    // the checklist refers to the other parts, and the references depend on the citations of all
    let late = [ReportPart::Checklist, ReportPart::References];
    let last = late.iter().filter(|part| asked.contains(part));
    let mut written: Vec<(ReportPart, Vec<Section>)> = Vec::new();
    for part in asked.iter().filter(|part| !late.contains(part)).chain(last) {
        if written.iter().all(|(known, _)| known != part) {
            let present: Vec<ReportPart> =
                written.iter().filter(|(_, sections)| !sections.is_empty()).map(|(part, _)| *part).collect();
            written.push((*part, sections_of(shown, *part, &present, (&mut cited, &mut gate))?));
        }
    }
    for part in asked {
        if let Some(place) = written.iter().position(|(known, _)| known == part) {
            sections.extend(written.swap_remove(place).1);
        }
    }
    if let (Some(gate), Some(section)) = (gate, audited(&mut sections)) {
        section.pieces.push(Piece::Note(gate.audit.words(gate.least)));
    }
    Ok(Document { title: title(shown), about: about(shown)?, date: shown.request.date.clone(), sections })
}

/// Location of the disclosure audit: among the methods, or in the last section.
fn audited(sections: &mut [Section]) -> Option<&mut Section> {
    let place = sections.iter().position(|section| section.part == ReportPart::Methods);
    let place = place.unwrap_or(sections.len().saturating_sub(1));
    sections.get_mut(place)
}

fn title(shown: &DocumentInput) -> String {
    let asked = shown.request.title.clone().filter(|title| !title.trim().is_empty());
    asked.unwrap_or_else(|| match shown.event() {
        Some(event) => format!("Calibration of {} for {event}", shown.scores()),
        None => format!("Calibration of {}", shown.scores()),
    })
}

fn about(shown: &DocumentInput) -> Result<String> {
    let rows = shown.rows()?;
    let held = match shown.data.division {
        crate::data::Division::Given { .. } => "held-out rows",
        _ => "rows",
    };
    Ok(format!("{} {held}", count(rows as u64)))
}

/// A part with its remark; several where it holds panels, none where there is nothing to say.
///
/// * `present`: the parts that were written before it
fn sections_of(
    shown: &DocumentInput,
    part: ReportPart,
    present: &[ReportPart],
    (cited, gate): (&mut Cited, &mut Option<Gate>),
) -> Result<Vec<Section>> {
    if part == ReportPart::Panels {
        return Ok(panels(shown, gate));
    }
    let told = match part {
        ReportPart::Summary => summary(shown)?,
        ReportPart::Data => data::pieces(shown)?,
        ReportPart::Overall => overall::pieces(shown)?,
        ReportPart::Groups => groups::pieces(shown)?,
        ReportPart::Map => map(shown),
        ReportPart::Decisions => decisions::pieces(shown)?,
        ReportPart::Panels => Vec::new(),
        ReportPart::Methods => methods::pieces(shown, cited)?,
        ReportPart::Limits => limits::pieces(shown)?,
        ReportPart::Checklist => checklist::pieces(shown, cited, present)?,
        ReportPart::References => vec![StatedPiece::setting(Piece::List(crate::markup::references::list(&cited.0)))],
        ReportPart::Provenance => provenance::pieces(shown),
        ReportPart::Signature => {
            vec![StatedPiece::setting(Piece::Lines(["Name", "Date", "Signature"].map(str::to_owned).to_vec()))]
        }
    };
    let remark = shown.request.remarks.get(&part).filter(|text| !text.trim().is_empty()).cloned();
    if told.is_empty() && remark.is_none() {
        return Ok(Vec::new());
    }
    let section = Section { part, heading: part.heading().to_owned(), pieces: Vec::new(), remark };
    Ok(vec![stated::section(section, told, gate)])
}

/// The finding, what to do, and what would have been seen, each said once; where nothing was concluded both means, without a
/// claim.
fn summary(shown: &DocumentInput) -> Result<Vec<StatedPiece>> {
    if let Some(found) = shown.finding.filter(|found| !found.sentence.is_empty()) {
        let basis = groups::basis(shown)?;
        let advice = groups::recommendation(shown, found)?;
        let more: Vec<String> = advice.into_iter().chain([found.rest.beside(&found.sentence)]).collect();
        let more = more.join(" ").trim().to_owned();
        let mut told = vec![StatedPiece::new(Piece::Lead(found.sentence.clone()), basis.clone())];
        told.extend((!more.is_empty()).then_some(StatedPiece::new(Piece::Text(more), basis)));
        return Ok(told);
    }
    let rows = shown.base()?;
    let (score, rate) = (weighted_mean(&rows.score, rows.weights()), weighted_share(&rows.target, rows.weights()));
    let (predicted, observed) = match shown.data.view {
        View::TopLabel => ("Mean confidence", "accuracy"),
        View::Positive => ("Predicted", "observed"),
    };
    let n = count(rows.score.len() as u64);
    let lead = format!("{predicted} {}, {observed} {} (n = {n}).", percent(score), percent(rate));
    Ok(vec![StatedPiece::all_rows(Piece::Lead(lead))])
}

/// The local error map, if the run has settings for one; never if small counts are withheld, since each point is a row.
fn map(shown: &DocumentInput) -> Vec<StatedPiece> {
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
    let beside = beside.map(|piece| StatedPiece::new(piece, Basis::Unknown)).collect();
    vec![StatedPiece::Beside(Box::new(Stated::new(found.figure, Basis::Unknown)), beside)]
}

/// An experiment, without what is withheld.
fn releasable(begun: &Begun, least: Option<u64>) -> Begun {
    let (spec, cells) = may_leave(&begun.spec, &begun.cells, least);
    Begun { spec: spec.into_owned(), cells: cells.into_owned() }
}

/// That a panel is about recalibrated predictions.
fn recalibrated(sheet: &Sheet) -> Option<StatedPiece> {
    let field = sheet.fields.iter().find(|field| field.option == "method")?;
    let FieldKind::Choice { value, choices } = &field.kind else { return None };
    let (_, title) = choices.iter().find(|(name, _)| name == value).filter(|(name, _)| name != "none")?;
    Some(StatedPiece::setting(Piece::Text(format!("Predictions: {title}."))))
}

/// The title of a panel; where others have the same, with its columns.
fn heading_among(panel: &Panel, all: &[&Panel]) -> String {
    let columns = panel.sheet.as_ref().ok().and_then(|sheet| {
        let field = sheet.fields.iter().find(|field| field.option == "columns")?;
        let FieldKind::Several { value, .. } = &field.kind else { return None };
        Some(value.join(" × "))
    });
    match columns.filter(|_| all.iter().filter(|other| other.title == panel.title).count() > 1) {
        Some(columns) => format!("{}: {columns}", panel.title),
        None => panel.title.clone(),
    }
}

/// Every panel that was added, under its question; then the experiment.
fn panels(shown: &DocumentInput, gate: &mut Option<Gate>) -> Vec<Section> {
    let experiment = shown.request.experiment.as_ref().map(|begun| Panel {
        kind: "experiment".to_owned(),
        title: if begun.spec.title.is_empty() { "Experiment".to_owned() } else { begun.spec.title.clone() },
        sheet: concluded_of(shown.data, &releasable(begun, shown.least()), &Screen::default())
            .map(|found| found.sheet)
            .map_err(|error| error.to_string()),
    });
    let all: Vec<&Panel> = shown.extra.iter().copied().chain(&experiment).collect();
    let mut sections: Vec<Section> = all
        .iter()
        .map(|panel| {
            let told = match &panel.sheet {
                Ok(sheet) => recalibrated(sheet).into_iter().chain(StatedPiece::of_sheet(sheet)).collect(),
                // a reason may contain a number of rows
                Err(why) => vec![StatedPiece::new(Piece::Note(format!("Not shown: {why}")), Basis::Unknown)],
            };
            let heading = heading_among(panel, &all);
            let section = Section { part: ReportPart::Panels, heading, pieces: Vec::new(), remark: None };
            stated::section(section, told, gate)
        })
        .collect();
    if let Some(last) = sections.last_mut() {
        last.remark = shown.request.remarks.get(&ReportPart::Panels).cloned();
    }
    sections
}
