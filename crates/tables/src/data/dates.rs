//! Columns of dates: when each row happened.

use super::names;
use crate::table::values::{Dictionary, NamedColumn, Values};
pub use crate::words::calendar::Exactness;
use crate::words::calendar::{civil, days, written};

/// Words that say that whole numbers are years, or days written without a mark.
const DATE_WORDS: &[&str] = &["date", "year", "time", "yr", "day", "when"];
/// Words that say that numbers are a time, where they count units since 1970.
const TIMESTAMP_WORDS: &[&str] = &[
    "ts",
    "timestamp",
    "datetime",
    "epoch",
    "unix",
    "unixtime",
    "created",
    "updated",
    "modified",
    "recorded",
    "logged",
    "at",
];
/// Words that say, as those do, that 202310 is a month.
const MONTH_WORDS: &[&str] = &["month", "period", "cohort", "vintage", "yyyymm"];
/// Words that say that a date is no time at which something was predicted.
const BIRTH_WORDS: &[&str] = &["birth", "birthday", "birthdate", "dob", "born"];
/// English names of the months.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// When each row happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Dates {
    /// days since 1970-01-01 of each row, of a year, quarter or month its first; NaN where there is none
    pub of_rows: Vec<f64>,
    /// of the most exact value
    pub exactness: Exactness,
}

/// Which number of `03/04/2021` is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    DayFirst,
    MonthFirst,
}

impl Dates {
    /// The dates of a column all of whose values are dates: `2021-03-05`, `2021-03-05 10:20`, `2021/03/05`, `05.03.2021`,
    /// `05.03.21` (69 to 99: of the 20th century), `5 Mar 2021`, `Mar 5, 2021`, `05MAR2021`, `05-Mar-21`; times as `10:20`,
    /// `2:20 PM` and `10:20 UTC`; months and quarters as `2021-03`,
    /// `03/2021`, `Mar 2021`, `Mar-21`, `2021M03`, `2021Q1`, `Q1 2021`, `1Q21`; `25/03/2021`, `03/25/2021` and `3/25/21` where
    /// some value tells the day from the month; `20210305`, `202103` and whole years under a name that says so; milliseconds
    /// since 1970, as pandas writes them to JSON, and seconds, microseconds and nanoseconds under a name that says so
    /// (`visit_date`, `created_at`, `ts`), of 1980 to 2050. `None` for any other. O(n).
    ///
    /// ```
    /// use localcal_tables::data::dates::Dates;
    /// use localcal_tables::read::{Contents, read};
    ///
    /// let file = read("rows.csv", b"seen\n1970-01-02\n1970-01-31\n", &mut |_| ())?;
    /// let seen = Dates::of(&file.columns[0]).expect("dates");
    /// assert_eq!(seen.of_rows, [1.0, 30.0]);
    /// assert_eq!(seen.text(59.0), "1970-03-01");
    /// # Ok::<(), localcal_tables::Error>(())
    /// ```
    pub fn of(column: &NamedColumn) -> Option<Dates> {
        match &column.values {
            Values::Text { codes, levels } => {
                let (form, known) = Form::of_texts(levels)?;
                let date = |&code: &u32| known.get(code as usize).map_or(f64::NAN, |(day, _)| *day);
                Some(Dates { of_rows: codes.iter().map(date).collect(), exactness: form.exactness })
            }
            Values::Numbers(values) => {
                let form = Form::of(column)?;
                let date = |&x: &f64| if x.is_nan() { Some(f64::NAN) } else { form.of_number(x) };
                Some(Dates { of_rows: values.iter().map(date).collect::<Option<_>>()?, exactness: form.exactness })
            }
            Values::Matrix(_) => None,
        }
    }

    /// The first and the last date; `None` where no row has one. O(n).
    pub fn ends(&self) -> Option<(f64, f64)> {
        let known = self.of_rows.iter().copied().filter(|day| !day.is_nan());
        known.fold(None, |ends, day| match ends {
            None => Some((day, day)),
            Some((first, last)) => Some((day.min(first), day.max(last))),
        })
    }

