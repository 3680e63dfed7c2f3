//! Logs of Inspect: a JSON file, or an archive (`.eval`) whose entries are compressed with zstd.
//!
//! A scorer gives a confidence where its value is an object with `confidence` beside `score` or `correct`, or where its
//! metadata has one. Of an archive the summaries are read, which have all of this, and from the samples what summaries lack:
//! why an answer ended, and long questions and metadata.

use std::collections::HashMap;

use serde::Deserialize;

use super::super::archive::Archive;
use super::super::json::{JsonCell, strict, unreadable, without_mark};
use super::super::{Contents, Format, Source};
use super::attempts::{Attempt, Attempts, Stated, key, scalars};
use super::opening::Opening;
use super::verdict::Verdict;
use super::{Status, question_text, some, without_confidence};
use crate::error::Result;
use crate::words::text::{bounded, counted, listed, quoted, thousands};

pub(super) const FORMAT: Format = Format {
    endings: &["json", "eval"],
    recognizes: |source| {
        let opening = Opening::of(source.bytes);
        !opening.list && opening.has(&["version", "status", "eval"])
    },
    read: |source, progress| {
        let mut log: Whole = of_json(source.bytes)?;
        progress(0.8);
        let samples = std::mem::take(&mut log.samples);
        attempts(source, &log, samples, Unread::default())
    },
};

/// Bytes of the samples of an archive that are read beside its summaries.
const MOST_OF_SAMPLES: u64 = 1 << 28;

/// What a summary has in place of long metadata.
const CUT: &[&str] = &["...", "Key removed from summary (> 1k)"];

/// A log; of an archive its head, without samples.
#[derive(Deserialize)]
struct Whole {
    #[serde(default)]
    status: JsonCell,
    #[serde(default)]
    eval: Eval,
    #[serde(default)]
    results: Option<Results>,
    #[serde(default)]
    samples: Vec<Sample>,
}

#[derive(Deserialize, Default)]
struct Eval {
    #[serde(default)]
    task: JsonCell,
    #[serde(default)]
    model: JsonCell,
}

#[derive(Deserialize)]
struct Results {
    #[serde(default)]
    headline: JsonCell,
}

#[derive(Deserialize)]
struct Sample {
    #[serde(default)]
    id: JsonCell,
    #[serde(default)]
    epoch: JsonCell,
    #[serde(default)]
    input: JsonCell,
    #[serde(default)]
    metadata: JsonCell,
    #[serde(default)]
    scores: JsonCell,
    #[serde(default)]
    error: JsonCell,
    #[serde(default)]
    output: Option<Output>,
}

/// What a sample says beyond its summary.
#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    input: JsonCell,
    #[serde(default)]
    metadata: JsonCell,
    #[serde(default)]
    output: Option<Output>,
}

/// What of an archive could not be read.
#[derive(Default)]
struct Unread {
    /// whether the run did not end, or not all of its log was written
    incomplete: bool,
    /// samples of which only the summary was read
    samples: usize,
    /// values of metadata that the summaries cut
    cut: usize,
}

#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    choices: Vec<Chosen>,
}

#[derive(Deserialize)]
struct Chosen {
    #[serde(default)]
    stop_reason: JsonCell,
}

fn of_json<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(&strict(without_mark(bytes))).map_err(|error| unreadable(&error))
}

/// Whether the files of an archive are the entries of a log.
pub(in crate::read) fn is_archive(entries: &[String]) -> bool {
    let any = |test: &dyn Fn(&str) -> bool| entries.iter().any(|entry| test(entry));
    any(&|name| name == "header.json" || name == "_journal/start.json")
        && any(&|name| name == "summaries.json" || name.starts_with("_journal/summaries/"))
}

