//! `samples_<task>_<date>.jsonl` of lm-evaluation-harness: a line for each document and filter.
//!
//! In multiple choice p = softmax(ℓ) over the log-likelihoods ℓ of the choices, which are written as texts. The answer is
//! the first maximum, and `acc` says whether it was correct. `acc_norm` judges another answer, the first maximum of ℓ / L with
//! L the length of the choice in characters; its score is softmax(ℓ / L). The two are never mixed.

use serde::Deserialize;

use super::super::json::{JsonCell, strict, unreadable, without_mark};
use super::super::{Contents, Format, Source, stem};
use super::attempts::{Attempt, Attempts, Stated, key, scalars};
use super::opening::Opening;
use super::verdict::Verdict;
use super::{Status, Unscored, some, unscored, without_confidence};
use crate::error::{Error, Result};
use crate::words::text::{bounded, counted, thousands};

pub(super) const FORMAT: Format = Format {
    endings: &["jsonl"],
    recognizes: |source| Opening::of(source.bytes).has(&["doc_id", "doc", "target"]),
    read,
};

/// `results_<date>.json`, which holds a run's metrics and no answers.
pub(super) const SUMMARY: Format = Format {
    endings: &["json"],
    recognizes: |source| {
        let opening = Opening::of(source.bytes);
        !opening.list && opening.has(&["results", "configs", "versions"])
    },
    read: |source, _| Ok(unscored(source, Unscored::Summary)),
};

/// Lines between two reports of progress.
const PART: usize = 1 << 10;

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    doc_id: JsonCell,
    #[serde(default)]
    doc: JsonCell,
    #[serde(default)]
    target: JsonCell,
    #[serde(default)]
    arguments: JsonCell,
    #[serde(default)]
    filtered_resps: JsonCell,
    #[serde(default)]
    filter: JsonCell,
    #[serde(default)]
    doc_hash: JsonCell,
    #[serde(default)]
    acc: JsonCell,
    #[serde(default)]
    acc_norm: JsonCell,
    #[serde(default)]
    acc_mutual_info: JsonCell,
}

/// # Errors
/// `table_unreadable` with line, and field where one is meant.
fn read(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let bytes = &*strict(without_mark(source.bytes));
    let listed: Vec<Line> = match Opening::of(bytes).list {
        true => serde_json::from_slice(bytes).map_err(|error| unreadable(&error))?,
        false => Vec::new(),
    };
    let rest = if listed.is_empty() { bytes } else { b"" };
    let mut lines = serde_json::Deserializer::from_slice(rest).into_iter::<Line>();
    let mut listed = listed.into_iter();
    let mut filters: Vec<String> = Vec::new();
    let mut read: Vec<Choice> = Vec::new();
    let mut count = 0;
    while let Some(line) = listed.next().map(Ok).or_else(|| lines.next()) {
        count += 1;
        if count % PART == 0 {
            progress(lines.byte_offset() as f64 / bytes.len() as f64);
        }
        let line = line.map_err(|error| unreadable(&error))?;
        let filter = line.filter.text().unwrap_or("none").to_owned();
        if !filters.contains(&filter) {
            filters.push(filter.clone());
        }
        if filters.first() == Some(&filter) {
            read.push(Choice::of(line, count)?);
        }
    }
    let read = some(read, "lm-evaluation-harness")?;
    if read.iter().all(|choice| choice.likelihoods.len() < 2) {
        return Ok(without_confidence(
            source,
            "lm-evaluation-harness",
            "Its task gives no probability of the answer. Tasks with `output_type: multiple_choice` do; of generated answers, \
             write one object per line with `question`, `confidence` and `correct`.",
        ));
    }
    let normed = read.iter().all(|choice| choice.acc == JsonCell::Missing);
    let mut attempts = Attempts::new(source);
    let hashes = hashes_name(&read);
    let mut contradicted = 0;
    for choice in read {
        contradicted += usize::from(choice.contradicts());
        attempts.push(choice.into_attempt(normed, hashes));
    }
    let (filter, others) = filters.split_first().map_or(("none", [].as_slice()), |(first, others)| (first, others));
    attempts.warn_of_filters(filter, others);
    if contradicted > 0 {
        attempts.warn(
            "log_contradicts",
            format!(
                "In {} of {}, `acc` disagrees with the choice of the largest log-likelihood; `acc` is used.",
                counted(contradicted, "line"),
                thousands(attempts.len())
            ),
        );
    }
    if !normed {
        for name in ["acc_norm", "score of acc_norm"] {
            let why = "judges the length-normalized answer; use `acc_norm` and its score together";
            attempts.unused.push((name.to_owned(), why.to_owned()));
        }
    }
    progress(1.0);
    let task = task(source.name).map_or_else(String::new, |task| format!(" (task {task})"));
    let taken = match normed {
        false => "correct is acc, confidence is the largest softmax probability over the choices",
        true => "correct is acc_norm, confidence is the largest length-normalized score over the choices",
    };
    let told = format!("log of lm-evaluation-harness{task}: {taken}");
    attempts.finished(source, bounded(told)).map(Contents::Columns)
}

