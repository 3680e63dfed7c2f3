//! From arguments to an open data set and its run.

use std::path::PathBuf;

use localcal::data::About;
use localcal::data::roles::{ColumnRole, Role};
use localcal::report::small_cells::mentions_small_count;
use localcal::sample;
use localcal::table::Warning;
use localcal::words::text::{counted, listed};
use serde_json::Value;

use super::Done;
use super::output::labeled;
use crate::args::{OpenArgs, OutputArgs, RunArgs};
use crate::catalogue::EXAMPLES;
use crate::executor::Executor;
use crate::failure::Failure;
use crate::options::{StepOptions, object};
use crate::progress::Progress;
use crate::session::Session;
use crate::tables::Source;

pub(super) fn ran(
    open: &OpenArgs,
    run: &RunArgs,
    output: &OutputArgs,
    given: &mut StepOptions,
) -> Result<Session, Failure> {
    let mut session = opened(open, output, given)?;
    carry_run(&mut session, run, given)?;
    Ok(session)
}

pub(super) fn opened(open: &OpenArgs, output: &OutputArgs, given: &StepOptions) -> Result<Session, Failure> {
    told(Session::open(sources_of(open)?, given.open.clone(), executor(output)?)?, output, given)
}

/// Files or a built-in example.
pub(super) fn sources_of(open: &OpenArgs) -> Result<Vec<Source>, Failure> {
    match &open.example {
        Some(name) => Ok(vec![example(name)?]),
        None => sources(&open.files),
    }
}

/// What was opened, after what a person should know of it.
pub(super) fn told(session: Session, output: &OutputArgs, given: &StepOptions) -> Result<Session, Failure> {
    print_warnings(&session, output)?;
    let is_log = session.summary()?.told.iter().any(|part| matches!(part.about, About::Log | About::Unanswered));
    if given.open.contains_key("unanswered") && !is_log {
        let text = "--unanswered has no effect: no file is an evaluation log.";
        labeled(output, "note:", text);
    }
    Ok(session)
}

/// Runs the methods that are asked for, and the original predictions, of which headlines and gates speak.
pub(super) fn carry_run(session: &mut Session, run: &RunArgs, given: &mut StepOptions) -> Done {
    given.with_none();
    if let Some(project) = &run.project {
        session.project(object(project, "--project")?)?;
    }
    if given.suggest_local {
        let mut local = session.suggested_local()?;
        if let Some(Value::Object(said)) = given.run.remove("local") {
            local.extend(said);
        }
        given.run.insert("local".to_owned(), local.into());
    }
    session.run(given.run.clone())?;
    Ok(())
}

/// The methods that the page offers first, where none are named; those that look at similar rows get the page's features,
/// where the file has some.
pub(super) fn usual_methods(session: &mut Session, given: &mut StepOptions) -> Done {
    if given.run.contains_key("methods") {
        return Ok(());
    }
    let usual = session.usual_methods()?.into_iter().map(Value::from).collect();
    given.run.insert("methods".to_owned(), usual);
    if !given.suggest_local && !given.run.contains_key("local") {
        match session.suggested_local() {
            Ok(mut local) => {
                local.remove("resamples");
                given.run.insert("local".to_owned(), local.into());
            }
            Err(error) if error.code() == "features_missing" => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn example(name: &str) -> Result<Source, Failure> {
    let found = EXAMPLES.iter().find(|example| example.id == name);
    let bytes = match found.and_then(|example| example.bytes) {
        Some(bytes) => bytes.to_vec(),
        None => sample::example(name)?.into_bytes(),
    };
    Ok(Source { name: found.map_or(name, |example| example.file).to_owned(), bytes })
}

pub(super) fn sources(files: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let source = |path: &PathBuf| {
        let shown = path.display().to_string();
        if shown == "-" {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)
                .map_err(|error| Failure::unreadable("standard input", &error))?;
            return Ok(Source { name: "stdin".to_owned(), bytes });
        }
        let base = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        // files of one name are distinguished by their folders
        let alone = files.iter().filter(|other| base(other) == base(path)).count() == 1;
        let name = base(path).filter(|_| alone).unwrap_or_else(|| shown.clone());
        let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(&shown, &error))?;
        Ok(Source { name, bytes })
    };
    files.iter().map(source).collect()
}

pub(super) fn executor(output: &OutputArgs) -> Result<Executor, Failure> {
    let progress = if output.quiet { Progress::silent() } else { Progress::on_terminal() };
    Ok(Executor::new(output.threads, progress)?)
}

pub(super) fn print_warnings(session: &Session, output: &OutputArgs) -> Done {
    let counts = |warning: &&Warning| {
        // the ends of a range are values of single rows
        let reveals = |least| {
            warning.row.is_some()
                || warning.code == "value_may_be_missing"
                || mentions_small_count(&warning.message, least)
        };
        output.suppress.is_some_and(reveals)
    };
    let (withheld, told): (Vec<_>, Vec<_>) = session.summary()?.warnings.iter().partition(counts);
    if !withheld.is_empty() {
        let text = format!("{} withheld, which may reveal small counts.", counted(withheld.len(), "warning"));
        labeled(output, "note:", &text);
    }
    for warning in &told {
        labeled(output, "warning:", &warning.message);
    }
    // the page asks; whether other columns hold the outcome or the scores, only a person knows; of some a warning says why
    let warned = |name: &str| told.iter().any(|warning| warning.column.as_deref() == Some(name));
    for (role, taken, flag) in [
        (Role::Label, "the outcome", "--label"),
        (Role::Probability, "probability", "--probability"),
        (Role::Logit, "log-odds", "--roles COLUMN=logit"),
        (Role::Confidence, "confidence", "--roles COLUMN=confidence"),
    ] {
        let guessed = |column: &&ColumnRole| column.role == role && !column.sure && !warned(&column.name);
        let columns: Vec<&ColumnRole> = session.summary()?.columns.iter().filter(guessed).collect();
        let Some(first) = columns.first() else { continue };
        let text = format!(
            "{} {} taken as {taken} ({}). If another column holds it, name it with {flag}.",
            listed(columns.iter().map(|column| &column.name)),
            if columns.len() == 1 { "is" } else { "are" },
            first.reason
        );
        labeled(output, "warning:", &text);
    }
    Ok(())
}

/// What the data set is called.
pub(super) fn title(open: &OpenArgs) -> String {
    let name = |path: &PathBuf| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    match &open.example {
        Some(example) => example.clone(),
        None => open.files.iter().map(name).collect::<Vec<_>>().join(" + "),
    }
}
