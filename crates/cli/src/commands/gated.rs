//! Commands that a gate can end: the scores of a file, and a file against a reference.

use std::path::{Path, PathBuf};

use localcal::error::Error;
use localcal::words::text::listed;
use serde_json::{Value, json};

use super::Done;
use super::opening::{ran, sources, title};
use super::output::{page, result, text, withholding};
use crate::args::{Compare, OpenArgs, Score};
use crate::failure::{Checked, Failure, fault};
use crate::gate::{self, Gate, Question};
use crate::options::StepOptions;
use crate::session::{Options, Session};
use crate::tables::is_workbook;
use crate::{screen, sheet};

pub(super) fn score(asked: &Score) -> Done {
    let mut given = StepOptions::of_run(&asked.open, &asked.run)?;
    let gate = Gate::read(&asked.gate, &[Question::Finding], &mut given)?;
    evaluated(&gate, &title(&asked.open), scored(asked, given, &gate))
}

fn scored(asked: &Score, mut given: StepOptions, gate: &Gate) -> Done {
    let session = ran(&asked.open, &asked.run, &asked.output, &mut given)?;
    let report = match asked.output.json {
        true => Some(session.export("report", withholding(&asked.output))?),
        false => None,
    };
    let leaves = match (&report, asked.output.suppress) {
        (Some(report), Some(_)) => Some(report_in(report)?),
        _ => None,
    };
    let checked = gate.check(session.last_run()?, leaves.as_ref(), |question| answered(&session, question, &given))?;
    let told = if let Some(report) = report {
        result(&report)
    } else if let Some(told) = gate.text(&title(&asked.open), &checked) {
        result(told.as_bytes())
    } else {
        let mut page = page(&asked.output);
        screen::score(&mut page, &title(&asked.open), session.summary()?, session.last_run()?);
        gate::conditions(&mut page, &checked);
        text(page)
    };
    shut(checked, told)
}

pub(super) fn compare(asked: &Compare) -> Done {
    let [reference, current] = asked.open.files.as_slice() else {
        return Err(Failure::usage("compare takes two files: the reference, and the file to compare with it"));
    };
    if asked.open.session.is_some() {
        return Err(Failure::usage("compare takes no --session; the reference can be a session"));
    }
    let mut given = StepOptions::of_run(&asked.open, &asked.run)?;
    let gate = Gate::read(&asked.gate, &[Question::Finding, Question::Changed], &mut given)?;
    evaluated(&gate, &title(&asked.open), compared(asked, (reference, current), given, &gate))
}

fn compared(asked: &Compare, (reference, current): (&PathBuf, &PathBuf), mut given: StepOptions, gate: &Gate) -> Done {
    // a sheet is one of the workbooks, where only one of both is a workbook
    let mut of_reference = given.clone();
    if given.open.contains_key("sheet") {
        let is_book = |path: &PathBuf| -> Result<bool, Failure> {
            Ok(path.as_os_str() != "-" && sources(std::slice::from_ref(path))?.iter().any(is_workbook))
        };
        match (is_book(reference)?, is_book(current)?) {
            (false, true) => drop(of_reference.open.remove("sheet")),
            (true, false) => drop(given.open.remove("sheet")),
            _ => {}
        }
    }
    let last = match saved_session(reference)? {
        Some(session) => session,
        None => {
            let open = OpenArgs { files: vec![reference.clone()], ..asked.open.clone() };
            let session = ran(&open, &asked.run, &asked.output, &mut of_reference)?;
            let written = session.export("session", json!({ "every_group": true }))?;
            serde_json::from_slice(&written)
                .map_err(|error| fault(&format!("the session cannot be read again: {error}")))?
        }
    };
    // how the reference was read says how this file is; flags that name columns of the reference are in it
    let of_file = ["header", "totals", "sheet", "max_memory"];
    let of_file = of_file.map(|name| Some((name.to_owned(), given.open.remove(name)?)));
    given.open = Options::from_iter([("session".to_owned(), last)]);
    given.open.extend(of_file.into_iter().flatten());
    let open = OpenArgs { files: vec![current.clone()], ..asked.open.clone() };
    let session = ran(&open, &asked.run, &asked.output, &mut given)?;
    let checked = gate.check(session.last_run()?, None, |question| answered(&session, question, &given))?;
    let answer = session.analyse(Question::Changed.name(), Options::new(), &[])?;
    let told = if asked.output.json {
        result(&answer.json())
    } else if let Some(told) = gate.text(&title(&asked.open), &checked) {
        result(told.as_bytes())
    } else {
        let mut page = page(&asked.output);
        sheet::answer(&mut page, Question::Changed.name(), &answer);
        gate::conditions(&mut page, &checked);
        text(page)
    };
    shut(checked, told)
}

/// A session, if the file is one.
fn saved_session(path: &Path) -> Result<Option<Value>, Failure> {
    if path.as_os_str() == "-" {
        return Ok(None);
    }
    let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(&path.display().to_string(), &error))?;
    let value: Option<Value> = serde_json::from_slice(&bytes).ok();
    let schema = |value: &Value| value.get("schema")?.as_str().map(|schema| schema.starts_with("localcal-session/"));
    Ok(value.filter(|value| schema(value) == Some(true)))
}

/// What became of the command; the report of a gate also says why its conditions could not be evaluated.
fn evaluated(gate: &Gate, title: &str, done: Done) -> Done {
    if let Err(Failure::Refused(error)) = &done
        && let Some(told) = gate.not_evaluated(title, error)
    {
        // where its reader went away, the failure remains
        let _ = result(told.as_bytes());
    }
    done
}

/// A report that was written as JSON.
fn report_in(written: &[u8]) -> Result<localcal::report::Report, Failure> {
    serde_json::from_slice(written).map_err(|error| fault(&format!("the report cannot be read again: {error}")).into())
}

/// Whether a question of a gate says yes, and in which sentence.
fn answered(session: &Session, question: Question, given: &StepOptions) -> Result<(bool, String), Failure> {
    let mut options = Options::new();
    if question == Question::Finding {
        // what would correct it decides nothing
        options.insert("parts".to_owned(), json!(["overall", "whom"]));
        options.extend(given.run.get("seed").map(|seed| ("seed".to_owned(), seed.clone())));
    }
    let answer = session.analyse(question.name(), options, &[])?;
    let text = |place: &str| answer.fields.pointer(place).and_then(Value::as_str);
    let mut sentences = sheet::headline(&answer);
    let yes = match question {
        Question::Finding => answer.fields.get("chance") != Some(&Value::Bool(true)),
        Question::Changed => {
            let missing = answer.fields.get("missing_columns").and_then(Value::as_array);
            let missing: Vec<&str> = missing.into_iter().flatten().filter_map(Value::as_str).collect();
            if !missing.is_empty() {
                return Err(Error::new(
                    "unknown_column",
                    format!("The file cannot be compared with the reference: it has no column {}.", listed(&missing)),
                    "Add the column, or save the reference without it.",
                )
                .into());
            }
            // groups that the reference does not have cannot have changed, but can be wrong
            sentences.extend(text("/new_errors"));
            text("/verdict/finding") == Some("beyond") || text("/new_errors").is_some()
        }
    };
    Ok((yes, sentences.join(" ")))
}

/// Done, unless a condition of the gate holds: also where the reader of the output (`told`) went away.
fn shut(checked: Vec<Checked>, told: Done) -> Done {
    let failed: Vec<Checked> = checked.into_iter().filter(|one| one.failed).collect();
    if failed.is_empty() { told } else { Err(Failure::Gate(failed)) }
}
