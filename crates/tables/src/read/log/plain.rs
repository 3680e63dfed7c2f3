//! A log in plain JSON: an object for each answer, with its question, its confidence and whether it was correct, such as
//! `{"id": "r01", "question": "…", "category": "A", "confidence": 95, "correct": true}`.

use std::collections::HashMap;

use super::super::json::{self, JsonCell, strict, unreadable, without_mark};
use super::super::{Contents, Format, Source};
use super::attempts::{Attempt, Attempts, Stated, key, scalars};
use super::opening::Opening;
use super::questions::Questions;
use super::verdict::Verdict;
use super::{Status, question_text, some};
use crate::error::Result;
use crate::words::text::{listed, thousands};

/// Names of what every answer has, best first.
const QUESTION: &[&str] = &["question", "prompt", "problem", "query", "input", "messages"];
const CONFIDENCE: &[&str] = &["confidence", "conf", "stated_confidence", "certainty", "prob", "probability", "p"];
/// How many of them say that they are confidences.
const SURELY_CONFIDENCE: usize = 4;
const CORRECT: &[&str] = &["correct", "is_correct", "grade"];
/// Names that say of letters that they are grades.
const GRADES: &[&str] = &["grade", "verdict", "judgment", "judgement"];
/// Names that judge an answer beside a confidence, where all of their values are judgments: `judge` may also name who judged.
const JUDGED: &[&str] = &["exact_match", "em", "quasi_exact_match", "verdict", "judgment", "judgement", "judge"];
/// Names that do so where there is no better one and both judgments occur: `success` may also say that each request was answered.
const PASSED: &[&str] = &["passed", "success"];
/// Names that judge an answer only where nothing else in the file could be what they judge, too: beside a predicted class they
/// are the class that was observed.
const PERHAPS_CORRECT: &[&str] = &["label", "score"];
const PREDICTED: &[&str] = &["prediction", "predicted", "pred", "predicted_label", "predicted_class"];
/// Names of the answer of the model, which may be the letter of a choice.
const ANSWERED: &[&str] =
    &["answer", "prediction", "predicted", "pred", "model_answer", "predicted_answer", "response", "choice", "output"];
const ID: &[&str] = &["question_id", "id", "sample_id", "doc_id"];
const ATTEMPT: &[&str] = &["attempt", "epoch", "trial"];

pub(super) const FORMAT: Format = Format {
    endings: &["jsonl", "json"],
    recognizes: |source| is_answer(&Opening::of_one_that(source.bytes, is_answer)),
    read,
};

/// Whether a record has what every answer has.
fn is_answer(opening: &Opening) -> bool {
    let some = |names: &[&str]| names.iter().any(|name| opening.has(&[name]));
    let judged = || some(JUDGED) || some(PASSED) || some(PERHAPS_CORRECT) && !some(PREDICTED);
    let confident = || some(CONFIDENCE.get(..SURELY_CONFIDENCE).unwrap_or_default());
    some(QUESTION) && (some(CONFIDENCE) && some(CORRECT) || confident() && judged())
}

/// Where an answer has what.
struct Places {
    question: &'static str,
    confidence: &'static str,
    correct: &'static str,
    id: &'static str,
    attempt: &'static str,
}

