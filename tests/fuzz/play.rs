//! Plays a case from its files to its exports, the way a page does, and looks at everything that comes out.

use std::fmt;

use localcal::analysis::AnalysisRequest;
use localcal::data::OpenOptions;
use localcal::error::Error;
use localcal::evaluation::request::RunRequest;
use localcal::feature::projection::ProjectionRequest;
use localcal::job::{Call, Job, Outcome, Plan, execute_after, run};
use localcal::packed::{pack, unpack};
use localcal::report::RunOutcome;
use localcal::report::export::Bytes;
use localcal::report::view::request::ChartRequest;
use localcal::request::message::read;
use localcal::table::Array;
use localcal::table::column::{with_columns_in, with_columns_out};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::case::Case;
use crate::checks;
use crate::support::workers::{apart, pooled};

/// How far cases came.
#[derive(Debug, Default)]
pub struct Counts {
    pub opened: u64,
    /// by the code of the error
    pub refused: std::collections::BTreeMap<String, u64>,
    pub runs: u64,
    pub analyses: u64,
    pub charts: u64,
    pub applied: u64,
    pub messages: u64,
}

impl Counts {
    fn refuse(&mut self, code: &str) {
        *self.refused.entry(code.to_owned()).or_default() += 1;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} opened, {} runs, {} analyses, {} charts, {} calibrators applied, {} altered messages, refused {:?}",
            self.opened, self.runs, self.analyses, self.charts, self.applied, self.messages, self.refused
        )
    }
}

/// What a step comes to: an outcome, or nothing because it was refused with a sound error.
type Step<T> = Result<Option<T>, String>;

/// Plays the whole case.
///
/// # Errors
/// What does not hold.
pub fn play(case: &Case, counts: &mut Counts) -> Result<(), String> {
    let Some(data) = open(case, counts)? else {
        return Ok(());
    };
    counts.opened += 1;
    if !case.calibrator.is_null() {
        apply(&data, case.calibrator.clone(), None, counts)?;
    }
    let map = match &case.project {
        Value::Null => None,
        request => {
            let asked = asked::<ProjectionRequest>(request, counts)?;
            match asked {
                Some(projection) => call(Call::Project { projection }, &[&data], counts)?,
                None => None,
            }
        }
    };
    if case.run.is_null() {
        return Ok(());
    }
    let Some(request) = asked::<RunRequest>(&case.run, counts)? else {
        return Ok(());
    };
    let mut given = vec![&data];
    given.extend(&map);
    let Some(plan) = call(Call::Plan { request }, &given, counts)? else {
        return Ok(());
    };
    let Some(report) = carry_out(&plan, &given, case.pool, counts)? else {
        return Ok(());
    };
    counts.runs += 1;
    checks::report(&report).map_err(|fault| format!("report: {fault}"))?;
    let mut given = vec![&data, &report];
    given.extend(&map);
    for request in &case.analyses {
        let place = |fault| format!("{request}: {fault}");
        let Some(asked) = asked::<AnalysisRequest>(request, counts)? else {
            continue;
        };
        let planned = call(Call::PlanAnalysis { request: asked }, &given, counts).map_err(place)?;
        let Some(plan) = planned else { continue };
        let done = carry_out(&plan, &given[..2], case.pool, counts).map_err(place)?;
        if let Some(outcome) = done {
            counts.analyses += 1;
            checks::told_soundly(&outcome).map_err(place)?;
        }
    }
    for request in &case.charts {
        let place = |fault| format!("{request}: {fault}");
        let Some(asked) = asked::<ChartRequest>(request, counts)? else {
            continue;
        };
        let drawn = call(Call::View { request: asked }, &given, counts).map_err(place)?;
        if let Some(view) = drawn {
            counts.charts += 1;
            checks::told_soundly(&view).map_err(place)?;
        }
    }
    exports(case, &data, &given, &report, counts)?;
    altered_messages(case, &[&data, &report], counts)
}

/// The files as one data set.
fn open(case: &Case, counts: &mut Counts) -> Step<Outcome> {
    let mut files = Vec::new();
    for file in &case.files {
        let job = Job::Call(Call::Read { name: file.name.clone(), header: None, totals: None, most: None });
        let bytes = vec![Array::U8(file.bytes().into())];
        match run(&job, &[], bytes, &mut |_| ()) {
            Ok(outcome) => files.push(outcome),
            Err(error) => return refused(&error, counts),
        }
    }
    let Some(options) = asked::<OpenOptions>(&case.open, counts)? else {
        return Ok(None);
    };
    let needs: Vec<&Outcome> = files.iter().collect();
    let opened = call(Call::Assemble { options: options.clone() }, &needs, counts)?;
    if opened.is_none() {
        call(Call::Recognize { options }, &needs, counts)?;
    }
    Ok(opened)
}

/// A request as the page sends it. One that has not the form of a request is refused.
fn asked<T: DeserializeOwned>(value: &Value, counts: &mut Counts) -> Step<T> {
    let value = if value.is_null() { Value::Object(Default::default()) } else { value.clone() };
    match read(value) {
        Ok(request) => Ok(Some(request)),
        Err(_) => {
            counts.refuse("form");
            Ok(None)
        }
    }
}

fn call(call: Call, needs: &[&Outcome], counts: &mut Counts) -> Step<Outcome> {
    match run(&Job::Call(call), needs, vec![], &mut |_| ()) {
        Ok(outcome) => Ok(Some(outcome)),
        Err(error) => refused(&error, counts),
    }
}

fn refused<T>(error: &Error, counts: &mut Counts) -> Step<T> {
    counts.refuse(error.code());
    checks::refusal(error)?;
    Ok(None)
}