    /// A date as exactly as the column says it: 2021, 2021 Q1, 2021-03, 2021-03-05, 2021-03-05 10:20.
    pub fn text(&self, day: f64) -> String {
        written(day, self.exactness)
    }
}

/// Distinct values that are looked at first: a column few of which are dates is none.
const FIRST: usize = 50;

/// The place, and the text, of the first value of a column that is no date, where nine in ten of its distinct values are dates.
///
/// # Cost
/// O(n) of a column of dates, O(1) of others.
pub fn exception_among_dates(column: &NamedColumn) -> Option<(usize, &str)> {
    let Values::Text { codes, levels } = &column.values else { return None };
    let is_date = |text: &str| [Order::DayFirst, Order::MonthFirst].iter().any(|order| parsed(text, *order).is_some());
    let nearly_all = |most: usize| {
        let dates = levels.iter().take(most).filter(|text| is_date(text)).count();
        10 * dates >= 9 * levels.len().min(most)
    };
    if levels.len() < 2 || !nearly_all(FIRST) || !nearly_all(usize::MAX) {
        return None;
    }
    let code = levels.iter().position(|text| !is_date(text))?;
    let place = codes.iter().position(|of_row| *of_row as usize == code)?;
    Some((place, levels.text(code as u32)))
}

/// How the dates of a column are written.
#[derive(Debug, Clone)]
pub struct Form {
    kind: Kind,
    /// of the most exact value that decided it
    pub exactness: Exactness,
}

#[derive(Debug, Clone)]
enum Kind {
    /// in one of these orders, of which two are left where both read the same dates
    Text(Vec<Order>),
    /// whole numbers of units since 1970, of which a day has so many
    Units(f64),
    /// numbers made of the digits of a date
    Digits(fn(f64) -> Option<f64>),
}

impl Form {
    /// The form of a column all of whose values are dates ([`Dates::of`] lists them); `None` for any other. O(n).
    pub fn of(column: &NamedColumn) -> Option<Form> {
        match &column.values {
            Values::Text { levels, .. } => Form::of_texts(levels).map(|(form, _)| form),
            Values::Numbers(values) => {
                let words = names::words(&column.name);
                let named = words.iter().any(|word| DATE_WORDS.contains(&word.as_str()));
                let first = values.iter().find(|x| !x.is_nan())?;
                let timestamp = named || words.iter().any(|word| TIMESTAMP_WORDS.contains(&word.as_str()));
                if let Some(unit) = since_1970(*first, timestamp) {
                    let mut known = values.iter().filter(|x| !x.is_nan());
                    let exactness = if known.all(|x| x % unit == 0.0) { Exactness::Day } else { Exactness::Time };
                    return Some(Form { kind: Kind::Units(unit), exactness });
                }
                let of_months = named || words.iter().any(|word| MONTH_WORDS.contains(&word.as_str()));
                let (of_one, exactness): (fn(f64) -> Option<f64>, _) = match *first {
                    first if first < 10_000.0 && named => (year, Exactness::Year),
                    first if first < 1_000_000.0 && of_months => (compact_month, Exactness::Month),
                    _ if named => (compact, Exactness::Day),
                    _ => return None,
                };
                Some(Form { kind: Kind::Digits(of_one), exactness })
            }
            Values::Matrix(_) => None,
        }
    }

    /// The form of texts, and the date of each.
    fn of_texts(levels: &Dictionary) -> Option<(Form, Vec<(f64, Exactness)>)> {
        let (orders, known) = in_one_order(&levels.iter().collect::<Vec<_>>())?;
        let exactness = known.iter().map(|(_, exactness)| *exactness).max()?;
        Some((Form { kind: Kind::Text(orders), exactness }, known))
    }

