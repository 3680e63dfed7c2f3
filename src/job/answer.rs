//! Doing what the page asks for.

use std::borrow::Cow;
use std::sync::Arc;

use super::offer::offer;
use super::options;
use super::suggest::suggest;
use crate::analysis::LastRun;
use crate::catalogue::catalogue;
use crate::counts::statement;
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::experiment::papers::{Prepared, papers};
use crate::feature::projection::{Picture, project};
use crate::job::{Call, Card, DataSet, ExperimentPlan, Outcome, Plan, Progress, Recognized, Unpacked};
use crate::lab::lab;
use crate::plot::chart::Screen;
use crate::plot::figure::Figure;
use crate::read::{ReadFile, ReadOptions};
use crate::report::about::about;
use crate::report::export::Bytes;
use crate::report::merged_counts::merged_counts;
use crate::report::methods_table::methods_table;
use crate::report::row_names::Names;
use crate::report::sheet::rows_count_once;
use crate::report::small_cells::enough;
use crate::report::view::DrawnView;
use crate::report::view::request::ChartRequest;
use crate::report::{Report, RunOutcome, calibrator, export, gate};
use crate::run::graph::{self, DATA, Handle, Outcomes, REPORT, other_data};
use crate::run::plan;
use crate::table::Array;
use crate::words::text::quoted;
use crate::{analysis, data, experiment, read, report, sample};

/// The view that a question about a map is about.
const VIEW: Handle<DrawnView> = Handle::numbered(2);

/// The report of the last run.
fn last_run<'a>(at: &Outcomes<'a>) -> Result<&'a RunOutcome> {
    at.find(&REPORT).ok_or_else(|| Error::new("invalid_option", "No run on this data yet.", "Call run first."))
}

/// The bytes of a file, which come beside a call.
fn file(columns: Vec<Array>) -> Result<Arc<Vec<u8>>> {
    match columns.into_iter().next() {
        Some(Array::U8(bytes)) => Ok(bytes),
        _ => Err(Error::internal("The file has no content.")),
    }
}

/// The plan of an analysis of the last run.
fn of_last_run(at: &Outcomes, plan: impl FnOnce(&LastRun) -> Result<graph::Plan>) -> Result<Plan> {
    let others = at.from::<Predictions>(other_data(0).number())?;
    let of = LastRun { data: at.the(&DATA)?, run: last_run(at)?, others: &others, before: 0, least: None };
    Plan::try_from(plan(&of)?)
}

/// The counts of a file, merged until no cell counts fewer than `least` rows.
fn merged(name: &str, bytes: &[u8], least: u64, progress: &mut dyn FnMut(f64)) -> Result<Bytes> {
    let counts = read::read_counts(name, bytes, ReadOptions::default(), progress)?;
    let no_counts = || {
        let what = format!("{} contains no counts.", quoted(name));
        Error::new("invalid_option", what, "Choose the result of the statement.")
    };
    merged_counts(&counts.ok_or_else(no_counts)?, least)
}

