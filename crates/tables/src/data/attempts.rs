//! Attempts of an evaluation log that cannot be scored: how many, why, and how they count.

use super::names;
use super::options::Unanswered;
use super::recognise::ColumnHints;
use super::roles::{ColumnRole, Role};
use crate::error::{Error, Result};
use crate::read::{CONFIDENCE_UNREADABLE, Meaning, Status};
use crate::table::values::{Table, Values};
use crate::table::{Column, Warning};
use crate::words::text::{counted, thousands};

/// What becomes of the attempts of a log.
pub(super) struct Attempts {
    /// for every row, whether it is scored
    pub scored: Vec<bool>,
    /// the counts, in words; none where every attempt has a confidence and a judgment
    pub told: Option<String>,
    /// the column that says why
    pub column: String,
}

/// Counts the attempts of a log, and lets those count as incorrect that shall; `None` where the files are no log.
///
/// The columns of correctness and confidence are those that the log's reader wrote.
///
/// * `warnings`: what was said of the files
///
/// # Errors
/// `empty` where no attempt is left.
///
/// # Cost
/// O(rows).
pub(super) fn attempts(
    table: &mut Table,
    given: &[ColumnHints],
    how: Unanswered,
    warnings: &[Warning],
) -> Result<Option<Attempts>> {
    let place = |meaning: Meaning| given.iter().position(|given| given.meaning.as_ref() == Some(&meaning));
    let (Some(status), Some(confidence), Some(correct)) =
        (place(Meaning::Status), place(Meaning::Confidence), place(Meaning::Correct))
    else {
        return Ok(None);
    };
    let statuses = statuses(table, status);
    let numbers = |table: &Table, place: usize| match table.columns.get(place).map(|column| &column.values) {
        Some(Values::Numbers(numbers)) => Some(numbers.clone()),
        _ => None,
    };
    let (Some(mut shares), Some(mut truths)) = (numbers(table, confidence), numbers(table, correct)) else {
        return Ok(None);
    };
    let (scored, told) = counted_attempts(&statuses, &mut shares, &mut truths, how, warnings)?;
    for (place, values) in [(confidence, shares), (correct, truths)] {
        if let Some(column) = table.columns.get_mut(place) {
            column.values = Values::Numbers(values);
        }
    }
    let column = name(table, status);
    Ok(Some(Attempts { scored, told, column }))
}

/// The same of a table whose verdicts in words say that some answers were not attempted; `None` where none does.
///
/// # Errors
/// `empty` where no attempt is left.
pub(super) fn attempts_of_table(table: &mut Table, roles: &[ColumnRole], how: Unanswered) -> Result<Option<Attempts>> {
    let place = |role: Role| roles.iter().position(|column| column.role == role);
    let Some(correct) = place(Role::Correct) else { return Ok(None) };
    let Some(Values::Text { codes, levels }) = table.columns.get(correct).map(|column| &column.values) else {
        return Ok(None);
    };
    let verdicts: Vec<Option<Option<bool>>> = levels.iter().map(names::verdict).collect();
    if !verdicts.contains(&Some(None)) {
        return Ok(None);
    }
    let verdict = |&code: &u32| verdicts.get(code as usize).copied().flatten();
    let status = |code: &u32| if verdict(code) == Some(None) { Status::NotAttempted } else { Status::Answered };
    let statuses: Vec<Status> = codes.iter().map(status).collect();
    let truth = |code: &u32| verdict(code).flatten().map_or(f64::NAN, |right| f64::from(u8::from(right)));
    let mut truths: Column<f64> = codes.iter().map(truth).collect();
    let confidence = place(Role::Confidence).or_else(|| place(Role::Probability));
    let shares = confidence.and_then(|place| match table.columns.get(place).map(|column| &column.values) {
        Some(Values::Numbers(shares)) => Some((place, shares.clone())),
        _ => None,
    });
    let Some((confidence, mut shares)) = shares else {
        let mut none = Column::from(vec![f64::NAN; statuses.len()]);
        let (scored, told) = counted_attempts(&statuses, &mut none, &mut truths, Unanswered::Excluded, &[])?;
        return Ok(Some(Attempts { scored, told, column: name(table, correct) }));
    };
    let (scored, told) = counted_attempts(&statuses, &mut shares, &mut truths, how, &[])?;
    if how != Unanswered::Excluded {
        for (place, values) in [(confidence, shares), (correct, truths)] {
            if let Some(column) = table.columns.get_mut(place) {
                column.values = Values::Numbers(values);
            }
        }
    }
    Ok(Some(Attempts { scored, told, column: name(table, correct) }))
}