    /// Days since 1970-01-01 of a text in this form.
    pub fn of_text(&self, text: &str) -> Option<f64> {
        let Kind::Text(orders) = &self.kind else { return None };
        let mut days = orders.iter().map(|order| parsed(text, *order).map(|(day, _)| day));
        let first = days.next()??;
        days.all(|day| day == Some(first)).then_some(first)
    }

    /// Days since 1970-01-01 of a number in this form.
    pub fn of_number(&self, value: f64) -> Option<f64> {
        match &self.kind {
            Kind::Units(unit) => {
                let day = value / unit;
                ((value.fract() == 0.0 || *unit == SECONDS) && EPOCHS.contains(&day)).then_some(day)
            }
            Kind::Digits(of_one) => of_one(value),
            Kind::Text(_) => None,
        }
    }
}

/// Days since 1970-01-01 of the first moments of 1980 and 2050.
const EPOCHS: std::ops::Range<f64> = 3_652.0..29_220.0;

/// Seconds of a day, of which a timestamp may have fractions.
const SECONDS: f64 = 86_400.0;

/// Seconds since 1970 of the first moments of 2000 and 2035.
const PERHAPS_SECONDS: std::ops::Range<f64> = 946_684_800.0..2_051_222_400.0;

/// The first and the last day of numbers from `min` to `max`, where these may be seconds since 1970 although their name does not
/// say so.
pub(super) fn perhaps_seconds(min: f64, max: f64) -> Option<[String; 2]> {
    let both = PERHAPS_SECONDS.contains(&min) && PERHAPS_SECONDS.contains(&max);
    both.then(|| [min, max].map(|x| written((x / SECONDS).floor(), Exactness::Day)))
}

/// How many units of time a day has, where a number counts them since 1970: milliseconds, and under the name of a date also
/// seconds, microseconds and nanoseconds.
fn since_1970(first: f64, named: bool) -> Option<f64> {
    let units = if named { [1e3, 1.0, 1e6, 1e9].as_slice() } else { &[1e3] };
    units.iter().map(|unit| SECONDS * unit).find(|unit| EPOCHS.contains(&(first / unit)))
}

/// Days since 1970-01-01 of a date that a person wrote, in one of the forms of a column.
pub fn day_of(text: &str) -> Option<f64> {
    let year_alone = || text.trim().parse().ok().and_then(year);
    in_one_order(&[text]).and_then(|(_, found)| found.first().map(|(day, _)| *day)).or_else(year_alone)
}

/// The last day, month, quarter or year wholly before a date, as exactly as that is written: 2024-03-31 before `2024-04-01`,
/// 2024-06 before `2024-07`, 2023 Q4 before `2024 Q1`, 2020 before `2021`; `None` for a time of day and for what is no date.
pub fn last_before(text: &str) -> Option<String> {
    beside(text, -1)
}

/// The first day, month, quarter or year after one: what is up to it is before that.
pub fn first_after(text: &str) -> Option<String> {
    beside(text, 1)
}

fn beside(text: &str, steps: i64) -> Option<String> {
    let exactness = match in_one_order(&[text]).and_then(|(_, found)| found.first().copied()) {
        Some((_, exactness)) => exactness,
        None => Exactness::Year,
    };
    let day = day_of(text)?;
    let (year, month, _) = civil(day as i64);
    // months counted from the year 0
    let first_of = |months: i64| days(months.div_euclid(12), months.rem_euclid(12) + 1, 1);
    let there = match exactness {
        Exactness::Year => days(year + steps, 1, 1),
        Exactness::Quarter => first_of(year * 12 + month - 1 + 3 * steps),
        Exactness::Month => first_of(year * 12 + month - 1 + steps),
        Exactness::Day => day as i64 + steps,
        Exactness::Time => return None,
    };
    Some(written(there as f64, exactness))
}