/// `samples_<task>_<date>.jsonl` → the task; the date has 26 characters.
pub(crate) fn task(file_name: &str) -> Option<String> {
    let name = stem(file_name).strip_prefix("samples_")?;
    let (task, date) = name.split_at_checked(name.len().checked_sub(27)?)?;
    (!task.is_empty() && date.starts_with("_2")).then(|| task.to_owned())
}

/// Whether numbers of documents name different documents: files of several tasks in one.
fn hashes_name(read: &[Choice]) -> bool {
    let mut known = std::collections::HashMap::new();
    read.iter().any(|choice| {
        let hash = key(&choice.doc_hash);
        *known.entry(key(&choice.doc_id)).or_insert_with(|| hash.clone()) != hash
    })
}

/// What a line says of one document.
struct Choice {
    doc_id: JsonCell,
    doc_hash: JsonCell,
    text: Option<String>,
    fields: Vec<(String, JsonCell)>,
    likelihoods: Vec<f64>,
    /// characters of each choice, where their texts are known
    lengths: Option<Vec<f64>>,
    /// place of the correct choice
    target: Option<usize>,
    acc: JsonCell,
    acc_norm: JsonCell,
}

/// Names of the question's text, best first.
const TEXTS: [&str; 4] = ["question", "query", "ctx", "goal"];

impl Choice {
    /// # Errors
    /// `table_unreadable` for what is no log-likelihood, with line and place.
    fn of(line: Line, number: usize) -> Result<Self> {
        let all = line.filtered_resps.listed();
        // With mutual information the same choices follow once more without their context.
        let asked = if line.acc_mutual_info == JsonCell::Missing { all.len() } else { all.len() / 2 };
        let mut likelihoods = Vec::with_capacity(asked);
        for (place, response) in all.iter().take(asked).enumerate() {
            let pair = response.listed();
            if pair.len() != 2 {
                // generated text
                break;
            }
            likelihoods.push(likelihood(response.item(0)).ok_or_else(|| no_likelihood(number, place))?);
        }
        let first = line.arguments.at("gen_args_0").at("arg_0");
        let text = TEXTS.iter().find_map(|name| line.doc.at(name).text()).or(first.text());
        let known = TEXTS.iter().find(|name| line.doc.at(name).text().is_some());
        let fields = scalars(&line.doc, known.map_or(&[], std::slice::from_ref));
        Ok(Self {
            text: text.map(str::to_owned),
            lengths: lengths(&line.doc, &line.arguments, likelihoods.len()),
            target: line
                .target
                .number()
                .filter(|place| *place >= 0.0 && place.fract() == 0.0)
                .map(|place| place as usize),
            fields,
            likelihoods,
            doc_id: line.doc_id,
            doc_hash: line.doc_hash,
            acc: line.acc,
            acc_norm: line.acc_norm,
        })
    }

