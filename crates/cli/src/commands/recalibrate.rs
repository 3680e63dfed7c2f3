//! Fits: made and written, applied to new rows, as code.

use std::path::PathBuf;

use localcal::error::Error;
use localcal::words::text::quoted;
use serde_json::{Value, json};

use super::Done;
use super::opening::{
    carry_run, executor, opened, print_warnings, ran, sources, sources_of, title, told, usual_methods,
};
use super::output::{ends_in, export_noted, labeled, note, page, result, text, withholding, write};
use crate::args::{Apply, OutputArgs, Recalibrate, Snippet};
use crate::failure::Failure;
use crate::options::StepOptions;
use crate::screen;
use crate::session::Session;

/// What is written to a folder.
pub(super) const FILES: [&str; 4] = ["predictions.csv", "calibrator.json", "report.json", "applied.csv"];

pub(super) fn recalibrate(asked: &Recalibrate) -> Done {
    let to_json = asked.out.as_deref().is_some_and(|path| ends_in(path, "json"));
    if !asked.apply.is_empty() && (to_json || (asked.out.is_none() && asked.output.json)) {
        return Err(Failure::usage("--apply writes rows: use it with --out FOLDER or FILE.csv, or without --json"));
    }
    let mut given = StepOptions::of_run(&asked.open, &asked.run)?;
    let mut session = opened(&asked.open, &asked.output, &given)?;
    usual_methods(&mut session, &mut given)?;
    carry_run(&mut session, &asked.run, &mut given)?;
    let applied = match asked.apply.as_slice() {
        [] => None,
        files => Some(applied_to(files, &asked.output, &given, &session)?),
    };
    match &asked.out {
        Some(path) if path.as_os_str() == "-" => {
            return result(
                &applied.map_or_else(|| export_noted(&session, "predictions", json!({}), &asked.output), Ok)?,
            );
        }
        Some(path) if ends_in(path, "json") => {
            write(path, &session.export("calibrator", withholding(&asked.output))?, &asked.output)?;
        }
        Some(path) if path.extension().is_some() && !path.is_dir() => {
            write(
                path,
                &applied.map_or_else(|| export_noted(&session, "predictions", json!({}), &asked.output), Ok)?,
                &asked.output,
            )?;
        }
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .map_err(|error| Failure::unwritable(&folder.display().to_string(), &error))?;
            let [predictions, calibrator, report, of_new_rows] = FILES;
            let files = [("predictions", predictions), ("calibrator", calibrator), ("report", report)];
            // of counts there are no rows to write
            let skipped = usize::from(session.is_counted()?);
            for (what, name) in files.into_iter().skip(skipped) {
                let bytes = export_noted(&session, what, json!({}), &asked.output)?;
                write(&folder.join(name), &bytes, &asked.output)?;
            }
            if let Some(applied) = applied {
                write(&folder.join(of_new_rows), &applied, &asked.output)?;
            }
        }
        None => {
            if let (Some(applied), false) = (applied, asked.output.json) {
                return result(&applied);
            }
            note(&asked.output, "Nothing was written. Use --out FOLDER to save predictions, calibrator and report.");
        }
    }
    if asked.output.json {
        return result(&session.export("report", withholding(&asked.output))?);
    }
    let mut page = page(&asked.output);
    screen::recalibration(&mut page, &title(&asked.open), session.last_run()?);
    text(page)
}

/// New rows under what the run fitted: opened as the first were, without what is said of their outcomes.
fn applied_to(
    files: &[PathBuf],
    output: &OutputArgs,
    given: &StepOptions,
    fitted: &Session,
) -> Result<Vec<u8>, Failure> {
    let calibrator = parsed(&fitted.export("calibrator", json!({}))?)?;
    let mut options = given.open.clone();
    options.remove("split");
    options.remove("model");
    if let Some(Value::Object(roles)) = options.get_mut("roles") {
        roles.retain(|_, role| !matches!(role.as_str(), Some("label" | "correct" | "weight" | "split")));
    }
    let (session, inferred) = match Session::open_to_apply(sources(files)?, options.clone(), executor(output)?) {
        // rows without outcomes have no label of this name
        Err(error) if error.code() == "invalid_option" && options.remove("positive").is_some() => {
            Session::open_to_apply(sources(files)?, options, executor(output)?)?
        }
        opened => opened?,
    };
    note_unused(&inferred, output);
    print_warnings(&session, output)?;
    export_noted(&session, "applied", json!({ "calibrator": calibrator }), output)
}

pub(super) fn apply(asked: &Apply) -> Done {
    let given = StepOptions::of_opening(&asked.open, asked.options.as_deref())?;
    let stored = std::fs::read(&asked.calibrator)
        .map_err(|error| Failure::unreadable(&asked.calibrator.display().to_string(), &error))?;
    let calibrator = parsed(&stored)?;
    let executor = executor(&asked.output)?;
    let (session, inferred) = Session::open_to_apply(sources_of(&asked.open)?, given.open.clone(), executor)?;
    note_unused(&inferred, &asked.output);
    let session = told(session, &asked.output, &given)?;
    let options = json!({ "calibrator": calibrator, "method": asked.method, "classes": asked.classes });
    let written = export_noted(&session, "applied", options, &asked.output)?;
    match &asked.out {
        Some(path) => write(path, &written, &asked.output),
        None => result(&written),
    }
}

/// What opening would have taken for an outcome, and applying does not need.
fn note_unused(inferred: &[String], output: &OutputArgs) {
    for name in inferred {
        let text = format!(
            "{} is not used: only its values suggest that it is the outcome. If it is, name it with --label.",
            quoted(name)
        );
        labeled(output, "note:", &text);
    }
}

/// A stored calibrator.
fn parsed(stored: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(stored).map_err(|error| {
        let what = format!("Invalid calibrator: not valid JSON ({error}).");
        Error::new("calibrator_unreadable", what, "Use a calibrator.json written by `recalibrate` or the page.").into()
    })
}

pub(super) fn snippet(asked: &Snippet) -> Done {
    let mut given = StepOptions::of_run(&asked.open, &asked.run)?;
    if let (Some(method), false) = (&asked.method, given.run.contains_key("methods")) {
        given.run.insert("methods".to_owned(), json!([method]));
    }
    // what is written down are the fits, not how well they do
    given.run.entry("resamples").or_insert_with(|| 0.into());
    if !given.run.contains_key("methods") {
        return Err(Failure::usage("snippet needs --method, or --methods"));
    }
    let session = ran(&asked.open, &asked.run, &asked.output, &mut given)?;
    result(&session.export("snippet", json!({ "method": asked.method, "language": asked.language }))?)
}
