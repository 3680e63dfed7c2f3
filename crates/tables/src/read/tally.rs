//! Rows of files counted as the statement counts them, for who has no engine at hand.
//!
//! Rows are added one by one and nothing of them is kept: memory grows with the cells, not with the rows. The result is the
//! text that the statement would return as CSV, with the same columns, statuses and order.

mod merged;
mod recounted;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

pub use merged::{Merged, WITHHELD};

use super::cells::number;
use super::decimal::missing_text;
use crate::counts::dialect::is_number;
use crate::counts::grid::EDGE;
use crate::counts::statement::{MISSING, SUMS, TOTALS, Unused};
use crate::counts::{CountRequest, RANGE_TOLERANCE, Settings};
use crate::error::{Error, Result};
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::words::text::{guarded, quoted};

/// Most values of the outcome that are remembered because they are neither the event nor its absence.
pub const MOST_OTHERS: usize = 5;

/// What the settings call the engine that counted.
pub const ENGINE: &str = "localcal";

/// The value of a column in a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Field<'a> {
    /// none
    Missing,
    /// a number
    Number(f64),
    /// a text, or a number as it is written
    Text(&'a str),
    /// a month: year × 100 + month
    Month(u32),
}

/// Columns that a row is counted by, at most: score, outcome, four groups, a month, two quantized columns.
pub const MOST_COLUMNS: usize = 9;

/// What a column is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// numbers: the score, and quantized columns
    Number,
    /// an outcome
    Outcome,
    /// names of groups, also where they look like numbers
    Group,
    /// [`Field::Month`]
    Month,
}

/// Sums over the rows of a cell, in the order of [`SUMS`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Sums {
    n: u64,
    events: u64,
    others: [f64; 6],
}

/// Place of a row among the lines of the result: the groups, the cells of quantized columns, then the status or the cell of
/// the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Line {
    groups: u32,
    features: [Option<u32>; 2],
    end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum End {
    Cell(i32),
    Unused(Unused),
}

/// The values of a line: groups and month, cells of quantized columns, status or cell of the score.
type Values<'a> = (Option<&'a Vec<Option<String>>>, [Option<u32>; 2], End);

/// A value of the outcome, as it is asked for: [`Dialect`](crate::counts::Dialect) reads it in the same way.
#[derive(Debug, Clone, PartialEq)]
enum OutcomeValue {
    Number(f64),
    Truth(bool),
    Text(String),
}

impl OutcomeValue {
    fn of(value: &str) -> Self {
        let value = value.trim();
        if let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            return Self::Text(inner.replace("\"\"", "\""));
        }
        // what a statement writes as a number, and nothing else that a double can be read from: nan, 1e3, +1, an identifier
        let number = Some(value).filter(|value| is_number(value)).and_then(|value| value.parse().ok());
        match (value.to_ascii_lowercase().as_str(), number) {
            ("true", _) => Self::Truth(true),
            ("false", _) => Self::Truth(false),
            (_, Some(number)) => Self::Number(number),
            _ => Self::Text(value.to_owned()),
        }
    }

    fn is(&self, field: Field) -> bool {
        match (self, field) {
            (_, Field::Missing) => false,
            (Self::Number(wanted), Field::Number(value)) => *wanted == value,
            (Self::Number(wanted), Field::Text(text)) => text.trim().parse() == Ok(*wanted),
            (Self::Truth(wanted), Field::Number(value)) => value == f64::from(u8::from(*wanted)),
            (Self::Truth(wanted), Field::Text(text)) => {
                text.trim().eq_ignore_ascii_case(if *wanted { "true" } else { "false" })
            }
            (Self::Text(wanted), Field::Number(value)) => *wanted == number(value),
            (_, Field::Month(_)) => false,
            (Self::Text(wanted), Field::Text(text)) => wanted == text,
        }
    }
}

/// Counts of rows so far.
#[derive(Debug, Clone)]
pub struct Tally {
    request: CountRequest,
    event: [OutcomeValue; 2],
    /// every value that is no event is none, rather than another outcome
    any_other: bool,
    /// values of groups and the month, numbered
    groups: HashMap<Vec<Option<String>>, u32>,
    /// the number of what such fields were, as they stood in a row
    known: HashMap<String, u32>,
    lines: HashMap<Line, Sums>,
    /// values of the outcome that are not the event, nor named as its absence, [`MOST_OTHERS`] at most
    others: BTreeSet<String>,
    /// a row had the event
    has_event: bool,
    rows: u64,
    key: String,
    /// the smallest number of rows of which a line tells, where lines were merged
    least: Option<u64>,
}