/// The log of an archive, if it is one.
///
/// # Errors
/// Those of the archive; `table_unreadable` with the entry for what is no JSON.
pub(in crate::read) fn of_archive(
    source: &Source<'_>,
    archive: &mut Archive<'_>,
    entries: &[String],
    progress: &mut dyn FnMut(f64),
) -> Option<Result<Contents>> {
    if !is_archive(entries) {
        return None;
    }
    let place = |name: &str| entries.iter().position(|entry| entry == name);
    let head = place("header.json").or_else(|| place("_journal/start.json"))?;
    let whole = place("summaries.json");
    let journal = || entries.iter().enumerate().filter(|(_, name)| name.starts_with("_journal/summaries/"));
    let mut read = || {
        let head: Whole = entry(archive, entries, head)?;
        progress(0.2);
        let mut samples: Vec<Sample> = Vec::new();
        match whole {
            Some(whole) => samples = entry(archive, entries, whole)?,
            None => {
                // the parts come in the order of their numbers
                let number =
                    |name: &str| name.trim_end_matches(".json").rsplit('/').next().and_then(|n| n.parse().ok());
                let mut parts: Vec<(u64, usize)> =
                    journal().map(|(place, name)| (number(name).unwrap_or(u64::MAX), place)).collect();
                parts.sort_unstable();
                let mut bytes = 0u64;
                for (_, part) in parts {
                    bytes = bytes.saturating_add(archive.size(part));
                    if bytes > source.options.most() {
                        return Err(super::super::too_large(
                            "The archive's summaries unpack to",
                            bytes as f64,
                            source.options.most(),
                        ));
                    }
                    let more: Vec<Sample> = entry(archive, entries, part)?;
                    samples.extend(more);
                }
            }
        }
        progress(0.4);
        let mut unread = completed(archive, entries, &mut samples, MOST_OF_SAMPLES.min(source.options.most()))?;
        unread.incomplete = place("header.json").is_none();
        progress(0.8);
        attempts(source, &head, samples, unread)
    };
    Some(read())
}

/// Completes summaries by the entries of their samples, up to so many bytes together. What summaries cut elsewhere is missing.
///
/// # Errors
/// Those of the archive; `table_unreadable` with the entry for what is no JSON.
fn completed(archive: &mut Archive<'_>, entries: &[String], samples: &mut [Sample], most: u64) -> Result<Unread> {
    let places: HashMap<&str, usize> = entries.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
    let (mut unread, mut bytes) = (Unread::default(), 0u64);
    for sample in samples {
        let name = format!("samples/{}_epoch_{}.json", key(&sample.id), key(&sample.epoch));
        let place = places.get(name.as_str()).copied();
        bytes = bytes.saturating_add(place.map_or(0, |place| archive.size(place)));
        match place.filter(|_| bytes <= most) {
            Some(place) => {
                let Details { input, metadata, output } = entry(archive, entries, place)?;
                sample.output = output;
                for (ours, whole) in [(&mut sample.input, input), (&mut sample.metadata, metadata)] {
                    if whole != JsonCell::Missing {
                        *ours = whole;
                    }
                }
            }
            None => {
                unread.samples += 1;
                unread.cut += without_cut(&mut sample.metadata);
            }
        }
    }
    Ok(unread)
}

/// Takes out the values that a summary cut, and counts them.
fn without_cut(metadata: &mut JsonCell) -> usize {
    let JsonCell::Fields(fields) = metadata else { return 0 };
    let is_cut = |cell: &JsonCell| cell.text().is_some_and(|text| CUT.contains(&text));
    let mut cut = 0;
    for (_, cell) in fields.iter_mut().filter(|(_, cell)| is_cut(cell)) {
        *cell = JsonCell::Missing;
        cut += 1;
    }
    cut
}

/// An entry, read as JSON.
fn entry<T: serde::de::DeserializeOwned>(archive: &mut Archive<'_>, entries: &[String], place: usize) -> Result<T> {
    let name = entries.get(place).map_or("", String::as_str);
    of_json(&archive.contents(place)?).map_err(|error| error.at(format!(", entry {}.", quoted(name))))
}

/// Names of correctness within the value of a scorer.
const OUTCOMES: &[&str] = &["score", "correct"];

/// What a scorer says of the answer: `score` or `correct` of an object with one of them, with or without a confidence beside it,
/// else the value.
fn outcome(score: &JsonCell) -> &JsonCell {
    let value = score.at("value");
    if !has(value, OUTCOMES) {
        return value;
    }
    let given = OUTCOMES.iter().map(|name| value.at(name)).find(|cell| **cell != JsonCell::Missing);
    given.unwrap_or(&JsonCell::Missing)
}

/// The confidence beside correctness, else that of the metadata.
fn confidence(score: &JsonCell) -> &JsonCell {
    let value = score.at("value");
    match value.at("confidence") {
        JsonCell::Missing => score.at("metadata").at("confidence"),
        inside if has(value, OUTCOMES) => inside,
        _ => score.at("metadata").at("confidence"),
    }
}

/// Whether an object has one of these names, whatever stands there.
fn has(object: &JsonCell, names: &[&str]) -> bool {
    matches!(object, JsonCell::Fields(fields) if fields.iter().any(|(name, _)| names.contains(&name.as_str())))
}