/// Two dates of a column of which one begins with its year and the other does not: a spreadsheet that took 01/02/2023 for
/// the second of January, and left 13/01/2023 as a text, writes them so. O(distinct texts).
pub(super) fn in_two_notations(column: &NamedColumn) -> Option<(&str, &str)> {
    let Values::Text { levels, .. } = &column.values else { return None };
    let year_first = |text: &&str| text.trim_start().bytes().take_while(u8::is_ascii_digit).count() >= 4;
    Some((levels.iter().find(year_first)?, levels.iter().find(|text| !year_first(text))?))
}

/// The name says that it is about the birth of someone.
pub fn is_of_birth(name: &str) -> bool {
    names::words(name).iter().any(|word| BIRTH_WORDS.contains(&word.as_str()))
}

/// Orders in which all texts of a column are dates, and the date of each.
type Ordered = (Vec<Order>, Vec<(f64, Exactness)>);

/// The orders in which every text is a date, and the dates; `None` unless one order is left, or both give the same dates.
fn in_one_order(texts: &[&str]) -> Option<Ordered> {
    let all = |order| texts.iter().map(|text| parsed(text, order)).collect::<Option<Vec<_>>>();
    match (all(Order::DayFirst), all(Order::MonthFirst)) {
        // `03/04/2021` alone says nothing; 03.04.2021 is read in the same way in either order.
        (Some(a), Some(b)) => (a == b && !a.is_empty()).then(|| (vec![Order::DayFirst, Order::MonthFirst], a)),
        (Some(a), None) => Some((vec![Order::DayFirst], a)),
        (None, Some(b)) => Some((vec![Order::MonthFirst], b)),
        (None, None) => None,
    }
}

fn year(x: f64) -> Option<f64> {
    (x.fract() == 0.0 && (1900.0..2100.0).contains(&x)).then(|| days(x as i64, 1, 1) as f64)
}

/// 20210305, of the years 1900 to 2099.
fn compact(x: f64) -> Option<f64> {
    let whole = (x.fract() == 0.0 && (19_000_101.0..21_000_101.0).contains(&x)).then_some(x as i64)?;
    dated(whole / 10_000, whole / 100 % 100, whole % 100)
}

/// 202103, of the years 1900 to 2099.
fn compact_month(x: f64) -> Option<f64> {
    let whole = (x.fract() == 0.0 && (190_001.0..210_001.0).contains(&x)).then_some(x as i64)?;
    dated(whole / 100, whole % 100, 1)
}

/// A year of four digits, or of two: 69 to 99 are of the 20th century, as POSIX has it.
fn year_written(digits: &str) -> Option<i64> {
    let year: i64 = digits.parse().ok()?;
    match digits.len() {
        4 => Some(year),
        2 => Some(year + if year < 69 { 2000 } else { 1900 }),
        _ => None,
    }
}