fn name(table: &Table, place: usize) -> String {
    table.columns.get(place).map_or_else(String::new, |column| column.name.clone())
}

/// For every attempt, whether it is scored, and the counts in words, if any has no confidence or no judgment; lets those
/// count as incorrect that shall.
///
/// # Errors
/// `empty` where no attempt is left.
fn counted_attempts(
    statuses: &[Status],
    shares: &mut Column<f64>,
    truths: &mut Column<f64>,
    how: Unanswered,
    warnings: &[Warning],
) -> Result<(Vec<bool>, Option<String>)> {
    let mut scored = Vec::with_capacity(statuses.len());
    let (mut excluded, mut incorrect, mut judged) = (Counts::default(), Counts::default(), Counts::default());
    let mut certain = 0;
    for ((status, share), truth) in statuses.iter().zip(shares.iter_mut()).zip(truths.iter_mut()) {
        let (counts, is_scored) = match (status, how) {
            (Status::Answered, _) => (None, true),
            (Status::NoConfidence, Unanswered::IncorrectAtOne) => {
                *share = 1.0;
                certain += 1;
                (None, true)
            }
            (Status::NoConfidence, _) | (_, Unanswered::Excluded) => (Some(&mut excluded), false),
            (_, Unanswered::Incorrect) if share.is_nan() => (Some(&mut excluded), false),
            // What was judged keeps its judgment, such as a refusal that has one.
            (_, Unanswered::Incorrect) if !truth.is_nan() => (Some(&mut judged), true),
            (_, Unanswered::Incorrect) => {
                *truth = 0.0;
                (Some(&mut incorrect), true)
            }
            (_, Unanswered::IncorrectAtOne) if !truth.is_nan() => {
                *share = 1.0;
                (Some(&mut judged), true)
            }
            (_, Unanswered::IncorrectAtOne) => {
                (*truth, *share) = (0.0, 1.0);
                (Some(&mut incorrect), true)
            }
        };
        if let Some(counts) = counts {
            counts.add(*status);
        }
        scored.push(is_scored);
    }
    let answered = statuses.iter().filter(|status| **status == Status::Answered).count();
    let mut parts = vec![format!("{} with confidence and judgment", thousands(answered))];
    let at = if how == Unanswered::Incorrect { "their stated confidence" } else { "100%" };
    if incorrect.sum() > 0 {
        parts.push(format!("{} counted as incorrect at {at} ({})", thousands(incorrect.sum()), incorrect.words()));
    }
    if certain > 0 {
        parts.push(format!("{} without a stated confidence at 100%", thousands(certain)));
    }
    if judged.sum() > 0 {
        parts.push(format!("{} as judged at {at} ({})", thousands(judged.sum()), judged.words()));
    }
    if excluded.sum() > 0 {
        parts.push(format!("{} excluded ({})", thousands(excluded.sum()), excluded.words()));
    }
    let told = format!("{}: {}", counted(statuses.len(), "attempt"), parts.join(", "));
    if !scored.contains(&true) {
        let unreadable = warnings.iter().find(|warning| warning.code == CONFIDENCE_UNREADABLE);
        let unreadable = unreadable.map(|warning| format!(" {}", warning.message)).unwrap_or_default();
        return Err(Error::new(
            "empty",
            format!("No attempt can be scored. {told}.{unreadable}"),
            "A confidence and a judgment are needed for at least one answer.",
        ));
    }
    Ok((scored, (answered < statuses.len()).then_some(told)))
}

/// The status of every row by its word.
fn statuses(table: &Table, place: usize) -> Vec<Status> {
    let Some(Values::Text { codes, levels }) = table.columns.get(place).map(|column| &column.values) else {
        return Vec::new();
    };
    let of = |word: &str| Status::ALL.into_iter().find(|status| status.word() == word);
    let known: Vec<Option<Status>> = levels.iter().map(of).collect();
    codes.iter().map(|&code| known.get(code as usize).copied().flatten().unwrap_or(Status::Unparsed)).collect()
}

/// How many attempts have each status.
#[derive(Default)]
struct Counts(Vec<(Status, usize)>);

