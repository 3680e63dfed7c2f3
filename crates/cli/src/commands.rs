//! The commands: from what was asked to what is written.

use std::ffi::OsStr;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use clap_complete::generate;
use localcal::counts::{CountRequest, QuantizedColumn, statement};
use localcal::data::About;
use localcal::data::roles::{ColumnRole, Role};
use localcal::document::sha256;
use localcal::error::Error;
use localcal::experiment::{Begun, Cell, SCHEMA, Spec};
use localcal::plot::Figure;
use localcal::read::tally::Tally;
use localcal::read::{ABOVE_1, check_scale};
use localcal::sample;
use localcal::words::number::count;
use localcal::words::text::{listed, quoted};
use serde_json::{Value, json};

use crate::args::{
    self, Analyse, Apply, Chart, Compare, Count, CountedArgs, Experiment, Invocation, List, OpenArgs, OutputArgs, Own,
    Recalibrate, Report, RunArgs, SaveSession, Score, Snippet, Sql,
};
use crate::catalogue::{self, EXAMPLES};
use crate::chart;
use crate::executor::Executor;
use crate::failure::{Checked, Failure, fault};
use crate::gate::{self, Gate, Question};
use crate::options::{StepOptions, object};
use crate::print::{MUTED, Page, styled};
use crate::progress::Progress;
use crate::session::{Answer, Options, Session};
use crate::tables::streamed::counted;
use crate::tables::{Source, is_workbook};
use crate::{screen, sheet};

type Done = Result<(), Failure>;

/// Lines are no longer than this, however wide the terminal is.
const WIDEST: u16 = 120;
/// Width of text that goes into a pipe or a file.
const IN_A_PIPE: u16 = 80;
/// Bytes of a file that are counted in a millisecond, for the bar of progress.
const A_MS: f64 = 100_000.0;

/// Whether failures are told as JSON.
pub fn json(asked: &Invocation) -> bool {
    match asked {
        Invocation::Score(Score { output, .. })
        | Invocation::Report(Report { output, .. })
        | Invocation::Recalibrate(Recalibrate { output, .. })
        | Invocation::Apply(Apply { output, .. })
        | Invocation::Analyse(_, Analyse { output, .. }, _)
        | Invocation::Chart(_, Chart { output, .. }, _)
        | Invocation::Experiment(Experiment { output, .. })
        | Invocation::Snippet(Snippet { output, .. })
        | Invocation::SaveSession(SaveSession { output, .. })
        | Invocation::Compare(Compare { output, .. })
        | Invocation::Sql(Sql { output, .. })
        | Invocation::Count(Count { output, .. })
        | Invocation::List(List { output, .. }) => output.json,
        Invocation::Completions(_) => false,
    }
}

/// Refuses what is written without a gate, where small counts are to be withheld.
fn nothing_else_leaves(asked: &Invocation) -> Done {
    let file = |path: &Option<PathBuf>, endings: &[&str]| {
        path.as_deref().is_some_and(|path| endings.iter().any(|ending| ends_in(path, ending)))
    };
    let (output, why) = match asked {
        Invocation::Score(Score { output, .. }) if !output.json => {
            (output, "score cannot suppress counts in text: add --json")
        }
        Invocation::Report(Report { output, out, .. })
            if !output.json && !file(out, &["json", "html", "htm", "tex", "md"]) =>
        {
            (output, "report cannot suppress counts in text: add --json, or --out FILE.html, .tex, .md or .json")
        }
        Invocation::Recalibrate(Recalibrate { output, out, apply, .. })
            if !output.json || !apply.is_empty() || !(out.is_none() || file(out, &["json"])) =>
        {
            (
                output,
                "recalibrate suppresses counts with --json, alone or with --out FILE.json: other files contain rows",
            )
        }
        Invocation::Count(Count { output, .. }) => {
            (output, "count takes no --suppress: suppress counts in what is computed from the result")
        }
        Invocation::Sql(Sql { output, .. }) => {
            (output, "sql takes no --suppress: suppress counts in what is computed from the result")
        }
        Invocation::Apply(Apply { output, .. }) => (output, "apply writes rows, in which counts cannot be suppressed"),
        Invocation::Compare(Compare { output, .. }) => {
            (output, "compare takes no --suppress: use it in `session save`, then in `analyse changed`")
        }
        _ => return Ok(()),
    };
    if output.suppress.is_some() { Err(Failure::usage(why)) } else { Ok(()) }
}

