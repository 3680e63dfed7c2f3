//! Counts of a text that is read row by row, against counts of its columns as the reader of whole tables has them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use localcal_tables::counts::{CountRequest, QuantizedColumn};
use localcal_tables::data::counting::Counting;
use localcal_tables::data::dates::Dates;
use localcal_tables::read::streamed::stream;
use localcal_tables::read::tally::{Field, Tally, Want};
use localcal_tables::read::{hundredths, read};
use localcal_tables::table::{MISSING, NamedColumn, Values};
use localcal_tables::words::calendar::civil;

fn request() -> CountRequest {
    CountRequest {
        table: "rows".into(),
        score: "Risiko 1".into(),
        outcome: "died".into(),
        by: vec!["Straße \"Süd\"".into()],
        month: Some("day".into()),
        features: vec![QuantizedColumn { column: "age".into(), low: 0.0, high: 100.0, cells: 10 }],
        ..CountRequest::default()
    }
}

/// Counts of a text of any size, whose first `head` bytes show how it is written.
fn streamed(bytes: &[u8], head: usize, request: &CountRequest) -> Result<String, String> {
    let tally = Tally::new(request.clone()).unwrap();
    let asked = tally.clone();
    let mut counting = Counting::new(tally);
    stream(bytes, "rows.csv", &asked.columns(), head, &mut counting).map_err(|error| error.to_string())?;
    Ok(counting.tally.csv())
}

/// Counts of the columns of the whole table.
fn whole(bytes: &[u8], request: &CountRequest) -> String {
    let file = read("rows.csv", bytes, &mut |_| ()).unwrap();
    let mut tally = Tally::new(request.clone()).unwrap();
    let asked = tally.clone();
    let columns: Vec<(&NamedColumn, Want, Option<Dates>)> = (asked.columns().into_iter())
        .map(|(name, want)| {
            let column = file.columns.iter().find(|column| column.name == name).unwrap();
            (column, want, (want == Want::Month).then(|| Dates::of(column).unwrap()))
        })
        .collect();
    let rows = columns[0].0.values.shape()[0];
    for row in 0..rows {
        let fields: Vec<Field> = columns.iter().map(|(column, _, dates)| field(column, dates.as_ref(), row)).collect();
        tally.add(&fields).unwrap();
    }
    tally.csv()
}

fn field<'a>(column: &'a NamedColumn, dates: Option<&Dates>, row: usize) -> Field<'a> {
    if let Some(dates) = dates {
        let day = dates.of_rows[row];
        let (year, month, _) = civil(day.floor() as i64);
        return if day.is_nan() { Field::Missing } else { Field::Month((year * 100 + month) as u32) };
    }
    match &column.values {
        Values::Numbers(values) if values[row].is_nan() => Field::Missing,
        Values::Numbers(values) => Field::Number(values[row]),
        Values::Text { codes, .. } if codes[row] == MISSING => Field::Missing,
        Values::Text { codes, levels } if levels.iter().all(|text| hundredths(text).is_some()) => {
            Field::Number(hundredths(levels.text(codes[row])).unwrap())
        }
        Values::Text { codes, levels } => Field::Text(levels.text(codes[row])),
        Values::Matrix(_) => panic!("a list"),
    }
}

/// How a table is written.
#[derive(Debug, Clone, Copy)]
struct Manner {
    delimiter: &'static str,
    score: fn(f64) -> String,
    day: fn(i64, i64) -> String,
    ward: &'static [&'static str],
    line: &'static str,
}

fn comma(text: String) -> String {
    text.replace('.', ",")
}

const PLAIN: Manner = Manner {
    delimiter: ",",
    score: |p| p.to_string(),
    day: |month, day| format!("2024-{month:02}-{day:02}"),
    ward: &["A", "Küche", "NA", "", "none", "?"],
    line: "\n",
};

fn manners() -> Vec<Manner> {
    let semicolon = Manner { delimiter: ";", score: |p| comma(p.to_string()), line: "\r\n", ..PLAIN };
    vec![
        PLAIN,
        semicolon,
        Manner { delimiter: "\t", ward: &["1", "2", "1.0", "01", "NA"], ..PLAIN },
        Manner { ward: &["1", "1.0", "2.50", "none"], ..semicolon },
        Manner { delimiter: "|", score: |p| format!("\"{}\"", comma(p.to_string())), ..PLAIN },
        Manner { score: |p| format!("\"{}\"", comma(p.to_string())), ..PLAIN },
        Manner { score: |p| format!(" {:.2}% ", 100.0 * p), ..PLAIN },
        Manner { score: |p| comma(format!("{:.2} %", 100.0 * p)), ..semicolon },
        Manner { score: |p| format!("{p:e}"), line: "\r", ..PLAIN },
        Manner { day: |month, day| format!("{day:02}.{month:02}.2024"), ..semicolon },
        Manner { day: |month, day| format!("{day}/{month}/2024"), ..PLAIN },
        Manner { day: |month, day| format!("{month:02}/{day:02}/2024 10:20"), ..PLAIN },
        Manner { day: |month, day| format!("2024{month:02}{day:02}"), ..PLAIN },
        Manner { day: |month, day| format!("2024-{month:02}-{day:02}T23:30:00-05:00"), ..PLAIN },
        Manner { day: |month, _| format!("2024-{month:02}"), ..PLAIN },
        Manner { day: |month, day| format!("{day} {} 2024", ["Jan", "Feb", "Mar"][month as usize - 1]), ..PLAIN },
    ]
}