impl Counts {
    fn add(&mut self, status: Status) {
        match self.0.iter_mut().find(|(known, _)| *known == status) {
            Some((_, count)) => *count += 1,
            None => self.0.push((status, 1)),
        }
    }

    fn sum(&self) -> usize {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// "90 refused, 40 unparsed", in the order of [`Status::ALL`].
    fn words(&self) -> String {
        let count = |status: Status| self.0.iter().find(|(known, _)| *known == status).map_or(0, |(_, count)| *count);
        let there = Status::ALL.into_iter().filter(|status| count(*status) > 0);
        there.map(|status| format!("{} {}", thousands(count(status)), status.word())).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{OpenOptions, Role, Unanswered, assemble};

    #[test]
    fn what_was_judged_keeps_its_judgment_at_one() {
        let text = "{\"question\": \"a\", \"confidence\": 0.9, \"correct\": true}\n\
                    {\"question\": \"b\", \"confidence\": \"n/a\", \"correct\": true}\n\
                    {\"question\": \"c\", \"confidence\": \"NaN\", \"correct\": true}\n\
                    {\"question\": \"d\", \"confidence\": \"n/a\", \"correct\": false}\n\
                    {\"question\": \"e\", \"confidence\": 0.4, \"correct\": null}\n";
        let file = crate::read::read("answers.jsonl", text.as_bytes(), &mut |_| ()).unwrap();
        let options = OpenOptions { unanswered: Some(Unanswered::IncorrectAtOne), ..OpenOptions::default() };
        let (data, summary) = assemble(&[file], &options).unwrap();
        assert_eq!(data.correct.unwrap().to_vec(), [1, 1, 1, 0, 0]);
        assert_eq!(data.confidence.unwrap().to_vec(), [0.9, 1.0, 1.0, 1.0, 1.0]);
        let refused = text.replace("\"confidence\": 0.9", "\"refused\": true, \"confidence\": 0.9");
        let refused = crate::read::read("answers.jsonl", refused.as_bytes(), &mut |_| ()).unwrap();
        let options = OpenOptions { unanswered: Some(Unanswered::Incorrect), ..OpenOptions::default() };
        let (stated, _) = assemble(&[refused], &options).unwrap();
        assert_eq!(
            (stated.correct.unwrap().to_vec(), stated.confidence.unwrap().to_vec()),
            (vec![1, 0], vec![0.9, 0.4])
        );
        let told: Vec<&str> = summary.told.iter().map(|statement| statement.text.as_str()).collect();
        let counts = "5 attempts: 1 with confidence and judgment, 1 counted as incorrect at 100% (1 not judged), 1 without a \
                      stated confidence at 100%, 2 as judged at 100% (2 unparsed)";
        assert!(told.iter().any(|told| told.contains(counts)), "{told:?}");
    }

    #[test]
    fn verdicts_in_words_are_outcomes_of_a_table() {
        let row = |i: usize| {
            let grade = ["CORRECT", "INCORRECT", "CORRECT", "NOT_ATTEMPTED"][i % 4];
            let topic = ["law", "physics"][i % 2];
            format!("{i},What is the answer to the question {i}?,{topic},{},{grade}\n", 40 + i % 50)
        };
        let text = format!("id,question,topic,confidence,grade\n{}", (0..80).map(row).collect::<String>());
        let file = crate::read::read("answers.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let with = |how: Unanswered| {
            let options = OpenOptions { unanswered: Some(how), ..OpenOptions::default() };
            assemble(std::slice::from_ref(&file), &options).unwrap()
        };
        let (data, summary) = with(Unanswered::Excluded);
        let role = |name: &str| summary.columns.iter().find(|column| column.name == name).map(|column| column.role);
        assert_eq!(role("question"), Some(Role::Text));
        assert_eq!((role("grade"), role("confidence")), (Some(Role::Correct), Some(Role::Confidence)));
        assert_eq!((data.rows, &data.correct.unwrap()[..4]), (60, &[1, 0, 1, 1][..]));
        let counts = "80 attempts: 60 with confidence and judgment, 20 excluded (20 not attempted)";
        assert!(summary.told.iter().any(|statement| statement.text == counts), "{:?}", summary.told);
        let (data, _) = with(Unanswered::IncorrectAtOne);
        assert_eq!((data.rows, data.correct.unwrap()[3], data.confidence.unwrap()[3]), (80, 0, 1.0));
    }
}