impl Tally {
    /// Nothing counted yet. `request`: its dialect is of no account.
    ///
    /// # Errors
    /// `invalid_option` for what cannot be counted, and for weights.
    pub fn new(request: CountRequest) -> Result<Self> {
        let request = CountRequest { dialect: ENGINE.to_owned(), ..request };
        request.check_columns()?;
        if let Some(weight) = &request.weight {
            return Err(Error::new(
                "invalid_option",
                format!("Sums of the sample weights {} are counted by a statement alone.", quoted(weight)),
                "Count without the weights, or use `localcal sql`.",
            ));
        }
        let event = match (&request.positive, &request.negative) {
            (None, _) => [OutcomeValue::Number(1.0), OutcomeValue::Number(0.0)],
            (Some(event), none) => [OutcomeValue::of(event), OutcomeValue::of(none.as_deref().unwrap_or_default())],
        };
        let any_other = request.positive.is_some() && request.negative.is_none();
        Ok(Self {
            request,
            event,
            any_other,
            groups: HashMap::new(),
            known: HashMap::new(),
            lines: HashMap::new(),
            others: BTreeSet::new(),
            has_event: false,
            rows: 0,
            key: String::new(),
            least: None,
        })
    }

    /// Names of the columns that [`Tally::add`] takes: score, outcome, groups, month, quantized columns.
    pub fn columns(&self) -> Vec<(&str, Want)> {
        let CountRequest { score, outcome, by, month, features, .. } = &self.request;
        let groups = by.iter().map(|name| (name.as_str(), Want::Group));
        let month = month.iter().map(|name| (name.as_str(), Want::Month));
        let features = features.iter().map(|of| (of.column.as_str(), Want::Number));
        let first = [(score.as_str(), Want::Number), (outcome.as_str(), Want::Outcome)];
        first.into_iter().chain(groups).chain(month).chain(features).collect()
    }

    /// What is counted.
    pub fn request(&self) -> &CountRequest {
        &self.request
    }