impl Places {
    /// By the names of one answer; of several fields that may be the question the first that is not the same in all answers, such as
    /// a prompt that all share.
    fn of(opening: &Opening, answers: &[JsonCell]) -> Self {
        let among = |names: &[&'static str]| names.iter().copied().find(|name| opening.has(&[name]));
        let name = |names: &[&'static str]| among(names).unwrap_or_default();
        let differs = |name: &str| {
            let mut cells = answers.iter().map(|answer| answer.at(name)).filter(|cell| **cell != JsonCell::Missing);
            cells.next().is_some_and(|first| cells.any(|cell| cell != first))
        };
        let known = |name: &str| answers.iter().any(|answer| *answer.at(name) != JsonCell::Missing);
        let judged = || JUDGED.iter().copied().find(|name| known(name) && are_judged(answers, name));
        let perhaps = || among(PERHAPS_CORRECT).filter(|name| among(PREDICTED).is_none() && are_judged(answers, name));
        let passed = || PASSED.iter().copied().find(|name| differs(name) && are_judged(answers, name));
        let questions: Vec<&'static str> = QUESTION.iter().copied().filter(|name| opening.has(&[name])).collect();
        Self {
            question: questions.iter().find(|name| differs(name)).or(questions.first()).copied().unwrap_or_default(),
            confidence: name(CONFIDENCE),
            correct: among(CORRECT).or_else(judged).or_else(perhaps).or_else(passed).unwrap_or_default(),
            id: name(ID),
            attempt: name(ATTEMPT),
        }
    }

    /// Whether a record says nothing of an answer: it is about the run.
    fn is_none(&self, record: &JsonCell) -> bool {
        [self.question, self.confidence, self.correct, self.id].iter().all(|name| *record.at(name) == JsonCell::Missing)
    }
}

/// The text of a question, and what is known of it besides where it is an object.
fn question_of(answer: &JsonCell, name: &str) -> (Option<String>, Vec<(String, JsonCell)>) {
    let cell = answer.at(name);
    let inner = QUESTION.iter().chain(&["text"]).find_map(|name| Some((*name, question_text(cell.at(name))?)));
    let Some((place, text)) = inner else { return (question_text(cell), scalars(cell, &[])) };
    let named = |(field, cell): (String, JsonCell)| {
        let taken = *answer.at(&field) != JsonCell::Missing;
        (if taken { format!("{name}.{field}") } else { field }, cell)
    };
    (Some(text), scalars(cell, &[place]).into_iter().map(named).collect())
}

/// Shorter lists of numbers are no embeddings: probabilities of the choices, say.
const SHORTEST_EMBEDDING: usize = 16;

/// Fields of a record that is no answer of which the names are given.
const MOST_NAMED: usize = 4;

/// Different shares of partial credit that a judge gives.
const MOST_CREDITS: usize = 3;

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

/// The field whose texts are letters of choices, as far as there are texts, where one has the answers of the model.
fn letters_of_answers(answers: &[JsonCell]) -> Option<&'static str> {
    let is_letter = |text: &str| matches!(text.trim().as_bytes(), [letter] if letter.is_ascii_alphabetic());
    let lettered = |name: &str| {
        let mut cells =
            answers.iter().map(|answer| answer.at(name)).filter(|cell| **cell != JsonCell::Missing).peekable();
        cells.peek().is_some() && cells.all(|cell| cell.text().is_some_and(is_letter))
    };
    ANSWERED.iter().copied().find(|name| lettered(name))
}

/// A flag that an answer was refused; `None` where the values are none.
const REFUSED: &[&str] = &["refused", "is_refused", "refusal", "is_refusal"];

/// What the fields of an answer say of whether it can be scored, and the fields that say nothing else.
struct StatusFields {
    /// the flag of a refusal, if there is one
    refused: Option<&'static str>,
    /// whether the field `status` holds such words alone
    status: bool,
    /// whether the field `error` says of answers without confidence and judgment why they have none
    error: bool,
}

impl StatusFields {
    /// Of all answers. O(answers).
    fn of(answers: &[JsonCell], places: &Places) -> Self {
        let flags = |name: &str| answers.iter().all(|answer| is_set(answer.at(name)).is_some());
        let there = |name: &str| answers.iter().any(|answer| *answer.at(name) != JsonCell::Missing);
        let words = |answer: &JsonCell| match answer.at("status") {
            JsonCell::Missing => true,
            cell => cell.text().is_some_and(|word| outcome(word).is_some()),
        };
        let ended = |answer: &JsonCell| {
            let scored = [places.confidence, places.correct].iter().any(|name| *answer.at(name) != JsonCell::Missing);
            !(scored && is_error(answer))
        };
        Self {
            error: there("error") && answers.iter().all(ended),
            refused: REFUSED.iter().copied().find(|name| there(name) && flags(name)),
            status: there("status") && answers.iter().all(words),
        }
    }

