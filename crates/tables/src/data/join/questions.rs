//! Evaluation logs of mostly the same questions, some of which lack answers or list them in another order.

use std::collections::HashMap;

use super::super::rows::cell_text;
use super::{NamedColumn, Unit};
use crate::read::Meaning;
use crate::table::Warning;
use crate::words::text::{counted, listed};

/// Keeps the answers to questions that all of the logs have, in the order of the first, where each log shares most of its
/// questions with the first. Whether they do: the logs are then models of one cohort.
pub(super) fn keep_common(units: &mut [Unit], warnings: &mut Vec<Warning>) -> bool {
    let Some((first, others)) = units.split_first() else { return false };
    let parts = |other: &Unit| first.part().is_some() && other.part().is_some() && first.part() != other.part();
    if others.is_empty() || !first.complete() || others.iter().any(|other| !other.complete() || parts(other)) {
        return false;
    }
    let shared: Option<Vec<HashMap<u32, u32>>> =
        others.iter().map(|other| Some(shared_rows(first, other)?.into_iter().collect())).collect();
    let Some(shared) = shared else { return false };
    let rows: Vec<u32> =
        (0..first.table.rows as u32).filter(|row| shared.iter().all(|partner| partner.contains_key(row))).collect();
    if rows.is_empty() {
        return false;
    }
    let lost: Vec<String> = units
        .iter()
        .filter(|unit| unit.table.rows > rows.len())
        .map(|unit| format!("{} of {}", counted(unit.table.rows - rows.len(), "row"), listed(&unit.files)))
        .collect();
    let message = match lost.is_empty() {
        true => "The logs have the same questions in another order; their rows were matched by question.".to_owned(),
        false => format!(
            "The logs are compared on the {} that all of them have; excluded: {}.",
            counted(rows.len(), "answer"),
            lost.join(", ")
        ),
    };
    let Some((first, others)) = units.split_first_mut() else { return false };
    for (other, partner) in others.iter_mut().zip(&shared) {
        let order: Vec<u32> = rows.iter().filter_map(|row| partner.get(row).copied()).collect();
        other.keep(&order);
    }
    first.keep(&rows);
    let code = if lost.is_empty() { "rows_matched" } else { "rows_without_partner" };
    warnings.push(Warning { code: code.into(), message, row: None, column: None });
    true
}

/// The rows of two logs that answer the same question in the same attempt; `None` unless these are most rows of the shorter log
/// and more than the names of the questions shows that they are the same.
///
/// Texts of the questions decide where both logs have them; otherwise fields that divide the rows and are equal, or names that are no
/// numbers.
pub(super) fn shared_rows(a: &Unit, b: &Unit) -> Option<Vec<(u32, u32)>> {
    let (ours, theirs) = (a.answers()?, b.answers()?);
    let shorter = a.table.rows.min(b.table.rows);
    let most = |pairs: &[(u32, u32)]| 2 * pairs.len() > shorter;
    let mut pairs = equal_keys(&ours, &theirs);
    let equal = |ours: &NamedColumn, theirs: &NamedColumn, (row, other): (u32, u32)| {
        cell_text(&ours.values, row as usize) == cell_text(&theirs.values, other as usize)
    };
    let same = if let (Some(text), Some(other)) = (a.text(), b.text()) {
        pairs.retain(|pair| equal(text, other, *pair));
        // numbers that texts were given in the order of each log
        if !most(&pairs) && [&ours, &theirs].iter().all(|answers| answers.iter().all(|[name, _]| is_number(name))) {
            pairs = equal_keys(&a.answers_to(text), &b.answers_to(other));
        }
        true
    } else {
        let fields = a.table.columns.iter().zip(&a.given).filter(|(_, given)| given.meaning == Some(Meaning::Field));
        let mut known = fields.filter_map(|(field, _)| Some((field, b.column(&field.name)?)));
        let described = known.any(|(x, y)| x.values.divides() && pairs.iter().all(|pair| equal(x, y, *pair)));
        described || ours.iter().all(|[name, _]| !is_number(name))
    };
    (same && most(&pairs)).then_some(pairs)
}

/// Pairs of a row of each log with the same key, each row once.
fn equal_keys(ours: &[[String; 2]], theirs: &[[String; 2]]) -> Vec<(u32, u32)> {
    let mut places: HashMap<&[String; 2], u32> = theirs.iter().zip(0u32..).collect();
    (0u32..).zip(ours).filter_map(|(row, key)| Some((row, places.remove(key)?))).collect()
}

/// A number, perhaps behind letters (`id60`): other questions may have it, too.
fn is_number(name: &str) -> bool {
    name.trim_start_matches(char::is_alphabetic).chars().all(|letter| letter.is_ascii_digit())
}

impl Unit {
    /// The question and the attempt of each row of a log.
    pub(super) fn answers(&self) -> Option<Vec<[String; 2]>> {
        Some(self.answers_to(self.question()?))
    }

    /// What a column says of the question, and the attempt of each row.
    fn answers_to(&self, question: &NamedColumn) -> Vec<[String; 2]> {
        let attempt = self.meant(|meaning| *meaning == Meaning::Attempt);
        let text = |column: &NamedColumn, row| cell_text(&column.values, row);
        // a log without repeated questions has no numbers of attempts
        let number = |row| attempt.map_or_else(|| "1".to_owned(), |attempt| text(attempt, row));
        (0..self.table.rows).map(|row| [text(question, row), number(row)]).collect()
    }

