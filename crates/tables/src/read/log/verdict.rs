//! How attempts were judged, whatever their judge writes.

use super::super::grades::read_as_grades;
use super::super::json::JsonCell;
use crate::error::{Error, Result};
use crate::table::Warning;
use crate::words::text::{bounded, listed, plain, quoted, thousands};

/// How an attempt was judged.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Verdict {
    Right,
    Wrong,
    Partly,
    NotAttempted,
    /// a letter, which means one thing or another beside others
    Letter(u8),
    /// neither
    Unreadable,
    /// not judged
    #[default]
    None,
}

impl Verdict {
    /// Of what a judge may write: a truth, 1 or 0, yes or no, a share, a letter, or SimpleQA's words.
    pub fn of(cell: &JsonCell) -> Self {
        match (cell, cell.number()) {
            (JsonCell::Missing, _) => Verdict::None,
            (_, Some(number)) => Self::of_number(number),
            (JsonCell::Text(text), _) => Self::of_word(&text.trim().to_lowercase()),
            _ => Verdict::Unreadable,
        }
    }

    fn of_number(number: f64) -> Self {
        match number {
            1.0 => Verdict::Right,
            0.0 => Verdict::Wrong,
            share if 0.0 < share && share < 1.0 => Verdict::Partly,
            _ => Verdict::Unreadable,
        }
    }

    fn of_word(word: &str) -> Self {
        match word {
            "yes" | "true" | "correct" | "right" | "pass" | "passed" => Verdict::Right,
            "no" | "false" | "incorrect" | "wrong" | "fail" | "failed" => Verdict::Wrong,
            "not_attempted" | "not attempted" => Verdict::NotAttempted,
            "partially correct" | "partly correct" | "partial" => Verdict::Partly,
            letter => match letter.as_bytes() {
                [letter @ b'a'..=b'z'] => Verdict::Letter(letter.to_ascii_uppercase()),
                _ => Verdict::Unreadable,
            },
        }
    }

    /// A letter as Inspect means it: correct, incorrect, partly correct, no answer.
    pub fn of_inspect(self) -> Self {
        self.lettered(Letters::Inspect)
    }

    fn lettered(self, letters: Letters) -> Self {
        let Verdict::Letter(letter) = self else { return self };
        match (letters, letter) {
            (Letters::Inspect, b'C') | (Letters::SimpleQa, b'A') | (Letters::Truths, b'Y' | b'T') => Verdict::Right,
            (Letters::Inspect, b'I') | (Letters::SimpleQa, b'B') | (Letters::Truths, b'N' | b'F') => Verdict::Wrong,
            (Letters::Inspect, b'P') => Verdict::Partly,
            (Letters::Inspect, b'N') | (Letters::SimpleQa, b'C') => Verdict::NotAttempted,
            _ => Verdict::Unreadable,
        }
    }

    /// Whether it is a judgment, or a letter that may be one beside others.
    pub fn is_known(self) -> bool {
        match self {
            Verdict::Letter(letter) => b"ABCIPNYTF".contains(&letter),
            Verdict::Unreadable => false,
            _ => true,
        }
    }
}

/// What the letters of a file mean.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Letters {
    /// C, I, P and N
    Inspect,
    /// A, B and C
    SimpleQa,
    /// Y and N, T and F
    Truths,
}

impl Letters {
    /// Told by those that occur, in alphabetical order.
    ///
    /// # Errors
    /// `label_out_of_range` where they are letters of answers, or mean one thing or another.
    fn of(occurring: &[u8], judgments: &Judgments) -> Result<Self> {
        let any = |letters: &[u8]| occurring.iter().any(|letter| letters.contains(letter));
        let (graded, inspect) = (any(b"AB"), any(b"IPN"));
        if any(b"DE") && (graded || !inspect) || graded && judgments.answers.is_some() {
            return Err(judgments.of_answers(occurring));
        }
        if any(b"YTF") && occurring.iter().all(|letter| b"YNTF".contains(letter)) {
            return Ok(Letters::Truths);
        }
        let unclear = |message| Err(Error::new("label_out_of_range", message, "Write true or false for each answer."));
        match occurring {
            _ if graded && inspect => {
                unclear("The grades mix the letters of SimpleQA (A, B, C) with those of Inspect (C, I, P, N).")
            }
            b"C" => unclear("Every grade is `C`, which means correct in Inspect and not attempted in SimpleQA."),
            _ if graded => Ok(Letters::SimpleQa),
            _ => Ok(Letters::Inspect),
        }
    }
}

/// Code of the warning that names the first judgment that could not be read.
pub(crate) const UNREADABLE: &str = "judgment_unreadable";

