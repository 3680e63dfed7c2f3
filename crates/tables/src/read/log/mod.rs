//! Evaluation logs of language models: attempts at questions, each with whether it was correct and how confident it was.
//!
//! What the tools call differently becomes the same columns: `question_id`, `attempt`, `question`, `confidence`, `correct`,
//! `status`, and what the tool knows of the question besides.

mod attempts;
mod beside_helm;
mod harness;
mod helm;
mod inspect;
mod judged;
mod opening;
mod plain;
mod questions;
mod verdict;

pub(crate) use attempts::{UNREADABLE as CONFIDENCE_UNREADABLE, check_ratings};
pub(crate) use beside_helm::with_questions;
pub(crate) use harness::task;
pub(super) use inspect::{is_archive, of_archive};
pub(crate) use verdict::UNREADABLE as JUDGMENT_UNREADABLE;

use super::json::JsonCell;
use super::{Contents, Format, ReadFile, Source};
use crate::error::{Error, Result, message, phrases};
use crate::words::text::quoted;

/// The formats, in the order in which they are tried.
pub(super) const HARNESS: Format = harness::FORMAT;
pub(super) const HARNESS_SUMMARY: Format = harness::SUMMARY;
pub(super) const HELM: Format = helm::FORMAT;
pub(super) const HELM_BESIDE: Format = beside_helm::FORMAT;
pub(super) const INSPECT: Format = inspect::FORMAT;
pub(super) const JUDGED: Format = judged::FORMAT;
pub(super) const SIMPLE_EVALS: Format = judged::SIMPLE_EVALS;
pub(super) const PLAIN: Format = plain::FORMAT;

/// What a file says of itself, where it is a log.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Log {
    /// which tool wrote it, and what was taken as confidence and as correct, in a sentence
    pub summary: String,
    /// what its columns say, by their names
    pub columns: Vec<(String, Meaning)>,
}

/// What a column of a log says of an attempt.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Meaning {
    /// which question it is about
    Question {
        /// whether there are several attempts at one question
        repeats: bool,
    },
    /// the text of the question
    Text,
    /// which of several attempts it is
    Attempt,
    /// how probable it is that the answer is correct, by the model
    Confidence,
    /// whether the answer was correct
    Correct,
    /// whether it has both, else why not: one of the words of [`Status`]
    Status,
    /// something else that is known of the question: it defines groups, and is neither a score nor an outcome whatever its name
    Field,
    /// what is not used, and why
    Unused(String),
}

/// Whether an attempt can be scored, else why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Status {
    /// it has a confidence and was judged
    Answered,
    /// no confidence is stated
    NoConfidence,
    /// the model, or a filter, refused
    Refused,
    /// the model gave no answer
    NotAttempted,
    /// the answer or its confidence could not be read
    Unparsed,
    /// the answer was not judged
    NotJudged,
    /// it was judged partly correct
    PartlyCorrect,
    /// the attempt ended with an error
    Failed,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 8] = [
        Status::Answered,
        Status::NoConfidence,
        Status::Refused,
        Status::NotAttempted,
        Status::Unparsed,
        Status::NotJudged,
        Status::PartlyCorrect,
        Status::Failed,
    ];

    /// As the column `status` has it.
    pub fn word(self) -> &'static str {
        match self {
            Status::Answered => "answered",
            Status::NoConfidence => "no confidence",
            Status::Refused => "refused",
            Status::NotAttempted => "not attempted",
            Status::Unparsed => "unparsed",
            Status::NotJudged => "not judged",
            Status::PartlyCorrect => "partly correct",
            Status::Failed => "error",
        }
    }
}

/// What a file of an evaluation lacks, where none of its answers can be scored. Alone it is refused; beside logs with answers it
/// is left out.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Unscored {
    /// no answer has a confidence
    NoConfidence {
        /// the tool that wrote the log
        tool: String,
        /// what to do about it
        remedy: String,
    },
    /// the metrics of a run of lm-evaluation-harness, without single answers
    Summary,
    /// a file of a run of HELM other than the statistics of its instances; its columns, if any, are the questions
    BesideHelm,
}

impl Unscored {
    /// Why the file, opened alone, is refused.
    pub fn refusal(&self, file_name: &str) -> Error {
        let error = match self {
            Unscored::NoConfidence { tool, remedy } => {
                Error::new("roles_unclear", format!("This is a log of {tool} without a confidence."), remedy.clone())
            }
            Unscored::Summary => Error::new(
                "file_unknown",
                "This is the summary of a run of lm-evaluation-harness, which holds no single answers.",
                message![
                    phrases::DROP_AT_FIRST,
                    " samples_*.jsonl of the same folder, which the run writes with --log_samples."
                ],
            ),
            Unscored::BesideHelm => Error::new(
                "file_unknown",
                "This file of a run of HELM holds no confidences.",
                message![
                    phrases::DROP_AT_FIRST,
                    " per_instance_stats.json of the same folder, with or without this file."
                ],
            ),
        };
        error.at(format!(" (file {}).", quoted(file_name)))
    }
}

/// A file none of whose answers can be scored.
fn unscored(source: &Source<'_>, why: Unscored) -> Contents {
    Contents::Columns(ReadFile { name: source.name.to_owned(), unscored: Some(Box::new(why)), ..ReadFile::default() })
}

/// A log without a confidence, which says nothing about calibration.
fn without_confidence(source: &Source<'_>, tool: &str, remedy: impl Into<String>) -> Contents {
    unscored(source, Unscored::NoConfidence { tool: tool.to_owned(), remedy: remedy.into() })
}

/// Refuses a log without a single attempt.
fn some<T>(attempts: Vec<T>, what: &str) -> Result<Vec<T>> {
    match attempts.is_empty() {
        false => Ok(attempts),
        true => Err(Error::new("empty", format!("The log of {what} contains no attempt."), "Write the log again.")),
    }
}

/// The text of a question: the text itself, or that of the last message of the user.
fn question_text(input: &JsonCell) -> Option<String> {
    if let Some(text) = input.text() {
        return Some(text.to_owned());
    }
    let last = input.listed().iter().rfind(|message| message.at("role").text() == Some("user"))?;
    let content = last.at("content");
    let part = |part: &JsonCell| part.at("text").text().map(str::to_owned);
    content.text().map(str::to_owned).or_else(|| content.listed().iter().find_map(part))
}

impl JsonCell {
    /// What stands under a name of an object.
    fn at(&self, name: &str) -> &JsonCell {
        match self {
            JsonCell::Fields(fields) => {
                fields.iter().find(|(known, _)| known == name).map_or(&JsonCell::Missing, |(_, cell)| cell)
            }
            _ => &JsonCell::Missing,
        }
    }

    /// What stands at a place of a list.
    fn item(&self, place: usize) -> &JsonCell {
        match self {
            JsonCell::List(items) => items.get(place).unwrap_or(&JsonCell::Missing),
            _ => &JsonCell::Missing,
        }
    }

    /// Items of a list; none of anything else.
    fn listed(&self) -> &[JsonCell] {
        match self {
            JsonCell::List(items) => items,
            _ => &[],
        }
    }

    /// A text.
    fn text(&self) -> Option<&str> {
        match self {
            JsonCell::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number, also one that is written as a text: `"-0.26"`, `"-inf"`.
    fn number(&self) -> Option<f64> {
        match self {
            JsonCell::Number(number) => Some(*number),
            JsonCell::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
        .filter(|number| !number.is_nan())
    }
}
