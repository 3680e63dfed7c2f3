//! Counts of rows by cells of the score: the statement that makes them, counting of files, and merging of what was counted.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use localcal::counts::{CountRequest, QuantizedColumn, statement};
use localcal::data::counting::{check_percent, fractions_named_percent};
use localcal::error::Error;
use localcal::read::tally::{MOST_OTHERS, Tally};
use localcal::read::{ABOVE_1, MOST_BYTES, ReadOptions, check_scale, read_counts};
use localcal::report::merged_counts::merged_counts;
use localcal::words::text::thousands;
use localcal::words::text::{listed, quoted};
use serde_json::json;

use super::Done;
use super::opening::{executor, sources};
use super::output::{note, result, write};
use crate::args::{Count, CountedArgs, Sql};
use crate::failure::Failure;
use crate::progress::BYTES_A_MS;
use crate::tables::streamed::counted;
use crate::tables::{Source, readable};

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
        score: asked.score.clone().unwrap_or_default(),
        outcome: asked.outcome.clone().unwrap_or_default(),
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

pub(super) fn count(asked: &Count) -> Done {
    if asked.output.json {
        return Err(Failure::usage("count writes CSV and takes no --json"));
    }
    let files = files_of(&asked.files)?;
    let mut seen = HashSet::new();
    let mut real = files.iter().filter_map(|path| path.canonicalize().ok());
    if let Some(twice) = real.find(|path| !seen.insert(path.clone())) {
        return Err(Failure::usage(format!("rows would be counted twice: {} is listed twice", twice.display())));
    }
    match asked.counted.score {
        Some(_) => count_rows(asked, &files),
        None => merge_counts(asked, &files),
    }
}

/// The name of a file without its folder.
fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| "rows".to_owned(), |name| name.to_string_lossy().into())
}

/// Whether the name says that a file is JSON, perhaps compressed.
fn is_json(path: &Path) -> bool {
    let name = name(path).to_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    [".json", ".jsonl", ".ndjson"].iter().any(|ending| name.ends_with(ending))
}

fn not_json(path: &Path) -> Failure {
    Failure::usage(format!("count reads CSV, TSV and Parquet, not JSON: {}; save it as CSV or Parquet", path.display()))
}

fn count_rows(asked: &Count, files: &[PathBuf]) -> Done {
    if let Some(json) = files.iter().find(|path| is_json(path)) {
        return Err(not_json(json));
    }
    let table = match files {
        [first, others @ ..] if !others.is_empty() => format!("{} and {} more", name(first), others.len()),
        files => files.first().map(|path| name(path)).unwrap_or_default(),
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
        let outcome = quoted(&tally.request().outcome);
        let what = format!("No row has the event: {outcome} is never {}.", quoted(event));
        let hint = format!("Its values are {}; name one of them with --positive.", listed(others));
        return Err(Error::new("invalid_option", what, hint).into());
    }
    let above = unused.iter().filter(|(reason, _)| *reason == ABOVE_1).map(|(_, rows)| *rows).sum::<u64>();
    check_percent(tally.request(), above)?;
    check_scale(usable as f64, above as f64)?;
    remarks.extend(fractions_named_percent(tally.request(), above));
    remarks.iter().for_each(|said| note(&asked.output, said));
    if let (Some(event), None) = (&asked.counted.positive, &asked.counted.negative)
        && tally.other_outcomes().nth(1).is_some()
    {
        let others = tally.other_outcomes().map(quoted);
        let some = if tally.other_outcomes().count() == MOST_OTHERS { " (some of them)" } else { "" };
        let what = format!("Several values count as not {}: {}{some}.", quoted(event), listed(others));
        note(&asked.output, &format!("{what} With --negative, rows with other values are not counted."));
    }
    if let Some(least) = asked.output.suppress {
        return write_merged(asked, &tally, least);
    }
    write_csv(asked, tally.csv().as_bytes())?;
    let unused = match unused.as_slice() {
        [] => String::new(),
        unused => format!(", {} of them usable ({})", thousands(usable), reasons(unused)),
    };
    note(&asked.output, &format!("{} rows counted{unused}.", thousands(tally.rows())));
    Ok(())
}

/// Counts that a statement or this command wrote before, without cells of few rows.
fn merge_counts(asked: &Count, files: &[PathBuf]) -> Done {
    let CountedArgs { positive, negative, by, month, feature, percent, cells, score: _, outcome: _ } = &asked.counted;
    let settings = [positive.is_some(), negative.is_some(), !by.is_empty(), month.is_some(), !feature.is_empty()];
    if settings.contains(&true) || *percent || cells.is_some() {
        return Err(Failure::usage(
            "rows are counted with --score and --outcome; a file of counts states what was counted",
        ));
    }
    let mut read = Vec::new();
    for path in files {
        let no_counts = || {
            let what = "contains no counts: name the columns of its rows with --score and --outcome";
            if is_json(path) { not_json(path) } else { Failure::usage(format!("{} {what}", path.display())) }
        };
        if std::fs::metadata(path).is_ok_and(|file| file.len() > MOST_BYTES as u64) {
            return Err(no_counts());
        }
        for source in sources(std::slice::from_ref(path))? {
            let Source { name, bytes } = readable(source, None, None)?;
            let counts = read_counts(&name, &bytes, ReadOptions::default(), &mut |_| ())?;
            read.push((name, counts.ok_or_else(no_counts)?));
        }
    }
    let Some(tally) = Tally::pooled(&read)? else { return Ok(()) };
    let Some(least) = asked.output.suppress else {
        let of = match read.as_slice() {
            [(name, _)] => format!("{name} contains counts already, of {} rows", thousands(tally.rows())),
            files => format!("the {} files contain counts already, of {} rows", files.len(), thousands(tally.rows())),
        };
        return Err(Failure::usage(format!("{of}: --suppress 10 merges cells of few rows")));
    };
    write_merged(asked, &tally, least)
}

fn write_csv(asked: &Count, written: &[u8]) -> Done {
    match &asked.out {
        Some(path) => write(path, written, &asked.output),
        None => result(written),
    }
}

/// Writes counts of which no cell counts fewer rows than `least`.
fn write_merged(asked: &Count, tally: &Tally, least: u64) -> Done {
    let merged = merged_counts(tally, least)?;
    write_csv(asked, &merged.bytes)?;
    merged.notes.iter().for_each(|said| note(&asked.output, said));
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
    unused.iter().map(|(reason, rows)| format!("{} {reason}", thousands(*rows))).collect::<Vec<_>>().join(", ")
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
        format!("{} contains {}; {event}.", quoted(&tally.request().outcome), others.join(", "))
    };
    let what =
        format!("None of the {} rows has both a score and an outcome of 0 or 1: {}.", thousands(rows), reasons(unused));
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
