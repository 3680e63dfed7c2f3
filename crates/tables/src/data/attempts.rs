//! Attempts of an evaluation log that cannot be scored: how many, why, and how they count.

use serde::{Deserialize, Serialize};

use super::names;
use super::options::Unanswered;
use super::recognize::ColumnHints;
use super::roles::{ColumnRole, Role};
use crate::error::{Error, Result};
use crate::read::{CONFIDENCE_UNREADABLE, JUDGMENT_UNREADABLE, Meaning, Status};
use crate::table::values::{Table, Values};
use crate::table::{Column, Warning};
use crate::words::text::{counted, thousands};

/// What becomes of the attempts of a log.
pub(super) struct Attempts {
    /// for every row, whether it is scored
    pub scored: Vec<bool>,
    /// the column that says why
    pub column: String,
    /// for every row, why it could not be scored as it is, and how it counts
    fates: Vec<(Status, Fate)>,
    how: Unanswered,
}

/// How an attempt counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// with its confidence and its judgment
    Answered,
    /// as judged, at 100%, since it states no confidence
    Certain,
    /// as judged, although it was refused, say
    Judged,
    /// as incorrect
    Incorrect,
    /// not at all
    Excluded,
}

/// How many attempts of an evaluation log have a confidence and a judgment, and how the others count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptCounts {
    how: Unanswered,
    answered: usize,
    certain: usize,
    incorrect: Counts,
    judged: Counts,
    excluded: Counts,
}

impl Attempts {
    /// The counts of the attempts in these rows; of all without `rows`.
    pub fn counts(&self, rows: Option<&[bool]>) -> AttemptCounts {
        let inside = |row: usize| rows.is_none_or(|rows| rows.get(row) == Some(&true));
        let mut counts = AttemptCounts {
            how: self.how,
            answered: 0,
            certain: 0,
            incorrect: Counts::default(),
            judged: Counts::default(),
            excluded: Counts::default(),
        };
        for (status, fate) in self.fates.iter().enumerate().filter(|(row, _)| inside(*row)).map(|(_, one)| *one) {
            match fate {
                Fate::Answered => counts.answered += 1,
                Fate::Certain => counts.certain += 1,
                Fate::Judged => counts.judged.add(status),
                Fate::Incorrect => counts.incorrect.add(status),
                Fate::Excluded => counts.excluded.add(status),
            }
        }
        counts
    }
}

impl AttemptCounts {
    /// All attempts.
    pub fn attempts(&self) -> usize {
        self.answered + self.certain + self.incorrect.sum() + self.judged.sum() + self.excluded.sum()
    }

    /// Attempts that are not scored.
    pub fn excluded(&self) -> usize {
        self.excluded.sum()
    }

    /// Whether some have no confidence or no judgment.
    pub fn any_unanswered(&self) -> bool {
        self.answered < self.attempts()
    }

    /// The smallest number that [`Self::summary`] states, other than 0.
    pub fn smallest(&self) -> usize {
        let by_status = [&self.incorrect, &self.judged, &self.excluded].into_iter().flat_map(|counts| &counts.0);
        let all = [self.answered, self.certain].into_iter().chain(by_status.map(|(_, count)| *count));
        all.filter(|count| *count > 0).min().unwrap_or(0)
    }

    /// "830 attempts: 700 with confidence and judgment, 130 excluded (90 refused, 40 unparsed)".
    pub fn summary(&self) -> String {
        let Self { how, answered, certain, incorrect, judged, excluded } = self;
        let mut parts = vec![format!("{} with confidence and judgment", thousands(*answered))];
        let at = if *how == Unanswered::Incorrect { "their stated confidence" } else { "100%" };
        if incorrect.sum() > 0 {
            parts.push(format!("{} counted as incorrect at {at} ({})", thousands(incorrect.sum()), incorrect.words()));
        }
        if *certain > 0 {
            parts.push(format!("{} without a stated confidence at 100%", thousands(*certain)));
        }
        if judged.sum() > 0 {
            parts.push(format!("{} as judged at {at} ({})", thousands(judged.sum()), judged.words()));
        }
        if excluded.sum() > 0 {
            parts.push(format!("{} excluded ({})", thousands(excluded.sum()), excluded.words()));
        }
        format!("{}: {}", counted(self.attempts(), "attempt"), parts.join(", "))
    }
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
    let column = name(table, status);
    let attempts = counted_attempts(&statuses, &mut shares, &mut truths, (how, column), warnings)?;
    for (place, values) in [(confidence, shares), (correct, truths)] {
        if let Some(column) = table.columns.get_mut(place) {
            column.values = Values::Numbers(values);
        }
    }
    Ok(Some(attempts))
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
    let column = name(table, correct);
    let confidence = place(Role::Confidence).or_else(|| place(Role::Probability));
    let shares = confidence.and_then(|place| match table.columns.get(place).map(|column| &column.values) {
        Some(Values::Numbers(shares)) => Some((place, shares.clone())),
        _ => None,
    });
    let Some((confidence, mut shares)) = shares else {
        let mut none = Column::from(vec![f64::NAN; statuses.len()]);
        let how = (Unanswered::Excluded, column);
        return counted_attempts(&statuses, &mut none, &mut truths, how, &[]).map(Some);
    };
    let attempts = counted_attempts(&statuses, &mut shares, &mut truths, (how, column), &[])?;
    if how != Unanswered::Excluded {
        for (place, values) in [(confidence, shares), (correct, truths)] {
            if let Some(column) = table.columns.get_mut(place) {
                column.values = Values::Numbers(values);
            }
        }
    }
    Ok(Some(attempts))
}