fn scorers(samples: &[Sample]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for sample in samples {
        let JsonCell::Fields(scores) = &sample.scores else { continue };
        for (name, _) in scores {
            if !all.contains(name) && all.len() < 100 {
                all.push(name.clone());
            }
        }
    }
    all
}

fn attempts(source: &Source<'_>, head: &Whole, samples: Vec<Sample>, unread: Unread) -> Result<Contents> {
    let samples = some(samples, "Inspect")?;
    let names = scorers(&samples);
    let gives = |name: &&String| samples.iter().any(|sample| *confidence(sample.scores.at(name)) != JsonCell::Missing);
    let headline = head.results.as_ref().and_then(|results| results.headline.at("scorer").text());
    let preferred = names.iter().filter(|name| Some(name.as_str()) == headline).chain(&names);
    let Some(scorer) = preferred.clone().find(gives) else {
        return Ok(without_confidence(
            source,
            "Inspect",
            format!(
                "None of its scorers recorded one ({}). Let the scorer return Score(value={{\"score\": …, \"confidence\": 0 to 100}}).",
                if names.is_empty() { "there are none".to_owned() } else { listed(&names) }
            ),
        ));
    };
    let mut attempts = Attempts::new(source);
    for sample in &samples {
        let attempt = attempt(sample, scorer);
        attempts.judgments.note(scorer, outcome(sample.scores.at(scorer)), attempt.verdict);
        attempts.push(attempt);
    }
    let other: Vec<&String> = names.iter().filter(|name| *name != scorer).collect();
    if !other.is_empty() {
        let message = format!("Scorers that are not used: {}.", listed(&other));
        attempts.warn("log_scorers", message);
    }
    let started = head.status.text().is_some_and(|status| status != "success");
    if unread.incomplete || started {
        let message = "The run is incomplete: it did not end with success. Samples that are missing are not counted.";
        attempts.warn("log_incomplete", message.to_owned());
    }
    if unread.samples > 0 {
        let cut = match unread.cut {
            0 => String::new(),
            cut => format!(
                ", and {} that they cut {} missing",
                counted(cut, "long value"),
                if cut == 1 { "is" } else { "are" }
            ),
        };
        let message = format!(
            "Only the summaries of {} of {} were read: refusals are not known there{cut}.",
            thousands(unread.samples),
            counted(samples.len(), "sample")
        );
        attempts.warn("log_summaries", message);
    }
    let of = |name: &str, cell: &JsonCell| cell.text().map(|text| format!("{name} {text}"));
    let about: Vec<String> =
        [of("task", &head.eval.task), of("model", &head.eval.model)].into_iter().flatten().collect();
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
    let told = format!("log of Inspect{about}: correct and confidence are those of the scorer {scorer}");
    attempts.finished(source, bounded(told)).map(Contents::Columns)
}

