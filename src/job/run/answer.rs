//! Doing what the page asks for.

use super::needs::{files, other_data, predictions, run_of, view_of, wrong};
use super::offer::offer;
use super::suggest::suggest;
use crate::data::Array;
use crate::error::Result;
use crate::evaluation::projection::{Picture, project};
use crate::job::{Call, Outcome, Progress, bounds, plan};
use crate::read::ReadOptions;
use crate::report::methods_table::methods_table;
use crate::report::{calibrator, export};
use crate::{data, read, report, sample};

/// What comes of a call, on the outcomes it needs and the columns that came with it.
///
/// # Errors
/// Whatever the chapter of the call returns; `invalid_option` if the needs are not what it takes.
pub(super) fn answer(
    call: &Call,
    needs: &[&Outcome],
    columns: Vec<Array>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome> {
    bounds::check(call)?;
    Ok(match call {
        Call::Read { name, header } => {
            let Some(Array::U8(bytes)) = columns.into_iter().next() else {
                return Err(wrong("bytes"));
            };
            Outcome::File {
                file: read::read_with(name, &bytes, ReadOptions { header: *header }, &mut |share| {
                    progress(share.into())
                })?,
            }
        }
        Call::Example { name } => Outcome::Bytes { bytes: sample::example(name)?.into_bytes().into() },
        Call::Assemble { options } => {
            let (predictions, summary) = data::assemble::assemble(&files(needs)?, options)?;
            let suggestion = suggest(&predictions);
            Outcome::Data {
                offer: Box::new(offer(&summary, suggestion.as_ref())),
                summary,
                suggestion,
                predictions: Box::new(predictions),
            }
        }
        Call::Recognise { options } => {
            Outcome::Recognised { summary: data::assemble::recognise(&files(needs)?, options)? }
        }
        Call::Plan { request } => Outcome::Plan { nodes: plan::plan(predictions(needs)?, request)? },
        Call::PlanAnalysis { request } => Outcome::Plan {
            nodes: plan::analysis::plan(predictions(needs)?, run_of(needs)?, &other_data(needs), request)?,
        },
        Call::Project { projection } => {
            let mut tell = |share: f64, places: Option<Picture>| {
                let places = places.map(|(d, places)| (d, places.to_vec()));
                progress(Progress { share, places });
            };
            let found = project(predictions(needs)?, projection, &mut tell)?;
            Outcome::Coordinates(Box::new(found))
        }
        Call::View { request } => {
            let before = view_of(needs).ok().and_then(|view| view.map.as_ref());
            let view = report::view::view(predictions(needs)?, run_of(needs)?, request, before)?;
            Outcome::View(Box::new(view))
        }
        Call::Locate { x, y } => {
            let (lines, at) = match &view_of(needs)?.map {
                Some(map) => report::view::map::locate(predictions(needs)?, map, *x, *y),
                None => (Vec::new(), None),
            };
            Outcome::Card { lines, at }
        }
        Call::ExportPredictions {} => {
            Outcome::Bytes { bytes: export::predictions_csv(predictions(needs)?, run_of(needs).ok())?.into() }
        }
        Call::ExportCalibrator {} => {
            Outcome::Bytes { bytes: calibrator::calibrator_json(predictions(needs)?, run_of(needs)?)?.into() }
        }
        Call::ExportApplied { calibrator, method, classes } => {
            let mut stored = calibrator::Stored::read(calibrator)?;
            if let Some(name) = method {
                stored = stored.only(name)?;
            }
            Outcome::Bytes { bytes: calibrator::applied_csv(predictions(needs)?, &stored, *classes)?.into() }
        }
        Call::ExportSnippet { method, language } => {
            let (data, run) = (predictions(needs)?, run_of(needs)?);
            let text = calibrator::snippet(data, run, method.as_deref(), *language)?;
            Outcome::Bytes { bytes: text.into_bytes().into() }
        }
        Call::ExportCoordinates { name } => {
            Outcome::Bytes { bytes: export::coordinates_csv(predictions(needs)?, name)?.into() }
        }
        Call::ExportTable(request) => {
            Outcome::Bytes { bytes: methods_table(&run_of(needs)?.report, *request).into_bytes().into() }
        }
        Call::ExportReport {} => Outcome::Bytes { bytes: export::report_json(&run_of(needs)?.report)?.into() },
    })
}