/// Does what was asked.
///
/// # Errors
/// Why it was not done.
pub fn carry_out(asked: Invocation) -> Done {
    nothing_else_leaves(&asked)?;
    match asked {
        Invocation::Score(asked) => score(&asked),
        Invocation::Report(asked) => report(&asked),
        Invocation::Recalibrate(asked) => recalibrate(&asked),
        Invocation::Apply(asked) => apply(&asked),
        Invocation::Analyse(kind, asked, own) => analyse(&kind, &asked, &own),
        Invocation::Chart(kind, asked, own) => draw(&kind, &asked, &own),
        Invocation::Experiment(asked) => experiment(&asked),
        Invocation::Snippet(asked) => snippet(&asked),
        Invocation::SaveSession(asked) => save_session(&asked),
        Invocation::Compare(asked) => compare(&asked),
        Invocation::Sql(asked) => sql(&asked),
        Invocation::Count(asked) => count_rows(&asked),
        Invocation::List(asked) => list(&asked),
        Invocation::Completions(shell) => {
            let mut script = Vec::new();
            generate(shell, &mut args::command(), "localcal", &mut script);
            result(&script)
        }
    }
}

fn score(asked: &Score) -> Done {
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
    if let Some(report) = report {
        result(&report)?;
    } else if let Some(told) = gate.text(&title(&asked.open), &checked) {
        result(told.as_bytes())?;
    } else {
        let mut page = page(&asked.output);
        screen::score(&mut page, &title(&asked.open), session.summary()?, session.last_run()?);
        gate::conditions(&mut page, &checked);
        text(page)?;
    }
    shut(checked)
}