/// What comes of a call, on what the page gives it and the columns that came with it.
///
/// # Errors
/// Whatever the chapter of the call returns; `internal` if it is not given what it takes.
pub(super) fn answer(
    call: &Call,
    at: &Outcomes,
    columns: Vec<Array>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome> {
    options::check(call)?;
    Ok(match call {
        Call::Describe {} => catalogue(options::bounds()).into(),
        Call::Unpack { name } => Unpacked { files: read::members(name, &file(columns)?, None)? }.into(),
        Call::Read { name, header, totals, most } => {
            let mut tell = |share: f64| progress(share.into());
            let options = ReadOptions { header: *header, totals: *totals, most: *most };
            read::read_with(name, &file(columns)?, options, &mut tell)?.into()
        }
        Call::CountStatement { request } => {
            let written = statement(request)?;
            Bytes { notes: written.notes, ..Bytes::from(written.sql.into_bytes()) }.into()
        }
        Call::MergeCounts { name, suppress } => {
            let mut tell = |share: f64| progress(share.into());
            merged(name, &file(columns)?, *suppress, &mut tell)?.into()
        }
        Call::Lab { request } => lab(request)?.into(),
        Call::Example { name } => Bytes::from(sample::example(name)?.into_bytes()).into(),
        Call::Assemble { options } => {
            let (predictions, summary) = data::assemble::assemble(&at.from::<ReadFile>(0)?, options)?;
            let suggestion = suggest(&predictions);
            let offer = offer(&predictions, &summary, suggestion.as_ref());
            DataSet { summary, suggestion, offer, predictions }.into()
        }
        Call::Recognize { options } => {
            Recognized { summary: data::assemble::recognize(&at.from::<ReadFile>(0)?, options)? }.into()
        }
        Call::Plan { request } => Plan::try_from(plan::plan(at.the(&DATA)?, request)?)?.into(),
        Call::PlanAnalysis { request } => of_last_run(at, |of| request.plan(of))?.into(),
        Call::PlanWithheld { request, suppress } => {
            of_last_run(at, |of| analysis::document::withheld(of, request, *suppress))?.into()
        }
        Call::PlanExperiment { spec, begun } => {
            at.the(&DATA)?.with_rows("An experiment")?;
            let others = at.from::<Predictions>(1)?;
            ExperimentPlan::try_from(experiment::plan::plan(at.the(&DATA)?, &others, spec, begun)?)?.into()
        }
        Call::ConcludeExperiment { spec, cells, width, suppress } => {
            let (spec, cells) = experiment::may_leave(spec, cells, *suppress);
            experiment::conclude(&spec, &cells, &Screen::of_width(*width))?.into()
        }
        Call::ExportExperiment { spec, cells, format, suppress } => {
            let (spec, cells) = experiment::may_leave(spec, cells, *suppress);
            let concluded = experiment::conclude(&spec, &cells, &Screen::of_width(None))?;
            Bytes::from(experiment::written(&concluded, *format)?.into_bytes()).into()
        }
        Call::Project { projection } => {
            at.the(&DATA)?.with_rows("A feature map")?;
            let mut tell = |share: f64, places: Option<Picture>| {
                let places = places.map(|(d, places)| (d, places.to_vec()));
                progress(Progress { share, places });
            };
            project(at.the(&DATA)?, projection, &mut tell)?.into()
        }
        Call::View { request } => viewed(at, request)?.into(),
        Call::Locate { x, y } => {
            let (lines, at) = match &at.the(&VIEW)?.shown.map {
                Some(map) => report::view::map::locate(at.the(&DATA)?, map, *x, *y),
                None => (Vec::new(), None),
            };
            Card { lines, at }.into()
        }
        Call::Papers {} => Prepared { papers: papers(at.the(&DATA)?) }.into(),
        Call::About { export } => about(at.the(&DATA)?, export)?.into(),
        Call::ExportPredictions { identifiers } => {
            at.the(&DATA)?.with_rows("A file of predictions")?;
            let names = Names::requested(*identifiers);
            export::predictions_csv(at.the(&DATA)?, at.find(&REPORT), names)?.into()
        }
        Call::ExportCalibrator { suppress } => {
            Bytes::from(calibrator::calibrator_json(at.the(&DATA)?, last_run(at)?, *suppress)?).into()
        }
        Call::ExportApplied { calibrator, method, classes, identifiers } => {
            at.the(&DATA)?.with_rows("A file of predictions")?;
            let mut stored = calibrator::Stored::read(calibrator)?;
            if let Some(name) = method {
                stored = stored.only(name)?;
            }
            calibrator::applied_csv(at.the(&DATA)?, &stored, *classes, Names::requested(*identifiers))?.into()
        }
        Call::ExportSnippet { method, language } => {
            let (data, run) = (at.the(&DATA)?, last_run(at)?);
            let text = calibrator::snippet(data, run, method.as_deref(), *language)?;
            Bytes::from(text.into_bytes()).into()
        }
        Call::ExportCoordinates { name, identifiers } => {
            let names = Names::requested(*identifiers);
            Bytes::from(export::coordinates_csv(at.the(&DATA)?, name, names)?).into()
        }
        Call::ExportSession { page, suppress, every_group } => {
            let (data, run) = (at.the(&DATA)?, last_run(at)?);
            data.with_rows("A session")?;
            let every = every_group.unwrap_or(false) && suppress.is_none();
            Bytes::from(report::session::session_json(data, run, page.as_ref(), *suppress, every)?).into()
        }
        Call::ExportTable(request) => {
            Bytes::from(methods_table(&*report_that_leaves(at, request.suppress)?, *request).into_bytes()).into()
        }
        Call::ExportReport { suppress } => {
            Bytes::from(export::report_json(&*report_that_leaves(at, *suppress)?)?).into()
        }
    })
}

/// A chart of the last run; of a map whose rows count once it says so.
fn viewed(at: &Outcomes, request: &ChartRequest) -> Result<DrawnView> {
    let data = at.the(&DATA)?;
    let of_a_map = !matches!(request, ChartRequest::Reliability(_));
    if of_a_map {
        data.with_rows("The map")?;
    }
    let mut view = report::view::view(data, last_run(at)?, request, at.find(&VIEW))?;
    if let Some(words) = rows_count_once(data).filter(|_| of_a_map) {
        add_to_caption(&mut view.shown.figure, &words);
        view.shown.notes.push(words);
    }
    Ok(view)
}

/// The report of the last run, without what tells of fewer rows than `suppress`.
fn report_that_leaves<'a>(at: &Outcomes<'a>, suppress: Option<u64>) -> Result<Cow<'a, Report>> {
    let run = last_run(at)?;
    let Some(least) = suppress else { return Ok(Cow::Borrowed(&run.report)) };
    enough(at.the(&DATA)?.view, run, least)?;
    let mut shown = run.report.clone();
    gate::in_report(&mut shown, run, least);
    Ok(Cow::Owned(shown))
}

/// A figure travels alone: its caption says it too.
fn add_to_caption(figure: &mut Figure, words: &str) {
    let gap = if figure.caption.is_empty() { "" } else { " " };
    figure.caption += &format!("{gap}{words}");
}