    /// Number of rows that were counted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of rows with a score and an outcome, and of those that are not used by the reason, in words.
    pub fn usable(&self) -> (u64, Vec<(&'static str, u64)>) {
        let of = |end: &dyn Fn(End) -> bool| {
            self.lines.iter().filter(|(line, _)| end(line.end)).map(|(_, sums)| sums.n).sum()
        };
        let reasons = Unused::ALL.into_iter().map(|why| (why.words(), of(&|end| end == End::Unused(why))));
        (of(&|end| matches!(end, End::Cell(_))), reasons.filter(|(_, rows)| *rows > 0).collect())
    }

    /// Whether a row had the event.
    pub fn has_event(&self) -> bool {
        self.has_event
    }

    /// Some values of the outcome that are neither the event nor its absence, in alphabetic order; where every other value is its
    /// absence, some of these.
    pub fn other_outcomes(&self) -> impl Iterator<Item = &str> {
        self.others.iter().map(String::as_str)
    }

    /// Counts a row, whose values come in the order of [`Tally::columns`]. O(columns).
    ///
    /// # Errors
    /// `table_unreadable` for a score or a number that is none; the sentence is without the row.
    pub fn add(&mut self, row: &[Field]) -> Result<()> {
        let at = |place: usize| row.get(place).copied().unwrap_or(Field::Missing);
        let by = self.request.by.len();
        let keys = by + usize::from(self.request.month.is_some());
        let score = number_in(at(0), &self.request.score)?;
        let groups = self.groups_of(row.get(2..2 + keys).unwrap_or_default(), by);
        let mut features = [None; 2];
        for (k, (of, to)) in self.request.features.iter().zip(&mut features).enumerate() {
            let x = number_in(at(2 + keys + k), &of.column)?;
            let cell = x.map(|x| ((x - of.low) * f64::from(of.cells) / (of.high - of.low)).floor());
            *to = cell.filter(|cell| cell.is_finite()).map(|cell| cell.clamp(0.0, f64::from(of.cells - 1)) as u32);
        }
        let percent = if self.request.percent { 100.0 } else { 1.0 };
        let used = self.used(score.map(|p| p / percent), at(1));
        let end = match used {
            Ok((p, _)) => self.request.grid().cell(p).map_or(End::Unused(Unused::NotFinite), End::Cell),
            Err(why) => End::Unused(why),
        };
        let is_other = match end {
            End::Unused(Unused::OtherOutcome) => true,
            End::Cell(_) => self.any_other && used.is_ok_and(|(_, event)| !event),
            End::Unused(_) => false,
        };
        if is_other && self.others.len() < MOST_OTHERS {
            let value: Cow<str> = match at(1) {
                Field::Missing => "".into(),
                Field::Number(value) => number(value).into(),
                Field::Text(text) => text.trim().into(),
                Field::Month(month) => month.to_string().into(),
            };
            // nearly always known
            if !self.others.contains(&*value) {
                self.others.insert(value.into_owned());
            }
        }
        let sums = self.lines.entry(Line { groups, features, end }).or_default();
        sums.n += 1;
        self.rows += 1;
        if let Ok((p, y)) = used {
            self.has_event |= y;
            sums.add(p, y);
        }
        Ok(())
    }

    /// Score and outcome of a row, or why it is not used.
    fn used(&self, score: Option<f64>, outcome: Field) -> std::result::Result<(f64, bool), Unused> {
        let p = score.ok_or(Unused::NoScore)?;
        let [event, none] = &self.event;
        match p {
            // what rounding to single precision leaves
            p if (-RANGE_TOLERANCE..=1.0 + RANGE_TOLERANCE).contains(&p) => match outcome {
                Field::Missing => Err(Unused::NoOutcome),
                outcome if event.is(outcome) => Ok((p.clamp(0.0, 1.0), true)),
                outcome if self.any_other || none.is(outcome) => Ok((p.clamp(0.0, 1.0), false)),
                _ => Err(Unused::OtherOutcome),
            },
            p if !p.is_finite() => Err(Unused::NotFinite),
            p if p < 0.0 => Err(Unused::Below0),
            _ => Err(Unused::Above1),
        }
    }

    /// The number of the groups and the month of a row.
    fn groups_of(&mut self, fields: &[Field], by: usize) -> u32 {
        self.key.clear();
        for field in fields {
            let _ = match field {
                Field::Missing => write!(self.key, "?"),
                Field::Number(value) => write!(self.key, "{};", number(*value)),
                // with its length, because a text may contain what parts the fields
                Field::Text(text) => write!(self.key, "{}:{text}", text.len()),
                Field::Month(month) => write!(self.key, "{month};"),
            };
        }
        if let Some(known) = self.known.get(&self.key) {
            return *known;
        }
        let texts = fields.iter().enumerate().map(|(place, field)| match field {
            Field::Missing => (place < by).then(|| MISSING.to_owned()),
            Field::Number(value) => Some(number(*value)),
            Field::Text(text) => Some((*text).to_owned()),
            Field::Month(month) => Some(month.to_string()),
        });
        let place = self.place_of(texts.collect());
        self.known.insert(self.key.clone(), place);
        place
    }

    fn place_of(&mut self, texts: Vec<Option<String>>) -> u32 {
        let next = self.groups.len() as u32;
        *self.groups.entry(texts).or_insert(next)
    }

    /// Adds what was counted of other rows by the same request. O(cells).
    pub fn merge(&mut self, other: &Self) {
        let places: HashMap<u32, u32> =
            other.groups.iter().map(|(texts, place)| (*place, self.place_of(texts.clone()))).collect();
        for (line, sums) in &other.lines {
            let groups = places.get(&line.groups).copied().unwrap_or_default();
            self.lines.entry(Line { groups, ..*line }).or_default().merge(sums);
        }
        self.has_event |= other.has_event;
        self.others.extend(other.others.iter().cloned());
        while self.others.len() > MOST_OTHERS {
            self.others.pop_last();
        }
        self.rows += other.rows;
    }

    /// The lines in the order of their values.
    fn by_values(&self) -> BTreeMap<Values<'_>, &Sums> {
        let texts: HashMap<u32, &Vec<Option<String>>> =
            self.groups.iter().map(|(texts, place)| (*place, texts)).collect();
        let values = |line: &Line| (texts.get(&line.groups).copied(), line.features, line.end);
        self.lines.iter().map(|(line, sums)| (values(line), sums)).collect()
    }