fn parsed(text: &str, order: Order) -> Option<(f64, Exactness)> {
    // browsers write spaces that do not break before AM and PM
    if text.contains(['\u{a0}', '\u{202f}']) {
        return parsed(&text.replace(['\u{a0}', '\u{202f}'], " "), order);
    }
    let text = text.trim();
    if !text.is_ascii() || !text.bytes().any(|b| b.is_ascii_digit()) || text.len() > 35 {
        return None;
    }
    if let Some(part) = part_of_year(text) {
        return Some(part);
    }
    let by_name = with_month_name(text);
    if let Some((day, rest)) = by_name {
        return clock(day, rest);
    }
    let end = text.find(['T', ' ']).unwrap_or(text.len());
    let (date, rest) = text.split_at_checked(end)?;
    let separator = date.chars().find(|c| !c.is_ascii_digit())?;
    let parts: Vec<&str> = date.split(separator).collect();
    if !parts.iter().all(|part| (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    let number = |part: &str| part.parse::<i64>().ok();
    let ends_in_year = |y: &str| match (y.len(), separator) {
        (4, _) | (2, '/') => true,
        // 10.2.21 is as likely a version
        (2, '.') => date.len() == "10.02.21".len(),
        _ => false,
    };
    let (y, m, d) = match (parts.as_slice(), separator, order) {
        ([y, m, d], '-' | '/' | '.', _) if y.len() == 4 => (y, m, d),
        ([d, m, y], '.', _) if ends_in_year(y) => (y, m, d),
        ([d, m, y], '/' | '-', Order::DayFirst) if ends_in_year(y) => (y, m, d),
        ([m, d, y], '/' | '-', Order::MonthFirst) if ends_in_year(y) => (y, m, d),
        ([y, m], '-', _) | ([m, y], '/', _) if y.len() == 4 && m.len() <= 2 && rest.is_empty() => {
            return Some((dated(number(y)?, number(m)?, 1)?, Exactness::Month));
        }
        _ => return None,
    };
    clock(dated(year_written(y)?, number(m)?, number(d)?)?, rest)
}

/// A month or quarter beside a year, in any order: `Mar 2021`, `Mar-21`, `2021M03`, `2021Q1`, `Q1 2021`, `1Q21`.
fn part_of_year(text: &str) -> Option<(f64, Exactness)> {
    // runs of digits and of letters, with at most a mark between two
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        let same = |b: &u8| if first.is_ascii_digit() { b.is_ascii_digit() } else { b.is_ascii_alphabetic() };
        let length = rest.bytes().take_while(same).count();
        let (part, after) = rest.split_at_checked(length)?;
        if part.is_empty() || parts.len() == 3 {
            return None;
        }
        parts.push(part);
        rest = after.strip_prefix([' ', '-', '/', '.', '\'', '_']).unwrap_or(after);
    }
    let is_quarter = |word: &str| word.eq_ignore_ascii_case("q");
    match parts.as_slice() {
        [y, q, part] if y.len() == 4 && is_quarter(q) && part.len() == 1 => quarter(y, part),
        [q, part, y] | [part, q, y] if is_quarter(q) && part.len() == 1 => quarter(y, part),
        [y, m, part] if y.len() == 4 && m.eq_ignore_ascii_case("m") && (1..=2).contains(&part.len()) => {
            Some((dated(y.parse().ok()?, part.parse().ok()?, 1)?, Exactness::Month))
        }
        // whole names: Marker 21 is none
        [name, y] if name.len() == 3 || MONTHS.iter().any(|month| name.eq_ignore_ascii_case(month)) => {
            Some((dated(year_written(y)?, month_named(name)?, 1)?, Exactness::Month))
        }
        _ => None,
    }
}

fn quarter(year: &str, number: &str) -> Option<(f64, Exactness)> {
    let number: i64 = number.parse().ok().filter(|number| (1..=4).contains(number))?;
    Some((dated(year_written(year)?, 3 * number - 2, 1)?, Exactness::Quarter))
}

/// Which month begins with the first three letters.
fn month_named(name: &str) -> Option<i64> {
    let start = name.get(..3)?.to_ascii_lowercase();
    Some(MONTHS.iter().position(|known| known.starts_with(&start))? as i64 + 1)
}

/// `5 Mar 2021`, `05-MAR-2021`, `05MAR2021`, `05-Mar-21`, `Mar 5, 2021`, and what follows.
fn with_month_name(text: &str) -> Option<(f64, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (mut day, after) = text.split_at_checked(digits(text))?;
    let after = after.trim_start_matches([' ', '-', '.']);
    let month = month_named(after)?;
    let mut after = after.trim_start_matches(|c: char| c.is_ascii_alphabetic()).trim_start_matches([' ', '-', '.']);
    if day.is_empty() {
        (day, after) = after.split_at_checked(digits(after))?;
        after = after.trim_start_matches([' ', ',']);
    }
    let (year, rest) = after.split_at_checked(digits(after))?;
    // Mar 5, 21 is as likely the fifth to the 21st
    let with_year = text.starts_with(|first: char| first.is_ascii_digit()) || year.len() == 4;
    with_year.then_some(())?;
    Some((dated(year_written(year)?, month, day.parse().ok()?)?, rest.trim_start_matches(',')))
}

/// A day with the time that follows it: ` 10:20`, `T10:20:30.5Z`, `:10:20:30`, ` 2:20 PM`; a zone is passed over.
fn clock(day: f64, rest: &str) -> Option<(f64, Exactness)> {
    let time = rest.trim_start_matches(['T', ' ', ':', ',']);
    if time.is_empty() {
        return rest.trim().is_empty().then_some((day, Exactness::Day));
    }
    let zone = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let time = time.get(..zone)?.trim().trim_end_matches("UTC").trim_end_matches("GMT").trim_end();
    let half = |mark: &str| {
        let at = time.len().checked_sub(mark.len())?;
        time.get(at..)?.eq_ignore_ascii_case(mark).then(|| time.get(..at).unwrap_or_default().trim_end())
    };
    // noon is 12 PM, midnight 12 AM
    let (time, first_hour) = match (half("am"), half("pm")) {
        (Some(time), _) => (time, Some(0.0)),
        (_, Some(time)) => (time, Some(12.0)),
        _ => (time, None),
    };
    let mut parts = time.split(':');
    let mut next = |below: f64| match parts.next() {
        None => Some(0.0),
        Some(part) => part.parse::<f64>().ok().filter(|x| (0.0..below).contains(x)),
    };
    let (hour, minute, second) = (next(24.0)?, next(60.0)?, next(61.0)?);
    if parts.next().is_some() || !time.contains(':') {
        return None;
    }
    let hour = match first_hour {
        Some(first) if (1.0..13.0).contains(&hour) => hour % 12.0 + first,
        Some(_) => return None,
        None => hour,
    };
    let seconds = hour * 3600.0 + minute * 60.0 + second;
    // Exports write midnight behind days.
    Some((day + seconds / 86_400.0, if seconds == 0.0 { Exactness::Day } else { Exactness::Time }))
}

fn dated(year: i64, month: i64, day: i64) -> Option<f64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    ((1800..2200).contains(&year) && (1..=length).contains(&day)).then(|| days(year, month, day) as f64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_their_forms() {
        let march = days(2021, 3, 5) as f64;
        #[rustfmt::skip]
        let days_of_march = [
            "2021-03-05", "2021/03/05", "05.03.2021", "5 Mar 2021", "05MAR2021", "05-March-2021", "5-Mar-21",
            "Mar 5, 2021", "March 5 2021", "5. March 2021", "2021-03-05 12:00 AM",
        ];
        for text in days_of_march {
            assert_eq!(day_of(text), Some(march), "{text}");
        }
        #[rustfmt::skip]
        let noons = [
            "2021-03-05 12:00", "2021-03-05T12:00:00Z", "2021-03-05T12:00:00.000+02:00", "05MAR2021:12:00:00",
            "2021-03-05 12:00 PM", "2021-03-05 12:00:00 UTC", "Mar 5, 2021, 12:00 pm", "5 Mar 2021 12:00\u{202f}PM",
        ];
        for text in noons {
            assert_eq!(day_of(text), Some(march + 0.5), "{text}");
        }
        assert_eq!(day_of("2021-03-05 6:00 PM"), Some(march + 0.75));
        assert_eq!(day_of("31-Dec-69"), Some(-1.0));
        assert_eq!(day_of("2021-03"), Some(march - 4.0));
        assert_eq!(day_of("05.03.21"), Some(march));
        assert_eq!(day_of("2021"), Some(days(2021, 1, 1) as f64));
        #[rustfmt::skip]
        let none = [
            "03/04/2021", "", "x", "12.5", "1.2.3", "1.2.21", "2021-13-01", "2021-02-30", "1234-56", "10:20", "v1.2.2021",
            "2021Q5", "Q3", "Marker 21", "Mar 5", "13/2021", "2011/12", "21-02-10", "2021M13",
            "2021-03-05 13:00 PM", "2021-03-05 0:30 AM", "Mar 5, 21", "2021-03-05 PM", "Mar 2021 5",
        ];
        for text in none {
            assert_eq!(day_of(text), None, "{text}");
        }
        // one value tells the day from the month, for all of them
        let (first, second) = (days(2021, 4, 3) as f64, days(2021, 4, 25) as f64);
        assert_eq!(in_one_order(&["03/04/2021", "25/04/2021"]).unwrap().1[0].0, first);
        assert_eq!(in_one_order(&["04/03/2021", "04/25/2021"]).unwrap().1[1].0, second);
        assert_eq!(in_one_order(&["13/04/2021", "04/13/2021"]), None);
        assert_eq!(written(march + 0.5, Exactness::Time), "2021-03-05 12:00");
    }

    #[test]
    fn months_and_quarters() {
        let read = |text: &str| in_one_order(&[text]).map(|(_, found)| (written(found[0].0, found[0].1), found[0].1));
        for text in ["2021-03", "03/2021", "3/2021", "Mar 2021", "March 2021", "Mar-21", "mar/21", "2021M03"] {
            assert_eq!(read(text), Some(("2021-03".to_owned(), Exactness::Month)), "{text}");
        }
        for text in ["2021Q4", "2021-Q4", "2021 q4", "Q4 2021", "Q4/2021", "Q4'21", "4Q2021", "4Q21"] {
            assert_eq!(read(text), Some(("2021 Q4".to_owned(), Exactness::Quarter)), "{text}");
        }
        assert_eq!(last_before("2022 Q1").as_deref(), Some("2021 Q4"));
        assert_eq!(first_after("2021 Q4").as_deref(), Some("2022 Q1"));
        let months = |name: &str, first: f64| {
            let values = Values::Numbers(vec![first, 202_312.0].into());
            Dates::of(&NamedColumn { file: String::new(), name: name.into(), values })
        };
        let found = months("reporting_month", 202_310.0).unwrap();
        assert_eq!((found.text(found.of_rows[0]), found.exactness), ("2023-10".to_owned(), Exactness::Month));
        assert!(months("amount", 202_310.0).is_none() && months("period", 202_313.0).is_none());
    }

    #[test]
    fn numbers_since_1970() {
        let march = days(2021, 3, 5) as f64;
        let of = |name: &str, values: &[f64]| {
            let values = Values::Numbers(values.to_vec().into());
            Dates::of(&NamedColumn { file: String::new(), name: name.into(), values })
        };
        let seconds = 86_400.0 * march;
        // pandas' to_json
        let found = of("admitted", &[1e3 * seconds, f64::NAN, 1e3 * seconds + 43_200_000.0]).unwrap();
        assert_eq!((found.of_rows[0], found.of_rows[2], found.exactness), (march, march + 0.5, Exactness::Time));
        assert_eq!(of("admitted", &[1e3 * seconds]).unwrap().exactness, Exactness::Day);
        assert!(of("admitted", &[1e3 * seconds, 5.0]).is_none() && of("admitted", &[1e3 * seconds + 0.5]).is_none());
        // other units may count anything, unless the name says that they do not
        assert!(of("account", &[seconds]).is_none());
        for unit in [1.0, 1e3, 1e6, 1e9] {
            assert_eq!(of("visit_date", &[unit * seconds]).unwrap().of_rows[0], march, "{unit}");
        }
        assert_eq!(of("date", &[20_210_305.0]).unwrap().of_rows[0], march);
        for name in ["ts", "created_at", "unix_epoch", "scoring_timestamp"] {
            assert_eq!(of(name, &[seconds, seconds + 43_200.5]).unwrap().of_rows[0], march, "{name}");
        }
        assert!(of("ts", &[1.0, 2.0]).is_none() && of("epoch", &[7.0]).is_none());
        assert_eq!(perhaps_seconds(seconds, seconds + 86_401.0), Some(["2021-03-05", "2021-03-06"].map(str::to_owned)));
        assert_eq!(perhaps_seconds(7.0, seconds), None);
    }
}