    /// Why an answer cannot be scored; `None` where its confidence and judgment say so.
    fn status(&self, answer: &JsonCell) -> Option<Status> {
        let refused = self.refused.is_some_and(|name| is_set(answer.at(name)) == Some(true));
        let word = || answer.at("status").text().and_then(outcome).flatten();
        match refused {
            true => Some(Status::Refused),
            false if self.error && is_error(answer) => Some(Status::Failed),
            false => word(),
        }
    }

    /// Names of fields that are nothing else.
    fn own(&self) -> impl Iterator<Item = &'static str> {
        self.refused.into_iter().chain(self.status.then_some("status")).chain(self.error.then_some("error"))
    }
}

/// Whether an answer has an error: a text or an object, or a flag that is set.
fn is_error(answer: &JsonCell) -> bool {
    match answer.at("error") {
        JsonCell::Fields(_) => true,
        cell => is_set(cell) == Some(true),
    }
}

/// A flag: a truth, 1 or 0, yes or no, or the text of a refusal; `None` for another number or an object.
fn is_set(cell: &JsonCell) -> Option<bool> {
    match cell {
        JsonCell::Missing => Some(false),
        JsonCell::Number(number) if *number == 0.0 || *number == 1.0 => Some(*number == 1.0),
        JsonCell::Text(text) => {
            let word = text.trim().to_lowercase();
            Some(!matches!(word.as_str(), "false" | "no" | "none" | "null" | "0" | "n" | "f"))
        }
        _ => None,
    }
}

/// What a word of a field `status` says: why an answer cannot be scored, or that its confidence and judgment tell.
fn outcome(word: &str) -> Option<Option<Status>> {
    let word = word.trim().to_lowercase().replace(['_', '-'], " ");
    match word.as_str() {
        "ok" | "answered" | "success" | "succeeded" | "complete" | "completed" | "done" => Some(None),
        "no confidence" | "no judgment" | "no judgement" | "not judged" => Some(None),
        "refused" | "refusal" | "content filter" | "declined" => Some(Some(Status::Refused)),
        "not attempted" | "no answer" | "abstained" | "unanswered" => Some(Some(Status::NotAttempted)),
        "unparsed" | "unparseable" | "unparsable" | "parse error" | "invalid" => Some(Some(Status::Unparsed)),
        "partly correct" | "partially correct" => Some(Some(Status::PartlyCorrect)),
        "error" | "failed" | "failure" | "timeout" => Some(Some(Status::Failed)),
        _ => None,
    }
}

fn read(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let bytes = &*strict(without_mark(source.bytes));
    let opening = Opening::of_one_that(bytes, is_answer);
    let answers: Vec<JsonCell> = match opening.list {
        true => serde_json::from_slice(bytes),
        false => serde_json::Deserializer::from_slice(bytes).into_iter().collect(),
    }
    .map_err(|error| unreadable(&error))?;
    let mut answers = some(answers, "answers")?;
    let places = Places::of(&opening, &answers);
    let Places { confidence, correct, .. } = places;
    // An object of columns has the same names.
    let column = |cell: &JsonCell| matches!(cell, JsonCell::Fields(_) | JsonCell::List(_));
    if let [only] = answers.as_slice()
        && (column(only.at(confidence)) || column(only.at(correct)))
    {
        return (json::FORMAT.read)(source, progress);
    }
    let others: Vec<JsonCell> = answers.extract_if(.., |record| places.is_none(record)).collect();
    if correct.is_empty() {
        return (json::FORMAT.read)(source, progress);
    }
    let mut attempts = Attempts::new(source);
    if let Some(first) = others.first() {
        attempts.warn("log_passed_over", passed_over(&others, first));
    }
    push_all(&mut attempts, some(answers, "answers")?, &places);
    progress(1.0);
    let told = match (correct, confidence) {
        ("correct", "confidence") => "answers of a language model: fields correct and confidence".to_owned(),
        _ => format!("answers of a language model: correct is {correct}, confidence is {confidence}"),
    };
    attempts.finished(source, told).map(Contents::Columns)
}