    /// `acc` is not what the largest log-likelihood says.
    fn contradicts(&self) -> bool {
        let (Some(target), Some(best), Some(acc)) = (self.target, first_maximum(&self.likelihoods), self.acc.number())
        else {
            return false;
        };
        (acc == 1.0) != (best == target)
    }

    fn normed(&self) -> Option<f64> {
        let lengths = self.lengths.as_ref()?;
        top_share(self.likelihoods.iter().zip(lengths).map(|(l, length)| l / length).collect())
    }

    fn into_attempt(self, normed: bool, hashes: bool) -> Attempt {
        let (share, verdict) = match normed {
            true => (self.normed(), &self.acc_norm),
            false => (top_share(self.likelihoods.clone()), &self.acc),
        };
        let verdict = match (verdict, self.target, first_maximum(&self.likelihoods)) {
            (JsonCell::Missing, Some(target), Some(best)) if !normed => {
                if target == best {
                    Verdict::Right
                } else {
                    Verdict::Wrong
                }
            }
            (verdict, ..) => Verdict::of(verdict),
        };
        let mut fields = Vec::new();
        if !normed && let (Some(score), JsonCell::Number(_)) = (self.normed(), &self.acc_norm) {
            fields.push(("acc_norm".to_owned(), self.acc_norm.clone()));
            fields.push(("score of acc_norm".to_owned(), JsonCell::Number(score)));
        }
        fields.extend(self.fields);
        Attempt {
            question: if hashes { self.doc_hash } else { self.doc_id },
            text: self.text,
            verdict,
            confidence: share.map_or(Stated::None, Stated::Number),
            status: share.is_none().then_some(Status::Unparsed),
            fields,
            ..Attempt::default()
        }
    }
}

/// A log-likelihood; NaN for a missing one, which a model computes where its numbers overflow. `None` for what is no number.
fn likelihood(cell: &JsonCell) -> Option<f64> {
    match (cell, cell.number()) {
        (JsonCell::Missing, _) => Some(f64::NAN),
        (_, Some(number)) => Some(if number < f64::INFINITY { number } else { f64::NAN }),
        (cell, None) => cell.text()?.trim().parse().ok(),
    }
}

fn no_likelihood(line: usize, place: usize) -> Error {
    Error::new(
        "table_unreadable",
        format!("Line {}, `filtered_resps[{place}][0]` is not a log-likelihood.", thousands(line)),
        "Write a number such as \"-0.26\", -inf, or NaN where it is missing.",
    )
}

/// Characters of each choice without its delimiter. A list of so many texts in the document has them, unless the continuations
/// that were asked for end otherwise: letters in place of the texts. `None` where all continuations are the same, as in Winogrande.
fn lengths(doc: &JsonCell, arguments: &JsonCell, count: usize) -> Option<Vec<f64>> {
    let of = |text: &str| text.chars().count().max(1) as f64;
    let continued = |place: usize| arguments.at(&format!("gen_args_{place}")).at("arg_1").text();
    let asked: Vec<&str> = (0..count).map_while(continued).collect();
    let same = asked.windows(2).all(|pair| pair.first() == pair.last());
    let differ = asked.len() == count && !same;
    let in_doc = ["choices", "endings"].iter().find_map(|name| {
        let texts: Vec<&str> = doc.at(name).listed().iter().filter_map(JsonCell::text).collect();
        (texts.len() == count).then_some(texts)
    });
    let ends = |texts: &Vec<&str>| asked.iter().zip(texts).all(|(asked, text)| asked.ends_with(text));
    match in_doc.filter(|texts| !differ || ends(texts)) {
        Some(texts) => Some(texts.iter().map(|text| of(text)).collect()),
        None => differ.then(|| asked.iter().map(|text| of(text.strip_prefix(' ').unwrap_or(text))).collect()),
    }
}

/// The place of the first largest value; `None` where one is missing, which may be the largest.
fn first_maximum(values: &[f64]) -> Option<usize> {
    if values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    values.iter().position(|value| *value == most)
}

