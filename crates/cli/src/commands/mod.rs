//! The commands: from what was asked to what is written.

mod analyse;
mod count;
mod experiment;
mod gated;
mod opening;
mod output;
mod recalibrate;
mod report;

use std::path::PathBuf;

use clap_complete::generate;
use serde_json::json;

use crate::args::{
    self, Analyse, Apply, Chart, Compare, Count, Experiment, Invocation, List, OpenArgs, OutputArgs, Recalibrate,
    Report, SaveSession, Score, Snippet, Sql,
};
use crate::catalogue::{self, EXAMPLES};
use crate::failure::Failure;
use crate::options::StepOptions;
use crate::print::plain;
use crate::screen;
use crate::session::Options;

use analyse::{analyse, draw};
use count::{count, sql};
use experiment::experiment;
use gated::{compare, score};
use opening::ran;
use output::{ends_in, page, result, text, withholding, write};
use recalibrate::{apply, recalibrate, snippet};
use report::report;

type Done = Result<(), Failure>;

/// Whether failures are told as JSON.
pub fn json(asked: &Invocation) -> bool {
    output(asked).is_some_and(|output| output.json)
}

/// Whether small counts, and values of single rows, are withheld.
pub fn suppresses(asked: &Invocation) -> bool {
    output(asked).is_some_and(|output| output.suppress.is_some())
}

fn output(asked: &Invocation) -> Option<&OutputArgs> {
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
        | Invocation::List(List { output, .. }) => Some(output),
        Invocation::Completions(_) => None,
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
        Invocation::Sql(Sql { output, .. }) => {
            (output, "sql takes no --suppress: suppress counts in what is computed from the result")
        }
        Invocation::Apply(Apply { output, .. }) => (output, "apply writes rows, in which counts cannot be suppressed"),
        Invocation::Compare(Compare { output, .. }) => {
            (output, "compare takes no --suppress: use it in `session save`, then in `analyse changed`")
        }
        // these withhold, or write no counts; a new command has to say which
        Invocation::Score(_)
        | Invocation::Report(_)
        | Invocation::Recalibrate(_)
        | Invocation::Analyse(..)
        | Invocation::Chart(..)
        | Invocation::Experiment(_)
        | Invocation::Snippet(_)
        | Invocation::SaveSession(_)
        | Invocation::Count(_)
        | Invocation::List(_)
        | Invocation::Completions(_) => return Ok(()),
    };
    if output.suppress.is_some() { Err(Failure::usage(why)) } else { Ok(()) }
}

/// Refuses to write over a file that is read.
fn overwrites_no_input(asked: &Invocation) -> Done {
    let none = Vec::new();
    // what is opened, what else is read, and where the result goes
    let (open, more, out): (Option<&OpenArgs>, &[PathBuf], &Option<PathBuf>) = match asked {
        Invocation::Report(Report { open, out, .. }) | Invocation::SaveSession(SaveSession { open, out, .. }) => {
            (Some(open), &none, out)
        }
        Invocation::Recalibrate(Recalibrate { open, apply, out, .. }) => (Some(open), apply, out),
        Invocation::Apply(Apply { open, calibrator, out, .. }) => (Some(open), std::slice::from_ref(calibrator), out),
        Invocation::Chart(_, Chart { open, other, out, .. }, _) => (Some(open), other, out),
        // an experiment may be resumed into the file of its results
        Invocation::Experiment(Experiment { open, other, out, .. }) => (Some(open), other, out),
        Invocation::Count(Count { files, out, .. }) => (None, files, out),
        // these read no files, or write to standard output alone
        Invocation::Score(_)
        | Invocation::Analyse(..)
        | Invocation::Snippet(_)
        | Invocation::Compare(_)
        | Invocation::Sql(_)
        | Invocation::List(_)
        | Invocation::Completions(_) => return Ok(()),
    };
    let Some(out) = out else { return Ok(()) };
    let session = open.and_then(|open| open.session.as_ref()).map(PathBuf::from);
    let mut inputs: Vec<&PathBuf> = open.iter().flat_map(|open| &open.files).chain(more).chain(&session).collect();
    let written: Vec<PathBuf> = match out.is_dir() {
        true => recalibrate::FILES.iter().filter_map(|name| out.join(name).canonicalize().ok()).collect(),
        false => out.canonicalize().ok().into_iter().collect(),
    };
    inputs.retain(|path| path.canonicalize().is_ok_and(|real| written.contains(&real)));
    match inputs.first() {
        None => Ok(()),
        Some(path) => {
            let name = path.display().to_string();
            Err(Failure::usage(format!("--out would overwrite {}, which is read", plain(&name))))
        }
    }
}

/// Does what was asked.
///
/// # Errors
/// Why it was not done.
pub fn carry_out(asked: Invocation) -> Done {
    nothing_else_leaves(&asked)?;
    overwrites_no_input(&asked)?;
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
        Invocation::Count(asked) => count(&asked),
        Invocation::List(asked) => list(&asked),
        Invocation::Completions(shell) => {
            let mut script = Vec::new();
            generate(shell, &mut args::command(), "localcal", &mut script);
            result(&script)
        }
    }
}

fn save_session(asked: &SaveSession) -> Done {
    let mut given = StepOptions::of_run(&asked.open, &asked.run)?;
    let session = ran(&asked.open, &asked.run, &asked.output, &mut given)?;
    let written = session.export("session", withholding(&asked.output))?;
    match &asked.out {
        Some(path) => write(path, &written, &asked.output),
        None => result(&written),
    }
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