/// What became of the command; the report of a gate also says why its conditions could not be evaluated.
fn evaluated(gate: &Gate, title: &str, done: Done) -> Done {
    if let Err(Failure::Refused(error)) = &done
        && let Some(told) = gate.not_evaluated(title, error)
    {
        result(told.as_bytes())?;
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
    let yes = match question {
        Question::Finding => answer.fields.get("chance") != Some(&Value::Bool(true)),
        Question::Changed => answer.fields.pointer("/verdict/finding").and_then(Value::as_str) == Some("beyond"),
    };
    Ok((yes, sheet::headline(&answer).join(" ")))
}

/// Done, unless a condition of the gate holds.
fn shut(checked: Vec<Checked>) -> Done {
    let failed: Vec<Checked> = checked.into_iter().filter(|one| one.failed).collect();
    if failed.is_empty() { Ok(()) } else { Err(Failure::Gate(failed)) }
}

fn save_session(asked: &SaveSession) -> Done {
    let mut given = StepOptions::of_run(&asked.open, &asked.run)?;
    given.with_none();
    let session = ran(&asked.open, &asked.run, &asked.output, &mut given)?;
    let written = session.export("session", withholding(&asked.output))?;
    match &asked.out {
        Some(path) => write(path, &written, &asked.output),
        None => result(&written),
    }
}

fn compare(asked: &Compare) -> Done {
    let [reference, current] = asked.open.files.as_slice() else {
        return Err(Failure::usage("compare takes two files: the reference, and the file to compare with it"));
    };
    if asked.open.session.is_some() {
        return Err(Failure::usage("compare takes no --session; the reference can be a session"));
    }
    let mut given = StepOptions::of_run(&asked.open, &asked.run)?;
    given.with_none();
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
            serde_json::from_slice(&session.export("session", json!({ "every_group": true }))?).unwrap_or_default()
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
    if asked.output.json {
        result(&answer.json())?;
    } else if let Some(told) = gate.text(&title(&asked.open), &checked) {
        result(told.as_bytes())?;
    } else {
        let mut page = page(&asked.output);
        sheet::answer(&mut page, Question::Changed.name(), &answer);
        gate::conditions(&mut page, &checked);
        text(page)?;
    }
    shut(checked)
}

fn sql(asked: &Sql) -> Done {
    let request = CountRequest {
        dialect: asked.dialect.clone(),
        table: asked.table.clone(),
        weight: asked.weights.clone(),
        combinations: asked.combinations,
        ..what_is_counted(&asked.counted)?
    };
    let statement = statement(&request)?;
    let written = match asked.output.json {
        true => json!({ "sql": statement.sql, "notes": statement.notes }).to_string(),
        false => statement.sql,
    };
    match &asked.out {
        Some(path) => write(path, written.as_bytes(), &asked.output)?,
        None => result(written.as_bytes())?,
    }
    if !asked.output.json {
        statement.notes.iter().for_each(|sentence| note(&asked.output, sentence));
    }
    Ok(())
}

/// What is counted, of whatever table.
fn what_is_counted(asked: &CountedArgs) -> Result<CountRequest, Failure> {
    Ok(CountRequest {
        score: asked.score.clone(),
        outcome: asked.outcome.clone(),
        positive: asked.positive.clone(),
        negative: asked.negative.clone(),
        by: asked.by.clone(),
        month: asked.month.clone(),
        features: asked.feature.iter().map(|text| quantized(text)).collect::<Result<_, _>>()?,
        percent: asked.percent,
        cells: asked.cells,
        ..CountRequest::default()
    })
}

fn count_rows(asked: &Count) -> Done {
    let name =
        |path: &PathBuf| path.file_name().map_or_else(|| "rows".to_owned(), |name| name.to_string_lossy().into());
    let table = match asked.files.as_slice() {
        [first, others @ ..] if !others.is_empty() => format!("{} and {} more", name(first), others.len()),
        files => files.first().map(name).unwrap_or_default(),
    };
    let mut tally = Tally::new(CountRequest { table, ..what_is_counted(&asked.counted)? })?;
    let nothing = tally.clone();
    let executor = executor(&asked.output)?;
    let sizes = asked.files.iter().map(|path| std::fs::metadata(path).map_or(0, |file| file.len()) as f64 / A_MS);
    let sizes: Vec<f64> = sizes.collect();
    executor.begin(sizes.iter().sum());
    for (path, size) in asked.files.iter().zip(sizes) {
        let step = executor.step(size, "counting rows");
        tally.merge(&executor.install(|| counted(path, &nothing, &|share| step.progress(share)))?);
    }
    executor.end();
    let (usable, unused) = tally.usable();
    if usable == 0 {
        return Err(nothing_counted(&tally, &asked.counted, &unused).into());
    }
    let above = unused.iter().filter(|(reason, _)| *reason == ABOVE_1).map(|(_, rows)| *rows).sum::<u64>();
    check_scale(usable as f64, above as f64)?;
    let written = tally.csv();
    match &asked.out {
        Some(path) => write(path, written.as_bytes(), &asked.output)?,
        None => result(written.as_bytes())?,
    }
    let unused = match unused.as_slice() {
        [] => String::new(),
        unused => format!(", {} of them usable ({})", count(usable), reasons(unused)),
    };
    note(&asked.output, &format!("{} rows counted{unused}.", count(tally.rows())));
    Ok(())
}

/// "12 no score, 3 another outcome".
fn reasons(unused: &[(&str, u64)]) -> String {
    unused.iter().map(|(reason, rows)| format!("{} {reason}", count(*rows))).collect::<Vec<_>>().join(", ")
}

/// Refuses counts of which no row has both a score and an outcome.
fn nothing_counted(tally: &Tally, asked: &CountedArgs, unused: &[(&str, u64)]) -> Error {
    let (rows, others) = (tally.rows(), tally.other_outcomes().collect::<Vec<_>>());
    if rows == 0 {
        return Error::new("empty", "There are no rows to count.", "Name files with rows.");
    }
    let hint = if others.is_empty() {
        let percent = unused.iter().any(|(reason, _)| *reason == ABOVE_1);
        let percent = if percent { ", and add --percent if the scores are percentages" } else { "" };
        format!("Check the columns of --score and --outcome{percent}.")
    } else {
        let event = |value: &&&str| EVENTS.iter().any(|event| value.eq_ignore_ascii_case(event));
        let event = match others.iter().find(event) {
            Some(value) if asked.positive.is_none() => format!("add --positive {value}"),
            _ => "name the event with --positive VALUE".to_owned(),
        };
        format!("{} contains {}; {event}.", quoted(&asked.outcome), others.join(", "))
    };
    let what =
        format!("None of the {} rows has both a score and an outcome of 0 or 1: {}.", count(rows), reasons(unused));
    let what = if asked.positive.is_some() { what.replace(" of 0 or 1", "") } else { what };
    Error::new("empty", what, hint)
}

/// Outcomes that are an event by their words.
const EVENTS: [&str; 6] = ["true", "yes", "y", "t", "positive", "event"];

/// A column in cells, as it is typed: `age=0:100:20`.
fn quantized(text: &str) -> Result<QuantizedColumn, Failure> {
    let parts = || {
        let (column, range) = text.rsplit_once('=')?;
        let [low, high, cells] = <[&str; 3]>::try_from(range.split(':').collect::<Vec<_>>()).ok()?;
        Some(QuantizedColumn {
            column: column.to_owned(),
            low: low.parse().ok()?,
            high: high.parse().ok()?,
            cells: cells.parse().ok()?,
        })
    };
    parts().ok_or_else(|| Failure::usage("--feature is written COLUMN=LOW:HIGH:CELLS, such as age=0:100:20"))
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

fn report(asked: &Report) -> Done {
    let mut given = StepOptions::of_run(&asked.open, &asked.run)?;
    let session = ran(&asked.open, &asked.run, &asked.output, &mut given)?;
    let ends = |ending: &str| asked.out.as_deref().is_some_and(|path| ends_in(path, ending));
    let document = DOCUMENTS.iter().find(|(ending, _)| ends(ending)).map(|(_, format)| format);
    let written = if asked.output.json || ends("json") {
        session.export("report", withholding(&asked.output))?
    } else if let Some(format) = document {
        let (written, figures) = document_of(&session, &asked.open, &asked.output, format)?;
        if let Some(path) = &asked.out {
            beside(path, &figures, &asked.output)?;
        }
        written
    } else {
        let mut page = page(&asked.output);
        screen::report(&mut page, &title(&asked.open), session.summary()?, session.last_run()?);
        if asked.out.is_none() {
            return text(page);
        }
        anstream::adapter::strip_str(&page.into_text()).to_string().into_bytes()
    };
    match &asked.out {
        Some(path) => write(path, &written, &asked.output),
        None => result(&written),
    }
}

/// Endings of files that hold the report as a document, and how it is written.
const DOCUMENTS: [(&str, &str); 4] = [("html", "html"), ("htm", "html"), ("tex", "latex"), ("md", "markdown")];

/// The report as a document, with the checksums of the files that were opened.
/// With the figures that an article includes.
fn document_of(
    session: &Session,
    open: &OpenArgs,
    output: &OutputArgs,
    format: &str,
) -> Result<(Vec<u8>, Vec<Figure>), Failure> {
    let files: Vec<Value> = (open.files.iter())
        .filter_map(|path| {
            let bytes = std::fs::read(path).ok()?;
            let sum: String = sha256(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            Some(json!({ "name": name, "bytes": bytes.len(), "sha256": sum }))
        })
        .collect();
    let mut options = Options::new();
    options.insert("format".to_owned(), format.into());
    options.insert("files".to_owned(), files.into());
    options.extend(options_in(withholding(output)));
    let answer = session.analyse("document", options, &[])?;
    let written = answer.file().map(<[u8]>::to_vec).ok_or_else(|| fault("a document is no file"))?;
    Ok((written, answer.figures()))
}

/// Width in mm at which an article includes its figures: a column.
const COLUMN: f64 = 85.0;
/// Pixels to a CSS pixel of a picture for print.
const PRINT_SCALE: f32 = 4.0;

/// Writes the figures of an article where it looks for them: `figure-1.pdf` in its folder; as PNG what PDF's fonts lack
/// letters for.
fn beside(article: &Path, figures: &[Figure], output: &OutputArgs) -> Done {
    for (number, figure) in (1..).zip(figures) {
        match chart::pdf(figure, Some(COLUMN)) {
            Ok(page) => write(&article.with_file_name(format!("figure-{number}.pdf")), &page, output)?,
            Err(_) => {
                let picture = chart::png(&chart::print(figure, COLUMN), PRINT_SCALE)?;
                write(&article.with_file_name(format!("figure-{number}.png")), &picture, output)?;
            }
        }
    }
    Ok(())
}

fn recalibrate(asked: &Recalibrate) -> Done {
    let mut given = StepOptions::of_run(&asked.open, &asked.run)?;
    let mut session = opened(&asked.open, &asked.output, &given)?;
    usual_methods(&mut session, &mut given)?;
    given.with_none();
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
            let files = [("predictions", "csv"), ("calibrator", "json"), ("report", "json")];
            // of counts there are no rows to write
            let skipped = usize::from(session.is_counted()?);
            for (what, ending) in files.into_iter().skip(skipped) {
                let bytes = export_noted(&session, what, json!({}), &asked.output)?;
                write(&folder.join(format!("{what}.{ending}")), &bytes, &asked.output)?;
            }
            if let Some(applied) = applied {
                write(&folder.join("applied.csv"), &applied, &asked.output)?;
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

/// The smallest count that may leave, as an export takes it.
fn withholding(output: &OutputArgs) -> Value {
    output.suppress.map_or_else(|| json!({}), |least| json!({ "suppress": least }))
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
    let session = match Session::open(sources(files)?, options.clone(), executor(output)?) {
        // rows without outcomes have no label of this name
        Err(error) if error.code() == "invalid_option" && options.remove("positive").is_some() => {
            Session::open(sources(files)?, options, executor(output)?)?
        }
        opened => opened?,
    };
    print_warnings(&session, output)?;
    export_noted(&session, "applied", json!({ "calibrator": calibrator }), output)
}

/// A file that leaves, after what a person should know of it.
fn export_noted(session: &Session, what: &str, options: Value, output: &OutputArgs) -> Result<Vec<u8>, Failure> {
    let (bytes, notes) = session.export_with_notes(what, options)?;
    for text in notes {
        note(output, &format!("{} {text}", styled("note:", crate::print::STRONG)));
    }
    Ok(bytes)
}

fn apply(asked: &Apply) -> Done {
    let given = StepOptions::of_opening(&asked.open, asked.options.as_deref())?;
    let stored = std::fs::read(&asked.calibrator)
        .map_err(|error| Failure::unreadable(&asked.calibrator.display().to_string(), &error))?;
    let calibrator = parsed(&stored)?;
    let session = opened(&asked.open, &asked.output, &given)?;
    let options = json!({ "calibrator": calibrator, "method": asked.method, "classes": asked.classes });
    let written = export_noted(&session, "applied", options, &asked.output)?;
    match &asked.out {
        Some(path) => write(path, &written, &asked.output),
        None => result(&written),
    }
}

/// A stored calibrator.
fn parsed(stored: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(stored).map_err(|error| {
        let what = format!("Invalid calibrator: not valid JSON ({error}).");
        Error::new("calibrator_unreadable", what, "Use a calibrator.json written by `recalibrate` or the page.").into()
    })
}

fn analyse(kind: &str, asked: &Analyse, own: &Own) -> Done {
    let mut given = StepOptions::of_question(&asked.open, &asked.run, own, "analyse")?;
    given.with_none();
    let mut session = opened(&asked.open, &asked.output, &given)?;
    if catalogue::is_between_methods(kind) {
        usual_methods(&mut session, &mut given)?;
        given.with_none();
    }
    carry_run(&mut session, &asked.run, &mut given)?;
    let answer = answer_of(&session, kind, &asked.other, &asked.output, &given)?;
    match answer.file() {
        Some(file) => result(file),
        None if asked.output.json => result(&answer.json()),
        None => {
            let mut page = page(&asked.output);
            sheet::answer(&mut page, kind, &answer);
            text(page)
        }
    }
}

fn answer_of(
    session: &Session,
    kind: &str,
    others: &[PathBuf],
    output: &OutputArgs,
    given: &StepOptions,
) -> Result<Answer, Failure> {
    let mut open = Vec::with_capacity(others.len());
    for other in others {
        let sources = sources(std::slice::from_ref(other))?;
        open.push(Session::open(sources, given.open.clone(), executor(output)?)?);
    }
    let mut own = given.own.clone();
    match output.suppress {
        // a document withholds by itself
        Some(_) if kind == "document" => own.extend(options_in(withholding(output))),
        Some(least) => return Ok(session.analyse_withheld(kind, own, &open, least)?),
        None => {}
    }
    Ok(session.analyse(kind, own, &open)?)
}

fn draw(kind: &str, asked: &Chart, own: &Own) -> Done {
    let mut given = StepOptions::of_question(&asked.open, &asked.run, own, "chart")?;
    given.with_none();
    if asked.dark && own.known.iter().any(|field| field.name == "dark") {
        given.own.insert("dark".to_owned(), true.into());
    }
    if let Some(mm) = asked.print {
        if !(20.0..=500.0).contains(&mm) {
            return Err(Failure::usage("--print takes 20 to 500 millimeters"));
        }
        if own.known.iter().any(|field| field.name == "width") {
            given.own.insert("width".to_owned(), chart::print_width(mm).into());
        }
    }
    let mut session = opened(&asked.open, &asked.output, &given)?;
    if catalogue::is_between_methods(kind) {
        usual_methods(&mut session, &mut given)?;
        given.with_none();
    }
    carry_run(&mut session, &asked.run, &mut given)?;
    let figures = if catalogue::charts().iter().any(|chart| chart.name == kind) {
        given.own.extend(options_in(withholding(&asked.output)));
        vec![session.chart(kind, given.own.clone())?.figure]
    } else {
        answer_of(&session, kind, &asked.other, &asked.output, &given)?.figures()
    };
    let (withheld, shown): (Vec<_>, Vec<_>) =
        (0..).zip(&figures).partition(|(_, figure)| figure.panels.is_empty() && asked.output.suppress.is_some());
    if let (Some((_, figure)), true) = (withheld.first(), shown.is_empty()) {
        return Err(Error::new("too_few_rows", figure.title.clone(), "Draw another figure, or omit --suppress.").into());
    }
    for (i, figure) in &withheld {
        note(&asked.output, &format!("Figure {} of {}: {}", i + 1, figures.len(), figure.title));
    }
    let Some((_, first)) = shown.first() else {
        let what = format!("`{kind}` has no chart.");
        return Err(
            Error::new("invalid_option", what, format!("Use `localcal analyse {kind}` for its results.")).into()
        );
    };
    if asked.output.json {
        let twins: Vec<Value> = shown.iter().map(|(_, figure)| chart::twin(figure)).collect();
        return result(&serde_json::to_vec_pretty(&twins).unwrap_or_default());
    }
    let svg = |figure: &Figure| match asked.print {
        Some(mm) => chart::print(figure, mm),
        None => chart::svg(figure, asked.dark),
    };
    let Some(path) = &asked.out else {
        return result(svg(first).as_bytes());
    };
    for (i, figure) in shown {
        let picture = match path.extension().and_then(OsStr::to_str) {
            Some("svg") => svg(figure).into_bytes(),
            Some("png") => chart::png(&svg(figure), asked.scale)?,
            Some("pdf") if asked.dark => {
                return Err(Failure::usage("PDF does not support --dark. Omit it, or write .svg or .png"));
            }
            Some("pdf") => chart::pdf(figure, asked.print)?,
            _ => return Err(Failure::usage("--out takes a name that ends in .svg, .pdf or .png")),
        };
        write(&numbered(path, i), &picture, &asked.output)?;
    }
    Ok(())
}

/// The file of the (i + 1)-th picture.
fn numbered(path: &Path, i: usize) -> PathBuf {
    let (stem, ending) = (path.file_stem().unwrap_or_default(), path.extension().unwrap_or_default());
    match i {
        0 => path.to_owned(),
        _ => path.with_file_name(format!("{}-{}.{}", stem.to_string_lossy(), i + 1, ending.to_string_lossy())),
    }
}

fn snippet(asked: &Snippet) -> Done {
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

/// Seconds after which what is done of an experiment is saved.
const SAVE_SECONDS: u64 = 20;

fn experiment(asked: &Experiment) -> Done {
    let given = StepOptions::of_opening(&asked.open, None)?;
    let written = match asked.spec.trim_start().starts_with('{') {
        true => asked.spec.clone(),
        false => read_text(Path::new(&asked.spec))?,
    };
    let mut spec = options_in(object(&written, "SPEC")?);
    // a saved experiment holds its spec beside its cells
    if let Some(inner @ Value::Object(_)) = spec.remove("spec") {
        spec = options_in(inner);
    }
    let begun = match &asked.resume {
        Some(path) => saved(&read_text(path)?, path)?,
        None => Begun::default(),
    };
    let mut session = opened(&asked.open, &asked.output, &given)?;
    let mut others = Vec::with_capacity(asked.other.len());
    for other in &asked.other {
        others.push(Session::open(
            sources(std::slice::from_ref(other))?,
            given.open.clone(),
            executor(&asked.output)?,
        )?);
    }
    let ending = |ending: &str| asked.out.as_deref().is_some_and(|path| ends_in(path, ending));
    let saved = Mutex::new(Instant::now());
    let save = |spec: &Spec, cells: &[Cell]| {
        let whole = ending("json") && asked.output.suppress.is_none();
        let Some(path) = asked.out.as_deref().filter(|_| whole) else { return };
        let mut saved = saved.lock().unwrap_or_else(PoisonError::into_inner);
        if saved.elapsed().as_secs() >= SAVE_SECONDS {
            *saved = Instant::now();
            let held = json!({ "schema": SCHEMA, "spec": spec, "cells": cells });
            // beside it and then in its place, so that what was saved is never half of it; the whole is written at the end,
            // and what goes wrong there is told
            let beside = path.with_extension("json.part");
            let _ = std::fs::write(&beside, held.to_string()).and_then(|()| std::fs::rename(&beside, path));
        }
    };
    let (spec, cells) = session.experiment(spec, begun, &others, &save)?;
    let format = [("csv", "csv"), ("tex", "latex"), ("md", "markdown")].into_iter().find(|(end, _)| ending(end));
    match &asked.out {
        Some(path) => {
            let format = format.map_or("json", |(_, format)| format);
            write(path, &session.written_experiment(&spec, &cells, format, asked.output.suppress)?, &asked.output)
        }
        None if asked.output.json => {
            result(&session.written_experiment(&spec, &cells, "json", asked.output.suppress)?)
        }
        None => {
            let mut page = page(&asked.output);
            sheet::answer(&mut page, "experiment", &session.concluded(&spec, &cells, asked.output.suppress)?);
            text(page)
        }
    }
}

fn options_in(value: Value) -> Options {
    match value {
        Value::Object(options) => options,
        _ => Options::new(),
    }
}

fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::unreadable(&path.display().to_string(), &error))
}

/// A saved experiment, with what else the file holds left out.
fn saved(text: &str, path: &Path) -> Result<Begun, Failure> {
    let mut held = options_in(object(text, "--resume")?);
    held.retain(|name, _| name == "spec" || name == "cells");
    serde_json::from_value(held.into()).map_err(|error| {
        let told = format!("Invalid saved experiment {}: {error}.", path.display());
        Error::new("invalid_option", told, "Use a file written by `experiment --out FILE.json`.").into()
    })
}

fn list(asked: &List) -> Done {
    let wanted = |what: &str| asked.what.as_deref().is_none_or(|only| only == what);
    if asked.output.json {
        let mut all = Options::new();
        let lists = [
            ("metrics", catalogue::metrics()),
            ("methods", catalogue::methods()),
            ("methods_after_another", catalogue::methods_after_another()),
            ("analyses", catalogue::entries(catalogue::analyses())),
            ("charts", catalogue::entries(catalogue::charts())),
        ];
        for (what, entries) in lists {
            if wanted(what) || (what == "methods_after_another" && wanted("methods")) {
                let entry = |entry: &catalogue::Entry| json!({ "id": entry.id, "name": entry.name, "plain": entry.plain, "definition": entry.definition });
                all.insert(what.to_owned(), entries.iter().map(entry).collect());
            }
        }
        if wanted("examples") {
            let example = |one: &catalogue::Example| json!({ "id": one.id, "plain": one.plain });
            all.insert("examples".to_owned(), EXAMPLES.iter().map(example).collect());
        }
        return result(&serde_json::to_vec_pretty(&all).unwrap_or_default());
    }
    let mut page = page(&asked.output);
    screen::list(&mut page, wanted, asked.long);
    text(page)
}

/// The methods that the page offers first, where none are named; those that look at similar rows get the page's features,
/// where the file has some.
fn usual_methods(session: &mut Session, given: &mut StepOptions) -> Done {
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

fn ran(open: &OpenArgs, run: &RunArgs, output: &OutputArgs, given: &mut StepOptions) -> Result<Session, Failure> {
    let mut session = opened(open, output, given)?;
    carry_run(&mut session, run, given)?;
    Ok(session)
}

fn carry_run(session: &mut Session, run: &RunArgs, given: &mut StepOptions) -> Done {
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

fn opened(open: &OpenArgs, output: &OutputArgs, given: &StepOptions) -> Result<Session, Failure> {
    let sources = match &open.example {
        Some(name) => vec![example(name)?],
        None => sources(&open.files)?,
    };
    if given.open.contains_key("sheet") && !sources.iter().any(is_workbook) {
        let what = format!("--sheet applies to Excel workbooks only, not to {}.", title(open));
        return Err(Error::new("invalid_option", what, "Omit --sheet.").into());
    }
    let session = Session::open(sources, given.open.clone(), executor(output)?)?;
    print_warnings(&session, output)?;
    let is_log = session.summary()?.told.iter().any(|part| matches!(part.about, About::Log | About::Unanswered));
    if given.open.contains_key("unanswered") && !is_log {
        let text = "--unanswered has no effect: no file is an evaluation log.";
        note(output, &format!("{} {text}", styled("note:", crate::print::STRONG)));
    }
    Ok(session)
}

fn example(name: &str) -> Result<Source, Failure> {
    let found = EXAMPLES.iter().find(|example| example.id == name);
    let bytes = match found.and_then(|example| example.bytes) {
        Some(bytes) => bytes.to_vec(),
        None => sample::example(name)?.into_bytes(),
    };
    Ok(Source { name: found.map_or(name, |example| example.file).to_owned(), bytes })
}

fn sources(files: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let source = |path: &PathBuf| {
        let shown = path.display().to_string();
        if shown == "-" {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)
                .map_err(|error| Failure::unreadable("standard input", &error))?;
            return Ok(Source { name: "stdin".to_owned(), bytes });
        }
        let name = path.file_name().map_or(shown.clone(), |name| name.to_string_lossy().into_owned());
        let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(&shown, &error))?;
        Ok(Source { name, bytes })
    };
    files.iter().map(source).collect()
}

fn executor(output: &OutputArgs) -> Result<Executor, Failure> {
    let progress = if output.quiet { Progress::silent() } else { Progress::on_terminal() };
    Ok(Executor::new(output.threads, progress)?)
}

fn print_warnings(session: &Session, output: &OutputArgs) -> Done {
    for warning in &session.summary()?.warnings {
        note(output, &format!("{} {}", styled("warning:", crate::print::STRONG), warning.message));
    }
    // the page asks; whether other columns hold the outcome or the scores, only a person knows
    for (role, taken, flag) in [
        (Role::Label, "the outcome", "--label"),
        (Role::Probability, "probability", "--probability"),
        (Role::Logit, "log-odds", "--roles COLUMN=logit"),
        (Role::Confidence, "confidence", "--roles COLUMN=confidence"),
    ] {
        let guessed = |column: &&ColumnRole| column.role == role && !column.sure;
        let columns: Vec<&ColumnRole> = session.summary()?.columns.iter().filter(guessed).collect();
        let Some(first) = columns.first() else { continue };
        let text = format!(
            "{} {} taken as {taken} ({}). If another column holds it, name it with {flag}.",
            listed(columns.iter().map(|column| &column.name)),
            if columns.len() == 1 { "is" } else { "are" },
            first.reason
        );
        note(output, &format!("{} {text}", styled("warning:", crate::print::STRONG)));
    }
    Ok(())
}

/// Says something that is not the result.
fn note(output: &OutputArgs, text: &str) {
    if !output.quiet {
        // Nobody can be told that nothing can be told.
        let _ = writeln!(anstream::stderr().lock(), "{text}");
    }
}

/// What the data set is called.
fn title(open: &OpenArgs) -> String {
    let name = |path: &PathBuf| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    match &open.example {
        Some(example) => example.clone(),
        None => open.files.iter().map(name).collect::<Vec<_>>().join(" + "),
    }
}

fn page(output: &OutputArgs) -> Page {
    let terminal = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0.min(WIDEST));
    Page::new(usize::from(output.text_width.or_else(terminal).unwrap_or(IN_A_PIPE)))
}

/// Text for people on standard output.
fn text(page: Page) -> Done {
    let mut out = anstream::stdout().lock();
    out.write_all(page.into_text().as_bytes())?;
    Ok(out.flush()?)
}

/// A file on standard output, byte for byte; on a terminal its last line ends.
fn result(bytes: &[u8]) -> Done {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    if out.is_terminal() && !bytes.ends_with(b"\n") {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

fn write(path: &Path, bytes: &[u8], output: &OutputArgs) -> Done {
    std::fs::write(path, bytes).map_err(|error| Failure::unwritable(&path.display().to_string(), &error))?;
    note(output, &styled(&format!("wrote {}", path.display()), MUTED));
    Ok(())
}

fn ends_in(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}
