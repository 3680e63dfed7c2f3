//! A log in plain JSON: an object for each answer, with its question, its confidence and whether it was correct, such as
//! `{"id": "r01", "question": "…", "category": "A", "confidence": 95, "correct": true}`.

use super::super::json::{self, JsonCell, strict, unreadable, without_mark};
use super::super::{Contents, Format, Source};
use super::attempts::{Attempt, Attempts, Stated, Verdict, scalars};
use super::opening::Opening;
use super::some;
use crate::error::Result;

/// Names of what every answer has, best first.
const QUESTION: &[&str] = &["question", "prompt", "problem", "query", "input"];
const CONFIDENCE: &[&str] = &["confidence", "conf", "stated_confidence", "prob", "probability", "p"];
const CORRECT: &[&str] = &["correct", "is_correct", "grade"];
/// Names that judge an answer only where nothing else in the file could be what they judge: beside a probability or a
/// predicted class they are the class that was observed.
const PERHAPS_CORRECT: &[&str] = &["label", "score"];
const PREDICTED: &[&str] = &["prediction", "predicted", "pred", "predicted_label", "predicted_class"];
const ID: &[&str] = &["question_id", "id", "sample_id", "doc_id"];
const ATTEMPT: &[&str] = &["attempt", "epoch", "trial"];

pub(super) const FORMAT: Format = Format {
    name: "log in plain JSON",
    endings: &["jsonl", "json"],
    recognises: |source| {
        let opening = Opening::of(source.bytes);
        let some = |names: &[&str]| names.iter().any(|name| opening.has(&[name]));
        let perhaps = || some(CONFIDENCE.get(..3).unwrap_or_default()) && some(PERHAPS_CORRECT) && !some(PREDICTED);
        some(QUESTION) && (some(CONFIDENCE) && some(CORRECT) || perhaps())
    },
    read,
};

/// Shorter lists of numbers are no embeddings: probabilities of the choices, say.
const SHORTEST_EMBEDDING: usize = 16;

/// Lists of numbers, such as the embedding of the question.
fn embeddings(answer: &JsonCell) -> Vec<(String, JsonCell)> {
    let JsonCell::Fields(fields) = answer else { return Vec::new() };
    let is_one = |cell: &JsonCell| match cell {
        JsonCell::List(items) => {
            items.len() >= SHORTEST_EMBEDDING && items.iter().all(|item| matches!(item, JsonCell::Number(_)))
        }
        _ => false,
    };
    fields.iter().filter(|(_, cell)| is_one(cell)).cloned().collect()
}

fn read(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let bytes = &*strict(without_mark(source.bytes));
    let opening = Opening::of(bytes);
    let answers: Vec<JsonCell> = match opening.list {
        true => serde_json::from_slice(bytes),
        false => serde_json::Deserializer::from_slice(bytes).into_iter().collect(),
    }
    .map_err(|error| unreadable(&error))?;
    let answers = some(answers, "answers")?;
    let name = |names: &[&'static str]| names.iter().copied().find(|name| opening.has(&[name])).unwrap_or_default();
    let (question, confidence) = (name(QUESTION), name(CONFIDENCE));
    let correct = match name(CORRECT) {
        "" => name(PERHAPS_CORRECT),
        correct => correct,
    };
    let judged = |answer: &JsonCell| !matches!(Verdict::of(answer.at(correct)), Verdict::Unreadable | Verdict::Partly);
    if PERHAPS_CORRECT.contains(&correct) && !answers.iter().all(judged) {
        return (json::FORMAT.read)(source, progress);
    }
    let (id, attempt) = (name(ID), name(ATTEMPT));
    let own = [question, confidence, correct, id, attempt];
    let mut attempts = Attempts::new(source);
    for answer in answers {
        attempts.push(Attempt {
            question: if id.is_empty() { answer.at(question).clone() } else { answer.at(id).clone() },
            number: answer.at(attempt).number(),
            text: answer.at(question).text().map(str::to_owned),
            verdict: Verdict::of(answer.at(correct)),
            confidence: Stated::of(answer.at(confidence)),
            fields: scalars(&answer, &own).into_iter().chain(embeddings(&answer)).collect(),
            ..Attempt::default()
        });
    }
    progress(1.0);
    let told = match (correct, confidence) {
        ("correct", "confidence") => "answers of a language model: fields correct and confidence".to_owned(),
        _ => format!("answers of a language model: correct is {correct}, confidence is {confidence}"),
    };
    attempts.finished(source, told).map(Contents::Columns)
}
