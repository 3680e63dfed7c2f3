//! Values that stand for a missing one, as 999 does among ages: noticed, and counted as missing where a person says so.

use serde::{Deserialize, Serialize};

use super::dates::Dates;
use crate::table::values::{Dictionary, MISSING, NamedColumn, Values};
use crate::words::text::plain;

/// Numbers that exports write where there is none, the largest size first.
const CODES: &[f64] =
    &[9_999_999.0, 999_999.0, 99_999.0, -99_999.0, 9_999.0, -9_999.0, 999.0, -999.0, -99.0, 99.0, -9.0, -1.0];
/// Dates that exports write where there is none.
const DATES: &[&str] =
    &["1900-01-01", "1899-12-30", "1899-12-31", "1901-01-01", "1970-01-01", "2099-12-31", "9999-12-31"];
/// Rows that must hold a value before it is doubted.
const REPEATED: usize = 3;
/// Rows with other values that there must be.
const OTHERS: usize = 10;

/// A value that may represent a missing one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sentinel {
    /// as `open` takes it in `missing`
    pub value: MissingCode,
    /// rows that hold it
    pub rows: usize,
    /// whether these rows count as having no value
    pub missing: bool,
    /// smallest and largest of the other values, as text
    pub among: String,
}

/// A code for missing values, as it is in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum MissingCode {
    /// a number: 999
    Number(f64),
    /// a text or a date: `1900-01-01`
    Text(String),
}

impl MissingCode {
    /// As it is in a file.
    pub fn text(&self) -> String {
        match self {
            MissingCode::Number(x) => plain(*x),
            MissingCode::Text(text) => text.clone(),
        }
    }
}

/// The values of a column without those that stand for a missing one, and how many rows held each.
pub(super) fn without(values: &Values, stands: &[MissingCode]) -> (Values, Vec<Sentinel>) {
    let found = |rows: &[usize]| -> Vec<Sentinel> {
        let each = stands.iter().zip(rows);
        each.map(|(value, &rows)| Sentinel { value: value.clone(), rows, missing: true, among: String::new() })
            .collect()
    };
    let mut rows = vec![0; stands.len()];
    let values = match values {
        Values::Numbers(numbers) => {
            let said: Vec<Option<f64>> = stands.iter().map(|one| one.text().trim().parse().ok()).collect();
            let one = |x: &f64| match said.iter().position(|said| *said == Some(*x)) {
                Some(k) => {
                    rows.iter_mut().skip(k).take(1).for_each(|count| *count += 1);
                    f64::NAN
                }
                None => *x,
            };
            Values::Numbers(numbers.iter().map(one).collect())
        }
        Values::Text { codes, levels } => {
            let texts: Vec<String> = stands.iter().map(MissingCode::text).collect();
            let place: Vec<Option<usize>> =
                levels.iter().map(|level| texts.iter().position(|text| text == level)).collect();
            // a text that no row has any more would still count as a class
            let mut kept = Dictionary::default();
            let of_kept: Vec<u32> = (levels.iter().zip(&place))
                .map(|(level, place)| if place.is_none() { kept.push(level) } else { MISSING })
                .collect();
            let one = |code: &u32| {
                if let Some(k) = place.get(*code as usize).copied().flatten() {
                    rows.iter_mut().skip(k).take(1).for_each(|count| *count += 1);
                }
                of_kept.get(*code as usize).copied().unwrap_or(MISSING)
            };
            Values::Text { codes: codes.iter().map(one).collect(), levels: kept }
        }
        Values::Matrix(_) => values.clone(),
    };
    (values, found(&rows))
}

/// Values of a column that repeat and lie far outside its other values, or below 0 where no other does: they may stand for a
/// missing one.
///
/// * `least`, `most`: the ends of its finite numbers; where neither is written as a missing value, nothing is looked at
///
/// O(rows) for each such end, at most.
pub(super) fn suspected(column: &NamedColumn, least: f64, most: f64) -> Vec<Sentinel> {
    match &column.values {
        Values::Numbers(values) => in_numbers(values, least, most),
        Values::Text { codes, levels } => in_dates(column, codes, levels),
        Values::Matrix(_) => Vec::new(),
    }
}

/// The number of a score that exports write where there is none, and how many rows hold it: all its other values lie in [0, 1].
/// O(rows).
pub(super) fn beside_shares(values: &Values) -> Option<(f64, usize)> {
    let Values::Numbers(values) = values else { return None };
    let is_share = |x: &&f64| (0.0..=1.0).contains(*x);
    let code = values.iter().find(|x| x.is_finite() && !is_share(x)).filter(|x| CODES.contains(x))?;
    let rows = values.iter().filter(|x| *x == code).count();
    let shares = values.iter().filter(is_share).count();
    let fractions = values.iter().filter(is_share).filter(|x| x.fract() != 0.0).count();
    let known = values.iter().filter(|x| !x.is_nan()).count();
    (rows >= REPEATED && fractions >= OTHERS && rows + shares == known).then_some((*code, rows))
}

