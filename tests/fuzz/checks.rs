//! What must hold of everything that comes out, whatever went in.

use std::collections::BTreeMap;
use std::fmt::Debug;

use localcal::error::{CODES, Error};
use localcal::job::Outcome;
use localcal::job::reply::reply;
use localcal::report::RunOutcome;
use memchr::memmem;
use serde_json::Value;

/// Numbers that are the same up to rounding.
const SAME: f64 = 1e-12;
/// How far the probabilities of a row may be from a sum of 1.
const SUM: f64 = 1e-9;
/// Replicates of the common metrics are held in single precision.
const SINGLE: f64 = 1e-6;
/// From this many replicates on an interval is one of its value; with a handful it is what they happen to be.
const ENOUGH_DRAWS: u64 = 20;

type Check = Result<(), String>;

fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(fault()) }
}

/// An error has a known code, a sentence of bearable length and a hint; a fault of the program is not told as one.
pub fn refusal(error: &Error) -> Check {
    let told = || format!("{}: {error} [{}]", error.code(), error.hint());
    ensure(CODES.iter().any(|(code, _)| *code == error.code()), told)?;
    ensure(!error.to_string().is_empty() && !error.hint().is_empty(), told)?;
    ensure(error.to_string().chars().count() <= 1_000, told)?;
    ensure(error.hint().chars().count() <= 1_000, told)?;
    ensure(!error.to_string().contains("job needs"), told)
}

/// Every number of a run is finite or has a reason, lies where it must, and every sentence is one.
pub fn report(outcome: &Outcome) -> Check {
    let Outcome::Report(run) = outcome else {
        return Err("not a report".to_owned());
    };
    for method in &run.report.methods {
        let both = [("", &method.metrics), ("difference of ", &method.differences)];
        for (kind, values) in both {
            for (id, value) in values {
                let value = serde_json::to_value(value).map_err(|error| error.to_string())?;
                let place = format!("{kind}{} {id}", method.name);
                metric(&value, kind.is_empty()).map_err(|fault| format!("{place}: {fault}: {value}"))?;
            }
        }
    }
    for rows in &run.rows {
        // the published form of `mir` adds 1e-9 of the score, so that the order survives; what leaves is on the simplex
        let outside = rows.score.iter().find(|s| !(0.0..=1.0 + SUM * 2.0).contains(*s));
        ensure(outside.is_none(), || format!("{} scores {outside:?}", rows.method.name))?;
    }
    told_soundly(outcome)
}

/// Null has a reason; low ≤ value (or its corrected form) ≤ high. A difference has no `floor`.
fn metric(value: &Value, floor: bool) -> Check {
    let number = |name: &str| value.get(name).and_then(Value::as_f64);
    let names = ["value", "low", "high", "floor_mean", "floor_low", "floor_high"];
    let names = if floor { &names[..] } else { &names[..3] };
    let whole = names.iter().all(|name| number(name).is_some());
    ensure(whole || value["reason"].is_string(), || "null without a reason".to_owned())?;
    let ordered = |low: Option<f64>, high: Option<f64>| match (low, high) {
        (Some(low), Some(high)) => low <= high,
        _ => true,
    };
    ensure(ordered(number("floor_low"), number("floor_high")), || "floor upside down".to_owned())?;
    ensure(ordered(number("low"), number("high")), || "interval upside down".to_owned())?;
    if value["resamples"].as_u64().unwrap_or(0) < ENOUGH_DRAWS {
        return Ok(());
    }
    let shown = number("corrected").or(number("value"));
    let rounding = shown.map(|v| SINGLE * v.abs().max(1.0));
    let (above, below) = (shown.zip(rounding).map(|(v, r)| v + r), shown.zip(rounding).map(|(v, r)| v - r));
    let inside = ordered(number("low"), above) && ordered(below, number("high"));
    ensure(inside, || "an interval beside its value".to_owned())
}

/// No sentence holds a number that is none, and no field outside the columns of rows is one.
pub fn told_soundly(outcome: &Outcome) -> Check {
    let message = reply(outcome).map_err(|error| error.to_string())?;
    sentences(&message)?;
    numbers(outcome)
}

fn sentences(value: &Value) -> Check {
    match value {
        // the end of an axis, where γ → ∞
        Value::String(text) if text == "∞" => Ok(()),
        Value::String(text) => {
            let holds = |word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
            let wrong = ["NaN", "infinity", "∞"].into_iter().any(holds)
                || holds("inf") && text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "inf");
            ensure(!wrong, || format!("a sentence says: {text}"))
        }
        Value::Array(items) => items.iter().try_for_each(sentences),
        Value::Object(fields) => fields.values().try_for_each(sentences),
        _ => Ok(()),
    }
}