fn name(table: &Table, place: usize) -> String {
    table.columns.get(place).map_or_else(String::new, |column| column.name.clone())
}

/// How every attempt counts; lets those count as incorrect that shall.
///
/// * `column`: the one that says why an attempt cannot be scored
///
/// # Errors
/// `empty` where no attempt is left.
fn counted_attempts(
    statuses: &[Status],
    shares: &mut Column<f64>,
    truths: &mut Column<f64>,
    (how, column): (Unanswered, String),
    warnings: &[Warning],
) -> Result<Attempts> {
    let mut fates = Vec::with_capacity(statuses.len());
    for ((status, share), truth) in statuses.iter().zip(shares.iter_mut()).zip(truths.iter_mut()) {
        let fate = match (status, how) {
            (Status::Answered, _) => Fate::Answered,
            (Status::NoConfidence, Unanswered::IncorrectAtOne) => {
                *share = 1.0;
                Fate::Certain
            }
            (Status::NoConfidence, _) | (_, Unanswered::Excluded) => Fate::Excluded,
            (_, Unanswered::Incorrect) if share.is_nan() => Fate::Excluded,
            // What was judged keeps its judgment, such as a refusal that has one.
            (_, Unanswered::Incorrect) if !truth.is_nan() => Fate::Judged,
            (_, Unanswered::Incorrect) => {
                *truth = 0.0;
                Fate::Incorrect
            }
            (_, Unanswered::IncorrectAtOne) if !truth.is_nan() => {
                *share = 1.0;
                Fate::Judged
            }
            (_, Unanswered::IncorrectAtOne) => {
                (*truth, *share) = (0.0, 1.0);
                Fate::Incorrect
            }
        };
        fates.push((*status, fate));
    }
    let scored: Vec<bool> = fates.iter().map(|(_, fate)| *fate != Fate::Excluded).collect();
    let attempts = Attempts { scored, column, fates, how };
    if !attempts.scored.contains(&true) {
        let unreadable = warnings
            .iter()
            .filter(|warning| [CONFIDENCE_UNREADABLE, JUDGMENT_UNREADABLE].contains(&warning.code.as_str()));
        let unreadable: String = unreadable.map(|warning| format!(" {}", warning.message)).collect();
        return Err(Error::new(
            "empty",
            format!("No attempt can be scored. {}.{unreadable}", attempts.counts(None).summary()),
            "A confidence and a judgment are needed for at least one answer.",
        ));
    }
    Ok(attempts)
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
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    fn attempts_are_counted_among_the_rows_that_are_open() {
        let line = |k: usize| {
            let confidence = if k.is_multiple_of(6) { "null".to_owned() } else { format!("0.{}", 50 + k % 40) };
            let topic = ["law", "physics"][usize::from(k >= 40)];
            format!(
                "{{\"question_id\": \"q{k}\", \"question\": \"What is {k}?\", \"topic\": \"{topic}\", \"confidence\": {confidence}, \"correct\": {}}}\n",
                k.is_multiple_of(3)
            )
        };
        let text: String = (0..60).map(line).collect();
        let file = crate::read::read("answers.jsonl", text.as_bytes(), &mut |_| ()).unwrap();
        let told = |only: &str| {
            let only = serde_json::from_str(only).unwrap();
            let options = OpenOptions { only: Some(only), ..OpenOptions::default() };
            let (data, summary) = assemble(std::slice::from_ref(&file), &options).unwrap();
            let counts = data.attempts.clone().unwrap();
            assert_eq!((data.rows + data.dropped, data.dropped), (counts.attempts(), counts.excluded()));
            assert!(summary.told.iter().any(|statement| statement.text == counts.summary()));
            counts.summary()
        };
        assert_eq!(told("[]"), "60 attempts: 50 with confidence and judgment, 10 excluded (10 no confidence)");
        assert_eq!(
            told("[{\"column\": \"topic\", \"values\": [\"law\"]}]"),
            "40 attempts: 33 with confidence and judgment, 7 excluded (7 no confidence)"
        );
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