/// What of the judgments of a file is said, or refused.
#[derive(Default)]
pub(super) struct Judgments {
    /// where they are
    field: String,
    /// how many were noted
    count: usize,
    /// those that are no judgments, and the first of them
    unreadable: usize,
    first: String,
    /// the first number that is neither 0, 1 nor between them, and its answer
    points: Option<(f64, usize)>,
    /// the field with the letters of the choices that were answered
    pub answers: Option<String>,
}

impl Judgments {
    /// Remembers the value of a field, and what was read of it.
    pub fn note(&mut self, field: &str, cell: &JsonCell, verdict: Verdict) {
        if self.count == 0 {
            field.clone_into(&mut self.field);
        }
        self.count += 1;
        if verdict != Verdict::Unreadable {
            return;
        }
        match cell {
            JsonCell::Number(_) | JsonCell::Text(_) => match (cell.number(), cell.text()) {
                (Some(number), _) => self.points = self.points.or(Some((number, self.count))),
                (None, text) => self.add(&quoted(&text.unwrap_or_default().chars().take(40).collect::<String>())),
            },
            JsonCell::List(_) => self.add("a list"),
            _ => self.add("an object"),
        }
    }

    fn add(&mut self, what: &str) {
        if self.unreadable == 0 {
            what.clone_into(&mut self.first);
        }
        self.unreadable += 1;
    }

    /// Letters become judgments by those beside them. What a person should know of the judgments.
    ///
    /// # Errors
    /// `label_out_of_range` for points, for letters of answers and for letters that mean one thing or another.
    pub fn settle(mut self, verdicts: &mut [Verdict]) -> Result<Vec<Warning>> {
        if let Some((number, answer)) = self.points {
            return Err(self.of_points(number, answer));
        }
        let mut warnings = Vec::new();
        let occurring = letters(verdicts);
        if !occurring.is_empty() {
            let letters = Letters::of(&occurring, &self)?;
            for verdict in verdicts.iter_mut() {
                let settled = verdict.lettered(letters);
                if let (Verdict::Letter(letter), Verdict::Unreadable) = (*verdict, settled) {
                    self.add(&quoted(&char::from(letter).to_string()));
                }
                *verdict = settled;
            }
            if letters == Letters::SimpleQa {
                warnings.push(Warning { column: None, ..read_as_grades(&self.field) });
            }
        }
        let message = match self.unreadable {
            0 => return Ok(warnings),
            1 => format!(
                "1 judgment in {} is not recognized and counts as unparsed: {}.",
                quoted(&self.field),
                self.first
            ),
            several => format!(
                "{} judgments in {} are not recognized and count as unparsed: the first is {}.",
                thousands(several),
                quoted(&self.field),
                self.first
            ),
        };
        warnings.push(Warning { code: UNREADABLE.to_owned(), message, row: None, column: None });
        Ok(warnings)
    }

    /// Read as judgments, 1 of 5 points would be correct and the other points nothing.
    fn of_points(&self, number: f64, answer: usize) -> Error {
        Error::new(
            "label_out_of_range",
            format!(
                "{} of answer {} is {}: a judgment is true or false, 1 or 0, or a share between them.",
                quoted(&self.field),
                thousands(answer),
                plain(number)
            ),
            format!(
                "Decide from how many points an answer is correct, in pandas: `t[{0:?}] = t[{0:?}] >= …`. Of several attempts at \
                 a question, write one object for each attempt.",
                self.field
            ),
        )
    }

    /// Letters that say which choice is correct, or was answered, judge nothing.
    fn of_answers(&self, occurring: &[u8]) -> Error {
        let letters: Vec<String> = occurring.iter().map(|letter| char::from(*letter).to_string()).collect();
        let beside = self
            .answers
            .as_ref()
            .map_or(String::new(), |field| format!(", and {} holds such letters, too", quoted(field)));
        let hint = match &self.answers {
            Some(answers) => format!("in pandas: `t[{0:?}] = t[{answers:?}] == t[{0:?}]`.", self.field),
            None => "where the letter that was answered is the letter of the correct choice.".to_owned(),
        };
        Error::new(
            "label_out_of_range",
            bounded(format!(
                "{} holds the letters {}{beside}: choices rather than judgments.",
                quoted(&self.field),
                listed(&letters)
            )),
            format!("Write true or false for each answer, {hint}"),
        )
    }
}