    /// The counts as CSV, as the statement returns them: a line for each cell with rows, in the order of their keys.
    pub fn csv(&self) -> String {
        let CountRequest { by, month, features, .. } = &self.request;
        let groups = (1..=by.len()).map(|k| format!("group_{k}")).chain(month.iter().map(|_| "year_month".to_owned()));
        let keys = groups.chain((1..=features.len()).map(|k| format!("feature_{k}")));
        let head = TOTALS.map(str::to_owned).into_iter().chain(keys).chain(["status".to_owned(), "cell".to_owned()]);
        let head: Vec<String> = head.chain(SUMS.map(str::to_owned)).collect();
        let mut text = head.join(",");
        text.push('\n');
        let settings = Settings { request: self.request.clone(), least: self.least }.written();
        for (place, ((groups, cells, end), sums)) in self.by_values().into_iter().enumerate() {
            let _ = match place {
                0 => write!(text, "{settings},{},{}", self.rows, self.lines.len()),
                _ => write!(text, ",,"),
            };
            for group in groups.into_iter().flatten() {
                let _ = write!(text, ",{}", group.as_deref().map(guarded).unwrap_or_default());
            }
            for cell in cells.iter().take(features.len()) {
                let _ = write!(text, ",{}", cell.map(|cell| cell.to_string()).unwrap_or_default());
            }
            let _ = match end {
                End::Cell(cell) => {
                    let sums_of = sums.others.map(number).join(",");
                    write!(text, ",ok,{cell},{},{},{sums_of}", sums.n, sums.events)
                }
                End::Unused(why) => write!(text, ",{},,{},,,,,,,", why.status(), sums.n),
            };
            text.push('\n');
        }
        text
    }
}

impl Sums {
    fn add(&mut self, p: f64, y: bool) {
        // below 2⁻⁴⁴ a square adds nothing
        let pp = if p < EDGE { 0.0 } else { p * p };
        let loss = -(if y { p } else { 1.0 - p }).max(LOG_LOSS_CLIP).ln();
        let of_event = if y { 1.0 } else { 0.0 };
        self.events += u64::from(y);
        let terms = [p, pp, p * of_event, pp * of_event, loss, loss * of_event];
        self.others.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }

    fn merge(&mut self, other: &Self) {
        self.n += other.n;
        self.events += other.events;
        self.others.iter_mut().zip(other.others).for_each(|(sum, term)| *sum += term);
    }
}