fn text(manner: &Manner, rows: usize) -> String {
    let Manner { delimiter, score, day, ward, line } = manner;
    let names = ["Risiko 1", "died", "\"Straße \"\"Süd\"\"\"", "day", "age", "more"];
    let mut text = names.join(delimiter) + line;
    for i in 0..rows {
        let p = if i % 41 == 7 { String::new() } else { score(((i * 37) % 997) as f64 / 997.0) };
        let died = ["0", "1", "0", "NA", "0", "2"][i % 6];
        let (month, date) = ((i % 3) as i64 + 1, (i % 28) as i64 + 1);
        let age = ["34", "NA", "101", "-3", "65"][i % 5];
        let more = ["\"x, y\"", "\"two\nlines; of | it\"", "z"][i % 3];
        let cells = [p, died.to_owned(), ward[i % ward.len()].to_owned(), day(month, date), age.into(), more.into()];
        text += &(cells.join(delimiter) + line);
    }
    text
}

/// Windows-1252, in which these letters are those of Latin-1.
fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect()
}

fn utf16(text: &str, little: bool) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
}

#[test]
fn rows_of_any_number_are_read_as_those_of_a_table_that_is_opened() {
    for manner in manners() {
        let text = text(&manner, 600);
        let marked = format!("\u{feff}{text}");
        let encodings =
            [text.clone().into_bytes(), marked.into_bytes(), latin1(&text), utf16(&text, true), utf16(&text, false)];
        for bytes in encodings {
            let expected = whole(&bytes, &request());
            assert!(expected.contains("Küche") || manner.ward.contains(&"1"), "{expected}");
            for head in [4_000, 1 << 20] {
                let found = streamed(&bytes, head, &request());
                assert_eq!(found.as_ref(), Ok(&expected), "{manner:?}, {head}");
            }
        }
    }
}

/// That a text whose first rows are these, many times, and whose last is another, is refused with some words.
fn refused(manner: &Manner, last: &str, words: &str) {
    let mut text = text(manner, 599);
    text += &(last.replace(',', manner.delimiter) + manner.line);
    for head in [4_000, 10_000] {
        let error = streamed(text.as_bytes(), head, &request()).unwrap_err();
        assert!(error.contains(words) && error.contains("rows.csv"), "{error}");
    }
}

#[test]
fn rows_that_contradict_the_first_ones_are_refused() {
    let [plain, semicolon, .., percent] = &manners()[..7] else { panic!("seven manners") };
    let not_a_number = |value: &str| format!("`Risiko 1` is not a number: `{value}` (data row 600");
    refused(semicolon, "0.5,1,A,2024-01-01,34,z", &not_a_number("0.5"));
    refused(plain, "0:5,1,A,2024-01-01,34,z", &not_a_number("0:5"));
    refused(percent, "0.5,1,A,2024-01-01,34,z", &not_a_number("0.5"));
    refused(plain, "50%,1,A,2024-01-01,34,z", &not_a_number("50%"));
    refused(
        plain,
        "0.5,1,A,01.02.2024 z,34,z",
        "`day` is not a date as those of the first rows: `01.02.2024 z` (data row 600",
    );
    refused(plain, "0.5,1,A,2024-01-01,\"1,234\",z", "`age` is not a number: `1,234` (data row 600");
    refused(plain, "0.5,1,A,2024-01-01", "A row has 4 cells, expected 6 (data row 600");
    refused(plain, "Total,1,A,2024-01-01,34,z", "may contain totals");
    let days = Manner { day: |month, day| format!("{day}/{month}/2024"), ..PLAIN };
    refused(
        &days,
        "0.5,1,A,01/25/2024,34,z",
        "`day` is not a date as those of the first rows: `01/25/2024` (data row 600",
    );
    let either = Manner { day: |month, _| format!("{month}/2/2024"), ..PLAIN };
    refused(&either, "0.5,1,A,01/25/2024,34,z", "do not tell day and month apart");
    // "1.0" was counted as the group 1; whether it is one of numbers, the first rows showed
    let numbers = Manner { ward: &["1", "1.0"], ..PLAIN };
    refused(&numbers, "0.5,1,ICU,2024-01-01,34,z", "`Straße \"Süd\"` is not a number: `ICU` (data row 600");
}

#[test]
fn what_reads_alike_in_two_notations_is_decided_late() {
    // groups whose first names are whole numbers, outcomes that begin as numbers, columns that begin empty
    let mut rows = "Risiko 1,died,\"Straße \"\"Süd\"\"\",day,age\n".to_owned();
    for i in 0..600 {
        let (day, age) = if i < 400 { ("", "") } else { ("25/03/2024", "34") };
        let ward = if i < 500 { (i % 7).to_string() } else { "Küche".to_owned() };
        let died = if i < 550 { "1" } else { "unknown" };
        rows += &format!("0.{},{died},{ward},{day},{age}\n", 10 + i % 80);
    }
    for bytes in [rows.clone().into_bytes(), latin1(&rows)] {
        let expected = whole(&bytes, &request());
        assert_eq!(streamed(&bytes, 2_000, &request()).as_ref(), Ok(&expected));
    }
    // letters of both encodings
    let mut mixed = rows.into_bytes();
    mixed.extend_from_slice(b"0.5,1,K\xfcche,25/03/2024,34\n");
    let error = streamed(&mixed, 2_000, &request()).unwrap_err();
    assert!(error.contains("begins as UTF-8, and this row is not UTF-8 (data row 601"), "{error}");
}