/// The largest of softmax(values); `None` of fewer than two, where one is missing, and where all are −∞.
fn top_share(values: Vec<f64>) -> Option<f64> {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = values.iter().map(|value| (value - most).exp()).sum();
    (values.len() > 1 && most.is_finite() && !sum.is_nan()).then(|| 1.0 / sum)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn task_is_what_stands_before_the_date() {
        assert_eq!(task("samples_toy_mc_2026-11-24T01-42-17.746730.jsonl").as_deref(), Some("toy_mc"));
        for none in ["samples_2026-11-24T01-42-17.746730.jsonl", "a.jsonl", "samples_ä.jsonl"] {
            assert_eq!(task(none), None);
        }
    }

    #[test]
    fn softmax_is_of_the_first_maximum_and_bounded() {
        let log = |p: f64| p.ln();
        assert!((top_share(vec![log(0.2), log(0.7), log(0.1)]).unwrap() - 0.7).abs() < 1e-15);
        assert_eq!(top_share(vec![-1e308, 0.0, f64::NEG_INFINITY]), Some(1.0));
        assert_eq!(top_share(vec![f64::NEG_INFINITY; 2]), None);
        assert_eq!(top_share(vec![-1.0]), None);
        assert_eq!(first_maximum(&[-2.0, -1.0, -1.0]), Some(1));
    }

    #[test]
    fn an_answer_with_a_missing_likelihood_is_unparsed() {
        let line = |(k, first): (usize, &str)| {
            format!(
                "{{\"doc_id\": {k}, \"doc\": {{\"question\": \"q{k}\"}}, \"target\": \"1\", \"filtered_resps\": [[{first}, \
                 \"False\"], [\"-0.5\", \"False\"]], \"acc\": 1.0}}\n"
            )
        };
        let read = |values: &[&str]| {
            let text: String = values.iter().copied().enumerate().map(line).collect();
            crate::read::read("samples.jsonl", text.as_bytes(), &mut |_| ())
        };
        let file = read(&["\"-2.5\"", "\"nan\"", "NaN", "null", "\"inf\"", "\"-inf\""]).unwrap();
        let status = file.columns.iter().find(|column| column.name == "status").unwrap();
        let crate::table::Values::Text { codes, levels } = &status.values else { panic!("{status:?}") };
        let words: Vec<&str> = codes.iter().map(|code| levels.text(*code)).collect();
        let none = "unparsed";
        assert_eq!(words, ["answered", none, none, none, none, "answered"]);
        assert!(file.warnings.is_empty(), "{:?}", file.warnings);
        let error = read(&["\"-2.5\"", "\"abc\""]).unwrap_err();
        assert!(error.to_string().contains("Line 2, `filtered_resps[0][0]` is not a log-likelihood"), "{error}");
    }

    #[test]
    fn lengths_are_those_of_the_choices_that_were_asked_for() {
        let of = |doc: &str, asked: &[&str]| {
            let arguments: Vec<String> = asked
                .iter()
                .enumerate()
                .map(|(k, text)| format!("\"gen_args_{k}\": {{\"arg_1\": {text:?}}}"))
                .collect();
            let arguments = serde_json::from_str(&format!("{{{}}}", arguments.join(", "))).unwrap();
            lengths(&serde_json::from_str(doc).unwrap(), &arguments, 2)
        };
        let doc = "{\"choices\": [\"red\", \"green\"]}";
        assert_eq!(of(doc, &[" A", " B"]), Some(vec![1.0, 1.0]));
        assert_eq!(of(doc, &["\n\nred", "\n\ngreen"]), Some(vec![3.0, 5.0]));
        assert_eq!(of(doc, &[]), Some(vec![3.0, 5.0]));
        assert_eq!(of("{}", &[" red", "green"]), Some(vec![3.0, 5.0]));
        // contexts differ in place of continuations
        assert_eq!((of(doc, &[" x", " x"]), of("{}", &[" x", " x"])), (Some(vec![3.0, 5.0]), None));
    }
}
