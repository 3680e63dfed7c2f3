//! Answers judged by a model, as the scripts of Humanity's Last Exam write them: an object by question, with
//! `judge_response.correct` and `judge_response.confidence`; and what simple-evals writes, which has neither.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::super::json::{JsonCell, strict, unreadable, without_mark};
use super::super::{Contents, Format, Source};
use super::attempts::{Attempt, Attempts, Stated};
use super::opening::Opening;
use super::verdict::Verdict;
use super::{some, without_confidence};
use crate::error::Result;
use crate::words::text::counted;

pub(super) const FORMAT: Format = Format {
    endings: &["json"],
    recognizes: |source| {
        let opening = Opening::of(source.bytes);
        let inner = |name: &str| opening.inner.iter().any(|known| known == name);
        !opening.list && inner("response") && (inner("judge_response") || inner("model") && inner("usage"))
    },
    read,
};

/// The whole results of simple-evals.
pub(super) const SIMPLE_EVALS: Format = Format {
    endings: &["json"],
    recognizes: |source| {
        let opening = Opening::of(source.bytes);
        !opening.list && opening.has(&["score", "htmls", "convos"])
    },
    read: |source, _| {
        Ok(without_confidence(
            source,
            "simple-evals",
            "It keeps neither grades nor confidences of single answers, and for BrowseComp marks every answer wrong. Write one \
             object per line with `question`, `confidence` and `grade` (A, B or C), where the grader returns them.",
        ))
    },
};

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    model: JsonCell,
    #[serde(default)]
    response: JsonCell,
    #[serde(default)]
    judge_response: Judged,
}

#[derive(Deserialize, Default)]
struct Judged {
    #[serde(default)]
    correct: JsonCell,
    #[serde(default)]
    confidence: JsonCell,
}

/// The entries of an object in their order.
struct Entries<T>(Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct InOrder<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Entries<T>;
            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an object with an entry for each question")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> std::result::Result<Entries<T>, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = entries.next_entry()? {
                    all.push(entry);
                }
                Ok(Entries(all))
            }
        }
        from.deserialize_map(InOrder(PhantomData))
    }
}

fn read(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let Entries(answers) = serde_json::from_slice::<Entries<Answer>>(&strict(without_mark(source.bytes)))
        .map_err(|error| unreadable(&error))?;
    let answers = some(answers, "judged answers")?;
    let mut attempts = Attempts::new(source);
    let mut assumed = 0;
    for (question, answer) in answers {
        let Judged { correct, confidence } = answer.judge_response;
        let says = answer.response.text().unwrap_or_default().to_lowercase().contains("confidence");
        assumed += usize::from(confidence.number() == Some(100.0) && !says);
        let verdict = Verdict::of(&correct);
        attempts.judgments.note("judge_response.correct", &correct, verdict);
        attempts.push(Attempt {
            question: JsonCell::Text(question),
            verdict,
            confidence: Stated::of(&confidence),
            fields: vec![("model".to_owned(), answer.model)],
            ..Attempt::default()
        });
    }
    if assumed > 0 {
        attempts.warn(
            "confidence_assumed",
            format!(
                "The judge writes 100 where an answer states no confidence: {} with 100 do not contain the word `confidence`.",
                counted(assumed, "answer")
            ),
        );
    }
    progress(1.0);
    let told =
        "answers with a judge: correct is judge_response.correct, confidence is judge_response.confidence".to_owned();
    attempts.finished(source, told).map(Contents::Columns)
}