fn in_numbers(values: &[f64], mut least: f64, mut most: f64) -> Vec<Sentinel> {
    let mut found: Vec<Sentinel> = Vec::new();
    let mut out: Vec<f64> = Vec::new();
    for &code in CODES {
        // Only an end can lie outside.
        if code != least && code != most {
            continue;
        }
        out.push(code);
        let (mut low, mut high, mut rows, mut others) = (f64::INFINITY, f64::NEG_INFINITY, 0, 0);
        let mut distinct: Vec<f64> = Vec::new();
        for &x in values.iter().filter(|x| x.is_finite()) {
            if x == code {
                rows += 1;
            } else if !out.contains(&x) {
                others += 1;
                (low, high) = (low.min(x), high.max(x));
                if distinct.len() < OTHERS && !distinct.contains(&x) {
                    distinct.push(x);
                }
            }
        }
        let gap = if code > high { code - high } else { low - code };
        let isolated = gap > (high - low).max(1.0) && distinct.len() > 2;
        let impossible = code < 0.0 && low >= 0.0 && distinct.len() >= OTHERS;
        if rows >= REPEATED && others >= OTHERS && (isolated || impossible) {
            let among = format!("{} to {}", plain(low), plain(high));
            found.push(Sentinel { value: MissingCode::Number(code), rows, missing: false, among });
            (least, most) = (low, high);
        } else {
            out.pop();
        }
    }
    found
}

fn in_dates(column: &NamedColumn, codes: &[u32], levels: &crate::table::Dictionary) -> Vec<Sentinel> {
    let known = levels.iter().position(|level| DATES.iter().any(|date| level.starts_with(date)));
    let Some((code, dates)) = known.and_then(|code| Some((code as u32, Dates::of(column)?))) else {
        return Vec::new();
    };
    let rows = codes.iter().filter(|one| **one == code).count();
    let (mut low, mut high, mut others) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    let mut own = f64::NAN;
    for (&one, &day) in codes.iter().zip(&dates.of_rows) {
        if one == code {
            own = day;
        } else if !day.is_nan() {
            (low, high, others) = (low.min(day), high.max(day), others + 1);
        }
    }
    let gap = if own > high { own - high } else { low - own };
    if rows < REPEATED || others < OTHERS || gap <= (high - low).max(1.0) {
        return Vec::new();
    }
    let among = format!("{} to {}", dates.text(low), dates.text(high));
    vec![Sentinel { value: MissingCode::Text(levels.text(code).to_owned()), rows, missing: false, among }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    fn of(values: Vec<f64>) -> Vec<(String, usize, String)> {
        let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        let values = Values::Numbers(Column::from(values));
        let column = NamedColumn { file: String::new(), name: "x".into(), values };
        let all = suspected(&column, ends.0, ends.1).into_iter();
        all.map(|one| (one.value.text(), one.rows, one.among)).collect()
    }

    #[test]
    fn isolated_values_that_repeat() {
        let ages = || (18..95).map(f64::from);
        let with = |more: &[f64]| ages().chain(more.iter().copied()).collect::<Vec<_>>();
        assert_eq!(of(with(&[999.0; 4])), [("999".into(), 4, "18 to 94".into())]);
        assert_eq!(of(with(&[-9.0; 3])), [("-9".into(), 3, "18 to 94".into())]);
        let both: Vec<String> = of(with(&[999.0, 999.0, 999.0, 9999.0, 9999.0, 9999.0, -1.0, -1.0, -1.0]))
            .into_iter()
            .map(|one| one.0)
            .collect();
        assert_eq!(both, ["9999", "999", "-1"]);
        // twice is no habit; 99 among ages is an age; −1 among changes, or among few values, is one of them
        assert!(of(with(&[999.0; 2])).is_empty());
        assert!(of(with(&[99.0; 5])).is_empty());
        assert!(of(with(&[-1.0, -1.0, -1.0, -2.0])).is_empty());
        assert!(of((0..60).map(|i| f64::from(i % 4 - 1)).collect()).is_empty());
        assert!(of(vec![999.0; 40]).is_empty());
    }

    #[test]
    fn a_text_that_counts_as_missing_is_no_class() {
        use crate::data::{OpenOptions, assemble};
        let row = |i: usize| format!("0.{},{}\n", 10 + i % 80, ["No", "Yes", "Pending"][i % 3]);
        let text = format!("p,outcome\n{}", (0..60).map(row).collect::<String>());
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let missing = [("outcome".to_owned(), vec![MissingCode::Text("Pending".into())])].into();
        let options = OpenOptions { missing, rows: crate::data::RowPolicy::Drop, ..OpenOptions::default() };
        let (data, summary) = assemble(&[file], &options).unwrap();
        assert_eq!((data.labels.as_slice(), summary.rows), (["No".to_owned(), "Yes".to_owned()].as_slice(), 40));
    }

    #[test]
    fn counted_as_missing() {
        let numbers = Values::Numbers(Column::from(vec![40.0, 999.0, 999.0]));
        let (values, found) = without(&numbers, &[MissingCode::Text("999".into())]);
        assert_eq!((values.missing(), found.first().map(|one| one.rows)), (2, Some(2)));
    }
}