/// Looks at the outcome as it is held: JSON would show every number that is none as null. Columns of rows hold what their
/// file holds.
fn numbers(outcome: &impl Debug) -> Check {
    let text = format!("{outcome:?}");
    let bytes = text.as_bytes();
    for none in ["NaN", "inf"] {
        let mut column_ends = 0;
        for at in memmem::find_iter(bytes, none) {
            let (before, after) = (&bytes[..at], &bytes[at + none.len()..]);
            let whole = before.last().is_some_and(|b| b" [(-".contains(b))
                && after.first().is_some_and(|b| b",])} ".contains(b));
            if at < column_ends || !whole {
                continue;
            }
            let bracket = memchr::memrchr2(b'[', b']', before).unwrap_or(0);
            if before[..bracket].ends_with(b"Column(") && before[bracket] == b'[' {
                column_ends = at + memchr::memchr(b']', after).unwrap_or(0);
                continue;
            }
            let named = &text[..memchr::memrchr(b':', before).unwrap_or(0)];
            let field = named.rsplit([' ', '{']).next().unwrap_or("");
            // a single row has no distance from another; nothing tells it
            ensure(field == "median_distance", || format!("{field} is {none}"))?;
        }
    }
    Ok(())
}

/// Cells of a CSV file that has no quotes, by the name of their column.
fn cells(csv: &[u8]) -> Result<BTreeMap<String, Vec<String>>, String> {
    let mut reader = csv::Reader::from_reader(csv);
    let names = reader.headers().map_err(|error| error.to_string())?.clone();
    let mut columns: BTreeMap<String, Vec<String>> = names.iter().map(|name| (name.to_owned(), Vec::new())).collect();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        for (name, cell) in names.iter().zip(&record) {
            columns.get_mut(name).ok_or("a column")?.push(cell.to_owned());
        }
    }
    Ok(columns)
}

fn is_score(name: &str) -> bool {
    name == "p" || name == "confidence" || name.starts_with("p_") || name.starts_with("confidence_")
}

fn within(name: &str, cell: &str) -> Check {
    let inside = cell.is_empty() || cell.parse::<f64>().is_ok_and(|p| (0.0..=1.0).contains(&p));
    ensure(inside, || format!("{name} is {cell}"))
}

/// Scores lie in [0, 1].
pub fn predictions(csv: &[u8]) -> Check {
    for (name, column) in cells(csv)? {
        if is_score(&name) {
            column.iter().try_for_each(|cell| within(&name, cell))?;
        }
    }
    Ok(())
}

/// Scores lie in [0, 1], and the probabilities of every class on the simplex.
pub fn applied(csv: &[u8], classes: bool) -> Check {
    predictions(csv)?;
    if !classes {
        return Ok(());
    }
    let mut sums: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (name, column) in cells(csv)? {
        // the name of a class may hold a colon, that of a method drawn here does not
        let Some((method, _)) = name.split_once(':') else {
            continue;
        };
        let sum = sums.entry(method.to_owned()).or_insert_with(|| vec![0.0; column.len()]);
        for (sum, cell) in sum.iter_mut().zip(&column) {
            within(&name, cell)?;
            *sum += cell.parse::<f64>().unwrap_or(f64::NAN);
        }
    }
    for (method, sums) in sums {
        let off = sums.iter().find(|sum| (*sum - 1.0).abs() > SUM);
        ensure(off.is_none(), || format!("a row of {method} sums to {off:?}"))?;
    }
    Ok(())
}

/// A stored calibrator gives the rows that a single fit scored what left the run.
pub fn same_as_the_run(csv: &[u8], left: &[u8], run: &RunOutcome) -> Check {
    let (applied, left) = (cells(csv)?, cells(left)?);
    for method in &run.rows {
        let [_] = method.calibrators.as_slice() else {
            continue;
        };
        let name = &method.method.name;
        let in_file = |file: &BTreeMap<String, Vec<String>>| {
            let named = ["p_", "confidence_"].map(|view| format!("{view}{name}"));
            named.iter().find_map(|column| file.get(column).cloned())
        };
        let (Some(again), Some(here)) = (in_file(&applied), in_file(&left)) else {
            continue;
        };
        for &row in method.rows.iter() {
            let at = |column: &[String]| column.get(row as usize)?.parse::<f64>().ok();
            let (again, here) = (at(&again), at(&here));
            let same = matches!((again, here), (Some(a), Some(b)) if (a - b).abs() <= SAME);
            ensure(same, || format!("{name}: {again:?} in row {row}, {here:?} left the run"))?;
        }
    }
    Ok(())
}

#[test]
fn a_number_that_is_none_is_seen_outside_of_columns() {
    use localcal::table::Column;

    #[derive(Debug)]
    #[allow(dead_code)]
    struct Held {
        rows: Column<f64>,
        median_distance: f64,
        values: Vec<Option<f64>>,
        info: &'static str,
    }
    let held = |value: f64| {
        let rows = Column::from(vec![f64::NAN, 1.0, f64::INFINITY]);
        numbers(&Held { rows, median_distance: f64::NAN, values: vec![Some(1.0), Some(value)], info: "NaN inf" })
    };
    assert_eq!(held(2.0), Ok(()));
    for (value, said) in [(f64::NAN, "NaN"), (f64::NEG_INFINITY, "inf")] {
        assert_eq!(held(value), Err(format!("values is {said}")));
    }
}