/// Whether all of these are judgments. A few shares between 0 and 1 are partial credit, many a score.
fn are_judged(answers: &[JsonCell], correct: &str) -> bool {
    let mut partial: Vec<f64> = answers.iter().filter_map(|answer| answer.at(correct).number()).collect();
    partial.retain(|share| 0.0 < *share && *share < 1.0);
    partial.sort_unstable_by(f64::total_cmp);
    partial.dedup();
    let credit = partial.len() <= MOST_CREDITS;
    answers.iter().all(|answer| match Verdict::of(answer.at(correct)) {
        Verdict::Partly => credit,
        verdict => verdict.is_known(),
    })
}

/// That records say nothing of an answer.
fn passed_over(records: &[JsonCell], first: &JsonCell) -> String {
    let names: Vec<&str> = match first {
        JsonCell::Fields(fields) => fields.iter().map(|(name, _)| name.as_str()).take(MOST_NAMED).collect(),
        _ => Vec::new(),
    };
    let fields =
        |whose: &str| if names.is_empty() { String::new() } else { format!("; {whose} has {}", listed(&names)) };
    match records.len() {
        1 => format!("1 record without question, confidence and judgment was passed over{}.", fields("it")),
        several => format!(
            "{} records without question, confidence and judgment were passed over{}.",
            thousands(several),
            fields("the first")
        ),
    }
}

