//! Attempts at questions, whatever tool wrote them, as columns.

use std::collections::HashMap;

use super::super::json::{JsonCell, Records};
use super::super::levels::Levels;
use super::super::worded::{WordsFound, in_words};
use super::super::{ReadFile, Source, hundredths};
use super::verdict::{Judgments, Verdict};
use super::{Log, Meaning, Status};
use crate::error::{Error, Result};
use crate::table::{Column, NamedColumn, Values, Warning};
use crate::words::text::{counted, listed, plain, quoted, thousands};

/// Names of an answer key among the fields of a question, in lower case without `_`: groups by it would be groups by what
/// was to be answered.
const KEYS: &[&str] =
    &["answer", "answers", "answerkey", "answerindex", "label", "gold", "target", "correctanswer", "solution"];

/// Fewest confidences of which all together say that they are none.
const FEWEST: usize = 20;

/// Refuses ratings on a scale up to 10, which would otherwise be percentages; of whole numbers a few may lie outside the scale.
///
/// * `nouns`: what one of the numbers is called, and several: `["confidence", "confidences"]`
pub(crate) fn check_ratings(confidences: &[f64], [one, several]: [&str; 2]) -> Result<()> {
    let all = confidences.len();
    let number = |is: &dyn Fn(f64) -> bool| confidences.iter().filter(|x| is(**x)).count();
    let on_scale = number(&|x| (0.0..=10.0).contains(&x));
    let whole = confidences.iter().all(|x| x.fract() == 0.0);
    // zeros and ones may be probabilities
    let graded = 10 * number(&|x| (2.0..=10.0).contains(&x)) >= all;
    let mostly = all >= FEWEST && whole && 20 * on_scale >= 19 * all && graded;
    let every = on_scale == all && are_percentages(confidences);
    if !(mostly || every) {
        return Ok(());
    }
    let least = confidences.iter().copied().fold(10.0, f64::min).max(0.0);
    let most = confidences.iter().copied().filter(|x| *x <= 10.0).fold(0.0, f64::max);
    let range = if least == most { plain(most) } else { format!("from {} to {}", plain(least), plain(most)) };
    let message = match all - on_scale {
        0 if least == most => format!("Every {one} is {range}: a rating rather than a percentage."),
        0 if whole => format!("Every {one} is a whole number {range}: a rating rather than a percentage."),
        0 => format!("Every {one} is a number {range}: a rating rather than a percentage."),
        _ => format!(
            "{} of {} {several} are whole numbers {range}: ratings rather than percentages.",
            thousands(on_scale),
            thousands(all)
        ),
    };
    Err(Error::new(
        "probability_out_of_range",
        message,
        match most {
            10.0 => "Divide ratings by 10, or write percentages with their sign (7%).",
            _ => {
                "Divide ratings by the maximum of their scale (5 or 10, for instance), or write percentages with their sign (4%)."
            }
        },
    ))
}

/// Whether numbers without a sign are read as percentages: more than [`STRAY`] of them lie in (1, 100].
fn are_percentages(confidences: &[f64]) -> bool {
    let large = confidences.iter().filter(|x| 1.0 < **x && **x <= 100.0).count();
    large as f64 > STRAY * confidences.len() as f64
}

/// Numbers that are probabilities unless they are percentages below 1%.
fn fractions(confidences: &[f64]) -> usize {
    confidences.iter().filter(|x| 0.0 < **x && **x < 1.0).count()
}

/// Refuses probabilities among which some numbers exceed 1: read as percentages, the probabilities would be below 1%.
fn check_mixed(confidences: &[f64]) -> Result<()> {
    let (small, all) = (fractions(confidences), confidences.len());
    let beyond = |x: &f64| 1.0 < *x && *x <= 100.0;
    let (large, first) = (confidences.iter().filter(|x| beyond(x)).count(), confidences.iter().find(|x| beyond(x)));
    match first {
        Some(first) if are_percentages(confidences) && 2 * small > all => Err(Error::new(
            "probability_out_of_range",
            format!(
                "{} of {} confidences lie between 0 and 1, and {} above 1: the first is {}.",
                thousands(small),
                thousands(all),
                match large {
                    1 => "1 is".to_owned(),
                    several => format!("{} are", thousands(several)),
                },
                plain(*first)
            ),
            "Write all of them as probabilities from 0 to 1, or percentages with their sign (85%).",
        )),
        _ => Ok(()),
    }
}

/// Refuses confidences nearly all of which are neither probabilities nor percentages.
fn check_outside(confidences: &[f64], outside: usize, range: &str) -> Result<()> {
    if confidences.len() < FEWEST || 10 * outside <= 9 * confidences.len() {
        return Ok(());
    }
    let (some, all) = (thousands(outside), thousands(confidences.len()));
    Err(Error::new(
        "probability_out_of_range",
        format!("{some} of {all} confidences are outside {range}."),
        match confidences.iter().all(|x| *x <= 0.0) {
            true => "Of log-probabilities, write exp(confidence).",
            false => "Write probabilities from 0 to 1, or percentages from 0 to 100.",
        },
    ))
}