    /// Keeps these rows, in this order.
    fn keep(&mut self, rows: &[u32]) {
        self.table.reorder_rows(rows);
        self.table.rows = rows.len();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{About, OpenOptions, Predictions, Summary, assemble};
    use crate::error::Error;
    use crate::read::read;

    /// Answers to these questions, in this order, each `attempts` times.
    fn log(questions: impl Iterator<Item = usize>, attempts: usize, wrong: usize) -> String {
        let line = |(k, attempt): (usize, usize)| {
            let correct = !(k + attempt).is_multiple_of(wrong);
            format!(
                "{{\"question_id\": \"q{k}\", \"attempt\": {attempt}, \"question\": \"What is {k}?\", \"confidence\": 0.{}, \
                 \"correct\": {correct}}}\n",
                50 + k % 40
            )
        };
        questions.flat_map(|k| (0..attempts).map(move |attempt| (k, attempt))).map(line).collect()
    }

    fn opened(files: &[(&str, String)]) -> Result<(Predictions, Summary), Error> {
        let files: Vec<_> =
            files.iter().map(|(name, text)| read(name, text.as_bytes(), &mut |_| ()).unwrap()).collect();
        assemble(&files, &OpenOptions::default())
    }

    fn warning_of(summary: &Summary, code: &str) -> String {
        summary.warnings.iter().find(|warning| warning.code == code).map_or_else(String::new, |w| w.message.clone())
    }

    #[test]
    fn a_log_without_some_of_the_questions_is_a_model() {
        let (data, summary) = opened(&[
            ("alpha.jsonl", log(0..60, 1, 3)),
            ("beta.jsonl", log((0..60).filter(|k| k % 10 > 0), 1, 4)),
            ("gamma.jsonl", log((0..61).rev(), 1, 5)),
        ])
        .unwrap();
        assert_eq!((data.rows, summary.models.len()), (54, 3));
        assert_eq!(
            warning_of(&summary, "rows_without_partner"),
            "The logs are compared on the 54 answers that all of them have; excluded: 6 rows of `alpha.jsonl`, 7 rows of \
             `gamma.jsonl`."
        );
        assert!(warning_of(&summary, "models_of_one_cohort").contains("the same 54 rows (the same ids)"));
        assert_eq!(warning_of(&summary, "logs_combined"), "");
        let logs = summary.told.iter().filter(|part| part.about == About::Log).map(|part| part.text.as_str());
        assert_eq!(
            logs.collect::<Vec<_>>(),
            ["`alpha.jsonl`, `beta.jsonl`, `gamma.jsonl`: answers of a language model: fields correct and confidence"]
        );
    }

    #[test]
    fn attempts_at_the_same_questions_in_another_order_are_models() {
        let (data, summary) =
            opened(&[("alpha.jsonl", log(0..30, 2, 3)), ("beta.jsonl", log((0..30).rev(), 2, 4))]).unwrap();
        assert_eq!((data.rows, summary.models.len()), (60, 2));
        assert!(warning_of(&summary, "models_of_one_cohort").contains("the same 60 rows (the same questions)"));
        assert!(warning_of(&summary, "rows_matched").contains("their rows were matched by question"));
    }

    #[test]
    fn logs_with_few_questions_in_common_are_one_data_set() {
        let (data, summary) = opened(&[("a.jsonl", log(0..60, 1, 3)), ("b.jsonl", log(50..100, 1, 4))]).unwrap();
        assert_eq!((data.rows, summary.models.len()), (110, 0));
        let third = log(200..260, 1, 3);
        let files = [("a.jsonl", log(0..60, 1, 3)), ("b.jsonl", log(0..50, 1, 4)), ("c.jsonl", third)];
        assert!(opened(&files).unwrap_err().to_string().contains("`a.jsonl`, `b.jsonl` are of the same questions"));
    }

    #[test]
    fn questions_that_were_numbered_by_their_texts_are_matched_by_them() {
        // numbers of rows in place of ids
        let log = |order: &[usize], wrong: usize| -> String {
            let line = |(row, k): (usize, &usize)| {
                let correct = !(k + row).is_multiple_of(wrong);
                let confidence = 50 + k % 40;
                format!(
                    "{{\"id\": {row}, \"question\": \"What is {k}?\", \"confidence\": 0.{confidence}, \"correct\": {correct}}}\n"
                )
            };
            order.iter().enumerate().map(line).collect()
        };
        let forward: Vec<usize> = (0..60).map(|row| row / 2).collect();
        let backward: Vec<usize> = forward.iter().rev().copied().collect();
        let (data, summary) = opened(&[("alpha.jsonl", log(&forward, 3)), ("beta.jsonl", log(&backward, 4))]).unwrap();
        assert_eq!((data.rows, summary.models.len()), (60, 2));
        assert_eq!(data.text_of(0), Some("What is 0?"));
        assert!(warning_of(&summary, "rows_matched").contains("their rows were matched by question"));
    }
}