fn push_all(attempts: &mut Attempts, answers: Vec<JsonCell>, places: &Places) {
    let Places { question, confidence, correct, id, attempt } = *places;
    let status = StatusFields::of(&answers, places);
    let own: Vec<&str> = [question, confidence, correct, id, attempt].into_iter().chain(status.own()).collect();
    let (texts, inner): (Vec<_>, Vec<_>) = answers.iter().map(|answer| question_of(answer, question)).unzip();
    let questions = Questions {
        id,
        ids: answers.iter().map(|answer| key(answer.at(id))).collect(),
        versions: answers.iter().map(|answer| [key(answer.at(attempt)), key(answer.at("model"))]).collect(),
        texts,
    };
    let by_text = questions.by_text(&answers);
    if by_text.is_some() {
        attempts.unused.push((Attempts::named(id), "it does not identify the question".to_owned()));
    }
    // questions without a name are numbered by their texts
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut named = |answer: &JsonCell, text: Option<&String>| match text {
        _ if !id.is_empty() && by_text.is_none() => answer.at(id).clone(),
        Some(text) => {
            let next = numbers.len() + 1;
            JsonCell::Number(*numbers.entry(text.clone()).or_insert(next) as f64)
        }
        None => answer.at(question).clone(),
    };
    attempts.judgments.answers = letters_of_answers(&answers).filter(|_| !GRADES.contains(&correct)).map(str::to_owned);
    for ((answer, text), inner) in answers.iter().zip(questions.texts).zip(inner) {
        let verdict = Verdict::of(answer.at(correct));
        attempts.judgments.note(correct, answer.at(correct), verdict);
        attempts.note_unreadable(confidence, answer.at(confidence));
        let unused = by_text.as_ref().map(|_| (id.to_owned(), answer.at(id).clone()));
        let fields = unused.into_iter().chain(scalars(answer, &own)).chain(inner).chain(embeddings(answer));
        attempts.push(Attempt {
            question: named(answer, text.as_ref()),
            number: answer.at(attempt).number(),
            text,
            verdict,
            confidence: Stated::of(answer.at(confidence)),
            status: status.status(answer),
            fields: fields.collect(),
        });
    }
    if let Some(message) = by_text {
        attempts.warn("questions_by_text", message);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{OpenOptions, Role, assemble};
    use crate::read::{ReadFile, read};
    use crate::table::Values;

    /// What is read of answers with these fields besides question, confidence and judgment.
    fn file(answers: &[&str]) -> ReadFile {
        let line = |(k, more): (usize, &&str)| format!("{{\"question\": \"q{k}\", {more}}}\n");
        let text: String = answers.iter().enumerate().map(line).collect();
        read("answers.jsonl", text.as_bytes(), &mut |_| ()).unwrap()
    }

    fn texts(file: &ReadFile, name: &str) -> Vec<String> {
        let column = file.columns.iter().find(|column| column.name == name);
        match column.map(|column| &column.values) {
            Some(Values::Text { codes, levels }) => codes.iter().map(|code| levels.text(*code).to_owned()).collect(),
            _ => Vec::new(),
        }
    }

    fn names(file: &ReadFile) -> String {
        file.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn refusals_are_refusals_and_no_groups() {
        let flagged = file(&[
            "\"refused\": false, \"confidence\": 0.9, \"correct\": true",
            "\"refused\": true, \"confidence\": null, \"correct\": null",
            "\"refused\": true, \"confidence\": 0.4, \"correct\": false",
            "\"confidence\": 0.5, \"correct\": null",
        ]);
        assert_eq!(texts(&flagged, "status"), ["answered", "refused", "refused", "not judged"]);
        assert_eq!(names(&flagged), "question_id question confidence correct status");
        let words = file(&[
            "\"status\": \"ok\", \"confidence\": 0.9, \"correct\": true",
            "\"status\": \"REFUSED\", \"confidence\": 0.4, \"correct\": false",
            "\"status\": \"not_attempted\", \"confidence\": 0.4, \"correct\": false",
            "\"status\": \"no_confidence\", \"confidence\": null, \"correct\": false",
        ]);
        assert_eq!(texts(&words, "status"), ["answered", "refused", "not attempted", "no confidence"]);
        assert_eq!(names(&words), "question_id question confidence correct status");
        // a status of the question is a field, and so is the size of a refusal
        let fields = file(&[
            "\"status\": \"draft\", \"refusal\": 0.3, \"confidence\": 0.9, \"correct\": true",
            "\"status\": \"final\", \"refusal\": 0.1, \"confidence\": 0.4, \"correct\": false",
        ]);
        assert_eq!(texts(&fields, "status"), ["answered", "answered"]);
        assert_eq!(names(&fields), "question_id question confidence correct status status of the question refusal");
    }

    #[test]
    fn partial_credit_is_a_judgment_and_many_shares_are_a_score() {
        let scored = |scores: &[f64]| {
            let line = |k: usize| {
                let score = scores[k % scores.len()];
                format!("{{\"question\": \"q{k}\", \"confidence\": 0.{}, \"score\": {score}}}\n", 30 + k % 60)
            };
            read("answers.jsonl", (0..60).map(line).collect::<String>().as_bytes(), &mut |_| ()).unwrap()
        };
        let credit = scored(&[0.0, 0.5, 1.0]);
        assert_eq!(texts(&credit, "status")[..3], ["answered", "partly correct", "answered"]);
        assert!(scored(&[0.0, 0.1, 0.2, 0.3, 0.4, 1.0]).log.is_none());
    }

    #[test]
    fn judgments_beside_a_confidence_are_read_under_their_common_names() {
        let log = |more: &dyn Fn(usize) -> String| {
            let line =
                |k: usize| format!("{{\"question\": \"q{k}\", \"confidence\": {}, {}}}\n", 10 * (1 + k % 9), more(k));
            read("answers.jsonl", (0..40).map(line).collect::<String>().as_bytes(), &mut |_| ()).unwrap()
        };
        let names = [
            "exact_match",
            "em",
            "quasi_exact_match",
            "verdict",
            "judgment",
            "judgement",
            "judge",
            "passed",
            "success",
        ];
        for name in names {
            let file = log(&|k| format!("\"{name}\": {}, \"prediction\": \"a{k}\"", usize::from(k % 4 == 0)));
            assert!(file.log.is_some(), "{name}");
            assert_eq!(numbers(&file, "correct")[..5], [1.0, 0.0, 0.0, 0.0, 1.0], "{name}");
            assert!((numbers(&file, "confidence")[1] - 0.2).abs() < 1e-12);
        }
        // who judged is no judgment
        let file = log(&|k| format!("\"judge\": \"a model\", \"passed\": {}", k % 2 == 0));
        assert_eq!(numbers(&file, "correct")[..2], [1.0, 0.0]);
        assert!(log(&|k| format!("\"judge\": \"a model\", \"number\": {k}")).log.is_none());
        // requests that were all answered
        let file = log(&|k| format!("\"success\": true, \"score\": {}", k % 2));
        assert_eq!(numbers(&file, "correct")[..2], [0.0, 1.0]);
        assert!(log(&|_| "\"success\": true".to_owned()).log.is_none());
        // SimpleQA's letters beside letters of answers
        let file = log(&|k| format!("\"verdict\": \"{}\", \"answer\": \"C\"", if k % 2 == 0 { "A" } else { "B" }));
        assert_eq!(numbers(&file, "correct")[..2], [1.0, 0.0]);
    }

    #[test]
    fn questions_without_a_name_are_numbered() {
        let twice: String = ["a", "b", "a"]
            .map(|text| format!("{{\"question\": \"{text}\", \"confidence\": 0.9, \"correct\": true}}\n"))
            .concat();
        let file = read("answers.jsonl", twice.as_bytes(), &mut |_| ()).unwrap();
        let Values::Numbers(numbers) = &file.columns[0].values else { panic!("{:?}", file.columns[0]) };
        assert_eq!((file.columns[0].name.as_str(), numbers.to_vec()), ("question_id", vec![1.0, 2.0, 1.0]));
    }

    #[test]
    fn what_is_no_confidence_is_refused() {
        let told = |confidences: &dyn Fn(usize) -> String| {
            let line = |k: usize| {
                format!("{{\"question\": \"q{k}\", \"confidence\": {}, \"correct\": true}}\n", confidences(k))
            };
            let text: String = (0..40).map(line).collect();
            read("answers.jsonl", text.as_bytes(), &mut |_| ()).map_err(|error| format!("{error} {}", error.hint()))
        };
        let ratings = told(&|k| (1 + k % 10).to_string()).unwrap_err();
        assert!(ratings.starts_with("Every confidence is a whole number from 1 to 10"), "{ratings}");
        let from_zero = told(&|k| (k % 11).to_string()).unwrap_err();
        assert!(from_zero.starts_with("Every confidence is a whole number from 0 to 10"), "{from_zero}");
        let beyond = told(&|k| if k == 7 { "12".to_owned() } else { (k % 11).to_string() }).unwrap_err();
        assert!(beyond.starts_with("39 of 40 confidences are whole numbers from 0 to 10: ratings"), "{beyond}");
        assert!(told(&|k| if k % 4 == 0 { "100".to_owned() } else { "0".to_owned() }).is_ok());
        let logs = told(&|k| format!("-0.{}", 10 + k)).unwrap_err();
        assert!(logs.contains("40 of 40 confidences are outside 0 to 1") && logs.contains("exp(confidence)"), "{logs}");
        assert!(told(&|k| (10 + k).to_string()).is_ok());
        let cut = read(
            "answers.jsonl",
            b"{\"question\": \"a\", \"confidence\": 0.9, \"correct\": true}\n{\"question\": \"b",
            &mut |_| (),
        );
        assert!(cut.unwrap_err().hint().contains("remove its last line"));
    }

    #[test]
    fn an_object_of_columns_is_a_table() {
        let columns = |name: &str, values: [&str; 4]| {
            let values: Vec<String> = values.iter().enumerate().map(|(k, value)| format!("\"{k}\": {value}")).collect();
            format!("\"{name}\": {{{}}}", values.join(", "))
        };
        let text = format!(
            "{{{}, {}, {}}}",
            columns("question", ["\"What?\"", "\"Who?\"", "\"When?\"", "\"Where?\""]),
            columns("confidence", ["0.9", "0.8", "0.6", "0.7"]),
            columns("correct", ["true", "true", "false", "true"])
        );
        let file = read("answers.json", text.as_bytes(), &mut |_| ()).unwrap();
        assert!(file.log.is_none());
        let (data, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        assert_eq!((data.rows, data.correct.unwrap().to_vec()), (4, vec![1, 1, 0, 1]));
        let with = |role: Role| summary.columns.iter().any(|column| column.role == role);
        assert!(with(Role::Confidence) && with(Role::Correct));
    }

    #[test]
    fn unreadable_confidences_are_named() {
        let words = ["low", "high"].map(|word| format!("\"confidence\": \"{word}\", \"correct\": true"));
        let read_words = file(&words.each_ref().map(String::as_str));
        let error = assemble(&[read_words], &OpenOptions::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "No attempt can be scored. 2 attempts: 0 with confidence and judgment, 2 excluded (2 unparsed). 2 confidences are \
             words and count as unparsed. The values of `confidence` are words, not probabilities: `low`, `high`. Decide \
             which probability each stands for, and write it in place of the word, in pandas: `t[\"confidence\"] = \
             t[\"confidence\"].map({\"low\": …, \"high\": …})`."
        );
        let one = file(&["\"confidence\": 0.9, \"correct\": true", "\"confidence\": \"n/a\", \"correct\": true"]);
        assert_eq!(
            one.warnings.iter().map(|warning| warning.message.as_str()).collect::<Vec<_>>(),
            ["1 confidence is neither a number nor a percentage and counts as unparsed: `n/a`."]
        );
    }

    /// What is read of these lines, and its warnings.
    fn lines(lines: &[String]) -> (ReadFile, Vec<String>) {
        let file = read("answers.jsonl", lines.join("\n").as_bytes(), &mut |_| ()).unwrap();
        let warnings = file.warnings.iter().map(|warning| warning.message.clone()).collect();
        (file, warnings)
    }

    fn numbers(file: &ReadFile, name: &str) -> Vec<f64> {
        let column = file.columns.iter().find(|column| column.name == name);
        match column.map(|column| &column.values) {
            Some(Values::Numbers(numbers)) => numbers.to_vec(),
            _ => Vec::new(),
        }
    }

    const SCORED: &str = "\"confidence\": 0.9, \"correct\": true";

    #[test]
    fn texts_that_repeat_under_numbers_of_rows_are_questions() {
        let answers = |more: &str| -> Vec<String> {
            let line = |k: usize| {
                let more = more.replace('#', &k.to_string());
                format!("{{\"id\": {k}, \"question\": \"Who is {}?\", {more}{SCORED}}}", k / 3)
            };
            (0..30).map(line).collect()
        };
        let (file, warnings) = lines(&answers(""));
        assert_eq!(numbers(&file, "question_id")[..4], [1.0, 1.0, 1.0, 2.0]);
        assert_eq!(numbers(&file, "attempt")[..4], [1.0, 2.0, 3.0, 1.0]);
        assert_eq!(numbers(&file, "id")[..2], [0.0, 1.0]);
        assert_eq!(
            warnings,
            [
                "`id` differs in each of 30 answers to 10 different questions: answers to the same text are attempts at one \
              question."
            ]
        );
        let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        assert_eq!(summary.clusters.as_ref().map(|c| (c.column.as_str(), c.count)), Some(("question_id", 10)));
        assert!(summary.columns.iter().any(|column| column.name == "id" && column.role == Role::Ignore));
        // what is expected differs, so the texts leave something out
        assert_eq!(numbers(&lines(&answers("\"gold\": \"g#\", ")).0, "question_id")[..3], [0.0, 1.0, 2.0]);
        // a prompt that all answers share
        let shared: Vec<String> = answers("")
            .iter()
            .map(|line| line.replace("\"question\"", "\"prompt\": \"Answer!\", \"question\""))
            .collect();
        assert_eq!(numbers(&lines(&shared).0, "question_id")[..4], [1.0, 1.0, 1.0, 2.0]);
    }

    #[test]
    fn ids_of_several_benchmarks_in_one_file_are_no_questions() {
        let line = |k: usize| format!("{{\"id\": {}, \"question\": \"Who is {k}?\", {SCORED}}}", k % 15);
        let (file, warnings) = lines(&(0..30).map(line).collect::<Vec<_>>());
        assert_eq!(numbers(&file, "question_id"), (1..=30).map(f64::from).collect::<Vec<_>>());
        assert_eq!(
            warnings,
            ["`id` has the same value for different questions, first `0`: they are identified by their texts."]
        );
        // attempts at one question, which is worded anew
        for version in ["attempt", "model"] {
            let line = |k: usize| {
                let (id, number) = (k % 15, k / 15);
                format!("{{\"id\": {id}, \"{version}\": {number}, \"question\": \"Who is {k}?\", {SCORED}}}")
            };
            let (file, warnings) = lines(&(0..30).map(line).collect::<Vec<_>>());
            assert_eq!((numbers(&file, "question_id")[15], warnings.len()), (0.0, 0));
        }
    }

    #[test]
    fn messages_and_objects_have_the_text_of_the_question() {
        let prompt = |k: usize| {
            format!(
                "[{{\"role\": \"system\", \"content\": \"s\"}}, {{\"role\": \"user\", \"content\": \"Who is {k}?\"}}]"
            )
        };
        let line = |k: usize| format!("{{\"prompt\": {}, {SCORED}}}", prompt(k / 2));
        let (file, _) = lines(&(0..4).map(line).collect::<Vec<_>>());
        assert_eq!(texts(&file, "question"), ["Who is 0?", "Who is 0?", "Who is 1?", "Who is 1?"]);
        assert_eq!(numbers(&file, "question_id"), [1.0, 1.0, 2.0, 2.0]);
        let line = |k: usize| {
            format!(
                "{{\"input\": {{\"question\": \"Who is {k}?\", \"topic\": \"t{k}\", \"level\": 1}}, \"level\": 2, {SCORED}}}"
            )
        };
        let (file, _) = lines(&(0..2).map(line).collect::<Vec<_>>());
        assert_eq!(texts(&file, "question"), ["Who is 0?", "Who is 1?"]);
        assert_eq!(texts(&file, "topic"), ["t0", "t1"]);
        assert_eq!(names(&file), "question_id question confidence correct status level topic input.level");
    }

    #[test]
    fn answers_after_a_record_that_is_none_are_read() {
        let answer = format!("{{\"id\": 1, \"question\": \"Why?\", \"error\": null, {SCORED}}}");
        let run = "{\"run\": \"r1\", \"model\": \"m\"}".to_owned();
        let ended = "{\"id\": 2, \"question\": \"Who?\", \"error\": \"Timeout\"}".to_owned();
        let refused = "{\"id\": 3, \"question\": \"When?\", \"refused\": true}".to_owned();
        let (file, warnings) = lines(&[run.clone(), ended, refused, answer.clone()]);
        assert_eq!(texts(&file, "status"), ["error", "refused", "answered"]);
        assert_eq!(names(&file), "question_id question confidence correct status");
        assert_eq!(
            warnings,
            ["1 record without question, confidence and judgment was passed over; it has `run`, `model`."]
        );
        let (file, warnings) = lines(&[run.clone(), run, answer]);
        assert_eq!((texts(&file, "status").len(), warnings[0].starts_with("2 records")), (1, true));
    }
}