/// Share of confidences above 1 up to which they are faults among probabilities rather than signs of percentages, as in a table.
const STRAY: f64 = 0.01;

/// An attempt as its tool wrote it.
#[derive(Debug, Default)]
pub(super) struct Attempt {
    /// names the question
    pub question: JsonCell,
    /// number of the attempt, where the tool gives one
    pub number: Option<f64>,
    /// text of the question
    pub text: Option<String>,
    /// how it was judged
    pub verdict: Verdict,
    /// how confident it was
    pub confidence: Stated,
    /// why it cannot be scored, where the tool says so
    pub status: Option<Status>,
    /// what is known of the question besides
    pub fields: Vec<(String, JsonCell)>,
}

/// A confidence as it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Stated {
    /// a number of which the whole file says whether it is a percentage
    Number(f64),
    /// with a percent sign, divided by 100
    Percent(f64),
    /// neither
    Unreadable,
    /// nothing
    #[default]
    None,
}

impl Stated {
    pub fn of(cell: &JsonCell) -> Self {
        match (cell, cell.number()) {
            (JsonCell::Missing, _) => Stated::None,
            (_, Some(number)) if number.is_finite() => Stated::Number(number),
            (JsonCell::Text(text), _) if is_missing(text) => Stated::None,
            (JsonCell::Text(text), _) => hundredths(text).map_or(Stated::Unreadable, Stated::Percent),
            _ => Stated::Unreadable,
        }
    }
}

/// `NaN` and infinities written as texts are missing values, as they are without quotes.
fn is_missing(text: &str) -> bool {
    text.trim().parse::<f64>().is_ok_and(|number| !number.is_finite())
}

/// Numbers and texts of an object, with those of objects inside it; lists are left out.
pub(super) fn scalars(fields: &JsonCell, without: &[&str]) -> Vec<(String, JsonCell)> {
    let JsonCell::Fields(fields) = fields else { return Vec::new() };
    let kept =
        fields.iter().filter(|(name, cell)| !without.contains(&name.as_str()) && !matches!(cell, JsonCell::List(_)));
    kept.map(|(name, cell)| {
        let cell = match cell {
            JsonCell::Fields(_) => JsonCell::Fields(scalars(cell, &[])),
            cell => cell.clone(),
        };
        (name.clone(), cell)
    })
    .collect()
}

/// Attempts while they come.
pub(super) struct Attempts {
    records: Records,
    verdicts: Vec<Verdict>,
    stated: Vec<Stated>,
    status: Vec<Option<Status>>,
    numbers: Vec<f64>,
    /// how often each question came so far
    seen: HashMap<String, u32>,
    repeats: bool,
    /// confidences that could not be read
    unreadable: UnreadableConfidences,
    /// what there is to say of the verdicts
    pub judgments: Judgments,
    /// columns that say something of their own: name, meaning
    pub unused: Vec<(String, String)>,
    /// what a person should know
    pub warnings: Vec<Warning>,
}

/// Confidences that are neither numbers nor percentages.
#[derive(Default)]
struct UnreadableConfidences {
    count: usize,
    /// the field of the first
    field: String,
    /// the first, in words
    first: String,
    words: WordsFound,
}

impl UnreadableConfidences {
    fn message(self) -> Option<String> {
        let Self { count, field, first, words } = self;
        Some(match (count, words.known()) {
            (0, _) => return None,
            (1, _) => format!("1 confidence is neither a number nor a percentage and counts as unparsed: {first}."),
            (several, Some(words)) => {
                let several = thousands(several);
                format!("{several} confidences are words and count as unparsed. {}", in_words(&field, words))
            }
            (several, None) => format!(
                "{} confidences are neither numbers nor percentages and count as unparsed: the first is {first}.",
                thousands(several)
            ),
        })
    }
}

/// Code of the warning that names the first confidence that could not be read.
pub(crate) const UNREADABLE: &str = "confidence_unreadable";
/// Names of the columns that every log has.
const OWN: [&str; 6] = ["question_id", "attempt", "question", "confidence", "correct", "status"];