/// Letters that occur, in alphabetical order.
fn letters(verdicts: &[Verdict]) -> Vec<u8> {
    let letter = |verdict: &Verdict| if let Verdict::Letter(letter) = verdict { Some(*letter) } else { None };
    let mut letters: Vec<u8> = verdicts.iter().filter_map(letter).collect();
    letters.sort_unstable();
    letters.dedup();
    letters
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::read::{ReadFile, read};
    use crate::table::Values;

    /// What is read of answers with these fields besides question and confidence, or why it is refused.
    fn answers(fields: &[&str]) -> Result<ReadFile, String> {
        let line = |(k, more): (usize, &&str)| format!("{{\"question\": \"q{k}\", \"confidence\": 0.5, {more}}}\n");
        let text: String = fields.iter().enumerate().map(line).collect();
        read("a.jsonl", text.as_bytes(), &mut |_| ()).map_err(|error| format!("{error} {}", error.hint()))
    }

    fn judged(name: &str, values: &[&str]) -> Result<ReadFile, String> {
        let fields: Vec<String> = values.iter().map(|value| format!("{name:?}: {value}")).collect();
        answers(&fields.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// 1, 0 or the first letter of the status of each answer.
    fn read_as(file: &ReadFile) -> String {
        let column = |name: &str| &file.columns.iter().find(|column| column.name == name).unwrap().values;
        let (Values::Numbers(correct), Values::Text { codes, levels }) = (column("correct"), column("status")) else {
            panic!("{:?}", file.columns)
        };
        let word =
            |(x, code): (&f64, &u32)| if x.is_nan() { levels.text(*code)[..1].to_owned() } else { x.to_string() };
        correct.iter().zip(codes.iter()).map(word).collect::<Vec<_>>().join(" ")
    }

    fn warnings(file: &ReadFile) -> Vec<&str> {
        file.warnings.iter().map(|warning| warning.message.as_str()).collect()
    }

    #[test]
    fn points_are_no_judgments() {
        assert_eq!(
            judged("grade", &["1", "4", "5"]).unwrap_err(),
            "`grade` of answer 2 is 4: a judgment is true or false, 1 or 0, or a share between them (file `a.jsonl`). Decide \
             from how many points an answer is correct, in pandas: `t[\"grade\"] = t[\"grade\"] >= …`. Of several attempts at a \
             question, write one object for each attempt."
        );
        assert!(judged("correct", &["1", "\"3\""]).unwrap_err().starts_with("`correct` of answer 2 is 3"));
        assert!(judged("correct", &["1", "-1"]).unwrap_err().starts_with("`correct` of answer 2 is -1"));
        assert_eq!(read_as(&judged("correct", &["1", "0.5", "\"0.5\"", "0"]).unwrap()), "1 p p 0");
    }

    #[test]
    fn words_of_judges_are_read_and_others_are_named() {
        let words =
            judged("correct", &["\"pass\"", "\"Fail\"", "\"passed\"", "\"failed\"", "\"maybe\"", "{}", "\"?\""]);
        let file = words.unwrap();
        assert_eq!(read_as(&file), "1 0 1 0 u u u");
        assert_eq!(
            warnings(&file),
            ["3 judgments in `correct` are not recognized and count as unparsed: the first is `maybe`."]
        );
        let one = judged("grade", &["\"C\"", "\"I\"", "\"Y\""]).unwrap();
        assert_eq!(read_as(&one), "1 0 u");
        assert_eq!(warnings(&one), ["1 judgment in `grade` is not recognized and counts as unparsed: `Y`."]);
        let none = judged("correct", &["\"maybe\"", "\"so so\""]).unwrap();
        let error = crate::data::assemble(&[none], &crate::data::OpenOptions::default()).unwrap_err();
        assert!(error.to_string().ends_with("the first is `maybe`."), "{error}");
    }

    #[test]
    fn letters_of_truths_are_told_by_those_beside_them() {
        assert_eq!(read_as(&judged("correct", &["\"Y\"", "\"n\"", "\"N\""]).unwrap()), "1 0 0");
        assert_eq!(read_as(&judged("correct", &["\"t\"", "\"F\""]).unwrap()), "1 0");
        assert_eq!(read_as(&judged("correct", &["\"C\"", "\"N\"", "\"I\""]).unwrap()), "1 n 0");
    }

    #[test]
    fn letters_of_choices_are_no_grades() {
        assert_eq!(
            judged("correct", &["\"A\"", "\"D\"", "\"B\""]).unwrap_err(),
            "`correct` holds the letters `A`, `B`, `D`: choices rather than judgments (file `a.jsonl`). Write true or false for \
             each answer, where the letter that was answered is the letter of the correct choice."
        );
        let beside = answers(&["\"correct\": \"A\", \"answer\": \"C\"", "\"correct\": \"B\", \"answer\": \"B\""]);
        assert_eq!(
            beside.unwrap_err(),
            "`correct` holds the letters `A`, `B`, and `answer` holds such letters, too: choices rather than judgments (file \
             `a.jsonl`). Write true or false for each answer, in pandas: `t[\"correct\"] = t[\"answer\"] == t[\"correct\"]`."
        );
        let grades = answers(&["\"grade\": \"A\", \"answer\": \"C\"", "\"grade\": \"B\", \"answer\": \"B\""]).unwrap();
        assert_eq!(read_as(&grades), "1 0");
        assert_eq!(
            warnings(&grades),
            ["`grade` was read as SimpleQA grades answers: A correct, B incorrect, C not attempted."]
        );
    }
}