/// A number; `None` where there is none.
fn number_in(field: Field, column: &str) -> Result<Option<f64>> {
    match field {
        Field::Missing | Field::Month(_) => Ok(None),
        Field::Number(value) => Ok(Some(value)),
        Field::Text(text) => match text.trim().parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) if missing_text(text.trim()) => Ok(None),
            Err(_) => Err(Error::new(
                "table_unreadable",
                format!("A value of column {} is not a number: {}.", quoted(column), quoted(text)),
                "Numbers are written with a decimal point and without a unit.",
            )),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{DIALECTS, QuantizedColumn};

    fn request() -> CountRequest {
        CountRequest {
            table: "visits".into(),
            score: "risk".into(),
            outcome: "died".into(),
            by: vec!["ward".into()],
            month: Some("day".into()),
            ..CountRequest::default()
        }
    }

    fn row<'a>(p: &'a str, y: &'a str, ward: &'a str, month: u32) -> [Field<'a>; 4] {
        let [p, y, ward] = [p, y, ward].map(|text| if text.is_empty() { Field::Missing } else { Field::Text(text) });
        [p, y, ward, if month == 0 { Field::Missing } else { Field::Month(month) }]
    }

    #[test]
    fn every_row_is_in_one_line() {
        let mut tally = Tally::new(request()).expect("a request");
        let wanted = [("risk", Want::Number), ("died", Want::Outcome), ("ward", Want::Group), ("day", Want::Month)];
        assert_eq!(tally.columns(), wanted);
        for (p, y, ward, day) in [
            ("0.5", "1", "A", 202_401),
            ("0.5", "0", "A", 202_401),
            ("NA", "1", "A", 202_401),
            ("1.5", "1", "", 202_401),
            ("-0.1", "1", "A, \"B\"", 0),
            ("inf", "1", "A", 202_401),
            ("0.25", "", "A", 202_402),
            ("0.25", "2", "A", 202_402),
        ] {
            tally.add(&row(p, y, ward, day)).expect("a row");
        }
        let lines: Vec<String> = tally.csv().lines().map(str::to_owned).collect();
        let settings =
            "localcal-counts=1&dialect=localcal&grid=960&table=visits&score=risk&outcome=died&month=day&by=ward";
        let loss = number(-2.0 * 0.5_f64.ln());
        let one = number(-(0.5_f64.ln()));
        assert_eq!(
            lines,
            [
                "settings,total_rows,total_cells,group_1,year_month,status,cell,n,sum_y,sum_p,sum_pp,sum_py,sum_ppy,sum_loss,sum_loss_y".to_owned(),
                format!("{settings},8,7,(missing),202401,p_above_1,,1,,,,,,,"),
                format!(",,,A,202401,ok,960,2,1,1,0.5,0.5,0.25,{loss},{one}"),
                ",,,A,202401,p_missing,,1,,,,,,,".to_owned(),
                ",,,A,202401,p_not_finite,,1,,,,,,,".to_owned(),
                ",,,A,202402,y_missing,,1,,,,,,,".to_owned(),
                ",,,A,202402,y_other,,1,,,,,,,".to_owned(),
                ",,,\"A, \"\"B\"\"\",,p_below_0,,1,,,,,,,".to_owned(),
            ]
        );
    }

    #[test]
    fn a_value_of_the_outcome_is_what_a_statement_takes_it_for() {
        let long = "12345678901234567";
        for value in ["1", "-1", "0.5", "1.0", "nan", "inf", "1e3", "+1", ".5", "1.", long, "true", "No", "\"1\"", ""] {
            let read = OutcomeValue::of(value);
            for dialect in DIALECTS {
                let written = dialect.value(value);
                let is_text = written.contains('\'');
                assert_eq!(matches!(read, OutcomeValue::Text(_)), is_text, "{value}: {written} and {read:?}");
                let is_number = written.parse::<f64>().is_ok() && !matches!(read, OutcomeValue::Truth(_));
                assert_eq!(matches!(read, OutcomeValue::Number(_)), is_number, "{value}: {written} and {read:?}");
            }
        }
        assert!(
            OutcomeValue::of(long).is(Field::Text(long))
                && !OutcomeValue::of(long).is(Field::Text("12345678901234568"))
        );
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let features = vec![QuantizedColumn { column: "age".into(), low: 0.0, high: 100.0, cells: 10 }];
        let request = CountRequest { features, month: None, positive: Some("yes".into()), ..request() };
        let mut parts = [0, 1, 2].map(|_| Tally::new(request.clone()).expect("a request"));
        for i in 0..300_u32 {
            let ward = ["B", "A", "C"][(i % 3) as usize];
            let age = [Field::Number(f64::from(i) - 100.0), Field::Missing][usize::from(i % 50 == 7)];
            let outcome = Field::Text(if i % 4 == 0 { "yes" } else { "no" });
            let fields = [Field::Number(f64::from(i) / 512.0), outcome, Field::Text(ward), age];
            parts[0].add(&fields).expect("a row");
            parts[if i < 100 { 1 } else { 2 }].add(&fields).expect("a row");
        }
        let [whole, first, second] = &mut parts;
        first.merge(second);
        assert_eq!((first.rows(), first.csv()), (300, whole.csv()));
    }

    #[test]
    fn what_cannot_be_counted_is_named() {
        let weighted = CountRequest { weight: Some("w".into()), ..request() };
        assert!(Tally::new(weighted).expect_err("weights").to_string().contains("sample weights `w`"));
        let mut tally = Tally::new(request()).expect("a request");
        let error = tally.add(&row("low", "1", "A", 202_401)).expect_err("no number");
        assert!(error.to_string().contains("column `risk` is not a number: `low`"), "{error}");
        assert_eq!(tally.rows(), 0);
    }
}