impl Attempts {
    pub fn new(source: &Source<'_>) -> Self {
        Self {
            records: Records::of_most(source.options.most()),
            verdicts: Vec::new(),
            stated: Vec::new(),
            status: Vec::new(),
            numbers: Vec::new(),
            seen: HashMap::new(),
            repeats: false,
            unreadable: UnreadableConfidences::default(),
            judgments: Judgments::default(),
            unused: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The name of the column of a field: another than those that every log has.
    pub fn named(field: &str) -> String {
        if OWN.contains(&field) { format!("{field} of the question") } else { field.to_owned() }
    }

    pub fn push(&mut self, attempt: Attempt) {
        let question = key(&attempt.question);
        let before = if question.is_empty() { &mut 0 } else { self.seen.entry(question).or_default() };
        *before += 1;
        self.repeats |= *before > 1;
        self.numbers.push(attempt.number.unwrap_or(f64::from(*before)));
        self.verdicts.push(attempt.verdict);
        self.stated.push(attempt.confidence);
        self.status.push(attempt.status);
        let mut record = vec![
            (OWN[0].to_owned(), attempt.question),
            (OWN[2].to_owned(), attempt.text.map_or(JsonCell::Missing, JsonCell::Text)),
        ];
        for (name, cell) in attempt.fields {
            record.push((Self::named(&name), cell));
        }
        self.records.push(JsonCell::Fields(record));
    }

    /// Remembers a confidence that is neither a number nor a percentage.
    ///
    /// * `field`: where it is
    pub fn note_unreadable(&mut self, field: &str, confidence: &JsonCell) {
        if Stated::of(confidence) != Stated::Unreadable {
            return;
        }
        if self.unreadable.count == 0 {
            field.clone_into(&mut self.unreadable.field);
            self.unreadable.first = match confidence {
                JsonCell::Text(text) => quoted(&text.chars().take(40).collect::<String>()),
                JsonCell::List(_) => "a list".to_owned(),
                _ => "an object".to_owned(),
            };
        }
        self.unreadable.count += 1;
        self.unreadable.words.add(confidence.text().unwrap_or_default());
    }

    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    pub fn warn(&mut self, code: &str, message: String) {
        self.warnings.push(Warning { code: code.to_owned(), message, row: None, column: None });
    }

    /// The columns of a file.
    ///
    /// * `summary`: which log it is, and what was taken as correct and as confidence
    ///
    /// # Errors
    /// `empty` without attempts, `too_large`; `label_out_of_range` where verdicts are points or letters of answers, or mean one thing
    /// or another.
    pub fn finished(mut self, source: &Source<'_>, summary: String) -> Result<ReadFile> {
        let said = std::mem::take(&mut self.judgments).settle(&mut self.verdicts)?;
        self.warnings.extend(said);
        if let Some(message) = std::mem::take(&mut self.unreadable).message() {
            self.warn(UNREADABLE, message);
        }
        let (shares, scale) = self.shares()?;
        let status: Vec<Status> = (0..self.len()).map(|row| self.status_of(row, &shares)).collect();
        let file_name = source.name;
        let column = |name: &str, values| NamedColumn { file: file_name.to_owned(), name: name.to_owned(), values };
        let truth = |verdict: &Verdict| match verdict {
            Verdict::Right => 1.0,
            Verdict::Wrong => 0.0,
            _ => f64::NAN,
        };
        let correct: Column<f64> = self.verdicts.iter().map(truth).collect();
        let attempt = Column::from(std::mem::take(&mut self.numbers));
        let mut words = Levels::default();
        status.iter().for_each(|status| words.push(status.word()));
        let mut file = self.records.columns(source.name)?;
        file.warnings.extend(self.warnings);
        let place = |file: &ReadFile, name: &str| file.columns.iter().position(|column| column.name == name);
        let texts = place(&file, OWN[2]).map(|place| file.columns.remove(place));
        let mut own = Vec::new();
        if self.repeats {
            own.push((column(OWN[1], Values::Numbers(attempt)), Meaning::Attempt));
        }
        own.extend(texts.filter(|texts| texts.values.missing() < status.len()).map(|texts| (texts, Meaning::Text)));
        own.push((column(OWN[3], Values::Numbers(shares)), Meaning::Confidence));
        own.push((column(OWN[4], Values::Numbers(correct)), Meaning::Correct));
        own.push((column(OWN[5], words.into_values()), Meaning::Status));
        let repeats = self.repeats;
        let mut meanings: Vec<(String, Meaning)> = file
            .columns
            .iter()
            .map(|column| {
                let meaning = match self.unused.iter().find(|(name, _)| *name == column.name) {
                    _ if column.name == OWN[0] => Meaning::Question { repeats },
                    Some((_, why)) => Meaning::Unused(why.clone()),
                    None if is_key(&column.name) => Meaning::Unused("the expected answer".to_owned()),
                    None => Meaning::Field,
                };
                (column.name.clone(), meaning)
            })
            .collect();
        let after = file.columns.len().min(1);
        for (place, (column, meaning)) in own.into_iter().enumerate() {
            meanings.insert(after + place, (column.name.clone(), meaning));
            file.columns.insert(after + place, column);
        }
        file.log = Some(Box::new(Log { summary: format!("{summary}{scale}"), columns: meanings }));
        Ok(file)
    }

    /// Confidences between 0 and 1, NaN where there is none, and how they were read.
    ///
    /// A value with the sign is a percentage; of those without it the file says whether they all are.
    ///
    /// # Errors
    /// `probability_out_of_range` for ratings up to 10, for probabilities among percentages, and where nearly all are neither.
    fn shares(&mut self) -> Result<(Column<f64>, &'static str)> {
        let number = |stated: &Stated| match stated {
            Stated::Number(x) => Some(*x),
            _ => None,
        };
        let numbers: Vec<f64> = self.stated.iter().filter_map(number).collect();
        check_mixed(&numbers)?;
        check_ratings(&numbers, ["confidence", "confidences"])?;
        let percent = are_percentages(&numbers);
        let signed = self.stated.iter().any(|stated| matches!(stated, Stated::Percent(_)));
        let in_percent = percent || signed && numbers.is_empty();
        let small = fractions(&numbers);
        if percent && small > 0 {
            self.warn(
                "percent_and_fractions",
                format!(
                    "Confidences are read as percentages, since some exceed 1; {} between 0 and 1 would then be below 1%.",
                    counted(small, "value")
                ),
            );
        }
        let only_ends = |stated: &Stated| match stated {
            Stated::Number(x) => *x == 0.0 || *x == 1.0,
            Stated::Percent(_) => false,
            _ => true,
        };
        if self.stated.iter().all(only_ends) {
            self.warn(
                "confidence_of_ends",
                "Every confidence is 0 or 1. They are read as probabilities, not as percentages.".to_owned(),
            );
        }
        let share = |stated: &Stated| match stated {
            Stated::Number(x) => {
                if percent {
                    x / 100.0
                } else {
                    *x
                }
            }
            Stated::Percent(x) => *x,
            _ => f64::NAN,
        };
        let inside = |x: f64| if (0.0..=1.0).contains(&x) { x } else { f64::NAN };
        let shares: Column<f64> = self.stated.iter().map(|stated| inside(share(stated))).collect();
        let outside = shares
            .iter()
            .zip(&self.stated)
            .filter(|(x, stated)| x.is_nan() && matches!(stated, Stated::Number(_) | Stated::Percent(_)));
        let first = outside.clone().find_map(|(_, stated)| match stated {
            Stated::Number(x) => Some(plain(*x)),
            Stated::Percent(x) => Some(format!("{}%", plain(100.0 * x))),
            _ => None,
        });
        let outside = outside.count();
        if let Some(first) = first {
            let range = if in_percent { "0 to 100" } else { "0 to 1" };
            check_outside(&numbers, outside, range)?;
            let message = match outside {
                1 => format!("1 confidence outside {range} counts as unparsed: {first}."),
                several => format!(
                    "{} confidences outside {range} count as unparsed: the first is {first}.",
                    thousands(several)
                ),
            };
            self.warn("confidence_out_of_range", message);
        }
        Ok((shares, if in_percent { ", in percent" } else { "" }))
    }

    fn status_of(&self, row: usize, shares: &Column<f64>) -> Status {
        if let Some(Some(status)) = self.status.get(row) {
            return *status;
        }
        match self.verdicts.get(row) {
            None | Some(Verdict::None) => Status::NotJudged,
            Some(Verdict::Unreadable | Verdict::Letter(_)) => Status::Unparsed,
            Some(Verdict::NotAttempted) => Status::NotAttempted,
            Some(Verdict::Partly) => Status::PartlyCorrect,
            Some(Verdict::Right | Verdict::Wrong) => match (self.stated.get(row), shares.get(row)) {
                (None | Some(Stated::None), _) => Status::NoConfidence,
                (_, Some(share)) if !share.is_nan() => Status::Answered,
                _ => Status::Unparsed,
            },
        }
    }

    /// Says which of several ways to read answers is used, and which are there besides.
    pub fn warn_of_filters(&mut self, used: &str, others: &[String]) {
        if !others.is_empty() {
            self.warn(
                "log_filters",
                format!(
                    "The log holds every answer {} times, once for each filter; {} is read. Others: {}.",
                    thousands(others.len() + 1),
                    quoted(used),
                    listed(others)
                ),
            );
        }
    }
}

fn is_key(name: &str) -> bool {
    KEYS.contains(&plain_name(name).as_str())
}

/// A name in lower case, without what separates its words.
pub(super) fn plain_name(name: &str) -> String {
    name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// What names a question, as one text.
pub(super) fn key(question: &JsonCell) -> String {
    match question {
        JsonCell::Text(text) => text.clone(),
        JsonCell::Number(number) => number.to_string(),
        _ => String::new(),
    }
}