fn attempt(sample: &Sample, scorer: &str) -> Attempt {
    let score = sample.scores.at(scorer);
    let verdict = Verdict::of(outcome(score)).of_inspect();
    let filtered = sample.output.as_ref().and_then(|output| output.choices.first());
    let status = if sample.error != JsonCell::Missing {
        Some(Status::Failed)
    } else if filtered.is_some_and(|chosen| chosen.stop_reason.text() == Some("content_filter")) {
        Some(Status::Refused)
    } else if verdict == Verdict::None && *score != JsonCell::Missing {
        // a value that is NaN or null: the scorer could not read the answer
        Some(Status::Unparsed)
    } else {
        None
    };
    Attempt {
        question: sample.id.clone(),
        number: sample.epoch.number(),
        text: question_text(&sample.input),
        verdict,
        confidence: Stated::of(confidence(score)),
        status,
        fields: scalars(&sample.metadata, &[]),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{Cursor, Write};

    use super::super::super::{ReadFile, read};
    use super::*;
    use crate::table::Values;

    #[test]
    fn the_last_message_of_the_user_is_the_question() {
        let of = |text: &str| serde_json::from_str::<JsonCell>(text).ok().as_ref().and_then(question_text);
        assert_eq!(of("\"Why?\"").as_deref(), Some("Why?"));
        let messages = "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"b\"}]},{\"role\":\"assistant\",\"content\":\"c\"}]";
        assert_eq!(of(messages).as_deref(), Some("b"));
        assert_eq!(of("[]"), None);
    }

    const HEAD: &str = "\"version\": 2, \"status\": \"success\", \"eval\": {\"task\": \"t\"}";

    /// Three samples, the second stopped by a filter, and their summaries with metadata cut.
    fn samples(whole: bool) -> Vec<String> {
        let long = if whole { "a long note" } else { "..." };
        let one = |id: usize, value: &str, reason: &str| {
            let output = format!("\"output\": {{\"choices\": [{{\"stop_reason\": \"{reason}\"}}]}},");
            format!(
                "{{\"id\": \"q{id}\", \"epoch\": 1, \"input\": \"Why {id}?\", \"metadata\": {{\"note\": \"{long}\"}}, {} \
                 \"scores\": {{\"s\": {{\"value\": {{\"score\": {value}, \"confidence\": 90}}}}}}}}",
                if whole { &output } else { "" }
            )
        };
        vec![one(1, "\"C\"", "stop"), one(2, "NaN", "content_filter"), one(3, "NaN", "stop")]
    }

    fn archive(with_samples: bool) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        let mut put = |name: &str, text: &str| {
            zip.start_file(name, stored).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        };
        put("header.json", &format!("{{{HEAD}}}"));
        put("summaries.json", &format!("[{}]", samples(false).join(", ")));
        for (k, sample) in samples(true).iter().enumerate().filter(|_| with_samples) {
            put(&format!("samples/q{}_epoch_1.json", k + 1), sample);
        }
        zip.finish().unwrap().into_inner()
    }

    fn column(file: &ReadFile, name: &str) -> Vec<String> {
        let column = file.columns.iter().find(|column| column.name == name).map(|column| &column.values);
        match column {
            Some(Values::Text { codes, levels }) => codes.iter().map(|code| levels.text(*code).to_owned()).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn an_archive_says_of_its_samples_what_the_json_says() {
        let json = format!("{{{HEAD}, \"samples\": [{}]}}", samples(true).join(", "));
        let json = read("a.json", json.as_bytes(), &mut |_| ()).unwrap();
        let eval = read("a.eval", &archive(true), &mut |_| ()).unwrap();
        for file in [&json, &eval] {
            assert_eq!(column(file, "status"), ["answered", "refused", "unparsed"]);
            assert_eq!(column(file, "note"), ["a long note"; 3]);
            assert!(file.warnings.is_empty(), "{:?}", file.warnings);
        }
    }

    #[test]
    fn judged_answers_without_a_confidence_keep_their_judgment() {
        let sample = |(id, value): (usize, &&str)| {
            format!(
                "{{\"id\": {id}, \"epoch\": 1, \"input\": \"Why {id}?\", \"scores\": {{\"s\": {{\"value\": {value}}}}}}}"
            )
        };
        for [right, wrong] in [
            ["\"score\": 1", "\"score\": 0.0"],
            ["\"correct\": true", "\"correct\": false"],
            ["\"score\": \"C\"", "\"score\": \"I\""],
        ] {
            let values = [
                format!("{{{right}, \"confidence\": 90}}"),
                format!("{{{wrong}, \"confidence\": 60}}"),
                format!("{{{right}, \"confidence\": null}}"),
                format!("{{{wrong}}}"),
                format!("{{{right}, \"confidence\": NaN}}"),
            ];
            let samples: Vec<String> = values.each_ref().map(String::as_str).iter().enumerate().map(sample).collect();
            let log = format!("{{{HEAD}, \"samples\": [{}]}}", samples.join(", "));
            let file = read("a.json", log.as_bytes(), &mut |_| ()).unwrap();
            assert!(file.warnings.is_empty(), "{:?}", file.warnings);
            let none = "no confidence";
            assert_eq!(column(&file, "status"), ["answered", "answered", none, none, none]);
            let correct = file.columns.iter().find(|column| column.name == "correct").unwrap();
            let Values::Numbers(correct) = &correct.values else { panic!("{correct:?}") };
            assert_eq!(correct.to_vec(), [1.0, 0.0, 1.0, 0.0, 1.0], "{right}");
        }
    }

    #[test]
    fn metadata_that_summaries_cut_is_missing_without_the_samples() {
        let file = read("a.eval", &archive(false), &mut |_| ()).unwrap();
        assert_eq!(column(&file, "status"), ["answered", "unparsed", "unparsed"]);
        assert!(column(&file, "note").iter().all(String::is_empty), "{:?}", column(&file, "note"));
        assert_eq!(
            file.warnings[0].message,
            "Only the summaries of 3 of 3 samples were read: refusals are not known there, and 3 long values that they cut are \
             missing."
        );
    }
}
