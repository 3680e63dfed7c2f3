//! Counts of rows by cells of the score: the statement that makes them, and counting of files.

use std::collections::HashSet;
use std::path::PathBuf;

use localcal::counts::{CountRequest, QuantizedColumn, statement};
use localcal::data::counting::check_percent;
use localcal::error::Error;
use localcal::read::tally::{Tally, WITHHELD};
use localcal::read::{ABOVE_1, check_scale};
use localcal::report::small_cells::left_out;
use localcal::words::number::count;
use localcal::words::text::{counted as counted_text, listed, quoted};
use serde_json::json;

use super::Done;
use super::opening::executor;
use super::output::{note, result, write};
use crate::args::{Count, CountedArgs, Sql};
use crate::failure::Failure;
use crate::progress::BYTES_A_MS;
use crate::tables::streamed::counted;

pub(super) fn sql(asked: &Sql) -> Done {
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

pub(super) fn count_rows(asked: &Count) -> Done {
    if asked.output.json {
        return Err(Failure::usage("count writes CSV and takes no --json"));
    }
    let files = files_of(&asked.files)?;
    let mut seen = HashSet::new();
    let mut real = files.iter().filter_map(|path| path.canonicalize().ok());
    if let Some(twice) = real.find(|path| !seen.insert(path.clone())) {
        return Err(Failure::usage(format!("rows would be counted twice: {} is listed twice", twice.display())));
    }
    let name =
        |path: &PathBuf| path.file_name().map_or_else(|| "rows".to_owned(), |name| name.to_string_lossy().into());
    let table = match files.as_slice() {
        [first, others @ ..] if !others.is_empty() => format!("{} and {} more", name(first), others.len()),
        files => files.first().map(name).unwrap_or_default(),
    };
    let mut tally = Tally::new(CountRequest { table, ..what_is_counted(&asked.counted)? })?;
    let nothing = tally.clone();
    let executor = executor(&asked.output)?;
    let sizes = files.iter().map(|path| std::fs::metadata(path).map_or(0, |file| file.len()) as f64 / BYTES_A_MS);
    let sizes: Vec<f64> = sizes.collect();
    executor.begin(sizes.iter().sum());
    let mut remarks: Vec<String> = Vec::new();
    for (path, size) in files.iter().zip(sizes) {
        let step = executor.step(size, "counting rows");
        let (rows, said) = executor.install(|| counted(path, &nothing, &|share| step.progress(share)))?;
        tally.merge(&rows);
        remarks.extend(said.into_iter().filter(|said| !remarks.contains(said)).collect::<Vec<_>>());
    }
    executor.end();
    let (usable, unused) = tally.usable();
    if usable == 0 {
        return Err(nothing_counted(&tally, &asked.counted, &unused).into());
    }
    if let Some(event) = asked.counted.positive.as_deref().filter(|_| !tally.has_event()) {
        let others: Vec<&str> = tally.other_outcomes().collect();
        let what = format!("No row has the event: {} is never {}.", quoted(&asked.counted.outcome), quoted(event));
        let hint = format!("Its values are {}; name one of them with --positive.", listed(others));
        return Err(Error::new("invalid_option", what, hint).into());
    }
    let above = unused.iter().filter(|(reason, _)| *reason == ABOVE_1).map(|(_, rows)| *rows).sum::<u64>();
    check_percent(tally.request(), above)?;
    check_scale(usable as f64, above as f64)?;
    let (tally, merged) = match asked.output.suppress {
        None => (tally, None),
        Some(least) => {
            let (told, merged) = tally.merged(least, |lines| left_out(lines, least))?;
            (told, Some((least, merged)))
        }
    };
    let written = tally.csv();
    match &asked.out {
        Some(path) => write(path, written.as_bytes(), &asked.output)?,
        None => result(written.as_bytes())?,
    }
    let unused = match unused.as_slice() {
        [] => String::new(),
        unused => format!(", {} of them usable ({})", count(usable), reasons(unused)),
    };
    remarks.iter().for_each(|said| note(&asked.output, said));
    match merged {
        None => note(&asked.output, &format!("{} rows counted{unused}.", count(tally.rows()))),
        // how many of the rows have a reason may tell of few
        Some((least, merged)) => note(
            &asked.output,
            &format!(
                "{} rows counted. Cells are merged until each counts at least {least} rows, with and without the event; {} of {} in \
                 {WITHHELD}.",
                count(tally.rows()),
                counted_text(merged.groups, "combination"),
                counted_text(merged.rows as usize, "row"),
            ),
        ),
    }
    Ok(())
}

/// The files that are named, and in the place of a folder those in it, by name. What engines write beside the parts of a table begins
/// with `_` or a dot.
///
/// # Errors
/// For a folder that cannot be read, has none, or has folders: their names may be values of a column that no file contains.
fn files_of(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let unreadable = |error: std::io::Error| Failure::unreadable(&path.display().to_string(), &error);
        let mut parts = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let part = entry.map_err(unreadable)?.path();
            let hidden = part.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['_', '.']));
            if part.is_dir() && !hidden {
                return Err(Failure::usage(format!(
                    "{} contains folders, whose names may be values of a column that its files lack: name the files, as {}",
                    path.display(),
                    path.join("*").join("*.parquet").display()
                )));
            }
            parts.extend((!hidden).then_some(part));
        }
        if parts.is_empty() {
            return Err(Failure::usage(format!("there are no files in {}", path.display())));
        }
        parts.sort();
        files.append(&mut parts);
    }
    Ok(files)
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