/// Runs a plan in its order; and where asked to, as a pool does, which must give the same.
fn carry_out(plan: &Outcome, given: &[&Outcome], pool: bool, counts: &mut Counts) -> Step<Outcome> {
    let Outcome::Plan(Plan { nodes, .. }) = plan else {
        return Err("not a plan".to_owned());
    };
    let here = execute_after(nodes, given);
    if pool {
        let there = pooled(nodes, given, 1);
        match (&here, &there) {
            (Ok(here), Ok(there)) => {
                if let Some(places) = apart(here, there) {
                    return Err(format!("a pool gives something else: {places}"));
                }
            }
            (Ok(_), Err(error)) | (Err(error), Ok(_)) => {
                return Err(format!("only one of pool and sequence fails: {error}"));
            }
            _ => {}
        }
    }
    match here {
        Ok(outcome) => Ok(Some(outcome)),
        Err(error) => refused(&error, counts),
    }
}

fn exports(
    case: &Case,
    data: &Outcome,
    given: &[&Outcome],
    report: &Outcome,
    counts: &mut Counts,
) -> Result<(), String> {
    let bytes = |call_of: Call, counts: &mut Counts| -> Step<Vec<u8>> {
        match call(call_of, given, counts)? {
            Some(Outcome::Bytes(Bytes { bytes, .. })) => Ok(Some(bytes.to_vec())),
            Some(_) => Err("an export is no bytes".to_owned()),
            None => Ok(None),
        }
    };
    let left = bytes(Call::ExportPredictions { identifiers: None }, counts)?.unwrap_or_default();
    checks::predictions(&left).map_err(|fault| format!("predictions: {fault}"))?;
    if let Some(json) = bytes(Call::ExportReport { suppress: None }, counts)? {
        serde_json::from_slice::<Value>(&json).map_err(|error| format!("report: {error}"))?;
    }
    bytes(Call::ExportTable(Default::default()), counts)?;
    let Outcome::Report(run) = report else {
        return Err("not a report".to_owned());
    };
    for name in run.report.methods.iter().map(|method| &method.name).filter(|name| *name != "none") {
        for language in ["python", "javascript"] {
            let language = serde_json::from_value(language.into()).expect("a language");
            bytes(Call::ExportSnippet { method: Some(name.clone()), language }, counts)?;
        }
    }
    let Some(json) = bytes(Call::ExportCalibrator { suppress: None }, counts)? else {
        return Ok(());
    };
    let mut stored: Value = serde_json::from_slice(&json).map_err(|error| format!("calibrator: {error}"))?;
    for altered in &case.alter {
        match &altered.to {
            Some(to) => {
                if let Some(place) = stored.pointer_mut(&altered.at) {
                    *place = to.clone();
                }
            }
            None => take_out(&mut stored, &altered.at),
        }
    }
    let own = case.alter.is_empty().then_some((run, left.as_slice()));
    apply(data, stored, own, counts)
}

fn take_out(stored: &mut Value, at: &str) {
    let Some((above, name)) = at.rsplit_once('/') else {
        return;
    };
    match stored.pointer_mut(above) {
        Some(Value::Object(fields)) => {
            fields.remove(name);
        }
        Some(Value::Array(items)) => {
            if let Ok(place) = name.parse::<usize>()
                && place < items.len()
            {
                items.remove(place);
            }
        }
        _ => {}
    }
}

/// Applies a stored calibrator; the run's `own` must open and give what left the run.
fn apply(data: &Outcome, stored: Value, own: Option<(&RunOutcome, &[u8])>, counts: &mut Counts) -> Result<(), String> {
    for classes in [false, true] {
        let job =
            Job::Call(Call::ExportApplied { calibrator: stored.clone(), method: None, classes, identifiers: None });
        let refuses = |error: &Error| {
            let nothing_to_apply = stored["methods"].as_array().is_none_or(Vec::is_empty);
            own.is_some() && !classes && !nothing_to_apply && error.code() == "calibrator_unreadable"
        };
        match run(&job, &[data], vec![], &mut |_| ()) {
            Ok(Outcome::Bytes(Bytes { bytes, .. })) => {
                counts.applied += 1;
                checks::applied(&bytes, classes).map_err(|fault| format!("applied: {fault}"))?;
                if let (Some((run, left)), false) = (own, classes) {
                    checks::same_as_the_run(&bytes, left, run).map_err(|fault| format!("applied: {fault}"))?;
                }
            }
            Ok(_) => return Err("an export is no bytes".to_owned()),
            Err(error) if refuses(&error) => {
                return Err(format!("its own calibrator is refused: {error}"));
            }
            Err(error) => {
                refused::<()>(&error, counts)?;
            }
        }
    }
    Ok(())
}

/// Messages with bytes changed come back as an error or as something, never as a panic.
fn altered_messages(case: &Case, held: &[&Outcome], counts: &mut Counts) -> Result<(), String> {
    let written = |outcome: &&Outcome| with_columns_out(|| pack(*outcome).expect("a message"));
    let messages: Vec<(Vec<u8>, Vec<Array>)> = held.iter().filter(|outcome| outcome.is_shared()).map(written).collect();
    if messages.is_empty() {
        return Ok(());
    }
    for &(message, place, byte) in &case.messages {
        let (mut bytes, mut cargo) = messages[message % messages.len()].clone();
        let place = place % bytes.len();
        if byte % 5 == 0 {
            bytes.truncate(place);
        } else {
            bytes[place] = byte;
        }
        if byte % 7 == 0 {
            cargo.pop();
        }
        counts.messages += 1;
        let _ = with_columns_in(cargo, || unpack::<Outcome>(&bytes).is_ok());
    }
    Ok(())
}
